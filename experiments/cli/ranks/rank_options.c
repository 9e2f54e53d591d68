/* Rank options: how the ranks of a command are started, timed and watched. */
#include "experiments/cli/ranks/rank_options.h"

#include "core/base/argument.h"
#include "kernels/exchange/rank_process.h"
#include <string.h>

static const char *const answers[] = {"no", "yes", NULL};

static tess_status read_timeout(const char *option, const char *value, void *timeout) {
    static const double LEAST_TIMEOUT = 0.1;
    return tess_argument_real(option, value, LEAST_TIMEOUT, timeout);
}

enum { GROUP = 4, MOST_ROUNDS = 1 << 20 };

const tess_option_row tess_rank_rows[] = {
    {"launcher", 0, "CMD",
     "What starts --ranks N processes where nothing has, say 'srun --mpi=pmix' (default: mpiexec)",
     GROUP, TESS_KEPT(tess_rank_setting, launcher)},
    {"exchange-samples", 0, "N",
     "At the end, time N rounds with and without the exchanges between ranks (default: 0)", GROUP,
     TESS_KEPT(tess_rank_setting, n_rounds), .least = 0, .most = MOST_ROUNDS},
    {"rank-timeout", 0, "S",
     "Seconds after which a rank that is stopped or stands still ends all (default: 60)", GROUP,
     TESS_READ_BY(read_timeout, tess_rank_setting, timeout)},
    {0}};

const tess_option_row tess_step_graph_row[] = {
    {"graph", 0, "yes|no",
     "Whether steps are put on the GPU as a graph, by the engines nccl and peer (default: no)",
     GROUP, TESS_KEPT_CHOICE(tess_rank_setting, graph, answers)},
    {0}};

static const double USUAL_TIMEOUT = 60;

tess_status tess_rank_options_check(const tess_experiment *experiment, tess_rank_setting *setting) {
    const bool said = setting->launcher || setting->n_rounds > 0 || setting->timeout > 0;
    if (said && !tess_experiment_is_ranked(experiment))
        FAIL(TESS_ERROR_USAGE, "say how many ranks: --ranks N");
    if (!setting->launcher)
        setting->launcher = "mpiexec";
    if (setting->timeout == 0)
        setting->timeout = USUAL_TIMEOUT;
    return TESS_OK;
}

tess_status tess_rank_options_launch(const tess_experiment *experiment,
                                     const tess_rank_setting *setting, const char *command,
                                     char *const *argv) {
    if (strcmp(tess_experiment_engine(experiment), "local") == 0)
        return TESS_OK;
    return tess_rank_process_launch(setting->launcher, experiment->ranks, command, argv);
}

/* Rank options: how a command that marches an application divides it among ranks. */
#include "experiments/cli/ranks/rank_options.h"

#include "core/base/argument.h"
#include <string.h>

tess_status tess_halo_mode_read(const char *option, const char *value, void *mode) {
    static const char *const modes[] = {"exec", "sums", NULL};
    int choice = 0;
    TRY(tess_argument_choice(option, value, modes, &choice));
    *(tess_halo_mode *)mode = choice == 0 ? TESS_HALO_EXEC : TESS_HALO_SUMS;
    return TESS_OK;
}

static tess_status read_answer(const char *option, const char *value, bool *yes) {
    static const char *const answers[] = {"yes", "no", NULL};
    int choice = 0;
    TRY(tess_argument_choice(option, value, answers, &choice));
    *yes = choice == 0;
    return TESS_OK;
}

static tess_status read_graph(const char *option, const char *value, void *graph) {
    return read_answer(option, value, graph);
}

static tess_status read_overlap(const char *option, const char *value, void *whole) {
    bool overlaps = true;
    TRY(read_answer(option, value, &overlaps));
    *(bool *)whole = !overlaps;
    return TESS_OK;
}

static tess_status read_timeout(const char *option, const char *value, void *timeout) {
    static const double LEAST_TIMEOUT = 0.1;
    return tess_argument_real(option, value, LEAST_TIMEOUT, timeout);
}

enum { MOST_RANKS = 1 << 20, MOST_ROUNDS = 1 << 20 };

const tess_option_row tess_rank_rows[] = {
    {"ranks", 0, "N", "Divide the mesh among N ranks (default: no ranks)",
     TESS_KEPT(tess_rank_setting, n_ranks), .least = 1, .most = MOST_RANKS},
    {"rank-partitioner", 0, "P", "How the mesh is cut into ranks: any partitioner (default: rcb)",
     TESS_KEPT(tess_rank_setting, partitioner)},
    {"engine", 0, "E",
     "What carries values between ranks: local, all ranks in this process; mpi, a rank a process; "
     "nccl, likewise, from GPU to GPU (default: local)",
     TESS_KEPT(tess_rank_setting, engine)},
    {"launcher", 0, "CMD",
     "What starts --ranks N processes where nothing has, say 'srun --mpi=pmix' (default: mpiexec)",
     TESS_KEPT(tess_rank_setting, launcher)},
    {"halo", 0, "MODE",
     "Who computes what is added to points of another rank: exec, both ranks execute the element; "
     "sums, sums travel (default: exec)",
     TESS_READ_BY(tess_halo_mode_read, tess_rank_setting, mode)},
    {"overlap", 0, "yes|no", "Whether the core of a rank runs while values travel (default: yes)",
     TESS_READ_BY(read_overlap, tess_rank_setting, whole)},
    {"graph", 0, "yes|no",
     "Whether a step is put on the GPU as one graph, by the engine nccl (default: no)",
     TESS_READ_BY(read_graph, tess_rank_setting, graph)},
    {"exchange-samples", 0, "N",
     "After the march, time N rounds of steps with and without their exchanges (default: 0)",
     TESS_KEPT(tess_rank_setting, n_rounds), .least = 0, .most = MOST_ROUNDS},
    {"rank-timeout", 0, "S",
     "Seconds after which a rank that is stopped or stands still ends all (default: 60)",
     TESS_READ_BY(read_timeout, tess_rank_setting, timeout)},
    {0}};

static const double USUAL_TIMEOUT = 60;

tess_status tess_rank_options_check(tess_rank_setting *setting, bool *ranked) {
    const bool said = setting->partitioner || setting->engine || setting->launcher ||
                      setting->whole || setting->n_rounds > 0 || setting->timeout > 0 ||
                      setting->mode != TESS_HALO_EXEC;
    if (!setting->launcher)
        setting->launcher = "mpiexec";
    if (setting->timeout == 0)
        setting->timeout = USUAL_TIMEOUT;
    *ranked = setting->n_ranks > 0 || (setting->engine && strcmp(setting->engine, "local") != 0);
    if (said && !*ranked)
        FAIL(TESS_ERROR_USAGE, "say how many ranks: --ranks N");
    return TESS_OK;
}

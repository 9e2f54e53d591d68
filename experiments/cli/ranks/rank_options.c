/* Rank options: how a command that marches an application divides it among ranks. */
#include "experiments/cli/ranks/rank_options.h"

#include "core/base/argument.h"
#include <string.h>

error_t tess_rank_options_parse(int key, const char *arg, tess_rank_setting *into) {
    static const char *const modes[] = {"exec", "sums", NULL};
    static const char *const answers[] = {"yes", "no", NULL};
    enum { MOST_RANKS = 1 << 20, MOST_ROUNDS = 1 << 20 };
    static const double LEAST_TIMEOUT = 0.1;
    int choice = 0;
    switch (key) {
    case TESS_KEY_RANKS:
        return tess_command_refuse(
            tess_argument_integer("ranks", arg, 1, MOST_RANKS, &into->n_ranks));
    case TESS_KEY_RANK_PARTITIONER:
        into->partitioner = arg;
        return 0;
    case TESS_KEY_ENGINE:
        into->engine = arg;
        return 0;
    case TESS_KEY_LAUNCHER:
        into->launcher = arg;
        return 0;
    case TESS_KEY_HALO: {
        const error_t error =
            tess_command_refuse(tess_argument_choice("halo", arg, modes, &choice));
        into->mode = choice == 0 ? TESS_HALO_EXEC : TESS_HALO_SUMS;
        return error;
    }
    case TESS_KEY_OVERLAP: {
        const error_t error =
            tess_command_refuse(tess_argument_choice("overlap", arg, answers, &choice));
        into->whole = choice == 1;
        return error;
    }
    case TESS_KEY_STEP_GRAPH: {
        const error_t error =
            tess_command_refuse(tess_argument_choice("graph", arg, answers, &choice));
        into->graph = choice == 0;
        return error;
    }
    case TESS_KEY_EXCHANGE_SAMPLES:
        return tess_command_refuse(
            tess_argument_integer("exchange-samples", arg, 0, MOST_ROUNDS, &into->n_rounds));
    case TESS_KEY_RANK_TIMEOUT:
        return tess_command_refuse(
            tess_argument_real("rank-timeout", arg, LEAST_TIMEOUT, &into->timeout));
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

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

/* Rank options: how a command that marches an application divides it among ranks. */
#pragma once

#include "experiments/bench/ranked_march.h"
#include "experiments/cli/command.h"

enum {
    TESS_KEY_RANKS = 0x400,
    TESS_KEY_RANK_PARTITIONER,
    TESS_KEY_ENGINE,
    TESS_KEY_HALO,
    TESS_KEY_OVERLAP,
    TESS_KEY_STEP_GRAPH,
    TESS_KEY_LAUNCHER,
    TESS_KEY_EXCHANGE_SAMPLES,
    TESS_KEY_RANK_TIMEOUT
};

#define TESS_RANK_OPTIONS                                                                          \
    {"ranks", TESS_KEY_RANKS, "N", 0, "Divide the mesh among N ranks (default: no ranks)", 0},     \
        {"rank-partitioner",                                                                       \
         TESS_KEY_RANK_PARTITIONER,                                                                \
         "P",                                                                                      \
         0,                                                                                        \
         "How the mesh is cut into ranks: any partitioner (default: rcb)",                         \
         0},                                                                                       \
        {"engine",                                                                                 \
         TESS_KEY_ENGINE,                                                                          \
         "E",                                                                                      \
         0,                                                                                        \
         "What carries values between ranks: local, all ranks in this process; mpi, a rank a "     \
         "process; nccl, likewise, from GPU to GPU (default: local)",                              \
         0},                                                                                       \
        {"launcher",                                                                               \
         TESS_KEY_LAUNCHER,                                                                        \
         "CMD",                                                                                    \
         0,                                                                                        \
         "What starts --ranks N processes where nothing has, say 'srun --mpi=pmix' (default: "     \
         "mpiexec)",                                                                               \
         0},                                                                                       \
        {"halo",                                                                                   \
         TESS_KEY_HALO,                                                                            \
         "MODE",                                                                                   \
         0,                                                                                        \
         "Who computes what is added to points of another rank: exec, both ranks execute the "     \
         "element; sums, sums travel (default: exec)",                                             \
         0},                                                                                       \
        {"overlap",                                                                                \
         TESS_KEY_OVERLAP,                                                                         \
         "yes|no",                                                                                 \
         0,                                                                                        \
         "Whether the core of a rank runs while values travel (default: yes)",                     \
         0},                                                                                       \
        {"graph",                                                                                  \
         TESS_KEY_STEP_GRAPH,                                                                      \
         "yes|no",                                                                                 \
         0,                                                                                        \
         "Whether a step is put on the GPU as one graph, by the engine nccl (default: no)",        \
         0},                                                                                       \
        {"exchange-samples",                                                                       \
         TESS_KEY_EXCHANGE_SAMPLES,                                                                \
         "N",                                                                                      \
         0,                                                                                        \
         "After the march, time N rounds of steps with and without their exchanges (default: 0)",  \
         0},                                                                                       \
    {                                                                                              \
        "rank-timeout", TESS_KEY_RANK_TIMEOUT, "S", 0,                                             \
            "Seconds after which a rank that is stopped or stands still ends all (default: 60)", 0 \
    }

/* The part of the command's parser: ARGP_ERR_UNKNOWN for other keys. */
error_t tess_rank_options_parse(int key, const char *arg, tess_rank_setting *into);

/* True where ranks are asked for: by their number, or by an engine whose launcher knows it. Fails
 * (USAGE) where something is said of ranks, but not how many there are. Fills what was not said. */
TESS_MUST_CHECK tess_status tess_rank_options_check(tess_rank_setting *setting, bool *ranked);

/* A rank's process: one of several that a launcher has started. It computes in a child and watches
 * over it, so that a child that is killed, stopped or stuck is told from one that computes, and
 * ends the run: a launcher ends all processes when one of them fails. */
#pragma once

#include "kernels/exchange/engine.h"

typedef struct tess_rank_process tess_rank_process;

typedef struct tess_rank_process_setting {
    double timeout; /* s */
    /* Called in the parent with the task and the reason, before it ends a run that failed. */
    void (*failed)(void *context, int64_t task, const char *why);
    void *context;
} tess_rank_process_setting;

/* Where a launcher has started this process: goes on in a child, and gives *out. The parent ends
 * with the child, which does not outlive it, and says in one line which rank of which host has
 * ended by a signal, was stopped for longer than the timeout, or stood still (see below) for
 * two more, so that the rank that is the cause speaks first. What MPI and NCCL leave in /dev/shm is
 * removed then. *out is NULL where there is no launcher; it lasts as long as the process. */
TESS_MUST_CHECK tess_status tess_rank_process_start(const tess_rank_process_setting *setting,
                                                    tess_rank_process **out);

/* A number that must change while the process is watched; NULL of no process. */
_Atomic int64_t *tess_rank_process_pulse(tess_rank_process *process);

/* Says which of several tasks comes now, the first one being 0. Accepts NULL. */
void tess_rank_process_begin(tess_rank_process *process, int64_t task);

/* From now on the process must not stand still, or may, as when only one rank computes. Accepts
 * NULL. */
void tess_rank_process_watch(tess_rank_process *process, bool watched);

/* Ends this process where it is a rank that failed among others: it says why and leaves without a
 * word to them. Returns where there are no others; `crew` NULL: there are none. */
void tess_rank_process_leave(const tess_crew *crew, tess_status status);

/* Where no launcher has started this process: has `launcher` ("mpiexec", "srun --mpi=pmix") start n
 * of them, each with the words of this one from argv[1] on behind `command`, and becomes it. Comes
 * back where that fails (MISSING), and where there is nothing to start. */
TESS_MUST_CHECK tess_status tess_rank_process_launch(const char *launcher, int64_t n,
                                                     const char *command, char *const *argv);

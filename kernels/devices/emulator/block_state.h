/* The state of a running thread block, shared by the files that make up thread_block.h. */
#pragma once

#include "kernels/devices/emulator/fibre.h"
#include "kernels/devices/emulator/grid.h"
#include "kernels/devices/emulator/tally.h"

enum { TESS_LANES = 32 };

typedef enum tess_thread_state { READY, AT_BARRIER, AT_WARP_WORD, ENDED } tess_thread_state;

/* An asynchronous copy under way. */
typedef struct tess_block_copy {
    void *to;
    const void *from;
    int size;
} tess_block_copy;

/* A run of values that is being added. */
typedef struct tess_block_add {
    double *to;
    const double *from;
    int n;
} tess_block_add;

typedef struct tess_block_thread {
    tess_fibre fibre;
    tess_thread_state state;
    int stack;
    const struct simt_site *site; /* where it waits */
    enum simt_warp_word word;
    uint32_t mask;
    int argument;
    uint64_t bits;
    int n_copies; /* that the thread has not waited for */
    int64_t copies_capacity;
    tess_block_copy *copies;
    int n_adds; /* so */
    int64_t adds_capacity;
    tess_block_add *adds;
} tess_block_thread;

typedef struct tess_thread_block {
    const tess_grid *grid;
    uint32_t index;
    uint32_t generation; /* of shared memory: one more for each block run */
    uint32_t interval;
    int n_live;
    bool failed;
    char message[512];
    tess_fibre scheduler;
    void *arena;
    char *stacks; /* [TESS_MAX_THREADS][SIMT_STACK], in the arena */
    int n_free;
    int free_stacks[TESS_MAX_THREADS];
    tess_block_thread threads[TESS_MAX_THREADS];
    uint32_t waiting[TESS_MAX_THREADS / TESS_LANES]; /* lanes at a warp word */
    uint32_t warp_interval[TESS_MAX_THREADS / TESS_LANES];
    uint16_t order[TESS_MAX_THREADS];
    char *shared; /* [TESS_SHARED_MAX] */
    tess_claim *shared_claims;
    tess_allocation *recent; /* allocation of the last global access */
    tess_tally *tally;
    tess_counters counters; /* of the block that runs */
    tess_trace *trace;      /* of it, or NULL */
} tess_thread_block;

/* Keeps the first failure, with its place, and leaves the thread for good. */
__attribute__((format(printf, 4, 5), noreturn)) void tess_block_stop(tess_thread_block *block,
                                                                     const struct simt_thread *self,
                                                                     const struct simt_site *site,
                                                                     const char *format, ...);

/* Stops the block where an asynchronous copy or addition of the thread is under way. */
void tess_block_has_waited(tess_thread_block *block, const struct simt_thread *self,
                           const struct simt_site *site);

/* The words async_copy and async_wait: what is copied is there after the wait and not before, so a
 * wait that is missing shows. */
void tess_block_copy_later(struct simt_thread *self, void *to, const void *from, int size,
                           const struct simt_site *site);
void tess_block_wait(struct simt_thread *self);

/* The words async_add_run and async_add_wait: so, too. The first does not check. */
void tess_block_add_later(struct simt_thread *self, const tess_block_add *add,
                          const struct simt_site *site);
void tess_block_add_wait(struct simt_thread *self);

/* What async_add_run does first: as n loads of shared memory, which are not counted, and one access
 * of a lane to global memory; then adds later. */
void tess_block_add_run(struct simt_thread *self, double *to, const double *from, int n, int turn,
                        const struct simt_site *site);

/* The word reads: as n loads, which are not counted. */
void tess_block_reads(struct simt_thread *self, const volatile void *p, int size, int n,
                      const struct simt_site *site);

/* The word within: stops where i is no place of n. */
void tess_block_within(struct simt_thread *self, int i, int n, const char *name,
                       const struct simt_site *site);

/* The word since: stops where what lies at p was written before the block's n-th barrier. */
void tess_block_since(struct simt_thread *self, const volatile void *p, int n, const char *name,
                      const struct simt_site *site);

/* The word prefetch_run: checks what it is given. */
void tess_block_prefetch(struct simt_thread *self, const void *p, int size,
                         const struct simt_site *site);

/* What every memory word of a watched module does first: finds, checks, claims, counts. */
void tess_block_touch(struct simt_thread *self, const volatile void *p, int size,
                      enum simt_access access, int turn, const struct simt_site *site);

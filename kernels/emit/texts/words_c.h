/* words.h: the words of a kernel's text, for a processor: blocks run one after another, and the
 * threads of a block take turns, each on a stack of its own, where they wait for each other.
 * To try a kernel where there is no GPU: it is slow, and additions never collide. */
#ifndef WORDS_H
#define WORDS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>
#include <ucontext.h>

enum { CPU_MOST_THREADS = 1024, CPU_LANES = 32, CPU_STACK = 1 << 17 };

/* A lane that waits for others of its warp: what it brings, and what they all brought. */
struct cpu_lane {
    uint32_t waits; /* for the lanes of this mask; 0: it does not */
    uint64_t brings, sees[CPU_LANES];
};

struct params;
typedef void cpu_kernel(const struct params *params);

static struct {
    cpu_kernel *kernel;
    const struct params *params;
    char *shared;
    int block, thread, threads, running, arrived;
    long events, barriers; /* what ended a wait so far */
    int ended[CPU_MOST_THREADS];
    ucontext_t scheduler, contexts[CPU_MOST_THREADS];
    char *stacks[CPU_MOST_THREADS];
    struct cpu_lane lanes[CPU_MOST_THREADS];
} cpu;

static void cpu_yield(void) {
    swapcontext(&cpu.contexts[cpu.thread], &cpu.scheduler);
}

static void cpu_open_barrier(void) {
    cpu.arrived = 0;
    cpu.barriers++;
    cpu.events++;
}

static inline void cpu_barrier(void) {
    const long before = cpu.barriers;
    if (++cpu.arrived == cpu.running)
        cpu_open_barrier();
    while (cpu.barriers == before)
        cpu_yield();
}

/* Waits for the lanes of a mask, and gives what each of them brought. */
static inline const uint64_t *cpu_meet(uint32_t mask, uint64_t brings) {
    struct cpu_lane *own = &cpu.lanes[cpu.thread];
    struct cpu_lane *warp = &cpu.lanes[cpu.thread / CPU_LANES * CPU_LANES];
    int all = 1;
    own->brings = brings;
    own->waits = mask;
    for (int l = 0; l < CPU_LANES; l++)
        all &= !(mask >> l & 1) || warp[l].waits == mask;
    for (int l = 0; all && l < CPU_LANES; l++)
        if (mask >> l & 1) {
            for (int k = 0; k < CPU_LANES; k++)
                warp[l].sees[k] = warp[k].brings;
            warp[l].waits = 0;
        }
    cpu.events += all;
    while (own->waits)
        cpu_yield();
    return own->sees;
}

static inline uint32_t cpu_ballot(uint32_t mask, int predicate) {
    const uint64_t *sees = cpu_meet(mask, (uint64_t)(predicate != 0));
    uint32_t found = 0;
    for (int l = 0; l < CPU_LANES; l++)
        found |= (uint32_t)(mask >> l & 1 && sees[l]) << l;
    return found;
}

static inline uint32_t cpu_match_any(uint32_t mask, int value) {
    const uint64_t *sees = cpu_meet(mask, (uint32_t)value);
    uint32_t found = 0;
    for (int l = 0; l < CPU_LANES; l++)
        found |= (uint32_t)(mask >> l & 1 && sees[l] == (uint32_t)value) << l;
    return found;
}

static void cpu_thread_main(void) {
    for (;;) {
        cpu.kernel(cpu.params);
        cpu.ended[cpu.thread] = 1;
        cpu.events++;
        if (--cpu.running > 0 && cpu.arrived == cpu.running)
            cpu_open_barrier();
        cpu_yield();
    }
}

/* All threads of one block, in turns, until all have ended. */
static void cpu_run_block(void) {
    cpu.running = cpu.threads;
    cpu.arrived = 0;
    memset(cpu.ended, 0, sizeof cpu.ended);
    while (cpu.running > 0) {
        const long before = cpu.events;
        for (int t = 0; t < cpu.threads; t++) {
            cpu.thread = t;
            if (!cpu.ended[t])
                swapcontext(&cpu.scheduler, &cpu.contexts[t]);
        }
        if (cpu.events == before) {
            fprintf(stderr, "block %d: its threads wait for each other for ever\n", cpu.block);
            exit(1);
        }
    }
}

__attribute__((unused)) static void run_blocks(cpu_kernel *kernel, long long blocks, int threads,
                                               size_t shared_bytes, const struct params *params) {
    cpu.kernel = kernel;
    cpu.params = params;
    cpu.threads = threads;
    cpu.shared = (char *)aligned_alloc(64, (shared_bytes + 127) / 64 * 64);
    for (int t = 0; t < threads; t++)
        if (!cpu.stacks[t]) {
            getcontext(&cpu.contexts[t]);
            cpu.stacks[t] = (char *)malloc(CPU_STACK);
            cpu.contexts[t].uc_stack.ss_sp = cpu.stacks[t];
            cpu.contexts[t].uc_stack.ss_size = CPU_STACK;
            makecontext(&cpu.contexts[t], cpu_thread_main, 0);
        }
    for (cpu.block = 0; cpu.block < blocks; cpu.block++)
        cpu_run_block();
    free(cpu.shared);
}

#define KERNEL(name)                                                                               \
    __attribute__((unused)) static void name(__attribute__((unused))                               \
                                             const struct params *simt_params)
#define PARAMS simt_params
#define thread_index() (cpu.thread)
#define block_index() (cpu.block)
#define block_threads() (cpu.threads)
#define lane() (cpu.thread % CPU_LANES)
#define shared_memory() (cpu.shared)

#define fetch(p) (*(p))
#define load(p) (*(p))
#define store(p, v) ((void)(*(p) = (v)))
#define plain_add(p, v) ((void)(*(p) += (v)))
#define atomic_add(p, v) ((void)(*(p) += (v)))
#define async_copy(to, p) ((void)(*(to) = *(p)))
#define async_wait() ((void)0)
#define prefetch_run(p, n) ((void)(p), (void)(n))
#define reads(p, n) ((void)(p), (void)(n))
#define barrier() cpu_barrier()
#define warp_barrier(mask) ((void)cpu_meet((mask), 0))

/* A value of 4 or 8 bytes that another lane brings. */
#define CPU_EXCHANGE(mask, v, lane)                                                                \
    ({                                                                                             \
        union {                                                                                    \
            __typeof__((v) + 0) value;                                                             \
            uint64_t bits;                                                                         \
        } cpu_v = {.bits = 0};                                                                     \
        cpu_v.value = (v);                                                                         \
        const int cpu_from = (lane);                                                               \
        cpu_v.bits = cpu_meet((mask), cpu_v.bits)[cpu_from & (CPU_LANES - 1)];                     \
        cpu_v.value;                                                                               \
    })
#define shuffle(mask, v, source) CPU_EXCHANGE(mask, v, source)
#define shuffle_down(mask, v, delta)                                                               \
    CPU_EXCHANGE(mask, v, lane() + (delta) < CPU_LANES ? lane() + (delta) : lane())
#define shuffle_xor(mask, v, lanes) CPU_EXCHANGE(mask, v, lane() ^ (lanes))
#define ballot(mask, predicate) cpu_ballot((mask), (predicate) != 0)
#define match_any(mask, i) cpu_match_any((mask), (i))

#endif

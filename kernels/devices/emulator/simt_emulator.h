/* simt_emulator.h: the words of simt.h for the emulator, and what its modules and the emulator
 * agree on.
 *
 * Each CUDA thread is a fibre on a stack of SIMT_STACK bytes, aligned to its own size; what the
 * thread needs lies at the lowest address of that stack, so the words find it by masking the stack
 * pointer. Compiled with SIMT_CHECK=0 the memory words are plain C; with SIMT_CHECK=1 each goes
 * through the emulator, which checks and counts it. A fetch or load whose value nobody uses does
 * not count, as for a GPU's compiler: to this one simt_seen looks as if it only read memory. */
#ifndef SIMT_EMULATOR_H
#define SIMT_EMULATOR_H

#include <stdint.h>

enum { SIMT_STACK = 32768 };

/* A word in the text: where it stands. A module's sites lie one behind the other in a section of
 * their own, so that a site's number is its place there. */
struct simt_site {
    const char *file;
    const char *word;
    int line;
    int reserved[3];
} __attribute__((aligned(32)));

/* SIMT_COPY: the end of an asynchronous copy, a store; the access before it is its beginning.
 * SIMT_RUN_ADD: a run of values, which a lane adds atomically with no other's. */
enum simt_access {
    SIMT_FETCH,
    SIMT_LOAD,
    SIMT_STORE,
    SIMT_COPY,
    SIMT_PLAIN_ADD,
    SIMT_ATOMIC_ADD,
    SIMT_RUN_ADD
};

enum simt_warp_word {
    SIMT_WARP_BARRIER,
    SIMT_SHUFFLE,
    SIMT_SHUFFLE_DOWN,
    SIMT_BALLOT,
    SIMT_MATCH_ANY
};

struct simt_machine;

struct simt_thread {
    const struct simt_machine *machine;
    void *block; /* the emulator's own */
    char *shared;
    int thread, block_id, threads;
    int turn; /* as TURN said */
};

struct simt_machine {
    /* An access to `size` bytes at p, in a turn of the loop that it stands in; does not return
     * where it is wrong. */
    void (*touch)(struct simt_thread *self, const volatile void *p, int size,
                  enum simt_access access, int turn, const struct simt_site *site);
    /* Copies `size` bytes when the thread waits, no earlier; and that wait. */
    void (*copy)(struct simt_thread *self, void *to, const void *from, int size,
                 const struct simt_site *site);
    void (*wait)(struct simt_thread *self);
    /* Adds n values when the thread waits, no earlier; and that wait. */
    void (*add_run)(struct simt_thread *self, double *to, const double *from, int n, int turn,
                    const struct simt_site *site);
    void (*add_wait)(struct simt_thread *self);
    /* Does nothing but say where `size` bytes at p are not global memory, or not aligned to 16. */
    void (*prefetch)(struct simt_thread *self, const void *p, int size,
                     const struct simt_site *site);
    /* A function without words reads n values of `size` bytes at p: checked, not counted. */
    void (*reads)(struct simt_thread *self, const volatile void *p, int size, int n,
                  const struct simt_site *site);
    /* Does not return where i is no place of n. */
    void (*within)(struct simt_thread *self, int i, int n, const char *name,
                   const struct simt_site *site);
    /* Does not return where what lies at p was written before the block's n-th barrier. */
    void (*since)(struct simt_thread *self, const volatile void *p, int n, const char *name,
                  const struct simt_site *site);
    void (*barrier)(struct simt_thread *self, const struct simt_site *site);
    /* `bits` is what the lane brings, `argument` the source lane or the distance. */
    uint64_t (*warp)(struct simt_thread *self, enum simt_warp_word word, uint32_t mask,
                     uint64_t bits, int argument, const struct simt_site *site);
};

/* The emulator includes this page for what both agree on, a module also for the words. */
#ifdef SIMT_CHECK
#include <tgmath.h>

extern const struct simt_site __start_simt_sites[] __attribute__((weak, visibility("hidden")));
extern const struct simt_site *simt_module_sites(void);
const struct simt_site *simt_module_sites(void) {
    return __start_simt_sites;
}

#define SIMT_SELF                                                                                  \
    ((struct simt_thread *)((uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)(SIMT_STACK - 1)))

#define SIMT_SITE(word)                                                                            \
    ({                                                                                             \
        static const struct simt_site simt_site                                                    \
            __attribute__((section("simt_sites"), used)) = {__FILE__, word, __LINE__, {0}};        \
        &simt_site;                                                                                \
    })

#define KERNEL(name)                                                                               \
    void name(const struct params *simt_params);                                                   \
    void name(__attribute__((unused)) const struct params *simt_params)
#define PARAMS simt_params
#define thread_index() (SIMT_SELF->thread)
#define block_index() (SIMT_SELF->block_id)
#define block_threads() (SIMT_SELF->threads)
#define lane() (SIMT_SELF->thread % 32)
#define shared_memory() (SIMT_SELF->shared)

#if SIMT_CHECK
#define SIMT_ACCESS(p, access, word)                                                               \
    (SIMT_SELF->machine->touch(SIMT_SELF, (p), (int)sizeof *(p), (access), simt_turn,              \
                               SIMT_SITE(word)))
#else
#define SIMT_ACCESS(p, access, word) ((void)0)
#endif

/* The memory words find the turn of the innermost TURNS around them by this name. */
enum { simt_turn = 0 };
#define TURNS(i, first, end, step)                                                                 \
    for (int i = (first), simt_turn __attribute__((unused)) = 0; i < (end);                        \
         i += (step), simt_turn++)

#if SIMT_CHECK
__attribute__((noinline, pure, unused)) static const volatile void *
simt_seen(const volatile void *p, int size, enum simt_access access, int turn,
          const struct simt_site *site) {
    uintptr_t seen = (uintptr_t)p;
    SIMT_SELF->machine->touch(SIMT_SELF, p, size, access, turn, site);
    __asm__("" : "+r"(seen)); /* else clang knows what comes back and drops the call */
    return (const volatile void *)seen;
}
/* The empty assembly keeps a read where the text has it: else the compiler moves it into the branch
 * that uses it, and two branches' reads count as one of either. Unused, it goes with its read. */
#define SIMT_VALUE(p, access, word)                                                                \
    (*({                                                                                           \
        uintptr_t simt_read =                                                                      \
            (uintptr_t)simt_seen((p), (int)sizeof *(p), (access), simt_turn, SIMT_SITE(word));     \
        __asm__("" : "+r"(simt_read));                                                             \
        (const __typeof__(*(p)) *)simt_read;                                                       \
    }))
#else
#define SIMT_VALUE(p, access, word) (*(p))
#endif

#define TURN(i) ((void)(SIMT_SELF->turn = (i)))

#define fetch(p) SIMT_VALUE(p, SIMT_FETCH, "fetch")
#define load(p) SIMT_VALUE(p, SIMT_LOAD, "load")
#define SIMT_RUN_OF(to, p, n, access, word)                                                        \
    do {                                                                                           \
        enum { SIMT_RUN = sizeof(struct piece) / sizeof *(p) };                                    \
        for (int simt_d = 0; simt_d < (n); simt_d += SIMT_RUN) {                                   \
            const __typeof__(*(p)) *const simt_v = (const __typeof__(*(p)) *)&SIMT_VALUE(          \
                (const struct piece *)&(p)[simt_d], access, word);                                 \
            for (int simt_c = 0; simt_c < SIMT_RUN; simt_c++)                                      \
                (to)[simt_d + simt_c] = simt_v[simt_c];                                            \
        }                                                                                          \
    } while (0)
#define fetch_run(to, p, n) SIMT_RUN_OF(to, p, n, SIMT_FETCH, "fetch_run")
#define load_run(to, p, n) SIMT_RUN_OF(to, p, n, SIMT_LOAD, "load_run")
#define store(p, v)                                                                                \
    do {                                                                                           \
        __typeof__(p) simt_p = (p);                                                                \
        const __typeof__(*simt_p) simt_v = (v);                                                    \
        SIMT_ACCESS(simt_p, SIMT_STORE, "store");                                                  \
        *simt_p = simt_v;                                                                          \
    } while (0)
#define store_run(p, v, n)                                                                         \
    do {                                                                                           \
        enum { SIMT_RUN = sizeof(struct piece) / sizeof *(p) };                                    \
        for (int simt_d = 0; simt_d < (n); simt_d += SIMT_RUN) {                                   \
            SIMT_ACCESS((struct piece *)&(p)[simt_d], SIMT_STORE, "store_run");                    \
            for (int simt_c = 0; simt_c < SIMT_RUN; simt_c++)                                      \
                (p)[simt_d + simt_c] = (v)[simt_d + simt_c];                                       \
        }                                                                                          \
    } while (0)
#define plain_add(p, v)                                                                            \
    do {                                                                                           \
        __typeof__(p) simt_p = (p);                                                                \
        const __typeof__(*simt_p) simt_v = (v);                                                    \
        SIMT_ACCESS(simt_p, SIMT_PLAIN_ADD, "plain_add");                                          \
        *simt_p += simt_v;                                                                         \
    } while (0)
#define SIMT_ADD(p, v)                                                                             \
    do {                                                                                           \
        __typeof__(*(p)) simt_old = *(p), simt_new = simt_old + (v);                               \
        while (!__atomic_compare_exchange((p), &simt_old, &simt_new, 0, __ATOMIC_RELAXED,          \
                                          __ATOMIC_RELAXED))                                       \
            simt_new = simt_old + (v);                                                             \
    } while (0)
#define atomic_add(p, v)                                                                           \
    do {                                                                                           \
        __typeof__(p) simt_p = (p);                                                                \
        const __typeof__(*simt_p) simt_v = (v);                                                    \
        SIMT_ACCESS(simt_p, SIMT_ATOMIC_ADD, "atomic_add");                                        \
        SIMT_ADD(simt_p, simt_v);                                                                  \
    } while (0)
#define atomic_take(p, v)                                                                          \
    ({                                                                                             \
        __typeof__(p) simt_p = (p);                                                                \
        const __typeof__(*simt_p) simt_v = (v);                                                    \
        SIMT_ACCESS(simt_p, SIMT_ATOMIC_ADD, "atomic_take");                                       \
        __atomic_fetch_add(simt_p, simt_v, __ATOMIC_RELAXED);                                      \
    })
#define atomic_claim(p, v)                                                                         \
    ({                                                                                             \
        __typeof__(p) simt_p = (p);                                                                \
        __typeof__(*simt_p) simt_old = 0;                                                          \
        SIMT_ACCESS(simt_p, SIMT_ATOMIC_ADD, "atomic_claim");                                      \
        __atomic_compare_exchange_n(simt_p, &simt_old, (v), 0, __ATOMIC_RELAXED,                   \
                                    __ATOMIC_RELAXED);                                             \
        simt_old;                                                                                  \
    })
#define atomic_or(p, v)                                                                            \
    ({                                                                                             \
        __typeof__(p) simt_p = (p);                                                                \
        const __typeof__(*simt_p) simt_v = (v);                                                    \
        SIMT_ACCESS(simt_p, SIMT_ATOMIC_ADD, "atomic_or");                                         \
        __atomic_fetch_or(simt_p, simt_v, __ATOMIC_RELAXED);                                       \
    })
#define atomic_max(p, v)                                                                           \
    do {                                                                                           \
        __typeof__(p) simt_p = (p);                                                                \
        const __typeof__(*simt_p) simt_v = (v);                                                    \
        SIMT_ACCESS(simt_p, SIMT_ATOMIC_ADD, "atomic_max");                                        \
        __typeof__(*simt_p) simt_old = *simt_p;                                                    \
        while (simt_old < simt_v &&                                                                \
               !__atomic_compare_exchange_n(simt_p, &simt_old, simt_v, 0, __ATOMIC_RELAXED,        \
                                            __ATOMIC_RELAXED))                                     \
            ;                                                                                      \
    } while (0)
#define atomic_add4(p, v)                                                                          \
    do {                                                                                           \
        float *const simt_p = (p);                                                                 \
        const float *const simt_v = (v);                                                           \
        SIMT_ACCESS((struct piece *)simt_p, SIMT_ATOMIC_ADD, "atomic_add4");                       \
        for (int simt_d = 0; simt_d < 4; simt_d++)                                                 \
            SIMT_ADD(&simt_p[simt_d], simt_v[simt_d]);                                             \
    } while (0)

#if SIMT_CHECK
#define async_copy(to, p)                                                                          \
    do {                                                                                           \
        __typeof__(to) simt_to = (to);                                                             \
        const __typeof__(*simt_to) *simt_p = (p);                                                  \
        SIMT_ACCESS(simt_p, SIMT_LOAD, "async_copy");                                              \
        SIMT_ACCESS(simt_to, SIMT_COPY, "async_copy");                                             \
        SIMT_SELF->machine->copy(SIMT_SELF, simt_to, simt_p, (int)sizeof *simt_to,                 \
                                 SIMT_SITE("async_copy"));                                         \
    } while (0)
#define async_wait() (SIMT_SELF->machine->wait(SIMT_SELF))
#define async_add_run(p, v, n)                                                                     \
    (SIMT_SELF->machine->add_run(SIMT_SELF, (p), (v), (n), simt_turn, SIMT_SITE("async_add_run")))
#define async_add_wait() (SIMT_SELF->machine->add_wait(SIMT_SELF))
#define prefetch_run(p, n)                                                                         \
    (SIMT_SELF->machine->prefetch(SIMT_SELF, (p), (n), SIMT_SITE("prefetch_run")))
#define reads(p, n)                                                                                \
    (SIMT_SELF->machine->reads(SIMT_SELF, (p), (int)sizeof *(p), (n), SIMT_SITE("reads")))
#define within(i, n, name)                                                                         \
    (SIMT_SELF->machine->within(SIMT_SELF, (i), (n), (name), SIMT_SITE("within")))
#define since(p, n, name)                                                                          \
    ({                                                                                             \
        __typeof__(p) simt_p = (p);                                                                \
        SIMT_SELF->machine->since(SIMT_SELF, simt_p, (n), (name), SIMT_SITE("since"));             \
        simt_p;                                                                                    \
    })
#else
#define reads(p, n) ((void)(p), (void)(n))
#define async_copy(to, p) ((void)(*(to) = *(p)))
#define async_wait() ((void)0)
#define prefetch_run(p, n) ((void)(p), (void)(n))
#endif

#define barrier() (SIMT_SELF->machine->barrier(SIMT_SELF, SIMT_SITE("barrier")))
#define SIMT_WARP_WORD(word, name, mask, bits, argument)                                           \
    (SIMT_SELF->machine->warp(SIMT_SELF, word, (mask), (bits), (argument), SIMT_SITE(name)))
#define SIMT_EXCHANGE(word, name, mask, v, argument)                                               \
    ({                                                                                             \
        union {                                                                                    \
            __typeof__((v) + 0) value;                                                             \
            uint64_t bits;                                                                         \
        } simt_v = {.bits = 0};                                                                    \
        simt_v.value = (v);                                                                        \
        simt_v.bits = SIMT_WARP_WORD(word, name, mask, simt_v.bits, argument);                     \
        simt_v.value;                                                                              \
    })
#define warp_barrier(mask) ((void)SIMT_WARP_WORD(SIMT_WARP_BARRIER, "warp_barrier", mask, 0, 0))
#define shuffle(mask, v, source) SIMT_EXCHANGE(SIMT_SHUFFLE, "shuffle", mask, v, source)
#define shuffle_down(mask, v, delta)                                                               \
    SIMT_EXCHANGE(SIMT_SHUFFLE_DOWN, "shuffle_down", mask, v, delta)
#define shuffle_xor(mask, v, lanes)                                                                \
    SIMT_EXCHANGE(SIMT_SHUFFLE, "shuffle_xor", mask, v, lane() ^ (lanes))
#define ballot(mask, predicate)                                                                    \
    ((uint32_t)SIMT_WARP_WORD(SIMT_BALLOT, "ballot", mask, (predicate) != 0, 0))
#define match_any(mask, i)                                                                         \
    ((uint32_t)SIMT_WARP_WORD(SIMT_MATCH_ANY, "match_any", mask, (uint32_t)(i), 0))

#endif
#endif

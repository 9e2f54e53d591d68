/* simt_host.h: the words of simt.h for the host, where a block is one thread that loops. */
#ifndef SIMT_HOST_H
#define SIMT_HOST_H

#include <stdint.h>
#include <tgmath.h>

#define ONE_THREAD

/* The parameters are copied, so that the compiler knows that no store changes them. */
#define KERNEL(name)                                                                               \
    static inline void name##_text(const struct params *simt_params, int simt_block);              \
    void name(const struct params *simt_params, int simt_block);                                   \
    void name(const struct params *simt_params, int simt_block) {                                  \
        const struct params simt_copy = *simt_params;                                              \
        name##_text(&simt_copy, simt_block);                                                       \
    }                                                                                              \
    static inline void name##_text(__attribute__((unused)) const struct params *simt_params,       \
                                   __attribute__((unused)) int simt_block)
#define PARAMS simt_params
#define block_index() simt_block
#define thread_index() 0
#define barrier() ((void)0)

#define fetch(p) (*(p))
#define load(p) (*(p))
#define store(p, v) (*(p) = (v))
#define async_copy(to, p) (*(to) = *(p))
#define async_wait() ((void)0)
#define prefetch_run(p, n) ((void)(p), (void)(n))
#define reads(p, n) ((void)(p), (void)(n))
#define plain_add(p, v) (*(p) += (v))
#define atomic_add(p, v)                                                                           \
    do {                                                                                           \
        __typeof__(p) simt_p = (p);                                                                \
        const __typeof__(*simt_p) simt_v = (v);                                                    \
        __typeof__(*simt_p) simt_old = *simt_p, simt_new = simt_old + simt_v;                      \
        while (!__atomic_compare_exchange(simt_p, &simt_old, &simt_new, 0, __ATOMIC_RELAXED,       \
                                          __ATOMIC_RELAXED))                                       \
            simt_new = simt_old + simt_v;                                                          \
    } while (0)

#endif

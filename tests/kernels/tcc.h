/* What pages say and tcc does not know: tgmath.h and the builtins of GCC; stands before a page. */
#include <math.h>
#include <stdint.h>
#undef __attribute__ /* sys/cdefs.h hides it from compilers that it does not know */

#define _TGMATH_H 1
#define sqrt(x) _Generic((x), float : sqrtf, default : sqrt)(x)
#define cbrt(x) _Generic((x), float : cbrtf, default : cbrt)(x)
#define fabs(x) _Generic((x), float : fabsf, default : fabs)(x)
#define floor(x) _Generic((x), float : floorf, default : floor)(x)
#define exp(x) _Generic((x), float : expf, default : exp)(x)
#define log(x) _Generic((x), float : logf, default : log)(x)
#define sin(x) _Generic((x), float : sinf, default : sin)(x)
#define cos(x) _Generic((x), float : cosf, default : cos)(x)
#define pow(x, y) _Generic((x) + (y), float : powf, default : pow)(x, y)
#define atan2(x, y) _Generic((x) + (y), float : atan2f, default : atan2)(x, y)
#define copysign(x, y) _Generic((x) + (y), float : copysignf, default : copysign)(x, y)
#define fmin(x, y) _Generic((x) + (y), float : fminf, default : fmin)(x, y)
#define fmax(x, y) _Generic((x) + (y), float : fmaxf, default : fmax)(x, y)
#define fma(x, y, z) _Generic((x) + (y) + (z), float : fmaf, default : fma)(x, y, z)

static inline int __builtin_popcount(unsigned x) {
    int n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

static inline int __builtin_ctz(unsigned x) {
    return __builtin_popcount((x & -x) - 1);
}

#define TCC_EXCHANGE(name, type, word)                                                             \
    static inline int name(void *p, void *expected, const void *desired) {                         \
        type old = *(type *)expected, seen;                                                        \
        __asm__ volatile("lock; " word " %2, %1"                                                   \
                         : "=a"(seen), "+m"(*(type *)p)                                            \
                         : "r"(*(const type *)desired), "0"(old)                                   \
                         : "memory");                                                              \
        *(type *)expected = seen;                                                                  \
        return seen == old;                                                                        \
    }
TCC_EXCHANGE(tcc_exchange4, uint32_t, "cmpxchgl")
TCC_EXCHANGE(tcc_exchange8, uint64_t, "cmpxchgq")

#define __ATOMIC_RELAXED 0
#define __atomic_compare_exchange(p, expected, desired, weak, met, failed)                         \
    (sizeof *(p) == 8 ? tcc_exchange8(p, expected, desired) : tcc_exchange4(p, expected, desired))
#define __atomic_compare_exchange_n(p, expected, desired, weak, met, failed)                       \
    ({                                                                                             \
        __typeof__(*(p)) tcc_desired = (desired);                                                  \
        __atomic_compare_exchange(p, expected, &tcc_desired, weak, met, failed);                   \
    })
#define TCC_FETCH(p, v, operation)                                                                 \
    ({                                                                                             \
        __typeof__(*(p)) tcc_old = *(p), tcc_new = tcc_old operation(v);                           \
        while (!__atomic_compare_exchange(p, &tcc_old, &tcc_new, 0, 0, 0))                         \
            tcc_new = tcc_old operation(v);                                                        \
        tcc_old;                                                                                   \
    })
#define __atomic_fetch_add(p, v, order) TCC_FETCH(p, v, +)
#define __atomic_fetch_or(p, v, order) TCC_FETCH(p, v, |)

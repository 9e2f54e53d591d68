/* counting_numbers.h: numbers that count what is done to them, for a user kernel's text.
 *
 * `counting_number` is binary128, which processors compute by calls that a compiler names: here they are
 * ours, count, and compute in double. */
#include <math.h>

typedef double plain_number;
#if defined(__x86_64__)
typedef __float128 counting_number;
#else
typedef long double counting_number; /* binary128 where it is wider than a register: aarch64, riscv64 */
#endif

enum { SUMS, PRODUCTS, DIVISIONS, ROOTS, FUNCTIONS, KINDS };
static long long n_done[KINDS];

#define BY_CALL(name, kind, operator)                                                              \
    __attribute__((visibility("hidden"))) counting_number name(counting_number a, counting_number b);                      \
    __attribute__((visibility("hidden"), noinline)) counting_number name(counting_number a, counting_number b) {           \
        n_done[kind]++;                                                                            \
        return (plain_number)a operator(plain_number) b;                                                       \
    }
BY_CALL(__addtf3, SUMS, +)
BY_CALL(__subtf3, SUMS, -)
BY_CALL(__multf3, PRODUCTS, *)
BY_CALL(__divtf3, DIVISIONS, /)

/* Called before and after the kernel by others, whom no compiler sees through. */
void start_count(void);
void start_count(void) {
    for (int k = 0; k < KINDS; k++)
        n_done[k] = 0;
}
void give_count(long long *out);
void give_count(long long *out) {
    for (int k = 0; k < KINDS; k++)
        out[k] = n_done[k];
}

/* `const`, though it counts: the compiler may find equal calls once. */
__attribute__((const, visibility("hidden"))) plain_number count_call(plain_number value, int kind);
__attribute__((noinline)) plain_number count_call(plain_number value, int kind) {
    n_done[kind]++;
    return value;
}
static inline __attribute__((unused)) counting_number count_fabs(counting_number x) {
    return x < 0 ? -x : x;
}
static inline __attribute__((unused)) counting_number count_fmin(counting_number a, counting_number b) {
    return a < b ? a : b;
}
static inline __attribute__((unused)) counting_number count_fmax(counting_number a, counting_number b) {
    return a > b ? a : b;
}

#define ONE(name, x) ((counting_number)count_call(name((plain_number)(x)), FUNCTIONS))
#define TWO(name, a, b) ((counting_number)count_call(name((plain_number)(a), (plain_number)(b)), FUNCTIONS))
#define sqrt(x) ((counting_number)count_call(sqrt((plain_number)(x)), ROOTS))
#define fabs(x) count_fabs(x)
#define fmin(a, b) count_fmin(a, b)
#define fmax(a, b) count_fmax(a, b)
#define fma(a, b, c) ((counting_number)(a) * (b) + (c))
#define exp(x) ONE(exp, x)
#define exp2(x) ONE(exp2, x)
#define expm1(x) ONE(expm1, x)
#define log(x) ONE(log, x)
#define log2(x) ONE(log2, x)
#define log10(x) ONE(log10, x)
#define log1p(x) ONE(log1p, x)
#define sin(x) ONE(sin, x)
#define cos(x) ONE(cos, x)
#define tan(x) ONE(tan, x)
#define asin(x) ONE(asin, x)
#define acos(x) ONE(acos, x)
#define atan(x) ONE(atan, x)
#define sinh(x) ONE(sinh, x)
#define cosh(x) ONE(cosh, x)
#define tanh(x) ONE(tanh, x)
#define cbrt(x) ONE(cbrt, x)
#define erf(x) ONE(erf, x)
#define floor(x) ((counting_number)floor((plain_number)(x)))
#define ceil(x) ((counting_number)ceil((plain_number)(x)))
#define round(x) ((counting_number)round((plain_number)(x)))
#define trunc(x) ((counting_number)trunc((plain_number)(x)))
#define pow(a, b) TWO(pow, a, b)
#define atan2(a, b) TWO(atan2, a, b)
#define hypot(a, b) TWO(hypot, a, b)
#define fmod(a, b) TWO(fmod, a, b)
#define copysign(a, b) ((counting_number)copysign((plain_number)(a), (plain_number)(b)))
#undef isnan
#undef isfinite
#define isnan(x) __builtin_isnan((plain_number)(x))
#define isfinite(x) __builtin_isfinite((plain_number)(x))

#define UNROLL
#define double counting_number
#define float counting_number

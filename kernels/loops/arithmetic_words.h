/* arithmetic_words.h: divisions and square roots as a user kernel writes them, in `real`.
 *
 *   reciprocal(x)   1 / x
 *   divide(a, b)    a / b
 *   root(x)         the square root of x
 *
 * They are just that. With FAST_ARITHMETIC divide(a, b) is a * reciprocal(b), so that a compiler
 * finds equal b once, and a GPU takes reciprocals and roots from its approximations, without a
 * call: of a double from 20 bits by one cubic step, of a float as they are. The relative error
 * then, where b, x, their reciprocals and what comes out are normal numbers (docs/user_kernel,
 * "Divisions and roots"):
 *
 *                   double   float
 *   reciprocal(x)   2^-52    2^-22
 *   divide(a, b)    2^-51    2^-21
 *   root(x)         2^-52    2^-22
 */

#if defined(FAST_ARITHMETIC) && defined(__CUDACC__)
#define GPU_ARITHMETIC
#endif

#if defined(GPU_ARITHMETIC) || defined(TESTED_ARITHMETIC)

/* 1 / x from an approximation of 20 bits: 1 / (1 - e) = 1 + e + e^2 + O(e^3). */
static inline double refine_reciprocal(double x, double approximation) {
    const double e = fma(-x, approximation, 1.0);
    return fma(approximation, fma(e, e, e), approximation);
}

/* The root of x from one of its reciprocal: 1 / sqrt(1 - e) = 1 + e/2 + 3/8 e^2 + O(e^3). */
static inline double refine_root(double x, double approximation) {
    const double s = x * approximation, e = fma(-s, approximation, 1.0);
    const double sum = fma(s, fma(e, 0.375, 0.5) * e, s);
    return fabs(x) < 0x1p-1022 ? 0 : sum;
}

#endif

#ifdef GPU_ARITHMETIC

static inline float fast_reciprocal(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

static inline double fast_reciprocal(double x) {
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return refine_reciprocal(x, y);
}

static inline float fast_root(float x) {
    float y;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

static inline double fast_root(double x) {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return refine_root(x, y);
}

static inline real reciprocal(real x) {
    return fast_reciprocal(x);
}
static inline real root(real x) {
    return fast_root(x);
}

#else

static inline real reciprocal(real x) {
    return 1 / x;
}
static inline real root(real x) {
    return sqrt(x);
}

#endif

static inline real divide(real a, real b) {
#ifdef FAST_ARITHMETIC
    return a * reciprocal(b);
#else
    return a / b;
#endif
}

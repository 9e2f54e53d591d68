/* An operation count: what a kernel computes for an element, found by calling it with numbers that
 * count what is done to them. */
#pragma once

#include "kernels/loops/application.h"
#include "kernels/loops/kernel_text.h"

/* Of one element, the mean of those that were tried. */
typedef struct tess_operations {
    double sums, products; /* additions and subtractions, multiplications; a fused one is both */
    double divisions;      /* among them reciprocals */
    double roots;
    double functions; /* calls of exp, pow and the like */
} tess_operations;

/* All of them, each one flop. */
double tess_operations_flops(const tess_operations *operations);

/* Adds `times` as many as of one element. */
void tess_operations_add(tess_operations *sum, double times, const tess_operations *operations);

/* Compiles the kernel for numbers whose operations are calls, and calls it on up to 256 elements of
 * `start`, evenly spaced. What is zero there throughout, as a later loop fills it, is taken as
 * random between 0.5 and 1.5. Counted is what is left when the compiler has found common and
 * constant expressions; of fast arithmetic a quotient is a product with a reciprocal. Comparisons,
 * signs, the lesser and greater of two, and integers do not count. Fails (INPUT) where the text
 * does not compile so. */
TESS_MUST_CHECK tess_status tess_operations_count(const tess_kernel *kernel,
                                                  const tess_bound_loop *bound,
                                                  const tess_state *start,
                                                  tess_arithmetic arithmetic, tess_operations *out);

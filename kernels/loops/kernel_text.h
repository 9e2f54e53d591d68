/* A kernel's text: what stands before a user kernel on the page that it is compiled with. */
#pragma once

#include "core/mesh/mesh.h"
#include "kernels/devices/text_writer.h"

/* How reciprocal(x), divide(a, b) and root(x) of a user kernel are computed. */
typedef enum tess_arithmetic {
    TESS_ARITHMETIC_EXACT, /* as 1 / x, a / b and sqrt(x), everywhere */
    TESS_ARITHMETIC_FAST   /* a * (1 / b); on GPUs from the hardware's approximations */
} tess_arithmetic;

#define TESS_ARITHMETIC_NAMES [TESS_ARITHMETIC_EXACT] = "exact", [TESS_ARITHMETIC_FAST] = "fast"

/* Prints FROM_TO_ARITY of every map. */
void tess_kernel_text_print_arities(tess_text_writer *page, const tess_mesh *mesh);

/* Prints what `real` is, "float" or "double", and the words of arithmetic_words.h. The page has
 * sqrt, fma and fabs of both types. */
void tess_kernel_text_print_real(tess_text_writer *page, const char *real,
                                 tess_arithmetic arithmetic);

/* A number in text: whole numbers and reals as mesh files write them, exact to the last bit. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum tess_number_fault {
    TESS_NUMBER_FINE,
    TESS_NUMBER_NONE,     /* no number: letters, a decimal comma, NaN, a lone sign */
    TESS_NUMBER_TOO_LARGE /* does not fit int64_t, or is infinite as a double */
} tess_number_fault;

/* True for the characters that separate numbers on a line; '\n' is not one of them. */
static inline bool tess_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Both read the number that begins at *at (no blanks before it) and ends at a blank, a newline or
 * `end`, and move *at behind it; on a fault *at stays. The byte at `end` is readable. */
tess_number_fault tess_number_integer(const char **at, const char *end, int64_t *out);

/* The double nearest to the decimal number, ties to even, in any locale. An exponent may be written
 * with e or, as Fortran does, with d. */
tess_number_fault tess_number_real(const char **at, const char *end, double *out);

/* A number as Nsight Compute prints it. */
#include "experiments/archive/import/ncu_number.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool tess_ncu_number(const char *cell, double *out) {
    char digits[64], *end = NULL;
    size_t n = 0;
    for (const char *c = cell; *c && strncmp(c, " (", 2) != 0 && n + 1 < sizeof digits; c++)
        if (*c != ',')
            digits[n++] = *c;
    digits[n] = '\0';
    *out = strtod(digits, &end);
    return end != digits && !*end && !isnan(*out);
}

/* A number as Nsight Compute prints it: with its thousands separated or not, and the instances of a
 * metric in brackets behind it. */
#pragma once

#include <stdbool.h>

/* False where a cell is no number: of what could not be counted it is empty, n/a or nan. */
bool tess_ncu_number(const char *cell, double *out);

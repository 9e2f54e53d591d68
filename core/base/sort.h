/* Sorting: rows of indices, mostly short, put in order in place. */
#ifndef TESS_SORT_H
#define TESS_SORT_H

#include <stdint.h>

/* Sorts ascending: by insertion where short, nothing where sorted, never worse than n log n. */
void tess_sort(int32_t *values, int64_t n);

/* Sorts ascending and drops repetitions; returns how many are left. */
int64_t tess_sort_unique(int32_t *values, int64_t n);

/* The place of a value among n ascending ones: of the first that is not less, the last where all
 * are less; 0 where there are none. */
int64_t tess_sorted_place(const int32_t *values, int64_t n, int32_t value);

void tess_reverse(int32_t *values, int64_t n);

#endif

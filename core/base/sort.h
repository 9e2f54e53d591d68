/* Sorting: rows of indices and other numbers, mostly short, put in order in place. */
#pragma once

#include <stdint.h>

/* Sorts ascending: by insertion where short, nothing where sorted, never worse than n log n. */
void tess_sort(int32_t *values, int64_t n);

/* Sorts rows of some dozens of words, and real numbers. */
void tess_sort_words(uint64_t *values, int64_t n);
void tess_sort_reals(double *values, int64_t n);

/* Gives n words ascending in `sorted`, in time linear in n where their first bits are well spread.
 */
void tess_sort_spread(const uint64_t *values, int64_t n, uint64_t *sorted);

/* Compares two `char *`, for qsort and bsearch. */
int tess_compare_texts(const void *a, const void *b);

/* Sorts ascending and drops repetitions; returns how many are left. */
int64_t tess_sort_unique(int32_t *values, int64_t n);

/* The position of a value among n ascending ones: of the first that is not less, the last where all
 * are less; 0 where there are none. */
int64_t tess_sorted_position(const int32_t *values, int64_t n, int32_t value);

void tess_reverse(int32_t *values, int64_t n);

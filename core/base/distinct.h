/* Distinct values: which different numbers a short list has, and the position of each among them.
 */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

/* Scratch of one thread for lists of up to the n values it was made for: a hash table of words of
 * 64 consecutive numbers, so that lists of near numbers need few entries. */
typedef struct tess_distinct {
    int shift;      /* 64 - log2 of the table's size */
    int32_t *word;  /* by entry: number of the word, -1 where the entry is free */
    uint64_t *bits; /* by entry: which numbers of the word the list has */
    int32_t *first; /* by entry: position of the word's first number */
    int32_t *entry; /* [n]: entry of each value, or -1 */
    int32_t *words; /* [n]: the distinct words */
} tess_distinct;

/* For lists of up to n values; the caller frees its arrays. */
TESS_MUST_CHECK tess_status tess_distinct_new(int64_t n, tess_distinct *scratch);
void tess_distinct_free(tess_distinct *scratch);

/* Finds the distinct ones of n values, ascending, in distinct [n] and, where position is not NULL,
 * that of each value among them in position [n] (0xffff for negative values, which are none; modulo
 * 2^16 when there are more). Returns how many there are. */
int64_t tess_distinct_find(tess_distinct *scratch, const int32_t *values, int64_t n,
                           int32_t *distinct, uint16_t *position);

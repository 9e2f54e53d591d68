/* Distinct values: which different numbers a short list has, and the position of each among them.
 */
#include "core/base/distinct.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <stdlib.h>

enum { WORD_BITS = 6, NONE = 0xffff };

tess_status tess_distinct_new(int64_t n, tess_distinct *scratch) {
    int log_size = 4;
    while ((INT64_C(1) << log_size) < 2 * n)
        log_size++;
    const int64_t size = INT64_C(1) << log_size;
    scratch->shift = 64 - log_size;
    TRY(TESS_ALLOC(size, &scratch->word));
    TRY(TESS_ZEROS(size, &scratch->bits));
    TRY(TESS_ALLOC(size, &scratch->first));
    TRY(TESS_ALLOC(n, &scratch->entry));
    TRY(TESS_ALLOC(n, &scratch->words));
    for (int64_t i = 0; i < size; i++)
        scratch->word[i] = -1;
    return TESS_OK;
}

void tess_distinct_free(tess_distinct *scratch) {
    free(scratch->word);
    free(scratch->bits);
    free(scratch->first);
    free(scratch->entry);
    free(scratch->words);
}

static inline int count_bits(uint64_t bits) {
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* The entry of a word, its own or the free one where it belongs. */
static inline int32_t find_entry(const tess_distinct *scratch, int32_t word) {
    const uint64_t last = (UINT64_C(1) << (64 - scratch->shift)) - 1;
    uint64_t i = (uint64_t)(uint32_t)word * UINT64_C(0x9e3779b97f4a7c15) >> scratch->shift;
    while (scratch->word[i] != word && scratch->word[i] >= 0)
        i = (i + 1) & last;
    return (int32_t)i;
}

/* Enters all values; returns the number of distinct words. */
static int64_t enter_values(tess_distinct *scratch, const int32_t *values, int64_t n) {
    int64_t n_words = 0;
    for (int64_t i = 0; i < n; i++) {
        if (values[i] < 0) {
            scratch->entry[i] = -1;
            continue;
        }
        const int32_t word = values[i] >> WORD_BITS, entry = find_entry(scratch, word);
        if (scratch->word[entry] < 0) {
            scratch->word[entry] = word;
            scratch->words[n_words++] = word;
        }
        scratch->bits[entry] |= UINT64_C(1) << (values[i] & 63);
        scratch->entry[i] = entry;
    }
    return n_words;
}

/* Lists the numbers of the words in order, and finds the position of each word's first. */
static int64_t list_distinct(tess_distinct *scratch, int64_t n_words, int32_t *distinct) {
    int64_t n_distinct = 0;
    tess_sort(scratch->words, n_words);
    for (int64_t w = 0; w < n_words; w++) {
        const int32_t entry = find_entry(scratch, scratch->words[w]);
        const int32_t base = scratch->words[w] << WORD_BITS;
        scratch->words[w] = entry;
        scratch->first[entry] = (int32_t)n_distinct;
        for (uint64_t bits = scratch->bits[entry]; bits; bits &= bits - 1)
            distinct[n_distinct++] = base + __builtin_ctzll(bits);
    }
    return n_distinct;
}

static void place_values(const tess_distinct *scratch, const int32_t *values, int64_t n,
                         uint16_t *position) {
    for (int64_t i = 0; i < n; i++) {
        const int32_t entry = scratch->entry[i];
        if (entry < 0) {
            position[i] = NONE;
            continue;
        }
        const uint64_t below = scratch->bits[entry] & ((UINT64_C(1) << (values[i] & 63)) - 1);
        position[i] = (uint16_t)(scratch->first[entry] + count_bits(below));
    }
}

int64_t tess_distinct_find(tess_distinct *scratch, const int32_t *values, int64_t n,
                           int32_t *distinct, uint16_t *position) {
    const int64_t n_words = enter_values(scratch, values, n);
    const int64_t n_distinct = list_distinct(scratch, n_words, distinct);
    if (position)
        place_values(scratch, values, n, position);
    for (int64_t w = 0; w < n_words; w++) { /* words hold the entries by now */
        scratch->word[scratch->words[w]] = -1;
        scratch->bits[scratch->words[w]] = 0;
    }
    return n_distinct;
}

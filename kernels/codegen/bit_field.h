/* A bit field: a small number among others in 32-bit words, as strategies' texts read it by
 * BITS_AT.
 */
#pragma once

#include <stdint.h>

enum { TESS_WORD_BITS = 32 };

/* Bits that hold 0 ... n - 1 and one value more, all ones, that says none. */
static inline int tess_bits_for(int64_t n) {
    int bits = 1;
    while ((INT64_C(1) << bits) <= n)
        bits++;
    return bits;
}

/* That value. */
static inline uint32_t tess_no_bits(int bits) {
    return (uint32_t)((UINT64_C(1) << bits) - 1);
}

/* Words that hold so many bits. */
static inline int tess_words_of(int bits) {
    return (bits + TESS_WORD_BITS - 1) / TESS_WORD_BITS;
}

/* Takes `bits` bits of one word, of the next where the last has too few left; gives where. */
static inline int tess_bits_take(int *used, int bits) {
    if (*used % TESS_WORD_BITS + bits > TESS_WORD_BITS)
        *used = (*used + TESS_WORD_BITS - 1) / TESS_WORD_BITS * TESS_WORD_BITS;
    const int at = *used;
    *used += bits;
    return at;
}

/* Puts a value into words of zeros that lie `stride` apart. */
static inline void tess_bits_put(uint32_t *words, int64_t stride, int at, uint32_t value) {
    words[at / TESS_WORD_BITS * stride] |= value << at % TESS_WORD_BITS;
}

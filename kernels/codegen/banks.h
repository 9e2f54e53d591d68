/* Banks: which entry of a point comes in which round, so that lanes that read shared memory
 * together fall into different banks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A position among copies in shared memory, [dim][places], that each entry names. */
typedef struct tess_bank_field {
    int at, bits;    /* in the entry's words; all ones: none */
    int n_positions; /* that there may be */
    int value_bytes; /* 4 or 8 */
    int weight;      /* values that are read there */
} tess_bank_field;

enum { TESS_BANK_FIELDS = 8, TESS_BANK_ROUNDS = 8, TESS_BANK_SWEEPS = 4 };

/* Whether entries with such fields are exchanged. */
bool tess_banks_fit(const tess_bank_field *fields, int n_fields);

/* The entries of a block's points: word w of entry `round` of point i is
 * words[(round * n_words + w) * stride + i], all ones where there is no such entry. Lane i % 32 of
 * a warp reads it. */
typedef struct tess_bank_entries {
    uint32_t *words;
    int64_t stride, n_points;
    int n_words, n_rounds;
    int slot_bits; /* the lowest of word 0: only entries that are equal there are exchanged; 0: any
                    */
    int n_fields;
    const tess_bank_field *fields; /* at most TESS_BANK_FIELDS */
} tess_bank_entries;

/* Exchanges entries of one point as long as that lessens conflicts. */
void tess_banks_spread(const tess_bank_entries *entries);

/* Banks: which entry of a point comes in which round, so that lanes that read shared memory
 * together fall into different banks. */
#include "kernels/banks.h"

#include "kernels/bit_field.h"
#include <stdbool.h>
#include <string.h>

enum { LANES = 32, BANKS = 32, MOST_ROUNDS = 8, MOST_PLACES = 2048, MOST_SWEEPS = 4 };

/* What the lanes of a warp read in one round through one field. */
typedef struct reads {
    uint8_t lanes[2][MOST_PLACES]; /* of a half warp (of all, where values have 4 bytes) that read a
                                      place */
    uint8_t places[BANKS];         /* that lie in a bank and some lane reads */
} reads;

typedef struct warp {
    const tess_bank_entries *all;
    int64_t first; /* point of lane 0 */
    int n_lanes;
    reads reads[MOST_ROUNDS][TESS_BANK_FIELDS];
} warp;

static uint32_t *word_of(const warp *w, int round, int lane) {
    return w->all->words + (int64_t)round * w->all->n_words * w->all->stride + w->first + lane;
}

static uint32_t place_of(const warp *w, const tess_bank_field *field, int round, int lane) {
    const uint32_t word = word_of(w, round, lane)[field->at / TESS_WORD_BITS * w->all->stride];
    return word >> field->at % TESS_WORD_BITS & tess_no_bits(field->bits);
}

/* More than proportional, so that one bank that many need weighs more than many that two need. */
static int64_t cost_of(int n_places) {
    return (int64_t)n_places * n_places * n_places;
}

/* Adds or takes away what a lane reads in a round; gives by how much the cost changes. */
static int64_t count(warp *w, int round, int lane, int by) {
    int64_t change = 0;
    for (int f = 0; f < w->all->n_fields; f++) {
        const tess_bank_field *field = &w->all->fields[f];
        const uint32_t place = place_of(w, field, round, lane);
        const bool wide = field->value_bytes == 8;
        const unsigned half = wide ? (unsigned)lane / 16 : 0;
        uint8_t *lanes = &w->reads[round][f].lanes[half][place];
        uint8_t *places = &w->reads[round][f].places[wide ? half * 16 + place % 16 : place % BANKS];
        if (place == tess_no_bits(field->bits))
            continue;
        const bool counts = by > 0 ? *lanes == 0 : *lanes == 1;
        *lanes = (uint8_t)(*lanes + by);
        if (!counts)
            continue;
        change -= field->weight * cost_of(*places);
        *places = (uint8_t)(*places + by);
        change += field->weight * cost_of(*places);
    }
    return change;
}

static bool may_exchange(const warp *w, int a, int b, int lane) {
    const uint32_t one = *word_of(w, a, lane), other = *word_of(w, b, lane);
    return one != UINT32_MAX && other != UINT32_MAX &&
           ((one ^ other) & ((UINT32_C(1) << w->all->slot_bits) - 1)) == 0;
}

static void exchange(const warp *w, int a, int b, int lane) {
    uint32_t *one = word_of(w, a, lane), *other = word_of(w, b, lane);
    for (int64_t i = 0; i < w->all->n_words * w->all->stride; i += w->all->stride) {
        const uint32_t kept = one[i];
        one[i] = other[i];
        other[i] = kept;
    }
}

static int64_t try_exchange(warp *w, int a, int b, int lane) {
    int64_t change = count(w, a, lane, -1) + count(w, b, lane, -1);
    exchange(w, a, b, lane);
    change += count(w, a, lane, 1) + count(w, b, lane, 1);
    return change;
}

/* One turn over all lanes and pairs of rounds; true where that lessened the cost. */
static bool sweep(warp *w) {
    bool better = false;
    for (int lane = 0; lane < w->n_lanes; lane++)
        for (int a = 0; a < w->all->n_rounds; a++)
            for (int b = a + 1; b < w->all->n_rounds; b++) {
                if (!may_exchange(w, a, b, lane))
                    continue;
                const int64_t change = try_exchange(w, a, b, lane);
                better |= change < 0;
                if (change >= 0)
                    try_exchange(w, a, b, lane);
            }
    return better;
}

static void count_all(warp *w) {
    for (int round = 0; round < w->all->n_rounds; round++) {
        for (int f = 0; f < w->all->n_fields; f++) {
            const size_t n_places = (size_t)1 << w->all->fields[f].bits;
            memset(w->reads[round][f].lanes[0], 0, n_places);
            memset(w->reads[round][f].lanes[1], 0, n_places);
            memset(w->reads[round][f].places, 0, BANKS);
        }
        for (int lane = 0; lane < w->n_lanes; lane++)
            if (*word_of(w, round, lane) != UINT32_MAX)
                count(w, round, lane, 1);
    }
}

static bool fits(const tess_bank_entries *entries) {
    for (int f = 0; f < entries->n_fields; f++)
        if (tess_no_bits(entries->fields[f].bits) >= MOST_PLACES)
            return false;
    return entries->n_rounds <= MOST_ROUNDS && entries->n_fields <= TESS_BANK_FIELDS;
}

void tess_banks_spread(const tess_bank_entries *entries) {
    if (!fits(entries))
        return;
    warp w;
    w.all = entries;
    for (w.first = 0; w.first < entries->n_points; w.first += LANES) {
        const int64_t left = entries->n_points - w.first;
        w.n_lanes = left < LANES ? (int)left : LANES;
        count_all(&w);
        for (int i = 0; i < MOST_SWEEPS && sweep(&w); i++)
            ;
    }
}

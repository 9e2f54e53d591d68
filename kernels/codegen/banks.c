/* Banks: which entry of a point comes in which round, so that lanes that read shared memory
 * together fall into different banks. */
#include "kernels/codegen/banks.h"

#include "kernels/codegen/bit_field.h"
#include "kernels/devices/device.h"
#include <stdbool.h>
#include <string.h>

enum { LANES = TESS_WARP, BANKS = LANES, MOST_POSITIONS = 2048 };

/* What the lanes of a warp read in one round through one field. */
typedef struct reads {
    uint16_t position[LANES];         /* of each lane */
    uint8_t lanes[2][MOST_POSITIONS]; /* of a half warp (of all, where values have 4 bytes) that
                                      read a place */
    uint8_t positions[BANKS];         /* that lie in a bank and some lane reads */
} reads;

typedef struct warp {
    const tess_bank_entries *all;
    int64_t first; /* point of lane 0 */
    int n_lanes;
    reads reads[TESS_BANK_ROUNDS][TESS_BANK_FIELDS];
} warp;

static uint32_t *word_of(const warp *w, int round, int lane) {
    return w->all->words + (int64_t)round * w->all->n_words * w->all->stride + w->first + lane;
}

static unsigned position_of(const warp *w, const tess_bank_field *field, int round, int lane) {
    const uint32_t word = word_of(w, round, lane)[field->at / TESS_WORD_BITS * w->all->stride];
    return word >> field->at % TESS_WORD_BITS & tess_no_bits(field->bits);
}

static unsigned half_of(const tess_bank_field *field, int lane) {
    return field->value_bytes == 8 ? (unsigned)lane / 16 : 0;
}

/* Where a lane's place lies; the halves of a warp do not meet. */
static unsigned bank_of(const tess_bank_field *field, int lane, unsigned position) {
    return field->value_bytes == 8 ? half_of(field, lane) * 16 + position % 16 : position % BANKS;
}

/* What the nth place of a bank costs: all n cost n cubed, so that one bank that many need weighs
 * more than many that two need. */
static int32_t cost_of(int n) {
    return 3 * n * (n - 1) + 1;
}

/* By how much the cost of a round changes where a lane reads place `to` and no longer `from`.
 * Without branches: which way they go is random. */
static int32_t change_of(const reads *r, const tess_bank_field *field, int lane, unsigned from,
                         unsigned to) {
    const uint8_t *lanes = r->lanes[half_of(field, lane)]; /* nobody reads the last place */
    const int leaves = lanes[from] == 1,
              comes = (lanes[to] == 0) & (to != tess_no_bits(field->bits));
    const unsigned old = bank_of(field, lane, from), new = bank_of(field, lane, to);
    const int counts = (from != to) & !(leaves & comes & (old == new));
    return counts * field->weight *
           (comes * cost_of(r->positions[new] + 1) - leaves * cost_of(r->positions[old]));
}

/* Adds (by 1) or takes away (by -1) what a lane reads. */
static void count(reads *r, const tess_bank_field *field, int lane, int by) {
    const unsigned position = r->position[lane];
    if (position == tess_no_bits(field->bits))
        return;
    uint8_t *lanes = &r->lanes[half_of(field, lane)][position];
    uint8_t *positions = &r->positions[bank_of(field, lane, position)];
    if (*lanes == (by > 0 ? 0 : 1))
        *positions = (uint8_t)(*positions + by);
    *lanes = (uint8_t)(*lanes + by);
}

static bool may_exchange(const warp *w, int a, int b, int lane) {
    const uint32_t one = *word_of(w, a, lane), other = *word_of(w, b, lane);
    return one != UINT32_MAX && other != UINT32_MAX &&
           ((one ^ other) & ((UINT32_C(1) << w->all->slot_bits) - 1)) == 0;
}

static bool helps(const warp *w, int a, int b, int lane) {
    int32_t change = 0;
    for (int f = 0; f < w->all->n_fields; f++) {
        const reads *one = &w->reads[a][f], *other = &w->reads[b][f];
        const unsigned p = one->position[lane], q = other->position[lane];
        change += change_of(one, &w->all->fields[f], lane, p, q) +
                  change_of(other, &w->all->fields[f], lane, q, p);
    }
    return change < 0;
}

static void exchange(warp *w, int a, int b, int lane) {
    uint32_t *one = word_of(w, a, lane), *other = word_of(w, b, lane);
    for (int64_t i = 0; i < w->all->n_words * w->all->stride; i += w->all->stride) {
        const uint32_t kept = one[i];
        one[i] = other[i];
        other[i] = kept;
    }
    for (int f = 0; f < w->all->n_fields; f++) {
        const tess_bank_field *field = &w->all->fields[f];
        reads *r = &w->reads[a][f], *s = &w->reads[b][f];
        const uint16_t kept = r->position[lane];
        count(r, field, lane, -1);
        count(s, field, lane, -1);
        r->position[lane] = s->position[lane];
        s->position[lane] = kept;
        count(r, field, lane, 1);
        count(s, field, lane, 1);
    }
}

/* One turn over all lanes and pairs of rounds; true where that lessened the cost. */
static bool sweep(warp *w) {
    bool better = false;
    for (int lane = 0; lane < w->n_lanes; lane++)
        for (int a = 0; a < w->all->n_rounds; a++)
            for (int b = a + 1; b < w->all->n_rounds; b++)
                if (may_exchange(w, a, b, lane) && helps(w, a, b, lane)) {
                    exchange(w, a, b, lane);
                    better = true;
                }
    return better;
}

static void count_all(warp *w) {
    for (int round = 0; round < w->all->n_rounds; round++)
        for (int f = 0; f < w->all->n_fields; f++) {
            const tess_bank_field *field = &w->all->fields[f];
            reads *r = &w->reads[round][f];
            const size_t n_positions = (size_t)1 << field->bits;
            memset(r->lanes[0], 0, n_positions);
            memset(r->lanes[1], 0, n_positions);
            memset(r->positions, 0, BANKS);
            for (int lane = 0; lane < w->n_lanes; lane++) {
                r->position[lane] = (uint16_t)position_of(w, field, round, lane);
                if (*word_of(w, round, lane) != UINT32_MAX)
                    count(r, field, lane, 1);
            }
        }
}

bool tess_banks_fit(const tess_bank_field *fields, int n_fields) {
    for (int f = 0; f < n_fields; f++)
        if (tess_no_bits(fields[f].bits) >= MOST_POSITIONS)
            return false;
    return n_fields <= TESS_BANK_FIELDS;
}

void tess_banks_spread(const tess_bank_entries *entries) {
    if (entries->n_rounds > TESS_BANK_ROUNDS || !tess_banks_fit(entries->fields, entries->n_fields))
        return;
    warp w;
    w.all = entries;
    for (w.first = 0; w.first < entries->n_points; w.first += LANES) {
        const int64_t left = entries->n_points - w.first;
        w.n_lanes = left < LANES ? (int)left : LANES;
        count_all(&w);
        for (int i = 0; i < TESS_BANK_SWEEPS && sweep(&w); i++)
            ;
    }
}

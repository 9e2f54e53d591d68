/* Pairs: the elements of two blocks, all or those near their border, and the points of these. */
#include "partitioners/mosaic/pair.h"
#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

static tess_status pair_reserve(const mosaic_blocks *blocks, mosaic_pair *pair) {
    const mosaic_pins *pins = blocks->pins;
    int64_t longest = pins->arity;
    for (int64_t e = 0; pins->offset && e < pins->n_elements; ++e)
        if (pins->offset[e + 1] - pins->offset[e] > longest)
            longest = pins->offset[e + 1] - pins->offset[e];
    const int64_t n = 2 * (int64_t)blocks->block_size + 1;
    const int64_t n_pins = n * longest < pins->n_pins ? n * longest : pins->n_pins;
    TRY(TESS_ALLOC(n, &pair->element));
    TRY(TESS_ALLOC(n + 1, &pair->pin_first));
    TRY(TESS_ALLOC(n_pins, &pair->pin));
    TRY(TESS_ALLOC(n_pins + 2, &pair->row_first));
    TRY(TESS_ALLOC(n_pins, &pair->row));
    TRY(TESS_ALLOC(n_pins, &pair->count));
    TRY(TESS_ALLOC(n_pins, &pair->weight));
    TRY(TESS_ALLOC(n, &pair->key));
    TRY(TESS_ALLOC(n, &pair->rank));
    TRY(TESS_ALLOC(n, &pair->side));
    TRY(TESS_ALLOC(n, &pair->moved));
    TRY(TESS_ZEROS(pins->n_elements, &pair->mark));
#ifdef MOSAIC_CHECK
    TRY(TESS_ALLOC(n_pins, &pair->outside));
#endif
    pair->base = 1;
    return TESS_ZEROS(pins->n_points, &pair->number);
}

static void pair_clear(mosaic_pair *pair) {
    free(pair->element);
    free(pair->pin_first);
    free(pair->pin);
    free(pair->row_first);
    free(pair->row);
    free(pair->count);
    free(pair->weight);
    free(pair->key);
    free(pair->rank);
    free(pair->side);
    free(pair->moved);
    free(pair->number);
    free(pair->mark);
    free(pair->outside);
}

tess_status mosaic_pairs_build(const mosaic_blocks *blocks, int n, mosaic_pair **pairs) {
    tess_status status = TESS_OK;
    mosaic_pair *built = NULL;
    CHECK(TESS_ZEROS(n, &built));
    for (int i = 0; i < n; ++i)
        CHECK(pair_reserve(blocks, built + i));
    *pairs = built;
    built = NULL;
done:
    mosaic_pairs_free(built, n);
    return status;
}

void mosaic_pairs_free(mosaic_pair *pairs, int n) {
    for (int i = 0; pairs && i < n; ++i)
        pair_clear(pairs + i);
    free(pairs);
}

static inline int32_t pair_point(const mosaic_pins *pins, mosaic_pair *pair, int32_t point) {
    if (pair->number[point] >= pair->base)
        return pair->number[point] - pair->base;
    const int32_t number = pair->n_points++;
    pair->number[point] = pair->base + number;
    pair->weight[number] = pins->weight ? pins->weight[point] : 1;
    pair->count[number][0] = pair->count[number][1] = 0;
    return number;
}

static void pair_add(const mosaic_blocks *blocks, int32_t block, uint8_t side, mosaic_pair *pair) {
    const mosaic_pins *pins = blocks->pins;
    const int32_t *member = blocks->member + (int64_t)block * blocks->block_size;
    for (int32_t i = 0; i < blocks->size[block]; ++i) {
        const int32_t e = pair->n_elements++;
        const int64_t first = mosaic_first(pins, member[i]);
        const int32_t n = (int32_t)(mosaic_first(pins, (int64_t)member[i] + 1) - first);
        int32_t *pin = pair->pin + pair->pin_first[e];
        pair->element[e] = member[i];
        pair->side[e] = side;
        pair->pin_first[e + 1] = pair->pin_first[e] + n;
        for (int32_t k = 0; k < n; ++k) {
            pin[k] = pair_point(pins, pair, pins->point[first + k]);
            ++pair->count[pin[k]][side];
        }
    }
}

static void pair_empty(const mosaic_blocks *blocks, mosaic_pair *pair) {
    pair->base += pair->n_points;
    pair->n_elements_all = blocks->pins->n_elements;
    pair->n_elements = pair->n_points = 0;
    pair->pin_first[0] = 0;
    if (pair->base > INT32_MAX / 2) {
        memset(pair->number, 0, (size_t)blocks->pins->n_points * sizeof *pair->number);
        pair->base = 1;
    }
}

int32_t mosaic_pair_points(const mosaic_blocks *blocks, int32_t block, mosaic_pair *pair,
                           int32_t *most) {
    pair_empty(blocks, pair);
    pair_add(blocks, block, 0, pair);
    *most = 0;
    for (int32_t p = 0; p < pair->n_points; ++p)
        *most = pair->count[p][0] > *most ? pair->count[p][0] : *most;
    return pair->n_points;
}

static void pair_load(const mosaic_blocks *blocks, const int32_t *block, mosaic_pair *pair) {
    pair_empty(blocks, pair);
    pair_add(blocks, block[0], 0, pair);
    pair->n_first = pair->n_elements;
    pair_add(blocks, block[1], 1, pair);
}

/* Other pairs of the round may write theirs, which are in other blocks before and after. */
static inline int32_t owner_of(const mosaic_blocks *blocks, int32_t element) {
    return __atomic_load_n(blocks->block_of + element, __ATOMIC_RELAXED);
}

/* Appends the elements of a block at a point that are not loaded yet. */
static void band_reach(const mosaic_blocks *blocks, const mosaic_rows *rows, int32_t point,
                       int32_t block, mosaic_pair *pair) {
    for (int64_t i = rows->offset[point]; i < rows->offset[point + 1]; ++i) {
        const int32_t e = rows->element[i];
        if (owner_of(blocks, e) == block && pair->mark[e] != pair->turn) {
            pair->mark[e] = pair->turn;
            pair->element[pair->n_elements++] = e;
        }
    }
}

/* Elements of one block at the points of a contact, and those next to them. */
static void band_add(const mosaic_blocks *blocks, const mosaic_rows *rows,
                     const mosaic_contact *contact, uint8_t side, mosaic_pair *pair) {
    const mosaic_pins *pins = blocks->pins;
    const int32_t block = contact->block[side], begin = pair->n_elements;
    for (int32_t i = 0; i < contact->n_shared; ++i)
        band_reach(blocks, rows, (int32_t)contact->shared[i], block, pair);
    const int32_t n_near = pair->n_elements;
    for (int32_t k = begin; k < n_near; ++k)
        for (int64_t i = mosaic_first(pins, pair->element[k]);
             i < mosaic_first(pins, (int64_t)pair->element[k] + 1); ++i)
            band_reach(blocks, rows, pins->point[i], block, pair);
    memset(pair->side + begin, side, (size_t)(pair->n_elements - begin));
}

/* Numbers the points of what is loaded and counts all elements that the blocks have at them. */
static void band_count(const mosaic_blocks *blocks, const mosaic_rows *rows, const int32_t *block,
                       mosaic_pair *pair) {
    const mosaic_pins *pins = blocks->pins;
    for (int32_t e = 0; e < pair->n_elements; ++e) {
        const int64_t first = mosaic_first(pins, pair->element[e]);
        const int32_t n = (int32_t)(mosaic_first(pins, (int64_t)pair->element[e] + 1) - first);
        int32_t *pin = pair->pin + pair->pin_first[e];
        pair->pin_first[e + 1] = pair->pin_first[e] + n;
        for (int32_t k = 0; k < n; ++k) {
            const int32_t point = pins->point[first + k], known = pair->n_points;
            pin[k] = pair_point(pins, pair, point);
            for (int64_t i = rows->offset[point]; i < rows->offset[point + 1] && pin[k] == known;
                 ++i) {
                const int32_t owner = owner_of(blocks, rows->element[i]);
                pair->count[known][0] += owner == block[0];
                pair->count[known][1] += owner == block[1];
            }
        }
    }
}

static void band_load(const mosaic_blocks *blocks, const mosaic_rows *rows,
                      const mosaic_contact *contact, mosaic_pair *pair) {
    pair_empty(blocks, pair);
    if (++pair->turn == INT32_MAX) {
        memset(pair->mark, 0, (size_t)blocks->pins->n_elements * sizeof *pair->mark);
        pair->turn = 1;
    }
    band_add(blocks, rows, contact, 0, pair);
    pair->n_first = pair->n_elements;
    band_add(blocks, rows, contact, 1, pair);
    band_count(blocks, rows, contact->block, pair);
}

void mosaic_pair_load(const mosaic_blocks *blocks, const mosaic_rows *rows,
                      const mosaic_contact *contact, mosaic_pair *pair) {
    for (int s = 0; s < 2; ++s)
        pair->size[s] = blocks->size[contact->block[s]];
    if (rows)
        band_load(blocks, rows, contact, pair);
    else
        pair_load(blocks, contact->block, pair);
}

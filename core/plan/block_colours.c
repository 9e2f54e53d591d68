/* The colours of a plan's blocks. */
#include "core/plan/block_colours.h"

#include "core/base/array.h"
#include "core/base/key_order.h"
#include "core/plan/colour/backtrack_colour.h"
#include "core/plan/colour/colour.h"
#include <stdlib.h>
#include <string.h>

/* Gives the blocks by their first element, those of a chopped mesh as they were chopped; or by
 * their numbers. */
static tess_status blocks_order(const tess_blocks_to_colour *blocks, int32_t **order) {
    uint64_t *key = NULL;
    TRY(TESS_ALLOC(blocks->n, &key));
    for (int32_t b = 0; b < blocks->n; b++)
        key[b] = (uint64_t)(blocks->first_element ? blocks->first_element[b] : b);
    const tess_status status = tess_key_order(key, blocks->n, order);
    free(key);
    return status;
}

/* Colours blocks by the least used colour, in the order in which Sulyok et al. 2019 take them:
 * those of a chopped mesh by their first element, those of a partitioner by its numbers. */
static tess_status colour_by_least_used(const tess_blocks_to_colour *blocks, int32_t *colour,
                                        int32_t *n_colours) {
    tess_status status = TESS_OK;
    const int32_t n = blocks->n;
    int32_t *order = NULL, *ordered = NULL;
    tess_incidence *in_order = NULL;
    CHECK(TESS_ALLOC(n, &ordered));
    CHECK(TESS_ZEROS(blocks->n_maps, &in_order));
    CHECK(blocks_order(blocks, &order));
    for (int m = 0; m < blocks->n_maps; m++)
        CHECK(tess_incidence_in_order(&blocks->maps[m], n, order, &in_order[m]));
    CHECK(tess_colour_least_used(in_order, blocks->n_maps, n, ordered, n_colours));
    for (int32_t i = 0; i < n; i++)
        colour[order[i]] = ordered[i];
done:
    for (int m = 0; in_order && m < blocks->n_maps; m++)
        tess_incidence_clear(&in_order[m]);
    free(order);
    free(ordered);
    free(in_order);
    return status;
}

/* Takes colours away from a colouring of the elements of a map, one after the other, while a search
 * finds one without. */
static tess_status search_for_less(const tess_incidence *map, int64_t n, int32_t *colour,
                                   int32_t *n_colours) {
    tess_status status = TESS_OK;
    int32_t *at_point = NULL;
    bool found = n <= TESS_MOST_BACKTRACKED && *n_colours <= TESS_MOST_BACKTRACKED_COLOURS;
    CHECK(TESS_ALLOC(map->n_points, &at_point));
    const int32_t bound = tess_colour_bound(map, n, at_point);
    while (found && *n_colours > bound) {
        CHECK(tess_colour_backtrack(map, n, *n_colours - 1, colour, &found));
        *n_colours -= found;
    }
done:
    free(at_point);
    return status;
}

/* The fewest colours that we find: first fit's or the least used; and where all blocks increment
 * points of one set, DSATUR's, and less as far as a search finds it. */
static tess_status find_fewest(const tess_blocks_to_colour *blocks, int32_t *colour,
                               int32_t *n_colours) {
    tess_status status = TESS_OK;
    const int32_t n = blocks->n, n_maps = blocks->n_maps;
    int32_t *other = NULL, n_other = 0;
    tess_status one = TESS_OK, two = TESS_OK;
    CHECK(TESS_ALLOC(n, &other));
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        one = n_maps == 1 ? tess_colour_dsatur(blocks->maps, n, colour, n_colours)
                          : tess_colour_first_fit(blocks->maps, n_maps, n, colour, n_colours);
#pragma omp section
        two = colour_by_least_used(blocks, other, &n_other);
    }
    if (one != TESS_OK || two != TESS_OK) /* which left its words on its own thread */
        CHECK(tess_fail(TESS_ERROR_MEMORY, "out of memory for the colours of %d blocks", n));
    if (n_other < *n_colours) {
        memcpy(colour, other, (size_t)n * sizeof *other);
        *n_colours = n_other;
    }
    if (n_maps == 1)
        CHECK(search_for_less(blocks->maps, n, colour, n_colours));
done:
    free(other);
    return status;
}

/* Numbers densely the points that several of n elements have; gives how many. A point is seen once
 * by its first bit, again by its second. */
static int64_t number_shared(const tess_incidence *map, int32_t n, uint8_t *seen, int32_t *number) {
    int64_t n_shared = 0;
#pragma omp parallel for schedule(dynamic, 64)
    for (int32_t b = 0; b < n; b++) {
        int64_t n_points = 0;
        const int32_t *row = tess_incidence_row(map, b, &n_points);
        for (int64_t i = 0; i < n_points; i++)
            if (tess_incidence_is_first(map, row, i) &&
                (__atomic_fetch_or(&seen[row[i]], 1, __ATOMIC_RELAXED) & 1))
                __atomic_fetch_or(&seen[row[i]], 2, __ATOMIC_RELAXED);
    }
    for (int64_t p = 0; p < map->n_points; p++)
        number[p] = seen[p] & 2 ? (int32_t)n_shared++ : -1;
    return n_shared;
}

/* Gives the points of n elements that several of them have: no others decide colours. */
static tess_status leave_shared(const tess_incidence *map, int32_t n, tess_incidence *out) {
    tess_status status = TESS_OK;
    uint8_t *seen = NULL;
    int32_t *number = NULL, *index = NULL;
    int64_t *offset = NULL;
    CHECK(TESS_ZEROS(map->n_points, &seen));
    CHECK(TESS_ALLOC(map->n_points, &number));
    CHECK(TESS_ZEROS(n + 1, &offset));
    const int64_t n_shared = number_shared(map, n, seen, number);
    for (int fills = 0; fills < 2; fills++) {
#pragma omp parallel for schedule(dynamic, 64)
        for (int32_t b = 0; b < n; b++) {
            int64_t n_points = 0, n_left = 0;
            const int32_t *row = tess_incidence_row(map, b, &n_points);
            for (int64_t i = 0; i < n_points; i++) {
                if (!tess_incidence_is_first(map, row, i) || number[row[i]] < 0)
                    continue;
                if (fills)
                    index[offset[b] + n_left] = number[row[i]];
                n_left++;
            }
            if (!fills)
                offset[b + 1] = n_left;
        }
        for (int32_t b = 0; b < n && !fills; b++)
            offset[b + 1] += offset[b];
        if (!fills)
            CHECK(TESS_ALLOC(offset[n], &index));
    }
    *out = (tess_incidence){.index = TESS_TAKE(index),
                            .offset = TESS_TAKE(offset),
                            .owned = true,
                            .n_points = n_shared};
done:
    free(seen);
    free(number);
    free(index);
    free(offset);
    return status;
}

static tess_status find(const tess_blocks_to_colour *blocks, tess_colouring colouring,
                        int32_t *colour, int32_t *n_colours) {
    if (colouring == TESS_COLOUR_FEWEST)
        return find_fewest(blocks, colour, n_colours);
    if (colouring == TESS_COLOUR_SULYOK)
        return colour_by_least_used(blocks, colour, n_colours);
    return tess_colour_first_fit(blocks->maps, blocks->n_maps, blocks->n, colour, n_colours);
}

tess_status tess_block_colours_find(const tess_blocks_to_colour *blocks, tess_colouring colouring,
                                    int32_t *colour, int32_t *n_colours) {
    tess_status status = TESS_OK;
    tess_blocks_to_colour fewer = *blocks;
    if (blocks->n <= TESS_MOST_BACKTRACKED) /* a search takes points as they come */
        return find(blocks, colouring, colour, n_colours);
    fewer.maps = NULL;
    CHECK(TESS_ZEROS(blocks->n_maps, &fewer.maps));
    for (int m = 0; m < blocks->n_maps; m++)
        CHECK(leave_shared(&blocks->maps[m], blocks->n, &fewer.maps[m]));
    CHECK(find(&fewer, colouring, colour, n_colours));
done:
    for (int m = 0; fewer.maps && m < blocks->n_maps; m++)
        tess_incidence_clear(&fewer.maps[m]);
    free(fewer.maps);
    return status;
}

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

tess_status tess_block_colours_find(const tess_blocks_to_colour *blocks, tess_colouring colouring,
                                    int32_t *colour, int32_t *n_colours) {
    if (colouring == TESS_COLOUR_FEWEST)
        return find_fewest(blocks, colour, n_colours);
    if (colouring == TESS_COLOUR_SULYOK)
        return colour_by_least_used(blocks, colour, n_colours);
    return tess_colour_first_fit(blocks->maps, blocks->n_maps, blocks->n, colour, n_colours);
}

/* The colours of a plan's blocks. */
#include "core/plan/block_colours.h"

#include "core/base/array.h"
#include "core/base/key_order.h"
#include "core/plan/colour/colour.h"
#include "core/plan/colour/tabu_colour.h"
#include <stdlib.h>
#include <string.h>

/* So few blocks are worth DSATUR and a long search for one colour less. */
enum { FEW_BLOCKS = 4096 };

/* Colours that blocks in a plane need at most, which connect. */
enum { PLANE_COLOURS = 4 };

/* Moves in vain after which no colour less is sought. */
static int64_t patience_of(int64_t n_blocks) {
    enum { LEAST = 2000, LONGEST = 100000, BY_BLOCK = 2000 };
    if (n_blocks > FEW_BLOCKS)
        return LEAST + n_blocks;
    const int64_t wanted = LEAST + n_blocks * BY_BLOCK;
    return wanted < LONGEST ? wanted : LONGEST;
}

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

/* Searches for fewer colours than `start` [n] has; the better of what it comes to and `colour` is
 * kept. */
static tess_status search_from(const tess_blocks_to_colour *blocks, int32_t *start, int32_t n_start,
                               int32_t *colour, int32_t *n_colours) {
    const int32_t n = blocks->n;
    TRY(tess_colour_reduce_of_maps(blocks->maps, blocks->n_maps, n, patience_of(n), start,
                                   &n_start));
    if (n_start < *n_colours) {
        memcpy(colour, start, (size_t)n * sizeof *start);
        *n_colours = n_start;
    }
    return TESS_OK;
}

/* The fewest colours that we find: a search from first fit's or DSATUR's, from first fit's as well
 * where these are more than blocks in a plane need, and from the least used where they are fewer
 * still. */
static tess_status find_fewest(const tess_blocks_to_colour *blocks, int32_t *colour,
                               int32_t *n_colours) {
    tess_status status = TESS_OK;
    const int32_t n = blocks->n, n_maps = blocks->n_maps;
    const bool few = n_maps == 1 && n <= FEW_BLOCKS;
    tess_incidence *const maps = blocks->maps;
    int32_t *other = NULL, n_other = 0;
    CHECK(TESS_ALLOC(n, &other));
    CHECK(few ? tess_colour_dsatur(maps, n, colour, n_colours)
              : tess_colour_first_fit(maps, n_maps, n, colour, n_colours));
    const int32_t n_start = *n_colours;
    CHECK(tess_colour_reduce_of_maps(maps, n_maps, n, patience_of(n), colour, n_colours));
    if (few && *n_colours > PLANE_COLOURS) {
        CHECK(tess_colour_first_fit(maps, n_maps, n, other, &n_other));
        if (n_other > n_start) /* where DSATUR finds no fewer it keeps these */
            CHECK(search_from(blocks, other, n_other, colour, n_colours));
    }
    CHECK(colour_by_least_used(blocks, other, &n_other));
    if (n_other < *n_colours)
        CHECK(search_from(blocks, other, n_other, colour, n_colours));
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

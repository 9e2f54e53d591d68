/* Strays: pieces of blocks that lie apart from the rest, given to the blocks around. */
#include "partitioners/mosaic/stray.h"
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/union_find.h"
#include "partitioners/mosaic/chain.h"
#include "partitioners/mosaic/join.h"

#include <stdlib.h>

typedef struct strays {
    mosaic_blocks *blocks;
    tess_rows *rows; /* elements of the points */
    int32_t *first;  /* [n_points] an element of the block at hand, as its place in it; or -1 */
    int32_t *parent; /* [S] places of its elements, a set for each piece */
    int32_t *near;   /* [n_blocks] the last torn block that each is near to; or -1 */
    mosaic_group group;
} strays;

/* The pieces that a block is in. */
static int32_t count_pieces(const strays *all, int32_t block) {
    const mosaic_pins *const pins = all->blocks->pins;
    const int32_t *const member = mosaic_block(all->blocks, block);
    const int32_t size = all->blocks->size[block];
    int32_t n = size;
    for (int32_t i = 0; i < size; ++i) {
        all->parent[i] = i;
        for (int64_t k = mosaic_first(pins, member[i]); k < mosaic_end(pins, member[i]); ++k) {
            int32_t *const first = all->first + pins->point[k];
            if (*first < 0)
                *first = i;
            else if (tess_sets_join(all->parent, *first, i))
                --n;
        }
    }
    for (int32_t i = 0; i < size; ++i)
        for (int64_t k = mosaic_first(pins, member[i]); k < mosaic_end(pins, member[i]); ++k)
            all->first[pins->point[k]] = -1;
    return n;
}

/* Adds the blocks that share points with a block to a list of n around a torn one, as many as a
 * group holds; gives their number then. */
static int32_t list_around(const strays *all, int32_t block, int32_t torn, int32_t n,
                           int32_t *list) {
    const mosaic_blocks *const blocks = all->blocks;
    const mosaic_pins *const pins = blocks->pins;
    for (int32_t i = 0; i < blocks->size[block]; ++i) {
        const int32_t e = mosaic_block(blocks, block)[i];
        for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k)
            for (int64_t r = all->rows->offset[pins->point[k]];
                 r < all->rows->offset[pins->point[k] + 1]; ++r) {
                const int32_t other = blocks->block_of[all->rows->item[r]];
                if (all->near[other] == torn || n == MOSAIC_GROUP_BLOCKS)
                    continue;
                all->near[other] = torn;
                list[n++] = other;
            }
    }
    return n;
}

/* Fills list with a block and those nearest to it, as many as a group holds; gives their number. */
static int32_t list_near(const strays *all, int32_t block, int32_t *list) {
    int32_t n = 1;
    list[0] = block;
    all->near[block] = block;
    for (int32_t i = 0; i < n && n < MOSAIC_GROUP_BLOCKS; ++i)
        n = list_around(all, list[i], block, n, list);
    return n;
}

/* Joins a block in pieces, and those near it that are, too. */
static tess_status join(strays *all, int32_t block) {
    mosaic_group *const group = &all->group;
    int32_t list[MOSAIC_GROUP_BLOCKS];
    const int32_t n = list_near(all, block, list);
    TRY(mosaic_group_load(all->blocks, list, n, group));
    const int32_t before = mosaic_group_pieces(group);
    int64_t cost = mosaic_group_join(group);
    cost += mosaic_chain_even(group);
    if (mosaic_group_pieces(group) >= before || cost > 0)
        return TESS_OK;
    mosaic_group_store(group, all->blocks);
    return tess_interrupt_check();
}

static tess_status strays_new(mosaic_blocks *blocks, strays *all) {
    const int64_t n_points = blocks->pins->n_points;
    *all = (strays){.blocks = blocks};
    TRY(TESS_ALLOC(n_points, &all->first));
    TRY(TESS_ALLOC(blocks->block_size, &all->parent));
    TRY(TESS_ALLOC(blocks->n_blocks, &all->near));
    for (int64_t p = 0; p < n_points; ++p)
        all->first[p] = -1;
    for (int32_t b = 0; b < blocks->n_blocks; ++b)
        all->near[b] = -1;
    return TESS_OK;
}

static void strays_clear(strays *all) {
    tess_rows_free(all->rows);
    free(all->first);
    free(all->parent);
    free(all->near);
    mosaic_group_clear(&all->group);
}

tess_status mosaic_strays_join(mosaic_blocks *blocks, double *apart) {
    tess_status status = TESS_OK;
    strays all;
    int64_t n_apart = 0;
    mosaic_blocks bare = *blocks; /* of the same elements: where these lie does not count */
    bare.centroid = NULL;
    CHECK(strays_new(&bare, &all));
    for (int32_t b = 0; b < blocks->n_blocks; ++b) {
        if (count_pieces(&all, b) <= 1)
            continue;
        if (!all.rows)
            CHECK(mosaic_rows_build(blocks->pins, &all.rows));
        CHECK(join(&all, b));
    }
    for (int32_t b = 0; all.rows && b < blocks->n_blocks; ++b) /* some were in pieces */
        n_apart += count_pieces(&all, b) - 1;
    *apart = (double)n_apart / blocks->n_blocks;
done:
    strays_clear(&all);
    return status;
}

/* Annealing: groups are blocks of blocks, made by halving the blocks as elements are halved. */
#include "partitioners/mosaic/anneal.h"
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/progress.h"
#include "core/base/splitmix.h"
#include "partitioners/mosaic/even.h"
#include "partitioners/mosaic/halves.h"
#include "partitioners/mosaic/roam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How blocks are put into groups: as elements of a mesh whose points are those of several blocks.
 */
typedef struct grouping {
    mosaic_pins pins;
    tess_rows *rows;
    mosaic_walk walk; /* every MOSAIC_GROUP_BLOCKS of its order are a group */
} grouping;

static void grouping_clear(grouping *all) {
    mosaic_pins_clear(&all->pins);
    tess_rows_free(all->rows);
    mosaic_walk_clear(&all->walk);
}

/* Counts a block at each of its points; or with `out`, appends those of its points that others
 * have, too. last [n_points]: the block that was there last. */
static void visit_points(const mosaic_blocks *blocks, int32_t block, int32_t *n_blocks,
                         int32_t *last, mosaic_pins *out) {
    const mosaic_pins *pins = blocks->pins;
    for (int32_t i = 0; i < blocks->size[block]; ++i) {
        const int32_t e = mosaic_block(blocks, block)[i];
        for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k) {
            const int32_t point = pins->point[k];
            if (last[point] != block && !out)
                ++n_blocks[point];
            else if (last[point] != block && n_blocks[point] > 1)
                out->point[out->n_pins++] = point;
            last[point] = block;
        }
    }
}

/* The blocks from the first on as elements, as they are before the first round: they change little.
 */
static tess_status grouping_build(const mosaic_blocks *blocks, int32_t first, grouping *all) {
    tess_status status = TESS_OK;
    const int64_t n_points = blocks->pins->n_points, n = blocks->n_blocks - first;
    int32_t *last = NULL, *n_blocks = NULL;
    int64_t n_pins = 0;
    mosaic_pins *const pins = &all->pins;
    *pins = (mosaic_pins){.n_elements = n, .n_points = n_points};
    CHECK(TESS_ALLOC(n_points, &last));
    CHECK(TESS_ZEROS(n_points, &n_blocks));
    memset(last, -1, (size_t)n_points * sizeof *last);
    for (int32_t b = first; b < blocks->n_blocks; ++b)
        visit_points(blocks, b, n_blocks, last, NULL);
    for (int64_t p = 0; p < n_points; ++p)
        n_pins += n_blocks[p] > 1 ? n_blocks[p] : 0;
    CHECK(TESS_ALLOC(n_pins, &pins->point));
    CHECK(TESS_ALLOC(n + 1, &pins->offset));
    memset(last, -1, (size_t)n_points * sizeof *last);
    for (int64_t i = 0; i < n; ++i) {
        pins->offset[i] = pins->n_pins;
        visit_points(blocks, first + (int32_t)i, n_blocks, last, pins);
    }
    pins->offset[n] = pins->n_pins;
    CHECK(mosaic_rows_build(pins, &all->rows));
done:
    free(last);
    free(n_blocks);
    return status;
}

/* Another seed for each i. */
static uint64_t seed_of(uint64_t seed, int32_t i) {
    uint64_t state = seed ^ (uint64_t)i << 32;
    return tess_random_next(&state);
}

/* The points that each block of a group may have: no more than the cap, or than it has. */
static const int32_t *caps_of(const mosaic_group *group, int32_t max_points, int32_t *caps) {
    for (int32_t b = 0; b < group->n_blocks && max_points; ++b)
        caps[b] = group->points_of[b] > max_points ? group->points_of[b] : max_points;
    return max_points ? caps : NULL;
}

static bool respects_caps(const mosaic_group *group, const int32_t *caps) {
    for (int32_t b = 0; b < group->n_blocks && caps; ++b)
        if (group->points_of[b] > caps[b])
            return false;
    return true;
}

/* The weight of points that groups had in common, and of those that they saved. */
typedef struct sums {
    int64_t shared, saved;
} sums;

/* A round under way. */
typedef struct round_of {
    mosaic_annealing *it;
    mosaic_cooling cooling;
    uint64_t seed;
} round_of;

/* Anneals n blocks; adds to *all. */
static tess_status anneal_group(const round_of *now, const int32_t *list, int32_t n, uint64_t seed,
                                mosaic_group *group, sums *all) {
    int32_t room[MOSAIC_GROUP_BLOCKS];
    TRY(tess_interrupt_check());
    TRY(mosaic_group_load(now->it->blocks, list, n, group));
    const int32_t *const caps = caps_of(group, now->it->limits.max_points, room);
    all->shared += mosaic_group_shared(group);
    int64_t cost = now->it->rounds > 0 ? mosaic_group_join(group) : 0;
    cost += mosaic_group_roam(group, &now->cooling, caps, seed);
    cost += mosaic_chain_even(group);
    if (cost < 0 && respects_caps(group, caps)) {
        mosaic_group_store(group, now->it->blocks);
        all->saved -= cost;
    }
    return TESS_OK;
}

/* All groups of a list, each on its own. */
static tess_status anneal_groups(const round_of *now, const int32_t *list, int32_t n_blocks,
                                 sums *all) {
    tess_status status = TESS_OK;
    const bool parallel = now->it->blocks->pins->n_elements > MOSAIC_SERIAL;
    int64_t shared = 0, saved = 0;
#pragma omp parallel reduction(+ : shared, saved) if (parallel)
    {
        mosaic_group group = {0};
#pragma omp for schedule(dynamic, 1)
        for (int32_t i = 0; i < n_blocks; i += MOSAIC_GROUP_BLOCKS) {
            const int32_t left = n_blocks - i;
            const int32_t n = left < MOSAIC_GROUP_BLOCKS ? left : MOSAIC_GROUP_BLOCKS;
            tess_progress_set(i, n_blocks, NULL);
            sums own = {0, 0};
            const tess_status mine =
                anneal_group(now, list + i, n, seed_of(now->seed, i), &group, &own);
            shared += own.shared;
            saved += own.saved;
            if (mine != TESS_OK) {
#pragma omp critical(mosaic_anneal)
                status = mine;
            }
        }
        mosaic_group_clear(&group);
    }
    *all = (sums){shared, saved};
    TRY(tess_interrupt_check());
    if (status != TESS_OK)
        FAIL(status, "out of memory while groups of blocks were annealed");
    return TESS_OK;
}

/* One round more, in groups that are cut elsewhere than those of the rounds before. */
static tess_status anneal_once(mosaic_annealing *it, const mosaic_level *level, grouping *all) {
    const int32_t first = it->limits.first_block, n_blocks = it->blocks->n_blocks - first;
    sums sum;
    round_of now = {.it = it, .seed = seed_of(it->seed, it->rounds)};
    mosaic_cooling_set(
        &it->schedule,
        (int)ceil(level->passes * it->schedule.longer * pow(level->grow, it->rounds)),
        &now.cooling);
    TRY(mosaic_walk_reset(&all->pins, all->rows, &all->walk));
    mosaic_halve(&all->walk, 0, n_blocks, MOSAIC_GROUP_BLOCKS, mosaic_walk_inside(it->rounds, 0));
    for (int32_t i = 0; i < n_blocks; ++i)
        all->walk.order[i] += first;
    TRY(anneal_groups(&now, all->walk.order, n_blocks, &sum));
    ++it->rounds;
    it->ended = (double)sum.saved <= level->enough * (double)sum.shared;
    return TESS_OK;
}

tess_status mosaic_anneal(mosaic_annealing *it, const mosaic_level *level, int rounds) {
    tess_status status = TESS_OK;
    grouping all = {.rows = NULL};
    if (it->blocks->n_blocks - it->limits.first_block < 2)
        it->ended = true;
    if (it->ended || it->rounds >= rounds)
        return TESS_OK;
    tess_progress_begin("annealing");
    CHECK(grouping_build(it->blocks, it->limits.first_block, &all));
    while (it->rounds < rounds && !it->ended)
        CHECK(anneal_once(it, level, &all));
done:
    tess_progress_end();
    grouping_clear(&all);
    return status;
}

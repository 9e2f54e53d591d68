/* Annealing: groups are blocks of blocks, made by the cut that makes blocks. */
#include "partitioners/mosaic/anneal.h"
#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "partitioners/mosaic/chain.h"
#include "partitioners/mosaic/cut.h"
#include "partitioners/mosaic/rounds.h"
#include "partitioners/mosaic/settle.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_SHARED = 2, SMOOTHING = 2 };

/* Of each round against the one before, in radians: the golden section of half a turn. */
static const double TURN = 1.1999816;

/* How blocks are put into groups: by their neighbours, or where their places are known by those. */
typedef struct grouping {
    int32_t *list; /* [blocks] every MOSAIC_GROUP_BLOCKS are a group */
    mosaic_pins neighbours;
    mosaic_cutter cutter;
    mosaic_place *middle; /* [blocks] */
} grouping;

/* Blocks as elements and pairs of neighbours as points. */
static tess_status blocks_pins(const mosaic_rounds *rounds, int32_t first_block, int32_t n_blocks,
                               mosaic_pins *pins) {
    const int64_t n = n_blocks - first_block;
    *pins =
        (mosaic_pins){.n_elements = n, .n_points = rounds->n_pairs, .n_pins = 2 * rounds->n_pairs};
    TRY(TESS_ZEROS(n + 2, &pins->offset));
    TRY(TESS_ALLOC(pins->n_pins, &pins->point));
    int64_t *const end = pins->offset + 1;
    for (int64_t i = 0; i < rounds->n_pairs; ++i)
        for (int side = 0; side < 2; ++side)
            ++end[rounds->pair[i].block[side] - first_block + 1];
    for (int64_t b = 0; b < n; ++b)
        end[b + 1] += end[b];
    for (int64_t i = 0; i < rounds->n_pairs; ++i)
        for (int side = 0; side < 2; ++side)
            pins->point[end[rounds->pair[i].block[side] - first_block]++] = (int32_t)i;
    return TESS_OK;
}

/* Fills list [blocks from first_block on] such that every MOSAIC_GROUP_BLOCKS are a group. */
static tess_status list_groups(const mosaic_pins *neighbours, int32_t first_block, double from,
                               mosaic_cutter *cutter, int32_t *list) {
    const int32_t *local = NULL;
    const mosaic_cut cut = {.block_size = MOSAIC_GROUP_BLOCKS,
                            .multiple = MOSAIC_GROUP_BLOCKS,
                            .halves = true,
                            .tries = 1,
                            .passes = SMOOTHING,
                            .from = from};
    TRY(mosaic_cut_elements(neighbours, &cut, NULL, 0, neighbours->n_elements, cutter, &local));
    for (int64_t i = 0; i < neighbours->n_elements; ++i)
        list[i] = local[i] + first_block;
    return TESS_OK;
}

/* The same by the middles of blocks, turned so that other rounds cut elsewhere. */
static tess_status list_places(const mosaic_blocks *blocks, int32_t first_block, double turn,
                               mosaic_place *middle, int32_t *list) {
    const int32_t n = blocks->n_blocks - first_block;
    const float c = (float)cos(turn), s = (float)sin(turn);
    for (int32_t i = 0; i < n; ++i) {
        const int32_t b = first_block + i, size = blocks->size[b];
        const int32_t *member = blocks->member + (int64_t)b * blocks->block_size;
        double sum[3] = {0};
        for (int32_t k = 0; k < size; ++k)
            for (int d = 0; d < 3; ++d)
                sum[d] += blocks->place[member[k]].x[d];
        for (int d = 0; d < 3; ++d)
            middle[i].x[d] = (float)(sum[d] / size);
        const float x = middle[i].x[0], y = middle[i].x[1], z = middle[i].x[2];
        middle[i].x[0] = c * x + s * y;
        middle[i].x[1] = c * (c * y - s * x) + s * z;
        middle[i].x[2] = c * z - s * (c * y - s * x);
        middle[i].element = i;
    }
    TRY(mosaic_places_halve(middle, n, MOSAIC_GROUP_BLOCKS));
    for (int32_t i = 0; i < n; ++i)
        list[i] = middle[i].element + first_block;
    return TESS_OK;
}

/* Neighbours as they are before the first round: they change little. */
static tess_status find_neighbours(const mosaic_blocks *blocks, int32_t first_block,
                                   mosaic_pins *neighbours) {
    tess_status status = TESS_OK;
    mosaic_rows rows = {0};
    mosaic_rounds rounds = {0};
    CHECK(mosaic_rows_build(blocks->pins, &rows));
    CHECK(mosaic_rounds_build(blocks, &rows, first_block, LEAST_SHARED, NULL, &rounds));
    CHECK(blocks_pins(&rounds, first_block, blocks->n_blocks, neighbours));
done:
    mosaic_rows_clear(&rows);
    mosaic_rounds_clear(&rounds);
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

/* What groups had in common and saved, in the weight of points. */
typedef struct sums {
    int64_t shared, saved;
} sums;

/* The weight of points beyond their first block. */
static int64_t shared_by(const mosaic_group *group) {
    int64_t more = -group->piece.pins.n_points;
    for (int32_t b = 0; b < group->n_blocks; ++b)
        more += group->points_of[b];
    return more * MOSAIC_UNIT / mosaic_group_unit(group);
}

/* Anneals n blocks; adds to *all. */
static tess_status anneal_group(mosaic_blocks *blocks, const mosaic_limits *limits,
                                const mosaic_cooling *cooling, const int32_t *list, int32_t n,
                                uint64_t seed, mosaic_group *group, sums *all) {
    int32_t room[MOSAIC_GROUP_BLOCKS];
    TRY(mosaic_group_load(blocks, list, n, group));
    const int32_t *const caps = caps_of(group, limits->max_points, room);
    all->shared += shared_by(group);
    int64_t cost = cooling->passes > 0 ? mosaic_group_settle(group, cooling, seed)
                                       : mosaic_group_cool(group, cooling, caps, seed);
    cost += mosaic_chain_even(group);
    mosaic_group_prove(group, cost);
    if (cost >= 0 || !respects_caps(group, caps))
        return TESS_OK;
    mosaic_group_store(group, blocks);
    all->saved -= cost;
    return TESS_OK;
}

/* All groups of a list, each on its own; adds to *all. */
static tess_status anneal_groups(mosaic_blocks *blocks, const mosaic_limits *limits,
                                 const mosaic_cooling *cooling, uint64_t seed, const int32_t *list,
                                 sums *all) {
    tess_status status = TESS_OK;
    const int32_t n_blocks = blocks->n_blocks - limits->first_block;
    int64_t shared = 0, saved = 0;
#pragma omp parallel reduction(+ : shared, saved) if (blocks->pins->n_elements > MOSAIC_SERIAL)
    {
        mosaic_group group = {0};
#pragma omp for schedule(dynamic, 1)
        for (int32_t i = 0; i < n_blocks; i += MOSAIC_GROUP_BLOCKS) {
            const int32_t left = n_blocks - i;
            const int32_t n = left < MOSAIC_GROUP_BLOCKS ? left : MOSAIC_GROUP_BLOCKS;
            sums own = {0, 0};
            const tess_status mine =
                anneal_group(blocks, limits, cooling, list + i, n, seed_of(seed, i), &group, &own);
            shared += own.shared;
            saved += own.saved;
            if (mine != TESS_OK) {
#pragma omp critical(mosaic_anneal)
                status = mine;
            }
        }
        mosaic_group_clear(&group);
    }
    all->shared += shared;
    all->saved += saved;
    if (status != TESS_OK)
        FAIL(status, "out of memory while groups of blocks were annealed");
    return TESS_OK;
}

/* Puts the blocks into an order of which every MOSAIC_GROUP_BLOCKS are a group: r-th round. */
static tess_status list_round(const mosaic_blocks *blocks, int32_t first_block, int r,
                              grouping *all) {
    if (blocks->place)
        return list_places(blocks, first_block, r * TURN, all->middle, all->list);
    return list_groups(&all->neighbours, first_block, mosaic_walk_inside(r, 0), &all->cutter,
                       all->list);
}

static double part_of(double factor) {
    return factor > 0 ? factor : 1;
}

/* From one round to the next. */
static void fade(mosaic_cooling *cooling) {
    cooling->crowding *= part_of(cooling->relax);
    cooling->crowding_last *= part_of(cooling->relax);
    cooling->round *= part_of(cooling->fade);
    cooling->round_last *= part_of(cooling->fade);
    cooling->passes *= 2;
}

tess_status mosaic_anneal(mosaic_blocks *blocks, const mosaic_limits *limits,
                          const mosaic_cooling *cooling, int rounds, uint64_t seed,
                          mosaic_annealed *done) {
    tess_status status = TESS_OK;
    grouping all = {0};
    mosaic_cooling now = *cooling;
    const int32_t first = limits->first_block, n_blocks = blocks->n_blocks - first;
    *done = (mosaic_annealed){0};
    if (n_blocks < 2)
        return TESS_OK;
    CHECK(TESS_ALLOC(n_blocks, &all.list));
    if (blocks->place)
        CHECK(TESS_ALLOC(n_blocks, &all.middle));
    else
        CHECK(find_neighbours(blocks, first, &all.neighbours));
    for (int r = 0; r < rounds; ++r) {
        CHECK(list_round(blocks, first, r, &all));
        sums round = {0, 0};
        CHECK(anneal_groups(blocks, limits, &now, seed_of(seed, r), all.list, &round));
        done->saved += round.saved;
        ++done->rounds;
        if ((double)round.saved < cooling->enough * (double)round.shared)
            break;
        fade(&now);
    }
done:
    free(all.list);
    free(all.middle);
    mosaic_cutter_clear(&all.cutter);
    mosaic_pins_clear(&all.neighbours);
    return status;
}

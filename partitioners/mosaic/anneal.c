/* Annealing: groups are blocks of blocks, made by the cut that makes blocks. */
#include "partitioners/mosaic/anneal.h"
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/progress.h"
#include "core/base/splitmix.h"
#include "partitioners/mosaic/chain.h"
#include "partitioners/mosaic/cut.h"
#include "partitioners/mosaic/group_heat.h"
#include "partitioners/mosaic/join.h"
#include "partitioners/mosaic/pair_sweep.h"

#include <math.h>
#include <stdlib.h>

/* How blocks are put into groups: by their neighbours, or where they lie. */
typedef struct grouping {
    int32_t *list; /* [blocks] every MOSAIC_GROUP_BLOCKS are a group */
    mosaic_pins neighbours;
    mosaic_cutter cutter;
    mosaic_centroid *middle; /* [blocks] */
} grouping;

/* Blocks as elements and pairs of neighbours as points. */
static tess_status blocks_pins(const mosaic_rounds *rounds, int32_t first_block, int32_t n_blocks,
                               mosaic_pins *pins) {
    tess_status status = TESS_OK;
    tess_rows *pairs = NULL;
    CHECK(tess_rows_new(n_blocks - first_block, &pairs));
    for (int64_t i = 0; i < rounds->n_pairs; ++i)
        for (int side = 0; side < 2; ++side)
            tess_rows_count(pairs, rounds->pair[i].block[side] - first_block);
    CHECK(tess_rows_open(pairs));
    for (int64_t i = 0; i < rounds->n_pairs; ++i)
        for (int side = 0; side < 2; ++side)
            tess_rows_put(pairs, rounds->pair[i].block[side] - first_block, (int32_t)i);
    *pins = (mosaic_pins){.n_elements = pairs->n,
                          .n_points = rounds->n_pairs,
                          .n_pins = 2 * rounds->n_pairs,
                          .offset = pairs->offset,
                          .point = pairs->item};
    pairs->offset = NULL;
    pairs->item = NULL;
done:
    tess_rows_free(pairs);
    return status;
}

/* Fills list [blocks from first_block on] such that every MOSAIC_GROUP_BLOCKS are a group. */
static tess_status list_groups(const mosaic_pins *neighbours, int32_t first_block, double from,
                               mosaic_cutter *cutter, int32_t *list) {
    const int32_t *local = NULL;
    const mosaic_cut cut = {.block_size = MOSAIC_GROUP_BLOCKS,
                            .multiple = MOSAIC_GROUP_BLOCKS,
                            .halves = true,
                            .tries = 1,
                            .smoothing = GROUP_SMOOTHING,
                            .from = from};
    const mosaic_part all = {.n = neighbours->n_elements};
    TRY(mosaic_cut_part(neighbours, &cut, all, cutter, &local));
    for (int64_t i = 0; i < neighbours->n_elements; ++i)
        list[i] = local[i] + first_block;
    return TESS_OK;
}

/* The same by the middles of blocks, turned so that other rounds cut elsewhere. */
static tess_status list_located(const mosaic_blocks *blocks, int32_t first_block, double turn,
                                mosaic_centroid *middle, int32_t *list) {
    const int32_t n = blocks->n_blocks - first_block;
    const float c = (float)cos(turn), s = (float)sin(turn);
    for (int32_t i = 0; i < n; ++i) {
        const int32_t b = first_block + i, size = blocks->size[b];
        const int32_t *member = mosaic_block(blocks, b);
        double sum[3] = {0};
        for (int32_t k = 0; k < size; ++k)
            for (int d = 0; d < 3; ++d)
                sum[d] += blocks->centroid[member[k]].xyz[d];
        for (int d = 0; d < 3; ++d)
            middle[i].xyz[d] = (float)(sum[d] / size);
        const float x = middle[i].xyz[0], y = middle[i].xyz[1], z = middle[i].xyz[2];
        middle[i].xyz[0] = c * x + s * y;
        middle[i].xyz[1] = c * (c * y - s * x) + s * z;
        middle[i].xyz[2] = c * z - s * (c * y - s * x);
        middle[i].element = i;
    }
    TRY(mosaic_centroids_halve(middle, n, MOSAIC_GROUP_BLOCKS));
    for (int32_t i = 0; i < n; ++i)
        list[i] = middle[i].element + first_block;
    return TESS_OK;
}

/* Neighbours as they are before the first round: they change little. */
static tess_status find_neighbours(const mosaic_blocks *blocks, int32_t first_block,
                                   mosaic_pins *neighbours) {
    tess_status status = TESS_OK;
    tess_rows *rows = NULL;
    mosaic_rounds rounds = {0};
    CHECK(mosaic_rows_build(blocks->pins, &rows));
    CHECK(mosaic_rounds_build(blocks, rows, first_block, NULL, &rounds));
    CHECK(blocks_pins(&rounds, first_block, blocks->n_blocks, neighbours));
done:
    tess_rows_free(rows);
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

/* A round under way. */
typedef struct annealing {
    mosaic_blocks *blocks;
    const mosaic_limits *limits;
    mosaic_heat heat;
    uint64_t seed;
    int number, n_rounds; /* of them at most */
} annealing;

/* True where blocks in pieces are joined before a round: in the first one where these are many, but
 * of elements that fan out around points. */
static bool joins(const annealing *round) {
    const mosaic_blocks *const blocks = round->blocks;
    const bool many = mosaic_blocks_are_torn(blocks) && !mosaic_pins_fan(blocks->pins);
    return many || round->number >= JOIN_FROM;
}

/* True where moves that cost so much in all are kept: they save points, and keep to the caps. */
static bool are_kept(int64_t cost, const mosaic_group *group, const int32_t *caps) {
    return cost < 0 && respects_caps(group, caps);
}

/* True where a group that joining made no better is annealed in pieces: elements move by more than
 * joins and chains, and no number of rounds follows that joins it some time. */
static bool stays_in_pieces(const mosaic_schedule *schedule) {
    return !schedule->least && (schedule->trials > 0 || schedule->passes > 0);
}

/* Anneals n blocks, in a group that was loaded, by a round's schedule; gives what that costs. */
static int64_t move_elements(const annealing *round, const int32_t *caps, uint64_t seed,
                             mosaic_group *group) {
    const mosaic_schedule *const schedule = &round->heat.schedule;
    mosaic_group_mark(group);
    int64_t cost = schedule->passes > 0 ? mosaic_group_settle(group, &round->heat, seed)
                   : schedule->roundness[0] > 0
                       ? mosaic_group_wander(group, &round->heat, caps, seed)
                       : mosaic_group_roam(group, &round->heat, caps, seed);
    cost += mosaic_chain_even(group);
    mosaic_group_prove(group, cost);
    return cost;
}

/* Anneals n blocks; adds to *all. Where nothing is saved, those in pieces are left so. */
static tess_status anneal_group(const annealing *round, const int32_t *list, int32_t n,
                                uint64_t seed, mosaic_group *group, sums *all) {
    int32_t room[MOSAIC_GROUP_BLOCKS];
    TRY(tess_interrupt_check());
    TRY(mosaic_group_load(round->blocks, list, n, group));
    const int32_t *const caps = caps_of(group, round->limits->max_points, room);
    all->shared += mosaic_group_shared(group);
    int64_t cost = joins(round) ? mosaic_group_join(group) : 0;
    const bool joined = !mosaic_group_is_even(group);
    mosaic_group_prove(group, cost);
    cost += move_elements(round, caps, seed, group);
    if (joined && stays_in_pieces(&round->heat.schedule) && !are_kept(cost, group, caps)) {
        TRY(mosaic_group_load(round->blocks, list, n, group));
        cost = move_elements(round, caps, seed, group);
    }
    if (!are_kept(cost, group, caps))
        return TESS_OK;
    mosaic_group_store(group, round->blocks);
    all->saved -= cost;
    return TESS_OK;
}

/* All groups of a list, each on its own; adds to *all. */
static tess_status anneal_groups(const annealing *round, const int32_t *list, sums *all) {
    tess_status status = TESS_OK;
    const int32_t n_blocks = round->blocks->n_blocks - round->limits->first_block;
    const bool parallel = round->blocks->pins->n_elements > MOSAIC_SERIAL;
    int64_t shared = 0, saved = 0;
#pragma omp parallel reduction(+ : shared, saved) if (parallel)
    {
        mosaic_group group = {0};
#pragma omp for schedule(dynamic, 1)
        for (int32_t i = 0; i < n_blocks; i += MOSAIC_GROUP_BLOCKS) {
            tess_progress_set(round->number * (int64_t)n_blocks + i,
                              round->n_rounds * (int64_t)n_blocks, NULL);
            const int32_t left = n_blocks - i;
            const int32_t n = left < MOSAIC_GROUP_BLOCKS ? left : MOSAIC_GROUP_BLOCKS;
            sums own = {0, 0};
            const tess_status mine =
                anneal_group(round, list + i, n, seed_of(round->seed, i), &group, &own);
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
    TRY(tess_interrupt_check());
    if (status != TESS_OK)
        FAIL(status, "out of memory while groups of blocks were annealed");
    return TESS_OK;
}

/* Puts the blocks into an order of which every MOSAIC_GROUP_BLOCKS are a group: r-th round. */
static tess_status list_round(const mosaic_blocks *blocks, int32_t first_block, int r,
                              grouping *all) {
    if (blocks->centroid)
        return list_located(blocks, first_block, r * GROUP_TURN, all->middle, all->list);
    return list_groups(&all->neighbours, first_block, mosaic_walk_inside(r, 0), &all->cutter,
                       all->list);
}

tess_status mosaic_groups_list(const mosaic_blocks *blocks, int32_t first_block, int32_t *list) {
    tess_status status = TESS_OK;
    grouping all = {.list = list};
    if (blocks->centroid)
        CHECK(TESS_ALLOC(blocks->n_blocks - first_block, &all.middle));
    else
        CHECK(find_neighbours(blocks, first_block, &all.neighbours));
    CHECK(list_round(blocks, first_block, 0, &all));
done:
    free(all.middle);
    mosaic_cutter_clear(&all.cutter);
    mosaic_pins_clear(&all.neighbours);
    return status;
}

/* From one round to the next. */
static void fade(mosaic_schedule *schedule) {
    schedule->trials *= schedule->grow;
    for (int i = 0; i < 2; ++i) {
        schedule->sizes[i] *= schedule->relax;
        schedule->roundness[i] *= schedule->fade;
        schedule->heat[i] *= schedule->cool;
    }
}

tess_status mosaic_anneal_group(mosaic_blocks *blocks, const mosaic_limits *limits,
                                const mosaic_schedule *schedule, uint64_t seed, bool *pays) {
    tess_status status = TESS_OK;
    grouping all = {0};
    mosaic_group group = {0};
    annealing now = {.blocks = blocks, .limits = limits};
    const int32_t first = limits->first_block, n_blocks = blocks->n_blocks - first;
    const int32_t n = n_blocks < MOSAIC_GROUP_BLOCKS ? n_blocks : MOSAIC_GROUP_BLOCKS;
    const int32_t n_groups = n_blocks / MOSAIC_GROUP_BLOCKS;
    *pays = false;
    if (n_blocks < 2)
        return TESS_OK;
    mosaic_heat_set(schedule, &now.heat);
    CHECK(TESS_ALLOC(n_blocks, &all.list));
    CHECK(find_neighbours(blocks, first, &all.neighbours));
    CHECK(list_groups(&all.neighbours, first, mosaic_walk_inside(0, 0), &all.cutter, all.list));
    for (int i = 1; i <= ASKED_GROUPS && (i == 1 || i <= n_groups) && !*pays; ++i) {
        const int32_t at = (n_groups >> i) * MOSAIC_GROUP_BLOCKS;
        sums tried = {0, 0};
        CHECK(anneal_group(&now, all.list + at, n, seed, &group, &tried));
        const double points =
            (double)tried.shared + (double)mosaic_weight_of_all(&group.piece.pins);
        *pays = (double)tried.saved / points >= ANNEAL_WORTHWHILE;
    }
done:
    free(all.list);
    mosaic_group_clear(&group);
    mosaic_cutter_clear(&all.cutter);
    mosaic_pins_clear(&all.neighbours);
    return status;
}

/* Part of all points that a round has to save for another to follow. */
static double rounds_worth(const mosaic_blocks *blocks) {
    return blocks->dimension <= 2 && mosaic_pins_exceed(blocks->pins, FAN_POINTS) ? 0 : WORTH;
}

/* Whether a round saved little, and too little for another to follow: beside flat fronts each saves
 * little. A schedule may not ask. */
static void judge_round(const mosaic_blocks *blocks, const mosaic_schedule *schedule, int number,
                        sums round, mosaic_annealed *done) {
    const double shared = (double)round.shared, saved = (double)round.saved;
    const double points = (double)mosaic_weight_of_all(blocks->pins) + shared;
    const bool spent = saved < schedule->enough * shared;
    const double worth = schedule->least ? 0 : rounds_worth(blocks);
    done->little = schedule->enough > 0 && (spent || saved < worth * points);
    done->still = done->little && (spent || !blocks->regular) && number + 1 >= schedule->least;
}

tess_status mosaic_anneal(mosaic_blocks *blocks, const mosaic_limits *limits,
                          const mosaic_schedule *schedule, uint64_t seed, mosaic_annealed *done) {
    tess_status status = TESS_OK;
    grouping all = {0};
    annealing now = {.blocks = blocks, .limits = limits, .n_rounds = schedule->rounds};
    const int32_t first = limits->first_block, n_blocks = blocks->n_blocks - first;
    *done = (mosaic_annealed){0};
    if (n_blocks < 2)
        return TESS_OK;
    tess_progress_begin("annealing");
    mosaic_heat_set(schedule, &now.heat);
    CHECK(TESS_ALLOC(n_blocks, &all.list));
    if (blocks->centroid)
        CHECK(TESS_ALLOC(n_blocks, &all.middle));
    else
        CHECK(find_neighbours(blocks, first, &all.neighbours));
    for (int r = 0; r < schedule->first; ++r)
        fade(&now.heat.schedule);
    for (int r = schedule->first; r < schedule->rounds; ++r) {
        CHECK(list_round(blocks, first, r, &all));
        sums round = {0, 0};
        now.seed = seed_of(seed, r);
        now.number = r;
        CHECK(anneal_groups(&now, all.list, &round));
        done->saved += round.saved;
        ++done->rounds;
        judge_round(blocks, schedule, r, round, done);
        if (done->still)
            break;
        fade(&now.heat.schedule);
    }
done:
    tess_progress_end();
    free(all.list);
    free(all.middle);
    mosaic_cutter_clear(&all.cutter);
    mosaic_pins_clear(&all.neighbours);
    return status;
}

/* Groups: blocks that exchange elements among each other. */
#include "partitioners/mosaic/group.h"
#include "core/base/array.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static tess_status reserve_elements(int64_t n, mosaic_group *group) {
    TRY(TESS_RESERVE(n / 64 + 1, &group->capacity_awake, &group->awake));
    int64_t capacity = group->capacity_elements;
    TRY(TESS_RESERVE(n, &capacity, &group->element));
    capacity = group->capacity_elements;
    TRY(TESS_RESERVE(n, &capacity, &group->next));
    return TESS_RESERVE(n, &group->capacity_elements, &group->home);
}

static tess_status reserve_points(int64_t n_points, mosaic_group *group) {
    int64_t capacity = group->capacity_points;
    TRY(TESS_RESERVE(n_points, &capacity, &group->held));
    capacity = group->capacity_points;
    TRY(TESS_RESERVE(n_points, &capacity, &group->cut));
    return TESS_RESERVE(n_points, &group->capacity_points, &group->place);
}

static tess_status reserve_blocks(int64_t n, mosaic_group *group) {
    int64_t capacity = group->capacity_blocks;
    TRY(TESS_RESERVE(n, &capacity, &group->size));
    capacity = group->capacity_blocks;
    TRY(TESS_RESERVE(n, &capacity, &group->target));
    return TESS_RESERVE(n, &group->capacity_blocks, &group->points_of);
}

static inline bool is_one_bit(uint64_t bits) {
    return (bits & (bits - 1)) == 0;
}

/* Block `to` has one element more at a point. */
static inline void share_enter(mosaic_group *group, int32_t point, int32_t to) {
    mosaic_holders *const held = group->held + point;
    const uint64_t bit = UINT64_C(1) << to;
    if (held->any & bit) {
        held->several |= bit;
        return;
    }
    if (held->any && is_one_bit(held->any)) {
        group->place[point] = group->n_cut;
        group->cut[group->n_cut++] = point;
    }
    held->any |= bit;
    ++group->points_of[to];
}

/* Block `from` has one element less at a point: one that still calls it its home. */
static inline void share_leave(mosaic_group *group, int32_t point, int32_t from) {
    mosaic_holders *const held = group->held + point;
    const uint64_t bit = UINT64_C(1) << from;
    if (held->several & bit) {
        const mosaic_rows *rows = &group->piece.rows;
        int32_t n = 0;
        for (int64_t i = rows->offset[point]; i < rows->offset[point + 1]; ++i)
            n += group->home[rows->element[i]] == from;
        if (n == 2)
            held->several &= ~bit;
        return;
    }
    held->any &= ~bit;
    --group->points_of[from];
    if (held->any && is_one_bit(held->any)) {
        const int32_t place = group->place[point], last = group->cut[--group->n_cut];
        group->cut[place] = last;
        group->place[last] = place;
    }
}

static void count_shares(mosaic_group *group) {
    const mosaic_rows *rows = &group->piece.rows;
    group->n_cut = 0;
    for (int32_t p = 0; p < (int32_t)group->piece.pins.n_points; ++p) {
        mosaic_holders held = {0, 0};
        for (int64_t i = rows->offset[p]; i < rows->offset[p + 1]; ++i) {
            const uint64_t bit = UINT64_C(1) << group->home[rows->element[i]];
            held.several |= held.any & bit;
            held.any |= bit;
        }
        group->held[p] = held;
        if (!is_one_bit(held.any)) {
            group->place[p] = group->n_cut;
            group->cut[group->n_cut++] = p;
        }
        for (; held.any; held.any &= held.any - 1)
            ++group->points_of[__builtin_ctzll(held.any)];
    }
}

#ifdef MOSAIC_CHECK
enum { PROVED_ELEMENTS = 5000 };

/* The weight of the points of all blocks, counted from the homes of elements; what is kept up to
 * date is proved by the way. */
static int64_t recount(const mosaic_group *group) {
    const mosaic_rows *rows = &group->piece.rows;
    int32_t points_of[MOSAIC_GROUP_BLOCKS] = {0};
    int64_t weight = 0;
    for (int64_t p = 0; p < group->piece.pins.n_points; ++p) {
        mosaic_holders held = {0, 0};
        for (int64_t i = rows->offset[p]; i < rows->offset[p + 1]; ++i) {
            const uint64_t bit = UINT64_C(1) << group->home[rows->element[i]];
            held.several |= held.any & bit;
            held.any |= bit;
        }
        assert(held.any == group->held[p].any && held.several == group->held[p].several);
        const int n = __builtin_popcountll(held.any);
        assert(n < 2 || group->cut[group->place[p]] == p);
        weight += (int64_t)n * (group->piece.pins.weight ? group->piece.pins.weight[p] : 1);
        for (; held.any; held.any &= held.any - 1)
            ++points_of[__builtin_ctzll(held.any)];
    }
    for (int32_t b = 0; b < group->n_blocks; ++b)
        assert(points_of[b] == group->points_of[b]);
    return weight;
}

void mosaic_group_prove(const mosaic_group *group, int64_t cost) {
    assert(group->piece.pins.n_elements > PROVED_ELEMENTS ||
           recount(group) == group->weight_before + cost);
}

static int64_t weigh(const mosaic_group *group) {
    return group->piece.pins.n_elements > PROVED_ELEMENTS ? 0 : recount(group);
}
#else
#define weigh(group) 0
#endif

static tess_status load_shape(const mosaic_blocks *blocks, int64_t n, mosaic_group *group) {
    mosaic_shape *const shape = &group->shape;
    TRY(mosaic_shape_reserve(n, shape));
    for (int64_t e = 0; e < n; ++e)
        memcpy(shape->place[e], blocks->place[group->element[e]].x, sizeof *shape->place);
    mosaic_shape_measure(n, group->home, group->n_blocks, group->size, shape);
    return TESS_OK;
}

tess_status mosaic_group_load(const mosaic_blocks *blocks, const int32_t *list, int32_t n,
                              mosaic_group *group) {
    int64_t n_elements = 0;
    for (int32_t b = 0; b < n; ++b)
        n_elements += blocks->size[list[b]];
    group->block = list;
    group->n_blocks = n;
    TRY(reserve_blocks(n, group));
    TRY(reserve_elements(n_elements, group));
    int64_t at = 0;
    for (int32_t b = 0; b < n; ++b) {
        const int32_t *member = blocks->member + (int64_t)list[b] * blocks->block_size;
        group->size[b] = group->target[b] = blocks->size[list[b]];
        group->points_of[b] = 0;
        memcpy(group->element + at, member, (size_t)group->size[b] * sizeof *member);
        for (const int64_t end = at + group->size[b]; at < end; ++at)
            group->home[at] = (uint8_t)b;
    }
    group->placed = blocks->place != NULL;
    if (group->placed)
        TRY(load_shape(blocks, n_elements, group));
    TRY(mosaic_piece_copy(blocks->pins, group->element, n_elements, &group->piece));
    TRY(reserve_points(group->piece.pins.n_points, group));
    count_shares(group);
    group->weight_before = weigh(group);
    return TESS_OK;
}

int32_t mosaic_group_come(const mosaic_group *group, int32_t element, int32_t to) {
    const mosaic_pins *pins = &group->piece.pins;
    int32_t n_come = 0;
    for (int64_t k = mosaic_first(pins, element); k < mosaic_first(pins, element + 1); ++k)
        n_come += !(group->held[pins->point[k]].any >> to & 1);
    return n_come;
}

void mosaic_group_move(mosaic_group *group, int32_t element, int32_t to) {
    const mosaic_pins *pins = &group->piece.pins;
    const int32_t from = group->home[element];
    const int64_t end = mosaic_first(pins, element + 1);
    for (int64_t k = mosaic_first(pins, element); k < end; ++k) {
        share_leave(group, pins->point[k], from);
        share_enter(group, pins->point[k], to);
    }
    group->home[element] = (uint8_t)to;
    --group->size[from];
    ++group->size[to];
}

void mosaic_group_store(const mosaic_group *group, mosaic_blocks *blocks) {
    for (int32_t b = 0; b < group->n_blocks; ++b)
        blocks->size[group->block[b]] = 0;
    for (int64_t e = 0; e < group->piece.pins.n_elements; ++e) {
        const int32_t to = group->block[group->home[e]];
        blocks->member[(int64_t)to * blocks->block_size + blocks->size[to]++] = group->element[e];
        blocks->block_of[group->element[e]] = to;
    }
}

void mosaic_group_clear(mosaic_group *group) {
    mosaic_piece_clear(&group->piece);
    mosaic_shape_clear(&group->shape);
    free(group->element);
    free(group->home);
    free(group->next);
    free(group->awake);
    free(group->held);
    free(group->cut);
    free(group->place);
    free(group->size);
    free(group->target);
    free(group->points_of);
    *group = (mosaic_group){0};
}

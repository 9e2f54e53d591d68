/* Groups: blocks copied out, and who has which of their points. */
#include "partitioners/mosaic/group.h"
#include "core/base/array.h"

#include <stdlib.h>
#include <string.h>

static tess_status reserve_elements(int64_t n, mosaic_group *group) {
    int64_t capacity = group->capacity_elements;
    TRY(TESS_RESERVE(n / MOSAIC_WORD + 1, &group->capacity_idle, &group->idle));
    TRY(TESS_RESERVE(n, &capacity, &group->element));
    capacity = group->capacity_elements;
    TRY(TESS_RESERVE(n, &capacity, &group->next));
    capacity = group->capacity_elements;
    TRY(TESS_RESERVE(n, &capacity, &group->part));
    return TESS_RESERVE(n, &group->capacity_elements, &group->home);
}

static tess_status reserve_points(int64_t n_points, mosaic_group *group) {
    int64_t capacity = group->capacity_points;
    TRY(TESS_RESERVE(n_points, &capacity, &group->held));
    capacity = group->capacity_points;
    TRY(TESS_RESERVE(n_points, &capacity, &group->cut));
    return TESS_RESERVE(n_points, &group->capacity_points, &group->position);
}

static inline bool is_one_bit(uint64_t bits) {
    return (bits & (bits - 1)) == 0;
}

/* Those elements of a point that are in a block, or not in it, are awake. */
static void wake_at(mosaic_group *group, int32_t point, int32_t block, bool in_it) {
    const tess_rows *rows = &group->piece.rows;
    for (int64_t i = rows->offset[point]; i < rows->offset[point + 1]; ++i)
        if ((group->home[rows->item[i]] == block) == in_it)
            mosaic_group_wake(group, rows->item[i]);
}

/* Block `to` has one element more at a point; gives whether it is the first. */
static inline bool share_enter(mosaic_group *group, int32_t point, int32_t to) {
    mosaic_holders *const held = group->held + point;
    const uint64_t bit = UINT64_C(1) << to;
    if (held->any & bit) {
        held->several |= bit;
        return false;
    }
    if (held->any && is_one_bit(held->any)) {
        group->position[point] = group->n_cut;
        group->cut[group->n_cut++] = point;
    }
    held->any |= bit;
    ++group->points_of[to];
    return true;
}

/* Block `from` has one element less at a point: one that still calls it its home. Gives whether it
 * has one other. */
static inline bool share_leave(mosaic_group *group, int32_t point, int32_t from) {
    mosaic_holders *const held = group->held + point;
    const uint64_t bit = UINT64_C(1) << from;
    if (held->several & bit) {
        const tess_rows *rows = &group->piece.rows;
        int32_t n = 0;
        for (int64_t i = rows->offset[point]; i < rows->offset[point + 1]; ++i)
            n += group->home[rows->item[i]] == from;
        if (n == 2)
            held->several &= ~bit;
        return n == 2;
    }
    held->any &= ~bit;
    --group->points_of[from];
    if (held->any && is_one_bit(held->any)) {
        const int32_t hole = group->position[point], last = group->cut[--group->n_cut];
        group->cut[hole] = last;
        group->position[last] = hole;
    }
    return false;
}

static void count_shares(mosaic_group *group) {
    const tess_rows *rows = &group->piece.rows;
    group->n_cut = 0;
    for (int32_t p = 0; p < (int32_t)group->piece.pins.n_points; ++p) {
        mosaic_holders held = {0, 0};
        for (int64_t i = rows->offset[p]; i < rows->offset[p + 1]; ++i) {
            const uint64_t bit = UINT64_C(1) << group->home[rows->item[i]];
            held.several |= held.any & bit;
            held.any |= bit;
        }
        group->held[p] = held;
        if (!is_one_bit(held.any)) {
            group->position[p] = group->n_cut;
            group->cut[group->n_cut++] = p;
        }
        for (; held.any; held.any &= held.any - 1)
            ++group->points_of[__builtin_ctzll(held.any)];
    }
}

tess_status mosaic_group_load(const mosaic_blocks *blocks, const int32_t *list, int32_t n,
                              mosaic_group *group) {
    int64_t n_elements = 0;
    for (int32_t b = 0; b < n; ++b)
        n_elements += blocks->size[list[b]];
    group->block = list;
    group->n_blocks = n;
    TRY(reserve_elements(n_elements, group));
    int64_t at = 0;
    for (int32_t b = 0; b < n; ++b) {
        const int32_t *member = mosaic_block(blocks, list[b]);
        group->size[b] = group->target[b] = blocks->size[list[b]];
        group->points_of[b] = 0;
        memcpy(group->element + at, member, (size_t)group->size[b] * sizeof *member);
        for (const int64_t end = at + group->size[b]; at < end; ++at)
            group->home[at] = (uint8_t)b;
    }
    const mosaic_part part = {.list = group->element, .n = n_elements};
    TRY(mosaic_piece_copy(blocks->pins, part, &group->piece));
    TRY(reserve_points(group->piece.pins.n_points, group));
    count_shares(group);
    return TESS_OK;
}

void mosaic_group_move(mosaic_group *group, int32_t element, int32_t to, bool stirs) {
    const mosaic_pins *pins = &group->piece.pins;
    const int32_t from = group->home[element];
    const int64_t end = mosaic_end(pins, element);
    for (int64_t k = mosaic_first(pins, element); k < end; ++k) {
        const int32_t point = pins->point[k];
        const bool alone = share_leave(group, point, from);
        const bool first = share_enter(group, point, to);
        if (stirs && first)
            wake_at(group, point, to, false);
        else if (stirs && alone)
            wake_at(group, point, from, true);
    }
    group->home[element] = (uint8_t)to;
    --group->size[from];
    ++group->size[to];
}

int64_t mosaic_group_unit(const mosaic_group *group) {
    int64_t weight = 0;
    for (int32_t i = 0; i < group->n_cut; ++i)
        weight += mosaic_weight(&group->piece.pins, group->cut[i]);
    return weight ? (int64_t)MOSAIC_UNIT * group->n_cut / weight : 1;
}

int64_t mosaic_group_shared(const mosaic_group *group) {
    int64_t more = -group->piece.pins.n_points;
    for (int32_t b = 0; b < group->n_blocks; ++b)
        more += group->points_of[b];
    return more * MOSAIC_UNIT / mosaic_group_unit(group);
}

void mosaic_group_store(const mosaic_group *group, mosaic_blocks *blocks) {
    for (int32_t b = 0; b < group->n_blocks; ++b)
        blocks->size[group->block[b]] = 0;
    for (int64_t e = 0; e < group->piece.pins.n_elements; ++e) {
        const int32_t to = group->block[group->home[e]];
        mosaic_block(blocks, to)[blocks->size[to]++] = group->element[e];
        blocks->block_of[group->element[e]] = to;
    }
}

void mosaic_group_clear(mosaic_group *group) {
    mosaic_piece_clear(&group->piece);
    free(group->element);
    free(group->home);
    free(group->next);
    free(group->part);
    free(group->idle);
    free(group->held);
    free(group->cut);
    free(group->position);
    *group = (mosaic_group){0};
}

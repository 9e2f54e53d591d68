/* Joins: blocks that are in pieces give all but the largest to the blocks around. */
#include "partitioners/mosaic/join.h"
#include "core/base/union_find.h"

#include <string.h>

/* Each element is a set of its own. */
static void set_apart(int32_t n, int32_t *parent) {
    for (int32_t e = 0; e < n; ++e)
        parent[e] = e;
}

/* The elements of a point are of one set, or those of each block: parent [n_elements], in which
 * each element is of a set that is known, is the first of the set of each in the end. */
static void find_sets(const mosaic_group *group, bool of_block, int32_t *parent) {
    const tess_rows *rows = &group->piece.rows;
    const int32_t n = (int32_t)group->piece.pins.n_elements;
    for (int64_t p = 0; p < group->piece.pins.n_points; ++p) {
        const int32_t *const item = rows->item + rows->offset[p];
        for (int64_t i = 1; i < tess_rows_size(rows, p); ++i) {
            int64_t k = i - 1;
            while (of_block && k >= 0 && group->home[item[k]] != group->home[item[i]])
                --k;
            if (k >= 0 && parent[item[k]] != parent[item[i]])
                tess_sets_join(parent, item[k], item[i]);
        }
    }
    for (int32_t e = 0; e < n; ++e)
        parent[e] = tess_root_of(parent, e);
}

/* A block as it is loaded: elements [begin, end), in pieces by the first element of each. */
typedef struct pieces {
    const int32_t *piece;
    int32_t begin, end;
} pieces;

static int32_t piece_size(const pieces *of, int32_t first) {
    int32_t n = 0;
    for (int32_t e = first; e < of->end; ++e)
        n += of->piece[e] == first;
    return n;
}

static int32_t largest_piece(const pieces *of) {
    int32_t largest = of->begin, most = 0;
    for (int32_t e = of->begin; e < of->end; ++e) {
        const int32_t size = of->piece[e] == e ? piece_size(of, e) : 0;
        if (size > most) {
            most = size;
            largest = e;
        }
    }
    return largest;
}

static bool is_whole(const pieces *of) {
    for (int32_t e = of->begin; e < of->end; ++e)
        if (of->piece[e] != of->begin)
            return false;
    return true;
}

/* The other block that has the most points of a piece; -1: none has any. */
static int32_t block_around(const mosaic_group *group, const pieces *of, int32_t first) {
    const mosaic_pins *const pins = &group->piece.pins;
    const uint64_t own = UINT64_C(1) << group->home[first];
    int32_t n_of[MOSAIC_GROUP_BLOCKS] = {0}, most = -1;
    for (int32_t e = first; e < of->end; ++e)
        for (int64_t k = mosaic_first(pins, e); of->piece[e] == first && k < mosaic_end(pins, e);
             ++k)
            for (uint64_t any = group->held[pins->point[k]].any & ~own; any; any &= any - 1)
                ++n_of[__builtin_ctzll(any)];
    for (int32_t b = 0; b < group->n_blocks; ++b)
        if (n_of[b] > (most < 0 ? 0 : n_of[most]))
            most = b;
    return most;
}

/* A piece goes to another block; gives what that costs. */
static int64_t give_piece(mosaic_group *group, const pieces *of, int32_t first, int32_t to) {
    int64_t cost = 0;
    for (int32_t e = first; e < of->end && to >= 0; ++e)
        if (of->piece[e] == first) {
            cost += mosaic_group_cost(group, e, to);
            mosaic_group_move(group, e, to);
        }
    return cost;
}

int64_t mosaic_group_join(mosaic_group *group) {
    int32_t *const piece = group->next, *const part = group->part;
    const int32_t n = (int32_t)group->piece.pins.n_elements;
    int64_t cost = 0;
    bool found = false;
    set_apart(n, piece);
    find_sets(group, true, piece);
    pieces of = {piece, 0, 0};
    for (int32_t b = 0; of.end < n; ++b, of.begin = of.end) {
        of.end = of.begin + group->target[b];
        if (is_whole(&of))
            continue;
        if (!found) {
            memcpy(part, piece, (size_t)n * sizeof *part);
            find_sets(group, false, part);
        }
        found = true;
        const int32_t largest = largest_piece(&of);
        for (int32_t e = of.begin; e < of.end; ++e)
            if (piece[e] == e && e != largest && part[e] == part[largest])
                cost += give_piece(group, &of, e, block_around(group, &of, e));
    }
    if (cost && group->located)
        mosaic_shape_measure(n, group->home, group->n_blocks, group->size, &group->shape);
    return cost;
}

int32_t mosaic_group_pieces(mosaic_group *group) {
    int32_t *const piece = group->part, n_pieces = 0;
    const int32_t n = (int32_t)group->piece.pins.n_elements;
    set_apart(n, piece);
    find_sets(group, true, piece);
    for (int32_t e = 0; e < n; ++e)
        n_pieces += piece[e] == e;
    return n_pieces;
}

/* Chains: elements handed from block to block; components handed to the blocks around. */
#include "partitioners/mosaic/even.h"

#include "core/base/union_find.h"

#include <string.h>

enum {
    /* What a hop of a chain costs, and each point that is one more by it: chains stay short; ... */
    CHAIN_HOP = 1,
    CHAIN_POINT = 8,
    /* ... and what one more costs between blocks that share no point, as those of two basins. */
    CHAIN_LEAP = 4096
};

enum { UNLISTED = -2, FAR = INT32_MAX / 4, MOST = MOSAIC_GROUP_BLOCKS };

/* The cheapest element to hand from each block to each other; found when a way leads to the block,
 * kept up to date until it is stale. */
typedef struct hops {
    int32_t cost[MOST][MOST], element[MOST][MOST];
    uint64_t stale;    /* blocks whose hops are to be found, one bit each */
    uint64_t to[MOST]; /* the blocks that each has a hop to */
    /* an element of each block at its border, the others by group->next; -1 at the end */
    int32_t first[MOST];
} hops;

static int32_t hop_cost(const mosaic_group *group, int32_t element, int32_t to) {
    const int32_t cost = mosaic_group_cost(group, element, to);
    return CHAIN_HOP + (cost > 0 ? CHAIN_POINT * cost : 0);
}

/* The blocks that have a point of an element. */
static uint64_t blocks_around(const mosaic_group *group, int32_t element) {
    const mosaic_pins *pins = &group->piece.pins;
    uint64_t around = 0;
    for (int64_t k = mosaic_first(pins, element); k < mosaic_end(pins, element); ++k)
        around |= group->held[pins->point[k]].any;
    return around;
}

static void hops_from(const mosaic_group *group, int32_t block, hops *found) {
    for (int32_t to = 0; to < group->n_blocks; ++to)
        found->cost[block][to] = FAR;
    found->to[block] = 0;
    found->stale &= ~(UINT64_C(1) << block);
    uint64_t sought = ~(UINT64_C(1) << block); /* blocks that no hop of the least cost leads to */
    for (int32_t e = found->first[block]; e >= 0; e = group->next[e]) {
        uint64_t to = blocks_around(group, e) & sought;
        found->to[block] |= to;
        for (; to; to &= to - 1) {
            const int other = __builtin_ctzll(to);
            const int32_t cost = hop_cost(group, e, other);
            if (cost < found->cost[block][other]) {
                found->cost[block][other] = cost;
                found->element[block][other] = e;
                sought &= ~((uint64_t)(cost == CHAIN_HOP) << other);
            }
        }
    }
}

/* Lists the elements of a point, which is in two blocks or more. */
static void list_elements(mosaic_group *group, int32_t point, hops *found) {
    const tess_rows *rows = &group->piece.rows;
    for (int64_t i = rows->offset[point]; i < rows->offset[point + 1]; ++i) {
        const int32_t e = rows->item[i], block = group->home[e];
        if (group->next[e] != UNLISTED)
            continue;
        group->next[e] = found->first[block];
        found->first[block] = e;
    }
}

static void hops_list(mosaic_group *group, hops *found) {
    for (int32_t b = 0; b < group->n_blocks; ++b)
        found->first[b] = -1;
    for (int64_t e = 0; e < group->piece.pins.n_elements; ++e)
        group->next[e] = UNLISTED;
    for (int32_t i = 0; i < group->n_cut; ++i)
        list_elements(group, group->cut[i], found);
    found->stale = ~UINT64_C(0);
}

/* Hops between blocks that share no point: the first element of each. They are dear, so that ways
 * that follow go by the same leap: what leaps is one piece. */
static void hops_leap(mosaic_group *group, hops *found) {
    for (int32_t e = 0; e < (int32_t)group->piece.pins.n_elements; ++e)
        if (found->first[group->home[e]] < 0) { /* a block that shares no point */
            group->next[e] = -1;
            found->first[group->home[e]] = e;
        }
    for (int32_t a = 0; a < group->n_blocks; ++a)
        hops_from(group, a, found);
    for (int32_t a = 0; a < group->n_blocks; ++a)
        for (int32_t b = 0; b < group->n_blocks; ++b)
            if (a != b && found->first[a] >= 0 && found->cost[a][b] == FAR) {
                found->to[a] |= UINT64_C(1) << b;
                found->element[a][b] = found->first[a];
                found->cost[a][b] = CHAIN_LEAP + hop_cost(group, found->first[a], b);
            }
}

static void hop(mosaic_group *group, int32_t element, int32_t to, hops *found) {
    int32_t *link = &found->first[group->home[element]];
    while (*link != element)
        link = &group->next[*link];
    *link = group->next[element];
    group->next[element] = found->first[to];
    found->first[to] = element;
    mosaic_group_move(group, element, to, false);
}

/* Brings the hops of one element up to date. Gives its block as a bit where that has to find all of
 * its hops anew: the element was the cheapest of one, and is not any more. */
static uint64_t hops_of(const mosaic_group *group, int32_t element, int32_t from, hops *found) {
    const int32_t block = group->home[element];
    const uint64_t own = UINT64_C(1) << block, around = blocks_around(group, element) & ~own;
    for (uint64_t to = (around | UINT64_C(1) << from) & ~own; to; to &= to - 1) {
        const int other = __builtin_ctzll(to);
        const int32_t cost = around >> other & 1 ? hop_cost(group, element, other) : FAR;
        int32_t *const least = &found->cost[block][other];
        if (cost < *least) {
            *least = cost;
            found->element[block][other] = element;
            found->to[block] |= UINT64_C(1) << other;
        } else if (cost > *least && found->element[block][other] == element)
            return own;
    }
    return 0;
}

/* Hands elements on along the way to block `to` and finds anew what that changes. */
static int64_t hand_on(mosaic_group *group, const int32_t *before, int32_t to, hops *found) {
    const mosaic_pins *pins = &group->piece.pins;
    const tess_rows *rows = &group->piece.rows;
    int64_t cost = 0;
    for (; before[to] >= 0; to = before[to]) {
        const int32_t from = before[to], e = found->element[from][to];
        found->stale |= UINT64_C(1) << from;
        cost += mosaic_group_cost(group, e, to);
        hop(group, e, to, found);
        for (int64_t k = mosaic_first(pins, e); k < mosaic_end(pins, e); ++k) {
            list_elements(group, pins->point[k], found);
            for (int64_t i = rows->offset[pins->point[k]]; i < rows->offset[pins->point[k] + 1];
                 ++i)
                if (!(found->stale >> group->home[rows->item[i]] & 1))
                    found->stale |= hops_of(group, rows->item[i], from, found);
        }
    }
    return cost;
}

/* Dijkstra's way from all blocks with too many to the nearest with too few: gives that block, or
 * -1; before[b] is the block before b on the way, -1 at its start. */
static int32_t shortest_way(const mosaic_group *group, hops *found, int32_t *before) {
    int32_t cost[MOST];
    uint64_t open = 0, done = 0; /* blocks that a way leads to; of which it is the shortest */
    for (int32_t b = 0; b < group->n_blocks; ++b) {
        const bool starts = group->size[b] > group->target[b];
        cost[b] = starts ? 0 : FAR;
        open |= (uint64_t)starts << b;
        before[b] = -1;
    }
    while (open) {
        int32_t next = __builtin_ctzll(open);
        for (uint64_t left = open & (open - 1); left; left &= left - 1)
            next = cost[__builtin_ctzll(left)] < cost[next] ? __builtin_ctzll(left) : next;
        if (group->size[next] < group->target[next])
            return next;
        open &= ~(UINT64_C(1) << next);
        done |= UINT64_C(1) << next;
        if (found->stale >> next & 1)
            hops_from(group, next, found);
        for (uint64_t to = found->to[next] & ~done; to; to &= to - 1) {
            const int b = __builtin_ctzll(to);
            if (cost[next] + found->cost[next][b] < cost[b]) {
                cost[b] = cost[next] + found->cost[next][b];
                before[b] = next;
                open |= UINT64_C(1) << b;
                if (found->cost[next][b] == CHAIN_HOP && group->size[b] < group->target[b])
                    return b; /* no way that is still to be found costs less */
            }
        }
    }
    return -1;
}

bool mosaic_group_is_even(const mosaic_group *group) {
    return memcmp(group->size, group->target, (size_t)group->n_blocks * sizeof *group->size) == 0;
}

int64_t mosaic_chain_even(mosaic_group *group) {
    hops found;
    int32_t before[MOST];
    int64_t cost = 0;
    if (!mosaic_group_is_even(group))
        hops_list(group, &found);
    while (!mosaic_group_is_even(group)) {
        int32_t to = shortest_way(group, &found, before);
        if (to < 0) {
            hops_leap(group, &found);
            to = shortest_way(group, &found, before);
        }
        cost += hand_on(group, before, to, &found);
    }
    return cost;
}

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
            mosaic_group_move(group, e, to, false);
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
        if (piece_size(&of, of.begin) == group->target[b])
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
    return cost;
}

/* Colours by alternating paths (Kempe, 1879; Vizing, 1964), for elements of at most two points:
 * elements are the edges of a graph over the points, and to colour them is to colour its edges. */
#include "core/plan/colour/colour.h"

#include "core/base/array.h"
#include "core/plan/colour/backtrack_colour.h"
#include "core/plan/colour/tabu_colour.h"
#include <stdlib.h>

/* Above this a row of the table for each point is no longer small, and a set of colours no word. */
enum { MOST_COLOURS = 63 };
/* How often an element may take the colour of another, which is placed anew, for each element. */
enum { DISPLACEMENTS = 16 };
/* Moves of the search after DSATUR that may pass without a gain. */
enum { TABU_PATIENCE = 500 };

/* A colouring in the making. Invariants: has[p * stride + c] is the element of colour c at point p,
 * and bit c of open[p] is set, and has[] without meaning, where there is none. */
typedef struct path_colouring {
    int32_t *ends;   /* [n][2]: the distinct points of each element, -1 where there are fewer */
    int32_t *colour; /* [n], -1 while open */
    int32_t *has;    /* [n_points][stride] */
    uint64_t *open;  /* [n_points] */
    int64_t stride;
    uint64_t all; /* a bit for each colour that may be used */
    int64_t displacements_left;
    uint64_t random;
} path_colouring;

static uint64_t bit_of(int32_t colour) {
    return UINT64_C(1) << colour;
}

/* Fills ends; false where an element has more than two points. */
static bool ends_fill(const tess_incidence *map, int64_t n, int32_t *ends) {
    for (int64_t e = 0; e < n; e++) {
        int64_t n_points = 0;
        const int32_t *row = tess_incidence_row(map, e, &n_points);
        int n_ends = 0;
        ends[2 * e] = ends[2 * e + 1] = -1;
        for (int64_t i = 0; i < n_points; i++) {
            if (!tess_incidence_is_first(map, row, i))
                continue;
            if (n_ends == 2)
                return false;
            ends[2 * e + n_ends++] = row[i];
        }
    }
    return true;
}

static int32_t other_end(const path_colouring *p, int32_t e, int32_t point) {
    return p->ends[2 * e] == point ? p->ends[2 * e + 1] : p->ends[2 * e];
}

static uint64_t open_at(const path_colouring *p, int32_t point) {
    return (point < 0 ? p->all : p->open[point]) & p->all;
}

static void element_colour(path_colouring *p, int32_t e, int32_t colour) {
    p->colour[e] = colour;
    for (int end = 0; end < 2; end++) {
        const int32_t point = p->ends[2 * e + end];
        if (point < 0)
            continue;
        p->has[point * p->stride + colour] = e;
        p->open[point] &= ~bit_of(colour);
    }
}

static void element_open(path_colouring *p, int32_t e) {
    for (int end = 0; end < 2; end++)
        if (p->ends[2 * e + end] >= 0)
            p->open[p->ends[2 * e + end]] |= bit_of(p->colour[e]);
    p->colour[e] = -1;
}

/* The element of a colour at a point, or -1. */
static int32_t element_at(const path_colouring *p, int32_t point, int32_t colour) {
    return point < 0 || (p->open[point] & bit_of(colour)) ? -1 : p->has[point * p->stride + colour];
}

/* The end of the path of colours `a`, `b`, `a` ... that leaves `from`, where `b` is free; -1 where
 * its last element has no second point. */
static int32_t path_end(const path_colouring *p, int32_t from, int32_t a, int32_t b) {
    int32_t point = from, wanted = a;
    for (int32_t e; (e = element_at(p, point, wanted)) >= 0; wanted = wanted == a ? b : a)
        point = other_end(p, e, point);
    return point;
}

/* Exchanges the two colours along that path. */
static void path_exchange(path_colouring *p, int32_t from, int32_t a, int32_t b) {
    const uint64_t both = bit_of(a) | bit_of(b);
    int32_t point = from, wanted = a;
    while (point >= 0) {
        const int32_t e = element_at(p, point, wanted);
        int32_t *row = p->has + point * p->stride;
        const int32_t of_a = row[a];
        row[a] = row[b];
        row[b] = of_a;
        if ((p->open[point] & both) != 0 && (p->open[point] & both) != both)
            p->open[point] ^= both;
        if (e < 0)
            break;
        wanted = wanted == a ? b : a;
        p->colour[e] = wanted;
        point = other_end(p, e, point);
    }
}

/* Colours an open element as its points stand, or after one exchange along a path. */
static bool element_place(path_colouring *p, int32_t e) {
    const int32_t first = p->ends[2 * e], second = p->ends[2 * e + 1];
    const uint64_t at_first = open_at(p, first), at_second = open_at(p, second);
    if (at_first & at_second) {
        element_colour(p, e, __builtin_ctzll(at_first & at_second));
        return true;
    }
    for (uint64_t as = at_first; as; as &= as - 1)
        for (uint64_t bs = at_second; bs; bs &= bs - 1) {
            const int32_t a = __builtin_ctzll(as), b = __builtin_ctzll(bs);
            if (path_end(p, second, a, b) == first)
                continue;
            path_exchange(p, second, a, b);
            element_colour(p, e, a);
            return true;
        }
    return false;
}

/* One of the set bits. */
static int32_t any_of(path_colouring *p, uint64_t bits) {
    p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    for (uint64_t skip = (p->random >> 33) % (uint64_t)__builtin_popcountll(bits); skip > 0; skip--)
        bits &= bits - 1;
    return __builtin_ctzll(bits);
}

/* Colours an open element, which may take the colour of a neighbour at one of its points, and that
 * of another, as long as displacements are left; -1, or the element that is open in the end. The
 * choices are random, or elements would displace each other in circles. */
static int32_t element_insert(path_colouring *p, int32_t e) {
    while (!element_place(p, e)) {
        if (p->displacements_left-- == 0)
            return e;
        /* Both ends are points, each with a colour open: e is one of at most n_colours there. */
        const int end = any_of(p, 3);
        const int32_t loses = p->ends[2 * e + end];
        const int32_t wins = p->ends[2 * e + 1 - end];
        const int32_t colour = any_of(p, open_at(p, wins));
        const int32_t displaced = element_at(p, loses, colour);
        element_open(p, displaced);
        element_colour(p, e, colour);
        e = displaced;
        /* A path at its far point is exchanged, so that other colours are open there. */
        const int32_t far = other_end(p, e, loses);
        if (far >= 0 && (p->all & ~p->open[far]))
            path_exchange(p, far, any_of(p, p->all & ~p->open[far]), any_of(p, open_at(p, far)));
    }
    return -1;
}

/* Colours all n elements, each as in `start` where that is below the bound, with `bound` colours or
 * one more; false when that fails. */
static bool path_colouring_run(path_colouring *p, int64_t n, const int32_t *start, int32_t bound,
                               int32_t *n_colours) {
    for (int64_t e = 0; e < n; e++) {
        p->colour[e] = -1;
        if (start[e] < bound)
            element_colour(p, (int32_t)e, start[e]);
    }
    for (*n_colours = bound; *n_colours <= bound + 1; ++*n_colours) {
        p->all = bit_of(*n_colours) - 1;
        p->displacements_left = DISPLACEMENTS * n;
        bool all_placed = true;
        for (int64_t e = 0; e < n && all_placed; e++)
            all_placed = p->colour[e] >= 0 || element_insert(p, (int32_t)e) < 0;
        if (all_placed)
            return true;
    }
    return false;
}

/* Colours elements of at most two points with `bound` colours or one more; false where they have
 * more points, or that fails. */
static tess_status fewest_by_paths(const tess_incidence *map, int64_t n, int32_t bound,
                                   int32_t *colour, int32_t *n_colours, bool *done) {
    tess_status status = TESS_OK;
    path_colouring p = {.stride = bound + 1};
    int32_t n_by_paths = *n_colours;
    *done = false;
    CHECK(TESS_ALLOC(2 * n, &p.ends));
    if (bound >= MOST_COLOURS || !ends_fill(map, n, p.ends))
        goto done;
    CHECK(TESS_ALLOC(n, &p.colour));
    CHECK(TESS_ALLOC(map->n_points * p.stride, &p.has));
    CHECK(TESS_ALLOC(map->n_points, &p.open));
    for (int64_t i = 0; i < map->n_points; i++)
        p.open[i] = UINT64_MAX;
    if (path_colouring_run(&p, n, colour, bound, &n_by_paths) && n_by_paths < *n_colours) {
        for (int64_t e = 0; e < n; e++)
            colour[e] = p.colour[e];
        *n_colours = n_by_paths;
    }
    *done = *n_colours <= bound + 1;
done:
    free(p.ends);
    free(p.colour);
    free(p.has);
    free(p.open);
    return status;
}

/* Colours elements with `wanted` colours, by DSATUR where that is enough, or by backtracking; as
 * they were where neither finds them. */
static tess_status colours_seek(const tess_incidence *map, int64_t n, int32_t wanted,
                                int32_t *colour, int32_t *n_colours) {
    int32_t n_found = wanted + 1;
    bool found = false;
    if (n > TESS_MOST_BACKTRACKED || wanted > TESS_MOST_BACKTRACKED_COLOURS || *n_colours <= wanted)
        return TESS_OK;
    TRY(tess_colour_improve(map, n, colour, &n_found));
    if (n_found > wanted)
        TRY(tess_colour_backtrack(map, n, wanted, colour, &found));
    *n_colours = found || n_found <= wanted ? wanted : *n_colours;
    return TESS_OK;
}

tess_status tess_colour_fewest(const tess_incidence *map, int64_t n, int32_t *colour,
                               int32_t *n_colours) {
    int32_t bound = 0;
    bool done = false;
    TRY(tess_colour_start(map, n, colour, n_colours, &bound));
    if (*n_colours > bound)
        TRY(fewest_by_paths(map, n, bound, colour, n_colours, &done));
    if (done || *n_colours == bound)
        return TESS_OK;
    for (int32_t wanted = bound; wanted <= bound + 1; wanted++)
        TRY(colours_seek(map, n, wanted, colour, n_colours));
    if (*n_colours <= bound + 1)
        return TESS_OK;
    TRY(tess_colour_improve(map, n, colour, n_colours));
    tess_incidence only = *map;
    return tess_colour_reduce_of_maps(&only, 1, n, TABU_PATIENCE, colour, n_colours);
}

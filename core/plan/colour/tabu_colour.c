/* Colours by tabu search, for the conflicts of mosaic. */
#include "core/plan/colour/tabu_colour.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/splitmix.h"
#include "core/plan/colour/colour.h"
#include <stdlib.h>
#include <string.h>

/* Clashing vertices whose moves are compared in a step: where there are more, they lie far apart.
 */
enum { MOST_COMPARED = 32 };

/* A search for a colouring with k colours. Invariants: beside[v * k + c] is the weight of the edges
 * between v and neighbours with colour c; conflicting holds the vertices with beside[own colour] >
 * 0, v at place[v]. */
typedef struct search {
    const tess_rows *graph;
    const int32_t *weight; /* [graph->offset[n]] of each edge, >= 1; NULL: all 1 */
    int32_t *least;        /* [n] the colouring with the fewest conflicts so far; NULL: not kept */
    int32_t k;
    int32_t *colour;      /* [n] */
    int32_t *beside;      /* [n][k] */
    int64_t *tabu;        /* [n][k]: the move of v to c is not made before this step */
    int32_t *conflicting; /* [n_conflicting] */
    int32_t *position;    /* [n], -1 where v does not conflict */
    int64_t n_conflicting;
    int64_t n_conflicts; /* the weight of the edges between equal colours, twice */
    uint64_t random;
} search;

typedef struct move {
    int32_t vertex, colour, gain;
} move;

static int32_t weight_of(const search *s, int64_t i) {
    return s->weight ? s->weight[i] : 1;
}

static tess_status search_new(const tess_rows *graph, const int32_t *weight, int32_t k, search *s) {
    const int64_t n = graph->n;
    *s = (search){.graph = graph, .weight = weight, .random = 1};
    TRY(TESS_ALLOC(n, &s->colour));
    TRY(TESS_ALLOC(n * k, &s->beside));
    TRY(TESS_ALLOC(n * k, &s->tabu));
    TRY(TESS_ALLOC(n, &s->conflicting));
    return TESS_ALLOC(n, &s->position);
}

static void search_free(search *s) {
    free(s->colour);
    free(s->beside);
    free(s->tabu);
    free(s->conflicting);
    free(s->position);
}

/* Puts v into the list of conflicting vertices, or takes it out, as its neighbours' colours are. */
static void conflicting_update(search *s, int32_t v) {
    const bool conflicts = s->beside[(int64_t)v * s->k + s->colour[v]] > 0;
    if (conflicts && s->position[v] < 0) {
        s->position[v] = (int32_t)s->n_conflicting;
        s->conflicting[s->n_conflicting++] = v;
    } else if (!conflicts && s->position[v] >= 0) {
        const int32_t last = s->conflicting[--s->n_conflicting];
        s->conflicting[s->position[v]] = last;
        s->position[last] = s->position[v];
        s->position[v] = -1;
    }
}

/* Begins with the first k of the colours of `start`; a vertex of another takes the one that fewest
 * of its neighbours have. */
static void search_begin(search *s, const int32_t *start, int32_t k) {
    const int64_t n = s->graph->n;
    s->k = k;
    s->n_conflicting = s->n_conflicts = 0;
    memset(s->beside, 0, (size_t)(n * k) * sizeof *s->beside);
    memset(s->tabu, 0, (size_t)(n * k) * sizeof *s->tabu);
    for (int64_t v = 0; v < n; v++) {
        s->colour[v] = start[v];
        s->position[v] = -1;
        for (int64_t i = s->graph->offset[v]; i < s->graph->offset[v + 1]; i++) {
            const int32_t beside = start[s->graph->item[i]];
            if (beside < k)
                s->beside[v * k + beside] += weight_of(s, i);
        }
    }
    for (int64_t v = 0; v < n; v++) {
        if (s->colour[v] < k)
            continue;
        int32_t best = 0;
        for (int32_t c = 1; c < k; c++)
            if (s->beside[v * k + c] < s->beside[v * k + best])
                best = c;
        s->colour[v] = best;
        for (int64_t i = s->graph->offset[v]; i < s->graph->offset[v + 1]; i++)
            s->beside[(int64_t)s->graph->item[i] * k + best] += weight_of(s, i);
    }
    for (int64_t v = 0; v < n; v++) {
        s->n_conflicts += s->beside[v * k + s->colour[v]];
        conflicting_update(s, (int32_t)v);
    }
}

static int64_t n_compared(const search *s) {
    return s->n_conflicting < MOST_COMPARED ? s->n_conflicting : MOST_COMPARED;
}

/* The move that takes most conflicts away and is not tabu, or ends with fewer than ever, of some of
 * the conflicting vertices; among equals one at random. A vertex of -1: all are tabu. */
static move best_move(search *s, int64_t step, int64_t fewest) {
    move best = {.vertex = -1, .gain = INT32_MIN};
    const int64_t n = n_compared(s);
    const int64_t first =
        n < s->n_conflicting ? tess_random_below(&s->random, s->n_conflicting) : 0;
    int64_t n_equal = 0;
    for (int64_t i = 0, at = first; i < n; i++, at = at + 1 < s->n_conflicting ? at + 1 : 0) {
        const int32_t v = s->conflicting[at];
        const int32_t *const beside = s->beside + (int64_t)v * s->k;
        const int32_t conflicts = beside[s->colour[v]];
        for (int32_t c = 0; c < s->k; c++) {
            const int32_t gain = conflicts - beside[c];
            if (c == s->colour[v] || gain < best.gain)
                continue;
            if (s->tabu[(int64_t)v * s->k + c] > step && s->n_conflicts - 2 * gain >= fewest)
                continue;
            n_equal = gain > best.gain ? 1 : n_equal + 1;
            if (n_equal == 1 || tess_random_below(&s->random, n_equal) == 0)
                best = (move){v, c, gain};
        }
    }
    return best;
}

static void move_make(search *s, const move *made, int64_t step) {
    const int32_t v = made->vertex, from = s->colour[v];
    const tess_rows *graph = s->graph;
    s->tabu[(int64_t)v * s->k + from] =
        step + 1 + tess_random_below(&s->random, 10) + 3 * n_compared(s) / 5;
    s->n_conflicts -= 2 * made->gain;
    s->colour[v] = made->colour;
    conflicting_update(s, v);
    for (int64_t i = graph->offset[v]; i < graph->offset[v + 1]; i++) {
        const int32_t u = graph->item[i];
        s->beside[(int64_t)u * s->k + from] -= weight_of(s, i);
        s->beside[(int64_t)u * s->k + made->colour] += weight_of(s, i);
        conflicting_update(s, u);
    }
}

/* Gives the fewest conflicts that there were: with none the search ends. */
static int64_t search_run(search *s, int64_t patience) {
    int64_t fewest = s->n_conflicts, since = 0;
    for (int64_t step = 0; s->n_conflicts > 0 && since < patience && !tess_interrupted(); step++) {
        const move made = best_move(s, step, fewest);
        if (made.vertex >= 0)
            move_make(s, &made, step);
        const bool fewer = s->n_conflicts < fewest;
        if (fewer && s->least)
            memcpy(s->least, s->colour, (size_t)s->graph->n * sizeof *s->least);
        since = fewer ? 0 : since + 1;
        fewest = fewer ? s->n_conflicts : fewest;
    }
    return fewest;
}

/* Exchanges the numbers of two colours. */
static void colours_exchange(int32_t *colour, int64_t n, int32_t a, int32_t b) {
    for (int64_t v = 0; v < n; v++)
        colour[v] = colour[v] == a ? b : colour[v] == b ? a : colour[v];
}

/* The colour of the fewest vertices. */
static tess_status rarest_colour(const int32_t *colour, int64_t n, int32_t n_colours,
                                 int32_t *rarest) {
    int64_t *n_of = NULL;
    TRY(TESS_ZEROS(n_colours, &n_of));
    for (int64_t v = 0; v < n; v++)
        n_of[colour[v]]++;
    *rarest = 0;
    for (int32_t c = 1; c < n_colours; c++)
        *rarest = n_of[c] < n_of[*rarest] ? c : *rarest;
    free(n_of);
    return TESS_OK;
}

/* Begins with all colours but the rarest of n_colours, whose number and the last one's are
 * exchanged. */
static tess_status search_less(search *s, int32_t *colour, int32_t n_colours) {
    int32_t rarest = 0;
    TRY(rarest_colour(colour, s->graph->n, n_colours, &rarest));
    colours_exchange(colour, s->graph->n, rarest, n_colours - 1);
    search_begin(s, colour, n_colours - 1);
    return TESS_OK;
}

tess_status tess_colour_reduce(const tess_rows *graph, int32_t bound, int64_t patience,
                               int32_t *colour, int32_t *n_colours) {
    tess_status status = TESS_OK;
    const int64_t n = graph->n;
    search s = {0};
    if (*n_colours <= bound || *n_colours < 2)
        return TESS_OK;
    CHECK(search_new(graph, NULL, *n_colours - 1, &s));
    while (*n_colours > bound && *n_colours > 1) {
        CHECK(search_less(&s, colour, *n_colours));
        const bool found = search_run(&s, patience) == 0;
        CHECK(tess_interrupt_check());
        if (!found)
            break;
        memcpy(colour, s.colour, (size_t)n * sizeof *colour);
        --*n_colours;
    }
done:
    search_free(&s);
    return status;
}

tess_status tess_colour_squeeze(const tess_rows *graph, const int32_t *weight, int32_t n_colours,
                                int64_t patience, int32_t *colour, int64_t *n_conflicts) {
    tess_status status = TESS_OK;
    const int64_t n = graph->n;
    int32_t *least = NULL;
    search s = {0};
    CHECK(TESS_ALLOC(n, &least));
    CHECK(search_new(graph, weight, n_colours, &s));
    CHECK(search_less(&s, colour, n_colours + 1));
    memcpy(least, s.colour, (size_t)n * sizeof *least);
    s.least = least;
    *n_conflicts = search_run(&s, patience) / 2;
    CHECK(tess_interrupt_check());
    memcpy(colour, least, (size_t)n * sizeof *colour);
done:
    free(least);
    search_free(&s);
    return status;
}

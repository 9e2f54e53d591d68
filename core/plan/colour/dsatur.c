/* DSATUR (Brelaz, 1979): colours by saturation, the element with the fewest free colours first. */
#include "core/plan/colour/colour.h"

#include "core/base/array.h"
#include "core/base/key_heap.h"
#include "core/plan/incidence.h"
#include <stdlib.h>

/* A colouring in the making. Conflicts are between elements of one row of `at_point`, which has
 * those first that are open. */
typedef struct dsatur {
    const tess_incidence *map;
    tess_rows *at_point;
    int32_t *n_open;     /* [n_points]: of each row */
    int32_t *colour;     /* [n], -1 while open */
    int32_t *saturation; /* [n]: different colours among the neighbours */
    int32_t *degree;     /* [n]: neighbours, counted once a shared point */
    uint64_t *taken;     /* [words][n]: colours of the neighbours, near for those of one colour */
    int64_t words, n;
    tess_key_heap open; /* a saturated element has several keys */
} dsatur;

enum { POSITION_BITS = 31, DEGREE_BITS = 20, MOST_SATURATION = 4095 };

/* More saturated first, then higher degree, then lower number. */
static uint64_t key_of(const dsatur *d, int64_t e) {
    const int32_t most_degree = (1 << DEGREE_BITS) - 1;
    const uint64_t saturation =
        (uint64_t)(d->saturation[e] < MOST_SATURATION ? d->saturation[e] : MOST_SATURATION);
    const uint64_t degree = (uint64_t)(d->degree[e] < most_degree ? d->degree[e] : most_degree);
    return saturation << (POSITION_BITS + DEGREE_BITS) | degree << POSITION_BITS |
           (uint64_t)(INT32_MAX - e);
}

static int64_t element_of(uint64_t key) {
    return INT32_MAX - (int64_t)(key & INT32_MAX);
}

static tess_status dsatur_new(const tess_incidence *map, int64_t n, int32_t n_colours, dsatur *d) {
    d->map = map;
    d->words = (n_colours + 63) / 64;
    d->n = n;
    TRY(tess_incidence_invert(map, n, &d->at_point));
    TRY(TESS_ALLOC(map->n_points, &d->n_open));
    TRY(TESS_ALLOC(n, &d->colour));
    TRY(TESS_ZEROS(n, &d->saturation));
    TRY(TESS_ZEROS(n, &d->degree));
    TRY(TESS_ZEROS(n * d->words, &d->taken));
    for (int64_t p = 0; p < map->n_points; p++) {
        const int64_t start = d->at_point->offset[p], end = d->at_point->offset[p + 1];
        d->n_open[p] = (int32_t)(end - start);
        for (int64_t i = start; i < end; i++)
            d->degree[d->at_point->item[i]] += (int32_t)(end - start - 1);
    }
    for (int64_t e = 0; e < n; e++) {
        d->colour[e] = -1;
        TRY(tess_key_heap_push(&d->open, key_of(d, e)));
    }
    return TESS_OK;
}

static void dsatur_free(dsatur *d) {
    tess_rows_free(d->at_point);
    free(d->n_open);
    free(d->colour);
    free(d->saturation);
    free(d->degree);
    free(d->taken);
    free(d->open.key);
}

static int32_t least_free_colour(const dsatur *d, int64_t e) {
    for (int64_t w = 0; w < d->words; w++) {
        const uint64_t free = ~d->taken[w * d->n + e];
        if (free)
            return (int32_t)(64 * w + __builtin_ctzll(free));
    }
    return (int32_t)(64 * d->words);
}

/* Takes element e out of the open ones of a point, and tells the others its colour. */
static tess_status tell_point(dsatur *d, int64_t e, int32_t point) {
    int32_t *const row = d->at_point->item + d->at_point->offset[point];
    const int32_t colour = d->colour[e], n = d->n_open[point];
    const uint64_t bit = UINT64_C(1) << colour % 64;
    uint64_t *const taken = d->taken + colour / 64 * d->n;
    int32_t n_kept = 0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t f = row[i];
        row[n_kept] = f;
        n_kept += f != e;
        if (f == e || (taken[f] & bit))
            continue;
        taken[f] |= bit;
        d->saturation[f]++;
        TRY(tess_key_heap_push(&d->open, key_of(d, f)));
    }
    d->n_open[point] = n_kept;
    return TESS_OK;
}

/* Gives element e a colour and tells its open neighbours. */
static tess_status colour_element(dsatur *d, int64_t e, int32_t colour) {
    const int64_t ahead = 8; /* points, while whose rows are read another one comes */
    int64_t n_points = 0;
    const int32_t *row = tess_incidence_row(d->map, e, &n_points);
    d->colour[e] = colour;
    for (int64_t i = 0; i < n_points; i++) {
        if (i + 2 * ahead < n_points && row[i + 2 * ahead] >= 0)
            __builtin_prefetch(d->at_point->offset + row[i + 2 * ahead]);
        if (i + ahead < n_points && row[i + ahead] >= 0)
            __builtin_prefetch(d->at_point->item + d->at_point->offset[row[i + ahead]]);
        if (row[i] >= 0)
            TRY(tell_point(d, e, row[i]));
    }
    return TESS_OK;
}

/* Colours all elements; *n_colours stays when it would take as many. */
static tess_status dsatur_run(dsatur *d, int64_t n, int32_t *n_colours) {
    int32_t used = 0;
    for (int64_t n_open = n; n_open > 0;) {
        const int64_t e = element_of(tess_key_heap_pop(&d->open));
        if (d->colour[e] >= 0) /* an outdated key: its newer one, which is larger, came before */
            continue;
        const int32_t colour = least_free_colour(d, e);
        used = colour >= used ? colour + 1 : used;
        if (used >= *n_colours)
            return TESS_OK;
        TRY(colour_element(d, e, colour));
        n_open--;
    }
    *n_colours = used;
    return TESS_OK;
}

tess_status tess_colour_improve(const tess_incidence *map, int64_t n, int32_t *colour,
                                int32_t *n_colours) {
    tess_status status = TESS_OK;
    dsatur d = {0};
    const int32_t greedy = *n_colours;
    CHECK(dsatur_new(map, n, greedy, &d));
    CHECK(dsatur_run(&d, n, n_colours));
    for (int64_t e = 0; e < n && *n_colours < greedy; e++)
        colour[e] = d.colour[e];
done:
    dsatur_free(&d);
    return status;
}

tess_status tess_colour_dsatur(const tess_incidence *map, int64_t n, int32_t *colour,
                               int32_t *n_colours) {
    int32_t bound = 0;
    TRY(tess_colour_start(map, n, colour, n_colours, &bound));
    return *n_colours > bound ? tess_colour_improve(map, n, colour, n_colours) : TESS_OK;
}

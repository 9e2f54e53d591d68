/* Colours: numbers such that elements which share a point differ. */
#include "core/plan/colour/colour.h"

#include "core/base/array.h"
#include <stdlib.h>

/* First fit while 64 colours are enough: taken[m][p] has a bit for each colour at a point. False
 * when they are not. */
static bool first_fit_narrow(const tess_incidence *maps, int n_maps, int64_t n, uint64_t **taken,
                             int32_t *colour, int32_t *n_colours) {
    *n_colours = 0;
    for (int64_t e = 0; e < n; e++) {
        uint64_t used = 0;
        for (int m = 0; m < n_maps; m++) {
            int64_t n_points = 0;
            const int32_t *row = tess_incidence_row(&maps[m], e, &n_points);
            for (int64_t i = 0; i < n_points; i++)
                used |= row[i] < 0 ? 0 : taken[m][row[i]];
        }
        if (~used == 0)
            return false;
        colour[e] = __builtin_ctzll(~used);
        *n_colours = colour[e] >= *n_colours ? colour[e] + 1 : *n_colours;
        for (int m = 0; m < n_maps; m++) {
            int64_t n_points = 0;
            const int32_t *row = tess_incidence_row(&maps[m], e, &n_points);
            for (int64_t i = 0; i < n_points; i++)
                if (row[i] >= 0)
                    taken[m][row[i]] |= UINT64_C(1) << colour[e];
        }
    }
    return true;
}

/* The colours taken at the points of one map: all below full[p], and the rest in the row of p,
 * which has room for as many as elements have the point. */
typedef struct taken_lists {
    tess_rows *rest;   /* n[p] colours from full[p] on, in any order */
    int32_t *n, *full; /* [n_points] */
} taken_lists;

static tess_status taken_lists_new(const tess_incidence *map, int64_t n, taken_lists *lists) {
    TRY(TESS_ZEROS(map->n_points, &lists->n));
    TRY(TESS_ZEROS(map->n_points, &lists->full));
    return tess_incidence_invert(map, n, &lists->rest);
}

static void taken_lists_free(taken_lists *lists) {
    tess_rows_free(lists->rest);
    free(lists->n);
    free(lists->full);
}

/* Takes a colour at a point unless it is taken; drops from the list what `full` covers by then. */
static void take(taken_lists *lists, int32_t p, int32_t colour) {
    int32_t *rest = lists->rest->item + lists->rest->offset[p];
    int32_t *n = &lists->n[p], *full = &lists->full[p];
    for (int32_t i = 0; i < *n; i++)
        if (rest[i] == colour)
            return;
    if (colour < *full)
        return;
    rest[(*n)++] = colour;
    for (int32_t i = 0; i < *n;) {
        if (rest[i] == *full) {
            (*full)++;
            rest[i] = rest[--*n];
            i = 0;
        } else {
            i++;
        }
    }
}

/* The least colour that is free at all points of element e; seen[c] == e + 1 marks taken ones. */
static int32_t least_free(const tess_incidence *maps, int n_maps, const taken_lists *lists,
                          int64_t e, int64_t *seen) {
    int32_t free_colour = 0;
    for (int m = 0; m < n_maps; m++) {
        int64_t n_points = 0;
        const int32_t *row = tess_incidence_row(&maps[m], e, &n_points);
        for (int64_t i = 0; i < n_points; i++) {
            if (row[i] < 0)
                continue;
            const int32_t *rest = lists[m].rest->item + lists[m].rest->offset[row[i]];
            for (int32_t j = 0; j < lists[m].n[row[i]]; j++)
                seen[rest[j]] = e + 1;
            if (lists[m].full[row[i]] > free_colour)
                free_colour = lists[m].full[row[i]];
        }
    }
    while (seen[free_colour] == e + 1)
        free_colour++;
    return free_colour;
}

/* First fit with any number of colours. */
static tess_status first_fit_wide(const tess_incidence *maps, int n_maps, int64_t n,
                                  int32_t *colour, int32_t *n_colours) {
    tess_status status = TESS_OK;
    taken_lists *lists = NULL;
    int64_t *seen = NULL;
    CHECK(TESS_ZEROS(n_maps, &lists));
    for (int m = 0; m < n_maps; m++)
        CHECK(taken_lists_new(&maps[m], n, &lists[m]));
    CHECK(TESS_ZEROS(n + 1, &seen));
    *n_colours = 0;
    for (int64_t e = 0; e < n; e++) {
        colour[e] = least_free(maps, n_maps, lists, e, seen);
        *n_colours = colour[e] >= *n_colours ? colour[e] + 1 : *n_colours;
        for (int m = 0; m < n_maps; m++) {
            int64_t n_points = 0;
            const int32_t *row = tess_incidence_row(&maps[m], e, &n_points);
            for (int64_t i = 0; i < n_points; i++)
                if (row[i] >= 0)
                    take(&lists[m], row[i], colour[e]);
        }
    }
done:
    for (int m = 0; lists && m < n_maps; m++)
        taken_lists_free(&lists[m]);
    free(lists);
    free(seen);
    return status;
}

tess_status tess_colour_first_fit(const tess_incidence *maps, int n_maps, int64_t n,
                                  int32_t *colour, int32_t *n_colours) {
    tess_status status = TESS_OK;
    uint64_t **taken = NULL;
    CHECK(TESS_ZEROS(n_maps, &taken));
    for (int m = 0; m < n_maps; m++)
        CHECK(TESS_ZEROS(maps[m].n_points, &taken[m]));
    const bool enough = first_fit_narrow(maps, n_maps, n, taken, colour, n_colours);
    for (int m = 0; m < n_maps; m++) {
        free(taken[m]);
        taken[m] = NULL;
    }
    if (!enough)
        CHECK(first_fit_wide(maps, n_maps, n, colour, n_colours));
done:
    for (int m = 0; taken && m < n_maps; m++)
        free(taken[m]);
    free(taken);
    return status;
}

int32_t tess_colour_bound(const tess_incidence *map, int64_t n, int32_t *at_point) {
    int32_t most = n > 0;
    for (int64_t p = 0; p < map->n_points; p++)
        at_point[p] = 0;
    for (int64_t e = 0; e < n; e++) {
        int64_t n_points = 0;
        const int32_t *row = tess_incidence_row(map, e, &n_points);
        for (int64_t i = 0; i < n_points; i++)
            if (tess_incidence_is_first(map, row, i) && ++at_point[row[i]] > most)
                most = at_point[row[i]];
    }
    return most;
}

tess_status tess_colour_start(const tess_incidence *map, int64_t n, int32_t *colour,
                              int32_t *n_colours, int32_t *bound) {
    int32_t *at_point = NULL;
    TRY(tess_colour_first_fit(map, 1, n, colour, n_colours));
    TRY(TESS_ALLOC(map->n_points, &at_point));
    *bound = tess_colour_bound(map, n, at_point);
    free(at_point);
    return TESS_OK;
}

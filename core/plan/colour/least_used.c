/* Colours by the least used that is free. */
#include "core/plan/colour/colour.h"

#include "core/base/array.h"
#include <stdlib.h>

/* The colours at the points of one map: those of p are the first n[p] in its row, each once, which
 * has room for as many as elements have the point. */
typedef struct colours_at {
    const tess_incidence *map;
    tess_rows *rows;
    int32_t *n; /* [n_points] */
} colours_at;

static tess_status colours_at_new(const tess_incidence *map, int64_t n, colours_at *at) {
    at->map = map;
    TRY(TESS_ZEROS(map->n_points, &at->n));
    return tess_incidence_invert(map, n, &at->rows);
}

static void colours_at_free(colours_at *at) {
    tess_rows_free(at->rows);
    free(at->n);
}

/* Marks the colours at the points of element e by seen[colour] = e + 1. False where one point has
 * all n_colours. */
static bool mark_taken(const colours_at *at, int64_t e, int32_t n_colours, int64_t *seen) {
    int64_t n_points = 0;
    const int32_t *row = tess_incidence_row(at->map, e, &n_points);
    for (int64_t i = 0; i < n_points; i++)
        if (row[i] >= 0 && at->n[row[i]] == n_colours)
            return false;
    for (int64_t i = 0; i < n_points; i++)
        for (int32_t j = 0; row[i] >= 0 && j < at->n[row[i]]; j++)
            seen[at->rows->item[at->rows->offset[row[i]] + j]] = e + 1;
    return true;
}

static void put_colour(colours_at *at, int64_t e, int32_t colour) {
    int64_t n_points = 0;
    const int32_t *row = tess_incidence_row(at->map, e, &n_points);
    for (int64_t i = 0; i < n_points; i++)
        if (tess_incidence_is_first(at->map, row, i))
            at->rows->item[at->rows->offset[row[i]] + at->n[row[i]]++] = colour;
}

/* The least used colour that is not marked; n_colours where all are. */
static int32_t least_used_colour(const int64_t *used, const int64_t *seen, int64_t mark,
                                 int32_t n_colours) {
    int32_t found = n_colours;
    for (int32_t c = 0; c < n_colours; c++)
        if (seen[c] != mark && (found == n_colours || used[c] < used[found]))
            found = c;
    return found;
}

tess_status tess_colour_least_used(const tess_incidence *maps, int n_maps, int64_t n,
                                   int32_t *colour, int32_t *n_colours) {
    tess_status status = TESS_OK;
    colours_at *at = NULL;
    int64_t *seen = NULL, *used = NULL; /* [n] by colour: the last element that marked it, plus 1;
                                           its elements */
    CHECK(TESS_ZEROS(n_maps, &at));
    for (int m = 0; m < n_maps; m++)
        CHECK(colours_at_new(&maps[m], n, &at[m]));
    CHECK(TESS_ZEROS(n, &seen));
    CHECK(TESS_ZEROS(n, &used));
    *n_colours = 0;
    for (int64_t e = 0; e < n; e++) {
        bool some_free = true;
        for (int m = 0; m < n_maps && some_free; m++)
            some_free = mark_taken(&at[m], e, *n_colours, seen);
        colour[e] = some_free ? least_used_colour(used, seen, e + 1, *n_colours) : *n_colours;
        *n_colours += colour[e] == *n_colours;
        used[colour[e]]++;
        for (int m = 0; m < n_maps; m++)
            put_colour(&at[m], e, colour[e]);
    }
done:
    for (int m = 0; at && m < n_maps; m++)
        colours_at_free(&at[m]);
    free(at);
    free(seen);
    free(used);
    return status;
}

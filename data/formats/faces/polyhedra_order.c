/* The order of faces: those between two cells first. */
#include "data/formats/faces/polyhedra_order.h"

#include "core/base/array.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The faces at the boundary, set aside. */
typedef struct outer_faces {
    int64_t n, n_values;
    int64_t *start; /* [n + 1]; owned */
    int32_t *value, *owner, *marker;
} outer_faces;

static int64_t face_size(const tess_polyhedra *polyhedra, int64_t f) {
    return polyhedra->faces.start[f + 1] - polyhedra->faces.start[f];
}

static bool is_outer(const tess_polyhedra *polyhedra, int64_t f) {
    return polyhedra->owner[f] >= 0 && polyhedra->neighbour[f] < 0;
}

static tess_status set_outer_aside(const tess_polyhedra *polyhedra, outer_faces *outer) {
    int64_t at = 0, value = 0;
    for (int64_t f = 0; f < polyhedra->faces.n; f++) {
        outer->n += is_outer(polyhedra, f);
        outer->n_values += is_outer(polyhedra, f) ? face_size(polyhedra, f) : 0;
    }
    TRY(TESS_ALLOC(outer->n + 1, &outer->start));
    TRY(TESS_ALLOC(outer->n_values, &outer->value));
    TRY(TESS_ALLOC(outer->n, &outer->owner));
    TRY(TESS_ALLOC(outer->n, &outer->marker));
    for (int64_t f = 0; f < polyhedra->faces.n; f++) {
        if (!is_outer(polyhedra, f))
            continue;
        outer->start[at] = value;
        outer->owner[at] = polyhedra->owner[f];
        outer->marker[at++] = polyhedra->marker ? polyhedra->marker[f] : -1;
        memcpy(outer->value + value, polyhedra->faces.value + polyhedra->faces.start[f],
               (size_t)face_size(polyhedra, f) * sizeof *outer->value);
        value += face_size(polyhedra, f);
    }
    outer->start[at] = value;
    return TESS_OK;
}

static bool is_inner(const tess_polyhedra *polyhedra, int64_t f) {
    return polyhedra->owner[f] >= 0 && polyhedra->neighbour[f] >= 0;
}

/* Sets the markers of the faces between two cells aside, where one of them has one. */
static tess_status set_inner_markers_aside(tess_polyhedra *polyhedra) {
    int64_t n = 0, n_marked = 0;
    for (int64_t f = 0; polyhedra->marker && f < polyhedra->faces.n; f++) {
        n += is_inner(polyhedra, f);
        n_marked += is_inner(polyhedra, f) && polyhedra->marker[f] >= 0;
    }
    if (n_marked == 0)
        return TESS_OK;
    TRY(TESS_ALLOC(n, &polyhedra->inner_marker));
    for (int64_t f = 0, at = 0; f < polyhedra->faces.n; f++)
        if (is_inner(polyhedra, f))
            polyhedra->inner_marker[at++] = polyhedra->marker[f];
    return TESS_OK;
}

/* Moves the faces between two cells to the front; gives where their nodes end. */
static int64_t pack_inner(tess_polyhedra *polyhedra) {
    tess_jagged_array *rings = &polyhedra->faces;
    int64_t n = 0, value = 0;
    for (int64_t f = 0; f < rings->n; f++) {
        const int64_t size = face_size(polyhedra, f);
        if (!is_inner(polyhedra, f))
            continue;
        memmove(rings->value + value, rings->value + rings->start[f],
                (size_t)size * sizeof *rings->value);
        polyhedra->owner[n] = polyhedra->owner[f];
        polyhedra->neighbour[n] = polyhedra->neighbour[f];
        rings->start[n++] = value; /* no entry behind this face's own is changed */
        value += size;
    }
    polyhedra->n_inner = n;
    return value;
}

tess_status tess_polyhedra_order(tess_polyhedra *polyhedra) {
    tess_status status = TESS_OK;
    outer_faces outer = {.n = 0};
    tess_jagged_array *rings = &polyhedra->faces;
    CHECK(set_outer_aside(polyhedra, &outer));
    CHECK(set_inner_markers_aside(polyhedra));
    free(polyhedra->marker);
    polyhedra->marker = TESS_TAKE(outer.marker);
    const int64_t value = pack_inner(polyhedra), n = polyhedra->n_inner;
    memcpy(rings->value + value, outer.value, (size_t)outer.n_values * sizeof *rings->value);
    memcpy(polyhedra->owner + n, outer.owner, (size_t)outer.n * sizeof *polyhedra->owner);
    for (int64_t f = 0; f <= outer.n; f++)
        rings->start[n + f] = value + outer.start[f];
    rings->n = n + outer.n;
done:
    free(outer.start);
    free(outer.value);
    free(outer.owner);
    free(outer.marker);
    return status;
}

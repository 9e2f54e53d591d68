/* How many cells of a mesh are polygons or polyhedra, and no others. */
#include "data/formats/faces/polytope_count.h"

#include "core/base/array.h"
#include "data/formats/faces/polyhedra.h"
#include <string.h>

/* The faces of polytopes as readers have them. */
static tess_status list_faces(const tess_polytopes *polytopes, tess_polyhedra *out) {
    int64_t capacity = 0;
    out->n_inner = polytopes->n_inner;
    out->faces.n = polytopes->n_sides;
    TRY(TESS_ZEROS(polytopes->n_sides + 1, &out->faces.start));
    TRY(TESS_ALLOC(polytopes->n_sides, &out->owner));
    TRY(TESS_ALLOC(polytopes->n_inner, &out->neighbour));
    for (int64_t side = 0; side < polytopes->n_sides; side++) {
        int n = 0;
        int32_t cells[2];
        const int32_t *nodes = tess_polytope_side(polytopes, side, &n);
        const int64_t at = out->faces.start[side];
        tess_polytope_cells(polytopes, side, cells);
        out->owner[side] = cells[0];
        if (side < polytopes->n_inner)
            out->neighbour[side] = cells[1];
        TRY(TESS_RESERVE(at + n, &capacity, &out->faces.value));
        memcpy(out->faces.value + at, nodes, (size_t)n * sizeof *nodes);
        out->faces.start[side + 1] = at + n;
    }
    return TESS_OK;
}

static bool is_polygon(const tess_polytopes *polytopes, int64_t cell) {
    const int64_t n = tess_rows_size(polytopes->sides, cell);
    return n != 3 && n != 4;
}

static tess_status count_polygons(const tess_polytopes *polytopes, int64_t *n, int64_t *first) {
    for (int64_t cell = polytopes->n_cells - 1; cell >= 0; cell--)
        if (is_polygon(polytopes, cell)) {
            *first = cell;
            ++*n;
        }
    return TESS_OK;
}

tess_status tess_polytopes_count(const tess_polytopes *polytopes, int64_t *n, int64_t *first) {
    tess_status status = TESS_OK;
    tess_polyhedra faced = {.dimension = polytopes->dimension};
    *n = *first = 0;
    if (polytopes->dimension == 3) {
        CHECK(list_faces(polytopes, &faced));
        CHECK(tess_polyhedra_count(&faced, n, first));
    } else {
        CHECK(count_polygons(polytopes, n, first));
    }
    if (*n == 0) {
        *n = polytopes->n_cells;
        *first = 0;
    }
done:
    tess_polyhedra_clear(&faced);
    return status;
}

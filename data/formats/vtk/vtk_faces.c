/* VTK faces: the faces of the polyhedra of a piece, in either of the forms that VTK's files have.
 */
#include "data/formats/vtk/vtk_faces.h"

#include "core/base/array.h"
#include <inttypes.h>
#include <stdlib.h>

/* A polyhedron that is being read. */
typedef struct polyhedron {
    tess_vtk_faces *faces;
    const tess_scan *scan;
    int64_t cell, n_rings;
    const tess_vtk_points *points;
} polyhedron;

static tess_status add_ring(polyhedron *at, int64_t n, const int64_t *nodes) {
    tess_vtk_faces *faces = at->faces;
    TRY(TESS_RESERVE(at->n_rings + 2, &faces->start_capacity, &faces->start));
    if (at->n_rings == 0)
        faces->start[0] = 0;
    const int64_t start = faces->start[at->n_rings];
    TRY(TESS_RESERVE(start + n, &faces->ring_capacity, &faces->ring));
    if (n < 3)
        return tess_scan_fail(at->scan, "polyhedron %" PRId64 " has a face of %" PRId64 " nodes",
                              at->cell, n);
    for (int64_t i = 0; i < n; i++) {
        if (nodes[i] < 0 || nodes[i] >= at->points->n)
            return tess_scan_fail(at->scan,
                                  "polyhedron %" PRId64 " has the node %" PRId64
                                  ", which is not in 0..%" PRId64,
                                  at->cell, nodes[i], at->points->n - 1);
        faces->ring[start + i] = (int32_t)(at->points->first + nodes[i]);
    }
    faces->start[++at->n_rings] = start + n;
    return TESS_OK;
}

/* Adds the faces of the polyhedron whose part of the stream goes from `first` to `end`. */
static tess_status add_stream(polyhedron *at, int64_t first, int64_t end) {
    const int64_t *values = at->faces->values;
    int64_t place = first;
    const int64_t n = place < end ? values[place++] : 0;
    for (int64_t face = 0; face < n; face++) {
        const int64_t size = place < end ? values[place++] : -1;
        if (size < 0 || size > end - place)
            return tess_scan_fail(
                at->scan, "the faces of polyhedron %" PRId64 " end in face %" PRId64 " of %" PRId64,
                at->cell, face, n);
        TRY(add_ring(at, size, values + place));
        place += size;
    }
    return TESS_OK;
}

static tess_status add_numbered(polyhedron *at, int64_t first, int64_t end) {
    const tess_vtk_faces *faces = at->faces;
    for (int64_t i = first; i < end; i++) {
        const int64_t face = faces->values[i];
        if (face < 0 || face >= faces->n_faces)
            return tess_scan_fail(at->scan,
                                  "polyhedron %" PRId64 " has the face %" PRId64
                                  ", which is not in 0..%" PRId64,
                                  at->cell, face, faces->n_faces - 1);
        const int64_t from = face ? faces->face_ends[face - 1] : 0, to = faces->face_ends[face];
        if (from < 0 || from > to || to > faces->n_nodes)
            return tess_scan_fail(at->scan,
                                  "the nodes of face %" PRId64 " go from %" PRId64 " to %" PRId64
                                  ", not in 0..%" PRId64,
                                  face, from, to, faces->n_nodes);
        TRY(add_ring(at, to - from, faces->nodes + from));
    }
    return TESS_OK;
}

tess_status tess_vtk_faces_cell(tess_vtk_faces *faces, const tess_scan *scan, int64_t cell,
                                const tess_vtk_points *points, tess_ringed *out) {
    polyhedron at = {.faces = faces, .scan = scan, .cell = cell, .points = points};
    const int64_t before = cell ? faces->ends[cell - 1] : 0;
    const int64_t first = faces->is_stream ? faces->at : before, end = faces->ends[cell];
    if (first < 0 || end < first || end > faces->n_values)
        return tess_scan_fail(scan,
                              "the faces of polyhedron %" PRId64 " go from %" PRId64 " to %" PRId64
                              ", not in 0..%" PRId64,
                              cell, first, end, faces->n_values);
    TRY(faces->is_stream ? add_stream(&at, first, end) : add_numbered(&at, first, end));
    if (at.n_rings < 4)
        return tess_scan_fail(scan, "polyhedron %" PRId64 " has %" PRId64 " faces", cell,
                              at.n_rings);
    faces->at = end;
    *out =
        (tess_ringed){.dimension = 3, .n = at.n_rings, .start = faces->start, .nodes = faces->ring};
    return TESS_OK;
}

void tess_vtk_faces_clear(tess_vtk_faces *faces) {
    free(faces->ends);
    free(faces->values);
    free(faces->face_ends);
    free(faces->nodes);
    free(faces->start);
    free(faces->ring);
    *faces = (tess_vtk_faces){.n_values = 0};
}

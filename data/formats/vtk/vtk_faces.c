/* VTK faces: the faces of the polyhedra of a piece, in either of the forms that VTK's files have.
 */
#include "data/formats/vtk/vtk_faces.h"

#include "core/base/array.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

/* Reads values of an array behind those of its window, `least` of them at least. */
static tess_status read_on(polyhedron *at, tess_vtk_faces_array array, int64_t least) {
    enum { AT_ONCE = 1 << 15 };
    tess_vtk_faces *faces = at->faces;
    tess_vtk_window *window = &faces->windows[array];
    const int64_t end = window->first + window->n, left = faces->n[array] - end;
    int64_t n = least < AT_ONCE ? AT_ONCE : least, n_read = 0;
    n = n < left ? n : left;
    TRY(TESS_RESERVE(window->n + n, &window->capacity, &window->value));
    TRY(faces->read(faces->context, array, end, n, window->value + window->n, &n_read));
    window->n += n_read;
    return TESS_OK;
}

/* Gives values first ... first + n - 1 of an array, until others of it are asked for. */
static tess_status find_values(polyhedron *at, tess_vtk_faces_array array, int64_t first, int64_t n,
                               const int64_t **values) {
    enum { KEPT = 1 << 12 }; /* values before those that are asked for */
    tess_vtk_faces *faces = at->faces;
    tess_vtk_window *window = &faces->windows[array];
    const int64_t end = window->first + window->n;
    const bool is_there = n <= faces->n[array] && first <= faces->n[array] - n;
    *values = NULL;
    if (n == 0)
        return TESS_OK;
    if (is_there && first < window->first) { /* in no order: the whole array */
        *window = (tess_vtk_window){.capacity = window->capacity, .value = window->value};
        TRY(read_on(at, array, faces->n[array]));
    } else if (is_there && first + n > end) {
        const int64_t wanted = first - KEPT, kept = wanted < end ? wanted : end;
        if (first > end) {
            window->first = first;
            window->n = 0;
        } else if (kept > window->first) {
            window->n = end - kept;
            memmove(window->value, window->value + (kept - window->first),
                    (size_t)window->n * sizeof *window->value);
            window->first = kept;
        }
        TRY(read_on(at, array, first + n - window->first - window->n));
    }
    if (!is_there || first + n > window->first + window->n)
        return tess_scan_fail(
            at->scan,
            "polyhedron %" PRId64 " has number %" PRId64 " of the array %s, which has fewer",
            at->cell, first > INT64_MAX - n ? first : first + n - 1, faces->names[array]);
    *values = window->value + (first - window->first);
    return TESS_OK;
}

/* Adds the faces of the polyhedron whose part of the stream has n values. */
static tess_status add_stream(polyhedron *at, const int64_t *values, int64_t n_values) {
    int64_t position = 0;
    const int64_t n = position < n_values ? values[position++] : 0;
    for (int64_t face = 0; face < n; face++) {
        const int64_t size = position < n_values ? values[position++] : -1;
        if (size < 0 || size > n_values - position)
            return tess_scan_fail(
                at->scan, "the faces of polyhedron %" PRId64 " end in face %" PRId64 " of %" PRId64,
                at->cell, face, n);
        TRY(add_ring(at, size, values + position));
        position += size;
    }
    return TESS_OK;
}

/* Adds the faces of these numbers. */
static tess_status add_numbered(polyhedron *at, const int64_t *numbers, int64_t n) {
    const int64_t *ends = NULL, *nodes = NULL;
    for (int64_t i = 0; i < n; i++) {
        const int64_t face = numbers[i];
        if (face < 0)
            return tess_scan_fail(at->scan,
                                  "polyhedron %" PRId64 " has the face %" PRId64
                                  ": numbers of faces count from 0",
                                  at->cell, face);
        TRY(find_values(at, TESS_VTK_FACE_ENDS, face ? face - 1 : 0, face ? 2 : 1, &ends));
        const int64_t from = face ? ends[0] : 0, to = ends[face != 0];
        if (from < 0 || from > to)
            return tess_scan_fail(at->scan,
                                  "the nodes of face %" PRId64 " go from %" PRId64 " to %" PRId64
                                  ", not in the order of the faces",
                                  face, from, to);
        TRY(find_values(at, TESS_VTK_FACE_NODES, from, to - from, &nodes));
        TRY(add_ring(at, to - from, nodes));
    }
    return TESS_OK;
}

tess_status tess_vtk_faces_cell(tess_vtk_faces *faces, const tess_scan *scan, int64_t cell,
                                const tess_vtk_points *points, tess_polygon_list *out) {
    polyhedron at = {.faces = faces, .scan = scan, .cell = cell, .points = points};
    const int64_t *ends = NULL, *values = NULL;
    TRY(find_values(&at, TESS_VTK_CELL_ENDS, cell ? cell - 1 : 0, cell ? 2 : 1, &ends));
    const int64_t before = cell ? ends[0] : 0, end = ends[cell != 0];
    const int64_t first = faces->is_stream && !faces->in_cells ? faces->at : before;
    if (first < 0 || end < first)
        return tess_scan_fail(scan,
                              "the faces of polyhedron %" PRId64 " go from %" PRId64 " to %" PRId64
                              ", not in the order of the cells",
                              cell, first, end);
    TRY(find_values(&at, TESS_VTK_CELL_FACES, first, end - first, &values));
    TRY(faces->is_stream ? add_stream(&at, values, end - first)
                         : add_numbered(&at, values, end - first));
    if (at.n_rings < 4)
        return tess_scan_fail(scan, "polyhedron %" PRId64 " has %" PRId64 " faces", cell,
                              at.n_rings);
    faces->at = end;
    *out = (tess_polygon_list){
        .dimension = 3, .n = at.n_rings, .start = faces->start, .nodes = faces->ring};
    return TESS_OK;
}

void tess_vtk_faces_clear(tess_vtk_faces *faces) {
    for (int array = 0; array < TESS_VTK_FACES_ARRAYS; array++)
        free(faces->windows[array].value);
    free(faces->start);
    free(faces->ring);
    *faces = (tess_vtk_faces){.at = 0};
}

/* Foam faces: the faces of a mesh as OpenFOAM numbers them, each once, with its cells and patch. */
#include "data/formats/faces/foam_faces.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "data/formats/cell_sides.h"
#include <stdlib.h>
#include <string.h>

enum { BOUNDARY = -1, NO_FACE = -2 };

/* What is beyond each half: a cell, the boundary, or that another half stands for the face. */
typedef struct beyond_halves {
    const tess_facets *facets;
    int32_t *cell; /* [n_halves] */
    int64_t n_shared;
} beyond_halves;

static void note_halves(void *context, const uint64_t *halves, int64_t n) {
    beyond_halves *beyond = context;
    for (int64_t i = 1; i < n; i++)
        beyond->cell[halves[i]] = NO_FACE;
    beyond->cell[halves[0]] =
        n > 1 ? (int32_t)(halves[1] / (uint64_t)beyond->facets->stride) : BOUNDARY;
    if (n > 2)
        __atomic_fetch_add(&beyond->n_shared, 1, __ATOMIC_RELAXED);
}

static int compare_faces(const void *left, const void *right) {
    const tess_foam_face *a = left, *b = right;
    if (a->patch != b->patch)
        return a->patch < b->patch ? -1 : 1;
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    if (a->neighbour != b->neighbour)
        return a->neighbour < b->neighbour ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

/* --- of cells of fixed numbers of nodes ------------------------------------------------------- */

/* Puts the marker of each marked face at the boundary into patch[half]; the first counts. */
static tess_status mark_halves(const beyond_halves *beyond, const tess_marked *marked,
                               tess_foam_faces *out, int32_t *patch) {
    int64_t *half_of = NULL;
    TRY(tess_cell_sides_find(beyond->facets, marked, &half_of));
    for (int64_t side = 0; side < marked->n; side++) {
        const int64_t half = half_of[side];
        const int32_t marker = marked->marker[side];
        if (half < 0 || beyond->cell[half] >= 0 || (patch[half] >= 0 && patch[half] != marker))
            out->n_left_out[marker]++;
        else
            patch[half] = marker;
    }
    free(half_of);
    return TESS_OK;
}

static tess_status gather_halves(const beyond_halves *beyond, const tess_marked *marked,
                                 tess_foam_faces *out) {
    const int64_t n = beyond->facets->n_halves;
    int32_t *patch = NULL;
    tess_status status = TESS_OK;
    CHECK(TESS_ALLOC(n, &patch));
    for (int64_t half = 0; half < n; half++) {
        patch[half] = -1;
        out->n += beyond->cell[half] != NO_FACE;
    }
    CHECK(mark_halves(beyond, marked, out, patch));
    CHECK(TESS_ALLOC(out->n, &out->faces));
    out->n = 0;
    for (int64_t half = 0; half < n; half++) {
        const int32_t neighbour = beyond->cell[half];
        if (neighbour == NO_FACE)
            continue;
        const bool is_bare = neighbour < 0 && patch[half] < 0;
        out->n_bare += is_bare;
        out->n_inner += neighbour >= 0;
        out->faces[out->n++] = (tess_foam_face){.patch = neighbour >= 0 ? -1
                                                         : is_bare      ? marked->n_markers
                                                                        : patch[half],
                                                .owner = (int32_t)(half / beyond->facets->stride),
                                                .neighbour = neighbour,
                                                .from = half};
    }
done:
    free(patch);
    return status;
}

static tess_status find_halves(const tess_marked *marked, tess_foam_faces *out) {
    tess_status status = TESS_OK;
    beyond_halves beyond = {.facets = &out->facets};
    CHECK(TESS_ALLOC(out->facets.n_halves, &beyond.cell));
    for (int64_t half = 0; half < out->facets.n_halves; half++)
        beyond.cell[half] = NO_FACE;
    CHECK(tess_facets_visit(&out->facets, note_halves, &beyond));
    if (beyond.n_shared)
        CHECK(tess_fail(TESS_ERROR_INPUT,
                        "%s: %lld faces have more than two cells, which OpenFOAM does not know; "
                        "'tess mesh check' lists them",
                        out->mesh->source, (long long)beyond.n_shared));
    CHECK(gather_halves(&beyond, marked, out));
done:
    free(beyond.cell);
    return status;
}

/* --- of polyhedra ----------------------------------------------------------------------------- */

static tess_status find_sides(const tess_marked *marked, tess_foam_faces *out) {
    const tess_polytopes *polytopes = &out->polytopes;
    TRY(TESS_ALLOC(polytopes->n_sides, &out->faces));
    out->n = polytopes->n_sides;
    out->n_inner = polytopes->n_inner;
    for (int64_t side = 0; side < out->n; side++) {
        int32_t cells[2];
        tess_foam_face face = {.patch = -1, .from = side};
        tess_polytope_cells(polytopes, side, cells);
        face.owner = cells[1] >= 0 && cells[1] < cells[0] ? cells[1] : cells[0];
        face.neighbour = face.owner == cells[0] ? cells[1] : cells[0];
        const int32_t marker = tess_polytope_marker(polytopes, side);
        if (side < out->n_inner && marker >= 0)
            out->n_left_out[marker]++;
        if (side >= out->n_inner)
            face.patch = marker < 0 ? marked->n_markers : marker;
        out->n_bare += side >= out->n_inner && marker < 0;
        out->faces[side] = face;
    }
    return TESS_OK;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static void centre_of(const tess_mesh *mesh, int n, const int32_t *nodes, double centre[3]) {
    memset(centre, 0, 3 * sizeof *centre);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            centre[d] += mesh->coordinates[3 * (int64_t)nodes[i] + d] / n;
}

/* Whether the normal of a ring points away from a place. */
static bool leaves(const tess_mesh *mesh, int n, const int32_t *nodes, const double place[3]) {
    double centre[3], normal[3] = {0, 0, 0}, along = 0;
    centre_of(mesh, n, nodes, centre);
    for (int i = 0; i < n; i++) {
        const double *a = mesh->coordinates + 3 * (int64_t)nodes[i];
        const double *b = mesh->coordinates + 3 * (int64_t)nodes[(i + 1) % n];
        for (int d = 0; d < 3; d++) {
            const int e = (d + 1) % 3, f = (d + 2) % 3;
            normal[d] +=
                (a[e] - centre[e]) * (b[f] - centre[f]) - (a[f] - centre[f]) * (b[e] - centre[e]);
        }
    }
    for (int d = 0; d < 3; d++)
        along += normal[d] * (centre[d] - place[d]);
    return along >= 0;
}

/* Drops nodes that follow themselves around the ring: those of a collapsed face. */
static int drop_repeated(int n, int32_t *nodes) {
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (nodes[i] != nodes[(i + 1) % n])
            nodes[kept++] = nodes[i];
    return kept;
}

int tess_foam_face_nodes(const tess_foam_faces *faces, const tess_foam_face *face, int32_t *nodes) {
    int n = 0;
    int32_t cells[2];
    bool turns = false;
    if (faces->polytopes.dimension) {
        const int32_t *of = tess_polytope_side(&faces->polytopes, face->from, &n);
        memcpy(nodes, of, (size_t)n * sizeof *nodes);
        tess_polytope_cells(&faces->polytopes, face->from, cells);
        turns = cells[0] != face->owner;
    } else {
        double centre[3];
        const tess_cell_type *type = NULL;
        const int32_t *cell = tess_cell_nodes(faces->facets.cells, face->owner, &type);
        n = drop_repeated(tess_facet_of_half(&faces->facets, face->from, nodes), nodes);
        centre_of(faces->mesh, type->n_nodes, cell, centre);
        turns = !leaves(faces->mesh, n, nodes, centre);
    }
    if (turns)
        tess_reverse(nodes, n);
    return n;
}

int tess_foam_faces_most(const tess_foam_faces *faces) {
    int most = TESS_FACET_NODES_MAX;
    for (int i = 0; i < 2 && faces->polytopes.dimension; i++)
        if (faces->polytopes.of_nodes[i] && faces->polytopes.of_nodes[i]->arity > most)
            most = faces->polytopes.of_nodes[i]->arity;
    return most;
}

tess_status tess_foam_faces_build(const tess_mesh *mesh, const tess_cells *cells,
                                  const tess_marked *marked, tess_foam_faces *out) {
    tess_status status = TESS_OK;
    tess_foam_faces faces = {.mesh = mesh};
    CHECK(TESS_ZEROS(marked->n_markers, &faces.n_left_out));
    if (cells->dimension) {
        faces.facets = tess_facets_of(cells, TESS_FACET_FACES);
        CHECK(find_halves(marked, &faces));
    } else {
        CHECK(tess_polytopes_build(mesh, &faces.polytopes));
        CHECK(find_sides(marked, &faces));
    }
    if (faces.n)
        qsort(faces.faces, (size_t)faces.n, sizeof *faces.faces, compare_faces);
    *out = faces;
    faces = (tess_foam_faces){.n = 0};
done:
    tess_foam_faces_release(&faces);
    return status;
}

void tess_foam_faces_release(tess_foam_faces *faces) {
    tess_polytopes_release(&faces->polytopes);
    free(faces->faces);
    free(faces->n_left_out);
    *faces = (tess_foam_faces){.n = 0};
}

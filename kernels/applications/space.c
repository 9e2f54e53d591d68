/* Space: the geometry of cells and faces that applications on 3D meshes share. */
#include "kernels/applications/space.h"

#include "core/base/array.h"
#include "core/mesh/cells.h"
#include "core/mesh/centroid.h"
#include "core/mesh/polytopes.h"
#include <stdlib.h>
#include <string.h>

/* Middle and area vector of the face of n nodes, turned to point away from the centre of a cell. */
static void face_of(const tess_mesh *mesh, int n, const int32_t *nodes, const double *centre,
                    double *out) {
    const double *x = mesh->coordinates;
    const double *a = x + 3 * (int64_t)nodes[0], *last = x + 3 * (int64_t)nodes[n - 1];
    double towards = 0;
    memset(out, 0, 6 * sizeof *out);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            out[d] += x[3 * (int64_t)nodes[i] + d] / n;
    for (int i = 1; i + 1 < (n == 4 ? 3 : n); i++) {
        const double *b = x + 3 * (int64_t)nodes[i], *c = x + 3 * (int64_t)nodes[i + 1];
        double p[3], q[3];
        for (int d = 0; d < 3; d++) { /* half the cross product of the diagonals, or of two sides */
            p[d] = c[d] - a[d];
            q[d] = n == 4 ? last[d] - b[d] : c[d] - b[d];
        }
        for (int d = 0; d < 3; d++)
            out[3 + d] += (p[(d + 1) % 3] * q[(d + 2) % 3] - p[(d + 2) % 3] * q[(d + 1) % 3]) / 2;
    }
    for (int d = 0; d < 3; d++)
        towards += out[3 + d] * (out[d] - centre[d]);
    for (int d = 0; d < 3 && towards < 0; d++)
        out[3 + d] = -out[3 + d];
}

/* Middle and area vector of a face of a cell that has nodes. */
static void face_of_cell(const tess_mesh *mesh, const tess_cell_type *type, const int32_t *nodes,
                         int face, const double *centre, double *out) {
    const int n = tess_cell_face_size(type, face);
    int32_t ring[4];
    for (int i = 0; i < n; i++)
        ring[i] = nodes[type->face[face][i]];
    face_of(mesh, n, ring, centre, out);
}

static void measure_cell(const tess_mesh *mesh, const tess_cells *cells, int64_t c,
                         tess_space *space) {
    const tess_cell_type *type = NULL;
    const int32_t *nodes = tess_cell_nodes(cells, c, &type);
    double *centre = &space->centre[3 * c];
    for (int i = 0; i < type->n_nodes; i++)
        for (int d = 0; d < 3; d++)
            centre[d] += mesh->coordinates[3 * (int64_t)nodes[i] + d] / type->n_nodes;
    for (int f = 0; f < type->n_faces; f++) {
        double face[6];
        face_of_cell(mesh, type, nodes, f, centre, face);
        for (int d = 0; d < 3; d++) {
            space->volume[c] += (face[d] - centre[d]) * face[3 + d] / 3;
            space->wall[3 * c + d] += face[3 + d]; /* less those inside, below */
        }
    }
}

/* The face of a cell whose nodes all belong to another cell, or -1. */
static int shared_face(const tess_cell_type *type, const int32_t *nodes,
                       const tess_cell_type *other, const int32_t *others) {
    for (int f = 0; f < type->n_faces; f++) {
        int found = 0;
        for (int i = 0; i < tess_cell_face_size(type, f); i++)
            for (int o = 0; o < other->n_nodes; o++)
                found += others[o] == nodes[type->face[f][i]];
        if (found == tess_cell_face_size(type, f))
            return f;
    }
    return -1;
}

static tess_status measure_faces(const tess_mesh *mesh, const tess_cells *cells,
                                 const tess_map *sides, tess_space *space) {
    for (int64_t f = 0; f < space->n_faces; f++) {
        const int32_t *pair = &sides->index[2 * f];
        const tess_cell_type *type = NULL, *other = NULL;
        const int32_t *nodes = tess_cell_nodes(cells, pair[0], &type);
        const int32_t *others = tess_cell_nodes(cells, pair[1], &other);
        const int face = shared_face(type, nodes, other, others);
        if (face < 0)
            FAIL(TESS_ERROR_INPUT, "%s: cells %d and %d of face %lld share no side", mesh->source,
                 pair[0], pair[1], (long long)f);
        face_of_cell(mesh, type, nodes, face, &space->centre[3 * (int64_t)pair[0]],
                     &space->face[6 * f]);
        for (int d = 0; d < 3; d++) {
            space->wall[3 * (int64_t)pair[0] + d] -= space->face[6 * f + 3 + d];
            space->wall[3 * (int64_t)pair[1] + d] += space->face[6 * f + 3 + d];
        }
    }
    return TESS_OK;
}

/* The geometry of polyhedra: a face is the triangles at its middle, so that cells fill the mesh. */
static tess_status measure_polyhedra(const tess_mesh *mesh, const tess_polytopes *polytopes,
                                     tess_space *space) {
    TRY(tess_centroids_build(mesh, tess_mesh_find_set(mesh, "cells"), &space->centre));
    for (int64_t side = 0; side < polytopes->n_sides; side++) {
        int n = 0;
        int32_t cells[2];
        const int32_t *nodes = tess_polytope_side(polytopes, side, &n);
        tess_polytope_cells(polytopes, side, cells);
        for (int k = 0; k < 2; k++) {
            const int64_t c = cells[k];
            double face[6];
            if (c < 0)
                continue;
            face_of(mesh, n, nodes, &space->centre[3 * c], face);
            for (int d = 0; d < 3; d++) {
                space->volume[c] += (face[d] - space->centre[3 * c + d]) * face[3 + d] / 3;
                space->wall[3 * c + d] += side < polytopes->n_inner ? 0 : face[3 + d];
            }
            if (k == 0 && side < polytopes->n_inner)
                memcpy(&space->face[6 * side], face, sizeof face);
        }
    }
    return TESS_OK;
}

tess_status tess_space_bind(tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_cells cells = {.n_cells = 0};
    tess_polytopes polytopes = {.dimension = 0};
    CHECK(tess_cells_build(mesh, &cells));
    CHECK(tess_polytopes_build(mesh, &polytopes));
    if (cells.dimension != 3 && polytopes.dimension != 3)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "volumes and areas follow from the nodes of cells or of their faces; %s "
                        "has neither cells:nodes nor faces:nodes of cells in space",
                        mesh->source));
done:
    tess_polytopes_release(&polytopes);
    tess_cells_release(&cells);
    return status;
}

static tess_status measure_typed_cells(const tess_mesh *mesh, const tess_cells *cells,
                                       const tess_map *sides, tess_space *space) {
    TRY(TESS_ZEROS(3 * space->n_cells, &space->centre));
    for (int64_t c = 0; c < space->n_cells; c++)
        measure_cell(mesh, cells, c, space);
    return measure_faces(mesh, cells, sides, space);
}

tess_status tess_space_build(const tess_mesh *mesh, tess_space *out) {
    tess_status status = TESS_OK;
    tess_cells cells = {.n_cells = 0};
    tess_polytopes polytopes = {.dimension = 0};
    const tess_map *sides = tess_mesh_find_map(mesh, "faces:cells");
    tess_space space = {.n_cells = tess_mesh_set_size(mesh, "cells"),
                        .n_faces = mesh->sets[sides->from].size};
    CHECK(tess_cells_build(mesh, &cells));
    CHECK(tess_polytopes_build(mesh, &polytopes));
    CHECK(TESS_ZEROS(space.n_cells, &space.volume));
    CHECK(TESS_ZEROS(3 * space.n_cells, &space.wall));
    CHECK(TESS_ZEROS(6 * space.n_faces, &space.face));
    CHECK(polytopes.dimension == 3 ? measure_polyhedra(mesh, &polytopes, &space)
                                   : measure_typed_cells(mesh, &cells, sides, &space));
    *out = space;
    space = (tess_space){.n_cells = 0};
done:
    tess_polytopes_release(&polytopes);
    tess_cells_release(&cells);
    tess_space_clear(&space);
    return status;
}

void tess_space_clear(tess_space *space) {
    free(space->centre);
    free(space->volume);
    free(space->face);
    free(space->wall);
    *space = (tess_space){.n_cells = 0};
}

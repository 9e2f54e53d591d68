/* Space: the geometry of cells and faces that applications on 3D meshes share. */
#include "kernels/applications/space.h"

#include "core/base/array.h"
#include "core/mesh/cells.h"
#include <stdlib.h>
#include <string.h>

/* Middle and area vector of a cell's face, turned to point out of the cell. */
static void face_of(const tess_mesh *mesh, const tess_cell_type *type, const int32_t *nodes,
                    int face, const double *centre, double *out) {
    const int n = tess_cell_face_size(type, face);
    double corner[4][3];
    memset(out, 0, 6 * sizeof *out);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 3; d++) {
            corner[i][d] = mesh->coordinates[3 * (int64_t)nodes[type->face[face][i]] + d];
            out[d] += corner[i][d] / n;
        }
    const double *a = corner[0], *b = corner[1], *c = corner[2], *last = corner[n - 1];
    double p[3], q[3], towards = 0;
    for (int d = 0; d < 3; d++) { /* half the cross product of the diagonals, or of two sides */
        p[d] = c[d] - a[d];
        q[d] = n == 4 ? last[d] - b[d] : c[d] - b[d];
    }
    for (int d = 0; d < 3; d++) {
        out[3 + d] = (p[(d + 1) % 3] * q[(d + 2) % 3] - p[(d + 2) % 3] * q[(d + 1) % 3]) / 2;
        towards += out[3 + d] * (out[d] - centre[d]);
    }
    for (int d = 0; d < 3 && towards < 0; d++)
        out[3 + d] = -out[3 + d];
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
        face_of(mesh, type, nodes, f, centre, face);
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
        face_of(mesh, type, nodes, face, &space->centre[3 * (int64_t)pair[0]], &space->face[6 * f]);
        for (int d = 0; d < 3; d++) {
            space->wall[3 * (int64_t)pair[0] + d] -= space->face[6 * f + 3 + d];
            space->wall[3 * (int64_t)pair[1] + d] += space->face[6 * f + 3 + d];
        }
    }
    return TESS_OK;
}

tess_status tess_space_bind(tess_mesh *mesh) {
    tess_cells cells = {.n_cells = 0};
    TRY(tess_cells_build(mesh, &cells));
    const bool has_nodes = cells.n_blocks > 0;
    tess_cells_release(&cells);
    if (!has_nodes)
        FAIL(TESS_ERROR_USAGE,
             "volumes and areas follow from the nodes of cells; %s has polyhedra, and no map "
             "cells:nodes",
             mesh->source);
    return TESS_OK;
}

tess_status tess_space_build(const tess_mesh *mesh, tess_space *out) {
    tess_status status = TESS_OK;
    tess_cells cells = {.n_cells = 0};
    const tess_map *sides = tess_mesh_find_map(mesh, "faces:cells");
    tess_space space = {.n_cells = tess_mesh_set_size(mesh, "cells"),
                        .n_faces = mesh->sets[sides->from].size};
    CHECK(tess_cells_build(mesh, &cells));
    CHECK(TESS_ZEROS(3 * space.n_cells, &space.centre));
    CHECK(TESS_ZEROS(space.n_cells, &space.volume));
    CHECK(TESS_ZEROS(3 * space.n_cells, &space.wall));
    CHECK(TESS_ZEROS(6 * space.n_faces, &space.face));
    for (int64_t c = 0; c < space.n_cells; c++)
        measure_cell(mesh, &cells, c, &space);
    CHECK(measure_faces(mesh, &cells, sides, &space));
    *out = space;
    space = (tess_space){.n_cells = 0};
done:
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

/* The generator `ogrid`: quads in rings around a circle, thin at its wall. */
#include "core/base/array.h"
#include "data/generators/generator.h"

#include <math.h>

static const tess_option options[] = {
    TESS_INT_OPTION("ni", "200", 3, INT32_MAX, "cells around"),
    TESS_INT_OPTION("nj", "100", 1, INT32_MAX, "cells from the wall to the far field"),
    TESS_REAL_OPTION("radius", "20", 1.000001, 1e9, "of the far field; the wall's is 1"),
    TESS_REAL_OPTION("stretch", "1e5", 1, 1e12,
                     "height of the farthest cell / of the one at the wall"),
    {NULL},
};

static void place_nodes(int64_t ni, int64_t nj, double radius, double stretch,
                        double *coordinates) {
    const double growth = nj > 1 ? log(stretch) / (double)(nj - 1) : 0;
#pragma omp parallel for schedule(static)
    for (int64_t j = 0; j <= nj; j++) {
        const double share = growth > 0 ? expm1(growth * (double)j) / expm1(growth * (double)nj)
                                        : (double)j / (double)nj;
        const double r = 1 + (radius - 1) * share;
        for (int64_t i = 0; i < ni; i++) {
            const double angle = 2 * acos(-1) * (double)i / (double)ni;
            coordinates[2 * (j * ni + i)] = r * cos(angle);
            coordinates[2 * (j * ni + i) + 1] = r * sin(angle);
        }
    }
}

/* Rings of cells, the nodes of each against the clock's hand. */
static tess_status add_cells(int64_t ni, int64_t nj, tess_mesh *mesh) {
    int32_t *nodes = NULL;
    TRY(TESS_ALLOC(4 * ni * nj, &nodes));
#pragma omp parallel for schedule(static)
    for (int64_t j = 0; j < nj; j++) {
        for (int64_t i = 0; i < ni; i++) {
            const int64_t next = (i + 1) % ni;
            int32_t *cell = nodes + 4 * (j * ni + i);
            cell[0] = (int32_t)(j * ni + i);
            cell[1] = (int32_t)((j + 1) * ni + i);
            cell[2] = (int32_t)((j + 1) * ni + next);
            cell[3] = (int32_t)(j * ni + next);
        }
    }
    return tess_mesh_add_map(mesh, "cells", "nodes", 4, 0, nodes);
}

static tess_status add_marked(int64_t ni, int64_t nj, tess_mesh *mesh) {
    int wall = 0, far = 0;
    int32_t *nodes = NULL, *marker = NULL;
    TRY(tess_mesh_add_marker(mesh, "wall", &wall));
    TRY(tess_mesh_add_marker(mesh, "far", &far));
    TRY(tess_mesh_add_set(mesh, "marked_edges", 2 * ni, NULL));
    TRY(TESS_ALLOC(4 * ni, &nodes));
    for (int64_t i = 0; i < 2 * ni; i++) {
        const int64_t ring = i < ni ? 0 : nj * ni;
        nodes[2 * i] = (int32_t)(ring + i % ni);
        nodes[2 * i + 1] = (int32_t)(ring + (i + 1) % ni);
    }
    TRY(tess_mesh_add_map(mesh, "marked_edges", "nodes", 2, 0, nodes));
    TRY(TESS_ALLOC(2 * ni, &marker));
    for (int64_t i = 0; i < 2 * ni; i++)
        marker[i] = i < ni ? wall : far;
    return tess_mesh_add_dat(mesh, "marker", "marked_edges", 1, TESS_INT32, marker);
}

static tess_status fill(const tess_spec *spec, tess_mesh *mesh) {
    const int64_t ni = tess_spec_int(spec, options, "ni"), nj = tess_spec_int(spec, options, "nj");
    TRY(tess_mesh_add_set(mesh, "nodes", ni * (nj + 1), NULL));
    TRY(tess_mesh_add_set(mesh, "cells", ni * nj, NULL));
    TRY(TESS_ALLOC(2 * ni * (nj + 1), &mesh->coordinates));
    place_nodes(ni, nj, tess_spec_real(spec, options, "radius"),
                tess_spec_real(spec, options, "stretch"), mesh->coordinates);
    TRY(add_cells(ni, nj, mesh));
    return add_marked(ni, nj, mesh);
}

const tess_generator tess_generator_ogrid = {
    .name = "ogrid",
    .summary = "rings of quads around a circle, with a boundary layer at its wall",
    .dimension = 2,
    .options = options,
    .fill = fill};

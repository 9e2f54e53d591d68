/* VTK's grid: the arrays in which its files hold a mesh: its cells, then its marked boundary
 * elements. */
#pragma once

#include "core/mesh/cells.h"
#include "data/formats/marked.h"

typedef struct tess_vtk_grid {
    int64_t n_points, n_cells, n_ids;
    double *points;   /* [n_points][3]; all owned */
    uint8_t *types;   /* [n_cells] VTK's */
    int64_t *offsets; /* [n_cells + 1] into ids */
    int64_t *ids;     /* [n_ids]: of polyhedra all nodes, ascending */
    int32_t *markers; /* [n_cells]: 0 for cells, 1 for the first marker */
    int32_t *regions; /* [n_cells]: 0 for what is in none, 1 for the first; NULL without regions */
    int64_t n_faces;  /* of polyhedra, each of which has its own; 0: there are none */
    int64_t n_face_ids;
    int64_t *face_offsets; /* [n_faces + 1] into face_ids */
    int64_t *face_ids;     /* [n_face_ids]: the nodes of each as they are seen from outside */
    int64_t *cell_faces;   /* [n_cells + 1]: the first face of each cell */
} tess_vtk_grid;

/* Fills the grid, which the caller releases. Cells without nodes are polygons or polyhedra by their
 * sides (core/mesh/polytopes.h), whose dats `marker` mark the boundary. Fails (INPUT) on polygons
 * whose edges are no ring, naming the first. */
TESS_MUST_CHECK tess_status tess_vtk_grid_build(const tess_mesh *mesh, const tess_cells *cells,
                                                const tess_marked *marked, tess_vtk_grid *out);
/* Puts the tags of markers and regions in the place of their numbers; 0 stays. */
void tess_vtk_grid_tag_groups(tess_vtk_grid *grid, const tess_marked *marked);
void tess_vtk_grid_release(tess_vtk_grid *grid);

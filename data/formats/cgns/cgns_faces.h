/* The faces of a CGNS file: polygons (NGON_n), and the polyhedra that they close (NFACE_n). Where
 * cells have two dimensions the polygons are the cells. */
#pragma once

#include "data/formats/cgns/cgns_section.h"

typedef struct tess_cgns_faces {
    int64_t n_cells, n_values;
    int64_t left_capacity, right_capacity, group_capacity, start_capacity, value_capacity;
    int64_t cell_group_capacity;
    int32_t *left, *right;   /* [rings.n]: the cells on the sides of each face, -1: none; the normal
                                leaves the left one; owned */
    int32_t *group;          /* [rings.n]: of a boundary condition or a section; -1: none; owned */
    int32_t *cell_group;     /* [n_cells]: of a section; 0: none; owned */
    tess_jagged_array rings; /* the nodes around each; owned */
} tess_cgns_faces;

/* Appends the polygons and polyhedra of the present zone, whose nodes are read. Fails (INPUT) on
 * numbers of nodes or faces that there are not, and where a face has more than two cells. */
TESS_MUST_CHECK tess_status tess_cgns_faces_read(tess_cgns_file *file, int n_sections,
                                                 tess_cgns_faces *faces);

/* Makes the mesh of all zones, which takes coordinates, elements and faces over: polygons and
 * polyhedra lie behind the cells of a fixed number of nodes. */
TESS_MUST_CHECK tess_status tess_cgns_faces_mesh(tess_cgns_file *file, tess_cgns_faces *faces,
                                                 tess_mesh **out);
void tess_cgns_faces_clear(tess_cgns_faces *faces);

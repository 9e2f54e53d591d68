/* The cells of a piece of a VTU file, of which a few are read at a time: the arrays take many times
 * what the mesh does. */
#pragma once

#include "data/formats/name_counts.h"
#include "data/formats/vtk/vtk_array.h"
#include "data/formats/vtk/vtk_cells.h"

/* The arrays of a piece that make its mesh; the last six are the faces of polyhedra, in the form
 * before VTK 9.4 and in that since. */
typedef enum tess_vtu_role {
    VTU_POINTS,
    VTU_CONNECTIVITY,
    VTU_OFFSETS,
    VTU_TYPES,
    VTU_GHOSTS,
    VTU_GROUPS,
    VTU_REGIONS,
    VTU_FACES,
    VTU_FACES_ENDS,
    VTU_FACE_NODES,
    VTU_FACE_ENDS,
    VTU_CELL_FACES,
    VTU_CELL_FACES_ENDS,
    VTU_ROLES
} tess_vtu_role;

typedef struct tess_vtu_piece {
    int64_t n_points, n_cells;
    tess_scan position;  /* of the element <Piece>, for messages */
    int64_t type;        /* VTK's of all cells; 0: the array of types says it */
    bool faces_in_cells; /* the nodes of a polyhedron are the stream of its faces: legacy files */
    tess_vtk_array arrays[VTU_ROLES];
} tess_vtu_piece;

/* What cell data of that name are for: ghosts, groups, or VTU_ROLES. */
tess_vtu_role tess_vtu_cell_data_role(const char *name);

/* The names of cell data that say something of the mesh and were left out, "" for none; and of all
 * data that say nothing of it. */
typedef struct tess_vtu_left_out {
    tess_short_word odd;   /* not one whole number for each cell */
    tess_short_word later; /* they come after others for the same */
    tess_name_counts data;
} tess_vtu_left_out;

TESS_MUST_CHECK tess_status tess_vtu_warn_of_left_out(const tess_vtu_left_out *left_out,
                                                      tess_mesh *mesh);

/* Appends the cells of a piece that has points, connectivity, offsets and types; `first_node` is
 * the number of its first point. Fails (INPUT) as tess_vtk_cells_append(). */
TESS_MUST_CHECK tess_status tess_vtu_cells_append(const tess_vtu_piece *piece,
                                                  const tess_vtk_coding *coding, int64_t first_node,
                                                  tess_elements *elements);

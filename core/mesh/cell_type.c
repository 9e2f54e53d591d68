/* A cell type: its nodes, edges and faces, in VTK's order of nodes. */
#include "core/mesh/cell_type.h"

#include <string.h>

const tess_cell_type tess_cell_types[TESS_CELL_TYPES] = {
    {.set = "tris",
     .dimension = 2,
     .vtk = 5,
     .n_nodes = 3,
     .n_edges = 3,
     .edge = {{0, 1}, {1, 2}, {2, 0}}},
    {.set = "quads",
     .dimension = 2,
     .vtk = 9,
     .n_nodes = 4,
     .n_edges = 4,
     .edge = {{0, 1}, {1, 2}, {2, 3}, {3, 0}}},
    {.set = "tets",
     .dimension = 3,
     .vtk = 10,
     .n_nodes = 4,
     .n_edges = 6,
     .n_faces = 4,
     .edge = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
     .face = {{0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}, {0, 2, 1, -1}}},
    {.set = "pyramids",
     .dimension = 3,
     .vtk = 14,
     .n_nodes = 5,
     .n_edges = 8,
     .n_faces = 5,
     .edge = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}},
     .face = {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}}},
    {.set = "prisms",
     .dimension = 3,
     .vtk = 13,
     .n_nodes = 6,
     .n_edges = 9,
     .n_faces = 5,
     .edge = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
     .face = {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
    {.set = "hexes",
     .dimension = 3,
     .vtk = 12,
     .n_nodes = 8,
     .n_edges = 12,
     .n_faces = 6,
     .edge = {{0, 1},
              {1, 2},
              {2, 3},
              {3, 0},
              {4, 5},
              {5, 6},
              {6, 7},
              {7, 4},
              {0, 4},
              {1, 5},
              {2, 6},
              {3, 7}},
     .face = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}},
};

const tess_cell_type *tess_cell_type_of_set(const char *name) {
    for (int t = 0; t < TESS_CELL_TYPES; t++)
        if (strcmp(tess_cell_types[t].set, name) == 0)
            return &tess_cell_types[t];
    return NULL;
}

const tess_cell_type *tess_cell_type_of_size(int dimension, int n_nodes) {
    for (int t = 0; t < TESS_CELL_TYPES; t++)
        if (tess_cell_types[t].dimension == dimension && tess_cell_types[t].n_nodes == n_nodes)
            return &tess_cell_types[t];
    return NULL;
}

int tess_cell_face_size(const tess_cell_type *type, int face) {
    return type->face[face][3] < 0 ? 3 : 4;
}

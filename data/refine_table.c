/* How the cells of each type are cut: the pieces by their nodes, as local points of the cell. */
#include "data/refine_table.h"

#include <string.h>

static const tess_refinement refinements[] = {
    {.set = "tris",
     .n_pieces = 4,
     .pieces =
         {{"tris", {0, 3, 5}}, {"tris", {3, 1, 4}}, {"tris", {5, 4, 2}}, {"tris", {3, 4, 5}}}},
    {.set = "quads",
     .has_centre = true,
     .n_pieces = 4,
     .pieces = {{"quads", {0, 4, 8, 7}},
                {"quads", {4, 1, 5, 8}},
                {"quads", {8, 5, 2, 6}},
                {"quads", {7, 8, 6, 3}}}},
    /* The last four are replaced by those around the shortest diagonal. */
    {.set = "tets",
     .n_pieces = 8,
     .pieces = {{"tets", {0, 4, 6, 7}},
                {"tets", {4, 1, 5, 8}},
                {"tets", {6, 5, 2, 9}},
                {"tets", {7, 8, 9, 3}},
                {"tets", {4, 9, 5, 6}},
                {"tets", {4, 9, 6, 7}},
                {"tets", {4, 9, 7, 8}},
                {"tets", {4, 9, 8, 5}}}},
    {.set = "pyramids",
     .n_pieces = 10,
     .pieces = {{"pyramids", {0, 5, 13, 8, 9}},
                {"pyramids", {5, 1, 6, 13, 10}},
                {"pyramids", {13, 6, 2, 7, 11}},
                {"pyramids", {8, 13, 7, 3, 12}},
                {"pyramids", {9, 10, 11, 12, 4}},
                {"pyramids", {9, 12, 11, 10, 13}},
                {"tets", {10, 5, 9, 13}},
                {"tets", {11, 6, 10, 13}},
                {"tets", {12, 7, 11, 13}},
                {"tets", {9, 8, 12, 13}}}},
    {.set = "prisms",
     .n_pieces = 8,
     .pieces = {{"prisms", {0, 6, 8, 12, 15, 17}},
                {"prisms", {6, 1, 7, 15, 13, 16}},
                {"prisms", {8, 7, 2, 17, 16, 14}},
                {"prisms", {6, 7, 8, 15, 16, 17}},
                {"prisms", {12, 15, 17, 3, 9, 11}},
                {"prisms", {15, 13, 16, 9, 4, 10}},
                {"prisms", {17, 16, 14, 11, 10, 5}},
                {"prisms", {15, 16, 17, 9, 10, 11}}}},
    /* Faces: 20 bottom, 21 top, 22 front (0 1 5 4), 23 right, 24 back, 25 left; 26 the centre. */
    {.set = "hexes",
     .has_centre = true,
     .n_pieces = 8,
     .pieces = {{"hexes", {0, 8, 20, 11, 16, 22, 26, 25}},
                {"hexes", {8, 1, 9, 20, 22, 17, 23, 26}},
                {"hexes", {20, 9, 2, 10, 26, 23, 18, 24}},
                {"hexes", {11, 20, 10, 3, 25, 26, 24, 19}},
                {"hexes", {16, 22, 26, 25, 4, 12, 21, 15}},
                {"hexes", {22, 17, 23, 26, 12, 5, 13, 21}},
                {"hexes", {26, 23, 18, 24, 21, 13, 6, 14}},
                {"hexes", {25, 26, 24, 19, 15, 21, 14, 7}}}},
};

/* Opposite points of the octahedron: 4 and 9, 5 and 7, 6 and 8. */
const signed char tess_refine_diagonals[3][4][4] = {
    {{4, 9, 5, 6}, {4, 9, 6, 7}, {4, 9, 7, 8}, {4, 9, 8, 5}},
    {{5, 7, 4, 8}, {5, 7, 8, 9}, {5, 7, 9, 6}, {5, 7, 6, 4}},
    {{6, 8, 4, 5}, {6, 8, 5, 9}, {6, 8, 9, 7}, {6, 8, 7, 4}},
};

const tess_refinement *tess_refinement_of(const char *set) {
    for (size_t i = 0; i < sizeof refinements / sizeof refinements[0]; i++)
        if (strcmp(refinements[i].set, set) == 0)
            return &refinements[i];
    return NULL;
}

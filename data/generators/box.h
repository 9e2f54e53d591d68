/* A box: the points of a rectangle or a cuboid in rows, from which meshes of boxes are made. */
#ifndef TESS_BOX_H
#define TESS_BOX_H

#include "data/generators/generator.h"

typedef struct tess_box {
    int dimension;
    int64_t n[3]; /* cells along each axis; 1 along the third in 2D */
    bool periodic[3];
    double length[3];
    double stretch; /* largest / smallest cell along the last axis, which grow geometrically */
} tess_box;

/* The options that every box has, for the table of a generator. */
#define TESS_BOX_OPTIONS_2D                                                                        \
    {"nx", "100", "cells along x", TESS_OPTION_INT, 1, INT32_MAX, NULL},                           \
        {"ny", "100", "cells along y", TESS_OPTION_INT, 1, INT32_MAX, NULL},                       \
        {"lx", "1", "length along x", TESS_OPTION_REAL, 1e-30, 1e30, NULL},                        \
        {"ly", "1", "length along y", TESS_OPTION_REAL, 1e-30, 1e30, NULL}, {                      \
        "stretch", "1", "largest / smallest cell along the last axis", TESS_OPTION_REAL, 1, 1e9,   \
            NULL                                                                                   \
    }

#define TESS_BOX_PERIODIC_2D                                                                       \
    {                                                                                              \
        "periodic", "none", "axes whose ends are joined: their nodes are one", TESS_OPTION_CHOICE, \
            0, 0, "none|x|y|xy"                                                                    \
    }

#define TESS_BOX_OPTIONS_3D                                                                        \
    {"nx", "20", "cells along x", TESS_OPTION_INT, 1, INT32_MAX, NULL},                            \
        {"ny", "20", "cells along y", TESS_OPTION_INT, 1, INT32_MAX, NULL},                        \
        {"nz", "20", "cells along z", TESS_OPTION_INT, 1, INT32_MAX, NULL},                        \
        {"lx", "1", "length along x", TESS_OPTION_REAL, 1e-30, 1e30, NULL},                        \
        {"ly", "1", "length along y", TESS_OPTION_REAL, 1e-30, 1e30, NULL},                        \
        {"lz", "1", "length along z", TESS_OPTION_REAL, 1e-30, 1e30, NULL}, {                      \
        "stretch", "1", "largest / smallest cell along the last axis", TESS_OPTION_REAL, 1, 1e9,   \
            NULL                                                                                   \
    }

#define TESS_BOX_PERIODIC_3D                                                                       \
    {                                                                                              \
        "periodic", "none", "axes whose ends are joined: their nodes are one", TESS_OPTION_CHOICE, \
            0, 0, "none|x|y|z|xy|xz|yz|xyz"                                                        \
    }

/* How the boundary of a box is marked: by edges in 2D; in 3D by quads, by two tris each, or by tris
 * on the two z sides only (prisms). */
typedef enum tess_box_marks {
    TESS_BOX_EDGES,
    TESS_BOX_QUADS,
    TESS_BOX_TRIS,
    TESS_BOX_Z_TRIS
} tess_box_marks;

/* Makes the mesh of a checked spec: nodes, boundary marked "x0", "x1", "y0" ..., and cells, each
 * box of points cut into `n_parts` cells of `type` whose nodes are corners[part][...] (corner
 * number = x + 2 y + 4 z). */
TESS_MUST_CHECK tess_status tess_box_generate(const tess_spec *spec, const tess_option *options,
                                              int dimension, const char *type, int n_parts,
                                              const signed char *corners, tess_box_marks marks,
                                              tess_mesh **out);

#endif

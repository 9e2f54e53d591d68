/* VTK's numbers of the types of cells that are not told by their nodes alone. */
#pragma once

enum {
    TESS_VTK_LINE = 3,
    TESS_VTK_TRIANGLE = 5,
    TESS_VTK_POLYGON = 7,
    TESS_VTK_QUAD = 9,
    TESS_VTK_POLYHEDRON = 42
};

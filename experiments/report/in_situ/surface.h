/* A surface: what a solution is on the walls of a 2D mesh. */
#pragma once

#include "kernels/loops/application.h"

/* Fails (USAGE) where the application has no fields on walls, (IO) where the path takes no file. */
TESS_MUST_CHECK tess_status tess_surface_check(const tess_application *application,
                                               const char *path);

/* Writes a CSV file, replaced if it is there: a line for each side of the boundary that is a wall,
 * in the mesh's order, with the position of its middle (x, y), its normal into the wall, as long as
 * the side (normal_x, normal_y: the force of a pressure p on the wall is the sum of p times it),
 * and the application's fields there, those of the cell that has the side. Fails as
 * tess_surface_check, (INPUT) where the mesh has no wall, (IO) on a full disk. */
TESS_MUST_CHECK tess_status tess_surface_write(const tess_application *application,
                                               const tess_state *state, const char *path);

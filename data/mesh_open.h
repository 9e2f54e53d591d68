/* A mesh as it is named on a command line: a file or a generator, and how it is changed.
 *
 *   naca0012_inv.su2.xz                     a file of any known format (data/formats/reader.h)
 *   north_sea.msh.xz                        the mesh that ships, where no such file is here
 *   quads:nx=400:ny=100:stretch=1e4         a generator with its options (generator.h)
 *   naca0012_inv.su2.xz:refine=2:shuffle=7  either, refined twice, then shuffled with seed 7
 *   tets:nx=40:ny=40:nz=40:order=rcm        either, its nodes then numbered along its edges
 *
 * A word that is a generator's name is that generator, so a file of such a name is written ./quads.
 * A path that holds ':' or ',' is found where there is such a file, else quoted with "...". */
#pragma once

#include "core/base/spec.h"
#include "core/mesh/mesh.h"

/* The options that every mesh has: `refine`, `shuffle`, `order`, `part` ...; ends with key = NULL.
 */
extern const tess_option tess_mesh_options[];

/* Reads or generates the mesh that the text names, refines, shuffles and orders it. Its `source` is
 * the text without what has no effect. Fails (USAGE) on a text that cannot be understood or names
 * nothing, with a suggestion; (INPUT) as the readers and the refinement do. */
TESS_MUST_CHECK tess_status tess_mesh_open(const char *text, tess_mesh **out);

/* A mesh file of the lab: meshes/<digest>.hdf (docs/concepts.md, "The lab").
 *
 * /sets/<name>             a group with the attribute `size`
 * /maps/<from>_<to>        [from][arity], attributes `from`, `to`, `padded`, `derived` (2: of pairs)
 * /coordinates             [nodes][dimension]
 * /dats/<set>/<name>       [set][dim]
 * /markers                 names of boundary markers, by the values of the dats `marker`
 * root attributes          `dimension`, `shape`, `source` and `digest`
 * Sets and maps have the attribute `order`: their place in the mesh. Dats come back set by set, by
 * name. */
#pragma once

#include "core/mesh/mesh.h"

/* Writes a mesh, whole or not at all; `digest` is its own. */
TESS_MUST_CHECK tess_status tess_mesh_file_write(const tess_mesh *mesh, const char *digest,
                                                 const char *path);

/* Reads one back: the same sets, maps, dats and coordinates in the same order, every index checked.
 * Fails (INPUT) by naming the file and what is wrong. */
TESS_MUST_CHECK tess_status tess_mesh_file_read(const char *path, tess_mesh **out);

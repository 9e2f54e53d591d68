/* A table of marked facets: which marker a file gives to the boundary facet with certain nodes. */
#pragma once

#include "core/mesh/facets.h"

typedef struct tess_marker_table tess_marker_table;

/* Of the mesh's marked_edges (kind EDGES) or marked_tris and marked_quads (FACES). Gives NULL where
 * the mesh has none with a dat `marker`. */
TESS_MUST_CHECK tess_status tess_marker_table_build(const tess_mesh *mesh, tess_facet_kind kind,
                                                    tess_marker_table **out);

/* The marker of the facet with that key, -1 where it has none. From any thread. */
int32_t tess_marker_table_find(tess_marker_table *table, const int32_t key[TESS_FACET_NODES_MAX]);

/* Marked facets that were never found, and those that mark a facet a second time. */
int64_t tess_marker_table_unused(const tess_marker_table *table);
int64_t tess_marker_table_repeated(const tess_marker_table *table);
void tess_marker_table_free(tess_marker_table *table);

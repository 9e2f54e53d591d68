/* Marker groups: the numbers by which a file tells its boundary elements apart, made markers. */
#ifndef TESS_MARKER_GROUPS_H
#define TESS_MARKER_GROUPS_H

#include "data/formats/elements.h"

/* Writes the name of a group into text[size]. */
typedef void tess_group_namer(const void *context, int32_t group, char *text, size_t size);

/* Replaces `marker` of the boundary elements (one dimension less than the cells), a group's number
 * up to now, by the marker of the mesh that has the group's name. Fails (INPUT) on more than ten
 * thousand groups. */
TESS_MUST_CHECK tess_status tess_marker_groups_name(tess_elements *elements, tess_mesh *mesh,
                                                    tess_group_namer *name, const void *context);

/* Makes the mesh of a file whose boundary elements have groups and nothing else: of the nodes at
 * *coordinates [n_nodes][dimension], which it takes over, and of the elements, which are let go. */
TESS_MUST_CHECK tess_status tess_marker_groups_mesh(const char *path, int dimension,
                                                    int64_t n_nodes, double **coordinates,
                                                    tess_elements *elements, tess_group_namer *name,
                                                    tess_mesh **out);

#endif

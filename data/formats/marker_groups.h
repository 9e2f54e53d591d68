/* Marker groups: the numbers by which a file tells its boundary elements apart, made markers. */
#pragma once

#include "data/formats/elements.h"

/* Writes the name of a group into text[size]. */
typedef void tess_group_namer(const void *context, int32_t group, char *text, size_t size);

/* Replaces `marker` of the boundary elements (one dimension less than the cells), a group's number
 * up to now, by the marker of the mesh that has the group's name. Fails (INPUT) on more than ten
 * thousand groups. */
TESS_MUST_CHECK tess_status tess_marker_groups_name(tess_elements *elements, tess_mesh *mesh,
                                                    tess_group_namer *name, const void *context);

/* What a file gives whose boundary elements have groups and nothing else. */
typedef struct tess_grouped {
    const char *kind; /* of its groups: "surface" makes markers "surface 1", "surface 2" ... */
    int dimension;    /* a plane of constant z in three makes a mesh of two */
    int64_t n_nodes;
    double **coordinates; /* [n_nodes][dimension], taken over */
    tess_elements *elements;
    tess_group_namer *name; /* of the markers; NULL: by `kind` */
    const void *context;
} tess_grouped;

/* Makes its mesh; the elements are let go. */
TESS_MUST_CHECK tess_status tess_marker_groups_mesh(const char *path, const tess_grouped *grouped,
                                                    tess_mesh **out);

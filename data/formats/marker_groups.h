/* Marker groups: the numbers by which a file tells its boundary elements apart, made markers. */
#pragma once

#include "data/formats/elements.h"

/* Writes the name of a group into text[size]. */
typedef void tess_group_namer(const void *context, int32_t group, char *text, size_t size);

/* What a file gives whose boundary elements have groups, their `marker`, and nothing else. */
typedef struct tess_grouped {
    const char *kind; /* of its groups: "surface" makes markers "surface 1", "surface 2" ... */
    int dimension;    /* a plane of constant z in three makes a mesh of two */
    int64_t n_nodes;
    double *coordinates; /* [n_nodes][dimension]; owned */
    tess_elements elements;
    tess_group_namer *name; /* of the markers; NULL: by `kind` */
    const void *context;
} tess_grouped;

/* Makes its mesh, which takes coordinates and elements over. Boundary elements (one dimension less
 * than the cells) get the marker that has their group's name. Fails (INPUT) on more than ten
 * thousand groups. */
TESS_MUST_CHECK tess_status tess_marker_groups_mesh(const char *path, tess_grouped *grouped,
                                                    tess_mesh **out);
void tess_grouped_clear(tess_grouped *grouped);

/* Marker groups: the numbers by which a file tells its elements apart, made markers of sides and
 * regions of cells. */
#pragma once

#include "data/formats/elements.h"

enum {
    TESS_GROUP_NAME_SIZE = 256, /* bytes of a name with its closing zero */
    TESS_MOST_GROUPS = 10000
};

/* Which elements a group is of. */
typedef enum tess_group_of {
    TESS_GROUP_OF_CELLS,
    TESS_GROUP_OF_SIDES, /* of one dimension less */
    TESS_GROUP_OF_LOWER  /* of fewer still: they are left out */
} tess_group_of;

/* Writes the name of a group into text[size], "" where nothing names it, and gives the number by
 * which a file would know it, 0: none. */
typedef int32_t tess_group_namer(const void *context, tess_group_of of, int32_t group, char *text,
                                 size_t size);

/* What a file gives whose elements have groups, their `marker`, and nothing else. */
typedef struct tess_grouped {
    const char *kind; /* of its groups: "surface" makes markers "surface 1", "surface 2" ..., and
                         regions "region 1" ... but for 0 */
    int dimension;    /* a plane of constant z in three makes a mesh of two */
    int64_t n_nodes;
    double *coordinates; /* [n_nodes][dimension]; owned */
    tess_elements elements;
    tess_group_namer *name; /* NULL: by `kind` */
    const void *context;
} tess_grouped;

/* Makes its mesh, which takes coordinates and elements over. Boundary elements (one dimension less
 * than the cells) get the marker that has their group's name, cells the region. What has a group
 * and fewer dimensions is left out with a warning, and so are groups that have the name of another.
 * Fails (INPUT) on more than ten thousand groups of boundary elements. */
TESS_MUST_CHECK tess_status tess_marker_groups_mesh(const char *path, tess_grouped *grouped,
                                                    tess_mesh **out);
void tess_grouped_clear(tess_grouped *grouped);

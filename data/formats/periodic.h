/* Periodic nodes: pairs of nodes that a file says to be the same, though they lie apart. */
#pragma once

#include "data/formats/marker_groups.h"

typedef struct tess_periodic {
    bool joins;      /* the nodes of pairs are to become one */
    int64_t n_sides; /* pairs of sides, or lists of nodes, that the file names */
    int64_t n, capacity;
    int32_t (*pairs)[2]; /* [n]: nodes; owned */
} tess_periodic;

/* Begins as the file is to be read. */
tess_periodic tess_periodic_of(const tess_file_text *text);
TESS_MUST_CHECK tess_status tess_periodic_add(tess_periodic *periodic, int64_t node, int64_t other);

/* Makes the nodes of each pair one where that is asked for. */
TESS_MUST_CHECK tess_status tess_periodic_join(tess_periodic *periodic, tess_grouped *grouped);
/* Says that sides were joined, or how they can be. */
TESS_MUST_CHECK tess_status tess_periodic_warn(const tess_periodic *periodic, tess_mesh *mesh);
void tess_periodic_clear(tess_periodic *periodic);

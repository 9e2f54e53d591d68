/* Numbered pieces: parts of a mesh whose nodes and elements have numbers in the whole. */
#pragma once

#include "data/formats/marker_groups.h"

typedef struct tess_numbered_node {
    int64_t number;
    double x[3];
} tess_numbered_node;

/* Its nodes are places among those that were added. */
typedef struct tess_numbered_element {
    int64_t number;
    tess_element element;
} tess_numbered_element;

typedef struct tess_numbered_pieces {
    int64_t n_nodes, node_capacity, n_elements, element_capacity;
    tess_numbered_node *nodes;       /* owned */
    tess_numbered_element *elements; /* owned */
} tess_numbered_pieces;

TESS_MUST_CHECK tess_status tess_numbered_add_node(tess_numbered_pieces *pieces,
                                                   const tess_numbered_node *node);
TESS_MUST_CHECK tess_status tess_numbered_add_element(tess_numbered_pieces *pieces,
                                                      const tess_numbered_element *element);

/* Fills the nodes and elements of `grouped`, whose dimension is known: nodes of one number are one,
 * and both are in the order of their numbers; elements of one number in that in which they came. */
TESS_MUST_CHECK tess_status tess_numbered_join(tess_numbered_pieces *pieces, tess_grouped *grouped);
void tess_numbered_clear(tess_numbered_pieces *pieces);

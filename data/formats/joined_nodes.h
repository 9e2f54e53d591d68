/* Joined nodes: one of the copies that the pieces of a mesh have of the nodes between them. */
#pragma once

#include "data/formats/marker_groups.h"

/* The nodes of all pieces, one piece behind the other. */
typedef struct tess_pieces {
    int64_t n_pieces;
    int64_t *first_node; /* [n_pieces + 1] */
} tess_pieces;

/* Makes nodes of different pieces one where their coordinates [nodes][3] are equal; those of one
 * piece stay apart. Changes the elements' nodes, packs the coordinates, sets n_nodes. */
TESS_MUST_CHECK tess_status tess_joined_nodes(const tess_pieces *pieces, tess_grouped *grouped);

/* Makes nodes one as `joined` says: the node that each becomes, itself or a lower one which stays.
 * Leaves there their new numbers; changes the elements' nodes, packs the coordinates, of as many
 * dimensions as the mesh has, sets n_nodes. */
TESS_MUST_CHECK tess_status tess_joined_nodes_pack(tess_grouped *grouped, int32_t *joined);

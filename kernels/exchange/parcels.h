/* Parcels: which values a rank sends to and receives from each other rank in one exchange, and
 * where they lie in the two messages. */
#pragma once

#include "core/ranks/rank_mesh.h"

/* The rows of one dat on one side. */
typedef struct tess_parcel_rows {
    int64_t n;
    int64_t *first;    /* [n_peers + 1]: where the rows of each peer begin; owned */
    int32_t *row;      /* [n]: the element in the rank's mesh; owned */
    int32_t *position; /* [n]: of its values in the messages, in values of the dat's type; owned */
} tess_parcel_rows;

/* What is sent, or what is received: one message a peer, all dats in it, each from a multiple of 8
 * bytes on. Both ends order it by dat, then by the element in the whole mesh. */
typedef struct tess_parcel_side {
    int n_peers;
    int32_t *peers;         /* [n_peers], ascending; owned */
    int64_t *offset;        /* [n_peers + 1]: bytes; owned */
    tess_parcel_rows *rows; /* [n_lists]; owned */
} tess_parcel_side;

typedef struct tess_parcels {
    int n_lists;
    tess_parcel_side out, in;
} tess_parcels;

/* One dat of an exchange. */
typedef struct tess_parcel_list {
    const tess_halo_list *list;
    int64_t row_bytes; /* of one element's values */
    int type_bytes;    /* of one value */
} tess_parcel_list;

/* Gives the parcels of a rank for some dats. Values arrive: a rank sends what it owns. Where they
 * return, it sends the sums that it has for points of others. */
TESS_MUST_CHECK tess_status tess_parcels_build(const tess_ranking *ranking,
                                               const tess_rank_mesh *rank_mesh,
                                               const tess_parcel_list *lists, int n_lists,
                                               bool returns, tess_parcels **out);
void tess_parcels_free(tess_parcels *parcels);

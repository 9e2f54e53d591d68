/* A transfer: one exchange of one rank on its device, made again and again: packed, sent, received,
 * unpacked or added. */
#pragma once

#include "kernels/exchange/engine.h"
#include "kernels/exchange/mover.h"

typedef struct tess_transfer tess_transfer;

/* What a transfer belongs to; all outlives it. */
typedef struct tess_transfer_setting {
    tess_crew *crew;
    const tess_ranking *ranking;
    const tess_rank_mesh *rank_mesh;
    const tess_store *store; /* of the rank */
    const tess_loop *loop;   /* that the lists are of */
    const tess_mover *mover;
    bool writes_elsewhere; /* a chain, which leaves what it reads as it is */
} tess_transfer_setting;

/* Opens the transfer of some dats, all ranks with the same tag; see tess_parcels_build. */
TESS_MUST_CHECK tess_status tess_transfer_open(const tess_transfer_setting *setting,
                                               const tess_halo_list *const *lists, int n_lists,
                                               bool returns, int tag, tess_transfer **out);
void tess_transfer_close(tess_transfer *transfer);

/* Packs and sends; waits, and unpacks what arrives or adds what returns, at each point in the order
 * of the peers, so that sums do not depend on which message is first. */
TESS_MUST_CHECK tess_status tess_transfer_start(tess_transfer *transfer);
TESS_MUST_CHECK tess_status tess_transfer_finish(tess_transfer *transfer);

/* Packs and unpacks without carrying anything: its time is a part of the exchange's. */
TESS_MUST_CHECK tess_status tess_transfer_pack(const tess_transfer *transfer);

/* Bytes and messages that the rank receives each time. */
int64_t tess_transfer_bytes(const tess_transfer *transfer);
int tess_transfer_messages(const tess_transfer *transfer);

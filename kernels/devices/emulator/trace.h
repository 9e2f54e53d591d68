/* A trace: the warp-level accesses of a block to global memory, in the order of each warp, between
 * its barriers. */
#pragma once

#include "core/base/status.h"
#include "kernels/devices/counters.h"
#include <stdint.h>

typedef enum tess_trace_kind {
    TESS_TRACE_FETCH, /* of what nobody writes */
    TESS_TRACE_LOAD,
    TESS_TRACE_STORE,
    TESS_TRACE_ATOMIC,
    TESS_TRACE_KINDS
} tess_trace_kind;

typedef struct tess_trace_access {
    uint8_t kind;
    uint8_t n_sectors; /* distinct */
    uint16_t passes;   /* of an atomic: for each sector the most lanes on one address, summed */
    int64_t first;     /* of its sectors */
} tess_trace_access;

typedef struct tess_trace {
    int64_t n_accesses, access_capacity;
    tess_trace_access *accesses;
    int64_t n_sectors, sector_capacity;
    uint64_t *sectors; /* addresses / 32 */
    /* what warp w does in interval i is accesses[piece[i * n_warps + w] ... of the next piece) */
    int n_warps;
    int64_t n_pieces, piece_capacity;
    int64_t *piece;
} tess_trace;

/* An empty trace of a block of n_warps. */
TESS_MUST_CHECK tess_status tess_trace_new(int n_warps, tess_trace **out);
void tess_trace_free(tess_trace *trace);

/* Begins the next piece: of the next warp, or of the first in the next interval. */
TESS_MUST_CHECK tess_status tess_trace_begin_piece(tess_trace *trace);

/* Adds an access to the piece. */
TESS_MUST_CHECK tess_status tess_trace_add(tess_trace *trace, tess_trace_kind kind, int passes,
                                           const uint64_t *sectors, int n_sectors);

/* The intervals between barriers. */
int64_t tess_trace_intervals(const tess_trace *trace);

/* One past the last access of a piece. */
int64_t tess_trace_piece_end(const tess_trace *trace, int64_t piece);

/* Counts what the whole block asks memory for: distinct sectors by kind, fetches and loads
 * together, instructions and lines. */
TESS_MUST_CHECK tess_status tess_trace_count(const tess_trace *trace, tess_counters *counters);

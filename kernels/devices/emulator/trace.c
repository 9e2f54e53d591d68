/* A trace: the warp-level accesses of a block to global memory, in the order of each warp, between
 * its barriers. */
#include "kernels/devices/emulator/trace.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <stdlib.h>

tess_status tess_trace_new(int n_warps, tess_trace **out) {
    TRY(TESS_ZEROS(1, out));
    (*out)->n_warps = n_warps;
    return TESS_OK;
}

void tess_trace_free(tess_trace *trace) {
    if (!trace)
        return;
    free(trace->accesses);
    free(trace->sectors);
    free(trace->piece);
    free(trace);
}

tess_status tess_trace_begin_piece(tess_trace *trace) {
    TRY(TESS_RESERVE(trace->n_pieces + 1, &trace->piece_capacity, &trace->piece));
    trace->piece[trace->n_pieces++] = trace->n_accesses;
    return TESS_OK;
}

tess_status tess_trace_add(tess_trace *trace, tess_trace_kind kind, int passes,
                           const uint64_t *sectors, int n_sectors) {
    TRY(TESS_RESERVE(trace->n_accesses + 1, &trace->access_capacity, &trace->accesses));
    TRY(TESS_RESERVE(trace->n_sectors + n_sectors, &trace->sector_capacity, &trace->sectors));
    trace->accesses[trace->n_accesses++] = (tess_trace_access){.kind = (uint8_t)kind,
                                                               .n_sectors = (uint8_t)n_sectors,
                                                               .passes = (uint16_t)passes,
                                                               .first = trace->n_sectors};
    for (int s = 0; s < n_sectors; s++)
        trace->sectors[trace->n_sectors++] = sectors[s];
    return TESS_OK;
}

int64_t tess_trace_intervals(const tess_trace *trace) {
    return trace->n_pieces / trace->n_warps;
}

int64_t tess_trace_piece_end(const tess_trace *trace, int64_t piece) {
    return piece + 1 < trace->n_pieces ? trace->piece[piece + 1] : trace->n_accesses;
}

tess_status tess_trace_distinct(const tess_trace *trace, tess_trace_kind kind, int64_t *out) {
    uint64_t *sectors = NULL;
    int64_t n = 0;
    TRY(TESS_ALLOC(trace->n_sectors, &sectors));
    for (int64_t i = 0; i < trace->n_accesses; i++) {
        const tess_trace_access *access = &trace->accesses[i];
        if (access->kind != kind && !(kind == TESS_TRACE_LOAD && access->kind == TESS_TRACE_FETCH))
            continue;
        for (int s = 0; s < access->n_sectors; s++)
            sectors[n++] = trace->sectors[access->first + s];
    }
    tess_sort_words(sectors, n);
    *out = n > 0;
    for (int64_t i = 1; i < n; i++)
        *out += sectors[i] != sectors[i - 1];
    free(sectors);
    return TESS_OK;
}

/* A trace: the warp-level accesses of a block to global memory, in the order of each warp, between
 * its barriers. */
#include "kernels/devices/emulator/trace.h"

#include "core/base/array.h"
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

/* A sector of a block's trace. */
typedef struct touched {
    uint64_t sector;
    int64_t access;
} touched;

static int compare_touched(const void *a, const void *b) {
    const touched *x = a, *y = b;
    return x->sector != y->sector ? (x->sector > y->sector) - (x->sector < y->sector)
                                  : (x->access > y->access) - (x->access < y->access);
}

static bool is_of(const tess_trace_access *access, tess_trace_kind kind) {
    return access->kind == kind || (kind == TESS_TRACE_LOAD && access->kind == TESS_TRACE_FETCH);
}

/* Lists the sectors of a kind, each once where `once`, with the first access to it; else once an
 * access. Gives how many. */
static int64_t list_touched(const tess_trace *trace, tess_trace_kind kind, bool once,
                            touched *out) {
    int64_t n = 0, n_left = 0;
    for (int64_t i = 0; i < trace->n_accesses; i++)
        for (int s = 0; is_of(&trace->accesses[i], kind) && s < trace->accesses[i].n_sectors; s++)
            out[n++] = (touched){trace->sectors[trace->accesses[i].first + s], i};
    if (!once)
        return n;
    qsort(out, (size_t)n, sizeof *out, compare_touched);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || out[i].sector != out[i - 1].sector)
            out[n_left++] = out[i];
    return n_left;
}

/* Distinct lines of accesses. */
static int64_t count_lines(touched *of, int64_t n) {
    int64_t n_lines = 0;
    for (int64_t i = 0; i < n; i++)
        of[i] = (touched){of[i].sector / 4, of[i].access};
    qsort(of, (size_t)n, sizeof *of, compare_touched);
    for (int64_t i = 0; i < n; i++)
        n_lines += i == 0 || compare_touched(&of[i], &of[i - 1]) != 0;
    return n_lines;
}

tess_status tess_trace_count(const tess_trace *trace, tess_counters *counters) {
    int64_t *const distinct[] = {[TESS_TRACE_LOAD] = &counters->block_read_sectors,
                                 [TESS_TRACE_STORE] = &counters->block_write_sectors,
                                 [TESS_TRACE_ATOMIC] = &counters->block_atomic_sectors};
    touched *of = NULL;
    TRY(TESS_ALLOC(trace->n_sectors, &of));
    counters->memory_instructions += trace->n_accesses;
    for (int kind = TESS_TRACE_LOAD; kind < TESS_TRACE_KINDS; kind++) {
        const int64_t n = list_touched(trace, (tess_trace_kind)kind, true, of);
        *distinct[kind] += n;
        counters->memory_lines += count_lines(
            of,
            kind == TESS_TRACE_LOAD ? n : list_touched(trace, (tess_trace_kind)kind, false, of));
    }
    free(of);
    return TESS_OK;
}

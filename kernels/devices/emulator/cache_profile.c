/* A cache profile: a launch through caches as a profiler counts it. */
#include "kernels/devices/emulator/cache_profile.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <stdlib.h>

static const uint64_t copies = UINT64_C(1) << 62; /* sectors of what was saved lie behind these */

typedef struct kept_traces {
    const tess_cache_replay *replay;
    tess_trace **traces; /* [n_blocks] */
} kept_traces;

static tess_status kept_trace(void *context, int64_t block, tess_trace **out) {
    const kept_traces *kept = context;
    if (!kept->traces[block])
        TRY(kept->replay->trace_of(kept->replay->context, block, &kept->traces[block]));
    *out = kept->traces[block];
    return TESS_OK;
}

static bool changes(const tess_trace_access *access) {
    return access->kind == TESS_TRACE_STORE || access->kind == TESS_TRACE_ATOMIC;
}

/* Lists the sectors that a trace changes, some of them more than once; gives how many. */
static int64_t list_changed(const tess_trace *trace, uint64_t *out) {
    int64_t n = 0;
    for (int64_t a = 0; a < trace->n_accesses; a++) {
        const tess_trace_access *access = &trace->accesses[a];
        for (int s = 0; changes(access) && s < access->n_sectors; s++, n++)
            if (out)
                out[n] = trace->sectors[access->first + s];
    }
    return n;
}

/* Copies what all blocks change back, from where it was saved, in the order of addresses. */
static tess_status put_back(const kept_traces *kept) {
    uint64_t *sectors = NULL;
    int64_t n = 0, written = 0;
    for (int64_t b = 0; b < kept->replay->n_blocks; b++)
        n += list_changed(kept->traces[b], NULL);
    TRY(TESS_ALLOC(n, &sectors));
    n = 0;
    for (int64_t b = 0; b < kept->replay->n_blocks; b++)
        n += list_changed(kept->traces[b], sectors + n);
    tess_sort_words(sectors, n);
    for (int64_t i = 0; i < n; i++) {
        if (i > 0 && sectors[i] == sectors[i - 1])
            continue;
        (void)tess_cache_access(kept->replay->l2, copies + sectors[i], false, &written);
        (void)tess_cache_access(kept->replay->l2, sectors[i], true, &written);
    }
    free(sectors);
    return TESS_OK;
}

tess_status tess_cache_profile_run(const tess_cache_replay *replay, tess_counters *counters) {
    tess_status status = TESS_OK;
    tess_counters first = {0};
    kept_traces kept = {.replay = replay};
    tess_cache_replay again = *replay;
    again.leaves_traces = true;
    again.trace_of = kept_trace;
    again.context = &kept;
    CHECK(TESS_ZEROS(replay->n_blocks, &kept.traces));
    CHECK(tess_cache_replay_run(&again, &first));
    CHECK(put_back(&kept));
    CHECK(tess_cache_replay_run(&again, counters));
    counters->dram_write_bytes += tess_cache_clean(replay->l2) * TESS_SECTOR_BYTES;
done:
    for (int64_t b = 0; kept.traces && b < replay->n_blocks; b++)
        tess_trace_free(kept.traces[b]);
    free(kept.traces);
    return status;
}

/* A cache replay: the traces of a launch's blocks through the caches of a machine. */
#include "kernels/devices/emulator/cache_replay.h"

#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "kernels/devices/device.h"
#include <stdlib.h>

enum { STORED_LINE = 128 };

/* A block that a multiprocessor holds. */
typedef struct resident_block {
    tess_trace *trace; /* NULL: none is left for this place */
    int64_t interval;
    int waiting; /* warps at the barrier that ends it */
} resident_block;

typedef struct resident_warp {
    int block;         /* place of its block */
    int64_t next, end; /* accesses of this interval */
} resident_warp;

typedef struct multiprocessor {
    int64_t next_block;
    int n_blocks;
    resident_block *blocks; /* [n_blocks] */
    resident_warp *warps;   /* [n_blocks][n_warps] */
    int n_ready;
    int32_t *ready;     /* [n_ready]: warps that have something to do */
    tess_cache **l1;    /* [l1_parts] */
    tess_cache *stores; /* that wait; NULL: none does */
} multiprocessor;

typedef struct replay_state {
    const tess_cache_replay *replay;
    int n_warps; /* a block */
    uint64_t random;
    tess_counters *counters;
} replay_state;

static tess_status multiprocessor_open(const tess_cache_replay *replay, int number, int n_blocks,
                                       multiprocessor *sm) {
    const tess_cache_machine *machine = replay->machine;
    const int n_warps = (replay->threads + TESS_WARP - 1) / TESS_WARP;
    const int64_t bytes = tess_cache_machine_l1(machine, n_blocks, replay->shared_bytes);
    sm->next_block = number;
    sm->n_blocks = n_blocks;
    TRY(TESS_ZEROS(n_blocks, &sm->blocks));
    TRY(TESS_ZEROS(n_blocks * n_warps, &sm->warps));
    TRY(TESS_ALLOC(n_blocks * n_warps, &sm->ready));
    TRY(TESS_ZEROS(machine->l1_parts, &sm->l1));
    for (int i = 0; i < machine->l1_parts; i++)
        TRY(tess_cache_new(bytes / machine->l1_parts, machine->l1_line, &sm->l1[i]));
    return machine->l1_stores > 0
               ? tess_cache_new((int64_t)machine->l1_stores * STORED_LINE, STORED_LINE, &sm->stores)
               : TESS_OK;
}

/* Leaves the position of a block empty. */
static void end_block(const tess_cache_replay *replay, resident_block *block) {
    if (!replay->leaves_traces)
        tess_trace_free(block->trace);
    *block = (resident_block){.trace = NULL};
}

static void multiprocessor_close(const tess_cache_replay *replay, multiprocessor *sm) {
    for (int i = 0; sm->blocks && i < sm->n_blocks; i++)
        end_block(replay, &sm->blocks[i]);
    for (int i = 0; sm->l1 && i < replay->machine->l1_parts; i++)
        tess_cache_free(sm->l1[i]);
    tess_cache_free(sm->stores);
    free(sm->blocks);
    free(sm->warps);
    free(sm->ready);
    free(sm->l1);
}

static void read_sector(const replay_state *state, uint64_t sector) {
    tess_counters *counters = state->counters;
    int64_t written = 0;
    counters->l2_read_sectors++;
    if (!tess_cache_access(state->replay->l2, sector, false, &written))
        counters->dram_read_bytes += TESS_SECTOR_BYTES;
    counters->dram_write_bytes += written * TESS_SECTOR_BYTES;
}

/* A whole sector that is stored need not be read before; what is added to has to be. */
static void write_sector(const replay_state *state, uint64_t sector, bool adds) {
    tess_counters *counters = state->counters;
    int64_t written = 0;
    if (!tess_cache_access(state->replay->l2, sector, true, &written) && adds)
        counters->dram_read_bytes += TESS_SECTOR_BYTES;
    counters->dram_write_bytes += written * TESS_SECTOR_BYTES;
}

/* Whether an access asks the first level. */
static bool is_cached(const tess_cache_machine *machine, const tess_trace_access *access) {
    return access->kind == TESS_TRACE_FETCH ||
           (access->kind == TESS_TRACE_LOAD && machine->l1_loads);
}

/* The next access of a warp, NULL at the end of its interval. */
static const tess_trace_access *next_access(const multiprocessor *sm, int warp) {
    const resident_warp *of = &sm->warps[warp];
    return of->next < of->end ? &sm->blocks[of->block].trace->accesses[of->next] : NULL;
}

/* Sectors of a store that go to the L2 by themselves: those that no store waits for. */
static int64_t n_stored(const multiprocessor *sm, const tess_trace_access *access,
                        const uint64_t *sectors) {
    int64_t n = 0, none = 0;
    for (int s = 0; s < access->n_sectors; s++)
        n += !sm->stores || !tess_cache_access(sm->stores, sectors[s], false, &none);
    return n;
}

static void execute(const replay_state *state, multiprocessor *sm, int warp) {
    const tess_cache_machine *machine = state->replay->machine;
    const tess_trace_access *access = next_access(sm, warp);
    const uint64_t *sectors = sm->blocks[sm->warps[warp].block].trace->sectors + access->first;
    tess_cache *l1 = sm->l1[warp % machine->l1_parts];
    int64_t none = 0;
    sm->warps[warp].next++;
    if (access->kind == TESS_TRACE_STORE)
        state->counters->l2_write_sectors += n_stored(sm, access, sectors);
    else if (access->kind == TESS_TRACE_ATOMIC) {
        state->counters->l2_write_sectors += access->passes;
        state->counters->l2_atomic_sectors += access->passes;
    }
    for (int s = 0; s < access->n_sectors; s++) {
        if (access->kind >= TESS_TRACE_STORE)
            write_sector(state, sectors[s], access->kind == TESS_TRACE_ATOMIC);
        else if (!is_cached(machine, access) || !tess_cache_access(l1, sectors[s], false, &none))
            read_sector(state, sectors[s]);
    }
}

/* What does not ask the first level goes past it at once. */
static void execute_uncached(const replay_state *state, multiprocessor *sm, int warp) {
    const tess_trace_access *access = NULL;
    while ((access = next_access(sm, warp)) && !is_cached(state->replay->machine, access))
        execute(state, sm, warp);
}

/* Lets the warps of a block begin the interval that it is in; those with nothing to do there are at
 * its end already. */
static void begin_interval(const replay_state *state, multiprocessor *sm, int position) {
    resident_block *block = &sm->blocks[position];
    block->waiting = 0;
    for (int w = 0; w < state->n_warps; w++) {
        resident_warp *warp = &sm->warps[position * state->n_warps + w];
        const int64_t piece = block->interval * state->n_warps + w;
        *warp = (resident_warp){.block = position,
                                .next = block->trace->piece[piece],
                                .end = tess_trace_piece_end(block->trace, piece)};
        execute_uncached(state, sm, position * state->n_warps + w);
        if (warp->next < warp->end)
            sm->ready[sm->n_ready++] = (int32_t)(position * state->n_warps + w);
        else
            block->waiting++;
    }
}

/* Brings the next block to a place; none where all of this multiprocessor's have begun. */
static tess_status begin_block(const replay_state *state, multiprocessor *sm, int position) {
    resident_block *block = &sm->blocks[position];
    end_block(state->replay, block);
    if (sm->next_block >= state->replay->n_blocks)
        return TESS_OK;
    TRY(state->replay->trace_of(state->replay->context, sm->next_block, &block->trace));
    TRY(tess_trace_count(block->trace, state->counters));
    sm->next_block += state->replay->machine->multiprocessors;
    begin_interval(state, sm, position);
    return TESS_OK;
}

/* Goes on from barriers at which all warps of the block at a place are. */
static tess_status pass_barriers(const replay_state *state, multiprocessor *sm, int position) {
    resident_block *block = &sm->blocks[position];
    while (block->trace && block->waiting == state->n_warps) {
        if (++block->interval < tess_trace_intervals(block->trace))
            begin_interval(state, sm, position);
        else
            TRY(begin_block(state, sm, position));
    }
    return TESS_OK;
}

/* One access of one warp, chosen at random. */
static tess_status step(replay_state *state, multiprocessor *sm) {
    const int64_t i = tess_random_below(&state->random, sm->n_ready);
    const int warp = sm->ready[i];
    const int position = sm->warps[warp].block;
    execute(state, sm, warp);
    execute_uncached(state, sm, warp);
    if (sm->warps[warp].next < sm->warps[warp].end)
        return TESS_OK;
    sm->ready[i] = sm->ready[--sm->n_ready];
    sm->blocks[position].waiting++;
    return pass_barriers(state, sm, position);
}

static tess_status open_all(replay_state *state, multiprocessor *all, int n_resident) {
    const int n = state->replay->machine->multiprocessors;
    for (int m = 0; m < n; m++)
        TRY(multiprocessor_open(state->replay, m, n_resident, &all[m]));
    for (int position = 0; position < n_resident; position++)
        for (int m = 0; m < n; m++) {
            TRY(begin_block(state, &all[m], position));
            TRY(pass_barriers(state, &all[m], position));
        }
    return TESS_OK;
}

tess_status tess_cache_replay_run(const tess_cache_replay *replay, tess_counters *counters) {
    tess_status status = TESS_OK;
    multiprocessor *all = NULL;
    const int n = replay->machine->multiprocessors;
    replay_state state = {.replay = replay,
                          .n_warps = (replay->threads + TESS_WARP - 1) / TESS_WARP,
                          .random = replay->seed,
                          .counters = counters};
    CHECK(TESS_ZEROS(n, &all));
    CHECK(open_all(
        &state, all,
        tess_cache_machine_resident(replay->machine, replay->threads, replay->shared_bytes)));
    for (bool busy = true; busy;) {
        busy = false;
        for (int m = 0; m < n; m++) {
            if (all[m].n_ready == 0)
                continue;
            busy = true;
            CHECK(step(&state, &all[m]));
        }
    }
done:
    for (int m = 0; all && m < n; m++)
        multiprocessor_close(replay, &all[m]);
    free(all);
    return status;
}

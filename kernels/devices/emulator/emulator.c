/* The emulator: runs a strategy's text on the CPU, checks every access and counts. */
#include "kernels/devices/emulator/emulator.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "kernels/devices/emulator/block_state.h"
#include "kernels/devices/emulator/cache_profile.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { TRACED_AT_ONCE = 4096 }; /* blocks whose traces are kept at least */

struct tess_emulator {
    tess_emulator_options options;
    tess_device_memory memory;
    uint32_t n_launches;
    int n_workers;
    tess_thread_block **workers; /* [n_workers] */
    tess_cache *l2;              /* NULL without caches */
    tess_counters counters;
};

static tess_status open_l2(const tess_cache_machine *machine, bool warm, tess_cache **out) {
    if (warm && machine->l2_warm_sets > 0) {
        TRY(tess_cache_new(machine->l2_warm_bytes, TESS_SECTOR_BYTES, out));
        return tess_cache_divide(*out, machine->l2_warm_sets);
    }
    TRY(tess_cache_new(machine->l2_bytes, TESS_SECTOR_BYTES, out));
    tess_cache_pick(*out, machine->l2_picked);
    return TESS_OK;
}

tess_status tess_emulator_open(const tess_emulator_options *options, tess_emulator **out) {
    tess_status status = TESS_OK;
    tess_emulator *emulator = NULL;
    CHECK(TESS_ZEROS(1, &emulator));
    emulator->options = *options;
    emulator->memory.most = options->memory;
    emulator->n_workers = options->workers > 0 ? options->workers : omp_get_max_threads();
    CHECK(TESS_ZEROS(emulator->n_workers, &emulator->workers));
    for (int w = 0; w < emulator->n_workers; w++)
        CHECK(tess_thread_block_new(&emulator->workers[w]));
    if (options->caches.multiprocessors > 0)
        CHECK(open_l2(&options->caches, options->warm, &emulator->l2));
    *out = TESS_TAKE(emulator);
done:
    tess_emulator_close(emulator);
    return status;
}

void tess_emulator_close(tess_emulator *emulator) {
    if (!emulator)
        return;
    for (int w = 0; emulator->workers && w < emulator->n_workers; w++)
        tess_thread_block_free(emulator->workers[w]);
    free(emulator->workers);
    tess_cache_free(emulator->l2);
    tess_device_memory_clear(&emulator->memory);
    free(emulator);
}

tess_status tess_emulator_alloc(tess_emulator *emulator, const char *name, int64_t size,
                                void **out) {
    return tess_device_memory_alloc(&emulator->memory, name, size, out);
}

void tess_emulator_free(tess_emulator *emulator, void *base) {
    tess_device_memory_free(&emulator->memory, base);
}

static tess_status check_launch(const tess_emulator_launch *launch) {
    if (launch->threads < 1 || launch->threads > TESS_MAX_THREADS)
        FAIL(TESS_ERROR_USAGE, "a block of %d threads: it has 1 to %d", launch->threads,
             TESS_MAX_THREADS);
    if (launch->shared_bytes > TESS_SHARED_MAX)
        FAIL(TESS_ERROR_USAGE, "%lld bytes of shared memory a block: the emulator has %d",
             (long long)launch->shared_bytes, TESS_SHARED_MAX);
    if (launch->n_blocks < 1 || launch->n_blocks > INT32_MAX)
        FAIL(TESS_ERROR_USAGE, "a launch of %lld blocks: CUDA takes 1 to %d",
             (long long)launch->n_blocks, INT32_MAX);
    return TESS_OK;
}

/* Blocks of a launch that run, and what became of them. */
typedef struct block_runs {
    tess_emulator *emulator;
    const tess_grid *grid;
    int64_t n_run; /* of all blocks, evenly spaced */
    tess_counters counters;
    int64_t failed_block; /* INT64_MAX: none */
    tess_status failure;
    char message[512];
    /* where caches are emulated */
    int64_t n_traced;
    tess_trace **traces; /* [n_blocks]: of those that have run and were not asked for */
} block_runs;

/* A block of a sample is traced to count what it asks memory for. */
static tess_status run_block(block_runs *runs, tess_thread_block *worker, int64_t index,
                             tess_counters *counters) {
    const bool is_sample = runs->emulator->options.sample > 0 && runs->emulator->options.count;
    tess_trace *trace = NULL;
    TRY(tess_interrupt_check());
    if (runs->traces || is_sample)
        TRY(tess_trace_new((runs->grid->threads + TESS_LANES - 1) / TESS_LANES, &trace));
    if (runs->traces)
        runs->traces[index] = trace;
    tess_status status = tess_thread_block_run(worker, runs->grid, index, counters, trace);
    if (is_sample && status == TESS_OK)
        status = tess_trace_count(trace, counters);
    if (is_sample)
        tess_trace_free(trace);
    return status;
}

/* The block that runs as the i-th: of a sample evenly spaced, else with a seed in another order in
 * every launch, where nothing is traced. */
static int64_t block_at(const block_runs *runs, int64_t i) {
    const tess_grid *grid = runs->grid;
    const uint64_t n = (uint64_t)grid->n_blocks;
    if (grid->seed == 0 || runs->traces || runs->n_run < grid->n_blocks)
        return i * grid->n_blocks / runs->n_run;
    uint64_t step = (grid->seed + 2 * (uint64_t)grid->launch) % n, a = n, b = 0;
    do { /* until it has no divisor in common with n */
        step = step % n + 1;
        for (a = n, b = step; b > 0;) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
    } while (a > 1);
    return (int64_t)(((uint64_t)i * step + grid->seed) % n);
}

/* Runs the blocks from `first` on to `end` of those that run. */
static tess_status run_blocks(block_runs *runs, int64_t first, int64_t end) {
    tess_emulator *emulator = runs->emulator;
#pragma omp parallel num_threads(emulator->n_workers)
    {
        tess_thread_block *worker = emulator->workers[omp_get_thread_num()];
        tess_counters counters = {0};
#pragma omp for schedule(dynamic, 4)
        for (int64_t i = first; i < end; i++) {
            const int64_t index = block_at(runs, i);
            if (__atomic_load_n(&runs->failed_block, __ATOMIC_RELAXED) < index)
                continue;
            const tess_status status = run_block(runs, worker, index, &counters);
            if (status != TESS_OK) {
#pragma omp critical(tess_emulator_failure)
                if (index < runs->failed_block) {
                    __atomic_store_n(&runs->failed_block, index, __ATOMIC_RELAXED);
                    runs->failure = status;
                    strncpy(runs->message, tess_message(), sizeof runs->message - 1);
                }
            }
        }
#pragma omp critical(tess_emulator_counters)
        tess_counters_add(&runs->counters, &counters);
    }
    if (runs->failure != TESS_OK)
        FAIL(runs->failure, "%s", runs->message);
    return TESS_OK;
}

/* The trace of a block, which is run with those behind it where it has not. */
static tess_status trace_of(void *context, int64_t block, tess_trace **out) {
    block_runs *runs = context;
    while (block >= runs->n_traced) {
        const int64_t first = runs->n_traced, left = runs->n_run - first;
        runs->n_traced += left < TRACED_AT_ONCE ? left : TRACED_AT_ONCE;
        TRY(run_blocks(runs, first, runs->n_traced));
    }
    *out = runs->traces[block];
    runs->traces[block] = NULL;
    return TESS_OK;
}

static tess_status run_through_caches(block_runs *runs) {
    tess_status status = TESS_OK;
    tess_emulator *emulator = runs->emulator;
    const tess_cache_replay replay = {.machine = &emulator->options.caches,
                                      .l2 = emulator->l2,
                                      .n_blocks = runs->n_run,
                                      .threads = runs->grid->threads,
                                      .shared_bytes = runs->grid->shared_bytes,
                                      .seed = emulator->options.seed,
                                      .trace_of = trace_of,
                                      .context = runs};
    tess_counters counters = {0};
    CHECK(TESS_ZEROS(runs->n_run, &runs->traces));
    CHECK(emulator->options.profiled ? tess_cache_profile_run(&replay, &counters)
                                     : tess_cache_replay_run(&replay, &counters));
    tess_counters_add(&runs->counters, &counters);
done:
    for (int64_t i = 0; runs->traces && i < runs->n_run; i++)
        tess_trace_free(runs->traces[i]);
    free(runs->traces);
    return status;
}

tess_status tess_emulator_run(tess_emulator *emulator, const tess_emulator_launch *launch) {
    TRY(check_launch(launch));
    const tess_emulator_options *options = &emulator->options;
    const tess_grid grid = {.kernel = launch->kernel,
                            .params = launch->params,
                            .sites = launch->sites,
                            .memory = &emulator->memory,
                            .launch = ++emulator->n_launches,
                            .n_blocks = launch->n_blocks,
                            .threads = launch->threads,
                            .shared_bytes = launch->shared_bytes,
                            .seed = options->seed,
                            .check = options->check,
                            .count = options->count};
    const bool sampled = options->sample > 0 && options->sample < launch->n_blocks;
    block_runs runs = {.emulator = emulator,
                       .grid = &grid,
                       .n_run = sampled ? options->sample : launch->n_blocks,
                       .counters = {.blocks_launched = launch->n_blocks},
                       .failed_block = INT64_MAX};
    TRY(options->caches.multiprocessors > 0 ? run_through_caches(&runs)
                                            : run_blocks(&runs, 0, runs.n_run));
    tess_counters_scale(&runs.counters);
    tess_counters_add(&emulator->counters, &runs.counters);
    return TESS_OK;
}

const tess_counters *tess_emulator_counters(const tess_emulator *emulator) {
    return &emulator->counters;
}

void tess_emulator_reset_counters(tess_emulator *emulator) {
    emulator->counters = (tess_counters){0};
}

/* The emulator: runs a strategy's text on the CPU, checks every access and counts. */
#include "kernels/devices/emulator/emulator.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

struct tess_emulator {
    tess_emulator_options options;
    tess_device_memory memory;
    uint32_t n_launches;
    int n_workers;
    tess_thread_block **workers; /* [n_workers] */
    tess_counters counters;
};

tess_status tess_emulator_open(const tess_emulator_options *options, tess_emulator **out) {
    tess_status status = TESS_OK;
    tess_emulator *emulator = NULL;
    CHECK(TESS_ZEROS(1, &emulator));
    emulator->options = *options;
    emulator->n_workers = options->workers > 0 ? options->workers : omp_get_max_threads();
    CHECK(TESS_ZEROS(emulator->n_workers, &emulator->workers));
    for (int w = 0; w < emulator->n_workers; w++)
        CHECK(tess_thread_block_new(&emulator->workers[w]));
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
    if (launch->n_blocks > INT32_MAX)
        FAIL(TESS_ERROR_USAGE, "%lld blocks are too many for one launch",
             (long long)launch->n_blocks);
    return TESS_OK;
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
    const int64_t n = sampled ? options->sample : launch->n_blocks;
    int64_t failed_block = INT64_MAX;
    tess_counters all = {.blocks_launched = launch->n_blocks};
    tess_status failure = TESS_OK;
    char message[512] = "";
#pragma omp parallel num_threads(emulator->n_workers)
    {
        tess_thread_block *worker = emulator->workers[omp_get_thread_num()];
        tess_counters counters = {0};
#pragma omp for schedule(dynamic, 4)
        for (int64_t i = 0; i < n; i++) {
            const int64_t index = sampled ? i * launch->n_blocks / n : i;
            if (__atomic_load_n(&failed_block, __ATOMIC_RELAXED) < index)
                continue;
            tess_status status = tess_interrupt_check();
            if (status == TESS_OK)
                status = tess_thread_block_run(worker, &grid, index, &counters);
            if (status != TESS_OK) {
#pragma omp critical(tess_emulator_failure)
                if (index < failed_block) {
                    __atomic_store_n(&failed_block, index, __ATOMIC_RELAXED);
                    failure = status;
                    strncpy(message, tess_message(), sizeof message - 1);
                }
            }
        }
#pragma omp critical(tess_emulator_counters)
        tess_counters_add(&all, &counters);
    }
    if (failure != TESS_OK)
        FAIL(failure, "%s", message);
    tess_counters_scale(&all);
    tess_counters_add(&emulator->counters, &all);
    return TESS_OK;
}

const tess_counters *tess_emulator_counters(const tess_emulator *emulator) {
    return &emulator->counters;
}

void tess_emulator_reset_counters(tess_emulator *emulator) {
    emulator->counters = (tess_counters){0};
}

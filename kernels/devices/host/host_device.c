/* The host: kernels of one thread a block, blocks in parallel by OpenMP. */

#include "kernels/devices/device.h"

#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "kernels/devices/c_module.h"
#include "kernels/devices/embed.h"
#include "kernels/devices/simt_text.h"
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

TESS_EMBED(tess_simt_host_text, "kernels/devices/host/simt_host.h");

static const char FLAGS[] =
    "-std=gnu11 -O3 -fno-strict-aliasing -fno-math-errno -fno-trapping-math -fno-signed-zeros";

enum { PAGE_BYTES = 4096, ALIGNMENT = 256 };

struct tess_target {
    int threads;     /* of OpenMP */
    uint64_t random; /* where in a page the next array begins */
    double start;
    size_t flush_bytes;
    char *flush; /* what is written to empty the caches; NULL until then; owned */
};

static const tess_option options[] = {
    TESS_INT_OPTION("threads", "0", 0, 4096, "OpenMP threads; 0: as many as the machine has cores"),
    {.key = NULL},
};

static tess_status host_open(const tess_spec *spec, tess_target **out) {
    TRY(TESS_ZEROS(1, out));
    const int64_t threads = tess_spec_int(spec, options, "threads");
    (*out)->threads = threads > 0 ? (int)threads : omp_get_max_threads();
    return TESS_OK;
}

static void host_close(tess_target *target) {
    if (target)
        free(target->flush);
    free(target);
}

/* Arrays that begin at the same place of their pages slow down one another, so the heap's history,
 * say by the words of the environment, would change a loop's time: the places are random, the same
 * in each process. */
static tess_status host_alloc(tess_target *target, const char *name, int64_t size,
                              tess_address *out) {
    const size_t offset =
        ALIGNMENT * (size_t)tess_random_below(&target->random, PAGE_BYTES / ALIGNMENT);
    char *memory = aligned_alloc(PAGE_BYTES, ((size_t)size / PAGE_BYTES + 2) * PAGE_BYTES);
    if (!memory)
        FAIL(TESS_ERROR_MEMORY, "out of memory: %lld bytes for %s", (long long)size, name);
    memset(memory + offset, 0, (size_t)size);
    *out = (tess_address)(uintptr_t)(memory + offset);
    return TESS_OK;
}

static void host_free(tess_target *target, tess_address address) {
    (void)target;
    free((void *)(uintptr_t)(address / PAGE_BYTES * PAGE_BYTES));
}

/* The places of what is allocated from now on are others in each process. */
static void host_shuffle(tess_target *target) {
    uint64_t drawn = 0;
    if (getrandom(&drawn, sizeof drawn, 0) == sizeof drawn)
        target->random = drawn;
}

static tess_status host_upload_filled(tess_target *target, tess_address to, tess_filler from,
                                      int64_t size) {
    (void)target;
    from.fill(from.context, 0, size, (void *)(uintptr_t)to);
    return TESS_OK;
}

static tess_status host_upload(tess_target *target, tess_address to, const void *from,
                               int64_t size) {
    (void)target;
    memcpy((void *)(uintptr_t)to, from, (size_t)size);
    return TESS_OK;
}

static tess_status host_download(tess_target *target, void *to, tess_address from, int64_t size) {
    (void)target;
    memcpy(to, (const void *)(uintptr_t)from, (size_t)size);
    return TESS_OK;
}

static tess_status host_copy(tess_target *target, tess_address to, tess_address from,
                             int64_t size) {
    enum { PIECE = 1 << 20 };
#pragma omp parallel for num_threads(target->threads) schedule(static)
    for (int64_t at = 0; at < size; at += PIECE)
        memcpy((char *)(uintptr_t)to + at, (const char *)(uintptr_t)from + at,
               (size_t)(size - at < PIECE ? size - at : PIECE));
    return TESS_OK;
}

static tess_status host_compile(tess_target *target, const char *page, tess_device_module **out) {
    (void)target;
    char *text = NULL;
    if (asprintf(&text, "#line 1 \"simt_host.h\"\n%s\n#line 1 \"simt.h\"\n%s\n%s",
                 tess_simt_host_text, tess_simt_text, page) < 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory: a text");
    tess_c_module *module = NULL;
    const tess_status status = tess_c_module_open(text, FLAGS, &module);
    free(text);
    *out = (tess_device_module *)module;
    return status;
}

static void host_unload(tess_target *target, tess_device_module *module) {
    (void)target;
    tess_c_module_close((tess_c_module *)module);
}

static tess_status host_resources(tess_target *target, const tess_device_module *module,
                                  const char *kernel, tess_resources *out) {
    (void)target, (void)module, (void)kernel;
    *out = (tess_resources){.registers = -1, .spilled = -1, .shared_bytes = -1};
    return TESS_OK;
}

static tess_status host_function(const tess_device_module *module, const char *kernel,
                                 void (**out)(const void *params, int block)) {
    void (*function)(void) = NULL;
    TRY(tess_c_module_function((const tess_c_module *)module, kernel, &function));
    *out = (void (*)(const void *, int))function;
    return TESS_OK;
}

static int host_threads(const tess_target *target) {
    return target->threads;
}

static tess_status host_launch(tess_target *target, const tess_device_module *module,
                               const tess_launch *launch, const uint64_t *params, int n_words) {
    (void)n_words;
    void (*kernel)(const void *, int) = NULL;
    TRY(host_function(module, launch->kernel, &kernel));
    if (launch->n_blocks == 1) {
        kernel(params, 0);
        return TESS_OK;
    }
#pragma omp parallel for num_threads(target->threads) schedule(static)
    for (int64_t b = 0; b < launch->n_blocks; b++)
        kernel(params, (int)b);
    return TESS_OK;
}

/* Writes twice what the largest cache holds. */
static tess_status host_flush(tess_target *target) {
    enum { PIECE = 1 << 16, USUAL = 64 << 20 };
    if (!target->flush) {
        const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
        const size_t bytes = 2 * (cache > 0 ? (size_t)cache : USUAL);
        TRY(TESS_ZEROS((int64_t)bytes, &target->flush));
        target->flush_bytes = bytes;
    }
    const char value = (char)(target->flush[0] + 1);
#pragma omp parallel for num_threads(target->threads) schedule(static)
    for (size_t at = 0; at < target->flush_bytes; at += PIECE)
        memset(target->flush + at, value,
               target->flush_bytes - at < PIECE ? target->flush_bytes - at : PIECE);
    return TESS_OK;
}

/* The clock of the core that asks, where the system tells. */
static tess_clocks host_clocks(tess_target *target) {
    (void)target;
    tess_clocks clocks = {NAN, NAN};
    char path[96];
    double kilohertz = 0;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
             sched_getcpu());
    FILE *file = fopen(path, "re");
    if (!file)
        return clocks;
    if (fscanf(file, "%lf", &kilohertz) == 1)
        clocks.compute = 1e3 * kilohertz;
    fclose(file);
    return clocks;
}

static tess_status host_timer_start(tess_target *target) {
    target->start = omp_get_wtime();
    return TESS_OK;
}

static tess_status host_timer_stop(tess_target *target, double *seconds) {
    *seconds = omp_get_wtime() - target->start;
    return TESS_OK;
}

const tess_device tess_device_host = {
    .name = "host",
    .summary = "the CPU: strategies sequential and openmp, compiled by the system's C compiler",
    .options = options,
    .one_thread = true,
    .open = host_open,
    .close = host_close,
    .alloc = host_alloc,
    .free = host_free,
    .shuffle = host_shuffle,
    .upload = host_upload,
    .upload_filled = host_upload_filled,
    .download = host_download,
    .copy = host_copy,
    .compile = host_compile,
    .unload = host_unload,
    .resources = host_resources,
    .launch = host_launch,
    .function = host_function,
    .threads = host_threads,
    .flush = host_flush,
    .clocks = host_clocks,
    .timer_start = host_timer_start,
    .timer_stop = host_timer_stop,
};

/* The emulator as a device. */
#include "kernels/devices/device.h"

#include "core/base/array.h"
#include "kernels/devices/c_module.h"
#include "kernels/devices/emulator/emulator.h"
#include "kernels/devices/simt_text.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A frame of a kernel must leave room on a fibre's stack. */
#define COMMON_FLAGS                                                                               \
    "-std=gnu11 -O3 -fno-strict-aliasing -fno-math-errno -ffp-contract=off "                       \
    "-Werror=frame-larger-than=20000 "
/* A vector of values of which one is used would be read as a whole. */
#define WATCHED_FLAGS COMMON_FLAGS "-fno-tree-vectorize -DSIMT_CHECK=1"

struct tess_target {
    tess_emulator *emulator;
    bool counts;
    bool warm;    /* when a loop has run before */
    bool watched; /* modules are compiled with SIMT_CHECK=1 */
    double start;
};

struct tess_device_module {
    tess_c_module *code;
    const struct simt_site *sites;
};

static const tess_option options[] = {
    TESS_INT_OPTION("workers", "0", 0, 4096, "threads that run blocks; 0: one a core"),
    TESS_INT_OPTION("seed", "0", 0, 1e18, "order of the threads inside a block; 0: ascending"),
    TESS_INT_OPTION("memory", "0", 0, 1e18, "bytes of its memory; 0: as many as there are"),
    TESS_CHOICE_OPTION("check", "yes", "yes|no",
                       "find races, accesses out of bounds, uninitialised shared memory"),
    TESS_CHOICE_OPTION("count", "yes", "yes|no",
                       "count sectors, atomics, active lanes, bank conflicts"),
    TESS_INT_OPTION(
        "sample", "0", 0, 2147483647,
        "blocks of a launch to run, evenly spaced: no result, and counters are estimates; 0: all"),
    TESS_CHOICE_OPTION(
        "caches", "no", "no|k20m|h100",
        "emulate the caches of a GPU, too, and count what L2 and memory are asked for"),
    TESS_INT_OPTION("parts", "0", 0, 32,
                    "of the first level of these caches, which warps take in turns; 0: as the GPU "
                    "has it"),
    TESS_INT_OPTION("line", "0", 0, 256, "bytes of its lines; 0: as the GPU has it"),
    TESS_CHOICE_OPTION("profiled", "no", "no|yes|warm",
                       "count what L2 and memory are asked for as NVIDIA's profiler does: of a "
                       "launch that is repeated, after what it changes was put back (yes), or, in "
                       "one pass, of a loop that has run before (warm)"),
    {.key = NULL},
};

/* The machine whose caches are emulated; of no multiprocessors where none are. */
static tess_status choose_caches(const tess_spec *spec, tess_cache_machine *out) {
    const tess_cache_machine *machine = NULL;
    const int64_t parts = tess_spec_int(spec, options, "parts");
    const int64_t line = tess_spec_int(spec, options, "line");
    *out = (tess_cache_machine){.name = NULL};
    if (tess_spec_is(spec, options, "caches", "no")) {
        if (!tess_spec_is(spec, options, "profiled", "no"))
            FAIL(TESS_ERROR_USAGE,
                 "emulator:profiled=%s says how caches are counted: add caches=h100 or another GPU",
                 tess_spec_text(spec, options, "profiled"));
        return TESS_OK;
    }
    if (tess_spec_is(spec, options, "count", "no") || tess_spec_int(spec, options, "sample") > 0)
        FAIL(TESS_ERROR_USAGE, "emulator:caches counts what all blocks do: leave count and sample");
    if (line != 0 && line != 32 && line != 64 && line != 128 && line != 256)
        FAIL(TESS_ERROR_USAGE, "emulator:line=%d: a line has 32, 64, 128 or 256 bytes", (int)line);
    TRY(tess_cache_machine_find(tess_spec_text(spec, options, "caches"), &machine));
    *out = *machine;
    out->l1_parts = parts > 0 ? (int)parts : machine->l1_parts;
    out->l1_line = line > 0 ? (int)line : machine->l1_line;
    return TESS_OK;
}

static tess_status open_target(const tess_spec *spec, tess_target **out) {
    tess_emulator_options chosen = {.workers = (int)tess_spec_int(spec, options, "workers"),
                                    .seed = (uint64_t)tess_spec_int(spec, options, "seed"),
                                    .memory = tess_spec_int(spec, options, "memory"),
                                    .check = tess_spec_is(spec, options, "check", "yes"),
                                    .count = tess_spec_is(spec, options, "count", "yes"),
                                    .sample = tess_spec_int(spec, options, "sample"),
                                    .profiled = tess_spec_is(spec, options, "profiled", "yes"),
                                    .warm = tess_spec_is(spec, options, "profiled", "warm")};
    tess_target *target = NULL;
    TRY(choose_caches(spec, &chosen.caches));
    TRY(TESS_ZEROS(1, &target));
    target->counts = chosen.count;
    target->warm = chosen.warm;
    target->watched = chosen.check || chosen.count;
    const tess_status status = tess_emulator_open(&chosen, &target->emulator);
    if (status != TESS_OK)
        free(target);
    else
        *out = target;
    return status;
}

static void close_target(tess_target *target) {
    if (!target)
        return;
    tess_emulator_close(target->emulator);
    free(target);
}

static tess_status alloc(tess_target *target, const char *name, int64_t size, tess_address *out) {
    void *memory = NULL;
    TRY(tess_emulator_alloc(target->emulator, name, size, &memory));
    *out = (tess_address)(uintptr_t)memory;
    return TESS_OK;
}

static void release(tess_target *target, tess_address address) {
    tess_emulator_free(target->emulator, (void *)(uintptr_t)address);
}

static tess_status upload(tess_target *target, tess_address to, const void *from, int64_t size) {
    (void)target;
    memcpy((void *)(uintptr_t)to, from, (size_t)size);
    return TESS_OK;
}

static tess_status download(tess_target *target, void *to, tess_address from, int64_t size) {
    (void)target;
    memcpy(to, (const void *)(uintptr_t)from, (size_t)size);
    return TESS_OK;
}

static void unload(tess_target *target, tess_device_module *module) {
    (void)target;
    if (!module)
        return;
    tess_c_module_close(module->code);
    free(module);
}

static tess_status compile(tess_target *target, const char *page, tess_device_module **out) {
    tess_status status = TESS_OK;
    char *text = NULL;
    tess_device_module *module = NULL;
    if (asprintf(&text, "#line 1 \"simt_emulator.h\"\n%s\n#line 1 \"simt.h\"\n%s\n%s",
                 tess_simt_emulator_text, tess_simt_text, page) < 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory: a text");
    CHECK(TESS_ZEROS(1, &module));
    CHECK(tess_c_module_open(text, target->watched ? WATCHED_FLAGS : COMMON_FLAGS "-DSIMT_CHECK=0",
                             &module->code));
    void (*sites)(void) = NULL;
    CHECK(tess_c_module_function(module->code, "simt_module_sites", &sites));
    module->sites = ((const struct simt_site *(*)(void))sites)();
    *out = TESS_TAKE(module);
done:
    unload(target, module);
    free(text);
    return status;
}

static tess_status resources(tess_target *target, const tess_device_module *module,
                             const char *kernel, tess_resources *out) {
    (void)target, (void)module, (void)kernel;
    *out = (tess_resources){.registers = -1, .spilled = -1, .shared_bytes = -1};
    return TESS_OK;
}

static tess_status launch(tess_target *target, const tess_device_module *module,
                          const tess_launch *what, const uint64_t *params, int n_words) {
    (void)n_words;
    void (*kernel)(void) = NULL;
    TRY(tess_c_module_function(module->code, what->kernel, &kernel));
    const tess_emulator_launch emulated = {.kernel = (void (*)(const struct params *))kernel,
                                           .params = params,
                                           .sites = module->sites,
                                           .n_blocks = what->n_blocks,
                                           .threads = what->threads,
                                           .shared_bytes = what->shared_bytes};
    return tess_emulator_run(target->emulator, &emulated);
}

static tess_status timer_start(tess_target *target) {
    target->start = omp_get_wtime();
    return TESS_OK;
}

static tess_status timer_stop(tess_target *target, double *seconds) {
    *seconds = omp_get_wtime() - target->start;
    return TESS_OK;
}

static const tess_counters *counters(const tess_target *target) {
    return target->counts ? tess_emulator_counters(target->emulator) : NULL;
}

static void reset_counters(tess_target *target) {
    tess_emulator_reset_counters(target->emulator);
}

static bool is_warm(const tess_target *target) {
    return target->warm;
}

static bool is_sampled(const tess_target *target) {
    return tess_counters_estimated(tess_emulator_counters(target->emulator));
}

const tess_device tess_device_emulator = {
    .name = "emulator",
    .summary = "the GPU source on the CPU: every access checked, every counter exact",
    .options = options,
    .emulates = true,
    .open = open_target,
    .close = close_target,
    .alloc = alloc,
    .free = release,
    .upload = upload,
    .download = download,
    .compile = compile,
    .unload = unload,
    .resources = resources,
    .launch = launch,
    .timer_start = timer_start,
    .timer_stop = timer_stop,
    .counters = counters,
    .reset_counters = reset_counters,
    .is_sampled = is_sampled,
    .is_warm = is_warm,
};

/* NVRTC as a device that compiles only: registers, spills and shared bytes without a GPU. */
#include "core/base/array.h"
#include "kernels/devices/cuda/nvrtc.h"
#include "kernels/devices/device.h"

#include <stdlib.h>

struct tess_target {
    int capability;
    const char *option; /* of NVRTC, or NULL */
};

struct tess_device_module {
    tess_cubin cubin;
};

static const tess_option options[] = {
    TESS_INT_OPTION("sm", "90", 70, 200, "compute capability to compile for"),
    TESS_CHOICE_OPTION("optimise", "fully", "fully|little",
                       "little: in less than half the time, to see that pages compile; registers "
                       "are not those of a run"),
    {.key = NULL},
};

static tess_status open_target(const tess_spec *spec, tess_target **out) {
    if (tess_nvrtc_version() == 0)
        return TESS_ERROR_MISSING;
    TRY(TESS_ZEROS(1, out));
    (*out)->capability = (int)tess_spec_int(spec, options, "sm");
    const bool is_able = tess_nvrtc_version() >= 13000;
    if (is_able && tess_spec_is(spec, options, "optimise", "little"))
        (*out)->option = "--Ofast-compile=mid";
    return TESS_OK;
}

static void close_target(tess_target *target) {
    free(target);
}

static tess_status alloc(tess_target *target, const char *name, int64_t size, tess_address *out) {
    (void)target, (void)name, (void)size;
    *out = 0;
    return TESS_OK;
}

static void release(tess_target *target, tess_address address) {
    (void)target, (void)address;
}

static tess_status upload(tess_target *target, tess_address to, const void *from, int64_t size) {
    (void)target, (void)to, (void)from, (void)size;
    return TESS_OK;
}

static tess_status cannot_run(void) {
    FAIL(TESS_ERROR_USAGE, "device nvrtc only compiles: run on cuda or emulator");
}

static tess_status download(tess_target *target, void *to, tess_address from, int64_t size) {
    (void)target, (void)to, (void)from, (void)size;
    return cannot_run();
}

static tess_status compile(tess_target *target, const char *page, tess_device_module **out) {
    tess_device_module *module = NULL;
    TRY(TESS_ZEROS(1, &module));
    const tess_status status =
        tess_nvrtc_compile(page, target->capability, target->option, &module->cubin);
    if (status != TESS_OK)
        free(module);
    else
        *out = module;
    return status;
}

static void unload(tess_target *target, tess_device_module *module) {
    (void)target;
    tess_cubin_clear(&module->cubin);
    free(module);
}

static tess_status resources(tess_target *target, const tess_device_module *module,
                             const char *kernel, tess_resources *out) {
    (void)target;
    tess_cubin_resources(&module->cubin, kernel, out);
    return TESS_OK;
}

static double occupancy(const tess_target *target, const tess_block_needs *needs) {
    return tess_occupancy(target->capability, needs);
}

static tess_device_facts facts(const tess_target *target) {
    return (tess_device_facts){.capability = target->capability};
}

static tess_status launch(tess_target *target, const tess_device_module *module,
                          const tess_launch *what, const uint64_t *params, int n_words) {
    (void)target, (void)module, (void)what, (void)params, (void)n_words;
    return cannot_run();
}

static tess_status timer_start(tess_target *target) {
    (void)target;
    return cannot_run();
}

static tess_status timer_stop(tess_target *target, double *seconds) {
    (void)target, (void)seconds;
    return cannot_run();
}

const tess_device tess_device_nvrtc = {
    .name = "nvrtc",
    .summary = "compiles for an NVIDIA GPU and runs nothing: registers, spills, shared bytes",
    .options = options,
    .compiles_only = true,
    .open = open_target,
    .close = close_target,
    .alloc = alloc,
    .free = release,
    .upload = upload,
    .download = download,
    .compile = compile,
    .unload = unload,
    .resources = resources,
    .occupancy = occupancy,
    .facts = facts,
    .launch = launch,
    .timer_start = timer_start,
    .timer_stop = timer_stop,
};

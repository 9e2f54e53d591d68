/* CUDA: pages compiled by NVRTC, launched through the driver. */
#include "core/base/array.h"
#include "core/base/progress.h"
#include "kernels/devices/cuda/cuda_driver.h"
#include "kernels/devices/cuda/gpu_lock.h"
#include "kernels/devices/cuda/nvml.h"
#include "kernels/devices/cuda/nvrtc.h"
#include "kernels/devices/cuda/pinned_copy.h"
#include "kernels/devices/cuda/shipped_code.h"
#include "kernels/devices/device.h"

#include <stdlib.h>

struct tess_target {
    tess_cuda_driver driver;
    int device, capability;
    cuda_context context;
    cuda_stream stream; /* of all that is not waited for at once */
    cuda_event start, stop;
    cuda_stream beside; /* for what runs beside; NULL until something does */
    cuda_event forked, joined;
    bool is_beside;     /* what is put on the device goes there */
    cuda_address flush; /* what is written to empty the L2; 0 until then */
    size_t flush_bytes;
    unsigned char flush_value;
    tess_pinned_copy pinned;
    tess_nvml nvml; /* opened with the first question for clocks */
    char bus[32];
    char model[128];
    tess_gpu_lock lock;
};

struct tess_device_module {
    cuda_module module;
    tess_cubin cubin;
};

static const tess_option options[] = {
    TESS_INDEX_OPTION("gpu", "0", 0, 1023, "which GPU of the machine; cuda:1 for short"),
    {.key = NULL},
};

static void close_target(tess_target *target) {
    if (!target)
        return;
    tess_gpu_lock_close(&target->lock);
    tess_nvml_close(&target->nvml);
    if (target->flush)
        target->driver.free(target->flush);
    tess_pinned_copy_close(&target->driver, &target->pinned);
    const cuda_event events[] = {target->stop, target->start, target->forked, target->joined};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i])
            target->driver.event_destroy(events[i]);
    if (target->beside)
        target->driver.stream_destroy(target->beside);
    if (target->stream)
        target->driver.stream_destroy(target->stream);
    if (target->context) {
        const bool broken = target->driver.synchronise() != 0;
        target->driver.context_release(target->device);
        if (broken) /* else the next one would be as broken */
            target->driver.context_reset(target->device);
    }
    tess_cuda_driver_close(&target->driver);
    free(target);
}

static tess_status open_target(const tess_spec *spec, tess_target **out) {
    tess_status status = TESS_OK;
    tess_target *target = NULL;
    CHECK(TESS_ZEROS(1, &target));
    target->lock.file = -1;
    CHECK(tess_cuda_driver_open(&target->driver));
    const tess_cuda_driver *driver = &target->driver;
    const int gpu = (int)tess_spec_int(spec, options, "gpu");
    int count = 0, major = 0, minor = 0;
    CHECK(tess_cuda_check(driver, driver->device_count(&count), "counting GPUs"));
    if (gpu >= count)
        CHECK(tess_fail(TESS_ERROR_MISSING, "there is no GPU %d: this machine has %d", gpu, count));
    CHECK(tess_cuda_check(driver, driver->device_get(&target->device, gpu), "opening the GPU"));
    CHECK(tess_cuda_check(driver,
                          driver->device_bus(target->bus, sizeof target->bus, target->device),
                          "finding the GPU's bus"));
    driver->device_name(target->model, sizeof target->model, target->device);
    tess_gpu_lock_open(target->bus, &target->lock);
    driver->device_attribute(&major, CUDA_CAPABILITY_MAJOR, target->device);
    driver->device_attribute(&minor, CUDA_CAPABILITY_MINOR, target->device);
    target->capability = 10 * major + minor;
    if (target->capability < 70)
        CHECK(tess_fail(TESS_ERROR_MISSING, "GPU %d has compute capability %d.%d: 7.0 is needed",
                        gpu, major, minor));
    CHECK(tess_cuda_check(driver, driver->context_retain(&target->context, target->device),
                          "making a context"));
    CHECK(tess_cuda_check(driver, driver->context_set(target->context), "setting the context"));
    CHECK(tess_cuda_check(driver, driver->stream_create(&target->stream, 0), "making a stream"));
    CHECK(tess_cuda_check(driver, driver->event_create(&target->start, 0), "making an event"));
    CHECK(tess_cuda_check(driver, driver->event_create(&target->stop, 0), "making an event"));
    *out = TESS_TAKE(target);
done:
    close_target(target);
    return status;
}

static tess_status enter(tess_target *target) {
    return tess_cuda_check(&target->driver, target->driver.context_set(target->context),
                           "setting the context");
}

static tess_status count(int *n) {
    tess_cuda_driver driver;
    TRY(tess_cuda_driver_open(&driver));
    const tess_status status = tess_cuda_check(&driver, driver.device_count(n), "counting GPUs");
    tess_cuda_driver_close(&driver);
    return status;
}

static const char *model(const tess_target *target) {
    return target->model;
}

static tess_device_facts facts(const tess_target *target) {
    int processors = 0, cache = 0, version = 0;
    target->driver.driver_version(&version);
    target->driver.device_attribute(&processors, CUDA_PROCESSORS, target->device);
    target->driver.device_attribute(&cache, CUDA_L2_CACHE_BYTES, target->device);
    return (tess_device_facts){.processors = processors,
                               .cache_bytes = cache,
                               .driver = version,
                               .capability = target->capability};
}

static int64_t free_bytes(const tess_target *target) {
    size_t free = 0, total = 0;
    return target->driver.memory_info(&free, &total) == 0 ? (int64_t)free : 0;
}

/* The stream that takes what is put on the device now. */
static cuda_stream stream_of(const tess_target *target) {
    return target->is_beside ? target->beside : target->stream;
}

static void *queue(const tess_target *target) {
    return stream_of(target);
}

static tess_status open_beside(tess_target *target) {
    const tess_cuda_driver *driver = &target->driver;
    TRY(tess_cuda_check(driver, driver->event_create(&target->forked, CUDA_EVENT_WITHOUT_TIME),
                        "making an event"));
    TRY(tess_cuda_check(driver, driver->event_create(&target->joined, CUDA_EVENT_WITHOUT_TIME),
                        "making an event"));
    return tess_cuda_check(driver,
                           driver->stream_create_first(&target->beside, 0, CUDA_HIGHEST_PRIORITY),
                           "making a stream");
}

static tess_status beside_start(tess_target *target) {
    const tess_cuda_driver *driver = &target->driver;
    if (!target->beside)
        TRY(open_beside(target));
    TRY(tess_cuda_check(driver, driver->event_record(target->forked, target->stream),
                        "recording an event"));
    TRY(tess_cuda_check(driver, driver->stream_wait(target->beside, target->forked, 0),
                        "waiting for an event"));
    target->is_beside = true;
    return TESS_OK;
}

static tess_status beside_stop(tess_target *target) {
    target->is_beside = false;
    return tess_cuda_check(&target->driver,
                           target->driver.event_record(target->joined, target->beside),
                           "recording an event");
}

static tess_status beside_wait(tess_target *target) {
    return tess_cuda_check(&target->driver,
                           target->driver.stream_wait(target->stream, target->joined, 0),
                           "waiting for an event");
}

static void lock(tess_target *target) {
    tess_gpu_lock_acquire(&target->lock);
}

static void unlock(tess_target *target) {
    tess_gpu_lock_release(&target->lock);
}

static tess_status alloc(tess_target *target, const char *name, int64_t size, tess_address *out) {
    const tess_cuda_driver *driver = &target->driver;
    const size_t bytes = size > 0 ? (size_t)size : 1;
    const int result = driver->alloc(out, bytes);
    if (result == CUDA_OUT_OF_MEMORY) {
        size_t free_bytes = 0, total = 0;
        driver->memory_info(&free_bytes, &total);
        FAIL(TESS_ERROR_MEMORY, "the GPU is out of memory: %s needs %zu bytes, %zu of %zu are free",
             name, bytes, free_bytes, total);
    }
    TRY(tess_cuda_check(driver, result, "allocating memory"));
    lock(target);
    const int cleared = driver->set_bytes(*out, 0, bytes);
    unlock(target);
    return tess_cuda_check(driver, cleared, "clearing memory");
}

static void release(tess_target *target, tess_address address) {
    target->driver.free(address);
}

static tess_status upload(tess_target *target, tess_address to, const void *from, int64_t size) {
    if (size == 0)
        return TESS_OK;
    lock(target);
    const int result = tess_pinned_upload(&target->driver, &target->pinned, to, from, (size_t)size);
    unlock(target);
    return tess_cuda_check(&target->driver, result, "an upload");
}

static tess_status upload_filled(tess_target *target, tess_address to, tess_filler from,
                                 int64_t size) {
    if (size == 0)
        return TESS_OK;
    lock(target);
    const int result =
        tess_pinned_upload_filled(&target->driver, &target->pinned, to, from, (size_t)size);
    unlock(target);
    return tess_cuda_check(&target->driver, result, "an upload");
}

static tess_status download(tess_target *target, void *to, tess_address from, int64_t size) {
    if (size == 0)
        return TESS_OK;
    lock(target);
    const int result =
        tess_pinned_download(&target->driver, &target->pinned, to, from, (size_t)size);
    unlock(target);
    return tess_cuda_check(&target->driver, result, "a download, or a kernel before it,");
}

static tess_status copy(tess_target *target, tess_address to, tess_address from, int64_t size) {
    return tess_cuda_check(&target->driver,
                           target->driver.copy_async(to, from, (size_t)size, target->stream),
                           "a copy");
}

static void unload(tess_target *target, tess_device_module *module) {
    if (!module)
        return;
    if (module->module)
        target->driver.module_unload(module->module);
    tess_cubin_clear(&module->cubin);
    free(module);
}

static bool find_shipped(const tess_target *target, const char *page, tess_cubin *out) {
    int version = 0;
    target->driver.driver_version(&version);
    return tess_shipped_code_find(page, target->capability, version, out);
}

/* False where no code was shipped that the driver takes. */
static bool load_shipped(const tess_target *target, const char *page, tess_device_module *module) {
    if (find_shipped(target, page, &module->cubin) &&
        target->driver.module_load(&module->module, module->cubin.code) == 0)
        return true;
    module->module = NULL;
    tess_cubin_clear(&module->cubin);
    return false;
}

static tess_status compile(tess_target *target, const char *page, tess_device_module **out) {
    tess_status status = TESS_OK;
    tess_device_module *module = NULL;
    tess_progress_begin("compiling");
    CHECK(TESS_ZEROS(1, &module));
    if (!load_shipped(target, page, module)) {
        CHECK(tess_nvrtc_compile(page, target->capability, NULL, &module->cubin));
        tess_progress_set(0, 0, "loading the module");
        CHECK(tess_cuda_check(&target->driver,
                              target->driver.module_load(&module->module, module->cubin.code),
                              "loading a module"));
    }
    *out = TESS_TAKE(module);
done:
    tess_progress_end();
    unload(target, module);
    return status;
}

static tess_status compile_ahead(tess_target *target, const char *page) {
    tess_cubin cubin;
    TRY(tess_nvrtc_compile(page, target->capability, NULL, &cubin));
    tess_cubin_clear(&cubin);
    return TESS_OK;
}

static tess_status is_compiled(const tess_target *target, const char *page, bool *out) {
    *out = find_shipped(target, page, NULL);
    return *out ? TESS_OK : tess_nvrtc_is_cached(page, target->capability, out);
}

static tess_status resources(tess_target *target, const tess_device_module *module,
                             const char *kernel, tess_resources *out) {
    const tess_cuda_driver *driver = &target->driver;
    cuda_function function = NULL;
    TRY(tess_cuda_check(driver, driver->module_function(&function, module->module, kernel),
                        "finding a kernel"));
    *out = (tess_resources){.registers = -1, .spilled = -1, .shared_bytes = -1};
    driver->function_attribute(&out->registers, CUDA_FUNCTION_REGISTERS, function);
    driver->function_attribute(&out->spilled, CUDA_FUNCTION_LOCAL_BYTES, function);
    driver->function_attribute(&out->shared_bytes, CUDA_FUNCTION_SHARED_BYTES, function);
    return TESS_OK;
}

/* Asks for more than 48 kB a block, and for shared memory's part of the multiprocessor's. */
static tess_status ask_shared(const tess_cuda_driver *driver, cuda_function function,
                              const tess_launch *what) {
    if (what->shared_bytes > 48 * 1024 &&
        driver->function_set(function, CUDA_FUNCTION_MAX_DYNAMIC_SHARED, (int)what->shared_bytes))
        FAIL(TESS_ERROR_CHECK,
             "kernel %s needs %lld bytes of shared memory a block, more than "
             "this GPU has: take smaller blocks",
             what->kernel, (long long)what->shared_bytes);
    if (what->carveout == 0)
        return TESS_OK;
    return tess_cuda_check(driver,
                           driver->function_set(function, CUDA_FUNCTION_CARVEOUT, what->carveout),
                           "asking for a carveout");
}

static double occupancy(const tess_target *target, const tess_block_needs *needs) {
    return tess_occupancy(target->capability, needs);
}

static tess_status launch(tess_target *target, const tess_device_module *module,
                          const tess_launch *what, const uint64_t *params, int n_words) {
    (void)n_words;
    const tess_cuda_driver *driver = &target->driver;
    cuda_function function = NULL;
    TRY(tess_cuda_check(driver, driver->module_function(&function, module->module, what->kernel),
                        "finding a kernel"));
    TRY(ask_shared(driver, function, what));
    void *parameters[] = {(void *)(uintptr_t)params};
    const int result =
        driver->launch(function, (unsigned)what->n_blocks, 1, 1, (unsigned)what->threads, 1, 1,
                       (unsigned)what->shared_bytes, what->queue ? *what->queue : stream_of(target),
                       parameters, NULL);
    if (result == CUDA_OUT_OF_RESOURCES) {
        int registers = 0;
        driver->function_attribute(&registers, CUDA_FUNCTION_REGISTERS, function);
        FAIL(TESS_ERROR_CHECK,
             "kernel %s does not fit: %d threads of %d registers, %lld bytes of "
             "shared memory a block",
             what->kernel, what->threads, registers, (long long)what->shared_bytes);
    }
    return tess_cuda_check(driver, result, what->kernel);
}

struct tess_launch_graph {
    cuda_graph graph;
    cuda_graph_exec exec;
};

static void graph_free(tess_target *target, tess_launch_graph *graph) {
    if (!graph)
        return;
    if (graph->exec)
        target->driver.graph_exec_destroy(graph->exec);
    if (graph->graph)
        target->driver.graph_destroy(graph->graph);
    free(graph);
}

static tess_status graph_start(tess_target *target) {
    return tess_cuda_check(&target->driver,
                           target->driver.capture_start(target->stream, CUDA_CAPTURE_RELAXED),
                           "starting a graph");
}

/* What was put beside keeps the priority of its stream, where the driver can (CUDA 11.7). */
static tess_status instantiate(const tess_cuda_driver *driver, tess_launch_graph *graph) {
    if (driver->graph_instantiate(&graph->exec, graph->graph, CUDA_GRAPH_USES_PRIORITIES) == 0)
        return TESS_OK;
    return tess_cuda_check(driver, driver->graph_instantiate(&graph->exec, graph->graph, 0),
                           "making a graph");
}

static tess_status graph_stop(tess_target *target, tess_launch_graph **out) {
    tess_status status = TESS_OK;
    const tess_cuda_driver *driver = &target->driver;
    tess_launch_graph *graph = NULL;
    CHECK(TESS_ZEROS(1, &graph));
    CHECK(tess_cuda_check(driver, driver->capture_stop(target->stream, &graph->graph),
                          "ending a graph"));
    CHECK(instantiate(driver, graph));
    *out = TESS_TAKE(graph);
done:
    graph_free(target, graph);
    return status;
}

static tess_status graph_launch(tess_target *target, tess_launch_graph *graph) {
    return tess_cuda_check(&target->driver,
                           target->driver.graph_launch(graph->exec, target->stream),
                           "launching a graph");
}

/* Writes twice what the L2 holds. */
static tess_status flush(tess_target *target) {
    const tess_cuda_driver *driver = &target->driver;
    if (!target->flush) {
        int cache = 0;
        driver->device_attribute(&cache, CUDA_L2_CACHE_BYTES, target->device);
        target->flush_bytes = 2 * (size_t)(cache > 0 ? cache : 64 << 20);
        TRY(alloc(target, "flushing the cache", (int64_t)target->flush_bytes, &target->flush));
    }
    return tess_cuda_check(driver,
                           driver->set_bytes_async(target->flush, ++target->flush_value,
                                                   target->flush_bytes, target->stream),
                           "flushing the cache");
}

static tess_clocks clocks(tess_target *target) {
    if (!target->nvml.handle)
        tess_nvml_open(target->bus, &target->nvml);
    return tess_nvml_clocks(&target->nvml);
}

/* A kernel that fails takes its context with it: every call then gives the same error. */
static bool is_broken(const tess_target *target) {
    return target->driver.synchronise() != 0;
}

static tess_status timer_start(tess_target *target) {
    return tess_cuda_check(&target->driver,
                           target->driver.event_record(target->start, target->stream),
                           "recording an event");
}

static tess_status timer_stop(tess_target *target, double *seconds) {
    const tess_cuda_driver *driver = &target->driver;
    float milliseconds = 0;
    TRY(tess_cuda_check(driver, driver->event_record(target->stop, target->stream),
                        "recording an event"));
    TRY(tess_cuda_check(driver, driver->event_wait(target->stop), "a kernel"));
    TRY(tess_cuda_check(driver, driver->event_elapsed(&milliseconds, target->start, target->stop),
                        "reading the time"));
    *seconds = (double)milliseconds / 1e3;
    return TESS_OK;
}

const tess_device tess_device_cuda = {
    .name = "cuda",
    .summary = "an NVIDIA GPU, through NVRTC and the driver, both opened at run time",
    .options = options,
    .apart = true,
    .profiled = true,
    .open = open_target,
    .close = close_target,
    .enter = enter,
    .alloc = alloc,
    .free = release,
    .upload = upload,
    .upload_filled = upload_filled,
    .download = download,
    .copy = copy,
    .compile = compile,
    .compile_ahead = compile_ahead,
    .is_compiled = is_compiled,
    .model = model,
    .facts = facts,
    .free_bytes = free_bytes,
    .unload = unload,
    .resources = resources,
    .occupancy = occupancy,
    .launch = launch,
    .graph_start = graph_start,
    .graph_stop = graph_stop,
    .graph_launch = graph_launch,
    .graph_free = graph_free,
    .beside_start = beside_start,
    .beside_stop = beside_stop,
    .beside_wait = beside_wait,
    .queue = queue,
    .count = count,
    .flush = flush,
    .clocks = clocks,
    .lock = lock,
    .unlock = unlock,
    .is_broken = is_broken,
    .timer_start = timer_start,
    .timer_stop = timer_stop,
};

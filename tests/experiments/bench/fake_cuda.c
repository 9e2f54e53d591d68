/* A driver and a management library that pretend to a GPU whose kernels do nothing, so that what
 * the workbench asks of them, and what it makes of their errors, is seen where there is no GPU.
 *
 * FAKE_CUDA: `none` finds no GPU; `stopped` does not start; `ancient` has one of compute capability
 * 6.1; `image` loads no module, `shipped` none of what fake_nvrtc.c ships; `memory` has none left; `registers` refuses each launch; `fault`
 * lets each kernel fail once it is waited for; `wreck`, too, and breaks the GPU for this process;
 * `lock` looks after the lock of GPU 0; `flat` makes no graph whose nodes have priorities.
 * FAKE_CUDA_FAULT=N: the launch of number N fails, once, and all that comes until the context is
 * reset, or, where FAKE_CUDA is `sticky`, until the process ends.
 * FAKE_CUDA_TIMES: a file of what launches take, a line a kernel and number of blocks: "atomics 24
 * 0.5" in milliseconds, of which each is noted; all others, and all without the file, take 0.125
 * between two events.
 * FAKE_CUDA_LOG: a file to which calls are added, a line each. Compiled with -DOLD it lacks what a
 * driver of before CUDA graphs lacked. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* More than that is the measurement of bandwidth: nothing is moved. */
enum { MOST_MOVED = 1 << 20 };

enum { USE_NODE_PRIORITY = 8, CARVEOUT = 9 };

enum {
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_DEVICE = 100,
    ILLEGAL_ADDRESS = 700,
    OUT_OF_RESOURCES = 701,
    NOT_INITIALISED = 3,
    INVALID_IMAGE = 200
};

static int is(const char *mode) {
    const char *asked = getenv("FAKE_CUDA");
    return asked && strcmp(asked, mode) == 0;
}

static void note(const char *call) {
    const char *path = getenv("FAKE_CUDA_LOG");
    FILE *log = path ? fopen(path, "a") : NULL;
    if (!log)
        return;
    fprintf(log, "%s\n", call);
    fclose(log);
}

/* True while some process holds the lock of GPU 0 in TMPDIR. */
static int is_taken(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/tess-gpu-0000:00:00.0.lock", getenv("TMPDIR"));
    const int file = open(path, O_RDWR);
    const int taken = file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0;
    close(file);
    return taken;
}

/* Notes work on the GPU that does not hold the lock, where FAKE_CUDA asks for `lock`. */
static void work(const char *words) {
    if (is("lock") && !is_taken())
        note(words);
}

/* Whether a call has been noted, by this process or one before it. */
static int was_noted(const char *call) {
    char line[128];
    int found = 0;
    FILE *log = fopen(getenv("FAKE_CUDA_LOG"), "r");
    while (log && !found && fgets(line, sizeof line, log))
        found = strcmp(strtok(line, "\n"), call) == 0;
    if (log)
        fclose(log);
    return found;
}

static int capturing;
static int broken; /* a kernel has failed; all calls do until the context is given back */
static int n_launches;
static int retained; /* how often the context is, and not yet given back */

#define CALL(name, ...) int name(__VA_ARGS__)

CALL(cuInit, unsigned flags) {
    (void)flags;
    note("start");
    return is("none") ? NO_DEVICE : is("stopped") ? NOT_INITIALISED : 0;
}
CALL(cuGetErrorString, int error, const char **text) {
    *text = error == ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : "pretended";
    return 0;
}
/* NVRTC asks for this one, and does without. */
CALL(cuGetExportTable, const void **table, const void *id) {
    (void)id;
    *table = NULL;
    return 1;
}
CALL(cuDriverGetVersion, int *version) {
    *version = 13000;
    return 0;
}
CALL(cuDeviceGetCount, int *count) {
    *count = 2;
    return 0;
}
CALL(cuDeviceGet, int *device, int ordinal) {
    *device = ordinal;
    return 0;
}
CALL(cuDeviceGetName, char *name, int length, int device) {
    (void)device;
    snprintf(name, (size_t)length, "Pretended GPU");
    return 0;
}
CALL(cuDeviceGetPCIBusId, char *bus, int length, int device) {
    snprintf(bus, (size_t)length, "0000:0%d:00.0", device);
    return 0;
}
CALL(cuDeviceGetAttribute, int *value, int attribute, int device) {
    (void)device;
    if (is("ancient") && (attribute == 75 || attribute == 76)) {
        *value = attribute == 75 ? 6 : 1;
        return 0;
    }
    *value = attribute == 75 ? 9 : attribute == 16 ? 4 : attribute == 38 ? 1 << 20 : 0;
    return 0;
}
CALL(cuDevicePrimaryCtxRetain, void **context, int device) {
    (void)device;
    if (broken)
        return ILLEGAL_ADDRESS;
    *context = &capturing;
    retained++;
    return 0;
}
CALL(cuDevicePrimaryCtxRelease_v2, int device) {
    (void)device;
    retained--;
    note("release");
    return 0;
}
CALL(cuDevicePrimaryCtxReset_v2, int device) {
    (void)device;
    broken = broken && (is("sticky") || is("wreck"));
    note("reset");
    return 0;
}
CALL(cuCtxSetCurrent, void *context) {
    (void)context;
    return 0;
}
CALL(cuCtxSynchronize, void) {
    return broken ? ILLEGAL_ADDRESS : 0;
}
CALL(cuMemGetInfo_v2, size_t *free_bytes, size_t *total) {
    *free_bytes = is("little") ? 1000 : 1000000000;
    *total = 2000000000;
    return 0;
}
CALL(cuMemAlloc_v2, unsigned long long *address, size_t bytes) {
    if (broken)
        return ILLEGAL_ADDRESS;
    if (is("memory"))
        return OUT_OF_MEMORY;
    void *memory = aligned_alloc(512, (bytes + 511) / 512 * 512);
    *address = (unsigned long long)(size_t)memory;
    return memory ? 0 : OUT_OF_MEMORY;
}
CALL(cuMemFree_v2, unsigned long long address) {
    if (!retained)
        note("memory freed without a context");
    free((void *)(size_t)address);
    return 0;
}
CALL(cuMemcpyHtoD_v2, unsigned long long to, const void *from, size_t bytes) {
    work("an upload without the lock");
    memcpy((void *)(size_t)to, from, bytes);
    return 0;
}
CALL(cuMemcpyDtoH_v2, void *to, unsigned long long from, size_t bytes) {
    work("a download without the lock");
    if (broken)
        return ILLEGAL_ADDRESS;
    memcpy(to, (void *)(size_t)from, bytes);
    return 0;
}
CALL(cuMemHostAlloc, void **memory, size_t bytes, unsigned flags) {
    (void)flags;
    *memory = malloc(bytes);
    return *memory ? 0 : OUT_OF_MEMORY;
}
CALL(cuMemFreeHost, void *memory) {
    free(memory);
    return 0;
}
CALL(cuMemcpyHtoDAsync_v2, unsigned long long to, const void *from, size_t bytes, void *stream) {
    (void)stream;
    return cuMemcpyHtoD_v2(to, from, bytes);
}
CALL(cuMemcpyDtoHAsync_v2, void *to, unsigned long long from, size_t bytes, void *stream) {
    (void)stream;
    return cuMemcpyDtoH_v2(to, from, bytes);
}
CALL(cuMemcpyDtoDAsync_v2, unsigned long long to, unsigned long long from, size_t bytes, void *s) {
    (void)s;
    work("a copy without the lock");
    if (bytes < MOST_MOVED)
        memcpy((void *)(size_t)to, (void *)(size_t)from, bytes);
    return 0;
}
CALL(cuMemsetD8_v2, unsigned long long to, unsigned char value, size_t bytes) {
    work("clearing without the lock");
    if (bytes < MOST_MOVED)
        memset((void *)(size_t)to, value, bytes);
    return 0;
}
CALL(cuMemsetD8Async, unsigned long long to, unsigned char value, size_t bytes, void *stream) {
    (void)stream;
    note("flush");
    memset((void *)(size_t)to, value, bytes);
    return 0;
}
CALL(cuModuleLoadData, void **module, const void *image) {
    if (memcmp(image, "ship", 4) == 0)
        note(is("shipped") ? "shipped, refused" : "shipped");
    if (is("shipped") && memcmp(image, "ship", 4) == 0)
        return INVALID_IMAGE;
    if (is("lock"))
        note(is_taken() ? "compiled with the lock" : "compiled");
    *module = &capturing;
    return is("image") ? INVALID_IMAGE : 0;
}
CALL(cuModuleUnload, void *module) {
    (void)module;
    if (is("lock") && is_taken())
        note("unloaded with the lock");
    return 0;
}
/* A function is its name, kept once. */
CALL(cuModuleGetFunction, void **function, void *module, const char *name) {
    static char names[64][64];
    int i = 0;
    (void)module;
    while (i < 63 && names[i][0] && strcmp(names[i], name) != 0)
        i++;
    strncpy(names[i], name, sizeof names[i] - 1);
    *function = names[i];
    return 0;
}
CALL(cuFuncGetAttribute, int *value, int attribute, void *function) {
    (void)function;
    *value = attribute == 4 ? 200 : 0;
    return 0;
}
CALL(cuFuncSetAttribute, void *function, int attribute, int value) {
    char call[64];
    (void)function;
    snprintf(call, sizeof call, "carveout %d", value);
    if (attribute == CARVEOUT)
        note(call);
    return 0;
}
CALL(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, void *function, int threads,
     size_t shared_bytes) {
    (void)function, (void)threads, (void)shared_bytes;
    *blocks = 1;
    return 0;
}
/* Milliseconds of all launches so far, by FAKE_CUDA_TIMES, and when the last two events came. */
static double elapsed, events[2];

static void take_time(const char *kernel, unsigned n_blocks) {
    const char *path = getenv("FAKE_CUDA_TIMES");
    FILE *file = path ? fopen(path, "r") : NULL;
    char name[64];
    unsigned blocks = 0;
    double milliseconds = 0;
    while (file && fscanf(file, "%63s %u %lf", name, &blocks, &milliseconds) == 3)
        if (blocks == n_blocks && strcmp(name, kernel) == 0) {
            char call[80];
            snprintf(call, sizeof call, "took %s", kernel);
            note(call);
            elapsed += milliseconds;
        }
    if (file)
        fclose(file);
}

CALL(cuLaunchKernel, void *function, unsigned x, unsigned y, unsigned z, unsigned threads_x,
     unsigned threads_y, unsigned threads_z, unsigned shared_bytes, void *stream, void **parameters,
     void **extra) {
    (void)y, (void)z, (void)threads_x, (void)threads_y, (void)threads_z;
    (void)shared_bytes, (void)parameters, (void)extra;
    take_time(function, x);
    work("a launch without the lock");
    note(!stream ? "launch without a stream" : capturing ? "keep" : "launch");
    const char *number = getenv("FAKE_CUDA_FAULT");
    if (!capturing && n_launches++ == (number ? atoi(number) : -1) && !was_noted("fault")) {
        note("fault");
        broken = 1;
    }
    return is("registers") ? OUT_OF_RESOURCES : 0;
}
CALL(cuStreamCreate, void **stream, unsigned flags) {
    (void)flags;
    *stream = &capturing;
    return 0;
}
CALL(cuStreamCreateWithPriority, void **stream, unsigned flags, int priority) {
    (void)flags, (void)priority;
    *stream = &capturing;
    return 0;
}
CALL(cuStreamWaitEvent, void *stream, void *event, unsigned flags) {
    (void)stream, (void)event, (void)flags;
    return 0;
}
CALL(cuStreamDestroy_v2, void *stream) {
    (void)stream;
    return 0;
}
/* What one rank takes that has no others. */
CALL(cuIpcGetMemHandle, void *handle, unsigned long long address) {
    memcpy(handle, &address, sizeof address);
    return 0;
}
CALL(cuIpcOpenMemHandle_v2, void) {
    return INVALID_VALUE;
}
CALL(cuIpcCloseMemHandle, void) {
    return INVALID_VALUE;
}
CALL(cuStreamBatchMemOp_v2, void) {
    return INVALID_VALUE;
}
#ifndef OLD
CALL(cuStreamBeginCapture_v2, void *stream, int mode) {
    (void)stream, (void)mode;
    capturing = 1;
    return 0;
}
CALL(cuStreamEndCapture, void *stream, void **graph) {
    (void)stream;
    capturing = 0;
    *graph = &capturing;
    return 0;
}
CALL(cuGraphInstantiateWithFlags, void **exec, void *graph, unsigned long long flags) {
    (void)graph;
    note(flags == USE_NODE_PRIORITY ? "make a graph with priorities" : "make a graph");
    *exec = flags && is("flat") ? NULL : &capturing;
    return *exec ? 0 : INVALID_VALUE;
}
CALL(cuGraphLaunch, void *exec, void *stream) {
    (void)exec, (void)stream;
    note("graph");
    return 0;
}
CALL(cuGraphExecDestroy, void *exec) {
    (void)exec;
    note("free graph");
    return 0;
}
CALL(cuGraphDestroy, void *graph) {
    (void)graph;
    return 0;
}
#endif
CALL(cuEventCreate, void **event, unsigned flags) {
    (void)flags;
    *event = &capturing;
    return 0;
}
CALL(cuEventDestroy_v2, void *event) {
    (void)event;
    return 0;
}
CALL(cuEventRecord, void *event, void *stream) {
    (void)event, (void)stream;
    events[0] = events[1];
    events[1] = elapsed;
    return 0;
}
CALL(cuEventSynchronize, void *event) {
    (void)event;
    broken |= is("wreck") && n_launches > 0;
    return broken || is("fault") ? ILLEGAL_ADDRESS : 0;
}
CALL(cuEventElapsedTime, float *milliseconds, void *start, void *stop) {
    (void)start, (void)stop;
    *milliseconds = events[1] > events[0] ? (float)(events[1] - events[0]) : 0.125f;
    return 0;
}

CALL(nvmlInit_v2, void) {
    return 0;
}
CALL(nvmlShutdown, void) {
    return 0;
}
CALL(nvmlDeviceGetHandleByPciBusId_v2, const char *bus, void **device) {
    *device = &capturing;
    return strcmp(bus, "0000:01:00.0") == 0 || strcmp(bus, "0000:00:00.0") == 0 ? 0 : 1;
}
CALL(nvmlDeviceGetClockInfo, void *device, int kind, unsigned *megahertz) {
    (void)device;
    *megahertz = kind == 1 ? 1980 : 3201;
    return 0;
}

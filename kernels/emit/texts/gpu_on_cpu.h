/* gpu_on_cpu.h: what a program asks of a GPU's library, done by this processor. */
#ifndef GPU_ON_CPU_H
#define GPU_ON_CPU_H

#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef enum gpuError { gpuSuccess, gpuErrorMemory, gpuErrorNotSupported } gpuError_t;
typedef enum gpuCopy { gpuMemcpyHostToDevice, gpuMemcpyDeviceToHost } gpuCopy_t;
typedef void *gpuStream_t;  /* all is in order: there is one */
typedef double *gpuEvent_t; /* owned seconds */
typedef void *gpuGraph_t;
typedef void *gpuGraphExec_t;
enum { gpuStreamCaptureModeRelaxed };

static inline const char *gpuGetErrorString(gpuError_t error) {
    return error == gpuSuccess       ? "no error"
           : error == gpuErrorMemory ? "out of memory"
                                     : "not here";
}

static inline gpuError_t gpuMalloc(void **out, size_t n) {
    *out = aligned_alloc(256, (n + 511) / 256 * 256);
    return *out ? gpuSuccess : gpuErrorMemory;
}

static inline gpuError_t gpuFree(void *p) {
    free(p);
    return gpuSuccess;
}

static inline gpuError_t gpuMemcpy(void *to, const void *from, size_t n, gpuCopy_t kind) {
    (void)kind;
    memcpy(to, from, n);
    return gpuSuccess;
}

static inline gpuError_t gpuMemset(void *to, int value, size_t n) {
    memset(to, value, n);
    return gpuSuccess;
}

static inline gpuError_t gpuStreamCreate(gpuStream_t *out) {
    *out = NULL;
    return gpuSuccess;
}

static inline gpuError_t gpuStreamSynchronize(gpuStream_t stream) {
    (void)stream;
    return gpuSuccess;
}

static inline gpuError_t gpuStreamBeginCapture(gpuStream_t stream, int mode) {
    (void)stream, (void)mode;
    return gpuErrorNotSupported;
}

static inline gpuError_t gpuStreamEndCapture(gpuStream_t stream, gpuGraph_t *out) {
    (void)stream, (void)out;
    return gpuErrorNotSupported;
}

static inline gpuError_t gpuGraphInstantiateWithFlags(gpuGraphExec_t *out, gpuGraph_t graph,
                                                      unsigned long long flags) {
    (void)out, (void)graph, (void)flags;
    return gpuErrorNotSupported;
}

static inline gpuError_t gpuGraphLaunch(gpuGraphExec_t graph, gpuStream_t stream) {
    (void)graph, (void)stream;
    return gpuErrorNotSupported;
}

static inline gpuError_t gpuEventCreate(gpuEvent_t *out) {
    *out = (double *)calloc(1, sizeof **out);
    return *out ? gpuSuccess : gpuErrorMemory;
}

static inline gpuError_t gpuEventDestroy(gpuEvent_t event) {
    free(event);
    return gpuSuccess;
}

static inline gpuError_t gpuEventRecord(gpuEvent_t event, gpuStream_t stream) {
    struct timespec now;
    (void)stream;
    timespec_get(&now, TIME_UTC);
    *event = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    return gpuSuccess;
}

static inline gpuError_t gpuEventSynchronize(gpuEvent_t event) {
    (void)event;
    return gpuSuccess;
}

static inline gpuError_t gpuEventElapsedTime(float *milliseconds, gpuEvent_t from, gpuEvent_t to) {
    *milliseconds = (float)(1e3 * (*to - *from));
    return gpuSuccess;
}

#endif

/* The CUDA driver: its functions, opened at run time, so that one binary serves machines with and
 * without a GPU. */
#pragma once

#include "core/base/status.h"
#include <stddef.h>
#include <stdint.h>

/* Types and numbers of the driver's stable interface (cuda.h). */
typedef uint64_t cuda_address;
typedef struct cuda_context *cuda_context;
typedef struct cuda_module *cuda_module;
typedef struct cuda_function *cuda_function;
typedef struct cuda_stream *cuda_stream;
typedef struct cuda_event *cuda_event;
typedef struct cuda_graph *cuda_graph;
typedef struct cuda_graph_exec *cuda_graph_exec;

enum {
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_NO_DEVICE = 100,
    CUDA_INVALID_DEVICE = 101,
    CUDA_NO_BINARY = 209,
    CUDA_OUT_OF_RESOURCES = 701,
    CUDA_PROCESSORS = 16, /* device attributes */
    CUDA_L2_CACHE_BYTES = 38,
    CUDA_CAPABILITY_MAJOR = 75,
    CUDA_CAPABILITY_MINOR = 76,
    CUDA_FUNCTION_REGISTERS = 4, /* function attributes */
    CUDA_FUNCTION_LOCAL_BYTES = 3,
    CUDA_FUNCTION_SHARED_BYTES = 1,
    CUDA_FUNCTION_MAX_DYNAMIC_SHARED = 8,
    CUDA_FUNCTION_CARVEOUT = 9,
    CUDA_CAPTURE_RELAXED = 2, /* other threads may call what they like meanwhile */
    CUDA_EVENT_WITHOUT_TIME = 2,
    CUDA_GRAPH_USES_PRIORITIES = 8, /* of the streams that each launch was captured from */
    CUDA_HIGHEST_PRIORITY = -5      /* or the highest that there is */
};

/* name in the library, name here, parameters */
#define TESS_CUDA_FUNCTIONS(X)                                                                     \
    X(cuInit, init, (unsigned flags))                                                              \
    X(cuGetErrorString, error_string, (int error, const char **text))                              \
    X(cuDriverGetVersion, driver_version, (int *version))                                          \
    X(cuDeviceGetCount, device_count, (int *count))                                                \
    X(cuDeviceGet, device_get, (int *device, int ordinal))                                         \
    X(cuDeviceGetName, device_name, (char *name, int length, int device))                          \
    X(cuDeviceGetAttribute, device_attribute, (int *value, int attribute, int device))             \
    X(cuDevicePrimaryCtxRetain, context_retain, (cuda_context * context, int device))              \
    X(cuDevicePrimaryCtxRelease_v2, context_release, (int device))                                 \
    X(cuDevicePrimaryCtxReset_v2, context_reset, (int device))                                     \
    X(cuCtxSetCurrent, context_set, (cuda_context context))                                        \
    X(cuCtxSynchronize, synchronise, (void))                                                       \
    X(cuMemGetInfo_v2, memory_info, (size_t * free, size_t * total))                               \
    X(cuMemAlloc_v2, alloc, (cuda_address * address, size_t bytes))                                \
    X(cuMemFree_v2, free, (cuda_address address))                                                  \
    X(cuMemcpyHtoD_v2, upload, (cuda_address to, const void *from, size_t bytes))                  \
    X(cuMemcpyDtoH_v2, download, (void *to, cuda_address from, size_t bytes))                      \
    X(cuMemHostAlloc, host_alloc, (void **memory, size_t bytes, unsigned flags))                   \
    X(cuMemFreeHost, host_free, (void *memory))                                                    \
    X(cuMemcpyHtoDAsync_v2, upload_async,                                                          \
      (cuda_address to, const void *from, size_t bytes, cuda_stream stream))                       \
    X(cuMemcpyDtoHAsync_v2, download_async,                                                        \
      (void *to, cuda_address from, size_t bytes, cuda_stream stream))                             \
    X(cuMemcpyDtoDAsync_v2, copy_async,                                                            \
      (cuda_address to, cuda_address from, size_t bytes, cuda_stream stream))                      \
    X(cuMemsetD8Async, set_bytes_async,                                                            \
      (cuda_address to, unsigned char value, size_t bytes, cuda_stream stream))                    \
    X(cuStreamCreate, stream_create, (cuda_stream * stream, unsigned flags))                       \
    X(cuStreamCreateWithPriority, stream_create_first,                                             \
      (cuda_stream * stream, unsigned flags, int priority))                                        \
    X(cuStreamWaitEvent, stream_wait, (cuda_stream stream, cuda_event event, unsigned flags))      \
    X(cuStreamDestroy_v2, stream_destroy, (cuda_stream stream))                                    \
    X(cuStreamBeginCapture_v2, capture_start, (cuda_stream stream, int mode))                      \
    X(cuStreamEndCapture, capture_stop, (cuda_stream stream, cuda_graph * graph))                  \
    X(cuGraphInstantiateWithFlags, graph_instantiate,                                              \
      (cuda_graph_exec * exec, cuda_graph graph, unsigned long long flags))                        \
    X(cuGraphLaunch, graph_launch, (cuda_graph_exec exec, cuda_stream stream))                     \
    X(cuGraphExecDestroy, graph_exec_destroy, (cuda_graph_exec exec))                              \
    X(cuGraphDestroy, graph_destroy, (cuda_graph graph))                                           \
    X(cuDeviceGetPCIBusId, device_bus, (char *bus, int length, int device))                        \
    X(cuMemsetD8_v2, set_bytes, (cuda_address to, unsigned char value, size_t bytes))              \
    X(cuModuleLoadData, module_load, (cuda_module * module, const void *image))                    \
    X(cuModuleUnload, module_unload, (cuda_module module))                                         \
    X(cuModuleGetFunction, module_function,                                                        \
      (cuda_function * function, cuda_module module, const char *name))                            \
    X(cuFuncGetAttribute, function_attribute, (int *value, int attribute, cuda_function function)) \
    X(cuFuncSetAttribute, function_set, (cuda_function function, int attribute, int value))        \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor, occupancy,                                      \
      (int *blocks, cuda_function function, int threads, size_t shared_bytes))                     \
    X(cuLaunchKernel, launch,                                                                      \
      (cuda_function function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,            \
       unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared_bytes,          \
       cuda_stream stream, void **parameters, void **extra))                                       \
    X(cuEventCreate, event_create, (cuda_event * event, unsigned flags))                           \
    X(cuEventDestroy_v2, event_destroy, (cuda_event event))                                        \
    X(cuEventRecord, event_record, (cuda_event event, cuda_stream stream))                         \
    X(cuEventSynchronize, event_wait, (cuda_event event))                                          \
    X(cuEventElapsedTime, event_elapsed, (float *milliseconds, cuda_event start, cuda_event stop))

typedef struct tess_cuda_driver {
    void *handle;
#define X(symbol, name, parameters) int(*name) parameters;
    TESS_CUDA_FUNCTIONS(X)
#undef X
} tess_cuda_driver;

/* Opens libcuda and initialises it. Fails (MISSING) with what is missing and what to do. */
TESS_MUST_CHECK tess_status tess_cuda_driver_open(tess_cuda_driver *out);
void tess_cuda_driver_close(tess_cuda_driver *driver);

/* TESS_OK for result 0; else fails (CHECK) with what was tried and the driver's words. */
TESS_MUST_CHECK tess_status tess_cuda_check(const tess_cuda_driver *driver, int result,
                                            const char *what);

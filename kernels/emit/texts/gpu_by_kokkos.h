/* gpu_by_kokkos.h: memory and time of Kokkos' default execution space, for C; gpu_by_kokkos.cpp has
 * the functions. */
#ifndef GPU_BY_KOKKOS_H
#define GPU_BY_KOKKOS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gpuError { gpuSuccess, gpuErrorMemory, gpuErrorTeam, gpuErrorNotSupported } gpuError_t;
typedef enum gpuCopy { gpuMemcpyHostToDevice, gpuMemcpyDeviceToHost } gpuCopy_t;
typedef const void *gpuStream_t; /* a Kokkos::DefaultExecutionSpace; NULL: the default one */
typedef double *gpuEvent_t;      /* seconds */
typedef void *gpuGraph_t;        /* there are none */
typedef void *gpuGraphExec_t;
enum { gpuStreamCaptureModeRelaxed };

const char *gpuGetErrorString(gpuError_t error);
gpuError_t gpuMalloc(void **out, size_t n);
gpuError_t gpuFree(void *p);
gpuError_t gpuMemcpy(void *to, const void *from, size_t n, gpuCopy_t kind);
gpuError_t gpuMemset(void *to, int value, size_t n);

/* Gives the default one; initializes Kokkos, and finalizes it at the end, where nobody else did. */
gpuError_t gpuStreamCreate(gpuStream_t *out);
gpuError_t gpuStreamSynchronize(gpuStream_t stream);
gpuError_t gpuStreamBeginCapture(gpuStream_t stream, int mode);
gpuError_t gpuStreamEndCapture(gpuStream_t stream, gpuGraph_t *out);
gpuError_t gpuGraphInstantiateWithFlags(gpuGraphExec_t *out, gpuGraph_t graph,
                                        unsigned long long flags);
gpuError_t gpuGraphLaunch(gpuGraphExec_t graph, gpuStream_t stream);

/* Events wait for the stream, so times have the launches in them. */
gpuError_t gpuEventCreate(gpuEvent_t *out);
gpuError_t gpuEventDestroy(gpuEvent_t event);
gpuError_t gpuEventRecord(gpuEvent_t event, gpuStream_t stream);
gpuError_t gpuEventSynchronize(gpuEvent_t event);
gpuError_t gpuEventElapsedTime(float *milliseconds, gpuEvent_t from, gpuEvent_t to);

#ifdef __cplusplus
}
#endif
#endif

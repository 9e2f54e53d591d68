/* gpu_by_kokkos.cpp: memory and time of Kokkos' default execution space. */
#include "gpu_by_kokkos.h"
#include <Kokkos_Core.hpp>
#include <cstdlib>

using device_space = Kokkos::DefaultExecutionSpace;
template <class VALUE, class SPACE>
using bytes_of = Kokkos::View<VALUE *, SPACE, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
using device_memory = device_space::memory_space;

static device_space space_of(gpuStream_t stream) {
    return stream ? *static_cast<const device_space *>(stream) : device_space();
}

const char *gpuGetErrorString(gpuError_t error) {
    switch (error) {
    case gpuSuccess:
        return "no error";
    case gpuErrorMemory:
        return "out of memory";
    case gpuErrorTeam:
        return "teams of this space have fewer threads than the loop's blocks: emit it with -b N, or "
               "give Kokkos more threads (OMP_NUM_THREADS)";
    default:
        return "Kokkos has none";
    }
}

gpuError_t gpuMalloc(void **out, size_t n) {
    try {
        *out = Kokkos::kokkos_malloc<device_memory>(n);
    } catch (const std::exception &) {
        *out = nullptr;
    }
    return *out ? gpuSuccess : gpuErrorMemory;
}

gpuError_t gpuFree(void *p) {
    Kokkos::kokkos_free<device_memory>(p);
    return gpuSuccess;
}

gpuError_t gpuMemcpy(void *to, const void *from, size_t n, gpuCopy_t kind) {
    if (kind == gpuMemcpyHostToDevice)
        Kokkos::deep_copy(
            bytes_of<char, device_memory>((char *)to, n),
            bytes_of<const char, Kokkos::HostSpace>((const char *)from, n));
    else
        Kokkos::deep_copy(bytes_of<char, Kokkos::HostSpace>((char *)to, n),
                          bytes_of<const char, device_memory>((const char *)from, n));
    return gpuSuccess;
}

gpuError_t gpuMemset(void *to, int value, size_t n) {
    Kokkos::deep_copy(bytes_of<char, device_memory>((char *)to, n), (char)value);
    return gpuSuccess;
}

gpuError_t gpuStreamCreate(gpuStream_t *out) {
    *out = nullptr;
    if (!Kokkos::is_initialized()) {
        Kokkos::initialize();
        std::atexit([] { Kokkos::finalize(); });
    }
    return gpuSuccess;
}

gpuError_t gpuStreamSynchronize(gpuStream_t stream) {
    space_of(stream).fence();
    return gpuSuccess;
}

gpuError_t gpuStreamBeginCapture(gpuStream_t, int) {
    return gpuErrorNotSupported;
}

gpuError_t gpuStreamEndCapture(gpuStream_t, gpuGraph_t *) {
    return gpuErrorNotSupported;
}

gpuError_t gpuGraphInstantiateWithFlags(gpuGraphExec_t *, gpuGraph_t, unsigned long long) {
    return gpuErrorNotSupported;
}

gpuError_t gpuGraphLaunch(gpuGraphExec_t, gpuStream_t) {
    return gpuErrorNotSupported;
}

gpuError_t gpuEventCreate(gpuEvent_t *out) {
    *out = (double *)std::calloc(1, sizeof **out);
    return *out ? gpuSuccess : gpuErrorMemory;
}

gpuError_t gpuEventDestroy(gpuEvent_t event) {
    std::free(event);
    return gpuSuccess;
}

gpuError_t gpuEventRecord(gpuEvent_t event, gpuStream_t stream) {
    static const Kokkos::Timer since_start;
    space_of(stream).fence();
    *event = since_start.seconds();
    return gpuSuccess;
}

gpuError_t gpuEventSynchronize(gpuEvent_t) {
    return gpuSuccess;
}

gpuError_t gpuEventElapsedTime(float *milliseconds, gpuEvent_t from, gpuEvent_t to) {
    *milliseconds = (float)(1e3 * (*to - *from));
    return gpuSuccess;
}

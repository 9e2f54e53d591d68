/* words.h: the words of a kernel's text, for HIP on AMD's GPUs. Lanes go in groups of 32, two of
 * which are a wavefront where that has 64. What lanes copy asynchronously elsewhere, or add by
 * whole runs, they copy and add one value after another here. */
#ifndef WORDS_H
#define WORDS_H

#include <hip/hip_runtime.h>

#define KERNEL(name)                                                                               \
    extern "C" __global__ void __launch_bounds__(THREADS) name(const struct params simt_params)
#define INLINE static __device__ __attribute__((unused, always_inline)) inline
#define PARAMS (&simt_params)
#define thread_index() ((int)threadIdx.x)
#define block_index() ((int)blockIdx.x)
#define block_threads() ((int)blockDim.x)
#define lane() ((int)(threadIdx.x % WARP))
extern __shared__ __attribute__((aligned(16))) char simt_shared[];
#define shared_memory() (simt_shared)

#define fetch(p) (*(p))
#define load(p) (*(p))
#define store(p, v) (*(p) = (v))
#define plain_add(p, v) (*(p) += (v))
#define atomic_add(p, v) ((void)atomicAdd((p), (v)))
#define async_copy(to, p) store(to, load(p))
#define async_wait() ((void)0)
#define prefetch_run(p, n) ((void)(p), (void)(n))
#define reads(p, n) ((void)0)
#define barrier() __syncthreads()

#define warp_barrier(mask)                                                                         \
    do {                                                                                           \
        (void)(mask);                                                                              \
        __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");                                     \
        __builtin_amdgcn_wave_barrier();                                                           \
    } while (0)
#define shuffle(mask, v, source) __shfl((v), (source), WARP)
#define shuffle_down(mask, v, delta) __shfl_down((v), (unsigned)(delta), WARP)
#define shuffle_xor(mask, v, lanes) __shfl_xor((v), (lanes), WARP)
#define ballot(mask, predicate) hip_ballot((mask), (predicate) != 0)
#define match_any(mask, i) hip_match_any((mask), (i))

/* The votes of the 32 lanes that this one is among. */
INLINE unsigned hip_ballot(unsigned mask, int predicate) {
    return (unsigned)(__ballot(predicate) >> (__lane_id() & 32u)) & mask;
}

INLINE unsigned hip_match_any(unsigned mask, int i) {
    unsigned found = 0;
    for (int l = 0; l < 32; l++)
        if (mask >> l & 1u)
            found |= (unsigned)(__shfl(i, l, 32) == i) << l;
    return found;
}

#define lowest_lane(mask) (__ffs((int)(mask)) - 1)
#define count_lanes(mask) __popc(mask)
#define UNROLL _Pragma("unroll")
#define ONE_BY_ONE _Pragma("unroll 1")
#define CONSTANT static __device__ const
#define UNSET
#define forget(v) ((void)(v))

#endif

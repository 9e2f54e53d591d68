/* simt.h: the words that a strategy's text may use, and nothing else of CUDA.
 *
 * The same text is compiled by NVRTC (here the words become CUDA's own), by a C compiler for the
 * emulator (devices/emulator/simt_emulator.h) and, with one thread a block, for the host
 * (devices/host/simt_host.h).
 *
 *   KERNEL(name) { const struct params *p = PARAMS; ... }    a kernel; its parameters
 *   thread_index() block_index() block_threads()             one-dimensional throughout
 *   WARP lane()                                              32; thread_index() % 32
 *   shared_memory()                                          the block's bytes, 16-byte aligned
 *
 * Memory, global or shared; `p` points to int, float, double or a smaller integer:
 *   fetch(p)            a value that nobody writes during the launch
 *   fetch_run(to, p, n) fetches n doubles or floats from p on, in global memory, to an array: p and n
 *                       values are multiples of 16 bytes, each 16 of which are one access
 *   load(p)             any value
 *   load_run(to, p, n)  the same of n doubles, floats or ints, as fetch_run
 *   store(p, v)         a plain store: nobody else reads or writes there until the next barrier
 *   store_run(p, v, n)  the same of the n doubles, floats or ints of an array: p and n values are multiples
 *                       of 16 bytes, each 16 of which are one access
 *   plain_add(p, v)     *p += v, not atomic: nobody else touches *p until the next barrier
 *   atomic_add(p, v)    *p += v, atomic against other atomic_add; gives nothing back
 *   atomic_take(p, v)   atomic_add, of an int, that gives back what was there before
 *   atomic_claim(p, v)  *p = v, of an int, where 0 is there; gives back what was there before
 *   atomic_or(p, v)     *p |= v, of an unsigned; gives back what was there before
 *   atomic_max(p, v)    *p = v where v is more, atomic as atomic_add: of unsigned 4 or 8 bytes
 *   atomic_add4(p, v)   atomic_add of four floats in global memory, p a multiple of 16 bytes, v an
 *                       array: one reduction from sm_90 on, four before; doubles have none
 *
 *   async_copy(to, p)   *to = *p, 4, 8 or 16 bytes (a struct piece) from global to shared memory, not
 *                       waited for
 *   async_wait()        waits for this thread's; the block's other threads need a barrier, too
 *   async_add_run(p, v, n)  adds the n doubles from v on, in shared memory, to those from p on, in
 *                       global memory, each atomically; p, v and n doubles are multiples of 16
 *                       bytes. One reduction of sm_90; not waited for
 *   async_publish()     what this thread wrote to shared memory is seen by additions that others start
 *                       behind a barrier
 *   async_add_wait()    waits until all that this thread adds so is read: before the thread
 *                       writes there again, before a barrier and before it ends
 *   prefetch_run(p, n)  a hint that n bytes from p on, both multiples of 16, will be read soon: brings
 *                       them to the L2, from sm_90 on; nothing waits for it
 *
 *   reads(p, n)         says that a user's function, which has no words, will read n values from p on:
 *                       nobody writes them until the next barrier. No work on a GPU
 *
 *   within(i, n, name)  says that i is a place of `name`, which has n: at least 0 and below n. No work on
 *                       a GPU
 *   since(p, n, name)   gives p, and says that what lies there, in shared memory, was written after the
 *                       block had passed n barriers: no older version of `name`. No work on a GPU
 *
 * Waiting. Every thread of the block, or every lane of the mask, comes to the same word; of these the
 * barriers alone order what is read and written:
 *   barrier()
 *   warp_barrier(mask)              ALL_LANES where the whole warp takes part
 *   shuffle(mask, v, lane)          the v of another lane
 *   shuffle_down(mask, v, delta)    the v of lane() + delta; one's own past the end
 *   shuffle_xor(mask, v, lanes)     the v of lane() ^ lanes
 *   ballot(mask, predicate)         the lanes where it is not zero
 *   match_any(mask, i)              the lanes that have the same int
 *   GIVE_SUM(p, v, parts)           every thread gives its variable v; the sums of warps go to parts,
 *                                   in shared memory, and after a barrier one thread adds them to *p:
 *   GIVE_PARTS(p, parts)            one atomic a block
 * TURNS(i, first, end, step) before a statement: a loop over i whose turns the emulator tells
 * apart, so that a lane that does nothing in one turn is not counted with the others' next one.
 * TURN(i): what follows, in functions, too, is turn i until the next TURN.
 * forget(v): the compiler takes the variable v (float, double) for a new value and computes again what
 * it knows of it, instead of keeping that in registers.
 * Small helpers: lowest_lane(mask), count_lanes(mask), UNROLL before a loop, ONE_BY_ONE before one
 * that is not to be unrolled, INLINE before a function, CONSTANT before a table, UNSET behind a variable that has a value
 * only in threads that use it. */
#ifndef SIMT_H
#define SIMT_H

#define WARP 32
#define ALL_LANES 0xffffffffu

/* 16 bytes of anything, at an address that is a multiple of 16. */
struct piece {
    int word[4];
}
#if !defined(__CUDACC__)
__attribute__((may_alias, aligned(16)))
#endif
;

#if defined(__CUDACC__) && !defined(INLINE)

#define KERNEL(name)                                                                               \
    extern "C" __global__ void LAUNCH_BOUNDS name(const __grid_constant__ struct params simt_params)
#define INLINE static __device__ __forceinline__
#define PARAMS (&simt_params)
#define thread_index() ((int)threadIdx.x)
#define block_index() ((int)blockIdx.x)
#define block_threads() ((int)blockDim.x)
#define lane() ((int)(threadIdx.x % WARP))
extern __shared__ int4 simt_shared[];
#define shared_memory() ((char *)simt_shared)

#define fetch(p) __ldg(p)
#define load(p) (*(p))
#define store(p, v) (*(p) = (v))
#define plain_add(p, v) (*(p) += (v))
#define atomic_add(p, v) ((void)atomicAdd((p), (v)))
#define atomic_take(p, v) atomicAdd((p), (v))
#define atomic_claim(p, v) atomicCAS((p), 0, (v))
#define atomic_or(p, v) atomicOr((p), (v))
#define atomic_max(p, v) ((void)atomicMax((p), (v)))
#if __CUDA_ARCH__ >= 900
#define atomic_add4(p, v)                                                                          \
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"((v)[0]),            \
                 "f"((v)[1]), "f"((v)[2]), "f"((v)[3])                                             \
                 : "memory")
#endif

#if __CUDA_ARCH__ >= 800
#define async_copy(to, p)                                                                          \
    asm volatile(                                                                                  \
        "cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), \
        "l"(p), "n"(sizeof *(to)))
#define async_wait() asm volatile("cp.async.wait_all;" ::: "memory")
#else
#define async_copy(to, p) store(to, load(p))
#define async_wait() ((void)0)
#endif

#if __CUDA_ARCH__ >= 900
INLINE void async_add_run(double *p, const double *v, int n) {
    asm volatile("fence.proxy.async.shared::cta;\n"
                 "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [%0], [%1], %2;\n"
                 "cp.async.bulk.commit_group;" ::"l"(p),
                 "r"((unsigned)__cvta_generic_to_shared(v)), "r"(n * (int)sizeof *v)
                 : "memory");
}
#define async_add_run async_add_run
#define async_publish() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define async_add_wait() asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")
#define prefetch_run(p, n)                                                                         \
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(p), "r"(n))
#else
#define prefetch_run(p, n) ((void)(p), (void)(n))
#endif

#define reads(p, n) ((void)0)
#define barrier() __syncthreads()
#define warp_barrier(mask) __syncwarp(mask)
#define shuffle(mask, v, source) __shfl_sync((mask), (v), (source))
#define shuffle_down(mask, v, delta) __shfl_down_sync((mask), (v), (delta))
#define shuffle_xor(mask, v, lanes) __shfl_xor_sync((mask), (v), (lanes))
#define ballot(mask, predicate) __ballot_sync((mask), (predicate))
#define match_any(mask, i) __match_any_sync((mask), (i))
#define lowest_lane(mask) (__ffs((int)(mask)) - 1)
#define count_lanes(mask) __popc(mask)
#define UNROLL _Pragma("unroll")
#define FETCH_RUN(type, piece_type)                                                                \
    static __device__ __forceinline__ void fetch_run(type *to, const type *p, int n) {             \
        enum { VALUES = sizeof(piece_type) / sizeof(type) };                                       \
        UNROLL for (int i = 0; i < n; i += VALUES) {                                               \
            const piece_type at_once = __ldg((const piece_type *)(p + i));                         \
            UNROLL for (int d = 0; d < VALUES; d++)                                                \
                to[i + d] = ((const type *)&at_once)[d];                                           \
        }                                                                                          \
    }
FETCH_RUN(double, double2)
FETCH_RUN(float, float4)
#define fetch_run fetch_run
#define LOAD_RUN(type, piece_type)                                                                 \
    INLINE void load_run(type *to, const type *p, int n) {                                         \
        enum { VALUES = sizeof(piece_type) / sizeof(type) };                                       \
        UNROLL for (int i = 0; i < n; i += VALUES) {                                               \
            const piece_type at_once = *(const piece_type *)(p + i);                               \
            UNROLL for (int d = 0; d < VALUES; d++)                                                \
                to[i + d] = ((const type *)&at_once)[d];                                           \
        }                                                                                          \
    }
LOAD_RUN(double, double2)
LOAD_RUN(float, float4)
LOAD_RUN(int, int4)
#define load_run load_run
#define STORE_RUN(type, piece_type)                                                                \
    INLINE void store_run(type *p, const type *v, int n) {                                         \
        enum { VALUES = sizeof(piece_type) / sizeof(type) };                                       \
        UNROLL for (int i = 0; i < n; i += VALUES) {                                               \
            piece_type at_once;                                                                    \
            UNROLL for (int d = 0; d < VALUES; d++)                                                \
                ((type *)&at_once)[d] = v[i + d];                                                  \
            *(piece_type *)(p + i) = at_once;                                                      \
        }                                                                                          \
    }
STORE_RUN(double, double2)
STORE_RUN(float, float4)
STORE_RUN(int, int4)
#define store_run store_run
#define ONE_BY_ONE _Pragma("unroll 1")
#define CONSTANT static __device__ const
#define UNSET
INLINE void forget(double &v) {
    asm volatile("" : "+d"(v));
}
INLINE void forget(float &v) {
    asm volatile("" : "+f"(v));
}

#elif !defined(INLINE) /* by a language that comes before: it defines all of this */

#define INLINE static inline __attribute__((unused, always_inline))
#define CONSTANT static const __attribute__((unused))
#define UNSET = {0} /* C compilers warn of it */

#define lowest_lane(mask) __builtin_ctz(mask)
#define count_lanes(mask) __builtin_popcount(mask)
#define UNROLL
#define ONE_BY_ONE
#define forget(v) ((void)(v))

#endif

#ifndef fetch_run
#define fetch_run(to, p, n)                                                                        \
    do {                                                                                           \
        for (int simt_d = 0; simt_d < (n); simt_d++)                                               \
            (to)[simt_d] = fetch(&(p)[simt_d]);                                                    \
    } while (0)
#endif
#ifndef load_run
#define load_run(to, p, n)                                                                         \
    do {                                                                                           \
        for (int simt_d = 0; simt_d < (n); simt_d++)                                               \
            (to)[simt_d] = load(&(p)[simt_d]);                                                     \
    } while (0)
#endif
#ifndef store_run
#define store_run(p, v, n)                                                                         \
    do {                                                                                           \
        for (int simt_d = 0; simt_d < (n); simt_d++)                                               \
            store(&(p)[simt_d], (v)[simt_d]);                                                      \
    } while (0)
#endif
#ifndef atomic_add4
#define atomic_add4(p, v)                                                                          \
    do {                                                                                           \
        for (int simt_d = 0; simt_d < 4; simt_d++)                                                 \
            atomic_add(&(p)[simt_d], (v)[simt_d]);                                                 \
    } while (0)
#endif
#ifndef async_add_run
#define async_add_run(p, v, n)                                                                     \
    do {                                                                                           \
        for (int simt_d = 0; simt_d < (n); simt_d++)                                               \
            atomic_add(&(p)[simt_d], load(&(v)[simt_d]));                                          \
    } while (0)
#define async_add_wait() ((void)0)
#endif
#ifndef async_publish
#define async_publish() ((void)0)
#endif
#ifndef within
#define within(i, n, name) ((void)(i), (void)(n))
#define since(p, n, name) (p)
#endif
#ifndef TURN
#define TURN(i) ((void)0)
#endif
#ifndef TURNS
#define TURNS(i, first, end, step) for (int i = (first); i < (end); i += (step))
#endif

#ifdef GIVE_SUM /* by a language */
#elif defined(ONE_THREAD)
#define GIVE_SUM(p, v, parts) atomic_add((p), (v))
#define GIVE_PARTS(p, parts) ((void)0)
#else
#define GIVE_SUM(p, v, parts)                                                                      \
    do {                                                                                           \
        for (int simt_d = WARP / 2; simt_d > 0; simt_d /= 2)                                       \
            (v) += shuffle_down(ALL_LANES, (v), simt_d);                                           \
        if (lane() == 0)                                                                           \
            store(&(parts)[thread_index() / WARP], (v));                                           \
    } while (0)
#define GIVE_PARTS(p, parts)                                                                       \
    do {                                                                                           \
        for (int simt_w = 1; simt_w < block_threads() / WARP; simt_w++)                            \
            store(&(parts)[0], load(&(parts)[0]) + load(&(parts)[simt_w]));                        \
        atomic_add((p), load(&(parts)[0]));                                                        \
    } while (0)
#endif
#endif

/* words.h: the words of a kernel's text, for Kokkos. A block is a team where its threads share memory
 * and wait for each other; else its threads are a range. There are no lanes that exchange values. */
#ifndef WORDS_H
#define WORDS_H

#include <Kokkos_Core.hpp>
#include <math.h>

using block_team = Kokkos::TeamPolicy<>::member_type;

#define KERNEL(name) KOKKOS_INLINE_FUNCTION void name()
#define INLINE KOKKOS_INLINE_FUNCTION
#define PARAMS simt_params
#define thread_index() simt_thread
#define block_index() simt_block
#define block_threads() THREADS
#define lane() (simt_thread % WARP)
#define shared_memory() simt_shared
#define barrier() simt_team->team_barrier()

#define fetch(p) (*(p))
#define load(p) (*(p))
#define store(p, v) (*(p) = (v))
#define plain_add(p, v) (*(p) += (v))
#define atomic_add(p, v) Kokkos::atomic_add((p), (v))
#define async_copy(to, p) store(to, load(p))
#define async_wait() ((void)0)
#define prefetch_run(p, n) ((void)(p), (void)(n))
#define reads(p, n) ((void)0)
#define lowest_lane(mask) Kokkos::countr_zero(mask)
#define count_lanes(mask) Kokkos::popcount(mask)
#define UNROLL
#define ONE_BY_ONE
#define CONSTANT static constexpr
#define forget(v) ((void)(v))

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
#define TABLE __device__ /* before a table that kernels read */
#define UNSET
#else
#define TABLE
#define UNSET = {}
#endif

/* The team sums; its first thread gives what comes. */
#define GIVE_SUM(p, v, parts)                                                                      \
    do {                                                                                           \
        simt_team->team_reduce(Kokkos::Sum<decltype((v) + 0)>(v));                                 \
        if (simt_thread == 0)                                                                      \
            store((parts), (v));                                                                   \
    } while (0)
#define GIVE_PARTS(p, parts) atomic_add((p), load(parts))

/* A thread of a block is a struct whose functions are the kernel's text. */
template <class THREAD, void (THREAD::*KERNEL)(), class PARAMETERS> struct block_run {
    PARAMETERS params;
    long long shared_bytes;
    int threads;

    KOKKOS_FUNCTION void operator()(const block_team &team) const {
        THREAD thread;
        thread.simt_params = &params;
        thread.simt_team = &team;
        thread.simt_block = (int)team.league_rank();
        thread.simt_thread = (int)team.team_rank();
        thread.simt_shared = (char *)team.team_scratch(0).get_shmem_aligned(shared_bytes, 16);
        (thread.*KERNEL)();
    }

    KOKKOS_FUNCTION void operator()(long long i) const {
        THREAD thread;
        thread.simt_params = &params;
        thread.simt_team = nullptr;
        thread.simt_block = (int)(i / threads);
        thread.simt_thread = (int)(i % threads);
        thread.simt_shared = nullptr;
        (thread.*KERNEL)();
    }
};

/* The execution space instance that a stream points to; of NULL the default one. */
inline Kokkos::DefaultExecutionSpace space_of(kokkosStream_t stream) {
    return stream ? *static_cast<const Kokkos::DefaultExecutionSpace *>(stream)
                  : Kokkos::DefaultExecutionSpace();
}

/* Blocks whose threads share memory. */
template <class THREAD, void (THREAD::*KERNEL)(), class PARAMETERS>
kokkosError_t run_teams(kokkosStream_t stream, int blocks, int threads, long long shared_bytes,
                        const PARAMETERS &params) {
    const block_run<THREAD, KERNEL, PARAMETERS> run{params, shared_bytes, threads};
    const int bytes = (int)shared_bytes + 16;
    Kokkos::TeamPolicy<> one(space_of(stream), blocks, 1);
    one.set_scratch_size(0, Kokkos::PerTeam(bytes));
    if (one.team_size_max(run, Kokkos::ParallelForTag()) < threads)
        return kokkosErrorTeam;
    Kokkos::TeamPolicy<> policy(space_of(stream), blocks, threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(bytes));
    Kokkos::parallel_for(policy, run);
    return kokkosSuccess;
}

/* Blocks whose threads have nothing to do with each other. */
template <class THREAD, void (THREAD::*KERNEL)(), class PARAMETERS>
kokkosError_t run_threads(kokkosStream_t stream, int blocks, int threads, long long,
                          const PARAMETERS &params) {
    const block_run<THREAD, KERNEL, PARAMETERS> run{params, 0, threads};
    Kokkos::RangePolicy<Kokkos::IndexType<long long>> all(space_of(stream), 0,
                                                          (long long)blocks * threads);
    Kokkos::parallel_for(all, run);
    return kokkosSuccess;
}

#endif

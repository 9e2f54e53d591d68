/* Peer memory: what the processes of a host share of their GPUs' memory. */
#include "kernels/exchange/peer_memory.h"

#include "core/base/library.h"
#include <dlfcn.h>
#include <stdlib.h>

/* Numbers of the driver's stable interface (cuda.h). */
enum { REACH_WHEN_USED = 1, UNTIL_EQUAL = 1 };

tess_status tess_peer_memory_open(tess_peer_memory *out) {
    const char *chosen = getenv("TESS_PEER");
    void *handle = dlopen(chosen && chosen[0] ? chosen : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        FAIL(TESS_ERROR_MISSING, "there is no CUDA driver (libcuda.so.1) on this machine: %.200s",
             dlerror());
#define X(symbol, member, parameters) {#symbol, &out->member},
    const tess_library_symbol symbols[] = {TESS_PEER_FUNCTIONS(X)};
#undef X
    return TESS_LIBRARY_FIND(handle, symbols, "CUDA's driver", "a newer one, or --engine nccl,");
}

static tess_status refuse(const tess_peer_memory *memory, int result, const char *what) {
    const char *words = "an unknown error";
    if (result == 0)
        return TESS_OK;
    memory->error_string(result, &words);
    FAIL(TESS_ERROR_CHECK, "%s failed (%d): %s", what, result, words);
}

tess_status tess_peer_memory_share(const tess_peer_memory *memory, tess_address of,
                                   tess_shared_memory *out) {
    return refuse(memory, memory->share(out, of), "sharing memory");
}

tess_status tess_peer_memory_reach(const tess_peer_memory *memory, const tess_shared_memory *of,
                                   tess_address *out) {
    const int result = memory->reach(out, *of, REACH_WHEN_USED);
    if (result != 0)
        FAIL(TESS_ERROR_MISSING,
             "the memory of another rank's GPU cannot be reached (%d): --engine peer wants GPUs of "
             "one host that reach each other; take --engine nccl",
             result);
    return TESS_OK;
}

tess_status tess_peer_memory_send(const tess_peer_memory *memory, tess_flag_batch *batch) {
    const unsigned n = batch->n;
    batch->n = 0;
    return n == 0 ? TESS_OK
                  : refuse(memory, memory->batch(batch->stream, n, batch->operations, 0),
                           "raising and awaiting flags");
}

static tess_status add(const tess_peer_memory *memory, tess_flag_batch *batch,
                       const tess_flag_operation *operation) {
    batch->operations[batch->n++] = *operation;
    return batch->n == sizeof batch->operations / sizeof *batch->operations
               ? tess_peer_memory_send(memory, batch)
               : TESS_OK;
}

tess_status tess_peer_memory_put(const tess_peer_memory *memory, tess_flag_batch *batch,
                                 tess_address at, uint32_t value) {
    return add(memory, batch, &(tess_flag_operation){.kind = 2, .at = at, .value = value});
}

tess_status tess_peer_memory_await(const tess_peer_memory *memory, tess_flag_batch *batch,
                                   tess_address at) {
    return add(memory, batch,
               &(tess_flag_operation){.kind = 1, .at = at, .value = 1, .flags = UNTIL_EQUAL});
}

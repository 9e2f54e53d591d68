/* Peer memory: what the processes of a host share of their GPUs' memory, by the CUDA driver, which
 * is opened at run time. */
#pragma once

#include "core/base/status.h"
#include "kernels/devices/device.h"

/* Names memory of one process for the others (CUipcMemHandle). */
typedef struct tess_shared_memory {
    char bytes[64];
} tess_shared_memory;

/* Waits until a flag of 32 bits has a value, or gives it one after all that came before it on the
 * stream (CUstreamBatchMemOpParams). */
typedef struct tess_flag_operation {
    uint32_t kind; /* 1: waits, 2: gives */
    tess_address at;
    uint64_t value;
    uint32_t flags; /* of a wait 1: until it is equal */
    uint64_t unused[2];
} tess_flag_operation;

/* Operations that go onto a stream together, as many as CUDA takes. */
typedef struct tess_flag_batch {
    void *stream;
    unsigned n;
    tess_flag_operation operations[255];
} tess_flag_batch;

/* name in the library, name here, parameters; `stream` is CUDA's */
#define TESS_PEER_FUNCTIONS(X)                                                                     \
    X(cuIpcGetMemHandle, share, (tess_shared_memory * out, tess_address of))                       \
    X(cuIpcOpenMemHandle_v2, reach, (tess_address * out, tess_shared_memory of, unsigned flags))   \
    X(cuIpcCloseMemHandle, close, (tess_address of))                                               \
    X(cuStreamBatchMemOp_v2, batch,                                                                \
      (void *stream, unsigned n, const tess_flag_operation *operations, unsigned flags))           \
    X(cuGetErrorString, error_string, (int error, const char **text))

typedef struct tess_peer_memory {
#define X(symbol, member, parameters) int(*member) parameters;
    TESS_PEER_FUNCTIONS(X)
#undef X
} tess_peer_memory;

/* Opens the library that TESS_PEER names, else CUDA's driver, which stays open. Fails (MISSING)
 * without one, or with one older than CUDA 12. */
TESS_MUST_CHECK tess_status tess_peer_memory_open(tess_peer_memory *out);

TESS_MUST_CHECK tess_status tess_peer_memory_share(const tess_peer_memory *memory, tess_address of,
                                                   tess_shared_memory *out);
/* Gives the address here of what another process shares. Fails (MISSING) where the two GPUs do not
 * reach each other. */
TESS_MUST_CHECK tess_status tess_peer_memory_reach(const tess_peer_memory *memory,
                                                   const tess_shared_memory *of, tess_address *out);

/* Put on a stream, in this order: a batch takes a flag's new value, or a wait until it is 1, and is
 * sent when it is full or by `send`. */
TESS_MUST_CHECK tess_status tess_peer_memory_put(const tess_peer_memory *memory,
                                                 tess_flag_batch *batch, tess_address at,
                                                 uint32_t value);
TESS_MUST_CHECK tess_status tess_peer_memory_await(const tess_peer_memory *memory,
                                                   tess_flag_batch *batch, tess_address at);
TESS_MUST_CHECK tess_status tess_peer_memory_send(const tess_peer_memory *memory,
                                                  tess_flag_batch *batch);

/* Peer memory: what the processes of a host share of their GPUs' memory, by the CUDA driver, which
 * is opened at run time. */
#pragma once

#include "core/base/status.h"
#include "kernels/devices/device.h"
#include <stddef.h>

/* Names memory of one process for the others (CUipcMemHandle). */
typedef struct tess_shared_memory {
    char bytes[64];
} tess_shared_memory;

/* name in the library, name here, parameters; `stream` is CUDA's */
#define TESS_PEER_FUNCTIONS(X)                                                                     \
    X(cuIpcGetMemHandle, share, (tess_shared_memory * out, tess_address of))                       \
    X(cuIpcOpenMemHandle_v2, reach, (tess_address * out, tess_shared_memory of, unsigned flags))   \
    X(cuIpcCloseMemHandle, close, (tess_address of))                                               \
    X(cuMemcpyDtoDAsync_v2, copy,                                                                  \
      (tess_address to, tess_address from, size_t bytes, void *stream))                            \
    X(cuStreamWriteValue32_v2, put,                                                                \
      (void *stream, tess_address at, uint32_t value, unsigned flags))                             \
    X(cuStreamWaitValue32_v2, await,                                                               \
      (void *stream, tess_address at, uint32_t value, unsigned flags))                             \
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

/* These are put on a stream: 32 bits are written after all that came before; what follows waits
 * until they have a value; bytes are copied. */
TESS_MUST_CHECK tess_status tess_peer_memory_put(const tess_peer_memory *memory, void *stream,
                                                 tess_address at, uint32_t value);
TESS_MUST_CHECK tess_status tess_peer_memory_await(const tess_peer_memory *memory, void *stream,
                                                   tess_address at, uint32_t value);
TESS_MUST_CHECK tess_status tess_peer_memory_copy(const tess_peer_memory *memory, void *stream,
                                                  tess_address to, tess_address from, size_t bytes);

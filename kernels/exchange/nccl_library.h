/* The NCCL library: its functions, opened at run time, so that one binary serves machines with and
 * without it. */
#pragma once

#include "core/base/status.h"
#include <stddef.h>

/* Types and numbers of NCCL 2's stable interface (nccl.h). */
typedef struct nccl_communicator *nccl_communicator;

typedef struct nccl_id {
    char bytes[128];
} nccl_id;

enum { NCCL_BYTE = 0 }; /* ncclInt8 */

/* name in the library, name here, parameters; `stream` is CUDA's */
#define TESS_NCCL_FUNCTIONS(X)                                                                     \
    X(ncclGetVersion, version, (int *version))                                                     \
    X(ncclGetUniqueId, make_id, (nccl_id * id))                                                    \
    X(ncclCommInitRank, communicator_open,                                                         \
      (nccl_communicator * out, int n_ranks, nccl_id id, int rank))                                \
    X(ncclCommDestroy, communicator_close, (nccl_communicator communicator))                       \
    X(ncclCommGetAsyncError, error_so_far, (nccl_communicator communicator, int *error))           \
    X(ncclGroupStart, group_start, (void))                                                         \
    X(ncclGroupEnd, group_end, (void))                                                             \
    X(ncclSend, send,                                                                              \
      (const void *data, size_t n, int type, int to, nccl_communicator communicator,               \
       void *stream))                                                                              \
    X(ncclRecv, receive,                                                                           \
      (void *data, size_t n, int type, int from, nccl_communicator communicator, void *stream))

typedef struct tess_nccl_library {
    void *handle;
    int major, minor, patch;
    const char *(*error_string)(int result);
#define X(symbol, member, parameters) int(*member) parameters;
    TESS_NCCL_FUNCTIONS(X)
#undef X
} tess_nccl_library;

/* Opens the library that TESS_NCCL names, else the one that the loader, CUDA or Python's packages
 * have. Fails (MISSING) with how to get one, or with the version that does not fit. NVLink's
 * multicast is off and eight channels are the most, unless NCCL_NVLS_ENABLE, NCCL_MAX_CTAS or
 * NCCL_MAX_P2P_NCHANNELS say otherwise. It stays open until the process ends.
 */
TESS_MUST_CHECK tess_status tess_nccl_library_open(tess_nccl_library *out);

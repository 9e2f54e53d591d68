/* The MPI library: its functions, opened at run time, so that one binary serves machines with any
 * MPI and with none. It speaks three binary interfaces: Open MPI's, MPICH's (also Intel's and
 * Cray's) and the standard one of MPI 5.0. */
#pragma once

#include "core/base/status.h"
#include <stddef.h>
#include <stdint.h>

/* A handle as it is passed: an int in MPICH's interface, a pointer in the others. */
typedef uintptr_t mpi_handle;

/* name in the library, name here, parameters */
#define TESS_MPI_FUNCTIONS(X)                                                                      \
    X(MPI_Init_thread, init, (int *argc, char ***argv, int required, int *provided))               \
    X(MPI_Finalize, finalize, (void))                                                              \
    X(MPI_Get_library_version, version, (char *text, int *length))                                 \
    X(MPI_Comm_rank, rank, (mpi_handle comm, int *rank))                                           \
    X(MPI_Comm_size, size, (mpi_handle comm, int *size))                                           \
    X(MPI_Allreduce, allreduce,                                                                    \
      (const void *send, void *receive, int n, mpi_handle type, mpi_handle op, mpi_handle comm))   \
    X(MPI_Allgather, allgather,                                                                    \
      (const void *send, int n, mpi_handle type, void *receive, int n_each,                        \
       mpi_handle receive_type, mpi_handle comm))                                                  \
    X(MPI_Send_init, send_init,                                                                    \
      (const void *data, int n, mpi_handle type, int to, int tag, mpi_handle comm, void *request)) \
    X(MPI_Recv_init, receive_init,                                                                 \
      (void *data, int n, mpi_handle type, int from, int tag, mpi_handle comm, void *request))     \
    X(MPI_Startall, start_all, (int n, void *requests))                                            \
    X(MPI_Waitall, wait_all, (int n, void *requests, void *statuses))                              \
    X(MPI_Request_free, request_free, (void *request))

typedef struct tess_mpi_library {
    void *handle;
    char name[64];       /* the file that was opened */
    const char *family;  /* "Open MPI" or "MPICH", which launchers belong to as well */
    size_t request_size; /* bytes of a request */
    int64_t self;        /* the number, for Fortran, of the communicator of this process alone */
    mpi_handle world, byte_type, double_type, sum;
    void *statuses_ignore, *in_place;
#define X(symbol, member, parameters) int(*member) parameters;
    TESS_MPI_FUNCTIONS(X)
#undef X
} tess_mpi_library;

/* Keeps hwloc, by which MPI looks at the machine, from connecting to X servers, whose end would be
 * that of the process; for this process and those that it starts. */
void tess_mpi_avoid_displays(void);

/* Opens the library that TESS_MPI names, else one of the family that started this process, else any
 * that the loader finds. Fails (MISSING) with how to get one. It stays open until the process ends.
 */
TESS_MUST_CHECK tess_status tess_mpi_library_open(tess_mpi_library *out);

/* Opens the library of a family: "Open MPI", "MPICH"; NULL: of any. */
TESS_MUST_CHECK tess_status tess_mpi_library_open_of(const char *family, tess_mpi_library *out);

/* Fills the line with the file and what the library says of itself, in a line. */
enum { TESS_MPI_LINE_SIZE = 200 };
void tess_mpi_library_name(const tess_mpi_library *mpi, char line[TESS_MPI_LINE_SIZE]);

/* How many processes the launcher says that it has started, or 0; *family is the
 * library's that it belongs to, "Open MPI" or "MPICH". */
int tess_mpi_launched(const char **family);

/* Which of them this is, before the library is opened; 0 where there is no launcher. */
int tess_mpi_launched_rank(void);

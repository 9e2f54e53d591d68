/* An array loop: a user's kernel over maps, run on arrays of the caller's where they lie. */
#pragma once

#include "core/mesh/mesh.h"

typedef struct tess_array_loop tess_array_loop;

/* How it is made. Texts may be NULL: their defaults. */
typedef struct tess_array_loop_setting {
    const char *header, *description; /* files, as --kernel and --loop of `tess run` take them */
    tess_type real;                   /* TESS_FLOAT or TESS_DOUBLE */
    const char *device;               /* "host", "cuda:gpu=1", "emulator" */
    const char *strategy;    /* by default the first that fits and gives the same bits in every
                                run: gather, point-parallel, block-colour; on the host openmp */
    const char *partitioner; /* of the blocks; "file-order" */
    int block_size;
} tess_array_loop_setting;

/* A dat of its args: an array [n_elements][dim]. */
typedef struct tess_array_loop_dat {
    const char *name, *set; /* set "": one global value; both borrowed from the loop */
    int64_t n_elements;
    int dim;
    tess_type type;
    bool read, written; /* what is incremented is both */
} tess_array_loop_dat;

typedef struct tess_array_loop_call {
    void *const *arrays; /* [n_dats], each at a multiple of 16 bytes */
    bool on_device;      /* where they are: in the device's memory, else in this machine's */
    void *const *queue;  /* of the device, CUDA's stream, which takes the work and is not waited
                            for; NULL: one of its own, and all is done on return */
} tess_array_loop_call;

/* Reads the kernel, cuts its loop on the mesh into blocks, and compiles it. The mesh has the sets
 * and maps of its args, and outlives it. Fails (INPUT) on a kernel that is wrong, by file and line,
 * and on one that sums over all elements; (USAGE) where the strategy does not fit the loop;
 * (MISSING) where the device or a compiler is not there. */
TESS_MUST_CHECK tess_status tess_array_loop_build(tess_mesh *mesh,
                                                  const tess_array_loop_setting *setting,
                                                  tess_array_loop **out);
void tess_array_loop_free(tess_array_loop *loop);

/* Gives a dat by its number; false past the last. */
bool tess_array_loop_dat_at(const tess_array_loop *loop, int i, tess_array_loop_dat *out);

/* Runs it once: what is written changes, increments are added to what is there. By the default
 * strategies the bits of the result are the same in every run on one device. One thread at a time.
 * The first call tries the kernel on some elements of the arrays, which are there by then, and
 * fails (INPUT) where it does not keep to its args. */
TESS_MUST_CHECK tess_status tess_array_loop_run(tess_array_loop *loop,
                                                const tess_array_loop_call *call);

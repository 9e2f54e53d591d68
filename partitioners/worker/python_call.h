/* A Python call: how a partitioner that is a Python library, or a function of the user's, is run by
 * the worker program.
 *
 * For a library the partitioner writes its graph or hypergraph as a file that the library reads by
 * itself, then the worker's process becomes Python with python_worker.py, which partitions and
 * answers the request (partitioners/worker/worker_request.h). One process all along: the time
 * limit, the CPU seconds and a crash are those of any other partitioner. */
#pragma once

#include "partitioners/graph32.h"
#include "partitioners/partitioner.h"
#include <limits.h>
#include <stdio.h>

/* The exact packages, as pip takes them. */
#define TESS_MTKAHYPAR_PACKAGE "mtkahypar==1.7.post1"
#define TESS_KAMINPAR_PACKAGE "kaminpar==3.7.3"

typedef struct tess_python_call {
    const char *package;   /* "mtkahypar==1.7.post1": the module and its version */
    const char *preset;    /* as the library names it */
    const char *objective; /* likewise; NULL: it has only one */
    int64_t n_elements;
    int32_t n_parts;
    int32_t largest;  /* elements that a part may have */
    double imbalance; /* over the mean, rounded up, such that no part exceeds `largest` */
    int n_threads;
    uint64_t seed;
} tess_python_call;

/* The options `threads` and `seed` of a call, and its sizes by the options l and epsilon. */
#define TESS_OPTION_THREADS                                                                        \
    TESS_INT_OPTION("threads", "1", 1, 1024,                                                       \
                    "that it may use; with more than one each run gives another answer")
tess_python_call tess_python_call_of(const tess_partition_problem *problem, const tess_spec *spec,
                                     const tess_option *options);

/* Opens the file, in memory, that the library is to read. */
TESS_MUST_CHECK tess_status tess_python_input_open(FILE **out);

/* Finds Python: $TESS_PYTHON, a program or the folder of a virtual environment, or else
 * /usr/bin/python3; fails with MISSING where it cannot be executed. */
TESS_MUST_CHECK tess_status tess_python_path(char path[PATH_MAX]);

/* Closes the input and becomes Python; returns only when that fails. */
TESS_MUST_CHECK tess_status tess_python_become(const tess_python_call *call, FILE *input);

/* Becomes Python for the function of that name in a file of the user's, which finds the problem in
 * the memory of the request; returns only when that fails. */
TESS_MUST_CHECK tess_status tess_python_become_function(const char *file, const char *function);

/* Fills block_of without a library where there is nothing to decide: blocks of one element, or one
 * block. False: there is. */
bool tess_python_call_is_trivial(const tess_python_call *call, int32_t *block_of);

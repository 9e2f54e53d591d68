/* A PT-SCOTCH job: a graph to cut and the answer to it, in memory that the worker and the processes
 * of PT-SCOTCH share, all on one machine. */
#pragma once

#include "core/base/rows.h"
#include <stdbool.h>

enum { TESS_PTSCOTCH_MESSAGE_SIZE = 512 };

/* The start of the memory. */
typedef struct tess_ptscotch_job {
    char magic[8];
    int64_t bytes, n_vertices, n_entries;
    int32_t n_parts, n_processes;
    int32_t flags; /* of the strategy, as scotch.h numbers them */
    int32_t seed;
    double imbalance; /* a part has up to (1 + imbalance) times the mean */
    bool weighted;
    _Atomic int32_t n_done;   /* processes that have written their parts */
    _Atomic int32_t n_failed; /* the first one that fails writes the next two */
    tess_status status;       /* why */
    char message[TESS_PTSCOTCH_MESSAGE_SIZE];
} tess_ptscotch_job;

/* The arrays behind it: offset [n_vertices + 1]; neighbour and weight [n_entries]; part_of
 * [n_vertices], the answer. */
int64_t *tess_ptscotch_offset(tess_ptscotch_job *job);
int32_t *tess_ptscotch_neighbour(tess_ptscotch_job *job);
int32_t *tess_ptscotch_weight(tess_ptscotch_job *job);
int32_t *tess_ptscotch_part_of(tess_ptscotch_job *job);

/* Puts a graph, weight NULL or beside its items, into new memory behind a copy of `job`, of which
 * the sizes are filled; *fd is that of the memory, which other processes open by its path in /proc.
 * The caller closes it and frees the job. */
TESS_MUST_CHECK tess_status tess_ptscotch_job_new(const tess_ptscotch_job *job,
                                                  const tess_rows *graph, const int32_t *weight,
                                                  int *fd, tess_ptscotch_job **out);

/* Opens the memory of another process by its path. Fails (USAGE) where it is no job. */
TESS_MUST_CHECK tess_status tess_ptscotch_job_open(const char *path, tess_ptscotch_job **out);
void tess_ptscotch_job_free(tess_ptscotch_job *job);

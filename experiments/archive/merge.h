/* Merging of labs: what another lab has and this one lacks is copied. Idempotent. */
#pragma once

#include "experiments/archive/lab.h"

typedef struct tess_merge_counts {
    int64_t n_meshes, n_plans, n_runs, n_notes; /* copied; notes and tags are single files */
    int64_t n_damaged;                          /* not copied */
    int64_t n_incomplete; /* runs that are copied, but whose mesh or plan neither lab has */
    char damage[1024];    /* what is wrong with the last of these */
    int64_t n_trashed;    /* runs that are in this lab's trash: not copied */
} tess_merge_counts;

/* Copies meshes, plans, runs, tags and notes from `other`; every file is verified first. Plans and
 * meshes come before the runs that refer to them, so an interrupted merge leaves a right lab. The
 * runs that it copies are in the lab's index at once: listing them costs no reading. */
TESS_MUST_CHECK tess_status tess_lab_merge(tess_lab *lab, const tess_lab *other,
                                           tess_merge_counts *counts);

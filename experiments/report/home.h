/* The way home: the commands that take what a run found into somebody's own mesh or code. */
#pragma once

#include "experiments/archive/run_query.h"
#include <stdio.h>

/* Gives them, a line each behind `indent`, or "" (row -1: too): the mesh in the order of its blocks
 * where blocks were cut for a map in another order than its own, and not refined, or in the order
 * that another program was given; else the blocks as arrays; and the loop as source where it ran on
 * a GPU. The caller frees it. */
TESS_MUST_CHECK tess_status tess_home_text(const tess_query *query, int64_t row, const char *indent,
                                           char **out);

/* What the command names that takes blocks home. */
typedef struct tess_home_cut {
    const char *run, *mesh, *map, *partitioner; /* map: FROM:TO, else what ran is a loop */
    int64_t block_size;                         /* 0: not known */
    bool is_refined;                            /* behind the partitioner */
} tess_home_cut;

/* That command, without its end of line: the mesh in the order of its blocks, or, where they are no
 * order of it but its own, these as arrays. */
void tess_home_print_cut(const tess_home_cut *cut, const tess_lab *lab, FILE *stream);

/* " -l FOLDER" behind a command of the lab's runs, or nothing where commands take it anyway. */
void tess_home_print_lab(const tess_lab *lab, FILE *stream);

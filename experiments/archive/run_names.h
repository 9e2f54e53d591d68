/* How runs are named on a command line: the beginning of an id, @last, @last~N, or tag:NAME. */
#pragma once

#include "experiments/archive/lab.h"

/* Ids of runs, sorted by when they were named, each once. */
typedef struct tess_run_ids {
    int64_t n, capacity;
    char (*items)[TESS_RUN_ID_SIZE];
} tess_run_ids;

/* Appends the runs that names [n] mean: one each, or all that have the tag (INPUT if no
 * run has it). */
TESS_MUST_CHECK tess_status tess_run_ids_add(const tess_lab *lab, const char *const *names,
                                             int64_t n, tess_run_ids *ids);
void tess_run_ids_clear(tess_run_ids *ids);

/* The name of a run behind the sign that tells it from other words: @last as it is, @01abc without.
 */
const char *tess_run_name_behind(const char *word);

/* The one run that `name` means; fails (INPUT) where a tag has several. */
TESS_MUST_CHECK tess_status tess_run_id_of(const tess_lab *lab, const char *name,
                                           char id[TESS_RUN_ID_SIZE]);

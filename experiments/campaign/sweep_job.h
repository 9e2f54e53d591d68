/* A sweep on a cluster: an array job whose tasks share what is left of a sweep. */
#pragma once

#include "experiments/campaign/recipe.h"
#include <stdint.h>
#include <stdio.h>

/* What takes array jobs; TESS_BATCH_PRINT is a shell. */
typedef enum tess_batch_system {
    TESS_BATCH_SLURM,
    TESS_BATCH_PBS,
    TESS_BATCH_SGE,
    TESS_BATCH_PRINT
} tess_batch_system;

extern const char *const tess_batch_system_names[]; /* ends with NULL */

/* The most tasks that an array may have here, as far as the system says; INT64_MAX: any number. */
int64_t tess_batch_system_most_tasks(tess_batch_system system);

typedef struct tess_sweep_job {
    tess_batch_system system;
    const tess_recipe *recipe;
    int64_t n_tasks;
    int64_t n_processes; /* that a task starts at most for one point; 1: its own */
    int n_options;
    const char *const *options; /* [n_options] of the system, "--time=1:00:00" */
    int argc;
    const char *const *argv; /* [argc] what each task passes to `tess sweep` */
} tess_sweep_job;

/* Prints the script of the job, or, for a shell, the command of each task, one a line. */
TESS_MUST_CHECK tess_status tess_sweep_job_print(const tess_sweep_job *job, FILE *stream);

/* Writes NAME.sbatch, NAME.pbs or NAME.sge in the current folder and submits it; what the system
 * answers goes to stdout. Fails (MISSING) where it is not here, and the script stays for the
 * machine that has it; CHECK where it refuses the job, and, told apart, where it was asked to wait
 * for it and a task failed. For a shell it prints to stdout. */
TESS_MUST_CHECK tess_status tess_sweep_job_submit(const tess_sweep_job *job);

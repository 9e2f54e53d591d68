/* A sweep on a cluster: a Slurm array job in which each task makes one shard. */
#pragma once

#include "experiments/campaign/recipe.h"
#include <stdint.h>
#include <stdio.h>

typedef struct tess_sweep_job {
    const tess_recipe *recipe;
    int64_t n_tasks;
    int n_options;
    const char *const *options; /* [n_options] of sbatch, "--time=1:00:00" */
    int argc;
    const char *const *argv; /* [argc] what each task passes to `tess sweep` */
} tess_sweep_job;

TESS_MUST_CHECK tess_status tess_sweep_job_print(const tess_sweep_job *job, FILE *stream);

/* Writes NAME.sbatch in the current folder and submits it with sbatch, whose answer goes to stdout.
 * Fails (MISSING) where there is no sbatch; the script stays for the machine that has it. */
TESS_MUST_CHECK tess_status tess_sweep_job_submit(const tess_sweep_job *job);

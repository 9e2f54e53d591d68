/* A sweep on a cluster: a Slurm array job in which each task makes one shard. */
#include "experiments/campaign/sweep_slurm.h"

#include "core/base/array.h"
#include "core/base/process.h"
#include "core/base/shell_word.h"
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static tess_status program_path(char path[static 4096]) {
    const ssize_t length = readlink("/proc/self/exe", path, 4095);
    if (length < 0)
        FAIL(TESS_ERROR_IO, "the path of this program cannot be found: %s", strerror(errno));
    path[length] = '\0';
    return TESS_OK;
}

tess_status tess_sweep_job_print(const tess_sweep_job *job, FILE *stream) {
    char program[4096];
    TRY(program_path(program));
    fprintf(stream, "#!/bin/sh\n#SBATCH --job-name=%s\n#SBATCH --array=1-%lld\n", job->recipe->name,
            (long long)job->n_tasks);
    fprintf(stream, "#SBATCH --output=%s-%%a.log\n", job->recipe->name);
    for (int i = 0; i < job->n_options; i++)
        fprintf(stream, "#SBATCH %s\n", job->options[i]);
    fputs("exec ", stream);
    tess_shell_word_print(program, stream);
    fputs(" sweep", stream);
    for (int i = 0; i < job->argc; i++) {
        fputc(' ', stream);
        tess_shell_word_print(job->argv[i], stream);
    }
    fprintf(stream, " --shard \"$SLURM_ARRAY_TASK_ID/%lld\"\n", (long long)job->n_tasks);
    return TESS_OK;
}

static tess_status write_script(const tess_sweep_job *job, const char *path) {
    FILE *file = fopen(path, "w");
    if (!file)
        FAIL(TESS_ERROR_IO, "%s cannot be written: %s", path, strerror(errno));
    const tess_status status = tess_sweep_job_print(job, file);
    if (fclose(file) != 0 && status == TESS_OK)
        FAIL(TESS_ERROR_IO, "%s cannot be written: %s", path, strerror(errno));
    return status;
}

/* True where sbatch waits for the job: its status is then the job's. */
static bool waits(const tess_sweep_job *job) {
    for (int i = 0; i < job->n_options; i++)
        if (strcmp(job->options[i], "--wait") == 0 || strcmp(job->options[i], "-W") == 0)
            return true;
    return false;
}

static tess_status submit(const tess_sweep_job *job, char *path) {
    char *argv[] = {(char[]){"sbatch"}, path, NULL};
    pid_t child = 0;
    int ended = 0;
    const int error = posix_spawnp(&child, "sbatch", NULL, NULL, argv, environ);
    if (error)
        FAIL(TESS_ERROR_MISSING,
             "sbatch cannot be run (%s): %s is written, submit it where Slurm is, or run its last "
             "line with SLURM_ARRAY_TASK_ID set",
             strerror(error), path);
    TRY(tess_process_wait(child, &ended));
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return TESS_OK;
    if (waits(job))
        FAIL(TESS_ERROR_CHECK,
             "a task of %s failed, if sbatch has submitted it (see %s-*.log; the same sweep again "
             "makes what is missing), else sbatch refused it",
             path, job->recipe->name);
    FAIL(TESS_ERROR_CHECK,
         "sbatch refused %s; where it calls the array invalid, ask for fewer tasks: 'scontrol show "
         "config' names MaxArraySize, mostly 1001",
         path);
}

tess_status tess_sweep_job_submit(const tess_sweep_job *job) {
    char *path = NULL;
    if (asprintf(&path, "%s.sbatch", job->recipe->name) < 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory for a path");
    tess_status status = write_script(job, path);
    if (status == TESS_OK)
        status = submit(job, path);
    free(path);
    return status;
}

/* A sweep on a cluster: an array job whose tasks share what is left of a sweep. */
#include "experiments/campaign/sweep_job.h"

#include "core/base/array.h"
#include "core/base/own_file.h"
#include "core/base/process.h"
#include "core/base/shell_word.h"
#include "core/base/whole_file.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* How a system is spoken to. */
typedef struct batch_words {
    const char *program;            /* submits a script */
    const char *directive;          /* begins a line that holds an option */
    const char *name, *array, *log; /* options: formats of the sweep's name, the tasks, the name */
    const char *processes;          /* likewise, of the processes of a task; NULL: sites differ */
    const char *settled;            /* what stands in every script */
    const char *task;               /* the variable with a task's number */
    int64_t least_array;            /* fewer tasks are no array */
} batch_words;

const char *const tess_batch_system_names[] = {"slurm", "pbs", "sge", "print", NULL};

static const batch_words words_of[] = {
    [TESS_BATCH_SLURM] = {.program = "sbatch",
                          .directive = "#SBATCH",
                          .name = "--job-name=%s",
                          .array = "--array=1-%lld",
                          .log = "--output=%s-%%a.log",
                          .processes = "--ntasks=%lld",
                          .settled = "",
                          .task = "SLURM_ARRAY_TASK_ID",
                          .least_array = 1},
    [TESS_BATCH_PBS] = {.program = "qsub",
                        .directive = "#PBS",
                        .name = "-N %s",
                        .array = "-J 1-%lld",
                        .log = "-o %s-^array_index^.log",
                        .processes = "-l select=%lld:ncpus=1:mpiprocs=1",
                        .settled = "#PBS -j oe\n#PBS -V\ncd \"$PBS_O_WORKDIR\" || exit\n",
                        .task = "PBS_ARRAY_INDEX",
                        .least_array = 2},
    [TESS_BATCH_SGE] = {.program = "qsub",
                        .directive = "#$",
                        .name = "-N %s",
                        .array = "-t 1-%lld",
                        .log = "-o %s-$TASK_ID.log",
                        .settled = "#$ -j y\n#$ -V\n#$ -cwd\n#$ -S /bin/sh\n",
                        .task = "SGE_TASK_ID",
                        .least_array = 1},
};

int64_t tess_batch_system_most_tasks(tess_batch_system system) {
    char line[512];
    long long size = 0; /* one more than the largest number of a task */
    FILE *told =
        system == TESS_BATCH_SLURM ? popen("scontrol show config 2>/dev/null", "re") : NULL;
    while (told && fgets(line, sizeof line, told))
        sscanf(line, "MaxArraySize = %lld", &size);
    if (told)
        pclose(told);
    return size > 1 ? size - 1 : INT64_MAX;
}

static void print_sweep(const tess_sweep_job *job, const char *program, FILE *stream) {
    tess_shell_word_print(program, stream);
    fputs(" sweep", stream);
    for (int i = 0; i < job->argc; i++) {
        fputc(' ', stream);
        tess_shell_word_print(job->argv[i], stream);
    }
}

static void print_option(const batch_words *words, FILE *stream, const char *format, ...) {
    va_list arguments;
    fprintf(stream, "%s ", words->directive);
    va_start(arguments, format);
    vfprintf(stream, format, arguments);
    va_end(arguments);
    fputc('\n', stream);
}

static void print_script(const tess_sweep_job *job, const char *program, FILE *stream) {
    const batch_words *words = &words_of[job->system];
    const bool is_array = job->n_tasks >= words->least_array;
    fputs("#!/bin/sh\n", stream);
    print_option(words, stream, words->name, job->recipe->name);
    if (is_array)
        print_option(words, stream, words->array, (long long)job->n_tasks);
    print_option(words, stream, words->log, job->recipe->name);
    if (job->n_processes > 1 && words->processes)
        print_option(words, stream, words->processes, (long long)job->n_processes);
    for (int i = 0; i < job->n_options; i++)
        print_option(words, stream, "%s", job->options[i]);
    fprintf(stream, "%sexec ", words->settled);
    print_sweep(job, program, stream);
    if (is_array)
        fprintf(stream, " --share \"$%s/%lld\"", words->task, (long long)job->n_tasks);
    fputc('\n', stream);
}

tess_status tess_sweep_job_print(const tess_sweep_job *job, FILE *stream) {
    char program[PATH_MAX];
    TRY(tess_own_program(program));
    if (job->system != TESS_BATCH_PRINT)
        print_script(job, program, stream);
    for (int64_t i = 1; job->system == TESS_BATCH_PRINT && i <= job->n_tasks; i++) {
        print_sweep(job, program, stream);
        fprintf(stream, " --share %lld/%lld\n", (long long)i, (long long)job->n_tasks);
    }
    return TESS_OK;
}

static tess_status write_script(const tess_sweep_job *job, const char *path) {
    tess_status status = TESS_OK;
    tess_whole_file file = {.is_remade = false};
    CHECK(tess_whole_file_open(path, &file));
    CHECK(tess_sweep_job_print(job, file.stream));
    CHECK(tess_whole_file_keep(&file));
done:
    tess_whole_file_release(&file);
    return status;
}

/* Starts a program whose output comes out of *output. */
static int start(char *const *argv, int *output, pid_t *child) {
    int ends[2] = {-1, -1};
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const int error = posix_spawnp(child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error)
        close(ends[0]);
    *output = ends[0];
    return error;
}

/* Passes on what a system answers; true where it did: it has taken the job. */
static bool pass_answer(int output) {
    char text[4096];
    bool answered = false;
    for (ssize_t n = 0; (n = read(output, text, sizeof text)) > 0;) {
        fwrite(text, 1, (size_t)n, stdout);
        fflush(stdout);
        answered = true;
    }
    close(output);
    return answered;
}

static tess_status submit(const tess_sweep_job *job, char *path) {
    const batch_words *words = &words_of[job->system];
    char *argv[] = {(char *)(uintptr_t)words->program, path, NULL};
    pid_t child = 0;
    int ended = 0, output = -1;
    const int error = start(argv, &output, &child);
    if (error)
        FAIL(TESS_ERROR_MISSING,
             "%s cannot be run (%s): %s is written, submit it where %s is, or run its last line "
             "with %s set",
             words->program, strerror(error), path, tess_batch_system_names[job->system],
             words->task);
    const bool taken = pass_answer(output);
    TRY(tess_process_wait(child, &ended));
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return TESS_OK;
    if (taken)
        FAIL(TESS_ERROR_CHECK,
             "a task of %s failed (see %s-*.log; the same sweep again makes what is left)", path,
             job->recipe->name);
    FAIL(TESS_ERROR_CHECK, "%s refused %s", words->program, path);
}

tess_status tess_sweep_job_submit(const tess_sweep_job *job) {
    static const char *const extensions[] = {"sbatch", "pbs", "sge"};
    char *path = NULL;
    if (job->system == TESS_BATCH_PRINT)
        return tess_sweep_job_print(job, stdout);
    TRY(tess_text_print(&path, "%s.%s", job->recipe->name, extensions[job->system]));
    tess_status status = write_script(job, path);
    if (status == TESS_OK)
        status = submit(job, path);
    free(path);
    return status;
}

/* The exec partitioner: a command of the user's, the problem in, a block number a line out. */
#include "core/base/array.h"
#include "partitioners/block_lines.h"
#include "partitioners/partitioner.h"
#include "partitioners/problem_file.h"
#include "partitioners/worker/worker.h"
#include "partitioners/worker/worker_request.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHELL_NOT_FOUND = 127, SHELL_SIGNAL = 128 }; /* exit codes of sh(1) */

static const tess_option options[] = {
    TESS_TEXT_OPTION("command", "",
                     "for the shell: reads the problem from stdin or the file $TESS_INPUT, prints "
                     "a block number from 0 a line, one line an element"),
    TESS_CHOICE_OPTION("format", "graph", TESS_PROBLEM_FORMATS,
                       "of the problem: METIS's graph, hMETIS's or PaToH's hypergraph, Matrix "
                       "Market, or all that a partitioner may know"),
    TESS_TEXT_OPTION("name", "exec", "what tables call it, in place of the command"),
    {.key = NULL}};

static tess_status write_problem(const tess_partition_problem *problem, const char *format,
                                 const char *path) {
    FILE *file = fopen(path, "w");
    if (!file)
        FAIL(TESS_ERROR_IO, "%s cannot be written: %s", path, strerror(errno));
    const tess_status status = tess_problem_write(problem, tess_problem_format_of(format), file);
    const bool failed = ferror(file) != 0;
    if ((fclose(file) != 0 || failed) && status == TESS_OK)
        FAIL(TESS_ERROR_IO, "%s cannot be written: %s", path, strerror(errno));
    return status;
}

/* Names the file of the problem in the folder that the worker has for it. */
static tess_status name_input(const char *format, char path[PATH_MAX]) {
    tess_worker_request *request = NULL;
    TRY(tess_worker_request_open(dup(TESS_WORKER_FD), &request));
    snprintf(path, PATH_MAX, "%s/%s", request->folder, format);
    const bool is_there = request->folder[0] != '\0';
    tess_worker_request_free(request);
    if (!is_there)
        FAIL(TESS_ERROR_IO, "there is no folder for the problem's file: say with TMPDIR where one "
                            "may be made");
    return TESS_OK;
}

static void set_number(const char *name, int64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    setenv(name, text, 1);
}

/* What the command finds in its environment. */
static void set_environment(const tess_partition_problem *problem, const char *input) {
    setenv("TESS_INPUT", input, 1);
    set_number("TESS_ELEMENTS", problem->n_elements);
    set_number("TESS_BLOCK_SIZE", problem->block_size);
    set_number("TESS_BLOCKS",
               (problem->n_elements + problem->block_size - 1) / problem->block_size);
    set_number("TESS_SEED", (int64_t)(problem->seed & INT64_MAX));
}

/* In the child: becomes the shell. */
static void become_shell(const char *command, const char *input, int output) {
    const int file = open(input, O_RDONLY);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (file >= 0 && dup2(file, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0) {
        close_range(STDERR_FILENO + 1, ~0U, 0);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    }
    _exit(SHELL_NOT_FOUND);
}

static tess_status start_shell(const char *command, const char *input, pid_t *child, FILE **out) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        FAIL(TESS_ERROR_IO, "no pipe for the command's answer: %s", strerror(errno));
    *child = fork();
    if (*child == 0)
        become_shell(command, input, ends[1]);
    const int error = errno;
    close(ends[1]);
    *out = *child < 0 ? NULL : fdopen(ends[0], "r");
    if (*out)
        return TESS_OK;
    close(ends[0]);
    FAIL(TESS_ERROR_IO, "the command cannot be started: %s", strerror(error));
}

/* Waits for the shell and fails unless it ended well. */
static tess_status wait_shell(pid_t child) {
    int ended = 0;
    while (waitpid(child, &ended, 0) < 0)
        if (errno != EINTR)
            FAIL(TESS_ERROR_IO, "the command cannot be waited for: %s", strerror(errno));
    const int code = WIFEXITED(ended) ? WEXITSTATUS(ended) : 0;
    const int number = WIFSIGNALED(ended) ? WTERMSIG(ended) : code - SHELL_SIGNAL;
    if (number > 0 && sigabbrev_np(number))
        FAIL(TESS_ERROR_CHECK, "the command was ended by %s (SIG%s)", strsignal(number),
             sigabbrev_np(number));
    if (code == SHELL_NOT_FOUND)
        FAIL(TESS_ERROR_MISSING, "a program of the command is not there (exit code %d)", code);
    if (code != 0)
        FAIL(TESS_ERROR_CHECK, "the command ended with exit code %d", code);
    return TESS_OK;
}

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    const char *command = tess_spec_text(spec, options, "command");
    const char *format = tess_spec_text(spec, options, "format");
    char input[PATH_MAX];
    pid_t child = 0;
    FILE *answer = NULL;
    TRY(name_input(format, input));
    TRY(write_problem(problem, format, input));
    set_environment(problem, input);
    TRY(start_shell(command, input, &child, &answer));
    const tess_status read =
        tess_block_lines_read(answer, "its output", problem->n_elements, block_of);
    const bool is_over = feof(answer) != 0;
    fclose(answer);
    if (is_over) /* why it ended says more than that lines are missing */
        TRY(wait_shell(child));
    return read == TESS_ERROR_INPUT ? TESS_ERROR_CHECK : read;
}

/* The program of a word that is a command: as the shell finds it. */
static bool find_program(const char *word, char path[PATH_MAX]) {
    char folders[PATH_MAX], *rest = NULL;
    if (strchr(word, '/'))
        return snprintf(path, PATH_MAX, "%s", word) < PATH_MAX && access(path, X_OK) == 0;
    snprintf(folders, sizeof folders, "%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
    for (char *folder = strtok_r(folders, ":", &rest); folder; folder = strtok_r(NULL, ":", &rest))
        if (snprintf(path, PATH_MAX, "%s/%s", folder, word) < PATH_MAX && access(path, X_OK) == 0)
            return true;
    return false;
}

/* The programs of the command and the files that it names, as far as they are plain words. */
static tess_status files(const tess_spec *spec, FILE *stream) {
    static const char ends[] = " \t\n;|&()<>\"'`=";
    char *text = NULL, path[PATH_MAX];
    struct stat info;
    bool is_command = true;
    TRY(tess_text_copy(tess_spec_text(spec, options, "command"), &text));
    for (char *at = text; *at;) {
        char *word = at;
        at += strcspn(at, ends);
        const char end = *at;
        if (*at)
            *at++ = '\0';
        const bool found = *word && (is_command ? find_program(word, path)
                                                : snprintf(path, PATH_MAX, "%s", word) < PATH_MAX);
        if (found && stat(path, &info) == 0 && S_ISREG(info.st_mode))
            fprintf(stream, "%s\n", path);
        is_command = (is_command && !*word) || (end && strchr("\n;|&(`", end));
    }
    free(text);
    return TESS_OK;
}

const tess_partitioner tess_partitioner_exec = {
    .name = "exec",
    .summary = "a command of yours: the graph, hypergraph or problem in, a block number a line out",
    .reference = "docs/user_partitioner/README.md",
    .options = options,
    .third_party = true,
    .on_request = true,
    .unrepeatable = true,
    .runs_code = true,
    .name_option = "name",
    .files = files,
    .partition = partition,
};

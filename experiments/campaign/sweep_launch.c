/* A launch: a point of a sweep that processes of its own make. */
#include "experiments/campaign/sweep_launch.h"

#include "core/base/array.h"
#include "core/base/process.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool tess_sweep_launches(const tess_experiment *experiment) {
    return experiment->kind == TESS_TIMING ||
           strcmp(tess_experiment_engine(experiment), "local") != 0;
}

/* The last line of a text that is ours, behind "tess: error: ", or all from there; NULL: none is.
 */
static char *find_line(char *text, bool is_all) {
    static const char OURS[] = "tess: ", ERROR[] = "error: ";
    char *line = NULL;
    for (char *at = text; (at = strstr(at, OURS)); at++)
        if (at == text || at[-1] == '\n')
            line = at + strlen(OURS);
    if (!line)
        return NULL;
    line[is_all ? strlen(line) : strcspn(line, "\n")] = '\0';
    return strncmp(line, ERROR, strlen(ERROR)) == 0 ? line + strlen(ERROR) : line;
}

/* Why a launched program failed: what it said last of itself, without the name of a rank where it
 * is about all of them, or what its launcher said. */
static tess_status read_reason(FILE *said, int code, bool is_all, char **out) {
    static const char RANK[] = "rank ";
    char text[8192];
    tess_process_tail(said, text, sizeof text);
    char *line = find_line(text, is_all);
    for (char *c = text; !line && *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    const bool of_all_ranks = code == tess_status_exit_code(TESS_ERROR_USAGE) ||
                              code == tess_status_exit_code(TESS_ERROR_MISSING);
    const char *behind = line && strncmp(line, RANK, strlen(RANK)) == 0 ? strstr(line, ": ") : NULL;
    return tess_text_copy(of_all_ranks && behind ? behind + 2 : line ? line : text, out);
}

static const char *launcher_of(const tess_sweep_launch *launch) {
    return launch->launcher ? launch->launcher : getenv("SLURM_JOB_ID") ? "srun" : "mpiexec";
}

tess_status tess_sweep_launch_make(const tess_sweep_launch *launch,
                                   const tess_experiment *experiment, int *exit_code,
                                   char **reason) {
    tess_status status = TESS_OK;
    char *point = NULL, **words = NULL;
    FILE *said = NULL, *nothing = NULL;
    int ended = 0;
    CHECK(tess_text_print(&point, "%s:%s:%lld", launch->sweep, launch->digest,
                          (long long)experiment->repetition));
    const char *flags[9] = {"--lab", launch->lab, "--sweep-point", point, "--quiet"};
    int n_flags = 5;
    if (experiment->kind == TESS_RUNNING) {
        flags[n_flags++] = "--launcher";
        flags[n_flags++] = launcher_of(launch);
        if (launch->view)
            flags[n_flags++] = "--view";
        if (launch->fresh)
            flags[n_flags++] = "--ignore-cache";
    }
    said = tmpfile();
    nothing = fopen("/dev/null", "r");
    if (!said || !nothing)
        CHECK(tess_fail(TESS_ERROR_IO, "no file for what a run says: %s", strerror(errno)));
    CHECK(tess_experiment_command(experiment, flags, n_flags, &words));
    CHECK(tess_process_run(&(tess_process_call){.program = "/proc/self/exe",
                                                .argv = words,
                                                .input = nothing,
                                                .output = said,
                                                .errors = said},
                           &ended));
    *exit_code = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    if (*exit_code != 0)
        CHECK(read_reason(said, *exit_code, experiment->kind == TESS_TIMING, reason));
done:
    free(point);
    tess_words_free(words);
    if (nothing)
        fclose(nothing);
    if (said)
        fclose(said);
    return status;
}

/* ParaView as a program: its Python runs our scripts, its window opens our files. */
#include "viz/paraview.h"

#include "core/base/array.h"
#include "core/base/own_file.h"
#include "core/base/process.h"
#include "core/base/progress.h"
#include "core/base/whole_file.h"
#include "viz/display.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char how_to_install[] =
    "Debian: apt-get install --no-install-recommends python3-paraview xvfb xauth";

tess_status tess_paraview_script(const char *script, char **out) {
    char folder[PATH_MAX];
    tess_own_file("TESS_SCRIPTS", "../share/tesselab/scripts", TESS_SCRIPTS_DIR, folder);
    TRY(tess_text_print(out, "%s/%s", folder, script));
    if (access(*out, R_OK) == 0)
        return TESS_OK;
    const tess_status status = tess_fail(TESS_ERROR_MISSING,
                                         "the script %s cannot be read: %s (TESS_SCRIPTS names its "
                                         "folder)",
                                         *out, strerror(errno));
    free(*out);
    *out = NULL;
    return status;
}

/* What the script says of its failure behind "view.py: ", which stands behind what ParaView says;
 * all where it says nothing. */
static const char *own_words(const char *message, const char *script) {
    const char *found = message;
    const size_t length = strlen(script);
    for (const char *line = message; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, script, length) == 0 && strncmp(line + length, ": ", 2) == 0)
            found = line + length + 2;
    }
    return found;
}

/* What became of pvpython, as a status. */
static tess_status judge(int ended, const char *script, FILE *printed) {
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return TESS_OK;
    char message[1024];
    tess_process_tail(printed, message, sizeof message);
    if (WIFSIGNALED(ended))
        FAIL(TESS_ERROR_IO, "ParaView was ended by signal %d while it ran %s\n%s", WTERMSIG(ended),
             script, message);
    if (WEXITSTATUS(ended) == 127)
        FAIL(TESS_ERROR_MISSING, "pvpython does not start (%s)", how_to_install);
    FAIL(tess_process_status(WEXITSTATUS(ended)), "%s",
         message[0] ? own_words(message, script) : "ParaView failed and did not say why");
}

static tess_status run_program(const char *program, char *const *argv, const char *script) {
    tess_status status = TESS_OK;
    int ended = 0;
    FILE *printed = tmpfile();
    if (!printed)
        FAIL(TESS_ERROR_IO, "no temporary file: %s", strerror(errno));
    const tess_process_call call = {
        .program = program, .argv = argv, .output = printed, .errors = printed};
    tess_progress_begin("rendering in ParaView");
    status = tess_process_run(&call, &ended);
    tess_progress_end();
    if (status == TESS_ERROR_MISSING)
        status = tess_fail(status, "%s (%s)", tess_message(), how_to_install);
    CHECK(status);
    CHECK(judge(ended, script, printed));
done:
    fclose(printed);
    return status;
}

tess_status tess_paraview_run(const char *script, const char *const *arguments) {
    tess_status status = TESS_OK;
    char *path = NULL;
    const char **argv = NULL;
    tess_display *display = NULL;
    int n = 0;
    while (arguments[n])
        n++;
    CHECK(tess_paraview_script(script, &path));
    CHECK(TESS_ALLOC(n + 4, &argv));
    argv[0] = "pvpython";
    argv[1] = "--no-mpi"; /* nor the daemon that Open MPI starts for a process alone */
    argv[2] = path;
    memcpy(argv + 3, arguments, (size_t)(n + 1) * sizeof *argv);
    CHECK(tess_display_open(&display));
    CHECK(run_program("pvpython", (char *const *)argv, script));
done:
    tess_display_close(display);
    free(argv);
    free(path);
    return status;
}

tess_status tess_paraview_become(const char *script) {
    char *path = NULL, *option = NULL;
    if (!tess_display_is_there())
        FAIL(TESS_ERROR_MISSING, "there is no display for ParaView's window");
    TRY(tess_paraview_script(script, &path));
    TRY(tess_text_print(&option, "--script=%s", path));
    char *folder_end = strrchr(path, '/'); /* ParaView does not tell a script where it is */
    *folder_end = '\0';
    setenv("TESS_SCRIPTS", path, 1);
    execlp("paraview", "paraview", option, (char *)NULL);
    const tess_status status = tess_fail(TESS_ERROR_MISSING,
                                         "paraview does not start: %s (Debian: apt-get install "
                                         "--no-install-recommends paraview)",
                                         strerror(errno));
    free(option);
    free(path);
    return status;
}

static tess_status check_file(const char *path, const char *option) {
    const tess_status status = tess_whole_file_check(path);
    return status == TESS_OK ? TESS_OK : tess_fail_at(status, option);
}

tess_status tess_paraview_check_picture(const char *path) {
    if (!tess_text_ends(path, ".png") || strlen(path) < 5)
        FAIL(TESS_ERROR_USAGE, "'%s': pictures are PNG files, end the name with .png", path);
    return check_file(path, "--png");
}

tess_status tess_paraview_check_film(const char *path) {
    if (!tess_text_ends(path, ".ogv") && !tess_text_ends(path, ".avi"))
        FAIL(TESS_ERROR_USAGE, "'%s': films are .ogv or .avi files", path);
    return check_file(path, "--film");
}

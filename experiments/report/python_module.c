/* A module of the Python package `tesselab`, run as a program. */
#include "experiments/report/python_module.h"

#include "core/base/array.h"
#include "core/base/own_file.h"
#include "core/base/process.h"
#include "core/base/progress.h"
#include "partitioners/worker/python_call.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The arguments of Python; the caller frees argv, and argv[1]. */
static tess_status make_arguments(char *python, const char *module, const char *const *arguments,
                                  const char ***out) {
    tess_status status = TESS_OK;
    char package[PATH_MAX], *starter = NULL;
    const char **argv = NULL;
    int n = 0;
    while (arguments[n])
        n++;
    tess_own_file("TESS_PACKAGE", "../share/tesselab/python", TESS_PACKAGE_DIR, package);
    CHECK(tess_text_print(&starter, "%s/tesselab/start.py", package));
    if (access(starter, R_OK) != 0)
        CHECK(tess_fail(TESS_ERROR_MISSING,
                        "the Python package cannot be read: %s: %s (TESS_PACKAGE names its folder)",
                        starter, strerror(errno)));
    CHECK(TESS_ALLOC(n + 4, &argv));
    argv[0] = python;
    argv[1] = TESS_TAKE(starter);
    argv[2] = module;
    memcpy(argv + 3, arguments, (size_t)(n + 1) * sizeof *argv);
    *out = argv;
done:
    free(starter);
    return status;
}

/* Notes of a module that did its work, however many. */
static void pass_on(FILE *printed) {
    char text[4096];
    size_t n;
    rewind(printed);
    while ((n = fread(text, 1, sizeof text, printed)) > 0)
        fwrite(text, 1, n, stderr);
}

static tess_status judge(int ended, const char *module, FILE *printed) {
    char words[1024];
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0) {
        pass_on(printed);
        return TESS_OK;
    }
    tess_process_tail(printed, words, sizeof words);
    if (WIFSIGNALED(ended))
        FAIL(TESS_ERROR_IO, "Python was ended by signal %d while it ran tesselab.%s\n%s",
             WTERMSIG(ended), module, words);
    const tess_status status = tess_process_status(WEXITSTATUS(ended));
    if (strstr(words, "Traceback ("))
        FAIL(status, "tesselab.%s failed: %s", module, words);
    char *before = strrchr(words, '\n'); /* notes stand before the reason */
    if (!before)
        FAIL(status, "%s", *words ? words : "Python failed and did not say why");
    *before = '\0';
    fprintf(stderr, "%s\n", words);
    FAIL(status, "%s", before + 1);
}

static tess_status run(char *const *argv, FILE *input, FILE *printed) {
    const tess_process_call call = {
        .program = argv[0], .argv = argv, .input = input, .errors = printed};
    int ended = 0;
    TRY(tess_process_run(&call, &ended));
    return judge(ended, argv[2], printed);
}

tess_status tess_python_module_run(const char *module, const char *const *arguments,
                                   const json_t *given, const char *task) {
    tess_status status = TESS_OK;
    char python[PATH_MAX];
    const char **argv = NULL;
    FILE *input = tmpfile(), *printed = tmpfile();
    if (!input || !printed)
        CHECK(tess_fail(TESS_ERROR_IO, "no temporary file: %s", strerror(errno)));
    CHECK(tess_python_path(python));
    CHECK(make_arguments(python, module, arguments, &argv));
    if (!given || json_dumpf(given, input, JSON_REAL_PRECISION(17)) != 0 || fflush(input) != 0)
        CHECK(tess_fail(TESS_ERROR_IO, "the input of tesselab.%s cannot be written", module));
    rewind(input);
    fflush(stdout);
    if (task)
        tess_progress_begin("%s", task);
    status = run((char *const *)argv, input, printed);
    if (task)
        tess_progress_end();
done:
    if (argv)
        free((char *)argv[1]);
    free(argv);
    if (input)
        fclose(input);
    if (printed)
        fclose(printed);
    return status;
}

/* A C module: a text compiled by the system's C compiler into a shared object, and loaded. */
#include "kernels/devices/c_module.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/process.h"
#include "core/base/whole_file.h"
#include "kernels/devices/disk_cache.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 48, MESSAGE_BYTES = 700 };

struct tess_c_module {
    void *handle;
};

static const char *compiler(void) {
    const char *cc = getenv("CC");
    return cc && cc[0] ? cc : "cc";
}

/* Runs a command with its output (both streams) in the file `output`. Gives its exit code. */
static tess_status run(char *const *arguments, const char *output, int *exit_code) {
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory: a process");
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    const int error = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        FAIL(TESS_ERROR_MISSING,
             "the C compiler '%s' cannot be run (%s): install one (apt install gcc) or set CC",
             arguments[0], strerror(error));
    int state = 0;
    TRY(tess_process_wait(child, &state));
    if (WIFSIGNALED(state))
        FAIL(TESS_ERROR_MISSING, "the C compiler '%s' was ended by %s", arguments[0],
             strsignal(WTERMSIG(state)));
    *exit_code = WEXITSTATUS(state);
    return TESS_OK;
}

/* Splits at single spaces, in place, behind the arguments that are there. */
static int add_words(char *words, char **arguments, int n) {
    char *rest = NULL;
    for (char *word = strtok_r(words, " ", &rest); word && n < MAX_ARGUMENTS - 1;
         word = strtok_r(NULL, " ", &rest))
        arguments[n++] = word;
    return n;
}

/* Compiles source to target (both paths); on failure the message holds the compiler's first lines
 * and where the source will lie. */
static tess_status compile(const char *source, const char *kept, const char *target,
                           const char *flags) {
    tess_status status = TESS_OK;
    char *copy = NULL, *cc = NULL, *log = NULL, *words = NULL;
    size_t size = 0;
    if (asprintf(&log, "%s.log", target) < 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory: a path");
    CHECK(tess_text_copy(flags, &copy));
    CHECK(tess_text_copy(compiler(), &cc));
    char *arguments[MAX_ARGUMENTS];
    int n = add_words(cc, arguments, 0);
    n = add_words(copy, arguments, n);
    const char *const fixed[] = {"-shared", "-fPIC", "-o", target, source, "-lm", NULL};
    for (int i = 0; fixed[i] && n < MAX_ARGUMENTS - 1; i++)
        arguments[n++] = (char *)(uintptr_t)fixed[i];
    arguments[n] = NULL;
    int exit_code = 0;
    CHECK(run(arguments, log, &exit_code));
    if (exit_code != 0) {
        CHECK(tess_cache_read(log, &words, &size));
        const char *said = words ? words : "";
        CHECK(tess_fail(TESS_ERROR_INPUT, "the C compiler refuses the kernel's text (%s):\n%.*s",
                        kept, tess_text_first_lines(said, MESSAGE_BYTES), said));
    }
done:
    if (log)
        unlink(log);
    free(words);
    free(log);
    free(cc);
    free(copy);
    return status;
}

/* Writes the text beside `target` and compiles it under a name of this thread, then renames. Where
 * the compiler refuses it the text is left for a look, under one name however often it is tried. */
static tess_status make(const char *text, const char *target, const char *flags) {
    tess_status status = TESS_OK;
    char *source = NULL, *kept = NULL, *temporary = NULL;
    CHECK(tess_text_print(&source, "%s.%ld.c", target, (long)gettid()));
    CHECK(tess_text_print(&kept, "%s.c", target));
    CHECK(tess_text_print(&temporary, "%s.%ld", target, (long)gettid()));
    CHECK(tess_whole_file_remake(source, text, strlen(text)));
    status = compile(source, kept, temporary, flags);
    if (status != TESS_ERROR_INPUT || tess_interrupted() || rename(source, kept) != 0)
        unlink(source);
    CHECK(status);
    if (rename(temporary, target) != 0)
        CHECK(tess_fail(TESS_ERROR_IO, "%s cannot be written: %s", target, strerror(errno)));
done:
    free(temporary);
    free(kept);
    free(source);
    return status;
}

tess_status tess_c_module_open(const char *text, const char *flags, tess_c_module **out) {
    tess_status status = TESS_OK;
    char *directory = NULL, *path = NULL;
    tess_c_module *module = NULL;
    char key[TESS_CACHE_KEY];
    tess_cache_key((const char *const[]){compiler(), flags, text, NULL}, key);
    CHECK(tess_cache_directory("modules", &directory));
    if (asprintf(&path, "%s/%s.so", directory, key) < 0)
        CHECK(tess_fail(TESS_ERROR_MEMORY, "out of memory: a path"));
    CHECK(TESS_ZEROS(1, &module));
    if (access(path, R_OK) != 0)
        CHECK(make(text, path, flags));
    module->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module->handle) {
        unlink(path);
        CHECK(tess_fail(TESS_ERROR_IO, "a compiled module cannot be loaded: %s", dlerror()));
    }
    *out = TESS_TAKE(module);
done:
    tess_c_module_close(module);
    free(path);
    free(directory);
    return status;
}

void tess_c_module_close(tess_c_module *module) {
    if (!module)
        return;
    if (module->handle)
        dlclose(module->handle);
    free(module);
}

tess_status tess_c_module_function(const tess_c_module *module, const char *name,
                                   void (**out)(void)) {
    void *symbol = dlsym(module->handle, name);
    if (!symbol)
        FAIL(TESS_ERROR_INTERNAL, "the compiled module has no '%s'", name);
    memcpy(out, &symbol, sizeof symbol);
    return TESS_OK;
}

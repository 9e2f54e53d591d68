/* A peer's process: an adaptor that runs one loop after another, each read from a folder. */
#include "kernels/peers/peer_process.h"

#include "core/base/array.h"
#include "core/base/temporary_folder.h"
#include "core/base/unknown_name.h"
#include "core/base/whole_file.h"
#include "kernels/devices/embed.h"
#include "kernels/peers/dialogue.h"
#include "partitioners/worker/python_call.h"
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TESS_EMBED(tess_peer_text, "kernels/peers/peer.py");
TESS_EMBED(tess_peer_columns_text, "kernels/peers/columns.py");
TESS_EMBED(tess_peer_kernel_text, "kernels/peers/kernel_trace.py");
TESS_EMBED(tess_peer_compiled_text, "kernels/peers/compiled.py");
TESS_EMBED(tess_peer_program_text, "kernels/peers/program.h");
#define X(symbol, name, adaptor) TESS_EMBED(tess_peer_##symbol##_text, "kernels/peers/" adaptor);
#include "kernels/peers/list.h"
#undef X

static const struct {
    const char *name, *adaptor;
} shipped[] = {
#define X(symbol, name, adaptor) {name, tess_peer_##symbol##_text},
#include "kernels/peers/list.h"
#undef X
};

enum { N_SHIPPED = sizeof shipped / sizeof *shipped };

struct tess_peer_process {
    char *name, *device; /* that it was started for */
    char *called;        /* in messages */
    tess_dialogue *dialogue;
    char folder[TESS_TEMPORARY_SIZE]; /* of its scripts */
};

static const char *adaptor_of(const char *name) {
    for (int i = 0; i < N_SHIPPED; i++)
        if (strcmp(shipped[i].name, name) == 0)
            return shipped[i].adaptor;
    return NULL;
}

tess_status tess_peer_check(const char *name) {
    if (adaptor_of(name))
        return TESS_OK;
    if (strchr(name, '/')) {
        if (access(name, R_OK) == 0)
            return TESS_OK;
        FAIL(TESS_ERROR_USAGE, "the peer %s cannot be read: %s", name, strerror(errno));
    }
    tess_unknown_name unknown = tess_unknown_name_of(name);
    for (int i = 0; i < N_SHIPPED; i++)
        tess_unknown_name_add(&unknown, shipped[i].name);
    return tess_unknown_name_fail("there is no peer", &unknown,
                                  (tess_unknown_words){"? There are %s, and a file of yours, with "
                                                       "a slash",
                                                       "; there are %s, and a file of "
                                                       "yours, with a slash"});
}

static tess_status write_text(const tess_peer_process *process, const char *name,
                              const char *text) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", process->folder, name);
    return tess_whole_file_remake(path, text, strlen(text));
}

/* The scripts of adaptors in Python; `adaptor` is NULL where it is a user's file. */
static tess_status write_scripts(const tess_peer_process *process, const char *adaptor) {
    TRY(write_text(process, "peer.py", tess_peer_text));
    TRY(write_text(process, "columns.py", tess_peer_columns_text));
    TRY(write_text(process, "kernel_trace.py", tess_peer_kernel_text));
    TRY(write_text(process, "compiled.py", tess_peer_compiled_text));
    TRY(write_text(process, "program.h", tess_peer_program_text));
    return adaptor ? write_text(process, "adaptor.py", adaptor) : TESS_OK;
}

/* Starts the adaptor with the folder of its first loop. */
static tess_status start(tess_peer_process *process, char *loop) {
    char python[PATH_MAX] = "", script[PATH_MAX], adaptor[PATH_MAX];
    const char *text = adaptor_of(process->name);
    const bool is_program = !text && !tess_text_ends(process->name, ".py");
    if (!is_program)
        TRY(tess_python_path(python));
    snprintf(script, sizeof script, "%s/peer.py", process->folder);
    snprintf(adaptor, sizeof adaptor, text ? "%s/adaptor.py" : "%s",
             text ? process->folder : process->name);
    char *const by_python[] = {python, script, loop, adaptor, NULL};
    char *const by_itself[] = {adaptor, loop, NULL};
    if (!is_program)
        TRY(write_scripts(process, text));
    return tess_dialogue_open(is_program ? by_itself : by_python, process->called,
                              "peer: ", &process->dialogue);
}

static tess_status start_new(const tess_peer_setting *setting, const char *folder,
                             tess_peer_process **out) {
    tess_status status = TESS_OK;
    tess_peer_process *process = NULL;
    char loop[PATH_MAX];
    snprintf(loop, sizeof loop, "%s", folder);
    CHECK(TESS_ZEROS(1, &process));
    CHECK(tess_text_copy(setting->name, &process->name));
    CHECK(tess_text_copy(setting->device, &process->device));
    CHECK(tess_text_print(&process->called, "the peer %s", setting->name));
    tess_temporary_folder_make("tess-peer", process->folder);
    if (!process->folder[0])
        CHECK(tess_fail(TESS_ERROR_IO, "there is no folder for a peer's adaptor: say with TMPDIR "
                                       "where one may be made"));
    CHECK(start(process, loop));
    *out = TESS_TAKE(process);
done:
    tess_peer_process_end(process);
    return status;
}

/* Takes one of that name and device out of the pool; NULL: none waits. */
static tess_peer_process *take(tess_peer_pool *pool, const tess_peer_setting *setting) {
    for (int64_t i = pool ? pool->n - 1 : -1; i >= 0; i--) {
        tess_peer_process *process = pool->waiting[i];
        if (strcmp(process->name, setting->name) != 0 ||
            strcmp(process->device, setting->device) != 0)
            continue;
        pool->waiting[i] = pool->waiting[--pool->n];
        return process;
    }
    return NULL;
}

/* Takes one that has forgotten its loop; who ended meanwhile, or is late, is gone. */
static tess_peer_process *take_ready(const tess_peer_setting *setting) {
    tess_peer_process *process = NULL;
    const char *answer = NULL;
    while ((process = take(setting->pool, setting)) &&
           tess_peer_process_ask(process, "", setting->time_limit, &answer) != TESS_OK)
        tess_peer_process_end(process);
    return process;
}

tess_status tess_peer_process_begin(const tess_peer_setting *setting, const char *folder,
                                    tess_peer_process **out, const char **version) {
    tess_status status = TESS_OK;
    char *line = NULL;
    tess_peer_process *process = take_ready(setting);
    if (process)
        CHECK(tess_text_print(&line, "loop %s", folder));
    else
        CHECK(start_new(setting, folder, &process));
    if (line)
        tess_dialogue_forget(process->dialogue);
    CHECK(tess_peer_process_ask(process, line ? line : "", setting->time_limit, version));
    *out = TESS_TAKE(process);
done:
    free(line);
    tess_peer_process_end(process);
    return status;
}

tess_status tess_peer_process_ask(tess_peer_process *process, const char *line, double time_limit,
                                  const char **answer) {
    return tess_dialogue_ask(process->dialogue, line, time_limit, answer);
}

/* It is not waited for: who takes it next has its answer. */
void tess_peer_process_leave(tess_peer_process *process, tess_peer_pool *pool) {
    if (TESS_RESERVE(pool->n + 1, &pool->capacity, &pool->waiting) != TESS_OK) {
        tess_peer_process_end(process);
        return;
    }
    tess_dialogue_say(process->dialogue, "leave");
    pool->waiting[pool->n++] = process;
}

void tess_peer_process_end(tess_peer_process *process) {
    if (!process)
        return;
    tess_dialogue_close(process->dialogue);
    tess_temporary_folder_remove(process->folder);
    free(process->name);
    free(process->device);
    free(process->called);
    free(process);
}

void tess_peer_pool_clear(tess_peer_pool *pool) {
    for (int64_t i = 0; i < pool->n; i++)
        tess_peer_process_end(pool->waiting[i]);
    free(pool->waiting);
    *pool = (tess_peer_pool){.n = 0};
}

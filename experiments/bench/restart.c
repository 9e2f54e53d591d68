/* A restart: this program executed anew in its own place, since a run broke the device for good. */
#include "experiments/bench/restart.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/stream_text.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/close_range.h>

static const char variable[] = "TESS_RESTART";

static tess_status read_runs(const json_t *handed, tess_restart *restart) {
    const json_t *list = json_object_get(handed, "runs");
    restart->seconds = json_number_value(json_object_get(handed, "seconds"));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *key = json_string_value(json_object_get(item, "key"));
        json_t *how = json_object_get(item, "how");
        if (!key || !json_is_object(how))
            FAIL(TESS_ERROR_USAGE, "%s hands over a run without key or how it ended: unset it",
                 variable);
        TRY(tess_restart_add(restart, key, json_incref(how), false));
    }
    return TESS_OK;
}

/* Gives the JSON in the file of that number, or NULL. */
static json_t *take_file(const char *number) {
    char *end = NULL;
    const long file = strtol(number, &end, 10);
    if (end == number || *end || file <= STDERR_FILENO || file > INT_MAX)
        return NULL;
    json_t *handed = lseek((int)file, 0, SEEK_SET) == 0 ? json_loadfd((int)file, 0, NULL) : NULL;
    close((int)file);
    return handed;
}

tess_status tess_restart_read(tess_restart *out) {
    tess_status status = TESS_OK;
    tess_restart restart = {.began = tess_clock_seconds()};
    const char *number = getenv(variable);
    json_t *handed = number ? take_file(number) : NULL;
    if (number && !json_is_object(handed))
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "%s is tess's own, and what it holds cannot be understood: unset it",
                        variable));
    CHECK(read_runs(handed, &restart));
    unsetenv(variable); /* what this program starts is not meant */
    *out = restart;
    restart = (tess_restart){.n = 0};
done:
    tess_restart_clear(&restart);
    json_decref(handed);
    return status;
}

void tess_restart_clear(tess_restart *restart) {
    for (int64_t i = 0; i < restart->n; i++) {
        free(restart->runs[i].key);
        json_decref(restart->runs[i].how);
    }
    free(restart->runs);
    *restart = (tess_restart){.n = 0};
}

const json_t *tess_restart_take(const tess_restart *restart, const char *key) {
    for (int64_t i = 0; i < restart->n; i++)
        if (strcmp(restart->runs[i].key, key) == 0)
            return restart->runs[i].how;
    return NULL;
}

tess_status tess_restart_add(tess_restart *restart, const char *key, json_t *how,
                             bool broke_the_device) {
    tess_status status = TESS_OK;
    if (!how)
        FAIL(TESS_ERROR_MEMORY, "out of memory for how a run ended");
    CHECK(TESS_RESERVE(restart->n + 1, &restart->capacity, &restart->runs));
    tess_ended_run *one = &restart->runs[restart->n];
    *one = (tess_ended_run){.key = NULL};
    CHECK(tess_text_copy(key, &one->key));
    one->how = json_incref(how);
    restart->n++;
    restart->broken |= broke_the_device;
done:
    json_decref(how);
    return status;
}

/* Fills *file with the number of a file that holds what the next execution is told, and names it in
 * the environment. */
static tess_status hand_over(const tess_restart *restart, int *file) {
    json_t *list = json_array();
    bool packed = true;
    for (int64_t i = 0; i < restart->n; i++)
        packed &= json_array_append_new(list, json_pack("{s:s, s:O}", "key", restart->runs[i].key,
                                                        "how", restart->runs[i].how)) == 0;
    const double seconds = restart->seconds + tess_clock_seconds() - restart->began;
    json_t *handed = json_pack("{s:o, s:f}", "runs", list, "seconds", seconds);
    char number[16];
    *file = memfd_create("tess restart", 0);
    snprintf(number, sizeof number, "%d", *file);
    const bool written = packed && handed && *file >= 0 &&
                         json_dumpfd(handed, *file, JSON_COMPACT) == 0 &&
                         setenv(variable, number, 1) == 0;
    json_decref(handed);
    if (!written)
        FAIL(TESS_ERROR_MEMORY, "out of memory for what a new start is told");
    return TESS_OK;
}

/* The words of the command line as this program was started, each ended by a zero. */
static tess_status read_command_line(char **text, int64_t *size) {
    FILE *file = fopen("/proc/self/cmdline", "re");
    if (!file)
        FAIL(TESS_ERROR_IO, "/proc/self/cmdline cannot be read: %s", strerror(errno));
    const tess_status status = tess_stream_read(file, text, size);
    fclose(file);
    return status;
}

static tess_status execute(const char *words, int64_t size, int handed) {
    char **argv = NULL;
    int64_t n = 0;
    for (int64_t i = 0; i < size; i++)
        n += words[i] == '\0';
    TRY(TESS_ZEROS(n + 1, &argv));
    const char *at = words;
    for (int64_t i = 0; i < n; i++, at += strlen(at) + 1)
        argv[i] = (char *)(uintptr_t)at;
    fflush(NULL);
    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC); /* the driver's files hold the GPU's memory */
    fcntl(handed, F_SETFD, 0);
    execv("/proc/self/exe", argv);
    free(argv);
    FAIL(TESS_ERROR_IO, "the program cannot be started anew: %s", strerror(errno));
}

tess_status tess_restart_go(const tess_restart *restart) {
    tess_status status = TESS_OK;
    char *words = NULL;
    int64_t size = 0;
    int handed = -1;
    CHECK(hand_over(restart, &handed));
    CHECK(read_command_line(&words, &size));
    status = execute(words, size, handed);
done:
    free(words);
    return status;
}

/* A restart: this program executed anew in its own place, since a run broke the device for good. */
#include "experiments/restart.h"

#include "core/array.h"
#include "experiments/command.h"
#include "experiments/line.h"
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/close_range.h>

static const char variable[] = "TESS_BREAKERS";

static tess_status read_breakers(const json_t *handed, tess_restart *restart) {
    const json_t *list = json_object_get(handed, "runs");
    restart->seconds = json_number_value(json_object_get(handed, "seconds"));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *key = json_string_value(json_object_get(item, "key"));
        const char *words = json_string_value(json_object_get(item, "words"));
        const char *run = json_string_value(json_object_get(item, "run"));
        if (!key || !words || !run)
            FAIL(TESS_ERROR_USAGE, "%s names a run without key, words or run: unset it", variable);
        TRY(tess_restart_add(restart, key, words, run));
    }
    restart->n_handed = restart->n;
    return TESS_OK;
}

tess_status tess_restart_read(tess_restart *out) {
    tess_status status = TESS_OK;
    tess_restart restart = {.began = tess_clock_seconds()};
    const char *text = getenv(variable);
    json_t *handed = text ? json_loads(text, 0, NULL) : NULL;
    if (text && !json_is_object(handed))
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "%s is tess's own, and what it holds cannot be understood: unset it",
                        variable));
    CHECK(read_breakers(handed, &restart));
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
        free(restart->breakers[i].key);
        free(restart->breakers[i].words);
    }
    free(restart->breakers);
    *restart = (tess_restart){.n = 0};
}

const tess_breaker *tess_restart_find(const tess_restart *restart, const char *key) {
    for (int64_t i = 0; i < restart->n; i++)
        if (strcmp(restart->breakers[i].key, key) == 0)
            return &restart->breakers[i];
    return NULL;
}

tess_status tess_restart_add(tess_restart *restart, const char *key, const char *words,
                             const char *run) {
    TRY(TESS_RESERVE(restart->n + 1, &restart->capacity, &restart->breakers));
    tess_breaker *one = &restart->breakers[restart->n++];
    *one = (tess_breaker){.key = NULL};
    TRY(tess_text_copy(key, &one->key));
    TRY(tess_text_copy(words, &one->words));
    snprintf(one->run, sizeof one->run, "%s", run);
    return TESS_OK;
}

bool tess_restart_helps(const tess_restart *restart) {
    return restart->n > restart->n_handed;
}

static tess_status hand_over(const tess_restart *restart) {
    json_t *list = json_array();
    bool packed = true;
    for (int64_t i = 0; i < restart->n; i++) {
        const tess_breaker *one = &restart->breakers[i];
        packed &= json_array_append_new(list, json_pack("{s:s, s:o, s:s}", "key", one->key, "words",
                                                        tess_json_text(one->words), "run",
                                                        one->run)) == 0;
    }
    const double seconds = restart->seconds + tess_clock_seconds() - restart->began;
    json_t *handed = json_pack("{s:o, s:f}", "runs", list, "seconds", seconds);
    char *text = handed ? json_dumps(handed, JSON_COMPACT) : NULL;
    const bool set = packed && text && setenv(variable, text, 1) == 0;
    free(text);
    json_decref(handed);
    if (!set)
        FAIL(TESS_ERROR_MEMORY, "out of memory for what a new start is told");
    return TESS_OK;
}

/* The words of the command line as this program was started, each ended by a zero. */
static tess_status read_command_line(char **text, size_t *size) {
    int64_t capacity = 0;
    FILE *file = fopen("/proc/self/cmdline", "re");
    if (!file)
        FAIL(TESS_ERROR_IO, "/proc/self/cmdline cannot be read: %s", strerror(errno));
    tess_status status = TESS_OK;
    *text = NULL;
    *size = 0;
    for (size_t n = 1; n > 0; *size += n) {
        CHECK(TESS_RESERVE((int64_t)*size + 4096, &capacity, text));
        n = fread(*text + *size, 1, 4096, file);
    }
done:
    fclose(file);
    return status;
}

static tess_status execute(const char *words, size_t size) {
    char **argv = NULL;
    int64_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += words[i] == '\0';
    TRY(TESS_ZEROS(n + 1, &argv));
    const char *at = words;
    for (int64_t i = 0; i < n; i++, at += strlen(at) + 1)
        argv[i] = (char *)(uintptr_t)at;
    fflush(NULL);
    close_range(3, ~0U, CLOSE_RANGE_CLOEXEC); /* the driver's files hold the GPU's memory */
    execv("/proc/self/exe", argv);
    free(argv);
    FAIL(TESS_ERROR_IO, "the program cannot be started anew: %s", strerror(errno));
}

tess_status tess_restart_go(const tess_restart *restart) {
    tess_status status = TESS_OK;
    char *words = NULL;
    size_t size = 0;
    CHECK(hand_over(restart));
    CHECK(read_command_line(&words, &size));
    status = execute(words, size);
done:
    free(words);
    return status;
}

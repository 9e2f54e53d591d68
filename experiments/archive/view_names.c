/* Names of view files: what people look for in the dialogues of ParaView. */
#include "experiments/archive/view_names.h"

#include "core/base/array.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_LENGTH = TESS_VIEW_KEY_SIZE - 1, LONGEST_MESH = 64, LONGEST_WORD = 40 };

/* Appends the first letters of a text, such as file systems and shells take everywhere. */
static void append_word(const char *text, size_t length, char *name) {
    char *to = name + strlen(name);
    for (size_t i = 0; i < length && text[i]; i++) {
        const unsigned char letter = (unsigned char)text[i];
        *to++ = isascii(letter) && (isalnum(letter) || strchr("=_+", letter)) ? text[i] : '-';
    }
    *to = '\0';
}

static void append_mesh(const char *source, char *name) {
    const char *slash = strrchr(source, '/'), *file = slash ? slash + 1 : source;
    const bool generated = strchr(file, ':') != NULL;
    const size_t length = generated ? strlen(file) : strcspn(file, ".");
    append_word(file, length < LONGEST_MESH ? length : LONGEST_MESH, name);
}

void tess_view_name(const tess_plan_content *content, const char *plan,
                    char name[TESS_VIEW_NAME_SIZE]) {
    char block_size[16];
    snprintf(block_size, sizeof block_size, "%d", content->plan->block_size);
    const char *const words[] = {content->plan->loop, content->partitioner, block_size};
    name[0] = '\0';
    append_mesh(content->bound->mesh->source, name);
    for (int i = 0; i < 3; i++) {
        strcat(name, ".");
        append_word(words[i], LONGEST_WORD, name);
    }
    strcat(name, ".");
    append_word(plan, KEY_LENGTH, name);
}

static bool is_digest(const char *text, size_t length) {
    return strlen(text) == length && strspn(text, "0123456789abcdef") == length;
}

void tess_view_key(const char *name, char key[TESS_VIEW_KEY_SIZE]) {
    const char *dot = strrchr(name, '.');
    key[0] = '\0';
    if (dot ? is_digest(dot + 1, KEY_LENGTH) : is_digest(name, TESS_DIGEST_SIZE - 1))
        snprintf(key, TESS_VIEW_KEY_SIZE, "%.*s", KEY_LENGTH, dot ? dot + 1 : name);
}

static int by_key(const void *a, const void *b) {
    char x[TESS_VIEW_KEY_SIZE], y[TESS_VIEW_KEY_SIZE];
    tess_view_key(*(char *const *)a, x);
    tess_view_key(*(char *const *)b, y);
    return strcmp(x, y);
}

tess_status tess_view_names_read(const tess_lab *lab, tess_view_names *out) {
    tess_status status = TESS_OK;
    tess_view_names views = {.n = 0};
    CHECK(tess_lab_names(lab, "views", &views.names, &views.n));
    CHECK(TESS_ALLOC(views.n, &views.by_plan));
    for (int64_t i = 0; i < views.n; i++)
        views.by_plan[i] = views.names[i];
    if (views.n)
        qsort(views.by_plan, (size_t)views.n, sizeof *views.by_plan, by_key);
    *out = views;
    views = (tess_view_names){.n = 0};
done:
    tess_view_names_clear(&views);
    return status;
}

void tess_view_names_clear(tess_view_names *views) {
    tess_lab_names_free(views->names);
    free(views->by_plan);
    *views = (tess_view_names){.n = 0};
}

static int compare_plan(const void *plan, const void *name) {
    char key[TESS_VIEW_KEY_SIZE];
    tess_view_key(*(char *const *)name, key);
    return strncmp(plan, key, KEY_LENGTH);
}

const char *tess_view_names_find(const tess_view_names *views, const char *plan) {
    char *const *found = views->n && *plan ? bsearch(plan, views->by_plan, (size_t)views->n,
                                                     sizeof *views->by_plan, compare_plan)
                                           : NULL;
    return found ? *found : NULL;
}

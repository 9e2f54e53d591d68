/* Names of view files: what people look for in the dialogues of ParaView. */
#include "experiments/archive/view_names.h"

#include "core/base/array.h"
#include "core/base/folder.h"
#include "data/archive/archive_reader.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_LENGTH = 12, LONGEST_MESH = 64, LONGEST_WORD = 40 };

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
    const char *file = tess_last_of_path(source);
    const bool generated = strchr(file, ':') != NULL;
    const size_t length = generated ? strlen(file) : strcspn(file, ".");
    append_word(file, length < LONGEST_MESH ? length : LONGEST_MESH, name);
}

/* MESH.WORD.WORD.WORD */
static void fill_name(const char *source, const char *const words[3],
                      char name[TESS_VIEW_NAME_SIZE]) {
    name[0] = '\0';
    append_mesh(source, name);
    for (int i = 0; i < 3; i++) {
        strcat(name, ".");
        append_word(words[i], LONGEST_WORD, name);
    }
}

void tess_view_name(const tess_plan_content *content, char name[TESS_VIEW_NAME_SIZE]) {
    char block_size[16];
    snprintf(block_size, sizeof block_size, "%d", content->plan->block_size);
    fill_name(content->bound->mesh->source,
              (const char *const[]){content->plan->loop, content->partitioner, block_size}, name);
}

void tess_view_name_of_record(const tess_record *record, const tess_mesh *mesh,
                              char name[TESS_VIEW_NAME_SIZE]) {
    const bool is_ranked = record->ranks.set[0];
    const char *cut_by =
        tess_values_text(&record->configuration, is_ranked ? "rank_partitioner" : "partitioner");
    const char *loop =
        is_ranked ? tess_values_text(&record->configuration, "loop") : record->chain.loops;
    char what[24];
    if (is_ranked)
        snprintf(what, sizeof what, "%d-ranks", record->ranks.n_ranks);
    else
        snprintf(what, sizeof what, "%d-rings", record->chain.blocks->n_rings);
    fill_name(mesh->source, (const char *const[]){loop, *cut_by ? cut_by : "rcb", what}, name);
}

static bool is_digest(const char *text, size_t length) {
    return strlen(text) == length && strspn(text, "0123456789abcdef") == length;
}

/* What a view of 0.1 shows, by its name. */
static void read_old_name(tess_view_entry *view) {
    const char *dot = strrchr(view->name, '.'), *digest = dot ? dot + 1 : view->name;
    const bool is_ours = is_digest(digest, dot ? KEY_LENGTH : TESS_DIGEST_SIZE - 1);
    view->of[0] = '\0';
    if (is_ours)
        strcpy(view->of, digest);
    view->version = 1;
}

/* Fills what a view shows, by its attributes; a damaged file shows nothing. */
static tess_status read_entry(const tess_lab *lab, tess_view_entry *view) {
    char path[TESS_PATH_SIZE];
    int64_t version = 0;
    tess_archive_reader *file = NULL;
    TRY(tess_lab_path(lab, path, "views/%s.hdf", view->name));
    const bool told =
        tess_archive_open_any(path, &file) == TESS_OK &&
        tess_archive_read_root_text(file, "view_of", sizeof view->of, view->of) == TESS_OK &&
        tess_archive_read_attribute_int(file, "/", "view_version", &version) == TESS_OK;
    tess_archive_reader_free(file);
    view->version = (int)version;
    if (!told)
        read_old_name(view);
    return TESS_OK;
}

tess_status tess_view_names_read(const tess_lab *lab, tess_view_names *out) {
    tess_status status = TESS_OK;
    tess_view_names views = {.n = 0};
    char **names = NULL;
    int64_t n = 0;
    CHECK(tess_lab_names(lab, "views", &names, &n));
    CHECK(TESS_ZEROS(n, &views.items));
    for (int64_t i = 0; i < n; i++) {
        tess_view_entry *view = &views.items[views.n];
        if ((size_t)snprintf(view->name, sizeof view->name, "%s", names[i]) >= sizeof view->name)
            continue; /* no name that we give */
        CHECK(read_entry(lab, view));
        views.n++;
    }
    *out = views;
    views = (tess_view_names){.n = 0};
done:
    tess_lab_names_free(names);
    tess_view_names_clear(&views);
    return status;
}

void tess_view_names_clear(tess_view_names *views) {
    free(views->items);
    *views = (tess_view_names){.n = 0};
}

tess_status tess_view_delete(const tess_lab *lab, const char *name) {
    static const char *const endings[] = {".pvsm", ".blocks.hdf", ".hdf"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char path[TESS_PATH_SIZE];
        TRY(tess_lab_path(lab, path, "views/%s%s", name, endings[i]));
        if (unlink(path) != 0 && errno != ENOENT)
            FAIL(TESS_ERROR_IO, "cannot delete %s: %s", path, strerror(errno));
    }
    return TESS_OK;
}

const tess_view_entry *tess_view_names_find(const tess_view_names *views, const char *of) {
    for (int64_t i = 0; i < views->n; i++) {
        const char *shown = views->items[i].of;
        if (*shown && strncmp(shown, of, strlen(shown)) == 0)
            return &views->items[i];
    }
    return NULL;
}

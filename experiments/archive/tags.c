/* Tags and notes of the runs of a lab: one small file each. */
#include "experiments/archive/tags.h"

#include "core/base/array.h"
#include "core/base/folder.h"
#include "core/base/stream_text.h"
#include "core/base/whole_file.h"
#include "experiments/archive/run_id.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char tag_prefix[] = "tag.", note_prefix[] = "note.";

enum { NOTE_LIMIT = 1 << 20 /* bytes of one note */ };

static int compare_tags(const void *a, const void *b) {
    const tess_tag *x = a, *y = b;
    const int by_run = strcmp(x->run, y->run);
    return by_run ? by_run : strcmp(x->name, y->name);
}

/* Appends the tags of one run, whose files lie in `folder`. */
static tess_status read_tags_of(const char *folder, const char *run, tess_tags *tags) {
    DIR *files = opendir(folder);
    if (!files)
        return TESS_OK; /* not a folder: none of ours */
    tess_status status = TESS_OK;
    for (struct dirent *entry; (entry = readdir(files));) {
        const char *name = entry->d_name + sizeof tag_prefix - 1;
        if (strncmp(entry->d_name, tag_prefix, sizeof tag_prefix - 1) != 0 ||
            strlen(name) >= TESS_NAME_SIZE || tess_whole_file_is_temporary(entry->d_name))
            continue;
        CHECK(TESS_RESERVE(tags->n + 1, &tags->capacity, &tags->items));
        tess_tag *tag = &tags->items[tags->n++];
        strcpy(tag->run, run);
        strcpy(tag->name, name);
    }
done:
    closedir(files);
    return status;
}

tess_status tess_tags_read(const tess_lab *lab, tess_tags **out) {
    tess_status status = TESS_OK;
    tess_tags *tags = NULL;
    char path[TESS_PATH_SIZE];
    DIR *runs = NULL;
    CHECK(TESS_ZEROS(1, &tags));
    CHECK(tess_lab_path(lab, path, "notes"));
    runs = opendir(path);
    for (struct dirent *entry; runs && (entry = readdir(runs));) {
        if (!tess_run_id_is(entry->d_name))
            continue;
        CHECK(tess_lab_path(lab, path, "notes/%s", entry->d_name));
        CHECK(read_tags_of(path, entry->d_name, tags));
    }
    if (tags->n)
        qsort(tags->items, (size_t)tags->n, sizeof *tags->items, compare_tags);
    *out = TESS_TAKE(tags);
done:
    if (runs)
        closedir(runs);
    tess_tags_free(tags);
    return status;
}

void tess_tags_free(tess_tags *tags) {
    if (!tags)
        return;
    free(tags->items);
    free(tags);
}

bool tess_tags_has(const tess_tags *tags, const char *run, const char *name) {
    tess_tag wanted = {0};
    if (strlen(name) >= sizeof wanted.name || strlen(run) >= sizeof wanted.run || !tags->n)
        return false;
    strcpy(wanted.run, run);
    strcpy(wanted.name, name);
    return bsearch(&wanted, tags->items, (size_t)tags->n, sizeof wanted, compare_tags) != NULL;
}

tess_status tess_tags_of(const tess_tags *tags, const char *run, char **out) {
    size_t size = 1;
    for (int64_t i = 0; i < tags->n; i++)
        if (strcmp(tags->items[i].run, run) == 0)
            size += strlen(tags->items[i].name) + 1;
    TRY(TESS_ZEROS((int64_t)size, out));
    for (int64_t i = 0; i < tags->n; i++) {
        if (strcmp(tags->items[i].run, run) != 0)
            continue;
        if (**out)
            strcat(*out, ",");
        strcat(*out, tags->items[i].name);
    }
    return TESS_OK;
}

/* Writes notes/<run>/<prefix><name><suffix>. */
static tess_status write_file(const tess_lab *lab, const char *run, const char *prefix,
                              const char *name, const char *suffix, const char *text) {
    char path[TESS_PATH_SIZE];
    TRY(tess_lab_path(lab, path, "notes/%s", run));
    if (!tess_folder_make(path))
        FAIL(TESS_ERROR_IO, "cannot make the folder %s: %s", path, strerror(errno));
    TRY(tess_lab_path(lab, path, "notes/%s/%s%s%s", run, prefix, name, suffix));
    return tess_whole_file_write(path, text, strlen(text));
}

static tess_status check_tag(const char *name) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    const size_t length = strlen(name);
    if (length == 0 || length >= TESS_NAME_SIZE || strspn(name, letters) != length)
        FAIL(TESS_ERROR_USAGE,
             "'%s' cannot be a tag: 1 to %d letters, digits, '-', '_' and '.' can", name,
             TESS_NAME_SIZE - 1);
    return TESS_OK;
}

tess_status tess_tag_add(const tess_lab *lab, const char *run, const char *name) {
    TRY(check_tag(name));
    return write_file(lab, run, tag_prefix, name, "", "");
}

tess_status tess_tag_remove(const tess_lab *lab, const char *run, const char *name) {
    char path[TESS_PATH_SIZE];
    TRY(check_tag(name));
    TRY(tess_lab_path(lab, path, "notes/%s/%s%s", run, tag_prefix, name));
    if (unlink(path) != 0 && errno != ENOENT)
        FAIL(TESS_ERROR_IO, "cannot remove %s: %s", path, strerror(errno));
    return TESS_OK;
}

tess_status tess_note_add(const tess_lab *lab, const char *run, const char *text) {
    char id[TESS_RUN_ID_SIZE];
    TRY(tess_run_id_make("", id));
    if (strlen(text) > NOTE_LIMIT)
        FAIL(TESS_ERROR_USAGE, "a note of %zu bytes is too long: %d are possible", strlen(text),
             NOTE_LIMIT);
    return write_file(lab, run, note_prefix, id, ".txt", text);
}

static int is_note(const struct dirent *entry) {
    return strncmp(entry->d_name, note_prefix, sizeof note_prefix - 1) == 0 &&
           !tess_whole_file_is_temporary(entry->d_name);
}

static void copy_note(const char *path, FILE *stream) {
    /* A link may leave the lab, and a pipe never end. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    if (!file)
        return;
    int last = '\n';
    for (int c, n = 0; n <= NOTE_LIMIT && (c = fgetc(file)) != EOF; n++)
        last = fputc(c, stream);
    if (last != '\n')
        fputc('\n', stream);
    fclose(file);
}

tess_status tess_notes_read(const tess_lab *lab, const char *run, char **out) {
    tess_status status = TESS_OK;
    char path[TESS_PATH_SIZE];
    struct dirent **entries = NULL;
    tess_printed notes;
    int n = 0;
    TRY(tess_printed_open(&notes));
    CHECK(tess_lab_path(lab, path, "notes/%s", run));
    n = scandir(path, &entries, is_note, alphasort);
    for (int i = 0; i < n; i++) {
        CHECK(tess_lab_path(lab, path, "notes/%s/%s", run, entries[i]->d_name));
        copy_note(path, notes.stream);
    }
done:
    for (int i = 0; i < n; i++)
        free(entries[i]);
    free(entries);
    return tess_printed_close(&notes, status, out);
}

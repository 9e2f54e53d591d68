/* The trash of a lab: runs that were removed. */
#include "experiments/archive/trash.h"

#include "core/base/array.h"
#include "core/base/folder.h"
#include "core/base/plural.h"
#include "experiments/archive/run_file.h"
#include "experiments/archive/run_table.h"
#include "experiments/archive/view_names.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How long what has been stored may have no run yet: a plan waits for the samples of its session at
 * most, a mesh for the first run on it. */
enum { YOUNG_PLAN_SECONDS = 3600, YOUNG_MESH_SECONDS = 24 * 3600 };

/* Moves from one folder of the lab to another; what is not there is no failure if `optional`. */
static tess_status move(const tess_lab *lab, const char *from, const char *to, const char *id,
                        const char *suffix, bool optional) {
    char source[TESS_PATH_SIZE], target[TESS_PATH_SIZE];
    TRY(tess_lab_path(lab, source, "%s/%s%s", from, id, suffix));
    TRY(tess_lab_path(lab, target, "%s/%s%s", to, id, suffix));
    if (rename(source, target) != 0 && !(optional && errno == ENOENT))
        FAIL(errno == ENOENT ? TESS_ERROR_INPUT : TESS_ERROR_IO, "cannot move %s to %s: %s", source,
             target, strerror(errno));
    return TESS_OK;
}

tess_status tess_trash_put(const tess_lab *lab, const char *id) {
    char folder[TESS_PATH_SIZE];
    TRY(tess_lab_path(lab, folder, "trash"));
    if (!tess_folder_make(folder))
        FAIL(TESS_ERROR_IO, "cannot make the trash of %s: %s", tess_lab_folder(lab),
             strerror(errno));
    TRY(move(lab, "runs", "trash", id, ".hdf", false));
    return move(lab, "notes", "trash", id, "", true);
}

tess_status tess_trash_restore(const tess_lab *lab, const char *id) {
    TRY(move(lab, "trash", "notes", id, "", true));
    return move(lab, "trash", "runs", id, ".hdf", false);
}

bool tess_trash_has(const tess_lab *lab, const char *id) {
    char path[TESS_PATH_SIZE];
    return tess_lab_path(lab, path, "trash/%s.hdf", id) == TESS_OK && access(path, F_OK) == 0;
}

/* Removes trash/<id>/ with the small files in it. */
static void remove_notes(const char *path) {
    DIR *files = opendir(path);
    for (struct dirent *entry; files && (entry = readdir(files));)
        unlinkat(dirfd(files), entry->d_name, 0); /* "." and ".." stay: they are folders */
    if (files)
        closedir(files);
    rmdir(path);
}

/* Digests that something refers to. */
typedef struct digests {
    int64_t n, capacity;
    char (*items)[TESS_DIGEST_SIZE];
} digests;

static tess_status digests_add(digests *references, const char *digest) {
    if (!*digest)
        return TESS_OK;
    TRY(TESS_RESERVE(references->n + 1, &references->capacity, &references->items));
    snprintf(references->items[references->n++], TESS_DIGEST_SIZE, "%s", digest);
    return TESS_OK;
}

static int compare_digests(const void *a, const void *b) {
    return strcmp(a, b);
}

static bool digests_have(const digests *references, const char *digest) {
    return references->n && bsearch(digest, references->items, (size_t)references->n,
                                    sizeof *references->items, compare_digests);
}

static tess_status add_column(const tess_run_table *table, const char *name, digests *references) {
    tess_run_field field;
    if (!tess_run_table_find(table, name, &field))
        return TESS_OK;
    for (int64_t row = 0; row < table->n_rows; row++)
        TRY(digests_add(references, tess_run_text(table, &field, row)));
    return TESS_OK;
}

/* Adds what the runs in the trash refer to. */
static tess_status add_trash(const tess_lab *lab, digests *references) {
    tess_status status = TESS_OK;
    tess_record *record = NULL;
    char **ids = NULL, path[TESS_PATH_SIZE];
    int64_t n = 0;
    CHECK(tess_lab_names(lab, "trash", &ids, &n));
    for (int64_t i = 0; i < n; i++) {
        CHECK(tess_lab_path(lab, path, "trash/%s.hdf", ids[i]));
        CHECK(tess_run_file_read_scalars(path, &record));
        CHECK(digests_add(references, record->mesh));
        CHECK(digests_add(references, record->plan));
        tess_record_free(record);
        record = NULL;
    }
done:
    tess_record_free(record);
    tess_lab_names_free(ids);
    return status;
}

/* Gives, sorted, the meshes and plans that runs refer to. */
static tess_status find_references(const tess_lab *lab, digests *references) {
    tess_status status = TESS_OK;
    tess_run_table *table = NULL;
    int64_t n_unreadable = 0;
    CHECK(tess_lab_table(lab, NULL, &table, &n_unreadable));
    if (n_unreadable)
        CHECK(tess_fail(TESS_ERROR_CHECK,
                        "%lld run%s cannot be read, so the plans in use are unknown and nothing is "
                        "deleted: 'tess verify' says what is wrong",
                        (long long)n_unreadable, tess_plural(n_unreadable)));
    CHECK(add_column(table, "mesh_digest", references));
    CHECK(add_column(table, "plan_digest", references));
    CHECK(add_trash(lab, references));
    if (references->n)
        qsort(references->items, (size_t)references->n, sizeof *references->items, compare_digests);
done:
    tess_run_table_free(table);
    return status;
}

static bool is_young(const char *path, double seconds) {
    struct stat about;
    return stat(path, &about) != 0 || difftime(time(NULL), about.st_mtime) < seconds;
}

/* Deletes a file that nobody refers to. A writer that takes it for its own touches it first and
 * writes it anew where it is gone (lab.c): so it is taken away, looked at again, and put
 * back if it has been touched meanwhile. */
static tess_status delete_orphan(const char *path, double young, int64_t *n_deleted) {
    char *aside = NULL;
    if (is_young(path, young))
        return TESS_OK;
    TRY(tess_text_print(&aside, "%s.deleted", path));
    if (rename(path, aside) == 0) {
        if (is_young(aside, young))
            (void)!rename(aside, path);
        else if (unlink(aside) == 0)
            ++*n_deleted;
    }
    free(aside);
    return TESS_OK;
}

/* Deletes the files of a kind that are not among the digests and older than `young` seconds. */
static tess_status delete_orphans(const tess_lab *lab, const char *kind, const digests *used,
                                  double young, int64_t *n_deleted) {
    tess_status status = TESS_OK;
    char **names = NULL, path[TESS_PATH_SIZE];
    int64_t n = 0;
    *n_deleted = 0;
    CHECK(tess_lab_names(lab, kind, &names, &n));
    for (int64_t i = 0; i < n; i++) {
        if (digests_have(used, names[i]))
            continue;
        CHECK(tess_lab_path(lab, path, "%s/%s.hdf", kind, names[i]));
        CHECK(delete_orphan(path, young, n_deleted));
    }
done:
    tess_lab_names_free(names);
    return status;
}

static int compare_beginning(const void *beginning, const void *name) {
    return strncmp(beginning, *(char *const *)name, strlen(beginning));
}

/* Whether one of the sorted names [n] begins so. */
static bool one_begins_with(const char *beginning, char *const *names, int64_t n) {
    return n && bsearch(beginning, names, (size_t)n, sizeof *names, compare_beginning);
}

/* Deletes the views of plans, and of runs on ranks, that are gone. */
static tess_status delete_views(const tess_lab *lab) {
    tess_status status = TESS_OK;
    char **plans = NULL, **runs = NULL;
    tess_view_names views = {.n = 0};
    int64_t n_plans = 0, n_runs = 0;
    CHECK(tess_lab_names(lab, "plans", &plans, &n_plans));
    CHECK(tess_lab_names(lab, "runs", &runs, &n_runs));
    CHECK(tess_view_names_read(lab, &views));
    for (int64_t i = 0; i < views.n; i++) {
        const char *of = views.items[i].of;
        if (!*of || one_begins_with(of, plans, n_plans) || one_begins_with(of, runs, n_runs))
            continue;
        CHECK(tess_view_delete(lab, views.items[i].name));
    }
done:
    tess_view_names_clear(&views);
    tess_lab_names_free(plans);
    tess_lab_names_free(runs);
    return status;
}

static tess_status delete_run(const tess_lab *lab, const char *id) {
    char path[TESS_PATH_SIZE];
    TRY(tess_lab_path(lab, path, "trash/%s", id));
    remove_notes(path);
    TRY(tess_lab_path(lab, path, "trash/%s.hdf", id));
    if (unlink(path) != 0)
        FAIL(TESS_ERROR_IO, "cannot delete %s: %s", path, strerror(errno));
    return TESS_OK;
}

tess_status tess_trash_empty(const tess_lab *lab, tess_trash_count *deleted) {
    tess_status status = TESS_OK;
    char **ids = NULL;
    digests used = {.n = 0};
    *deleted = (tess_trash_count){.runs = 0};
    CHECK(tess_lab_names(lab, "trash", &ids, &deleted->runs));
    for (int64_t i = 0; i < deleted->runs; i++)
        CHECK(delete_run(lab, ids[i]));
    CHECK(find_references(lab, &used));
    CHECK(delete_orphans(lab, "plans", &used, YOUNG_PLAN_SECONDS, &deleted->plans));
    CHECK(delete_orphans(lab, "meshes", &used, YOUNG_MESH_SECONDS, &deleted->meshes));
    CHECK(delete_views(lab));
done:
    free(used.items);
    tess_lab_names_free(ids);
    return status;
}

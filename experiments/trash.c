/* The trash of a lab: runs that were removed. */
#include "experiments/trash.h"

#include "core/array.h"
#include "experiments/index_file.h"
#include "experiments/run_file.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { YOUNG_SECONDS = 3600 };

static tess_status path_of(const tess_lab *lab, const char *folder, const char *name,
                           const char *suffix, char **out) {
    if (asprintf(out, "%s/%s/%s%s", tess_lab_folder(lab), folder, name, suffix) < 0)
        FAIL(TESS_ERROR_MEMORY, "out of memory for a path");
    return TESS_OK;
}

/* Moves from one folder of the lab to another; what is not there is no failure if `optional`. */
static tess_status move(const tess_lab *lab, const char *from, const char *to, const char *id,
                        const char *suffix, bool optional) {
    tess_status status = TESS_OK;
    char *source = NULL, *target = NULL;
    CHECK(path_of(lab, from, id, suffix, &source));
    CHECK(path_of(lab, to, id, suffix, &target));
    if (rename(source, target) != 0 && !(optional && errno == ENOENT))
        CHECK(tess_fail(errno == ENOENT ? TESS_ERROR_INPUT : TESS_ERROR_IO,
                        "cannot move %s to %s: %s", source, target, strerror(errno)));
done:
    free(source);
    free(target);
    return status;
}

tess_status tess_trash_put(const tess_lab *lab, const char *id) {
    char *folder = NULL;
    TRY(path_of(lab, "trash", "", "", &folder));
    const bool made = mkdir(folder, 0777) == 0 || errno == EEXIST;
    const int reason = errno;
    free(folder);
    if (!made)
        FAIL(TESS_ERROR_IO, "cannot make the trash of %s: %s", tess_lab_folder(lab),
             strerror(reason));
    TRY(move(lab, "runs", "trash", id, ".hdf", false));
    return move(lab, "notes", "trash", id, "", true);
}

tess_status tess_trash_restore(const tess_lab *lab, const char *id) {
    TRY(move(lab, "trash", "notes", id, "", true));
    return move(lab, "trash", "runs", id, ".hdf", false);
}

bool tess_trash_has(const tess_lab *lab, const char *id) {
    char *path = NULL;
    if (path_of(lab, "trash", id, ".hdf", &path) != TESS_OK)
        return false;
    const bool has = access(path, F_OK) == 0;
    free(path);
    return has;
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

static bool is_referred_to(const tess_run_table *table, const char *plan) {
    tess_run_field field;
    if (!tess_run_table_find(table, "plan_digest", &field))
        return false;
    for (int64_t row = 0; row < table->n_rows; row++)
        if (strcmp(tess_run_text(table, &field, row), plan) == 0)
            return true;
    return false;
}

static bool is_young(const char *path) {
    struct stat about;
    return stat(path, &about) != 0 || time(NULL) - about.st_mtime < YOUNG_SECONDS;
}

/* Deletes a plan and its view unless a run refers to it, or one may be about to. */
static tess_status delete_plan(const tess_lab *lab, const tess_run_table *table, const char *plan,
                               int64_t *n_plans) {
    tess_status status = TESS_OK;
    char *path = NULL, *view = NULL;
    if (!*plan || is_referred_to(table, plan))
        return TESS_OK;
    CHECK(tess_lab_file(lab, "plans", plan, &path));
    CHECK(tess_lab_file(lab, "views", plan, &view));
    if (!is_young(path) && unlink(path) == 0) {
        unlink(view);
        ++*n_plans;
    }
done:
    free(path);
    free(view);
    return status;
}

static tess_status delete_run(const tess_lab *lab, const tess_run_table *table, const char *id,
                              int64_t *n_plans) {
    tess_status status = TESS_OK;
    char *path = NULL, *notes = NULL;
    tess_record *record = NULL;
    CHECK(path_of(lab, "trash", id, ".hdf", &path));
    CHECK(path_of(lab, "trash", id, "", &notes));
    if (tess_run_file_read_scalars(path, &record) == TESS_OK) /* a damaged one goes, too */
        CHECK(delete_plan(lab, table, record->plan, n_plans));
    remove_notes(notes);
    if (unlink(path) != 0)
        CHECK(tess_fail(TESS_ERROR_IO, "cannot delete %s: %s", path, strerror(errno)));
done:
    tess_record_free(record);
    free(path);
    free(notes);
    return status;
}

tess_status tess_trash_empty(const tess_lab *lab, int64_t *n_runs, int64_t *n_plans) {
    tess_status status = TESS_OK;
    tess_run_table *table = NULL;
    char **ids = NULL;
    int64_t n_unreadable = 0;
    *n_runs = *n_plans = 0;
    CHECK(tess_lab_names(lab, "trash", &ids, n_runs));
    CHECK(tess_lab_table(lab, NULL, &table, &n_unreadable));
    if (n_unreadable)
        CHECK(tess_fail(TESS_ERROR_CHECK,
                        "%lld runs cannot be read, so their plans are unknown and nothing is "
                        "deleted: 'tess verify' names them",
                        (long long)n_unreadable));
    for (int64_t i = 0; i < *n_runs; i++)
        CHECK(delete_run(lab, table, ids[i], n_plans));
done:
    tess_run_table_free(table);
    tess_lab_names_free(ids);
    return status;
}

/* A lab: an archive of meshes, plans and runs, a folder of files. */
#include "experiments/archive/lab.h"

#include "core/base/array.h"
#include "core/base/folder.h"
#include "core/base/progress.h"
#include "core/base/sort.h"
#include "core/base/whole_file.h"
#include "data/archive/archive_reader.h"
#include "data/archive/mesh_file.h"
#include "experiments/archive/plan_digest.h"
#include "experiments/archive/run_file.h"
#include "experiments/archive/run_id.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHORTEST_PREFIX = 4 };

struct tess_lab {
    char *folder;
    char last_id[TESS_RUN_ID_SIZE]; /* of the run stored last by this process, or "" */
    int64_t n_known, known_capacity;
    char (*known)[TESS_DIGEST_SIZE]; /* digests that this process has stored or found intact */
};

static const char extension[] = ".hdf";

static tess_status make_folder(const char *path) {
    if (!tess_folder_make(path))
        FAIL(errno == ENOSPC ? TESS_ERROR_IO : TESS_ERROR_INPUT,
             "cannot make the folder '%s' for the lab: %s; --lab DIR or TESS_LAB name another",
             path, strerror(errno));
    return TESS_OK;
}

/* Makes a folder and those it lies in. */
static tess_status make_folders(const char *path) {
    tess_status status = TESS_OK;
    char *part = NULL;
    CHECK(tess_text_copy(path, &part));
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        CHECK(make_folder(part));
        *slash = '/';
    }
    CHECK(make_folder(part));
done:
    free(part);
    return status;
}

static tess_status make_lab(const char *folder) {
    static const char *const kinds[] = {"meshes", "plans", "runs", "notes", "views"};
    TRY(make_folders(folder));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char *path = NULL;
        TRY(tess_text_print(&path, "%s/%s", folder, kinds[i]));
        const tess_status status = make_folder(path);
        free(path);
        TRY(status);
    }
    return TESS_OK;
}

static tess_status require_lab(const char *folder) {
    char *runs = NULL;
    TRY(tess_text_print(&runs, "%s/runs", folder));
    const bool there = tess_is_folder(runs);
    const bool barred = !there && errno == EACCES;
    free(runs);
    if (barred)
        FAIL(TESS_ERROR_INPUT, "the lab %s cannot be read: %s", folder, strerror(EACCES));
    if (!there)
        FAIL(TESS_ERROR_INPUT,
             "there is no lab at '%s': 'tess partition' and 'tess run' make one; "
             "--lab DIR or TESS_LAB say where it is",
             folder);
    return TESS_OK;
}

static const char *usual_folder(void) {
    const char *variable = getenv("TESS_LAB");
    return variable && *variable ? variable : "lab";
}

tess_status tess_lab_open(const char *path, bool create, tess_lab **out) {
    tess_status status = TESS_OK;
    tess_lab *lab = NULL;
    if (!path)
        path = usual_folder();
    CHECK(create ? make_lab(path) : require_lab(path));
    CHECK(TESS_ZEROS(1, &lab));
    CHECK(tess_text_copy(path, &lab->folder));
    *out = TESS_TAKE(lab);
done:
    tess_lab_close(lab);
    return status;
}

tess_status tess_lab_check_writable(const tess_lab *lab) {
    char runs[TESS_PATH_SIZE];
    TRY(tess_lab_path(lab, runs, "runs"));
    if (access(runs, W_OK) != 0)
        FAIL(TESS_ERROR_INPUT,
             "the lab %s cannot be written: %s; --lab DIR or TESS_LAB name another", lab->folder,
             strerror(errno));
    return TESS_OK;
}

bool tess_lab_is_usual(const tess_lab *lab) {
    return strcmp(lab->folder, usual_folder()) == 0;
}

void tess_lab_close(tess_lab *lab) {
    if (!lab)
        return;
    free(lab->folder);
    free(lab->known);
    free(lab);
}

const char *tess_lab_folder(const tess_lab *lab) {
    return lab->folder;
}

tess_status tess_lab_file(const tess_lab *lab, const char *kind, const char *name, char **out) {
    return tess_text_print(out, "%s/%s/%s%s", lab->folder, kind, name,
                           strcmp(kind, "notes") == 0 ? "" : extension);
}

tess_status tess_lab_make_views(const tess_lab *lab) {
    char path[TESS_PATH_SIZE];
    TRY(tess_lab_path(lab, path, "views"));
    return make_folder(path);
}

tess_status tess_lab_path(const tess_lab *lab, char path[TESS_PATH_SIZE], const char *format, ...) {
    const int start = snprintf(path, TESS_PATH_SIZE, "%s/", lab->folder);
    va_list args;
    va_start(args, format);
    const int length = start < TESS_PATH_SIZE
                           ? vsnprintf(path + start, (size_t)(TESS_PATH_SIZE - start), format, args)
                           : 0;
    va_end(args);
    if (start + length >= TESS_PATH_SIZE)
        FAIL(TESS_ERROR_IO, "the path of the lab %.40s... is too long", lab->folder);
    return TESS_OK;
}

static tess_status remember(tess_lab *lab, const char *digest) {
    TRY(TESS_RESERVE(lab->n_known + 1, &lab->known_capacity, &lab->known));
    snprintf(lab->known[lab->n_known++], TESS_DIGEST_SIZE, "%s", digest);
    return TESS_OK;
}

/* Whether the file of a digest is yet to be written: it is not there and intact (read once a
 * process). */
static tess_status is_missing(tess_lab *lab, const char *path, const char *digest, bool *missing) {
    *missing = false;
    for (int64_t i = 0; i < lab->n_known; i++)
        if (strcmp(lab->known[i], digest) == 0)
            return TESS_OK;
    /* touched first: `tess rm --empty` lets it be for a while, or has taken it before */
    const bool gone = utimensat(AT_FDCWD, path, NULL, 0) != 0 && errno == ENOENT;
    *missing = gone || tess_archive_verify(path, NULL) != TESS_OK;
    return *missing ? TESS_OK : remember(lab, digest);
}

tess_status tess_lab_store_run(tess_lab *lab, tess_record *record) {
    tess_status status = TESS_OK;
    char path[TESS_PATH_SIZE];
    CHECK(tess_run_id_make(lab->last_id, record->id));
    CHECK(tess_lab_path(lab, path, "runs/%s.hdf", record->id));
    CHECK(tess_run_file_write(record, path));
    memcpy(lab->last_id, record->id, sizeof lab->last_id);
done:
    if (status != TESS_OK)
        record->id[0] = '\0';
    return status;
}

/* Appends the name of a file without its extension, unless it is not one of the lab's. */
static tess_status append_name(const char *file, char ***names, int64_t *n, int64_t *capacity) {
    const size_t length = strlen(file);
    if (file[0] == '.' || tess_whole_file_is_temporary(file) || length < sizeof extension ||
        strcmp(file + length - (sizeof extension - 1), extension) != 0)
        return TESS_OK;
    TRY(TESS_RESERVE(*n + 2, capacity, names)); /* one for the closing NULL */
    TRY(tess_text_copy(file, &(*names)[*n]));
    (*names)[*n][length - (sizeof extension - 1)] = '\0';
    (*names)[++*n] = NULL;
    return TESS_OK;
}

tess_status tess_lab_names(const tess_lab *lab, const char *kind, char ***names, int64_t *n) {
    tess_status status = TESS_OK;
    char path[TESS_PATH_SIZE], **found = NULL;
    int64_t capacity = 1, n_found = 0;
    DIR *folder = NULL;
    CHECK(TESS_ZEROS(1, &found));
    CHECK(tess_lab_path(lab, path, "%s", kind));
    folder = opendir(path);
    if (!folder && errno != ENOENT)
        CHECK(tess_fail(TESS_ERROR_IO, "cannot list %s: %s", path, strerror(errno)));
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        CHECK(append_name(entry->d_name, &found, &n_found, &capacity));
    qsort(found, (size_t)n_found, sizeof *found, tess_compare_texts);
    *names = TESS_TAKE(found);
    *n = n_found;
done:
    if (folder)
        closedir(folder);
    tess_lab_names_free(found);
    return status;
}

void tess_lab_names_free(char **names) {
    for (char **name = names; name && *name; name++)
        free(*name);
    free(names);
}

/* The run that is `back` before the last. */
static tess_status find_last(const tess_lab *lab, const char *name, char *const *ids, int64_t n,
                             char id[TESS_RUN_ID_SIZE]) {
    char *end = NULL;
    const char *behind = name + strlen("@last");
    const long back = *behind == '~' ? strtol(behind + 1, &end, 10) : 0;
    if (*behind && (*behind != '~' || !end || *end || end == behind + 1 || back < 0))
        FAIL(TESS_ERROR_USAGE, "'%s' is neither '@last' nor '@last~N'", name);
    if (back >= n)
        FAIL(TESS_ERROR_INPUT, "there is no '%s': the lab %s has %lld runs", name, lab->folder,
             (long long)n);
    snprintf(id, TESS_RUN_ID_SIZE, "%s", ids[n - 1 - back]);
    return TESS_OK;
}

static tess_status find_prefix(const tess_lab *lab, const char *name, char *const *ids, int64_t n,
                               char id[TESS_RUN_ID_SIZE]) {
    char prefix[TESS_RUN_ID_SIZE];
    tess_run_id_normalise(name, prefix);
    const size_t length = strlen(prefix);
    int64_t n_found = 0, found = 0;
    for (int64_t i = 0; i < n; i++) {
        if (strncmp(ids[i], prefix, length) == 0) {
            found = i;
            n_found++;
        }
    }
    if (length < SHORTEST_PREFIX || strlen(name) >= TESS_RUN_ID_SIZE || n_found == 0)
        FAIL(TESS_ERROR_INPUT,
             "the lab %s has no run '%s': 'tess runs' lists them; a run is named by the beginning "
             "of its id (at least %d characters) or @last",
             lab->folder, name, SHORTEST_PREFIX);
    if (n_found > 1)
        FAIL(TESS_ERROR_INPUT, "'%s' is the beginning of %lld runs: give more of its id", name,
             (long long)n_found);
    snprintf(id, TESS_RUN_ID_SIZE, "%s", ids[found]);
    return TESS_OK;
}

/* Leaves out of the names what is no run id: a file that somebody put beside the runs. */
static void keep_ids(char **names, int64_t *n) {
    int64_t n_ids = 0;
    for (int64_t i = 0; i < *n; i++) {
        if (tess_run_id_is(names[i]))
            names[n_ids++] = names[i];
        else
            free(names[i]);
    }
    names[n_ids] = NULL;
    *n = n_ids;
}

tess_status tess_lab_find(const tess_lab *lab, const char *name, char id[TESS_RUN_ID_SIZE]) {
    char **ids = NULL;
    int64_t n = 0;
    TRY(tess_lab_names(lab, "runs", &ids, &n));
    keep_ids(ids, &n);
    const tess_status status = strncmp(name, "@last", strlen("@last")) == 0
                                   ? find_last(lab, name, ids, n, id)
                                   : find_prefix(lab, name, ids, n, id);
    tess_lab_names_free(ids);
    return status;
}

tess_status tess_lab_read_run(const tess_lab *lab, const char *id, tess_record **out) {
    char path[TESS_PATH_SIZE];
    TRY(tess_lab_path(lab, path, "runs/%s.hdf", id));
    return tess_run_file_read(path, out);
}

/* Stores a mesh or the content of a plan, whichever is not NULL, under its digest. */
static tess_status store(tess_lab *lab, const tess_mesh *mesh, const tess_plan_content *content,
                         const char *digest) {
    char path[TESS_PATH_SIZE];
    bool missing = false;
    TRY(tess_lab_path(lab, path, "%s/%s.hdf", mesh ? "meshes" : "plans", digest));
    TRY(is_missing(lab, path, digest, &missing));
    if (!missing)
        return TESS_OK;
    TRY(mesh ? tess_mesh_file_write(mesh, digest, path)
             : tess_plan_file_write(content, digest, path));
    return remember(lab, digest);
}

tess_status tess_lab_store_mesh(tess_lab *lab, const tess_mesh *mesh,
                                char digest[TESS_DIGEST_SIZE]) {
    tess_progress_begin("storing the mesh");
    tess_status status = tess_digest_of_mesh(mesh, digest);
    if (status == TESS_OK)
        status = store(lab, mesh, NULL, digest);
    tess_progress_end();
    return status;
}

tess_status tess_lab_store_plan(tess_lab *lab, const tess_plan_content *content,
                                char digest[TESS_DIGEST_SIZE]) {
    TRY(tess_digest_of_plan(content, digest));
    return store(lab, NULL, content, digest);
}

tess_status tess_lab_read_mesh(const tess_lab *lab, const char *digest, tess_mesh **out) {
    char path[TESS_PATH_SIZE];
    TRY(tess_lab_path(lab, path, "meshes/%s.hdf", digest));
    return tess_mesh_file_read(path, out);
}

tess_status tess_lab_read_plan(const tess_lab *lab, const char *digest, const tess_mesh *mesh,
                               tess_plan_content **out) {
    char path[TESS_PATH_SIZE];
    TRY(tess_lab_path(lab, path, "plans/%s.hdf", digest));
    return tess_plan_file_read(path, mesh, out);
}

/* Verification of a lab: every file read, every checksum, digest and plan proved again. */
#include "experiments/archive/verify.h"

#include "core/base/array.h"
#include "core/base/whole_file.h"
#include "core/plan/plan_check.h"
#include "data/archive/archive_reader.h"
#include "data/archive/mesh_file.h"
#include "experiments/archive/plan_digest.h"
#include "experiments/archive/run_file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* A verification under way. */
typedef struct verification {
    const tess_lab *lab;
    const tess_verify_listener *listener;
    tess_verify_counts *counts;
    int64_t n_done, n_files;
} verification;

/* Whether a process has the file open to write: HDF5 locks it for that. */
static bool is_in_use(const char *path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is_locked = file >= 0 && flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (file >= 0)
        close(file);
    return is_locked;
}

/* Tells what the kept message says of a file; only a lack of memory ends the verification. */
static tess_status tell(verification *task, const char *path, tess_status status) {
    if (status == TESS_OK)
        return TESS_OK;
    if (status == TESS_ERROR_MEMORY)
        return status;
    if (is_in_use(path)) {
        task->counts->n_in_use++;
        task->listener->in_use(task->listener->context, path);
        return TESS_OK;
    }
    if (!strstr(tess_message(), path))
        status = tess_fail_at(status, "%s", path);
    task->counts->n_defects++;
    task->listener->defect(task->listener->context, tess_message());
    return TESS_OK;
}

static void count_file(verification *task) {
    task->n_done++;
    if (task->listener->progress)
        task->listener->progress(task->listener->context, task->n_done, task->n_files);
}

static tess_status verify_digest(const char *name, const char *digest) {
    if (strcmp(name, digest) != 0)
        FAIL(TESS_ERROR_CHECK, "its content has the digest %s, not its name", digest);
    return TESS_OK;
}

/* Reads a mesh that has the content its name says. */
static tess_status verify_mesh(const char *path, const char *name, tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    char digest[TESS_DIGEST_SIZE];
    CHECK(tess_archive_verify(path, "mesh"));
    CHECK(tess_mesh_file_read(path, &mesh));
    CHECK(tess_digest_of_mesh(mesh, digest));
    CHECK(verify_digest(name, digest));
    *out = TESS_TAKE(mesh);
done:
    tess_mesh_free(mesh);
    return status;
}

/* Fails unless the stored metrics are those that the plan gives now. */
static tess_status verify_metrics(const tess_plan_content *content) {
    tess_metrics *metrics = NULL;
    TRY(tess_metrics_of_plan(content->bound, content->plan, content->renumbering, content->layout,
                             &metrics));
    tess_status status = TESS_OK;
    for (int i = 0; i < content->metrics->n_values && status == TESS_OK; i++) {
        const tess_metric_value *stored = &content->metrics->values[i];
        const double value = tess_metrics_get(metrics, stored->name);
        if (stored->source == TESS_SOURCE_PLAN && !isnan(value) && value != stored->value)
            status = tess_fail(TESS_ERROR_CHECK, "the metric %s is %.17g, the plan gives %.17g",
                               stored->name, stored->value, value);
    }
    tess_metrics_free(metrics);
    return status;
}

static tess_status verify_plan(const char *path, const char *name, const tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_plan_content *content = NULL;
    char digest[TESS_DIGEST_SIZE];
    CHECK(tess_archive_verify(path, "plan"));
    CHECK(tess_plan_file_read(path, mesh, &content));
    CHECK(tess_digest_of_plan(content, digest));
    CHECK(verify_digest(name, digest));
    CHECK(tess_plan_check(content->bound, content->partition->block_of, content->plan));
    CHECK(verify_metrics(content));
done:
    tess_plan_content_free(content);
    return status;
}

/* A plan and the mesh it is on, by their digests. */
typedef struct plan_on_mesh {
    char mesh[TESS_DIGEST_SIZE];
    const char *plan;
} plan_on_mesh;

static int compare_plans(const void *a, const void *b) {
    return strcmp(((const plan_on_mesh *)a)->mesh, ((const plan_on_mesh *)b)->mesh);
}

static tess_status read_mesh_of_plan(const char *path, char mesh[TESS_DIGEST_SIZE]) {
    tess_archive_reader *file = NULL;
    TRY(tess_archive_open(path, "plan", &file));
    const tess_status status = tess_archive_read_root_text(file, "mesh", TESS_DIGEST_SIZE, mesh);
    tess_archive_reader_free(file);
    return status;
}

/* Gives the readable plans sorted by their meshes, so that each mesh is read once. */
static tess_status sort_plans(verification *task, char *const *plans, int64_t n_plans,
                              plan_on_mesh *sorted, int64_t *n_sorted) {
    *n_sorted = 0;
    for (int64_t i = 0; i < n_plans; i++) {
        char path[TESS_PATH_SIZE];
        plan_on_mesh *next = &sorted[*n_sorted];
        TRY(tess_lab_path(task->lab, path, "plans/%s.hdf", plans[i]));
        const tess_status status = read_mesh_of_plan(path, next->mesh);
        next->plan = plans[i];
        *n_sorted += status == TESS_OK;
        if (status != TESS_OK)
            count_file(task);
        TRY(tell(task, path, status));
    }
    qsort(sorted, (size_t)*n_sorted, sizeof *sorted, compare_plans);
    return TESS_OK;
}

/* Verifies the plans of one mesh; NULL: the mesh is missing or damaged. */
static tess_status verify_plans_on(verification *task, const tess_mesh *mesh,
                                   const plan_on_mesh *plans, int64_t n_plans) {
    for (int64_t i = 0; i < n_plans; i++) {
        char path[TESS_PATH_SIZE];
        TRY(tess_lab_path(task->lab, path, "plans/%s.hdf", plans[i].plan));
        TRY(tell(task, path,
                 mesh ? verify_plan(path, plans[i].plan, mesh)
                      : tess_fail(TESS_ERROR_CHECK, "its mesh %s is missing or damaged",
                                  plans[i].mesh)));
        count_file(task);
    }
    return TESS_OK;
}

static tess_status verify_meshes_and_plans(verification *task, char *const *meshes,
                                           const plan_on_mesh *plans, int64_t n_plans) {
    int64_t first = 0;
    for (; *meshes; meshes++) {
        while (first < n_plans && strcmp(plans[first].mesh, *meshes) < 0)
            TRY(verify_plans_on(task, NULL, &plans[first++], 1));
        int64_t end = first;
        while (end < n_plans && strcmp(plans[end].mesh, *meshes) == 0)
            end++;
        char path[TESS_PATH_SIZE];
        tess_mesh *mesh = NULL;
        TRY(tess_lab_path(task->lab, path, "meshes/%s.hdf", *meshes));
        tess_status status = tell(task, path, verify_mesh(path, *meshes, &mesh));
        count_file(task);
        if (status == TESS_OK && (mesh || !is_in_use(path))) /* else they cannot be proved now */
            status = verify_plans_on(task, mesh, plans + first, end - first);
        tess_mesh_free(mesh);
        TRY(status);
        first = end;
    }
    return verify_plans_on(task, NULL, plans + first, n_plans - first);
}

static tess_status verify_reference(const tess_lab *lab, const char *kind, const char *digest) {
    char path[TESS_PATH_SIZE];
    if (!*digest)
        return TESS_OK;
    TRY(tess_lab_path(lab, path, "%s/%s.hdf", kind, digest));
    if (access(path, R_OK) != 0)
        FAIL(TESS_ERROR_CHECK, "it refers to %s, which is not there", path);
    return TESS_OK;
}

static tess_status verify_run(const tess_lab *lab, const char *path, const char *id) {
    tess_status status = TESS_OK;
    tess_record *record = NULL;
    CHECK(tess_archive_verify(path, "run"));
    CHECK(tess_run_file_read(path, &record));
    if (strcmp(record->id, id) != 0)
        CHECK(tess_fail(TESS_ERROR_CHECK, "it is the run %s, not the one of its name", record->id));
    CHECK(verify_reference(lab, "meshes", record->mesh));
    CHECK(verify_reference(lab, "plans", record->plan));
done:
    tess_record_free(record);
    return status;
}

static tess_status verify_runs(verification *task, char *const *runs) {
    for (; *runs; runs++) {
        char path[TESS_PATH_SIZE];
        TRY(tess_lab_path(task->lab, path, "runs/%s.hdf", *runs));
        TRY(tell(task, path, verify_run(task->lab, path, *runs)));
        count_file(task);
    }
    return TESS_OK;
}

static tess_status verify_views(verification *task, char *const *views) {
    for (; *views; views++) {
        char path[TESS_PATH_SIZE];
        TRY(tess_lab_path(task->lab, path, "views/%s.hdf", *views));
        tess_status status = tess_archive_verify(path, TESS_ARCHIVE_VIEW);
        if (status == TESS_ERROR_INPUT)
            status =
                tess_fail_at(status, "%s: a view, delete it and 'tess view' makes it again", path);
        TRY(tell(task, path, status));
        count_file(task);
        const char *dot = strrchr(*views, '.');
        task->counts->n_views += !dot || strcmp(dot, ".blocks") != 0;
    }
    return TESS_OK;
}

/* Removes what writers that are gone have left in lab/<kind>. */
static tess_status remove_temporaries(verification *task, const char *kind) {
    char folder[TESS_PATH_SIZE];
    TRY(tess_lab_path(task->lab, folder, "%s", kind));
    DIR *files = opendir(folder);
    for (struct dirent *entry; files && (entry = readdir(files));)
        if (tess_whole_file_is_temporary(entry->d_name) &&
            tess_whole_file_is_stale(folder, entry->d_name))
            task->counts->n_temporaries += unlinkat(dirfd(files), entry->d_name, 0) == 0;
    if (files)
        closedir(files);
    return TESS_OK;
}

tess_status tess_lab_verify(const tess_lab *lab, const tess_verify_listener *listener,
                            tess_verify_counts *counts) {
    static const char *const kinds[] = {"", "meshes", "plans", "runs", "views"};
    tess_status status = TESS_OK;
    char **meshes = NULL, **plans = NULL, **runs = NULL, **views = NULL;
    plan_on_mesh *sorted = NULL;
    int64_t n_sorted = 0, n_views = 0;
    *counts = (tess_verify_counts){0};
    verification task = {.lab = lab, .listener = listener, .counts = counts};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        CHECK(remove_temporaries(&task, kinds[i]));
    CHECK(tess_lab_names(lab, "meshes", &meshes, &counts->n_meshes));
    CHECK(tess_lab_names(lab, "plans", &plans, &counts->n_plans));
    CHECK(tess_lab_names(lab, "runs", &runs, &counts->n_runs));
    CHECK(tess_lab_names(lab, "views", &views, &n_views)); /* with their blocks */
    task.n_files = counts->n_meshes + counts->n_plans + counts->n_runs + n_views;
    CHECK(TESS_ALLOC(counts->n_plans + 1, &sorted)); /* one for a plan that is not readable */
    CHECK(sort_plans(&task, plans, counts->n_plans, sorted, &n_sorted));
    CHECK(verify_meshes_and_plans(&task, meshes, sorted, n_sorted));
    CHECK(verify_runs(&task, runs));
    CHECK(verify_views(&task, views));
done:
    free(sorted);
    tess_lab_names_free(meshes);
    tess_lab_names_free(plans);
    tess_lab_names_free(runs);
    tess_lab_names_free(views);
    return status;
}

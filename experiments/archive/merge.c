/* Merging of labs: what another lab has and this one lacks is copied. */
#include "experiments/archive/merge.h"

#include "core/base/array.h"
#include "core/base/folder.h"
#include "core/base/interrupt.h"
#include "core/base/progress.h"
#include "core/base/whole_file.h"
#include "data/archive/archive_reader.h"
#include "experiments/archive/run_file.h"
#include "experiments/archive/run_table.h"
#include "experiments/archive/trash.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copies a file as a whole one. */
static tess_status copy_file(const char *from, const char *to) {
    tess_status status = TESS_OK;
    struct stat about;
    void *bytes = MAP_FAILED;
    size_t size = 0;
    const int file = open(from, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &about) != 0)
        CHECK(tess_fail(TESS_ERROR_IO, "cannot read %s: %s", from, strerror(errno)));
    size = (size_t)about.st_size;
    if (size)
        bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (size && bytes == MAP_FAILED)
        CHECK(tess_fail(TESS_ERROR_IO, "cannot read %s: %s", from, strerror(errno)));
    CHECK(tess_whole_file_write(to, size ? bytes : "", size));
done:
    if (bytes != MAP_FAILED)
        munmap(bytes, size);
    if (file >= 0)
        close(file);
    return status;
}

enum { RUNS_AN_UPDATE = 4096 /* so many records, of some 25 kB, wait in memory for the index */ };

/* Files of one kind on their way from a lab to another. */
typedef struct transfer {
    tess_lab *lab;
    const tess_lab *other;
    const char *folder, *kind;
    tess_merge_counts *counts;
    int64_t n_copied;
    tess_record **records; /* [n_records]: of runs that are here and not yet in the index */
    int64_t n_records;
} transfer;

static bool is_of_runs(const transfer *of) {
    return strcmp(of->kind, "run") == 0;
}

/* Whether this lab has what a run refers to: meshes and plans came before. */
static tess_status find_references(const tess_lab *lab, const tess_record *record, bool *found) {
    const char *const digests[][2] = {{"meshes", record->mesh}, {"plans", record->plan}};
    char path[TESS_PATH_SIZE];
    *found = true;
    for (size_t i = 0; i < sizeof digests / sizeof *digests && *found; i++) {
        TRY(tess_lab_path(lab, path, "%s/%s.hdf", digests[i][0], digests[i][1]));
        *found = !*digests[i][1] || access(path, F_OK) == 0;
    }
    return TESS_OK;
}

/* Counts a run that has been copied, and whose mesh or plan is missing. */
static tess_status count_incomplete(transfer *of) {
    const tess_record *record = of->records[of->n_records - 1];
    bool found = false;
    TRY(find_references(of->lab, record, &found));
    if (found)
        return TESS_OK;
    of->counts->n_incomplete++;
    if (!of->counts->n_damaged)
        snprintf(of->counts->damage, sizeof of->counts->damage, "run %s", record->id);
    return TESS_OK;
}

/* Reads and verifies a file; of a run it keeps what the index says of it. */
static tess_status verify_file(transfer *of, const char *name, const char *path) {
    if (!is_of_runs(of))
        return tess_archive_verify(path, of->kind);
    tess_record *record = NULL;
    TRY(tess_run_file_verify(path, &record));
    snprintf(record->id, sizeof record->id, "%s", name); /* as every index has it */
    of->records[of->n_records++] = record;
    return TESS_OK;
}

/* Copies the file of a name unless it is here; a damaged one is counted. */
static tess_status merge_file(transfer *of, const char *name) {
    char from[TESS_PATH_SIZE], to[TESS_PATH_SIZE];
    TRY(tess_lab_path(of->other, from, "%s/%s.hdf", of->folder, name));
    TRY(tess_lab_path(of->lab, to, "%s/%s.hdf", of->folder, name));
    if (access(to, F_OK) == 0)
        return TESS_OK;
    const tess_status status = verify_file(of, name, from);
    if (status == TESS_ERROR_MEMORY)
        return status;
    if (status != TESS_OK) {
        of->counts->n_damaged++;
        snprintf(of->counts->damage, sizeof of->counts->damage, "%s", tess_message());
        return TESS_OK;
    }
    TRY(copy_file(from, to));
    of->n_copied++;
    return is_of_runs(of) ? count_incomplete(of) : TESS_OK;
}

static void free_records(transfer *of) {
    while (of->n_records)
        tess_record_free(of->records[--of->n_records]);
}

/* Puts the records into the index, so that the next list of the lab need not read them again. */
static tess_status index_records(transfer *of) {
    const tess_status status =
        of->n_records ? tess_lab_table_add(of->lab, of->records, of->n_records) : TESS_OK;
    free_records(of);
    return status;
}

static tess_status merge_names(transfer *of, char *const *names, int64_t n) {
    for (int64_t i = 0; i < n && !tess_interrupted(); i++) {
        tess_progress_set(i, n, NULL);
        if (is_of_runs(of) && tess_trash_has(of->lab, names[i])) {
            of->counts->n_trashed++;
            continue;
        }
        TRY(merge_file(of, names[i]));
        if (of->n_records == RUNS_AN_UPDATE)
            TRY(index_records(of));
    }
    return TESS_OK;
}

static tess_status merge_folder(transfer of, int64_t *n_copied) {
    tess_status status = TESS_OK;
    char **names = NULL;
    int64_t n = 0;
    tess_progress_begin("merging %s", of.folder);
    CHECK(TESS_ALLOC(RUNS_AN_UPDATE, &of.records));
    CHECK(tess_lab_names(of.other, of.folder, &names, &n));
    CHECK(merge_names(&of, names, n));
    CHECK(index_records(&of));
    CHECK(tess_interrupt_check());
done:
    *n_copied = of.n_copied;
    free_records(&of);
    free(of.records);
    tess_lab_names_free(names);
    tess_progress_end();
    return status;
}

/* Copies the tags and notes of one run. */
static tess_status merge_notes_of(const tess_lab *lab, const tess_lab *other, const char *id,
                                  int64_t *n_copied) {
    tess_status status = TESS_OK;
    char from[TESS_PATH_SIZE], to[TESS_PATH_SIZE];
    TRY(tess_lab_path(other, from, "notes/%s", id));
    TRY(tess_lab_path(lab, to, "notes/%s", id));
    DIR *files = opendir(from);
    if (!files)
        return TESS_OK;
    if (!tess_folder_make(to))
        CHECK(tess_fail(TESS_ERROR_IO, "cannot make the folder %s: %s", to, strerror(errno)));
    for (struct dirent *entry; (entry = readdir(files));) {
        struct stat about; /* a link may leave the lab */
        if (entry->d_name[0] == '.' || tess_whole_file_is_temporary(entry->d_name) ||
            fstatat(dirfd(files), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(about.st_mode))
            continue;
        CHECK(tess_lab_path(other, from, "notes/%s/%s", id, entry->d_name));
        CHECK(tess_lab_path(lab, to, "notes/%s/%s", id, entry->d_name));
        if (access(to, F_OK) == 0)
            continue;
        CHECK(copy_file(from, to));
        ++*n_copied;
    }
done:
    closedir(files);
    return status;
}

/* Copies the tags and notes of all runs that are here now. */
static tess_status merge_notes(const tess_lab *lab, const tess_lab *other, int64_t *n_copied) {
    tess_status status = TESS_OK;
    char **ids = NULL;
    int64_t n = 0;
    CHECK(tess_lab_names(lab, "runs", &ids, &n));
    for (int64_t i = 0; i < n; i++)
        CHECK(merge_notes_of(lab, other, ids[i], n_copied));
done:
    tess_lab_names_free(ids);
    return status;
}

tess_status tess_lab_merge(tess_lab *lab, const tess_lab *other, tess_merge_counts *counts) {
    *counts = (tess_merge_counts){0};
    transfer of = {.lab = lab, .other = other, .counts = counts};
    of.folder = "meshes", of.kind = "mesh";
    TRY(merge_folder(of, &counts->n_meshes));
    of.folder = "plans", of.kind = "plan";
    TRY(merge_folder(of, &counts->n_plans));
    of.folder = "runs", of.kind = "run";
    TRY(merge_folder(of, &counts->n_runs));
    return merge_notes(lab, other, &counts->n_notes);
}

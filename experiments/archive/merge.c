/* Merging of labs: what another lab has and this one lacks is copied. */
#include "experiments/archive/merge.h"

#include "core/base/array.h"
#include "core/base/whole_file.h"
#include "experiments/archive/archive_reader.h"
#include "experiments/archive/run_id.h"
#include "experiments/archive/trash.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

/* Files of one kind. */
typedef struct file_kind {
    const char *folder, *kind;
    int64_t n_copied;
} file_kind;

/* Copies the file of a name unless it is here; a damaged one is counted. */
static tess_status merge_file(const tess_lab *lab, const tess_lab *other, const char *name,
                              file_kind *of, int64_t *n_damaged) {
    char from[TESS_PATH_SIZE], to[TESS_PATH_SIZE];
    TRY(tess_lab_path(other, from, "%s/%s.hdf", of->folder, name));
    TRY(tess_lab_path(lab, to, "%s/%s.hdf", of->folder, name));
    if (access(to, F_OK) == 0)
        return TESS_OK;
    if (tess_archive_verify(from, of->kind) != TESS_OK) {
        ++*n_damaged;
        return TESS_OK;
    }
    TRY(copy_file(from, to));
    of->n_copied++;
    return TESS_OK;
}

static tess_status merge_folder(const tess_lab *lab, const tess_lab *other, file_kind of,
                                int64_t *n_copied, tess_merge_counts *counts) {
    tess_status status = TESS_OK;
    char **names = NULL;
    int64_t n = 0;
    CHECK(tess_lab_names(other, of.folder, &names, &n));
    for (int64_t i = 0; i < n; i++) {
        if (strcmp(of.kind, "run") == 0 && tess_trash_has(lab, names[i])) {
            counts->n_trashed++;
            continue;
        }
        CHECK(merge_file(lab, other, names[i], &of, &counts->n_damaged));
    }
done:
    *n_copied = of.n_copied;
    tess_lab_names_free(names);
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
    if (mkdir(to, 0777) != 0 && errno != EEXIST)
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
    TRY(merge_folder(lab, other, (file_kind){"meshes", "mesh", 0}, &counts->n_meshes, counts));
    TRY(merge_folder(lab, other, (file_kind){"plans", "plan", 0}, &counts->n_plans, counts));
    TRY(merge_folder(lab, other, (file_kind){"runs", "run", 0}, &counts->n_runs, counts));
    return merge_notes(lab, other, &counts->n_notes);
}

/* A PT-SCOTCH job: a graph to cut and the answer to it, in memory that the worker and the processes
 * of PT-SCOTCH share. */
#include "partitioners/worker/ptscotch_job.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char job_magic[8] = "tessptsc";

enum { HEADER_SIZE = 1024 }; /* the arrays begin behind it */
_Static_assert(sizeof(tess_ptscotch_job) <= HEADER_SIZE, "the header has room");

int64_t *tess_ptscotch_offset(tess_ptscotch_job *job) {
    return (int64_t *)((char *)job + HEADER_SIZE);
}

int32_t *tess_ptscotch_neighbour(tess_ptscotch_job *job) {
    return (int32_t *)(tess_ptscotch_offset(job) + job->n_vertices + 1);
}

int32_t *tess_ptscotch_weight(tess_ptscotch_job *job) {
    return tess_ptscotch_neighbour(job) + job->n_entries;
}

int32_t *tess_ptscotch_part_of(tess_ptscotch_job *job) {
    return tess_ptscotch_weight(job) + job->n_entries;
}

static tess_status map_job(int fd, int64_t bytes, tess_ptscotch_job **out) {
    void *memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        FAIL(TESS_ERROR_MEMORY, "%.1f MB of memory for PT-SCOTCH cannot be mapped: %s",
             (double)bytes / 1e6, strerror(errno));
    *out = memory;
    return TESS_OK;
}

tess_status tess_ptscotch_job_new(const tess_ptscotch_job *job, const tess_rows *graph,
                                  const int32_t *weight, int *fd, tess_ptscotch_job **out) {
    tess_ptscotch_job header = *job, *made = NULL;
    memcpy(header.magic, job_magic, sizeof header.magic);
    header.n_vertices = graph->n;
    header.n_entries = graph->offset[graph->n];
    header.weighted = weight != NULL;
    header.bytes = HEADER_SIZE + (header.n_vertices + 1) * (int64_t)sizeof(int64_t) +
                   (2 * header.n_entries + header.n_vertices) * (int64_t)sizeof(int32_t);
    *fd = memfd_create("tess-ptscotch-job", MFD_CLOEXEC);
    if (*fd < 0 || ftruncate(*fd, header.bytes) != 0)
        FAIL(TESS_ERROR_MEMORY, "no shared memory of %.1f MB for PT-SCOTCH: %s",
             (double)header.bytes / 1e6, strerror(errno));
    TRY(map_job(*fd, header.bytes, &made));
    memcpy(made, &header, sizeof header);
    memcpy(tess_ptscotch_offset(made), graph->offset,
           (size_t)(graph->n + 1) * sizeof *graph->offset);
    memcpy(tess_ptscotch_neighbour(made), graph->item,
           (size_t)header.n_entries * sizeof *graph->item);
    if (weight)
        memcpy(tess_ptscotch_weight(made), weight, (size_t)header.n_entries * sizeof *weight);
    *out = made;
    return TESS_OK;
}

tess_status tess_ptscotch_job_open(const char *path, tess_ptscotch_job **out) {
    tess_ptscotch_job header;
    struct stat info;
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    const bool is_job = fd >= 0 && fstat(fd, &info) == 0 &&
                        pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header &&
                        memcmp(header.magic, job_magic, sizeof job_magic) == 0 &&
                        header.bytes == info.st_size;
    const tess_status status =
        is_job ? map_job(fd, header.bytes, out)
               : tess_fail(TESS_ERROR_USAGE, "%s is no job of this tess for PT-SCOTCH", path);
    if (fd >= 0)
        close(fd);
    return status;
}

void tess_ptscotch_job_free(tess_ptscotch_job *job) {
    if (job)
        munmap(job, (size_t)job->bytes);
}

/* A worker request: a problem, a spec and the answer to them in memory that tess and its worker
 * program share. */
#include "partitioners/worker/worker_request.h"

#include "core/base/array.h"
#include <errno.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char request_magic[8] = "tesswrk1";

enum { ALIGNMENT = 64, NONE = -1 };

/* An incidence as it lies in the memory; places are bytes from the start. */
typedef struct request_map {
    int64_t index, offset; /* places; offset is NONE where the arity is fixed */
    int64_t n_points;
    int32_t arity, points_are_elements;
    double weight;
} request_map;

/* The start of the memory. */
typedef struct request_header {
    char magic[8];
    int64_t bytes, n_elements, shape[3];
    int32_t n_maps, order_map, dimension, block_size, n_threads;
    uint64_t seed;
    int64_t maps, coordinates, spec, block_of; /* places; coordinates may be NONE */
    char folder[TESS_TEMPORARY_SIZE];
    tess_worker_report report;
} request_header;

/* Takes `n` bytes at the end of the memory; gives their place. */
static int64_t position_of(int64_t *bytes, int64_t n) {
    const int64_t position = *bytes;
    *bytes += (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return position;
}

static int64_t index_bytes(const tess_incidence *map, int64_t n_elements) {
    const int64_t n = map->offset ? map->offset[n_elements] : n_elements * map->arity;
    return n * (int64_t)sizeof *map->index;
}

static int64_t coordinates_bytes(const tess_partition_problem *problem) {
    return problem->n_elements * problem->dimension * (int64_t)sizeof *problem->coordinates;
}

/* Lays out the memory of a problem: the header and, for each map, where its arrays go. */
static request_header layout(const tess_partition_problem *problem, const char *spec,
                             request_map *maps) {
    request_header header = {.n_elements = problem->n_elements,
                             .n_maps = problem->n_maps,
                             .order_map = problem->order_map,
                             .dimension = problem->dimension,
                             .block_size = problem->block_size,
                             .n_threads = omp_get_max_threads(),
                             .seed = problem->seed,
                             .coordinates = NONE};
    const int64_t n = problem->n_elements;
    memcpy(header.magic, request_magic, sizeof header.magic);
    memcpy(header.shape, problem->shape, sizeof header.shape);
    position_of(&header.bytes, (int64_t)sizeof header);
    header.maps = position_of(&header.bytes, problem->n_maps * (int64_t)sizeof *maps);
    for (int m = 0; m < problem->n_maps; m++) {
        const tess_incidence *map = &problem->maps[m];
        maps[m] = (request_map){.offset = NONE,
                                .n_points = map->n_points,
                                .arity = map->arity,
                                .points_are_elements = map->points_are_elements,
                                .weight = map->weight};
        maps[m].index = position_of(&header.bytes, index_bytes(map, n));
        if (map->offset)
            maps[m].offset = position_of(&header.bytes, (n + 1) * (int64_t)sizeof *map->offset);
    }
    if (problem->coordinates)
        header.coordinates = position_of(&header.bytes, coordinates_bytes(problem));
    header.spec = position_of(&header.bytes, (int64_t)strlen(spec) + 1);
    header.block_of = position_of(&header.bytes, n * (int64_t)sizeof(int32_t));
    return header;
}

static void fill(const tess_partition_problem *problem, const char *spec,
                 const request_header *header, const request_map *maps, char *memory) {
    const int64_t n = problem->n_elements;
    memcpy(memory, header, sizeof *header);
    memcpy(memory + header->maps, maps, (size_t)problem->n_maps * sizeof *maps);
    for (int m = 0; m < problem->n_maps; m++) {
        const tess_incidence *map = &problem->maps[m];
        memcpy(memory + maps[m].index, map->index, (size_t)index_bytes(map, n));
        if (map->offset)
            memcpy(memory + maps[m].offset, map->offset, (size_t)(n + 1) * sizeof *map->offset);
    }
    if (problem->coordinates)
        memcpy(memory + header->coordinates, problem->coordinates,
               (size_t)coordinates_bytes(problem));
    memcpy(memory + header->spec, spec, strlen(spec) + 1);
}

static tess_status map_memory(tess_worker_request *request) {
    void *memory = mmap(NULL, (size_t)request->bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_POPULATE, request->fd, 0);
    if (memory == MAP_FAILED)
        FAIL(TESS_ERROR_MEMORY, "%.1f MB of memory for the worker program cannot be mapped: %s",
             (double)request->bytes / 1e6, strerror(errno));
    request->memory = memory;
    return TESS_OK;
}

/* Points into the memory what a reader of the request sees. */
static tess_status parts_find(tess_worker_request *request) {
    char *memory = request->memory;
    request_header *header = request->memory;
    const request_map *maps = (const request_map *)(memory + header->maps);
    request->report = &header->report;
    request->folder = header->folder;
    request->block_of = (int32_t *)(memory + header->block_of);
    request->spec = memory + header->spec;
    request->n_threads = header->n_threads;
    tess_partition_problem *problem = &request->problem;
    problem->n_elements = header->n_elements;
    problem->dimension = header->dimension;
    problem->block_size = header->block_size;
    problem->seed = header->seed;
    memcpy(problem->shape, header->shape, sizeof problem->shape);
    if (header->coordinates != NONE)
        problem->coordinates = (const double *)(memory + header->coordinates);
    TRY(TESS_ZEROS(header->n_maps, &problem->maps));
    problem->n_maps = header->n_maps;
    problem->order_map = header->order_map;
    for (int m = 0; m < header->n_maps; m++) {
        tess_incidence *map = &problem->maps[m];
        map->index = (const int32_t *)(memory + maps[m].index);
        if (maps[m].offset != NONE)
            map->offset = (const int64_t *)(memory + maps[m].offset);
        map->arity = maps[m].arity;
        map->points_are_elements = maps[m].points_are_elements;
        map->n_points = maps[m].n_points;
        map->weight = maps[m].weight;
    }
    return TESS_OK;
}

tess_status tess_worker_request_new(const tess_partition_problem *problem, const char *spec,
                                    tess_worker_request **out) {
    tess_status status = TESS_OK;
    tess_worker_request *request = NULL;
    request_map *maps = NULL;
    CHECK(TESS_ZEROS(1, &request));
    request->fd = -1;
    CHECK(TESS_ALLOC(problem->n_maps, &maps));
    const request_header header = layout(problem, spec, maps);
    request->bytes = header.bytes;
    request->fd = memfd_create("tess-worker-request", MFD_CLOEXEC);
    if (request->fd < 0 || ftruncate(request->fd, request->bytes) != 0)
        CHECK(tess_fail(TESS_ERROR_MEMORY, "no shared memory of %.1f MB for the worker program: %s",
                        (double)request->bytes / 1e6, strerror(errno)));
    CHECK(map_memory(request));
    fill(problem, spec, &header, maps, request->memory);
    CHECK(parts_find(request));
    *out = TESS_TAKE(request);
done:
    free(maps);
    tess_worker_request_free(request);
    return status;
}

tess_status tess_worker_request_open(int fd, tess_worker_request **out) {
    tess_status status = TESS_OK;
    tess_worker_request *request = NULL;
    CHECK(TESS_ZEROS(1, &request));
    request->fd = fd;
    struct stat info;
    char magic[sizeof request_magic];
    if (fstat(fd, &info) != 0 || info.st_size < (off_t)sizeof(request_header) ||
        pread(fd, magic, sizeof magic, 0) != (ssize_t)sizeof magic ||
        memcmp(magic, request_magic, sizeof magic) != 0)
        CHECK(tess_fail(TESS_ERROR_USAGE, "file descriptor %d is not a request of this tess", fd));
    request->bytes = info.st_size;
    CHECK(map_memory(request));
    CHECK(parts_find(request));
    *out = TESS_TAKE(request);
done:
    tess_worker_request_free(request);
    return status;
}

void tess_worker_request_free(tess_worker_request *request) {
    if (!request)
        return;
    free(request->problem.maps);
    if (request->memory)
        munmap(request->memory, (size_t)request->bytes);
    if (request->fd >= 0)
        close(request->fd);
    free(request);
}

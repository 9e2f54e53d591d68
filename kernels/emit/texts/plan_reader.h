/* plan_reader.h: reads the file of a plan, and puts its arrays on the device. */
#ifndef PLAN_READER_H
#define PLAN_READER_H

#include "plan_format.h"
@api
#include <stdio.h>
#include <stdlib.h>

/* An open one. Arrays that were placed are on the device, and freed with it. */
struct plan_file {
    const char *path;
    char *bytes; /* of the file, in the host's memory */
    const struct plan_head *head;
    const struct plan_array *arrays;
    void **placed; /* [n_arrays] on the device, or NULL */
    int failed;    /* 1: some array is not there; a message was printed */
};

static inline int plan_fail(const char *path, const char *what) {
    fprintf(stderr, "%s: %s\n", path, what);
    return 1;
}

static inline void plan_file_close(struct plan_file *file) {
    for (uint32_t i = 0; file->placed && i < file->head->n_arrays; i++)
        if (file->placed[i])
            (void)gpuFree(file->placed[i]);
    free(file->placed);
    free(file->bytes);
    memset(file, 0, sizeof *file);
}

/* All bytes of a file, or NULL. */
static inline char *plan_read_bytes(const char *path, uint64_t *n) {
    FILE *stream = fopen(path, "rb");
    char *bytes = NULL;
    long size = -1;
    if (stream && fseek(stream, 0, SEEK_END) == 0 && (size = ftell(stream)) >= 0 &&
        fseek(stream, 0, SEEK_SET) == 0)
        bytes = (char *)malloc((size_t)size + 1);
    if (bytes && fread(bytes, 1, (size_t)size, stream) != (size_t)size) {
        free(bytes);
        bytes = NULL;
    }
    if (stream)
        fclose(stream);
    *n = bytes ? (uint64_t)size : 0;
    return bytes;
}

/* What is wrong with a file of n bytes, or NULL. */
static inline const char *plan_fault(const char *bytes, uint64_t n) {
    const struct plan_head *head = (const struct plan_head *)bytes;
    const struct plan_array *arrays = (const struct plan_array *)(head + 1);
    if (n < sizeof *head || memcmp(head->magic, PLAN_MAGIC, sizeof head->magic) != 0)
        return "this is no plan of tess emit";
    if (head->version != PLAN_VERSION)
        return "this plan has another version of the format: emit it again";
    if (head->bytes != n || head->n_arrays > (n - sizeof *head) / sizeof *arrays)
        return "the plan is cut off";
    if (plan_checksum(0, head->program, n - offsetof(struct plan_head, program)) != head->checksum)
        return "the plan is damaged: its checksum differs";
    for (uint32_t i = 0; i < head->n_arrays; i++)
        if (memchr(arrays[i].name, 0, PLAN_NAME) == NULL || arrays[i].offset % PLAN_ALIGNED ||
            (arrays[i].offset > 0 &&
             (arrays[i].offset > n || arrays[i].bytes > n - arrays[i].offset)))
            return "the plan's table of arrays is wrong";
    return NULL;
}

/* Opens the plan at a path for a program that was emitted for `about`. 0: done; 1: a message was
 * printed. The path outlives it. */
static inline int plan_file_open(const char *path, const char *program, const char *about,
                                 struct plan_file *file) {
    uint64_t n = 0;
    memset(file, 0, sizeof *file);
    char *bytes = plan_read_bytes(path, &n);
    const char *fault = bytes ? plan_fault(bytes, n) : "it cannot be read";
    if (!fault && strncmp(((struct plan_head *)bytes)->program, program, 32) != 0) {
        fprintf(stderr,
                "%s: this is the plan of another program or mesh: %.192s; this program is for %s. "
                "Emit the program again for that mesh.\n",
                path, ((struct plan_head *)bytes)->about, about);
        free(bytes);
        return 1;
    }
    if (fault) {
        free(bytes);
        return plan_fail(path, fault);
    }
    file->path = path;
    file->bytes = bytes;
    file->head = (const struct plan_head *)bytes;
    file->arrays = (const struct plan_array *)(file->head + 1);
    file->placed = (void **)calloc(file->head->n_arrays + 1, sizeof *file->placed);
    return file->placed ? 0 : plan_fail(path, "out of memory");
}

/* The number of the array of that name; -1 and a message where the file lacks it. */
static inline int plan_file_find(struct plan_file *file, const char *name) {
    for (uint32_t i = 0; i < file->head->n_arrays; i++)
        if (strcmp(file->arrays[i].name, name) == 0)
            return (int)i;
    fprintf(stderr, "%s: there is no array %s\n", file->path, name);
    file->failed = 1;
    return -1;
}

/* An array in the host's memory; NULL where it is all zeros, or not there. */
static inline const void *plan_file_host(struct plan_file *file, const char *name) {
    const int i = plan_file_find(file, name);
    return i < 0 || file->arrays[i].offset == 0 ? NULL : file->bytes + file->arrays[i].offset;
}

/* A new copy of an array on the device, the caller's; NULL and a message where that fails. */
static inline void *plan_file_copy(struct plan_file *file, const char *name) {
    const int i = plan_file_find(file, name);
    void *device = NULL;
    if (i < 0)
        return NULL;
    const size_t bytes = (size_t)file->arrays[i].bytes;
    const char *from = file->bytes + file->arrays[i].offset;
    gpuError_t error = gpuMalloc(&device, bytes > 0 ? bytes : 1);
    if (error == gpuSuccess)
        error = file->arrays[i].offset > 0 ? gpuMemcpy(device, from, bytes, gpuMemcpyHostToDevice)
                                           : gpuMemset(device, 0, bytes);
    if (error != gpuSuccess) {
        fprintf(stderr, "%s: %s, %zu bytes: %s\n", file->path, name, bytes,
                gpuGetErrorString(error));
        file->failed = 1;
    }
    return device;
}

/* The array on the device, which stays the file's. */
static inline const void *plan_file_place(struct plan_file *file, const char *name) {
    const int i = plan_file_find(file, name);
    if (i >= 0 && !file->placed[i])
        file->placed[i] = plan_file_copy(file, name);
    return i < 0 ? NULL : file->placed[i];
}

#endif

/* A double of what the engine peer takes of CUDA's driver, for processes of one machine without
 * GPUs: what lies "on the device" is memory that others can map, taken from here, and a stream is
 * this process, which does what is put on it at once. Memory that others have mapped cannot be
 * freed; the first rank is slow to unmap. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef struct handle {
    int64_t pid, size;
    int file;
    char rest[44];
} handle;

enum { OK = 0, INVALID = 1, MOST = 4096 };

/* Memory of this process, or of another one that is mapped here; behind it is how many others have
 * it mapped. */
static struct {
    char *at; /* NULL: none */
    size_t size;
    int file; /* of its own; -1: another's */
} mapped[MOST];

int cuGetErrorString(int error, const char **text) {
    *text = error == OK ? "no error" : "the double's error";
    return OK;
}

/* Which memory begins there; MOST: none. */
static int find(const char *at) {
    int i = 0;
    while (i < MOST && mapped[i].at != at)
        i++;
    return i;
}

static int *others_of(int i) {
    return (int *)(void *)(mapped[i].at + mapped[i].size);
}

static int map(int file, size_t size, int is_own, uint64_t *out) {
    const int i = find(NULL);
    void *at = i < MOST
                   ? mmap(NULL, size + sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                   : MAP_FAILED;
    if (!is_own || at == MAP_FAILED)
        close(file);
    if (at == MAP_FAILED)
        return INVALID;
    mapped[i].at = at;
    mapped[i].size = size;
    mapped[i].file = is_own ? file : -1;
    __atomic_add_fetch(others_of(i), !is_own, __ATOMIC_SEQ_CST);
    *out = (uint64_t)(uintptr_t)at;
    return OK;
}

static int unmap(uint64_t at, int is_own) {
    const int i = find((const char *)(uintptr_t)at);
    if (!at || i == MOST || (mapped[i].file >= 0) != is_own)
        return INVALID;
    if (__atomic_sub_fetch(others_of(i), !is_own, __ATOMIC_SEQ_CST) > 0 && is_own)
        return INVALID;
    munmap(mapped[i].at, mapped[i].size + sizeof(int));
    if (is_own)
        close(mapped[i].file);
    mapped[i].at = NULL;
    return OK;
}

int cuMemAlloc_v2(uint64_t *out, size_t size) {
    const size_t whole = (size + 63) / 64 * 64;
    const int file = memfd_create("device", MFD_CLOEXEC);
    return file >= 0 && ftruncate(file, (off_t)(whole + sizeof(int))) == 0
               ? map(file, whole, 1, out)
               : INVALID;
}

int cuMemFree_v2(uint64_t at) {
    return unmap(at, 1);
}

int cuIpcGetMemHandle(handle *out, uint64_t at) {
    const int i = find((const char *)(uintptr_t)at);
    if (i == MOST || mapped[i].file < 0)
        return INVALID;
    *out = (handle){.pid = getpid(), .size = (int64_t)mapped[i].size, .file = mapped[i].file};
    return OK;
}

int cuIpcOpenMemHandle_v2(uint64_t *out, handle of, unsigned flags) {
    char name[64];
    if (flags != 1 || of.pid == getpid())
        return INVALID;
    snprintf(name, sizeof name, "/proc/%lld/fd/%d", (long long)of.pid, of.file);
    const int file = open(name, O_RDWR | O_CLOEXEC);
    return file >= 0 ? map(file, (size_t)of.size, 0, out) : INVALID;
}

int cuIpcCloseMemHandle(uint64_t at) {
    const struct timespec moment = {.tv_nsec = 5000000};
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    if (rank && strcmp(rank, "0") == 0)
        nanosleep(&moment, NULL);
    return unmap(at, 0);
}

static int wait_for(uint64_t at, uint32_t value) {
    const struct timespec moment = {.tv_nsec = 20000};
    for (int i = 0; i < 1000000; i++) {
        if (__atomic_load_n((uint32_t *)(uintptr_t)at, __ATOMIC_ACQUIRE) == value)
            return OK;
        nanosleep(&moment, NULL);
    }
    return INVALID;
}

/* As CUDA lays it out: CUstreamBatchMemOpParams. */
typedef union operation {
    struct {
        int kind; /* 1: waits, 2: gives */
        uint64_t at;
        uint64_t value;
        unsigned flags; /* of a wait 1: until it is equal */
    } of;
    uint64_t size[6];
} operation;

int cuStreamBatchMemOp_v2(void *stream, unsigned n, const operation *all, unsigned flags) {
    (void)stream;
    if (flags != 0 || n == 0 || n > 255)
        return INVALID;
    for (unsigned i = 0; i < n; i++) {
        const uint32_t value = (uint32_t)all[i].of.value;
        const int waits = all[i].of.kind == 1;
        if ((!waits && all[i].of.kind != 2) || all[i].of.flags != (unsigned)waits)
            return INVALID;
        if (!waits)
            __atomic_store_n((uint32_t *)(uintptr_t)all[i].of.at, value, __ATOMIC_RELEASE);
        else if (wait_for(all[i].of.at, value) != OK)
            return INVALID;
    }
    return OK;
}

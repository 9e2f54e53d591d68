/* A double of NCCL for processes of one machine without GPUs: what lies "on the device" is host
 * memory, and a message is a file of a folder that the id names. Like NCCL it refuses a send or
 * receive outside a group, and carries in the order of the calls. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct id {
    char folder[128];
} id;

typedef struct communicator {
    char folder[128];
    int rank, n_sent[64], n_received[64];
} communicator;

typedef struct call {
    void *data;
    size_t n;
    int peer, sends;
    communicator *communicator;
} call;

enum { OK, FAILED = 3, MOST_CALLS = 256 };
static call calls[MOST_CALLS];
static int n_calls, depth;

int ncclGetVersion(int *version) {
    const char *said = getenv("NCCL_DOUBLE_VERSION");
    *version = said ? atoi(said) : 22809;
    return OK;
}

const char *ncclGetErrorString(int result) {
    return result == OK ? "no error" : "the double's error";
}

int ncclGetUniqueId(id *out) {
    snprintf(out->folder, sizeof out->folder, "/tmp/nccl-double-XXXXXX");
    return mkdtemp(out->folder) ? OK : FAILED;
}

int ncclCommInitRank(communicator **out, int n_ranks, id of, int rank) {
    if (n_ranks > 64 || !(*out = calloc(1, sizeof **out)))
        return FAILED;
    memcpy((*out)->folder, of.folder, sizeof of.folder);
    (*out)->rank = rank;
    return OK;
}

int ncclCommDestroy(communicator *of) {
    rmdir(of->folder); /* when it is empty: all was received */
    free(of);
    return OK;
}

int ncclCommGetAsyncError(communicator *of, int *error) {
    (void)of;
    *error = OK;
    return OK;
}

int ncclGroupStart(void) {
    depth++;
    return OK;
}

static int keep(const call *kept) {
    if (depth != 1 || n_calls == MOST_CALLS)
        return FAILED;
    calls[n_calls++] = *kept;
    return OK;
}

int ncclSend(const void *data, size_t n, int type, int to, communicator *of, void *stream) {
    (void)stream;
    const call kept = {(void *)(size_t)data, n, to, 1, of};
    return type == 0 && n > 0 ? keep(&kept) : FAILED;
}

int ncclRecv(void *data, size_t n, int type, int from, communicator *of, void *stream) {
    (void)stream;
    const call kept = {data, n, from, 0, of};
    return type == 0 && n > 0 ? keep(&kept) : FAILED;
}

/* Under another name first, so that who waits for it finds it whole. */
static int send_file(const call *c, const char *path) {
    char whole[256];
    snprintf(whole, sizeof whole, "%s.part", path);
    const int file = open(whole, O_WRONLY | O_CREAT | O_EXCL, 0600);
    const int written = file >= 0 && write(file, c->data, c->n) == (ssize_t)c->n;
    if (file >= 0)
        close(file);
    return written && rename(whole, path) == 0 ? OK : FAILED;
}

static int receive_file(const call *c, const char *path) {
    int file = -1;
    while ((file = open(path, O_RDONLY)) < 0)
        usleep(200);
    const off_t size = lseek(file, 0, SEEK_END);
    lseek(file, 0, SEEK_SET);
    const int whole = (size_t)size == c->n && read(file, c->data, c->n) == (ssize_t)c->n;
    close(file);
    unlink(path);
    return whole ? OK : FAILED;
}

static int carry(const call *c) {
    char path[200];
    communicator *of = c->communicator;
    if (c->sends)
        snprintf(path, sizeof path, "%s/%d-%d-%d", of->folder, of->rank, c->peer,
                 of->n_sent[c->peer]++);
    else
        snprintf(path, sizeof path, "%s/%d-%d-%d", of->folder, c->peer, of->rank,
                 of->n_received[c->peer]++);
    return c->sends ? send_file(c, path) : receive_file(c, path);
}

int ncclGroupEnd(void) {
    int result = OK;
    for (int sends = 1; sends >= 0; sends--)
        for (int i = 0; i < n_calls && result == OK; i++)
            if (calls[i].sends == sends)
                result = carry(&calls[i]);
    n_calls = 0;
    depth--;
    return result;
}

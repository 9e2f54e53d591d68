/* A lock of a GPU: while one process measures on it, no other of ours puts work there. */
#include "kernels/devices/cuda/gpu_lock.h"

#include "core/base/interrupt.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static const struct timespec moment = {.tv_nsec = 1000000};

void tess_gpu_lock_open(const char *bus, tess_gpu_lock *out) {
    char path[4096];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/tess-gpu-%s.lock", folder && *folder ? folder : "/tmp", bus);
    out->file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
}

void tess_gpu_lock_close(tess_gpu_lock *lock) {
    if (lock->file >= 0)
        close(lock->file);
    lock->file = -1;
}

/* Asked again and again: a signal need not reach the thread that waits. */
void tess_gpu_lock_acquire(tess_gpu_lock *lock) {
    if (lock->depth++ > 0)
        return;
    while (lock->file >= 0 && flock(lock->file, LOCK_EX | LOCK_NB) != 0 &&
           (errno == EWOULDBLOCK || errno == EINTR) && !tess_interrupted())
        nanosleep(&moment, NULL);
}

void tess_gpu_lock_release(tess_gpu_lock *lock) {
    if (lock->depth > 0 && --lock->depth == 0 && lock->file >= 0)
        flock(lock->file, LOCK_UN);
}

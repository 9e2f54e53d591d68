/* A lock of a GPU: while one process measures on it, no other of ours puts work there. */
#pragma once

typedef struct tess_gpu_lock {
    int file;  /* -1: absent */
    int depth; /* how often it is acquired */
} tess_gpu_lock;

/* Opens the lock of the GPU on that PCI bus, a file in TMPDIR or /tmp; where that cannot be,
 * processes do not wait for each other. */
void tess_gpu_lock_open(const char *bus, tess_gpu_lock *out);
void tess_gpu_lock_close(tess_gpu_lock *lock);

/* Waits for the processes that hold it; they release it at the latest when they end. An interrupt
 * ends the wait, and the caller goes on without it. May be acquired again while it is held; it is
 * free when it was released as often. */
void tess_gpu_lock_acquire(tess_gpu_lock *lock);
void tess_gpu_lock_release(tess_gpu_lock *lock);

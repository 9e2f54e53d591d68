/* A lock of a GPU: while one process measures on it, no other of ours puts work there. */
#ifndef TESS_GPU_LOCK_H
#define TESS_GPU_LOCK_H

typedef struct tess_gpu_lock {
    int file;  /* -1: there is none */
    int depth; /* how often it is taken */
} tess_gpu_lock;

/* Opens the lock of the GPU on that PCI bus, a file in TMPDIR or /tmp; where that cannot be,
 * processes do not wait for each other. */
void tess_gpu_lock_open(const char *bus, tess_gpu_lock *out);
void tess_gpu_lock_close(tess_gpu_lock *lock);

/* Waits for the processes that hold it; they let go at the latest when they end. May be taken again
 * while it is held; it is free when it was let go as often. */
void tess_gpu_lock_take(tess_gpu_lock *lock);
void tess_gpu_lock_let_go(tess_gpu_lock *lock);

#endif

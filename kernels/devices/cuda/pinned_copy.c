/* Pinned copies: by way of two pinned buffers. */
#include "kernels/devices/cuda/pinned_copy.h"

#include "core/base/array.h"
#include <stdbool.h>
#include <stdlib.h>

enum { PIECE = 1 << 23 }; /* bytes: what tess_memory_copy shares among threads */

static size_t piece_at(size_t at, size_t bytes) {
    return bytes - at < PIECE ? bytes - at : PIECE;
}

/* Whether so much goes by way of the buffers, which are there then. */
static bool goes_by(const tess_cuda_driver *driver, tess_pinned_copy *by, size_t bytes) {
    if (bytes < 2 * (size_t)PIECE)
        return false;
    for (int b = 0; b < 2; b++) {
        if (!by->buffer[b] && driver->host_alloc(&by->buffer[b], PIECE, 0) != 0)
            by->buffer[b] = NULL;
        if (!by->done[b] && driver->event_create(&by->done[b], CUDA_EVENT_WITHOUT_TIME) != 0)
            by->done[b] = NULL;
    }
    return by->buffer[0] && by->buffer[1] && by->done[0] && by->done[1];
}

/* Fills one buffer while the GPU takes the other. */
static int upload_pieces(const tess_cuda_driver *driver, const tess_pinned_copy *by,
                         cuda_address to, tess_filler from, size_t bytes) {
    int result = 0;
    for (size_t at = 0, i = 0; at < bytes && result == 0; at += PIECE, i++) {
        void *const buffer = by->buffer[i % 2];
        const cuda_event done = by->done[i % 2];
        if (i >= 2)
            result = driver->event_wait(done);
        if (result != 0)
            break;
        from.fill(from.context, (int64_t)at, (int64_t)piece_at(at, bytes), buffer);
        result = driver->upload_async(to + at, buffer, piece_at(at, bytes), NULL);
        if (result == 0)
            result = driver->event_record(done, NULL);
    }
    for (int b = 0; b < 2 && result == 0; b++)
        result = driver->event_wait(by->done[b]);
    return result;
}

int tess_pinned_upload(const tess_cuda_driver *driver, tess_pinned_copy *by, cuda_address to,
                       const void *from, size_t bytes) {
    return goes_by(driver, by, bytes) ? upload_pieces(driver, by, to, tess_filler_of(from), bytes)
                                      : driver->upload(to, from, bytes);
}

int tess_pinned_upload_filled(const tess_cuda_driver *driver, tess_pinned_copy *by, cuda_address to,
                              tess_filler from, size_t bytes) {
    if (goes_by(driver, by, bytes))
        return upload_pieces(driver, by, to, from, bytes);
    void *all = malloc(bytes);
    if (!all)
        return CUDA_OUT_OF_MEMORY;
    from.fill(from.context, 0, (int64_t)bytes, all);
    const int result = driver->upload(to, all, bytes);
    free(all);
    return result;
}

int tess_pinned_download(const tess_cuda_driver *driver, tess_pinned_copy *by, void *to,
                         cuda_address from, size_t bytes) {
    int result = 0;
    if (!goes_by(driver, by, bytes))
        return driver->download(to, from, bytes);
    for (size_t at = 0, i = 0; at < bytes + PIECE && result == 0; at += PIECE, i++) {
        if (at < bytes) { /* the next piece, whose buffer has been emptied */
            result =
                driver->download_async(by->buffer[i % 2], from + at, piece_at(at, bytes), NULL);
            if (result == 0)
                result = driver->event_record(by->done[i % 2], NULL);
        }
        if (i == 0 || result != 0)
            continue;
        const size_t before = at - PIECE;
        result = driver->event_wait(by->done[(i - 1) % 2]);
        if (result == 0)
            tess_memory_copy((char *)to + before, by->buffer[(i - 1) % 2], piece_at(before, bytes));
    }
    return result;
}

void tess_pinned_copy_close(const tess_cuda_driver *driver, tess_pinned_copy *by) {
    for (int b = 0; b < 2; b++) {
        if (by->done[b])
            driver->event_destroy(by->done[b]);
        if (by->buffer[b])
            driver->host_free(by->buffer[b]);
    }
    *by = (tess_pinned_copy){.buffer = {NULL}};
}

/* A pinned copy: much memory of the host goes to a GPU, or comes from it, by way of two pinned
 * buffers: all threads fill or empty one while the GPU works on the other. The driver's own copy of
 * memory that is not pinned has one thread. */
#pragma once

#include "kernels/devices/cuda/cuda_driver.h"
#include "kernels/devices/device.h"

typedef struct tess_pinned_copy {
    void *buffer[2]; /* NULL until the first large copy */
    cuda_event done[2];
} tess_pinned_copy;

/* As the driver's `upload` and `download`, in order with all that is on the GPU; give its result.
 */
int tess_pinned_upload(const tess_cuda_driver *driver, tess_pinned_copy *by, cuda_address to,
                       const void *from, size_t bytes);
int tess_pinned_download(const tess_cuda_driver *driver, tess_pinned_copy *by, void *to,
                         cuda_address from, size_t bytes);

/* Uploads what is filled: straight into the buffers where so much goes by way of them. */
int tess_pinned_upload_filled(const tess_cuda_driver *driver, tess_pinned_copy *by, cuda_address to,
                              tess_filler from, size_t bytes);

void tess_pinned_copy_close(const tess_cuda_driver *driver, tess_pinned_copy *by);

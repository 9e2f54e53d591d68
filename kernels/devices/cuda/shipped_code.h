/* Shipped code: pages that were compiled for GPUs when this program was built, one file an
 * architecture: share/tesselab/gpu/sm_90.code.
 *
 * The file has a line for each page, "KEY DIGEST CUDA BYTES": what it was made from, what it is,
 * the version of CUDA whose compiler made it (13000: 13.0); behind an empty line the machine code
 * of one page after the other. */
#pragma once

#include "kernels/devices/cuda/nvrtc.h"

/* Fills *out, without a log, where code was shipped for a page, a GPU of this compute capability
 * and a driver of this version; false where none was, or it is damaged. It runs on GPUs of the same
 * major capability, not of a lower minor one, by drivers of the same major version or a later one.
 * It lies in the folder that TESS_GPU_CODE names, else beside this program or library. `out` is
 * NULL where nobody wants it now: then damage to the code itself is not seen. */
bool tess_shipped_code_find(const char *page, int capability, int driver, tess_cubin *out);

/* Compiles n pages for a capability and writes the file, which is empty where a page cannot be
 * compiled: then it fails as tess_nvrtc_compile. */
TESS_MUST_CHECK tess_status tess_shipped_code_write(const char *path, int capability,
                                                    char *const *pages, int n);

/* NVRTC: CUDA text to machine code, by NVIDIA's run-time compiler, opened when it is needed. */
#pragma once

#include "kernels/devices/device.h"

typedef struct tess_cubin {
    char *code; /* an ELF image for cuModuleLoadData; owned */
    size_t size;
    char *log; /* of the compiler, with what ptxas says of each kernel; owned, NULL: none is kept */
} tess_cubin;

/* Compiles a page (kernels/codegen/glue.h) for a compute capability, 90 for sm_90, by one more
 * option of NVRTC unless NULL, or takes it from the disk cache. Fails (MISSING) without NVRTC,
 * (INPUT) with the compiler's words. Needs no GPU.
 */
TESS_MUST_CHECK tess_status tess_nvrtc_compile(const char *page, int capability, const char *option,
                                               tess_cubin *out);

/* Whether the disk cache has what a page is compiled to by no more option. */
TESS_MUST_CHECK tess_status tess_nvrtc_is_cached(const char *page, int capability, bool *out);
void tess_cubin_clear(tess_cubin *cubin);

/* What ptxas said of a kernel: registers, bytes of local memory (spills, and arrays that are
 * indexed at run time), shared bytes; -1 where the log lacks it. */
void tess_cubin_resources(const tess_cubin *cubin, const char *kernel, tess_resources *out);

/* The version of NVRTC, 13000 for 13.0, or 0. */
int tess_nvrtc_version(void);

/* The languages that loops are emitted in. */
#include "kernels/emit/emission.h"

#include "kernels/devices/embed.h"
#include <string.h>

TESS_EMBED(tess_emit_words_c, "kernels/emit/texts/words_c.h");
TESS_EMBED(tess_emit_words_hip, "kernels/emit/texts/words_hip.h");
TESS_EMBED(tess_emit_gpu_on_cpu, "kernels/emit/texts/gpu_on_cpu.h");
TESS_EMBED(tess_emit_build_cuda, "kernels/emit/texts/build_cuda.h");
TESS_EMBED(tess_emit_build_hip, "kernels/emit/texts/build_hip.h");
TESS_EMBED(tess_emit_build_c, "kernels/emit/texts/build_c.h");

static const tess_emit_language languages[] = {
    {.name = "cuda",
     .prefix = "cuda",
     .suffix = ".cu",
     .on_device = "__device__ ",
     .api = "#include <cuda_runtime_api.h>",
     .words = "",
     .quiet = "#pragma nv_diag_suppress 177 /* functions that this loop does not need */\n",
     .build = tess_emit_build_cuda,
     .has_graphs = true,
     .is_cuda = true},
    {.name = "hip",
     .prefix = "hip",
     .suffix = ".hip",
     .on_device = "__device__ ",
     .api = "#ifndef __HIP_PLATFORM_AMD__\n#define __HIP_PLATFORM_AMD__\n#endif\n"
            "#include <hip/hip_runtime_api.h>",
     .words = tess_emit_words_hip,
     .quiet = "#pragma clang diagnostic ignored \"-Wunused-function\"\n",
     .build = tess_emit_build_hip,
     .has_graphs = true},
    {.name = "c",
     .prefix = "gpu",
     .suffix = ".c",
     .on_device = "",
     .api = "#include \"gpu_on_cpu.h\"",
     .words = tess_emit_words_c,
     .quiet = "",
     .build = tess_emit_build_c,
     .more_name = "gpu_on_cpu.h",
     .more = tess_emit_gpu_on_cpu},
};

tess_status tess_emit_language_find(const char *name, const tess_emit_language **out) {
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (strcmp(languages[i].name, name) == 0) {
            *out = &languages[i];
            return TESS_OK;
        }
    if (strcmp(name, "kokkos") == 0)
        FAIL(TESS_ERROR_USAGE,
             "--language kokkos is not there yet: a kernel's barriers and shuffles "
             "need a team's handle in every function; take cuda, hip or c");
    FAIL(TESS_ERROR_USAGE, "--language %s: it may be " TESS_EMIT_LANGUAGES, name);
}

tess_status tess_emit_check(const char *language) {
    const tess_emit_language *found = NULL;
    return tess_emit_language_find(language, &found);
}

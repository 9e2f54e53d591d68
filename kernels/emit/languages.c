/* The languages that loops are emitted in. */
#include "kernels/emit/emission.h"

#include "kernels/devices/embed.h"
#include "kernels/devices/occupancy.h"
#include <string.h>

TESS_EMBED(tess_emit_words_c, "kernels/emit/texts/words_c.h");
TESS_EMBED(tess_emit_words_hip, "kernels/emit/texts/words_hip.h");
TESS_EMBED(tess_emit_words_kokkos, "kernels/emit/texts/words_kokkos.h");
TESS_EMBED(tess_emit_gpu_on_cpu, "kernels/emit/texts/gpu_on_cpu.h");
TESS_EMBED(tess_emit_gpu_by_kokkos, "kernels/emit/texts/gpu_by_kokkos.h");
TESS_EMBED(tess_emit_kokkos_calls, "kernels/emit/texts/gpu_by_kokkos.cu");
TESS_EMBED(tess_emit_build_cuda, "kernels/emit/texts/build_cuda.h");
TESS_EMBED(tess_emit_build_hip, "kernels/emit/texts/build_hip.h");
TESS_EMBED(tess_emit_build_c, "kernels/emit/texts/build_c.h");
TESS_EMBED(tess_emit_build_kokkos, "kernels/emit/texts/build_kokkos.h");

static const tess_emit_language languages[] = {
    {.name = "cuda",
     .prefix = "cuda",
     .suffix = ".cu",
     .on_device = "__device__ ",
     .table = "__device__ ",
     .opens = "",
     .closes = "",
     .api = "#include <cuda_runtime_api.h>",
     .words = "",
     .quiet = "#pragma nv_diag_suppress 177 /* functions that this loop does not need */\n",
     .build = tess_emit_build_cuda,
     .most_shared = TESS_MOST_SHARED,
     .has_graphs = true,
     .is_cuda = true},
    {.name = "hip",
     .prefix = "hip",
     .suffix = ".hip",
     .on_device = "__device__ ",
     .table = "__device__ ",
     .opens = "",
     .closes = "",
     .api = "#ifndef __HIP_PLATFORM_AMD__\n#define __HIP_PLATFORM_AMD__\n#endif\n"
            "#include <hip/hip_runtime_api.h>",
     .words = tess_emit_words_hip,
     .quiet = "#pragma clang diagnostic ignored \"-Wunused-function\"\n",
     .build = tess_emit_build_hip,
     .most_shared = 64 * 1024, /* of gfx90a and gfx942 */
     .has_graphs = true},
    {.name = "c",
     .prefix = "gpu",
     .suffix = ".c",
     .on_device = "",
     .table = "",
     .opens = "",
     .closes = "",
     .api = "#include \"gpu_on_cpu.h\"",
     .words = tess_emit_words_c,
     .quiet = "",
     .build = tess_emit_build_c,
     .more = {{"gpu_on_cpu.h", tess_emit_gpu_on_cpu}}},
    {.name = "kokkos",
     .prefix = "kokkos",
     .suffix = ".cpp",
     .on_device = "KOKKOS_FUNCTION ",
     .table = "TABLE ",
     .opens = "namespace {\n\n/* A thread of a block: what follows is what it does. */\n"
              "struct block_thread {\n    const struct params *simt_params;\n"
              "    const block_team *simt_team;\n    int simt_block, simt_thread;\n"
              "    char *simt_shared;\n\n",
     .closes = "};\n\n} // namespace\n",
     .api = "#include \"gpu_by_kokkos.h\"",
     .words = tess_emit_words_kokkos,
     .quiet = "#ifdef __CUDACC__\n"
              "#pragma nv_diag_suppress 177 /* functions that this loop does not need */\n"
              "#endif\n",
     .build = tess_emit_build_kokkos,
     .more = {{"gpu_by_kokkos.h", tess_emit_gpu_by_kokkos},
              {"gpu_by_kokkos.cpp", tess_emit_kokkos_calls}},
     .lacks_lanes = true},
};

tess_status tess_emit_language_find(const char *name, const tess_emit_language **out) {
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (strcmp(languages[i].name, name) == 0) {
            *out = &languages[i];
            return TESS_OK;
        }
    FAIL(TESS_ERROR_USAGE, "--language %s: it may be " TESS_EMIT_LANGUAGES, name);
}

tess_status tess_emit_check(const char *language) {
    const tess_emit_language *found = NULL;
    return tess_emit_language_find(language, &found);
}

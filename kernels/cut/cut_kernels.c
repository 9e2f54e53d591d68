/* The kernels that cut: their texts, compiled for a device, and what they take. */
#include "kernels/cut/cut_kernels.h"

#include "core/base/array.h"
#include "kernels/devices/embed.h"
#include "kernels/devices/text_writer.h"
#include <stdio.h>
#include <string.h>

TESS_EMBED(tess_hilbert_key_text, "core/plan/order/hilbert_key.h");
TESS_EMBED(tess_cut_scan_text, "kernels/cut/scan.cu");
TESS_EMBED(tess_cut_sort_text, "kernels/cut/radix_sort.cu");
TESS_EMBED(tess_cut_places_text, "kernels/cut/places.cu");
TESS_EMBED(tess_cut_bisect_text, "kernels/cut/bisect.cu");

/* A block's, of the kernel that needs most, place_by_digit: counts of digits for each warp, where
 * they begin, sums of warps, and a chunk's keys and elements. */
enum {
    SHARED_INTS = (TESS_CUT_WARPS + 1) * TESS_CUT_DIGITS + TESS_CUT_WARPS + TESS_CUT_CHUNK,
    SHARED_BYTES = SHARED_INTS * (int)sizeof(int) + TESS_CUT_CHUNK * (int)sizeof(int64_t)
};

tess_status tess_cut_page(char **out) {
    tess_text_writer page = {.text = NULL};
    tess_text_writer_print(&page,
                           "#define LAUNCH_BOUNDS __launch_bounds__(THREADS)\n"
                           "enum { THREADS = %d, ITEMS = %d, CHUNK = %d, WARPS = %d, DIGITS = %d, "
                           "KEY_BITS = %d, LONGEST_RUN = %d };"
                           "\nstruct params {\n",
                           TESS_CUT_THREADS, TESS_CUT_ITEMS, TESS_CUT_CHUNK, TESS_CUT_WARPS,
                           TESS_CUT_DIGITS, TESS_CUT_KEY_BITS, TESS_CUT_LONGEST_RUN);
#define PRINT_MEMBER(type, there, name) tess_text_writer_print(&page, "    %s%s;\n", there, #name);
    TESS_CUT_PARAMS(PRINT_MEMBER)
#undef PRINT_MEMBER
    tess_text_writer_print(&page, "};\n");
    tess_text_writer_include(&page, "hilbert_key.h", tess_hilbert_key_text);
    tess_text_writer_include(&page, "scan.cu", tess_cut_scan_text);
    tess_text_writer_include(&page, "radix_sort.cu", tess_cut_sort_text);
    tess_text_writer_include(&page, "places.cu", tess_cut_places_text);
    tess_text_writer_include(&page, "bisect.cu", tess_cut_bisect_text);
    const tess_status status = tess_text_writer_finish(&page);
    *out = status == TESS_OK ? TESS_TAKE(page.text) : NULL;
    tess_text_writer_clear(&page);
    return status;
}

tess_status tess_cut_kernels_open(const tess_device *device, tess_target *target, const char *page,
                                  tess_cut_kernels *kernels) {
    *kernels = (tess_cut_kernels){.device = device, .target = target};
    return device->compile(target, page, &kernels->module);
}

void tess_cut_kernels_close(tess_cut_kernels *kernels) {
    if (kernels->module)
        kernels->device->unload(kernels->target, kernels->module);
    kernels->module = NULL;
}

tess_status tess_cut_launch(const tess_cut_kernels *kernels, const char *name, int64_t n_blocks) {
    uint64_t words[sizeof kernels->params / sizeof(uint64_t)];
    tess_launch launch = {
        .n_blocks = n_blocks, .threads = TESS_CUT_THREADS, .shared_bytes = SHARED_BYTES};
    snprintf(launch.kernel, sizeof launch.kernel, "%s", name);
    memcpy(words, &kernels->params, sizeof words);
    return kernels->device->launch(kernels->target, kernels->module, &launch, words,
                                   (int)(sizeof words / sizeof *words));
}

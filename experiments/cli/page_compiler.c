/* The page compiler: what this program is when it is started to compile one page. */
#include "experiments/cli/page_compiler.h"

#include "core/base/array.h"
#include "kernels/devices/cuda/nvrtc.h"
#include "kernels/devices/cuda/nvrtc_process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tess_page_compiler_asked(int argc, char **argv) {
    return argc >= 3 && strcmp(argv[1], TESS_COMPILE_PAGE) == 0;
}

/* All that comes from a file, with a zero behind it; the caller frees it. */
static tess_status read_all(FILE *file, char **out) {
    enum { STEP = 1 << 16 };
    tess_status status = TESS_OK;
    char *text = NULL;
    int64_t capacity = 0, n = 0;
    size_t more = 0;
    do {
        CHECK(TESS_RESERVE(n + STEP + 1, &capacity, &text));
        more = fread(text + n, 1, STEP, file);
        n += (int64_t)more;
    } while (more > 0);
    text[n] = '\0';
    *out = TESS_TAKE(text);
done:
    free(text);
    return status;
}

tess_status tess_page_compiler_run(int argc, char **argv) {
    char *page = NULL;
    tess_cubin cubin;
    TRY(read_all(stdin, &page));
    const tess_status status =
        tess_nvrtc_compile(page, atoi(argv[2]), argc > 3 ? argv[3] : NULL, &cubin);
    free(page);
    TRY(status);
    tess_cubin_clear(&cubin);
    return TESS_OK;
}

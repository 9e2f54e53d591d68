/* The page compiler: what this program is when it is started to compile one page. */
#include "experiments/cli/page_compiler.h"

#include "kernels/devices/cuda/nvrtc.h"
#include "kernels/devices/cuda/nvrtc_process.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tess_page_compiler_asked(int argc, char **argv) {
    return argc >= 3 && strcmp(argv[1], TESS_COMPILE_PAGE) == 0;
}

tess_status tess_page_compiler_run(int argc, char **argv) {
    char *page = NULL;
    size_t capacity = 0;
    tess_cubin cubin;
    if (getdelim(&page, &capacity, '\0', stdin) < 0) {
        free(page);
        FAIL(TESS_ERROR_IO, "there is no page to compile on the standard input");
    }
    const tess_status status =
        tess_nvrtc_compile(page, atoi(argv[2]), argc > 3 ? argv[3] : NULL, &cubin);
    free(page);
    TRY(status);
    tess_cubin_clear(&cubin);
    return TESS_OK;
}

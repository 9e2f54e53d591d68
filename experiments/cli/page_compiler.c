/* The page compiler: what this program is when it is started to compile pages. */
#include "experiments/cli/page_compiler.h"

#include "kernels/cut/cut_kernels.h"
#include "kernels/devices/cuda/nvrtc.h"
#include "kernels/devices/cuda/nvrtc_process.h"
#include "kernels/devices/cuda/shipped_code.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPILE_SHIPPED "--compile-shipped"

bool tess_page_compiler_asked(int argc, char **argv) {
    return (argc >= 3 && strcmp(argv[1], TESS_COMPILE_PAGE) == 0) ||
           (argc == 4 && strcmp(argv[1], COMPILE_SHIPPED) == 0);
}

/* Says why where code cannot be compiled, but for want of a compiler: it is compiled when it is
 * asked for then. */
static tess_status compile_shipped(int capability, const char *path) {
    tess_status status = TESS_OK;
    char *pages[sizeof(unsigned) * 8] = {NULL};
    int n = 0;
    for (unsigned one = 1; one < TESS_CUT_ALL; one *= 2)
        CHECK(tess_cut_page(one, &pages[n++]));
    status = tess_shipped_code_write(path, capability, pages, n);
    if (status == TESS_ERROR_INPUT)
        fprintf(stderr, "tess: no code for sm_%d: %s\n", capability, tess_message());
    if (status == TESS_ERROR_INPUT || status == TESS_ERROR_MISSING)
        status = TESS_OK;
done:
    while (n > 0)
        free(pages[--n]);
    return status;
}

static tess_status compile_page(int argc, char **argv) {
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

tess_status tess_page_compiler_run(int argc, char **argv) {
    return strcmp(argv[1], COMPILE_SHIPPED) == 0 ? compile_shipped(atoi(argv[2]), argv[3])
                                                 : compile_page(argc, argv);
}

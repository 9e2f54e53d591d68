/* A process that compiles a page: NVRTC compiles one text at a time in each. */
#include "kernels/devices/cuda/nvrtc_process.h"

#include "core/base/process.h"
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>

static atomic_bool allowed;

void tess_nvrtc_allow_processes(void) {
    atomic_store(&allowed, true);
}

bool tess_nvrtc_may_start_processes(void) {
    return atomic_load(&allowed);
}

tess_status tess_nvrtc_compile_beside(const char *page, int capability, const char *option,
                                      bool *compiled) {
    tess_status status = TESS_OK;
    int ended = 0;
    char number[16], words[64];
    snprintf(number, sizeof number, "%d", capability);
    snprintf(words, sizeof words, "%s", option ? option : "");
    char *argv[] = {(char[]){"tess"}, (char[]){TESS_COMPILE_PAGE}, number, option ? words : NULL,
                    NULL};
    FILE *input = tmpfile(), *nowhere = fopen("/dev/null", "w");
    *compiled = false;
    if (!input || !nowhere || fputs(page, input) < 0 || fflush(input) != 0)
        goto done; /* without it then */
    rewind(input);
    const tess_process_call call = {.program = "/proc/self/exe",
                                    .argv = argv,
                                    .input = input,
                                    .output = nowhere,
                                    .errors = nowhere};
    status = tess_process_run(&call, &ended);
    *compiled = status == TESS_OK && WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
    if (status != TESS_ERROR_INTERRUPTED)
        status = TESS_OK;
done:
    if (input)
        fclose(input);
    if (nowhere)
        fclose(nowhere);
    return status;
}

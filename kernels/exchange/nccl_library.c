/* The NCCL library: its functions, opened at run time. */
#include "kernels/exchange/nccl_library.h"

#include "core/base/library.h"
#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where it is looked for when the loader does not know it. */
static const char *const patterns[] = {
    "/usr/local/cuda/lib64/libnccl.so.2",
    "$VIRTUAL_ENV/lib/python3*/site-packages/nvidia/nccl/lib/libnccl.so.2",
    "/usr/local/lib/python3*/*-packages/nvidia/nccl/lib/libnccl.so.2",
    "/usr/lib/python3*/*-packages/nvidia/nccl/lib/libnccl.so.2",
    "/opt/*/.venv/lib/python3*/site-packages/nvidia/nccl/lib/libnccl.so.2",
};

static void *open_file(const char *name) {
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

/* Opens the first file of a pattern; a leading variable of the environment is replaced. */
static void *open_first(const char *path) {
    char pattern[4096];
    const char *environment = getenv("VIRTUAL_ENV"), *rest = strchr(path, '/');
    glob_t found = {.gl_pathc = 0};
    void *handle = NULL;
    if (path[0] == '$' && !environment)
        return NULL;
    snprintf(pattern, sizeof pattern, "%s%s", path[0] == '$' ? environment : "", rest);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && !handle; i++)
            handle = open_file(found.gl_pathv[i]);
    globfree(&found);
    return handle;
}

static void *open_any(void) {
    const char *chosen = getenv("TESS_NCCL");
    if (chosen && chosen[0])
        return open_file(chosen);
    void *handle = open_file("libnccl.so.2");
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns && !handle; i++)
        handle = open_first(patterns[i]);
    return handle;
}

/* Versions are 10000 major + 100 minor + patch from 2.9 on, 1000 major + ... before. Messages
 * between two ranks came with 2.7. */
static tess_status check_version(tess_nccl_library *nccl) {
    int version = 0;
    nccl->version(&version);
    const int of_major = version < 10000 ? 1000 : 10000;
    nccl->major = version / of_major;
    nccl->minor = version % of_major / 100;
    nccl->patch = version % 100;
    if (nccl->major != 2 || nccl->minor < 7)
        FAIL(TESS_ERROR_MISSING, "NCCL is of version %d.%d.%d: 2.7 or a later 2 is needed",
             nccl->major, nccl->minor, nccl->patch);
    return TESS_OK;
}

/* Messages travel while the core runs: each channel takes a processor of the GPU away from it. On
 * two H200s miniaero (1M cells) hides 0.86 of its exchange with NCCL's own number of channels, 0.91
 * with 8, 0.94 with 4, 0.95 with 2, and the exchange alone takes 21.2, 24.9, 30.3 and 39.5 us. */
static void set_defaults(void) {
    static const char *const defaults[][2] = {
        {"NCCL_NVLS_ENABLE", "0"}, {"NCCL_MAX_CTAS", "8"}, {"NCCL_MAX_P2P_NCHANNELS", "8"}};
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        setenv(defaults[i][0], defaults[i][1], 0);
}

tess_status tess_nccl_library_open(tess_nccl_library *out) {
    set_defaults();
    tess_nccl_library nccl = {.handle = open_any()};
    if (!nccl.handle)
        FAIL(TESS_ERROR_MISSING,
             "there is no NCCL (libnccl.so.2) on this machine: pip install nvidia-nccl-cu12, or "
             "name its file in TESS_NCCL, or take --engine mpi (%.200s)",
             dlerror());
#define X(symbol, member, parameters) {#symbol, &nccl.member},
    const tess_library_symbol symbols[] = {
        TESS_NCCL_FUNCTIONS(X){"ncclGetErrorString", &nccl.error_string}};
#undef X
    TRY(TESS_LIBRARY_FIND(nccl.handle, symbols, "NCCL", "2.7 or a later 2"));
    TRY(check_version(&nccl));
    *out = nccl;
    return TESS_OK;
}

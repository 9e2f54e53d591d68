/* NVRTC: CUDA text to machine code, by NVIDIA's run-time compiler, opened when it is needed. */
#include "kernels/devices/cuda/nvrtc.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/library.h"
#include "core/base/making.h"
#include "core/base/whole_file.h"
#include "kernels/devices/cuda/nvrtc_process.h"
#include "kernels/devices/disk_cache.h"
#include "kernels/devices/simt_text.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGE_BYTES = 900 };

typedef struct nvrtc_program *program; /* opaque, as in nvrtc.h */

typedef struct nvrtc_library {
    void *handle;
    const char *(*error_string)(int result);
    int (*version)(int *major, int *minor);
    int (*create)(program *out, const char *text, const char *name, int n_headers,
                  const char *const *headers, const char *const *names);
    int (*compile)(program p, int n_options, const char *const *options);
    int (*log_size)(program p, size_t *size);
    int (*log)(program p, char *log);
    int (*cubin_size)(program p, size_t *size);
    int (*cubin)(program p, char *code);
    int (*destroy)(program *p);
} nvrtc_library;

static const char *const names[] = {"libnvrtc.so.13",
                                    "libnvrtc.so.12",
                                    "libnvrtc.so.11.2",
                                    "libnvrtc.so",
                                    "/usr/local/cuda/lib64/libnvrtc.so",
                                    "/usr/local/cuda/lib64/libnvrtc.so.13",
                                    "/usr/local/cuda/lib64/libnvrtc.so.12",
                                    NULL};

static tess_status library_open(nvrtc_library *out) {
    *out = (nvrtc_library){.handle = NULL};
    const char *stated = getenv("TESS_NVRTC");
    if (stated && *stated) {
        out->handle = dlopen(stated, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
        if (!out->handle)
            FAIL(TESS_ERROR_MISSING, "TESS_NVRTC is %s, which cannot be opened: %s", stated,
                 dlerror());
    }
    /* NODELETE: it keeps memory of its own, so loading it anew each time would lose that. */
    if (!out->handle)
        out->handle = tess_library_open(names, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!out->handle)
        FAIL(TESS_ERROR_MISSING, "NVRTC (libnvrtc.so) is not on this machine: install the CUDA "
                                 "Toolkit's nvrtc package, say with TESS_NVRTC where it is, or "
                                 "use --device emulator");
    const tess_library_symbol symbols[] = {
        {"nvrtcGetErrorString", &out->error_string}, {"nvrtcVersion", &out->version},
        {"nvrtcCreateProgram", &out->create},        {"nvrtcCompileProgram", &out->compile},
        {"nvrtcGetProgramLogSize", &out->log_size},  {"nvrtcGetProgramLog", &out->log},
        {"nvrtcGetCUBINSize", &out->cubin_size},     {"nvrtcGetCUBIN", &out->cubin},
        {"nvrtcDestroyProgram", &out->destroy}};
    const tess_status status = TESS_LIBRARY_FIND(out->handle, symbols, "this machine's NVRTC",
                                                 "CUDA 11.2's or a later one");
    if (status != TESS_OK)
        dlclose(out->handle);
    return status;
}

int tess_nvrtc_version(void) {
    nvrtc_library library;
    int major = 0, minor = 0;
    if (library_open(&library) != TESS_OK)
        return 0;
    library.version(&major, &minor);
    dlclose(library.handle);
    return 1000 * major + 10 * minor;
}

static tess_status get_log(const nvrtc_library *library, program p, char **out) {
    size_t size = 0;
    library->log_size(p, &size);
    TRY(TESS_ZEROS((int64_t)size + 1, out));
    if (size > 0)
        library->log(p, *out);
    return TESS_OK;
}

static tess_status compile(const nvrtc_library *library, const char *text, int capability,
                           const char *option, tess_cubin *out) {
    tess_status status = TESS_OK;
    program p = NULL;
    char architecture[32];
    snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%d", capability);
    const char *const options[] = {architecture, "--std=c++17",
                                   "--device-as-default-execution-space",
                                   "--ptxas-options=--verbose", option};
    const int n_options = (int)(sizeof options / sizeof options[0]) - (option ? 0 : 1);
    int result = library->create(&p, text, "page.cu", 0, NULL, NULL);
    if (result != 0)
        CHECK(tess_fail(TESS_ERROR_INTERNAL, "NVRTC: %s", library->error_string(result)));
    result = library->compile(p, n_options, options);
    CHECK(get_log(library, p, &out->log));
    if (result != 0)
        CHECK(tess_fail(TESS_ERROR_INPUT, "NVRTC refuses the kernel's text (%s):\n%.*s",
                        library->error_string(result),
                        tess_text_first_lines(out->log, MESSAGE_BYTES), out->log));
    library->cubin_size(p, &out->size);
    CHECK(TESS_ALLOC((int64_t)out->size, &out->code));
    library->cubin(p, out->code);
done:
    if (p)
        library->destroy(&p);
    return status;
}

/* Takes code and log from the cache where both are there. */
static tess_status cached(const char *path, const char *log_path, tess_cubin *out) {
    size_t log_size = 0;
    TRY(tess_cache_read(path, &out->code, &out->size));
    if (out->code)
        TRY(tess_cache_read(log_path, &out->log, &log_size));
    if (!out->log)
        tess_cubin_clear(out);
    return TESS_OK;
}

/* A page, and where what it is compiled to lies in the cache. */
typedef struct compilation {
    const char *page, *text; /* as given, and with what comes before it */
    int capability;
    const char *option, *path, *log_path;
} compilation;

/* By where their code lies in the cache: a text is compiled once, whoever asks meanwhile. */
static tess_making compiling = TESS_MAKING_INIT;

static tess_status compile_here(const nvrtc_library *library, const compilation *c,
                                tess_cubin *out) {
    TRY(compile(library, c->text, c->capability, c->option, out));
    TRY(tess_whole_file_remake(c->path, out->code, out->size));
    return tess_whole_file_remake(c->log_path, out->log, strlen(out->log));
}

/* Compiles a page unless another thread has meanwhile; by a process where others compile in this
 * one, or where the time may be over before that is done: a process can be asked to end. */
static tess_status compile_anew(const nvrtc_library *library, const compilation *c,
                                tess_cubin *out) {
    bool compiled = false;
    const bool alone = tess_making_begin(&compiling, c->path);
    const bool beside = !alone || tess_interrupt_will_be_due();
    tess_status status = cached(c->path, c->log_path, out);
    if (status == TESS_OK && !out->log && beside && tess_nvrtc_may_start_processes())
        status = tess_nvrtc_compile_beside(c->page, c->capability, c->option, &compiled);
    if (compiled)
        status = cached(c->path, c->log_path, out);
    if (status == TESS_OK && !out->log)
        status = compile_here(library, c, out);
    tess_making_end(&compiling, c->path);
    return status;
}

/* A text, and where what it is compiled to lies in the cache; owned. */
typedef struct place {
    char *text, *path, *log_path;
} place;

static void place_clear(place *where) {
    free(where->text);
    free(where->path);
    free(where->log_path);
}

/* Finds that; the caller clears it, whatever failed. */
static tess_status find_place(const nvrtc_library *library, const char *page, int capability,
                              const char *option, place *out) {
    int major = 0, minor = 0;
    char about[64], key[TESS_CACHE_KEY], *directory = NULL;
    *out = (place){.text = NULL};
    library->version(&major, &minor);
    snprintf(about, sizeof about, "nvrtc %d.%d sm_%d", major, minor, capability);
    TRY(tess_text_print(&out->text, "#line 1 \"simt.h\"\n%s\n%s", tess_simt_text, page));
    tess_cache_key((const char *const[]){about, out->text, option, NULL}, key);
    TRY(tess_cache_directory("cubins", &directory));
    tess_status status = tess_text_print(&out->path, "%s/%s.cubin", directory, key);
    if (status == TESS_OK)
        status = tess_text_print(&out->log_path, "%s/%s.log", directory, key);
    free(directory);
    return status;
}

tess_status tess_nvrtc_is_cached(const char *page, int capability, bool *out) {
    nvrtc_library library = {.handle = NULL};
    place where = {.text = NULL};
    *out = false;
    TRY(library_open(&library));
    const tess_status status = find_place(&library, page, capability, NULL, &where);
    *out = status == TESS_OK && access(where.path, R_OK) == 0 && access(where.log_path, R_OK) == 0;
    place_clear(&where);
    dlclose(library.handle);
    return status;
}

tess_status tess_nvrtc_compile(const char *page, int capability, const char *option,
                               tess_cubin *out) {
    tess_status status = TESS_OK;
    place where = {.text = NULL};
    nvrtc_library library = {.handle = NULL};
    *out = (tess_cubin){.code = NULL};
    CHECK(library_open(&library));
    CHECK(find_place(&library, page, capability, option, &where));
    CHECK(cached(where.path, where.log_path, out));
    if (!out->log) {
        const compilation c = {page, where.text, capability, option, where.path, where.log_path};
        CHECK(compile_anew(&library, &c, out));
    }
done:
    if (library.handle)
        dlclose(library.handle);
    place_clear(&where);
    if (status != TESS_OK)
        tess_cubin_clear(out);
    return status;
}

void tess_cubin_clear(tess_cubin *cubin) {
    free(cubin->code);
    free(cubin->log);
    *cubin = (tess_cubin){.code = NULL};
}

/* The number before `unit` between two positions of the log, or -1. */
static int number_before(const char *from, const char *to, const char *unit) {
    const char *at = strstr(from, unit);
    if (!at || at >= to)
        return -1;
    while (at > from && at[-1] == ' ')
        at--;
    while (at > from && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return atoi(at);
}

void tess_cubin_resources(const tess_cubin *cubin, const char *kernel, tess_resources *out) {
    *out = (tess_resources){.registers = -1, .spilled = -1, .shared_bytes = -1};
    char head[96];
    snprintf(head, sizeof head, "entry function '%s'", kernel);
    const char *from = strstr(cubin->log, head);
    if (!from)
        return;
    const char *to = strstr(from + strlen(head), "entry function");
    if (!to)
        to = from + strlen(from);
    out->registers = number_before(from, to, " registers");
    const int local = number_before(from, to, " bytes stack frame");
    out->spilled = local < 0 ? 0 : local;
    const int shared = number_before(from, to, " bytes smem");
    out->shared_bytes = shared < 0 ? 0 : shared;
}

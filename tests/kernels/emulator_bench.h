/* A bench for the emulator: kernels written as texts, two arrays and a map. */
#pragma once

#include "kernels/devices/c_module.h"
#include "kernels/devices/emulator/emulator.h"
#include "kernels/devices/simt_text.h"
#include "tests/unit.h"

enum { N = 256 };

/* The parameters of every kernel here: the same order as in the text. */
struct params {
    double *a, *b;
    int *map;
    int64_t n;
};

#define PARAMS_TEXT "struct params { double *a, *b; int *map; long n; };\n#line 1 \"kernel.cu\"\n"

#define FLAGS "-std=gnu11 -O3 -fno-strict-aliasing -Wall -Wextra -Werror "

typedef struct bench {
    tess_emulator *emulator;
    struct params params;
    tess_emulator_options options;
} bench;

static inline tess_c_module *compile(const char *kernel, bool check) {
    char *text = NULL;
    assert_true(asprintf(&text, "%s%s%s%s", tess_simt_emulator_text, tess_simt_text, PARAMS_TEXT,
                         kernel) > 0);
    tess_c_module *module = NULL;
    const tess_status status = tess_c_module_open(
        text, check ? FLAGS "-fno-tree-vectorize -DSIMT_CHECK=1" : FLAGS "-DSIMT_CHECK=0", &module);
    if (status != TESS_OK)
        print_error("%s\n", tess_message());
    OK(status);
    free(text);
    return module;
}

static inline bench bench_open(tess_emulator_options options) {
    bench b = {.options = options};
    OK(tess_emulator_open(&options, &b.emulator));
    void *memory = NULL;
    OK(tess_emulator_alloc(b.emulator, "a", N * 8, &memory));
    b.params.a = memory;
    OK(tess_emulator_alloc(b.emulator, "b", N * 8, &memory));
    b.params.b = memory;
    OK(tess_emulator_alloc(b.emulator, "map", N * 4, &memory));
    b.params.map = memory;
    b.params.n = N;
    for (int i = 0; i < N; i++) {
        b.params.a[i] = i;
        b.params.map[i] = i / 2;
    }
    return b;
}

static inline tess_status bench_run(bench *b, const char *kernel, int n_blocks, int threads,
                                    int shared_bytes) {
    tess_c_module *module = compile(kernel, b->options.check || b->options.count);
    void (*f)(void) = NULL, (*sites)(void) = NULL;
    OK(tess_c_module_function(module, "k", &f));
    OK(tess_c_module_function(module, "simt_module_sites", &sites));
    const tess_emulator_launch launch = {.kernel = (void (*)(const struct params *))f,
                                         .params = &b->params,
                                         .sites = ((const struct simt_site *(*)(void))sites)(),
                                         .n_blocks = n_blocks,
                                         .threads = threads,
                                         .shared_bytes = shared_bytes};
    const tess_status status = tess_emulator_run(b->emulator, &launch);
    tess_c_module_close(module);
    return status;
}

/* Runs a kernel that must be without a finding. */
static inline void bench_pass(bench *b, const char *kernel, int n_blocks, int threads,
                              int shared_bytes) {
    OK(bench_run(b, kernel, n_blocks, threads, shared_bytes));
}

#define CHECKED ((tess_emulator_options){.workers = 2, .check = true, .count = true})

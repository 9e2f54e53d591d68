/* Device texts: every .cu of the tree is compiled for sm_90 by NVRTC here, without a warning: one
 * that nobody asks for fails the test by its name. Skipped where NVRTC is not on the machine. */
#include "experiments/model/gauge.h"
#include "experiments/model/pass_run.h"
#include "kernels/cut/cut_kernels.h"
#include "kernels/devices/cuda/nvrtc.h"
#include "kernels/exchange/mover.h"
#include "kernels/loops/originals.h"
#include "kernels/scatter/scatter_page.h"
#include "tests/kernels/strategy_bench.h"
#include <ftw.h>

enum { MOST_TEXTS = 128 };

/* Names of texts: those that were compiled. */
static char compiled[MOST_TEXTS][64];
static int n_compiled;
static const tess_device *nvrtc;

static bool is_compiled(const char *name) {
    for (int i = 0; i < n_compiled; i++)
        if (strcmp(compiled[i], name) == 0)
            return true;
    return false;
}

/* Compiles a page, and notes the texts that it is made of. */
static void compile_page(const char *page) {
    static const char line[] = "#line 1 \"";
    tess_cubin cubin;
    OK(tess_nvrtc_compile(page, 90, tess_nvrtc_version() >= 13000 ? "--Ofast-compile=mid" : NULL,
                          &cubin));
    if (strstr(cubin.log, "warning"))
        print_error("%s\n", cubin.log);
    assert_null(strstr(cubin.log, "warning"));
    tess_cubin_clear(&cubin);
    for (const char *at = page; (at = strstr(at, line));) {
        at += strlen(line);
        assert_true(n_compiled < MOST_TEXTS);
        char *name = compiled[n_compiled];
        snprintf(name, sizeof *compiled, "%.*s", (int)strcspn(at, "\""), at);
        for (char *c = name; (c = strchr(c, '-'));)
            *c = '_'; /* pages name a strategy's text after the strategy */
        n_compiled += !is_compiled(name);
    }
}

static tess_status compile_noted(tess_target *target, const char *page, tess_device_module **out) {
    compile_page(page);
    return nvrtc->compile(target, page, out);
}

static void compile_reductions(void) {
    for (int reduction = 0; reduction < TESS_N_REDUCTIONS; reduction++)
        for (int type = 0; type < TESS_N_SCATTER_TYPES; type++) {
            const tess_scatter_kind kind = {.reduction = (tess_reduction)reduction,
                                            .type = (tess_scatter_type)type,
                                            .width = 1,
                                            .run = 1,
                                            .threads = 128};
            char *page = NULL;
            OK(tess_scatter_page(&kind, &page));
            compile_page(page);
            free(page);
        }
}

static void compile_passes(void) {
    for (int bytes = 4; bytes <= 8; bytes += 4) { /* floats, doubles */
        const tess_pass pass = {.arity = 2,
                                .window = 128,
                                .reads = 2,
                                .adds = 1,
                                .point_bytes = bytes,
                                .element_bytes = 16,
                                .written_bytes = 8,
                                .stream_bytes = 8,
                                .rounds = 1};
        char *page = NULL;
        OK(tess_pass_page(&pass, true, &page));
        compile_page(page);
        free(page);
    }
}

static void compile_originals(const tess_device *device, tess_target *target) {
    bench_scene s = bench_scene_open("airfoil", NULL, "quads:nx=6:ny=5");
    tess_loop *loop = NULL;
    tess_originals *originals = NULL;
    OK(tess_kernel_loop(s.kernel, TESS_DOUBLE, &loop));
    const tess_original_states states = {.start = s.start, .want = s.start, .loop = loop};
    OK(tess_originals_open(device, target, &states, &originals));
    tess_originals_close(originals);
    tess_loop_free(loop);
    bench_scene_close(&s);
}

static tess_status try_loop(const tess_strategy *strategy, const tess_application *application,
                            const char *loop) {
    tess_resources resources;
    bench_scene s = bench_scene_open(application->name, loop, bench_mesh_of(application));
    const bench_case c = {.scene = &s,
                          .strategy = strategy->name,
                          .device = "nvrtc:optimise=little",
                          .layout = "soa",
                          .block_size = 128,
                          .resources = &resources,
                          .see = compile_page};
    const tess_status status = bench_run(&c, NULL, NULL);
    bench_scene_close(&s);
    return status;
}

/* By the first loop that it fits: a primary one, else one in parts that add by edges. */
static void compile_strategy(const tess_strategy *strategy) {
    const tess_application *application = NULL;
    tess_status status = TESS_ERROR_USAGE;
    for (int a = 0; status != TESS_OK && (application = tess_application_at(a)); a++)
        status = try_loop(strategy, application, NULL);
    OK(tess_application_find("fun3d", &application));
    if (status != TESS_OK)
        status = try_loop(strategy, application, "visrhs_prisms");
    if (status != TESS_OK)
        print_error("%s: %s\n", strategy->name, tess_message());
    OK(status);
}

/* Of strategies for the host, and of a pass that is timed there. */
static bool is_for_the_host(const char *name) {
    for (int i = 0; tess_strategy_at(i); i++) {
        const char *strategy = tess_strategy_at(i)->name;
        if (tess_strategy_at(i)->one_thread && strncmp(strategy, name, strlen(strategy)) == 0)
            return true;
    }
    return strcmp(name, "pass.cu") == 0;
}

static int n_texts, n_missed;

static int look(const char *path, const struct stat *about, int kind, struct FTW *at) {
    const char *name = path + at->base, *end = strrchr(name, '.');
    (void)about;
    if (kind != FTW_F || !end || strcmp(end, ".cu") != 0 || strstr(path, "/emit/texts/"))
        return 0; /* emitted programs are compiled by those who get them */
    n_texts++;
    if (!is_for_the_host(name) && !is_compiled(name)) {
        print_error("%s: no case of this test compiles it by NVRTC\n", path);
        n_missed++;
    }
    return 0;
}

static void every_text_compiles_for_a_gpu(void **state) {
    tess_target *target = NULL;
    tess_mover mover;
    tess_gauge gauge;
    char *page = NULL;
    if (tess_nvrtc_version() == 0)
        skip();
    OK(tess_device_open("nvrtc:optimise=little", &nvrtc, &target));
    tess_device noting = *nvrtc;
    noting.compile = compile_noted;
    for (unsigned what = 1; what < TESS_CUT_ALL; what *= 2) {
        OK(tess_cut_page(what, &page));
        compile_page(page);
        free(page);
    }
    OK(tess_mover_open(&noting, target, &mover));
    tess_mover_close(&mover);
    OK(tess_gauge_open(&noting, target, 256, 1 << 20, &gauge));
    tess_gauge_close(&gauge);
    compile_reductions();
    compile_passes();
    compile_originals(&noting, target);
    for (int i = 0; tess_strategy_at(i); i++)
        if (!tess_strategy_at(i)->one_thread && !tess_strategy_at(i)->elsewhere)
            compile_strategy(tess_strategy_at(i));
    nvrtc->close(target);
    assert_int_equal(nftw(TESS_SOURCE_DIR "/kernels", look, 16, FTW_PHYS), 0);
    assert_int_equal(nftw(TESS_SOURCE_DIR "/experiments", look, 16, FTW_PHYS), 0);
    assert_true(n_texts >= 25);
    assert_int_equal(n_missed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_text_compiles_for_a_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

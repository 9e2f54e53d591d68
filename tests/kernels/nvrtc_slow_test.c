/* NVRTC: every strategy compiles for sm_90 with every application, layout and precision, without
 * spilling registers. Skipped where NVRTC is not on the machine. */
#include "kernels/devices/cuda/nvrtc.h"
#include "strategy_bench.h"

static const char *mesh_of(const tess_application *application) {
    return application->dimension == 2 ? "quads:nx=6:ny=5" : "hexes:nx=4:ny=3:nz=3";
}

static void compile_all(const tess_application *application, const tess_strategy *strategy) {
    tess_mesh *mesh = bench_mesh(mesh_of(application));
    OK(tess_application_bind(application, mesh));
    for (int variant = 0; variant < 4; variant++) {
        const tess_type real = variant % 2 ? TESS_FLOAT : TESS_DOUBLE;
        tess_state *start = NULL;
        OK(tess_application_start(application, mesh, real, &start));
        const bench_case c = {.kernel = &application->kernels[0],
                              .mesh = mesh,
                              .start = start,
                              .real = real,
                              .strategy = strategy->name,
                              .device = "nvrtc",
                              .layout = variant / 2 ? "aos" : "soa",
                              .block_size = 128};
        double spilled = -1;
        const tess_status status = bench_run(&c, NULL, &spilled);
        if (status != TESS_OK)
            print_error("%s by %s: %s\n", application->name, strategy->name, tess_message());
        assert_int_equal(status, TESS_OK);
        assert_true(spilled >= 0);
        if (spilled > 0)
            print_message("%s by %s spills %g bytes\n", application->name, strategy->name, spilled);
        tess_state_free(start);
    }
    tess_mesh_free(mesh);
}

static void every_strategy_compiles_with_every_application(void **state) {
    (void)state;
    if (tess_nvrtc_version() == 0)
        skip();
    const tess_application *application = NULL;
    const tess_strategy *strategy = NULL;
    for (int a = 0; (application = tess_application_at(a)); a++)
        for (int s = 0; (strategy = tess_strategy_at(s)); s++)
            if (!strategy->one_thread)
                compile_all(application, strategy);
}

int main(void) {
    setenv("TESS_CACHE", TESS_BINARY_DIR "/test-cache", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_strategy_compiles_with_every_application),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

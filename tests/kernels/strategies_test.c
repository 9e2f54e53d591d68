/* Strategies: every one gives the sequential loop's result on every loop. */
#include "strategy_bench.h"

static const struct {
    const char *strategy, *device;
} ways[] = {
    {"sequential", "host"},
    {"openmp", "host"},
    {"atomics", "emulator:seed=1"},
    {"global-colour", "emulator:seed=2"},
    {"block-colour", "emulator:seed=3"},
    {"block-colour:stage=increments", "emulator"},
    {"block-colour:stage=none", "emulator"},
};

/* Runs all loops of an application by all strategies on a mesh, the primary one in several
 * layouts, block sizes, numbers of threads and orders. */
static void run_application(const char *name, const char *mesh_text, tess_type real,
                            double tolerance) {
    const tess_application *application = NULL;
    OK(tess_application_find(name, &application));
    tess_mesh *mesh = bench_mesh(mesh_text);
    OK(tess_application_bind(application, mesh));
    for (int k = 0; k < application->n_kernels; k++) {
        tess_state *start = NULL;
        OK(tess_application_start(application, mesh, real, &start));
        OK(tess_application_prepare(application, &application->kernels[k], start));
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
            for (int variant = 0; variant < (k == 0 ? 3 : 1); variant++) {
                const bench_case c = {.kernel = &application->kernels[k],
                                      .mesh = mesh,
                                      .start = start,
                                      .real = real,
                                      .strategy = ways[w].strategy,
                                      .device = ways[w].device,
                                      .layout = variant % 2 ? "aos" : "soa,cells=aos",
                                      .block_size = variant == 1 ? 40 : 64,
                                      .threads = variant == 2 ? 32 : 0,
                                      .scattered = variant == 2};
                double difference = 1;
                OK(bench_run(&c, NULL, &difference));
                assert_true(difference < tolerance);
            }
        tess_state_free(start);
    }
    tess_mesh_free(mesh);
}

static void airfoil_on_quads(void **state) {
    (void)state;
    run_application("airfoil", "quads:nx=13:ny=9", TESS_DOUBLE, 1e-12);
}

static void airfoil_on_tris_in_float(void **state) {
    (void)state;
    run_application("airfoil", "tris:nx=7:ny=8", TESS_FLOAT, 1e-4);
}

int main(void) {
    setenv("TESS_CACHE", TESS_BINARY_DIR "/test-cache", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(airfoil_on_quads),
        cmocka_unit_test(airfoil_on_tris_in_float),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Emulated caches of a K20m: what kernel 1 of Langguth et al. 2015 reads from its L2, beside the
 * paper's measurements and a simulation that shares no code with the emulator. */
#include "strategy_bench.h"

#include <math.h>

enum { CELLS = 260000 };

/* L2 reads a cell of kernel 1 by 64 threads a block on blocks of b cells. */
static double reads(int b, const char *device) {
    char mesh[64];
    tess_counters counters = {0};
    double difference = 1;
    snprintf(mesh, sizeof mesh, "random_blocks:n=%d:b=%d", CELLS, b);
    bench_scene scene = bench_scene_open("fv", NULL, mesh);
    const bench_case c = {.scene = &scene,
                          .strategy = "gather:own=staged",
                          .device = device,
                          .layout = "aos,maps=aos",
                          .renumber = "blocks",
                          .block_size = 64,
                          .counters = &counters};
    OK(bench_run(&c, NULL, &difference));
    bench_scene_close(&scene);
    assert_true(counters.l2_write_sectors == 2 * CELLS / 4);
    return (double)counters.l2_read_sectors / (2 * CELLS); /* of two runs */
}

/* The simulation's table: 16 blocks of 64 threads on each of 13 multiprocessors, values of x
 * through caches of 48 kB in all. The paper measured 1.75 at b = 8, 5.62 at 13,333, and from where
 * its curves meet 4.36 at 500. */
static void kernel_1_reads_as_simulated(void **state) {
    static const struct {
        const char *device;
        double middle, far;
    } rows[] = {
        {"emulator:check=no:seed=1:caches=k20m", 4.590 - 0.25, 5.45},
        {"emulator:check=no:seed=1:caches=k20m:line=128", 4.98 - 0.25, 5.66},
        {"emulator:check=no:seed=1:caches=k20m:parts=1", 3.79 - 0.25, 4.64},
    };
    assert_true(fabs(reads(8, rows[0].device) - 1.75) < 0.005); /* nothing is read twice */
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        assert_true(fabs(reads(500, rows[r].device) - rows[r].middle) <= 0.05);
        assert_true(fabs(reads(13333, rows[r].device) - rows[r].far) <= 0.05);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_1_reads_as_simulated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

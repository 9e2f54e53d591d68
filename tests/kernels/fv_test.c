/* Loops that only gather, the application fv: every strategy that takes them gives the sequential
 * loop's result, and what moves between cells is conserved. */
#include "strategy_ways.h"

#include <math.h>
#include <string.h>

/* Strategies whose blocks own points have none to own. */
static bool needs_increments(const char *strategy) {
    return strncmp(strategy, "owner-block", 11) == 0 ||
           strncmp(strategy, "point-parallel", 14) == 0;
}

static void strategies_agree(void **state) {
    (void)state;
    const char *const layouts[] = {"soa", "aos"}, *const orders[] = {NULL, "blocks"};
    bench_scene scene = bench_scene_open("fv", NULL, "tets:nx=3:ny=3:nz=3");
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
        for (int variant = 0; variant < 2; variant++) {
            const bench_case c = {.kernel = scene.kernel,
                                  .mesh = scene.mesh,
                                  .start = scene.start,
                                  .real = TESS_DOUBLE,
                                  .strategy = ways[w].strategy,
                                  .device = ways[w].device,
                                  .layout = layouts[variant],
                                  .renumber = orders[variant],
                                  .block_size = 40 + 24 * variant};
            double difference = 1;
            const tess_status status = bench_run(&c, NULL, &difference);
            if (needs_increments(ways[w].strategy)) {
                assert_int_equal(status, TESS_ERROR_USAGE);
                continue;
            }
            OK(status);
            assert_true(difference < 1e-12);
        }
    bench_scene_close(&scene);
}

/* Weights are the same from both sides of a pair, so what cells get adds up to nothing. */
static void nothing_is_gained_or_lost(void **state) {
    (void)state;
    bench_scene scene = bench_scene_open("fv", "differences_back", "tets:nx=5:ny=4:nz=3");
    const tess_dat *y = tess_state_find(scene.start, "y", "cells");
    double sum = 0, size = 0;
    for (int64_t i = 0; i < tess_state_size(scene.start, y); i++) {
        sum += tess_dat_value(y, i);
        size += fabs(tess_dat_value(y, i));
    }
    assert_true(size > 1);
    assert_true(fabs(sum) <= 1e-12 * size);
    bench_scene_close(&scene);
}

/* Steps of both loops neither grow nor vanish at once: their values stay comparable. */
static void values_stay_bounded(void **state) {
    (void)state;
    const tess_application *fv = NULL;
    tess_state *marched = NULL;
    bench_scene scene = bench_scene_open("fv", NULL, "tets:nx=3:ny=3:nz=3");
    OK(tess_application_find("fv", &fv));
    OK(tess_state_copy(scene.start, true, &marched));
    for (int step = 0; step < 50; step++)
        OK(tess_application_march(fv, marched));
    const tess_dat *x = tess_state_find(marched, "x", "cells");
    double largest = 0;
    for (int64_t i = 0; i < tess_state_size(marched, x); i++)
        largest = fmax(largest, fabs(tess_dat_value(x, i)));
    assert_true(largest > 0 && largest <= 1);
    tess_state_free(marched);
    bench_scene_close(&scene);
}

static void cells_with_more_neighbours_are_refused(void **state) {
    (void)state;
    const tess_application *fv = NULL;
    tess_mesh *mesh = generated_mesh("hexes:nx=3:ny=3:nz=3");
    OK(tess_application_find("fv", &fv));
    assert_int_equal(tess_application_bind(fv, mesh), TESS_ERROR_USAGE);
    assert_non_null(strstr(tess_message(), "at most 4 neighbours"));
    tess_mesh_free(mesh);
}

int main(void) {
    bench_be_strict();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strategies_agree),
        cmocka_unit_test(nothing_is_gained_or_lost),
        cmocka_unit_test(values_stay_bounded),
        cmocka_unit_test(cells_with_more_neighbours_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

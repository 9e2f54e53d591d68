/* Loops that only gather, the application fv: every strategy that takes them gives the sequential
 * loop's result, and what moves between cells is conserved. */
#include "kernels/applications/applications.h"
#include "strategy_variants.h"

#include <math.h>

enum { VARIANTS = sizeof variants / sizeof variants[0], SETTINGS = 4 };

/* Runs a way in a setting; true where it fits, else it is refused. */
static bool run_variant(const bench_scene *scene, size_t variant, int v) {
    static const struct {
        const char *layout, *renumber;
        int block_size, threads;
        bool scattered;
    } settings[SETTINGS] = {
        {"soa", NULL, 40, 0, false},
        {"aos,maps=aos", "blocks", 64, 32, false},
        {"soa,maps=aos", "owner", 40, 96, true},
        {"aos", NULL, 100, 64, true},
    };
    const bench_case c = {.scene = scene,
                          .strategy = variants[variant].strategy,
                          .device = variants[variant].device,
                          .layout = settings[v].layout,
                          .renumber = settings[v].renumber,
                          .block_size = settings[v].block_size,
                          .threads = settings[v].threads,
                          .scattered = settings[v].scattered};
    double difference = 1;
    const tess_status status = bench_run(&c, NULL, &difference);
    if (!way_fits(c.strategy, scene->kernel)) {
        assert_int_equal(status, TESS_ERROR_USAGE);
        assert_true(strchr(c.strategy, '+') || strstr(tess_message(), "take gather"));
        return false;
    }
    OK(status);
    assert_true(difference < (scene->real == TESS_FLOAT ? 1e-6 : 1e-15));
    return true;
}

/* Blocks larger and smaller than their threads, in both precisions: each way in both, those of
 * gather in each variant, each value of an option of the others. */
static void strategies_agree(void **state) {
    bench_scene scenes[2];
    covering *c = NULL;
    OK(TESS_ZEROS(1, &c));
    covering_ask(c, OF_VARIANT, OF_SHAPE);
    covering_ask(c, OF_OPTION, OF_ARRANGEMENT);
    covering_ask(c, OF_STRATEGY, OF_ARRANGEMENT);
    covering_ask(c, OF_SHAPE, OF_ARRANGEMENT);
    covering_ask(c, OF_LOOP, OF_ARRANGEMENT);
    for (int t = 0; t < 2; t++)
        scenes[t] =
            bench_scene_open_in(t ? TESS_FLOAT : TESS_DOUBLE, "fv", NULL, "tets:nx=3:ny=3:nz=3");
    for (int i = 0; i < 2 * VARIANTS * SETTINGS; i++) {
        char text[COVERING_TEXT];
        const size_t variant = (size_t)(i / SETTINGS % VARIANTS);
        covering_add(c);
        covering_has_variant(c, variant);
        covering_has_shape(c, &scenes[i / SETTINGS / VARIANTS]);
        snprintf(text, sizeof text, "variant %d", i % SETTINGS);
        covering_has(c, OF_ARRANGEMENT, text);
        if (strncmp(variants[variant].strategy, "gather", 6) == 0)
            covering_has(c, OF_LOOP, variants[variant].strategy);
    }
    for (int i = 0; (i = covering_next(c)) >= 0;)
        if (run_variant(&scenes[i / SETTINGS / VARIANTS], (size_t)(i / SETTINGS % VARIANTS),
                        i % SETTINGS))
            covering_ran(c, i);
        else
            c->cases[i].fits_not = true;
    print_message("%d of %d cases have every pair\n", covering_prove(c), c->n_cases);
    covering_close(c);
    for (int t = 0; t < 2; t++)
        bench_scene_close(&scenes[t]);
}

/* On cells whose neighbours are anywhere in a block, the last of which is larger. */
static void constructed_instances_agree(void **state) {
    bench_scene scene = bench_scene_open("fv", NULL, "random_blocks:n=203:b=33");
    for (size_t w = 0; w < VARIANTS; w++)
        for (int v = 0; v < SETTINGS && strncmp(variants[w].strategy, "gather", 6) == 0; v++)
            assert_true(run_variant(&scene, w, v));
    bench_scene_close(&scene);
}

/* Counters of `strategy` on cells in random blocks of b. */
static tess_counters count(const char *strategy, const char *mesh, int threads) {
    tess_counters counters = {0};
    bench_scene scene = bench_scene_open("fv", NULL, mesh);
    const bench_case c = {.scene = &scene,
                          .strategy = strategy,
                          .layout = "aos,maps=aos",
                          .renumber = "blocks",
                          .block_size = threads,
                          .counters = &counters};
    double difference = 1;
    OK(bench_run(&c, NULL, &difference));
    bench_scene_close(&scene);
    return counters;
}

/* Kernel 1 of Langguth et al. reads a(i, .) once, 1 sector a cell, its neighbours' numbers, 1/2,
 * and its own x, 1/4. Of x it reads 8 sectors a slot and warp where neighbours are among 8 cells,
 * but a few that no cell of 8 drew; where they are anywhere in 16,384 cells, one a slot and cell,
 * but a few that two cells of a warp drew. Counters are those of two runs. */
static void kernel_1_reads_as_in_the_paper(void **state) {
    const double cells = 2 * 65536;
    const tess_counters near = count("gather:own=staged", "random_blocks:n=65536:b=8", 128);
    const tess_counters far = count("gather:own=staged", "random_blocks:n=65536:b=16384", 64);
    const double missed = pow(4.0 / 7, 4) * pow(3.0 / 7, 4), sectors = 16384.0 / 4;
    const double drawn = sectors * (1 - pow(1 - 1 / sectors, 32)) / 32;
    assert_true(fabs((double)near.read_sectors / cells - (1.75 + 1 - missed)) < 2e-3);
    assert_true(fabs((double)far.read_sectors / cells - (1.75 + 4 * drawn)) < 2e-3);
    assert_true(fabs((double)near.read_sectors / cells - 2.75) < 5e-3);
    assert_true(fabs((double)far.read_sectors / cells - 5.73) < 0.02);
    assert_true((double)near.write_sectors == 0.25 * cells);
    assert_true((double)far.write_sectors == 0.25 * cells);
}

/* The emulator finds both: rows that are read before all have come, and that are overwritten before
 * all have read them. */
static void missing_barriers_are_found(void **state) {
    bench_scene scene = bench_scene_open("fv", NULL, "random_blocks:n=256:b=32");
    const tess_strategy *gather = NULL;
    OK(tess_strategy_find("gather", &gather));
    for (int n = 0; n < 2; n++) {
        tess_strategy mutant = *gather;
        char *text = bench_without("barrier();", gather->text, n);
        mutant.text = text;
        const bench_case c = {.scene = &scene,
                              .strategy = "gather:own=staged:elements=2",
                              .mutant = &mutant,
                              .layout = "aos,maps=aos",
                              .block_size = 64};
        double difference = 0;
        assert_int_equal(bench_run(&c, NULL, &difference), TESS_ERROR_CHECK);
        assert_non_null(strstr(tess_message(), "of shared memory"));
        free(text);
    }
    bench_scene_close(&scene);
}

/* Weights are the same from both sides of a pair, so what cells get adds up to nothing. */
static void nothing_is_gained_or_lost(void **state) {
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
        cmocka_unit_test(constructed_instances_agree),
        cmocka_unit_test(kernel_1_reads_as_in_the_paper),
        cmocka_unit_test(missing_barriers_are_found),
        cmocka_unit_test(nothing_is_gained_or_lost),
        cmocka_unit_test(values_stay_bounded),
        cmocka_unit_test(cells_with_more_neighbours_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

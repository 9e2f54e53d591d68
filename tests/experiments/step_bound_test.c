/* A step's bound: what is no chain is said, and operations are counted as a text has them. */
#include "experiments/model/step_bound.h"
#include "partitioners/partitioner.h"
#include "tests/kernels/strategy_bench.h"

static tess_step_bound bound_of(const bench_scene *scene, int n,
                                const tess_kernel *const *kernels) {
    tess_step_bound bound;
    tess_spec *spec = NULL;
    int n_specs = 0;
    tess_bound_setting setting = {
        .n = n, .kernels = kernels, .mesh = scene->mesh, .start = scene->start, .block_size = 64};
    OK(tess_spec_list_parse("file-order", &spec, &n_specs));
    OK(tess_partitioner_find("file-order", &setting.partitioner));
    setting.spec = spec;
    OK(tess_step_bound_find(&setting, false, &bound));
    tess_spec_list_free(spec, n_specs);
    return bound;
}

/* A matrix's blocks lie on pairs of nodes: no block of nodes owns these. */
static void loops_that_are_no_chain_are_named(void **state) {
    bench_scene scene =
        bench_scene_open("fun3d", "visjac_tets", "layers:nx=4:ny=3:prisms=2:tets=2");
    const tess_application *application = NULL;
    const tess_kernel *kernels[2];
    OK(tess_application_find("fun3d", &application));
    OK(tess_application_kernel(application, "visjac_tets", &kernels[0]));
    OK(tess_application_kernel(application, "visjac_prisms", &kernels[1]));
    OK(tess_kernel_derive(kernels[1], scene.mesh));
    tess_step_bound bound = bound_of(&scene, 2, kernels);
    assert_int_equal(bound.n_chains, 0);
    assert_int_equal(bound.n_refusals, 1);
    assert_int_equal(bound.refusals[0].first, 0);
    assert_int_equal(bound.refusals[0].n, 2);
    assert_non_null(strstr(bound.refusals[0].why, "visjac_"));
    assert_non_null(strstr(bound.refusals[0].why, "no chain"));
    tess_step_bound_clear(&bound);
    bench_scene_close(&scene);
}

/* Four additions and subtractions, three products, a quotient, a reciprocal, two roots, of which
 * one is of the same number; a comparison and a function. */
static const char text[] = "static inline void counted(const real *a, real *b) {\n"
                           "    const real s = a[0] + a[1] + a[2] - a[3];\n"
                           "    b[0] = fmax(s, fabs(a[0])) * a[1] * a[2];\n"
                           "    b[1] = divide(s, a[1]) + reciprocal(a[2]) * (real)0.5;\n"
                           "    b[2] = root(a[0]) * (1 / (real)3);\n"
                           "    b[3] = a[3] > 0 ? exp(root(a[0])) : root(a[0]);\n"
                           "    b[4] = root(a[1]) / 2;\n"
                           "}\n";

static void operations_are_counted_as_a_text_has_them(void **state) {
    bench_scene scene = bench_scene_open("airfoil", NULL, "quads:nx=6:ny=5");
    const tess_kernel_arg args[] = {
        {.dat = "q", .set = "cells", .dim = 4, .type = "real", .access = TESS_READ},
        {.dat = "out", .set = "cells", .dim = 5, .type = "real", .access = TESS_WRITE}};
    const tess_kernel kernel = {
        .name = "counted", .set = "cells", .n_args = 2, .args = args, .text = text};
    tess_dat *q = tess_state_find(scene.start, "q", "cells");
    OK(tess_state_add(scene.start, "out", "cells", 5, "real"));
    q = tess_state_find(scene.start, "q", "cells");
    for (int64_t i = 0; i < tess_state_size(scene.start, q); i++)
        tess_dat_set(q, 4 * i + 3, i % 2 ? 1 : -1); /* half of the cells call exp */
    const tess_kernel *const kernels[] = {&kernel};
    tess_step_bound bound = bound_of(&scene, 1, kernels);
    const double n = (double)bound.n_points;
    const tess_operations *found = &bound.loops[0].operations;
    assert_string_equal(bound.points, "cells");
    assert_true(found->sums == 4 * n);
    assert_true(found->products == 5 * n); /* a half and a third are products, too */
    assert_true(found->divisions == 2 * n);
    assert_true(found->roots == 2 * n);
    assert_true(found->functions == n / 2);
    assert_true(bound.loops[0].bytes == n * 9 * 8);
    tess_step_bound_clear(&bound);
    bench_scene_close(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_that_are_no_chain_are_named),
        cmocka_unit_test(operations_are_counted_as_a_text_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Writes at points: args that are write or rw through maps, by strategies that run elements which
 * share a point one after another, and refused by the others. */
#include "kernels/loops/kernel_table.h"
#include "strategy_variants.h"

#include <math.h>

/* Over edges: cells keep the longest of their edges and how many are long, nodes their first
 * coordinate, and a sum that is an increment. The order of edges does not matter. */
static const char TEXT[] =
    "static inline void longest(const real *x, real *most0, real *most1, int *flag, real *sum) {\n"
    "    const real dx = x[2] - x[0], dy = x[3] - x[1];\n"
    "    const real length = sqrt(dx * dx + dy * dy);\n"
    "    most0[0] = fmax(most0[0], length);\n"
    "    most0[1] += 1;\n"
    "    most1[0] = fmax(most1[0], length);\n"
    "    most1[1] += 1;\n"
    "    for (int i = 0; i < 2; i++) {\n"
    "        flag[i] = (int)(100 * x[2 * i] + (real)0.5);\n"
    "        sum[i] += length;\n"
    "    }\n"
    "}\n";

static void longest_reference(void *const *a, int arity) {
    const double *x = a[0];
    double *most0 = a[1], *most1 = a[2], *sum = a[4];
    int *flag = a[3];
    (void)arity;
    const double length = hypot(x[2] - x[0], x[3] - x[1]);
    most0[0] = fmax(most0[0], length);
    most0[1] += 1;
    most1[0] = fmax(most1[0], length);
    most1[1] += 1;
    for (int i = 0; i < 2; i++) {
        flag[i] = (int)(100 * x[2 * i] + 0.5);
        sum[i] += length;
    }
}

static const tess_kernel_arg args[] = {
    ARG_THROUGH("edges:nodes", -1, "nodes", "x", 2, "real", TESS_READ),
    ARG_THROUGH("edges:cells", 0, "cells", "most", 2, "real", TESS_RW),
    ARG_THROUGH("edges:cells", 1, "cells", "most", 2, "real", TESS_RW),
    ARG_THROUGH("edges:nodes", -1, "nodes", "flag", 1, "int", TESS_WRITE),
    ARG_THROUGH("edges:nodes", -1, "nodes", "sum", 1, "real", TESS_INC),
};

static const tess_kernel longest = {.name = "longest",
                                    .set = "edges",
                                    .n_args = 5,
                                    .args = args,
                                    .text = TEXT,
                                    .reference = longest_reference};

static bench_scene scene_open(tess_type real) {
    bench_scene s = {.mesh = generated_mesh("quads:nx=13:ny=9"), .kernel = &longest, .real = real};
    OK(tess_mesh_derive(s.mesh, "edges:cells"));
    OK(tess_mesh_derive(s.mesh, "edges:nodes"));
    OK(tess_state_new(s.mesh, real, &s.start));
    OK(tess_state_add(s.start, "x", "nodes", 2, "real"));
    OK(tess_state_add(s.start, "most", "cells", 2, "real"));
    OK(tess_state_add(s.start, "flag", "nodes", 1, "int"));
    OK(tess_state_add(s.start, "sum", "nodes", 1, "real"));
    for (int64_t i = 0; i < 2 * s.mesh->sets[tess_mesh_find_set(s.mesh, "nodes")].size; i++)
        tess_dat_set(tess_state_find(s.start, "x", "nodes"), i, s.mesh->coordinates[i]);
    return s;
}

static bench_case case_of(const bench_scene *s, size_t variant) {
    return (bench_case){.scene = s,
                        .strategy = variants[variant].strategy,
                        .device = variants[variant].device,
                        .layout = variant % 2 ? "aos" : "soa",
                        .block_size = 64,
                        .scattered = s->real == TESS_FLOAT};
}

/* By every way: either the reference's values or a refusal that names the arg. */
static void points_are_written_or_the_arg_is_refused(void **state) {
    int n_refused = 0;
    for (int in_float = 0; in_float < 2; in_float++) {
        const tess_type real = in_float ? TESS_FLOAT : TESS_DOUBLE;
        bench_scene s = scene_open(real);
        for (size_t variant = 0; variant < sizeof variants / sizeof variants[0]; variant++) {
            const bench_case c = case_of(&s, variant);
            const char *colon = strchr(c.strategy, ':');
            const size_t length = colon ? (size_t)(colon - c.strategy) : strlen(c.strategy);
            const bool colours = strncmp(c.strategy, "sequential", length) == 0 ||
                                 strncmp(c.strategy, "openmp", length) == 0 ||
                                 strncmp(c.strategy, "global-colour", length) == 0 ||
                                 strncmp(c.strategy, "block-colour", length) == 0;
            double difference = 1;
            const tess_strategy *strategy = NULL;
            tess_spec *specs = NULL;
            int n = 0;
            OK(tess_spec_list_parse(c.strategy, &specs, &n));
            OK(tess_strategy_find(specs[0].name, &strategy));
            tess_spec_list_free(specs, n);
            if (strategy->owns_points)
                continue; /* no plan: the loop writes two sets */
            const tess_status status = bench_run(&c, NULL, &difference);
            assert_int_equal(status, colours ? TESS_OK : TESS_ERROR_USAGE);
            if (colours)
                assert_true(difference < (in_float ? 1e-5 : 1e-14));
            else
                assert_non_null(
                    strstr(tess_message(), "arg 1 of loop longest ('most' through edges:cells)"));
            n_refused += !colours;
        }
        bench_scene_close(&s);
    }
    assert_true(n_refused > 0);
}

/* Colours that let two elements write one point are a race. */
static void wrong_colours_are_found(void **state) {
    void (*const spoils[])(tess_plan *) = {bench_one_thread_colour, bench_one_block_colour};
    bench_scene s = scene_open(TESS_DOUBLE);
    for (int i = 0; i < 2; i++) {
        bench_case c = case_of(&s, 0);
        c.strategy = "block-colour:stage=none";
        c.device = "emulator";
        double difference = 0;
        assert_int_equal(bench_run(&c, spoils[i], &difference), TESS_ERROR_CHECK);
        assert_non_null(strstr(tess_message(), "a race"));
    }
    bench_scene_close(&s);
}

int main(void) {
    bench_be_strict();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_written_or_the_arg_is_refused),
        cmocka_unit_test(wrong_colours_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A cut of points: who wants what their elements read beside is told, and nobody else. */
#include "experiments/bench/planned.h"
#include "tests/core/small_plan.h"

static int n_reads;

static tess_status note_reads(const tess_partition_problem *problem, const tess_spec *spec,
                              int32_t *block_of) {
    (void)spec;
    n_reads = problem->n_reads;
    for (int64_t p = 0; p < problem->n_elements; p++)
        block_of[p] = (int32_t)(p / problem->block_size);
    return TESS_OK;
}

static const tess_option options[] = {{.key = NULL}};
static const tess_partitioner indifferent = {
    .name = "indifferent", .options = options, .partition = note_reads};
static const tess_partitioner weighing = {
    .name = "weighing", .options = options, .partition = note_reads, .weighs_reads = true};

/* An edge adds to its cells and reads at its nodes. */
static tess_loop *loop_that_reads(void) {
    tess_loop *loop = NULL;
    OK(tess_loop_new("flux", "edges", &loop));
    for (int slot = 0; slot < 2; slot++) {
        add_arg(loop, "r", "edges:cells", slot, 1, TESS_INC);
        add_arg(loop, "x", "edges:nodes", slot, 2, TESS_READ);
    }
    return loop;
}

static int reads_told_to(const tess_partitioner *partitioner, int refine) {
    tess_mesh *mesh = quad_mesh(6, 5);
    tess_loop *loop = loop_that_reads();
    tess_bound_loop *bound = NULL;
    tess_planned *planned = NULL;
    tess_spec spec = {.name = (char *)partitioner->name};
    const tess_experiment x = {
        .block_size = 8, .refine = refine, .partitioner = {.plugin = partitioner, .spec = &spec}};
    OK(tess_loop_bind(loop, mesh, &bound));
    OK(tess_planned_new(&planned));
    n_reads = -1;
    OK(tess_planned_cut(planned, &x, bound, "cells", NULL, NULL));
    tess_planned_release(planned);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
    return n_reads;
}

static void who_weighs_reads_is_told_them(void **state) {
    assert_int_equal(reads_told_to(&weighing, 0), 1);
    assert_int_equal(reads_told_to(&indifferent, 0), 0);
    assert_int_equal(reads_told_to(&indifferent, 1), 1); /* refining weighs them */
}

static void mosaic_weighs_reads(void **state) {
    const tess_partitioner *mosaic = NULL, *rcb = NULL;
    OK(tess_partitioner_find("mosaic", &mosaic));
    OK(tess_partitioner_find("rcb", &rcb));
    assert_true(mosaic->weighs_reads);
    assert_false(rcb->weighs_reads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_weighs_reads_is_told_them),
        cmocka_unit_test(mosaic_weighs_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

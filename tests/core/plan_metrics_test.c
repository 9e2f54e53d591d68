/* Metrics of plans: by hand on small meshes, and counted in another way on random ones. */
#include "core/plan/metrics.h"
#include "core/plan/reuse.h"
#include "tests/core/small_plan.h"

#include <math.h>
#include <omp.h>

static void assert_metric(const tess_metrics *metrics, const char *name, double value) {
    if (tess_metrics_get(metrics, name) != value)
        fail_msg("%s is %.17g, not %.17g", name, tess_metrics_get(metrics, name), value);
}

/* 4 x 1 quads have 3 edges in a row; blocks of two: edges 0 1 with cells 0 1 2, edge 2 with 2 3. */
static void a_row_of_cells_by_hand(void **state) {
    small_plan made = quad_plan(4, 1, 2);
    tess_metrics *metrics = NULL;
    OK(tess_metrics_of_plan(made.bound, made.plan, NULL, TESS_AOS, &metrics));
    assert_metric(metrics, "reuse_factor", 6.0 / 5.0);
    assert_metric(metrics, "reuse_factor_all", 6.0 / 5.0);
    assert_metric(metrics, "reuse_factor_bytes", 6.0 / 5.0);
    assert_metric(metrics, "blocks", 2);
    assert_metric(metrics, "fill", 3.0 / 4.0);
    assert_metric(metrics, "block_colours", 2);
    assert_metric(metrics, "thread_colours_mean", 1.5);
    assert_metric(metrics, "thread_colours_max", 2);
    assert_metric(metrics, "thread_colours_bound_mean", 1.5);
    assert_metric(metrics, "components_mean", 1);
    assert_metric(metrics, "redundancy", 1);
    assert_metric(metrics, "shared_bytes_plan", 20);
    assert_metric(metrics, "shared_bytes_plan_max", 24);
    /* one double incremented: 2 * 8 * 5; local indices 2 * 2 * 3; numbers of points 4 * 5 */
    assert_metric(metrics, "transfer_used", 80 + 12 + 20);
    assert_metric(metrics, "transfer_total", 2 * 128 * 2 + 12 + 20);
    assert_metric(metrics, "transfer_used_op2", 80 + 12 + 20); /* one dat: the same indices */
    assert_metric(metrics, "transfer_total_op2", 2 * 128 * 2 + 12 + 20);
    assert_metric(metrics, "unique_points_warp", 1);
    assert_metric(metrics, "unique_points_warp_p90", 2);
    assert_metric(metrics, "unique_points_warp/cells.1", 1);
    assert_metric(metrics, "sectors_per_block", 1);
    assert_metric(metrics, "sectors_per_block/increment", 1);
    tess_metrics_free(metrics);
    small_plan_free(&made);
}

/* The plan of a loop over the three edges of a row of four quads, in blocks of two. */
static small_plan plan_of(tess_loop *loop) {
    small_plan made = {.mesh = quad_mesh(4, 1), .loop = loop};
    OK(tess_loop_bind(made.loop, made.mesh, &made.bound));
    made.partition = natural_partition(3, 2);
    OK(tess_plan_build(made.bound, &made.partition, NULL, &made.plan));
    return made;
}

/* Rows of five doubles, 40 bytes: row i is the bytes [40 i, 40 i + 40), sectors of 32. */
static void rows_of_five_doubles_straddle_sectors(void **state) {
    tess_loop *loop = NULL;
    OK(tess_loop_of_map("edges:cells", "q:cells:5:double", &loop));
    small_plan made = plan_of(loop);
    tess_metrics *metrics = NULL;
    /* block 0: bytes 0-119, sectors 0-3; block 1: bytes 80-159, sectors 2-4 */
    OK(tess_metrics_of_plan(made.bound, made.plan, NULL, TESS_AOS, &metrics));
    assert_metric(metrics, "sectors_per_block/q", 3.5);
    tess_metrics_free(metrics);
    /* five arrays of four doubles, one sector each */
    OK(tess_metrics_of_plan(made.bound, made.plan, NULL, TESS_SOA, &metrics));
    assert_metric(metrics, "sectors_per_block/q", 5);
    tess_metrics_free(metrics);
    tess_layout of_set[8] = {TESS_SOA};
    of_set[tess_mesh_find_set(made.mesh, "cells")] =
        TESS_AOS; /* of the others it does not matter */
    OK(tess_metrics_of_plan_by_set(made.bound, made.plan, NULL, of_set, &metrics));
    assert_metric(metrics, "sectors_per_block/q", 3.5);
    tess_metrics_free(metrics);
    /* cells reversed: block 0 has places 1 2 3, bytes 40-159, sectors 1-4; block 1 0 and 1, 0-2 */
    int32_t reversed[] = {3, 2, 1, 0};
    tess_permutation permutation = {.set = tess_mesh_find_set(made.mesh, "cells"),
                                    .size = 4,
                                    .new_to_old = reversed,
                                    .old_to_new = reversed};
    const tess_renumbering renumbering = {.n_sets = 1, .sets = &permutation};
    OK(tess_metrics_of_plan(made.bound, made.plan, &renumbering, TESS_AOS, &metrics));
    assert_metric(metrics, "sectors_per_block/q", 3.5);
    tess_metrics_free(metrics);
    small_plan_free(&made);
}

/* A loop like airfoil's: direct dats, reads through nodes, increments of slot 1 alone. */
static tess_loop *mixed_loop(void) {
    tess_loop *loop = NULL;
    OK(tess_loop_new("mixed", "edges", &loop));
    add_arg(loop, "x", "edges:nodes", -1, 3, TESS_READ);
    loop->args[loop->n_args - 1].type = TESS_FLOAT;
    add_arg(loop, "q", "edges:cells", -1, 5, TESS_READ);
    add_arg(loop, "q", "edges:cells", 1, 5, TESS_INC);
    add_arg(loop, "r", "edges:cells", 0, 1, TESS_READ);
    loop->args[loop->n_args - 1].type = TESS_INT32;
    add_arg(loop, "w", "", 0, 2, TESS_RW);
    return loop;
}

static void slots_of_one_set_are_told_apart(void **state) {
    small_plan made = plan_of(mixed_loop());
    tess_metrics *metrics = NULL;
    OK(tess_metrics_of_plan(made.bound, made.plan, NULL, TESS_AOS, &metrics));
    /* slot 1 alone: 3 accesses, points 1 2 | 3; all: nodes 4 | 2, cells 3 | 2 */
    assert_metric(metrics, "reuse_factor", 1);
    assert_metric(metrics, "reuse_factor_all", 12.0 / 11.0);
    assert_metric(metrics, "reuse_factor_bytes",
                  (12.0 * 6 + 40 * 6 + 4 * 3) / (12 * 6 + 40 * 5 + 4 * 3));
    assert_metric(metrics, "thread_colours_max", 1);
    assert_metric(metrics, "block_colours", 1);
    assert_metric(metrics, "components_mean", 1.5);
    assert_metric(metrics, "shared_bytes_plan_max", 4 * 12 + 3 * 44);
    const double plain = 2 * 16 * 3 + 2 * 4 * 3 + 4 * 11;
    assert_metric(metrics, "transfer_used", 12 * 6 + 2 * 40 * 5 + 4 * 3 + plain);
    /* 2 bytes for each of 5 args and 3 edges, 4 for each of 6 + 5 + 3 points of the dats */
    assert_metric(metrics, "transfer_used_op2",
                  12 * 6 + 2 * 40 * 5 + 4 * 3 + 2 * 16 * 3 + 2 * 5 * 3 + 4 * 14);
    /* one line for each dat and block, but q's second block: bytes 80-159 */
    assert_metric(metrics, "transfer_total", 128 * (2 + 2 * 3 + 2) + plain);
    assert_metric(metrics, "unique_points_warp/nodes.0", 1);
    assert_metric(metrics, "unique_points_warp64/nodes.0", 1);
    tess_metrics_free(metrics);
    small_plan_free(&made);
}

/* A number counted over all points of a set, block by block, without the plan's points. */
static double points_by_brute_force(const small_plan *made, bool counting) {
    const tess_plan *plan = made->plan;
    int64_t points = 0, accesses = 0;
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        for (int r = 0; r < made->bound->n_targets; r++) {
            const tess_loop_target *target = &made->bound->targets[r];
            for (int32_t p = 0; p < made->mesh->sets[target->set].size; p++) {
                int64_t here = 0;
                for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++)
                    for (int s = 0; s < target->n_slots; s++)
                        if (!counting ||
                            tess_loop_target_counts(made->bound, target, s, TESS_POINTS_INCREMENTS))
                            here += target->slot_index[s][(int64_t)plan->executed[i] *
                                                          target->slot_stride[s]] == p;
                accesses += here;
                points += here > 0;
            }
        }
    }
    return points ? (double)accesses / (double)points : 0;
}

/* Distinct sectors of one dat, by marking every byte of every row. */
static double sectors_by_brute_force(const small_plan *made, int u, tess_layout layout,
                                     const int32_t *position) {
    const tess_plan *plan = made->plan;
    const tess_loop_target *target =
        &made->bound->targets[u]; /* one dat a map, so a dat a target */
    const int dim = 1 + u;
    const int64_t size = made->mesh->sets[target->set].size, aligned = (size + 31) / 32 * 32;
    int64_t sectors = 0;
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        bool touched[4096] = {false};
        for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++) {
            for (int s = 0; s < target->n_slots; s++) {
                const int32_t p =
                    target->slot_index[s][(int64_t)plan->executed[i] * target->slot_stride[s]];
                for (int byte = 0; p >= 0 && byte < 8 * dim; byte++) {
                    const int64_t at = position ? position[p] : p, c = byte / 8;
                    touched[(layout == TESS_AOS ? at * 8 * dim + byte
                                                : c * aligned * 8 + at * 8 + byte % 8) /
                            32] = true;
                }
            }
        }
        for (int t = 0; t < 4096; t++)
            sectors += touched[t];
    }
    return plan->n_blocks ? (double)sectors / plan->n_blocks : 0;
}

/* Pieces of a block: elements flooded from the first that has no piece yet. */
static int pieces_by_brute_force(const small_plan *made, int32_t b) {
    const tess_plan *plan = made->plan;
    const int64_t start = plan->block_offset[b], n = plan->block_offset[b + 1] - start;
    int piece[256], pieces = 0;
    for (int64_t i = 0; i < n; i++)
        piece[i] = (int)i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                for (int r = 0; r < made->bound->n_targets; r++) {
                    const tess_loop_target *target = &made->bound->targets[r];
                    for (int s = 0; s < target->n_slots; s++)
                        for (int t = 0; t < target->n_slots; t++) {
                            const int32_t p =
                                target->slot_index[s][(int64_t)plan->executed[start + i] *
                                                      target->slot_stride[s]];
                            const int32_t q =
                                target->slot_index[t][(int64_t)plan->executed[start + j] *
                                                      target->slot_stride[t]];
                            if (p < 0 || p != q || piece[i] <= piece[j] ||
                                !tess_loop_target_counts(made->bound, target, s,
                                                         TESS_POINTS_INCREMENTS) ||
                                !tess_loop_target_counts(made->bound, target, t,
                                                         TESS_POINTS_INCREMENTS))
                                continue;
                            piece[i] = piece[j];
                            changed = true;
                        }
                }
    }
    for (int64_t i = 0; i < n; i++)
        pieces += piece[i] == i;
    return pieces;
}

static void random_plans_match_brute_force(void **state) {
    uint64_t seed = 53;
    const int n_threads = omp_get_max_threads();
    for (int trial = 0; trial < 200; trial++) {
        omp_set_num_threads(1 << trial % 3);
        small_plan made = random_plan(&seed, NULL, trial % 3 == 0 ? 0 : -1);
        const tess_layout layout = trial % 2 ? TESS_SOA : TESS_AOS;
        tess_renumbering *renumbering = NULL;
        tess_metrics *metrics = NULL;
        OK(tess_renumber_build(made.bound, made.plan,
                               trial % 5 ? TESS_RENUMBER_BLOCKS : TESS_RENUMBER_NONE, false,
                               &renumbering));
        OK(tess_metrics_of_plan(made.bound, made.plan, renumbering, layout, &metrics));
        assert_metric(metrics, "reuse_factor", points_by_brute_force(&made, true));
        tess_reuse reuse;
        OK(tess_reuse_count(made.bound, made.plan, &reuse));
        assert_true(reuse.points == 0 || (double)reuse.accesses / (double)reuse.points ==
                                             tess_metrics_get(metrics, "reuse_factor"));
        assert_metric(metrics, "reuse_factor_all", points_by_brute_force(&made, false));
        for (int u = 0; u < made.bound->n_targets; u++) {
            char name[TESS_METRIC_NAME_SIZE];
            snprintf(name, sizeof name, "sectors_per_block/dat%d", u);
            const tess_permutation *permutation =
                tess_renumbering_of(renumbering, made.bound->targets[u].set);
            assert_metric(metrics, name,
                          sectors_by_brute_force(&made, u, layout,
                                                 permutation ? permutation->old_to_new : NULL));
        }
        const double *components = tess_metrics_of_blocks(metrics, "block_components");
        for (int32_t b = 0; b < made.plan->n_blocks; b++)
            assert_true(components[b] == pieces_by_brute_force(&made, b));
        if (tess_loop_gathers(made.bound))
            assert_true(isnan(tess_metrics_get(metrics, "thread_colours_bound_mean")));
        else
            assert_true(tess_metrics_get(metrics, "thread_colours_bound_mean") <=
                        tess_metrics_get(metrics, "thread_colours_mean"));
        tess_metrics_free(metrics);
        tess_renumbering_free(renumbering);
        small_plan_free(&made);
    }
    omp_set_num_threads(n_threads);
}

static void every_metric_is_explained(void **state) {
    int n = 0;
    for (const tess_quantity *metric; (metric = tess_metric_at(n)); n++) {
        assert_ptr_equal(tess_metric_find(metric->name), metric);
        assert_true(strlen(metric->long_name) > 5 && strlen(metric->definition) > 5);
        assert_true(strlen(metric->name) < TESS_NAME_SIZE && metric->unit[0]);
    }
    assert_true(n > 90);
    assert_null(tess_metric_find("reuse"));
    assert_string_equal(tess_metric_find("sectors_per_block/q")->name, "sectors_per_block");
}

static void values_are_kept_by_name(void **state) {
    tess_metrics *metrics = NULL;
    OK(tess_metrics_new(&metrics));
    OK(tess_metrics_add(metrics, "registers", TESS_SOURCE_DRIVER, 40));
    assert_metric(metrics, "registers", 40);
    assert_true(isnan(tess_metrics_get(metrics, "blocks")));
    assert_int_equal(tess_metrics_add(metrics, "nonsense", TESS_SOURCE_PLAN, 1),
                     TESS_ERROR_INTERNAL);
    tess_metrics_free(metrics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_of_cells_by_hand),
        cmocka_unit_test(rows_of_five_doubles_straddle_sectors),
        cmocka_unit_test(slots_of_one_set_are_told_apart),
        cmocka_unit_test(random_plans_match_brute_force),
        cmocka_unit_test(every_metric_is_explained),
        cmocka_unit_test(values_are_kept_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

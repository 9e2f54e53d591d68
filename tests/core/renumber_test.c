/* Renumberings: permutations of every set the loop reaches, in the order that their method says. */
#include "core/base/sort.h"
#include "core/plan/colour/loop_colour.h"
#include "core/plan/order/renumber.h"
#include "tests/core/small_plan.h"

static const tess_permutation *permutation_of(const tess_mesh *mesh,
                                              const tess_renumbering *renumbering, int set) {
    OK(tess_renumbering_check(mesh, renumbering));
    const tess_permutation *found = tess_renumbering_of(renumbering, set);
    assert_non_null(found);
    return found;
}

/* The blocks that access point p of set k, ascending; returns how many. */
static int blocks_of(const tess_plan *plan, int k, int32_t p, int32_t *blocks) {
    const tess_plan_set *set = &plan->sets[k];
    int n = 0;
    for (int32_t b = 0; b < plan->n_blocks; b++)
        for (int64_t j = set->point_offset[b]; j < set->point_offset[b + 1]; j++)
            if (set->points[j] == p)
                blocks[n++] = b;
    return n;
}

static void assert_ordered_by_blocks(const tess_plan *plan, int k, int32_t p, int32_t q) {
    int32_t a[64], b[64];
    const int n = blocks_of(plan, k, p, a), m = blocks_of(plan, k, q, b);
    if (m == 0 || (n > 0 && n < m))
        return;
    assert_int_equal(n, m);
    int i = 0;
    while (i < n && a[i] == b[i])
        i++;
    assert_true(i == n ? p < q : a[i] < b[i]);
}

static void assert_ordered_by_owner(const tess_plan *plan, int k, int32_t p, int32_t q) {
    int32_t a[64], b[64];
    const bool owned = plan->owner && strcmp(plan->sets[k].set, plan->partitioned_set) == 0;
    const int n = blocks_of(plan, k, p, a), m = blocks_of(plan, k, q, b);
    if (n == 0 || m == 0) {
        assert_true(m == 0 && (n > 0 || p < q));
        return;
    }
    const int32_t own_p = owned ? plan->owner[p] : a[0], own_q = owned ? plan->owner[q] : b[0];
    const bool border_p = n > 1 || a[0] != own_p, border_q = m > 1 || b[0] != own_q;
    if (own_p != own_q)
        assert_true(own_p < own_q);
    else if (border_p != border_q)
        assert_true(border_q);
    else if (border_p)
        assert_ordered_by_blocks(plan, k, p, q);
    else
        assert_true(p < q);
}

static void points_follow_the_blocks_of_a_plan(void **state) {
    uint64_t seed = 61;
    for (int trial = 0; trial < 200; trial++) {
        small_plan made = random_plan(&seed, NULL, trial % 4 ? -1 : 0);
        const tess_renumber_method method = trial % 2 ? TESS_RENUMBER_BLOCKS : TESS_RENUMBER_OWNER;
        tess_renumbering *renumbering = NULL;
        OK(tess_renumber_build(made.bound, made.plan, method, false, &renumbering));
        assert_int_equal(renumbering->n_sets, made.bound->n_targets + 1);
        for (int k = 0; k < made.plan->n_sets; k++) {
            const int set = made.bound->targets[k].set;
            const int64_t size = made.mesh->sets[set].size;
            const tess_permutation *points = permutation_of(made.mesh, renumbering, set);
            for (int64_t i = 0; i + 1 < size; i++)
                (trial % 2 ? assert_ordered_by_blocks : assert_ordered_by_owner)(
                    made.plan, k, points->new_to_old[i], points->new_to_old[i + 1]);
        }
        const tess_permutation *elements = permutation_of(made.mesh, renumbering, made.bound->set);
        if (!made.plan->owns_points)
            assert_memory_equal(elements->new_to_old, made.plan->executed,
                                (size_t)made.plan->n_executed * sizeof *elements->new_to_old);
        tess_renumbering_free(renumbering);
        small_plan_free(&made);
    }
}

/* Places of an element's points, each once and ascending; INT32_MAX behind them. */
static void positions_of(const tess_loop_target *target, const int32_t *position, int32_t e,
                         int32_t *positions) {
    for (int s = 0; s < target->n_slots; s++) {
        const int32_t p = target->slot_index[s][(int64_t)e * target->slot_stride[s]];
        positions[s] = p < 0 ? INT32_MAX : position[p];
    }
    for (int64_t n = tess_sort_unique(positions, target->n_slots); n < target->n_slots; n++)
        positions[n] = INT32_MAX;
}

static void elements_follow_the_points_of_a_graph(void **state) {
    uint64_t seed = 67;
    for (int trial = 0; trial < 200; trial++) {
        tess_mesh *mesh = random_mesh(&seed, 1 + trial % 3);
        tess_loop *loop = random_loop(mesh, 1);
        tess_bound_loop *bound = NULL;
        tess_renumbering *renumbering = NULL;
        OK(tess_loop_bind(loop, mesh, &bound));
        OK(tess_renumber_build(bound, NULL, trial % 2 ? TESS_RENUMBER_GPS : TESS_RENUMBER_RCM,
                               false, &renumbering));
        const tess_loop_target *target = &bound->targets[0];
        const tess_permutation *points = permutation_of(mesh, renumbering, target->set);
        const tess_permutation *elements = permutation_of(mesh, renumbering, bound->set);
        for (int64_t i = 0; i + 1 < bound->n_elements; i++) {
            int32_t a[64], b[64];
            positions_of(target, points->old_to_new, elements->new_to_old[i], a);
            positions_of(target, points->old_to_new, elements->new_to_old[i + 1], b);
            int s = 0;
            while (s < target->n_slots && a[s] == b[s])
                s++;
            assert_true(s == target->n_slots ? elements->new_to_old[i] < elements->new_to_old[i + 1]
                                             : a[s] < b[s]);
        }
        for (int r = 1; r < bound->n_targets; r++) { /* by the first element that reaches them */
            const tess_loop_target *other = &bound->targets[r];
            const tess_permutation *positions = permutation_of(mesh, renumbering, other->set);
            int32_t next = 0;
            for (int64_t i = 0; i < bound->n_elements; i++)
                for (int s = 0; s < other->n_slots; s++) {
                    const int32_t p = other->slot_index[s][(int64_t)elements->new_to_old[i] *
                                                           other->slot_stride[s]];
                    assert_true(p < 0 || positions->old_to_new[p] <= next);
                    next += p >= 0 && positions->old_to_new[p] == next;
                }
        }
        tess_renumbering_free(renumbering);
        tess_bound_loop_free(bound);
        tess_loop_free(loop);
        tess_mesh_free(mesh);
    }
}

/* True for the first element of a run, in the new order, that increments what its run does. */
static bool starts_run(const tess_bound_loop *bound, int32_t e, int64_t run, int64_t **run_of) {
    bool starts = false;
    for (int pass = 0; pass < 2; pass++)
        for (int r = 0; r < bound->n_targets; r++)
            for (int s = 0; s < bound->targets[r].n_slots; s++) {
                const tess_loop_target *target = &bound->targets[r];
                const int32_t p = target->slot_index[s][(int64_t)e * target->slot_stride[s]];
                if (p < 0 || !target->slot_incremented[s])
                    continue;
                starts |= pass == 0 && run_of[r][p] == run;
                if (pass == 1)
                    run_of[r][p] = run + starts;
            }
    return starts;
}

/* Elements by colour fall into no more runs without a common point than there are colours; any
 * other order of a random mesh into far more. */
static void elements_of_a_colour_lie_together(void **state) {
    uint64_t seed = 68;
    int64_t n_runs_all = 0, n_runs_by_points = 0;
    for (int trial = 0; trial < 200; trial++) {
        tess_mesh *mesh = random_mesh(&seed, 1 + trial % 3);
        tess_loop *loop = random_loop(mesh, 1);
        tess_bound_loop *bound = NULL;
        tess_renumbering *by_points = NULL;
        int32_t *colour = NULL, n_colours = 0;
        OK(tess_loop_bind(loop, mesh, &bound));
        OK(tess_renumber_build(bound, NULL, TESS_RENUMBER_GPS, false, &by_points));
        OK(TESS_ALLOC(bound->n_elements, &colour));
        OK(tess_loop_colour(bound, permutation_of(mesh, by_points, bound->set)->new_to_old,
                            TESS_COLOUR_FEWEST, colour, &n_colours));
        tess_renumbering *by_colour = NULL;
        OK(tess_renumber_build(bound, NULL, TESS_RENUMBER_COLOURS, false, &by_colour));
        tess_renumbering *const both[] = {by_points, by_colour};
        int64_t n_runs[2] = {bound->n_elements > 0, bound->n_elements > 0};
        for (int k = 0; k < 2; k++) {
            int64_t *run_of[8] = {NULL};
            for (int r = 0; r < bound->n_targets; r++)
                OK(TESS_ZEROS(mesh->sets[bound->targets[r].set].size, &run_of[r]));
            const int32_t *element = permutation_of(mesh, both[k], bound->set)->new_to_old;
            for (int64_t i = 0; i < bound->n_elements; i++) {
                assert_true(k == 0 || i == 0 || colour[element[i - 1]] <= colour[element[i]]);
                n_runs[k] += starts_run(bound, element[i], n_runs[k], run_of);
            }
            for (int r = 0; r < bound->n_targets; r++)
                free(run_of[r]);
            tess_renumbering_free(both[k]);
        }
        assert_true(n_runs[1] <= n_colours);
        n_runs_by_points += n_runs[0];
        n_runs_all += n_runs[1];
        free(colour);
        tess_bound_loop_free(bound);
        tess_loop_free(loop);
        tess_mesh_free(mesh);
    }
    assert_true(n_runs_by_points > 2 * n_runs_all);
}

static void a_set_that_maps_to_itself_is_renumbered_once(void **state) {
    tess_mesh *mesh = NULL;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    OK(tess_mesh_new("ring", 2, &mesh));
    OK(tess_mesh_add_set(mesh, "cells", 5, NULL));
    int32_t *index = NULL;
    OK(TESS_ALLOC(5, &index));
    for (int c = 0; c < 5; c++)
        index[c] = (c + 2) % 5;
    OK(tess_mesh_add_map(mesh, "cells", "cells", 1, 0, index));
    OK(tess_loop_of_map("cells:cells", NULL, &loop));
    OK(tess_loop_bind(loop, mesh, &bound));
    for (tess_renumber_method method = TESS_RENUMBER_NONE; method <= TESS_RENUMBER_EXECUTED;
         method++) {
        tess_partition partition = natural_partition(5, 2);
        tess_plan *plan = NULL;
        tess_renumbering *renumbering = NULL;
        OK(tess_plan_build(bound, &partition, NULL, &plan));
        OK(tess_renumber_build(bound, plan, method, false, &renumbering));
        const bool moves = method != TESS_RENUMBER_NONE && method != TESS_RENUMBER_EXECUTED;
        assert_int_equal(renumbering->n_sets, moves);
        if (renumbering->n_sets)
            permutation_of(mesh, renumbering, bound->set);
        tess_renumbering_free(renumbering);
        tess_plan_free(plan);
        free(partition.block_of);
    }
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
}

/* Elements where they are executed, and the points where they are. */
static void elements_alone_follow_the_plan(void **state) {
    uint64_t seed = 71;
    for (int trial = 0; trial < 100; trial++) {
        small_plan made = random_plan(&seed, NULL, -1);
        tess_renumbering *renumbering = NULL;
        OK(tess_renumber_build(made.bound, made.plan, TESS_RENUMBER_EXECUTED, false, &renumbering));
        OK(tess_renumbering_check(made.mesh, renumbering));
        bool reached = false;
        for (int r = 0; r < made.bound->n_targets; r++)
            reached |= made.bound->targets[r].set == made.bound->set;
        assert_false(reached);
        assert_int_equal(renumbering->n_sets, 1);
        const tess_permutation *elements = permutation_of(made.mesh, renumbering, made.bound->set);
        for (int64_t i = 0; i < made.plan->n_executed; i++)
            assert_int_equal(elements->new_to_old[i], made.plan->executed[i]);
        tess_renumbering_free(renumbering);
        small_plan_free(&made);
    }
    tess_renumbering *none = NULL;
    small_plan made = quad_plan(4, 3, 5);
    assert_int_equal(tess_renumber_build(made.bound, NULL, TESS_RENUMBER_EXECUTED, false, &none),
                     TESS_ERROR_INTERNAL);
    small_plan_free(&made);
}

static void assert_rejected(const small_plan *made, tess_renumbering *renumbering,
                            const char *words) {
    assert_int_equal(tess_renumbering_check(made->mesh, renumbering), TESS_ERROR_CHECK);
    assert_non_null(strstr(tess_message(), words));
}

static void mutants_are_rejected_by_name(void **state) {
    small_plan made = quad_plan(5, 4, 6);
    tess_renumbering *renumbering = NULL;
    OK(tess_renumber_build(made.bound, made.plan, TESS_RENUMBER_OWNER, false, &renumbering));
    tess_permutation *cells = &renumbering->sets[0];
    OK(tess_renumbering_check(made.mesh, renumbering));
    const int32_t kept = cells->new_to_old[3], position = cells->old_to_new[kept];
    cells->new_to_old[3] = cells->new_to_old[4];
    assert_rejected(&made, renumbering, "inverse");
    cells->old_to_new[cells->new_to_old[4]] = 3;
    assert_rejected(&made, renumbering, "another position has, too");
    cells->new_to_old[3] = 20;
    assert_rejected(&made, renumbering, "position 3 has 20, which does not exist");
    cells->new_to_old[3] = kept;
    cells->old_to_new[cells->new_to_old[4]] = 4;
    cells->old_to_new[kept] = position;
    OK(tess_renumbering_check(made.mesh, renumbering));
    cells->size--;
    assert_rejected(&made, renumbering, "has 19 numbers for 20 elements");
    cells->size++;
    cells->set = renumbering->sets[1].set;
    assert_rejected(&made, renumbering, "has 20 numbers for 31 elements");
    renumbering->sets[1].set = cells->set = tess_mesh_find_set(made.mesh, "cells");
    assert_rejected(&made, renumbering, "cells are renumbered twice");
    cells->set = made.mesh->n_sets;
    assert_rejected(&made, renumbering, "but the mesh has");
    tess_renumbering_free(renumbering);
    small_plan_free(&made);
}

/* Places of a segment hold its elements, in the order that they had among themselves. */
static void segments_keep_their_places(void **state) {
    uint64_t seed = 77;
    for (int trial = 0; trial < 50; trial++) {
        small_plan made = random_plan(&seed, NULL, trial % 2 ? -1 : 0);
        tess_renumbering *before = NULL, *after = NULL;
        OK(tess_renumber_build(made.bound, made.plan, TESS_RENUMBER_OWNER, false, &before));
        OK(tess_renumber_build(made.bound, made.plan, TESS_RENUMBER_OWNER, false, &after));
        const int set = made.bound->targets[0].set;
        const int64_t size = made.mesh->sets[set].size, end[] = {size / 3, size / 2};
        OK(tess_renumbering_keep_segments(after, set, end, 2));
        const tess_permutation *old = permutation_of(made.mesh, before, set);
        const tess_permutation *new = permutation_of(made.mesh, after, set);
        for (int64_t i = 0; i < size; i++) {
            const int32_t e = new->new_to_old[i];
            const int64_t first = i < end[0] ? 0 : i < end[1] ? end[0] : end[1];
            assert_true(e >= first && e < (i < end[0] ? end[0] : i < end[1] ? end[1] : size));
            if (i > first)
                assert_true(old->old_to_new[new->new_to_old[i - 1]] < old->old_to_new[e]);
        }
        tess_renumbering_free(before);
        tess_renumbering_free(after);
        small_plan_free(&made);
    }
}

static void names_are_parsed(void **state) {
    tess_renumber_method method = TESS_RENUMBER_NONE;
    for (tess_renumber_method m = TESS_RENUMBER_NONE; m <= TESS_RENUMBER_EXECUTED; m++) {
        OK(tess_renumber_parse(tess_renumber_name(m), &method));
        assert_int_equal(method, m);
    }
    assert_int_equal(tess_renumber_parse("gsp", &method), TESS_ERROR_USAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_follow_the_blocks_of_a_plan),
        cmocka_unit_test(elements_follow_the_points_of_a_graph),
        cmocka_unit_test(elements_of_a_colour_lie_together),
        cmocka_unit_test(a_set_that_maps_to_itself_is_renumbered_once),
        cmocka_unit_test(elements_alone_follow_the_plan),
        cmocka_unit_test(mutants_are_rejected_by_name),
        cmocka_unit_test(segments_keep_their_places),
        cmocka_unit_test(names_are_parsed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

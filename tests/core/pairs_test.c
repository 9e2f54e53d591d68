/* Pairs of points, where a matrix has its blocks: they follow their rows, and belong to their
 * owner. */
#include "core/mesh/pairs.h"
#include "core/plan/order/renumber.h"
#include "core/plan/plan_check.h"
#include "core/plan/point_owners.h"
#include "tests/core/small_plan.h"

static const char *const CELL_PAIRS = "cell_pairs";

/* A loop over edges that adds to a matrix of cells: to the diagonal through one slot, or -1 both.
 */
static small_plan matrix_plan(int slot, tess_access pairs) {
    static const char *const maps[] = {"edges:cells"};
    small_plan made = {.mesh = quad_mesh(6, 5)};
    OK(tess_pairs_add(made.mesh, CELL_PAIRS, maps, 1));
    OK(tess_pairs_of_map_add(made.mesh, maps[0], CELL_PAIRS));
    OK(tess_loop_new("matrix", "edges", &made.loop));
    add_arg(made.loop, "of_cell_pairs", "edges:cell_pairs", -1, 1, pairs);
    add_arg(made.loop, "of_cells", maps[0], slot, 1, TESS_INC);
    OK(tess_loop_bind(made.loop, made.mesh, &made.bound));
    made.partition = natural_partition(tess_mesh_set_size(made.mesh, "cells"), 7);
    return made;
}

static tess_status build(small_plan *made) {
    const int cells = tess_mesh_find_set(made->mesh, "cells");
    return tess_plan_build_owned(made->bound, cells, &made->partition, NULL, &made->plan);
}

static void a_pair_belongs_to_the_owner_of_its_row(void **state) {
    small_plan made = matrix_plan(-1, TESS_INC);
    const int pairs = tess_mesh_find_set(made.mesh, CELL_PAIRS);
    OK(build(&made));
    OK(tess_plan_check(made.bound, made.partition.block_of, made.plan));
    const tess_point_owners owners =
        tess_point_owners_of(made.bound, made.plan->partitioned_set, made.plan->owner, 0);
    const int32_t *index = tess_pairs_of_set(made.mesh, pairs)->index;
    for (int32_t p = 0; p < made.mesh->sets[pairs].size; p++)
        assert_int_equal(tess_point_owner(owners, p), index[2 * p] / 7);
    small_plan_free(&made);
}

/* Behind row 1 of (1, 0) is row 2 with a pair of the column that is looked for. */
static void a_pair_that_its_row_lacks_is_not_found_in_the_next(void **state) {
    static const char *const maps[] = {"a:points"};
    static const int32_t a[] = {0, 1, 2, 3}, b[] = {1, 3};
    tess_mesh *mesh = NULL;
    int32_t *of_a = NULL, *of_b = NULL;
    OK(TESS_COPY(4, a, &of_a));
    OK(TESS_COPY(2, b, &of_b));
    OK(tess_mesh_new("pairs", 2, &mesh));
    OK(tess_mesh_add_set(mesh, "points", 4, NULL));
    OK(tess_mesh_add_set(mesh, "a", 2, NULL));
    OK(tess_mesh_add_set(mesh, "b", 1, NULL));
    OK(tess_mesh_add_map(mesh, "a", "points", 2, 0, of_a));
    OK(tess_mesh_add_map(mesh, "b", "points", 2, 0, of_b));
    OK(tess_pairs_add(mesh, CELL_PAIRS, maps, 1));
    OK(tess_pairs_of_map_add(mesh, maps[0], CELL_PAIRS));
    assert_int_equal(tess_pairs_of_map_add(mesh, "b:points", CELL_PAIRS), TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "cell_pairs lack the pair (1, 3), which element 0"));
    tess_mesh_free(mesh);
}

static void pairs_in_rows_that_nobody_adds_to_are_refused(void **state) {
    small_plan made = matrix_plan(0, TESS_INC);
    assert_int_equal(build(&made), TESS_ERROR_USAGE);
    assert_non_null(strstr(tess_message(), "loop matrix increments pair (1, 0) of cell_pairs by "
                                           "element 0, which does not increment its row"));
    small_plan_free(&made);
}

/* A plan in which the blocks of some rows lack elements is wrong, once pairs are added to. */
static void the_proof_sees_that_a_row_lacks_an_element(void **state) {
    small_plan made = matrix_plan(0, TESS_READ), adds = matrix_plan(0, TESS_INC);
    OK(build(&made));
    OK(tess_plan_check(made.bound, made.partition.block_of, made.plan));
    tess_plan_set *pairs = &made.plan->sets[0];
    pairs->incremented = pairs->slot_incremented[0] = pairs->slot_incremented[1] = true;
    assert_int_equal(tess_plan_check(adds.bound, made.partition.block_of, made.plan),
                     TESS_ERROR_CHECK);
    assert_non_null(strstr(tess_message(), "increments cell_pairs "));
    assert_non_null(strstr(tess_message(), "does not execute it"));
    small_plan_free(&made);
    small_plan_free(&adds);
}

static tess_permutation *pairs_of(const small_plan *made, tess_renumbering *renumbering) {
    const int set = tess_mesh_find_set(made->mesh, CELL_PAIRS);
    for (int i = 0; i < renumbering->n_sets; i++)
        if (renumbering->sets[i].set == set)
            return &renumbering->sets[i];
    fail_msg("%s keep their numbers", CELL_PAIRS);
    return NULL;
}

static void assert_rejected(const small_plan *made, const tess_renumbering *renumbering,
                            const char *words) {
    assert_int_equal(tess_renumbering_check(made->mesh, renumbering), TESS_ERROR_CHECK);
    assert_non_null(strstr(tess_message(), words));
}

/* By every method; two pairs in each other's place, and a set of no pairs that is to follow. */
static void pairs_follow_their_rows(void **state) {
    small_plan made = matrix_plan(-1, TESS_INC);
    OK(build(&made));
    for (tess_renumber_method m = TESS_RENUMBER_GPS; m <= TESS_RENUMBER_COLOURS; m++) {
        tess_renumbering *renumbering = NULL;
        OK(tess_renumber_build(made.bound, made.plan, m, true, &renumbering));
        OK(tess_renumbering_check(made.mesh, renumbering));
        tess_permutation *pairs = pairs_of(&made, renumbering);
        assert_true(pairs->by_rows);
        const int32_t third = pairs->new_to_old[3], fourth = pairs->new_to_old[4];
        pairs->new_to_old[3] = fourth;
        pairs->new_to_old[4] = third;
        pairs->old_to_new[fourth] = 3;
        pairs->old_to_new[third] = 4;
        assert_rejected(&made, renumbering, "cell_pairs do not follow their rows: position 4 has");
        pairs->by_rows = false;
        OK(tess_renumbering_check(made.mesh, renumbering));
        (pairs == renumbering->sets ? pairs + 1 : renumbering->sets)->by_rows = true;
        assert_rejected(&made, renumbering, "are to follow their rows, but are no pairs");
        tess_renumbering_free(renumbering);
    }
    small_plan_free(&made);
}

/* Where they are points of their own they do not, but for those of a plan in which they happen to.
 */
static void pairs_are_points_of_their_own_unless_told(void **state) {
    small_plan made = matrix_plan(-1, TESS_INC);
    tess_renumbering *renumbering = NULL;
    OK(build(&made));
    OK(tess_renumber_build(made.bound, made.plan, TESS_RENUMBER_BLOCKS, false, &renumbering));
    tess_permutation *pairs = pairs_of(&made, renumbering);
    assert_false(pairs->by_rows);
    pairs->by_rows = true;
    assert_rejected(&made, renumbering, "do not follow their rows");
    tess_renumbering_free(renumbering);
    small_plan_free(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_belongs_to_the_owner_of_its_row),
        cmocka_unit_test(a_pair_that_its_row_lacks_is_not_found_in_the_next),
        cmocka_unit_test(pairs_in_rows_that_nobody_adds_to_are_refused),
        cmocka_unit_test(the_proof_sees_that_a_row_lacks_an_element),
        cmocka_unit_test(pairs_follow_their_rows),
        cmocka_unit_test(pairs_are_points_of_their_own_unless_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

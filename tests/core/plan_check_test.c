/* The proof of plans: each way to break a right plan is rejected with words of its own. */
#include "core/plan/plan_check.h"
#include "tests/core/small_plan.h"

/* Breaks something and gives the words that the proof must find for it. */
typedef const char *mutant(small_plan *made);

/* The first block with at least two thread colours, and its first position. */
static int32_t block_with_colours(const tess_plan *plan, int64_t *start) {
    int32_t b = 0;
    while (plan->thread_colours[b] < 2)
        b++;
    *start = plan->block_offset[b];
    return b;
}

static const char *wrong_thread_colour(small_plan *made) {
    int64_t start = 0;
    block_with_colours(made->plan, &start);
    int64_t i = start;
    while (made->plan->thread_colour[i] != 1)
        i++;
    made->plan->thread_colour[i] = 0;
    return "of thread colour 0 increment the same cells";
}

static const char *thread_colour_out_of_range(small_plan *made) {
    made->plan->thread_colour[3] = (uint16_t)made->plan->thread_colours[0];
    return "thread colour";
}

static const char *too_many_thread_colours_stated(small_plan *made) {
    made->plan->thread_colours[0]++;
    return "no element has thread colour";
}

static const char *wrong_block_colour(small_plan *made) {
    for (int32_t b = 0; b < made->plan->n_blocks; b++)
        if (made->plan->block_colour[b] == 1) {
            made->plan->block_colour[b] = 0;
            break;
        }
    return "of block colour 0 increment the same cells";
}

static const char *block_colour_out_of_range(small_plan *made) {
    made->plan->block_colour[2] = made->plan->n_block_colours;
    return "block 2 has block colour";
}

static const char *too_many_block_colours_stated(small_plan *made) {
    made->plan->n_block_colours++;
    return "no block has block colour";
}

static const char *lost_and_duplicated_element(small_plan *made) {
    made->plan->executed[5] = made->plan->executed[4];
    return "is executed a second time";
}

/* The last element is gone and all offsets know it. */
static const char *lost_element(small_plan *made) {
    made->plan->n_executed--;
    made->plan->block_offset[made->plan->n_blocks]--;
    return "is lost";
}

static const char *element_that_does_not_exist(small_plan *made) {
    made->plan->executed[7] = (int32_t)made->plan->n_elements;
    return "position 7: element";
}

static const char *swapped_elements_of_two_blocks(small_plan *made) {
    const int64_t other = made->plan->block_offset[1];
    const int32_t kept = made->plan->executed[0];
    made->plan->executed[0] = made->plan->executed[other];
    made->plan->executed[other] = kept;
    return "belongs to block 1 by the partition";
}

static const char *overfull_block(small_plan *made) {
    made->plan->block_size--;
    return "is overfull";
}

static const char *block_offset_off_by_one(small_plan *made) {
    made->plan->block_offset[1]++;
    return "belongs to block 1 by the partition";
}

static const char *last_block_offset_off_by_one(small_plan *made) {
    made->plan->block_offset[made->plan->n_blocks]--;
    return "off by -1";
}

static const char *first_block_offset_not_zero(small_plan *made) {
    made->plan->block_offset[0] = 1;
    return "offset of block 0 is 1, not 0";
}

static const char *falling_block_offsets(small_plan *made) {
    made->plan->block_offset[1] = made->plan->block_offset[2] + 1;
    return "block offsets fall";
}

static const char *point_offset_off_by_one(small_plan *made) {
    made->plan->sets[0].point_offset[1]++;
    return "block 0: its point";
}

static const char *point_offset_one_short(small_plan *made) {
    made->plan->sets[0].point_offset[1]--;
    return "is missing from the block's points";
}

static const char *wrong_local_index(small_plan *made) {
    made->plan->sets[0].local_index[3] ^= 1;
    return "position 1, element 1, slot 1: local index";
}

static const char *local_index_out_of_range(small_plan *made) {
    made->plan->sets[0].local_index[2] = 60000;
    return "local index 60000 is wrong";
}

static const char *padding_that_is_not_there(small_plan *made) {
    made->plan->sets[0].local_index[0] = TESS_NO_POINT;
    return "local index 65535 is wrong";
}

/* A point that no element reaches takes the place of one that is. */
static const char *foreign_point(small_plan *made) {
    tess_plan_set *set = &made->plan->sets[0];
    set->points[set->point_offset[1] - 1] = (int32_t)tess_mesh_set_size(made->mesh, "cells") - 1;
    return "is missing from the block's points";
}

static const char *point_that_does_not_exist(small_plan *made) {
    tess_plan_set *set = &made->plan->sets[0];
    set->points[set->point_offset[1] - 1] = (int32_t)tess_mesh_set_size(made->mesh, "cells");
    return "which does not exist";
}

static const char *points_out_of_order(small_plan *made) {
    int32_t *points = made->plan->sets[0].points;
    const int32_t kept = points[0];
    points[0] = points[1];
    points[1] = kept;
    return "do not ascend";
}

/* The last block gets one more point. */
static const char *extra_point(small_plan *made) {
    tess_plan_set *set = &made->plan->sets[0];
    const int32_t n = made->plan->n_blocks;
    const int64_t end = set->point_offset[n];
    int64_t capacity = end;
    OK(TESS_RESERVE(end + 1, &capacity, &set->points));
    int64_t first = set->point_offset[n - 1];
    memmove(set->points + first + 1, set->points + first,
            (size_t)(end - first) * sizeof *set->points);
    set->points[first] = 0;
    for (int64_t i = 2 * made->plan->block_offset[n - 1]; i < 2 * made->plan->n_executed; i++)
        set->local_index[i]++;
    set->point_offset[n]++;
    return "is extra";
}

static const char *another_partition(small_plan *made) {
    made->partition.block_of[0] = 1;
    made->partition.block_of[made->plan->block_offset[1]] = 0;
    return "belongs to block 1 by the partition";
}

static const char *partition_with_a_block_too_many(small_plan *made) {
    made->partition.block_of[0] = made->plan->n_blocks;
    return "edges 0 is in block";
}

static const char *wrong_set_name(small_plan *made) {
    strcpy(made->plan->sets[0].set, "nodes");
    return "set 0 of the plan is nodes, of the loop cells";
}

static const char *wrong_over(small_plan *made) {
    strcpy(made->plan->partitioned_set, "cells");
    return "the plan is over cells";
}

static const char *wrong_slots(small_plan *made) {
    made->plan->sets[0].slot_incremented[1] = false;
    return "the slots of cells";
}

static const char *wrong_number_of_elements(small_plan *made) {
    made->plan->n_elements--;
    return "the plan is of";
}

static void assert_rejected(small_plan *made, mutant *mutate, const char *name) {
    OK(tess_plan_check(made->bound, made->partition.block_of, made->plan));
    const char *words = mutate(made);
    assert_int_equal(tess_plan_check(made->bound, made->partition.block_of, made->plan),
                     TESS_ERROR_CHECK);
    if (!strstr(tess_message(), words))
        fail_msg("%s: '%s' does not say '%s'", name, tess_message(), words);
    small_plan_free(made);
}

#define MUTANTS(X)                                                                                 \
    X(wrong_thread_colour)                                                                         \
    X(thread_colour_out_of_range)                                                                  \
    X(too_many_thread_colours_stated)                                                              \
    X(wrong_block_colour)                                                                          \
    X(block_colour_out_of_range)                                                                   \
    X(too_many_block_colours_stated)                                                               \
    X(lost_and_duplicated_element)                                                                 \
    X(lost_element)                                                                                \
    X(element_that_does_not_exist)                                                                 \
    X(swapped_elements_of_two_blocks)                                                              \
    X(overfull_block)                                                                              \
    X(block_offset_off_by_one)                                                                     \
    X(last_block_offset_off_by_one)                                                                \
    X(first_block_offset_not_zero)                                                                 \
    X(falling_block_offsets)                                                                       \
    X(point_offset_off_by_one)                                                                     \
    X(point_offset_one_short)                                                                      \
    X(wrong_local_index)                                                                           \
    X(local_index_out_of_range)                                                                    \
    X(padding_that_is_not_there)                                                                   \
    X(foreign_point)                                                                               \
    X(point_that_does_not_exist)                                                                   \
    X(points_out_of_order)                                                                         \
    X(extra_point)                                                                                 \
    X(another_partition)                                                                           \
    X(partition_with_a_block_too_many)                                                             \
    X(wrong_set_name)                                                                              \
    X(wrong_over)                                                                                  \
    X(wrong_slots)                                                                                 \
    X(wrong_number_of_elements)

static void every_mutant_is_rejected_by_name(void **state) {
#define REJECT(name)                                                                               \
    do {                                                                                           \
        small_plan made = quad_plan(7, 6, 12);                                                     \
        assert_rejected(&made, name, #name);                                                       \
    } while (0);
    MUTANTS(REJECT)
#undef REJECT
}

/* edges:cells of quads, its cells cut into blocks. */
static small_plan owned_plan(void) {
    small_plan made = quad_plan(7, 6, 12);
    tess_plan_free(made.plan);
    free(made.partition.block_of);
    made.partition = natural_partition(42, 5);
    OK(tess_plan_build_owned(made.bound, tess_mesh_find_set(made.mesh, "cells"), &made.partition,
                             NULL, &made.plan));
    return made;
}

/* Block 0 forgets its last element. */
static const char *redundant_element_lost(small_plan *made) {
    tess_plan *plan = made->plan;
    const int64_t at = plan->block_offset[1] - 1;
    for (int64_t i = at; i + 1 < plan->n_executed; i++)
        plan->executed[i] = plan->executed[i + 1];
    plan->n_executed--;
    for (int32_t b = 1; b <= plan->n_blocks; b++)
        plan->block_offset[b]--;
    return "is lost: executed by";
}

static const char *redundant_element_twice(small_plan *made) {
    made->plan->executed[1] = made->plan->executed[0];
    return "is executed a second time";
}

static const char *element_that_touches_nothing(small_plan *made) {
    made->plan->executed[0] = (int32_t)made->plan->n_elements - 1;
    return "touches no point that the block owns";
}

static const char *wrong_owner(small_plan *made) {
    made->plan->owner[7] = 0;
    return "cells 7 is owned by block 0 in the plan, by 1 in the partition";
}

static const char *block_owns_too_many(small_plan *made) {
    made->plan->owner[5] = made->partition.block_of[5] = 0;
    return "block 0 is overfull: cells 5";
}

static void mutants_of_owned_plans_are_rejected(void **state) {
    small_plan made = owned_plan();
    assert_rejected(&made, redundant_element_lost, "redundant_element_lost");
    made = owned_plan();
    assert_rejected(&made, redundant_element_twice, "redundant_element_twice");
    made = owned_plan();
    assert_rejected(&made, element_that_touches_nothing, "element_that_touches_nothing");
    made = owned_plan();
    assert_rejected(&made, block_owns_too_many, "block_owns_too_many");
    made = owned_plan();
    assert_rejected(&made, wrong_owner, "wrong_owner");
    made = owned_plan();
    assert_rejected(&made, wrong_thread_colour, "wrong_thread_colour");
}

/* Any single number of a random plan changed: the proof may not accept it. */
static void random_changes_are_rejected(void **state) {
    uint64_t seed = 41;
    for (int trial = 0; trial < 600; trial++) {
        small_plan made = random_plan(&seed, NULL, trial % 4 ? -1 : 0);
        tess_plan *plan = made.plan;
        tess_plan_set *set = &plan->sets[random_below(&seed, plan->n_sets)];
        const int64_t n_points = set->point_offset[plan->n_blocks];
        const int by = 1 + random_below(&seed, 3);
        switch (plan->n_executed && n_points ? trial % 3 : 3) {
        case 0:
            plan->executed[random_below(&seed, plan->n_executed)] += by;
            break;
        case 1:
            set->points[random_below(&seed, n_points)] += by;
            break;
        case 2:
            set->local_index[random_below(&seed, plan->n_executed * set->n_slots)] ^= (uint16_t)by;
            break;
        default:
            small_plan_free(&made);
            continue;
        }
        assert_int_equal(tess_plan_check(made.bound, made.partition.block_of, plan),
                         TESS_ERROR_CHECK);
        small_plan_free(&made);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mutant_is_rejected_by_name),
        cmocka_unit_test(mutants_of_owned_plans_are_rejected),
        cmocka_unit_test(random_changes_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

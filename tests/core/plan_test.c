/* Plans: every plan of random loops and partitions is proved, is greedy, and is the same on any
 * number of threads. */
#include "core/plan/plan.h"

#include "core/plan/order/line_order.h"
#include "core/plan/order/renumber.h"
#include "core/plan/plan_check.h"
#include "tests/core/small_plan.h"

#include <omp.h>

static const tess_plan_options all_options[] = {
    {TESS_ORDER_ELEMENT, TESS_COLOUR_GREEDY, false, NULL},
    {TESS_ORDER_COLOUR, TESS_COLOUR_GREEDY, false, NULL},
    {TESS_ORDER_ELEMENT, TESS_COLOUR_DSATUR, false, NULL},
    {TESS_ORDER_COLOUR, TESS_COLOUR_DSATUR, false, NULL},
    {TESS_ORDER_ELEMENT, TESS_COLOUR_SULYOK, false, NULL},
    {TESS_ORDER_LINES, TESS_COLOUR_GREEDY, false, NULL},
};

static void random_plans_are_proved(void **state) {
    uint64_t seed = 17;
    for (int trial = 0; trial < 800; trial++) {
        const int over = trial % 3 == 0 ? random_below(&seed, 3) : -1;
        small_plan made = random_plan(&seed, &all_options[trial % 6], over);
        if (tess_plan_check(made.bound, made.partition.block_of, made.plan) != TESS_OK)
            fail_msg("trial %d: %s", trial, tess_message());
        small_plan_free(&made);
    }
}

/* Elements (or blocks) e and f increment a common point. */
static bool elements_conflict(const tess_bound_loop *bound, int32_t e, int32_t f) {
    for (int r = 0; r < bound->n_targets; r++) {
        const tess_loop_target *target = &bound->targets[r];
        for (int s = 0; s < target->n_slots; s++)
            for (int t = 0; t < target->n_slots; t++) {
                const int32_t p = target->slot_index[s][e * target->slot_stride[s]];
                const int32_t q = target->slot_index[t][f * target->slot_stride[t]];
                if (target->slot_incremented[s] && target->slot_incremented[t] && p >= 0 && p == q)
                    return true;
            }
    }
    return false;
}

static bool blocks_conflict(const small_plan *made, int32_t a, int32_t b) {
    const tess_plan *plan = made->plan;
    for (int64_t i = plan->block_offset[a]; i < plan->block_offset[a + 1]; i++)
        for (int64_t j = plan->block_offset[b]; j < plan->block_offset[b + 1]; j++)
            if (elements_conflict(made->bound, plan->executed[i], plan->executed[j]))
                return true;
    return false;
}

static void colours_are_those_of_first_fit(void **state) {
    const tess_plan_options greedy = {TESS_ORDER_ELEMENT, TESS_COLOUR_GREEDY, false, NULL};
    uint64_t seed = 23;
    for (int trial = 0; trial < 150; trial++) {
        small_plan made = random_plan(&seed, &greedy, -1);
        const tess_plan *plan = made.plan;
        assert_true(tess_loop_gathers(made.bound) == !plan->block_colour);
        for (int32_t b = 0; plan->block_colour && b < plan->n_blocks; b++) {
            bool taken[64] = {false};
            for (int32_t a = 0; a < b; a++)
                if (blocks_conflict(&made, a, b))
                    taken[plan->block_colour[a]] = true;
            int32_t least = 0;
            while (taken[least])
                least++;
            assert_int_equal(plan->block_colour[b], least);
            for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++) {
                bool used[64] = {false};
                for (int64_t j = plan->block_offset[b]; j < i; j++)
                    if (elements_conflict(made.bound, plan->executed[j], plan->executed[i]))
                        used[plan->thread_colour[j]] = true;
                int32_t first = 0;
                while (used[first])
                    first++;
                assert_int_equal(plan->thread_colour[i], first);
            }
        }
        small_plan_free(&made);
    }
}

enum { MOST_ELEMENTS = 4096 };

/* Positions of elements from the last to the first. */
static const int32_t *backward(void) {
    static int32_t position[MOST_ELEMENTS];
    for (int32_t e = 0; e < MOST_ELEMENTS; e++)
        position[e] = MOST_ELEMENTS - 1 - e;
    return position;
}

/* The number, or place, of the first element of a block. */
static int32_t first_element(const tess_plan *plan, const int32_t *position, int32_t b) {
    int32_t first = INT32_MAX;
    for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++) {
        const int32_t at = position ? position[plan->executed[i]] : plan->executed[i];
        first = at < first ? at : first;
    }
    return first;
}

/* Blocks from the one with the first element on, or by their numbers, each with the least used
 * colour that is free. */
static void assert_least_used(const small_plan *made, const tess_plan_options *options,
                              int *other_than_first_fit) {
    const tess_plan *plan = made->plan;
    int used[64] = {0};
    int32_t n_used = 0, position[1024], last = -1;
    for (int32_t b = 0; b < plan->n_blocks; b++)
        position[b] = options->by_number ? b : first_element(plan, options->position, b);
    for (int32_t i = 0; plan->block_colour && i < plan->n_blocks; i++) {
        int32_t b = -1, least = -1;
        bool taken[64] = {false};
        for (int32_t a = 0; a < plan->n_blocks; a++)
            if (position[a] > last && (b < 0 || position[a] < position[b]))
                b = a;
        last = position[b];
        for (int32_t a = 0; a < plan->n_blocks; a++)
            if (position[a] < last && blocks_conflict(made, a, b))
                taken[plan->block_colour[a]] = true;
        for (int32_t c = 0; c < n_used; c++)
            if (!taken[c] && (least < 0 || used[c] < used[least]))
                least = c;
        *other_than_first_fit += least > 0 && !taken[0];
        least = least < 0 ? n_used++ : least;
        used[least]++;
        assert_int_equal(plan->block_colour[b], least);
    }
}

static void sulyok_s_blocks_take_the_least_used_colour(void **state) {
    for (int variant = 0; variant < 3; variant++) {
        const tess_plan_options sulyok = {TESS_ORDER_COLOUR, TESS_COLOUR_SULYOK, variant == 1,
                                          variant == 2 ? backward() : NULL};
        uint64_t seed = 41;
        int other_than_first_fit = 0;
        for (int trial = 0; trial < 100; trial++) {
            small_plan made = random_plan(&seed, &sulyok, -1);
            assert_least_used(&made, &sulyok, &other_than_first_fit);
            small_plan_free(&made);
        }
        assert_true(other_than_first_fit > 0);
    }
}

static void elements_of_a_block_are_executed_in_the_order_of_their_places(void **state) {
    const tess_plan_options placed = {TESS_ORDER_ELEMENT, TESS_COLOUR_FEWEST, false, backward()};
    uint64_t seed = 29;
    for (int trial = 0; trial < 100; trial++) {
        small_plan made = random_plan(&seed, &placed, trial % 2 ? random_below(&seed, 3) : -1);
        const tess_plan *plan = made.plan;
        assert_true(plan->n_elements <= MOST_ELEMENTS);
        OK(tess_plan_check(made.bound, made.partition.block_of, plan));
        for (int32_t b = 0; b < plan->n_blocks; b++)
            for (int64_t i = plan->block_offset[b] + 1; i < plan->block_offset[b + 1]; i++)
                assert_true(plan->executed[i] < plan->executed[i - 1]);
        small_plan_free(&made);
    }
}

/* The position of an element's point through a slot of the to-set of which it takes most bytes. */
static int64_t position_of(const tess_bound_loop *bound, const int32_t *positions, int32_t e,
                           int slot) {
    const tess_loop_target *target = bound->targets;
    for (int r = 1; r < bound->n_targets; r++)
        if (bound->targets[r].bytes * bound->targets[r].n_slots > target->bytes * target->n_slots)
            target = &bound->targets[r];
    const int32_t point =
        slot < target->n_slots ? target->slot_index[slot][e * target->slot_stride[slot]] : 0;
    return point < 0 ? INT32_MAX : positions ? positions[point] : point;
}

/* By the line of 16 of its first point e comes before f, then by its second one, then its first. */
static bool lies_before(const tess_bound_loop *bound, const int32_t *positions, int32_t e,
                        int32_t f) {
    const int64_t a = position_of(bound, positions, e, 0), b = position_of(bound, positions, f, 0);
    const int64_t c = position_of(bound, positions, e, 1), d = position_of(bound, positions, f, 1);
    if (a / 16 != b / 16)
        return a / 16 < b / 16;
    return c != d ? c < d : a != b ? a < b : e < f;
}

static void elements_of_a_block_lie_by_the_lines_of_their_points(void **state) {
    const tess_plan_options by_lines = {TESS_ORDER_LINES, TESS_COLOUR_FEWEST, false, NULL};
    uint64_t seed = 31;
    int64_t n_compared = 0;
    for (int trial = 0; trial < 200; trial++) {
        small_plan made = random_plan(&seed, &by_lines, trial % 2 ? random_below(&seed, 3) : -1);
        const tess_plan *plan = made.plan;
        OK(tess_plan_check(made.bound, made.partition.block_of, plan));
        for (int32_t b = 0; b < plan->n_blocks; b++)
            for (int64_t i = plan->block_offset[b] + 1; i < plan->block_offset[b + 1]; i++) {
                assert_true(
                    lies_before(made.bound, NULL, plan->executed[i - 1], plan->executed[i]));
                n_compared++;
            }
        small_plan_free(&made);
    }
    assert_true(n_compared > 1000);
}

/* As a renumbering lays the points; and each element has a position of its own. */
static void lines_are_those_of_renumbered_points(void **state) {
    small_plan made = quad_plan(23, 17, 16);
    const tess_bound_loop *bound = made.bound;
    tess_renumbering *renumbering = NULL;
    int32_t *position = NULL, *element = NULL;
    OK(tess_renumber_build(bound, NULL, TESS_RENUMBER_GPS, false, &renumbering));
    const int32_t *points = tess_renumbering_of(renumbering, bound->targets[0].set)->old_to_new;
    OK(tess_line_order_build(bound, &points, &position));
    OK(TESS_ALLOC(bound->n_elements, &element));
    for (int64_t e = 0; e < bound->n_elements; e++)
        element[e] = -1;
    for (int64_t e = 0; e < bound->n_elements; e++) {
        assert_in_range(position[e], 0, bound->n_elements - 1);
        assert_int_equal(element[position[e]], -1);
        element[position[e]] = (int32_t)e;
    }
    for (int64_t i = 1; i < bound->n_elements; i++)
        assert_true(lies_before(bound, points, element[i - 1], element[i]));
    free(position);
    free(element);
    tess_renumbering_free(renumbering);
    small_plan_free(&made);
}

static void assert_same_plan(const tess_plan *a, const tess_plan *b) {
    const size_t n = (size_t)a->n_executed, blocks = (size_t)a->n_blocks;
    assert_int_equal(a->n_executed, b->n_executed);
    assert_int_equal(a->n_block_colours, b->n_block_colours);
    assert_memory_equal(a->executed, b->executed, n * sizeof *a->executed);
    assert_memory_equal(a->block_offset, b->block_offset, (blocks + 1) * sizeof *a->block_offset);
    assert_true(!a->thread_colour == !b->thread_colour && !a->block_colour == !b->block_colour);
    if (a->thread_colour) {
        assert_memory_equal(a->thread_colour, b->thread_colour, n * sizeof *a->thread_colour);
        assert_memory_equal(a->block_colour, b->block_colour, blocks * sizeof *a->block_colour);
        assert_memory_equal(a->thread_colours, b->thread_colours,
                            blocks * sizeof *a->thread_colours);
    }
    for (int k = 0; k < a->n_sets; k++) {
        const tess_plan_set *s = &a->sets[k], *t = &b->sets[k];
        assert_memory_equal(s->point_offset, t->point_offset,
                            (blocks + 1) * sizeof *s->point_offset);
        assert_memory_equal(s->points, t->points,
                            (size_t)s->point_offset[blocks] * sizeof *s->points);
        assert_memory_equal(s->local_index, t->local_index,
                            n * (size_t)s->n_slots * sizeof *s->local_index);
    }
}

static void plans_are_the_same_on_any_number_of_threads(void **state) {
    const int n_threads = omp_get_max_threads();
    for (int o = 0; o < 6; o++) {
        small_plan made = quad_plan(60, 50, 37);
        const int cells = tess_mesh_find_set(made.mesh, "cells");
        uint64_t seed = 3;
        tess_partition parts[] = {random_partition(&seed, made.bound->n_elements, 64),
                                  random_partition(&seed, 60 * 50, 32)};
        for (int owned = 0; owned < 2; owned++) {
            tess_plan *plans[3];
            for (int t = 0; t < 3; t++) {
                omp_set_num_threads(1 << t);
                OK(owned ? tess_plan_build_owned(made.bound, cells, &parts[1], &all_options[o],
                                                 &plans[t])
                         : tess_plan_build(made.bound, &parts[0], &all_options[o], &plans[t]));
                assert_same_plan(plans[0], plans[t]);
            }
            OK(tess_plan_check(made.bound, parts[owned].block_of, plans[0]));
            for (int t = 0; t < 3; t++)
                tess_plan_free(plans[t]);
            free(parts[owned].block_of);
        }
        small_plan_free(&made);
    }
    omp_set_num_threads(n_threads);
}

/* n elements that all increment point 0, in blocks of the given size. */
static small_plan star_plan(int n, int32_t block_size, tess_colouring colouring) {
    small_plan made = {0};
    OK(tess_mesh_new("star", 2, &made.mesh));
    OK(tess_mesh_add_set(made.mesh, "rays", n, NULL));
    OK(tess_mesh_add_set(made.mesh, "ends", n + 1, NULL));
    int32_t *index = NULL;
    OK(TESS_ZEROS(2 * n, &index));
    for (int e = 0; e < n; e++)
        index[2 * e + 1] = e + 1;
    OK(tess_mesh_add_map(made.mesh, "rays", "ends", 2, 0, index));
    OK(tess_loop_of_map("rays:ends", NULL, &made.loop));
    OK(tess_loop_bind(made.loop, made.mesh, &made.bound));
    made.partition = natural_partition(n, block_size);
    const tess_plan_options options = {TESS_ORDER_COLOUR, colouring, false, NULL};
    OK(tess_plan_build(made.bound, &made.partition, &options, &made.plan));
    return made;
}

static void colours_that_come_later_are_the_same(void **state) {
    const tess_planner host = {.fill = NULL, .colours_later = true};
    uint64_t seed = 11;
    for (int trial = 0; trial < 60; trial++) {
        const tess_plan_options options = {.thread_colouring = (tess_colouring)(trial % 4)};
        const int over = trial % 3 - 1;
        small_plan made = random_plan(&seed, &options, over);
        tess_plan *later = NULL;
        const int set = tess_mesh_find_set(made.mesh, made.plan->partitioned_set);
        OK(over >= 0
               ? tess_plan_build_owned_by(&host, made.bound, set, &made.partition, &options, &later)
               : tess_plan_build_by(&host, made.bound, &made.partition, &options, &later));
        assert_null(later->thread_colour);
        assert_null(later->thread_colours);
        assert_null(later->block_colour);
        OK(tess_plan_colour(made.bound, &options, later));
        assert_same_plan(made.plan, later);
        tess_plan_free(later);
        small_plan_free(&made);
    }
}

static void any_number_of_colours_is_possible(void **state) {
    for (tess_colouring colouring = TESS_COLOUR_FEWEST; colouring <= TESS_COLOUR_SULYOK;
         colouring++) {
        small_plan made = star_plan(20000, 200, colouring);
        assert_int_equal(made.plan->n_block_colours, 100);
        assert_int_equal(made.plan->thread_colours[99], 200);
        OK(tess_plan_check(made.bound, made.partition.block_of, made.plan));
        small_plan_free(&made);
    }
}

static void a_block_with_too_many_points_is_refused_by_name(void **state) {
    enum { N = 70000 };
    tess_mesh *mesh = NULL;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    tess_plan *plan = NULL;
    OK(tess_mesh_new("pairs", 2, &mesh));
    OK(tess_mesh_add_set(mesh, "pairs", N, NULL));
    OK(tess_mesh_add_set(mesh, "ends", N, NULL));
    int32_t *index = NULL;
    OK(TESS_ALLOC(N, &index));
    for (int e = 0; e < N; e++)
        index[e] = e;
    OK(tess_mesh_add_map(mesh, "pairs", "ends", 1, 0, index));
    OK(tess_loop_of_map("pairs:ends", NULL, &loop));
    OK(tess_loop_bind(loop, mesh, &bound));
    tess_partition partition = natural_partition(N, N);
    assert_int_equal(tess_plan_build(bound, &partition, NULL, &plan), TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "block 0 has 70000 distinct points in ends"));
    assert_null(plan);
    free(partition.block_of);
    partition = natural_partition(N, 65535);
    OK(tess_plan_build(bound, &partition, NULL, &plan));
    OK(tess_plan_check(bound, partition.block_of, plan));
    tess_plan_free(plan);
    free(partition.block_of);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
}

static void ordering_by_colour_puts_equal_colours_together(void **state) {
    small_plan made = quad_plan(20, 20, 100);
    const tess_plan_options options = {TESS_ORDER_COLOUR, TESS_COLOUR_GREEDY, false, NULL};
    tess_plan *plan = NULL;
    OK(tess_plan_build(made.bound, &made.partition, &options, &plan));
    OK(tess_plan_check(made.bound, made.partition.block_of, plan));
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        for (int64_t i = plan->block_offset[b] + 1; i < plan->block_offset[b + 1]; i++) {
            assert_true(plan->thread_colour[i - 1] <= plan->thread_colour[i]);
            if (plan->thread_colour[i - 1] == plan->thread_colour[i])
                assert_true(plan->executed[i - 1] < plan->executed[i]);
        }
    }
    tess_plan_free(plan);
    small_plan_free(&made);
}

static void blocks_that_own_points_have_one_colour(void **state) {
    small_plan made = quad_plan(6, 6, 5);
    tess_partition partition = natural_partition(36, 5);
    tess_plan *plan = NULL;
    OK(tess_plan_build_owned(made.bound, tess_mesh_find_set(made.mesh, "cells"), &partition, NULL,
                             &plan));
    assert_int_equal(plan->n_block_colours, 1);
    assert_true(plan->n_executed > plan->n_elements);
    tess_plan_free(plan);
    free(partition.block_of);
    small_plan_free(&made);
}

static void each_colouring_needs_fewer_colours_than_the_next(void **state) {
    uint64_t seed = 29;
    int64_t colours[TESS_COLOUR_GREEDY + 1] = {0};
    for (int trial = 0; trial < 50; trial++) {
        small_plan made = quad_plan(20, 20, 1);
        free(made.partition.block_of);
        made.partition = random_partition(&seed, made.bound->n_elements, 200);
        for (int o = TESS_COLOUR_FEWEST; o <= TESS_COLOUR_GREEDY; o++) {
            const tess_plan_options options = {TESS_ORDER_ELEMENT, (tess_colouring)o, false, NULL};
            tess_plan *plan = NULL;
            OK(tess_plan_build(made.bound, &made.partition, &options, &plan));
            for (int32_t b = 0; b < plan->n_blocks; b++)
                colours[o] += plan->thread_colours[b];
            tess_plan_free(plan);
        }
        small_plan_free(&made);
    }
    assert_true(colours[TESS_COLOUR_DSATUR] < colours[TESS_COLOUR_GREEDY]);
    assert_true(colours[TESS_COLOUR_FEWEST] <= colours[TESS_COLOUR_DSATUR]);
}

/* Patches of 3 x 3 cells whose blocks are numbered at random: three colours are enough (the edges
 * of a patch are those to the right of its cells and above them), and only the colouring with the
 * fewest always finds them. */
static void patches_have_three_block_colours(void **state) {
    enum { SIDE = 8, N_PATCHES = SIDE * SIDE };
    uint64_t seed = 37;
    small_plan made = quad_plan(3 * SIDE, 3 * SIDE, 1);
    const int32_t *cells = tess_mesh_find_map(made.mesh, "edges:cells")->index;
    int greedy_needs_more = 0;
    for (int trial = 0; trial < 20; trial++) {
        int32_t number[N_PATCHES];
        for (int i = 0; i < N_PATCHES; i++) {
            const int at = random_below(&seed, i + 1);
            number[i] = number[at];
            number[at] = i;
        }
        made.partition.n_blocks = N_PATCHES;
        made.partition.block_size = 18;
        for (int64_t e = 0; e < made.bound->n_elements; e++) {
            const int32_t i = cells[2 * e] % (3 * SIDE), j = cells[2 * e] / (3 * SIDE);
            made.partition.block_of[e] = number[j / 3 * SIDE + i / 3];
        }
        for (tess_colouring by = TESS_COLOUR_FEWEST; by <= TESS_COLOUR_GREEDY; by++) {
            const tess_plan_options options = {TESS_ORDER_ELEMENT, by, false, NULL};
            tess_plan *plan = NULL;
            OK(tess_plan_build(made.bound, &made.partition, &options, &plan));
            OK(tess_plan_check(made.bound, made.partition.block_of, plan));
            if (by == TESS_COLOUR_FEWEST)
                assert_int_equal(plan->n_block_colours, 3);
            else
                greedy_needs_more += plan->n_block_colours > 3;
            tess_plan_free(plan);
        }
    }
    assert_true(greedy_needs_more > 20);
    small_plan_free(&made);
}

static void a_second_incremented_set_cannot_be_owned(void **state) {
    uint64_t seed = 31;
    tess_mesh *mesh = random_mesh(&seed, 2);
    tess_loop *loop = random_loop(mesh, 3);
    tess_bound_loop *bound = NULL;
    tess_plan *plan = NULL;
    OK(tess_loop_bind(loop, mesh, &bound));
    tess_partition partition = natural_partition(mesh->sets[1].size, 4);
    assert_int_equal(tess_plan_build_owned(bound, 1, &partition, NULL, &plan), TESS_ERROR_USAGE);
    assert_null(plan);
    free(partition.block_of);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
}

static void no_elements_make_an_empty_plan(void **state) {
    small_plan made = quad_plan(1, 1, 8);
    assert_int_equal(made.plan->n_blocks, 0);
    assert_int_equal(made.plan->n_block_colours, 0);
    OK(tess_plan_check(made.bound, made.partition.block_of, made.plan));
    small_plan_free(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_plans_are_proved),
        cmocka_unit_test(colours_are_those_of_first_fit),
        cmocka_unit_test(sulyok_s_blocks_take_the_least_used_colour),
        cmocka_unit_test(elements_of_a_block_are_executed_in_the_order_of_their_places),
        cmocka_unit_test(elements_of_a_block_lie_by_the_lines_of_their_points),
        cmocka_unit_test(lines_are_those_of_renumbered_points),
        cmocka_unit_test(plans_are_the_same_on_any_number_of_threads),
        cmocka_unit_test(colours_that_come_later_are_the_same),
        cmocka_unit_test(any_number_of_colours_is_possible),
        cmocka_unit_test(a_block_with_too_many_points_is_refused_by_name),
        cmocka_unit_test(ordering_by_colour_puts_equal_colours_together),
        cmocka_unit_test(blocks_that_own_points_have_one_colour),
        cmocka_unit_test(each_colouring_needs_fewer_colours_than_the_next),
        cmocka_unit_test(patches_have_three_block_colours),
        cmocka_unit_test(a_second_incremented_set_cannot_be_owned),
        cmocka_unit_test(no_elements_make_an_empty_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

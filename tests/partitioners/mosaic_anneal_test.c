/* Annealing: costs are what is counted, sizes and caps hold, threads change nothing. */
#include "partitioners/mosaic/anneal.h"
#include "partitioners/mosaic/chain.h"
#include "partitioners/mosaic/group_heat.h"
#include "tests/partitioners/common_point_case.h"
#include "tests/partitioners/group_case.h"

#include <omp.h>

/* A random weighted problem with its blocks. */
typedef struct block_case {
    weighted_case weighted;
    mosaic_pins pins;
    mosaic_blocks blocks;
    int32_t all[MOSAIC_GROUP_BLOCKS]; /* the first blocks */
    int32_t n;
} block_case;

static void case_build(uint64_t *seed, block_case *c) {
    *c = (block_case){.weighted = weighted_at_random(seed)};
    tess_partition_problem *problem = &c->weighted.problem;
    problem->maps = c->weighted.maps;
    const int32_t size = problem->block_size;
    OK(mosaic_pins_build(problem, INT64_MAX, &c->pins));
    const int32_t n_blocks = (int32_t)((c->pins.n_elements + size - 1) / size);
    OK(mosaic_blocks_build(&c->pins, size, n_blocks, c->weighted.block_of, &c->blocks));
    c->n = n_blocks < MOSAIC_GROUP_BLOCKS ? n_blocks : MOSAIC_GROUP_BLOCKS;
    for (int32_t b = 0; b < c->n; b++)
        c->all[b] = c->n - 1 - b;
}

static void case_clear(block_case *c) {
    mosaic_blocks_clear(&c->blocks);
    mosaic_pins_clear(&c->pins);
    weighted_free(&c->weighted);
}

/* Weights in the pins: 8 bytes are 4, 16 are 8. */
static int64_t weight_of(const block_case *c) {
    return (int64_t)(cost_of(&c->weighted.problem, c->blocks.block_of).weight / 2);
}

static void assert_sizes(const block_case *c) {
    int32_t *size = NULL;
    OK(TESS_ZEROS(c->blocks.n_blocks, &size));
    for (int64_t e = 0; e < c->pins.n_elements; e++)
        size[c->weighted.block_of[e]]++;
    for (int32_t b = 0; b < c->blocks.n_blocks; b++) {
        assert_int_equal(c->blocks.size[b], size[b]);
        for (int32_t i = 0; i < size[b]; i++)
            assert_int_equal(c->blocks.block_of[c->blocks.member[b * c->blocks.block_size + i]], b);
    }
    free(size);
}

/* From so hot to 0.1, sizes weigh the same all the time. */
static mosaic_schedule schedule_of(int rounds, double trials, double hot, double sizes) {
    return (mosaic_schedule){.rounds = rounds,
                             .trials = trials,
                             .heat = {hot, 0.1},
                             .sizes = {sizes, sizes},
                             .fade = 1,
                             .relax = 1,
                             .cool = 1};
}

/* Random moves, then chains: the costs of both add up to what is counted in the end. */
static void chains_make_sizes_exact(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < 60; trial++) {
        block_case c;
        mosaic_group group = {0};
        case_build(&seed, &c);
        const int64_t before = weight_of(&c);
        int64_t got = 0;
        OK(mosaic_group_load(&c.blocks, c.all, c.n, &group));
        for (int i = 0; i < 40 * trial; i++) {
            const int32_t e = random_below(&seed, group.piece.pins.n_elements);
            const int32_t to = random_below(&seed, c.n);
            if (to == group.home[e])
                continue;
            got += mosaic_group_cost(&group, e, to);
            mosaic_group_move(&group, e, to);
        }
        got += mosaic_chain_even(&group);
        mosaic_group_prove(&group, got);
        mosaic_group_store(&group, &c.blocks);
        assert_int_equal(weight_of(&c), before + got);
        assert_sizes(&c);
        mosaic_group_clear(&group);
        case_clear(&c);
    }
}

/* Blocks that share nothing, of which one has what the other lacks. */
static void chains_leap_between_islands(void **state) {
    (void)state;
    int32_t point[] = {0, 0, 1, 1, 2, 2}, block_of[] = {0, 0, 1, 1, 2, 2};
    const int32_t list[] = {0, 1, 2};
    mosaic_pins pins = {.n_elements = 6, .n_points = 3, .n_pins = 6, .arity = 1, .point = point};
    mosaic_blocks blocks = {0};
    mosaic_group group = {0};
    OK(mosaic_blocks_build(&pins, 2, 3, block_of, &blocks));
    OK(mosaic_group_load(&blocks, list, 3, &group));
    mosaic_group_move(&group, 0, 2);
    mosaic_group_move(&group, 1, 2);
    assert_int_equal(mosaic_chain_even(&group),
                     0); /* each point is in one block before and after */
    for (int b = 0; b < 3; b++)
        assert_int_equal(group.size[b], 2);
    mosaic_group_clear(&group);
    mosaic_blocks_clear(&blocks);
}

/* Two lines of elements, the first of which has two elements too many, far from each other: both go
 * to the second line by one leap, and lie side by side there. */
static void elements_that_leap_are_one_piece(void **state) {
    (void)state;
    enum { S = 4, N_FIRST = 122, N = 140, N_BLOCKS = N / S, BOTH = 30, TAKER = 25 };
    int32_t point[2 * N], block_of[N], list[N_BLOCKS], block = 0, n_pieces = 0;
    const int32_t strays[] = {0, 1 + (TAKER + 1) * S}, takers[] = {0, TAKER};
    for (int32_t e = 0, taken = 0; e < N; e++) {
        point[2 * e] = e + (e >= N_FIRST);
        point[2 * e + 1] = point[2 * e] + 1;
        const bool both = e == strays[0] || e == strays[1] || e == N_FIRST || e == N_FIRST + 1;
        block_of[e] = both ? BOTH : block;
        taken += !both;
        block = taken / S + (taken / S >= BOTH);
    }
    for (int32_t b = 0; b < N_BLOCKS; b++)
        list[b] = b;
    mosaic_pins pins = {
        .n_elements = N, .n_points = N + 2, .n_pins = 2 * N, .arity = 2, .point = point};
    mosaic_blocks blocks = {0};
    mosaic_group group = {0};
    OK(mosaic_blocks_build(&pins, S, N_BLOCKS, block_of, &blocks));
    OK(mosaic_group_load(&blocks, list, N_BLOCKS, &group));
    for (int i = 0; i < 2; i++)
        for (int32_t e = 0; e < N; e++)
            if (group.element[e] == strays[i])
                mosaic_group_move(&group, e, takers[i]);
    mosaic_chain_even(&group);
    mosaic_group_store(&group, &blocks);
    for (int32_t e = 0; e < N; e++)
        n_pieces += blocks.block_of[e] == BOTH &&
                    (e == 0 || e == N_FIRST || blocks.block_of[e - 1] != BOTH);
    assert_int_equal(blocks.size[BOTH], S);
    assert_int_equal(n_pieces, 2);
    mosaic_group_clear(&group);
    mosaic_blocks_clear(&blocks);
}

/* Of two elements that may go, in either order, the one that costs less: the one that came. */
static void chains_hand_on_what_costs_least(void **state) {
    (void)state;
    int32_t point[] = {1, 2, 0, 1, 0, 3, 0, 3}, block_of[] = {0, 0, 1, 1};
    mosaic_pins pins = {.n_elements = 4, .n_points = 4, .n_pins = 8, .arity = 2, .point = point};
    for (int swapped = 0; swapped < 2; swapped++) {
        const int32_t list[] = {swapped, !swapped}, here = swapped, there = !swapped;
        mosaic_blocks blocks = {0};
        mosaic_group group = {0};
        int32_t moved = 0;
        OK(mosaic_blocks_build(&pins, 2, 2, block_of, &blocks));
        OK(mosaic_group_load(&blocks, list, 2, &group));
        while (group.element[moved] != 2)
            moved++;
        assert_int_equal(mosaic_group_cost(&group, moved, here), 1);
        mosaic_group_move(&group, moved, here);
        assert_int_equal(mosaic_chain_even(&group), -1);
        assert_int_equal(group.home[moved], there);
        mosaic_group_clear(&group);
        mosaic_blocks_clear(&blocks);
    }
}

static void annealing_saves_what_it_says(void **state) {
    (void)state;
    uint64_t seed = 5;
    int64_t all = 0;
    for (int trial = 0; trial < 60; trial++) {
        block_case c;
        mosaic_schedule schedule = schedule_of(2, 20, 0.3, 0.01);
        schedule.sizes[1] = 0.05;
        mosaic_annealed done = {0};
        case_build(&seed, &c);
        const int64_t before = weight_of(&c);
        mosaic_measure first = {0}, last = {0};
        OK(mosaic_blocks_measure(&c.blocks, &first));
        const int32_t cap = trial % 3 ? 0 : first.points[c.n / 2];
        const mosaic_limits limits = {.max_points = cap, .first_block = trial % 5};
        OK(mosaic_anneal(&c.blocks, &limits, &schedule, (uint64_t)trial, &done));
        assert_true(done.rounds == 2 && done.saved >= 0);
        assert_int_equal(weight_of(&c), before - done.saved);
        assert_sizes(&c);
        for (int64_t e = 0; e < c.pins.n_elements; e++)
            if (c.weighted.block_of[e] < limits.first_block)
                assert_int_equal(c.blocks.block_of[e], c.weighted.block_of[e]);
        OK(mosaic_blocks_measure(&c.blocks, &last));
        for (int32_t b = 0; b < c.blocks.n_blocks && cap; b++)
            assert_true(last.points[b] <= cap || last.points[b] <= first.points[b]);
        mosaic_measure_clear(&first);
        mosaic_measure_clear(&last);
        all += done.saved;
        case_clear(&c);
    }
    assert_true(all > 0);
}

/* So hot that nothing is saved: groups that end with more points are left as they were. */
static void too_much_heat_changes_nothing(void **state) {
    (void)state;
    small_problem f = mesh_problem("irregular:nx=30:ny=30", "edges:cells", 32);
    mosaic_pins pins = {0};
    mosaic_blocks blocks = {0};
    const mosaic_schedule schedule = {
        .rounds = 1, .trials = 20, .heat = {5, 5}, .sizes = {0.1, 0.1}, .fade = 1, .relax = 1};
    const mosaic_limits limits = {0};
    const int64_t n = f.problem->n_elements;
    mosaic_annealed done = {.saved = 1};
    int32_t *block_of = blocks_by(f.problem, "mosaic");
    OK(mosaic_pins_build(f.problem, INT64_MAX, &pins));
    OK(mosaic_blocks_build(&pins, 32, (int32_t)((n + 31) / 32), block_of, &blocks));
    OK(mosaic_anneal(&blocks, &limits, &schedule, 7, &done));
    assert_int_equal(done.saved, 0);
    assert_memory_equal(blocks.block_of, block_of, (size_t)n * sizeof *block_of);
    free(block_of);
    mosaic_blocks_clear(&blocks);
    mosaic_pins_clear(&pins);
    small_problem_free(&f);
}

/* Sizes wander far, so that chains carry many elements back, also into blocks with as many points
 * as they may have: such a group is left as it was. */
static void chains_break_no_caps(void **state) {
    (void)state;
    small_problem f = mesh_problem("irregular:nx=30:ny=30", "edges:cells", 32);
    const int64_t n = f.problem->n_elements;
    const int32_t n_blocks = (int32_t)((n + 31) / 32);
    mosaic_pins pins = {0};
    const mosaic_schedule schedule = schedule_of(1, 10, 0.3, 1e-4);
    int32_t *block_of = blocks_by(f.problem, "mosaic:effort=0");
    OK(mosaic_pins_build(f.problem, INT64_MAX, &pins));
    for (int seed = 0; seed < 4; seed++) {
        mosaic_blocks blocks = {0};
        mosaic_measure first = {0}, last = {0};
        mosaic_annealed done = {0};
        OK(mosaic_blocks_build(&pins, 32, n_blocks, block_of, &blocks));
        OK(mosaic_blocks_measure(&blocks, &first));
        const mosaic_limits limits = {.max_points = first.points[n_blocks / 2]};
        OK(mosaic_anneal(&blocks, &limits, &schedule, (uint64_t)seed, &done));
        OK(mosaic_blocks_measure(&blocks, &last));
        for (int32_t b = 0; b < n_blocks; b++)
            assert_true(last.points[b] <= limits.max_points || last.points[b] <= first.points[b]);
        mosaic_measure_clear(&first);
        mosaic_measure_clear(&last);
        mosaic_blocks_clear(&blocks);
    }
    free(block_of);
    mosaic_pins_clear(&pins);
    small_problem_free(&f);
}

/* Elements that all have one point want to be together, and sizes are free. */
static void heat_empties_no_block(void **state) {
    (void)state;
    const mosaic_schedule schedule = schedule_of(1, 100, 0.3, 1e-3);
    mosaic_heat heat;
    common_point_case c;
    mosaic_heat_set(&schedule, &heat);
    common_point_open(NULL, &c);
    assert_int_equal(mosaic_group_wander(&c.group, &heat, NULL, 3), 0);
    assert_no_block_is_empty(&c);
    assert_int_equal(mosaic_group_roam(&c.group, &heat, NULL, 3), 0);
    assert_no_block_is_empty(&c);
    common_point_close(&c);
}

/* A group of 16 blocks of 4 x 4 squares that share corners, as a chessboard has them, but dealt out
 * at random: it and its lists. */
enum { SIDE = 16, N_SQUARES = SIDE * SIDE, N_DEALT = 16 };
typedef struct dealt_case {
    int32_t point[4 * N_SQUARES], block_of[N_SQUARES], list[N_DEALT];
    mosaic_pins pins;
    mosaic_blocks blocks;
    mosaic_group group;
} dealt_case;

static void dealt_open(uint64_t seed, int one_in, dealt_case *c) {
    *c = (dealt_case){.pins = {.n_elements = N_SQUARES,
                               .n_points = (SIDE + 1) * (SIDE + 1),
                               .n_pins = 4 * N_SQUARES,
                               .arity = 4}};
    for (int32_t e = 0; e < N_SQUARES; e++) {
        for (int corner = 0; corner < 4; corner++)
            c->point[4 * e + corner] = (e / SIDE + corner / 2) * (SIDE + 1) + e % SIDE + corner % 2;
        c->block_of[e] = e / SIDE / 4 * 4 + e % SIDE / 4;
        const int32_t other = random_below(&seed, e + 1), own = c->block_of[e];
        if (one_in && random_below(&seed, one_in) == 0) {
            c->block_of[e] = c->block_of[other];
            c->block_of[other] = own;
        }
    }
    for (int32_t b = 0; b < N_DEALT; b++)
        c->list[b] = b;
    c->pins.point = c->point;
    OK(mosaic_blocks_build(&c->pins, N_SQUARES / N_DEALT, N_DEALT, c->block_of, &c->blocks));
    OK(mosaic_group_load(&c->blocks, c->list, N_DEALT, &c->group));
}

static void dealt_close(dealt_case *c) {
    mosaic_group_clear(&c->group);
    mosaic_blocks_clear(&c->blocks);
}

/* What roaming says that it saves is what blocks have less, and it is most of what can be saved: a
 * block of 4 x 4 squares has 25 corners. */
static void roaming_saves_what_it_says(void **state) {
    (void)state;
    mosaic_heat heat;
    const mosaic_schedule schedule = schedule_of(1, 200, 0.5, 0.3);
    mosaic_heat_set(&schedule, &heat);
    for (uint64_t seed = 1; seed <= 8; seed++) {
        dealt_case c;
        dealt_open(seed, 4, &c);
        const int64_t before = points_of_all(&c.group);
        const int64_t got = mosaic_group_roam(&c.group, &heat, NULL, seed);
        mosaic_group_prove(&c.group, got);
        assert_int_equal(points_of_all(&c.group), before + got);
        assert_true(before > 1.3 * N_DEALT * 25);
        assert_true(before + got < 1.08 * N_DEALT * 25);
        dealt_close(&c);
    }
}

/* Every move of blocks of 4 x 4 squares costs points: only heat moves elements. */
static void heat_moves_what_sleeps(void **state) {
    (void)state;
    for (int hot = 0; hot < 2; hot++) {
        mosaic_heat heat;
        mosaic_schedule schedule = schedule_of(1, 20, 0.5, 0.3);
        schedule.heat[0] = schedule.heat[1] = hot ? 0.6 : 0.02;
        mosaic_heat_set(&schedule, &heat);
        dealt_case c;
        dealt_open(1, 0, &c);
        const int64_t got = mosaic_group_roam(&c.group, &heat, NULL, 7);
        assert_true(hot ? got > 0 : got == 0);
        dealt_close(&c);
    }
}

/* Cold elements whose every move costs rest: nothing is left to visit, and warm ones are not
 * forgotten. */
static void what_heat_cannot_move_rests(void **state) {
    (void)state;
    mosaic_heat heat;
    const mosaic_schedule cold = schedule_of(1, 60, 0.1, 0.3);
    mosaic_heat_set(&cold, &heat);
    dealt_case c;
    dealt_open(3, 4, &c);
    mosaic_group_roam(&c.group, &heat, NULL, 5);
    int n[MOSAIC_DEPTHS] = {0};
    for (int32_t e = 0; e < N_SQUARES; e++)
        for (int d = 0; d < MOSAIC_DEPTHS; d++)
            n[d] += (int)(c.group.sleep[e / MOSAIC_WORD].at[d] >> e % MOSAIC_WORD & 1);
    assert_true(n[MOSAIC_AWAKE] < N_SQUARES / 4);
    for (int d = 1; d < MOSAIC_DEPTHS; d++)
        assert_true(n[d] > 0);
    dealt_close(&c);
}

/* Blocks of 4 x 4 squares, of which four have a square of another far away: 12 of 6,412 points are
 * saved, more than 0.4 % of what blocks have in common, less than 0.2 % of all, which ends rounds
 * in 3D alone where elements have so many points. */
static void rounds_end_where_they_save_next_to_nothing(void **state) {
    (void)state;
    enum { WIDE = 64, N_WIDE = WIDE * WIDE };
    static int32_t point[4 * N_WIDE], block_of[N_WIDE];
    for (int32_t e = 0; e < N_WIDE; e++) {
        for (int corner = 0; corner < 4; corner++)
            point[4 * e + corner] = (e / WIDE + corner / 2) * (WIDE + 1) + e % WIDE + corner % 2;
        block_of[e] = e / WIDE / 4 * (WIDE / 4) + e % WIDE / 4;
    }
    const int32_t last = WIDE / 4 * (WIDE / 4) - 1;
    block_of[0] = last;
    block_of[N_WIDE - 1] = 0;
    block_of[WIDE - 1] = last - (WIDE / 4 - 1);
    block_of[N_WIDE - WIDE] = WIDE / 4 - 1;
    const mosaic_pins pins = {.n_elements = N_WIDE,
                              .n_points = (WIDE + 1) * (WIDE + 1),
                              .n_pins = 4L * N_WIDE,
                              .arity = 4,
                              .point = point};
    const mosaic_limits limits = {.keep_sizes = true};
    for (int dimension = 2; dimension <= 3; dimension++) {
        mosaic_blocks blocks = {0};
        mosaic_annealed done = {0};
        mosaic_schedule schedule = schedule_of(3, 40, 0.1, 0.3);
        schedule.enough = 0.004;
        OK(mosaic_blocks_build(&pins, 16, last + 1, block_of, &blocks));
        blocks.dimension = dimension;
        OK(mosaic_anneal(&blocks, &limits, &schedule, 1, &done));
        assert_int_equal(done.saved, 12);
        assert_true(done.still);
        assert_int_equal(done.rounds, dimension == 3 ? 1 : 2);
        mosaic_blocks_clear(&blocks);
    }
}

/* Annealing saves what a cut leaves, and one round of it leaves something to save. */
static void more_effort_gives_more_reuse(void **state) {
    (void)state;
    small_problem f = mesh_problem("irregular:nx=60:ny=60", "edges:cells", 64);
    const cost flat = cost_by(f.problem, "mosaic:effort=0");
    const cost once = cost_by(f.problem, "mosaic:effort=1");
    const cost usual = cost_by(f.problem, "mosaic:seed=1");
    const cost longer = cost_by(f.problem, "mosaic:effort=5:seed=1");
    assert_true(reuse(&usual) > 1.04 * reuse(&flat));
    assert_true(reuse(&usual) > 1.005 * reuse(&once));
    assert_true(reuse(&longer) > 1.001 * reuse(&usual));
    small_problem_free(&f);
}

static void threads_change_no_annealing(void **state) {
    (void)state;
    small_problem f = mesh_problem("irregular:nx=140:ny=140", "edges:cells", 64);
    assert_true(f.problem->n_elements > MOSAIC_SERIAL);
    assert_same_on_threads(f.problem, "mosaic");
    small_problem_free(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_make_sizes_exact),
        cmocka_unit_test(chains_leap_between_islands),
        cmocka_unit_test(elements_that_leap_are_one_piece),
        cmocka_unit_test(chains_hand_on_what_costs_least),
        cmocka_unit_test(annealing_saves_what_it_says),
        cmocka_unit_test(too_much_heat_changes_nothing),
        cmocka_unit_test(chains_break_no_caps),
        cmocka_unit_test(heat_empties_no_block),
        cmocka_unit_test(roaming_saves_what_it_says),
        cmocka_unit_test(heat_moves_what_sleeps),
        cmocka_unit_test(what_heat_cannot_move_rests),
        cmocka_unit_test(rounds_end_where_they_save_next_to_nothing),
        cmocka_unit_test(more_effort_gives_more_reuse),
        cmocka_unit_test(threads_change_no_annealing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

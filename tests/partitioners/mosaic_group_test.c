/* Groups of blocks: roaming, joining and chains cost what is counted, and sizes are exact. */
#include "partitioners/mosaic/anneal.h"
#include "partitioners/mosaic/even.h"
#include "partitioners/mosaic/roam.h"
#include "tests/partitioners/mosaic_case.h"

#include <math.h>

/* A random weighted problem with its blocks. */
typedef struct block_case {
    weighted_case weighted;
    mosaic_pins pins;
    mosaic_blocks blocks;
    mosaic_group group;               /* of the first blocks, */
    int32_t all[MOSAIC_GROUP_BLOCKS]; /* the last of them first */
    int32_t n;
} block_case;

/* The blocks point to the pins: it does not move. */
static void case_build(uint64_t *seed, block_case *c) {
    *c = (block_case){.weighted = weighted_at_random(seed)};
    tess_partition_problem *problem = &c->weighted.problem;
    problem->maps = c->weighted.maps;
    const int32_t size = problem->block_size;
    OK(mosaic_pins_build(problem, &c->pins));
    const int32_t n_blocks = (int32_t)((c->pins.n_elements + size - 1) / size);
    OK(mosaic_blocks_build(&c->pins, size, n_blocks, c->weighted.block_of, &c->blocks));
    c->n = n_blocks < MOSAIC_GROUP_BLOCKS ? n_blocks : MOSAIC_GROUP_BLOCKS;
    for (int32_t b = 0; b < c->n; b++)
        c->all[b] = c->n - 1 - b;
    OK(mosaic_group_load(&c->blocks, c->all, c->n, &c->group));
}

static void case_clear(block_case *c) {
    mosaic_group_clear(&c->group);
    mosaic_blocks_clear(&c->blocks);
    mosaic_pins_clear(&c->pins);
    weighted_free(&c->weighted);
}

/* Weights in the pins: 8 bytes are 4, 16 are 8. */
static int64_t weight_of(const block_case *c) {
    return (int64_t)(cost_of(&c->weighted.problem, c->blocks.block_of).weight / 2);
}

/* Every block has as many elements as it was built with, and each element is in the block that it
 * names. */
static void assert_sizes(const block_case *c) {
    int32_t *size = NULL;
    OK(TESS_ZEROS(c->blocks.n_blocks, &size));
    for (int64_t e = 0; e < c->pins.n_elements; e++)
        size[c->weighted.block_of[e]]++;
    for (int32_t b = 0; b < c->blocks.n_blocks; b++) {
        assert_int_equal(c->blocks.size[b], size[b]);
        for (int32_t i = 0; i < size[b]; i++)
            assert_int_equal(c->blocks.block_of[mosaic_block(&c->blocks, b)[i]], b);
    }
    free(size);
}

/* What a group keeps up to date is what is counted from the homes of its elements. */
static void assert_counted(const mosaic_group *group) {
    const tess_rows *rows = &group->piece.rows;
    int32_t points_of[MOSAIC_GROUP_BLOCKS] = {0}, n_cut = 0;
    for (int32_t p = 0; p < group->piece.pins.n_points; p++) {
        uint64_t any = 0, several = 0;
        for (int64_t i = rows->offset[p]; i < rows->offset[p + 1]; i++) {
            const uint64_t bit = UINT64_C(1) << group->home[rows->item[i]];
            several |= any & bit;
            points_of[group->home[rows->item[i]]] += !(any & bit);
            any |= bit;
        }
        assert_true(any == group->held[p].any && several == group->held[p].several);
        if (any & (any - 1)) {
            n_cut++;
            assert_int_equal(group->cut[group->position[p]], p);
        }
    }
    assert_int_equal(n_cut, group->n_cut);
    assert_memory_equal(points_of, group->points_of, (size_t)group->n_blocks * sizeof *points_of);
}

/* Elements of a group go to blocks at random; what that costs. */
static int64_t move_at_random(mosaic_group *group, int n, uint64_t *seed) {
    int64_t paid = 0;
    for (int i = 0; i < n; i++) {
        const int32_t e = random_below(seed, (int)group->piece.pins.n_elements);
        const int32_t to = random_below(seed, group->n_blocks);
        if (to == group->home[e])
            continue;
        paid += mosaic_group_cost(group, e, to);
        mosaic_group_move(group, e, to, false);
    }
    return paid;
}

static mosaic_cooling cooling_of(double temperature, double sizes, int passes) {
    const mosaic_schedule schedule = {.temperature = {temperature, 0.1}, .sizes = {sizes, sizes}};
    mosaic_cooling cooling;
    mosaic_cooling_set(&schedule, passes, &cooling);
    return cooling;
}

/* Whatever moved, chains give each block its size again; what they say they cost is counted. */
static void chains_make_sizes_exact(void **state) {
    uint64_t seed = 3;
    for (int trial = 0; trial < 60; trial++) {
        block_case c;
        case_build(&seed, &c);
        const int64_t before = weight_of(&c);
        int64_t paid = move_at_random(&c.group, 40 * trial, &seed);
        assert_counted(&c.group);
        assert_true(trial == 0 || !mosaic_group_is_even(&c.group));
        paid += mosaic_chain_even(&c.group);
        assert_counted(&c.group);
        assert_true(mosaic_group_is_even(&c.group));
        mosaic_group_store(&c.group, &c.blocks);
        assert_int_equal(weight_of(&c), before + paid);
        assert_sizes(&c);
        case_clear(&c);
    }
}

/* Roaming, and joining and roaming one after the other. */
static void roaming_saves_what_it_says(void **state) {
    uint64_t seed = 5;
    int64_t saved = 0;
    for (int trial = 0; trial < 60; trial++) {
        const mosaic_cooling cooling = cooling_of(0.3, 0.01, 20);
        block_case c;
        case_build(&seed, &c);
        const int64_t before = weight_of(&c);
        int64_t paid = trial % 2 ? mosaic_group_join(&c.group) : 0;
        assert_counted(&c.group);
        paid += mosaic_group_roam(&c.group, &cooling, NULL, (uint64_t)trial);
        assert_counted(&c.group);
        paid += mosaic_chain_even(&c.group);
        mosaic_group_store(&c.group, &c.blocks);
        assert_int_equal(weight_of(&c), before + paid);
        assert_sizes(&c);
        saved -= paid;
        case_clear(&c);
    }
    assert_true(saved > 0);
}

/* Blocks that share nothing, of which one has what the other lacks. */
static void chains_leap_between_islands(void **state) {
    int32_t point[] = {0, 0, 1, 1, 2, 2}, block_of[] = {0, 0, 1, 1, 2, 2};
    const int32_t list[] = {0, 1, 2};
    mosaic_pins pins = {.n_elements = 6, .n_points = 3, .n_pins = 6, .arity = 1, .point = point};
    mosaic_blocks blocks = {0};
    mosaic_group group = {0};
    OK(mosaic_blocks_build(&pins, 2, 3, block_of, &blocks));
    OK(mosaic_group_load(&blocks, list, 3, &group));
    mosaic_group_move(&group, 0, 2, false);
    mosaic_group_move(&group, 1, 2, false);
    assert_int_equal(mosaic_chain_even(&group),
                     0); /* each point is in one block before and after */
    for (int b = 0; b < 3; b++)
        assert_int_equal(group.size[b], 2);
    mosaic_group_clear(&group);
    mosaic_blocks_clear(&blocks);
}

/* Of two elements that may go, in either order, the one that costs less: the one that came. */
static void chains_hand_on_what_costs_least(void **state) {
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
        mosaic_group_move(&group, moved, here, false);
        assert_int_equal(mosaic_chain_even(&group), -1);
        assert_int_equal(group.home[moved], there);
        mosaic_group_clear(&group);
        mosaic_blocks_clear(&blocks);
    }
}

/* Elements in a line, one of each block far from the rest, which has most of its points there. */
static void components_go_to_the_block_around(void **state) {
    enum { S = 8, N_BLOCKS = 5, N = S * N_BLOCKS };
    int32_t point[2 * N], block_of[N], list[N_BLOCKS], n_components = 0;
    for (int32_t e = 0; e < N; e++) {
        point[2 * e] = e;
        point[2 * e + 1] = e + 1;
        block_of[e] = e % S == 4 ? (e / S + 2) % N_BLOCKS : e / S;
        list[e / S] = e / S;
    }
    mosaic_pins pins = {
        .n_elements = N, .n_points = N + 1, .n_pins = 2 * N, .arity = 2, .point = point};
    mosaic_blocks blocks = {0};
    mosaic_group group = {0};
    OK(mosaic_blocks_build(&pins, S, N_BLOCKS, block_of, &blocks));
    OK(mosaic_group_load(&blocks, list, N_BLOCKS, &group));
    mosaic_group_join(&group);
    mosaic_chain_even(&group);
    mosaic_group_store(&group, &blocks);
    for (int32_t e = 0; e < N; e++)
        n_components += e == 0 || blocks.block_of[e] != blocks.block_of[e - 1];
    assert_int_equal(n_components, N_BLOCKS);
    mosaic_group_clear(&group);
    mosaic_blocks_clear(&blocks);
}

/* 16 blocks of 4 x 4 squares that share corners, as a chessboard has them, of which one square in
 * `one_in` was dealt out at random (0: none). */
enum { SIDE = 16, N_SQUARES = SIDE * SIDE, N_DEALT = 16, CORNERS = 25 };
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

static int64_t points_of_all(const mosaic_group *group) {
    int64_t n = 0;
    for (int32_t b = 0; b < group->n_blocks; b++)
        n += group->points_of[b];
    return n;
}

/* Two blocks have a square of each other, at the side of a third one, which has fewer of its points
 * than the block that it was taken from. */
static void a_component_goes_where_most_of_its_points_are(void **state) {
    enum { ONE = 5 * SIDE + 4, OTHER = 13 * SIDE + 12 };
    dealt_case c;
    dealt_open(1, 0, &c);
    const int32_t one = c.block_of[ONE], other = c.block_of[OTHER];
    for (int32_t e = 0; e < N_SQUARES; e++) {
        const int32_t element = c.group.element[e];
        if (element == ONE || element == OTHER)
            mosaic_group_move(&c.group, e, element == ONE ? other : one, false);
    }
    mosaic_group_store(&c.group, &c.blocks);
    OK(mosaic_group_load(&c.blocks, c.list, N_DEALT, &c.group));
    assert_true(points_of_all(&c.group) > N_DEALT * CORNERS);
    mosaic_group_join(&c.group);
    assert_int_equal(points_of_all(&c.group), N_DEALT * CORNERS);
    assert_true(mosaic_group_is_even(&c.group));
    dealt_close(&c);
}

/* A block of 4 x 4 squares has 25 corners: roaming finds most of the way back. */
static void roaming_finds_good_blocks(void **state) {
    const mosaic_cooling cooling = cooling_of(0.5, 0.3, 200);
    for (uint64_t seed = 1; seed <= 8; seed++) {
        dealt_case c;
        dealt_open(seed, 4, &c);
        const int64_t before = points_of_all(&c.group);
        const int64_t paid = mosaic_group_roam(&c.group, &cooling, NULL, seed);
        assert_int_equal(points_of_all(&c.group), before + paid);
        assert_true(before > 1.3 * N_DEALT * CORNERS);
        assert_true(before + paid < 1.08 * N_DEALT * CORNERS);
        for (int32_t b = 0; b < N_DEALT; b++)
            assert_true(c.group.size[b] >= 1);
        dealt_close(&c);
    }
}

/* Elements that all have one point want to be together, and sizes are nearly free. */
static void roaming_empties_no_block(void **state) {
    enum { N = 64, N_BLOCKS = N / 2 };
    int32_t point[N] = {0}, block_of[N], list[N_BLOCKS];
    mosaic_pins pins = {.n_elements = N, .n_points = 1, .n_pins = N, .arity = 1, .point = point};
    mosaic_blocks blocks = {0};
    mosaic_group group = {0};
    const mosaic_cooling cooling = cooling_of(0.3, 1e-3, 100);
    for (int32_t e = 0; e < N; e++)
        block_of[e] = list[e / 2] = e / 2;
    OK(mosaic_blocks_build(&pins, 2, N_BLOCKS, block_of, &blocks));
    OK(mosaic_group_load(&blocks, list, N_BLOCKS, &group));
    mosaic_group_roam(&group, &cooling, NULL, 3);
    for (int32_t b = 0; b < N_BLOCKS; b++)
        assert_true(group.size[b] >= 1);
    mosaic_group_clear(&group);
    mosaic_blocks_clear(&blocks);
}

/* Every move of blocks of 4 x 4 squares costs points: only temperature moves elements. */
static void temperature_moves_what_is_idle(void **state) {
    for (int hot = 0; hot < 2; hot++) {
        mosaic_cooling cooling = cooling_of(0.6, 0.3, 20);
        cooling.schedule.temperature[0] = cooling.schedule.temperature[1] = hot ? 0.6 : 0.02;
        dealt_case c;
        dealt_open(1, 0, &c);
        const int64_t paid = mosaic_group_roam(&c.group, &cooling, NULL, 7);
        assert_true(hot ? paid > 0 : paid == 0);
        dealt_close(&c);
    }
}

/* No block has more points after it than it may. */
static void roaming_respects_caps(void **state) {
    const mosaic_cooling cooling = cooling_of(0.5, 0.001, 50);
    for (int capped = 0; capped < 2; capped++) {
        int32_t most[N_DEALT], largest = 0;
        dealt_case c;
        dealt_open(5, 4, &c);
        for (int32_t b = 0; b < N_DEALT; b++)
            most[b] = c.group.points_of[b];
        mosaic_group_roam(&c.group, &cooling, capped ? most : NULL, 5);
        for (int32_t b = 0; b < N_DEALT; b++) {
            const int32_t over = c.group.points_of[b] - most[b];
            largest = over > largest ? over : largest;
        }
        assert_true(capped ? largest == 0 : largest > 0);
        dealt_close(&c);
    }
}

/* Blocks are never worse by annealing, even where it is so hot that nothing is saved; the first
 * ones stay where that is asked for, and none gets more points than it may. */
static void annealing_makes_nothing_worse(void **state) {
    const mosaic_level level = {.rounds = 2, .passes = 20, .grow = 1};
    uint64_t seed = 5;
    int64_t all = 0;
    for (int trial = 0; trial < 40; trial++) {
        block_case c;
        case_build(&seed, &c);
        const int64_t start = weight_of(&c);
        const cost first = cost_of(&c.weighted.problem, c.blocks.block_of);
        mosaic_annealing cool = {
            .blocks = &c.blocks,
            .limits = {.first_block = trial % 5, .max_points = trial % 2 ? first.most_points : 0},
            .schedule = {.temperature = {0.3, 0.1}, .sizes = {0.01, 0.05}, .longer = 1},
            .seed = (uint64_t)trial};
        mosaic_annealing hot = cool;
        hot.schedule.temperature[0] = hot.schedule.temperature[1] = 5;
        OK(mosaic_anneal(&cool, &level, level.rounds));
        const int64_t before = weight_of(&c);
        OK(mosaic_anneal(&hot, &level, level.rounds));
        const cost last = cost_of(&c.weighted.problem, c.blocks.block_of);
        assert_true(before <= start && weight_of(&c) <= before);
        assert_true(trial % 2 == 0 || last.most_points <= first.most_points);
        assert_sizes(&c);
        for (int64_t e = 0; e < c.pins.n_elements; e++)
            if (c.weighted.block_of[e] < cool.limits.first_block)
                assert_int_equal(c.blocks.block_of[e], c.weighted.block_of[e]);
        all += start - before;
        case_clear(&c);
    }
    assert_true(all > 0);
}

/* What is measured is what is counted. */
static void a_measure_is_what_is_counted(void **state) {
    uint64_t seed = 9;
    for (int trial = 0; trial < 20; trial++) {
        block_case c;
        mosaic_measure measure;
        case_build(&seed, &c);
        OK(mosaic_blocks_measure(&c.blocks, &measure));
        const cost sum = cost_of(&c.weighted.problem, c.blocks.block_of);
        int64_t once = 0; /* the weight of all points, each once */
        for (int32_t p = 0; p < c.pins.n_points; p++)
            once += mosaic_weight(&c.pins, p);
        assert_int_equal(measure.shared, weight_of(&c) - once);
        assert_int_equal(llround(measure.points * c.blocks.n_blocks), sum.points);
        assert_true(fabs(measure.colours - sum.colours) < 1e-9);
        case_clear(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_make_sizes_exact),
        cmocka_unit_test(chains_leap_between_islands),
        cmocka_unit_test(chains_hand_on_what_costs_least),
        cmocka_unit_test(components_go_to_the_block_around),
        cmocka_unit_test(a_component_goes_where_most_of_its_points_are),
        cmocka_unit_test(roaming_saves_what_it_says),
        cmocka_unit_test(roaming_finds_good_blocks),
        cmocka_unit_test(roaming_empties_no_block),
        cmocka_unit_test(temperature_moves_what_is_idle),
        cmocka_unit_test(roaming_respects_caps),
        cmocka_unit_test(annealing_makes_nothing_worse),
        cmocka_unit_test(a_measure_is_what_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

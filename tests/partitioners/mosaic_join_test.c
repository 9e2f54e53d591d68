/* Joins: a block in pieces keeps the largest, costs are what is counted, basins keep their rests.
 */
#include "partitioners/mosaic/anneal.h"
#include "partitioners/mosaic/chain.h"
#include "partitioners/mosaic/join.h"
#include "tests/partitioners/group_case.h"
#include "tests/partitioners/mosaic_case.h"

enum { N = 12, SIZE = 4, N_BLOCKS = 3 };

/* Elements in a row, each with the points before and after it; `gap`: the first element of another
 * row, which shares no point with the first. */
typedef struct row_case {
    int32_t point[2 * N];
    mosaic_pins pins;
    mosaic_blocks blocks;
    mosaic_group group;
} row_case;

static void row_open(const int32_t *block_of, int32_t gap, row_case *c) {
    static const int32_t list[N_BLOCKS] = {0, 1, 2};
    *c = (row_case){.pins = {.n_elements = N, .n_points = N + 2, .n_pins = 2L * N, .arity = 2}};
    c->pins.point = c->point;
    for (int32_t e = 0; e < N; e++) {
        c->point[2 * e] = e + (e >= gap);
        c->point[2 * e + 1] = e + 1 + (e >= gap);
    }
    OK(mosaic_blocks_build(&c->pins, SIZE, N_BLOCKS, block_of, &c->blocks));
    OK(mosaic_group_load(&c->blocks, list, N_BLOCKS, &c->group));
}

static void row_close(row_case *c) {
    mosaic_group_clear(&c->group);
    mosaic_blocks_clear(&c->blocks);
}

/* Where the element is that the pins number so. */
static int32_t home_of(const mosaic_group *group, int32_t element) {
    for (int32_t e = 0; e < N; e++)
        if (group->element[e] == element)
            return group->home[e];
    return -1;
}

/* Each block has a piece of one element elsewhere; that of block 2 is beside one that joins it. */
static void pieces_go_to_the_blocks_around(void **state) {
    (void)state;
    const int32_t block_of[N] = {0, 0, 0, 1, 1, 1, 0, 2, 2, 2, 1, 2};
    row_case c;
    row_open(block_of, N, &c);
    const int64_t before = points_of_all(&c.group);
    const int64_t got = mosaic_group_join(&c.group);
    mosaic_group_prove(&c.group, got);
    assert_int_equal(points_of_all(&c.group), before + got);
    const int32_t joined[N] = {0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2};
    for (int32_t e = 0; e < N; e++)
        assert_int_equal(home_of(&c.group, e), joined[e]);
    for (int32_t b = 0; b < N_BLOCKS; b++)
        assert_true(c.group.size[b] > 0);
    row_close(&c);
}

/* Chains even the sizes; blocks that were whole have fewer points then. */
static void chains_make_sizes_exact(void **state) {
    (void)state;
    const int32_t block_of[N] = {0, 0, 0, 1, 0, 1, 1, 1, 2, 2, 2, 2};
    row_case c;
    row_open(block_of, N, &c);
    int64_t got = mosaic_group_join(&c.group);
    assert_true(got < 0);
    got += mosaic_chain_even(&c.group);
    assert_int_equal(got, -2);
    for (int32_t b = 0; b < N_BLOCKS; b++)
        assert_int_equal(c.group.size[b], SIZE);
    row_close(&c);
}

/* The rest of one basin and that of another are a block: no way leads from one to the other. */
static void rests_of_basins_stay(void **state) {
    (void)state;
    const int32_t block_of[N] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 1};
    row_case c;
    row_open(block_of, 7, &c);
    assert_int_equal(mosaic_group_join(&c.group), 0);
    for (int32_t e = 0; e < N; e++)
        assert_int_equal(home_of(&c.group, e), block_of[e]);
    row_close(&c);
}

/* Blocks of which many are in pieces are joined before the first round, others after it. */
static void many_pieces_are_joined_at_once(void **state) {
    (void)state;
    const int32_t block_of[N] = {0, 0, 0, 1, 0, 1, 1, 1, 2, 2, 2, 2};
    const mosaic_schedule still = {.rounds = 1, .heat = {0.1, 0.1}, .sizes = {0.1, 0.1}};
    const mosaic_limits limits = {.keep_sizes = true};
    for (int many = 0; many < 2; many++) {
        mosaic_annealed done;
        row_case c;
        row_open(block_of, N, &c);
        c.blocks.in_pieces = many ? 2 * TORN_JOINED : TORN_JOINED / 2;
        OK(mosaic_anneal(&c.blocks, &limits, &still, 1, &done));
        assert_int_equal(done.saved, many ? 2 : 0);
        row_close(&c);
    }
}

/* Blocks 0 and 1 are two, four and two elements in a row, which have three, five and three points
 * in common; both pairs are block 0, and to join them costs three points. Blocks 2 and 3 are a row
 * that annealing makes two points better. */
static void what_joining_makes_worse_stays_in_pieces(void **state) {
    (void)state;
    int32_t point[] = {0,  1,  2,  0,  1,  2,  3,  3,  4,  5,  6,  7,  8,  4,  5,  6,  7,  8,
                       4,  5,  6,  7,  8,  4,  5,  6,  7,  8,  9,  9,  10, 11, 12, 10, 11, 12,
                       13, 14, 14, 15, 15, 16, 16, 17, 17, 18, 18, 19, 19, 20, 20, 21};
    int64_t offset[] = {0, 3, 7, 13, 18, 23, 29, 33, 36, 38, 40, 42, 44, 46, 48, 50, 52};
    const int32_t block_of[] = {0, 0, 1, 1, 1, 1, 0, 0, 2, 2, 2, 3, 2, 3, 3, 3};
    const mosaic_pins pins = {
        .n_elements = 16, .n_points = 22, .n_pins = 52, .offset = offset, .point = point};
    const mosaic_schedule schedule = {.first = 1,
                                      .rounds = 2,
                                      .trials = 20,
                                      .heat = {0.1, 0.1},
                                      .sizes = {0.1, 0.1},
                                      .relax = 1,
                                      .cool = 1,
                                      .grow = 1};
    const mosaic_limits limits = {.keep_sizes = true};
    mosaic_blocks blocks;
    mosaic_annealed done;
    OK(mosaic_blocks_build(&pins, 4, 4, block_of, &blocks));
    OK(mosaic_anneal(&blocks, &limits, &schedule, 1, &done));
    assert_int_equal(done.saved, 2);
    assert_memory_equal(blocks.block_of, block_of, 8 * sizeof *block_of);
    mosaic_blocks_clear(&blocks);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_go_to_the_blocks_around),
        cmocka_unit_test(chains_make_sizes_exact),
        cmocka_unit_test(rests_of_basins_stay),
        cmocka_unit_test(many_pieces_are_joined_at_once),
        cmocka_unit_test(what_joining_makes_worse_stays_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

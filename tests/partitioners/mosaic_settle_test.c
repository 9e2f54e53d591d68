/* Settling: costs are what is counted, no block is emptied, round blocks come of any start. */
#include "partitioners/mosaic/chain.h"
#include "partitioners/mosaic/group_heat.h"
#include "tests/partitioners/common_point_case.h"

/* As the usual effort settles, in so many passes. */
static mosaic_heat heat_of(int passes) {
    mosaic_schedule schedule = mosaic_schedules[FLAT];
    mosaic_heat heat;
    schedule.passes = passes;
    mosaic_heat_set(&schedule, &heat);
    return heat;
}

/* Points weigh 4 and 8, elements lie anywhere. */
static void settling_costs_what_is_counted(void **state) {
    (void)state;
    uint64_t seed = 11;
    int64_t all = 0;
    const mosaic_heat heat = heat_of(8);
    for (int trial = 0; trial < 60; trial++) {
        weighted_case c = weighted_at_random(&seed);
        mosaic_pins pins = {0};
        mosaic_blocks blocks = {0};
        mosaic_group group = {0};
        int32_t list[MOSAIC_GROUP_BLOCKS];
        c.problem.maps = c.maps;
        const int32_t size = c.problem.block_size;
        OK(mosaic_pins_build(&c.problem, INT64_MAX, &pins));
        const int32_t n_blocks = (int32_t)((pins.n_elements + size - 1) / size);
        const int32_t n = n_blocks < MOSAIC_GROUP_BLOCKS ? n_blocks : MOSAIC_GROUP_BLOCKS;
        OK(mosaic_blocks_build(&pins, size, n_blocks, c.block_of, &blocks));
        mosaic_centroid *centroid = NULL;
        OK(TESS_ZEROS(pins.n_elements, &centroid));
        for (int64_t e = 0; e < pins.n_elements; e++)
            for (int d = 0; d < 2; d++)
                centroid[e].xyz[d] = (float)random_below(&seed, 100);
        for (int32_t b = 0; b < n; b++)
            list[b] = b;
        blocks.centroid = centroid;
        const double before = cost_of(&c.problem, blocks.block_of).weight / 2;
        OK(mosaic_group_load(&blocks, list, n, &group));
        int64_t got = mosaic_group_settle(&group, &heat, (uint64_t)trial);
        mosaic_group_prove(&group, got);
        for (int32_t b = 0; b < n; b++)
            assert_true(group.size[b] >= 1);
        got += mosaic_chain_even(&group);
        mosaic_group_store(&group, &blocks);
        assert_true(cost_of(&c.problem, blocks.block_of).weight / 2 == before + (double)got);
        all += got;
        free(centroid);
        mosaic_group_clear(&group);
        mosaic_blocks_clear(&blocks);
        mosaic_pins_clear(&pins);
        weighted_free(&c);
    }
    assert_true(all < 0);
}

/* A chain of elements, every one of which starts in the wrong block but for one of each block. */
static void elements_go_where_they_lie(void **state) {
    (void)state;
    enum { N = 60, HALF = N / 2 };
    int32_t point[2 * N], block_of[N];
    const int32_t list[] = {0, 1};
    mosaic_centroid centroid[N] = {{.xyz = {0}}};
    for (int32_t e = 0; e < N; e++) {
        point[2 * e] = e;
        point[2 * e + 1] = e + 1;
        block_of[e] = e % 2;
        centroid[e].xyz[0] = (float)e;
    }
    mosaic_pins pins = {
        .n_elements = N, .n_points = N + 1, .n_pins = 2L * N, .arity = 2, .point = point};
    mosaic_blocks blocks = {0};
    mosaic_group group = {0};
    const mosaic_heat heat = heat_of(64);
    OK(mosaic_blocks_build(&pins, HALF, 2, block_of, &blocks));
    blocks.centroid = centroid;
    OK(mosaic_group_load(&blocks, list, 2, &group));
    const int64_t before = N - 1; /* points in both blocks */
    const int64_t got = mosaic_group_settle(&group, &heat, 5);
    assert_true(before + got <= 5);
    int awake = 0;
    for (int32_t e = 0; e < N; e++)
        awake += (int)(group.sleep[e / MOSAIC_WORD].at[MOSAIC_AWAKE] >> e % MOSAIC_WORD & 1);
    assert_true(awake < N / 2); /* what lies inside rests */
    mosaic_group_clear(&group);
    mosaic_blocks_clear(&blocks);
}

/* What costs nothing to leave stays none the less where it is the last of its block. */
static void settling_empties_no_block(void **state) {
    (void)state;
    const mosaic_centroid centroid[COMMON_POINT_ELEMENTS] = {{.xyz = {0}}};
    mosaic_heat heat = heat_of(100);
    heat.schedule.sizes[0] = heat.schedule.sizes[1] = 1e-3;
    common_point_case c;
    common_point_open(centroid, &c);
    assert_true(mosaic_group_settle(&c.group, &heat, 3) <= 0);
    assert_no_block_is_empty(&c);
    common_point_close(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settling_costs_what_is_counted),
        cmocka_unit_test(elements_go_where_they_lie),
        cmocka_unit_test(settling_empties_no_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

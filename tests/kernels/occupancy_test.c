/* Occupancy: what ncu says on an H200 of kernels of the papers, and what cannot be told. */
#include "kernels/devices/occupancy.h"
#include "tests/unit.h"

#include <math.h>

/* Registers, threads and shared bytes with the warps of 64 that ncu told of an H200
 * (notebooks/papers, runs.csv.xz: registers, shared_bytes, occupancy_theoretical). */
static void an_h200_holds_as_many_warps_as_ncu_says(void **state) {
    static const struct {
        tess_block_needs needs;
        int warps;
    } measured[] = {
        {{128, 64, 13664}, 32},  {{480, 60, 34784}, 30}, {{480, 62, 0}, 30},
        {{448, 40, 7232}, 42},   {{448, 54, 7232}, 28},  {{320, 109, 31200}, 10},
        {{384, 168, 15520}, 12}, {{128, 48, 6144}, 40},  {{128, 40, 0}, 48},
    };
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
        assert_int_equal(lround(64 * tess_occupancy(90, &measured[i].needs)), measured[i].warps);
}

/* 228 KB less 1 KB a block: four of 56 KB fit, three of 57. */
static void shared_memory_bounds_blocks(void **state) {
    const tess_block_needs four = {64, 16, 56 << 10}, three = {64, 16, 57 << 10},
                           none = {1024, 255, 0};
    assert_int_equal(lround(64 * tess_occupancy(90, &four)), 8);
    assert_int_equal(lround(64 * tess_occupancy(90, &three)), 6);
    assert_true(tess_occupancy(90, &none) == 0);
}

/* Four blocks of 48 KB and one KB each just fit 196 KB; of an H200's 228 the rest is L1. */
static void what_blocks_leave_is_first_cache(void **state) {
    const tess_block_needs four = {128, 128, 48 << 10}, more = {128, 128, (48 << 10) + 1},
                           none = {128, 128, 0};
    assert_int_equal(tess_carveout(90, &four), 196);
    assert_int_equal(tess_carveout(90, &more), 228);
    assert_int_equal(tess_carveout(90, &none), 8);
    assert_int_equal(tess_carveout(86, &more), 100);
    assert_int_equal(tess_carveout(35, &four), -1);
}

static void an_unknown_capability_has_no_occupancy(void **state) {
    const tess_block_needs needs = {128, 32, 0};
    assert_true(isnan(tess_occupancy(35, &needs)));
    assert_true(tess_occupancy(86, &needs) == 1 && tess_occupancy(75, &needs) == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_h200_holds_as_many_warps_as_ncu_says),
        cmocka_unit_test(shared_memory_bounds_blocks),
        cmocka_unit_test(what_blocks_leave_is_first_cache),
        cmocka_unit_test(an_unknown_capability_has_no_occupancy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The model of a loop's time: what it takes from the features of a run. */
#include "experiments/model/model.h"
#include "tests/unit.h"

#include <math.h>

static double resident_of(double threads, double registers, double shared_bytes) {
    double constants[TESS_N_CONSTANTS];
    for (int c = 0; c < TESS_N_CONSTANTS; c++)
        constants[c] = 1;
    const tess_features features = {.threads = threads,
                                    .registers = registers,
                                    .shared_bytes = shared_bytes,
                                    .blocks = 100,
                                    .moved_bytes = 1e6};
    return tess_model_predict(constants, &features).resident;
}

/* miniaero by halo-atomics on an H200: 0.63 ms with blocks of 128, 0.72 with 192, 0.98 with 208;
 * ncu says that registers allow three blocks of 128 threads and one of 256. */
static void quarters_of_a_multiprocessor_have_registers_of_their_own(void **state) {
    static const int blocks[][2] = {{128, 3}, {160, 2}, {192, 2}, {208, 1}, {224, 1}, {256, 1}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        assert_int_equal(resident_of(blocks[i][0], 136, 0), blocks[i][1]);
    assert_int_equal(resident_of(128, 64, 0), 8); /* of eight warps in each quarter */
}

static void shared_memory_and_threads_limit_blocks(void **state) {
    assert_int_equal(resident_of(256, 32, 0), 8);
    assert_int_equal(resident_of(32, 32, 0), 32);
    assert_int_equal(resident_of(64, 32, 99 * 1024), 2);
    assert_int_equal(resident_of(1024, 255, 0), 1);
}

/* Against differences, for runs with and without atomics in shared memory, launches and bytes
 * beyond the least. */
static void slopes_are_what_differences_tend_to(void **state) {
    static const double small = 1e-5;
    double constants[TESS_N_CONSTANTS], slopes[TESS_N_CONSTANTS];
    for (int c = 0; c < TESS_N_CONSTANTS; c++)
        constants[c] = 0.7 + 0.06 * c;
    for (int run = 0; run < 8; run++) {
        const tess_features features = {.traffic = {.block_reads = 3,
                                                    .reads = 5 + run,
                                                    .writes = 2,
                                                    .lines = 4,
                                                    .passes = run & 1 ? 0 : 2,
                                                    .values = run & 1 ? 0 : 3,
                                                    .missed = run & 1 ? 0 : 1,
                                                    .memory_reads = run & 2 ? 1 : 0.01,
                                                    .instructions = 6},
                                        .moved_bytes = 2 + run,
                                        .flops = 3,
                                        .wavefronts = run,
                                        .barriers = 2,
                                        .blocks = 5,
                                        .turns = 1.5,
                                        .launches = 1 + run,
                                        .threads = 128,
                                        .registers = 40 + 20 * run,
                                        .shared_atomics = run & 4};
        const tess_model_time time = tess_model_slopes(constants, &features, slopes);
        for (int c = 0; c < TESS_N_CONSTANTS; c++) {
            const double kept = constants[c];
            constants[c] = kept * exp(small);
            const double above = tess_model_predict(constants, &features).seconds;
            constants[c] = kept * exp(-small);
            const double below = tess_model_predict(constants, &features).seconds;
            constants[c] = kept;
            if (tess_constants[c].fitted)
                assert_true(fabs(log(above / below) / (2 * small) - slopes[c]) < 1e-7);
            else
                assert_true(slopes[c] == 0);
        }
        assert_true(time.seconds == tess_model_predict(constants, &features).seconds);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quarters_of_a_multiprocessor_have_registers_of_their_own),
        cmocka_unit_test(shared_memory_and_threads_limit_blocks),
        cmocka_unit_test(slopes_are_what_differences_tend_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

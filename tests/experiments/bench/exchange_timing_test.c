/* An exchange timing: what samples of the ways of a step come to, by hand. */
#include "experiments/bench/exchange_timing.h"
#include "tests/unit.h"

#include <math.h>

enum { ROUNDS = 3 };

static void assert_close(double a, double b) {
    assert_true(fabs(a - b) < 1e-12);
}

/* The machine is slower from round to round, and what is hidden is of each. */
static void differences_are_of_rounds(void **state) {
    double samples[TESS_N_TEAM_VARIANTS * ROUNDS] = {0}, differences[ROUNDS];
    static const double step[] = {12, 25, 36}, serial[] = {15, 30, 60},
                        unexchanged[] = {10, 20, 30}, exchange[] = {5, 7, 6}, pack[] = {1, 3, 2};
    for (int round = 0; round < ROUNDS; round++) {
        samples[TESS_OVERLAPPED * ROUNDS + round] = step[round];
        samples[TESS_SERIAL * ROUNDS + round] = serial[round];
        samples[TESS_UNEXCHANGED * ROUNDS + round] = unexchanged[round];
        samples[TESS_EXCHANGE_ALONE * ROUNDS + round] = exchange[round];
        samples[TESS_PACKING_ALONE * ROUNDS + round] = pack[round];
    }
    tess_exchange_timing found;
    tess_exchange_timing_sum_up(samples, ROUNDS, differences, &found);
    assert_close(found.exposed, 5);      /* 2 5 6 */
    assert_close(found.hidden, 3 / 5.0); /* 3/5 5/10 24/30 */
    assert_close(found.step, 25);
    assert_close(found.serial, 30);
    assert_close(found.unexchanged, 20);
    assert_close(found.exchange, 6);
    assert_close(found.pack, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(differences_are_of_rounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The text of a pass whose elements compute, compiled here: so many steps, spread over what is
 * read; and write what they come to. */
enum {
    ARITY = 3,
    PADDED = 1,
    ROWS = 0,
    LISTS = 0,
    READS = 2,
    ADDS = 1,
    SOLVES = 0,
    WIDTH = 2,
    ELEMENT = 3,
    WRITTEN = 2,
    POINT = 0,
    ROUNDS = 1,
    WORK = 1
};

#include "tests/experiments/model/pass_text.h"

#include "tests/core/small_mesh.h"
#include <math.h>
#include <string.h>

enum { SUMS = 8, N_POINTS = 5, N = 3, VALUES = N_POINTS * WIDTH };

static const int by_hand[N * ARITY] = {3, 0, 1, 1, 4, -1, 2, 3, 4};
static const double of_elements[N] = {1, 10, 100};

/* A sum takes half of the next one, the last that of the first, which has taken its half before. */
static void step_by_hand(double *sums) {
    for (int k = 0; k < SUMS; k++)
        sums[k] = (sums[k] + sums[k == SUMS - 1 ? 0 : k + 1]) / 2;
}

/* Six readings, of which the first have a step more where they cannot have as many. */
static double element_by_hand(const double *values, int i, int steps) {
    double sums[SUMS], total = 0;
    int reading = 0;
    for (int k = 0; k < SUMS; k++)
        sums[k] = of_elements[i];
    for (int slot = 0; slot < ARITY; slot++)
        for (int array = 0; array < READS; array++, reading++) {
            const int point = by_hand[i * ARITY + slot];
            for (int d = 0; d < WIDTH && point >= 0; d++)
                sums[0] += of_elements[i] * values[array * VALUES + point * WIDTH + d];
            for (int n = reading; n < steps; n += ARITY * READS)
                step_by_hand(sums);
        }
    for (int k = 0; k < SUMS; k++)
        total += sums[k] / SUMS;
    return total;
}

static void steps_are_spread_over_readings(void **state) {
    for (int steps = 0; steps < 40; steps += steps < 8 ? 1 : 9) {
        double values[(READS + ADDS) * VALUES], expected[VALUES], with_points[1] = {0};
        double with_elements[N * ELEMENT] = {0};
        struct params params = {.n = N,
                                .n_points = N_POINTS,
                                .index = by_hand,
                                .at_points = values,
                                .with_elements = with_elements,
                                .with_points = with_points,
                                .steps = steps};
        for (int i = 0; i < (READS + ADDS) * VALUES; i++)
            values[i] = 1 + 0.1 * i;
        for (int i = 0; i < VALUES; i++)
            expected[i] = values[VALUES + i] / 2; /* it begins with half of what was read last */
        for (int i = 0; i < N; i++)
            for (int slot = 0; slot < ARITY; slot++)
                for (int d = 0; d < WIDTH && by_hand[i * ARITY + slot] >= 0; d++)
                    expected[by_hand[i * ARITY + slot] * WIDTH + d] +=
                        element_by_hand(values, i, steps);
        memcpy(with_elements, of_elements, sizeof of_elements);
        pass(&params, 0);
        for (int i = 0; i < VALUES; i++)
            assert_true(fabs(values[READS * VALUES + i] / expected[i] - 1) < 1e-12);
        assert_memory_equal(with_elements, of_elements, sizeof of_elements);
        for (int i = 0; i < N * WRITTEN; i++)
            assert_true(fabs(with_elements[N + i] / element_by_hand(values, i / WRITTEN, steps) -
                             1) < 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps_are_spread_over_readings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

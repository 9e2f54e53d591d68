/* A pass's text for a GPU: what it comes to, compiled here with a thread a block, and that it runs
 * on the emulator, which checks each access. */
enum {
    ARITY = 3,
    PADDED = 1,
    READS = 2,
    ADDS = 2,
    WIDTH = 2,
    ELEMENT = 3,
    WRITTEN = 2,
    POINT = 2,
    ROUNDS = 2,
    WORK = 1,
    THREADS = 1
};
#define REAL float
#define PASS_TEXT "experiments/model/pass_gpu.cu"

#include "tests/experiments/model/pass_text.h"

#include "experiments/model/pass_run.h"
#include "tests/core/small_mesh.h"

enum { N_POINTS = 5, N = 3, VALUES = N_POINTS * WIDTH };

static const int32_t by_hand[N * ARITY] = {3, 0, 1, 1, 4, -1, 2, 3, 4};

static void elements_read_add_and_write(void **state) {
    float values[(READS + ADDS) * VALUES], expected[ADDS * VALUES] = {0}, sums[N];
    float with_elements[N * ELEMENT] = {1, 10, 100}, with_points[N_POINTS * POINT + 1] = {0};
    struct params params = {.n = N,
                            .n_points = N_POINTS,
                            .index = by_hand,
                            .at_points = values,
                            .with_elements = with_elements,
                            .with_points = with_points};
    for (int i = 0; i < (READS + ADDS) * VALUES; i++)
        values[i] = i < READS * VALUES ? (float)(i + 1) : 0;
    for (int i = 0; i < N; i++) {
        sums[i] = with_elements[i];
        for (int slot = 0; slot < ARITY; slot++)
            for (int k = 0; k < READS * WIDTH && by_hand[i * ARITY + slot] >= 0; k++)
                sums[i] +=
                    values[k / WIDTH * VALUES + by_hand[i * ARITY + slot] * WIDTH + k % WIDTH];
        for (int slot = 0; slot < ARITY; slot++)
            for (int k = 0; k < ADDS * WIDTH && by_hand[i * ARITY + slot] >= 0; k++)
                expected[k / WIDTH * VALUES + by_hand[i * ARITY + slot] * WIDTH + k % WIDTH] +=
                    sums[i];
    }
    with_points[N_POINTS * POINT] = 7;
    for (int block = 0; block < N_POINTS + 2; block++) /* more points than elements, two of none */
        pass(&params, block);
    for (int i = 0; i < ADDS * VALUES; i++)
        assert_float_equal(values[READS * VALUES + i], expected[i], 0);
    for (int i = 0; i < N * WRITTEN; i++)
        assert_float_equal(with_elements[N + i], sums[i % N], 0);
    assert_float_equal(with_elements[0], 1, 0);
    assert_float_equal(with_points[N_POINTS * POINT], 7, 0); /* but what stands there is seen: */
    with_points[N_POINTS + 1] = -1e6f;
    pass(&params, 1);
    assert_float_equal(with_points[N_POINTS * POINT], ROUNDS * -1e6f + sums[1], 1);
}

static void passes_run_on_the_emulator(void **state) {
    static const int32_t old_to_new[N_POINTS] = {3, 0, 1, 2, 4}, new_to_old[N] = {2, 0, 1};
    for (int bytes = 4; bytes <= 24; bytes += 4) {
        tess_pass passes[2] = {{.index = by_hand,
                                .arity = ARITY,
                                .n = N,
                                .n_points = N_POINTS,
                                .window = TESS_WARP,
                                .point_bytes = bytes,
                                .reads = 1,
                                .adds = bytes != 8,
                                .element_bytes = 28,
                                .written_bytes = 20,
                                .stream_bytes = 12,
                                .rounds = 2}};
        passes[1] = passes[0];
        passes[1].elements = new_to_old;
        passes[1].points = old_to_new;
        double seconds[2][2] = {{0}};
        int n_turns = 2;
        OK(tess_pass_run("emulator", passes, 2, &n_turns, seconds[0]));
        assert_int_equal(n_turns, 2);
        assert_true(seconds[0][0] > 0 && seconds[1][1] > 0);
    }
}

/* What an element computes changes no sum, but takes its time. */
static void steps_change_no_sum(void **state) {
    for (int steps = 0; steps < 5; steps++)
        assert_float_equal(compute(3.25f, steps), 3.25f, 0);
}

static void elements_compute_for_so_long(void **state) {
    enum { MANY = 64 };
    int32_t index[MANY];
    double seconds[2] = {0};
    tess_pass one = {.index = index,
                     .arity = 1,
                     .n = MANY,
                     .n_points = MANY,
                     .window = TESS_WARP,
                     .point_bytes = 4,
                     .reads = 1,
                     .rounds = 1};
    for (int i = 0; i < MANY; i++)
        index[i] = i;
    for (int works = 0; works < 2; works++) {
        int n_turns = 1;
        one.work = works * 1e5; /* nanoseconds: without it the emulator takes some thousand */
        OK(tess_pass_run("emulator:workers=1", &one, 1, &n_turns, &seconds[works]));
    }
    assert_true(seconds[1] > 10 * seconds[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_read_add_and_write), cmocka_unit_test(passes_run_on_the_emulator),
        cmocka_unit_test(steps_change_no_sum), cmocka_unit_test(elements_compute_for_so_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

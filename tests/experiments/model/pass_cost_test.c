/* The cost of a pass: points and lines of windows by hand, lines by level in caches by hand. */
#include "experiments/model/pass_cost.h"

#include "tests/core/small_mesh.h"
#include <math.h>

/* Eight points of 8 bytes are a line. */
static const int32_t by_hand[] = {0, 1, 8, 1, 0, 16, 17, 1};

static void windows_have_distinct_points_and_lines(void **state) {
    tess_pass pass = {.index = by_hand,
                      .arity = 2,
                      .n = 4,
                      .n_points = 24,
                      .point_bytes = 8,
                      .reads = 1,
                      .window = 2};
    tess_pass_cost cost;
    OK(tess_pass_count(&pass, NULL, &cost));
    assert_float_equal(cost.points, (3 + 4) / 2.0, 1e-9); /* 0 1 8; 0 16 17 1 */
    assert_float_equal(cost.lines, (2 + 2) / 2.0, 1e-9);
    assert_true(isnan(cost.seconds));
    pass.point_bytes = 64;
    OK(tess_pass_count(&pass, NULL, &cost));
    assert_float_equal(cost.lines, 3.5, 1e-9);
    pass.point_bytes = 96; /* points 0 and 1 share the second line */
    pass.n = 1;
    OK(tess_pass_count(&pass, NULL, &cost));
    assert_float_equal(cost.lines, 3, 1e-9);
}

static void numberings_count(void **state) {
    static const int32_t elements[] = {0, 2, 1, 3};
    static int32_t points[24];
    for (int i = 0; i < 24; i++)
        points[i] = i;
    points[16] = 9;
    points[9] = 16;
    const tess_pass pass = {.index = by_hand,
                            .arity = 2,
                            .n = 4,
                            .n_points = 24,
                            .point_bytes = 8,
                            .reads = 1,
                            .elements = elements,
                            .points = points,
                            .window = 2};
    tess_pass_cost cost;
    OK(tess_pass_count(&pass, NULL, &cost));
    assert_float_equal(cost.points, (3 + 3) / 2.0, 1e-9); /* 0 1 9; 8 1 17 */
    assert_float_equal(cost.lines, (2 + 3) / 2.0, 1e-9);
}

/* In the first third a window has one point, in the second two lines, in the last four points. */
static void many_windows_are_sampled_everywhere(void **state) {
    enum { WINDOWS = 9000, N = 2 * WINDOWS };
    static int32_t index[2 * N];
    for (int i = 0; i < N; i++) {
        const int third = 3 * i / N, first = i / 2 * 32;
        index[2 * i] = first + (third == 2 ? i % 2 * 2 : 0);
        index[2 * i + 1] = first + (third == 0 ? 0 : third == 1 ? 8 : i % 2 * 2 + 1);
    }
    const tess_pass pass = {.index = index,
                            .arity = 2,
                            .n = N,
                            .n_points = WINDOWS * 32,
                            .point_bytes = 8,
                            .reads = 1,
                            .window = 2};
    tess_pass_cost cost;
    OK(tess_pass_count(&pass, NULL, &cost));
    assert_float_equal(cost.points, (1 + 2 + 4) / 3.0F, 1e-2F);
    assert_float_equal(cost.lines, (1 + 2 + 1) / 3.0F, 1e-2F);
}

/* A cache of 16 sets of eight lines, and memory; every second line costs nothing ahead. */
static tess_machine small_machine(void) {
    tess_machine machine = {.n_levels = 2, .line_bytes = 64};
    machine.levels[0] = (tess_machine_level){.bandwidth = 1e12, .random = 1e12};
    machine.levels[1] = (tess_machine_level){.capacity = 1024, .bandwidth = 64, .random = 32};
    return machine;
}

static void lines_come_ahead_or_apart(void **state) {
    enum { N = 4096 };
    static int32_t index[N];
    const tess_machine machine = small_machine();
    tess_pass_cost cost;
    tess_pass pass = {.index = index,
                      .arity = 1,
                      .n = N,
                      .n_points = N,
                      .point_bytes = 64,
                      .reads = 1,
                      .element_bytes = 8,
                      .window = 128};
    for (int i = 0; i < N; i++)
        index[i] = i;
    OK(tess_pass_count(&pass, &machine, &cost));
    assert_int_equal(cost.from[1].ahead, N - 1); /* the first one comes at another place */
    assert_int_equal(cost.from[1].apart, 1);
    assert_float_equal(cost.seconds, N - 1 + 2 + N * 12 / 64.0, 1e-3);
    for (int i = 0; i < N; i++)
        index[i] = (int32_t)((i * 1021ll) % N);
    OK(tess_pass_count(&pass, &machine, &cost));
    assert_in_range(cost.from[1].apart, N - 8, N);
    pass.adds = 1; /* a second array, whose lines are others, and what streams */
    pass.stream_bytes = 16;
    OK(tess_pass_count(&pass, &machine, &cost));
    assert_in_range(cost.from[1].apart, 2 * N - 16, 2 * N);
    assert_float_equal(cost.seconds,
                       (float)(cost.from[1].ahead + 2 * cost.from[1].apart) + N * (12 + 16) / 64.0F,
                       1e-3);
    pass.adds = 0;
    pass.solves = 1; /* there and back, each way with its elements; and the diagonal */
    pass.rounds = 3; /* from memory, which alone holds what streams */
    OK(tess_pass_count(&pass, &machine, &cost));
    assert_in_range(cost.from[1].apart, 4 * N - 32, 4 * N);
    assert_float_equal(cost.seconds,
                       (float)(cost.from[1].ahead + 2 * cost.from[1].apart) +
                           N * (3 * 12 + 3 * 16) / 64.0F,
                       1e-2F);
    pass.solves = 0;
    pass.n_points = 512; /* what streams is as much as the cache holds: from memory once */
    for (int i = 0; i < N; i++)
        index[i] %= 512;
    OK(tess_pass_count(&pass, &machine, &cost));
    assert_float_equal(cost.seconds,
                       (float)(N * 12 + 512 * 16) / 64.0F +
                           (float)(cost.from[1].ahead + 2 * cost.from[1].apart),
                       1e-2F);
    for (int i = 0; i < N; i++)
        index[i] = (int32_t)((i * 1021ll) % N);
    pass.n_points = N;
    pass.n = 128; /* what fits stays from one pass to the next */
    OK(tess_pass_count(&pass, &machine, &cost));
    assert_int_equal(cost.from[0].ahead, 128);
    assert_int_equal(cost.from[1].ahead + cost.from[1].apart, 0);
}

/* A line is left out each time, or two, which are one too many. */
static void lines_that_are_left_out_do_not_set_apart(void **state) {
    enum { N = 4096 };
    static int32_t index[N];
    const tess_machine machine = small_machine();
    const tess_pass pass = {.index = index,
                            .arity = 1,
                            .n = N,
                            .n_points = N,
                            .point_bytes = 64,
                            .reads = 1,
                            .window = 128};
    for (int stride = 2; stride <= 3; stride++) {
        tess_pass_cost cost;
        for (int i = 0; i < N; i++)
            index[i] = stride * i % N;
        OK(tess_pass_count(&pass, &machine, &cost));
        assert_in_range(stride == 2 ? cost.from[1].ahead : cost.from[1].apart, N - 4, N);
    }
}

/* What is read, and solved there and back; the diagonal is one of the entries. */
static void rows_stream_their_entries(void **state) {
    enum { N = 4096 };
    static int32_t index[N];
    const tess_machine machine = small_machine();
    tess_pass_cost cost;
    tess_pass pass = {.index = index,
                      .arity = 2,
                      .pairs = true,
                      .n = N / 2,
                      .n_points = N,
                      .point_bytes = 64,
                      .reads = 1,
                      .solves = 1,
                      .element_bytes = 8,
                      .rounds = 1,
                      .window = 128};
    for (int i = 0; i < N; i++)
        index[i] = (int32_t)((i * 1021ll) % N);
    OK(tess_pass_count(&pass, &machine, &cost));
    assert_in_range(cost.from[1].apart, 3 * N - 32, 3 * N);
    assert_float_equal(
        cost.seconds,
        (float)(cost.from[1].ahead + 2 * cost.from[1].apart) + N * 3 * (12 + 6 + 8) / 64.0F, 1e-2F);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_have_distinct_points_and_lines),
        cmocka_unit_test(numberings_count),
        cmocka_unit_test(many_windows_are_sampled_everywhere),
        cmocka_unit_test(lines_come_ahead_or_apart),
        cmocka_unit_test(lines_that_are_left_out_do_not_set_apart),
        cmocka_unit_test(rows_stream_their_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

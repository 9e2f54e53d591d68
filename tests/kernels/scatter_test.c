/* A scatter: on the host and on the emulator, which finds races, the same bits, in the map's order;
 * points of any number of entries; what is wrong is said. */
#include "core/base/array.h"
#include "kernels/scatter/scatter.h"
#include "tests/unit.h"

enum { N_POINTS = 9, N_ENTRIES = 70000, WIDTH = 3 };

/* Entries of a few points; the last one has none, the first more than 256 times 256. */
static int32_t *points_of_entries(void) {
    int32_t *points = NULL;
    OK(TESS_ALLOC(N_ENTRIES, &points));
    for (int32_t i = 0; i < N_ENTRIES; i++)
        points[i] = i % 20 ? 0 : i / 20 % (N_POINTS - 1);
    return points;
}

static void reduce(const tess_scatter_map *map, const char *device, tess_reduction reduction,
                   const float *values, float *result, int32_t *chosen) {
    tess_scatter *scatter = NULL;
    const tess_scatter_call call = {.reduction = reduction,
                                    .type = TESS_SCATTER_FLOAT,
                                    .width = WIDTH,
                                    .values = values,
                                    .result = result,
                                    .chosen = chosen};
    OK(tess_scatter_build(map, device, 64, &scatter));
    assert_int_equal(tess_scatter_scratch(scatter, &call), 0);
    OK(tess_scatter_reduce(scatter, &call));
    tess_scatter_free(scatter);
}

static void host_and_emulator_agree(void **state) {
    int32_t *points = points_of_entries();
    float *values = NULL;
    OK(TESS_ALLOC((int64_t)N_ENTRIES * WIDTH, &values));
    for (int32_t i = 0; i < N_ENTRIES * WIDTH; i++)
        values[i] = (float)(i * 7919 % 1009) / 64;
    const tess_scatter_map map = {.n_entries = N_ENTRIES, .n_points = N_POINTS, .points = points};
    for (tess_reduction r = TESS_SUM; r <= TESS_MIN; r++) {
        const bool chooses = r == TESS_MAX || r == TESS_MIN;
        float here[N_POINTS * WIDTH], there[N_POINTS * WIDTH];
        int32_t chosen[N_POINTS * WIDTH], chosen_there[N_POINTS * WIDTH];
        reduce(&map, "host", r, values, here, chooses ? chosen : NULL);
        reduce(&map, "emulator:seed=3", r, values, there, chooses ? chosen_there : NULL);
        assert_memory_equal(here, there, sizeof here);
        for (int i = 0; chooses && i < N_POINTS * WIDTH; i++) {
            assert_int_equal(chosen[i], chosen_there[i]);
            if (i >= (N_POINTS - 1) * WIDTH)
                assert_int_equal(chosen[i], -1);
            else
                assert_float_equal(values[chosen[i] * WIDTH + i % WIDTH], here[i], 0);
        }
    }
    free(points);
    free(values);
}

static void values_are_added_in_the_order_of_the_map(void **state) {
    static const int32_t points[] = {0, 0, 0};
    static const float values[3 * WIDTH] = {1, 1e8F, -1e8F, 1e8F, -1e8F, 1e8F, -1e8F, 1, 1};
    const tess_scatter_map map = {.n_entries = 3, .n_points = 1, .points = points};
    float result[WIDTH];
    reduce(&map, "host", TESS_SUM, values, result, NULL);
    assert_float_equal(result[0], 0, 0); /* (1 + 1e8) - 1e8 */
    assert_float_equal(result[1], 1, 0);
    assert_float_equal(result[2], 1, 0);
}

static void what_is_wrong_is_said(void **state) {
    static const int32_t points[] = {0, 1, 4};
    const tess_scatter_map map = {.n_entries = 3, .n_points = 4, .points = points};
    const tess_scatter_map good = {.n_entries = 3, .n_points = 5, .points = points};
    tess_scatter *scatter = NULL;
    assert_int_equal(tess_scatter_build(&map, "host", 64, &scatter), TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "entry 2 names point 4: there are 4 points"));
    assert_int_equal(tess_scatter_build(&good, "host", 48, &scatter), TESS_ERROR_USAGE);
    assert_int_equal(tess_scatter_build(&good, "nvrtc", 64, &scatter), TESS_ERROR_USAGE);
    const tess_scatter_map negative = {.n_entries = -1, .n_points = 5, .points = points};
    assert_int_equal(tess_scatter_build(&negative, "host", 64, &scatter), TESS_ERROR_INPUT);
    assert_null(scatter);
    OK(tess_scatter_build(&good, "host", 64, &scatter));
    int32_t chosen[5];
    const tess_scatter_call product = {.reduction = (tess_reduction)(TESS_MIN + 1), .width = 1};
    assert_int_equal(tess_scatter_reduce(scatter, &product), TESS_ERROR_USAGE);
    const tess_scatter_call sum = {.type = TESS_SCATTER_DOUBLE, .width = 1, .chosen = chosen};
    const tess_scatter_call none = {.type = TESS_SCATTER_DOUBLE};
    assert_int_equal(tess_scatter_reduce(scatter, &sum), TESS_ERROR_USAGE);
    assert_int_equal(tess_scatter_reduce(scatter, &none), TESS_ERROR_USAGE);
    tess_scatter_free(scatter);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_and_emulator_agree),
        cmocka_unit_test(values_are_added_in_the_order_of_the_map),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Rows of a pass: as they are put down, and solved by its text, compiled here. */
enum {
    ARITY = 2,
    PADDED = 0,
    ROWS = 1,
    LISTS = 0,
    READS = 1,
    ADDS = 0,
    SOLVES = 2,
    WIDTH = 1,
    ELEMENT = 1,
    WRITTEN = 0,
    POINT = 0,
    ROUNDS = 1,
    WORK = 0
};

#include "tests/experiments/model/pass_text.h"

#include "experiments/model/pass.h"
#include "tests/core/small_mesh.h"

enum { N_POINTS = 4, N = 6 };

static const int32_t pairs[N * 2] = {0, 3, 0, 1, 1, 0, 3, 1, 1, 3, 3, 0};
static tess_pass pass_of_pairs = {.index = pairs,
                                  .arity = 2,
                                  .n = N,
                                  .n_points = N_POINTS,
                                  .reads = 1,
                                  .solves = 2,
                                  .element_bytes = 8,
                                  .pairs = true};

static void rows_have_their_diagonal(void **state) {
    static const int64_t starts[] = {0, 3, 6, 7, 10}, of_others[] = {0, 3, 4, 7, 10};
    static const int32_t old_to_new[N_POINTS] = {3, 0, 1, 2}, elements[N] = {5, 3, 1, 0, 2, 4},
                         expected[] = {0, 1, 3, 0, 1, 3, 2, 0, 1, 3},
                         others[] = {0, 2, 3, 1, 0, 2, 3, 0, 2, 3};
    int64_t begin[N_POINTS + 1];
    int32_t columns[N + N_POINTS];
    tess_pass_put_rows(&pass_of_pairs, begin, columns);
    assert_memory_equal(begin, starts, sizeof begin);
    assert_memory_equal(columns, expected, sizeof columns);
    tess_pass moved = pass_of_pairs;
    moved.elements = elements;
    tess_pass_put_rows(&moved, begin, columns);
    assert_memory_equal(columns, expected, sizeof columns);
    moved.points = old_to_new;
    tess_pass_put_rows(&moved, begin, columns);
    assert_memory_equal(begin, of_others, sizeof begin);
    assert_memory_equal(columns, others, sizeof columns);
}

static void only_what_is_solved_alone_has_rows(void **state) {
    tess_pass pass = pass_of_pairs;
    assert_true(tess_pass_has_rows(&pass));
    assert_int_equal(tess_pass_arrays(&pass), 3);
    assert_int_equal(tess_pass_entries(&pass), N + N_POINTS);
    assert_int_equal(tess_pass_element_bytes(&pass), (N + N_POINTS) * 12 + N_POINTS * 8);
    pass.adds = 1;
    assert_false(tess_pass_has_rows(&pass));
    assert_int_equal(tess_pass_arrays(&pass), 5); /* and the diagonal */
    assert_int_equal(tess_pass_element_bytes(&pass), N * 16);
    pass.adds = 0;
    pass.lists = true;
    assert_false(tess_pass_has_rows(&pass));
    pass.lists = pass.pairs = false;
    assert_false(tess_pass_has_rows(&pass));
    pass.pairs = true;
    pass.solves = 0;
    assert_false(tess_pass_has_rows(&pass));
}

/* Gauss-Seidel there and back on the matrix as it is written down in full. */
static void solve_whole(double matrix[N_POINTS][N_POINTS], double *values) {
    for (int step = 0; step < 2 * N_POINTS; step++) {
        const int row = step < N_POINTS ? step : 2 * N_POINTS - 1 - step;
        for (int column = 0; column < N_POINTS; column++)
            values[row] -= column == row ? 0 : matrix[row][column] * values[column];
        values[row] /= matrix[row][row];
    }
}

static void rows_are_solved(void **state) {
    static struct {
        long long begin[N_POINTS + 1];
        int columns[N + N_POINTS];
    } rows = {{0, 3, 6, 7, 10}, {0, 1, 3, 0, 1, 3, 2, 0, 1, 3}};
    static double entries[N + N_POINTS] = {4, -1, .5, -2, 5, 1, 0, .25, 2, 8};
    double matrix[N_POINTS][N_POINTS] = {{4, -1, 0, .5},
                                         {-2, 5, 0, 1},
                                         {0, 0, 1, 0},
                                         {.25, 2, 0, 8}},
           at_points[3 * N_POINTS] = {8, 16, 24, 40}, with_points[1] = {0},
           expected[2 * N_POINTS] = {4, 8, 12, 20, 2, 4, 6, 10}; /* as they are set: by halves */
    struct params params = {.n = 1ll << 40, /* of pairs, none of which is gone through */
                            .n_points = N_POINTS,
                            .index = (const int *)&rows,
                            .at_points = at_points,
                            .with_elements = entries,
                            .with_points = with_points};
    solve_whole(matrix, expected);
    solve_whole(matrix, expected + N_POINTS);
    pass(&params, 0);
    for (int i = 0; i < 2 * N_POINTS; i++)
        assert_float_equal(at_points[N_POINTS + i], expected[i], 1e-12);
    /* A row's product: 8 4 - 16 + 40 / 2; -2 8 + 5 16 + 40; 0; 8 / 4 + 2 16 + 8 40. */
    assert_float_equal(multiply_rows(&params), 36 + 104 + 0 + 354, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_their_diagonal),
        cmocka_unit_test(only_what_is_solved_alone_has_rows),
        cmocka_unit_test(rows_are_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

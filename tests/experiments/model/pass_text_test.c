/* The text of a pass, compiled here: lists hold the pairs of all elements, each with what they add.
 */
enum {
    ARITY = 3,
    PADDED = 1,
    ROWS = 0,
    LISTS = 1,
    READS = 0,
    ADDS = 0,
    SOLVES = 0,
    WIDTH = 2,
    ELEMENT = 1,
    WRITTEN = 0,
    POINT = 0,
    ROUNDS = 1,
    WORK = 0
};

#include "tests/experiments/model/pass_text.h"

#include "tests/core/small_mesh.h"

enum { N_POINTS = 5, N = 4 };

/* Goes through the list of a row: every column once. */
static int read_row(struct entry *const *rows, int row, double *values) {
    int n = 0;
    for (const struct entry *one = rows[row]; one; one = one->next, n++) {
        assert_in_range(one->column, 0, N_POINTS - 1);
        assert_true(values[one->column] == 0);
        assert_true(one->values[0] == one->values[1]);
        values[one->column] = one->values[1];
    }
    return n;
}

static void lists_hold_the_pairs(void **state) {
    static const int index[N * ARITY] = {3, 0, 1, 1, 4, -1, 3, 1, 2, -1, 4, -1};
    static double with_elements[N] = {1, 10, 100, 1000};
    static struct {
        struct entry *rows[N_POINTS], *at_column[N_POINTS];
        struct entry entries[N * ARITY * ARITY];
    } lists;
    double with_points[1] = {0}, expected[N_POINTS][N_POINTS] = {{0}};
    struct params params = {.n = N,
                            .n_points = N_POINTS,
                            .index = index,
                            .with_elements = with_elements,
                            .with_points = with_points,
                            .lists = &lists};
    for (int i = 0; i < N; i++)
        for (int a = 0; a < ARITY; a++)
            for (int b = 0; b < ARITY; b++)
                if (index[i * ARITY + a] >= 0 && index[i * ARITY + b] >= 0)
                    expected[index[i * ARITY + a]][index[i * ARITY + b]] += with_elements[i];
    for (int again = 0; again < 2; again++) {
        pass(&params, 0);
        for (int row = 0; row < N_POINTS; row++) {
            double values[N_POINTS] = {0};
            int n = 0;
            for (int column = 0; column < N_POINTS; column++)
                n += expected[row][column] > 0;
            assert_int_equal(read_row(lists.rows, row, values), n);
            assert_memory_equal(values, expected[row], sizeof values);
            assert_null(lists.at_column[row]);
        }
        assert_true(lists.entries[16].values[0] > 0); /* of 9 + 3 + 5 pairs, made once */
        assert_true(lists.entries[17].values[0] == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists_hold_the_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Rows: built from a row of each item, and from items that come in any order. */
#include "core/base/rows.h"
#include "tests/core/small_mesh.h"
#include <omp.h>

static void items_are_ascending_in_their_rows(void **state) {
    uint64_t seed = 1;
    for (int trial = 0; trial < 200; trial++) {
        enum { MOST = 50 };
        int32_t row_of[MOST];
        const int n_rows = 1 + random_below(&seed, 20), n_items = random_below(&seed, MOST);
        for (int i = 0; i < n_items; i++)
            row_of[i] = random_below(&seed, n_rows);
        tess_rows *rows = NULL;
        OK(tess_rows_build(row_of, n_items, n_rows, &rows));
        assert_int_equal(rows->n, n_rows);
        assert_int_equal(rows->offset[0], 0);
        assert_int_equal(rows->offset[n_rows], n_items);
        int64_t longest = 0;
        for (int r = 0; r < n_rows; r++) {
            int64_t at = rows->offset[r];
            for (int i = 0; i < n_items; i++)
                if (row_of[i] == r)
                    assert_int_equal(rows->item[at++], i);
            assert_int_equal(at, rows->offset[r + 1]);
            longest = tess_rows_size(rows, r) > longest ? tess_rows_size(rows, r) : longest;
        }
        assert_int_equal(tess_rows_longest(rows), longest);
        tess_rows_free(rows);
    }
}

/* Many items, some of them left out, in any order, on some threads. */
static void many_items_are_put_into_rows_by_all_threads(void **state) {
    enum { N = 300000 };
    uint64_t seed = 7;
    const int64_t n_rows_of[] = {1, 3, 1000, 1024, 1025, 250001, 1000000};
    int32_t *row_of = NULL, *items = NULL;
    OK(TESS_ALLOC(N, &row_of));
    OK(TESS_ALLOC(N, &items));
    const int before = omp_get_max_threads();
    omp_set_num_threads(5);
    for (int trial = 0; trial < 14; trial++) {
        const int64_t n_rows = n_rows_of[trial / 2], n = trial % 2 ? N - N / 4 : N;
        tess_rows *rows = NULL, *expected = NULL;
        for (int i = 0; i < N; i++) {
            row_of[i] = random_below(&seed, n_rows);
            items[i] = i;
        }
        for (int i = 0; i < N; i++) {
            const int j = random_below(&seed, N), item = items[i];
            items[i] = items[j];
            items[j] = item;
        }
        OK(tess_rows_build_of(trial % 2 ? items : NULL, row_of, n, n_rows, &rows));
        OK(tess_rows_new(n_rows, &expected));
        for (int64_t i = 0; i < n; i++)
            tess_rows_count(expected, row_of[trial % 2 ? items[i] : i]);
        OK(tess_rows_open(expected));
        for (int64_t i = 0; i < n; i++) {
            const int32_t item = trial % 2 ? items[i] : (int32_t)i;
            tess_rows_put(expected, row_of[item], item);
        }
        assert_memory_equal(rows->offset, expected->offset,
                            (size_t)(n_rows + 1) * sizeof *rows->offset);
        assert_memory_equal(rows->item, expected->item, (size_t)n * sizeof *rows->item);
        tess_rows_free(rows);
        tess_rows_free(expected);
    }
    omp_set_num_threads(before);
    free(row_of);
    free(items);
}

static void items_stand_as_they_came(void **state) {
    const int row[] = {2, 0, 2, 3, 2}, item[] = {7, 5, 7, 1, 3};
    const int64_t offset[] = {0, 1, 1, 4, 5};
    const int32_t expected[] = {5, 7, 7, 3, 1};
    tess_rows *rows = NULL;
    OK(tess_rows_new(4, &rows));
    for (int i = 0; i < 5; i++)
        tess_rows_count(rows, row[i]);
    OK(tess_rows_open(rows));
    for (int i = 0; i < 5; i++)
        tess_rows_put(rows, row[i], item[i]);
    assert_memory_equal(rows->offset, offset, sizeof offset);
    assert_memory_equal(rows->item, expected, sizeof expected);
    tess_rows_free(rows);
}

static void no_rows_are_fine(void **state) {
    tess_rows *rows = NULL;
    OK(tess_rows_build(NULL, 0, 0, &rows));
    assert_int_equal(rows->offset[0], 0);
    assert_int_equal(tess_rows_longest(rows), 0);
    tess_rows_free(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_ascending_in_their_rows),
        cmocka_unit_test(many_items_are_put_into_rows_by_all_threads),
        cmocka_unit_test(items_stand_as_they_came),
        cmocka_unit_test(no_rows_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

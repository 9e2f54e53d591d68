/* Rows: built from a row of each item, and from items that come in any order. */
#include "core/base/rows.h"
#include "tests/core/small_mesh.h"

static void items_are_ascending_in_their_rows(void **state) {
    (void)state;
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

static void items_stand_as_they_came(void **state) {
    (void)state;
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
    (void)state;
    tess_rows *rows = NULL;
    OK(tess_rows_build(NULL, 0, 0, &rows));
    assert_int_equal(rows->offset[0], 0);
    assert_int_equal(tess_rows_longest(rows), 0);
    tess_rows_free(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_ascending_in_their_rows),
        cmocka_unit_test(items_stand_as_they_came),
        cmocka_unit_test(no_rows_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

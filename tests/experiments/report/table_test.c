/* Tables: alignment, marks without colour, rows that are not full. */
#include "experiments/report/table.h"
#include "tests/unit.h"

static char *printed(const tess_table *table) {
    FILE *file = tmpfile(); /* libsmartcols asks for a file descriptor */
    assert_non_null(file);
    OK(tess_table_print(table, file));
    rewind(file);
    char *text = calloc(4096, 1);
    assert_non_null(text);
    assert_true(fread(text, 1, 4095, file) > 0);
    fclose(file);
    return text;
}

static tess_table *two_columns(void) {
    tess_table *table = NULL;
    OK(tess_table_new(NULL, &table));
    OK(tess_table_add_column(table, "PARTITIONER", TESS_ALIGN_LEFT));
    OK(tess_table_add_column(table, "REUSE", TESS_ALIGN_RIGHT));
    return table;
}

static void add_row(tess_table *table, const char *name, double value) {
    OK(tess_table_add_row(table));
    OK(tess_table_add_cell(table, "%s", name));
    OK(tess_table_add_cell(table, "%.2f", value));
}

static void aligns_numbers_right(void **state) {
    tess_table *table = two_columns();
    add_row(table, "metis", 3.5);
    add_row(table, "natural", 10.25);
    char *text = printed(table);
    assert_string_equal(text, "PARTITIONER  REUSE\n"
                              "metis         3.50\n"
                              "natural      10.25\n");
    free(text);
    tess_table_free(table);
}

static void marks_the_best_without_moving_the_others(void **state) {
    tess_table *table = two_columns();
    add_row(table, "metis", 3.5);
    add_row(table, "rcb", 3.25);
    tess_table_mark(table, 0, 1);
    char *text = printed(table);
    assert_non_null(strstr(text, "metis        3.50*\n"));
    assert_non_null(strstr(text, "rcb          3.25\n"));
    free(text);
    tess_table_free(table);
}

static void refuses_more_cells_than_columns(void **state) {
    tess_table *table = two_columns();
    assert_int_equal(tess_table_add_cell(table, "early"), TESS_ERROR_INTERNAL);
    add_row(table, "metis", 3.5);
    assert_int_equal(tess_table_add_cell(table, "third"), TESS_ERROR_INTERNAL);
    assert_int_equal(tess_table_add_column(table, "LATE", TESS_ALIGN_LEFT), TESS_ERROR_INTERNAL);
    tess_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligns_numbers_right),
        cmocka_unit_test(marks_the_best_without_moving_the_others),
        cmocka_unit_test(refuses_more_cells_than_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The first lines of a text. */
#include "core/base/array.h"
#include "tests/unit.h"

static void lines_are_whole(void **state) {
    assert_int_equal(tess_text_first_lines("one\ntwo\nthree", 9), strlen("one\ntwo"));
    assert_int_equal(tess_text_first_lines("one\ntwo\nthree", 7), strlen("one\ntwo"));
    assert_int_equal(tess_text_first_lines("one\ntwo\nthree", 6), strlen("one"));
}

static void a_text_that_fits_loses_its_last_end_alone(void **state) {
    assert_int_equal(tess_text_first_lines("one\ntwo\n", 100), strlen("one\ntwo"));
    assert_int_equal(tess_text_first_lines("one\n\ntwo", 100), strlen("one\n\ntwo"));
    assert_int_equal(tess_text_first_lines("\n\n", 100), 0);
    assert_int_equal(tess_text_first_lines("", 100), 0);
}

static void a_long_first_line_is_cut(void **state) {
    assert_int_equal(tess_text_first_lines("a line that is long\nand more", 6), 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_whole),
        cmocka_unit_test(a_text_that_fits_loses_its_last_end_alone),
        cmocka_unit_test(a_long_first_line_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

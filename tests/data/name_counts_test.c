/* Name counts: a list that is cut says so, wherever its room ends. */
#include "data/formats/name_counts.h"
#include "tests/unit.h"

static void a_list_that_is_cut_ends_with_dots(void **state) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmn";
    const size_t most = sizeof letters - 1;
    for (size_t length = 1; length <= most; length++) {
        tess_name_counts list = {.n = 0};
        for (size_t i = 0; i < 200; i++) {
            tess_name_counts_add(&list, letters + most - length, 0);
            const char *text = tess_name_counts_text(&list);
            const size_t size = strlen(text), whole = (i + 1) * (length + 2) + 2 * i;
            assert_true(size < sizeof list.text);
            if (size != whole)
                assert_string_equal(text + size - 5, ", ...");
        }
        assert_int_equal(list.n, 200);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_list_that_is_cut_ends_with_dots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

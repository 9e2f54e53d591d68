/* Verdicts: against the mesh as it is stored, ties and costs named, meshes that are too small told.
 */
#include "experiments/report/verdict.h"
#include "tests/unit.h"

#include <math.h>

enum { N = 5 };

static const tess_verdict_row stored = {.name = "as stored", .seconds = 283e-6, .is_stored = true};

static tess_verdict_row way(const char *name, double seconds) {
    return (tess_verdict_row){.name = name, .detail = "", .seconds = seconds};
}

static void assert_words(const tess_verdict_row *rows, int64_t n, const char *expected) {
    char *text = NULL;
    size_t size = 0;
    FILE *words = open_memstream(&text, &size);
    assert_non_null(words);
    tess_verdict_print(rows, n, "NVIDIA H200", words);
    fclose(words);
    assert_string_equal(text, expected);
    free(text);
}

static void the_gain_is_over_what_one_has(void **state) {
    const tess_verdict_row rows[N] = {way("hilbert", 77.6e-6), way("mosaic", 76e-6), stored,
                                      way("metis", 76.5e-6), way("gps", 200e-6)};
    assert_int_equal(tess_verdict_best(rows, N), 1);
    assert_words(rows, N,
                 "mosaic: 3.7 times as fast as your file's order by the model of the NVIDIA H200 "
                 "(0.076 ms for 0.283); metis ties; hilbert costs 2 %, gps 2.6 times the time");
}

static void ways_of_one_name_count_as_their_fastest(void **state) {
    tess_verdict_row rows[N] = {way("rcb", 90e-6), way("mosaic", 100e-6), way("mosaic", 100.1e-6),
                                way("rcb", 150e-6), stored};
    rows[0].detail = " in blocks of 64";
    assert_words(rows, N,
                 "rcb in blocks of 64: 3.1 times as fast as your file's order by the model of the "
                 "NVIDIA H200 (0.09 ms for 0.283); mosaic costs 11 %");
}

static void yardsticks_and_failures_take_no_part(void **state) {
    tess_verdict_row rows[N] = {way("random", 1e-6), way("rcb", 90e-6), way("scotch", NAN), stored,
                                way("gps", 90e-6)};
    rows[0].is_yardstick = true;
    assert_int_equal(tess_verdict_best(rows, N), 1);
    assert_words(rows, N,
                 "rcb: 3.1 times as fast as your file's order by the model of the NVIDIA H200 "
                 "(0.09 ms for 0.283); gps ties");
    assert_int_equal(tess_verdict_best(rows + 3, 1), -1);
    assert_words(rows + 3, 1, "");
}

static void ties_are_told_in_the_order_of_rows(void **state) {
    const tess_verdict_row rows[N] = {way("mosaic", 76e-6), way("rcb", 76e-6), way("gps", 76e-6),
                                      way("rcb", 76e-6)};
    assert_words(rows, N - 1,
                 "mosaic: the fastest by the model of the NVIDIA H200 (0.076 ms); rcb and gps tie");
}

static void an_order_that_is_as_good_is_left(void **state) {
    const tess_verdict_row rows[] = {way("rcb", 275e-6), stored};
    assert_words(rows, 2,
                 "Your file's order is as good: by the model of the NVIDIA H200 it takes 0.283 ms, "
                 "rcb 0.275 ms");
    const tess_verdict_row better[] = {way("rcb", 265e-6), stored};
    assert_words(better, 2,
                 "rcb: 1.1 times as fast as your file's order by the model of the NVIDIA H200 "
                 "(0.265 ms for 0.283)");
}

static void launches_decide_where_a_mesh_is_small(void **state) {
    tess_verdict_row rows[] = {way("rcb", 6e-6), stored};
    rows[1].seconds = 7e-6;
    rows[1].launch_seconds = 3.4e-6; /* less than half */
    assert_false(tess_verdict_is_too_small(rows, 2));
    rows[1].launch_seconds = 5e-6;
    assert_true(tess_verdict_is_too_small(rows, 2));
    assert_words(
        rows, 2,
        "The mesh is too small for a GPU to care: by the model of the NVIDIA H200 launches "
        "take 71 % of the 0.007 ms in your file's order, and no blocks change that");
    rows[0].seconds = 5.5e-6; /* and yet it gains more than the model is off */
    assert_false(tess_verdict_is_too_small(rows, 2));
    assert_false(tess_verdict_is_too_small(rows, 1));
}

static void many_ties_are_counted(void **state) {
    const tess_verdict_row rows[] = {way("a", 10e-6),   way("b", 10e-6),   way("c", 10.05e-6),
                                     way("d", 10.1e-6), way("e", 10.1e-6), way("f", 10.2e-6)};
    assert_words(rows, 6,
                 "a: the fastest by the model of the NVIDIA H200 (0.01 ms); b, c, d and 1 more "
                 "tie; f costs 2 %");
}

static void a_table_calls_rows_as_the_sentence_does(void **state) {
    tess_verdict_row rows[] = {way("a", 10e-6), way("b", 10.05e-6), way("c", 10.2e-6), stored};
    const double as_stored[] = {10.4e-6, 10.6e-6, 9.95e-6, 9.8e-6};
    const char *const words[] = {"same", "worse", "same", "better"};
    for (int i = 0; i < 4; i++) {
        rows[3].seconds = as_stored[i];
        assert_string_equal(tess_verdict_word(rows, 4, 3), words[i]);
    }
    assert_string_equal(tess_verdict_word(rows, 4, 0), "tie");
    assert_string_equal(tess_verdict_word(rows, 4, 1), "same");
    assert_string_equal(tess_verdict_word(rows, 4, 2), "worse");
    assert_string_equal(tess_verdict_word(rows + 2, 2, 0), "best");
    rows[3].launch_seconds = 5e-6;
    assert_string_equal(tess_verdict_word(rows, 4, 2), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gain_is_over_what_one_has),
        cmocka_unit_test(ways_of_one_name_count_as_their_fastest),
        cmocka_unit_test(yardsticks_and_failures_take_no_part),
        cmocka_unit_test(ties_are_told_in_the_order_of_rows),
        cmocka_unit_test(an_order_that_is_as_good_is_left),
        cmocka_unit_test(launches_decide_where_a_mesh_is_small),
        cmocka_unit_test(many_ties_are_counted),
        cmocka_unit_test(a_table_calls_rows_as_the_sentence_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

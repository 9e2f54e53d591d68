/* Specs: what is parsed, what is refused with which words, what is printed and suggested. */
#include "core/base/spec.h"
#include "tests/unit.h"

static const tess_option options[] = {
    TESS_CHOICE_OPTION("method", "kway", "kway|recursive", ""),
    TESS_INT_OPTION("seed", "0", 0, 1e9, ""),
    TESS_REAL_OPTION("balance", "1.001", 1, 2, ""),
    TESS_TEXT_OPTION("file", "own", ""),
    {NULL},
};

static const tess_option gpu_options[] = {
    {.key = "stream", .value = "0", .kind = TESS_OPTION_INT, .maximum = 7},
    {.key = "gpu", .value = "0", .kind = TESS_OPTION_INDEX, .maximum = 7},
    {.key = NULL},
};

static tess_spec *parsed(const char *text, int n_expected) {
    tess_spec *specs = NULL;
    int n = 0;
    OK(tess_spec_list_parse(text, &specs, &n));
    assert_int_equal(n, n_expected);
    return specs;
}

static void splits_lists_and_options(void **state) {
    tess_spec *specs = parsed("rcb,metis:method=recursive:seed=3,hilbert", 3);
    assert_string_equal(specs[0].name, "rcb");
    assert_int_equal(specs[0].n_values, 0);
    assert_string_equal(specs[1].name, "metis");
    assert_int_equal(specs[1].n_values, 2);
    assert_true(tess_spec_is(&specs[1], options, "method", "recursive"));
    assert_int_equal(tess_spec_int(&specs[1], options, "seed"), 3);
    assert_true(tess_spec_real(&specs[1], options, "balance") == 1.001);
    assert_string_equal(specs[2].name, "hilbert");
    tess_spec_list_free(specs, 3);
}

static void quotes_keep_colons_commas_and_quotes(void **state) {
    tess_spec *specs = parsed("file:file=\"C:\\\\a,b \\\"x\\\"=1\",rcb", 2);
    assert_string_equal(tess_spec_text(&specs[0], options, "file"), "C:\\a,b \"x\"=1");
    char *text = NULL;
    OK(tess_spec_print(&specs[0], options, &text));
    assert_string_equal(text, "file:file=\"C:\\\\a,b \\\"x\\\"=1\"");
    tess_spec *again = parsed(text, 1);
    assert_string_equal(again[0].values[0], specs[0].values[0]);
    tess_spec_list_free(again, 1);
    free(text);
    tess_spec_list_free(specs, 2);
}

static void prints_declared_order_without_defaults(void **state) {
    tess_spec *specs = parsed("metis:seed=007:balance=1.0010:method=recursive", 1);
    char *text = NULL;
    OK(tess_spec_check(&specs[0], options));
    OK(tess_spec_print(&specs[0], options, &text));
    assert_string_equal(text, "metis:method=recursive:seed=7");
    free(text);
    tess_spec_list_free(specs, 1);
}

static void what_was_another_default_is_always_said(void **state) {
    static const tess_option changed[] = {
        TESS_CHOICE_OPTION("stage", "all", "all|none", ""),
        TESS_OPTION("sum", "slots", "", TESS_OPTION_CHOICE, 0, 0, "slots|colours", "colours"),
        TESS_OPTION(.key = NULL)};
    static const struct {
        const char *text, *now, *in_a_record;
    } cases[] = {{"owner", "owner:sum=slots", "owner:sum=colours"},
                 {"owner:sum=slots", "owner:sum=slots", "owner:sum=slots"},
                 {"owner:sum=colours:stage=none", "owner:stage=none:sum=colours",
                  "owner:stage=none:sum=colours"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tess_spec *specs = parsed(cases[i].text, 1);
        char *now = NULL, *then = NULL;
        OK(tess_spec_print(&specs[0], changed, &now));
        OK(tess_spec_restore(&specs[0], changed));
        OK(tess_spec_check(&specs[0], changed));
        OK(tess_spec_print(&specs[0], changed, &then));
        assert_string_equal(now, cases[i].now);
        assert_string_equal(then, cases[i].in_a_record);
        free(now);
        free(then);
        tess_spec_list_free(specs, 1);
    }
}

static void refuses_what_cannot_be_parsed(void **state) {
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "a name is missing"},
        {"rcb,", "a name is missing"},
        {",rcb", "a name is missing"},
        {":seed=1", "a name is missing"},
        {"metis:", "has no name"},
        {"metis:=3", "has no name"},
        {"metis:file=\"a", "a quote is not closed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tess_spec *specs = NULL;
        int n = 0;
        assert_int_equal(tess_spec_list_parse(cases[i].text, &specs, &n), TESS_ERROR_USAGE);
        assert_non_null(strstr(tess_message(), cases[i].words));
        assert_null(specs);
    }
}

static void refuses_values_by_option(void **state) {
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"metis:sed=1", "did you mean 'seed'?"},
        {"metis:volume=1", "it knows method, seed, balance, file"},
        {"metis:seed=x", "is a whole number, not 'x'"},
        {"metis:seed=", "is a whole number, not ''"},
        {"metis:seed=1.5", "is a whole number, not '1.5'"},
        {"metis:seed=-1", "is between 0 and 1000000000, not '-1'"},
        {"metis:seed=99999999999999999999", "is between"},
        {"metis:balance=nan", "is a number, not 'nan'"},
        {"metis:balance=1e999", "is a number, not '1e999'"},
        {"metis:balance=2.5", "is between 1 and 2"},
        {"metis:method=way", "is one of kway|recursive, not 'way'"},
        {"metis:method=kway|recursive", "is one of"},
        {"metis:method=", "is one of"},
        {"metis:seed=1:seed=1", "is given twice"},
        {"metis:seed", "has no value: write metis:seed=VALUE"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tess_spec *specs = parsed(cases[i].text, 1);
        assert_int_equal(tess_spec_check(&specs[0], options), TESS_ERROR_USAGE);
        assert_non_null(strstr(tess_message(), cases[i].words));
        tess_spec_list_free(specs, 1);
    }
}

static void a_text_without_a_default_is_required(void **state) {
    static const tess_option required[] = {
        TESS_TEXT_OPTION("path", "", ""), TESS_TEXT_OPTION("as", "own", ""), {.key = NULL}};
    assert_true(tess_option_is_required(&required[0]));
    assert_false(tess_option_is_required(&required[1]));
    const char *const texts[] = {"file", "file:path=", "file:as=x"};
    for (int i = 0; i < 3; i++) {
        tess_spec *specs = parsed(texts[i], 1);
        assert_int_equal(tess_spec_check(&specs[0], required), TESS_ERROR_USAGE);
        assert_string_equal(tess_message(),
                            "'file' needs its option 'path': write file:path=VALUE");
        tess_spec_list_free(specs, 1);
    }
    tess_spec *specs = parsed("file:path=x", 1);
    OK(tess_spec_check(&specs[0], required));
    tess_spec_list_free(specs, 1);
}

static void a_value_may_stand_alone(void **state) {
    tess_spec *specs = parsed("cuda:1:stream=2", 1);
    char *text = NULL;
    OK(tess_spec_check(&specs[0], gpu_options));
    assert_int_equal(tess_spec_int(&specs[0], gpu_options, "gpu"), 1);
    assert_int_equal(tess_spec_int(&specs[0], gpu_options, "stream"), 2);
    OK(tess_spec_print(&specs[0], gpu_options, &text));
    assert_string_equal(text, "cuda:stream=2:gpu=1");
    free(text);
    tess_spec_list_free(specs, 1);
    static const struct {
        const char *text, *words;
    } cases[] = {{"cuda:1:gpu=1", "'gpu' of 'cuda' is given twice"},
                 {"cuda:1:1", "is given twice"},
                 {"cuda:x", "option 'gpu' of 'cuda' is a whole number, not 'x'"},
                 {"cuda:9", "is between 0 and 7"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        specs = parsed(cases[i].text, 1);
        assert_int_equal(tess_spec_check(&specs[0], gpu_options), TESS_ERROR_USAGE);
        assert_non_null(strstr(tess_message(), cases[i].words));
        tess_spec_list_free(specs, 1);
    }
}

static const tess_option list_options[] = {TESS_LIST_OPTION("sum", "no", "no|sorted|unsorted", ""),
                                           {NULL}};

static void a_list_has_items_and_repeats_its_last(void **state) {
    tess_spec *specs = parsed("atomics:sum=sorted+no", 1);
    OK(tess_spec_check(&specs[0], list_options));
    assert_true(tess_spec_item_is(&specs[0], list_options, "sum", 0, "sorted"));
    assert_false(tess_spec_item_is(&specs[0], list_options, "sum", 0, "sort"));
    for (int i = 1; i < 4; i++)
        assert_true(tess_spec_item_is(&specs[0], list_options, "sum", i, "no"));
    tess_spec_list_free(specs, 1);
    static const char *const wrong[] = {"a:sum=sorted+", "a:sum=+no", "a:sum=sorted+sort",
                                        "a:sum="};
    for (int i = 0; i < 4; i++) {
        specs = parsed(wrong[i], 1);
        assert_int_equal(tess_spec_check(&specs[0], list_options), TESS_ERROR_USAGE);
        assert_non_null(strstr(tess_message(), "is no|sorted|unsorted, joined by +"));
        tess_spec_list_free(specs, 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_lists_and_options),
        cmocka_unit_test(quotes_keep_colons_commas_and_quotes),
        cmocka_unit_test(prints_declared_order_without_defaults),
        cmocka_unit_test(what_was_another_default_is_always_said),
        cmocka_unit_test(refuses_what_cannot_be_parsed),
        cmocka_unit_test(refuses_values_by_option),
        cmocka_unit_test(a_text_without_a_default_is_required),
        cmocka_unit_test(a_value_may_stand_alone),
        cmocka_unit_test(a_list_has_items_and_repeats_its_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

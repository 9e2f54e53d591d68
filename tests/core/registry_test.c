/* Registries: what is found by name, and what is said of names that are not there. */
#include "core/base/registry.h"
#include "tests/unit.h"

typedef struct tool {
    const char *name;
    int size;
} tool;

static const tool hammer = {"hammer", 3}, saw = {"saw", 5};
static const void *const items[] = {&hammer, &saw, NULL};
static const tess_absent absent[] = {{"plane", "buy one"}, {NULL, NULL}};
static const tess_registry tools = {.items = items,
                                    .absent = absent,
                                    .kind = "tool",
                                    .words = {"? There are %s", ": there are %s"}};

static void items_are_found_by_place_and_name(void **state) {
    assert_ptr_equal(tess_registry_at(&tools, 0), &hammer);
    assert_ptr_equal(tess_registry_at(&tools, 1), &saw);
    assert_null(tess_registry_at(&tools, 2));
    assert_null(tess_registry_at(&tools, 7));
    assert_null(tess_registry_at(&tools, -1));
    const tool *found = tess_registry_get(&tools, "saw");
    assert_int_equal(found->size, 5);
    assert_null(tess_registry_get(&tools, "sa"));
    assert_null(tess_registry_get(&tools, "plane"));
}

static void messages_suggest_list_and_advise(void **state) {
    assert_int_equal(tess_registry_lacks(&tools, "hamer"), TESS_ERROR_USAGE);
    assert_string_equal(tess_message(),
                        "there is no tool 'hamer'; did you mean 'hammer'? There are hammer, saw");
    assert_int_equal(tess_registry_lacks(&tools, "lathe"), TESS_ERROR_USAGE);
    assert_string_equal(tess_message(), "there is no tool 'lathe': there are hammer, saw");
    assert_int_equal(tess_registry_lacks(&tools, "plan"), TESS_ERROR_USAGE);
    assert_string_equal(tess_message(),
                        "there is no tool 'plan'; did you mean 'plane'? There are hammer, saw");
    assert_int_equal(tess_registry_lacks(&tools, "plane"), TESS_ERROR_MISSING);
    assert_string_equal(tess_message(), "tool plane is not in this build: buy one");
}

static const char *nearest(const char *name) {
    static const char *const names[] = {"metis", "rcb", "hilbert", "file-order", NULL};
    static tess_unknown_name unknown;
    unknown = tess_unknown_name_of(name);
    tess_unknown_name_add_all(&unknown, names);
    assert_string_equal(unknown.known, "metis, rcb, hilbert, file-order");
    return unknown.near;
}

static void only_near_names_are_suggested(void **state) {
    assert_string_equal(nearest("mtis"), "metis");
    assert_string_equal(nearest("hlibert"), "hilbert");
    assert_string_equal(nearest("rbc"), "rcb");
    assert_string_equal(nearest("hil"), "hilbert"); /* its beginning */
    assert_string_equal(nearest("hi"), "");
    assert_string_equal(nearest("bert"), "");
    assert_string_equal(nearest("scotch"), "");
    assert_string_equal(nearest("xyz"), "");
    assert_string_equal(nearest(""), "");
}

static void many_and_long_names_fit(void **state) {
    char name[200];
    tess_unknown_name unknown = tess_unknown_name_of("abc");
    for (int i = 0; i < 300; i++) {
        for (int k = 0; k < 199; k++)
            name[k] = (char)('a' + i % 26);
        name[i % 199] = '\0';
        tess_unknown_name_add(&unknown, name);
    }
    tess_unknown_name_add(&unknown, "abd");
    assert_string_equal(unknown.near, "abd");
    assert_int_equal(tess_unknown_name_fail("no", &unknown, (tess_unknown_words){": %s", ""}),
                     TESS_ERROR_USAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_found_by_place_and_name),
        cmocka_unit_test(messages_suggest_list_and_advise),
        cmocka_unit_test(only_near_names_are_suggested),
        cmocka_unit_test(many_and_long_names_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

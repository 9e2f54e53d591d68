/* A display is there when it says so, ends with its opener's wish, and is told how to get. */
#include "tests/unit.h"
#include "viz/display.h"

static bool can_start_xvfb(void) {
    return system("command -v Xvfb >/dev/null") == 0;
}

static void test_a_server_of_our_own_answers_until_it_is_closed(void **state) {
    if (!can_start_xvfb()) {
        print_message("Xvfb is missing (Debian: apt-get install xvfb)\n");
        skip();
    }
    setenv("DISPLAY", ":987", 1); /* nobody there */
    assert_false(tess_display_is_there());
    tess_display *display = NULL;
    OK(tess_display_open(&display));
    assert_true(tess_display_is_there());
    char own[32];
    snprintf(own, sizeof own, "%s", getenv("DISPLAY"));
    tess_display *same = NULL; /* a second opening shares the first's server ... */
    OK(tess_display_open(&same));
    assert_string_equal(getenv("DISPLAY"), own);
    tess_display_close(same); /* ... and does not end it */
    assert_true(tess_display_is_there());
    tess_display_close(display);
    assert_string_equal(getenv("DISPLAY"), ":987");
    setenv("DISPLAY", own, 1);
    assert_false(tess_display_is_there());
}

static void test_a_missing_server_is_named_with_its_package(void **state) {
    unsetenv("DISPLAY");
    char *path = strdup(getenv("PATH"));
    setenv("PATH", "/nowhere", 1);
    tess_display *display = NULL;
    assert_int_equal(tess_display_open(&display), TESS_ERROR_MISSING);
    assert_non_null(
        strstr(tess_message(), "apt-get install --no-install-recommends python3-paraview xvfb"));
    assert_null(display);
    assert_null(getenv("DISPLAY"));
    setenv("PATH", path, 1);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_server_of_our_own_answers_until_it_is_closed),
        cmocka_unit_test(test_a_missing_server_is_named_with_its_package),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Folders: made with those that they lie in, for a group that may write around them or not. */
#include "core/base/folder.h"
#include "tests/unit.h"

#include <sys/stat.h>

static char top[] = "/tmp/tess_folder_XXXXXX"; /* a group's: setgid, group-writable */

static const char *path_of(const char *name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", top, name);
    return path;
}

static bool group_writes(const char *name) {
    struct stat about;
    assert_int_equal(stat(path_of(name), &about), 0);
    assert_true(S_ISDIR(about.st_mode));
    return about.st_mode & S_IWGRP;
}

static void a_group_writes_where_it_is_shared_with(void **state) {
    OK(tess_folders_make(path_of("ours/deep/down"), true));
    assert_true(group_writes("ours") && group_writes("ours/deep") &&
                group_writes("ours/deep/down"));
    OK(tess_folders_make(path_of("ours/deep/down/"), true));
    OK(tess_folders_make(path_of("own/deep/down"), false));
    assert_false(group_writes("own") || group_writes("own/deep") || group_writes("own/deep/down"));
}

static void what_is_in_the_way_is_told(void **state) {
    fclose(fopen(path_of("file"), "w"));
    for (int shared = 0; shared < 2; shared++) {
        assert_int_equal(tess_folders_make(path_of("file/in"), shared), TESS_ERROR_IO);
        assert_non_null(strstr(tess_message(), "file/in cannot be made: Not a directory"));
        assert_int_equal(tess_folders_make("", shared), TESS_ERROR_USAGE);
        assert_int_equal(tess_folders_make("-", shared), TESS_ERROR_USAGE);
    }
}

static int make_top(void **state) {
    umask(022);
    return mkdtemp(top) && chmod(top, 02775) == 0 ? 0 : -1;
}

static int remove_top(void **state) {
    const char *const made[] = {"ours/deep/down", "ours/deep", "ours", "own/deep/down",
                                "own/deep",       "own",       "file", ""};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        remove(path_of(made[i]));
    return 0;
}

static void the_last_of_a_path(void **state) {
    const char *const paths[][2] = {{"a/b/wing.su2", "wing.su2"},
                                    {"wing.su2", "wing.su2"},
                                    {"/c", "c"},
                                    {"case/", "case/"},
                                    {"", ""}};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        assert_string_equal(tess_last_of_path(paths[i][0]), paths[i][1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_writes_where_it_is_shared_with),
        cmocka_unit_test(what_is_in_the_way_is_told),
        cmocka_unit_test(the_last_of_a_path),
    };
    return cmocka_run_group_tests(tests, make_top, remove_top);
}

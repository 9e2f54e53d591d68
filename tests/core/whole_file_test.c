/* Whole files: readers see them complete or not at all, and nothing else is left in their folder.
 */
#include "core/base/whole_file.h"
#include "tests/unit.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONG = 100000 };

static char folder[] = "/tmp/tess-whole-file-XXXXXX";
static char path[64];

static int folder_make(void **state) {
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/a", folder);
    return 0;
}

static int folder_remove(void **state) {
    unlink(path);
    return rmdir(folder); /* fails where something else is left there */
}

static void assert_holds(const char *text) {
    char bytes[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    bytes[fread(bytes, 1, sizeof bytes - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(bytes, text);
}

static void what_is_kept_takes_the_place_of_what_was(void **state) {
    for (int is_remade = 0; is_remade < 2; is_remade++) {
        OK(tess_whole_file_write(path, "before", 6));
        tess_whole_file file = {.is_remade = is_remade};
        OK(tess_whole_file_open(path, &file));
        fputs("after", file.stream);
        assert_holds("before");
        OK(tess_whole_file_keep(&file));
        assert_holds("after");
        tess_whole_file_release(&file);
        assert_holds("after");
    }
}

static void what_is_not_kept_is_gone(void **state) {
    tess_whole_file file = {.is_remade = false};
    OK(tess_whole_file_write(path, "before", 6));
    OK(tess_whole_file_open(path, &file));
    fputs("after", file.stream);
    tess_whole_file_release(&file);
    assert_holds("before");
}

/* In a process whose files may have 10,000 bytes: in one call, and by a stream whose first writes
 * fail and whose last ones do not. */
static int write_too_much(void) {
    static const char bytes[LONG];
    const struct rlimit limit = {.rlim_cur = 10000, .rlim_max = 10000};
    tess_whole_file file = {.is_remade = false};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 1;
    if (tess_whole_file_write(path, bytes, LONG) != TESS_ERROR_IO ||
        !strstr(tess_message(), "cannot be written: File too large"))
        return 2;
    if (tess_whole_file_open(path, &file) != TESS_OK)
        return 3;
    for (int i = 0; i < LONG; i++)
        fputc('x', file.stream);
    fflush(file.stream);
    const bool kept = tess_whole_file_keep(&file) == TESS_OK;
    tess_whole_file_release(&file);
    return kept ? 4 : 0;
}

static void a_full_disk_leaves_what_was(void **state) {
    int how = 0;
    OK(tess_whole_file_write(path, "before", 6));
    const pid_t writer = fork();
    if (writer == 0)
        _exit(write_too_much());
    assert_int_equal(waitpid(writer, &how, 0), writer);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), 0);
    assert_holds("before");
}

static void assert_refused(const char *refused, const char *why) {
    assert_int_equal(tess_whole_file_check(refused), TESS_ERROR_IO);
    assert_non_null(strstr(tess_message(), why));
    assert_int_equal(tess_whole_file_write(refused, "x", 1), TESS_ERROR_IO);
    assert_non_null(strstr(tess_message(), why));
}

static void paths_of_no_file_are_refused(void **state) {
    char pipe[80];
    snprintf(pipe, sizeof pipe, "%s/pipe", folder);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_refused(pipe, "is a pipe, socket or device, not a file to write");
    unlink(pipe);
    assert_refused(folder, "is a folder, not a file to write");
    assert_refused("/dev/null", "is a pipe, socket or device");
    assert_refused("/nowhere/a", "/nowhere/a cannot be written: No such file or directory");
    OK(tess_whole_file_check("here"));
    assert_int_equal(tess_whole_file_write("-", "x", 1), TESS_ERROR_USAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_takes_the_place_of_what_was),
        cmocka_unit_test(what_is_not_kept_is_gone),
        cmocka_unit_test(a_full_disk_leaves_what_was),
        cmocka_unit_test(paths_of_no_file_are_refused),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}

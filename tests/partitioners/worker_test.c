/* The worker program: its crash, its silence and its errors end as a message; tess goes on. */
#include "partitioners/partitioner.h"
#include "tests/core/small_problem.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char script[] = "/tmp/tess-worker-test-XXXXXX";

/* Has TESS_WORKER execute these lines of shell in place of the worker program. */
static void worker_is(const char *lines) {
    FILE *file = fopen(script, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", lines);
    fclose(file);
    assert_int_equal(chmod(script, 0700), 0);
    setenv("TESS_WORKER", script, 1);
}

/* Files that this process has open. */
static int n_open_files(void) {
    int n = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (readdir(directory))
        n++;
    closedir(directory);
    return n;
}

static const tess_partitioner *any_third_party(void) {
    for (int i = 0; tess_partitioner_at(i); i++)
        if (tess_partitioner_at(i)->third_party)
            return tess_partitioner_at(i);
    skip();
    return NULL;
}

/* Runs a third party's partitioner on a small problem and gives the status. */
static tess_status run(double time_limit, const tess_observer *observer) {
    const tess_partitioner *partitioner = any_third_party();
    small_problem f = quads_problem(9, 9, 16);
    f.problem->time_limit = time_limit;
    f.problem->observer = observer;
    char name[32];
    snprintf(name, sizeof name, "%s", partitioner->name);
    const tess_spec spec = {.name = name};
    double seconds = 0;
    tess_partition *partition = NULL;
    const tess_status status = tess_partitioner_run(partitioner, f.problem, &spec,
                                                    TESS_REPAIR_SPLIT, &seconds, &partition);
    assert_true((status == TESS_OK) == (partition != NULL));
    tess_partition_free(partition);
    small_problem_free(&f);
    return status;
}

/* The run fails so, naming the partitioner; nothing is left behind and the next run works. */
static void assert_fails_within(double time_limit, const char *lines, tess_status expected,
                                const char *words) {
    const tess_partitioner *partitioner = any_third_party();
    unsetenv("TESS_WORKER");
    OK(run(0, NULL));
    const int n_files = n_open_files();
    worker_is(lines);
    assert_int_equal(run(time_limit, NULL), expected);
    if (!strstr(tess_message(), words) || !strstr(tess_message(), partitioner->name))
        fail_msg("'%s' in '%s'", words, tess_message());
    assert_int_equal(n_open_files(), n_files);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    unsetenv("TESS_WORKER");
    OK(run(0, NULL));
}

static void assert_fails(const char *lines, tess_status expected, const char *words) {
    assert_fails_within(0, lines, expected, words);
}

static void a_crash_is_named_by_its_signal(void **state) {
    assert_fails("kill -SEGV $$", TESS_ERROR_CHECK, "Segmentation fault (SIGSEGV)");
    assert_fails("kill -FPE $$", TESS_ERROR_CHECK, "Floating point exception (SIGFPE)");
}

static void what_it_said_is_quoted(void **state) {
    assert_fails("echo Cannot bisect a graph with 0 vertices; echo oh >&2; kill -ABRT $$",
                 TESS_ERROR_CHECK, "it said: Cannot bisect a graph with 0 vertices oh");
}

static void an_endless_talk_is_cut(void **state) {
    assert_fails("seq 100000; echo the end; exit 7", TESS_ERROR_CHECK, "100000 the end");
}

static void an_exit_code_is_told(void **state) {
    assert_fails("exit 3", TESS_ERROR_CHECK, "exit code 3");
    assert_fails("exit 0", TESS_ERROR_CHECK, "exit code 0"); /* without an answer */
}

static void a_time_limit_ends_it(void **state) {
    assert_fails_within(0.5, "exec sleep 100", TESS_ERROR_CHECK, "time limit of 0.5 s");
}

static tess_status enough(void *context, const char *what, double fraction) {
    (void)what;
    (void)fraction;
    ++*(int *)context;
    return tess_fail(TESS_ERROR_INTERRUPTED, "interrupted");
}

static void an_observer_may_end_it(void **state) {
    any_third_party();
    int calls = 0;
    const tess_observer observer = {.context = &calls, .progress = enough};
    worker_is("exec sleep 100");
    assert_int_equal(run(0, &observer), TESS_ERROR_INTERRUPTED);
    assert_int_equal(calls, 1);
    unsetenv("TESS_WORKER");
}

static void a_missing_worker_is_told(void **state) {
    any_third_party();
    setenv("TESS_WORKER", "/nowhere/tess-worker", 1);
    assert_int_equal(run(0, NULL), TESS_ERROR_MISSING);
    assert_non_null(strstr(tess_message(), "/nowhere/tess-worker"));
    unsetenv("TESS_WORKER");
}

static int make_script(void **state) {
    const int fd = mkstemp(script);
    return fd < 0 ? -1 : close(fd);
}

static int remove_script(void **state) {
    return unlink(script);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crash_is_named_by_its_signal), cmocka_unit_test(what_it_said_is_quoted),
        cmocka_unit_test(an_endless_talk_is_cut),         cmocka_unit_test(an_exit_code_is_told),
        cmocka_unit_test(a_time_limit_ends_it),           cmocka_unit_test(an_observer_may_end_it),
        cmocka_unit_test(a_missing_worker_is_told),
    };
    return cmocka_run_group_tests(tests, make_script, remove_script);
}

/* Interrupts: noted, looked for, and none the less the end where nobody looks; processes waited
 * for.
 */
#include "core/base/interrupt.h"
#include "core/base/process.h"
#include "tests/unit.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

/* How a child ended that did `work` after a signal. */
static int ended(void (*work)(void), int number) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tess_interrupts_note();
        raise(number);
        work();
        _exit(7);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void never_look(void) {
    for (;;)
        pause();
}

static void look_and_take_longer(void) {
    if (tess_interrupt_check() != TESS_ERROR_INTERRUPTED)
        _exit(1);
    for (unsigned left = TESS_INTERRUPT_PATIENCE + 1; left;)
        left = sleep(left);
}

static void leave_and_take_longer(void) {
    if (!tess_interrupted())
        _exit(1);
    tess_interrupts_leave(true);
    for (;;)
        pause();
}

static void wait_long(void) {
    for (unsigned left = 2 * TESS_INTERRUPT_PATIENCE + 1; left;)
        left = sleep(left);
}

static void wait_for_a_slow_disk(void) {
    tess_interrupt_wait_begin();
    wait_long();
    tess_interrupt_wait_end();
    _exit(tess_interrupted() ? 7 : 1);
}

static void wait_after_a_slow_disk(void) {
    tess_interrupt_wait_begin();
    tess_interrupt_wait_end();
    wait_long();
}

static void look_in_two_holds(void) {
    tess_interrupt_hold_begin();
    tess_interrupt_hold_begin();
    const bool before = tess_interrupted();
    tess_interrupt_hold_end();
    const bool between = tess_interrupted();
    tess_interrupt_hold_end();
    _exit(!before && !between && tess_interrupted() ? 7 : 1);
}

static void raise_twice(void) {
    raise(SIGINT);
    _exit(tess_interrupted() ? 7 : 1);
}

static void raise_later(void) {
    usleep(150000);
    raise(SIGINT);
    _exit(1);
}

static pid_t start_sleep(void) {
    pid_t child = 0;
    char *const arguments[] = {(char[]){"sleep"}, (char[]){"100000"}, NULL};
    assert_int_equal(posix_spawnp(&child, "sleep", NULL, NULL, arguments, environ), 0);
    return child;
}

static void wait_for_another(void) {
    int status = 0;
    const pid_t other = start_sleep();
    if (tess_process_wait(other, &status) != TESS_ERROR_INTERRUPTED || !WIFSIGNALED(status))
        _exit(1);
    _exit(kill(other, 0) == -1 && errno == ESRCH ? 7 : 2);
}

static void nobody_who_looks_is_ended(void **state) {
    for (int i = 0; i < 2; i++) {
        const int status = ended(never_look, i ? SIGTERM : SIGINT);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 130);
    }
}

static void who_has_looked_has_time(void **state) {
    const int status = ended(look_and_take_longer, SIGINT);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

static void who_leaves_has_not(void **state) {
    const int status = ended(leave_and_take_longer, SIGTERM);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
}

static void a_slow_disk_has_time(void **state) {
    int status = ended(wait_for_a_slow_disk, SIGINT);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
    status = ended(wait_after_a_slow_disk, SIGINT);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
}

static void a_second_signal_ends_at_once(void **state) {
    const int status = ended(raise_later, SIGINT);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGINT);
}

/* coreutils' timeout sends it to the program, and to its group. */
static void a_signal_that_comes_twice_is_one(void **state) {
    const int status = ended(raise_twice, SIGINT);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

static void a_process_waited_for_is_killed(void **state) {
    const int status = ended(wait_for_another, SIGINT);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

static atomic_bool takes_back;

/* Another thread, which asks for the end of its own computation and then takes that back. */
static void *ask_and_take_back(void *context) {
    while (takes_back) {
        tess_interrupt_at(0);
        tess_interrupt_at(INFINITY);
    }
    return context;
}

static void a_process_is_killed_though_the_interrupt_is_taken_back(void **state) {
    enum { TIMES = 30, PATIENCE = 300 };
    pthread_t other;
    takes_back = true;
    alarm(PATIENCE); /* which would end this program: the process sleeps for a day */
    assert_int_equal(pthread_create(&other, NULL, ask_and_take_back, NULL), 0);
    for (int i = 0; i < TIMES; i++) {
        int status = 0;
        assert_int_equal(tess_process_wait(start_sleep(), &status), TESS_ERROR_INTERRUPTED);
        assert_true(WIFSIGNALED(status));
    }
    takes_back = false;
    pthread_join(other, NULL);
    alarm(0);
}

static void without_a_signal_nothing_happens(void **state) {
    int status = 0;
    pid_t child = 0;
    char *const arguments[] = {(char[]){"sh"}, (char[]){"-c"}, (char[]){"exit 5"}, NULL};
    assert_false(tess_interrupted());
    OK(tess_interrupt_check());
    assert_int_equal(posix_spawnp(&child, "sh", NULL, NULL, arguments, environ), 0);
    OK(tess_process_wait(child, &status));
    assert_int_equal(WEXITSTATUS(status), 5);
}

static void nobody_is_asked_to_end_in_a_hold(void **state) {
    const int status = ended(look_in_two_holds, SIGINT);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_who_looks_is_ended),
        cmocka_unit_test(who_has_looked_has_time),
        cmocka_unit_test(who_leaves_has_not),
        cmocka_unit_test(a_slow_disk_has_time),
        cmocka_unit_test(nobody_is_asked_to_end_in_a_hold),
        cmocka_unit_test(a_second_signal_ends_at_once),
        cmocka_unit_test(a_signal_that_comes_twice_is_one),
        cmocka_unit_test(a_process_waited_for_is_killed),
        cmocka_unit_test(a_process_is_killed_though_the_interrupt_is_taken_back),
        cmocka_unit_test(without_a_signal_nothing_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

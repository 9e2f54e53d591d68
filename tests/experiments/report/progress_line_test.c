/* Progress: tasks that are noted, and the line that tells of them. */
#include "core/base/clock.h"
#include "experiments/report/progress_line.h"
#include "tests/unit.h"

#include <pthread.h>

static int n_ended;

static void count_end(void) {
    n_ended++;
}

static void *note_beside(void *nothing) {
    tess_progress_begin("another thread's");
    tess_progress_set(1, 2, "another thread's");
    tess_progress_end();
    return nothing;
}

static void nothing_is_noted_where_nobody_follows(void **state) {
    tess_task tasks[TESS_MOST_TASKS];
    tess_progress_begin("unheard");
    assert_int_equal(tess_progress_tasks(tasks), 0);
    tess_progress_end();
}

static char told_over[200];

static void note_over(const tess_task *task, int depth) {
    const size_t used = strlen(told_over);
    assert_true(task->began > 0);
    snprintf(told_over + used, sizeof told_over - used, "%d %s; ", depth, task->words);
}

static void tasks_that_are_over_are_told(void **state) {
    tess_progress_follow(NULL, note_over);
    tess_progress_begin("strategies");
    tess_progress_begin("making the graph");
    tess_progress_set(0, 0, "cutting");
    tess_progress_set(3, 8, "cutting in parts");
    tess_progress_end();
    tess_progress_end();
    assert_string_equal(told_over, "1 making the graph; 1 cutting in parts; 0 strategies; ");
}

static void tasks_of_the_thread_that_follows_are_noted(void **state) {
    tess_task tasks[TESS_MOST_TASKS];
    pthread_t other;
    tess_progress_follow(count_end, NULL);
    tess_progress_begin("partitioners");
    tess_progress_set(0, 0, "[%d/%d] rcb", 1, 2);
    tess_progress_begin("planning");
    tess_progress_set(3, 8, NULL);
    tess_progress_add(2);
    assert_int_equal(pthread_create(&other, NULL, note_beside, NULL), 0);
    pthread_join(other, NULL);
    assert_int_equal(tess_progress_tasks(tasks), 2);
    assert_string_equal(tasks[0].words, "[1/2] rcb");
    assert_string_equal(tasks[1].words, "planning");
    assert_int_equal(tasks[1].n_done, 5);
    assert_int_equal(tasks[1].n, 8);
    tess_progress_end();
    assert_int_equal(n_ended, 0);
    for (int i = 0; i < TESS_MOST_TASKS; i++) /* deeper than what is kept */
        tess_progress_begin("deep");
    assert_int_equal(tess_progress_tasks(tasks), TESS_MOST_TASKS);
    for (int i = 0; i < TESS_MOST_TASKS; i++)
        tess_progress_end();
    assert_int_equal(tess_progress_tasks(tasks), 1);
    tess_progress_end();
    assert_int_equal(n_ended, 1);
    assert_int_equal(tess_progress_tasks(tasks), 0);
}

/* The line at second 100 for tasks that began at the second `began`. */
static void assert_line(const tess_task *tasks, int n, int room, const char *want) {
    char line[256];
    tess_progress_line_print(tasks, n, 100, room, line, sizeof line);
    assert_string_equal(line, want);
}

static void the_line_tells_time_share_and_estimate(void **state) {
    const tess_task run = {.words = "[2/9] metis, block size 128", .began = 88};
    const tess_task cut = {.words = "cutting", .began = 89};
    const tess_task anneal = {.words = "annealing", .began = 90, .n_done = 1, .n = 4};
    const tess_task march = {.words = "marching", .began = 60, .n_done = 20, .n = 50};
    const tess_task tasks[] = {run, cut, anneal}, marching[] = {march, anneal};
    assert_line(tasks, 0, 80, "");
    assert_line(tasks, 1, 80, "[2/9] metis, block size 128, 12 s");
    assert_line(tasks, 2, 80, "[2/9] metis, block size 128: cutting, 12 s");
    assert_line(tasks, 3, 80,
                "[2/9] metis, block size 128: annealing, 10 s, 25 %, about 30 s left");
    assert_line(marching, 2, 80, "marching: annealing, 40 s, 40 %, about 60 s left");
}

static void no_estimate_is_made_of_nothing(void **state) {
    const tess_task begun = {.words = "reading", .began = 99.5, .n_done = 1, .n = 2};
    const tess_task none = {.words = "reading", .began = 90, .n_done = 0, .n = 2};
    const tess_task over = {.words = "reading", .began = 90, .n_done = 3, .n = 2};
    assert_line(&begun, 1, 80, "reading, 0 s, 50 %");
    assert_line(&none, 1, 80, "reading, 10 s");
    assert_line(&over, 1, 80, "reading, 10 s");
}

static void the_line_is_cut_off_where_the_terminal_ends(void **state) {
    const tess_task task = {.words = "reading a_long_name.msh", .began = 90, .n_done = 1, .n = 2};
    assert_line(&task, 1, 40, "reading a_l, 10 s, 50 %, about 10 s left");
    assert_line(&task, 1, 10, ", 10 s, 50");
}

static void a_task_is_told_of_after_two_seconds_and_all_every_ten(void **state) {
    const tess_task tasks[] = {{.words = "candidates"}, {.words = "reading"}};
    tess_progress_told told = {.since = 0};
    assert_false(tess_progress_line_is_due(tasks, 0, 99, &told));
    assert_false(tess_progress_line_is_due(tasks, 2, 100, &told));
    assert_false(tess_progress_line_is_due(tasks, 2, 101.5, &told));
    assert_true(tess_progress_line_is_due(tasks, 2, 102, &told));
    assert_false(tess_progress_line_is_due(tasks, 2, 111, &told));
    assert_true(tess_progress_line_is_due(tasks, 2, 112, &told));
    assert_false(tess_progress_line_is_due(tasks, 1, 112.5, &told)); /* another task */
    assert_true(tess_progress_line_is_due(tasks, 1, 114.5, &told));
    for (int i = 0; i < 9; i++) /* words that change every second */
        assert_false(tess_progress_line_is_due(tasks, 1 + i % 2, 115 + i, &told));
    assert_true(tess_progress_line_is_due(tasks, 1, 124.5, &told));
}

static void durations_have_the_unit_that_people_say(void **state) {
    static const struct {
        double seconds;
        const char *want;
    } cases[] = {{0.4, "0 s"},      {119, "119 s"}, {120, "2 min"},
                 {7199, "120 min"}, {7200, "2 h"},  {172800, "2 d"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[24];
        tess_duration_print(cases[i].seconds, text);
        assert_string_equal(text, cases[i].want);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_noted_where_nobody_follows),
        cmocka_unit_test(tasks_of_the_thread_that_follows_are_noted),
        cmocka_unit_test(tasks_that_are_over_are_told),
        cmocka_unit_test(the_line_tells_time_share_and_estimate),
        cmocka_unit_test(no_estimate_is_made_of_nothing),
        cmocka_unit_test(the_line_is_cut_off_where_the_terminal_ends),
        cmocka_unit_test(a_task_is_told_of_after_two_seconds_and_all_every_ten),
        cmocka_unit_test(durations_have_the_unit_that_people_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

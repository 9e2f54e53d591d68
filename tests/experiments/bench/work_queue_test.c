/* The queue of a search: who is to be cut, compiled and run next, played with a clock of its own
 * and cuts that take as long as is said here. */
#include "experiments/bench/work_queue.h"
#include "tests/unit.h"

#include <math.h>

enum { MOST_WORKERS = 16, MOST = 200 };

/* A worker, and the moment when it will have made what it is at. */
typedef struct worker {
    tess_work work;
    double free_at;
} worker;

/* A search that is played: candidates in plans of `an_each`, the cut of plan p takes cut[p]. */
typedef struct play {
    tess_work_queue queue;
    int64_t order[MOST], an_each;
    tess_work_item items[MOST];
    tess_work_plan plans[MOST];
    const double *cut;
    double page, run, now, idle, first_run;
    int n_workers, n_run;
    int64_t ran[MOST];
    worker workers[MOST_WORKERS];
    int64_t n_cut_at_once;
} play;

static void set_up(play *p, int64_t n_plans, int64_t an_each, const double *cut, int n_workers) {
    *p = (play){.an_each = an_each, .cut = cut, .page = 1, .run = 0.5, .n_workers = n_workers};
    p->queue = (tess_work_queue){.n = n_plans * an_each,
                                 .n_plans = n_plans,
                                 .wanted = n_plans * an_each,
                                 .order = p->order,
                                 .items = p->items,
                                 .plans = p->plans,
                                 .most_pages = n_workers + 4,
                                 .most_plans = 100,
                                 .most_cuts = n_workers,
                                 .end = INFINITY};
    for (int64_t i = 0; i < p->queue.n; i++) {
        p->order[i] = i;
        p->items[i].plan = i / an_each;
        p->plans[i / an_each].n_needed++;
    }
    for (int w = 0; w < n_workers; w++)
        p->workers[w].work.kind = TESS_WORK_NOTHING;
}

/* What is over by now is made, and whoever is free begins something. */
static void let_work(play *p) {
    for (int w = 0; w < p->n_workers; w++) {
        worker *one = &p->workers[w];
        if (one->work.kind == TESS_WORK_NOTHING || one->free_at > p->now)
            continue;
        if (one->work.kind == TESS_WORK_PLAN)
            p->plans[p->items[one->work.item].plan].stage = TESS_WORK_MADE;
        else
            p->items[one->work.item].stage = TESS_WORK_MADE;
        one->work.kind = TESS_WORK_NOTHING;
    }
    for (int w = 0; w < p->n_workers; w++) {
        worker *one = &p->workers[w];
        if (one->work.kind != TESS_WORK_NOTHING)
            continue;
        one->work = tess_work_next(&p->queue, p->now);
        if (one->work.kind == TESS_WORK_NOTHING)
            continue;
        const int64_t plan = p->items[one->work.item].plan;
        if (one->work.kind == TESS_WORK_PLAN) {
            assert_int_equal(p->plans[plan].stage, TESS_WORK_WAITING);
            p->plans[plan].stage = TESS_WORK_MAKING;
        } else {
            assert_int_equal(p->plans[plan].stage, TESS_WORK_MADE);
            p->items[one->work.item].stage = TESS_WORK_MAKING;
        }
        one->free_at = p->now + (one->work.kind == TESS_WORK_PLAN ? p->cut[plan] : p->page);
    }
    int64_t n_cutting = 0;
    for (int64_t i = 0; i < p->queue.n_plans; i++)
        n_cutting += p->plans[i].stage == TESS_WORK_MAKING;
    p->n_cut_at_once = n_cutting > p->n_cut_at_once ? n_cutting : p->n_cut_at_once;
}

/* Moves on to the next moment at which something is made. */
static void wait_for_next(play *p) {
    double next = INFINITY;
    for (int w = 0; w < p->n_workers; w++)
        if (p->workers[w].work.kind != TESS_WORK_NOTHING)
            next = fmin(next, p->workers[w].free_at);
    assert_true(isfinite(next)); /* something is awaited, so somebody makes it */
    p->idle += next - p->now;
    p->now = next;
}

/* Runs until nothing more comes, or the time is over. */
static void let_play(play *p, double end) {
    while (p->now < end) {
        let_work(p);
        const int64_t ready = tess_work_ready(&p->queue);
        if (ready < 0 && tess_work_awaited(&p->queue, p->now) < 0)
            return;
        if (ready < 0) {
            wait_for_next(p);
            continue;
        }
        if (p->n_run == 0)
            p->first_run = p->now;
        p->ran[p->n_run++] = ready;
        tess_work_take(&p->queue, ready);
        p->now += p->run;
    }
}

static void nothing_waits_for_a_slow_cut(void **state) {
    static const double cut[] = {1, 500, 1, 1, 1}; /* the second is slow */
    play p;
    set_up(&p, 5, 20, cut, 15);
    let_play(&p, 60);
    assert_int_equal(p.n_run, 80); /* all but those of the slow cut */
    for (int i = 0; i < p.n_run; i++)
        assert_true(p.ran[i] / 20 != 1);
    assert_true(p.first_run <= 2);
    assert_int_equal(p.ran[0], 0); /* the first in the order */
}

static void the_device_is_busy_while_cuts_come(void **state) {
    static const double cut[] = {1, 1, 9, 9, 30, 30};
    play p;
    set_up(&p, 6, 20, cut, 15);
    let_play(&p, 45);
    assert_true(p.idle < 0.15 * p.now);
    const double idle = p.idle;
    set_up(&p, 6, 20, cut, 1); /* one worker is short of time for pages */
    let_play(&p, 45);
    assert_true(p.idle > idle);
}

static void only_so_many_cuts_are_made_at_once(void **state) {
    static const double cut[] = {5, 5, 5, 5, 5, 5, 5, 5};
    play p;
    set_up(&p, 8, 4, cut, 15);
    p.queue.most_cuts = 3;
    let_play(&p, 100);
    assert_int_equal(p.n_cut_at_once, 3);
    assert_int_equal(p.n_run, 32);
}

static void few_plans_are_kept_at_once(void **state) {
    static const double cut[] = {1, 1, 1, 1, 1, 1};
    play p;
    set_up(&p, 6, 4, cut, 8);
    p.queue.most_plans = 1;
    let_play(&p, 1000);
    assert_int_equal(p.n_cut_at_once, 1);
    assert_int_equal(p.n_run, 24);
}

static void a_cut_that_comes_too_late_is_not_begun(void **state) {
    static const double cut[] = {1, 50};
    play p;
    set_up(&p, 2, 3, cut, 4);
    p.queue.end = 40;
    p.plans[1].expected = 50;
    let_play(&p, 45);
    assert_int_equal(p.n_run, 3);
    assert_int_equal(p.plans[1].stage, TESS_WORK_WAITING);
    assert_true(p.now < 45); /* and nobody waited for it */
}

static void what_is_not_wanted_is_not_made(void **state) {
    static const double cut[] = {1, 1};
    play p;
    set_up(&p, 2, 5, cut, 4);
    p.queue.wanted = 4;
    let_play(&p, 100);
    assert_int_equal(p.n_run, 4);
    assert_int_equal(p.plans[1].stage, TESS_WORK_WAITING);
    assert_int_equal(p.items[4].stage, TESS_WORK_WAITING);
}

static void what_cannot_be_cut_has_its_turn(void **state) {
    static const double cut[] = {1};
    play p;
    set_up(&p, 1, 2, cut, 2);
    p.plans[0].stage = TESS_WORK_MADE;
    p.plans[0].failed = true;
    assert_int_equal(tess_work_next(&p.queue, 0).kind, TESS_WORK_NOTHING);
    let_play(&p, 10);
    assert_int_equal(p.n_run, 2);
}

static void a_better_order_counts_at_once(void **state) {
    static const double cut[] = {1, 1};
    play p;
    set_up(&p, 2, 3, cut, 1);
    p.order[0] = 4;
    p.order[4] = 0;
    const tess_work work = tess_work_next(&p.queue, 0);
    assert_int_equal(work.kind, TESS_WORK_PLAN);
    assert_int_equal(work.item, 4);
}

static void what_is_ready_next_is_awaited(void **state) {
    static const double cut[] = {1, 1};
    play p;
    set_up(&p, 2, 3, cut, 1);
    assert_int_equal(tess_work_awaited(&p.queue, 0), 0);
    p.plans[1].stage = TESS_WORK_MAKING;
    assert_int_equal(tess_work_awaited(&p.queue, 0), 3);
    p.plans[0].stage = TESS_WORK_MADE;
    p.items[2].stage = TESS_WORK_MAKING;
    assert_int_equal(tess_work_awaited(&p.queue, 0), 2);
    p.items[2].stage = TESS_WORK_MADE;
    assert_int_equal(tess_work_ready(&p.queue), 2);
    p.queue.wanted = 2;
    assert_int_equal(tess_work_ready(&p.queue), -1);
}

static void pages_come_before_plans(void **state) {
    static const double cut[] = {1, 1};
    play p;
    set_up(&p, 2, 3, cut, 1);
    p.plans[0].stage = TESS_WORK_MADE;
    assert_int_equal(tess_work_next(&p.queue, 0).kind, TESS_WORK_PAGE);
    p.queue.most_pages = 0;
    assert_int_equal(tess_work_next(&p.queue, 0).kind, TESS_WORK_PLAN);
}

/* Two are wanted at a time, and others are wanted once as many pages are made as may be. */
static void pages_that_nobody_wants_any_more_hold_nobody_up(void **state) {
    static const double cut[] = {1, 1, 1};
    play p;
    set_up(&p, 3, 2, cut, 1);
    p.queue.wanted = 2;
    p.queue.most_pages = 2;
    p.plans[0].stage = p.plans[1].stage = TESS_WORK_MADE;
    p.items[0].stage = p.items[1].stage = TESS_WORK_MADE;
    assert_int_equal(tess_work_next(&p.queue, 0).kind, TESS_WORK_NOTHING);
    static const int64_t another[] = {2, 3, 0, 1, 4, 5};
    for (int i = 0; i < 6; i++)
        p.order[i] = another[i];
    assert_int_equal(tess_work_next(&p.queue, 0).kind, TESS_WORK_PAGE);
    assert_int_equal(tess_work_next(&p.queue, 0).item, 2);
    p.items[2].stage = TESS_WORK_MAKING; /* then nobody is held up: the limit holds */
    assert_int_equal(tess_work_next(&p.queue, 0).kind, TESS_WORK_NOTHING);
    p.items[2].stage = TESS_WORK_WAITING;
    p.order[0] = 4;
    p.order[1] = 5;
    p.order[4] = 2;
    p.order[5] = 3;
    p.queue.most_plans = 2;
    assert_int_equal(tess_work_next(&p.queue, 0).kind, TESS_WORK_PLAN);
    assert_int_equal(tess_work_next(&p.queue, 0).item, 4);
}

static void who_is_taken_comes_before_those_to_come(void **state) {
    static const double cut[] = {1, 1};
    static const int64_t order[] = {4, 0, 1, 2, 3, 5};
    play p;
    set_up(&p, 2, 3, cut, 1);
    tess_work_take(&p.queue, 4);
    assert_int_equal(p.queue.first, 1);
    for (int i = 0; i < 6; i++)
        assert_int_equal(p.order[i], order[i]);
    assert_int_equal(p.plans[1].n_needed, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_waits_for_a_slow_cut),
        cmocka_unit_test(the_device_is_busy_while_cuts_come),
        cmocka_unit_test(only_so_many_cuts_are_made_at_once),
        cmocka_unit_test(few_plans_are_kept_at_once),
        cmocka_unit_test(a_cut_that_comes_too_late_is_not_begun),
        cmocka_unit_test(what_is_not_wanted_is_not_made),
        cmocka_unit_test(what_cannot_be_cut_has_its_turn),
        cmocka_unit_test(a_better_order_counts_at_once),
        cmocka_unit_test(what_is_ready_next_is_awaited),
        cmocka_unit_test(pages_come_before_plans),
        cmocka_unit_test(pages_that_nobody_wants_any_more_hold_nobody_up),
        cmocka_unit_test(who_is_taken_comes_before_those_to_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

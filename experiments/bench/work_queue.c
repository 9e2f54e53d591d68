/* A work queue: what of a list of experiments is to be cut, compiled or run next. */
#include "experiments/bench/work_queue.h"

static const tess_work nothing = {TESS_WORK_NOTHING, -1};

static const tess_work_plan *plan_of(const tess_work_queue *queue, int64_t item) {
    return &queue->plans[queue->items[item].plan];
}

static bool is_ready(const tess_work_queue *queue, int64_t item) {
    const tess_work_item *one = &queue->items[item];
    return one->plan < 0 || one->stage == TESS_WORK_MADE ||
           (plan_of(queue, item)->stage == TESS_WORK_MADE && plan_of(queue, item)->failed);
}

static int64_t count_plans(const tess_work_queue *queue, tess_work_stage stage) {
    int64_t n = 0;
    for (int64_t i = 0; i < queue->n_plans; i++)
        n += queue->plans[i].stage == stage && queue->plans[i].n_needed > 0 &&
             !queue->plans[i].failed;
    return n;
}

/* Pages that are made, or being made, and not yet taken. */
static int64_t count_pages(const tess_work_queue *queue) {
    int64_t n = 0;
    for (int64_t turn = queue->first; turn < queue->n; turn++)
        n += queue->items[queue->order[turn]].stage != TESS_WORK_WAITING;
    return n;
}

/* Whether there is time to make a plan. */
static bool is_in_time(const tess_work_queue *queue, const tess_work_plan *plan, double now) {
    return now + plan->expected < queue->end;
}

/* Whether nothing that is wanted is ready, or in the making. */
static bool is_starved(const tess_work_queue *queue) {
    for (int64_t turn = queue->first; turn < queue->wanted; turn++) {
        const int64_t item = queue->order[turn];
        if (is_ready(queue, item) || queue->items[item].stage == TESS_WORK_MAKING ||
            plan_of(queue, item)->stage == TESS_WORK_MAKING)
            return false;
    }
    return true;
}

/* Whether as many pages are kept as may be. Those that nobody wants any more, after another order,
 * hold nobody up. */
static bool is_full(const tess_work_queue *queue) {
    const int64_t n_pages = count_pages(queue);
    return n_pages >= queue->most_pages && (n_pages == 0 || !is_starved(queue));
}

static tess_work next_page(const tess_work_queue *queue) {
    if (is_full(queue))
        return nothing;
    for (int64_t turn = queue->first; turn < queue->wanted; turn++) {
        const int64_t item = queue->order[turn];
        if (!is_ready(queue, item) && queue->items[item].stage == TESS_WORK_WAITING &&
            plan_of(queue, item)->stage == TESS_WORK_MADE)
            return (tess_work){TESS_WORK_PAGE, item};
    }
    return nothing;
}

static tess_work next_plan(const tess_work_queue *queue, double now) {
    const int64_t n_making = count_plans(queue, TESS_WORK_MAKING);
    const int64_t n_kept = n_making + count_plans(queue, TESS_WORK_MADE);
    if (n_making >= queue->most_cuts || (n_kept >= queue->most_plans && !is_starved(queue)))
        return nothing;
    for (int64_t turn = queue->first; turn < queue->wanted; turn++) {
        const int64_t item = queue->order[turn];
        if (!is_ready(queue, item) && plan_of(queue, item)->stage == TESS_WORK_WAITING &&
            is_in_time(queue, plan_of(queue, item), now))
            return (tess_work){TESS_WORK_PLAN, item};
    }
    return nothing;
}

tess_work tess_work_next(const tess_work_queue *queue, double now) {
    const tess_work page = next_page(queue);
    return page.kind == TESS_WORK_NOTHING ? next_plan(queue, now) : page;
}

int64_t tess_work_ready(const tess_work_queue *queue) {
    for (int64_t turn = queue->first; turn < queue->wanted; turn++)
        if (is_ready(queue, queue->order[turn]))
            return queue->order[turn];
    return -1;
}

int64_t tess_work_awaited(const tess_work_queue *queue, double now) {
    int64_t planned = -1, possible = -1;
    for (int64_t turn = queue->first; turn < queue->wanted; turn++) {
        const int64_t item = queue->order[turn];
        if (is_ready(queue, item))
            continue;
        const tess_work_plan *plan = plan_of(queue, item);
        if (queue->items[item].stage == TESS_WORK_MAKING)
            return item;
        if (planned < 0 && plan->stage == TESS_WORK_MAKING)
            planned = item;
        if (possible < 0 && (plan->stage == TESS_WORK_MADE || is_in_time(queue, plan, now)))
            possible = item;
    }
    return planned >= 0 ? planned : possible;
}

void tess_work_take(tess_work_queue *queue, int64_t item) {
    int64_t turn = queue->first;
    while (queue->order[turn] != item)
        turn++;
    for (; turn > queue->first; turn--)
        queue->order[turn] = queue->order[turn - 1];
    queue->order[queue->first++] = item;
    if (queue->wanted < queue->first)
        queue->wanted = queue->first;
    if (queue->items[item].plan >= 0)
        queue->plans[queue->items[item].plan].n_needed--;
}

/* A work queue: what of a list of experiments is to be cut, compiled or run next. It knows no
 * thread and no clock: it is told what became of what, and until when there is time.
 *
 * An experiment needs a plan, which several share, and a page. The device takes the first in the
 * order that has both. Pages come before plans, since the device waits for them; while plans are
 * slow, only a few are made side by side, in the order of the experiments that need them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef enum tess_work_stage {
    TESS_WORK_WAITING,
    TESS_WORK_MAKING,
    TESS_WORK_MADE /* or it failed, which its turn meets again */
} tess_work_stage;

typedef struct tess_work_item {
    int64_t plan;          /* that it needs; -1: nothing can be made of it beforehand */
    tess_work_stage stage; /* of its page */
} tess_work_item;

typedef struct tess_work_plan {
    tess_work_stage stage;
    bool failed;      /* it could not be made */
    double expected;  /* seconds that making it takes; 0: nobody knows */
    int64_t n_needed; /* items to come that need it */
} tess_work_plan;

typedef struct tess_work_queue {
    int64_t n, n_plans;
    int64_t first;  /* so many turns have been taken */
    int64_t wanted; /* from this turn on nobody wants any */
    int64_t *order; /* [n] items by turn */
    tess_work_item *items;
    tess_work_plan *plans;
    int64_t most_pages; /* that are made and not yet taken */
    int64_t most_plans; /* that are kept at once, unless nothing else could be done */
    int64_t most_cuts;  /* plans that are made side by side */
    double end;         /* by the clock: a plan that would be made later is not begun */
} tess_work_queue;

typedef enum tess_work_kind { TESS_WORK_NOTHING, TESS_WORK_PLAN, TESS_WORK_PAGE } tess_work_kind;

typedef struct tess_work {
    tess_work_kind kind;
    int64_t item;
} tess_work;

/* What a free worker is to do at the time `now`. */
tess_work tess_work_next(const tess_work_queue *queue, double now);

/* The first wanted item in the order of turns that can be run; -1: none. */
int64_t tess_work_ready(const tess_work_queue *queue);

/* The wanted item that is not ready, but will be: whose page is being made, else whose plan is,
 * else the first of which something may still be made; -1: none. */
int64_t tess_work_awaited(const tess_work_queue *queue, double now);

/* Takes an item: its turn comes before all others that are to come. */
void tess_work_take(tess_work_queue *queue, int64_t item);

/* Ahead: experiments that other threads plan, write and compile before their turn comes. */
#include "experiments/bench/ahead.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/interrupt.h"
#include "core/base/step_back.h"
#include "experiments/bench/cut_cost.h"
#include "experiments/bench/experiment.h"
#include "experiments/bench/measuring.h"
#include "experiments/bench/recording.h"
#include "experiments/bench/work_queue.h"
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_THREADS = 16, OPENMP_THREADS = 4, WIDE = 4 };

static const double memory_of_thread = 4e9; /* bytes: more threads than fit into it are none */

/* An experiment of the list, as a run that is not the campaign's. */
typedef struct item {
    const tess_experiment *experiment;
    tess_run *run; /* NULL: not on this bench, or taken; owned */
    char *key;     /* of what its plan follows from; owned */
} item;

/* The plan of all experiments of one key. */
typedef struct shared {
    const char *key;       /* an item's */
    const item *first;     /* of that key */
    tess_planned *planned; /* NULL where it could not be made; a share */
    bool layouts[2];       /* that its metrics are needed for */
    double reuse;          /* NaN: it is not there, or has none */
    double began;          /* by the clock; 0: not yet */
} shared;

/* A plan that is to be stored. */
typedef struct unstored {
    const tess_experiment *experiment; /* of the list */
    tess_planned *planned;             /* a share */
} unstored;

struct tess_ahead {
    tess_bench *bench;
    pthread_mutex_t mutex; /* of all that follows */
    pthread_cond_t changed;
    tess_work_queue queue; /* its items and plans are those of the next two; owned */
    item *items;           /* [queue.n] by position in the list */
    shared *plans;         /* [queue.n_plans] */
    int64_t n_unstored, unstored_capacity;
    unstored *unstored; /* [n_unstored] */
    bool is_storing;    /* one thread does */
    bool paused, quiet, over,
        ending; /* nothing is begun; nor stored; nor ever again; threads end */
    int n_making, n_threads, n_cores;
    pthread_t threads[MOST_THREADS];
    tess_spending spent; /* by all threads together */
};

/* Plans an item and measures the plan for all layouts that it will be needed for. */
static tess_status make_plan(tess_ahead *ahead, const item *one, const bool *layouts,
                             tess_planned **out) {
    tess_status status = TESS_OK;
    tess_planned *planned = NULL;
    CHECK(tess_experiment_plan_beside(ahead->bench, one->run, &planned));
    for (int layout = 0; layout < 2; layout++)
        if (layouts[layout])
            CHECK(tess_planned_measure(planned, ahead->bench->load.bound, (tess_layout)layout));
    *out = tess_planned_share(planned);
done:
    tess_planned_release(planned);
    return status;
}

/* Plans of the same partitioner will take as long as this one did. */
static void expect_alike(tess_ahead *ahead, int64_t i, double seconds) {
    const char *partitioner = ahead->items[i].experiment->partitioner.text;
    for (int64_t p = 0; p < ahead->queue.n_plans; p++)
        if (strcmp(ahead->plans[p].first->experiment->partitioner.text, partitioner) == 0)
            ahead->queue.plans[p].expected = seconds;
}

/* Whether no plan has been made, and one alone is in the making. */
static bool is_first(const tess_work_queue *queue) {
    int64_t n = 0;
    for (int64_t i = 0; i < queue->n_plans; i++)
        n += queue->plans[i].stage != TESS_WORK_WAITING;
    return n == 1;
}

/* Makes the plan of an item; called and left with the mutex locked. */
static void make_shared(tess_ahead *ahead, int64_t i) {
    const int64_t p = ahead->queue.items[i].plan;
    shared *plan = &ahead->plans[p];
    tess_planned *planned = NULL;
    double clock = tess_clock_seconds();
    plan->began = clock;
    ahead->queue.plans[p].stage = TESS_WORK_MAKING;
    const int n_usual = omp_get_max_threads();
    if (is_first(&ahead->queue)) /* which the device waits for */
        omp_set_num_threads(ahead->n_cores);
    pthread_mutex_unlock(&ahead->mutex);
    const tess_status made = make_plan(ahead, &ahead->items[i], plan->layouts, &planned);
    omp_set_num_threads(n_usual);
    const double seconds = tess_clock_lap(&clock);
    pthread_mutex_lock(&ahead->mutex);
    double cut = made == TESS_OK ? tess_planned_cut_seconds(planned) : 0;
    cut = cut < seconds ? cut : 0; /* an earlier plan's */
    ahead->spent.cut += cut;
    ahead->spent.plan += seconds - cut;
    const tess_metrics *metrics = planned ? tess_planned_metrics(planned) : NULL;
    plan->planned = planned;
    plan->reuse = metrics ? tess_metrics_get(metrics, "reuse_factor") : NAN;
    ahead->queue.plans[p].stage = TESS_WORK_MADE;
    ahead->queue.plans[p].failed = planned == NULL;
    expect_alike(ahead, i, seconds);
}

/* Writes and compiles the page of an item whose plan is there; called and left with the mutex
 * locked. */
static void make_page(tess_ahead *ahead, int64_t i) {
    tess_run *run = ahead->items[i].run;
    run->planned = tess_planned_share(ahead->plans[ahead->queue.items[i].plan].planned);
    ahead->queue.items[i].stage = TESS_WORK_MAKING;
    pthread_mutex_unlock(&ahead->mutex);
    double clock = tess_clock_seconds();
    const tess_status drafted = tess_run_draft(ahead->bench, run);
    const double seconds = tess_clock_lap(&clock);
    pthread_mutex_lock(&ahead->mutex);
    ahead->spent.compile += drafted == TESS_OK ? seconds : 0;
    ahead->queue.items[i].stage = TESS_WORK_MADE;
}

/* Stores the plan that was given last; what fails is tried again when its run is stored. Called and
 * left with the mutex locked. */
static void store_plan(tess_ahead *ahead) {
    const unstored one = ahead->unstored[--ahead->n_unstored];
    ahead->is_storing = true;
    pthread_mutex_unlock(&ahead->mutex);
    double clock = tess_clock_seconds();
    tess_status stored = tess_bench_file(ahead->bench);
    if (stored == TESS_OK)
        stored = tess_planned_archive(ahead->bench, one.experiment, one.planned);
    const double seconds = tess_clock_lap(&clock);
    tess_planned_release(one.planned);
    pthread_mutex_lock(&ahead->mutex);
    ahead->spent.store += stored == TESS_OK ? seconds : 0;
    ahead->is_storing = false;
}

/* Compiles a text that cuts on the device and was not there in time, for those who come later; what
 * fails is left to them. Called and left with the mutex locked. */
static void compile_text(tess_ahead *ahead) {
    tess_bench *bench = ahead->bench;
    const unsigned one = bench->texts_lacking & -bench->texts_lacking;
    char *page = NULL;
    bench->texts_lacking &= ~one;
    pthread_mutex_unlock(&ahead->mutex);
    double clock = tess_clock_seconds();
    tess_status status = tess_cut_page(one, &page);
    if (status == TESS_OK)
        status = tess_device_compile_ahead(bench->device, bench->target, page);
    free(page);
    const double seconds = tess_clock_lap(&clock);
    pthread_mutex_lock(&ahead->mutex);
    ahead->spent.compile += status == TESS_OK ? seconds : 0;
}

/* Makes what comes next, if anything; called and left with the mutex locked. */
static bool make_next(tess_ahead *ahead) {
    if (ahead->paused || ahead->over)
        return false;
    if (ahead->bench->texts_lacking && ahead->n_threads > OPENMP_THREADS) {
        ahead->n_making++;
        compile_text(ahead);
        ahead->n_making--;
        return true;
    }
    const tess_work work = tess_work_next(&ahead->queue, tess_clock_seconds());
    if (work.kind == TESS_WORK_NOTHING)
        return false;
    ahead->n_making++;
    if (work.kind == TESS_WORK_PLAN)
        make_shared(ahead, work.item);
    else
        make_page(ahead, work.item);
    ahead->n_making--;
    return true;
}

static bool may_store(const tess_ahead *ahead) {
    return ahead->n_unstored > 0 && !ahead->is_storing && !ahead->quiet &&
           tess_bench_is_filed(ahead->bench);
}

/* The thread that runs the experiments, and those that it has for a loop over all values, come
 * first: each such loop would wait for the last of them. */
static void *work(void *context) {
    tess_ahead *ahead = context;
    tess_thread_step_back();
    pthread_mutex_lock(&ahead->mutex);
    const int cores = omp_get_max_threads();
    omp_set_num_threads(cores < OPENMP_THREADS ? cores : OPENMP_THREADS);
    while (!ahead->ending) {
        bool worked = make_next(ahead);
        if (!worked && may_store(ahead)) {
            store_plan(ahead);
            worked = true;
        }
        if (worked)
            pthread_cond_broadcast(&ahead->changed);
        else
            pthread_cond_wait(&ahead->changed, &ahead->mutex);
    }
    pthread_mutex_unlock(&ahead->mutex);
    return NULL;
}

/* Lets go of plans that no turn to come needs; the mutex is locked. */
static void drop_plans(tess_ahead *ahead) {
    for (int64_t i = 0; i < ahead->queue.n_plans; i++)
        if (ahead->queue.plans[i].n_needed == 0 && ahead->queue.plans[i].stage == TESS_WORK_MADE) {
            tess_planned_release(ahead->plans[i].planned);
            ahead->plans[i].planned = NULL;
        }
}

bool tess_ahead_is_wide(const tess_ahead *ahead) {
    return ahead && omp_get_max_threads() > WIDE;
}

int64_t tess_ahead_next(tess_ahead *ahead, int64_t *awaited) {
    pthread_mutex_lock(&ahead->mutex);
    const int64_t ready = tess_work_ready(&ahead->queue);
    *awaited = tess_work_awaited(&ahead->queue, tess_clock_seconds());
    pthread_mutex_unlock(&ahead->mutex);
    return ready;
}

tess_making_state tess_ahead_state(tess_ahead *ahead, int64_t number) {
    tess_making_state state = {.reuse = NAN};
    pthread_mutex_lock(&ahead->mutex);
    const int64_t p = ahead->queue.items[number].plan;
    if (p >= 0) {
        const shared *plan = &ahead->plans[p];
        state.reuse = plan->reuse;
        state.planned = ahead->queue.plans[p].stage == TESS_WORK_MADE;
        state.seconds = !state.planned && plan->began > 0 ? tess_clock_seconds() - plan->began : 0;
    }
    pthread_mutex_unlock(&ahead->mutex);
    return state;
}

void tess_ahead_wait(tess_ahead *ahead, double seconds) {
    const struct timespec until = tess_clock_after(seconds);
    pthread_mutex_lock(&ahead->mutex);
    if (tess_work_ready(&ahead->queue) < 0)
        pthread_cond_timedwait(&ahead->changed, &ahead->mutex, &until);
    pthread_mutex_unlock(&ahead->mutex);
}

/* Gives a run what was made of it. */
static void hand_over(const tess_ahead *ahead, const item *one, tess_run *run) {
    if (!one->run || !one->run->planned || ahead->queue.items[run->number].stage != TESS_WORK_MADE)
        return;
    run->planned = tess_planned_share(one->run->planned);
    run->trial = one->run->trial;
    one->run->trial = (tess_trial){.store = NULL};
    if (run->trial.store) /* the device may have been opened anew */
        run->trial.store->target = ahead->bench->target;
}

void tess_ahead_take(tess_ahead *ahead, tess_run *run) {
    pthread_mutex_lock(&ahead->mutex);
    item *one = &ahead->items[run->number];
    hand_over(ahead, one, run);
    tess_work_take(&ahead->queue, run->number);
    if (ahead->queue.items[run->number].stage != TESS_WORK_MAKING) {
        tess_run_free(one->run);
        one->run = NULL;
    }
    drop_plans(ahead);
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->mutex);
}

tess_status tess_ahead_archive(tess_ahead *ahead, const tess_run *run) {
    tess_status status = TESS_OK;
    const bool stored = run->planned && run->planned->partition;
    if (!ahead || !ahead->bench->options.lab || !stored || !tess_bench_reports(ahead->bench))
        return TESS_OK;
    pthread_mutex_lock(&ahead->mutex);
    CHECK(TESS_RESERVE(ahead->n_unstored + 1, &ahead->unstored_capacity, &ahead->unstored));
    ahead->unstored[ahead->n_unstored++] =
        (unstored){run->experiment, tess_planned_share(run->planned)};
    pthread_cond_broadcast(&ahead->changed);
done:
    pthread_mutex_unlock(&ahead->mutex);
    return status;
}

void tess_ahead_pause(tess_ahead *ahead, bool quiet) {
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->mutex);
    ahead->paused = true;
    ahead->quiet = quiet;
    while (quiet && (ahead->n_making > 0 || ahead->is_storing))
        pthread_cond_wait(&ahead->changed, &ahead->mutex);
    pthread_mutex_unlock(&ahead->mutex);
}

void tess_ahead_resume(tess_ahead *ahead) {
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->mutex);
    ahead->paused = ahead->quiet = false;
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->mutex);
}

void tess_ahead_give_up(tess_ahead *ahead, bool storing) {
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->mutex);
    ahead->over = true;
    ahead->quiet = ahead->quiet || storing;
    while (ahead->n_making > 0 || (storing && ahead->is_storing)) {
        tess_interrupt_at(0); /* again and again: who ends another computation takes it back */
        pthread_cond_wait(&ahead->changed, &ahead->mutex);
    }
    pthread_mutex_unlock(&ahead->mutex);
    tess_interrupt_at(INFINITY);
}

/* A run with the record by which partitions of earlier runs are found. */
static tess_status item_fill(const tess_bench *bench, const tess_experiment *experiment,
                             int64_t number, item *one) {
    if (!tess_bench_fits(bench, experiment))
        return TESS_OK;
    TRY(tess_shared_plans_key(experiment, &one->key));
    TRY(tess_run_new(experiment, number, &one->run));
    TRY(tess_record_new(bench->options.argc, bench->options.argv, &one->run->record));
    TRY(tess_record_experiment(one->run->record, experiment));
    return tess_record_workload(one->run->record, bench);
}

static void note_plan(tess_ahead *ahead, int64_t number) {
    tess_work_queue *queue = &ahead->queue;
    const item *one = &ahead->items[number];
    int64_t i = 0;
    while (i < queue->n_plans && strcmp(ahead->plans[i].key, one->key) != 0)
        i++;
    if (i == queue->n_plans) {
        const double millions = 1e-6 * (double)ahead->bench->load.bound->n_elements;
        ahead->plans[i] = (shared){.key = one->key, .first = one, .reuse = NAN};
        queue->plans[i].expected =
            millions * tess_partitioner_cost(one->experiment->partitioner.plugin->name,
                                             one->experiment->partitioner.text);
        queue->n_plans++;
    }
    queue->plans[i].n_needed++;
    queue->items[number].plan = i;
    ahead->plans[i].layouts[one->experiment->layout.layouts.layout] = true;
}

/* A core is left to the thread that runs the experiments; plans and tables need memory. */
static int threads_for_this_machine(void) {
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const double fit = memory / memory_of_thread, cores = omp_get_max_threads() - 1;
    const double n = fmin(MOST_THREADS, fmin(fit, cores));
    return n < 1 ? 1 : (int)n;
}

void tess_ahead_reorder(tess_ahead *ahead, const tess_turns *turns) {
    if (!ahead)
        return;
    tess_work_queue *queue = &ahead->queue;
    pthread_mutex_lock(&ahead->mutex);
    memcpy(queue->order, turns->order, (size_t)queue->n * sizeof *queue->order);
    queue->wanted = turns->wanted;
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->mutex);
}

/* How much may be made at once: a plan and its tables are some 200 bytes an element. */
static void set_limits(tess_ahead *ahead, int n_threads) {
    const double plan = 200 * (double)ahead->bench->load.bound->n_elements;
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const double fit = memory / 4 / plan;
    ahead->queue.most_pages = n_threads + 4;
    ahead->queue.most_plans = fit < 2 ? 2 : fit > 1024 ? 1024 : (int64_t)fit;
    ahead->queue.most_cuts = n_threads < OPENMP_THREADS ? 1 : n_threads / (OPENMP_THREADS - 1);
}

/* Lists the experiments to come, and the plans that they share. */
static tess_status list_items(tess_ahead *ahead, const tess_turns *turns) {
    tess_work_queue *queue = &ahead->queue;
    const int64_t n = turns->n;
    TRY(TESS_ZEROS(n, &ahead->items));
    TRY(TESS_ZEROS(n, &ahead->plans));
    TRY(TESS_ZEROS(n, &queue->plans));
    TRY(TESS_ZEROS(n, &queue->items));
    TRY(TESS_ALLOC(n, &queue->order));
    memcpy(queue->order, turns->order, (size_t)n * sizeof *queue->order);
    queue->n = n;
    queue->first = turns->first;
    queue->wanted = turns->wanted;
    queue->end = INFINITY;
    for (int64_t turn = 0; turn < n; turn++) {
        const int64_t i = turns->order[turn];
        ahead->items[i].experiment = &turns->experiments[i];
        queue->items[i].plan = -1;
        if (turn >= turns->first)
            TRY(item_fill(ahead->bench, &turns->experiments[i], i, &ahead->items[i]));
        if (ahead->items[i].run)
            note_plan(ahead, i);
    }
    return TESS_OK;
}

tess_status tess_ahead_begin(tess_bench *bench, const tess_turns *turns, tess_ahead **out) {
    tess_status status = TESS_OK;
    tess_ahead *ahead = NULL;
    CHECK(TESS_ZEROS(1, &ahead));
    ahead->bench = bench;
    ahead->n_cores = omp_get_max_threads();
    pthread_mutex_init(&ahead->mutex, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    CHECK(list_items(ahead, turns));
    const int n_threads = threads_for_this_machine();
    set_limits(ahead, n_threads);
    pthread_mutex_lock(&ahead->mutex);
    while (ahead->n_threads < n_threads &&
           pthread_create(&ahead->threads[ahead->n_threads], NULL, work, ahead) == 0)
        ahead->n_threads++;
    pthread_mutex_unlock(&ahead->mutex);
    if (ahead->n_threads == 0)
        CHECK(tess_fail(TESS_ERROR_MEMORY, "no thread can be started"));
    *out = TESS_TAKE(ahead);
done:
    tess_ahead_end(ahead);
    return status;
}

void tess_ahead_set_end(tess_ahead *ahead, double end) {
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->mutex);
    ahead->queue.end = end;
    pthread_mutex_unlock(&ahead->mutex);
}

static void free_all(tess_ahead *ahead) {
    for (int64_t i = 0; ahead->items && i < ahead->queue.n; i++) {
        tess_run_free(ahead->items[i].run);
        free(ahead->items[i].key);
    }
    for (int64_t i = 0; i < ahead->queue.n_plans; i++)
        tess_planned_release(ahead->plans[i].planned);
    for (int64_t i = 0; i < ahead->n_unstored; i++)
        tess_planned_release(ahead->unstored[i].planned);
    free(ahead->unstored);
    free(ahead->items);
    free(ahead->plans);
    free(ahead->queue.items);
    free(ahead->queue.plans);
    free(ahead->queue.order);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->mutex);
    free(ahead);
}

void tess_ahead_end(tess_ahead *ahead) {
    if (!ahead)
        return;
    tess_ahead_give_up(ahead, true);
    pthread_mutex_lock(&ahead->mutex);
    ahead->ending = true;
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->mutex);
    for (int i = 0; i < ahead->n_threads; i++)
        pthread_join(ahead->threads[i], NULL);
    ahead->bench->spent_ahead = ahead->spent;
    free_all(ahead);
}

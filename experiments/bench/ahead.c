/* Ahead: experiments that other threads plan, write and compile before their turn comes. */
#include "experiments/bench/ahead.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "experiments/bench/experiment.h"
#include "experiments/bench/measuring.h"
#include "experiments/bench/recording.h"
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST_THREADS = 16, OPENMP_THREADS = 4, WIDE = 4 };

/* The thread that runs the experiments, and those that it has for a loop over all values, come
 * first: each such loop would wait for the last of them. */
enum { NICER = 10 };

static const double memory_of_thread = 4e9; /* bytes: more threads than fit into it are none */

typedef enum stage { STAGE_WAITING, STAGE_MAKING, STAGE_MADE } stage;

/* An experiment of the list, as a run that is not the campaign's. */
typedef struct item {
    tess_run *run; /* NULL: not on this bench; owned */
    char *key;     /* of what its plan follows from; owned */
    stage stage;
} item;

/* The plan of all experiments of one key. */
typedef struct shared {
    const char *key;       /* an item's */
    tess_planned *planned; /* NULL where it could not be made; a share */
    stage stage;
    bool layouts[2];  /* that its metrics are needed for */
    int64_t n_needed; /* items to come that need it */
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
    int64_t n, next, passed; /* turns; the next that is begun; the first that may be asked for */
    int64_t n_ahead;         /* most that are made and not yet taken */
    int64_t *order;          /* [n] items by turn */
    item *items;             /* [n] by position in the list */
    int64_t n_plans;
    shared *plans; /* [n] */
    int64_t n_unstored, unstored_capacity;
    unstored *unstored; /* [n_unstored] */
    bool is_storing;    /* one thread does */
    bool paused, ending;
    int n_working, n_threads;
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

static shared *shared_of(const tess_ahead *ahead, const item *one) {
    shared *plan = ahead->plans;
    while (strcmp(plan->key, one->key) != 0)
        plan++;
    return plan;
}

/* The plan of an item, made by this thread where no other makes it; NULL where that failed. Called
 * and left with the mutex locked. */
static tess_planned *plan_of(tess_ahead *ahead, item *one) {
    shared *plan = shared_of(ahead, one);
    while (plan->stage == STAGE_MAKING)
        pthread_cond_wait(&ahead->changed, &ahead->mutex);
    if (plan->stage == STAGE_WAITING) {
        tess_planned *planned = NULL;
        plan->stage = STAGE_MAKING;
        pthread_mutex_unlock(&ahead->mutex);
        double clock = tess_clock_seconds();
        const tess_status made = make_plan(ahead, one, plan->layouts, &planned);
        const double seconds = tess_clock_lap(&clock);
        pthread_mutex_lock(&ahead->mutex);
        double cut = made == TESS_OK ? tess_planned_cut_seconds(planned) : 0;
        cut = cut < seconds ? cut : 0; /* an earlier plan's */
        ahead->spent.cut += cut;
        ahead->spent.plan += seconds - cut;
        plan->planned = planned;
        plan->stage = STAGE_MADE;
        pthread_cond_broadcast(&ahead->changed);
    }
    return plan->planned ? tess_planned_share(plan->planned) : NULL;
}

/* Makes an item; called and left with the mutex locked. */
static void make(tess_ahead *ahead, item *one) {
    tess_run *run = one->run;
    run->planned = plan_of(ahead, one);
    if (!run->planned)
        return;
    pthread_mutex_unlock(&ahead->mutex);
    double clock = tess_clock_seconds();
    const tess_status drafted = tess_run_draft(ahead->bench, run);
    const double seconds = tess_clock_lap(&clock);
    pthread_mutex_lock(&ahead->mutex);
    ahead->spent.compile += drafted == TESS_OK ? seconds : 0;
}

/* Stores the plan that was given last; what fails is tried again when its run is stored. Called and
 * left with the mutex locked. */
static void store_plan(tess_ahead *ahead) {
    const unstored one = ahead->unstored[--ahead->n_unstored];
    ahead->is_storing = true;
    pthread_mutex_unlock(&ahead->mutex);
    double clock = tess_clock_seconds();
    const tess_status stored = tess_planned_archive(ahead->bench, one.experiment, one.planned);
    const double seconds = tess_clock_lap(&clock);
    tess_planned_release(one.planned);
    pthread_mutex_lock(&ahead->mutex);
    ahead->spent.store += stored == TESS_OK ? seconds : 0;
    ahead->is_storing = false;
}

void tess_ahead_step_back(void) {
    const id_t self = (id_t)gettid();
    (void)setpriority(PRIO_PROCESS, self, getpriority(PRIO_PROCESS, self) + NICER);
}

static void *work(void *context) {
    tess_ahead *ahead = context;
    tess_ahead_step_back();
    pthread_mutex_lock(&ahead->mutex);
    const int cores = omp_get_max_threads();
    omp_set_num_threads(cores < OPENMP_THREADS ? cores : OPENMP_THREADS);
    while (!ahead->ending) {
        if (!ahead->paused && ahead->n_unstored > 0 && !ahead->is_storing) {
            ahead->n_working++;
            store_plan(ahead);
            ahead->n_working--;
            pthread_cond_broadcast(&ahead->changed);
            continue;
        }
        if (ahead->paused || ahead->next >= ahead->n ||
            ahead->next >= ahead->passed + ahead->n_ahead) {
            pthread_cond_wait(&ahead->changed, &ahead->mutex);
            continue;
        }
        item *one = &ahead->items[ahead->order[ahead->next++]];
        if (!one->run || one->stage != STAGE_WAITING) /* made in another order */
            continue;
        one->stage = STAGE_MAKING;
        ahead->n_working++;
        make(ahead, one);
        ahead->n_working--;
        one->stage = STAGE_MADE;
        pthread_cond_broadcast(&ahead->changed);
    }
    pthread_mutex_unlock(&ahead->mutex);
    return NULL;
}

/* Lets go of what no turn from here on needs; the mutex is locked. */
static void drop_passed(tess_ahead *ahead, int64_t passed) {
    for (; ahead->passed < passed; ahead->passed++) {
        item *one = &ahead->items[ahead->order[ahead->passed]];
        if (!one->run)
            continue;
        shared_of(ahead, one)->n_needed--;
        if (one->stage == STAGE_MAKING)
            continue;
        tess_run_free(one->run);
        one->run = NULL;
    }
    if (ahead->next < passed)
        ahead->next = passed;
    for (int64_t i = 0; i < ahead->n_plans; i++)
        if (ahead->plans[i].n_needed == 0 && ahead->plans[i].stage == STAGE_MADE) {
            tess_planned_release(ahead->plans[i].planned);
            ahead->plans[i].planned = NULL;
        }
}

static int64_t turn_of(const tess_ahead *ahead, int64_t number) {
    int64_t turn = ahead->passed;
    while (ahead->order[turn] != number)
        turn++;
    return turn;
}

bool tess_ahead_is_wide(const tess_ahead *ahead) {
    return ahead && omp_get_max_threads() > WIDE;
}

static bool is_late(const tess_ahead *ahead, const item *one) {
    return one->run &&
           (one->stage == STAGE_MAKING || (one->stage == STAGE_WAITING && !ahead->paused));
}

/* The item of a run whose turn has come; the mutex is locked. */
static item *come_to(tess_ahead *ahead, const tess_run *run) {
    const int64_t turn = turn_of(ahead, run->number);
    drop_passed(ahead, turn);
    if (ahead->next <= turn && !ahead->paused)
        pthread_cond_broadcast(&ahead->changed);
    return &ahead->items[run->number];
}

bool tess_ahead_is_late(tess_ahead *ahead, const tess_run *run) {
    pthread_mutex_lock(&ahead->mutex);
    const bool late = is_late(ahead, come_to(ahead, run));
    pthread_mutex_unlock(&ahead->mutex);
    return late;
}

void tess_ahead_take(tess_ahead *ahead, tess_run *run) {
    pthread_mutex_lock(&ahead->mutex);
    item *one = come_to(ahead, run);
    while (is_late(ahead, one))
        pthread_cond_wait(&ahead->changed, &ahead->mutex);
    if (one->run && one->stage == STAGE_MADE && one->run->planned) {
        run->planned = tess_planned_share(one->run->planned);
        run->trial = one->run->trial;
        one->run->trial = (tess_trial){.store = NULL};
        if (run->trial.store) /* the device may have been opened anew */
            run->trial.store->target = ahead->bench->target;
    }
    drop_passed(ahead, turn_of(ahead, run->number) + 1);
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

void tess_ahead_pause(tess_ahead *ahead, bool wait) {
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->mutex);
    ahead->paused = true;
    while (wait && ahead->n_working > 0)
        pthread_cond_wait(&ahead->changed, &ahead->mutex);
    pthread_mutex_unlock(&ahead->mutex);
}

void tess_ahead_resume(tess_ahead *ahead) {
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->mutex);
    ahead->paused = false;
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->mutex);
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

static void note_plan(tess_ahead *ahead, const item *one) {
    const char *key = one->key;
    int64_t i = 0;
    while (i < ahead->n_plans && strcmp(ahead->plans[i].key, key) != 0)
        i++;
    if (i == ahead->n_plans)
        ahead->plans[ahead->n_plans++].key = key;
    ahead->plans[i].n_needed++;
    ahead->plans[i].layouts[one->run->experiment->layout.layouts.layout] = true;
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
    pthread_mutex_lock(&ahead->mutex);
    memcpy(ahead->order, turns->order, (size_t)ahead->n * sizeof *ahead->order);
    ahead->next = ahead->passed;
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->mutex);
}

tess_status tess_ahead_begin(tess_bench *bench, const tess_turns *turns, tess_ahead **out) {
    tess_status status = TESS_OK;
    tess_ahead *ahead = NULL;
    const int64_t n = turns->n;
    CHECK(TESS_ZEROS(1, &ahead));
    ahead->bench = bench;
    ahead->next = ahead->passed = turns->first;
    pthread_mutex_init(&ahead->mutex, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    CHECK(TESS_ZEROS(n, &ahead->items));
    CHECK(TESS_ZEROS(n, &ahead->plans));
    CHECK(TESS_ALLOC(n, &ahead->order));
    memcpy(ahead->order, turns->order, (size_t)n * sizeof *ahead->order);
    ahead->n = n;
    for (int64_t turn = turns->first; turn < n; turn++) {
        const int64_t i = turns->order[turn];
        CHECK(item_fill(bench, &turns->experiments[i], i, &ahead->items[i]));
        if (ahead->items[i].run)
            note_plan(ahead, &ahead->items[i]);
    }
    const int n_threads = threads_for_this_machine();
    ahead->n_ahead = n_threads + 4;
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

void tess_ahead_end(tess_ahead *ahead) {
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->mutex);
    ahead->ending = true;
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->mutex);
    for (int i = 0; i < ahead->n_threads; i++)
        pthread_join(ahead->threads[i], NULL);
    ahead->bench->spent_ahead = ahead->spent;
    for (int64_t i = 0; i < ahead->n; i++) {
        tess_run_free(ahead->items[i].run);
        free(ahead->items[i].key);
        if (ahead->plans)
            tess_planned_release(ahead->plans[i].planned);
    }
    for (int64_t i = 0; i < ahead->n_unstored; i++)
        tess_planned_release(ahead->unstored[i].planned);
    free(ahead->unstored);
    free(ahead->items);
    free(ahead->plans);
    free(ahead->order);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->mutex);
    free(ahead);
}

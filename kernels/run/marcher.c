/* A marcher: all loops of an application on a device, ready to march it step by step. */
#include "kernels/run/marcher.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/progress.h"
#include "kernels/run/execution.h"
#include <stdlib.h>
#include <string.h>

/* What timed runs took. */
typedef struct timed {
    int64_t count;
    double seconds;
} timed;

/* One loop. */
typedef struct marched {
    tess_marcher_loop of; /* the setting's */
    tess_execution *execution;
    timed taken;
} marched;

struct tess_marcher {
    tess_store *store;
    int n_loops;
    marched loops[TESS_MOST_MARCHED];
    int n_steps;
    int steps[TESS_MOST_MARCHED];    /* which loop each part of a time step is; -1: of a chain */
    tess_chained_step *chained;      /* NULL: without chains */
    timed chains[TESS_MOST_MARCHED]; /* by the part where the first of the same loops begins */
};

static tess_status open_loop(const tess_marcher_setting *setting, const tess_marcher_loop *loop,
                             tess_store *store, marched *m) {
    const tess_execution_options options = {.kernel = loop->kernel,
                                            .strategy = loop->strategy,
                                            .spec = loop->spec,
                                            .threads = loop->threads,
                                            .arithmetic = loop->arithmetic,
                                            .keep_text = setting->keep_text,
                                            .tables_page = setting->tables_page,
                                            .application = setting->application};
    m->of = *loop;
    const tess_status status =
        tess_execution_open(&options, store, loop->bound, loop->plan, &m->execution);
    return status == TESS_ERROR_USAGE ? tess_fail_at(status, "loop %s", loop->kernel->name)
                                      : status;
}

/* Threads that have copies of their own run all loops, or none. */
static tess_status check_copies(const tess_marcher *marcher) {
    const marched *first = &marcher->loops[0];
    for (int i = 1; i < marcher->n_loops; i++) {
        const marched *m = &marcher->loops[i];
        const bool has_copies = m->execution->copies != NULL;
        if (has_copies != (first->execution->copies != NULL))
            FAIL(TESS_ERROR_USAGE,
                 "loop %s has copies of its own for each thread, and %s has not: give all loops of "
                 "a march copies=private, or none",
                 (has_copies ? m : first)->of.kernel->name,
                 (has_copies ? first : m)->of.kernel->name);
    }
    return TESS_OK;
}

/* Whether a loop of the step is executed by itself somewhere. */
static bool is_alone(const tess_marcher *marcher, const tess_kernel *kernel) {
    const tess_chained_step *chained = marcher->chained;
    for (int i = 0; chained && i < tess_chained_step_size(chained); i++)
        if (tess_chained_step_length(chained, i) == 1 &&
            tess_chained_step_kernels(chained)[i] == kernel)
            return true;
    return !chained;
}

/* Adds a part to the time step, where its loop is among the setting's. */
static void add_part(tess_marcher *marcher, const tess_marcher_setting *setting, const char *name) {
    int *part = &marcher->steps[marcher->n_steps];
    *part = -1;
    for (int i = 0; i < marcher->n_loops; i++)
        if (strcmp(marcher->loops[i].of.kernel->name, name) == 0)
            *part = i;
    if (marcher->chained && tess_chained_step_length(marcher->chained, marcher->n_steps) != 1)
        *part = -1;
    for (int i = 0; i < setting->n_loops; i++)
        marcher->n_steps += strcmp(setting->loops[i].kernel->name, name) == 0;
}

static tess_status open_chains(const tess_marcher *marcher, const tess_marcher_setting *setting) {
    tess_chain_way ways[TESS_MOST_MARCHED];
    for (int i = 0; i < setting->n_loops; i++) {
        const tess_marcher_loop *loop = &setting->loops[i];
        ways[i] = (tess_chain_way){.kernel = loop->kernel,
                                   .plan = loop->plan,
                                   .threads = loop->threads,
                                   .registers = tess_chain_registers(loop->spec)};
    }
    const tess_chains_setting chains = {.store = marcher->store,
                                        .n_ways = setting->n_loops,
                                        .ways = ways,
                                        .arithmetic = setting->loops[0].arithmetic,
                                        .keep_text = setting->keep_text};
    if (!marcher->chained)
        return TESS_OK;
    for (int i = 0; i < marcher->n_loops; i++)
        if (marcher->loops[i].execution->copies)
            FAIL(TESS_ERROR_USAGE, "chains and threads with copies of their own do not go "
                                   "together: leave out copies=private");
    return tess_chained_step_open(marcher->chained, &chains);
}

tess_status tess_marcher_open(const tess_marcher_setting *setting, tess_store *store,
                              tess_marcher **out) {
    tess_status status = TESS_OK;
    tess_marcher *marcher = NULL;
    CHECK(TESS_ZEROS(1, &marcher));
    marcher->store = store;
    if (setting->chains && strcmp(setting->chains, "none") != 0)
        CHECK(tess_chained_step_new(setting->application, store->state->mesh, store->state->real,
                                    setting->chains, &marcher->chained));
    for (int i = 0; i < setting->n_loops; i++)
        if (is_alone(marcher, setting->loops[i].kernel))
            CHECK(
                open_loop(setting, &setting->loops[i], store, &marcher->loops[marcher->n_loops++]));
    for (int i = 0; setting->application->step[i] && i < TESS_MOST_MARCHED; i++)
        add_part(marcher, setting, setting->application->step[i]);
    CHECK(check_copies(marcher));
    CHECK(open_chains(marcher, setting));
    *out = TESS_TAKE(marcher);
done:
    tess_marcher_close(marcher);
    return status;
}

void tess_marcher_close(tess_marcher *marcher) {
    if (!marcher)
        return;
    for (int i = 0; i < marcher->n_loops; i++)
        tess_execution_close(marcher->loops[i].execution);
    tess_chained_step_free(marcher->chained);
    free(marcher);
}

static tess_status note_step(void) {
    tess_progress_add(1);
    return tess_interrupt_check();
}

/* All steps by threads that have copies of their own. */
static tess_status run_copies(const tess_marcher *marcher, int n) {
    const tess_thread_copies *copies[TESS_MOST_MARCHED];
    for (int s = 0; s < marcher->n_steps; s++)
        copies[s] = marcher->loops[marcher->steps[s]].execution->copies;
    return tess_thread_copies_run(copies, marcher->n_steps, n, note_step);
}

/* A loop, whose dats may have changed buffers; or a chain, where its first loop stands. */
static tess_status run_part(const tess_marcher *marcher, int s) {
    if (marcher->steps[s] < 0)
        return tess_chained_step_length(marcher->chained, s) > 0
                   ? tess_chained_step_run(marcher->chained, s)
                   : TESS_OK;
    tess_execution *execution = marcher->loops[marcher->steps[s]].execution;
    if (marcher->chained)
        tess_page_find_dats(&execution->page);
    return tess_execution_run(execution);
}

static tess_status run_loops(const tess_marcher *marcher, int n) {
    for (int i = 0; i < n; i++) {
        for (int s = 0; s < marcher->n_steps; s++)
            TRY(run_part(marcher, s));
        TRY(note_step());
    }
    return TESS_OK;
}

static bool has_copies(const tess_marcher *marcher) {
    return marcher->n_loops > 0 && marcher->loops[0].execution->copies;
}

tess_status tess_marcher_run(tess_marcher *marcher, int n, double *seconds) {
    const tess_device *device = marcher->store->device;
    TRY(tess_interrupt_check());
    TRY(device->timer_start(marcher->store->target));
    TRY(has_copies(marcher) ? run_copies(marcher, n) : run_loops(marcher, n));
    return device->timer_stop(marcher->store->target, seconds);
}

/* One part of a step, with what went on before it done. */
static tess_status time_part(tess_marcher *marcher, int s, double *total) {
    const tess_device *device = marcher->store->device;
    const int of = marcher->steps[s];
    double seconds = 0;
    if (of < 0 && tess_chained_step_length(marcher->chained, s) == 0)
        return TESS_OK;
    TRY(device->timer_start(marcher->store->target));
    TRY(run_part(marcher, s));
    TRY(device->timer_stop(marcher->store->target, &seconds));
    timed *taken = of < 0 ? &marcher->chains[tess_chained_step_like(marcher->chained, s)]
                          : &marcher->loops[of].taken;
    taken->count++;
    taken->seconds += seconds;
    *total += seconds;
    return TESS_OK;
}

bool tess_marcher_is_timeable(const tess_marcher *marcher) {
    return !has_copies(marcher);
}

tess_status tess_marcher_time(tess_marcher *marcher, int n, double *seconds) {
    if (has_copies(marcher))
        FAIL(TESS_ERROR_USAGE, "threads with copies of their own run whole steps: no loop is timed "
                               "alone there; leave out copies=private");
    *seconds = 0;
    for (int i = 0; i < n; i++) {
        for (int s = 0; s < marcher->n_steps; s++)
            TRY(time_part(marcher, s, seconds));
        TRY(note_step());
    }
    return TESS_OK;
}

const tess_chained_step *tess_marcher_chained(const tess_marcher *marcher) {
    return marcher->chained;
}

/* Adds the chains of a step, each that has the same loops once. */
static int add_chains(const tess_marcher *marcher, tess_marched_loop *loops) {
    const tess_chained_step *chained = marcher->chained;
    int n = 0;
    for (int s = 0; chained && s < tess_chained_step_size(chained); s++) {
        if (!tess_chained_step_chain(chained, s) || tess_chained_step_like(chained, s) != s)
            continue;
        const tess_ready_chain *ready = tess_chained_step_ready(chained, s);
        loops[n++] = (tess_marched_loop){.chain = ready->chain,
                                         .block_size = ready->block_size,
                                         .n_blocks = ready->blocks->n_blocks,
                                         .threads = ready->page.threads,
                                         .count = marcher->chains[s].count,
                                         .seconds = marcher->chains[s].seconds};
    }
    return n;
}

int tess_marcher_loops(const tess_marcher *marcher, tess_marched_loop loops[TESS_MOST_MARCHED]) {
    for (int i = 0; i < marcher->n_loops; i++) {
        const marched *m = &marcher->loops[i];
        loops[i] = (tess_marched_loop){.kernel = m->of.kernel,
                                       .bound = m->of.bound,
                                       .plan = m->of.plan,
                                       .block_size = m->of.plan->block_size,
                                       .n_blocks = m->of.plan->n_blocks,
                                       .threads = m->execution->page.threads,
                                       .count = m->taken.count,
                                       .seconds = m->taken.seconds};
    }
    return marcher->n_loops + add_chains(marcher, loops + marcher->n_loops);
}

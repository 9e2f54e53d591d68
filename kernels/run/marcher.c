/* A marcher: all loops of an application on a device, ready to march it step by step. */
#include "kernels/run/marcher.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/progress.h"
#include "core/plan/partition.h"
#include "kernels/run/declarations.h"
#include "kernels/run/execution.h"
#include <stdlib.h>
#include <string.h>

/* One loop, with what is its own. */
typedef struct marched {
    const tess_kernel *kernel;
    tess_loop *loop;
    tess_bound_loop *bound;
    tess_plan *plan;
    tess_execution *execution;
    const tess_bound_loop *its_bound; /* the same, or the setting's */
    const tess_plan *its_plan;
    int64_t count; /* timed runs, and their seconds */
    double seconds;
} marched;

struct tess_marcher {
    tess_store *store;
    tess_spec others; /* on a GPU: the strategy of the other loops, without options */
    int n_loops;
    marched loops[TESS_MOST_MARCHED];
    int n_steps;
    int steps[TESS_MOST_MARCHED]; /* which loop each part of a time step is */
};

/* A plan of blocks of elements that are consecutive in memory, each thread one behind another. */
static tess_status plan_in_order(const tess_store *store, const tess_bound_loop *bound,
                                 int32_t block_size, tess_plan **out) {
    tess_partition *partition = NULL;
    const tess_plan_options options = {.position = tess_store_order(store, bound->set)};
    if (bound->n_targets == 0)
        return tess_kernel_plan_direct(bound, options.position, block_size, out);
    TRY(tess_partition_in_order(bound, options.position, block_size, &partition));
    const tess_status status = tess_plan_build(bound, partition, &options, out);
    tess_partition_free(partition);
    return status;
}

static int32_t block_size_of(const tess_marcher_setting *setting, const tess_kernel *kernel) {
    for (int i = 0; i < setting->n_blocks; i++)
        if (strcmp(setting->blocks[i].loop, kernel->name) == 0)
            return setting->blocks[i].block_size;
    return setting->block_size;
}

/* Prepares a loop of the application that is not the setting's own. */
static tess_status open_other(tess_marcher *marcher, const tess_marcher_setting *setting,
                              marched *m) {
    tess_execution_options options = {.kernel = m->kernel,
                                      .strategy = setting->strategy,
                                      .spec = setting->spec,
                                      .threads = setting->threads,
                                      .application = setting->application};
    if (!setting->strategy->one_thread) {
        options.spec = &marcher->others;
        TRY(tess_strategy_find(marcher->others.name, &options.strategy));
    }
    TRY(tess_kernel_loop(m->kernel, marcher->store->state->real, &m->loop));
    TRY(tess_kernel_bind(m->loop, marcher->store->state->mesh, &m->bound));
    TRY(tess_declarations_check(m->kernel, m->bound));
    TRY(plan_in_order(marcher->store, m->bound, block_size_of(setting, m->kernel), &m->plan));
    m->its_bound = m->bound;
    m->its_plan = m->plan;
    return tess_execution_open(&options, marcher->store, m->bound, m->plan, &m->execution);
}

/* The position of a loop among those that are open; opens it where it is new. */
static tess_status loop_of(tess_marcher *marcher, const tess_marcher_setting *setting,
                           const tess_kernel *kernel, const tess_bound_loop *bound,
                           const tess_plan *plan, int *position) {
    for (*position = 0; *position < marcher->n_loops; ++*position)
        if (marcher->loops[*position].kernel == kernel)
            return TESS_OK;
    marched *m = &marcher->loops[marcher->n_loops++];
    m->kernel = kernel;
    if (kernel != setting->kernel)
        return open_other(marcher, setting, m);
    const tess_execution_options options = {.kernel = kernel,
                                            .strategy = setting->strategy,
                                            .spec = setting->spec,
                                            .threads = setting->threads,
                                            .application = setting->application};
    m->its_bound = bound;
    m->its_plan = plan;
    TRY(tess_declarations_check(kernel, bound));
    return tess_execution_open(&options, marcher->store, bound, plan, &m->execution);
}

tess_status tess_marcher_open(const tess_marcher_setting *setting, tess_store *store,
                              const tess_bound_loop *bound, const tess_plan *plan,
                              tess_marcher **out) {
    tess_status status = TESS_OK;
    tess_marcher *marcher = NULL;
    CHECK(TESS_ZEROS(1, &marcher));
    marcher->store = store;
    CHECK(tess_text_copy("atomics", &marcher->others.name));
    for (int i = 0; setting->application->step[i] && i < TESS_MOST_MARCHED; i++) {
        const tess_kernel *kernel = NULL;
        CHECK(
            tess_application_kernel(setting->application, setting->application->step[i], &kernel));
        if (!tess_kernel_applies(kernel, store->state->mesh))
            continue;
        CHECK(loop_of(marcher, setting, kernel, bound, plan, &marcher->steps[marcher->n_steps]));
        marcher->n_steps++;
    }
    *out = TESS_TAKE(marcher);
done:
    tess_marcher_close(marcher);
    return status;
}

void tess_marcher_close(tess_marcher *marcher) {
    if (!marcher)
        return;
    for (int i = 0; i < marcher->n_loops; i++) {
        tess_execution_close(marcher->loops[i].execution);
        tess_plan_free(marcher->loops[i].plan);
        tess_bound_loop_free(marcher->loops[i].bound);
        tess_loop_free(marcher->loops[i].loop);
    }
    free(marcher->others.name);
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

static tess_status run_loops(const tess_marcher *marcher, int n) {
    for (int i = 0; i < n; i++) {
        for (int s = 0; s < marcher->n_steps; s++)
            TRY(tess_execution_run(marcher->loops[marcher->steps[s]].execution));
        TRY(note_step());
    }
    return TESS_OK;
}

tess_status tess_marcher_run(tess_marcher *marcher, int n, double *seconds) {
    const tess_device *device = marcher->store->device;
    TRY(tess_interrupt_check());
    TRY(device->timer_start(marcher->store->target));
    TRY(marcher->loops[0].execution->copies ? run_copies(marcher, n) : run_loops(marcher, n));
    return device->timer_stop(marcher->store->target, seconds);
}

/* One loop of a step, with what went on before it done. */
static tess_status time_loop(tess_marcher *marcher, marched *m, double *total) {
    const tess_device *device = marcher->store->device;
    double seconds = 0;
    TRY(device->timer_start(marcher->store->target));
    TRY(tess_execution_run(m->execution));
    TRY(device->timer_stop(marcher->store->target, &seconds));
    m->count++;
    m->seconds += seconds;
    *total += seconds;
    return TESS_OK;
}

tess_status tess_marcher_time(tess_marcher *marcher, int n, double *seconds) {
    if (marcher->loops[0].execution->copies)
        FAIL(TESS_ERROR_USAGE, "threads with copies of their own run whole steps: no loop is timed "
                               "alone there; leave out copies=private");
    *seconds = 0;
    for (int i = 0; i < n; i++) {
        for (int s = 0; s < marcher->n_steps; s++)
            TRY(time_loop(marcher, &marcher->loops[marcher->steps[s]], seconds));
        TRY(note_step());
    }
    return TESS_OK;
}

int tess_marcher_loops(const tess_marcher *marcher, tess_marched_loop loops[TESS_MOST_MARCHED]) {
    for (int i = 0; i < marcher->n_loops; i++) {
        const marched *m = &marcher->loops[i];
        loops[i] = (tess_marched_loop){m->kernel, m->its_bound, m->its_plan, m->count, m->seconds};
    }
    return marcher->n_loops;
}

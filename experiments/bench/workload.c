/* A workload: a loop of an application, bound to a mesh, with its start and its reference. */
#include "experiments/bench/workload.h"

#include "core/base/array.h"
#include "core/base/errand.h"
#include "core/base/interrupt.h"
#include "core/base/progress.h"
#include "core/base/step_back.h"
#include "core/mesh/derive.h"
#include "core/mesh/pairs.h"
#include "data/merge_nodes.h"
#include "data/mesh_open.h"
#include "data/part_mesh.h"
#include "kernels/applications/applications.h"
#include "kernels/loops/kernel_probe.h"
#include "kernels/run/declarations.h"
#include "kernels/run/reference.h"
#include "viz/view_shape.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Fails where a loop has no elements: nothing would be measured. */
static tess_status check_elements(const tess_workload *load) {
    const char *set = load->loop->set;
    int64_t n_twins = 0;
    if (tess_mesh_set_size(load->mesh, set) > 0)
        return TESS_OK;
    TRY(tess_mesh_count_twins(load->mesh, &n_twins));
    if (n_twins && (strcmp(set, "edges") == 0 || strcmp(set, "faces") == 0))
        FAIL(TESS_ERROR_INPUT,
             "%s: the set %s is empty, as no two cells share a node: %lld nodes lie on others; "
             "MESH:merge=TOLERANCE joins them",
             load->mesh->source, set, (long long)n_twins);
    FAIL(TESS_ERROR_INPUT, "%s: the set %s is empty: a loop over it would do nothing",
         load->mesh->source, set);
}

/* Opens the mesh that is named, or takes the one that is given. */
static tess_status open_mesh(const tess_workload_names *names, tess_workload *load) {
    load->is_given = names->given != NULL;
    load->mesh = names->given;
    return load->is_given ? TESS_OK : tess_mesh_open(names->mesh, &load->mesh);
}

static tess_status open_map(const tess_workload_names *names, tess_workload *load) {
    TRY(tess_loop_of_map(names->map, names->dat, &load->loop));
    TRY(open_mesh(names, load));
    TRY(tess_mesh_derive(load->mesh, names->map));
    if (names->all_maps)
        TRY(tess_mesh_derive_all(load->mesh)); /* a mesh is one file, whatever runs on it */
    else if (names->to_be_seen)
        TRY(tess_view_derive(load->mesh, load->loop->set));
    TRY(tess_loop_bind(load->loop, load->mesh, &load->bound));
    return check_elements(load);
}

/* Whether a step is asked for: else header and description may stand the wrong way round. */
static bool is_step(const tess_workload_names *names) {
    const char *end = names->loop ? strrchr(names->loop, '.') : NULL;
    return tess_user_step_is(names->kernel) && !(end && strcmp(end, ".h") == 0);
}

/* What the names mean, before the mesh is read. */
static tess_status find_kernel(const tess_workload_names *names, tess_workload *load) {
    load->real = names->precision == TESS_PRECISION_FLOAT ? TESS_FLOAT : TESS_DOUBLE;
    if (is_step(names)) {
        TRY(tess_user_step_read(names->kernel, &load->step));
        load->application = tess_user_step_application(load->step);
    } else if (names->kernel) {
        TRY(tess_user_kernel_read(names->kernel, names->loop, &load->user));
        load->kernel = &load->user->kernel;
        return TESS_OK;
    } else
        TRY(tess_application_find(names->application, &load->application));
    if (names->precision == TESS_PRECISION_AUTO)
        load->real = load->application->precision;
    if (names->chain) /* of which loops the mesh decides, too */
        return TESS_OK;
    return tess_application_kernel(load->application, names->loop, &load->kernel);
}

tess_status tess_workload_kind(const tess_workload_names *names, bool *gathers, bool *in_parts) {
    tess_workload load = {.mesh = NULL};
    const tess_status status = find_kernel(names, &load);
    *gathers = status == TESS_OK;
    for (int a = 0; *gathers && a < load.kernel->n_args; a++)
        *gathers = !load.kernel->args[a].map || load.kernel->args[a].access == TESS_READ;
    *in_parts = status == TESS_OK && load.kernel->n_parts > 0;
    tess_workload_clear(&load);
    return status;
}

/* The loop of a chain whose blocks it takes: one that adds to its points; else one that reaches
 * something through a map. */
static const tess_kernel *cut_kernel(const tess_workload *load) {
    const tess_chain *chain = tess_chained_step_chain(load->chained, load->first);
    int found = -1;
    for (int k = 0; k < chain->n_loops; k++)
        for (int a = 0; a < chain->loops[k].loop->n_args; a++) {
            const tess_arg *arg = &chain->loops[k].loop->args[a];
            if (tess_arg_adds(arg))
                return tess_chained_step_kernels(load->chained)[load->first + k];
            if (arg->map[0] && found < 0)
                found = k;
        }
    return tess_chained_step_kernels(load->chained)[load->first + (found < 0 ? 0 : found)];
}

static tess_status find_chain(const tess_workload_names *names, tess_workload *load) {
    TRY(tess_chained_step_new_one(load->application, load->mesh, load->real, names->chain,
                                  &load->chained, &load->first));
    load->kernel = cut_kernel(load);
    return tess_chained_step_name(load->chained, load->first, &load->chain);
}

/* Makes the data before the loop. */
static tess_status start(const tess_workload_names *names, tess_workload *load) {
    if (load->user)
        return tess_user_kernel_start(load->user, load->mesh, load->real, &load->start);
    TRY(tess_application_start(load->application, load->mesh, load->real, &load->start));
    TRY(tess_application_keep(load->application, load->kernel, load->start));
    if (load->chained)
        return tess_application_prepare_at(load->application, load->first, load->start);
    return names->unexecuted
               ? TESS_OK
               : tess_application_prepare(load->application, load->kernel, load->start);
}

/* What is wrong with a loop is an error in the user's file where it was described there. */
static tess_status of_files(const tess_workload_names *names, tess_status status) {
    return names->kernel && names->loop && status == TESS_ERROR_USAGE
               ? tess_fail_at(TESS_ERROR_INPUT, "%s", names->loop)
               : status;
}

/* So is what a declaration says wrongly, or a part does that its description does not say. */
static tess_status of_description(const tess_workload_names *names, tess_status status) {
    return names->kernel && names->loop && status == TESS_ERROR_INPUT
               ? tess_fail_at(status, "%s", names->loop)
               : of_files(names, status);
}

/* Calls a function of a user's step on what the step starts from, and proves what it declares. */
static tess_status check_loop(const tess_workload *load, const tess_kernel *kernel,
                              const tess_state *start) {
    tess_status status = TESS_OK;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    if (!tess_kernel_applies(kernel, load->mesh))
        return TESS_OK;
    CHECK(tess_kernel_loop(kernel, load->real, &loop));
    CHECK(tess_kernel_bind(loop, load->mesh, &bound));
    CHECK(tess_kernel_probe(kernel, bound,
                            &(tess_probe_setting){.header = tess_user_step_header(load->step),
                                                  .description = load->application->reference,
                                                  .start = start}));
    CHECK(tess_declarations_check(kernel, bound));
done:
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    return status == TESS_ERROR_USAGE || status == TESS_ERROR_INPUT
               ? tess_fail_at(TESS_ERROR_INPUT, "%s", load->application->reference)
               : status;
}

static tess_status check_step(const tess_workload *load) {
    tess_status status = TESS_OK;
    tess_state *start = NULL;
    CHECK(tess_application_start(load->application, load->mesh, load->real, &start));
    for (int k = 0; k < load->application->n_kernels; k++)
        CHECK(check_loop(load, &load->application->kernels[k], start));
done:
    tess_state_free(start);
    return status;
}

/* What a chain does not store stays as it was. */
static void keep_dropped(tess_workload *load) {
    const tess_mesh *mesh = load->mesh;
    for (int d = 0; d < load->want->n_dats; d++) {
        tess_dat *want = &load->want->dats[d];
        const char *set = want->set == TESS_GLOBAL ? "" : mesh->sets[want->set].name;
        const int64_t n = tess_state_size(load->want, want) * want->dim;
        const bool dropped = tess_chained_step_drops(load->chained, want->name, set);
        for (int64_t v = 0; dropped && v < n; v++)
            tess_dat_set(want, v, tess_dat_value(&load->start->dats[d], v));
    }
}

/* The sequential loops, in double. */
static tess_status run_reference(tess_workload *load) {
    if (!load->chained)
        return tess_reference_run(load->kernel, load->start, &load->want);
    TRY(tess_reference_run_all(tess_chained_step_kernels(load->chained) + load->first,
                               tess_chained_step_length(load->chained, load->first), load->start,
                               &load->want));
    keep_dropped(load);
    return TESS_OK;
}

/* Leaves a part of a mesh that has too many cells. */
static tess_status leave_out(const tess_workload_names *names, tess_workload *load) {
    const int64_t n = tess_mesh_set_size(load->mesh, "cells");
    if (names->most_cells == 0 || n <= names->most_cells)
        return TESS_OK;
    tess_progress_begin("taking a part of %.3g million cells", 1e-6 * (double)n);
    const tess_status status = tess_mesh_take_part(load->mesh, names->most_cells);
    tess_progress_end();
    if (status == TESS_ERROR_INPUT) /* it has no such part */
        return TESS_OK;
    TRY(status);
    load->n_left_out = n - names->most_cells;
    char *whole = load->mesh->source;
    load->mesh->source = NULL;
    const tess_status named =
        tess_text_print(&load->mesh->source, "%s:part=%lld", whole, (long long)names->most_cells);
    free(whole);
    return named;
}

/* The data before the loop and the reference, which other threads make of what the workload has and
 * does not change: the second waits for the first. */
struct tess_values_beside {
    tess_workload load; /* shares all but `start`, where this is made here, and `want` */
    tess_workload_names names;
    pthread_mutex_t mutex; /* for the workload's own `start` */
    tess_errand *starting; /* NULL: it is there */
    tess_errand *errand;   /* NULL: it has not begun */
};

static tess_status start_beside(void *context) {
    struct tess_values_beside *beside = context;
    TRY(start(&beside->names, &beside->load));
    if (beside->names.started)
        beside->names.started(beside->names.context, &beside->load);
    return TESS_OK;
}

/* Where the loop's threads are not soon waiting for it, it lets them work. */
static tess_status run_beside(void *context) {
    struct tess_values_beside *beside = context;
    if (beside->starting)
        TRY(tess_errand_wait(beside->starting));
    if (!beside->names.reference_soon)
        tess_thread_step_back();
    return of_files(&beside->names, run_reference(&beside->load));
}

/* Waits until they are over. */
static void end_errands(struct tess_values_beside *beside) {
    tess_errand_free(beside->errand); /* which waits for the other */
    tess_errand_free(beside->starting);
    beside->errand = beside->starting = NULL;
}

static void beside_free(struct tess_values_beside *beside) {
    end_errands(beside);
    pthread_mutex_destroy(&beside->mutex);
    free(beside);
}

static tess_status begin_beside(const tess_workload_names *names, tess_workload *load) {
    tess_status status = TESS_OK;
    struct tess_values_beside *beside = NULL;
    TRY(TESS_ZEROS(1, &beside));
    pthread_mutex_init(&beside->mutex, NULL);
    beside->load = *load;
    beside->names = *names;
    if (!load->start)
        CHECK(tess_errand_begin(start_beside, beside, &beside->starting));
    if (!names->start_beside || names->reference_soon)
        CHECK(tess_errand_begin(run_beside, beside, &beside->errand));
    load->beside = TESS_TAKE(beside);
done:
    if (beside)
        beside_free(beside);
    return status;
}

tess_status tess_workload_await_start(tess_workload *load) {
    struct tess_values_beside *beside = load->beside;
    if (!beside || !beside->starting)
        return TESS_OK;
    TRY(tess_errand_wait_for(beside->starting, "making data"));
    pthread_mutex_lock(&beside->mutex);
    load->start = beside->load.start;
    pthread_mutex_unlock(&beside->mutex);
    return TESS_OK;
}

tess_status tess_workload_begin_reference(tess_workload *load) {
    struct tess_values_beside *beside = load->beside;
    return beside && !beside->errand ? tess_errand_begin(run_beside, beside, &beside->errand)
                                     : TESS_OK;
}

tess_status tess_workload_await(tess_workload *load) {
    struct tess_values_beside *beside = load->beside;
    TRY(tess_workload_await_start(load));
    if (!beside || load->want)
        return TESS_OK;
    TRY(tess_workload_begin_reference(load));
    TRY(tess_errand_wait_for(beside->errand, "the sequential loop, as a reference"));
    load->want = beside->load.want;
    return TESS_OK;
}

bool tess_workload_is_ready(const tess_workload *load) {
    return !load->beside || (load->beside->errand && tess_errand_is_over(load->beside->errand));
}

/* Whether other threads may make values: what a user wrote may fail, and is told where it does. */
static bool may_be_beside(const tess_workload *load) {
    return !load->user && !load->step;
}

/* Makes the data before the loop, unless that is done beside. */
static tess_status make_start(const tess_workload_names *names, tess_workload *load) {
    const bool beside = names->start_beside && names->reference_beside && !names->unexecuted;
    if (beside && may_be_beside(load))
        return TESS_OK;
    tess_progress_begin("making data");
    const tess_status status = start(names, load);
    tess_progress_end();
    return status;
}

/* Runs the reference, or has it run. */
static tess_status make_reference(const tess_workload_names *names, tess_workload *load) {
    if (names->unexecuted)
        return TESS_OK;
    if (names->reference_beside && may_be_beside(load))
        return begin_beside(names, load);
    tess_progress_begin("the sequential loop, as a reference");
    const tess_status status = run_reference(load);
    tess_progress_end();
    return of_files(names, status);
}

static tess_status bind(const tess_workload_names *names, tess_workload *load) {
    TRY(load->user   ? tess_user_kernel_bind(load->user, load->mesh)
        : load->step ? tess_user_step_bind(load->step, load->mesh)
                     : tess_application_bind(load->application, load->mesh));
    if (names->chain)
        TRY(find_chain(names, load));
    TRY(tess_kernel_derive(load->kernel, load->mesh));
    TRY(of_files(names, tess_kernel_loop(load->kernel, load->real, &load->loop)));
    TRY(tess_kernel_bind(load->loop, load->mesh, &load->bound));
    return check_elements(load);
}

tess_status tess_workload_open(const tess_workload_names *names, tess_workload *out) {
    tess_status status = TESS_OK;
    tess_workload load = {.mesh = NULL};
    if (names->map) {
        CHECK(open_map(names, &load));
        *out = load;
        return TESS_OK;
    }
    CHECK(find_kernel(names, &load));
    CHECK(open_mesh(names, &load));
    CHECK(tess_interrupt_check());
    CHECK(leave_out(names, &load));
    if (names->all_maps)
        CHECK(tess_mesh_derive_all(load.mesh));
    tess_progress_begin("binding the loop");
    status = bind(names, &load);
    tess_progress_end();
    CHECK(status);
    CHECK(tess_interrupt_check());
    if (load.step)
        CHECK(check_step(&load));
    CHECK(make_start(names, &load));
    CHECK(tess_interrupt_check());
    if (load.user)
        CHECK(tess_user_kernel_probe(load.user, load.bound,
                                     &(tess_probe_setting){.header = names->kernel,
                                                           .description = names->loop,
                                                           .start = load.start}));
    tess_progress_begin("proving what is declared");
    status = tess_declarations_check(load.kernel, load.bound);
    tess_progress_end();
    CHECK(of_description(names, status));
    CHECK(make_reference(names, &load));
    *out = load;
    load = (tess_workload){.mesh = NULL};
done:
    tess_workload_clear(&load);
    return status;
}

void tess_workload_clear(tess_workload *load) {
    if (load->beside) {
        end_errands(load->beside);
        load->start = load->beside->load.start;
        load->want = load->beside->load.want;
        beside_free(load->beside);
    }
    tess_chained_step_free(load->chained);
    free(load->chain);
    tess_state_free(load->want);
    tess_state_free(load->start);
    tess_bound_loop_free(load->bound);
    tess_loop_free(load->loop);
    if (!load->is_given)
        tess_mesh_free(load->mesh);
    tess_user_kernel_free(load->user);
    tess_user_step_free(load->step);
    *load = (tess_workload){.mesh = NULL};
}

const char *tess_workload_name(const tess_workload *load) {
    return load->chain ? load->chain : load->loop->name;
}

int64_t tess_workload_size(const tess_workload *load) {
    return load->chained
               ? tess_mesh_set_size(load->mesh,
                                    tess_chained_step_chain(load->chained, load->first)->owner)
               : load->bound->n_elements;
}

static bool is_written(const tess_application *application, const tess_kernel_arg *arg) {
    for (int k = 0; k < application->n_kernels; k++)
        for (int a = 0; a < application->kernels[k].n_args; a++) {
            const tess_kernel_arg *other = &application->kernels[k].args[a];
            if (other->access != TESS_READ && other->set && arg->set &&
                strcmp(other->dat, arg->dat) == 0 && strcmp(other->set, arg->set) == 0)
                return true;
        }
    return false;
}

tess_status tess_workload_changes(const tess_workload *workload, bool **out) {
    const tess_kernel *kernel = workload->kernel;
    TRY(TESS_ALLOC(kernel->n_args, out));
    for (int a = 0; a < kernel->n_args; a++)
        (*out)[a] = workload->user
                        ? !tess_user_kernel_is_coordinates(workload->user, kernel->args[a].dat)
                        : is_written(workload->application, &kernel->args[a]);
    return TESS_OK;
}

const char *tess_workload_points(const tess_workload *load) {
    const tess_bound_loop *bound = load->bound;
    if (bound->n_targets == 0)
        return NULL;
    for (int r = 0; r < bound->n_targets; r++) {
        const tess_map *pairs = tess_pairs_of_set(bound->mesh, bound->targets[r].set);
        if (bound->targets[r].incremented) /* pairs belong to the owner of their row */
            return bound->mesh->sets[pairs ? pairs->to : bound->targets[r].set].name;
    }
    return bound->mesh->sets[bound->targets[0].set].name;
}

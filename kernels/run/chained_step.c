/* A chained step: the loops of an application's time step, of which runs are executed as chains. */
#include "kernels/run/chained_step.h"

#include "core/base/array.h"
#include "core/base/stream_text.h"
#include "core/plan/chain_check.h"
#include "kernels/run/chain_choice.h"
#include "kernels/run/declarations.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tess_chained_step {
    tess_store *store; /* once it is open */
    tess_chain_step step;
    const tess_kernel **kernels;   /* [step.n] */
    tess_loop **loops;             /* [step.n]: what step.loops points to */
    int *length;                   /* [step.n] */
    tess_chain_elements *elements; /* [step.n] */
    tess_ready_chain *ready;       /* [step.n] */
};

void tess_chained_step_free(tess_chained_step *step) {
    if (!step)
        return;
    for (int i = 0; step->ready && i < step->step.n; i++) {
        tess_ready_chain *of = &step->ready[i];
        if (of->kernel.module)
            step->store->device->unload(step->store->target, of->kernel.module);
        tess_page_clear(&of->page);
        tess_chain_blocks_free(of->blocks);
        tess_chain_free(of->chain);
    }
    for (int i = 0; step->loops && i < step->step.n; i++)
        tess_loop_free(step->loops[i]);
    free(step->ready);
    free(step->elements);
    free(step->loops);
    free(step->kernels);
    free(step->length);
    free(step);
}

int tess_chained_step_size(const tess_chained_step *step) {
    return step->step.n;
}

const tess_kernel *const *tess_chained_step_kernels(const tess_chained_step *step) {
    return step->kernels;
}

int tess_chained_step_length(const tess_chained_step *step, int i) {
    return step->length[i];
}

const tess_ready_chain *tess_chained_step_ready(const tess_chained_step *step, int i) {
    return &step->ready[i];
}

tess_chain_elements tess_chained_step_elements(const tess_chained_step *step, int i) {
    return step->elements[i];
}

const tess_chain *tess_chained_step_chain(const tess_chained_step *step, int i) {
    return step->ready[i].chain;
}

bool tess_chained_step_drops(const tess_chained_step *step, const char *dat, const char *set) {
    for (int i = 0; i < step->step.n; i++) {
        const tess_chain *chain = step->ready[i].chain;
        for (int d = 0; chain && d < chain->n_dats; d++) {
            const tess_chain_dat *of = &chain->dats[d];
            if (of->written && !of->stored && !of->begins_zero && strcmp(of->dat, dat) == 0 &&
                strcmp(of->set, set) == 0)
                return true;
        }
    }
    return false;
}

/* --- its loops and chains --------------------------------------------------------------------- */

static tess_status add_loops(const tess_application *application, const tess_mesh *mesh,
                             tess_type real, tess_chained_step *step) {
    int n = 0;
    while (application->step[n])
        n++;
    TRY(TESS_ZEROS(n, &step->kernels));
    TRY(TESS_ZEROS(n, &step->loops));
    TRY(TESS_ZEROS(n, &step->length));
    TRY(TESS_ZEROS(n, &step->elements));
    TRY(TESS_ZEROS(n, &step->ready));
    step->step.loops = (const tess_loop *const *)step->loops;
    for (int i = 0; i < n; i++) {
        const tess_kernel *kernel = NULL;
        TRY(tess_application_kernel(application, application->step[i], &kernel));
        if (!tess_kernel_applies(kernel, mesh))
            continue;
        step->kernels[step->step.n] = kernel;
        step->length[step->step.n] = 1;
        TRY(tess_kernel_loop(kernel, real, &step->loops[step->step.n]));
        step->step.n++;
    }
    return TESS_OK;
}

tess_status tess_chained_step_new(const tess_application *application, const tess_mesh *mesh,
                                  tess_type real, const char *text, tess_chained_step **out) {
    tess_status status = TESS_OK;
    tess_chained_step *step = NULL;
    CHECK(TESS_ZEROS(1, &step));
    CHECK(add_loops(application, mesh, real, step));
    const tess_chain_choice choice = {&step->step, step->kernels, step->length, step->elements};
    CHECK(tess_chain_choice_make(&choice, text));
    for (int i = 0; i < step->step.n; i++)
        if (step->length[i] > 1)
            CHECK(tess_chain_build(&step->step, i, step->length[i], &step->ready[i].chain));
    *out = TESS_TAKE(step);
done:
    tess_chained_step_free(step);
    return status;
}

tess_status tess_chained_step_name(const tess_chained_step *step, int i, char **out) {
    tess_printed name;
    TRY(tess_printed_open(&name));
    for (int k = 0; k < step->length[i]; k++)
        fprintf(name.stream, "%s%s", k > 0 ? "+" : "", step->kernels[i + k]->name);
    return tess_printed_close(&name, TESS_OK, out);
}

/* Whether the chains that begin at two loops are of the same loops. */
static bool are_same(const tess_chained_step *step, int a, int b) {
    int k = 0;
    while (k < step->length[a] && step->length[a] == step->length[b] &&
           step->kernels[a + k] == step->kernels[b + k])
        k++;
    return k == step->length[b];
}

static tess_status fail_of_several(const tess_chained_step *step, const char *text, int one,
                                   int other) {
    tess_status status = TESS_OK;
    char *a = NULL, *b = NULL;
    CHECK(tess_chained_step_name(step, one, &a));
    CHECK(tess_chained_step_name(step, other, &b));
    status = tess_fail(TESS_ERROR_USAGE, "--chain %s is several: %s, %s ...: name one", text, a, b);
done:
    free(a);
    free(b);
    return status;
}

tess_status tess_chained_step_new_one(const tess_application *application, const tess_mesh *mesh,
                                      tess_type real, const char *text, tess_chained_step **out,
                                      int *first) {
    tess_status status = TESS_OK;
    tess_chained_step *step = NULL;
    CHECK(tess_chained_step_new(application, mesh, real, text, &step));
    *first = 0;
    while (*first < step->step.n && !step->ready[*first].chain)
        ++*first;
    if (*first == step->step.n)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "--chain %s is no chain of %s on this mesh: name two loops or more that "
                        "follow each other, A+B; 'tess bound' shows which are one",
                        text, application->name));
    for (int i = *first + 1; i < step->step.n; i++) {
        if (step->ready[i].chain && !are_same(step, *first, i))
            CHECK(fail_of_several(step, text, *first, i));
        tess_chain_free(TESS_TAKE(step->ready[i].chain));
    }
    *out = TESS_TAKE(step);
done:
    tess_chained_step_free(step);
    return status;
}

/* --- ready to run ----------------------------------------------------------------------------- */

static tess_status check_zeros(const tess_chain *chain, const tess_state *start) {
    for (int d = 0; d < chain->n_dats; d++) {
        const tess_chain_dat *of = &chain->dats[d];
        const tess_dat *dat = tess_state_find(start, of->dat, of->set);
        for (int64_t i = 0; of->begins_zero && i < tess_state_size(start, dat) * dat->dim; i++)
            if (tess_dat_value(dat, i) != 0)
                FAIL(TESS_ERROR_INPUT,
                     "'%s' on %s is cleared in each step, but at the start value %lld is %g: the "
                     "chain would lose it",
                     of->dat, of->set, (long long)i, tess_dat_value(dat, i));
    }
    return TESS_OK;
}

static tess_status check_declarations(const tess_chained_step *step, const tess_mesh *mesh,
                                      int first) {
    for (int k = first; k < first + step->length[first]; k++) {
        tess_bound_loop *bound = NULL;
        TRY(tess_kernel_bind(step->loops[k], mesh, &bound));
        const tess_status status = tess_declarations_check(step->kernels[k], bound);
        tess_bound_loop_free(bound);
        TRY(status);
    }
    return TESS_OK;
}

static const tess_chain_way *way_of(const tess_chains_setting *setting, const tess_kernel *kernel) {
    const tess_chain_way *way = setting->ways;
    while (way->kernel != kernel)
        way++;
    return way;
}

int tess_chain_registers(const tess_spec *spec) {
    int i = 0;
    while (i < spec->n_values && strcmp(spec->keys[i], "registers") != 0)
        i++;
    return i < spec->n_values ? atoi(spec->values[i]) : -1;
}

/* The loop of a chain whose blocks it takes. */
static const tess_chain_way *way_of_chain(const tess_chained_step *step,
                                          const tess_chains_setting *setting, int first) {
    for (int k = first; k < first + step->length[first]; k++)
        if (tess_chain_way_owns(way_of(setting, step->kernels[k]), step->ready[first].chain))
            return way_of(setting, step->kernels[k]);
    return way_of(setting, step->kernels[first]);
}

static tess_status open_chain(tess_chained_step *step, const tess_chains_setting *setting, int i) {
    tess_ready_chain *of = &step->ready[i];
    const tess_device *device = setting->store->device;
    const tess_chain_way *way = way_of_chain(step, setting, i);
    int threads = 0;
    of->block_size = tess_chain_way_size(way);
    TRY(tess_page_threads(device, of->block_size, way->threads, &threads));
    TRY(check_zeros(of->chain, setting->store->state));
    TRY(check_declarations(step, setting->store->state->mesh, i));
    TRY(tess_chain_check(&step->step, of->chain));
    tess_chain_setting page = {.chain = of->chain,
                               .kernels = step->kernels + i,
                               .store = setting->store,
                               .arithmetic = setting->arithmetic,
                               .elements = step->elements[i],
                               .threads = threads,
                               .registers = way->registers};
    return tess_ready_chain_make(setting, way, &page, of);
}

tess_status tess_chained_step_open(tess_chained_step *step, const tess_chains_setting *setting) {
    step->store = setting->store;
    for (int i = 0; i < step->step.n; i++)
        if (step->ready[i].chain)
            TRY(open_chain(step, setting, i));
    return TESS_OK;
}

/* Adds what the device counted of the chain that just ran. */
static void take_counters(const tess_chained_step *step, tess_ready_chain *of) {
    const tess_device *device = step->store->device;
    const tess_counters *counted = device->counters ? device->counters(step->store->target) : NULL;
    if (!counted)
        return;
    tess_counters_add(&of->counters, counted);
    of->n_counted++;
}

tess_status tess_chained_step_run_blocks(const tess_chained_step *step, int i,
                                         tess_chain_blocks_of blocks) {
    tess_ready_chain *of = &step->ready[i];
    return blocks == TESS_CHAIN_CORE
               ? tess_ready_chain_launch(step->store, of, 0, of->n_core)
               : tess_ready_chain_launch(step->store, of, of->n_core, of->n_own);
}

void tess_chained_step_swap(const tess_chained_step *step, int i) {
    const tess_ready_chain *of = &step->ready[i];
    for (int d = 0; d < of->chain->n_dats; d++)
        if (of->chain->dats[d].two_buffers)
            tess_stored_swap((tess_stored *)of->page.dats[d].stored);
}

tess_status tess_chained_step_run(const tess_chained_step *step, int i) {
    if (step->store->device->reset_counters)
        step->store->device->reset_counters(step->store->target);
    TRY(tess_ready_chain_launch(step->store, &step->ready[i], 0, step->ready[i].n_own));
    take_counters(step, &step->ready[i]);
    tess_chained_step_swap(step, i);
    return TESS_OK;
}

int tess_chained_step_like(const tess_chained_step *step, int i) {
    int first = 0;
    while (!are_same(step, first, i))
        first++;
    return first;
}

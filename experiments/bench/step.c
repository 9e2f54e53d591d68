/* A step: how each loop of an application is to be marched, an experiment a loop. */
#include "experiments/bench/step.h"

#include "core/base/array.h"
#include "core/base/unknown_name.h"
#include "kernels/applications/applications.h"
#include "kernels/run/chain_choice.h"
#include <stdlib.h>
#include <string.h>

const tess_field tess_step_once[TESS_N_STEP_ONCE] = {
    TESS_FIELD_application, TESS_FIELD_mesh,     TESS_FIELD_precision, TESS_FIELD_device,
    TESS_FIELD_layout,      TESS_FIELD_renumber, TESS_FIELD_pairs,     TESS_FIELD_arithmetic};

/* Whether all loops of a march share a setting, but for the mesh, the device and the application.
 */
static bool is_shared(tess_field field) {
    if (field == TESS_FIELD_application || field == TESS_FIELD_mesh || field == TESS_FIELD_device)
        return false;
    for (int i = 0; i < TESS_N_STEP_ONCE; i++)
        if (tess_step_once[i] == field)
            return true;
    return false;
}

bool tess_step_is_of_loop(tess_field field) {
    const tess_decides decides = tess_fields[field].decides;
    if (!tess_field_is_of(field, TESS_RUNNING) || is_shared(field))
        return false;
    return field == TESS_FIELD_strategy || field == TESS_FIELD_threads ||
           decides == TESS_DECIDES_BLOCKS || decides == TESS_DECIDES_PLAN;
}

tess_status tess_step_find(const tess_step *step, const char *loop, int *position) {
    const tess_kernel *kernel = NULL;
    TRY(tess_application_kernel(step->application, loop, &kernel));
    for (*position = 0; *position < step->n; ++*position)
        if (strcmp(step->loops[*position].loop, loop) == 0)
            return TESS_OK;
    tess_unknown_name unknown = tess_unknown_name_of(loop);
    for (int i = 0; i < step->n; i++)
        tess_unknown_name_add(&unknown, step->loops[i].loop);
    FAIL(TESS_ERROR_USAGE, "loop %s is no part of a time step of %s, which has %s", loop,
         step->application->name, unknown.known);
}

bool tess_step_reaches(const tess_step *step, int position) {
    const tess_application *application = step->application;
    for (int k = 0; k < application->n_kernels; k++) {
        const tess_kernel *kernel = &application->kernels[k];
        for (int a = 0; strcmp(kernel->name, step->loops[position].loop) == 0 && a < kernel->n_args;
             a++)
            if (kernel->args[a].map)
                return true;
    }
    return false;
}

/* Gives a loop that cannot do without a partitioner the usual one. */
static tess_status cut(tess_experiment *x) {
    return x->partitioner.plugin
               ? TESS_OK
               : tess_experiment_set(x, TESS_FIELD_partitioner,
                                     tess_fields[TESS_FIELD_partitioner].standard[TESS_RUNNING]);
}

tess_status tess_step_number_by(tess_step *step, const char *loop) {
    int position = 0;
    TRY(tess_step_find(step, loop, &position));
    if (!tess_step_reaches(step, position))
        FAIL(TESS_ERROR_USAGE,
             "loop %s reaches nothing through a map: blocks of another one number the mesh", loop);
    step->first = position;
    return cut(&step->loops[position]);
}

tess_status tess_step_chain(tess_step *step, const char *chains) {
    free(step->chains);
    step->chains = NULL;
    return tess_text_copy(chains, &step->chains);
}

tess_status tess_step_check_chains(const tess_step *step, const char *chains) {
    if (strcmp(chains, "none") == 0 || strncmp(chains, "auto", strlen("auto")) == 0)
        return TESS_OK;
    char loop[TESS_NAME_SIZE];
    int position = 0;
    for (const char *rest = chains; tess_chains_next(&rest, loop);)
        TRY(tess_step_find(step, loop, &position));
    return TESS_OK;
}

tess_status tess_step_set(tess_step *step, int position, tess_field field, const char *text) {
    const char *name = tess_fields[field].name;
    if (is_shared(field))
        FAIL(TESS_ERROR_USAGE, "a march has one %s, which all its loops share: say it once%s", name,
             field == TESS_FIELD_layout ? ", and dats that differ there, as soa,cells.q=aos" : "");
    if (!tess_step_is_of_loop(field))
        FAIL(TESS_ERROR_USAGE, "'%s' is not a loop's own", name);
    tess_experiment *x = &step->loops[position];
    TRY(tess_experiment_set(x, field, text));
    const tess_strategy *strategy = x->strategy.plugin;
    return strategy && strategy->owns_points ? cut(x) : TESS_OK;
}

tess_status tess_step_field(const char *name, tess_field *out) {
    tess_unknown_name unknown = tess_unknown_name_of(name);
    for (*out = 0; *out < TESS_N_FIELDS; ++*out) {
        char option[TESS_NAME_SIZE];
        tess_field_option(*out, option);
        if (!tess_step_is_of_loop(*out) && !is_shared(*out))
            continue;
        if (strcmp(name, tess_fields[*out].name) == 0 || strcmp(name, option) == 0)
            return TESS_OK;
        if (tess_step_is_of_loop(*out))
            tess_unknown_name_add(&unknown, tess_fields[*out].name);
    }
    return tess_unknown_name_fail(
        "a loop has no setting", &unknown,
        (tess_unknown_words){.suggested = "?", .otherwise = "; it has %s"});
}

/* The loops as they come first in the step, but for what they are. */
static tess_status add_loops(const tess_experiment *experiment, tess_step *step) {
    const char *const *names = step->application->step;
    int n = 0;
    while (names[n])
        n++;
    TRY(TESS_ZEROS(n, &step->loops));
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < step->n && strcmp(step->loops[k].loop, names[i]) != 0)
            k++;
        if (k < step->n)
            continue;
        TRY(tess_experiment_copy(experiment, &step->loops[k]));
        step->n++;
        TRY(tess_experiment_set(&step->loops[k], TESS_FIELD_loop, names[i]));
    }
    return TESS_OK;
}

/* What a loop is like of which nothing is said. */
static tess_status leave_plain(const tess_experiment *experiment, tess_experiment *x) {
    if (experiment->strategy.plugin && !experiment->strategy.plugin->one_thread)
        TRY(tess_experiment_set(x, TESS_FIELD_strategy, "atomics"));
    TRY(tess_experiment_set(x, TESS_FIELD_threads, ""));
    return tess_experiment_set(x, TESS_FIELD_partitioner, "");
}

tess_status tess_step_build(const tess_experiment *experiment, tess_step *out) {
    tess_status status = TESS_OK;
    tess_step step = {.n = 0};
    const tess_kernel *asked = NULL;
    int own = 0;
    if (tess_user_step_is(experiment->kernel)) {
        CHECK(tess_user_step_read(experiment->kernel, &step.user));
        step.application = tess_user_step_application(step.user);
    } else
        CHECK(tess_application_find(experiment->application, &step.application));
    CHECK(tess_application_kernel(step.application, experiment->loop, &asked));
    CHECK(add_loops(experiment, &step));
    CHECK(tess_step_find(&step, asked->name, &own));
    for (int i = 0; i < step.n; i++)
        if (i != own)
            CHECK(leave_plain(experiment, &step.loops[i]));
    CHECK(tess_step_number_by(
        &step, tess_step_reaches(&step, own) ? asked->name : step.application->kernels[0].name));
    *out = step;
    return TESS_OK;
done:
    tess_step_clear(&step);
    return status;
}

void tess_step_clear(tess_step *step) {
    for (int i = 0; i < step->n; i++)
        tess_experiment_clear(&step->loops[i]);
    free(step->loops);
    tess_user_step_free(step->user);
    free(step->chains);
    *step = (tess_step){.n = 0};
}

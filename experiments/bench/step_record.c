/* A step's record: the settings of a step in the configuration of a run, and taken from there. */
#include "experiments/bench/step_record.h"

#include "core/base/array.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char numbered_by[] = TESS_NUMBERED_BY;

/* The key of a loop's own setting. */
static void key_of(tess_field field, const char *loop, char key[static TESS_NAME_SIZE]) {
    snprintf(key, TESS_NAME_SIZE, "%s/%s", tess_field_recorded(field), loop);
}

/* Whether a loop's setting is noted: those that say most always, others where they are unusual. */
static bool is_noted(tess_field field, const char *text) {
    const char *standard = tess_fields[field].standard[TESS_RUNNING];
    const bool told = field == TESS_FIELD_strategy || field == TESS_FIELD_partitioner ||
                      field == TESS_FIELD_block_size;
    return *text && (told || !standard || strcmp(text, standard) != 0);
}

static tess_status note(const tess_experiment *x, tess_field field, tess_values *into) {
    char key[TESS_NAME_SIZE], *text = NULL;
    tess_status status = TESS_OK;
    key_of(field, x->loop, key);
    TRY(tess_experiment_text(x, field, &text));
    if (is_noted(field, text))
        status = tess_field_is_number(field) ? tess_values_set_number(into, key, strtod(text, NULL),
                                                                      tess_fields[field].unit)
                                             : tess_values_set_text(into, key, text);
    free(text);
    return status;
}

tess_status tess_step_record(const tess_step *step, tess_values *configuration) {
    for (int i = 0; i < step->n; i++)
        for (tess_field field = 0; field < TESS_N_FIELDS; field++)
            if (tess_step_is_of_loop(field))
                TRY(note(&step->loops[i], field, configuration));
    return tess_values_set_text(configuration, numbered_by, step->loops[step->first].loop);
}

/* What a failure of a callee means here. */
static tess_status of_run(const tess_record *record, const char *key, tess_status status) {
    return status == TESS_ERROR_USAGE || status == TESS_ERROR_INPUT
               ? tess_fail_at(TESS_ERROR_INPUT, "run %s, %s", record->id, key)
               : status;
}

static tess_status check(const tess_record *record, const tess_experiment *x) {
    const char *application = tess_values_text(&record->configuration, "application");
    if (record->outcome == TESS_FAILED)
        FAIL(TESS_ERROR_INPUT, "run %s failed: its settings are not taken", record->id);
    if (!*application)
        FAIL(TESS_ERROR_INPUT, "run %s compares blocks: it has no settings of a loop", record->id);
    const char *own = x->kernel ? x->kernel : x->application;
    if (!own && strpbrk(application, "./"))
        FAIL(TESS_ERROR_INPUT,
             "run %s is of code of somebody's: where you trust it, say --kernel %s%s", record->id,
             application, tess_user_step_is(application) ? "" : " --loop FILE.yaml");
    if (own && strcmp(application, own) != 0)
        FAIL(TESS_ERROR_INPUT, "run %s is of application %s, not of %s", record->id, application,
             own);
    return TESS_OK;
}

tess_status tess_step_record_share(const tess_record *record, const bool *said,
                                   tess_experiment *experiment) {
    TRY(check(record, experiment));
    for (int i = 0; i < TESS_N_STEP_ONCE; i++) {
        const tess_field field = tess_step_once[i];
        const char *key = field == TESS_FIELD_layout ? "layouts" : tess_field_recorded(field);
        const char *text = tess_values_text(&record->configuration, key);
        const bool is_own = field == TESS_FIELD_application && experiment->kernel;
        if (*text && !said[field] && !is_own)
            TRY(of_run(record, key, tess_experiment_set(experiment, field, text)));
    }
    return TESS_OK;
}

/* Fails where a run's blocks are cut by code that whoever made the run chose. */
static tess_status check_code(const tess_record *record, const tess_experiment *x) {
    if (x->partitioner.plugin && x->partitioner.plugin->runs_code)
        FAIL(TESS_ERROR_INPUT,
             "run %s: %s of loop %s executes code that whoever made the run chose: where you trust "
             "it, say --set '%s.partitioner=%s' without the run",
             record->id, x->partitioner.text, x->loop, x->loop, x->partitioner.text);
    return TESS_OK;
}

/* Whether a run of one loop says a setting of it; a user's kernel is not found by its name. */
static bool is_taken(const tess_experiment *x, tess_field field) {
    const bool names_loop = field == TESS_FIELD_application || field == TESS_FIELD_loop;
    return tess_field_is_of(field, TESS_RUNNING) && tess_fields[field].help &&
           tess_field_recorded(field) && field != TESS_FIELD_device && field != TESS_FIELD_kernel &&
           !(names_loop && x->kernel);
}

static tess_status check_alone(const tess_record *record, const tess_experiment *x) {
    TRY(check(record, x));
    if (strcmp(tess_values_text(&record->configuration, "loop"), "step") == 0 ||
        *tess_values_text(&record->configuration, "ranks"))
        FAIL(TESS_ERROR_INPUT, "run %s is not of one loop or chain: a march's, or of ranks",
             record->id);
    return TESS_OK;
}

tess_status tess_step_record_take(const tess_record *record, const bool *said,
                                  tess_experiment *experiment) {
    TRY(check_alone(record, experiment));
    const bool is_chain = *tess_values_text(&record->configuration, "chain") != '\0';
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        if (said[field] || !is_taken(experiment, field) || (field == TESS_FIELD_loop && is_chain))
            continue;
        const char *key = field == TESS_FIELD_layout ? "layouts" : tess_field_recorded(field);
        const char *text = tess_values_text(&record->configuration, key);
        if (!*text || (field == TESS_FIELD_threads && strcmp(text, "0") == 0))
            continue;
        TRY(of_run(record, key, tess_experiment_set(experiment, field, text)));
    }
    return check_code(record, experiment);
}

/* Takes a loop's own settings, at keys with its name where they are a march's. */
static tess_status take_loop(const tess_record *record, bool is_march, int position,
                             tess_step *step) {
    tess_experiment *x = &step->loops[position];
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        char key[TESS_NAME_SIZE];
        if (!tess_step_is_of_loop(field))
            continue;
        key_of(field, x->loop, key);
        const char *text =
            tess_values_text(&record->configuration, is_march ? key : tess_field_recorded(field));
        if (!*text || (field == TESS_FIELD_threads && strcmp(text, "0") == 0))
            continue;
        TRY(of_run(record, key, tess_step_set(step, position, field, text)));
    }
    return check_code(record, x);
}

/* Adds a run's chain to those of other runs. */
static tess_status add_chain(const char *chain, tess_step *step) {
    char *both = NULL;
    if (!step->chains)
        return tess_step_chain(step, chain);
    TRY(tess_text_print(&both, "%s,%s", step->chains, chain));
    const tess_status status = tess_step_chain(step, both);
    free(both);
    return status;
}

tess_status tess_step_record_apply(const tess_record *record, tess_step *step) {
    const char *loop = tess_values_text(&record->configuration, "loop");
    const char *first = tess_values_text(&record->configuration, numbered_by);
    const char *chain = tess_values_text(&record->configuration, "chain");
    TRY(check(record, &step->loops[0]));
    if (strcmp(loop, "step") != 0) {
        int position = 0;
        if (*chain) {
            TRY(add_chain(loop, step));
            loop = first;
        }
        TRY(of_run(record, "loop", tess_step_find(step, loop, &position)));
        TRY(take_loop(record, false, position, step));
        return tess_step_reaches(step, position) ? tess_step_number_by(step, loop) : TESS_OK;
    }
    if (!*first)
        FAIL(TESS_ERROR_INPUT,
             "run %s is a march of an earlier version, which did not say how each loop ran",
             record->id);
    const char *chains = tess_values_text(&record->configuration, "chains");
    for (int i = 0; i < step->n; i++)
        TRY(take_loop(record, true, i, step));
    if (*chains) {
        TRY(of_run(record, "chains", tess_step_check_chains(step, chains)));
        TRY(tess_step_chain(step, chains));
    }
    return of_run(record, numbered_by, tess_step_number_by(step, first));
}

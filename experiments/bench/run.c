/* A run: one experiment while it is made, and what came of it. */
#include "experiments/bench/run.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

tess_status tess_run_new(const tess_experiment *experiment, int64_t number, tess_run **out) {
    TRY(TESS_ZEROS(1, out));
    (*out)->experiment = experiment;
    (*out)->number = number;
    (*out)->value = NAN;
    const tess_status status = tess_metrics_new(&(*out)->values);
    if (status != TESS_OK)
        tess_run_free(*out);
    return status;
}

void tess_run_close(tess_run *run) {
    tess_trial_close(&run->trial);
    tess_ranked_march_close(run->ranked);
    run->ranked = NULL;
}

void tess_run_settle(tess_run *run) {
    tess_run_close(run);
    tess_record_free(run->record);
    tess_planned_release(run->planned);
    run->record = NULL;
    run->planned = NULL;
}

void tess_run_free(tess_run *run) {
    if (!run)
        return;
    tess_run_settle(run);
    free(run->failure);
    free(run->run);
    tess_metrics_free(run->values);
    free(run->plan_file);
    free(run->view_file);
    free(run->unviewed);
    free(run->uncounted);
    tess_trial_clear(&run->trial);
    free(run);
}

const char *tess_run_check(const tess_run *run) {
    if (run->not_applicable)
        return "not applicable";
    if (run->interrupted)
        return "interrupted";
    if (run->failure)
        return "FAILED";
    return run->trial.checked ? "passed" : "unchecked";
}

double tess_run_value(const tess_run *run, const char *name) {
    if (strcmp(name, "median_time") == 0 || strcmp(name, "seconds") == 0)
        return tess_trial_median(&run->trial);
    if (strcmp(name, "difference") == 0)
        return run->trial.checked ? run->trial.difference : NAN;
    return tess_metrics_get(run->values, name);
}

/* Values that stand in the object `ranks`, and their keys there. */
static const char *const of_ranks[][2] = {
    {"ranks", "n"},
    {"core_share", "core_share"},
    {"exec_share", "exec_share"},
    {"exchange_bytes", "exchange_bytes"},
    {"exchange_messages", "exchange_messages"},
    {"exchange_rounds", "rounds"},
    {"step_seconds", "step_seconds"},
    {"serial_seconds", "serial_seconds"},
    {"unexchanged_seconds", "unexchanged_seconds"},
    {"exchange_seconds", "exchange_seconds"},
    {"pack_seconds", "pack_seconds"},
    {"exposed_seconds", "exposed_seconds"},
    {"hidden_share", "hidden_share"},
};
enum { N_OF_RANKS = sizeof of_ranks / sizeof *of_ranks };

/* The object `key` of an object, made where it is not there. */
static json_t *part_of(json_t *object, const char *key) {
    if (!json_object_get(object, key))
        json_object_set_new(object, key, json_object());
    return json_object_get(object, key);
}

static void set_number(json_t *object, const char *key, double value) {
    const bool whole = value == floor(value) && fabs(value) < 9e15;
    json_object_set_new(object, key,
                        whole ? json_integer((json_int_t)value) : tess_json_number(value));
}

void tess_run_set_values(const tess_run *run, json_t *object) {
    for (int i = 0; i < run->values->n_values; i++) {
        const tess_metric_value *value = &run->values->values[i];
        const char *key = value->name;
        json_t *into = value->source == TESS_SOURCE_COUNTER ? part_of(object, "counters") : object;
        for (int k = 0; k < N_OF_RANKS; k++)
            if (strcmp(of_ranks[k][0], value->name) == 0) {
                into = part_of(object, "ranks");
                key = of_ranks[k][1];
            }
        set_number(into, key, value->value);
    }
}

static const char *value_of_ranks(const char *key) {
    for (int k = 0; k < N_OF_RANKS; k++)
        if (strcmp(of_ranks[k][1], key) == 0)
            return of_ranks[k][0];
    return key;
}

/* Adds the numbers of an object that are metrics; `source`: of all of them, but of
 * TESS_N_SOURCES, for which each has its own. */
static tess_status read_values(const json_t *object, bool is_of_ranks, tess_source source,
                               bool estimated, tess_metrics *values) {
    const char *key = NULL;
    const json_t *number = NULL;
    json_object_foreach((json_t *)(uintptr_t)object, key, number) {
        const char *name = is_of_ranks ? value_of_ranks(key) : key;
        const tess_quantity *known = tess_metric_find(name);
        if (!known && source == TESS_SOURCE_COUNTER)
            FAIL(TESS_ERROR_INPUT, "a run has the counter '%s', which is not known", name);
        if (!json_is_number(number) || !known || strcmp(name, "median_time") == 0)
            continue;
        tess_source own = source == TESS_N_SOURCES ? known->source : source;
        if (own == TESS_SOURCE_EMULATOR && estimated)
            own = TESS_SOURCE_SAMPLE;
        TRY(tess_metrics_add(values, name, own, json_number_value(number)));
    }
    return TESS_OK;
}

/* NaN for null. */
static double number_of(const json_t *value) {
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The samples, the round of each, and the session that the rounds are of. */
static void set_samples(json_t *object, const tess_run *run) {
    json_t *seconds = json_array(), *rounds = json_array(), *clocks = json_array();
    for (int64_t i = 0; i < run->trial.n_samples; i++) {
        json_array_append_new(seconds, json_real(run->trial.samples[i].seconds));
        json_array_append_new(rounds, json_integer(run->trial.samples[i].round));
        json_array_append_new(clocks, tess_json_number(run->trial.samples[i].clocks.compute));
    }
    json_object_set_new(object, "clocks", clocks);
    json_object_set_new(object, "samples", seconds);
    json_object_set_new(object, "rounds", rounds);
    if (run->session[0])
        json_object_set_new(object, "session", json_string(run->session));
}

/* How data lie where a loop is executed, as far as it is said. */
static void set_data(json_t *object, const tess_experiment *experiment) {
    static const struct {
        const char *name;
        tess_field field;
    } said[] = {{"layout", TESS_FIELD_layout},
                {"renumber", TESS_FIELD_renumber},
                {"precision", TESS_FIELD_precision}};
    for (size_t i = 0; experiment->kind == TESS_RUNNING && i < sizeof said / sizeof *said; i++) {
        char *text = NULL;
        if (tess_experiment_text(experiment, said[i].field, &text) == TESS_OK && *text)
            json_object_set_new(object, said[i].name, json_string(text));
        free(text);
    }
}

json_t *tess_run_json(const tess_run *run) {
    json_t *object =
        json_pack("{s:o, s:s?, s:i, s:s, s:s?}", "partitioner",
                  tess_json_text(run->experiment->partitioner.text), "strategy",
                  run->experiment->strategy.text, "block_size", (int)run->experiment->block_size,
                  "check", tess_run_check(run), "run", run->run);
    if (object)
        set_data(object, run->experiment);
    if (!object || run->failure) {
        if (object)
            json_object_set_new(object, "failure", tess_json_text(run->failure));
        return object;
    }
    /* What every run has, null where it is not known. */
    static const char *const usual[] = {
        "shared_bytes", "useful_bytes",   "flops",         "moved_bytes_min",
        "redundancy",   "registers",      "spilled_bytes", "occupancy_theoretical",
        "bandwidth",    "copy_bandwidth", "launches"};
    const double median = tess_trial_median(&run->trial);
    json_object_update_new(object, json_pack("{s:o, s:b, s:o, s:o}", "difference",
                                             tess_json_number(run->trial.difference), "graph",
                                             run->graph, "seconds", tess_json_number(median),
                                             "median_time", tess_json_number(median)));
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        json_object_set_new(object, usual[i], json_null());
    tess_run_set_values(run, object);
    set_samples(object, run);
    if (run->trial.counted)
        json_object_set_new(object, "estimated",
                            json_boolean(tess_counters_estimated(&run->trial.counters)));
    if (run->uncounted)
        json_object_set_new(object, "uncounted", tess_json_text(run->uncounted));
    return object;
}

static tess_status read_text(const json_t *json, const char *key, char **out) {
    const char *text = json_string_value(json_object_get(json, key));
    return text ? tess_text_copy(text, out) : TESS_OK;
}

static tess_status read_samples(const json_t *json, tess_run *run) {
    const json_t *seconds = json_object_get(json, "samples");
    const json_t *rounds = json_object_get(json, "rounds"),
                 *clocks = json_object_get(json, "clocks");
    const char *session = json_string_value(json_object_get(json, "session"));
    tess_trial *trial = &run->trial;
    const size_t n = json_array_size(seconds);
    if (json_array_size(rounds) != n || json_array_size(clocks) != n)
        FAIL(TESS_ERROR_INPUT, "a run's samples have not one round and one clock each");
    TRY(TESS_RESERVE((int64_t)n, &trial->capacity, &trial->samples));
    for (size_t i = 0; i < n; i++)
        trial->samples[trial->n_samples++] = (tess_trial_sample){
            .seconds = number_of(json_array_get(seconds, i)),
            .start = NAN,
            .round = (int)json_integer_value(json_array_get(rounds, i)),
            .clocks = {.compute = number_of(json_array_get(clocks, i)), .memory = NAN}};
    snprintf(run->session, sizeof run->session, "%s", session ? session : "");
    return TESS_OK;
}

tess_status tess_run_read(const json_t *json, tess_run *run) {
    const char *check = json_string_value(json_object_get(json, "check"));
    tess_trial *trial = &run->trial;
    if (!check)
        FAIL(TESS_ERROR_INPUT, "a run without the word of its check");
    TRY(read_text(json, "run", &run->run));
    TRY(read_text(json, "failure", &run->failure));
    run->not_applicable = strcmp(check, "not applicable") == 0;
    trial->checked = strcmp(check, "passed") == 0;
    trial->passed = trial->checked;
    if (run->failure)
        return TESS_OK;
    trial->difference = number_of(json_object_get(json, "difference"));
    trial->difference = number_of(json_object_get(json, "difference"));
    run->graph = json_is_true(json_object_get(json, "graph"));
    TRY(read_samples(json, run));
    const json_t *ranks = json_object_get(json, "ranks");
    const bool estimated = json_is_true(json_object_get(json, "estimated"));
    run->is_ranked = ranks != NULL;
    TRY(read_values(json, false, TESS_N_SOURCES, estimated, run->values));
    TRY(read_values(ranks, true, TESS_N_SOURCES, false, run->values));
    TRY(read_values(json_object_get(json, "counters"), false, TESS_SOURCE_COUNTER, false,
                    run->values));
    return read_text(json, "uncounted", &run->uncounted);
}

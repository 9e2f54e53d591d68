/* A row: one run of a loop as reports show it, and its JSON. */
#include "experiments/cli/run_row.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include "experiments/cli/command.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

tess_status tess_run_row_new(tess_run_row **out) {
    TRY(TESS_ZEROS(1, out));
    (*out)->bandwidth = NAN;
    return TESS_OK;
}

void tess_run_row_free(tess_run_row *row) {
    if (!row)
        return;
    free(row->partitioner);
    free(row->strategy);
    free(row->failure);
    free(row->run);
    free(row->uncounted);
    tess_trial_clear(&row->trial);
    free(row);
}

const char *tess_run_row_check(const tess_run_row *row) {
    if (row->misfit)
        return "no fit";
    if (row->interrupted)
        return "interrupted";
    if (row->failure)
        return "FAILED";
    return row->trial.checked ? "passed" : "unchecked";
}

double tess_run_row_lanes(const tess_counters *counters) {
    return counters->instructions > 0
               ? (double)counters->active_lanes / (double)counters->instructions / 32
               : NAN;
}

static void set_counters(json_t *object, const tess_counters *c) {
    json_object_set_new(object, "read_sectors", json_integer(c->read_sectors));
    json_object_set_new(object, "write_sectors", json_integer(c->write_sectors));
    json_object_set_new(object, "atomic_sectors", json_integer(c->atomic_sectors));
    json_object_set_new(object, "atomics", json_integer(c->atomics));
    json_object_set_new(object, "shared_wavefronts", json_integer(c->shared_wavefronts));
    json_object_set_new(object, "shared_bank_conflicts", json_integer(c->shared_bank_conflicts));
    json_object_set_new(object, "warp_efficiency", tess_json_number(tess_run_row_lanes(c)));
    json_object_set_new(object, "barriers", json_integer(c->barriers));
    json_object_set_new(object, "thread_steps", json_integer(c->thread_steps));
    json_object_set_new(object, "blocks_executed", json_integer(c->blocks_executed));
    json_object_set_new(object, "blocks_launched", json_integer(c->blocks_launched));
    json_object_set_new(object, "estimated", json_boolean(tess_counters_estimated(c)));
}

static void set_hardware(json_t *object, const tess_run_row *row) {
    if (row->uncounted)
        json_object_set_new(object, "uncounted", tess_json_text(row->uncounted));
    if (row->hardware.n == 0)
        return;
    json_t *counters = json_object();
    for (int i = 0; i < row->hardware.n; i++)
        json_object_set_new(counters, row->hardware.values[i].name,
                            tess_json_number(row->hardware.values[i].value));
    json_object_set_new(object, "counters", counters);
}

/* The samples, the round of each, and the session that the rounds are of. */
static void set_samples(json_t *object, const tess_run_row *row) {
    json_t *seconds = json_array(), *rounds = json_array(), *clocks = json_array();
    for (int64_t i = 0; i < row->trial.n_samples; i++) {
        json_array_append_new(seconds, json_real(row->trial.samples[i].seconds));
        json_array_append_new(rounds, json_integer(row->trial.samples[i].round));
        json_array_append_new(clocks, tess_json_number(row->trial.samples[i].clocks.compute));
    }
    json_object_set_new(object, "clocks", clocks);
    json_object_set_new(object, "samples", seconds);
    json_object_set_new(object, "rounds", rounds);
    if (row->session[0])
        json_object_set_new(object, "session", json_string(row->session));
}

json_t *tess_run_row_json(const tess_run_row *row) {
    json_t *object =
        json_pack("{s:o, s:s, s:i, s:s, s:s?}", "partitioner", tess_json_text(row->partitioner),
                  "strategy", row->strategy, "block_size", (int)row->block_size, "check",
                  tess_run_row_check(row), "run", row->run);
    if (!object || row->failure) {
        if (object)
            json_object_set_new(object, "failure", tess_json_text(row->failure));
        return object;
    }
    const tess_trial *trial = &row->trial;
    json_object_set_new(object, "difference", tess_json_number(trial->difference));
    json_object_set_new(object, "launches", json_integer(trial->n_launches));
    json_object_set_new(object, "graph", json_boolean(row->graph));
    json_object_set_new(object, "shared_bytes", json_integer(trial->shared_bytes));
    json_object_set_new(object, "useful_bytes", json_integer(trial->useful_bytes));
    json_object_set_new(object, "moved_bytes_min", json_integer(trial->moved_bytes_min));
    json_object_set_new(object, "redundancy", tess_json_number(row->redundancy));
    json_object_set_new(object, "registers", json_integer(trial->resources.registers));
    json_object_set_new(object, "spilled_bytes", json_integer(trial->resources.spilled));
    json_object_set_new(object, "seconds", tess_json_number(tess_trial_median(trial)));
    json_object_set_new(object, "bandwidth", tess_json_number(row->bandwidth));
    json_object_set_new(object, "copy_bandwidth", tess_json_number(row->copy_bandwidth));
    set_samples(object, row);
    if (trial->counted)
        set_counters(object, &trial->counters);
    set_hardware(object, row);
    return object;
}

static tess_status read_text(const json_t *json, const char *key, char **out) {
    const char *text = json_string_value(json_object_get(json, key));
    return text ? tess_text_copy(text, out) : TESS_OK;
}

static int64_t integer_of(const json_t *json, const char *key) {
    return json_integer_value(json_object_get(json, key));
}

/* NaN for null. */
static double number_of(const json_t *value) {
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static tess_status read_samples(const json_t *json, tess_run_row *row) {
    const json_t *seconds = json_object_get(json, "samples");
    const json_t *rounds = json_object_get(json, "rounds"),
                 *clocks = json_object_get(json, "clocks");
    const char *session = json_string_value(json_object_get(json, "session"));
    tess_trial *trial = &row->trial;
    const size_t n = json_array_size(seconds);
    if (json_array_size(rounds) != n || json_array_size(clocks) != n)
        FAIL(TESS_ERROR_INPUT, "a row's samples have not one round and one clock each");
    TRY(TESS_RESERVE((int64_t)n, &trial->capacity, &trial->samples));
    for (size_t i = 0; i < n; i++)
        trial->samples[trial->n_samples++] = (tess_trial_sample){
            .seconds = number_of(json_array_get(seconds, i)),
            .start = NAN,
            .round = (int)json_integer_value(json_array_get(rounds, i)),
            .clocks = {.compute = number_of(json_array_get(clocks, i)), .memory = NAN}};
    snprintf(row->session, sizeof row->session, "%s", session ? session : "");
    return TESS_OK;
}

static tess_status read_hardware(const json_t *json, tess_run_row *row) {
    const char *name = NULL;
    const json_t *value = NULL;
    json_object_foreach((json_t *)(uintptr_t)json_object_get(json, "counters"), name, value) {
        const tess_metric *known = tess_metric_find(name);
        if (!known || row->hardware.n == TESS_MOST_COUNTERS)
            FAIL(TESS_ERROR_INPUT, "a row has the counter '%s', which is not known", name);
        row->hardware.values[row->hardware.n].name = known->name;
        row->hardware.values[row->hardware.n].unit = known->unit;
        row->hardware.values[row->hardware.n++].value = number_of(value);
    }
    return read_text(json, "uncounted", &row->uncounted);
}

tess_status tess_run_row_read(const json_t *json, tess_run_row *row) {
    const char *check = json_string_value(json_object_get(json, "check"));
    tess_trial *trial = &row->trial;
    if (!check)
        FAIL(TESS_ERROR_INPUT, "a row without the word of its check");
    TRY(read_text(json, "run", &row->run));
    TRY(read_text(json, "failure", &row->failure));
    row->misfit = strcmp(check, "no fit") == 0;
    trial->checked = strcmp(check, "passed") == 0;
    trial->passed = trial->checked;
    if (row->failure)
        return TESS_OK;
    trial->difference = number_of(json_object_get(json, "difference"));
    trial->n_launches = (int)integer_of(json, "launches");
    row->graph = json_is_true(json_object_get(json, "graph"));
    trial->shared_bytes = integer_of(json, "shared_bytes");
    trial->useful_bytes = integer_of(json, "useful_bytes");
    trial->moved_bytes_min = integer_of(json, "moved_bytes_min");
    row->redundancy = number_of(json_object_get(json, "redundancy"));
    trial->resources.registers = (int)integer_of(json, "registers");
    trial->resources.spilled = (int)integer_of(json, "spilled_bytes");
    row->bandwidth = number_of(json_object_get(json, "bandwidth"));
    row->copy_bandwidth = number_of(json_object_get(json, "copy_bandwidth"));
    TRY(read_samples(json, row));
    return read_hardware(json, row);
}

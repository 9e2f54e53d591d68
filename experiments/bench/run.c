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
    (*out)->bandwidth = (*out)->value = NAN;
    return TESS_OK;
}

void tess_run_close(tess_run *run) {
    tess_trial_close(&run->trial);
    tess_ranked_march_close(run->ranked);
    run->ranked = NULL;
}

void tess_run_settle(tess_run *run) {
    tess_run_close(run);
    if (run->planned && run->experiment->kind == TESS_CUTTING && !run->failure) {
        tess_metrics **made = &run->planned->metrics[run->experiment->layout.layouts.layout];
        run->metrics = *made; /* of blocks that nobody shares */
        *made = NULL;
    }
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
    tess_metrics_free(run->metrics);
    free(run->plan_file);
    free(run->view_file);
    free(run->unviewed);
    free(run->uncounted);
    tess_trial_clear(&run->trial);
    free(run);
}

const char *tess_run_check(const tess_run *run) {
    if (run->not_applicable)
        return "no fit";
    if (run->interrupted)
        return "interrupted";
    if (run->failure)
        return "FAILED";
    return run->trial.checked ? "passed" : "unchecked";
}

double tess_run_lanes(const tess_counters *counters) {
    return counters->instructions > 0
               ? (double)counters->active_lanes / (double)counters->instructions / 32
               : NAN;
}

static void set_counters(json_t *object, const tess_counters *c) {
    json_object_update_new(
        object, json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:b}",
                          "read_sectors", (json_int_t)c->read_sectors, "write_sectors",
                          (json_int_t)c->write_sectors, "atomic_sectors",
                          (json_int_t)c->atomic_sectors, "atomics", (json_int_t)c->atomics,
                          "atomic_repeats", (json_int_t)c->atomic_repeats, "shared_wavefronts",
                          (json_int_t)c->shared_wavefronts, "shared_bank_conflicts",
                          (json_int_t)c->shared_bank_conflicts, "warp_efficiency",
                          tess_json_number(tess_run_lanes(c)), "barriers", (json_int_t)c->barriers,
                          "thread_steps", (json_int_t)c->thread_steps, "blocks_executed",
                          (json_int_t)c->blocks_executed, "blocks_launched",
                          (json_int_t)c->blocks_launched, "estimated", tess_counters_estimated(c)));
    tess_cache_counter counted[TESS_CACHE_COUNTERS];
    tess_counters_of_caches(c, counted);
    for (int i = 0; i < TESS_CACHE_COUNTERS && tess_counters_cached(c); i++)
        json_object_set_new(object, counted[i].name, json_integer(counted[i].value));
}

static void set_hardware(json_t *object, const tess_run *run) {
    if (run->uncounted)
        json_object_set_new(object, "uncounted", tess_json_text(run->uncounted));
    if (run->hardware.n == 0)
        return;
    json_t *counters = json_object();
    for (int i = 0; i < run->hardware.n; i++)
        json_object_set_new(counters, run->hardware.values[i].name,
                            tess_json_number(run->hardware.values[i].value));
    json_object_set_new(object, "counters", counters);
}

static int64_t integer_of(const json_t *json, const char *key) {
    return json_integer_value(json_object_get(json, key));
}

/* NaN for null. */
static double number_of(const json_t *value) {
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* What of its ranks' exchanges was timed. */
static const struct {
    const char *name;
    size_t offset; /* in tess_exchange_timing */
} timed[] = {
    {"step_seconds", offsetof(tess_exchange_timing, step)},
    {"serial_seconds", offsetof(tess_exchange_timing, serial)},
    {"unexchanged_seconds", offsetof(tess_exchange_timing, unexchanged)},
    {"exchange_seconds", offsetof(tess_exchange_timing, exchange)},
    {"pack_seconds", offsetof(tess_exchange_timing, pack)},
    {"exposed_seconds", offsetof(tess_exchange_timing, exposed)},
    {"hidden_share", offsetof(tess_exchange_timing, hidden)},
};

static json_t *ranks_json(const tess_run *run) {
    const tess_halo_metrics *halo = &run->halo;
    json_t *ranks = json_pack("{s:i, s:f, s:f, s:I, s:I, s:i}", "n", halo->n_ranks, "core_share",
                              halo->core_share, "exec_share", halo->exec_share, "exchange_bytes",
                              (json_int_t)halo->exchange_bytes, "exchange_messages",
                              (json_int_t)halo->exchange_messages, "rounds", run->timing.n_rounds);
    for (size_t i = 0; i < sizeof timed / sizeof *timed && run->timing.n_rounds > 0; i++)
        json_object_set_new(
            ranks, timed[i].name,
            tess_json_number(*(const double *)((const char *)&run->timing + timed[i].offset)));
    return ranks;
}

static void read_ranks(const json_t *ranks, tess_run *run) {
    tess_halo_metrics *halo = &run->halo;
    run->is_ranked = ranks != NULL;
    if (!ranks)
        return;
    halo->n_ranks = (int32_t)integer_of(ranks, "n");
    halo->core_share = number_of(json_object_get(ranks, "core_share"));
    halo->exec_share = number_of(json_object_get(ranks, "exec_share"));
    halo->exchange_bytes = integer_of(ranks, "exchange_bytes");
    halo->exchange_messages = integer_of(ranks, "exchange_messages");
    run->timing.n_rounds = (int)integer_of(ranks, "rounds");
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
        *(double *)((char *)&run->timing + timed[i].offset) =
            number_of(json_object_get(ranks, timed[i].name));
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
    const tess_trial *trial = &run->trial;
    json_object_update_new(
        object, json_pack("{s:o, s:I, s:b, s:I, s:I, s:I, s:I, s:o, s:I, s:I, s:o, s:o, s:o, s:o}",
                          "difference", tess_json_number(trial->difference), "launches",
                          (json_int_t)trial->n_launches, "graph", run->graph, "shared_bytes",
                          (json_int_t)trial->shared_bytes, "useful_bytes",
                          (json_int_t)trial->useful_bytes, "flops", (json_int_t)trial->flops,
                          "moved_bytes_min", (json_int_t)trial->moved_bytes_min, "redundancy",
                          tess_json_number(run->redundancy), "registers",
                          (json_int_t)trial->resources.registers, "spilled_bytes",
                          (json_int_t)trial->resources.spilled, "occupancy_theoretical",
                          tess_json_number(trial->occupancy), "seconds",
                          tess_json_number(tess_trial_median(trial)), "bandwidth",
                          tess_json_number(run->bandwidth), "copy_bandwidth",
                          tess_json_number(run->copy_bandwidth)));
    set_samples(object, run);
    if (run->is_ranked)
        json_object_set_new(object, "ranks", ranks_json(run));
    if (trial->counted)
        set_counters(object, &trial->counters);
    set_hardware(object, run);
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

static tess_status read_hardware(const json_t *json, tess_run *run) {
    const char *name = NULL;
    const json_t *value = NULL;
    json_object_foreach((json_t *)(uintptr_t)json_object_get(json, "counters"), name, value) {
        const tess_quantity *known = tess_metric_find(name);
        if (!known || run->hardware.n == TESS_MOST_COUNTERS)
            FAIL(TESS_ERROR_INPUT, "a run has the counter '%s', which is not known", name);
        run->hardware.values[run->hardware.n].name = known->name;
        run->hardware.values[run->hardware.n].unit = known->unit;
        run->hardware.values[run->hardware.n++].value = number_of(value);
    }
    return read_text(json, "uncounted", &run->uncounted);
}

tess_status tess_run_read(const json_t *json, tess_run *run) {
    const char *check = json_string_value(json_object_get(json, "check"));
    tess_trial *trial = &run->trial;
    if (!check)
        FAIL(TESS_ERROR_INPUT, "a run without the word of its check");
    TRY(read_text(json, "run", &run->run));
    TRY(read_text(json, "failure", &run->failure));
    run->not_applicable = strcmp(check, "no fit") == 0;
    trial->checked = strcmp(check, "passed") == 0;
    trial->passed = trial->checked;
    if (run->failure)
        return TESS_OK;
    trial->difference = number_of(json_object_get(json, "difference"));
    trial->n_launches = (int)integer_of(json, "launches");
    run->graph = json_is_true(json_object_get(json, "graph"));
    trial->shared_bytes = integer_of(json, "shared_bytes");
    trial->useful_bytes = integer_of(json, "useful_bytes");
    trial->flops = integer_of(json, "flops");
    trial->moved_bytes_min = integer_of(json, "moved_bytes_min");
    run->redundancy = number_of(json_object_get(json, "redundancy"));
    trial->resources.registers = (int)integer_of(json, "registers");
    trial->resources.spilled = (int)integer_of(json, "spilled_bytes");
    trial->occupancy = number_of(json_object_get(json, "occupancy_theoretical"));
    run->bandwidth = number_of(json_object_get(json, "bandwidth"));
    run->copy_bandwidth = number_of(json_object_get(json, "copy_bandwidth"));
    TRY(read_samples(json, run));
    read_ranks(json_object_get(json, "ranks"), run);
    return read_hardware(json, run);
}

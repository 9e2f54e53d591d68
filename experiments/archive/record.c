/* A record: what a run leaves. */
#include "experiments/archive/record.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include "experiments/archive/provenance.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *tess_outcome_name(tess_outcome outcome) {
    static const char *const names[] = {"unchecked", "passed", "failed"};
    return names[outcome];
}

void tess_record_date(tess_record *record) {
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    char seconds[TESS_TIME_SIZE];
    strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(record->time, sizeof record->time, "%.19s.%03uZ", seconds,
             (unsigned)(now.tv_nsec / 1000000) % 1000);
}

tess_status tess_record_new_blank(tess_record **out) {
    tess_status status = TESS_OK;
    tess_record *record = NULL;
    CHECK(TESS_ZEROS(1, &record));
    CHECK(tess_text_copy("", &record->log));
    CHECK(tess_text_copy("", &record->diff));
    *out = TESS_TAKE(record);
done:
    tess_record_free(record);
    return status;
}

tess_status tess_record_new(int argc, char *const *argv, tess_record **out) {
    tess_status status = TESS_OK;
    tess_record *record = NULL;
    CHECK(TESS_ZEROS(1, &record));
    tess_record_date(record);
    CHECK(tess_text_copy("", &record->log));
    CHECK(tess_provenance_take(argc, argv, &record->environment, &record->diff));
    *out = TESS_TAKE(record);
done:
    tess_record_free(record);
    return status;
}

void tess_record_free(tess_record *record) {
    if (!record)
        return;
    tess_values_clear(&record->configuration);
    tess_values_clear(&record->environment);
    tess_values_clear(&record->steps);
    tess_values_clear(&record->check);
    for (int64_t i = 0; i < record->n_series; i++)
        free(record->series[i].values);
    free(record->series);
    free(record->measures);
    free(record->ranks.rank_of);
    free(record->ranks.n_copies);
    free(record->chain.loops);
    tess_chain_blocks_free(record->chain.blocks);
    free(record->log);
    free(record->diff);
    free(record);
}

static tess_status copy_name(char *out, size_t size, const char *name) {
    if (strlen(name) >= size)
        FAIL(TESS_ERROR_INTERNAL, "the name '%s' is longer than %zu characters", name, size - 1);
    strcpy(out, name);
    return TESS_OK;
}

tess_status tess_record_add_measure(tess_record *record, const char *name, const char *unit,
                                    const char *source, double value) {
    TRY(TESS_RESERVE(record->n_measures + 1, &record->measures_capacity, &record->measures));
    tess_measure *measure = &record->measures[record->n_measures];
    *measure = (tess_measure){.value = value};
    TRY(copy_name(measure->name, sizeof measure->name, name));
    TRY(copy_name(measure->unit, sizeof measure->unit, unit));
    TRY(copy_name(measure->source, sizeof measure->source, source));
    record->n_measures++;
    return TESS_OK;
}

double tess_record_measure(const tess_record *record, const char *asked, const char *source) {
    char *name = strdupa(asked);
    tess_metric_rename(name);
    for (int64_t i = 0; i < record->n_measures; i++)
        if (strcmp(record->measures[i].name, name) == 0 &&
            (!source || strcmp(record->measures[i].source, source) == 0))
            return record->measures[i].value;
    return NAN;
}

bool tess_series_is_timing(const char *name) {
    return strcmp(name, TESS_SERIES_ROUND) == 0 || strcmp(name, TESS_SERIES_START) == 0;
}

const tess_series *tess_record_series(const tess_record *record, const char *name) {
    for (int64_t i = 0; i < record->n_series; i++)
        if (strcmp(record->series[i].name, name) == 0)
            return &record->series[i];
    return NULL;
}

static tess_status series_of(tess_record *record, const char *name, const char *unit,
                             tess_series **out) {
    *out = (tess_series *)tess_record_series(record, name);
    if (*out)
        return TESS_OK;
    TRY(TESS_RESERVE(record->n_series + 1, &record->series_capacity, &record->series));
    *out = &record->series[record->n_series];
    **out = (tess_series){0};
    TRY(copy_name((*out)->name, sizeof(*out)->name, name));
    TRY(copy_name((*out)->unit, sizeof(*out)->unit, unit));
    record->n_series++;
    return TESS_OK;
}

tess_status tess_record_add_sample(tess_record *record, const char *series, const char *unit,
                                   double value) {
    tess_series *samples = NULL;
    TRY(series_of(record, series, unit, &samples));
    TRY(TESS_RESERVE(samples->n + 1, &samples->capacity, &samples->values));
    samples->values[samples->n++] = value;
    return TESS_OK;
}

tess_status tess_record_add_step(tess_record *record, const char *step, double seconds) {
    return tess_values_set_number(&record->steps, step, seconds, "s");
}

tess_status tess_record_set_ranks(tess_record *record, const tess_rank_map *ranks) {
    tess_rank_map *own = &record->ranks;
    const size_t bytes = (size_t)ranks->n * sizeof *ranks->rank_of;
    *own = (tess_rank_map){.n_ranks = ranks->n_ranks, .n = ranks->n};
    TRY(TESS_ALLOC(ranks->n, &own->rank_of));
    TRY(TESS_ALLOC(ranks->n, &own->n_copies));
    memcpy(own->rank_of, ranks->rank_of, bytes);
    memcpy(own->n_copies, ranks->n_copies, bytes);
    memcpy(own->set, ranks->set, sizeof own->set);
    return TESS_OK;
}

tess_status tess_record_set_chain(tess_record *record, const char *loops, const char *set,
                                  const tess_chain_blocks *blocks) {
    tess_chain_map *own = &record->chain;
    const int64_t n_ends = (int64_t)blocks->n_blocks * (blocks->n_rings + 2);
    if (blocks->n_places > 2 * TESS_MOST_KEPT_ELEMENTS)
        return TESS_OK;
    TRY(tess_text_copy(loops, &own->loops));
    TRY(TESS_ZEROS(1, &own->blocks));
    own->blocks->n_rings = blocks->n_rings;
    own->blocks->n_blocks = blocks->n_blocks;
    own->blocks->n_places = blocks->n_places;
    TRY(TESS_COPY(n_ends, blocks->place, &own->blocks->place));
    TRY(TESS_COPY(blocks->n_places, blocks->points, &own->blocks->points));
    snprintf(own->set, sizeof own->set, "%s", set);
    return TESS_OK;
}

tess_status tess_record_set_check(tess_record *record, tess_outcome outcome, const char *message) {
    record->outcome = outcome;
    return tess_values_set_text(&record->check, "message", message);
}

tess_status tess_record_log(tess_record *record, const char *format, ...) {
    tess_status status = TESS_OK;
    char *line = NULL, *redacted = NULL, *joined = NULL;
    va_list args;
    va_start(args, format);
    status = tess_text_print_list(&line, format, args);
    va_end(args);
    CHECK(status);
    CHECK(tess_redact_home(line, &redacted));
    CHECK(tess_text_print(&joined, "%s%s\n", record->log, redacted));
    free(record->log);
    record->log = joined;
done:
    free(line);
    free(redacted);
    return status;
}

tess_status tess_record_add_metrics(tess_record *record, const tess_metrics *metrics) {
    for (int i = 0; i < metrics->n_values; i++) {
        const tess_metric_value *value = &metrics->values[i];
        TRY(tess_record_add_measure(record, value->name, value->unit,
                                    tess_source_name(value->source), value->value));
    }
    return TESS_OK;
}

/* The entries of a section by their keys: texts, or {value, unit}. */
static json_t *values_json(const tess_values *values) {
    json_t *object = json_object();
    for (int64_t i = 0; i < values->n; i++) {
        const tess_value *value = &values->items[i];
        json_object_set_new(object, value->key,
                            isnan(value->number)
                                ? json_string(value->text)
                                : json_pack("{s:o, s:s}", "value", tess_json_number(value->number),
                                            "unit", value->unit));
    }
    return object;
}

static json_t *metrics_json(const tess_record *record) {
    json_t *list = json_array();
    for (int64_t i = 0; i < record->n_measures; i++) {
        const tess_measure *measure = &record->measures[i];
        const tess_quantity *known = tess_metric_find(measure->name);
        json_array_append_new(list, json_pack("{s:s, s:o, s:s, s:s, s:s}", "name", measure->name,
                                              "value", tess_json_number(measure->value), "unit",
                                              measure->unit, "source", measure->source, "long_name",
                                              known ? known->long_name : ""));
    }
    return list;
}

static json_t *samples_json(const tess_record *record) {
    json_t *object = json_object();
    for (int64_t i = 0; i < record->n_series; i++) {
        const tess_series *series = &record->series[i];
        json_t *values = json_array();
        for (int64_t k = 0; k < series->n; k++)
            json_array_append_new(values, tess_json_number(series->values[k]));
        json_object_set_new(object, series->name,
                            json_pack("{s:s, s:o}", "unit", series->unit, "values", values));
    }
    return object;
}

json_t *tess_record_json(const tess_record *record) {
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "run", record->id, "time", record->time,
                  "outcome", tess_outcome_name(record->outcome), "mesh_digest", record->mesh,
                  "plan_digest", record->plan, "log", record->log, "diff", record->diff);
    if (!object)
        return NULL;
    json_object_set_new(object, "configuration", values_json(&record->configuration));
    json_object_set_new(object, "metrics", metrics_json(record));
    json_object_set_new(object, "samples", samples_json(record));
    json_object_set_new(object, "steps", values_json(&record->steps));
    json_object_set_new(object, "check", values_json(&record->check));
    json_object_set_new(object, "environment", values_json(&record->environment));
    return object;
}

/* A record as JSON. */
#include "experiments/archive/record_json.h"

#include "core/base/json.h"
#include <math.h>

json_t *tess_entries_json(const tess_entries *entries) {
    json_t *object = json_object();
    for (int64_t i = 0; i < entries->n; i++) {
        const tess_entry *entry = &entries->items[i];
        json_object_set_new(object, entry->key,
                            isnan(entry->number)
                                ? json_string(entry->text)
                                : json_pack("{s:o, s:s}", "value", tess_json_number(entry->number),
                                            "unit", entry->unit));
    }
    return object;
}

static json_t *metrics_json(const tess_record *record) {
    json_t *list = json_array();
    for (int64_t i = 0; i < record->n_measures; i++) {
        const tess_measure *measure = &record->measures[i];
        const tess_metric *known = tess_metric_find(measure->name);
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
    json_object_set_new(object, "configuration", tess_entries_json(&record->configuration));
    json_object_set_new(object, "metrics", metrics_json(record));
    json_object_set_new(object, "samples", samples_json(record));
    json_object_set_new(object, "steps", tess_entries_json(&record->steps));
    json_object_set_new(object, "check", tess_entries_json(&record->check));
    json_object_set_new(object, "environment", tess_entries_json(&record->environment));
    return object;
}

/* The metrics of the core in a record. */
#include "experiments/archive/record.h"

tess_status tess_record_add_metrics(tess_record *record, const tess_metrics *metrics) {
    for (int i = 0; i < metrics->n_values; i++) {
        const tess_metric_value *value = &metrics->values[i];
        TRY(tess_record_add_measure(record, value->name, value->unit,
                                    tess_source_name(value->source), value->value));
    }
    return TESS_OK;
}

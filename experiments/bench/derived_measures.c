/* Derived measures: what follows from what caches were asked for, a share or an element. */
#include "experiments/bench/derived_measures.h"

#include <math.h>

enum { SECTOR_BYTES = 32 };

tess_status tess_derive_measures(int64_t n_elements, tess_metrics *values) {
    const tess_metric_value *read = tess_metrics_find(values, "l2_read_sectors");
    if (!read)
        return TESS_OK;
    const tess_source source = read->source;
    const double asked = read->value, n = (double)n_elements;
    const double written = tess_metrics_get(values, "l2_write_sectors");
    const double from_memory = tess_metrics_get(values, "dram_read_bytes") / SECTOR_BYTES;
    const double to_memory = tess_metrics_get(values, "dram_write_bytes") / SECTOR_BYTES;
    const struct {
        const char *name;
        double value;
    } derived[] = {
        {"l2_hit_rate", 1 - from_memory / asked},     {"l2_reads_per_element", asked / n},
        {"l2_writes_per_element", written / n},       {"memory_reads_per_element", from_memory / n},
        {"memory_writes_per_element", to_memory / n},
    };
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++)
        if (isfinite(derived[i].value))
            TRY(tess_metrics_add(values, derived[i].name, source, derived[i].value));
    return TESS_OK;
}

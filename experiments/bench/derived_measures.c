/* Derived measures: what follows from a run's counters and times, an element or a second. */
#include "experiments/bench/derived_measures.h"

#include <math.h>
#include <string.h>

enum { SECTOR_BYTES = 32 };

/* What went through a GPU's L2 or its emulated one; NaN where that was not counted. */
static double through_caches(const tess_run *run, const char *name) {
    tess_cache_counter counted[TESS_CACHE_COUNTERS];
    if (!run->trial.counted || !tess_counters_cached(&run->trial.counters))
        return tess_hardware_counter(&run->hardware, name);
    tess_counters_of_caches(&run->trial.counters, counted);
    for (int i = 0; i < TESS_CACHE_COUNTERS; i++)
        if (strcmp(counted[i].name, name) == 0)
            return (double)counted[i].value;
    return NAN;
}

static double hit_rate(const tess_run *run, int64_t n_elements) {
    (void)n_elements;
    const double asked = through_caches(run, "l2_read_sectors");
    return asked > 0 ? 1 - through_caches(run, "dram_read_bytes") / SECTOR_BYTES / asked : NAN;
}

static double l2_reads(const tess_run *run, int64_t n_elements) {
    return through_caches(run, "l2_read_sectors") / (double)n_elements;
}

static double l2_writes(const tess_run *run, int64_t n_elements) {
    return through_caches(run, "l2_write_sectors") / (double)n_elements;
}

static double memory_reads(const tess_run *run, int64_t n_elements) {
    return through_caches(run, "dram_read_bytes") / SECTOR_BYTES / (double)n_elements;
}

static double memory_writes(const tess_run *run, int64_t n_elements) {
    return through_caches(run, "dram_write_bytes") / SECTOR_BYTES / (double)n_elements;
}

static double flop_rate(const tess_run *run, int64_t n_elements) {
    (void)n_elements;
    return run->trial.flops > 0 ? (double)run->trial.flops / tess_trial_median(&run->trial) : NAN;
}

static const struct derived {
    const char *name, *unit;
    bool is_timed; /* its source is the timer, not what counted */
    double (*of)(const tess_run *run, int64_t n_elements);
} all[] = {
    {"flop_rate", "1/s", true, flop_rate},
    {"l2_hit_rate", "1", false, hit_rate},
    {"l2_reads_per_element", "1", false, l2_reads},
    {"l2_writes_per_element", "1", false, l2_writes},
    {"memory_reads_per_element", "1", false, memory_reads},
    {"memory_writes_per_element", "1", false, memory_writes},
};

tess_status tess_record_derived(const tess_run *run, int64_t n_elements) {
    const char *counter = !run->trial.counted                             ? "counter"
                          : tess_counters_estimated(&run->trial.counters) ? "sample"
                                                                          : "emulator";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const double value = all[i].of(run, n_elements);
        if (isfinite(value))
            TRY(tess_record_add_measure(run->record, all[i].name, all[i].unit,
                                        all[i].is_timed ? "timer" : counter, value));
    }
    return TESS_OK;
}

double tess_derived_measure(const tess_run *run, int64_t n_elements, const char *name) {
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].of(run, n_elements);
    return NAN;
}

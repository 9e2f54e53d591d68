/* A march's record: what a march leaves in a lab. */
#include "experiments/bench/march_record.h"

#include "experiments/bench/recording.h"
#include <math.h>
#include <stdio.h>

static tess_status record_ranks(const tess_rank_setting *ranks, tess_values *into) {
    TRY(tess_values_set_text(into, "engine", ranks->engine ? ranks->engine : "local"));
    TRY(tess_values_set_text(into, "halo", ranks->mode == TESS_HALO_SUMS ? "sums" : "exec"));
    TRY(tess_values_set_text(into, "graph", ranks->graph ? "yes" : "no"));
    TRY(tess_values_set_text(into, "overlap", ranks->whole ? "no" : "yes"));
    return ranks->partitioner ? tess_values_set_text(into, "rank_partitioner", ranks->partitioner)
                              : TESS_OK;
}

tess_status tess_march_record_new(const tess_march_record_options *options, tess_record **out) {
    const tess_experiment *x = options->experiment;
    *out = NULL;
    if (!options->lab)
        return TESS_OK;
    TRY(tess_record_new(options->argc, options->argv, out));
    tess_values *into = &(*out)->configuration;
    TRY(tess_record_experiment(*out, x));
    TRY(tess_values_set_text(into, "mesh", x->mesh));
    TRY(tess_values_set_text(into, "application", x->application));
    TRY(tess_values_set_text(into, "loop", "step"));
    TRY(tess_values_set_number(into, "steps", (double)options->steps, "1"));
    return options->ranks ? record_ranks(options->ranks, into) : TESS_OK;
}

tess_status tess_march_record_add_step(tess_record *record, double seconds) {
    return record ? tess_record_add_sample(record, "time", "s", seconds) : TESS_OK;
}

static tess_status record_halo(const tess_halo_metrics *halo, tess_record *record) {
    const struct {
        const char *name, *unit;
        double value;
    } counted[] = {{"ranks", "1", halo->n_ranks},
                   {"rank_imbalance", "1", halo->rank_imbalance},
                   {"core_share", "1", halo->core_share},
                   {"exec_share", "1", halo->exec_share},
                   {"read_share", "1", halo->read_share},
                   {"neighbours_mean", "1", halo->neighbours_mean},
                   {"neighbours_max", "1", halo->neighbours_max},
                   {"exchange_bytes", "B", (double)halo->exchange_bytes},
                   {"exchange_messages", "1", (double)halo->exchange_messages}};
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        TRY(tess_record_add_measure(record, counted[i].name, counted[i].unit, "plan",
                                    counted[i].value));
    return TESS_OK;
}

static tess_status record_timing(const tess_exchange_timing *timing, tess_record *record) {
    if (timing->n_rounds == 0)
        return TESS_OK;
    const struct {
        const char *name, *unit;
        double value;
    } timed[] = {{"exchange_seconds", "s", timing->exchange},
                 {"pack_seconds", "s", timing->pack},
                 {"exposed_seconds", "s", timing->exposed},
                 {"hidden_share", "1", timing->hidden}};
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
        if (isfinite(timed[i].value))
            TRY(tess_record_add_measure(record, timed[i].name, timed[i].unit, "timer",
                                        timed[i].value));
    return TESS_OK;
}

tess_status tess_march_record_store(const tess_march_record_options *options,
                                    const tess_march *march, const tess_difference *difference,
                                    tess_record *record) {
    if (!record)
        return TESS_OK;
    TRY(tess_values_set_text(&record->configuration, "precision",
                             tess_type_name(march->bench.load.real)));
    if (march->ranked) {
        TRY(tess_values_set_number(&record->configuration, "ranks",
                                   (double)march->ranked->crew->n_ranks, "1"));
        if (march->ranked->crew->carriers[0])
            TRY(tess_values_set_text(&record->environment, "carriers",
                                     march->ranked->crew->carriers));
        TRY(record_halo(&march->ranked->halo, record));
        TRY(record_timing(&march->ranked->timing, record));
    }
    if (difference) {
        char words[96];
        snprintf(words, sizeof words, "largest difference %.3g, %.3g is allowed",
                 difference->largest, difference->tolerance);
        TRY(tess_record_set_check(record, TESS_PASSED, words));
    } else
        TRY(tess_record_set_check(record, TESS_UNCHECKED, ""));
    return tess_lab_store_run(options->lab, record);
}

tess_status tess_march_record_fail(const tess_march_record_options *options, const char *why,
                                   tess_record *record) {
    if (!record)
        return TESS_OK;
    if (options->ranks && options->ranks->n_ranks > 0)
        TRY(tess_values_set_number(&record->configuration, "ranks", (double)options->ranks->n_ranks,
                                   "1"));
    TRY(tess_record_set_check(record, TESS_FAILED, why));
    return tess_lab_store_run(options->lab, record);
}

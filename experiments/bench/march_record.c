/* A march's record: what a march leaves in a lab. */
#include "experiments/bench/march_record.h"

#include "core/mesh/derive.h"
#include "experiments/bench/chain_record.h"
#include "experiments/bench/rank_record.h"
#include "experiments/bench/recording.h"
#include "experiments/bench/run_values.h"
#include "experiments/bench/step_record.h"
#include <stdio.h>
#include <string.h>

tess_status tess_march_record_new(const tess_march_record_options *options, tess_record **out) {
    const tess_experiment *x = &options->step->loops[options->step->first];
    *out = NULL;
    if (!options->lab)
        return TESS_OK;
    TRY(tess_record_new(options->argc, options->argv, out));
    tess_values *into = &(*out)->configuration;
    TRY(tess_record_experiment(*out, x));
    TRY(tess_values_set_text(into, "mesh", x->mesh));
    TRY(tess_values_set_text(into, "application", x->kernel ? x->kernel : x->application));
    TRY(tess_values_set_text(into, "loop", "step"));
    TRY(tess_values_set_number(into, "steps", (double)options->steps, "1"));
    if (options->step->chains)
        TRY(tess_values_set_text(into, "chains", options->step->chains));
    if (options->ranks)
        TRY(tess_values_set_text(into, "graph", options->ranks->graph ? "yes" : "no"));
    return tess_step_record(options->step, into);
}

tess_status tess_march_record_add_step(const tess_march *march, double seconds,
                                       tess_record *record) {
    return record && !march->bench.device->emulates
               ? tess_record_add_sample(record, "time", "s", seconds)
               : TESS_OK;
}

static tess_status record_ranks(const tess_march *march, tess_record *record) {
    tess_status status = TESS_OK;
    tess_metrics *values = NULL;
    CHECK(tess_metrics_new(&values));
    CHECK(tess_ranks_note_values(march->ranked, values));
    CHECK(tess_record_add_metrics(record, values));
    CHECK(tess_record_ranks(march->bench.load.mesh, march->ranked, record));
done:
    tess_metrics_free(values);
    return status;
}

/* Keeps what is to be seen, where it is not too large: the blocks that number the mesh, and those
 * of a chain. The march is over: its mesh may grow. */
static tess_status record_blocks(const tess_march_record_options *options, const tess_march *march,
                                 tess_record *record) {
    const tess_bench *bench = &march->bench;
    const tess_planned *planned = march->ranked ? NULL : tess_march_plans_first(&march->plans);
    const bool is_planned = planned && planned->partition &&
                            planned->partition->n_elements <= TESS_MOST_KEPT_ELEMENTS &&
                            planned->plan->n_elements <= TESS_MOST_KEPT_ELEMENTS;
    const bool is_chained = !march->ranked && tess_march_chained(march);
    char mesh[TESS_DIGEST_SIZE], plan[TESS_DIGEST_SIZE];
    if (!is_planned && !record->ranks.set[0] && !is_chained)
        return TESS_OK;
    TRY(tess_mesh_derive_all(bench->load.mesh));
    TRY(tess_lab_store_mesh(options->lab, bench->load.mesh, mesh));
    memcpy(record->mesh, mesh, sizeof mesh); /* what is noted is there */
    if (is_chained)
        TRY(tess_record_chain_blocks(tess_march_chained(march), record));
    if (!is_planned)
        return TESS_OK;
    const tess_plan_content content = tess_planned_content(
        bench, &options->step->loops[options->step->first], planned, record->mesh);
    TRY(tess_lab_store_plan(options->lab, &content, plan));
    memcpy(record->plan, plan, sizeof plan);
    return TESS_OK;
}

tess_status tess_march_record_store(const tess_march_record_options *options,
                                    const tess_march *march, const tess_difference *difference,
                                    tess_record *record) {
    if (!record)
        return TESS_OK;
    TRY(tess_values_set_number(&record->configuration, "steps", (double)options->steps, "1"));
    TRY(tess_values_set_text(&record->configuration, "precision",
                             tess_type_name(march->bench.load.real)));
    TRY(tess_record_gpu(&march->bench, &record->environment));
    if (march->ranked)
        TRY(record_ranks(march, record));
    TRY(tess_record_chains(tess_march_chained(march), march->bench.load.mesh, record));
    TRY(record_blocks(options, march, record));
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
    TRY(tess_record_set_check(record, TESS_FAILED, why));
    return tess_lab_store_run(options->lab, record);
}

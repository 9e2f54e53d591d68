/* A report of a search: its candidates as a table and as JSON. */
#include "experiments/report/tune_report.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/json.h"
#include "experiments/report/report_columns.h"
#include "experiments/report/table.h"
#include "experiments/report/winner.h"
#include <math.h>
#include <stdlib.h>

/* Of a metric a candidate is worse, not slower. */
static const char *position_of(const tess_tune *tune, const tess_candidate *one) {
    return tune->metric && one->position == TESS_STANDING_SLOWER
               ? "worse"
               : tess_standing_name(one->position);
}

static tess_status add_titles(const tess_tune *tune, tess_table *table) {
    static const char *const titles[] = {">block size", "partitioner", "strategy", "layout", NULL};
    TRY(tess_table_add_columns(table, titles));
    if (!tune->metric)
        TRY(tess_table_add_column(table, "samples", TESS_ALIGN_RIGHT));
    TRY(tess_table_add_column(table, tune->metric ? tune->metric : "ms", TESS_ALIGN_RIGHT));
    if (tune->fit)
        TRY(tess_table_add_column(table, "predicted", TESS_ALIGN_RIGHT));
    TRY(tess_table_add_column(table, "ratio", TESS_ALIGN_RIGHT));
    if (!tune->metric)
        TRY(tess_table_add_column(table, "95 % interval", TESS_ALIGN_RIGHT));
    return tess_table_add_columns(table, TESS_TITLES("", "run"));
}

static tess_status add_value(const tess_tune *tune, const tess_candidate *one, tess_table *table) {
    const bool ranked = one->position >= TESS_STANDING_SLOWER;
    if (!tune->metric)
        TRY(tess_table_add_number(table, "%.0f", ranked ? (double)one->run->trial.n_samples : NAN));
    const double scale = tune->metric ? 1 : 1e3;
    TRY(tess_table_add_number(table, "%.5g", ranked ? scale * one->run->value : NAN));
    if (tune->fit)
        TRY(tess_table_add_number(table, "%.4g", 1e3 * one->predicted));
    TRY(tess_table_add_number(table, "%.3f", ranked ? one->ratio : NAN));
    return tune->metric ? TESS_OK
                        : tess_table_add_interval(table, "%.3f .. %.3f", one->low, one->high);
}

static tess_status add_candidate(const tess_tune *tune, const tess_candidate *one,
                                 tess_table *table) {
    TRY(tess_table_add_variant(table, one->experiment));
    TRY(add_value(tune, one, table));
    TRY(tess_table_add_cell(table, "%s", position_of(tune, one)));
    return tess_table_add_cell(table, "%.*s", TESS_RUN_ID_SHOWN,
                               one->run && one->run->run ? one->run->run : "");
}

static int count(const tess_tune *tune, tess_standing position) {
    int n = 0;
    for (int i = 0; i < tune->n; i++)
        n += tune->candidates[i].position == position;
    return n;
}

/* The one sentence that all commands say of these runs. */
static tess_status print_times(const tess_tune *tune, FILE *stream) {
    tess_status status = TESS_OK;
    const tess_run **runs = NULL;
    char *words = NULL;
    int64_t n = 0;
    CHECK(TESS_ALLOC(tune->n, &runs));
    for (int i = 0; i < tune->n; i++)
        if (tune->candidates[i].position >= TESS_STANDING_SLOWER)
            runs[n++] = tune->candidates[i].run;
    CHECK(tess_winner_words(runs, n, NULL, &words));
    fprintf(stream, "\n%s\n", words);
done:
    free(words);
    free(runs);
    return status;
}

static tess_status print_verdict(const tess_tune *tune, FILE *stream) {
    if (tune->best < 0)
        return TESS_OK;
    if (count(tune, TESS_STANDING_SLOWER) + tune->n_ties == 0)
        fputs("\nNo winner: one variant was measured, with nothing to compare it to.\n", stream);
    else if (!tune->metric)
        return print_times(tune, stream);
    else if (tune->n_ties == 0)
        fprintf(stream, "\nThe winner by %s, which is no time, is the first.\n", tune->metric);
    else
        fprintf(stream, "\nNo winner by %s, which is no time: %d tie with the first.\n",
                tune->metric, tune->n_ties);
    return TESS_OK;
}

/* How many of the candidates were not tried; why follows. */
static void print_n_untried(const tess_tune *tune, int n, FILE *stream) {
    fprintf(stream, "%d of %d candidates %s not tried: ", n, tune->n, n == 1 ? "was" : "were");
}

/* What the budget left out, and one that would do, in tens of seconds. */
static void print_untried(const tess_tune *tune, FILE *stream) {
    const int n_untried = count(tune, TESS_STANDING_UNTRIED);
    if (n_untried == 0)
        return;
    const bool were_enough = tune->n_runs > 0 && tune->n_opened == tune->n_runs;
    if (were_enough || tess_interrupted()) {
        fputc('\n', stream);
        print_n_untried(tune, n_untried, stream);
        if (were_enough)
            fprintf(stream, "--runs %lld.\n", (long long)tune->n_runs);
        else
            fputs("the search was interrupted.\n", stream);
        return;
    }
    if (tune->n_opened == 0)
        return;
    fputc('\n', stream);
    if (tune->n_hopeless > 0) {
        print_n_untried(tune, tune->n_hopeless, stream);
        fputs("those like them were slower by more than other blocks could make up for.\n", stream);
    }
    if (n_untried <= tune->n_hopeless)
        return;
    const double enough = tess_tune_enough(tune);
    print_n_untried(tune, n_untried - tune->n_hopeless, stream);
    fprintf(stream, "the budget of %.3g s was over", tune->budget);
    if (enough > tune->budget)
        fprintf(stream, "; for all about --budget %.0fs", 10 * ceil(enough / 10));
    fputs(".\n", stream);
}

/* Which part of the mesh was tried, where that was not all of it. */
static void print_part(const tess_tune *tune, FILE *stream) {
    const tess_workload *load = &tune->campaign.bench.load;
    if (!load->mesh || load->n_left_out == 0)
        return;
    const int64_t n = tess_mesh_set_size(load->mesh, "cells");
    fprintf(stream,
            "\nTried on %.3g of %.3g million cells, a part of the mesh (%s): all of it would take "
            "more than the budget.\n",
            1e-6 * (double)n, 1e-6 * (double)(n + load->n_left_out), load->mesh->source);
}

/* Where the budget went, and how many candidates it was enough for. */
static void print_spent(const tess_tune *tune, FILE *stream) {
    const tess_spending *own = &tune->campaign.bench.spent;
    const tess_spending *ahead = &tune->campaign.bench.spent_ahead;
    const int n_tried = tune->n - count(tune, TESS_STANDING_UNTRIED);
    fprintf(stream,
            "\n%d of %d candidates tried in %.3g s, the first after %.3g s: running %.3g, copying "
            "%.3g, checking %.3g, compiling %.3g, planning %.3g, partitioning %.3g, waiting for "
            "blocks %.3g, waiting for the compiler %.3g, reading %.3g.\n",
            n_tried, tune->n, tune->seconds, tune->first_seconds, own->run, own->copy, own->check,
            own->compile, own->plan, own->cut, own->wait_cut, own->wait - own->wait_cut, own->open);
    if (ahead->compile > 0)
        fprintf(stream,
                "Meanwhile other threads: compiling %.3g, planning %.3g, partitioning %.3g.\n",
                ahead->compile, ahead->plan, ahead->cut);
    if (!tune->metric)
        fprintf(stream, "On the device: %.0f %% of the budget, %.0f %% of the time.\n",
                100 * own->run / tune->budget, 100 * own->run / tune->seconds);
}

tess_status tess_tune_report_print(const tess_tune *tune, FILE *stream) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    CHECK(tess_table_new(NULL, &table));
    CHECK(add_titles(tune, table));
    for (int i = 0; i < tune->n; i++)
        if (tune->candidates[i].position != TESS_STANDING_UNTRIED)
            CHECK(add_candidate(tune, &tune->candidates[i], table));
    CHECK(tess_table_print(table, stream));
    CHECK(print_verdict(tune, stream));
    print_part(tune, stream);
    print_spent(tune, stream);
    print_untried(tune, stream);
done:
    tess_table_free(table);
    return status;
}

static json_t *spending_json(const tess_spending *spent) {
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "run", spent->run,
                     "copy", spent->copy, "check", spent->check, "compile", spent->compile, "plan",
                     spent->plan, "cut", spent->cut, "wait", spent->wait, "wait_cut",
                     spent->wait_cut, "open", spent->open, "store", spent->store);
}

json_t *tess_tune_spent_json(const tess_tune *tune) {
    return json_pack("{s:f, s:i, s:i, s:f, s:f, s:I, s:o, s:o}", "seconds", tune->seconds, "tried",
                     tune->n - count(tune, TESS_STANDING_UNTRIED), "hopeless", tune->n_hopeless,
                     "first_candidate", tune->first_seconds, "device_share",
                     tune->campaign.bench.spent.run / tune->budget, "cells_left_out",
                     (json_int_t)tune->campaign.bench.load.n_left_out, "own",
                     spending_json(&tune->campaign.bench.spent), "ahead",
                     spending_json(&tune->campaign.bench.spent_ahead));
}

static json_t *candidate_json(const tess_tune *tune, const tess_candidate *one) {
    const tess_experiment *experiment = one->experiment;
    const tess_run *run = one->run;
    return json_pack(
        "{s:I, s:o, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:s?}", "block_size",
        (json_int_t)experiment->block_size, "partitioner",
        tess_json_text(experiment->partitioner.text), "strategy", experiment->strategy.text,
        "layout", experiment->layout.text, "samples", (json_int_t)(run ? run->trial.n_samples : 0),
        "value", run ? tess_json_number(run->value) : json_null(), "predicted",
        tess_json_number(one->predicted), "expected", tess_json_number(one->expected), "ratio",
        tess_json_number(one->ratio), "low", tess_json_number(one->low), "high",
        tess_json_number(one->high), "place", position_of(tune, one), "failure",
        tess_json_text(run ? run->failure : NULL), "run", run ? run->run : NULL);
}

json_t *tess_tune_candidates_json(const tess_tune *tune) {
    json_t *candidates = json_array();
    for (int i = 0; i < tune->n; i++)
        json_array_append_new(candidates, candidate_json(tune, &tune->candidates[i]));
    return candidates;
}

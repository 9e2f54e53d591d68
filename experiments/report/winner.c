/* A winner: which of some runs is best for a loop, and by how much. */
#include "experiments/report/winner.h"

#include "core/base/array.h"
#include "core/base/stream_text.h"
#include "experiments/campaign/race.h"
#include "experiments/report/verdict.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMED = 4, SECTOR_BYTES = 32 };

/* What tells runs of one strategy apart. */
static const tess_field telling[] = {TESS_FIELD_partitioner,      TESS_FIELD_block_size,
                                     TESS_FIELD_layout,           TESS_FIELD_ranks,
                                     TESS_FIELD_rank_partitioner, TESS_FIELD_halo};
enum { N_TELLING = sizeof telling / sizeof *telling };

/* Runs that are compared: what each costs, and how much more than the best. */
typedef struct field_of_runs {
    const tess_run *const *runs;
    int64_t n;
    double *cost;             /* [n]; NaN: it takes no part */
    tess_comparison *to_best; /* [n] where runs were timed, else NULL */
    bool *among;              /* [n] the best, and those that may be as good */
    bool varied[N_TELLING];   /* runs differ in these */
} field_of_runs;

static void field_clear(field_of_runs *field) {
    free(field->cost);
    free(field->to_best);
    free(field->among);
}

static double sectors_of(const tess_run *run) {
    return tess_run_value(run, "read_sectors") + tess_run_value(run, "write_sectors") +
           tess_run_value(run, "atomic_sectors");
}

/* Seconds, or bytes that were counted or are predicted. */
static double cost_of(const tess_run *run, bool timed) {
    if (run->failure)
        return NAN;
    if (run->experiment->kind == TESS_CUTTING)
        return tess_run_value(run, "transfer_total");
    return timed ? tess_trial_median(&run->trial) : SECTOR_BYTES * sectors_of(run);
}

static bool is_timed(const tess_run *const *runs, int64_t n) {
    bool timed = false;
    for (int64_t i = 0; i < n; i++)
        timed = timed || (!runs[i]->failure && runs[i]->trial.n_samples > 0);
    return timed;
}

/* Times are compared as a race compares them: in the rounds that both took part in. */
static bool costs_less(const field_of_runs *field, int64_t a, int64_t b) {
    return field->to_best ? tess_run_is_faster(field->runs[a], field->runs[b])
                          : field->cost[a] < field->cost[b];
}

/* The run of least cost but for those of `but` (NULL: none); -1: none is left. */
static int64_t least(const field_of_runs *field, const bool *but) {
    int64_t best = -1;
    for (int64_t i = 0; i < field->n; i++)
        if (!isnan(field->cost[i]) && !(but && but[i]) && (best < 0 || costs_less(field, i, best)))
            best = i;
    return best;
}

static tess_status field_build(const tess_run *const *runs, int64_t n, field_of_runs *out) {
    const bool timed = is_timed(runs, n);
    *out = (field_of_runs){.runs = runs, .n = n};
    TRY(TESS_ALLOC(n, &out->cost));
    TRY(TESS_ZEROS(n, &out->among));
    if (timed)
        TRY(TESS_ZEROS(n, &out->to_best));
    for (int64_t i = 0; i < n; i++) {
        out->cost[i] = cost_of(runs[i], timed);
        for (int f = 0; f < N_TELLING; f++)
            out->varied[f] |=
                !tess_experiment_agrees(runs[i]->experiment, runs[0]->experiment, telling[f]);
    }
    const int64_t best = least(out, NULL);
    for (int64_t i = 0; i < n && best >= 0; i++) {
        if (isnan(out->cost[i]))
            continue;
        out->among[i] = tess_verdict_ties(out->cost[best], out->cost[i]);
        if (!timed || i == best)
            continue;
        TRY(tess_runs_compare(runs[best], runs[i], &out->to_best[i]));
        out->among[i] = tess_comparison_verdict(&out->to_best[i], TESS_SAME_MARGIN) != TESS_LARGER;
    }
    return TESS_OK;
}

tess_status tess_winner_fastest(const tess_run *const *runs, int64_t n, bool *among) {
    tess_status status = TESS_OK;
    field_of_runs field = {.n = 0};
    memset(among, 0, (size_t)n * sizeof *among);
    if (!is_timed(runs, n))
        return TESS_OK;
    CHECK(field_build(runs, n, &field));
    memcpy(among, field.among, (size_t)n * sizeof *among);
done:
    field_clear(&field);
    return status;
}

static tess_status print_setting(const tess_experiment *x, tess_field field, FILE *words) {
    char *text = NULL;
    if (field == TESS_FIELD_partitioner)
        TRY(tess_experiment_is_stored(x) ? tess_text_copy("as stored", &text)
                                         : tess_experiment_blocks(x, &text));
    else
        TRY(tess_experiment_text(x, field, &text));
    if (field == TESS_FIELD_ranks)
        fprintf(words, "%s rank%s", text, strcmp(text, "1") == 0 ? "" : "s");
    else
        fputs(text, words);
    free(text);
    return TESS_OK;
}

/* What tells a run from the others. */
static tess_status print_name(const field_of_runs *field, const tess_run *run, FILE *words) {
    const tess_experiment *x = run->experiment;
    const char *before = " (";
    if (x->kind == TESS_CUTTING)
        return print_setting(x, TESS_FIELD_partitioner, words);
    fputs(x->strategy.text, words);
    for (int f = 0; f < N_TELLING; f++)
        if (field->varied[f]) {
            fputs(before, words);
            TRY(print_setting(x, telling[f], words));
            before = ", ";
        }
    fputs(*before == ',' ? ")" : "", words);
    return TESS_OK;
}

/* The best and those that tie with it, the best first; gives how many. */
static tess_status print_best(const field_of_runs *field, FILE *words, int *n_among) {
    const int64_t best = least(field, NULL);
    int n = 0, named = 1;
    for (int64_t i = 0; i < field->n; i++)
        n += field->among[i];
    TRY(print_name(field, field->runs[best], words));
    for (int64_t i = 0; i < field->n && named < MOST_NAMED; i++) {
        if (!field->among[i] || i == best)
            continue;
        named++;
        fputs(named == n ? " and " : ", ", words);
        TRY(print_name(field, field->runs[i], words));
    }
    if (named < n)
        fprintf(words, " and %d more", n - named);
    *n_among = n;
    return TESS_OK;
}

static int count(const field_of_runs *field) {
    int n = 0;
    for (int64_t i = 0; i < field->n; i++)
        n += !isnan(field->cost[i]);
    return n;
}

/* "rcb is fastest, 1.20 times as fast as gps (95 % interval 1.18 to 1.23)", or "No winner: ...". */
static tess_status print_times(const field_of_runs *field, FILE *words) {
    int n_among = 0;
    const int64_t next = least(field, field->among);
    for (int64_t i = 0; i < field->n; i++)
        n_among += field->among[i];
    fputs(n_among > 1 ? "No winner by time: " : "Fastest: ", words);
    TRY(print_best(field, words, &n_among));
    if (n_among > 1)
        fputs(" may be equally fast", words);
    if (next < 0) {
        fputs(n_among > 1 ? "; more samples would tell" : "", words);
        return TESS_OK;
    }
    const tess_comparison *c = &field->to_best[next];
    fprintf(words, "%s %.3g times as fast as ", n_among > 1 ? "; the first is" : ",", c->ratio);
    TRY(print_name(field, field->runs[next], words));
    if (isfinite(c->high))
        fprintf(words, " (95 %% interval %.3g to %.3g)", c->low, c->high);
    return TESS_OK;
}

/* "mosaic, 1.32 MB, 3.6 % less than rcb", or "mosaic and rcb tie, ...". */
static tess_status print_traffic(const field_of_runs *field, FILE *words) {
    int n_among = 0;
    const int64_t best = least(field, NULL), next = least(field, field->among);
    TRY(print_best(field, words, &n_among));
    fprintf(words, "%s, %.3g MB", n_among > 1 ? " tie" : "", 1e-6 * field->cost[best]);
    if (next >= 0) {
        fprintf(words, ", %.2g %% less than ", 100 * (1 - field->cost[best] / field->cost[next]));
        TRY(print_name(field, field->runs[next], words));
    }
    return TESS_OK;
}

/* By predicted traffic: a clause for each block size, in the order of the runs. */
static tess_status print_cuts(const tess_run *const *runs, int64_t n, FILE *words) {
    tess_status status = TESS_OK;
    const tess_run **alike = NULL;
    const char *before = "Least predicted traffic";
    CHECK(TESS_ALLOC(n, &alike));
    for (int64_t i = 0; i < n; i++) {
        field_of_runs field = {.n = 0};
        const int64_t size = runs[i]->experiment->block_size;
        int64_t n_alike = 0;
        bool first = true;
        for (int64_t k = 0; k < n; k++) {
            first = first && (k >= i || runs[k]->experiment->block_size != size);
            if (runs[k]->experiment->block_size == size)
                alike[n_alike++] = runs[k];
        }
        if (!first)
            continue;
        status = field_build(alike, n_alike, &field);
        if (status == TESS_OK && count(&field) > 1) {
            fprintf(words, "%s at block size %lld: ", before, (long long)size);
            status = print_traffic(&field, words);
            before = ";";
        }
        field_clear(&field);
        CHECK(status);
    }
    if (*before == ';')
        fputc('.', words);
done:
    free(alike);
    return status;
}

/* The fastest of the runs of the mesh as it is stored; -1: none was timed. */
static int64_t stored_of(const field_of_runs *field) {
    int64_t stored = -1;
    for (int64_t i = 0; i < field->n; i++)
        if (!isnan(field->cost[i]) && tess_experiment_is_stored(field->runs[i]->experiment) &&
            (stored < 0 || costs_less(field, i, stored)))
            stored = i;
    return stored;
}

/* What the fastest gains over the mesh as it is stored, where the sentence before does not say. */
static void print_gain(const field_of_runs *field, int64_t stored, FILE *words) {
    const tess_comparison *c = &field->to_best[stored];
    const char *strategy = field->runs[stored]->experiment->strategy.text;
    if (stored == least(field, NULL) || stored == least(field, field->among))
        return;
    if (field->among[stored]) {
        fprintf(words, " Your file's order is as good, by %s.", strategy);
        return;
    }
    fprintf(words, " Your file's order takes %.3g times as long, %.3g ms by %s", c->ratio,
            1e3 * field->cost[stored], strategy);
    if (isfinite(c->high))
        fprintf(words, " (95 %% interval %.3g to %.3g)", c->low, c->high);
    fputc('.', words);
}

/* What it gains by the model alone, where nobody timed the mesh as it is stored. */
static void print_expected(const field_of_runs *field, const char *device, FILE *words) {
    const tess_run *best = field->runs[least(field, NULL)];
    const double gain =
        tess_run_value(best, "stored_time") / tess_run_value(best, "predicted_time");
    if (!device || !isfinite(gain))
        return;
    fprintf(words, "%sBy the model of the %s it is ", ftell(words) > 0 ? " " : "", device);
    if (fabs(gain - 1) >= 0.05)
        fprintf(words, "%.2g times ", gain);
    fputs("as fast as the best in your file's order, which was not timed.", words);
}

static tess_status print_runs(const tess_run *const *runs, int64_t n, const char *device,
                              FILE *words) {
    tess_status status = TESS_OK;
    field_of_runs field = {.n = 0};
    CHECK(field_build(runs, n, &field));
    const int n_compared = count(&field);
    if (n_compared > 1) {
        if (!field.to_best)
            fputs("Least counted traffic: ", words);
        CHECK(field.to_best ? print_times(&field, words) : print_traffic(&field, words));
        fputc('.', words);
    }
    const int64_t stored = field.to_best ? stored_of(&field) : -1;
    if (stored >= 0)
        print_gain(&field, stored, words);
    else if (n_compared > 0 && field.to_best)
        print_expected(&field, device, words);
done:
    field_clear(&field);
    return status;
}

static tess_status print_traffic_or_time(const tess_run *const *runs, int64_t n, const char *device,
                                         FILE *words) {
    if (n > 0 && runs[0]->experiment->kind == TESS_RUNNING)
        return print_runs(runs, n, device, words);
    return n > 1 ? print_cuts(runs, n, words) : TESS_OK;
}

/* --- by the model ----------------------------------------------------------------------------- */

/* Runs as ways to run their loop. */
typedef struct ways {
    tess_verdict_row *rows; /* [n + n_stored] */
    char **names;           /* [n]; owned */
    int64_t n, n_all;
} ways;

static void ways_clear(ways *all) {
    for (int64_t i = 0; all->names && i < all->n; i++)
        free(all->names[i]);
    free(all->names);
    free(all->rows);
}

static tess_verdict_row row_of(const tess_run *run, const char *name, bool is_stored) {
    tess_verdict_row row =
        tess_verdict_row_of(name, run->experiment->partitioner.text,
                            run->failure ? NAN : tess_run_value(run, "predicted_time"));
    row.launch_seconds = tess_run_value(run, "predicted_launch_time");
    row.is_stored = is_stored;
    return row;
}

static tess_status name_of(const field_of_runs *field, const tess_run *run, char **out) {
    tess_printed name;
    TRY(tess_printed_open(&name));
    return tess_printed_close(&name, print_name(field, run, name.stream), out);
}

static tess_status ways_build(const tess_run *const *runs, int64_t n,
                              const tess_expectation *expectation, ways *out) {
    tess_status status = TESS_OK;
    field_of_runs field = {.n = 0};
    int64_t n_stored = 0;
    while (expectation && tess_expectation_stored(expectation, n_stored))
        n_stored++;
    CHECK(field_build(runs, n, &field));
    CHECK(TESS_ZEROS(n + n_stored, &out->rows));
    CHECK(TESS_ZEROS(n, &out->names));
    for (int64_t i = 0; i < n; i++) {
        CHECK(name_of(&field, runs[i], &out->names[i]));
        out->n++;
        out->rows[i] =
            row_of(runs[i], out->names[i], tess_experiment_is_stored(runs[i]->experiment));
    }
    for (int64_t i = 0; i < n_stored; i++)
        out->rows[n + i] = row_of(tess_expectation_stored(expectation, i), "as stored", true);
    out->n_all = n + n_stored;
done:
    field_clear(&field);
    return status;
}

static bool has_two_sizes(const tess_run *const *runs, int64_t n) {
    bool found = false;
    for (int64_t i = 0; i < n; i++)
        found |= runs[i]->experiment->block_size != runs[0]->experiment->block_size;
    return found;
}

static tess_status print_expectation(const tess_run *const *runs, int64_t n,
                                     const tess_expectation *expectation, FILE *words) {
    tess_status status = TESS_OK;
    ways all = {.n = 0};
    char blocks[48];
    CHECK(ways_build(runs, n, expectation, &all));
    const int64_t best = tess_verdict_best(all.rows, all.n_all);
    if (best < 0)
        goto done;
    if (runs[best]->experiment->kind == TESS_CUTTING && has_two_sizes(runs, n)) {
        snprintf(blocks, sizeof blocks, " in blocks of %lld",
                 (long long)runs[best]->experiment->block_size);
        all.rows[best].detail = blocks;
    }
    tess_verdict_print(all.rows, all.n_all, tess_expectation_device(expectation), words);
    fputc('.', words);
    if (runs[best]->experiment->kind == TESS_RUNNING)
        fputs(" Registers are assumed; tess predict compiles them.", words);
    else if (!runs[best]->experiment->dat)
        fputs(" Its loop adds one double at each point; --dat says what yours adds.", words);
    if (n > 1 && tess_verdict_is_too_small(all.rows, all.n_all)) {
        fputc(' ', words);
        CHECK(print_traffic_or_time(runs, n, NULL, words));
    }
done:
    ways_clear(&all);
    return status;
}

static bool is_expected(const tess_run *const *runs, int64_t n) {
    bool found = false;
    for (int64_t i = 0; i < n; i++)
        found |= !runs[i]->failure && isfinite(tess_run_value(runs[i], "predicted_time"));
    return found;
}

tess_status tess_winner_find(const tess_run *const *runs, int64_t n,
                             const tess_expectation *expectation, int64_t *out) {
    tess_status status = TESS_OK;
    ways all = {.n = 0};
    field_of_runs field = {.n = 0};
    *out = -1;
    if (n == 0)
        return TESS_OK;
    CHECK(field_build(runs, n, &field));
    *out = least(&field, NULL);
    if (!is_timed(runs, n) && is_expected(runs, n)) {
        CHECK(ways_build(runs, n, expectation, &all));
        const int64_t best = tess_verdict_best(all.rows, all.n_all);
        *out = best < 0 || tess_verdict_is_too_small(all.rows, all.n_all) ? *out : best;
    }
done:
    ways_clear(&all);
    field_clear(&field);
    return status;
}

tess_status tess_winner_is_small(const tess_run *const *runs, int64_t n,
                                 const tess_expectation *expectation, bool *out) {
    ways all = {.n = 0};
    const tess_status status =
        n > 0 && is_expected(runs, n) ? ways_build(runs, n, expectation, &all) : TESS_OK;
    *out = tess_verdict_is_too_small(all.rows, all.n_all);
    ways_clear(&all);
    return status;
}

static tess_status print_verdict(const tess_run *const *runs, int64_t n,
                                 const tess_expectation *expectation, FILE *words) {
    const bool expected = expectation && is_expected(runs, n);
    const char *device = expected ? tess_expectation_device(expectation) : NULL;
    if (expected && !is_timed(runs, n))
        return print_expectation(runs, n, expectation, words);
    return print_traffic_or_time(runs, n, device, words);
}

tess_status tess_winner_words(const tess_run *const *runs, int64_t n,
                              const tess_expectation *expectation, char **out) {
    tess_printed words;
    TRY(tess_printed_open(&words));
    return tess_printed_close(&words, print_verdict(runs, n, expectation, words.stream), out);
}

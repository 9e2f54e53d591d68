/* The tuning of a step: its loops searched one after another, then marched together. */
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/folder.h"
#include "core/base/json.h"
#include "core/base/progress.h"
#include "core/base/shell_word.h"
#include "core/base/stream_text.h"
#include "core/base/whole_file.h"
#include "experiments/bench/march_loops.h"
#include "experiments/bench/march_record.h"
#include "experiments/bench/step_file.h"
#include "experiments/cli/tuning.h"
#include "experiments/report/json_print.h"
#include "experiments/report/progress_line.h"
#include "experiments/report/table.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TIMED_STEPS = 10, LEAST_PERCENT = 1 };

/* What was found of a loop. */
typedef struct tuned_loop {
    double before,
        after;    /* seconds of a step, marched plainly and with what was found; 0: not timed */
    double share; /* of a plain step */
    int n_tried;  /* candidates; 0: it was not searched */
    bool kept;    /* what was found stays */
    char run[TESS_RUN_ID_SIZE]; /* of the winner; "": it has no winner */
} tuned_loop;

typedef struct step_tuning {
    tess_tuning *tuning;
    tess_step plain, found; /* how loops run of which nothing is said, and what was found */
    tuned_loop loops[TESS_MOST_MARCHED];
    int order[TESS_MOST_MARCHED];            /* of the loops, those that take most time first */
    tess_loop_row chains[TESS_MOST_MARCHED]; /* [n_chains] as they were timed */
    int n_chains;
    double end;          /* of the budget, by the clock */
    double march;        /* seconds that opening a march and timing its loops takes */
    double opening;      /* until the first candidate of the last search was begun */
    char *path;          /* of the file; owned */
    tess_record *record; /* of the march with what was found; NULL: not archived; owned */
} step_tuning;

static tess_status check(const tess_tuning *tuning) {
    const tess_experiment *x = &tuning->asked.base;
    if (x->kernel && !tess_user_step_is(x->kernel))
        FAIL(TESS_ERROR_USAGE,
             "--step tunes a step: --kernel FILE.yaml, which describes its loops");
    if (x->loop)
        FAIL(TESS_ERROR_USAGE, "--step tunes all loops of a step: leave --loop out");
    if (tuning->asked.said[TESS_FIELD_layout] &&
        strchr(tuning->asked.lists[TESS_FIELD_layout], ',') &&
        !strchr(tuning->asked.lists[TESS_FIELD_layout], '='))
        FAIL(TESS_ERROR_USAGE,
             "a march has one layout, which all its loops share: tune a step for "
             "one --layout at a time, not for '%s'",
             tuning->asked.lists[TESS_FIELD_layout]);
    return TESS_OK;
}

/* The path that is asked for, where nothing is, or the first that is free. */
static tess_status choose_path(const tess_tuning *tuning, char **out) {
    const tess_experiment *x = &tuning->asked.base;
    const char *name = x->application ? x->application : tess_last_of_path(x->kernel);
    const int length = (int)(x->application ? strlen(name) : strcspn(name, "."));
    for (int i = 1; !tuning->output; i++) {
        char *path = NULL;
        TRY(i == 1 ? tess_text_print(&path, "%.*s.step.yaml", length, name)
                   : tess_text_print(&path, "%.*s.step-%d.yaml", length, name, i));
        if (access(path, F_OK) != 0) {
            *out = path;
            return tess_whole_file_check(path);
        }
        free(path);
    }
    if (access(tuning->output, F_OK) == 0)
        FAIL(TESS_ERROR_USAGE, "%s is there already: remove it, or name another --output",
             tuning->output);
    TRY(tess_whole_file_check(tuning->output));
    return tess_text_copy(tuning->output, out);
}

/* What each loop of the plain step takes: seconds, or bytes on a device whose seconds say nothing.
 */
static tess_status weigh(step_tuning *s, double weights[TESS_MOST_MARCHED]) {
    const bool emulates = tess_experiment_device(&s->tuning->asked.base)->emulates;
    return emulates ? tess_march_weigh_step(&s->plain, weights)
                    : tess_march_time_step(&s->plain, TIMED_STEPS, weights);
}

/* Lets the step be numbered as the mesh is: where it has no coordinates the usual partitioner does
 * not fit. */
static tess_status number_naturally(tess_step *step) {
    return tess_step_set(step, step->first, TESS_FIELD_partitioner, "file-order");
}

/* Marches plainly, in the layout of the search, and puts the loops in order. */
static tess_status measure(step_tuning *s) {
    double clock = tess_clock_seconds();
    const bool emulates = tess_experiment_device(&s->tuning->asked.base)->emulates;
    double weights[TESS_MOST_MARCHED], all = 0;
    tess_progress_set(0, 0, "timing each loop of a step");
    tess_status status = weigh(s, weights);
    if (status == TESS_ERROR_USAGE) {
        TRY(number_naturally(&s->plain));
        TRY(number_naturally(&s->found));
        status = weigh(s, weights);
    }
    TRY(status);
    s->march = tess_clock_lap(&clock);
    for (int i = 0; i < s->plain.n; i++)
        all += weights[i];
    for (int i = 0; i < s->plain.n; i++) {
        int at = i;
        for (; at > 0 && weights[s->order[at - 1]] < weights[i]; at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = i;
        s->loops[i].share = all > 0 ? weights[i] / all : 0;
        s->loops[i].before = emulates ? 0 : weights[i] / TIMED_STEPS;
    }
    return TESS_OK;
}

/* Threads that keep copies run all loops of a march, or none. */
static bool is_marchable(const tess_candidate *one) {
    return one->position >= TESS_STANDING_SLOWER &&
           !strstr(one->experiment->strategy.text, "copies=private");
}

/* Takes the best candidate into the step that is found. */
static tess_status take_winner(step_tuning *s, int i) {
    const tess_tune *search = &s->tuning->search;
    int c = 0;
    for (int k = 0; k < search->n; k++)
        s->loops[i].n_tried += search->candidates[k].position != TESS_STANDING_UNTRIED;
    while (c < search->n && !is_marchable(&search->candidates[c]))
        c++;
    if (c == search->n || search->best < 0)
        return TESS_OK;
    const tess_experiment *winner = search->candidates[c].experiment;
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        char *text = NULL;
        if (!tess_step_is_of_loop(field))
            continue;
        TRY(tess_experiment_text(winner, field, &text));
        const tess_status status = tess_step_set(&s->found, i, field, text);
        free(text);
        TRY(status);
    }
    s->loops[i].kept = true;
    const tess_run *run = search->candidates[c].run;
    snprintf(s->loops[i].run, sizeof s->loops[i].run, "%s", run->run ? run->run : "");
    return TESS_OK;
}

/* Searches one loop for so many seconds. A candidate that broke the device ends the search: the
 * program is not executed anew, which would forget the loops before. */
static tess_status search_loop(step_tuning *s, int i, double budget) {
    tess_tuning *tuning = s->tuning;
    const tess_tune asked = tuning->search;
    tuning->search.budget = budget;
    tuning->search.began = tess_clock_seconds();
    TRY(tess_experiment_set(&tuning->asked.base, TESS_FIELD_loop, s->plain.loops[i].loop));
    tess_status status = tess_tuning_search(tuning);
    s->opening = tuning->search.first_seconds;
    if (status == TESS_OK)
        status = take_winner(s, i);
    if (tess_campaign_restarts(&tuning->search.campaign)) {
        tuning->search.campaign.restart.broken = false;
        status =
            tess_fail(TESS_ERROR_CHECK,
                      "a candidate of loop %s broke the device: leave it out by --strategy, or "
                      "tune that loop alone; what was found before is archived",
                      s->plain.loops[i].loop);
    }
    status = tess_tune_close(&tuning->search, status);
    tess_product_clear(&tuning->product);
    tuning->search = asked;
    return status;
}

/* Ways to make one kernel of runs of loops, each of which is marched. */
static const char *const ways[] = {"none", "auto", "auto:rings=1", "auto:rings=2"};

enum { N_WAYS = sizeof ways / sizeof *ways };

/* Seconds that are kept for what follows the searches: a march with what was found, one by each way
 * to chain loops, and the last one, which is archived; half of the budget at most. */
static double kept_behind(const step_tuning *s) {
    return fmin((2 + N_WAYS) * s->march, s->tuning->search.budget / 2);
}

/* Searches the loops, each for its share of the time that is left. */
static tess_status search(step_tuning *s) {
    const double end = s->end - kept_behind(s);
    double left = 1;
    for (int k = 0; k < s->plain.n; k++) {
        const int i = s->order[k];
        const double share = s->loops[i].share;
        const double seconds = (end - tess_clock_seconds()) * share / left;
        /* Of the first loop one candidate is tried at least; of another several, or none. */
        if (100 * share < LEAST_PERCENT || (seconds <= 2 * s->opening && k > 0))
            break;
        if (!s->tuning->asked.common.quiet)
            tess_progress_line_tell("tess: loop %s, %.0f %% of a step, is searched for %.3g s\n",
                                    s->plain.loops[i].loop, 100 * share, fmax(seconds, 0));
        tess_progress_set(0, 0, "loop %s", s->plain.loops[i].loop);
        TRY(search_loop(s, i, fmax(seconds, 0)));
        left = left > share ? left - share : share;
    }
    return TESS_OK;
}

/* Whether there is time for one more march before the last one. */
static bool has_time(const step_tuning *s) {
    return tess_clock_seconds() + 2 * s->march < s->end;
}

/* Lets the loop that takes most time and has blocks number the mesh. */
static tess_status number(step_tuning *s) {
    for (int k = 0; k < s->found.n; k++)
        if (s->loops[s->order[k]].kept && tess_step_reaches(&s->found, s->order[k]))
            return tess_step_number_by(&s->found, s->found.loops[s->order[k]].loop);
    return TESS_OK;
}

/* Takes a loop back to what it was. */
static tess_status put_back(step_tuning *s, int i) {
    s->loops[i].kept = false;
    tess_experiment_clear(&s->found.loops[i]);
    return tess_experiment_copy(&s->plain.loops[i], &s->found.loops[i]);
}

/* Marches with what was found, and puts back what is slower so than before: beside other loops, and
 * on a mesh that one of them has numbered, a loop may take longer than alone. */
static tess_status try_found(step_tuning *s) {
    double seconds[TESS_MOST_MARCHED];
    if (tess_experiment_device(&s->tuning->asked.base)->emulates || !has_time(s))
        return TESS_OK;
    tess_progress_set(0, 0, "timing each loop with what was found");
    TRY(tess_march_time_step(&s->found, TIMED_STEPS, seconds));
    for (int i = 0; i < s->found.n; i++)
        if (s->loops[i].kept && i != s->found.first &&
            seconds[i] / TIMED_STEPS > s->loops[i].before)
            TRY(put_back(s, i));
    return TESS_OK;
}

/* Tries to make one kernel of runs of loops while there is time, and keeps the way that a step is
 * fastest by. */
static tess_status try_chains(step_tuning *s) {
    double least = INFINITY;
    int best = 0;
    if (tess_experiment_device(&s->tuning->asked.base)->emulates)
        return TESS_OK;
    for (int i = 0; i < N_WAYS && has_time(s); i++) {
        double seconds = INFINITY;
        tess_progress_set(0, 0, "marching by chains: %s", ways[i]);
        TRY(tess_step_chain(&s->found, ways[i]));
        const tess_status status = tess_march_time_whole(&s->found, TIMED_STEPS, &seconds);
        if (status != TESS_OK && (i == 0 || status != TESS_ERROR_USAGE))
            return status; /* chains that do not fit are no failure */
        if (status == TESS_OK && seconds < least) {
            least = seconds;
            best = i;
        }
    }
    return tess_step_chain(&s->found, ways[best]);
}

/* The march of the record: its steps in samples, its check, and each loop timed. */
static tess_status take_march(step_tuning *s, tess_march *march, tess_difference *difference) {
    const bool emulates = march->bench.device->emulates;
    const int n = emulates ? 1 : TIMED_STEPS;
    tess_loop_row rows[TESS_MOST_MARCHED];
    int n_rows = 0;
    for (int i = 0; i < n; i++) {
        double seconds = 0;
        TRY(tess_march_run(march, 1, &seconds));
        TRY(tess_march_record_add_step(march, seconds, s->record));
    }
    TRY(tess_march_check(march, n, difference));
    if (emulates)
        return TESS_OK;
    TRY(tess_march_time_loops(march, TIMED_STEPS));
    TRY(tess_march_loop_rows(march, rows, &n_rows));
    for (int i = 0; i < n_rows; i++) {
        int position = 0;
        if (rows[i].is_chain) {
            s->chains[s->n_chains++] = rows[i];
            continue;
        }
        TRY(tess_step_find(&s->found, rows[i].loop, &position));
        s->loops[position].after = rows[i].seconds / TIMED_STEPS;
    }
    return tess_march_record_loops(rows, n_rows, false, s->record);
}

/* Marches with what was found, checked, and archives that. */
static tess_status march_found(step_tuning *s) {
    tess_status status = TESS_OK;
    const tess_tuning *tuning = s->tuning;
    const bool emulates = tess_experiment_device(&tuning->asked.base)->emulates;
    const tess_bench_options options = {.argc = 0};
    const tess_march_setting setting = {.ranks = NULL};
    const tess_march_record_options archive = {.argc = tuning->argc,
                                               .argv = tuning->argv,
                                               .lab = tuning->lab,
                                               .step = &s->found,
                                               .steps = emulates ? 1 : TIMED_STEPS};
    tess_march march = {.store = NULL};
    tess_difference difference;
    tess_progress_set(0, 0, "marching with what was found");
    CHECK(tess_march_record_new(&archive, &s->record));
    CHECK(tess_march_open(&s->found, &options, &setting, &march));
    CHECK(take_march(s, &march, &difference));
    status = tess_march_record_store(&archive, &march, &difference, s->record);
done:
    tess_march_close(&march);
    return status;
}

/* The comment that the file begins with; the caller frees it. */
static tess_status describe(const step_tuning *s, char **out) {
    tess_printed about;
    TRY(tess_printed_open(&about));
    FILE *const stream = about.stream;
    const char *kernel = s->tuning->asked.base.kernel;
    fprintf(stream, "# Found by tess tune --step%s%s. March with it:\n#   tess march",
            s->record && s->record->id[0] ? ", run " : "", s->record ? s->record->id : "");
    if (kernel) {
        fputs(" --kernel ", stream);
        tess_shell_word_print(kernel, stream);
    }
    fputs(" --settings ", stream);
    tess_shell_word_print(s->path, stream);
    fputc('\n', stream);
    return tess_printed_close(&about, TESS_OK, out);
}

static tess_status write_file(const step_tuning *s) {
    tess_status status = TESS_OK;
    char *about = NULL;
    CHECK(describe(s, &about));
    if (access(s->path, F_OK) == 0)
        CHECK(tess_fail(TESS_ERROR_IO, "%s has come to be meanwhile, and is left as it is%s%s",
                        s->path, s->record ? ": the settings are those of run " : "",
                        s->record ? s->record->id : ""));
    CHECK(tess_step_file_write(&s->found, about, s->path));
done:
    free(about);
    return status;
}

/* Seconds of a step, the sum of its loops and chains; 0: they were not timed. */
static double step_before(const step_tuning *s) {
    double seconds = 0;
    for (int i = 0; i < s->found.n; i++)
        seconds += s->loops[i].before;
    return seconds;
}

static double step_after(const step_tuning *s) {
    double seconds = 0;
    for (int i = 0; i < s->found.n; i++)
        seconds += s->loops[i].after;
    for (int i = 0; i < s->n_chains; i++)
        seconds += s->chains[i].seconds / TIMED_STEPS;
    return seconds;
}

/* A chain executes what several loops do: only what it takes is its own. */
static tess_status add_chain(const tess_loop_row *chain, tess_table *table) {
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%s", chain->loop));
    TRY(tess_table_add_cell(table, "%s", ""));
    TRY(tess_table_add_cell(table, "%s", ""));
    TRY(tess_table_add_number(table, "%.4g", 1e3 * chain->seconds / TIMED_STEPS));
    TRY(tess_table_add_cell(table, "%s", ""));
    TRY(tess_table_add_number(table, "%.0f", (double)chain->block_size));
    TRY(tess_table_add_cell(table, "%s", ""));
    TRY(tess_table_add_cell(table, "%s", ""));
    return tess_table_add_cell(table, "one kernel");
}

static tess_status add_row(const step_tuning *s, int i, tess_table *table) {
    const tuned_loop *loop = &s->loops[i];
    const tess_experiment *x = &s->found.loops[i];
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%s", x->loop));
    TRY(tess_table_add_number(table, "%.1f", 100 * loop->share));
    TRY(tess_table_add_number(table, "%.4g", loop->before > 0 ? 1e3 * loop->before : NAN));
    TRY(tess_table_add_number(table, "%.4g", loop->after > 0 ? 1e3 * loop->after : NAN));
    TRY(tess_table_add_cell(table, "%d", loop->n_tried));
    TRY(tess_table_add_number(table, "%.0f", (double)x->block_size));
    TRY(tess_table_add_cell(table, "%s", x->partitioner.text ? x->partitioner.text : ""));
    TRY(tess_table_add_cell(table, "%s", x->strategy.text));
    return tess_table_add_cell(table, "%s%s",
                               loop->kept           ? "found"
                               : loop->n_tried == 0 ? "not searched"
                                                    : "as before",
                               s->n_chains > 0 && loop->after <= 0 ? ", in a chain" : "");
}

static tess_status print_table(const step_tuning *s) {
    static const char *const titles[] = {"loop",   ">share %",    ">ms before",  ">ms after",
                                         ">tried", ">block size", "partitioner", "strategy",
                                         "",       NULL};
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    CHECK(tess_table_new(titles, &table));
    for (int k = 0; k < s->found.n; k++)
        CHECK(add_row(s, s->order[k], table));
    for (int i = 0; i < s->n_chains; i++)
        CHECK(add_chain(&s->chains[i], table));
    CHECK(tess_table_print(table, stdout));
done:
    tess_table_free(table);
    return status;
}

static json_t *loops_json(const step_tuning *s) {
    json_t *all = json_array();
    for (int k = 0; k < s->found.n; k++) {
        const tuned_loop *loop = &s->loops[s->order[k]];
        const tess_experiment *x = &s->found.loops[s->order[k]];
        json_array_append_new(
            all, json_pack("{s:s, s:f, s:o, s:o, s:i, s:b, s:s, s:I, s:s?, s:s}", "loop", x->loop,
                           "share", loop->share, "seconds_before",
                           tess_json_number(loop->before > 0 ? loop->before : NAN), "seconds_after",
                           tess_json_number(loop->after > 0 ? loop->after : NAN), "tried",
                           loop->n_tried, "found", loop->kept, "run", loop->run, "block_size",
                           (json_int_t)x->block_size, "partitioner", x->partitioner.text,
                           "strategy", x->strategy.text));
    }
    return all;
}

static tess_status report(const step_tuning *s) {
    const char *run = s->record ? s->record->id : "";
    if (s->tuning->asked.common.json)
        return tess_json_print(json_pack(
            "{s:s, s:s, s:s, s:s, s:s, s:s?, s:o, s:o, s:o}", "schema", "tess.tune_step/1",
            "application", s->found.application->name, "settings", s->path, "run", run,
            "numbered_by", s->found.loops[s->found.first].loop, "chains", s->found.chains,
            "seconds_before", tess_json_number(step_before(s) > 0 ? step_before(s) : NAN),
            "seconds_after", tess_json_number(step_after(s) > 0 ? step_after(s) : NAN), "loops",
            loops_json(s)));
    TRY(print_table(s));
    if (step_after(s) > 0)
        printf("\nA step takes %.4g ms, %.4g ms before, loop by loop.", 1e3 * step_after(s),
               1e3 * step_before(s));
    printf("\nThe blocks of %s number the mesh.\nChains: %s\nSettings: %s%s%s\n",
           s->found.loops[s->found.first].loop, s->found.chains ? s->found.chains : "not tried",
           s->path, *run ? "; run " : "", run);
    const tess_experiment *x = &s->tuning->asked.base;
    printf("March with them: tess march %s", x->kernel ? "--kernel=" : "");
    tess_shell_word_print(x->kernel ? x->kernel : x->application, stdout);
    printf(" --mesh=");
    tess_shell_word_print(x->mesh, stdout);
    printf(" --settings=");
    tess_shell_word_print(s->path, stdout);
    putchar('\n');
    return TESS_OK;
}

/* The steps that are plain, in the one layout that is searched. */
static tess_status build(step_tuning *s) {
    tess_cli_settings *asked = &s->tuning->asked;
    tess_experiment plain;
    tess_status status = TESS_OK;
    if (!asked->said[TESS_FIELD_layout])
        asked->lists[TESS_FIELD_layout] = "soa";
    TRY(tess_experiment_copy(&asked->base, &plain));
    CHECK(tess_experiment_set(&plain, TESS_FIELD_layout, asked->lists[TESS_FIELD_layout]));
    CHECK(tess_experiment_choose_strategy(&plain));
    CHECK(tess_step_build(&plain, &s->plain));
    CHECK(tess_step_build(&plain, &s->found));
    for (int i = 0; i < s->plain.n; i++) /* those of a plain march of blocks of 128 */
        s->order[i] = i;
done:
    tess_experiment_clear(&plain);
    return status;
}

tess_status tess_tuning_tune_step(tess_tuning *tuning) {
    tess_status status = TESS_OK;
    step_tuning s = {.tuning = tuning, .end = tuning->search.began + tuning->search.budget};
    CHECK(check(tuning));
    CHECK(choose_path(tuning, &s.path));
    CHECK(build(&s));
    tess_progress_begin("a step");
    status = measure(&s);
    if (status == TESS_OK)
        status = search(&s);
    if (status == TESS_OK)
        status = number(&s);
    if (status == TESS_OK)
        status = try_found(&s);
    if (status == TESS_OK)
        status = try_chains(&s);
    if (status == TESS_OK)
        status = march_found(&s);
    tess_progress_end();
    CHECK(status);
    CHECK(write_file(&s));
    CHECK(report(&s));
done:
    tess_record_free(s.record);
    tess_step_clear(&s.found);
    tess_step_clear(&s.plain);
    free(s.path);
    return status;
}

/* The loops that `tess march` is asked about: how each is to run, and the table of what each took.
 */
#include "experiments/cli/march_loops_asked.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/name_list.h"
#include "experiments/report/table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TUNING_STEPS = 10, MOST_SIZES = 16, LARGEST = 1 << 20 };

const tess_option_row tess_loops_rows[] = {
    {"loop", 0, "LOOP",
     "The loop that --strategy, --partitioner, --threads and the like are of, and whose blocks "
     "number the mesh (default: the primary one)",
     TESS_KEPT(tess_loops_asked, loop)},
    {"settings", 0, "FILE|@RUN",
     "Settings of each loop, as 'tess tune --step' finds them; @RUN: those of a march or a loop "
     "of the lab, @RUN,@RUN of several loops",
     TESS_KEPT(tess_loops_asked, settings)},
    {"set", 0, "LOOP.SETTING=VALUE",
     "What one loop has of its own, say update.threads=64, as tess run has it; again for others",
     TESS_KEPT_LIST(tess_loops_asked, set, n_set), .refusal = "more than %d times --set"},
    {"loops", 0, NULL,
     "Wait for each loop and time it: a table of count, seconds and GB/s, as OP2 prints it",
     TESS_KEPT(tess_loops_asked, shown)},
    {"tune-blocks", 0, "SIZE,...",
     "Try these block sizes for each loop, ten steps each, and march with the fastest",
     TESS_KEPT(tess_loops_asked, tune)},
    {0},
};

static tess_status read_size(const char *text, int32_t *size) {
    char *end = NULL;
    const long value = strtol(text, &end, 10);
    if (end == text || *end || value < 1 || value > LARGEST)
        FAIL(TESS_ERROR_USAGE, "--tune-blocks: '%s' is no block size: write a number from 1 to %d",
             text, LARGEST);
    *size = (int32_t)value;
    return TESS_OK;
}

/* Takes LOOP.SETTING=VALUE. */
static tess_status read_setting(char *word, tess_step *step) {
    int position = 0;
    tess_field field = 0;
    char *name = strchr(word, '.');
    if (!name)
        FAIL(TESS_ERROR_USAGE, "'%s' is no LOOP.SETTING=VALUE", word);
    *name++ = '\0';
    TRY(tess_step_find(step, word, &position));
    char *value = strchr(name, '=');
    if (!value || !value[1])
        FAIL(TESS_ERROR_USAGE, "%s has no value: write LOOP.SETTING=VALUE", name);
    *value = '\0';
    TRY(tess_step_field(name, &field));
    return tess_step_set(step, position, field, value + 1);
}

static tess_status read_set(const tess_loops_asked *asked, tess_step *step) {
    for (int i = 0; i < asked->n_set; i++) {
        char *word = NULL;
        TRY(tess_text_copy(asked->set[i], &word));
        const tess_status status = read_setting(word, step);
        free(word);
        TRY(tess_fail_at(status, "--set %s", asked->set[i]));
    }
    return TESS_OK;
}

static tess_status try_sizes(const char *tune, tess_step *step) {
    int32_t sizes[MOST_SIZES];
    int n = 0;
    char word[TESS_LISTED_SIZE];
    for (const char *rest = tune; tess_name_list_next(&rest, word);) {
        if (n == MOST_SIZES)
            FAIL(TESS_ERROR_USAGE, "--tune-blocks: more than %d sizes", MOST_SIZES);
        TRY(read_size(word, &sizes[n++]));
    }
    return tess_march_tune(step, sizes, n, TUNING_STEPS);
}

tess_status tess_loops_asked_open(tess_loops_asked *asked, const char *lab, const bool *said,
                                  tess_experiment *experiment) {
    if (!asked->settings)
        return TESS_OK;
    TRY(tess_step_sources_open(asked->settings, lab, &asked->sources));
    return tess_step_sources_share(&asked->sources, said, experiment);
}

void tess_loops_asked_close(tess_loops_asked *asked) {
    tess_step_sources_close(&asked->sources);
}

/* What is said of a loop by the usual options wins over what stands in settings. */
static tess_status apply_said(const tess_experiment *x, const bool *said, tess_step *step) {
    int own = step->first;
    if (x->loop)
        TRY(tess_step_find(step, x->loop, &own));
    for (tess_field field = 0; field < TESS_N_FIELDS; field++) {
        char *text = NULL;
        if (!said[field] || !tess_step_is_of_loop(field))
            continue;
        TRY(tess_experiment_text(x, field, &text));
        const tess_status status = tess_step_set(step, own, field, text);
        free(text);
        TRY(status);
    }
    return x->loop && tess_step_reaches(step, own) ? tess_step_number_by(step, x->loop) : TESS_OK;
}

static tess_status apply(const tess_loops_asked *asked, const bool *said, const tess_experiment *x,
                         tess_step *step) {
    if (asked->settings) {
        TRY(tess_step_sources_apply(&asked->sources, step));
        TRY(apply_said(x, said, step));
    }
    TRY(read_set(asked, step));
    return asked->tune ? try_sizes(asked->tune, step) : TESS_OK;
}

tess_status tess_loops_asked_build(const tess_loops_asked *asked, const bool *said,
                                   const tess_experiment *experiment, tess_step *out) {
    if ((asked->shown || asked->tune) && tess_experiment_is_ranked(experiment))
        FAIL(TESS_ERROR_USAGE, "--loops and --tune-blocks are for marches without ranks: loops of "
                               "these run beside their exchanges");
    TRY(tess_step_build(experiment, out));
    const tess_status status = apply(asked, said, experiment, out);
    if (status != TESS_OK)
        tess_step_clear(out);
    return status;
}

static tess_status add_row(const tess_loop_row *row, tess_table *table) {
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%s", row->loop));
    TRY(tess_table_add_cell(table, "%lld", (long long)row->count));
    TRY(tess_table_add_cell(table, "%.4g", row->seconds));
    TRY(tess_table_add_cell(table, "%.2f", 1e-9 * tess_loop_row_bandwidth(row)));
    TRY(tess_table_add_number(table, "%.2f", 1e-9 * tess_loop_row_line_bandwidth(row)));
    TRY(tess_table_add_cell(table, "%d", row->block_size));
    TRY(tess_table_add_cell(table, "%d", row->threads));
    return tess_table_add_cell(table, "%d", row->n_blocks);
}

tess_status tess_loop_rows_print(const tess_loop_row *rows, int n) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    CHECK(tess_table_new(TESS_TITLES("loop", ">count", ">s", ">GB/s", ">GB/s of lines",
                                     ">block size", ">threads", ">blocks"),
                         &table));
    for (int i = 0; i < n; i++)
        CHECK(add_row(&rows[i], table));
    CHECK(tess_table_print(table, stdout));
done:
    tess_table_free(table);
    return status;
}

json_t *tess_loop_rows_json(const tess_loop_row *rows, int n) {
    json_t *all = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(
            all, json_pack("{s:s, s:I, s:f, s:f, s:o, s:i, s:i, s:i}", "loop", rows[i].loop,
                           "count", (json_int_t)rows[i].count, "seconds", rows[i].seconds,
                           "bandwidth", tess_loop_row_bandwidth(&rows[i]), "line_bandwidth",
                           tess_json_number(tess_loop_row_line_bandwidth(&rows[i])), "block_size",
                           (int)rows[i].block_size, "threads", rows[i].threads, "blocks",
                           (int)rows[i].n_blocks));
    return all;
}

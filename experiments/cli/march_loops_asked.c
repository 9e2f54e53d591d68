/* The loops that `tess march` is asked about: their block sizes, and the table of what each took.
 */
#include "experiments/cli/march_loops_asked.h"

#include "core/base/name_list.h"
#include "experiments/bench/experiment.h"
#include "experiments/report/table.h"
#include "kernels/applications/applications.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TUNING_STEPS = 10, MOST_SIZES = 16, LARGEST = 1 << 20 };

const tess_option_row tess_loops_rows[] = {
    {"loops", 0, NULL,
     "Wait for each loop and time it: a table of count, seconds and GB/s, as OP2 prints it",
     TESS_KEPT(tess_loops_asked, shown)},
    {"loop-blocks", 0, "LOOP=SIZE,...", "Block sizes of single loops, say adt_calc=64,update=256",
     TESS_KEPT(tess_loops_asked, blocks)},
    {"tune-blocks", 0, "SIZE,...",
     "Try these block sizes for each loop, ten steps each, and march with the fastest",
     TESS_KEPT(tess_loops_asked, tune)},
    {0},
};

static tess_status read_size(const char *option, const char *text, int32_t *size) {
    char *end = NULL;
    const long value = strtol(text, &end, 10);
    if (end == text || *end || value < 1 || value > LARGEST)
        FAIL(TESS_ERROR_USAGE, "--%s: '%s' is no block size: write a number from 1 to %d", option,
             text, LARGEST);
    *size = (int32_t)value;
    return TESS_OK;
}

static tess_status read_blocks(const tess_application *application, tess_loops_asked *asked) {
    char word[TESS_LISTED_SIZE];
    for (const char *rest = asked->blocks; tess_name_list_next(&rest, word);) {
        char *sign = strchr(word, '=');
        if (!sign)
            FAIL(TESS_ERROR_USAGE, "--loop-blocks: '%s' is no LOOP=SIZE", word);
        *sign = '\0';
        const tess_kernel *kernel = NULL;
        TRY(tess_application_kernel(application, word, &kernel));
        if (asked->n == TESS_MOST_MARCHED)
            FAIL(TESS_ERROR_USAGE, "--loop-blocks: more than %d loops", TESS_MOST_MARCHED);
        tess_loop_blocks *one = &asked->of[asked->n++];
        snprintf(one->loop, sizeof one->loop, "%s", kernel->name);
        TRY(read_size("loop-blocks", sign + 1, &one->block_size));
    }
    return TESS_OK;
}

static tess_status try_sizes(const tess_experiment *experiment, tess_loops_asked *asked) {
    int32_t sizes[MOST_SIZES];
    int n = 0;
    char word[TESS_LISTED_SIZE];
    for (const char *rest = asked->tune; tess_name_list_next(&rest, word);) {
        if (n == MOST_SIZES)
            FAIL(TESS_ERROR_USAGE, "--tune-blocks: more than %d sizes", MOST_SIZES);
        TRY(read_size("tune-blocks", word, &sizes[n++]));
    }
    return tess_march_tune(experiment, sizes, n, TUNING_STEPS, asked->of, &asked->n);
}

static tess_loop_blocks *blocks_of(tess_loops_asked *asked, const char *loop) {
    for (int i = 0; i < asked->n; i++)
        if (strcmp(asked->of[i].loop, loop) == 0)
            return &asked->of[i];
    return NULL;
}

/* Gives the primary loop's size to the experiment, and its own to each loop that nobody named. */
static void share_out(const tess_application *application, tess_loops_asked *asked,
                      tess_experiment *experiment) {
    const tess_loop_blocks *primary = blocks_of(asked, application->kernels[0].name);
    if (!primary)
        return;
    const int32_t usual = (int32_t)experiment->block_size;
    experiment->block_size = primary->block_size;
    for (int k = 1; k < application->n_kernels && asked->n < TESS_MOST_MARCHED; k++) {
        const char *name = application->kernels[k].name;
        if (blocks_of(asked, name))
            continue;
        tess_loop_blocks *one = &asked->of[asked->n++];
        snprintf(one->loop, sizeof one->loop, "%s", name);
        one->block_size = usual;
    }
}

tess_status tess_loops_asked_find(tess_loops_asked *asked, tess_experiment *experiment) {
    const tess_application *application = NULL;
    if (!asked->shown && !asked->blocks && !asked->tune)
        return TESS_OK;
    if (tess_experiment_is_ranked(experiment))
        FAIL(TESS_ERROR_USAGE, "--loops, --loop-blocks and --tune-blocks are for marches without "
                               "ranks, whose loops run beside their exchanges");
    if (asked->blocks && asked->tune)
        FAIL(TESS_ERROR_USAGE, "--tune-blocks finds what --loop-blocks says: give one of them");
    TRY(tess_application_find(experiment->application, &application));
    if (asked->blocks)
        TRY(read_blocks(application, asked));
    if (asked->tune)
        TRY(try_sizes(experiment, asked));
    share_out(application, asked, experiment);
    return TESS_OK;
}

static tess_status add_row(const tess_loop_row *row, tess_table *table) {
    TRY(tess_table_add_row(table));
    TRY(tess_table_add_cell(table, "%s", row->loop));
    TRY(tess_table_add_cell(table, "%lld", (long long)row->count));
    TRY(tess_table_add_cell(table, "%.4g", row->seconds));
    TRY(tess_table_add_cell(table, "%.2f", 1e-9 * tess_loop_row_bandwidth(row)));
    TRY(tess_table_add_cell(table, "%.2f", 1e-9 * tess_loop_row_line_bandwidth(row)));
    TRY(tess_table_add_cell(table, "%d", row->block_size));
    return tess_table_add_cell(table, "%d", row->n_blocks);
}

tess_status tess_loop_rows_print(const tess_loop_row *rows, int n) {
    static const char *const heads[] = {"count",         "s",          "GB/s",
                                        "GB/s of lines", "block size", "blocks"};
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    CHECK(tess_table_new(&table));
    CHECK(tess_table_add_column(table, "loop", TESS_ALIGN_LEFT));
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        CHECK(tess_table_add_column(table, heads[i], TESS_ALIGN_RIGHT));
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
            all, json_pack("{s:s, s:I, s:f, s:f, s:f, s:i, s:i}", "loop", rows[i].loop, "count",
                           (json_int_t)rows[i].count, "seconds", rows[i].seconds, "bandwidth",
                           tess_loop_row_bandwidth(&rows[i]), "line_bandwidth",
                           tess_loop_row_line_bandwidth(&rows[i]), "block_size",
                           (int)rows[i].block_size, "blocks", (int)rows[i].n_blocks));
    return all;
}

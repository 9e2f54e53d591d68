/* The command `tess plot`: charts of chosen runs, in a file or in the terminal. */
#include "core/base/interrupt.h"
#include "core/base/whole_file.h"
#include "experiments/cli/chosen_runs.h"
#include "experiments/cli/command.h"
#include "experiments/report/chart/chart_print.h"
#include "experiments/report/chart/plot.h"
#include "experiments/report/python_module.h"
#include <string.h>

typedef struct plot_options {
    tess_common common;
    tess_chosen_runs chosen;
    const char *kind, *output, *x, *y;
} plot_options;

static const tess_option_row options[] = {
    {"output", 'o', "FILE.png|svg|pdf", "Draw into a file (default: in the terminal)",
     TESS_KEPT(plot_options, output)},
    {"x", 0, "NAME", "What front and scaling show to the right: a metric or setting",
     TESS_KEPT(plot_options, x)},
    {"y", 0, "NAME", "What front shows upwards", TESS_KEPT(plot_options, y)},
    {TESS_ROWS_OF(tess_chosen_rows, plot_options, chosen)},
    {TESS_KEPT(plot_options, kind),
     .refusal =
         "'tess plot' draws one plot at a time, not '%s', too; runs are chosen with --where"},
    {0}};

static const tess_usage usage = {
    .options = options,
    .args_doc = "reuse|time|bandwidth|front|scaling|roofline",
    .doc = "Draw the chosen runs of a lab.\v"
           "  reuse      reuse by block size, a line a partitioner\n"
           "  time       time by strategy with 95 % intervals; filled: may be the fastest\n"
           "  bandwidth  useful bytes per second by strategy, beside those of copying\n"
           "  front      time against reuse, or any two metrics, and what nothing beats in both\n"
           "  scaling    time by threads where runs differ in them, else by elements\n"
           "  roofline   flops per second by flops per byte, under the roofs of\n"
           "             copying and of the GPU's peak\n\n"
           "Examples:\n"
           "  tess plot reuse\n"
           "  tess plot time -w 'application = airfoil and device = cuda' -o time.svg\n"
           "  tess plot front --x transfer_total -o front.pdf\n\n"
           "Files are drawn by Python with matplotlib: TESS_PYTHON names the Python. --json prints "
           "what is drawn."};

/* Fails unless the ending of the file is one that is drawn, and its folder takes files. */
static tess_status check_output(const char *output) {
    static const char *const endings[] = {".png", ".svg", ".pdf"};
    const char *ending = strrchr(output, '.');
    bool known = false;
    for (int i = 0; ending && i < 3; i++)
        known = known || strcmp(ending, endings[i]) == 0;
    if (!known)
        FAIL(TESS_ERROR_USAGE, "a plot is a file .png, .svg or .pdf, not '%s'", output);
    return tess_whole_file_check(output);
}

/* Fails on an axis that the plot would not show. */
static tess_status check_axes(const plot_options *asked, const tess_plot *plot) {
    if (asked->x && !plot->takes_x)
        FAIL(TESS_ERROR_USAGE,
             "--x is what front and scaling show to the right: 'tess plot %s' "
             "takes none",
             plot->name);
    if (asked->y && !plot->takes_y)
        FAIL(TESS_ERROR_USAGE, "--y is what front shows upwards: 'tess plot %s' takes none",
             plot->name);
    return TESS_OK;
}

static tess_status draw(const tess_chart *chart, const char *output) {
    json_t *input = tess_chart_json(chart);
    const tess_status status = tess_python_module_run(
        "draw_chart", (const char *const[]){output, NULL}, input, "drawing in Python");
    json_decref(input);
    TRY(status);
    printf("%s\n", output);
    return TESS_OK;
}

static tess_status plot_run(int argc, char **argv) {
    tess_status status = TESS_OK;
    plot_options asked = {.kind = NULL};
    tess_query *query = NULL;
    tess_chart *chart = NULL;
    const tess_plot *plot = NULL;
    CHECK(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    if (!asked.kind)
        CHECK(tess_fail(TESS_ERROR_USAGE,
                        "which plot? tess plot reuse|time|bandwidth|front|scaling|roofline; see "
                        "'tess plot --help'"));
    CHECK(tess_plot_find(asked.kind, &plot));
    CHECK(check_axes(&asked, plot));
    const bool file = asked.output && strcmp(asked.output, "-") != 0;
    if (file)
        CHECK(check_output(asked.output));
    tess_interrupts_note();
    CHECK(tess_chosen_runs_find(&asked.chosen, asked.common.quiet, &query));
    const tess_plot_request request = {.query = query, .x = asked.x, .y = asked.y};
    CHECK(tess_plot_build(plot, &request, &chart));
    CHECK(asked.common.json ? tess_json_print(tess_chart_json(chart))
          : file            ? draw(chart, asked.output)
                            : tess_chart_print(chart, tess_chart_ink_of(stdout), stdout));
done:
    tess_chart_free(chart);
    tess_query_close(query);
    return status;
}

const tess_command tess_command_plot = {
    .name = "plot", .summary = "Draw runs: reuse, time, fronts, scaling", .run = plot_run};

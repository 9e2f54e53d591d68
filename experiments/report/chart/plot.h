/* A plot: a plug-in that makes a chart of chosen runs.
 *
 * One const struct in one file, one line in list.h:
 *
 *   const tess_plot tess_plot_reuse = {
 *       .name = "reuse", .summary = "reuse by block size", .fill = reuse_fill}; */
#pragma once

#include "experiments/archive/run_query.h"
#include "experiments/report/chart/chart.h"
#include "experiments/report/chart/row_groups.h"

/* What is asked for. */
typedef struct tess_plot_request {
    const tess_query *query;
    const char *x, *y; /* metrics or settings of the axes; NULL: the plot's own choice */
    bool all_problems; /* not only as many as a chart has room for */
} tess_plot_request;

typedef struct tess_plot {
    const char *name;
    const char *summary;   /* for help, a few words */
    bool takes_x, takes_y; /* of these axes it shows what it is asked for */
    /* Fills an empty chart with one panel at least; fails (INPUT) where no chosen run has what it
     * shows. */
    tess_status (*fill)(const tess_plot_request *request, tess_chart *chart);
} tess_plot;

const tess_plot *tess_plot_at(int i); /* NULL past the last */
/* Fails (USAGE) with a suggestion. */
TESS_MUST_CHECK tess_status tess_plot_find(const char *name, const tess_plot **out);

/* Builds a plot's chart; axes whose values differ by more than a factor of 20 are logarithmic. */
TESS_MUST_CHECK tess_status tess_plot_build(const tess_plot *plot, const tess_plot_request *request,
                                            tess_chart **out);

/* What all plots share. */

/* The settings in which points of one panel may differ, and which times of one panel have in
 * common. */
#define TESS_PLOT_SETTINGS                                                                         \
    "strategy,partitioner,block_size,layouts,precision,refine,repair,points,order,thread_order,"   \
    "renumber,threads,omp_threads"
#define TESS_PLOT_VARIANT "strategy,partitioner" /* what names the only one */
#define TESS_PLOT_PROBLEM "application,loop,mesh,device,cache,gpu,host"

/* The problems of a plot: the chosen rows that have all the metrics `needed` (names, separated by
 * commas) and did not fail their check, grouped by the fields `by`. Adds a note about what is left
 * out, failed runs and problems beyond the most that a chart shows. */
TESS_MUST_CHECK tess_status tess_plot_problems(const tess_plot_request *request, tess_chart *chart,
                                               const char *needed, const char *by,
                                               tess_row_groups *out);

/* Adds a panel for each of these problems and has it filled. */
typedef tess_status (*tess_panel_fill)(void *context, const tess_row_group *problem,
                                       tess_chart *chart, tess_chart_panel *panel);
TESS_MUST_CHECK tess_status tess_plot_panels(const tess_plot_request *request, tess_chart *chart,
                                             const char *needed, const char *by,
                                             tess_panel_fill fill, void *context);

/* The last run of a group; of the table. */
const char *tess_plot_run(const tess_query *query, const tess_row_group *group);

/* The words of an axis that shows a metric or a setting: those of tables, with the unit. */
TESS_MUST_CHECK tess_status tess_plot_axis(const tess_query *query, const char *name,
                                           tess_axis *axis);

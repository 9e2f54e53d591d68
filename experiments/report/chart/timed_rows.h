/* Timed rows: the panels of plots that have a row for each variant, the fastest first. */
#pragma once

#include "experiments/report/chart/plot.h"

/* What the rows show of the samples' times. */
typedef enum tess_timed_value { TESS_ROWS_OF_TIME, TESS_ROWS_OF_BANDWIDTH } tess_timed_value;

/* Adds a panel for each problem whose runs have the metrics `needed`. Bandwidth is the useful bytes
 * of a run over its times; a limit shows that of copying. */
TESS_MUST_CHECK tess_status tess_timed_rows_add(const tess_plot_request *request,
                                                const char *needed, tess_timed_value value,
                                                tess_chart *chart);

/* Verdicts: of each problem of the chosen runs which way is best, and what may be as good. */
#pragma once

#include "experiments/report/chart/plot.h"

/* Gives an array of problems, {title, mesh, loop, metric, unit, rows}: by time where runs were
 * timed, with ratios, intervals and verdicts of `tess compare`; by predicted time, with the mesh as
 * it is stored and the sentence `words` (experiments/report/verdict.h); and by the traffic of each
 * block size where no time was predicted. The first row is the best, or a tie where others may be
 * as good. Problems in which nothing differs have none. */
TESS_MUST_CHECK tess_status tess_verdicts_json(const tess_plot_request *request, json_t **out);

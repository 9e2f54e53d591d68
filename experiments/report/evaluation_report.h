/* A report of an evaluation: how far predictions are off for what is left out of the fit, or by a
 * fit that is given. */
#pragma once

#include "experiments/model/timed_points.h"

/* Prints, once for meshes and once for applications that are left out: errors, ranks, regret, what
 * runs in predicted order find, and errors by strategy; as JSON where `json`. */
TESS_MUST_CHECK tess_status tess_evaluation_print(const tess_machine *machine,
                                                  const tess_timed_points *points, bool json);

/* Prints what a fit says of all points. */
TESS_MUST_CHECK tess_status tess_evaluation_print_fit(const tess_fit *fit,
                                                      const tess_timed_points *points, bool json);

/* Rank options: how the ranks of a command are started, timed and watched. */
#pragma once

#include "core/base/option_row.h"
#include "experiments/bench/ranked_march.h"

/* The options, whose values a tess_rank_setting keeps, and --graph of a march. */
extern const tess_option_row tess_rank_rows[], tess_step_graph_row[];

/* Where an experiment needs processes that nothing has started: has the launcher start them, with
 * the words of this one behind `command`, and becomes it. Else it comes back. */
TESS_MUST_CHECK tess_status tess_rank_options_launch(const tess_experiment *experiment,
                                                     const tess_rank_setting *setting,
                                                     const char *command, char *const *argv);

/* Fills what was not said. Fails (USAGE) where something is, but not how many ranks there are. */
TESS_MUST_CHECK tess_status tess_rank_options_check(const tess_experiment *experiment,
                                                    tess_rank_setting *setting);

/* Rank options: how a command that marches an application divides it among ranks. */
#pragma once

#include "experiments/bench/ranked_march.h"
#include "experiments/cli/command_line.h"

/* The options, whose values a tess_rank_setting keeps. */
extern const tess_option_row tess_rank_rows[];

/* Reads exec or sums into a tess_halo_mode. */
TESS_MUST_CHECK tess_status tess_halo_mode_read(const char *option, const char *value, void *mode);

/* True where ranks are asked for: by their number, or by an engine whose launcher knows it. Fails
 * (USAGE) where something is said of ranks, but not how many there are. Fills what was not said. */
TESS_MUST_CHECK tess_status tess_rank_options_check(tess_rank_setting *setting, bool *ranked);

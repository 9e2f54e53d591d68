/* An exchange timing: what the exchanges of a time step cost ranks, and how much of that is hidden
 * behind computing. */
#pragma once

#include "kernels/exchange/team.h"

typedef struct tess_exchange_timing {
    int n_rounds; /* 0: nothing is timed */
    /* Medians over the rounds of the seconds that the slowest rank takes for one step. */
    double step, serial, unexchanged, exchange, pack; /* see tess_team_way */
    double exposed; /* medians of the rounds' differences: step - unexchanged, */
    double hidden;  /* and of (serial - step) / (serial - unexchanged) */
} tess_exchange_timing;

/* Fills what samples [TESS_N_TEAM_VARIANTS][n_rounds] come to, which it sorts; differences
 * [n_rounds] of room. */
void tess_exchange_timing_sum_up(double *samples, int n_rounds, double *differences,
                                 tess_exchange_timing *out);

/* Times the ways of a step in turn, n rounds of them. Afterwards the team holds no state of the
 * application any more. Every process of the crew calls it. */
TESS_MUST_CHECK tess_status tess_exchange_timing_take(tess_team *team, int n_rounds,
                                                      tess_exchange_timing *out);

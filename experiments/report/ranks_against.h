/* Marches that were measured, against what is predicted of them from one rank, and from two. */
#pragma once

#include "kernels/exchange/rank_forecast.h"

/* Reads a file of marches ("h200": the program's own, docs/results/h200_ranks.yaml), predicts from
 * what each took on one rank, and from that and what it took on two, what it takes on more, and
 * prints all and the differences. Fails (INPUT) by the place of what is wrong. */
TESS_MUST_CHECK tess_status tess_ranks_against(const char *path, const tess_rank_network *network,
                                               bool json);

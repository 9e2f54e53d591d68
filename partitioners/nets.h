/* Nets: a problem as a hypergraph. A net joins the elements of a point; a point of one makes none.
 */
#pragma once

#include "core/plan/partition_problem.h"

typedef struct tess_nets {
    int64_t n, n_pins;
    int64_t *first; /* [n + 1] into pin */
    int32_t *pin;   /* [n_pins] the elements of each net */
    double *weight; /* [n] of its point: the bytes accessed there */
} tess_nets;

/* Gives the nets of a problem, by map and point. Zeroed before; clear them in any case. */
TESS_MUST_CHECK tess_status tess_nets_find(const tess_partition_problem *problem, tess_nets *nets);
void tess_nets_clear(tess_nets *nets);

/* A rank step: one time step of the ranks of a process. */
#pragma once

#include "kernels/exchange/member.h"

/* What of a step runs. */
typedef enum tess_team_variant {
    TESS_OVERLAPPED,     /* all, as a march runs it */
    TESS_SERIAL,         /* all, but nothing runs while values travel */
    TESS_UNEXCHANGED,    /* the loops without their exchanges: the values are wrong from then on */
    TESS_EXCHANGE_ALONE, /* the exchanges: packed, sent, unpacked */
    TESS_PACKING_ALONE,  /* what of them is packing and unpacking, on the device's side */
    TESS_N_TEAM_VARIANTS
} tess_team_variant;

typedef struct tess_rank_step {
    const tess_team_base *base;
    int32_t n_members;
    tess_member *members; /* [n_members] */
    bool counts;          /* what the loops of each member do is counted */
    bool is_warm;         /* one has run, and connected the ranks, which is nothing for a graph */
    int is_odd;           /* how many have run the loops: which buffers of chains are read */
    tess_launch_graph *graphs[TESS_N_TEAM_VARIANTS][2]; /* NULL until there is one; owned */
} tess_rank_step;

/* Makes the values NaN that arrive in a step, so that a result shows whoever reads what has not
 * arrived. */
TESS_MUST_CHECK tess_status tess_rank_step_spoil(const tess_rank_step *step);

/* Puts n steps on the device. */
TESS_MUST_CHECK tess_status tess_rank_step_run(tess_rank_step *step, tess_team_variant variant,
                                               int n);

/* Before what its graphs launch, and before their communicator. */
void tess_rank_step_close(tess_rank_step *step);

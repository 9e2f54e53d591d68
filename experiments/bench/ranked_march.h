/* A ranked march: an application on the ranks of an engine, as an experiment says. */
#ifndef TESS_RANKED_MARCH_H
#define TESS_RANKED_MARCH_H

#include "experiments/bench/bench.h"
#include "kernels/exchange/team.h"

/* How an application is marched on ranks; what is left out is as in the comments. */
typedef struct tess_rank_setting {
    int64_t n_ranks;         /* 0: there are no ranks, or as many as a launcher has started */
    const char *engine;      /* NULL: local */
    const char *partitioner; /* of the ranks, with options; NULL: rcb where elements have places,
                                else mosaic */
    tess_halo_mode mode;
    bool whole; /* nothing runs while values travel */
} tess_rank_setting;

typedef struct tess_ranked_march {
    tess_crew *crew;
    tess_owners *owners;
    tess_team *team;
    tess_team_traffic traffic; /* of a step, all ranks */
} tess_ranked_march;

/* Cuts the mesh of a bench into ranks, proves the halos and opens the ranks of this process on its
 * device. The strategy, the partitioner of blocks and the plan are those of the experiment that the
 * bench was opened for. The bench and the start outlive the march, which is the caller's to close,
 * whatever failed. */
TESS_MUST_CHECK tess_status tess_ranked_march_open(const tess_bench *bench,
                                                   const tess_rank_setting *setting,
                                                   const tess_state *start,
                                                   tess_ranked_march **out);
void tess_ranked_march_close(tess_ranked_march *march);

/* True in the process that reports for all; of no ranks, NULL, in every one. */
bool tess_ranked_march_reports(const tess_ranked_march *march);

#endif

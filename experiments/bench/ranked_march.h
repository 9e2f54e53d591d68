/* A ranked march: an application on the ranks of an engine, as an experiment says. */
#pragma once

#include "experiments/bench/bench.h"
#include "experiments/bench/exchange_timing.h"

/* How an application is marched on ranks; what is left out is as in the comments. */
typedef struct tess_rank_setting {
    int64_t n_ranks;         /* 0: there are no ranks, or as many as a launcher has started */
    const char *engine;      /* NULL: local */
    const char *launcher;    /* of processes, where none has started this one */
    const char *partitioner; /* of the ranks, with options; NULL: rcb where elements have places,
                                else mosaic */
    tess_halo_mode mode;
    bool graph;  /* a step is put on the device as one graph */
    bool whole;  /* nothing runs while values travel */
    bool spoils; /* values of other ranks are NaN until they arrive: whoever reads them shows */
    int64_t n_rounds;       /* of the timing of exchanges after the march; 0: none */
    double timeout;         /* seconds that a rank may stand still */
    _Atomic int64_t *pulse; /* see tess_team_setting */
} tess_rank_setting;

typedef struct tess_ranked_march {
    tess_crew *crew;
    tess_owners *owners;
    tess_team *team;
    tess_team_traffic traffic; /* of a step, all ranks */
    tess_halo_metrics halo;
    tess_exchange_timing timing;
} tess_ranked_march;

/* Opens the engine: what follows comes to the same in all processes. The march is the caller's to
 * close, whatever failed. */
TESS_MUST_CHECK tess_status tess_ranked_march_join(const tess_rank_setting *setting,
                                                   tess_ranked_march **out);

/* Cuts the mesh of a bench into ranks, proves the halos and opens the ranks of this process on its
 * device. The strategy, the partitioner of blocks and the plan are those of the experiment that the
 * bench was opened for. The bench and the start outlive the march. */
TESS_MUST_CHECK tess_status tess_ranked_march_open(tess_ranked_march *march,
                                                   const tess_bench *bench,
                                                   const tess_rank_setting *setting,
                                                   const tess_state *start);
void tess_ranked_march_close(tess_ranked_march *march);

/* Waits until all processes have come here. Accepts NULL, as the next one does. */
TESS_MUST_CHECK tess_status tess_ranked_march_await(const tess_ranked_march *march);

/* True in the process that reports for all; of no ranks, NULL, in every one. */
bool tess_ranked_march_reports(const tess_ranked_march *march);

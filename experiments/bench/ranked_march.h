/* A ranked march: an application on the ranks of an engine, as an experiment says. */
#pragma once

#include "experiments/bench/exchange_timing.h"
#include "experiments/bench/step.h"
#include "experiments/bench/workload.h"

/* How an experiment is made on ranks, besides its own settings. */
typedef struct tess_rank_setting {
    const char *launcher; /* of processes, where none has started this one */
    bool graph;           /* a step is put on the device as one graph */
    bool spoils;  /* values of other ranks are NaN until they arrive: whoever reads them shows */
    bool counted; /* blocks of the experiment's loop are counted */
    const char *keep_text;  /* a folder for the pages of that loop; NULL: not kept */
    int64_t n_rounds;       /* of the timing of exchanges after the march; 0: none */
    double timeout;         /* seconds that a rank may stand still */
    _Atomic int64_t *pulse; /* see tess_team_setting */
} tess_rank_setting;

/* Finds who cuts an experiment's blocks on a bench's device, who plans them, and by which page it
 * makes tables: tess_bench_cutter, tess_bench_planner, tess_bench_tables_page. */
typedef struct tess_rank_cutter {
    struct tess_bench *bench;
    tess_status (*find)(struct tess_bench *bench, const tess_experiment *x, tess_cutter *out);
    tess_status (*planner)(struct tess_bench *bench, const tess_experiment *x,
                           const tess_planner **out);
    tess_status (*tables)(struct tess_bench *bench, const tess_experiment *x, const char **out);
} tess_rank_cutter;

/* What is marched, and where; all outlives the march. */
typedef struct tess_ranked_place {
    const tess_workload *load;
    const tess_device *device;
    tess_target *target;
    const tess_step *step; /* how its loops are executed; NULL: the experiment's loop runs alone */
    tess_rank_cutter cutter;
} tess_ranked_place;

/* By what the parts of a loop are cut and planned. */
typedef struct tess_rank_cut {
    const tess_experiment *experiment;
    const tess_rank_cutter *cutter;
    tess_planner planner;
    char place[TESS_PLACE_SIZE];   /* where the last one was cut; "": on the host */
    char planned[TESS_PLACE_SIZE]; /* and planned */
    char remark[TESS_REMARK_SIZE]; /* why one was planned on the host, where it was not to be */
} tess_rank_cut;

typedef struct tess_ranked_march {
    tess_crew *crew;
    tess_ranked_place place;
    bool is_lent;  /* the crew is another's, which has taken the device */
    bool *changes; /* of the loop alone: see tess_schedule_build_alone; NULL */
    tess_owners *owners;
    tess_loop_way *ways; /* of the loops of the team; owned */
    tess_rank_cut *cuts; /* likewise */
    int cut_set;         /* that was cut into ranks, of the mesh */
    tess_team *team;
    tess_team_traffic traffic; /* of a step, all ranks */
    tess_halo_metrics halo;
    tess_rank_blocks blocks; /* of the experiment's loop, of all ranks */
    tess_counters *counters; /* [n_ranks]: of one run of its loop; NULL: nothing counted; owned */
    tess_exchange_timing timing;
} tess_ranked_march;

/* Who computes what is added to points of another rank. */
tess_halo_mode tess_experiment_halo(const tess_experiment *experiment);

/* Opens the engine of an experiment, or borrows the crew that is lent, NULL: none: what follows
 * comes to the same in all processes. The march is the caller's to close, whatever failed. */
TESS_MUST_CHECK tess_status tess_ranked_march_join(const tess_experiment *experiment,
                                                   tess_crew *lent, tess_ranked_march **out);

/* Cuts the mesh of a workload into ranks, proves the halos and opens the ranks of this process on
 * the device, from the workload's own start where `start` is NULL. All outlives the march. */
TESS_MUST_CHECK tess_status tess_ranked_march_open(tess_ranked_march *march,
                                                   const tess_ranked_place *place,
                                                   const tess_experiment *experiment,
                                                   const tess_rank_setting *setting,
                                                   const tess_state *start);
void tess_ranked_march_close(tess_ranked_march *march);

/* Waits until all processes have come here. Accepts NULL, as the next one does. */
TESS_MUST_CHECK tess_status tess_ranked_march_await(const tess_ranked_march *march);

/* True in the process that reports for all; of no ranks, NULL, in every one. */
bool tess_ranked_march_reports(const tess_ranked_march *march);

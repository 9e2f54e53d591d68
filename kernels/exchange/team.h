/* A team: the ranks of this process, which march an application together with those of others. */
#pragma once

#include "kernels/exchange/halo_metrics.h"
#include "kernels/exchange/rank_step.h"

typedef struct tess_team tess_team;

/* Where a team runs, and what its ranks own; all outlives it. The crew has taken the device. */
typedef struct tess_team_place {
    tess_crew *crew;
    const tess_device *device;
    tess_target *target;
    const tess_owners *owners;
} tess_team_place;

/* Opens the members of this process with a state on the whole mesh. Fails (CHECK) where a halo or a
 * plan is wrong. */
TESS_MUST_CHECK tess_status tess_team_open(const tess_team_setting *setting,
                                           const tess_team_place *place, const tess_state *start,
                                           tess_team **out);
void tess_team_close(tess_team *team);

/* Makes the values NaN that arrive in a step, so that a result shows whoever reads what has not
 * arrived. */
TESS_MUST_CHECK tess_status tess_team_spoil(tess_team *team);

/* Marches n steps and gives the seconds of all. */
TESS_MUST_CHECK tess_status tess_team_run(tess_team *team, int n, double *seconds);

/* Marches one step and, on a device that counts, counts what the loops of each rank do in it;
 * exchanges are left out. */
TESS_MUST_CHECK tess_status tess_team_count(tess_team *team, double *seconds);

/* Gives every process what was counted of each rank [n_ranks]; 0 where nothing was. */
TESS_MUST_CHECK tess_status tess_team_gather_counters(tess_team *team, tess_counters *of_ranks);

/* Sums the blocks of the team's own loop over all ranks; 0 where they are not counted. */
TESS_MUST_CHECK tess_status tess_team_sum_blocks(tess_team *team, tess_rank_blocks *out);

/* Gives the seconds of one of n steps, those of the slowest rank; all processes time the same. */
TESS_MUST_CHECK tess_status tess_team_time(tess_team *team, tess_team_variant variant, int n,
                                           double *seconds);

/* Brings the state of all ranks, of every process, into one on the whole mesh. */
TESS_MUST_CHECK tess_status tess_team_gather(tess_team *team, tess_state *whole);

/* Gives the blocks of the team's own loop, of all ranks and processes. */
TESS_MUST_CHECK tess_status tess_team_gather_blocks(const tess_team *team,
                                                    tess_ranked_blocks **out);

/* Gives the sum of a global value over all ranks, and lets it begin at 0 again. */
TESS_MUST_CHECK tess_status tess_team_take_sum(tess_team *team, const char *dat, double *sum);

/* What a team exchanges in a step, summed over the ranks of this process. */
typedef struct tess_team_traffic {
    int64_t bytes, messages;
} tess_team_traffic;
tess_team_traffic tess_team_traffic_of(const tess_team *team);

/* Whether the device made the tables of the team's own loop, on all ranks of this process; *remark:
 * why not, "" where it was not asked. */
bool tess_team_tables_there(const tess_team *team, const char **remark);

/* The step as its chains cut it, of its first rank here; NULL: without chains. */
const tess_chained_step *tess_team_chained(const tess_team *team);

/* The halo of the team's loops. */
const tess_halo *tess_team_halo(const tess_team *team);

/* Counts the metrics of the team's halo for its own loop; `set` is the one that was cut. */
TESS_MUST_CHECK tess_status tess_team_measure_halo(const tess_team *team, int set,
                                                   tess_halo_metrics *out);

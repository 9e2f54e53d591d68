/* In situ: what a command shows while it works, through viz/, as its command line asks.
 *
 * One channel a run that is compared, say "metis_128", or "mesh" where there is one. Each step of a
 * partitioner (core's observer) and each plan is a cycle; its time is its number. What fails to be
 * shown ends the showing, not the work: the session keeps the failure and gives it back when it is
 * closed. */
#pragma once

#include "core/base/observer.h"
#include "core/base/option_row.h"
#include "experiments/bench/experiment_value.h"
#include "viz/viz.h"

/* --catalyst, --catalyst-every, --viz, its --viz-..., and --wait. */
typedef struct tess_in_situ_options {
    const char *scripts; /* separated by commas; NULL: none */
    const char *kind;    /* NULL: auto where there are scripts, else off */
    const char *folder;  /* NULL: "tess-viz" */
    const char *field, *range,
        *window;          /* of pictures; NULL: as the environment or the script says */
    int64_t communicator; /* see tess_viz_setting */
    double wait;          /* s, for a ParaView that connects through Catalyst Live */
    int64_t every;        /* show each so many steps, and each plan; 0 is 1 */
} tess_in_situ_options;

extern const tess_option_row tess_in_situ_rows[];

typedef struct tess_in_situ tess_in_situ;

/* Opens the session, or gives NULL, which all calls accept, where nothing is to be shown, and says
 * on stderr which kind was taken and why, unless the command is to be quiet. Channel c is for the
 * blocks of experiment c * stride. */
TESS_MUST_CHECK tess_status tess_in_situ_open(const tess_in_situ_options *options, bool quiet,
                                              const tess_experiment *experiments, int n_channels,
                                              int stride, tess_in_situ **out);
bool tess_in_situ_wanted(const tess_in_situ_options *options);

/* The observer of a partitioner that cuts `set` of the mesh, for a channel (a position among those
 * opened); valid until the next call. NULL where nothing is shown. */
const tess_observer *tess_in_situ_watch(tess_in_situ *in_situ, int channel, const tess_mesh *mesh,
                                        const char *set);

/* The seconds that showing has taken since tess_in_situ_watch: no work of the partitioner's. */
double tess_in_situ_seconds(const tess_in_situ *in_situ);

/* Shows a finished plan with all its arrays. */
void tess_in_situ_show_plan(tess_in_situ *in_situ, int channel, const tess_bound_loop *bound,
                            const tess_plan *plan, const int32_t *block_of,
                            const tess_metrics *metrics);

/* Makes the view of a finished plan a channel's own, once a channel, to be shown with fields. */
void tess_in_situ_set_plan(tess_in_situ *in_situ, int channel, const tess_bound_loop *bound,
                           const tess_plan *plan, const int32_t *block_of,
                           const tess_metrics *metrics);

/* Shows the blocks of ranks. */
void tess_in_situ_set_ranks(tess_in_situ *in_situ, int channel, const tess_mesh *mesh,
                            const tess_ranked_blocks *blocks);

/* The number of channels (0 where nothing is shown), and what one shows: its name and view, or
 * NULL. */
int tess_in_situ_channels(const tess_in_situ *in_situ);
const tess_view_mesh *tess_in_situ_view(const tess_in_situ *in_situ, int channel,
                                        const char **name);

/* Hands a step over as it is. */
void tess_in_situ_show(tess_in_situ *in_situ, const tess_viz_step *step);

/* Ends the session; gives the first failure of any step back. */
TESS_MUST_CHECK tess_status tess_in_situ_close(tess_in_situ *in_situ);
/* Ends it where something else has failed already: the kept message stays that one's. */
void tess_in_situ_drop(tess_in_situ *in_situ);

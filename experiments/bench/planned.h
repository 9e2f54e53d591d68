/* A planned loop: its elements in blocks, the plan of these, its proof, where data lie, and what
 * all of it costs. Runs on the same blocks share it. */
#pragma once

#include "core/base/errand.h"
#include "core/plan/metrics.h"
#include "core/plan/plan.h"
#include "experiments/archive/record.h"
#include "experiments/bench/experiment_value.h"

typedef struct tess_planned {
    tess_partition *partition;     /* NULL: a loop without maps, as the next two */
    tess_renumbering *renumbering; /* NULL where nothing is renumbered, too */
    tess_metrics *metrics[2];      /* by layout; NULL until they are asked for */
    tess_plan *plan;
    const tess_bound_loop *bound;         /* with which another thread colours the plan ... */
    tess_plan_options options;            /* ... as it would have been coloured ... */
    tess_errand *colouring;               /* ... by this errand; NULL: it has its colours */
    char partition_run[TESS_RUN_ID_SIZE]; /* the earlier run that cut it, else "" */
    double partition_seconds; /* wall time, graph construction and refinement included; of a
                                 partition from an earlier run what it took to find and read it */
    double plan_seconds, check_seconds, metrics_seconds[2];
    char digest[2][TESS_DIGEST_SIZE]; /* by layout: of the plan in the lab; "" until it is there */
    _Atomic int n_holders;            /* on any thread */
} tess_planned;

/* An empty one, whose one holder is the caller. */
TESS_MUST_CHECK tess_status tess_planned_new(tess_planned **out);
tess_planned *tess_planned_share(tess_planned *planned);
/* Frees it with its last holder. Accepts NULL. */
void tess_planned_release(tess_planned *planned);

/* Waits for its colours, where another thread is at them. */
TESS_MUST_CHECK tess_status tess_planned_await(tess_planned *planned);

/* Seconds that were spent on cutting it: none where its partition is an earlier run's. */
double tess_planned_cut_seconds(const tess_planned *planned);

/* Fills the metrics of a layout unless they are there. */
TESS_MUST_CHECK tess_status tess_planned_measure(tess_planned *planned,
                                                 const tess_bound_loop *bound, tess_layout layout);

/* The metrics of any layout; NULL where there are none. */
const tess_metrics *tess_planned_metrics(const tess_planned *planned);

/* The loops that were planned last. They hold much memory, so few are kept, but where all plans are
 * made before the first run. */
enum { TESS_USUAL_SHARED_PLANS = 4, TESS_MOST_SHARED_PLANS = 16 };

typedef struct tess_shared_plans {
    int n_kept; /* so far: the oldest goes first */
    int most;   /* 0: the usual number */
    struct {
        char *key; /* of tess_shared_plans_key */
        tess_planned *planned;
    } kept[TESS_MOST_SHARED_PLANS];
} tess_shared_plans;

/* Gives what the plan of an experiment follows from, within one mesh; the caller frees it. */
TESS_MUST_CHECK tess_status tess_shared_plans_key(const tess_experiment *experiment, char **out);
/* A share of the planned loop of that key, or NULL. */
tess_planned *tess_shared_plans_find(const tess_shared_plans *shared, const char *key);
/* Keeps a share of it under the key, which it takes over. */
void tess_shared_plans_keep(tess_shared_plans *shared, char *key, tess_planned *planned);
void tess_shared_plans_clear(tess_shared_plans *shared);

/* Cuts the elements of a loop, or the points of the to-set `owned_set` where that is not NULL, by
 * the experiment's partitioner; the contract is enforced, repairs are recorded, and blocks are
 * refined where that is asked for. The cutter, which may be NULL, is for partitioners that cut
 * elsewhere. */
TESS_MUST_CHECK tess_status tess_planned_cut(tess_planned *planned,
                                             const tess_experiment *experiment,
                                             const tess_bound_loop *bound, const char *owned_set,
                                             const tess_observer *observer,
                                             const tess_cutter *cutter);

/* As tess_planned_cut, of the first n points of the owned set; 0: of all. */
TESS_MUST_CHECK tess_status tess_planned_cut_first(tess_planned *planned,
                                                   const tess_experiment *experiment,
                                                   const tess_bound_loop *bound,
                                                   const char *owned_set, int64_t n,
                                                   const tess_cutter *cutter);

/* How a plan is made. */
typedef struct tess_planning {
    int owned_set;               /* whose points blocks own, or -1 */
    const tess_planner *planner; /* makes it where it can; NULL: the host does */
    bool coloured_beside;        /* a large plan's colours come later (tess_planned_await) */
} tess_planning;

/* Makes the plan of a partition, in the order in which elements lie where a renumbering is there
 * before: threads that run side by side then reach what lies side by side. */
TESS_MUST_CHECK tess_status tess_planned_build(tess_planned *planned,
                                               const tess_experiment *experiment,
                                               const tess_bound_loop *bound,
                                               const tess_planning *how);

/* Whether a plan that executes so many elements is proved: one of many where that is asked for. */
bool tess_experiment_proves(const tess_experiment *experiment, int64_t n_executed);

/* Proves its plan where the experiment does. */
TESS_MUST_CHECK tess_status tess_planned_prove(tess_planned *planned,
                                               const tess_experiment *experiment,
                                               const tess_bound_loop *bound);

/* How plans of an experiment are made. */
tess_plan_options tess_experiment_plan_options(const tess_experiment *experiment);

/* The renumbering that an experiment asks for, or that its strategy likes where it leaves that to
 * it. */
tess_renumber_method tess_experiment_renumber(const tess_experiment *experiment);

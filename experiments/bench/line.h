/* The straight line: what becomes of a loop on a mesh, step by step, up to a checked plan and its
 * metrics (DESIGN section 2). A newcomer reads line.c first. */
#ifndef TESS_LINE_H
#define TESS_LINE_H

#include "core/base/observer.h"
#include "core/plan/metrics.h"
#include "core/plan/order/renumber.h"
#include "core/plan/plan.h"
#include "experiments/archive/record.h"
#include "partitioners/partitioner.h"

/* A partition that is there already. */
typedef struct tess_cut {
    const tess_partition *partition; /* NULL: there is none */
    const char *run;                 /* the earlier run that cut it; "": this program did */
    double seconds;                  /* that it took to cut, or to read from the earlier run */
} tess_cut;

/* How one run is made. */
typedef struct tess_setting {
    const tess_partitioner *partitioner;
    const tess_spec *spec; /* the partitioner's options */
    int32_t block_size;
    uint64_t seed;
    tess_points points;
    tess_repair repair;
    int refine; /* effort of tess_refine on the partition; 0: none */
    tess_plan_options plan;
    const char *over; /* the to-set whose points blocks own; NULL: blocks of elements */
    tess_renumber_method renumber;
    tess_layout layout;
    double time_limit; /* seconds for third-party partitioners; 0: none */
    const tess_observer *observer;
    tess_cut cut; /* taken in place of the partitioner's work */
} tess_setting;

/* What came of it; all owned. */
typedef struct tess_line {
    tess_partition *partition;
    tess_plan *plan;
    tess_renumbering *renumbering; /* NULL where nothing is renumbered */
    tess_metrics *metrics;
    bool borrows; /* partition, plan and renumbering are those of a line that outlives this one */
    char partition_run[TESS_RUN_ID_SIZE]; /* the earlier run that it is taken from, else "" */
    double partition_seconds; /* wall time, graph construction and refinement included; of a
                                 partition from an earlier run what it took to find and read it */
    double plan_seconds, check_seconds, metrics_seconds;
} tess_line;

/* Partitions, builds the plan, proves it, renumbers and measures. The bound loop is const and
 * outlives the line. Fails with the first step that fails; nothing is kept then. */
TESS_MUST_CHECK tess_status tess_line_run(const tess_bound_loop *bound, const tess_setting *setting,
                                          tess_line **out);

/* The same blocks where data lie in another layout: the metrics of that, and the rest borrowed from
 * a line that must outlive it. */
TESS_MUST_CHECK tess_status tess_line_in_layout(const tess_bound_loop *bound, const tess_line *line,
                                                tess_layout layout, tess_line **out);
void tess_line_free(tess_line *line);

#endif

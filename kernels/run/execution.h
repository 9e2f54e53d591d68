/* An execution: one loop, by one strategy, compiled for a device, ready to run again and again. */
#ifndef TESS_EXECUTION_H
#define TESS_EXECUTION_H

#include "core/plan/plan.h"
#include "kernels/applications/application.h"
#include "kernels/page/page.h"
#include "kernels/run/store.h"

struct tess_strategy;

typedef struct tess_execution_options {
    const tess_kernel *kernel;
    const struct tess_strategy *strategy;
    const tess_spec *spec; /* of the strategy, checked */
    int threads;           /* a block; 0: as many as the strategy likes, the plan's block size or a
                              part of it rounded up to a warp */
    const char *keep_text; /* a directory for the generated page, or NULL */
} tess_execution_options;

typedef struct tess_execution {
    tess_execution_options options;
    tess_store *store;     /* the caller's */
    const tess_plan *plan; /* the caller's */
    const tess_bound_loop *bound;
    int threads;
    tess_page page;
    tess_device_module *module;
    int n_arrays, n_launches;
    int64_t array_capacity, launch_capacity;
    tess_address *arrays; /* owned device memory */
    tess_launch *launches;
    tess_launch_graph *graph; /* of all of them; NULL: they are made one by one */
    int64_t array_bytes;      /* of all of them */
    /* parts of the plan that the glue's functions go through */
    int staged_more; /* places that a block may leave empty among those it stages */
    bool has_index, has_local, has_rounds, has_entries, has_slots, has_own_reads;
    bool apart; /* what is read of the set that blocks own is not staged: tess_kernel.apart */
} tess_execution;

/* Compiles a bound loop for a plan. The store, plan and bound loop outlive the execution. */
TESS_MUST_CHECK tess_status tess_execution_open(const tess_execution_options *options,
                                                tess_store *store, const tess_bound_loop *bound,
                                                const tess_plan *plan, tess_execution **out);
void tess_execution_close(tess_execution *execution);

/* Puts its launches into a graph, so that they are made as one. The device has graphs. */
TESS_MUST_CHECK tess_status tess_execution_use_graph(tess_execution *execution);

/* Runs the loop once. */
TESS_MUST_CHECK tess_status tess_execution_run(tess_execution *execution);

/* Runs it `n` times between two events and gives the seconds of one. */
TESS_MUST_CHECK tess_status tess_execution_time(tess_execution *execution, int n, double *seconds);

/* --- for strategies ------------------------------------------------------------------------- */

/* Puts an array on the device and makes it a parameter of the kernels, named in printf's words. */
TESS_MUST_CHECK tess_status tess_execution_array(tess_execution *execution, const char *type,
                                                 const void *values, int64_t bytes,
                                                 const char *name, ...)
    __attribute__((format(printf, 5, 6)));

/* Adds a launch to those that run the loop, in order. */
TESS_MUST_CHECK tess_status tess_execution_launch(tess_execution *execution,
                                                  const tess_launch *launch);

/* Points of a reach that a block stages at most, rounded up to whole words of any type. */
int64_t tess_execution_staged(const tess_execution *execution, int reach);

/* Where an element of the loop's set, or a point of a reach, is stored. */
int32_t tess_execution_element(const tess_execution *execution, int32_t element);
int32_t tess_execution_point(const tess_execution *execution, int reach, int32_t point);

#endif

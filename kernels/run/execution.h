/* An execution: one loop by one strategy, or one chain, compiled for a device, ready to run again
 * and again. */
#pragma once

#include "kernels/codegen/page.h"
#include "kernels/peers/peer.h"
#include "kernels/run/thread_copies.h"
#include "kernels/strategies/strategy.h"

typedef struct tess_execution_options {
    const tess_kernel *kernel;
    const tess_strategy *strategy;
    const tess_spec *spec; /* of the strategy, checked */
    int threads;           /* a block; 0: as many as the strategy likes, the plan's block size or a
                              part of it rounded up to a warp */
    tess_arithmetic arithmetic;
    const char *keep_text;  /* a directory for the generated page, or NULL */
    const tess_mesh *whole; /* of which the loop's mesh is a rank's part; or NULL */
    bool any_size;          /* the text is to serve parts of any size */
    bool on_paper;          /* nothing will run: tables lack what only makes them fast */
    /* The page of the kernels (tess_cut_page) by which the device makes tables where it can, of a
     * store that is placed; NULL: the host makes them. */
    const char *tables_page;
    tess_peer_setting peer; /* of others that may run it: the strategy has the name; `device` NULL:
                               none may */
    const tess_application *application; /* whose other loops may change dats; NULL: none runs */
} tess_execution_options;

typedef struct tess_execution {
    tess_page page;
    bool tables_there;             /* the device made its tables */
    char remark[TESS_REMARK_SIZE]; /* why it did not, though that was asked for; or "" */
    tess_device_module *module;
    tess_launch_graph *graph; /* of all launches; NULL: they are made one by one */
    const tess_application *application;
    tess_peer_setting peers; /* who runs it in place of the launches; `name` NULL: nobody */
    tess_peer *peer;
    tess_thread_copies *copies; /* of the host's threads, which then run all; NULL: they share */
    /* What runs in place of the launches, and has made page and module; NULL: nothing. */
    tess_status (*run)(const void *of);
    void (*free)(void *of);
    void *of; /* owned */
} tess_execution;

/* Writes the page of a bound loop for a plan; where the store is placed its arrays are put on the
 * device, else nothing of the target is called. The store, plan and bound loop outlive the
 * execution. */
TESS_MUST_CHECK tess_status tess_execution_draft(const tess_execution_options *options,
                                                 tess_store *store, const tess_bound_loop *bound,
                                                 const tess_plan *plan, tess_execution **out);
/* Makes a drafted one ready to run: places what its page keeps, and compiles. The store is placed.
 */
TESS_MUST_CHECK tess_status tess_execution_place(tess_execution *execution);

/* Compiles a bound loop for a plan: both. The store, plan and bound loop outlive the execution. */
TESS_MUST_CHECK tess_status tess_execution_open(const tess_execution_options *options,
                                                tess_store *store, const tess_bound_loop *bound,
                                                const tess_plan *plan, tess_execution **out);
void tess_execution_close(tess_execution *execution);

/* Puts its launches into a graph, so that they are made as one. The device has graphs. */
TESS_MUST_CHECK tess_status tess_execution_use_graph(tess_execution *execution);

/* Runs the loop once. */
TESS_MUST_CHECK tess_status tess_execution_run(tess_execution *execution);

/* Runs blocks first ... end - 1 of its plan, whose blocks own points: what two such runs write is
 * apart, so that they may run beside each other. */
TESS_MUST_CHECK tess_status tess_execution_run_blocks(const tess_execution *execution,
                                                      int64_t first, int64_t end);

/* Runs it `n` times between two events and gives the seconds of one. */
TESS_MUST_CHECK tess_status tess_execution_time(tess_execution *execution, int n, double *seconds);

/* Fails (USAGE) where a strategy is not for devices of this kind, with the option that names
 * another.
 */
TESS_MUST_CHECK tess_status tess_execution_check_device(const tess_strategy *strategy,
                                                        const tess_device *device);

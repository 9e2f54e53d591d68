/* A trial: one loop by one strategy, or one chain, on a device: compiled, run once and checked
 * against the reference, counted where the device counts, then timed, sample by sample, so that
 * several trials can be timed in turns. */
#pragma once

#include "kernels/loops/originals.h"
#include "kernels/run/chained_step.h"
#include "kernels/run/execution.h"
#include "kernels/strategies/strategy.h"

/* Whether launches are made as one graph: `auto` where there is more than one and the device has
 * graphs. */
typedef enum tess_graph_use { TESS_GRAPH_AUTO, TESS_GRAPH_ON, TESS_GRAPH_OFF } tess_graph_use;

typedef struct tess_trial_setting {
    const tess_kernel *kernel;
    const tess_strategy *strategy;
    const tess_spec *spec; /* of the strategy, checked */
    /* Of which a chain is executed in place of the loop (tess_chained_step_new_one), which then
     * says whose blocks it takes; NULL: the loop is. */
    const tess_application *application;
    const char *chain;
    tess_layouts layouts;
    int threads; /* a block; 0: the block size rounded up to a warp */
    tess_arithmetic arithmetic;
    bool timed;         /* samples will be taken: it is warmed up */
    bool cold;          /* the caches are flushed before each sample */
    bool checked_later; /* the device keeps the result of its first run for tess_trial_check, unless
                           it is a chain's or a peer's; for devices that copy */
    tess_graph_use graph;
    tess_peer_setting peer;  /* as tess_execution_options has it */
    const char *keep_text;   /* a directory, or NULL */
    const char *tables_page; /* as tess_execution_options has it */
} tess_trial_setting;

enum {
    TESS_TRIAL_WARM_UPS = 3, /* runs when it is opened */
    TESS_TURN_WARM_UPS = 1   /* runs before each sample: others may have had the caches */
};

typedef struct tess_trial_sample {
    double seconds;     /* of one run */
    double start;       /* seconds since the session began, when its turn came */
    int round;          /* of the session, from 0 */
    tess_clocks clocks; /* just after it */
} tess_trial_sample;

typedef struct tess_trial {
    bool keeps_result; /* of the first run, which is still to be checked */
    bool checked, passed;
    double difference, tolerance;
    char worst[TESS_NAME_SIZE]; /* the dat that differs most, "" where none does */
    bool counted;
    tess_counters counters; /* of one run of the loop */
    int n_launches;
    bool cold;                /* as asked for */
    int64_t shared_bytes;     /* a block, the largest launch */
    int64_t useful_bytes;     /* docs/concepts.md, "Metrics" */
    int64_t flops;            /* likewise; 0 where nobody counted them */
    int64_t moved_bytes_min;  /* the same with the arrays of the strategy in place of the maps */
    tess_resources resources; /* the most of any launch's kernel */
    double occupancy;         /* theoretical, the least of any launch; NaN: the device has none */
    char tables_place[TESS_PLACE_SIZE]; /* the device that made the tables; "": the host did */
    char remark[TESS_REMARK_SIZE];      /* of the execution */
    double compile_seconds; /* page, tables and module; of a drafted trial what was left of it */
    double copy_seconds;    /* its state's way to the device and back */
    double check_seconds;   /* the state put in order for the device, the result compared */
    double first_seconds;
    double warm_seconds; /* of one of the runs that warm it up; 0 where nothing is timed */
    double run_seconds;  /* on the device: all that was executed so far */
    int64_t n_samples, capacity;
    tess_trial_sample *samples; /* owned */
    tess_store *store;          /* while it is open; owned, as is the next */
    tess_execution *execution;
} tess_trial;

/* The loop that a trial executes. */
typedef struct tess_trial_loop {
    const tess_bound_loop *bound;
    const tess_plan *plan;
    const tess_renumbering *renumbering; /* NULL: sets keep their numbers */
    const tess_state *start;             /* before the loop */
    const tess_state *want;              /* after it, in double, from the reference */
    tess_originals *originals;           /* of both on the device; NULL: they are brought there */
    tess_originals *started;             /* of the start alone; NULL */
} tess_trial_loop;

/* Opens the one chain of a trial, each loop of it with the blocks of the trial's loop; on paper
 * nothing will run, and the store need not be placed. Gives the step, which the caller frees, and
 * the chain's first loop. */
TESS_MUST_CHECK tess_status tess_trial_chain_open(const tess_trial_setting *setting,
                                                  const tess_trial_loop *loop, tess_store *store,
                                                  bool on_paper, tess_chained_step **out,
                                                  int *first);

/* Drafts a trial: its page is written, and its text compiled into the device's cache, on any thread
 * while others use the target. All that is pointed to outlives the trial. */
TESS_MUST_CHECK tess_status tess_trial_draft(const tess_device *device, tess_target *target,
                                             const tess_trial_setting *setting,
                                             const tess_trial_loop *loop, tess_trial *out);

/* Opens a trial that is drafted, or zeroed: compiles it, runs it once and checks, counts, warms up.
 * All that is pointed to outlives the open trial. */
TESS_MUST_CHECK tess_status tess_trial_open(const tess_device *device, tess_target *target,
                                            const tess_trial_setting *setting,
                                            const tess_trial_loop *loop, tess_trial *out);

/* Adds a sample that was taken on an opened device, whose clocks are asked for here. */
TESS_MUST_CHECK tess_status tess_trial_add(tess_trial *trial, const tess_device *device,
                                           tess_target *target, tess_trial_sample sample);

/* Checks the result that an open trial keeps, if it does, against loop->want. */
TESS_MUST_CHECK tess_status tess_trial_check(const tess_trial_loop *loop, tess_trial *trial);

/* Takes one sample of an open trial: its turn in this round of the session. */
TESS_MUST_CHECK tess_status tess_trial_take(tess_trial *trial, int round, double start);

/* Bytes of the device's memory that an open trial holds. */
int64_t tess_trial_bytes(const tess_trial *trial);

/* Gives back what an open trial holds on the device; what was measured stays. */
void tess_trial_close(tess_trial *trial);
/* Closes it, and frees what was measured. */
void tess_trial_clear(tess_trial *trial);

/* The median of the samples, NaN where there are none. */
double tess_trial_median(const tess_trial *trial);

/* Bytes a second (read and written) at which the device copies memory; 0 where it cannot tell. */
TESS_MUST_CHECK tess_status tess_trial_copy_bandwidth(const tess_device *device,
                                                      tess_target *target, double *out);

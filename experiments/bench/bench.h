/* A bench: where experiments on one mesh and loop are made. It holds the device, the mesh with the
 * loop bound to it, the state before and after, and what experiments share. */
#pragma once

#include "core/base/making.h"
#include "experiments/archive/lab.h"
#include "experiments/bench/filing.h"
#include "experiments/bench/partition_cache.h"
#include "experiments/bench/run.h"
#include "experiments/bench/workload.h"
#include "kernels/cut/device_cutter.h"
#include "kernels/emit/emit.h"
#include "kernels/exchange/engine.h"
#include "kernels/loops/originals.h"
#include <pthread.h>

/* Ranks: the processes of a launcher, of which this is one, and what is measured of them. */
typedef struct tess_bench_job {
    tess_crew *crew;        /* NULL: there are none, ranks are those of this process */
    _Atomic int64_t *pulse; /* see tess_team_setting; NULL */
    void (*watch)(void *context, bool watched); /* from now on ranks must not stand still; NULL */
    void *context;
    int exchange_rounds; /* of the timing of exchanges between ranks; 0: none */
    bool is_early; /* on a GPU samples are taken as soon as they can be: another thread makes the
                      data before the loop, and where nobody works ahead a result may be checked
                      after them */
} tess_bench_job;

/* How experiments are made, whatever they are. All is the caller's and outlives the bench. */
typedef struct tess_bench_options {
    int argc; /* of the program, for provenance */
    char *const *argv;
    tess_lab *lab;         /* NULL: nothing is archived */
    int64_t most_cells;    /* of a mesh with more a part is opened; 0: all of it */
    bool files_beside;     /* a large mesh is stored in the lab, and the reference made, while
                              experiments are planned */
    bool fresh;            /* partitions of earlier runs in the lab are not taken */
    bool view;             /* a file for ParaView is written with each plan */
    bool shown;            /* while it works: what views need is derived from the mesh */
    bool unexecuted;       /* loops are planned, but neither proved nor run: for predictions */
    bool times_alone;      /* no metrics are counted, nor copies timed: nobody asks for them */
    const char *keep_text; /* a folder for generated pages; NULL: they are not kept */
    tess_mesh *mesh;       /* in place of the one that the experiment names; NULL */
    const tess_emit_setting *emit; /* the loop is written as source, not run; NULL */
} tess_bench_options;

/* Where the time went, in seconds. */
typedef struct tess_spending {
    double open;     /* the mesh read, the loop bound, the reference computed */
    double cut;      /* blocks cut */
    double plan;     /* plans built and proved, points renumbered, metrics counted */
    double compile;  /* pages written, tables made and sent, texts compiled */
    double wait;     /* for what other threads make of this ... */
    double wait_cut; /* ... of it for blocks and plans; the rest for compilers */
    double check;    /* states put in order, results compared */
    double copy;     /* states sent to the device, results brought back */
    double run;      /* on the device */
    double store;    /* plans and runs written to the lab */
} tess_spending;

typedef struct tess_ahead tess_ahead; /* experiments/bench/ahead.h */

typedef struct tess_bench {
    tess_bench_options options;
    tess_bench_job job;
    const tess_experiment *opened; /* that it was opened for; NULL: it is closed */
    tess_workload load;
    char mesh_digest[TESS_DIGEST_SIZE]; /* "": the mesh is not in the lab, or not yet */
    tess_filing *filing;                /* who stores it beside; NULL: nobody */
    bool is_filed;                      /* they have */
    tess_partition_cache partitions;
    tess_shared_plans plans;
    /* Where loops are executed. */
    char *device_name; /* of this process; owned */
    const tess_device *device;
    tess_target *target;        /* NULL: it is lost */
    tess_device_cutter *cutter; /* NULL until blocks are cut on a device */
    char *tables_page;          /* likewise, until tables are made there */
    unsigned texts_lacking;     /* of what the device could have planned by, had they been compiled
                                   (TESS_CUT_BLOCKS ...): who works ahead does that for others */
    bool lost;                  /* the device is broken, and opening it anew does not mend it */
    double copy_bandwidth;      /* B/s; 0 where it cannot be told or nothing was timed yet */
    pthread_mutex_t lock;       /* of the partitions and plans */
    tess_making planning;       /* plans that threads make beside */
    tess_ahead *ahead;     /* who makes plans and pages beforehand; NULL: nobody; the caller's */
    tess_peer_pool *peers; /* that stay from one run to another; NULL: none do; the caller's */
    double stores_until;   /* by the clock: plans that are not in the lab by then are left out; 0:
                              they never are */
    tess_originals *originals; /* of a device apart, while many runs follow each other; or NULL */
    bool has_tried_originals;
    tess_originals *started;   /* the start alone, brought there as soon as another thread had made
                                  it, for the first run; or NULL */
    tess_spending spent;       /* by the thread that runs the experiments ... */
    tess_spending spent_ahead; /* ... and by those that work ahead, all together */
} tess_bench;

/* Opens the device, reads the mesh, binds the loop, and stores the mesh in the lab. The caller
 * closes the bench, whatever failed; the experiment outlives it. `job` may be NULL. */
TESS_MUST_CHECK tess_status tess_bench_open(const tess_experiment *experiment,
                                            const tess_bench_options *options,
                                            const tess_bench_job *job, tess_bench *bench);
void tess_bench_close(tess_bench *bench);

/* Takes over the mesh's digest once it is stored beside; waits for that where there is time. */
TESS_MUST_CHECK tess_status tess_bench_file(tess_bench *bench);

/* Whether plans can be stored: with the digest of the mesh that they are of. */
bool tess_bench_is_filed(const tess_bench *bench);

/* Whether the time is over in which plans and meshes are stored, or an interrupt was noted. */
bool tess_bench_is_late(const tess_bench *bench);

/* Whether an experiment can be made on a bench: it is open, and for the same mesh and loop. */
bool tess_bench_fits(const tess_bench *bench, const tess_experiment *experiment);

/* What is done on the device between these two is done while no other process of ours works there.
 */
void tess_bench_lock(const tess_bench *bench);
void tess_bench_unlock(const tess_bench *bench);

/* True after a failure that broke the device; it is then opened anew: what was on it is lost. Where
 * that does not mend it the bench is lost, and only a new process helps
 * (experiments/bench/restart.h). */
bool tess_bench_is_broken(const tess_bench *bench);
TESS_MUST_CHECK tess_status tess_bench_reopen(tess_bench *bench);

/* True in the process that archives and reports for all. */
bool tess_bench_reports(const tess_bench *bench);

/* Brings both states to a device apart once, where others make runs ahead: many will come. */
TESS_MUST_CHECK tess_status tess_bench_keep_originals(tess_bench *bench);

/* Frees what the device has of the start alone. */
void tess_bench_drop_started(tess_bench *bench);

/* Measures the copy bandwidth unless it is there. */
TESS_MUST_CHECK tess_status tess_bench_measure_copies(tess_bench *bench);

/* Whether the device cuts and plans an experiment at once: by texts that are compiled already, as
 * those are that make its tables. */
TESS_MUST_CHECK tess_status tess_bench_plans_at_once(tess_bench *bench,
                                                     const tess_experiment *experiment, bool *out);

/* Gives a planned loop its partition: one that is there already, where the run has a record and its
 * loop is executed, else one of the partitioner's, which is kept. */
TESS_MUST_CHECK tess_status tess_bench_partition(tess_bench *bench, const tess_run *run,
                                                 tess_planned *planned);

/* Fills *out with who cuts an experiment's blocks on a device: its `cut` is NULL where the host
 * does. Fails (USAGE) where the device that is named cuts none. */
TESS_MUST_CHECK tess_status tess_bench_cutter(tess_bench *bench, const tess_experiment *experiment,
                                              tess_cutter *out);

/* What makes its plans elsewhere, where the experiment says so; else NULL. The bench's. */
TESS_MUST_CHECK tess_status tess_bench_planner(tess_bench *bench, const tess_experiment *experiment,
                                               const tess_planner **out);

/* The page of the kernels that make its tables where its plans are made; else NULL. The bench's. */
TESS_MUST_CHECK tess_status tess_bench_tables_page(tess_bench *bench,
                                                   const tess_experiment *experiment,
                                                   const char **out);

/* Gives a run a share of the plan of an experiment before it on the same blocks, or
 * NULL. Blocks that are compared are always cut anew. And keeps a share of the run's plan. */
TESS_MUST_CHECK tess_status tess_bench_find_plan(tess_bench *bench, tess_run *run);
TESS_MUST_CHECK tess_status tess_bench_keep_plan(tess_bench *bench, const tess_run *run);

/* Gives a share of the plan of that key; waits where another thread makes it beside. NULL: the
 * caller makes it, and others wait until it says what became of it (NULL: it failed), which is kept
 * where all plans are, or nothing runs. The key lives until the end. */
tess_planned *tess_bench_begin_plan(tess_bench *bench, const char *key);
void tess_bench_end_plan(tess_bench *bench, const char *key, tess_planned *planned);

/* The to-set whose points blocks own in an experiment; NULL: blocks are of elements. */
const char *tess_bench_owned_set(const tess_bench *bench, const tess_experiment *experiment);

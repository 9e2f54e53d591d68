/* A bench: where the runs of a loop on a device are made, one after another: cut into blocks,
 * executed, checked, recorded and archived. */
#ifndef TESS_RUN_BENCH_H
#define TESS_RUN_BENCH_H

#include "experiments/archive/lab.h"
#include "experiments/bench/cuts.h"
#include "experiments/bench/line.h"
#include "experiments/bench/workload.h"
#include "experiments/cli/run_options.h"
#include "experiments/cli/run_report.h"

typedef struct tess_bench {
    const tess_run_options *asked; /* application, mesh, loop, precision, device */
    const tess_device *device;
    tess_target *target;
    bool lost; /* the device is broken, and opening it anew does not mend it */
    tess_workload load;
    double copy_bandwidth; /* B/s; 0 where nothing is timed */
    tess_lab *lab;         /* the caller's; NULL: nothing is archived */
    char mesh_digest[TESS_DIGEST_SIZE];
    tess_cuts cuts; /* of the workload's mesh */
} tess_bench;

/* In this order: opens the device that is asked for; opens the workload and, where runs are timed,
 * measures the copy bandwidth; stores the mesh in the lab where runs are then archived. The caller
 * closes the bench, whatever failed; `asked` outlives it. */
TESS_MUST_CHECK tess_status tess_bench_open(const tess_run_options *asked, tess_bench *bench);
TESS_MUST_CHECK tess_status tess_bench_load(tess_bench *bench);
TESS_MUST_CHECK tess_status tess_bench_archive_in(tess_bench *bench, tess_lab *lab);
void tess_bench_close(tess_bench *bench);

/* What is done on the device between these two is done while no other process of ours works there.
 */
void tess_bench_take(const tess_bench *bench);
void tess_bench_let_go(const tess_bench *bench);

/* True after a failure that broke the device; it is then opened anew: what was on it is lost. Where
 * that does not mend it the bench is lost, and only a new process helps
 * (experiments/bench/restart.h). */
bool tess_bench_is_broken(const tess_bench *bench);
TESS_MUST_CHECK tess_status tess_bench_reopen(tess_bench *bench);

/* Samples that each run is to have: 0 where nothing is timed. */
int tess_bench_samples(const tess_bench *bench);

/* How one run is made. */
typedef struct tess_run_setting {
    const tess_run_options *asked; /* layout, threads, samples, view */
    tess_setting blocks;
    const tess_strategy *strategy;
    const tess_spec *spec; /* of the strategy */
    tess_layouts layouts;
} tess_run_setting;

/* Puts the setting together from the options and checks the names and options of both specs, which
 * outlive it. */
TESS_MUST_CHECK tess_status tess_run_setting_make(const tess_run_options *asked,
                                                  const tess_spec *partitioner, int32_t block_size,
                                                  const tess_spec *strategy, tess_run_setting *out);

/* Lines of one setting's blocks that several strategies share: of elements, of points. They live
 * until the last of their holders releases them. */
typedef struct tess_bench_lines {
    /* By layout, NULL until a strategy needs it; owned. The second borrows the first one's blocks.
     */
    tess_line *of_elements[2], *of_points[2];
    int n_holders;
} tess_bench_lines;

/* New ones have one holder, the caller. */
TESS_MUST_CHECK tess_status tess_bench_lines_new(tess_bench_lines **out);
tess_bench_lines *tess_bench_lines_share(tess_bench_lines *lines);
void tess_bench_lines_release(tess_bench_lines *lines);

/* Fills the row's partitioner and strategy, unless they are there. */
TESS_MUST_CHECK tess_status tess_run_row_name(const tess_run_setting *setting, tess_run_row *row);

/* Starts a run: adds to the record (its provenance is taken) what is asked for, makes the line
 * unless it is there, and opens the row's trial. Where that fails the words are in tess_message():
 * USAGE for a combination that does not fit, CHECK for a wrong result, MEMORY where it may help to
 * finish others first and start it again. */
TESS_MUST_CHECK tess_status tess_bench_start(tess_bench *bench, tess_run_setting *setting,
                                             tess_bench_lines *lines, tess_record *record,
                                             tess_run_row *row);

/* Finishes a started run, whose samples have been taken: closes its trial, fills the row and the
 * record, and archives it where the bench does. */
TESS_MUST_CHECK tess_status tess_bench_finish(tess_bench *bench, tess_run_setting *setting,
                                              tess_bench_lines *lines, tess_record *record,
                                              tess_run_row *row);

#endif

/* The loops of a march: how often each ran, how long, and how many bytes it took, as OP2 tells it.
 */
#pragma once

#include "experiments/bench/march.h"

enum { TESS_ROW_NAME_SIZE = 2 * TESS_NAME_SIZE + 8 };

typedef struct tess_loop_row {
    char loop[TESS_ROW_NAME_SIZE]; /* of a chain the loops, or the first and the last */
    bool is_chain;
    int64_t count;
    double seconds;     /* of all */
    double used, total; /* bytes of one: transfer_used_op2 and transfer_total_op2; of a chain what
                           it loads and stores with its maps, and NaN */
    int32_t block_size;
    int32_t n_blocks;
    int threads;
} tess_loop_row;

/* Fills rows with the loops of a march that times them, those in chains as one; *n how many. */
TESS_MUST_CHECK tess_status tess_march_loop_rows(const tess_march *march,
                                                 tess_loop_row rows[TESS_MOST_MARCHED], int *n);

/* Bytes a second of what a loop uses, and of the cache lines that it moves; 0 where it took no
 * time.
 */
double tess_loop_row_bandwidth(const tess_loop_row *row);
double tess_loop_row_line_bandwidth(const tess_loop_row *row);

/* Adds those that ran to a record: loop_count/LOOP, loop_seconds/LOOP and so on; and whether all
 * steps waited for each loop (`within`), so that the time of a step is theirs. */
TESS_MUST_CHECK tess_status tess_march_record_loops(const tess_loop_row *rows, int n, bool within,
                                                    tess_record *record);

/* Gives the seconds of each loop of a step in n steps of a march, after one to warm up; 0 of those
 * that the mesh has nothing for. */
TESS_MUST_CHECK tess_status tess_march_time_step(const tess_step *step, int n,
                                                 double seconds[TESS_MOST_MARCHED]);

/* Gives the seconds of one of n steps of a march that waits for no loop, after one to warm up. */
TESS_MUST_CHECK tess_status tess_march_time_whole(const tess_step *step, int n, double *seconds);

/* Gives the bytes of cache lines that each loop of a step moves in all its runs of one step,
 * without running any: what stands for its time where a device has none. */
TESS_MUST_CHECK tess_status tess_march_weigh_step(const tess_step *step,
                                                  double bytes[TESS_MOST_MARCHED]);

/* Gives each loop of a step the block size [n_sizes] that it is fastest by, from `steps` steps of a
 * march with each, after one to warm up. */
TESS_MUST_CHECK tess_status tess_march_tune(tess_step *step, const int32_t *sizes, int n_sizes,
                                            int steps);

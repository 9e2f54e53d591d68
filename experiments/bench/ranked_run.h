/* A ranked run: the loop of an experiment on ranks, with its exchange: what other loops of the
 * application write of what it reads arrives each time, as in a time step. */
#pragma once

#include "experiments/bench/bench.h"

/* Opens the ranks of this process, runs the loop once and compares the whole state with the
 * reference, into run->trial; what has not arrived is NaN meanwhile. Fails (USAGE) where ranks have
 * no such setting. What fails in one process of a job fails in all, which know of it, but for what
 * happens while they run. */
TESS_MUST_CHECK tess_status tess_ranked_run_open(tess_bench *bench, tess_run *run);

/* Takes a sample: the seconds of the slowest rank. */
TESS_MUST_CHECK tess_status tess_ranked_run_take(tess_run *run, int round, double start);

/* Bytes of data that the ranks of this process hold, about. */
int64_t tess_ranked_run_bytes(const tess_bench *bench, const tess_run *run);

/* After the samples: times the exchanges, where that is asked for, and notes in run and record what
 * the ranks cost. */
TESS_MUST_CHECK tess_status tess_ranked_run_conclude(const tess_bench *bench, tess_run *run);

/* A comparison of runs in words: its verdict, and how it was found. */
#ifndef TESS_COMPARISON_WORDS_H
#define TESS_COMPARISON_WORDS_H

#include "experiments/archive/comparison.h"

/* 1 where larger values of a metric are better, -1 where smaller are, 0 where neither. */
int tess_better_of(const char *metric);

/* "faster" and "slower" of samples, "better" and "worse" of one value, "larger" and "smaller" where
 * neither is better (tess_better_of is 0); "same", "unclear". */
const char *tess_verdict_words(tess_verdict verdict, int better, bool sampled);

/* How two runs were compared: the rounds they have in common, or the time between their sessions
 * and by what these differ. Fills how [size]. */
void tess_comparison_how(const tess_run_comparison *of, size_t size, char *how);

#endif

/* Slopes: how far times of a strategy are from the model's, by what else is known of a run.
 *
 * The logarithm of measured / modelled is taken for a sum: an offset of the strategy, and a slope
 * for each trait of the run, one of all strategies and one of its own. A trait is a logarithm, less
 * its mean over all runs and over its deviation. Slopes are found by least squares that draw each
 * to 0 (ridge regression), so that few runs say little. */
#pragma once

#include "core/mesh/mesh.h"
#include "kernels/predict/model.h"

enum { TESS_N_TRAITS = 14, TESS_MOST_STRATEGIES = 32 };

/* Of one strategy. */
typedef struct tess_slopes_way {
    char base[TESS_NAME_SIZE]; /* without options */
    double offset, slope[TESS_N_TRAITS];
} tess_slopes_way;

typedef struct tess_slopes {
    int n; /* strategies; 0: nothing is corrected */
    double mean[TESS_N_TRAITS], deviation[TESS_N_TRAITS];
    double slope[TESS_N_TRAITS]; /* of all strategies */
    tess_slopes_way ways[TESS_MOST_STRATEGIES];
} tess_slopes;

/* A timed run. */
typedef struct tess_slopes_sample {
    const tess_features *features;
    tess_model_time time;
    const char *base;
    double ratio;  /* the logarithm of measured / predicted */
    double weight; /* 0: takes no part */
} tess_slopes_sample;

const char *tess_trait_name(int trait);

/* Finds the slopes of n samples, some of which take part. */
TESS_MUST_CHECK tess_status tess_slopes_find(const tess_slopes_sample *samples, int n,
                                             tess_slopes *out);

/* What a prediction is to be multiplied by. */
double tess_slopes_factor(const tess_slopes *slopes, const char *base,
                          const tess_features *features, const tess_model_time *time);

/* Slopes: how far times of a strategy are from the model's, by what else is known of a run.
 *
 * The logarithm of measured / modelled is taken for a sum: an offset of the strategy and one of the
 * strategy in its layout, and for each trait of the run a slope of all strategies, one of its own
 * and one of its own in that layout; the same of the strategy with its options, where it has some;
 * and the offsets of its application. What all runs on one mesh are off by is found with these, and
 * left out: it says nothing of others. A trait is a
 * logarithm, less its mean over all runs and over its deviation. Offsets and slopes are found by
 * least squares that draw each to 0 (ridge regression), so that few runs say little. */
#pragma once

#include "core/mesh/mesh.h"
#include "experiments/model/model.h"
#include "experiments/model/offsets.h"

enum {
    TESS_KIND_TEXT = 160,
    TESS_N_TRAITS = 14,
    TESS_MOST_STRATEGIES = 32,
    TESS_MOST_VARIANTS = 4 * TESS_MOST_STRATEGIES
};

/* Of one strategy, of it in one layout, or of it with its options. */
typedef struct tess_slopes_variant {
    char strategy[TESS_KIND_TEXT];
    char layout[TESS_NAME_SIZE]; /* of all sets but those that it names: soa of soa,nodes=aos; "":
                                    any */
    double offset, slope[TESS_N_TRAITS];
} tess_slopes_variant;

typedef struct tess_slopes {
    int n; /* ways; 0: nothing is corrected */
    double mean[TESS_N_TRAITS], deviation[TESS_N_TRAITS];
    double slope[TESS_N_TRAITS]; /* of all strategies */
    tess_slopes_variant variants[TESS_MOST_VARIANTS];
    tess_offsets offsets;
} tess_slopes;

/* A timed run. */
typedef struct tess_slopes_sample {
    const tess_features *features;
    tess_model_time time;
    tess_configuration variant;
    const char *mesh; /* NULL: one that no other sample is of */
    double ratio;     /* the logarithm of measured / predicted */
    double weight;    /* 0: takes no part */
} tess_slopes_sample;

const char *tess_trait_name(int trait);

/* Finds the slopes of n samples, some of which take part. */
TESS_MUST_CHECK tess_status tess_slopes_find(const tess_slopes_sample *samples, int n,
                                             tess_slopes *out);

/* What a prediction is to be multiplied by. */
double tess_slopes_factor(const tess_slopes *slopes, const tess_configuration *variant,
                          const tess_features *features, const tess_model_time *time);

/* A correction: what a search has learned from its first runs about how far its predictions are
 * off.
 *
 * The logarithm of measured / predicted is taken for a sum of effects: one of the mesh, one of the
 * strategy, one of the strategy with its options and layout, one of the strategy with the order of
 * elements, and noise, all normal. Each run narrows the effects that it has a part in, and so moves
 * the predictions of all candidates that share one with it (Bayesian linear regression). */
#pragma once

#include "core/base/status.h"
#include <stdint.h>

/* A candidate as effects know it. Texts are the caller's. */
typedef struct tess_correction_case {
    const char *base;              /* the strategy without options */
    const char *strategy, *layout; /* as typed, canonical */
    const char *order;             /* the partitioner */
    double predicted;              /* s; NaN: there is no prediction */
} tess_correction_case;

typedef struct tess_correction tess_correction;

/* Begins with what fits know: nothing of this mesh. The texts of the cases [n] are compared, not
 * kept. */
TESS_MUST_CHECK tess_status tess_correction_new(const tess_correction_case *cases, int64_t n,
                                                tess_correction **out);
void tess_correction_free(tess_correction *correction);

/* Learns what case i took, in seconds; ignores one without a prediction. */
void tess_correction_learn(tess_correction *correction, int64_t i, double seconds);

/* Seconds that case i is expected to take, and that it may well take if the correction is off by
 * one and a half standard deviations to its good; infinite where nothing is predicted. A search
 * that goes by the second tries what it knows little of before it gives it up. */
double tess_correction_expected(const tess_correction *correction, int64_t i);
double tess_correction_hoped(const tess_correction *correction, int64_t i);

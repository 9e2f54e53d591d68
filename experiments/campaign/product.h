/* A product: experiments that differ in some settings, one for each combination of their values. */
#pragma once

#include "experiments/bench/experiment_value.h"

/* The values that one setting takes. */
typedef struct tess_axis {
    tess_field field;
    int n;
    char **texts; /* owned */
} tess_axis;

/* Splits a list as it is typed: partitioners, strategies and layouts at commas that are not quoted
 * (`SET=aos` belongs to the layout before it), numbers at commas. */
TESS_MUST_CHECK tess_status tess_axis_split(tess_field field, const char *list, tess_axis *out);
void tess_axis_clear(tess_axis *axis);

typedef struct tess_product {
    int64_t n;
    tess_experiment *experiments; /* owned */
} tess_product;

/* Gives an experiment for each combination of the axes, the last one the fastest, all else as
 * `base` has it. Fails (USAGE) where a value is not one of its setting's. */
TESS_MUST_CHECK tess_status tess_product_build(const tess_experiment *base, const tess_axis *axes,
                                               int n_axes, tess_product *out);
void tess_product_clear(tess_product *product);

/* Metrics: the quantities of a run or a plan, each with its value, unit and source. */
#pragma once

#include "core/plan/order/renumber.h"
#include "core/plan/plan.h"
#include "core/plan/quantity.h"

enum { TESS_METRIC_NAME_SIZE = 3 * TESS_NAME_SIZE };

typedef struct tess_metric_value {
    char name[TESS_METRIC_NAME_SIZE]; /* a known metric, or one with a set's or dat's name behind a
                                  '/': sectors_per_block/q */
    char unit[TESS_NAME_SIZE];
    tess_source source;
    double value;
} tess_metric_value;

/* A quantity of each block. */
typedef struct tess_distribution {
    const char *name; /* of the quantity: "block_points" */
    double *values;   /* [n_blocks]; owned */
} tess_distribution;

enum { TESS_MOST_DISTRIBUTIONS = 32 };

typedef struct tess_metrics {
    int n_values;
    int64_t capacity;
    tess_metric_value *values;
    int32_t n_blocks;
    int n_distributions; /* that are computed, or read */
    tess_distribution distributions[TESS_MOST_DISTRIBUTIONS];
} tess_metrics;

TESS_MUST_CHECK tess_status tess_metrics_new(tess_metrics **out);
/* Adds a value, with the unit of its quantity; one of that name and source may be there. */
TESS_MUST_CHECK tess_status tess_metrics_add(tess_metrics *metrics, const char *name,
                                             tess_source source, double value);
/* Adds a value from the source that core/plan/quantities.h names; what is not finite is left out.
 */
TESS_MUST_CHECK tess_status tess_metrics_put(tess_metrics *metrics, const char *name, double value);
/* Adds all values of others, but not their distributions. */
TESS_MUST_CHECK tess_status tess_metrics_append(tess_metrics *metrics, const tess_metrics *others);
/* The first value of a name; or NULL, or NaN. */
const tess_metric_value *tess_metrics_find(const tess_metrics *metrics, const char *name);
double tess_metrics_get(const tess_metrics *metrics, const char *name);

/* Adds a quantity of each block; takes the values [n_blocks] over, where it fails, too. */
TESS_MUST_CHECK tess_status tess_metrics_add_blocks(tess_metrics *metrics, const char *name,
                                                    double *values);
/* Its values [n_blocks]; NULL where there are none. */
const double *tess_metrics_of_blocks(const tess_metrics *metrics, const char *name);
void tess_metrics_free(tess_metrics *metrics);

/* Computes every metric whose source is `plan`, and the distributions. `renumbering` is NULL where
 * points keep the mesh's numbers; `layout` applies to all dats. Of a part of a loop that reaches
 * its own set, neighbours and pieces are those within the part. */
TESS_MUST_CHECK tess_status tess_metrics_of_plan(const tess_bound_loop *bound,
                                                 const tess_plan *plan,
                                                 const tess_renumbering *renumbering,
                                                 tess_layout layout, tess_metrics **out);
/* Computes them where layouts of sets differ: of_set [n sets of the mesh] has the layout of each
 * set's dats. */
TESS_MUST_CHECK tess_status tess_metrics_of_plan_by_set(const tess_bound_loop *bound,
                                                        const tess_plan *plan,
                                                        const tess_renumbering *renumbering,
                                                        const tess_layout *of_set,
                                                        tess_metrics **out);

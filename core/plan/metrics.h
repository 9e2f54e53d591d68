/* Metrics: named numbers with a unit and a source, and what each name means
 * (docs/concepts.md, "Metrics"). */
#pragma once

#include "core/plan/order/renumber.h"
#include "core/plan/plan.h"

typedef enum tess_source {
    TESS_SOURCE_PLAN,
    TESS_SOURCE_EMULATOR,
    TESS_SOURCE_COUNTER,
    TESS_SOURCE_DRIVER,
    TESS_SOURCE_TIMER
} tess_source;

const char *tess_source_name(tess_source source);

/* What a metric's name means; the table is core/plan/metric_list.h. */
typedef struct tess_metric {
    const char *name;
    const char *unit;       /* "1" where it has none */
    const char *long_name;  /* one line */
    const char *definition; /* formula and, where it misleads, the pitfall; its words are explained
                               in core/plan/metric_list.h */
    int better;             /* 1: larger is better, -1: smaller is, 0: neither */
} tess_metric;

/* The known metrics, in the order of the table; NULL when there is none of that name, what follows
 * a / in it left out. */
const tess_metric *tess_metric_at(int i);
int tess_metric_count(void);
const tess_metric *tess_metric_find(const char *name);

/* Puts the name that a metric has now in the place of one that it had in earlier versions; what
 * follows a / or an @ stays. True where it was such a one. The new name is never longer. */
bool tess_metric_rename(char *name);

/* A text that names a metric as earlier versions did, say a filter: the old name and the new one.
 */
bool tess_metric_old_name_in(const char *text, const char **old, const char **now);

enum { TESS_METRIC_NAME_SIZE = 3 * TESS_NAME_SIZE };

typedef struct tess_metric_value {
    char name[TESS_METRIC_NAME_SIZE]; /* a known metric, or one with a set's or dat's name behind a
                                  '/': sectors_per_block/q */
    char unit[TESS_NAME_SIZE];
    tess_source source;
    double value;
} tess_metric_value;

typedef struct tess_metrics {
    int n_values;
    int64_t capacity;
    tess_metric_value *values;
    /* distributions, [n_blocks]; owned; NULL where not computed */
    int32_t n_blocks;
    int32_t *block_size, *block_points, *block_thread_colours, *block_components;
} tess_metrics;

TESS_MUST_CHECK tess_status tess_metrics_new(tess_metrics **out);
TESS_MUST_CHECK tess_status tess_metrics_add(tess_metrics *metrics, const char *name,
                                             tess_source source, double value);
/* A value by name (first of that name), NaN when absent. */
double tess_metrics_get(const tess_metrics *metrics, const char *name);
void tess_metrics_free(tess_metrics *metrics);

/* Computes every metric whose source is `plan`, and the distributions. `renumbering` is NULL where
 * points keep the mesh's numbers; `layout` applies to all dats. Of a part of a loop that reaches
 * its own set, neighbours and pieces are those within the part. */
TESS_MUST_CHECK tess_status tess_metrics_of_plan(const tess_bound_loop *bound,
                                                 const tess_plan *plan,
                                                 const tess_renumbering *renumbering,
                                                 tess_layout layout, tess_metrics **out);
/* The same where sets differ: of_set [n sets of the mesh] has the layout of each set's dats. */
TESS_MUST_CHECK tess_status tess_metrics_of_plan_by_set(const tess_bound_loop *bound,
                                                        const tess_plan *plan,
                                                        const tess_renumbering *renumbering,
                                                        const tess_layout *of_set,
                                                        tess_metrics **out);

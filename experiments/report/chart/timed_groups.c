/* Timed groups: the samples of equal runs, with intervals, and which groups may be the fastest. */
#include "experiments/report/chart/timed_groups.h"

#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/sort.h"
#include "core/base/statistics.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_RUNS = 4 }; /* of a group that are read: samples enough, and a large lab stays quick */

static const double same_margin = 0.01; /* as `tess compare` has it */

static int by_median(const void *a, const void *b) {
    const tess_timed_group *x = a, *y = b;
    return (x->median > y->median) - (x->median < y->median);
}

static tess_status find_interval(tess_timed_group *one) {
    double *values = NULL;
    one->low = -INFINITY;
    one->high = INFINITY;
    if (one->side.n == 0)
        return TESS_OK;
    TRY(TESS_ALLOC(one->side.n, &values));
    for (int64_t i = 0; i < one->side.n; i++)
        values[i] = one->side.values[i].value;
    tess_sort_reals(values, one->side.n);
    tess_median_interval(values, one->side.n, &one->low, &one->high);
    one->median = tess_median(values, one->side.n);
    free(values);
    return TESS_OK;
}

static tess_status read_samples(const tess_query *query, tess_timed_group *one) {
    tess_status status = TESS_OK;
    tess_record *record = NULL;
    for (int64_t i = one->group->n > MOST_RUNS ? one->group->n - MOST_RUNS : 0; i < one->group->n;
         i++) {
        CHECK(tess_interrupt_check());
        const char *id = tess_run_table_id(query->table, one->group->rows[i]);
        CHECK(tess_lab_read_run(query->lab, id, &record));
        if (tess_record_series(record, "time"))
            CHECK(tess_side_add(&one->side, record, "time"));
        if (!one->first)
            one->first = TESS_TAKE(record);
        tess_record_free(record);
        record = NULL;
    }
    CHECK(find_interval(one));
done:
    tess_record_free(record);
    return status;
}

/* Which are surely slower than the first one. */
static tess_status find_beaten(const tess_query *query, tess_timed_group *items, int64_t n) {
    tess_session_spread spread;
    if (n < 2 || items[0].side.n == 0)
        return TESS_OK;
    TRY(tess_session_spread_find(query->table, items[0].first, "time", &spread));
    for (int64_t i = 1; i < n; i++) {
        tess_run_comparison *found = &items[i].with_fastest;
        if (items[i].side.n == 0)
            continue;
        TRY(tess_sides_compare(&items[0].side, &items[i].side, &spread, same_margin, found));
        items[i].compared = true;
        items[i].beaten = found->verdict == TESS_LARGER;
    }
    return TESS_OK;
}

tess_status tess_timed_groups_read(const tess_query *query, const tess_row_group *of,
                                   const char *fields, const char *usual, int64_t most,
                                   tess_timed_groups *out) {
    tess_status status = TESS_OK;
    tess_timed_groups timed = {.n = 0};
    CHECK(tess_row_groups_split(query, of, fields, usual, &timed.all));
    CHECK(TESS_ZEROS(timed.all.n, &timed.items));
    for (int64_t g = 0; g < timed.all.n; g++) {
        tess_group_value time;
        CHECK(tess_row_group_value(query, &timed.all.items[g], "median_time", &time));
        timed.items[g] = (tess_timed_group){.group = &timed.all.items[g], .median = time.median};
    }
    qsort(timed.items, (size_t)timed.all.n, sizeof *timed.items, by_median);
    timed.n = timed.all.n < most ? timed.all.n : most;
    for (int64_t i = 0; i < timed.n; i++)
        CHECK(read_samples(query, &timed.items[i]));
    qsort(timed.items, (size_t)timed.n, sizeof *timed.items, by_median); /* by all their samples */
    CHECK(find_beaten(query, timed.items, timed.n));
    *out = timed;
    return TESS_OK;
done:
    tess_timed_groups_clear(&timed);
    return status;
}

void tess_timed_groups_clear(tess_timed_groups *groups) {
    for (int64_t i = 0; i < groups->n; i++) {
        tess_record_free(groups->items[i].first);
        tess_side_clear(&groups->items[i].side);
    }
    free(groups->items);
    tess_row_groups_clear(&groups->all);
}

tess_status tess_copy_bandwidth(const tess_query *query, const tess_row_group *group, double *out) {
    tess_run_field bandwidth, share;
    double *values = NULL;
    int64_t n = 0;
    *out = NAN;
    if (!tess_run_table_find(query->table, "bandwidth", &bandwidth) ||
        !tess_run_table_find(query->table, "useful_fraction", &share))
        return TESS_OK;
    TRY(TESS_ALLOC(group->n, &values));
    for (int64_t i = 0; i < group->n; i++) {
        const double copying = tess_run_number(query->table, &bandwidth, group->rows[i]) /
                               tess_run_number(query->table, &share, group->rows[i]);
        if (isfinite(copying))
            values[n++] = copying;
    }
    *out = tess_median(values, n);
    free(values);
    return TESS_OK;
}

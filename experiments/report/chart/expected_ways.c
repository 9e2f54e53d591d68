/* The ways to run a loop whose times are predicted in the runs of a problem, as the verdict has
 * them. */
#include "experiments/report/chart/expected_ways.h"

#include "core/base/array.h"
#include "core/base/stream_text.h"
#include <stdlib.h>

/* What tells ways to run a loop apart. */
static const char ways[] =
    "partitioner,strategy,layouts,block_size,refine,repair,points,order,renumber,threads";

static int by_seconds(const void *a, const void *b) {
    const tess_verdict_row *x = a, *y = b;
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

/* The GPU that a problem's times are predicted for. */
static const char *predicted_for(const tess_query *query, const tess_row_group *problem) {
    tess_run_field field;
    if (problem->n == 0 || !tess_run_table_find(query->table, "predicted_for", &field))
        return "GPU";
    const char *device = tess_run_text(query->table, &field, problem->rows[0]);
    return *device ? device : "GPU";
}

tess_status tess_expected_ways_read(const tess_query *query, const tess_row_group *problem,
                                    tess_expected_ways *out) {
    tess_group_value value, stored, launches;
    out->device = predicted_for(query, problem);
    TRY(tess_row_groups_build(query, problem->rows, problem->n, ways, false, &out->groups));
    TRY(TESS_ZEROS(out->groups.n + 1, &out->rows));
    for (int64_t g = 0; g < out->groups.n; g++) {
        const tess_row_group *group = &out->groups.items[g];
        TRY(tess_row_group_value(query, group, "predicted_time", &value));
        const tess_verdict_row row = tess_verdict_row_of(group->name, group->name, value.median);
        if (value.n > 0 && !row.is_yardstick)
            out->rows[out->n++] = row;
    }
    qsort(out->rows, (size_t)out->n, sizeof *out->rows, by_seconds);
    TRY(tess_row_group_value(query, problem, "stored_time", &stored));
    TRY(tess_row_group_value(query, problem, "stored_launch_time", &launches));
    if (stored.n == 0 || out->n == 0)
        return TESS_OK;
    tess_verdict_row *last = &out->rows[out->n++];
    *last = tess_verdict_row_of("as stored", NULL, stored.median);
    last->launch_seconds = launches.n ? launches.least : 0;
    last->is_stored = true;
    return TESS_OK;
}

void tess_expected_ways_clear(tess_expected_ways *all) {
    free(all->rows);
    tess_row_groups_clear(&all->groups);
}

tess_status tess_expected_ways_words(const tess_expected_ways *all, char **out) {
    tess_printed words;
    TRY(tess_printed_open(&words));
    tess_verdict_print(all->rows, all->n, all->device, words.stream);
    return tess_printed_close(&words, TESS_OK, out);
}

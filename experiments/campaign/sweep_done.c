/* What of a sweep is done: the points whose records a lab has, by their digests. */
#include "experiments/campaign/sweep_done.h"

#include "core/base/array.h"
#include "experiments/archive/run_table.h"
#include "experiments/campaign/sweep_points.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By digest, failed ones first, then by time: the last of a digest is its entry. */
static int compare_entries(const void *a, const void *b) {
    const tess_sweep_entry *left = a, *right = b;
    int order = strcmp(left->digest, right->digest);
    if (order == 0)
        order = (int)right->failed - (int)left->failed;
    return order ? order : strcmp(left->run, right->run);
}

static int compare_digests(const void *a, const void *b) {
    return strcmp(a, ((const tess_sweep_entry *)b)->digest);
}

static tess_status collect(const tess_run_table *table, tess_sweep_done *out) {
    tess_run_field point, outcome;
    *out = (tess_sweep_done){.n = 0};
    TRY(TESS_ALLOC(table->n_rows, &out->entries));
    if (!tess_run_table_find(table, TESS_SWEEP_POINT_KEY, &point) ||
        !tess_run_table_find(table, "outcome", &outcome))
        return TESS_OK; /* no run of a sweep yet */
    for (int64_t row = 0; row < table->n_rows; row++) {
        const char *digest = tess_run_text(table, &point, row);
        if (strlen(digest) != TESS_DIGEST_SIZE - 1)
            continue;
        tess_sweep_entry *entry = &out->entries[out->n++];
        *entry = (tess_sweep_entry){.failed =
                                        strcmp(tess_run_text(table, &outcome, row), "failed") == 0};
        memcpy(entry->digest, digest, sizeof entry->digest);
        snprintf(entry->run, sizeof entry->run, "%s", tess_run_table_id(table, row));
    }
    qsort(out->entries, (size_t)out->n, sizeof *out->entries, compare_entries);
    int64_t kept = 0;
    for (int64_t i = 0; i < out->n; i++) {
        if (kept > 0 && strcmp(out->entries[kept - 1].digest, out->entries[i].digest) == 0)
            kept--;
        out->entries[kept++] = out->entries[i];
    }
    out->n = kept;
    return TESS_OK;
}

tess_status tess_sweep_done_read(const tess_lab *lab, tess_sweep_done *out, int64_t *n_unreadable) {
    tess_run_table *table = NULL;
    TRY(tess_lab_table(lab, NULL, &table, n_unreadable));
    const tess_status status = collect(table, out);
    tess_run_table_free(table);
    return status;
}

void tess_sweep_done_clear(tess_sweep_done *done) {
    free(done->entries);
    *done = (tess_sweep_done){.n = 0};
}

const tess_sweep_entry *tess_sweep_done_find(const tess_sweep_done *done, const char *digest) {
    return done->n ? bsearch(digest, done->entries, (size_t)done->n, sizeof *done->entries,
                             compare_digests)
                   : NULL;
}

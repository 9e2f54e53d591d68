/* What ranks leave in a record: what they have of the mesh, and what their exchanges cost. */
#include "experiments/bench/rank_record.h"

#include "core/base/array.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEPT_ELEMENTS = 1000000 }; /* as many as a view is written of */

static tess_status record_halo(const tess_halo_metrics *halo, tess_record *record) {
    const struct {
        const char *name, *unit;
        double value;
    } counted[] = {{"ranks", "1", halo->n_ranks},
                   {"rank_imbalance", "1", halo->rank_imbalance},
                   {"core_share", "1", halo->core_share},
                   {"exec_share", "1", halo->exec_share},
                   {"read_share", "1", halo->read_share},
                   {"neighbours_mean", "1", halo->neighbours_mean},
                   {"neighbours_max", "1", halo->neighbours_max},
                   {"exchange_bytes", "B", (double)halo->exchange_bytes},
                   {"exchange_messages", "1", (double)halo->exchange_messages}};
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        TRY(tess_record_add_measure(record, counted[i].name, counted[i].unit, "plan",
                                    counted[i].value));
    return TESS_OK;
}

static tess_status record_timing(const tess_exchange_timing *timing, tess_record *record) {
    if (timing->n_rounds == 0)
        return TESS_OK;
    const struct {
        const char *name, *unit;
        double value;
    } timed[] = {{"exchange_seconds", "s", timing->exchange},
                 {"pack_seconds", "s", timing->pack},
                 {"exposed_seconds", "s", timing->exposed},
                 {"hidden_share", "1", timing->hidden}};
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
        if (isfinite(timed[i].value))
            TRY(tess_record_add_measure(record, timed[i].name, timed[i].unit, "timer",
                                        timed[i].value));
    return TESS_OK;
}

/* Keeps who owns what of the set that was cut. */
static tess_status keep_cut(const tess_mesh *mesh, const tess_ranked_march *march,
                            tess_record *record) {
    tess_status status = TESS_OK;
    const tess_set *set = &mesh->sets[march->cut_set];
    tess_rank_map ranks = {.n_ranks = march->crew->n_ranks,
                           .n = set->size,
                           .rank_of = march->owners->rank_of[march->cut_set]};
    if (set->size > MOST_KEPT_ELEMENTS)
        return TESS_OK;
    memcpy(ranks.set, set->name, sizeof ranks.set);
    CHECK(TESS_ALLOC(set->size, &ranks.n_copies));
    tess_halo_count_copies(tess_team_halo(march->team), march->cut_set, set->size, ranks.n_copies);
    CHECK(tess_record_set_ranks(record, &ranks));
done:
    free(ranks.n_copies);
    return status;
}

tess_status tess_record_ranks(const tess_mesh *mesh, const tess_ranked_march *march,
                              tess_record *record) {
    TRY(tess_values_set_number(&record->configuration, "ranks", (double)march->crew->n_ranks, "1"));
    if (march->crew->carriers[0])
        TRY(tess_values_set_text(&record->environment, "carriers", march->crew->carriers));
    TRY(record_halo(&march->halo, record));
    TRY(record_timing(&march->timing, record));
    return keep_cut(mesh, march, record);
}

/* What ranks leave in a record: what they have of the mesh, and what their exchanges cost. */
#include "experiments/bench/rank_record.h"

#include "core/base/array.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_KEPT_ELEMENTS = 1000000, /* as many as a view is written of */
    MOST_KEPT_RANKS = 64          /* whose counters are kept one by one */
};

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

/* What reuse blocks have, all ranks together. */
static tess_status record_blocks(const tess_rank_blocks *blocks, tess_record *record) {
    if (blocks->reuse.points == 0)
        return TESS_OK;
    TRY(tess_record_add_measure(record, "reuse_factor", "1", "plan",
                                (double)blocks->reuse.accesses / (double)blocks->reuse.points));
    return tess_record_add_measure(record, "blocks", "1", "plan", (double)blocks->blocks);
}

/* What each rank's loop did: NAME/rankR. */
static tess_status record_counters(const tess_ranked_march *march, tess_record *record) {
    const int32_t n_ranks = march->crew->n_ranks;
    for (int32_t r = 0; march->counters && r < n_ranks && n_ranks <= MOST_KEPT_RANKS; r++) {
        const tess_counters *c = &march->counters[r];
        const struct {
            const char *name;
            int64_t value;
        } counted[] = {{"read_sectors", c->read_sectors},
                       {"write_sectors", c->write_sectors},
                       {"atomic_sectors", c->atomic_sectors},
                       {"shared_bank_conflicts", c->shared_bank_conflicts},
                       {"barriers", c->barriers}};
        for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
            char name[TESS_METRIC_NAME_SIZE];
            snprintf(name, sizeof name, "%s/rank%d", counted[i].name, r);
            TRY(tess_record_add_measure(record, name, "1",
                                        tess_counters_estimated(c) ? "sample" : "emulator",
                                        (double)counted[i].value));
        }
    }
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
    TRY(record_blocks(&march->blocks, record));
    TRY(record_counters(march, record));
    TRY(record_timing(&march->timing, record));
    return keep_cut(mesh, march, record);
}

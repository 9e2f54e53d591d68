/* What ranks leave in a record beside their values: who they are, and what they have of the mesh.
 */
#include "experiments/bench/rank_record.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

/* Keeps who owns what of the set that was cut. */
static tess_status keep_cut(const tess_mesh *mesh, const tess_ranked_march *march,
                            tess_record *record) {
    tess_status status = TESS_OK;
    const tess_set *set = &mesh->sets[march->cut_set];
    tess_rank_map ranks = {.n_ranks = march->crew->n_ranks,
                           .n = set->size,
                           .rank_of = march->owners->rank_of[march->cut_set]};
    if (set->size > TESS_MOST_KEPT_ELEMENTS)
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
    const int first = march->place.step ? march->place.step->first : 0;
    TRY(tess_values_set_number(&record->configuration, "ranks", (double)march->crew->n_ranks, "1"));
    if (march->crew->carriers[0])
        TRY(tess_values_set_text(&record->environment, "carriers", march->crew->carriers));
    const tess_rank_cut *cut = &march->cuts[first];
    if (march->ways[first].is_cut) {
        TRY(tess_values_set_text(&record->environment, "partitioned_on",
                                 *cut->place ? cut->place : "host"));
        TRY(tess_values_set_text(&record->environment, "planned_on",
                                 *cut->planned ? cut->planned : "host"));
        if (*cut->remark)
            TRY(tess_record_log(record, "planned on the host: %s", cut->remark));
    }
    const tess_device *device = march->place.device;
    const char *remark = "";
    if (tess_team_tables_there(march->team, &remark))
        TRY(tess_values_set_text(&record->environment, "tables_made_on",
                                 device->model ? device->model(march->place.target)
                                               : device->name));
    else if (*remark)
        TRY(tess_record_log(record, "%s", remark));
    return keep_cut(mesh, march, record);
}

/* A rank's state: the rows of a state that the rank's mesh has. */
#include "kernels/exchange/rank_state.h"

#include "core/base/array.h"
#include <string.h>

/* Whether some loop adds to a global value. */
static bool is_sum(const tess_schedule *schedule, const tess_dat *dat) {
    for (int l = 0; l < schedule->n_loops && dat->set == TESS_GLOBAL; l++)
        for (int a = 0; a < schedule->bare[l]->n_args; a++) {
            const tess_arg *arg = &schedule->bare[l]->args[a];
            if (!arg->set[0] && arg->access == TESS_INC && strcmp(arg->dat, dat->name) == 0)
                return true;
        }
    return false;
}

static void copy_rows(const tess_rank_set *set, int64_t n, const tess_dat *whole, tess_dat *part,
                      bool to_part) {
    const size_t row = (size_t)whole->dim * tess_type_size(whole->type);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        char *there = (char *)whole->values + (size_t)set->global[i] * row;
        char *here = (char *)part->values + (size_t)i * row;
        memcpy(to_part ? here : there, to_part ? there : here, row);
    }
}

tess_status tess_rank_state_take(const tess_rank_mesh *rank_mesh, const tess_schedule *schedule,
                                 const tess_state *whole, tess_state **out) {
    tess_status status = TESS_OK;
    tess_state *state = NULL;
    CHECK(tess_state_new(rank_mesh->mesh, whole->real, &state));
    for (int i = 0; i < whole->n_dats; i++) {
        const tess_dat *dat = &whole->dats[i];
        const bool global = dat->set == TESS_GLOBAL;
        CHECK(tess_state_add(state, dat->name, global ? NULL : rank_mesh->mesh->sets[dat->set].name,
                             dat->dim, whole->is_real[i] ? "real" : tess_type_name(dat->type)));
        if (!global)
            copy_rows(&rank_mesh->sets[dat->set], rank_mesh->sets[dat->set].n, dat, &state->dats[i],
                      true);
        else if (rank_mesh->rank == 0 || !is_sum(schedule, dat))
            memcpy(state->dats[i].values, dat->values,
                   (size_t)dat->dim * tess_type_size(dat->type));
    }
    *out = TESS_TAKE(state);
done:
    tess_state_free(state);
    return status;
}

void tess_rank_state_give(const tess_rank_mesh *rank_mesh, const tess_schedule *schedule,
                          const tess_state *state, tess_state *whole) {
    for (int i = 0; i < whole->n_dats; i++) {
        tess_dat *dat = &whole->dats[i];
        if (dat->set != TESS_GLOBAL)
            copy_rows(&rank_mesh->sets[dat->set], rank_mesh->sets[dat->set].n_owned, dat,
                      &state->dats[i], false);
        else if (rank_mesh->rank == 0 || is_sum(schedule, dat))
            for (int d = 0; d < dat->dim; d++)
                tess_dat_set(dat, d, tess_dat_value(dat, d) + tess_dat_value(&state->dats[i], d));
    }
}

/* What a user's kernels start from: values of the dats that their description names. */
#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "kernels/loops/user_description.h"
#include "kernels/loops/user_kernel.h"
#include <string.h>

/* A number in [0, 1) from its place. */
static double random_value(uint64_t position) {
    uint64_t state = position * UINT64_C(0x9e3779b97f4a7c15);
    return (double)(tess_random_next(&state) >> 11) * 0x1p-53;
}

/* Whether the first loop that has a dat reads it. */
static bool is_read(const tess_user_kernel *const *users, int n, const char *dat) {
    bool is_there = false, read = false;
    for (int k = 0; k < n && !is_there; k++)
        for (int a = 0; a < users[k]->kernel.n_args; a++) {
            const tess_kernel_arg *arg = &users[k]->kernel.args[a];
            const bool is_it = strcmp(arg->dat, dat) == 0;
            is_there |= is_it;
            read |= is_it && (arg->access == TESS_READ || arg->access == TESS_RW);
        }
    return read;
}

static tess_status fill(const tess_user_kernel *user, int d, bool read, const tess_state *state,
                        tess_dat *dat) {
    const user_dat *about = &user->description->dats[d];
    const tess_mesh *mesh = state->mesh;
    start_kind start = about->start;
    if (start == START_DEFAULT)
        start = read ? START_RANDOM : START_ZERO;
    if (start == START_XYZ &&
        (dat->dim != mesh->dimension || !about->set || strcmp(about->set, "nodes") != 0))
        return tess_yaml_fail(user->description->yaml, about->node,
                              "dat '%s' starts from coordinates: it must be on nodes, dim %d on "
                              "this %dD mesh",
                              about->name, mesh->dimension, mesh->dimension);
    const int64_t n = tess_state_size(state, dat) * dat->dim;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t position = (uint64_t)i + (uint64_t)d * UINT64_C(0x10000000);
        double value = 0;
        if (start == START_RANDOM)
            value = dat->type == TESS_INT32 ? (double)(int64_t)(8 * random_value(position))
                                            : 0.5 + random_value(position);
        else if (start == START_INDEX)
            value = (double)(i / dat->dim);
        else if (start == START_XYZ)
            value = mesh->coordinates[i];
        tess_dat_set(dat, i, value);
    }
    return TESS_OK;
}

bool tess_user_kernel_is_coordinates(const tess_user_kernel *user, const char *dat) {
    const tess_user_description *about = user->description;
    for (int d = 0; d < about->n_dats; d++)
        if (strcmp(about->dats[d].name, dat) == 0)
            return about->dats[d].start == START_XYZ;
    return false;
}

tess_status tess_user_kernels_fill(const tess_user_kernel *const *users, int n, tess_state *state) {
    const tess_user_description *about = users[0]->description;
    for (int d = 0; d < about->n_dats; d++) {
        tess_dat *dat = tess_state_find(state, about->dats[d].name, about->dats[d].set);
        if (dat)
            TRY(fill(users[0], d, is_read(users, n, about->dats[d].name), state, dat));
    }
    return TESS_OK;
}

tess_status tess_user_kernel_start(const tess_user_kernel *user, const tess_mesh *mesh,
                                   tess_type real, tess_state **out) {
    tess_status status = TESS_OK;
    tess_state *state = NULL;
    const tess_user_description *about = user->description;
    CHECK(tess_state_new(mesh, real, &state));
    for (int d = 0; d < about->n_dats; d++) {
        const user_dat *dat = &about->dats[d];
        CHECK(tess_state_add(state, dat->name, dat->set, dat->dim, dat->type));
    }
    CHECK(tess_user_kernels_fill(&user, 1, state));
    *out = TESS_TAKE(state);
done:
    tess_state_free(state);
    return status;
}

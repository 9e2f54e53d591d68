/* A state: the values of all dats of an application, on the host, in the mesh's own numbering. */
#include "kernels/loops/state.h"

#include "core/base/array.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tess_status tess_state_new(const tess_mesh *mesh, tess_type real, tess_state **out) {
    TRY(TESS_ZEROS(1, out));
    (*out)->mesh = mesh;
    (*out)->real = real;
    return TESS_OK;
}

void tess_state_free(tess_state *state) {
    if (!state)
        return;
    for (int i = 0; i < state->n_dats; i++)
        free(state->dats[i].values);
    free(state->dats);
    free(state->is_real);
    free(state);
}

int64_t tess_state_size(const tess_state *state, const tess_dat *dat) {
    return dat->set == TESS_GLOBAL ? 1 : state->mesh->sets[dat->set].size;
}

tess_dat *tess_state_find(const tess_state *state, const char *name, const char *set) {
    const int index = set && set[0] ? tess_mesh_find_set(state->mesh, set) : TESS_GLOBAL;
    for (int i = 0; i < state->n_dats; i++)
        if (state->dats[i].set == index && strcmp(state->dats[i].name, name) == 0)
            return &state->dats[i];
    return NULL;
}

tess_status tess_state_add(tess_state *state, const char *name, const char *set, int dim,
                           const char *type) {
    tess_dat dat = {.set = TESS_GLOBAL, .dim = dim, .type = state->real};
    const bool is_real = strcmp(type, "real") == 0;
    if (!is_real)
        TRY(tess_type_parse(type, &dat.type));
    snprintf(dat.name, sizeof dat.name, "%s", name);
    if (set && set[0]) {
        dat.set = tess_mesh_find_set(state->mesh, set);
        if (dat.set < 0)
            FAIL(TESS_ERROR_INPUT, "%s has no %s, on which %s lies", state->mesh->source, set,
                 name);
    }
    if (tess_state_find(state, name, set))
        FAIL(TESS_ERROR_INTERNAL, "the dat %s is there already", name);
    int64_t capacity = state->n_dats;
    TRY(TESS_RESERVE(state->n_dats + 1, &capacity, &state->dats));
    capacity = state->n_dats;
    TRY(TESS_RESERVE(state->n_dats + 1, &capacity, &state->is_real));
    TRY(tess_array_zeros(tess_state_size(state, &dat) * dim, tess_type_size(dat.type),
                         &dat.values));
    state->is_real[state->n_dats] = is_real;
    state->dats[state->n_dats++] = dat;
    return TESS_OK;
}

void tess_state_remove(tess_state *state, int i) {
    const size_t n_behind = (size_t)(--state->n_dats - i);
    free(state->dats[i].values);
    memmove(&state->dats[i], &state->dats[i + 1], n_behind * sizeof *state->dats);
    memmove(&state->is_real[i], &state->is_real[i + 1], n_behind * sizeof *state->is_real);
}

void tess_state_put_coordinates(tess_state *state, const char *name) {
    tess_dat *dat = tess_state_find(state, name, "nodes");
    const int64_t n = dat->dim * tess_state_size(state, dat);
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        tess_dat_set(dat, i, state->mesh->coordinates[i]);
}

static inline double value_of(const void *values, tess_type type, int64_t i) {
    switch (type) {
    case TESS_INT32:
        return ((const int32_t *)values)[i];
    case TESS_FLOAT:
        return (double)((const float *)values)[i];
    case TESS_DOUBLE:
        break;
    }
    return ((const double *)values)[i];
}

double tess_dat_value(const tess_dat *dat, int64_t i) {
    return value_of(dat->values, dat->type, i);
}

void tess_dat_set(tess_dat *dat, int64_t i, double value) {
    switch (dat->type) {
    case TESS_INT32:
        ((int32_t *)dat->values)[i] = (int32_t)value;
        return;
    case TESS_FLOAT:
        ((float *)dat->values)[i] = (float)value;
        return;
    case TESS_DOUBLE:
        ((double *)dat->values)[i] = value;
        return;
    }
}

static tess_status blank(const tess_state *state, tess_type real, tess_state **out) {
    tess_status status = TESS_OK;
    tess_state *copy = NULL;
    CHECK(tess_state_new(state->mesh, real, &copy));
    for (int i = 0; i < state->n_dats; i++) {
        const tess_dat *dat = &state->dats[i];
        const char *type = state->is_real[i] ? "real" : tess_type_name(dat->type);
        CHECK(tess_state_add(copy, dat->name,
                             dat->set == TESS_GLOBAL ? NULL : state->mesh->sets[dat->set].name,
                             dat->dim, type));
    }
    *out = TESS_TAKE(copy);
done:
    tess_state_free(copy);
    return status;
}

tess_status tess_state_blank(const tess_state *state, tess_state **out) {
    return blank(state, state->real, out);
}

tess_status tess_state_copy(const tess_state *state, bool widened, tess_state **out) {
    TRY(blank(state, widened ? TESS_DOUBLE : state->real, out));
    for (int i = 0; i < state->n_dats; i++) {
        const tess_dat *dat = &state->dats[i];
        tess_dat *copy = &(*out)->dats[i];
        const int64_t n = tess_state_size(state, dat) * dat->dim;
        if (copy->type == dat->type) {
            tess_memory_copy(copy->values, dat->values, (size_t)n * tess_type_size(dat->type));
            continue;
        }
#pragma omp parallel for
        for (int64_t v = 0; v < n; v++)
            tess_dat_set(copy, v, tess_dat_value(dat, v));
    }
    return TESS_OK;
}

/* Both types are constants where it is called, so that they cost nothing inside the loop. */
static inline tess_extremes find_extremes(const void *got, tess_type got_type, const void *want,
                                          tess_type want_type, int64_t n) {
    double largest = 0, scale = 0;
    bool is_nan = false;
#pragma omp parallel for reduction(max : largest, scale) reduction(|| : is_nan)
    for (int64_t i = 0; i < n; i++) {
        const double value = value_of(want, want_type, i);
        const double difference = fabs(value_of(got, got_type, i) - value);
        is_nan |= isnan(difference);
        largest = difference > largest ? difference : largest;
        scale = fabs(value) > scale ? fabs(value) : scale;
    }
    return (tess_extremes){is_nan ? INFINITY : largest, scale};
}

tess_extremes tess_dat_extremes(const tess_dat *got, const tess_dat *want, int64_t n) {
    const bool doubles = got->type == TESS_DOUBLE && want->type == TESS_DOUBLE;
    const bool floats = got->type == TESS_FLOAT && want->type == TESS_DOUBLE;
    const void *a = got->values, *b = want->values;
    const int64_t n_values = n * want->dim;
    return doubles  ? find_extremes(a, TESS_DOUBLE, b, TESS_DOUBLE, n_values)
           : floats ? find_extremes(a, TESS_FLOAT, b, TESS_DOUBLE, n_values)
                    : find_extremes(a, got->type, b, want->type, n_values);
}

/* Of the largest value that is wanted. */
static double relative(tess_extremes found) {
    if (isinf(found.difference))
        return INFINITY;
    return found.difference > 0 ? found.difference / found.value : 0;
}

double tess_type_tolerance(tess_type type) {
    static const double tolerances[] = {
        [TESS_INT32] = 0.5e-9, [TESS_FLOAT] = 2e-4, [TESS_DOUBLE] = 1e-11};
    return tolerances[type];
}

tess_difference tess_difference_none(const tess_state *want) {
    return (tess_difference){.tolerance = tess_type_tolerance(want->real)};
}

void tess_difference_add(tess_difference *worst, tess_type got, const tess_dat *want,
                         tess_extremes found) {
    const double tolerance = tess_type_tolerance(got), largest = relative(found);
    if (largest / tolerance > worst->largest / worst->tolerance)
        *worst = (tess_difference){.largest = largest, .tolerance = tolerance, .dat = want};
}

tess_difference tess_state_compare(const tess_state *got, const tess_state *want) {
    tess_difference worst = tess_difference_none(want);
    for (int i = 0; i < want->n_dats; i++)
        tess_difference_add(&worst, got->dats[i].type, &want->dats[i],
                            tess_dat_extremes(&got->dats[i], &want->dats[i],
                                              tess_state_size(want, &want->dats[i])));
    return worst;
}

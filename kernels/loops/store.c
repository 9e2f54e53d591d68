/* A store: the dats of a state in the memory of a device, in the layout and order of a run. */
#include "kernels/loops/store.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tess_status layout_parse(const char *word, tess_layout *out, bool *whole_rows) {
    *whole_rows = strcmp(word, "aos16") == 0;
    if (strcmp(word, "aos") != 0 && strcmp(word, "soa") != 0 && !*whole_rows)
        FAIL(TESS_ERROR_USAGE,
             "'%s' is not a layout: write soa, aos, aos16, soa,SET=aos, soa,SET.DAT=aos or "
             "soa,maps=aos",
             word);
    *out = strcmp(word, "soa") == 0 ? TESS_SOA : TESS_AOS;
    return TESS_OK;
}

tess_status tess_layouts_parse(const char *text, tess_layouts *out) {
    tess_status status = TESS_OK;
    char *copy = NULL, *rest = NULL;
    int named = 0;
    *out = (tess_layouts){.layout = TESS_SOA};
    CHECK(tess_text_copy(text, &copy));
    for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(word, '=');
        if (!equals) {
            CHECK(layout_parse(word, &out->layout, &out->whole_rows));
            if (named++)
                CHECK(tess_fail(TESS_ERROR_USAGE,
                                "--layout names two layouts where one is meant: '%s'; of one set "
                                "it is SET=aos",
                                text));
            continue;
        }
        *equals = '\0';
        if (strcmp(word, "maps") == 0) {
            tess_layout maps = TESS_SOA;
            bool whole_rows = false;
            CHECK(layout_parse(equals + 1, &maps, &whole_rows));
            if (whole_rows)
                CHECK(tess_fail(TESS_ERROR_USAGE, "maps lie as soa or aos, not %s", equals + 1));
            out->maps_in_rows = maps == TESS_AOS;
            continue;
        }
        if (out->n_others == (int)(sizeof out->others / sizeof out->others[0]))
            CHECK(tess_fail(TESS_ERROR_USAGE, "--layout names too many sets and dats: '%s'", text));
        CHECK(layout_parse(equals + 1, &out->others[out->n_others].layout,
                           &out->others[out->n_others].whole_rows));
        snprintf(out->others[out->n_others].name, sizeof out->others[0].name, "%s", word);
        out->n_others++;
    }
done:
    free(copy);
    return status;
}

/* The layout of a dat: its own, or of its set, AoS where it is global; dat "": of the others. */
static tess_layout layout_of(const tess_layouts *layouts, const char *set, const char *dat,
                             bool *whole_rows) {
    *whole_rows = false;
    if (!set || !set[0])
        return TESS_AOS;
    char own[sizeof layouts->others[0].name];
    snprintf(own, sizeof own, "%s.%s", set, dat);
    for (int of_set = 0; of_set < 2; of_set++)
        for (int i = 0; i < layouts->n_others; i++)
            if (strcmp(layouts->others[i].name, of_set ? set : own) == 0) {
                *whole_rows = layouts->others[i].whole_rows;
                return layouts->others[i].layout;
            }
    *whole_rows = layouts->whole_rows;
    return layouts->layout;
}

tess_layout tess_layouts_of(const tess_layouts *layouts, const char *set) {
    bool whole_rows = false;
    return layout_of(layouts, set, "", &whole_rows);
}

int64_t tess_store_stride(int64_t size) {
    return (size + 31) & ~INT64_C(31);
}

static void draft_dat(tess_store *store, const tess_dat *dat, const tess_layouts *layouts) {
    const bool global = dat->set == TESS_GLOBAL;
    const char *set = global ? "" : store->state->mesh->sets[dat->set].name;
    const int size = (int)tess_type_size(dat->type), values = 16 / size;
    bool whole_rows = false;
    tess_stored *stored = &store->stored[store->n_stored++];
    *stored = (tess_stored){.dat = dat,
                            .layout = layout_of(layouts, set, dat->name, &whole_rows),
                            .stride = tess_store_stride(tess_state_size(store->state, dat))};
    stored->row = whole_rows ? (dat->dim + values - 1) / values * values : dat->dim;
    stored->bytes = stored->stride * stored->row * size;
}

/* Fails (USAGE) where the layouts name a dat that the state lacks. */
static tess_status dats_are_there(const tess_state *state, const tess_layouts *layouts) {
    for (int i = 0; i < layouts->n_others; i++) {
        const char *name = layouts->others[i].name, *dat = strchr(name, '.');
        bool found = !dat;
        for (int d = 0; d < state->n_dats && !found; d++) {
            const int set = state->dats[d].set;
            const char *on = set == TESS_GLOBAL ? "" : state->mesh->sets[set].name;
            found = strcmp(state->dats[d].name, dat + 1) == 0 &&
                    strlen(on) == (size_t)(dat - name) && strncmp(on, name, strlen(on)) == 0;
        }
        if (!found)
            FAIL(TESS_ERROR_USAGE, "--layout names %s, but there is no dat '%s' on '%.*s'", name,
                 dat + 1, (int)(dat - name), name);
    }
    return TESS_OK;
}

tess_status tess_store_draft(const tess_device *device, tess_target *target,
                             const tess_state *state, const tess_renumbering *renumbering,
                             const tess_layouts *layouts, tess_store **out) {
    tess_status status = TESS_OK;
    tess_store *store = NULL;
    CHECK(dats_are_there(state, layouts));
    CHECK(TESS_ZEROS(1, &store));
    *store = (tess_store){.device = device,
                          .target = target,
                          .state = state,
                          .renumbering = renumbering,
                          .maps_in_rows = layouts->maps_in_rows};
    CHECK(TESS_ZEROS(state->n_dats, &store->stored));
    for (int i = 0; i < state->n_dats; i++)
        draft_dat(store, &state->dats[i], layouts);
    *out = TESS_TAKE(store);
done:
    tess_store_close(store);
    return status;
}

tess_status tess_store_open(const tess_device *device, tess_target *target, const tess_state *state,
                            const tess_renumbering *renumbering, const tess_layouts *layouts,
                            tess_store **out) {
    tess_status status = TESS_OK;
    tess_store *store = NULL;
    CHECK(tess_store_draft(device, target, state, renumbering, layouts, &store));
    CHECK(tess_store_place(store));
    *out = TESS_TAKE(store);
done:
    tess_store_close(store);
    return status;
}

void tess_store_leave_out(tess_store *store, const tess_loop *loop) {
    for (int i = 0; i < store->n_stored; i++)
        store->stored[i].left_out = true;
    for (int a = 0; a < loop->n_args; a++) {
        const tess_dat *dat = tess_state_find(store->state, loop->args[a].dat, loop->args[a].set);
        if (dat)
            store->stored[dat - store->state->dats].left_out = false;
    }
}

void tess_store_close(tess_store *store) {
    if (!store)
        return;
    for (int i = 0; i < store->n_stored; i++)
        if (store->stored[i].placed)
            store->device->free(store->target, store->stored[i].address);
    for (int i = 0; i < store->n_stored; i++)
        if (store->stored[i].doubled)
            store->device->free(store->target, store->stored[i].other);
    free(store->stored);
    free(store);
}

static const tess_permutation *permutation_of(const tess_store *store, int set) {
    return store->renumbering ? tess_renumbering_of(store->renumbering, set) : NULL;
}

const int32_t *tess_store_order(const tess_store *store, int set) {
    const tess_permutation *order = permutation_of(store, set);
    return order ? order->old_to_new : NULL;
}

const int32_t *tess_store_elements(const tess_store *store, int set) {
    const tess_permutation *order = permutation_of(store, set);
    return order ? order->new_to_old : NULL;
}

/* One value of 4 or 8 bytes. */
static inline void move_value(char *to, const char *from, size_t size) {
    if (size == sizeof(double))
        memcpy(to, from, sizeof(double));
    else
        memcpy(to, from, sizeof(float));
}

/* Copies between a dat's values (element by element, in the mesh's order) and its stored image. */
static void arrange(const tess_store *store, const tess_stored *stored, char *image, char *values,
                    bool to_image) {
    const int32_t *order = tess_store_order(store, stored->dat->set);
    const int64_t n = tess_state_size(store->state, stored->dat);
    const int dim = stored->dat->dim;
    const size_t size = tess_type_size(stored->dat->type);
    const bool rows = stored->layout == TESS_AOS;
    const int64_t next_element = rows ? stored->row : 1, next_component = rows ? 1 : stored->stride;
#pragma omp parallel for
    for (int64_t e = 0; e < n; e++) {
        char *there = image + (size_t)((order ? order[e] : e) * next_element) * size;
        char *here = values + (size_t)(e * dim) * size;
        for (int d = 0; d < dim; d++, here += size, there += (size_t)next_component * size)
            move_value(to_image ? there : here, to_image ? here : there, size);
        if (to_image && rows) /* what pads a row */
            memset(there, 0, (size_t)(stored->row - dim) * size);
    }
}

/* Room for the image of any dat, so that its pages are touched once for all dats; the caller's. */
static tess_status image_new(const tess_store *store, char **out) {
    int64_t most = 0;
    for (int i = 0; i < store->n_stored; i++)
        if (!store->stored[i].left_out && store->stored[i].bytes > most)
            most = store->stored[i].bytes;
    return TESS_ALLOC(most, out);
}

/* Clears what lies past the last element of each component, or of the only row. */
static void clear_padding(const tess_store *store, const tess_stored *stored, char *image) {
    const int64_t n = tess_state_size(store->state, stored->dat);
    const bool rows = stored->layout == TESS_AOS;
    const int64_t n_parts = rows ? 1 : stored->dat->dim;
    const int64_t size = (int64_t)tess_type_size(stored->dat->type) * (rows ? stored->row : 1);
    for (int64_t part = 0; part < n_parts; part++)
        memset(image + (part * stored->stride + n) * size, 0,
               (size_t)((stored->stride - n) * size));
}

static tess_status upload(tess_store *store) {
    tess_status status = TESS_OK;
    char *image = NULL;
    CHECK(image_new(store, &image));
    for (int i = 0; i < store->n_stored; i++) {
        const tess_stored *stored = &store->stored[i];
        if (stored->left_out)
            continue;
        clear_padding(store, stored, image);
        arrange(store, stored, image, stored->dat->values, true);
        double clock = tess_clock_seconds();
        CHECK(store->device->upload(store->target, stored->address, image, stored->bytes));
        store->copy_seconds += tess_clock_lap(&clock);
    }
done:
    free(image);
    return status;
}

/* Brings the image of a dat from the device. */
static tess_status download(tess_store *store, const tess_stored *stored, char *image) {
    double clock = tess_clock_seconds();
    TRY(store->device->download(store->target, image, stored->address, stored->bytes));
    store->copy_seconds += tess_clock_lap(&clock);
    return TESS_OK;
}

/* The name of its memory. */
static void name_of(const tess_store *store, const tess_dat *dat, const char *more,
                    char name[2 * TESS_NAME_SIZE]) {
    if (dat->set == TESS_GLOBAL)
        snprintf(name, 2 * TESS_NAME_SIZE, "%s%s", dat->name, more);
    else
        snprintf(name, 2 * TESS_NAME_SIZE, "%.40s_%.40s%s", store->state->mesh->sets[dat->set].name,
                 dat->name, more);
}

static tess_status take_memory(const tess_store *store, tess_stored *stored) {
    char name[2 * TESS_NAME_SIZE];
    name_of(store, stored->dat, "", name);
    TRY(store->device->alloc(store->target, name, stored->bytes, &stored->address));
    stored->placed = true;
    return TESS_OK;
}

tess_status tess_store_double(tess_store *store, tess_stored *stored) {
    char name[2 * TESS_NAME_SIZE];
    if (stored->doubled)
        return TESS_OK;
    name_of(store, stored->dat, "_next", name);
    TRY(store->device->alloc(store->target, name, stored->bytes, &stored->other));
    stored->doubled = true;
    return TESS_OK;
}

void tess_stored_swap(tess_stored *stored) {
    const tess_address first = stored->address;
    stored->address = stored->other;
    stored->other = first;
}

tess_status tess_store_take_memory(tess_store *store) {
    for (int i = 0; i < store->n_stored; i++)
        if (!store->stored[i].left_out)
            TRY(take_memory(store, &store->stored[i]));
    store->placed = true;
    return TESS_OK;
}

tess_status tess_store_place(tess_store *store) {
    TRY(tess_store_take_memory(store));
    return upload(store);
}

tess_status tess_store_compare(tess_store *store, const tess_state *want, tess_difference *out) {
    tess_status status = TESS_OK;
    char *image = NULL, *values = NULL;
    CHECK(image_new(store, &image));
    CHECK(image_new(store, &values));
    *out = tess_difference_none(want);
    for (int i = 0; i < store->n_stored; i++) {
        const tess_stored *stored = &store->stored[i];
        if (stored->left_out)
            continue;
        tess_dat got = *stored->dat;
        got.values = values;
        CHECK(download(store, stored, image));
        arrange(store, stored, image, values, false);
        tess_difference_add(
            out, got.type, &want->dats[i],
            tess_dat_extremes(&got, &want->dats[i], tess_state_size(want, &want->dats[i])));
    }
done:
    free(values);
    free(image);
    return status;
}

tess_status tess_store_download(tess_store *store, tess_state *state) {
    for (int i = 0; i < store->n_stored; i++) {
        const tess_stored *stored = &store->stored[i];
        char *image = NULL;
        if (stored->left_out)
            continue;
        TRY(TESS_ALLOC(stored->bytes, &image));
        const tess_status status = download(store, stored, image);
        if (status == TESS_OK)
            arrange(store, stored, image, state->dats[i].values, false);
        free(image);
        TRY(status);
    }
    return TESS_OK;
}

const tess_stored *tess_store_find(const tess_store *store, const char *name, const char *set) {
    const tess_dat *dat = tess_state_find(store->state, name, set);
    for (int i = 0; dat && i < store->n_stored; i++)
        if (store->stored[i].dat == dat)
            return &store->stored[i];
    return NULL;
}

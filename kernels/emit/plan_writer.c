/* The file of an emitted plan. */
#include "core/base/array.h"
#include "core/base/whole_file.h"
#include "kernels/emit/emission.h"
#include "kernels/emit/texts/plan_format.h"

#include <stdio.h>
#include <stdlib.h>

/* Arrays that are to be written, in this order. */
typedef struct listing {
    int64_t n, capacity;
    struct plan_array *arrays;
    const void **values; /* NULL: zeros */
    int64_t value_capacity;
} listing;

static tess_status list(listing *all, const char *group, const char *name, int64_t bytes,
                        const void *values) {
    TRY(TESS_RESERVE(all->n + 1, &all->capacity, &all->arrays));
    TRY(TESS_RESERVE(all->n + 1, &all->value_capacity, &all->values));
    struct plan_array *array = &all->arrays[all->n];
    *array = (struct plan_array){.bytes = (uint64_t)bytes};
    snprintf(array->name, sizeof array->name, "%s%s", group, name);
    all->values[all->n++] = values;
    return TESS_OK;
}

static tess_status list_tables(listing *all, const char *group, const tess_page *page) {
    for (int i = 0; i < page->n_arrays; i++)
        TRY(list(all, group, page->arrays[i].name, page->arrays[i].bytes, page->arrays[i].values));
    return TESS_OK;
}

/* Gives the values of the dats at the start as they lie on the device; the caller frees
 * images[n_dats]. */
static tess_status list_dats(listing *all, const tess_emission *x, void **images) {
    const tess_store *store = x->store;
    for (int i = 0; i < x->n_dats; i++) {
        const tess_stored *stored = x->dats[i].stored;
        if (x->dats[i].before < 0) { /* a second buffer begins with zeros */
            TRY(tess_array_alloc(stored->bytes, 1, &images[i]));
            TRY(store->device->download(store->target, images[i], stored->address, stored->bytes));
        }
        TRY(list(all, "start/", x->dats[i].symbol, stored->bytes, images[i]));
    }
    return TESS_OK;
}

/* Where each element of a set is stored. */
static tess_status list_places(listing *all, const tess_emission *x, int32_t **places) {
    int sets[TESS_MOST_EMITTED_SETS];
    const tess_mesh *mesh = x->loop->start->mesh;
    const int n = tess_emission_sets(x, sets);
    for (int i = 0; i < n; i++) {
        const int64_t size = mesh->sets[sets[i]].size;
        const int32_t *order = tess_store_order(x->store, sets[i]);
        TRY(TESS_ALLOC(size, &places[i]));
        for (int64_t e = 0; e < size; e++)
            places[i][e] = order ? order[e] : (int32_t)e;
        TRY(list(all, "place/", mesh->sets[sets[i]].name, size * (int64_t)sizeof **places,
                 places[i]));
    }
    return TESS_OK;
}

static uint64_t aligned(uint64_t bytes) {
    return (bytes + PLAN_ALIGNED - 1) / PLAN_ALIGNED * PLAN_ALIGNED;
}

/* Says where each array stands; gives the size of the file. */
static uint64_t lay_out(listing *all) {
    uint64_t end = sizeof(struct plan_head) + (uint64_t)all->n * sizeof *all->arrays;
    for (int64_t i = 0; i < all->n; i++)
        if (all->values[i] && all->arrays[i].bytes > 0) {
            all->arrays[i].offset = aligned(end);
            end = all->arrays[i].offset + all->arrays[i].bytes;
        }
    return aligned(end);
}

static tess_status write_listing(const tess_emission *x, listing *all, const char *path) {
    tess_status status = TESS_OK;
    char *bytes = NULL;
    const uint64_t size = lay_out(all);
    CHECK(TESS_ZEROS((int64_t)size, &bytes));
    struct plan_head head = {
        .magic = PLAN_MAGIC, .version = PLAN_VERSION, .n_arrays = (uint32_t)all->n, .bytes = size};
    snprintf(head.program, sizeof head.program, "%.31s", x->program);
    snprintf(head.about, sizeof head.about, "%s", x->about);
    memcpy(bytes + sizeof head, all->arrays, (size_t)all->n * sizeof *all->arrays);
    for (int64_t i = 0; i < all->n; i++)
        if (all->arrays[i].offset > 0)
            memcpy(bytes + all->arrays[i].offset, all->values[i], (size_t)all->arrays[i].bytes);
    memcpy(bytes, &head, sizeof head);
    const size_t start = offsetof(struct plan_head, program);
    head.checksum = plan_checksum(0, bytes + start, (size_t)size - start);
    memcpy(bytes, &head, sizeof head);
    CHECK(tess_whole_file_remake(path, bytes, (size_t)size));
done:
    free(bytes);
    return status;
}

tess_status tess_emission_write_plan(const tess_emission *x, const char *path) {
    tess_status status = TESS_OK;
    listing all = {.n = 0};
    void **images = NULL;
    int32_t *places[TESS_MOST_EMITTED_SETS] = {NULL};
    CHECK(TESS_ZEROS(x->n_dats, &images));
    CHECK(list_tables(&all, "plan/", x->page));
    for (int i = 0; i < x->n_loops; i++) {
        char group[16];
        snprintf(group, sizeof group, "sequential/%d/", i & 63); /* loops of a step are fewer */
        CHECK(list_tables(&all, group, x->loops[i].page));
    }
    CHECK(list_dats(&all, x, images));
    CHECK(list_places(&all, x, places));
    CHECK(write_listing(x, &all, path));
done:
    for (int i = 0; i < TESS_MOST_EMITTED_SETS; i++)
        free(places[i]);
    for (int i = 0; images && i < x->n_dats; i++)
        free(images[i]);
    free(images);
    free(all.arrays);
    free(all.values);
    return status;
}

/* Originals: states before and after a loop in the memory of a device, from which runs are placed
 * and with which they are compared. */
#include "kernels/loops/originals.h"

#include "core/base/array.h"
#include "core/base/clock.h"
#include "kernels/devices/embed.h"
#include "kernels/devices/text_writer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

TESS_EMBED(tess_originals_text, "kernels/loops/originals.cu");

enum { THREADS = 256, MOST_BLOCKS = 1024, WARPS = THREADS / 32, FOUND = 4 };

/* A dat of both states on the device; addresses are 0 where the loop has no arg of it. */
typedef struct original {
    tess_address start, want;
} original;

struct tess_originals {
    const tess_device *device;
    tess_target *target;
    tess_original_states states;
    tess_device_module *module;
    original *dats;         /* [n_dats of the states] */
    tess_address *orders;   /* [n_sets of the mesh], of the store placed last; 0: not there yet */
    tess_address found;     /* [MOST_BLOCKS * WARPS][FOUND] doubles */
    double *found_here;     /* the same, on the host */
    int64_t ticket;         /* of the last comparison */
    const tess_store *last; /* whose orders are there; NULL: nobody's */
};

/* What a kernel goes through: a dat as it lies, beside its original. */
typedef struct work {
    const char *kernel;
    const tess_stored *got;
    const tess_dat *original;
    tess_address original_values, order;
} work;

static int64_t type_code(tess_type type) {
    return type == TESS_DOUBLE ? 2 : type == TESS_FLOAT ? 1 : 0;
}

static int64_t blocks_for(int64_t n) {
    const int64_t blocks = (n + THREADS - 1) / THREADS;
    return blocks < 1 ? 1 : blocks > MOST_BLOCKS ? MOST_BLOCKS : blocks;
}

static tess_status compile(tess_originals *originals) {
    tess_status status = TESS_OK;
    tess_text_writer page = {.text = NULL};
    tess_text_writer_print(&page,
                           "#define THREADS %d\n#define LAUNCH_BOUNDS __launch_bounds__(THREADS)\n"
                           "struct params {\n"
                           "    long long first, count, blocks, n, dim, next_element, next_value;\n"
                           "    long long got_type, original_type, ticket;\n"
                           "    const int *order;\n    void *got;\n    const void *original;\n"
                           "    double *found;\n};\n",
                           THREADS);
    tess_text_writer_include(&page, "originals.cu", tess_originals_text);
    CHECK(tess_text_writer_finish(&page));
    CHECK(originals->device->compile(originals->target, page.text, &originals->module));
done:
    tess_text_writer_clear(&page);
    return status;
}

static tess_status run(tess_originals *originals, const work *what, int64_t n) {
    const tess_device *device = originals->device;
    const tess_stored *got = what->got;
    const bool rows = got->layout == TESS_AOS;
    const int64_t blocks = blocks_for(n);
    tess_launch launch = {.n_blocks = blocks, .threads = THREADS, .count = n};
    snprintf(launch.kernel, sizeof launch.kernel, "%s", what->kernel);
    const uint64_t words[] = {0,
                              (uint64_t)n,
                              (uint64_t)blocks,
                              (uint64_t)n,
                              (uint64_t)got->dat->dim,
                              (uint64_t)(rows ? got->row : 1),
                              (uint64_t)(rows ? 1 : got->stride),
                              (uint64_t)type_code(got->dat->type),
                              (uint64_t)type_code(what->original->type),
                              (uint64_t)originals->ticket,
                              what->order,
                              got->address,
                              what->original_values,
                              originals->found};
    if (device->lock)
        device->lock(originals->target);
    const tess_status status = device->launch(originals->target, originals->module, &launch, words,
                                              (int)(sizeof words / sizeof *words));
    if (device->unlock)
        device->unlock(originals->target);
    return status;
}

/* --- comparing -------------------------------------------------------------------------------- */

/* Compares a dat on the device; `ran` is false where its kernel did nothing. */
static tess_status compare_dat(tess_originals *originals, const work *what, int64_t n,
                               tess_extremes *out, bool *ran) {
    const int64_t n_warps = blocks_for(n) * WARPS;
    originals->ticket++;
    TRY(run(originals, what, n));
    TRY(originals->device->download(originals->target, originals->found_here, originals->found,
                                    n_warps * FOUND * (int64_t)sizeof(double)));
    *out = (tess_extremes){0, 0};
    *ran = true;
    for (int64_t w = 0; w < n_warps; w++) {
        const double *found = &originals->found_here[w * FOUND];
        *ran = *ran && found[3] == (double)originals->ticket;
        out->difference = found[2] > 0 ? INFINITY : fmax(out->difference, found[0]);
        out->value = fmax(out->value, found[1]);
    }
    return TESS_OK;
}

/* Compares the start with what is wanted, here and there, or with itself. */
static tess_status try_comparing(tess_originals *originals, bool *same) {
    const tess_state *start = originals->states.start, *want = originals->states.want;
    *same = true;
    for (int i = 0; i < start->n_dats && *same; i++) {
        const tess_dat *dat = &start->dats[i];
        const int64_t n = tess_state_size(start, dat);
        const tess_stored got = {
            .dat = dat, .layout = TESS_AOS, .row = dat->dim, .address = originals->dats[i].start};
        const original *kept = &originals->dats[i];
        const work what = {"compare_original", &got, want ? &want->dats[i] : dat,
                           want ? kept->want : kept->start, 0};
        tess_extremes there, here = {0, 0};
        if (!kept->start)
            continue;
        TRY(compare_dat(originals, &what, n, &there, same));
        if (want)
            here = tess_dat_extremes(dat, &want->dats[i], n);
        *same =
            *same && there.difference == here.difference && (!want || there.value == here.value);
    }
    return TESS_OK;
}

/* --- opening ---------------------------------------------------------------------------------- */

static tess_status prefetch(tess_originals *originals, const tess_state *state, const tess_dat *dat,
                            tess_address *out) {
    const int64_t bytes =
        tess_state_size(state, dat) * dat->dim * (int64_t)tess_type_size(dat->type);
    TRY(originals->device->alloc(originals->target, dat->name, bytes, out));
    return originals->device->upload(originals->target, *out, dat->values, bytes);
}

static tess_status prefetch_all(tess_originals *originals) {
    const tess_original_states *states = &originals->states;
    const int64_t found_bytes = (int64_t)MOST_BLOCKS * WARPS * FOUND * (int64_t)sizeof(double);
    TRY(TESS_ZEROS(states->start->n_dats, &originals->dats));
    TRY(TESS_ZEROS(states->start->mesh->n_sets, &originals->orders));
    TRY(TESS_ZEROS(found_bytes / (int64_t)sizeof(double), &originals->found_here));
    TRY(originals->device->alloc(originals->target, "differences", found_bytes, &originals->found));
    for (int a = 0; a < states->loop->n_args; a++) {
        const tess_arg *arg = &states->loop->args[a];
        const tess_dat *dat = tess_state_find(states->start, arg->dat, arg->set);
        original *kept = dat ? &originals->dats[dat - states->start->dats] : NULL;
        if (!kept || kept->start)
            continue;
        TRY(prefetch(originals, states->start, dat, &kept->start));
        if (states->want)
            TRY(prefetch(originals, states->want, &states->want->dats[dat - states->start->dats],
                         &kept->want));
    }
    return TESS_OK;
}

tess_status tess_originals_open(const tess_device *device, tess_target *target,
                                const tess_original_states *states, tess_originals **out) {
    tess_status status = TESS_OK;
    tess_originals *originals = NULL;
    bool same = false;
    *out = NULL;
    CHECK(TESS_ZEROS(1, &originals));
    *originals = (tess_originals){.device = device, .target = target, .states = *states};
    CHECK(compile(originals));
    CHECK(prefetch_all(originals));
    CHECK(try_comparing(originals, &same));
    if (same)
        *out = TESS_TAKE(originals);
done:
    tess_originals_close(originals);
    return status;
}

static void let_go(const tess_originals *originals, tess_address address) {
    if (address)
        originals->device->free(originals->target, address);
}

void tess_originals_close(tess_originals *originals) {
    if (!originals)
        return;
    const tess_state *start = originals->states.start;
    for (int i = 0; originals->dats && i < start->n_dats; i++) {
        let_go(originals, originals->dats[i].start);
        let_go(originals, originals->dats[i].want);
    }
    for (int s = 0; originals->orders && s < start->mesh->n_sets; s++)
        let_go(originals, originals->orders[s]);
    let_go(originals, originals->found);
    if (originals->module)
        originals->device->unload(originals->target, originals->module);
    free(originals->dats);
    free(originals->orders);
    free(originals->found_here);
    free(originals);
}

/* --- runs ------------------------------------------------------------------------------------- */

/* Brings the store's order of every set, into memory that all stores share. */
static tess_status prefetch_orders(tess_originals *originals, tess_store *store) {
    const tess_device *device = originals->device;
    const tess_mesh *mesh = originals->states.start->mesh;
    double clock = tess_clock_seconds();
    originals->last = NULL;
    for (int s = 0; s < mesh->n_sets; s++) {
        const int32_t *order = tess_store_order(store, s);
        const int64_t bytes = mesh->sets[s].size * (int64_t)sizeof *order;
        if (!order)
            continue;
        if (!originals->orders[s])
            TRY(device->alloc(originals->target, mesh->sets[s].name, bytes, &originals->orders[s]));
        TRY(device->upload(originals->target, originals->orders[s], order, bytes));
    }
    originals->last = store;
    store->copy_seconds += tess_clock_lap(&clock);
    return TESS_OK;
}

/* The order of a stored dat's elements that is there; 0: its set keeps its own. */
static tess_address order_of(const tess_originals *originals, const tess_store *store,
                             const tess_dat *dat) {
    return dat->set != TESS_GLOBAL && tess_store_order(store, dat->set)
               ? originals->orders[dat->set]
               : 0;
}

tess_status tess_originals_place(tess_originals *originals, tess_store *store) {
    TRY(tess_store_take_memory(store));
    TRY(prefetch_orders(originals, store));
    for (int i = 0; i < store->n_stored; i++) {
        const tess_stored *stored = &store->stored[i];
        const work what = {"place_original", stored, stored->dat, originals->dats[i].start,
                           order_of(originals, store, stored->dat)};
        if (!stored->left_out)
            TRY(run(originals, &what, tess_state_size(store->state, stored->dat)));
    }
    return TESS_OK;
}

tess_status tess_originals_compare(tess_originals *originals, tess_store *store,
                                   tess_difference *out) {
    const tess_state *want = originals->states.want;
    if (originals->last != store)
        TRY(prefetch_orders(originals, store));
    *out = tess_difference_none(want);
    for (int i = 0; i < store->n_stored; i++) {
        const tess_stored *stored = &store->stored[i];
        const work what = {"compare_original", stored, &want->dats[i], originals->dats[i].want,
                           order_of(originals, store, stored->dat)};
        tess_extremes found;
        bool ran = false;
        if (stored->left_out)
            continue;
        TRY(compare_dat(originals, &what, tess_state_size(store->state, stored->dat), &found,
                        &ran));
        if (!ran)
            FAIL(TESS_ERROR_INTERNAL, "the device did not compare '%s'", stored->dat->name);
        tess_difference_add(out, stored->dat->type, &want->dats[i], found);
    }
    originals->last = NULL;
    return TESS_OK;
}

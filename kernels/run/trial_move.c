/* Moving a trial: what it has on the device lies elsewhere afterwards. */
#include "kernels/run/trial_move.h"

#include "core/base/array.h"
#include <stdlib.h>

/* Memory of the trial, and where it was. */
typedef struct moved {
    tess_address *address;
    int64_t bytes;
    tess_address before; /* 0: it is not moved yet */
} moved;

bool tess_trial_can_move(const tess_trial *trial) {
    const tess_execution *x = trial->execution;
    return x && !x->peer && !x->copies && trial->store->device->copy;
}

/* Lists what is to be moved, second buffers of a chain among it; the caller frees it. */
static tess_status list_memory(const tess_trial *trial, moved **out, int *n) {
    const tess_page *page = &trial->execution->page;
    const tess_store *store = trial->store;
    TRY(TESS_ZEROS(2 * store->n_stored + page->n_arrays, out));
    for (int i = 0; i < store->n_stored; i++) {
        tess_stored *one = &store->stored[i];
        if (one->placed)
            (*out)[(*n)++] = (moved){.address = &one->address, .bytes = one->bytes};
        if (one->doubled)
            (*out)[(*n)++] = (moved){.address = &one->other, .bytes = one->bytes};
    }
    for (int i = 0; i < page->n_arrays; i++)
        if (page->arrays[i].placed)
            (*out)[(*n)++] =
                (moved){.address = &page->arrays[i].address, .bytes = page->arrays[i].bytes};
    return TESS_OK;
}

static tess_status move_one(const tess_store *store, moved *one) {
    tess_address there = 0;
    TRY(store->device->alloc(store->target, "what is moved", one->bytes, &there));
    const tess_status status =
        one->bytes > 0 ? store->device->copy(store->target, there, *one->address, one->bytes)
                       : TESS_OK;
    one->before = status == TESS_OK ? *one->address : there;
    if (status == TESS_OK)
        *one->address = there;
    return status;
}

/* The device's copies are done before what they read is given back: `free` waits for them. */
static tess_status move_all(const tess_trial *trial) {
    tess_status status = TESS_OK;
    const tess_store *store = trial->store;
    moved *all = NULL;
    int n = 0;
    CHECK(list_memory(trial, &all, &n));
    for (int i = 0; i < n; i++)
        CHECK(move_one(store, &all[i]));
done:
    for (int i = 0; i < n; i++)
        if (all[i].before)
            store->device->free(store->target, all[i].before);
    free(all);
    return status;
}

tess_status tess_trial_move(tess_trial *trial) {
    tess_execution *x = trial->execution;
    const bool has_graph = x->graph != NULL;
    if (has_graph)
        trial->store->device->graph_free(trial->store->target, x->graph);
    x->graph = NULL;
    const tess_status status = move_all(trial);
    tess_page_find_arrays(&x->page);
    tess_page_find_dats(&x->page);
    TRY(status);
    return has_graph ? tess_execution_use_graph(x) : TESS_OK;
}

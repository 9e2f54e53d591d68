/* A sequential loop: a loop of an emission over one element after another. */
#include "kernels/emit/sequential_loop.h"

/* Rows are as long as those of the other store, whatever their values' type. */
static void lie_alike(tess_store *store, const tess_store *like) {
    for (int i = 0; i < store->n_stored; i++) {
        tess_stored *stored = &store->stored[i];
        stored->row = like->stored[i].row;
        stored->bytes = stored->stride * stored->row * (int64_t)tess_type_size(stored->dat->type);
    }
}

tess_status tess_sequential_loop_draft(const tess_state *doubles, const tess_store *like,
                                       const tess_layouts *layouts, const tess_kernel *kernel,
                                       tess_sequential_loop *out) {
    const tess_spec none = {.name = (char[]){"sequential"}};
    tess_execution_options options = {.kernel = kernel, .spec = &none};
    *out = (tess_sequential_loop){.kernel = kernel};
    TRY(tess_device_open("host", &out->device, &out->target));
    TRY(tess_strategy_find("sequential", &options.strategy));
    TRY(tess_kernel_loop(kernel, doubles->real, &out->loop));
    TRY(tess_kernel_bind(out->loop, doubles->mesh, &out->bound));
    TRY(tess_kernel_plan_direct(out->bound, NULL, 1 << 20, &out->plan));
    TRY(tess_store_draft(out->device, out->target, doubles, like->renumbering, layouts,
                         &out->store));
    lie_alike(out->store, like);
    TRY(tess_execution_draft(&options, out->store, out->bound, out->plan, &out->execution));
    out->page = &out->execution->page;
    return TESS_OK;
}

void tess_sequential_loop_clear(tess_sequential_loop *loop) {
    tess_execution_close(loop->execution);
    tess_store_close(loop->store);
    tess_plan_free(loop->plan);
    tess_bound_loop_free(loop->bound);
    tess_loop_free(loop->loop);
    if (loop->target)
        loop->device->close(loop->target);
    *loop = (tess_sequential_loop){.kernel = NULL};
}

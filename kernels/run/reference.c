/* The reference: the state after a loop ran once, in double. */
#include "kernels/run/reference.h"

#include "core/base/array.h"
#include "kernels/run/execution.h"

/* The loop of a kernel that is not compiled in, by the strategy `sequential` on the host. */
static tess_status reference_on_host(const tess_kernel *kernel, const tess_bound_loop *bound,
                                     tess_state *state) {
    tess_status status = TESS_OK;
    const tess_device *device = NULL;
    tess_target *target = NULL;
    tess_plan *plan = NULL;
    tess_store *store = NULL;
    tess_execution *x = NULL;
    const tess_layouts layouts = {.layout = TESS_AOS};
    const tess_spec none = {.name = (char[]){"sequential"}};
    tess_execution_options options = {.kernel = kernel, .spec = &none};
    CHECK(tess_device_open("host", &device, &target));
    CHECK(tess_strategy_find("sequential", &options.strategy));
    CHECK(tess_kernel_plan_direct(bound, NULL, 1 << 20, &plan));
    CHECK(tess_store_open(device, target, state, NULL, &layouts, &store));
    CHECK(tess_execution_open(&options, store, bound, plan, &x));
    CHECK(tess_execution_run(x));
    CHECK(tess_store_download(store, state));
done:
    tess_execution_close(x);
    tess_store_close(store);
    tess_plan_free(plan);
    if (target)
        device->close(target);
    return status;
}

static tess_status run_once(const tess_kernel *kernel, tess_state *state) {
    tess_status status = TESS_OK;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    CHECK(tess_kernel_loop(kernel, TESS_DOUBLE, &loop));
    CHECK(tess_kernel_bind(loop, state->mesh, &bound));
    CHECK(kernel->reference ? tess_kernel_reference(kernel, bound, state)
                            : reference_on_host(kernel, bound, state));
done:
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    return status;
}

tess_status tess_reference_run_all(const tess_kernel *const *kernels, int n,
                                   const tess_state *start, tess_state **out) {
    tess_status status = TESS_OK;
    tess_state *state = NULL;
    CHECK(tess_state_copy(start, true, &state));
    for (int k = 0; k < n; k++)
        CHECK(run_once(kernels[k], state));
    *out = TESS_TAKE(state);
done:
    tess_state_free(state);
    return status;
}

tess_status tess_reference_run(const tess_kernel *kernel, const tess_state *start,
                               tess_state **out) {
    return tess_reference_run_all(&kernel, 1, start, out);
}

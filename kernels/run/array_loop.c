/* An array loop: a user's kernel over maps, run on arrays of the caller's where they lie. */
#include "kernels/run/array_loop.h"

#include "core/base/array.h"
#include "core/mesh/pairs.h"
#include "kernels/loops/kernel_probe.h"
#include "kernels/run/declarations.h"
#include "kernels/run/execution.h"
#include "partitioners/partitioner.h"
#include <stdlib.h>
#include <string.h>

struct tess_array_loop {
    tess_user_kernel *user;
    char *header, *description; /* its files, for messages */
    bool is_tried;              /* the kernel was, on values of a caller */
    const tess_device *device;
    tess_target *target;
    tess_loop *loop;
    tess_bound_loop *bound;
    tess_state *state;   /* of which nobody uses the values */
    tess_store *store;   /* of arrays as the caller has them */
    tess_address *taken; /* memory of its own for each, where arrays are brought to a device */
    tess_spec *spec;     /* a list of one: the strategy */
    tess_plan *plan;
    tess_execution *execution;
};

static const char SPEC[] = "name with its options";

/* --- what it is of ---------------------------------------------------------------------------- */

static tess_status refuse_sums(const tess_kernel *kernel) {
    for (int a = 0; a < kernel->n_args; a++)
        if (!kernel->args[a].set && kernel->args[a].access != TESS_READ)
            FAIL(TESS_ERROR_INPUT,
                 "arg %d ('%s') of %s is a sum over all elements, which has other bits in every "
                 "run: write each element's share to a dat on %s, and sum that",
                 a, kernel->args[a].dat, kernel->name, kernel->set);
    return TESS_OK;
}

static tess_status make_state(const tess_kernel *kernel, const tess_mesh *mesh, tess_type real,
                              tess_state **out) {
    tess_status status = TESS_OK;
    tess_state *state = NULL;
    CHECK(tess_state_new(mesh, real, &state));
    for (int a = 0; a < kernel->n_args; a++) {
        const tess_kernel_arg *arg = &kernel->args[a];
        if (!tess_state_find(state, arg->dat, arg->set))
            CHECK(tess_state_add(state, arg->dat, arg->set, tess_kernel_arg_row(arg), arg->type));
    }
    *out = TESS_TAKE(state);
done:
    tess_state_free(state);
    return status;
}

/* Arrays lie element by element, without room behind the last one. */
static tess_status draft_store(tess_array_loop *x) {
    tess_layouts rows;
    TRY(tess_layouts_parse("aos", &rows));
    TRY(tess_store_draft(x->device, x->target, x->state, NULL, &rows, &x->store));
    for (int i = 0; i < x->store->n_stored; i++) {
        tess_stored *stored = &x->store->stored[i];
        const int64_t n = tess_state_size(x->state, stored->dat);
        stored->bytes = (n > 0 ? n : 1) * stored->row * (int64_t)tess_type_size(stored->dat->type);
    }
    return TESS_OK;
}

/* --- its blocks ------------------------------------------------------------------------------- */

/* The set that the loop increments first, of pairs that of their rows; -1: none. */
static int incremented_set(const tess_bound_loop *bound) {
    for (int t = 0; t < bound->n_targets; t++) {
        const tess_map *pairs = tess_pairs_of_set(bound->mesh, bound->targets[t].set);
        if (bound->targets[t].incremented)
            return pairs ? pairs->to : bound->targets[t].set;
    }
    return -1;
}

static tess_status cut(const tess_array_loop *x, const tess_array_loop_setting *setting, int owned,
                       tess_partition **out) {
    tess_status status = TESS_OK;
    tess_partition_problem *problem = NULL;
    const tess_partitioner *plugin = NULL;
    tess_spec *spec = NULL;
    double seconds = 0;
    CHECK(tess_spec_parse_one(setting->partitioner ? setting->partitioner : "file-order", SPEC,
                              &spec));
    CHECK(tess_partitioner_find(spec->name, &plugin));
    CHECK(owned >= 0 ? tess_partition_problem_build_inverse(x->bound, owned, setting->block_size, 1,
                                                            &problem)
                     : tess_partition_problem_build(x->bound, TESS_POINTS_INCREMENTS,
                                                    setting->block_size, 1, &problem));
    CHECK(tess_partitioner_run(plugin, problem, spec, TESS_REPAIR_SPLIT, &seconds, out));
done:
    tess_spec_list_free(spec, 1);
    tess_partition_problem_free(problem);
    return status;
}

static tess_status make_plan(tess_array_loop *x, const tess_array_loop_setting *setting,
                             const tess_strategy *strategy) {
    tess_status status = TESS_OK;
    tess_partition *partition = NULL;
    const int owned = strategy->owns_points ? incremented_set(x->bound) : -1;
    if (x->bound->n_targets == 0)
        return tess_kernel_plan_direct(x->bound, NULL, setting->block_size, &x->plan);
    CHECK(cut(x, setting, owned, &partition));
    CHECK(owned >= 0 ? tess_plan_build_owned(x->bound, owned, partition, NULL, &x->plan)
                     : tess_plan_build(x->bound, partition, NULL, &x->plan));
done:
    tess_partition_free(partition);
    return status;
}

/* --- its strategy ----------------------------------------------------------------------------- */

/* Makes plan and page by one. */
static tess_status try_strategy(tess_array_loop *x, const tess_array_loop_setting *setting,
                                const char *text) {
    tess_execution_options options = {.kernel = &x->user->kernel};
    tess_spec_list_free(x->spec, 1);
    tess_plan_free(x->plan);
    x->spec = NULL;
    x->plan = NULL;
    TRY(tess_spec_parse_one(text, SPEC, &x->spec));
    TRY(tess_strategy_find(x->spec->name, &options.strategy));
    TRY(tess_spec_check(x->spec, options.strategy->options));
    TRY(tess_execution_check_device(options.strategy, x->device));
    if (options.strategy->owns_points && incremented_set(x->bound) < 0)
        FAIL(TESS_ERROR_USAGE, "loop %s increments nothing through a map: %s is for loops that do",
             x->loop->name, options.strategy->name);
    if (options.strategy->fits)
        TRY(options.strategy->fits(x->bound, x->spec));
    TRY(make_plan(x, setting, options.strategy));
    options.spec = x->spec;
    return tess_execution_draft(&options, x->store, x->bound, x->plan, &x->execution);
}

/* By the strategy that is asked for, or the first that fits. */
static tess_status choose_strategy(tess_array_loop *x, const tess_array_loop_setting *setting) {
    static const char *const repeatable[] = {"gather", "point-parallel", "block-colour", NULL};
    if (setting->strategy)
        return try_strategy(x, setting, setting->strategy);
    if (x->device->one_thread)
        return try_strategy(x, setting, "openmp");
    tess_status status = TESS_ERROR_USAGE;
    for (int i = 0; repeatable[i] && status == TESS_ERROR_USAGE; i++)
        status = try_strategy(x, setting, repeatable[i]);
    return status;
}

tess_status tess_array_loop_build(tess_mesh *mesh, const tess_array_loop_setting *setting,
                                  tess_array_loop **out) {
    tess_status status = TESS_OK;
    tess_array_loop *x = NULL;
    CHECK(TESS_ZEROS(1, &x));
    CHECK(tess_user_kernel_read(setting->header, setting->description, &x->user));
    CHECK(tess_text_copy(setting->header, &x->header));
    CHECK(tess_text_copy(setting->description, &x->description));
    const tess_kernel *kernel = &x->user->kernel;
    CHECK(refuse_sums(kernel));
    CHECK(tess_user_kernel_bind(x->user, mesh));
    CHECK(tess_kernel_loop(kernel, setting->real, &x->loop));
    CHECK(tess_kernel_bind(x->loop, mesh, &x->bound));
    CHECK(tess_declarations_check(kernel, x->bound));
    CHECK(tess_device_open(setting->device ? setting->device : "host", &x->device, &x->target));
    if (x->device->compiles_only)
        CHECK(tess_fail(TESS_ERROR_USAGE, "device %s runs no loops: take host, cuda or emulator",
                        x->device->name));
    CHECK(make_state(kernel, mesh, setting->real, &x->state));
    CHECK(draft_store(x));
    CHECK(choose_strategy(x, setting));
    CHECK(tess_execution_place(x->execution));
    *out = TESS_TAKE(x);
done:
    tess_array_loop_free(x);
    return status;
}

void tess_array_loop_free(tess_array_loop *x) {
    if (!x)
        return;
    tess_execution_close(x->execution);
    tess_plan_free(x->plan);
    tess_spec_list_free(x->spec, 1);
    for (int i = 0; x->taken && i < x->store->n_stored; i++)
        x->device->free(x->target, x->taken[i]);
    free(x->taken);
    tess_store_close(x->store);
    tess_state_free(x->state);
    tess_bound_loop_free(x->bound);
    tess_loop_free(x->loop);
    if (x->target)
        x->device->close(x->target);
    tess_user_kernel_free(x->user);
    free(x->header);
    free(x->description);
    free(x);
}

bool tess_array_loop_dat_at(const tess_array_loop *x, int i, tess_array_loop_dat *out) {
    if (i < 0 || i >= x->state->n_dats)
        return false;
    const tess_dat *dat = &x->state->dats[i];
    const bool global = dat->set == TESS_GLOBAL;
    *out = (tess_array_loop_dat){.name = dat->name,
                                 .set = global ? "" : x->state->mesh->sets[dat->set].name,
                                 .n_elements = tess_state_size(x->state, dat),
                                 .dim = dat->dim,
                                 .type = dat->type};
    for (int a = 0; a < x->loop->n_args; a++) {
        const tess_arg *arg = &x->loop->args[a];
        if (strcmp(arg->dat, dat->name) != 0 || strcmp(arg->set, out->set) != 0)
            continue;
        out->read |= arg->access != TESS_WRITE;
        out->written |= arg->access != TESS_READ;
    }
    return true;
}

/* --- a call ----------------------------------------------------------------------------------- */

/* Fills a state with what the kernel reads of the caller's arrays. */
static tess_status copy_arrays(const tess_array_loop *x, const tess_array_loop_call *call,
                               tess_state *state) {
    tess_array_loop_dat about;
    for (int i = 0; tess_array_loop_dat_at(x, i, &about); i++) {
        void *values = state->dats[i].values;
        const int64_t bytes = x->store->stored[i].bytes;
        if (!about.read || about.n_elements == 0)
            continue;
        if (!call->on_device)
            memcpy(values, call->arrays[i], (size_t)bytes);
        else
            TRY(x->device->download(x->target, values, (tess_address)(uintptr_t)call->arrays[i],
                                    bytes));
    }
    return TESS_OK;
}

/* Calls the kernel by itself on elements of what the caller has; where a GPU has no C compiler
 * beside it, it is not tried. */
static tess_status try_kernel(tess_array_loop *x, const tess_array_loop_call *call) {
    tess_status status = TESS_OK;
    tess_state *state = NULL;
    CHECK(tess_state_blank(x->state, &state));
    CHECK(copy_arrays(x, call, state));
    status = tess_user_kernel_probe(x->user, x->bound,
                                    &(tess_probe_setting){.header = x->header,
                                                          .description = x->description,
                                                          .start = state,
                                                          .any_numbers = true});
    x->is_tried = status == TESS_OK || status == TESS_ERROR_MISSING;
    status = x->is_tried ? TESS_OK : status;
done:
    tess_state_free(state);
    return status;
}

static tess_status run_there(tess_array_loop *x, void *const *queue) {
    tess_page *page = &x->execution->page;
    double seconds = 0; /* waits for what came before */
    for (int i = 0; i < page->n_launches; i++)
        page->launches[i].queue = queue;
    tess_page_find_dats(page);
    TRY(tess_execution_run(x->execution));
    if (queue)
        return TESS_OK;
    TRY(x->device->timer_start(x->target));
    return x->device->timer_stop(x->target, &seconds);
}

static tess_status run_in_place(tess_array_loop *x, const tess_array_loop_call *call) {
    enum { ALIGNMENT = 16 };
    for (int i = 0; i < x->store->n_stored; i++) {
        if ((uintptr_t)call->arrays[i] % ALIGNMENT != 0)
            FAIL(TESS_ERROR_USAGE, "array '%s' does not lie at a multiple of %d bytes",
                 x->state->dats[i].name, ALIGNMENT);
        x->store->stored[i].address = (tess_address)(uintptr_t)call->arrays[i];
    }
    return run_there(x, call->queue);
}

static tess_status take_memory(tess_array_loop *x) {
    tess_status status = TESS_OK;
    const int n = x->store->n_stored;
    tess_address *taken = NULL;
    int i = 0;
    CHECK(TESS_ZEROS(n, &taken));
    for (; i < n; i++)
        CHECK(x->device->alloc(x->target, x->state->dats[i].name, x->store->stored[i].bytes,
                               &taken[i]));
    x->taken = TESS_TAKE(taken);
done:
    while (taken && i-- > 0)
        x->device->free(x->target, taken[i]);
    free(taken);
    return status;
}

/* Arrays of this machine are brought there, and what was written here. */
static tess_status run_brought(tess_array_loop *x, const tess_array_loop_call *call) {
    tess_array_loop_dat about;
    if (!x->taken)
        TRY(take_memory(x));
    for (int i = 0; tess_array_loop_dat_at(x, i, &about); i++) {
        tess_stored *stored = &x->store->stored[i];
        stored->address = x->taken[i];
        if (about.n_elements > 0)
            TRY(x->device->upload(x->target, stored->address, call->arrays[i], stored->bytes));
    }
    TRY(run_there(x, NULL));
    for (int i = 0; tess_array_loop_dat_at(x, i, &about); i++)
        if (about.written && about.n_elements > 0)
            TRY(x->device->download(x->target, call->arrays[i], x->taken[i],
                                    x->store->stored[i].bytes));
    return TESS_OK;
}

tess_status tess_array_loop_run(tess_array_loop *x, const tess_array_loop_call *call) {
    if (x->execution->page.n_launches == 0)
        return TESS_OK;
    if (!x->is_tried)
        TRY(try_kernel(x, call));
    const bool is_here = call->on_device || x->device->one_thread;
    return is_here ? run_in_place(x, call) : run_brought(x, call);
}

/* A kernel: what a loop does with each element; the loop in a precision, bound to a mesh. */
#include "kernels/loops/kernel.h"

#include "core/base/array.h"
#include "core/mesh/derive.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tess_kernel_applies(const tess_kernel *kernel, const tess_mesh *mesh) {
    return tess_mesh_find_set(mesh, kernel->set) >= 0;
}

tess_status tess_kernel_derive(const tess_kernel *kernel, tess_mesh *mesh) {
    for (int a = 0; a < kernel->n_args; a++) {
        const char *map = kernel->args[a].map;
        const tess_status status = map ? tess_mesh_derive(mesh, map) : TESS_OK;
        if (status != TESS_OK)
            return tess_kernel_applies(kernel, mesh) ? status : TESS_OK;
    }
    return TESS_OK;
}

static tess_status arg_of(const tess_kernel *kernel, int a, tess_type real, tess_arg *out) {
    const tess_kernel_arg *arg = &kernel->args[a];
    *out = (tess_arg){.slot = arg->map ? arg->slot : 0,
                      .dim = arg->dim,
                      .access = arg->access,
                      .is_part = arg->dim < tess_kernel_arg_row(arg),
                      .cleared = arg->cleared};
    snprintf(out->dat, sizeof out->dat, "%s", arg->dat);
    snprintf(out->set, sizeof out->set, "%s", arg->set ? arg->set : "");
    snprintf(out->map, sizeof out->map, "%s", arg->map ? arg->map : "");
    if (strcmp(arg->type, "real") == 0) {
        out->type = real;
        return TESS_OK;
    }
    if (tess_type_parse(arg->type, &out->type) != TESS_OK)
        FAIL(TESS_ERROR_USAGE,
             "arg %d of loop %s ('%s'): '%s' is no type: write real, float, double or int", a,
             kernel->name, arg->dat, arg->type);
    return TESS_OK;
}

static bool is_same_view(const tess_kernel_arg *a, const tess_kernel_arg *b) {
    bool same = a->dim == b->dim;
    for (int d = 0; same && d < a->dim; d++)
        same = tess_kernel_arg_component(a, d) == tess_kernel_arg_component(b, d);
    return same;
}

/* One view of a dat in a loop: what is staged and summed has one shape. */
static tess_status check_views(const tess_kernel *kernel, int a) {
    const tess_kernel_arg *arg = &kernel->args[a];
    const int first = tess_kernel_arg_component(arg, 0),
              last = tess_kernel_arg_component(arg, arg->dim - 1);
    if (first < 0 || (arg->of && last >= arg->of))
        FAIL(TESS_ERROR_USAGE, "arg %d of loop %s ('%s') is values %d to %d of %d", a, kernel->name,
             arg->dat, first, last, arg->of);
    for (int b = 0; b < a; b++) {
        const tess_kernel_arg *other = &kernel->args[b];
        if (strcmp(arg->dat, other->dat) == 0 &&
            strcmp(arg->set ? arg->set : "", other->set ? other->set : "") == 0 &&
            !is_same_view(arg, other))
            FAIL(TESS_ERROR_USAGE,
                 "args %d and %d of loop %s are different components of '%s': a loop sees a dat in "
                 "one way only",
                 b, a, kernel->name, arg->dat);
    }
    return TESS_OK;
}

tess_status tess_kernel_loop(const tess_kernel *kernel, tess_type real, tess_loop **out) {
    tess_status status = TESS_OK;
    tess_loop *loop = NULL;
    CHECK(tess_loop_new(kernel->name, kernel->set, &loop));
    for (int a = 0; a < kernel->n_args; a++) {
        tess_arg arg;
        CHECK(check_views(kernel, a));
        CHECK(arg_of(kernel, a, real, &arg));
        CHECK(tess_loop_add_arg(loop, &arg));
    }
    *out = TESS_TAKE(loop);
done:
    tess_loop_free(loop);
    return status;
}

tess_status tess_kernel_bind(const tess_loop *loop, const tess_mesh *mesh, tess_bound_loop **out) {
    for (int a = 0; a < loop->n_args; a++)
        if (loop->args[a].map[0])
            return tess_loop_bind(loop, mesh, out);
    const int set = tess_mesh_find_set(mesh, loop->set);
    if (set < 0)
        FAIL(TESS_ERROR_INPUT, "loop %s is over %s, which %s lacks", loop->name, loop->set,
             mesh->source);
    TRY(TESS_ZEROS(1, out));
    **out = (tess_bound_loop){
        .mesh = mesh, .loop = loop, .set = set, .n_elements = mesh->sets[set].size};
    return TESS_OK;
}

tess_status tess_kernel_plan_direct(const tess_bound_loop *bound, const int32_t *position,
                                    int32_t block_size, tess_plan **out) {
    tess_status status = TESS_OK;
    tess_plan *plan = NULL;
    const int64_t n = bound->n_elements, n_blocks = (n + block_size - 1) / block_size;
    CHECK(TESS_ZEROS(1, &plan));
    snprintf(plan->loop, sizeof plan->loop, "%s", bound->loop->name);
    snprintf(plan->partitioned_set, sizeof plan->partitioned_set, "%s", bound->loop->set);
    plan->block_size = block_size;
    plan->n_elements = plan->n_executed = n;
    plan->n_blocks = (int32_t)n_blocks;
    plan->n_block_colours = n > 0;
    CHECK(TESS_ALLOC(n, &plan->executed));
    CHECK(TESS_ALLOC(n_blocks + 1, &plan->block_offset));
    for (int64_t e = 0; e < n; e++)
        plan->executed[position ? position[e] : e] = (int32_t)e;
    for (int64_t b = 0; b <= n_blocks; b++)
        plan->block_offset[b] = b * block_size < n ? b * block_size : n;
    *out = TESS_TAKE(plan);
done:
    tess_plan_free(plan);
    return status;
}

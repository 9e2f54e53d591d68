/* An application: user kernels, the loops that apply them, the dats they work on and their start.
 */
#include "kernels/loops/application.h"

#include "core/base/array.h"
#include "core/base/splitmix.h"
#include "core/base/unknown_name.h"
#include "core/mesh/cells.h"
#include "core/mesh/derive.h"
#include <string.h>

tess_status tess_application_kernel(const tess_application *application, const char *name,
                                    const tess_kernel **out) {
    if (!name) {
        *out = &application->kernels[0];
        return TESS_OK;
    }
    tess_unknown_name unknown = tess_unknown_name_of(name);
    for (int i = 0; i < application->n_kernels; i++) {
        tess_unknown_name_add(&unknown, application->kernels[i].name);
        if (strcmp(name, application->kernels[i].name) == 0) {
            *out = &application->kernels[i];
            return TESS_OK;
        }
    }
    return tess_unknown_name_fail("there is no loop", &unknown,
                                  (tess_unknown_words){"?", " (known: %s)"});
}

static bool is_named(const char *const *names, const char *name) {
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

/* A loop over the cells of one type alone would leave out what others push. */
static tess_status check_cells(const tess_application *application, const tess_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_cells cells = {.n_cells = 0};
    const char *const *const known = application->cells;
    CHECK(tess_cells_build(mesh, &cells));
    for (int b = 0; b < cells.n_blocks; b++) {
        const char *set = cells.blocks[b].type->set;
        if (!is_named(known, set))
            CHECK(tess_fail(TESS_ERROR_INPUT, "%s runs on %s%s%s; %s has %s (%lld)",
                            application->name, known[0], known[1] ? " and " : "",
                            known[1] ? known[1] : "", mesh->source, set,
                            (long long)cells.blocks[b].n));
    }
done:
    tess_cells_release(&cells);
    return status;
}

tess_status tess_application_check(const tess_application *application, const tess_mesh *mesh) {
    if (application->dimension && mesh->dimension != application->dimension)
        FAIL(TESS_ERROR_USAGE, "%s runs on %dD meshes, %s is %dD", application->name,
             application->dimension, mesh->source, mesh->dimension);
    return application->cells ? check_cells(application, mesh) : TESS_OK;
}

tess_status tess_application_bind(const tess_application *application, tess_mesh *mesh) {
    TRY(tess_application_check(application, mesh));
    for (int i = 0; application->maps[i]; i++)
        if (!tess_mesh_find_map(mesh, application->maps[i]))
            TRY(tess_mesh_derive(mesh, application->maps[i]));
    return application->bind ? application->bind(mesh) : TESS_OK;
}

/* Adds the dats of all kernels' args, but those on sets that no loop asked for. */
static tess_status add_dats(const tess_application *application, tess_state *state) {
    for (int k = 0; k < application->n_kernels; k++) {
        const tess_kernel *kernel = &application->kernels[k];
        for (int a = 0; a < kernel->n_args; a++) {
            const tess_kernel_arg *arg = &kernel->args[a];
            const bool is_there = !arg->set || tess_mesh_find_set(state->mesh, arg->set) >= 0;
            if (is_there && !tess_state_find(state, arg->dat, arg->set))
                TRY(tess_state_add(state, arg->dat, arg->set, tess_kernel_arg_row(arg), arg->type));
        }
    }
    return TESS_OK;
}

tess_status tess_application_start(const tess_application *application, const tess_mesh *mesh,
                                   tess_type real, tess_state **out) {
    tess_status status = TESS_OK;
    tess_state *state = NULL;
    CHECK(tess_state_new(mesh, real, &state));
    CHECK(add_dats(application, state));
    CHECK(application->start ? application->start(mesh, state)
                             : application->start_as_read(application->read, state));
    *out = TESS_TAKE(state);
done:
    tess_state_free(state);
    return status;
}

/* Runs one loop on a state in double, where the mesh has its elements. */
static tess_status run_reference(const tess_kernel *kernel, tess_state *state) {
    tess_status status = TESS_OK;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    if (!tess_kernel_applies(kernel, state->mesh))
        return TESS_OK;
    CHECK(tess_kernel_loop(kernel, TESS_DOUBLE, &loop));
    CHECK(tess_kernel_bind(loop, state->mesh, &bound));
    CHECK(tess_kernel_reference(kernel, bound, state));
done:
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    return status;
}

/* Whether a kernel has an arg on a dat of the state; where `changed`, one that it changes. */
static bool kernel_has(const tess_kernel *kernel, const tess_state *state, const tess_dat *dat,
                       bool changed) {
    for (int a = 0; a < kernel->n_args; a++) {
        const tess_kernel_arg *arg = &kernel->args[a];
        if ((arg->access != TESS_READ || !changed) &&
            tess_state_find(state, arg->dat, arg->set) == dat)
            return true;
    }
    return false;
}

/* Whether one of the first n loops of a time step has it. */
static tess_status step_has(const tess_application *application, int n, const tess_state *state,
                            const tess_dat *dat, bool changed, bool *out) {
    *out = false;
    for (int k = 0; k < n && !*out; k++) {
        const tess_kernel *kernel = NULL;
        TRY(tess_application_kernel(application, application->step[k], &kernel));
        *out = kernel_has(kernel, state, dat, changed);
    }
    return TESS_OK;
}

static int step_size(const tess_application *application) {
    int n = 0;
    while (application->step[n])
        n++;
    return n;
}

tess_status tess_application_keep(const tess_application *application, const tess_kernel *kernel,
                                  tess_state *state) {
    for (int i = state->n_dats - 1; i >= 0; i--) {
        bool kept = false;
        TRY(step_has(application, step_size(application), state, &state->dats[i], false, &kept));
        if (!kept && !kernel_has(kernel, state, &state->dats[i], false))
            tess_state_remove(state, i);
    }
    return TESS_OK;
}

static bool is_zero(const tess_state *state, const tess_dat *dat) {
    for (int64_t v = 0; v < tess_state_size(state, dat) * dat->dim; v++)
        if (tess_dat_value(dat, v) != 0)
            return false;
    return true;
}

/* Whether a kernel overwrites a dat of its own elements, and has it by no other arg. */
static bool overwrites(const tess_kernel *kernel, const tess_state *state,
                       const tess_kernel_arg *arg, const tess_dat *dat) {
    int n = 0;
    for (int a = 0; a < kernel->n_args; a++)
        n += tess_state_find(state, kernel->args[a].dat, kernel->args[a].set) == dat;
    return n == 1 && arg->access == TESS_WRITE && !arg->map;
}

/* Values around one for what a kernel reads and neither the start nor a time step makes, as the
 * matrix of a product: of zeros alone every result would be right. The same for what it overwrites,
 * so that a loop that writes nothing is found. */
static tess_status fill_unmade(const tess_application *application, const tess_kernel *kernel,
                               const tess_state *state) {
    uint64_t seed = 1;
    for (int a = 0; a < kernel->n_args; a++) {
        const tess_kernel_arg *arg = &kernel->args[a];
        tess_dat *dat = tess_state_find(state, arg->dat, arg->set);
        bool in_step = false;
        if (!dat)
            continue;
        TRY(step_has(application, step_size(application), state, dat, false, &in_step));
        const bool unmade = !in_step && arg->access == TESS_READ && dat->type != TESS_INT32;
        if (!(unmade && is_zero(state, dat)) && !overwrites(kernel, state, arg, dat))
            continue;
        for (int64_t v = 0; v < tess_state_size(state, dat) * dat->dim; v++)
            tess_dat_set(dat, v, 0.5 + 0x1p-64 * (double)tess_random_next(&seed));
    }
    return TESS_OK;
}

/* Runs the first n loops of a time step on a state in double. */
static tess_status run_first(const tess_application *application, int n, tess_state *state) {
    for (int i = 0; i < n; i++) {
        const tess_kernel *kernel = NULL;
        TRY(tess_application_kernel(application, application->step[i], &kernel));
        TRY(run_reference(kernel, state));
    }
    return TESS_OK;
}

/* Gives a state what the first n loops of a time step change. */
static tess_status march_to(const tess_application *application, int n, tess_state *state) {
    tess_status status = TESS_OK;
    tess_state *wide = NULL;
    if (n == 0 || state->real == TESS_DOUBLE)
        return run_first(application, n, state);
    CHECK(tess_state_copy(state, true, &wide));
    CHECK(run_first(application, n, wide));
    for (int i = 0; i < state->n_dats; i++) {
        tess_dat *dat = &state->dats[i];
        const int64_t n_values = tess_state_size(state, dat) * dat->dim;
        bool changed = false;
        CHECK(step_has(application, n, state, dat, true, &changed));
        const tess_dat *made = &wide->dats[i];
        if (!changed)
            continue;
#pragma omp parallel for
        for (int64_t v = 0; v < n_values; v++)
            tess_dat_set(dat, v, tess_dat_value(made, v));
    }
done:
    tess_state_free(wide);
    return status;
}

tess_status tess_application_prepare(const tess_application *application, const tess_kernel *kernel,
                                     tess_state *state) {
    int n = 0;
    while (application->step[n] && strcmp(application->step[n], kernel->name) != 0)
        n++;
    TRY(march_to(application, n, state));
    return fill_unmade(application, kernel, state);
}

tess_status tess_application_prepare_at(const tess_application *application, int position,
                                        tess_state *state) {
    int n = 0;
    for (; application->step[n]; n++) {
        const tess_kernel *kernel = NULL;
        TRY(tess_application_kernel(application, application->step[n], &kernel));
        if (tess_kernel_applies(kernel, state->mesh) && position-- == 0)
            break;
    }
    return march_to(application, n, state);
}

tess_status tess_application_march(const tess_application *application, tess_state *state) {
    return run_first(application, step_size(application), state);
}

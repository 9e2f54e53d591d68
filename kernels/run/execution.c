/* An execution: one loop, by one strategy, compiled for a device, ready to run again and again. */
#include "kernels/run/execution.h"

#include "core/base/array.h"
#include "kernels/applications/antisymmetry.h"
#include "kernels/devices/disk_cache.h"
#include "kernels/page/glue.h"
#include "kernels/page/loop_names.h"
#include "kernels/strategies/strategy.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARP = 32, MOST_THREADS = 1024 }; /* of a block, by CUDA */

int32_t tess_execution_element(const tess_execution *execution, int32_t element) {
    const int32_t *order = tess_store_order(execution->store, execution->bound->set);
    return order ? order[element] : element;
}

int32_t tess_execution_point(const tess_execution *execution, int reach, int32_t point) {
    const int32_t *order = tess_store_order(execution->store, execution->bound->reaches[reach].set);
    return order ? order[point] : point;
}

int64_t tess_execution_staged(const tess_execution *execution, int reach) {
    const tess_plan *plan = execution->plan;
    int64_t most = 0;
    for (int32_t b = 0; reach < plan->n_sets && b < plan->n_blocks; b++) {
        const int64_t *offset = &plan->sets[reach].point_offset[b];
        most = offset[1] - offset[0] > most ? offset[1] - offset[0] : most;
    }
    /* 4 of 16: rows of 4 doubles that lanes turn from AoS fall into different banks */
    return (most + execution->staged_more + 11) / 16 * 16 + 4;
}

tess_status tess_execution_array(tess_execution *x, const char *type, const void *values,
                                 int64_t bytes, const char *name, ...) {
    char words[80];
    va_list args;
    va_start(args, name);
    vsnprintf(words, sizeof words, name, args);
    va_end(args);
    TRY(TESS_RESERVE(x->n_arrays + 1, &x->array_capacity, &x->arrays));
    const tess_device *device = x->store->device;
    tess_address address = 0;
    TRY(device->alloc(x->store->target, words, bytes, &address));
    x->arrays[x->n_arrays++] = address;
    x->array_bytes += bytes;
    if (values)
        TRY(device->upload(x->store->target, address, values, bytes));
    tess_page_param(&x->page, type, address, "%s", words);
    return TESS_OK;
}

tess_status tess_execution_launch(tess_execution *x, const tess_launch *launch) {
    if (launch->n_blocks == 0)
        return TESS_OK;
    TRY(TESS_RESERVE(x->n_launches + 1, &x->launch_capacity, &x->launches));
    x->launches[x->n_launches] = *launch;
    x->launches[x->n_launches].threads = x->threads;
    x->n_launches++;
    return TESS_OK;
}

/* Args of one dat: both incrementing through one slot of a map, or accessed in two ways. */
static tess_status check_pair(const tess_loop *loop, int a, int b) {
    const tess_arg *one = &loop->args[a], *other = &loop->args[b];
    const bool share = strcmp(one->map, other->map) == 0 &&
                       (one->slot < 0 || other->slot < 0 || one->slot == other->slot);
    if (one->access != TESS_READ && other->access == one->access && share)
        FAIL(TESS_ERROR_USAGE,
             "args %d and %d of loop %s are both %s of '%s' through one slot: make them one", a, b,
             loop->name, tess_access_name(one->access), one->dat);
    if (one->access != other->access)
        FAIL(TESS_ERROR_USAGE,
             "args %d and %d of loop %s: '%s' is %s and %s in one loop, so the result would depend "
             "on the order of elements",
             a, b, loop->name, one->dat, tess_access_name(one->access),
             tess_access_name(other->access));
    return TESS_OK;
}

/* No dat that is reached through a map is accessed in two ways: what is read would depend on the
 * order of elements. Where args write at points, elements that share one must not run at once. */
static tess_status check_args(const tess_loop *loop, const tess_strategy *strategy) {
    const int writer = tess_loop_point_writer(loop);
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (arg->set[0] == '\0' && arg->access != TESS_READ && arg->access != TESS_INC)
            FAIL(TESS_ERROR_USAGE, "arg %d of loop %s (global '%s') is %s: it may be read or inc",
                 a, loop->name, arg->dat, tess_access_name(arg->access));
        if (!arg->map[0])
            continue;
        if (a == writer && !strategy->writes_points)
            FAIL(TESS_ERROR_USAGE,
                 "arg %d of loop %s ('%s' through %s) is %s, but by %s elements that share a point "
                 "run at once: take sequential, openmp, global-colour or block-colour, or inc",
                 a, loop->name, arg->dat, arg->map, tess_access_name(arg->access), strategy->name);
        for (int b = 0; b < loop->n_args; b++)
            if (b != a && strcmp(loop->args[b].dat, arg->dat) == 0 &&
                strcmp(loop->args[b].set, arg->set) == 0)
                TRY(check_pair(loop, a, b));
    }
    return TESS_OK;
}

static tess_status choose_threads(tess_execution *x) {
    const tess_execution_options *options = &x->options;
    if (options->strategy->one_thread != x->store->device->one_thread)
        FAIL(TESS_ERROR_USAGE, "strategy %s runs %s; device %s is %s", options->strategy->name,
             options->strategy->one_thread ? "on the host only" : "on GPUs and the emulator",
             x->store->device->name, x->store->device->one_thread ? "the host" : "no host");
    if (options->strategy->one_thread) {
        x->threads = 1;
        return TESS_OK;
    }
    const int places =
        options->strategy->places_a_thread ? options->strategy->places_a_thread(x) : 1;
    const int64_t size = ((int64_t)x->plan->block_size + places - 1) / places;
    const int64_t enough = (size + WARP - 1) / WARP * WARP;
    x->threads = options->threads > 0 ? options->threads
                                      : (int)(enough < MOST_THREADS ? enough : MOST_THREADS);
    if (x->threads % WARP != 0 || x->threads > MOST_THREADS)
        FAIL(TESS_ERROR_USAGE, "--threads %d: a block has %d to %d threads, whole warps of %d",
             x->threads, WARP, MOST_THREADS, WARP);
    return TESS_OK;
}

/* As LOOP-STRATEGY-OPTION=VALUE-DEVICE.cu. */
static tess_status keep_page(const tess_execution *x) {
    tess_status status = TESS_OK;
    const tess_execution_options *options = &x->options;
    char *strategy = NULL, *path = NULL;
    CHECK(tess_directory_make(options->keep_text));
    CHECK(tess_spec_print(options->spec, options->strategy->options, &strategy));
    for (char *colon = strategy; (colon = strchr(colon, ':'));)
        *colon = '-';
    if (asprintf(&path, "%s/%s-%s-%s.cu", options->keep_text, x->bound->loop->name, strategy,
                 x->store->device->name) < 0)
        CHECK(tess_fail(TESS_ERROR_MEMORY, "out of memory: a path"));
    CHECK(tess_cache_write(path, x->page.text, (size_t)x->page.length));
done:
    free(path);
    free(strategy);
    return status;
}

tess_status tess_execution_open(const tess_execution_options *options, tess_store *store,
                                const tess_bound_loop *bound, const tess_plan *plan,
                                tess_execution **out) {
    tess_status status = TESS_OK;
    tess_execution *x = NULL;
    const tess_strategy *strategy = options->strategy;
    CHECK(check_args(bound->loop, strategy));
    CHECK(tess_antisymmetry_check(options->kernel, bound));
    CHECK(tess_apart_check(options->kernel, bound));
    if (strategy->fits)
        CHECK(strategy->fits(bound, options->spec));
    if (bound->n_reaches > 0 && plan->over_to_set != strategy->over_to_set)
        CHECK(tess_fail(TESS_ERROR_USAGE, "strategy %s takes a plan over the %s", strategy->name,
                        strategy->over_to_set ? "points" : "loop's elements"));
    CHECK(TESS_ZEROS(1, &x));
    x->options = *options;
    x->store = store;
    x->bound = bound;
    x->plan = plan;
    CHECK(choose_threads(x));
    tess_page_print(&x->page, "#line 1 \"glue-%s.h\"\n", bound->loop->name);
    tess_page_param(&x->page, "long long", 0, "first");
    tess_page_param(&x->page, "long long", 0, "count");
    CHECK(strategy->prepare(x));
    CHECK(tess_glue_write(x));
    if (options->keep_text)
        CHECK(keep_page(x));
    CHECK(store->device->compile(store->target, x->page.text, &x->module));
    *out = x;
    x = NULL;
done:
    tess_execution_close(x);
    return status;
}

void tess_execution_close(tess_execution *x) {
    if (!x)
        return;
    const tess_device *device = x->store->device;
    if (x->graph)
        device->graph_free(x->store->target, x->graph);
    if (x->module)
        device->unload(x->store->target, x->module);
    for (int i = 0; i < x->n_arrays; i++)
        device->free(x->store->target, x->arrays[i]);
    free(x->arrays);
    free(x->launches);
    tess_page_clear(&x->page);
    free(x);
}

static tess_status launch_all(tess_execution *x) {
    uint64_t words[256];
    if (x->page.n_params > (int)(sizeof words / sizeof words[0]))
        FAIL(TESS_ERROR_USAGE, "loop %s needs %d kernel parameters, over 256", x->bound->loop->name,
             x->page.n_params);
    for (int i = 0; i < x->page.n_params; i++)
        words[i] = x->page.params[i].value;
    for (int i = 0; i < x->n_launches; i++) {
        words[0] = (uint64_t)x->launches[i].first;
        words[1] = (uint64_t)x->launches[i].count;
        TRY(x->store->device->launch(x->store->target, x->module, &x->launches[i], words,
                                     x->page.n_params));
    }
    return TESS_OK;
}

tess_status tess_execution_use_graph(tess_execution *x) {
    const tess_device *device = x->store->device;
    tess_launch_graph *graph = NULL;
    TRY(device->graph_start(x->store->target));
    const tess_status kept = launch_all(x);
    const tess_status stopped = device->graph_stop(x->store->target, &graph);
    if (kept != TESS_OK || stopped != TESS_OK) {
        if (graph)
            device->graph_free(x->store->target, graph);
        return kept != TESS_OK ? kept : stopped;
    }
    x->graph = graph;
    return TESS_OK;
}

tess_status tess_execution_run(tess_execution *x) {
    return x->graph ? x->store->device->graph_launch(x->store->target, x->graph) : launch_all(x);
}

tess_status tess_execution_time(tess_execution *x, int n, double *seconds) {
    const tess_device *device = x->store->device;
    TRY(device->timer_start(x->store->target));
    for (int i = 0; i < n; i++)
        TRY(tess_execution_run(x));
    TRY(device->timer_stop(x->store->target, seconds));
    *seconds /= n;
    return TESS_OK;
}

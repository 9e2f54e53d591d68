/* An execution: one loop by one strategy, or one chain, compiled for a device, ready to run again
 * and again. */
#include "kernels/run/execution.h"

#include "core/base/array.h"
#include "kernels/codegen/glue.h"
#include "kernels/codegen/tables_there.h"
#include "kernels/strategies/strategy.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    for (int a = 0; a < loop->n_args; a++) {
        const tess_arg *arg = &loop->args[a];
        if (arg->set[0] == '\0' && arg->access != TESS_READ && arg->access != TESS_INC)
            FAIL(TESS_ERROR_USAGE, "arg %d of loop %s (global '%s') is %s: it may be read or inc",
                 a, loop->name, arg->dat, tess_access_name(arg->access));
        if (!arg->map[0])
            continue;
        if (tess_arg_writes_points(arg) && !strategy->writes_points)
            FAIL(TESS_ERROR_USAGE,
                 "arg %d of loop %s ('%s' through %s) is %s, but by %s elements that share a point "
                 "run at once: take sequential, openmp, global-colour or block-colour, or inc",
                 a, loop->name, arg->dat, arg->map, tess_access_name(arg->access), strategy->name);
        for (int b = 0; b < loop->n_args; b++)
            if (b != a && tess_arg_shares_dat(&loop->args[b], arg))
                TRY(check_pair(loop, a, b));
    }
    return TESS_OK;
}

tess_status tess_execution_check_device(const tess_strategy *strategy, const tess_device *device) {
    if (strategy->one_thread != device->one_thread && !strategy->anywhere)
        FAIL(TESS_ERROR_USAGE, "strategy %s runs %s; this is device %s%s", strategy->name,
             strategy->one_thread ? "by --device host only" : "on GPUs and the emulator",
             device->name, strategy->one_thread ? "" : ": say --device emulator, or cuda");
    return TESS_OK;
}

/* What others run is run alone, on a device that is there. */
static tess_status check_peer(const tess_execution_options *options, const tess_device *device) {
    if (!options->strategy->elsewhere)
        return TESS_OK;
    if (!options->peer.device)
        FAIL(TESS_ERROR_USAGE, "a peer runs a loop of its own: by 'tess run' and 'tess sweep', "
                               "without ranks");
    if (device->emulates || device->compiles_only)
        FAIL(TESS_ERROR_USAGE, "a peer runs on this machine: say --device host, or cuda");
    return TESS_OK;
}

static tess_status choose_threads(tess_page *page, const tess_execution_options *options) {
    const tess_strategy *strategy = options->strategy;
    const tess_device *device = page->store->device;
    TRY(tess_execution_check_device(strategy, device));
    const bool shares = strategy->places_a_thread && !device->one_thread;
    const int positions = shares ? strategy->places_a_thread(page) : 1;
    const int64_t size = ((int64_t)page->plan->block_size + positions - 1) / positions;
    return tess_page_threads(device, size, options->threads, &page->threads);
}

/* As LOOP-STRATEGY-OPTION=VALUE-DEVICE.cu. */
static tess_status keep_page(const tess_page *page, const tess_execution_options *options) {
    tess_status status = TESS_OK;
    char *strategy = NULL, *name = NULL;
    CHECK(tess_spec_print(options->spec, options->strategy->options, &strategy));
    for (char *colon = strategy; (colon = strchr(colon, ':'));)
        *colon = '-';
    CHECK(tess_text_print(&name, "%s-%s", page->bound->loop->name, strategy));
    CHECK(tess_page_keep_text(page, options->keep_text, name));
done:
    free(name);
    free(strategy);
    return status;
}

static tess_status check_loop(const tess_execution_options *options, const tess_store *store,
                              const tess_bound_loop *bound, const tess_plan *plan) {
    const tess_strategy *strategy = options->strategy;
    TRY(check_args(bound->loop, strategy));
    TRY(check_peer(options, store->device));
    if (strategy->fits)
        TRY(strategy->fits(bound, options->spec));
    if (bound->n_targets > 0 && plan->owns_points != strategy->owns_points)
        FAIL(TESS_ERROR_USAGE, "strategy %s takes a plan over the %s", strategy->name,
             strategy->owns_points ? "points" : "loop's elements");
    return TESS_OK;
}

/* By tables of the host, or that the device makes. */
static tess_status draft(const tess_execution_options *options, tess_store *store,
                         const tess_bound_loop *bound, const tess_plan *plan, bool there,
                         tess_execution **out) {
    tess_status status = TESS_OK;
    tess_execution *x = NULL;
    const tess_strategy *strategy = options->strategy;
    CHECK(TESS_ZEROS(1, &x));
    x->tables_there = there;
    x->application = options->application;
    x->peers = options->peer;
    if (strategy->elsewhere)
        x->peers.name = tess_spec_text(options->spec, strategy->options, "name");
    x->page = (tess_page){.kernel = options->kernel,
                          .bound = bound,
                          .plan = plan,
                          .store = store,
                          .strategy = strategy->name,
                          .spec = options->spec,
                          .options = strategy->options,
                          .arithmetic = options->arithmetic,
                          .one_thread = store->device->one_thread,
                          .whole = options->whole,
                          .any_size = options->any_size,
                          .on_paper = options->on_paper};
    CHECK(tess_page_open(&x->page));
    CHECK(choose_threads(&x->page, options));
    tess_page_print(&x->page, "#line 1 \"glue-%s.h\"\n", bound->loop->name);
    tess_page_param(&x->page, "long long", 0, "first");
    tess_page_param(&x->page, "long long", 0, "count");
    if (there)
        CHECK(tess_tables_there_open(&x->page, options->tables_page));
    CHECK(strategy->prepare(&x->page, options->spec));
    tess_tables_there_close(&x->page);
    if (!strategy->elsewhere)
        CHECK(tess_glue_write(&x->page, strategy->text, strategy->wants));
    if (options->keep_text && !strategy->elsewhere)
        CHECK(keep_page(&x->page, options));
    *out = TESS_TAKE(x);
done:
    if (x)
        tess_tables_there_close(&x->page);
    tess_execution_close(x);
    return status;
}

tess_status tess_execution_draft(const tess_execution_options *options, tess_store *store,
                                 const tess_bound_loop *bound, const tess_plan *plan,
                                 tess_execution **out) {
    const bool there = options->tables_page && options->strategy->tables_there && store->placed &&
                       !store->device->one_thread && plan->n_blocks > 0;
    TRY(check_loop(options, store, bound, plan));
    const tess_status status = draft(options, store, bound, plan, there, out);
    if (!there || (status != TESS_ERROR_MEMORY && status != TESS_ERROR_MISSING))
        return status;
    char remark[TESS_REMARK_SIZE];
    snprintf(remark, sizeof remark, "tables made on the host: %.*s", TESS_REMARK_SIZE - 32,
             tess_message());
    TRY(draft(options, store, bound, plan, false, out));
    memcpy((*out)->remark, remark, sizeof remark);
    return TESS_OK;
}

tess_status tess_execution_place(tess_execution *x) {
    const tess_store *store = x->page.store;
    TRY(tess_page_place(&x->page));
    if (x->peers.name)
        return tess_peer_open(&x->page, &x->peers, &x->peer);
    const tess_status status = store->device->compile(store->target, x->page.text.text, &x->module);
    if (status == TESS_ERROR_INPUT)
        return tess_fail_at(status,
                            "%s does not compile in its page, where names such as load, store, "
                            "block and element are taken",
                            x->page.kernel->name);
    TRY(status);
    return x->page.thread_copies
               ? tess_thread_copies_make(&x->page, x->module, x->application, &x->copies)
               : TESS_OK;
}

tess_status tess_execution_open(const tess_execution_options *options, tess_store *store,
                                const tess_bound_loop *bound, const tess_plan *plan,
                                tess_execution **out) {
    tess_status status = TESS_OK;
    tess_execution *x = NULL;
    CHECK(tess_execution_draft(options, store, bound, plan, &x));
    CHECK(tess_execution_place(x));
    *out = TESS_TAKE(x);
done:
    tess_execution_close(x);
    return status;
}

void tess_execution_close(tess_execution *x) {
    if (!x)
        return;
    if (x->run) {
        x->free(x->of);
        free(x);
        return;
    }
    const tess_store *store = x->page.store;
    if (x->graph)
        store->device->graph_free(store->target, x->graph);
    tess_thread_copies_free(x->copies);
    tess_peer_close(x->peer);
    if (x->module)
        store->device->unload(store->target, x->module);
    tess_page_clear(&x->page);
    free(x);
}

enum { MOST_WORDS = 256 };

static tess_status fill_words(const tess_page *page, uint64_t words[MOST_WORDS]) {
    if (page->n_params > MOST_WORDS)
        FAIL(TESS_ERROR_USAGE, "loop %s needs %d kernel parameters, over %d",
             page->bound->loop->name, page->n_params, MOST_WORDS);
    for (int i = 0; i < page->n_params; i++)
        words[i] = page->params[i].value;
    return TESS_OK;
}

static tess_status launch(const tess_execution *x, const tess_launch *launch, uint64_t *words) {
    const tess_store *store = x->page.store;
    words[0] = (uint64_t)launch->first;
    words[1] = (uint64_t)launch->count;
    return store->device->launch(store->target, x->module, launch, words, x->page.n_params);
}

tess_status tess_execution_run(tess_execution *x) {
    uint64_t words[MOST_WORDS];
    if (x->run)
        return x->run(x->of);
    if (x->copies)
        return tess_thread_copies_run((const tess_thread_copies *[]){x->copies}, 1, 1, NULL);
    if (x->graph)
        return x->page.store->device->graph_launch(x->page.store->target, x->graph);
    TRY(fill_words(&x->page, words));
    for (int i = 0; i < x->page.n_launches; i++)
        TRY(launch(x, &x->page.launches[i], words));
    return TESS_OK;
}

tess_status tess_execution_run_blocks(const tess_execution *x, int64_t first, int64_t end) {
    uint64_t words[MOST_WORDS];
    TRY(fill_words(&x->page, words));
    for (int i = 0; i < x->page.n_launches && first < end; i++) {
        tess_launch part = x->page.launches[i];
        part.first = first;
        part.n_blocks = part.count = end - first;
        TRY(launch(x, &part, words));
    }
    return TESS_OK;
}

tess_status tess_execution_use_graph(tess_execution *x) {
    const tess_device *device = x->page.store->device;
    tess_launch_graph *graph = NULL;
    TRY(device->graph_start(x->page.store->target));
    const tess_status kept = tess_execution_run(x);
    const tess_status stopped = device->graph_stop(x->page.store->target, &graph);
    if (kept != TESS_OK || stopped != TESS_OK) {
        if (graph)
            device->graph_free(x->page.store->target, graph);
        return kept != TESS_OK ? kept : stopped;
    }
    x->graph = graph;
    return TESS_OK;
}

tess_status tess_execution_time(tess_execution *x, int n, double *seconds) {
    const tess_device *device = x->page.store->device;
    if (x->peer)
        return tess_peer_time(x->peer, n, seconds);
    TRY(device->timer_start(x->page.store->target));
    for (int i = 0; i < n; i++)
        TRY(tess_execution_run(x));
    TRY(device->timer_stop(x->page.store->target, seconds));
    *seconds /= n;
    return TESS_OK;
}

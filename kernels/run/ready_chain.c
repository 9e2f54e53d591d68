/* A chain that is ready to run: its blocks, and the page that executes them. */
#include "kernels/run/ready_chain.h"

#include "core/base/array.h"
#include "core/plan/chain_check.h"
#include "kernels/run/chained_border.h"
#include "kernels/run/even_blocks.h"
#include <stdlib.h>
#include <string.h>

int32_t tess_chain_way_size(const tess_chain_way *way) {
    return way->plan ? way->plan->block_size : way->block_size;
}

bool tess_chain_way_owns(const tess_chain_way *way, const tess_chain *chain) {
    return way->plan && way->plan->owns_points &&
           strcmp(way->plan->partitioned_set, chain->owner) == 0;
}

/* Blocks of points as a loop's plan owns them, or of those that are consecutive in memory; on a
 * rank those of other ranks are in none. Blocks of a plan that have none left are empty. */
static void fill_blocks(const tess_chains_setting *setting, const tess_chain *chain,
                        const tess_chain_way *way, int32_t *block_of, int32_t *n_blocks) {
    const tess_mesh *mesh = setting->store->state->mesh;
    const int set = tess_mesh_find_set(mesh, chain->owner);
    const int64_t n = mesh->sets[set].size;
    const int64_t n_own = setting->rank ? setting->rank->sets[set].n_owned : n;
    const int32_t *position = tess_store_order(setting->store, set);
    const int32_t size = tess_chain_way_size(way);
    const bool is_owned = tess_chain_way_owns(way, chain);
    *n_blocks = is_owned ? way->plan->n_blocks : (int32_t)((n_own + size - 1) / size);
    for (int64_t p = 0; p < n; p++)
        block_of[p] = p >= n_own ? -1
                      : is_owned ? way->plan->owner[p]
                                 : (int32_t)((position ? position[p] : p) / size);
}

static tess_status make_blocks(const tess_chains_setting *setting, const int32_t *block_of,
                               int32_t n_blocks, tess_ready_chain *of) {
    const tess_mesh *mesh = setting->store->state->mesh;
    const int set = tess_mesh_find_set(mesh, of->chain->owner);
    tess_chain_blocks_free(of->blocks);
    of->blocks = NULL;
    return tess_chain_blocks_build(of->chain, mesh, block_of, n_blocks,
                                   tess_store_order(setting->store, set), &of->blocks);
}

/* Makes the blocks, on a rank those first that reach nothing of others. */
static tess_status order_blocks(const tess_chains_setting *setting, int32_t *block_of,
                                int32_t *n_blocks, tess_ready_chain *of) {
    TRY(make_blocks(setting, block_of, *n_blocks, of));
    of->n_core = of->n_own = *n_blocks;
    if (!setting->rank)
        return TESS_OK;
    TRY(tess_chained_border_order(of->chain, setting->rank, of->blocks, block_of, &of->n_core,
                                  &of->n_own));
    *n_blocks = (int32_t)of->n_own;
    return make_blocks(setting, block_of, *n_blocks, of);
}

static int64_t shared_bytes_of(const tess_page *page) {
    return page->n_launches > 0 ? page->launches[0].shared_bytes : 0;
}

/* Writes the page, and gives the lists that it has. */
static tess_status write_page(tess_chain_setting *setting, tess_chain_lists *lists,
                              tess_ready_chain *of) {
    setting->blocks = of->blocks;
    setting->lists = lists;
    TRY(tess_chain_lists_choose(setting, TESS_MOST_SHARED, lists));
    return tess_chain_page_write(setting, TESS_MOST_SHARED, &of->page);
}

static tess_status prove(const tess_mesh *mesh, const int32_t *block_of,
                         const tess_chain_lists *lists, const tess_ready_chain *of) {
    TRY(tess_chain_check_blocks(of->chain, mesh, block_of, of->blocks));
    for (int i = 0; i < lists->n; i++)
        TRY(tess_chain_check_list(of->chain, mesh, of->blocks, &lists->of[i]));
    return TESS_OK;
}

tess_status tess_ready_chain_compile(const tess_device *device, tess_target *target,
                                     const tess_ready_chain *of, tess_text_writer *text,
                                     tess_capped *out) {
    if (of->page.n_launches == 0)
        return TESS_OK;
    const tess_launch *launch = &of->page.launches[0];
    if (of->chooses_cap)
        return tess_register_cap_compile(device, target, text, launch, out);
    TRY(device->compile(target, text->text, &out->module));
    return device->resources(target, out->module, launch->kernel, &out->resources);
}

/* As chain-FIRST-LAST-DEVICE.cu. */
static tess_status keep_text(const tess_chains_setting *setting, const tess_ready_chain *of) {
    char *name = NULL;
    const tess_chain *chain = of->chain;
    if (!setting->keep_text)
        return TESS_OK;
    TRY(tess_text_print(&name, "chain-%s-%s", chain->loops[0].loop->name,
                        chain->loops[chain->n_loops - 1].loop->name));
    const tess_status status = tess_page_keep_text(&of->page, setting->keep_text, name);
    free(name);
    return status;
}

/* Compiles the page, which is kept before, too: it may be what fails to compile. */
static tess_status compile(const tess_chains_setting *setting, tess_chain_setting *page,
                           tess_ready_chain *of) {
    const tess_store *store = setting->store;
    TRY(keep_text(setting, of));
    if (setting->on_paper)
        return TESS_OK;
    TRY(tess_ready_chain_compile(store->device, store->target, of, &of->page.text, &of->kernel));
    page->taken = of->kernel.resources.registers;
    /* Even blocks may let it have a cap, which is not to cost the last of L1. */
    if (of->chooses_cap && of->kernel.uncapped == 0 && of->chain->n_rings > 0)
        page->taken = tess_register_cap_fewest(page->taken);
    return of->kernel.uncapped > 0 ? keep_text(setting, of) : TESS_OK;
}

static void unload(const tess_store *store, tess_ready_chain *of) {
    if (of->kernel.module)
        store->device->unload(store->target, of->kernel.module);
    of->kernel = (tess_capped){.module = NULL};
}

/* Halves the largest blocks, an eighth at most, and makes the page again, while that pays: what is
 * largest then may be too large still. */
static tess_status make_even(const tess_chains_setting *setting, tess_chain_setting *page,
                             tess_chain_lists *lists, int32_t *block_of, tess_ready_chain *of) {
    const int32_t most = of->blocks->n_blocks + of->blocks->n_blocks / 8;
    for (;;) {
        int32_t n_blocks = of->blocks->n_blocks;
        TRY(tess_even_blocks_halve(page, shared_bytes_of(&of->page), most, block_of, &n_blocks));
        if (n_blocks == of->blocks->n_blocks)
            return TESS_OK;
        unload(setting->store, of);
        tess_page_clear(&of->page);
        tess_chain_lists_clear(lists);
        TRY(order_blocks(setting, block_of, &n_blocks, of));
        TRY(write_page(page, lists, of));
        TRY(compile(setting, page, of));
    }
}

tess_status tess_ready_chain_make(const tess_chains_setting *setting, const tess_chain_way *way,
                                  tess_chain_setting *page, tess_ready_chain *of) {
    tess_status status = TESS_OK;
    const tess_mesh *mesh = setting->store->state->mesh;
    const int set = tess_mesh_find_set(mesh, of->chain->owner);
    int32_t *block_of = NULL, n_blocks = 0;
    tess_chain_lists lists = {.n = 0};
    of->chooses_cap = way->registers < 0;
    if (set < 0)
        FAIL(TESS_ERROR_INPUT, "the blocks of a chain own %s, which %s lacks", of->chain->owner,
             mesh->source);
    CHECK(TESS_ALLOC(mesh->sets[set].size, &block_of));
    fill_blocks(setting, of->chain, way, block_of, &n_blocks);
    CHECK(order_blocks(setting, block_of, &n_blocks, of));
    CHECK(write_page(page, &lists, of));
    CHECK(compile(setting, page, of));
    CHECK(make_even(setting, page, &lists, block_of, of));
    CHECK(prove(mesh, block_of, &lists, of));
done:
    tess_chain_lists_clear(&lists);
    free(block_of);
    return status;
}

tess_status tess_ready_chain_launch(const tess_store *store, tess_ready_chain *of, int64_t first,
                                    int64_t end) {
    tess_page *page = &of->page;
    uint64_t words[256];
    const int n = page->n_params;
    if (n > (int)(sizeof words / sizeof words[0]))
        FAIL(TESS_ERROR_USAGE, "a chain needs %d kernel parameters, over 256", n);
    tess_page_find_dats(page); /* chains may have changed their buffers */
    for (int w = 0; w < n; w++)
        words[w] = page->params[w].value;
    for (int l = 0; l < page->n_launches && first < end; l++) {
        tess_launch part = page->launches[l];
        part.first = first;
        part.n_blocks = part.count = end - first;
        words[0] = (uint64_t)part.first;
        words[1] = (uint64_t)part.count;
        TRY(store->device->launch(store->target, of->kernel.module, &part, words, n));
    }
    return TESS_OK;
}

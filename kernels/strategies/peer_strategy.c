/* The strategy peer: somebody else's code runs the loop, in a process of its own. */
#include "kernels/codegen/tables.h"
#include "kernels/peers/peer.h"
#include "kernels/strategies/strategy.h"

static const tess_option options[] = {
    TESS_TEXT_OPTION("name", "",
                     "whose: 'tess doctor' lists them; or the file of an adaptor of yours, "
                     "with a slash; peer:numpy for short"),
    {.key = NULL}};

static tess_status fits(const tess_bound_loop *bound, const tess_spec *spec) {
    (void)bound;
    return tess_peer_check(tess_spec_text(spec, options, "name"));
}

/* Peers find points by a table in the order in which elements lie. */
static tess_status prepare(tess_page *page, const tess_spec *spec) {
    (void)spec;
    for (int i = 0; i < page->n_dats; i++)
        if (page->dats[i].summed && page->sets[page->dats[i].target].padded)
            FAIL(TESS_ERROR_USAGE,
                 "an element of loop %s has no point in some slot that it adds to, which peers do "
                 "not know",
                 page->bound->loop->name);
    return tess_table_index(page, NULL);
}

const tess_strategy tess_strategy_peer = {
    .name = "peer",
    .summary = "somebody else's code: PyTorch, JAX ... run the loop on the same data",
    .reference = "docs/results/arena.md",
    .options = options,
    .elsewhere = true,
    .anywhere = true,
    .in_storage_order = true,
    .fits = fits,
    .prepare = prepare,
};

/* Reverse Cuthill-McKee: breadth first from a pseudo-peripheral vertex, neighbours by degree, then
 * reversed. */
#include "core/plan/order/graph_order.h"

#include "core/base/interrupt.h"
#include "core/base/sort.h"
#include "core/plan/order/levels.h"

tess_status tess_order_rcm(const tess_rows *graph, int32_t **new_to_old) {
    tess_status status = TESS_OK;
    tess_levels from = {0}, to = {0}, other = {0};
    tess_numbering numbering = {0};
    const int64_t n = graph->n;
    CHECK(tess_levels_new(n, &from));
    CHECK(tess_levels_new(n, &to));
    CHECK(tess_levels_new(n, &other));
    CHECK(tess_numbering_new(graph, &numbering));
    for (int32_t v = 0; v < n; v++) {
        if (numbering.numbered[v])
            continue;
        tess_levels_of_ends(graph, &numbering.by_degree, v, &from, &to, &other);
        CHECK(tess_interrupt_check());
        const int64_t first = numbering.n;
        tess_numbering_add(&numbering, from.root);
        for (int64_t at = first; at < numbering.n; at++)
            tess_numbering_add_around(&numbering, numbering.order[at], NULL, 0);
        tess_reverse(numbering.order + first, numbering.n - first);
    }
    *new_to_old = numbering.order;
    numbering.order = NULL;
done:
    tess_levels_free(&from);
    tess_levels_free(&to);
    tess_levels_free(&other);
    tess_numbering_free(&numbering);
    return status;
}

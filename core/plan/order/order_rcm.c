/* Reverse Cuthill-McKee: breadth first from a pseudo-peripheral vertex, neighbours by degree, then
 * reversed. */
#include "core/plan/order/order.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/plan/order/levels.h"
#include <stdlib.h>

/* Numbers the component of `root` from order[first] on, breadth first; returns the next number. */
static int64_t cuthill_mckee(const tess_rows *graph, const tess_ranks *ranks, int32_t root,
                             int64_t first, int32_t *order, bool *numbered) {
    int64_t n = first;
    order[n++] = root;
    numbered[root] = true;
    for (int64_t at = first; at < n; at++)
        n = tess_ranks_append(graph, ranks, order[at], NULL, 0, numbered, order, n);
    return n;
}

tess_status tess_order_rcm(const tess_rows *graph, int32_t **new_to_old) {
    tess_status status = TESS_OK;
    tess_levels from = {0}, to = {0}, other = {0};
    tess_ranks ranks = {0};
    bool *numbered = NULL;
    int32_t *order = NULL;
    const int64_t n = graph->n;
    CHECK(tess_levels_new(n, &from));
    CHECK(tess_levels_new(n, &to));
    CHECK(tess_levels_new(n, &other));
    CHECK(tess_ranks_new(graph, &ranks));
    CHECK(TESS_ZEROS(n, &numbered));
    CHECK(TESS_ALLOC(n, &order));
    int64_t n_numbered = 0;
    for (int32_t v = 0; v < n; v++) {
        if (numbered[v])
            continue;
        tess_levels_of_ends(graph, &ranks, v, &from, &to, &other);
        const int64_t first = n_numbered;
        n_numbered = cuthill_mckee(graph, &ranks, from.root, first, order, numbered);
        tess_reverse(order + first, n_numbered - first);
    }
    *new_to_old = order;
    order = NULL;
done:
    tess_levels_free(&from);
    tess_levels_free(&to);
    tess_levels_free(&other);
    tess_ranks_free(&ranks);
    free(numbered);
    free(order);
    return status;
}

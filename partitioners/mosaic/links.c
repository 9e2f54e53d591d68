/* Links: pairs of neighbours as the points of a problem whose elements were points themselves. */
#include "partitioners/mosaic/links.h"

#include "core/base/array.h"
#include "core/plan/graph.h"
#include <stdlib.h>

/* Numbers the pairs of a symmetric graph, in the order of their lower vertices: each neighbour in
 * `item` becomes the number of its pair. Rows ascend, so the pairs with lower neighbours, which a
 * vertex meets in their order, come first in its row. */
static tess_status number_links(tess_rows *graph, int64_t *n_links) {
    int64_t *seen = NULL; /* neighbours below the vertex that have numbered their pair with it */
    TRY(TESS_ZEROS(graph->n, &seen));
    *n_links = 0;
    for (int64_t v = 0; v < graph->n; v++)
        for (int64_t i = graph->offset[v] + seen[v]; i < graph->offset[v + 1]; i++) {
            const int32_t other = graph->item[i];
            graph->item[graph->offset[other] + seen[other]++] = (int32_t)*n_links;
            graph->item[i] = (int32_t)(*n_links)++;
        }
    free(seen);
    return TESS_OK;
}

tess_status mosaic_links_build(tess_partition_problem *problem, tess_incidence *links) {
    tess_status status = TESS_OK;
    tess_rows *graph = NULL;
    int64_t n_links = 0;
    CHECK(tess_graph_build(problem, NULL, &graph));
    CHECK(number_links(graph, &n_links));
    *links = (tess_incidence){
        .index = graph->item, .offset = graph->offset, .n_points = n_links, .weight = 1};
    graph->item = NULL;
    graph->offset = NULL;
    problem->n_maps = 1;
    problem->maps = links;
done:
    tess_rows_free(graph);
    return status;
}

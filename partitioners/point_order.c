/* A point order: points renumbered along their graph, elements after their points, chopped. */
#include "partitioners/point_order.h"

#include "core/base/array.h"
#include "core/plan/order/element_order.h"
#include "partitioners/chop.h"
#include <stdlib.h>

tess_status tess_point_order_chop(const tess_partition_problem *problem, tess_graph_order *order,
                                  int32_t *block_of) {
    tess_status status = TESS_OK;
    tess_rows *graph = NULL;
    int32_t *new_to_old = NULL, *position = NULL, *elements = NULL;
    CHECK(tess_graph_build_points(problem, &graph));
    CHECK(order(graph, &new_to_old));
    if (tess_graph_is_of_map(problem)) {
        tess_order_chop(new_to_old, graph->n, problem->block_size, block_of);
        goto done;
    }
    CHECK(TESS_ALLOC(graph->n, &position));
    for (int64_t i = 0; i < graph->n; i++)
        position[new_to_old[i]] = (int32_t)i;
    CHECK(tess_element_order(&problem->maps[problem->order_map], problem->n_elements, position,
                             &elements));
    tess_order_chop(elements, problem->n_elements, problem->block_size, block_of);
done:
    tess_rows_free(graph);
    free(new_to_old);
    free(position);
    free(elements);
    return status;
}

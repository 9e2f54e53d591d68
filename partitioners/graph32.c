/* A graph of 32-bit arrays, as METIS and SCOTCH take it, and the block sizes to ask them for. */
#include "partitioners/graph32.h"

#include "core/base/array.h"
#include "core/plan/graph.h"
#include <math.h>
#include <stdlib.h>

tess_status tess_offsets32(const tess_rows *graph, int32_t **out) {
    const int64_t n_entries = graph->offset[graph->n];
    if (n_entries > INT32_MAX)
        FAIL(TESS_ERROR_INPUT,
             "the graph of %lld elements has %lld entries; this library counts to %d",
             (long long)graph->n, (long long)n_entries, INT32_MAX);
    TRY(TESS_ALLOC(graph->n + 1, out));
    for (int64_t v = 0; v <= graph->n; v++)
        (*out)[v] = (int32_t)graph->offset[v];
    return TESS_OK;
}

tess_status tess_graph32_build(const tess_partition_problem *problem, bool weighted,
                               tess_graph32 **out) {
    tess_status status = TESS_OK;
    tess_rows *graph = NULL;
    tess_graph32 *narrow = NULL;
    CHECK(TESS_ZEROS(1, &narrow));
    CHECK(tess_graph_build(problem, weighted ? &narrow->weight : NULL, &graph));
    narrow->n_vertices = (int32_t)graph->n;
    CHECK(tess_offsets32(graph, &narrow->offset));
    narrow->neighbour = graph->item;
    graph->item = NULL; /* its is ours now */
    *out = TESS_TAKE(narrow);
done:
    tess_rows_free(graph);
    tess_graph32_free(narrow);
    return status;
}

tess_status tess_graph32_part(const tess_graph32 *graph, const int32_t *vertices, int32_t n,
                              int32_t *number, tess_graph32 **out) {
    tess_status status = TESS_OK;
    tess_graph32 *part = NULL;
    int64_t n_entries = 0;
    for (int32_t i = 0; i < n; i++) {
        number[vertices[i]] = i;
        n_entries += graph->offset[vertices[i] + 1] - graph->offset[vertices[i]];
    }
    CHECK(TESS_ZEROS(1, &part));
    part->n_vertices = n;
    CHECK(TESS_ALLOC(n + 1, &part->offset));
    CHECK(TESS_ALLOC(n_entries, &part->neighbour));
    if (graph->weight)
        CHECK(TESS_ALLOC(n_entries, &part->weight));
    int32_t end = 0;
    for (int32_t i = 0; i < n; i++) {
        part->offset[i] = end;
        for (int32_t j = graph->offset[vertices[i]]; j < graph->offset[vertices[i] + 1]; j++) {
            if (number[graph->neighbour[j]] < 0)
                continue;
            part->neighbour[end] = number[graph->neighbour[j]];
            if (graph->weight)
                part->weight[end] = graph->weight[j];
            end++;
        }
    }
    part->offset[n] = end;
    *out = TESS_TAKE(part);
done:
    for (int32_t i = 0; i < n; i++)
        number[vertices[i]] = -1;
    tess_graph32_free(part);
    return status;
}

void tess_graph32_free(tess_graph32 *graph) {
    if (!graph)
        return;
    free(graph->offset);
    free(graph->neighbour);
    free(graph->weight);
    free(graph);
}

tess_block_target tess_block_target_of(int32_t block_size, double l, double epsilon) {
    const double target = floor(block_size / l);
    const int32_t asked = target < 1 ? 1 : (int32_t)target;
    return (tess_block_target){asked, (block_size + epsilon) / asked};
}

int32_t tess_block_target_count(tess_block_target target, int64_t n) {
    return (int32_t)((n + target.block_size - 1) / target.block_size);
}

double tess_block_target_of_mean(tess_block_target target, int64_t n, int32_t n_blocks) {
    return target.imbalance * target.block_size * n_blocks / (double)n;
}

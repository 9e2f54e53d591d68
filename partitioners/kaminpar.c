/* The KaMinPar partitioner: deep multilevel partitioning of the graph of elements that share
 * points. */
#include "partitioners/worker/python_call.h"

static const tess_option options[] = {
    TESS_CHOICE_OPTION("preset", "eco",
                       "eco|strong|default|fast|largek|largek-eco|largek-strong|largek-fast",
                       "KaMinPar's; those named largek are for very many blocks"),
    TESS_OPTION_WEIGHTS("shared"),
    TESS_OPTION_L,
    TESS_OPTION_EPSILON,
    TESS_OPTION_THREADS,
    TESS_OPTION_SEED,
    {.key = NULL}};

/* METIS's format: counts, then a line for each vertex, its neighbours (and edges' weights). */
static void write_graph(const tess_graph32 *graph, FILE *file) {
    fprintf(file, "%d %d%s\n", graph->n_vertices, graph->offset[graph->n_vertices] / 2,
            graph->weight ? " 1" : "");
    for (int32_t v = 0; v < graph->n_vertices; v++) {
        for (int32_t i = graph->offset[v]; i < graph->offset[v + 1]; i++) {
            fprintf(file, "%d ", graph->neighbour[i] + 1);
            if (graph->weight)
                fprintf(file, "%d ", graph->weight[i]);
        }
        fputc('\n', file);
    }
}

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    tess_graph32 *graph = NULL;
    FILE *file = NULL;
    tess_python_call call = tess_python_call_of(problem, spec, options);
    call.package = TESS_KAMINPAR_PACKAGE;
    if (tess_python_call_is_trivial(&call, block_of))
        return TESS_OK;
    TRY(tess_graph32_build(problem, tess_spec_is(spec, options, "weights", "shared"), &graph));
    tess_status status = tess_python_input_open(&file);
    if (status == TESS_OK)
        write_graph(graph, file);
    tess_graph32_free(graph);
    return status == TESS_OK ? tess_python_become(&call, file) : status;
}

const tess_partitioner tess_partitioner_kaminpar = {
    .name = "kaminpar",
    .summary = "KaMinPar (Python): deep multilevel, of the graph of elements that share points",
    .reference = "Gottesbueren et al., ESA 2021, doi 10.4230/LIPIcs.ESA.2021.48",
    .options = options,
    .third_party = true,
    .on_request = true,
    .unrepeatable = true,
    .partition = partition,
};

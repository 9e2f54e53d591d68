/* The KaMinPar partitioner: deep multilevel partitioning of the graph of elements that share
 * points. */
#include "partitioners/problem_file.h"
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

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    FILE *file = NULL;
    tess_python_call call = tess_python_call_of(problem, spec, options);
    call.package = TESS_KAMINPAR_PACKAGE;
    if (tess_python_call_is_trivial(&call, block_of))
        return TESS_OK;
    TRY(tess_python_input_open(&file));
    const bool weighted = tess_spec_is(spec, options, "weights", "shared");
    const tess_status status = tess_problem_write_graph(problem, weighted, file);
    if (status == TESS_OK)
        return tess_python_become(&call, file);
    fclose(file);
    return status;
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

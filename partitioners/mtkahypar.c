/* The Mt-KaHyPar partitioner: multilevel partitioning of the hypergraph whose nets are the points,
 * weighted by their bytes: its objective km1 counts the bytes that blocks repeat, cut those of
 * points that several blocks have. */
#include "partitioners/problem_file.h"
#include "partitioners/worker/python_call.h"

#include <string.h>
#include <unistd.h>

static const tess_option options[] = {
    TESS_CHOICE_OPTION(
        "preset", "highest_quality",
        "highest_quality|quality|default|large_k|deterministic|deterministic_quality",
        "Mt-KaHyPar's; large_k is the one for very many blocks"),
    TESS_CHOICE_OPTION("objective", "km1", "km1|cut",
                       "what it minimises: the bytes that blocks repeat, or those of points that "
                       "several blocks have"),
    TESS_REAL_OPTION(
        "l", "1.03", 1, 2,
        "load imbalance, the 3 % of its papers: blocks of S' = floor(S / l) are asked for"),
    TESS_OPTION_EPSILON,
    TESS_OPTION_THREADS,
    TESS_OPTION_SEED,
    {.key = NULL}};

/* Its k-way search keeps a gain of 4 bytes or more for each element and block (measured: 1.1 times
 * that in all by preset default, 3 times by quality); two presets do without that search. */
static tess_status memory_check(const tess_python_call *call) {
    const double needed = 4.0 * (double)call->n_elements * call->n_parts;
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const bool searches =
        strcmp(call->preset, "large_k") != 0 && strcmp(call->preset, "deterministic") != 0;
    if (searches && needed > memory)
        FAIL(TESS_ERROR_MEMORY,
             "preset %s needs over %.1f GB for %lld elements in %d blocks, and this machine has "
             "%.1f: try mtkahypar:preset=large_k",
             call->preset, needed / 1e9, (long long)call->n_elements, call->n_parts, memory / 1e9);
    return TESS_OK;
}

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    tess_status status = TESS_OK;
    FILE *file = NULL;
    int64_t n_nets = 0;
    tess_python_call call = tess_python_call_of(problem, spec, options);
    call.package = TESS_MTKAHYPAR_PACKAGE;
    call.objective = tess_spec_text(spec, options, "objective");
    if (tess_python_call_is_trivial(&call, block_of))
        return TESS_OK;
    CHECK(memory_check(&call));
    CHECK(tess_python_input_open(&file));
    CHECK(tess_problem_write_hypergraph(problem, file, &n_nets));
    if (n_nets == 0) { /* any blocks do */
        for (int64_t e = 0; e < problem->n_elements; e++)
            block_of[e] = (int32_t)(e / problem->block_size);
        goto done;
    }
    status = tess_python_become(&call, file);
    file = NULL;
done:
    if (file)
        fclose(file);
    return status;
}

const tess_partitioner tess_partitioner_mtkahypar = {
    .name = "mtkahypar",
    .summary = "Mt-KaHyPar (Python): km1 or cut of the hypergraph of points; slow and very good",
    .reference = "Gottesbueren et al., ACM Trans. Algorithms 20 (2024), doi 10.1145/3626527",
    .options = options,
    .third_party = true,
    .on_request = true,
    .unrepeatable = true,
    .partition = partition,
};

/* The Mt-KaHyPar partitioner: multilevel partitioning of the hypergraph whose nets are the points.
 */
#include "core/plan/incidence.h"
#include "partitioners/worker/python_call.h"

#include <math.h>
#include <stdlib.h>
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

/* A net joins elements, so a point of one element is none. */
static int64_t net_size(const tess_rows *inverse, int64_t point) {
    const int64_t n = inverse->offset[point + 1] - inverse->offset[point];
    return n > 1 ? n : 0;
}

/* Writes the nets of one map, a line each: the weight, then the elements, numbered from 1. */
static void write_nets(const tess_rows *inverse, double weight, FILE *file) {
    for (int64_t p = 0; p < inverse->n; p++) {
        if (net_size(inverse, p) == 0)
            continue;
        fprintf(file, "%lld", llround(weight) > 1 ? llround(weight) : 1);
        for (int64_t i = inverse->offset[p]; i < inverse->offset[p + 1]; i++)
            fprintf(file, " %d", inverse->item[i] + 1);
        fputc('\n', file);
    }
}

/* The hypergraph as hMETIS's format has it: a vertex an element, a net a point, weighted by the
 * bytes accessed there, so that Mt-KaHyPar's objective km1 counts the bytes that blocks repeat, cut
 * those of points that several blocks have.
 * *n_nets: how many. */
static tess_status write_hypergraph(const tess_partition_problem *problem, FILE *file,
                                    int64_t *n_nets) {
    tess_status status = TESS_OK;
    tess_rows **inverses = calloc((size_t)problem->n_maps, sizeof *inverses);
    if (!inverses)
        FAIL(TESS_ERROR_MEMORY, "out of memory for the hypergraph");
    *n_nets = 0;
    for (int m = 0; m < problem->n_maps; m++) {
        CHECK(tess_incidence_invert(&problem->maps[m], problem->n_elements, &inverses[m]));
        for (int64_t p = 0; p < inverses[m]->n; p++)
            *n_nets += net_size(inverses[m], p) > 0;
    }
    fprintf(file, "%lld %lld 1\n", (long long)*n_nets, (long long)problem->n_elements);
    for (int m = 0; m < problem->n_maps; m++)
        write_nets(inverses[m], problem->maps[m].weight, file);
done:
    for (int m = 0; m < problem->n_maps; m++)
        tess_rows_free(inverses[m]);
    free(inverses);
    return status;
}

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
             "%.1f: "
             "try mtkahypar:preset=large_k",
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
    CHECK(write_hypergraph(problem, file, &n_nets));
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

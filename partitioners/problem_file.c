/* A problem as a file: for programs of others that cut graphs, hypergraphs and matrices, and whole.
 */
#include "partitioners/problem_file.h"

#include "core/base/array.h"
#include "partitioners/graph32.h"
#include "partitioners/nets.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Writes a head, then each net on a line: its weight, the bytes accessed at its point, and its
 * elements. PaToH's manual, "Hypergraph file": the head has numbers from 1, cells, nets, pins, and
 * 2: nets have costs. */
static tess_status write_nets(const tess_partition_problem *problem, bool for_patoh, FILE *file,
                              int64_t *n_nets) {
    tess_status status = TESS_OK;
    tess_nets nets = {.n = 0};
    CHECK(tess_nets_find(problem, &nets));
    *n_nets = nets.n;
    if (for_patoh)
        fprintf(file, "1 %" PRId64 " %" PRId64 " %" PRId64 " 2\n", problem->n_elements, nets.n,
                nets.n_pins);
    else
        fprintf(file, "%" PRId64 " %" PRId64 " 1\n", nets.n, problem->n_elements);
    for (int64_t net = 0; net < nets.n; net++) {
        const long long bytes = llround(nets.weight[net]);
        fprintf(file, "%lld", bytes > 1 ? bytes : 1);
        for (int64_t i = nets.first[net]; i < nets.first[net + 1]; i++)
            fprintf(file, " %d", nets.pin[i] + 1);
        fputc('\n', file);
    }
done:
    tess_nets_clear(&nets);
    return status;
}

tess_status tess_problem_write_hypergraph(const tess_partition_problem *problem, FILE *file,
                                          int64_t *n_nets) {
    return write_nets(problem, false, file, n_nets);
}

/* METIS's manual, section 4.1.1: counts, then a line for each vertex, its neighbours and, behind
 * each, the weight of the edge. */
tess_status tess_problem_write_graph(const tess_partition_problem *problem, bool weighted,
                                     FILE *file) {
    tess_graph32 *graph = NULL;
    TRY(tess_graph32_build(problem, weighted, &graph));
    fprintf(file, "%d %d%s\n", graph->n_vertices, graph->offset[graph->n_vertices] / 2,
            weighted ? " 1" : "");
    for (int32_t v = 0; v < graph->n_vertices; v++) {
        for (int32_t i = graph->offset[v]; i < graph->offset[v + 1]; i++) {
            fprintf(file, "%d ", graph->neighbour[i] + 1);
            if (weighted)
                fprintf(file, "%d ", graph->weight[i]);
        }
        fputc('\n', file);
    }
    tess_graph32_free(graph);
    return TESS_OK;
}

/* The next slot of a row, from `slot` on, that has a point for the first time; n_slots: none. */
static int64_t next_point(const tess_incidence *map, const int32_t *row, int64_t slot,
                          int64_t n_slots) {
    while (slot < n_slots && !tess_incidence_is_first(map, row, slot))
        slot++;
    return slot;
}

/* https://math.nist.gov/MatrixMarket/formats.html: an entry a line, row and column from 1. */
static void write_matrix(const tess_partition_problem *problem, FILE *file) {
    int64_t n_columns = 0, n_entries = 0, n_slots;
    for (int m = 0; m < problem->n_maps; m++) {
        const tess_incidence *map = &problem->maps[m];
        n_columns += map->n_points;
        for (int64_t e = 0; e < problem->n_elements; e++) {
            const int32_t *row = tess_incidence_row(map, e, &n_slots);
            for (int64_t s = next_point(map, row, 0, n_slots); s < n_slots;
                 s = next_point(map, row, s + 1, n_slots))
                n_entries++;
        }
    }
    fprintf(file, "%%%%MatrixMarket matrix coordinate pattern general\n");
    fprintf(file, "%" PRId64 " %" PRId64 " %" PRId64 "\n", problem->n_elements, n_columns,
            n_entries);
    for (int64_t e = 0; e < problem->n_elements; e++) {
        int64_t first = 1; /* column of the map's first point */
        for (int m = 0; m < problem->n_maps; first += problem->maps[m++].n_points) {
            const tess_incidence *map = &problem->maps[m];
            const int32_t *row = tess_incidence_row(map, e, &n_slots);
            for (int64_t s = next_point(map, row, 0, n_slots); s < n_slots;
                 s = next_point(map, row, s + 1, n_slots))
                fprintf(file, "%" PRId64 " %" PRId64 "\n", e + 1, first + row[s]);
        }
    }
}

static void write_coordinates(const tess_partition_problem *problem, FILE *file) {
    fputs("coordinates\n", file);
    for (int64_t e = 0; e < problem->n_elements; e++)
        for (int d = 0; d < problem->dimension; d++)
            fprintf(file, "%.17g%c", problem->coordinates[e * problem->dimension + d],
                    d == problem->dimension - 1 ? '\n' : ' ');
}

static void write_map(const tess_partition_problem *problem, const tess_incidence *map,
                      FILE *file) {
    fprintf(file, "map points %" PRId64 " bytes %.17g\n", map->n_points, map->weight);
    for (int64_t e = 0; e < problem->n_elements; e++) {
        int64_t n_slots;
        const int32_t *row = tess_incidence_row(map, e, &n_slots);
        const char *before = "";
        for (int64_t s = next_point(map, row, 0, n_slots); s < n_slots;
             s = next_point(map, row, s + 1, n_slots)) {
            fprintf(file, "%s%d", before, row[s]);
            before = " ";
        }
        fputc('\n', file);
    }
}

static void write_whole(const tess_partition_problem *problem, FILE *file) {
    const int dimension = problem->coordinates ? problem->dimension : 0;
    fprintf(file, "tesselab-problem 1\nelements %" PRId64 "\nblock_size %d\nseed %" PRIu64 "\n",
            problem->n_elements, problem->block_size, problem->seed);
    fprintf(file, "shape %" PRId64 " %" PRId64 " %" PRId64 "\ndimension %d\nmaps %d\n",
            problem->shape[0], problem->shape[1], problem->shape[2], dimension, problem->n_maps);
    if (dimension)
        write_coordinates(problem, file);
    for (int m = 0; m < problem->n_maps; m++)
        write_map(problem, &problem->maps[m], file);
}

tess_problem_format tess_problem_format_of(const char *name) {
    static const char *const names[] = {"graph", "hypergraph", "patoh", "matrix", "problem"};
    int format = 0;
    while (format < TESS_PROBLEM_N_FORMATS && strcmp(names[format], name) != 0)
        format++;
    return (tess_problem_format)format;
}

tess_status tess_problem_write(const tess_partition_problem *problem, tess_problem_format format,
                               FILE *file) {
    int64_t n_nets;
    switch (format) {
    case TESS_PROBLEM_GRAPH:
        return tess_problem_write_graph(problem, true, file);
    case TESS_PROBLEM_HYPERGRAPH:
        return tess_problem_write_hypergraph(problem, file, &n_nets);
    case TESS_PROBLEM_PATOH:
        return write_nets(problem, true, file, &n_nets);
    case TESS_PROBLEM_MATRIX:
        write_matrix(problem, file);
        return TESS_OK;
    case TESS_PROBLEM_WHOLE:
        write_whole(problem, file);
        return TESS_OK;
    case TESS_PROBLEM_N_FORMATS:
        break;
    }
    FAIL(TESS_ERROR_USAGE, "a problem is written as one of %s", TESS_PROBLEM_FORMATS);
}

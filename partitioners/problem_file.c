/* A problem as a file: for programs of others that cut graphs, hypergraphs and matrices, and whole.
 */
#include "partitioners/problem_file.h"

#include "core/base/array.h"
#include "partitioners/graph32.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The nets of a problem: for each of its maps the elements of each point. */
typedef struct nets {
    int n_maps;
    tess_rows **inverse; /* [n_maps] */
    int64_t n;           /* nets: points of several elements */
    int64_t n_pins;      /* their elements, all together */
} nets;

/* A net joins elements, so a point of one element makes no net. */
static int64_t net_size(const tess_rows *inverse, int64_t point) {
    const int64_t n = tess_rows_size(inverse, point);
    return n > 1 ? n : 0;
}

static void nets_clear(nets *all) {
    for (int m = 0; m < all->n_maps; m++)
        tess_rows_free(all->inverse[m]);
    free(all->inverse);
}

static tess_status nets_find(const tess_partition_problem *problem, nets *out) {
    TRY(TESS_ZEROS(problem->n_maps, &out->inverse));
    out->n_maps = problem->n_maps;
    for (int m = 0; m < problem->n_maps; m++) {
        tess_rows **inverse = &out->inverse[m];
        TRY(tess_incidence_invert(&problem->maps[m], problem->n_elements, inverse));
        for (int64_t p = 0; p < (*inverse)->n; p++) {
            out->n += net_size(*inverse, p) > 0;
            out->n_pins += net_size(*inverse, p);
        }
    }
    return TESS_OK;
}

/* Writes each net on a line: its weight, the bytes accessed at its point, then its elements. */
static void nets_write(const tess_partition_problem *problem, const nets *all, FILE *file) {
    for (int m = 0; m < all->n_maps; m++) {
        const tess_rows *inverse = all->inverse[m];
        const long long bytes = llround(problem->maps[m].weight);
        for (int64_t p = 0; p < inverse->n; p++) {
            if (net_size(inverse, p) == 0)
                continue;
            fprintf(file, "%lld", bytes > 1 ? bytes : 1);
            for (int64_t i = inverse->offset[p]; i < inverse->offset[p + 1]; i++)
                fprintf(file, " %d", inverse->item[i] + 1);
            fputc('\n', file);
        }
    }
}

tess_status tess_problem_write_hypergraph(const tess_partition_problem *problem, FILE *file,
                                          int64_t *n_nets) {
    tess_status status = TESS_OK;
    nets all = {.n = 0};
    CHECK(nets_find(problem, &all));
    *n_nets = all.n;
    fprintf(file, "%" PRId64 " %" PRId64 " 1\n", all.n, problem->n_elements);
    nets_write(problem, &all, file);
done:
    nets_clear(&all);
    return status;
}

/* PaToH's manual, "Hypergraph file": numbers from 1, cells, nets, pins, and 2: nets have costs. */
static tess_status write_patoh(const tess_partition_problem *problem, FILE *file) {
    tess_status status = TESS_OK;
    nets all = {.n = 0};
    CHECK(nets_find(problem, &all));
    fprintf(file, "1 %" PRId64 " %" PRId64 " %" PRId64 " 2\n", problem->n_elements, all.n,
            all.n_pins);
    nets_write(problem, &all, file);
done:
    nets_clear(&all);
    return status;
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
        return write_patoh(problem, file);
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

/* plan_speed: CPU seconds of a plan with both colourings against METIS k-way, in one run; then of
 * its proof, renumberings and metrics.
 *
 * usage: plan_speed [NX NY [BLOCK_SIZE]]       default 2400 1200 480: 2.88M quads, 5.76M edges
 *
 * METIS is called as the paper does (section 2.3.2: S' = floor(S / 1.001), l' = (S + 0.1) / S') and
 * its partition of the edges is the one that is planned. A BLOCK_SIZE of 0 plans tiles of 128 edges
 * without METIS. */
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/plan/graph.h"
#include "core/plan/metrics.h"
#include "core/plan/plan.h"
#include "core/plan/plan_check.h"

#include <metis.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

typedef struct stopwatch {
    double cpu, wall;
} stopwatch;

static stopwatch stopwatch_start(void) {
    return (stopwatch){tess_clock_cpu_seconds(), tess_clock_seconds()};
}

static double stopwatch_report(const stopwatch *start, const char *what) {
    const stopwatch now = stopwatch_start();
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%-34s %8.3f CPU s %8.3f wall s   peak %5.2f GB\n", what, now.cpu - start->cpu,
           now.wall - start->wall, (double)usage.ru_maxrss / 1e6);
    return now.cpu - start->cpu;
}

/* The interior edges of nx by ny quads, cell by cell as derived edges are numbered. */
static tess_status edges_mesh(int nx, int ny, tess_mesh **out) {
    tess_mesh *mesh = NULL;
    int32_t *index = NULL;
    const int64_t n_edges = (int64_t)(nx - 1) * ny + (int64_t)nx * (ny - 1);
    TRY(tess_mesh_new("quads", 2, &mesh));
    TRY(tess_mesh_add_set(mesh, "cells", (int64_t)nx * ny, NULL));
    TRY(tess_mesh_add_set(mesh, "edges", n_edges, NULL));
    TRY(TESS_ALLOC(2 * n_edges, &index));
    int64_t at = 0;
    for (int32_t c = 0; c < nx * ny; c++) {
        if ((c + 1) % nx) {
            index[at++] = c;
            index[at++] = c + 1;
        }
        if (c + nx < nx * ny) {
            index[at++] = c;
            index[at++] = c + nx;
        }
    }
    *out = mesh;
    return tess_mesh_add_map(mesh, "edges", "cells", 2, 0, index);
}

static tess_status metis_partition(const tess_partition_problem *problem, int32_t *block_of) {
    tess_rows *graph = NULL;
    TRY(tess_graph_build(problem, NULL, &graph));
    const int32_t size = (int32_t)(problem->block_size / 1.001);
    idx_t n = (idx_t)graph->n, n_constraints = 1, cut = 0;
    idx_t n_parts = (n + size - 1) / size, options[METIS_NOPTIONS];
    real_t imbalance = (real_t)((problem->block_size + 0.1) / size);
    idx_t *offset = NULL;
    TRY(TESS_ALLOC(n + 1, &offset));
    for (idx_t v = 0; v <= n; v++)
        offset[v] = (idx_t)graph->offset[v];
    METIS_SetDefaultOptions(options);
    const int rc = METIS_PartGraphKway(&n, &n_constraints, offset, graph->item, NULL, NULL, NULL,
                                       &n_parts, NULL, &imbalance, options, &cut, block_of);
    free(offset);
    tess_rows_free(graph);
    if (rc != METIS_OK)
        FAIL(TESS_ERROR_INTERNAL, "METIS failed with %d", rc);
    return TESS_OK;
}

/* Edges of 8 by 8 cells: blocks of at most 128. */
static void tile_partition(const tess_mesh *mesh, int nx, int32_t *block_of) {
    const int32_t *cells = mesh->maps[0].index, per_row = (nx + 7) / 8;
    for (int64_t e = 0; e < tess_mesh_set_size(mesh, "edges"); e++)
        block_of[e] = cells[2 * e] / nx / 8 * per_row + cells[2 * e] % nx / 8;
}

/* Times every renumbering and the metrics in it. */
static tess_status renumber_and_measure(const tess_bound_loop *bound, const tess_plan *plan) {
    for (tess_renumber_method m = TESS_RENUMBER_NONE; m <= TESS_RENUMBER_COLOURS; m++) {
        tess_renumbering *renumbering = NULL;
        tess_metrics *metrics = NULL;
        char what[64];
        stopwatch start = stopwatch_start();
        TRY(tess_renumber_build(bound, plan, m, false, &renumbering));
        snprintf(what, sizeof what, "renumbering %s", tess_renumber_name(m));
        stopwatch_report(&start, what);
        start = stopwatch_start();
        TRY(tess_metrics_of_plan(bound, plan, renumbering, TESS_AOS, &metrics));
        stopwatch_report(&start, "  its metrics");
        printf("  reuse factor %.4f, sectors a block %.2f\n",
               tess_metrics_get(metrics, "reuse_factor"),
               tess_metrics_get(metrics, "sectors_per_block"));
        tess_metrics_free(metrics);
        tess_renumbering_free(renumbering);
    }
    return TESS_OK;
}

static tess_status speed_run(int nx, int ny, int32_t block_size) {
    tess_mesh *mesh = NULL;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    tess_partition_problem *problem = NULL;
    tess_plan *plan = NULL;
    const int32_t limit = block_size ? block_size : 128;
    TRY(edges_mesh(nx, ny, &mesh));
    TRY(tess_loop_of_map("edges:cells", NULL, &loop));
    TRY(tess_loop_bind(loop, mesh, &bound));
    TRY(tess_partition_problem_build(bound, TESS_POINTS_INCREMENTS, limit, 0, &problem));
    tess_partition *partition = NULL;
    int32_t *block_of = NULL;
    TRY(TESS_ALLOC(problem->n_elements, &block_of));
    printf("%d x %d quads, %lld edges, block size %d, %d threads\n", nx, ny,
           (long long)problem->n_elements, limit, omp_get_max_threads());

    stopwatch start = stopwatch_start();
    if (block_size)
        TRY(metis_partition(problem, block_of));
    else
        tile_partition(mesh, nx, block_of);
    const double metis_seconds =
        stopwatch_report(&start, block_size ? "METIS k-way with its graph" : "tiles");
    TRY(tess_partition_build(problem, block_of, TESS_REPAIR_SPLIT, &partition));

    start = stopwatch_start();
    TRY(tess_plan_build(bound, partition, NULL, &plan));
    const double plan_seconds = stopwatch_report(&start, "plan with both colourings");
    printf("%d blocks, %d block colours; METIS / plan = %.1f\n", plan->n_blocks,
           plan->n_block_colours, metis_seconds / plan_seconds);

    start = stopwatch_start();
    TRY(tess_plan_check(bound, partition->block_of, plan));
    stopwatch_report(&start, "proof of the plan");
    tess_plan_free(plan);
    plan = NULL;
    for (tess_colouring by = TESS_COLOUR_DSATUR; by <= TESS_COLOUR_GREEDY; by++) {
        const tess_plan_options options = {TESS_ORDER_COLOUR, by, false, NULL};
        tess_plan_free(plan);
        start = stopwatch_start();
        TRY(tess_plan_build(bound, partition, &options, &plan));
        stopwatch_report(&start, by == TESS_COLOUR_DSATUR ? "plan by DSATUR, ordered by colour"
                                                          : "plan by first fit, ordered by colour");
    }

    TRY(renumber_and_measure(bound, plan));
    tess_plan_free(plan);
    tess_partition_free(partition);
    free(block_of);
    tess_partition_problem_free(problem);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
    return TESS_OK;
}

int main(int argc, char **argv) {
    const int nx = argc > 2 ? atoi(argv[1]) : 2400, ny = argc > 2 ? atoi(argv[2]) : 1200;
    if (speed_run(nx, ny, argc > 3 ? atoi(argv[3]) : 480) != TESS_OK) {
        fprintf(stderr, "plan_speed: %s\n", tess_message());
        return 1;
    }
    return 0;
}

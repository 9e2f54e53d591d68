/* partition_benchmark: partitioners side by side on one mesh that is too large for a lab: how time
 * grows with the mesh, and whether threads change the blocks.
 *
 * usage: partition_benchmark MESH MAP SIZE[,SIZE...] SPEC[,SPEC...] [SEED]
 *
 * CPU seconds, wall seconds and memory are those of records (core/plan/partition.h), bytes also
 * over elements and map slots. Thread colours are the fewest that we find, beside their lower
 * bound: the most elements of a block at one point, mean over blocks. The last column tells
 * partitions apart. */
#include "core/base/array.h"
#include "core/mesh/derive.h"
#include "core/plan/metrics.h"
#include "data/mesh_open.h"
#include "partitioners/partitioner.h"

#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct stage {
    tess_mesh *mesh;
    tess_loop *loop;
    tess_bound_loop *bound;
} stage;

/* A number that tells partitions apart: FNV-1a over the blocks of all elements. */
static uint32_t fingerprint(const tess_partition *partition) {
    uint64_t hash = 14695981039346656037u;
    for (int64_t e = 0; e < partition->n_elements; e++)
        hash = (hash ^ (uint32_t)partition->block_of[e]) * 1099511628211u;
    return (uint32_t)(hash >> 32);
}

/* The metrics that are printed. */
static const struct {
    const char *metric, *title;
} columns[] = {{"reuse_factor", "reuse"},
               {"thread_colours_mean", "thread"},
               {"thread_colours_bound_mean", "bound"},
               {"block_colours", "block"},
               {"fill", "fill"},
               {"components_mean", "pieces"}};

/* Elements and slots of all maps that count: what memory is measured by. */
static int64_t count_slots(const tess_partition_problem *problem) {
    int64_t n = problem->n_elements;
    for (int m = 0; m < problem->n_maps; m++)
        n += problem->maps[m].offset ? problem->maps[m].offset[problem->n_elements]
                                     : problem->n_elements * problem->maps[m].arity;
    return n;
}

static tess_status row(const stage *all, tess_partition_problem *problem, const tess_spec *spec) {
    tess_status status = TESS_OK;
    const tess_partitioner *partitioner = NULL;
    tess_partition *partition = NULL;
    tess_plan *plan = NULL;
    tess_metrics *metrics = NULL;
    char *name = NULL;
    double seconds = 0;
    const tess_plan_options options = {.thread_colouring = TESS_COLOUR_FEWEST};
    CHECK(tess_partitioner_find(spec->name, &partitioner));
    CHECK(tess_spec_print(spec, partitioner->options, &name));
    CHECK(
        tess_partitioner_run(partitioner, problem, spec, TESS_REPAIR_SPLIT, &seconds, &partition));
    CHECK(tess_plan_build(all->bound, partition, &options, &plan));
    CHECK(tess_metrics_of_plan(all->bound, plan, NULL, TESS_SOA, &metrics));
    printf("%-34s %5d %8.4f", name, problem->block_size, partition->reuse_factor_before);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        printf(" %8.4f", tess_metrics_get(metrics, columns[i].metric));
    printf(" %9.4f %9.3f %8.1f %6.1f %08" PRIx32 "\n", partition->cpu_seconds, seconds,
           (double)partition->grown_bytes / 1e6,
           (double)partition->grown_bytes / (double)count_slots(problem), fingerprint(partition));
    fflush(stdout);
done:
    free(name);
    tess_metrics_free(metrics);
    tess_plan_free(plan);
    tess_partition_free(partition);
    return status;
}

/* All partitioners at one block size; one that fails says why and the others go on. */
static tess_status rows(const stage *all, int32_t block_size, uint64_t seed, const tess_spec *specs,
                        int n_specs) {
    tess_partition_problem *problem = NULL;
    TRY(tess_partition_problem_build(all->bound, TESS_POINTS_INCREMENTS, block_size, seed,
                                     &problem));
    problem->time_limit = 1200;
    for (int i = 0; i < n_specs; i++)
        if (row(all, problem, specs + i) != TESS_OK)
            printf("%-34s %5d %s\n", specs[i].name, block_size, tess_message());
    tess_partition_problem_free(problem);
    return TESS_OK;
}

static tess_status benchmark(char **argv, uint64_t seed) {
    tess_status status = TESS_OK;
    stage all = {0};
    tess_spec *specs = NULL;
    int n_specs = 0;
    CHECK(tess_spec_list_parse(argv[4], &specs, &n_specs));
    CHECK(tess_mesh_open(argv[1], &all.mesh));
    CHECK(tess_mesh_derive(all.mesh, argv[2]));
    CHECK(tess_loop_of_map(argv[2], NULL, &all.loop));
    CHECK(tess_loop_bind(all.loop, all.mesh, &all.bound));
    printf("%s %s, %lld elements, %d threads\n", argv[1], argv[2], (long long)all.bound->n_elements,
           omp_get_max_threads());
    printf("%-34s %5s %8s", "partitioner", "S", "before");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        printf(" %8s", columns[i].title);
    printf(" %9s %9s %8s %6s %8s\n", "CPU s", "wall s", "MB", "B/slot", "blocks");
    for (char *size = argv[3]; *size;) {
        CHECK(rows(&all, (int32_t)strtol(size, &size, 10), seed, specs, n_specs));
        size += *size == ',';
    }
done:
    tess_spec_list_free(specs, n_specs);
    tess_bound_loop_free(all.bound);
    tess_loop_free(all.loop);
    tess_mesh_free(all.mesh);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 5) {
        fprintf(stderr, "usage: %s MESH MAP SIZE[,SIZE...] SPEC[,SPEC...] [SEED]\n", argv[0]);
        return 2;
    }
    if (benchmark(argv, argc > 5 ? strtoull(argv[5], NULL, 10) : 1) != TESS_OK) {
        fprintf(stderr, "%s\n", tess_message());
        return 1;
    }
    return 0;
}

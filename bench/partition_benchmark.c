/* partition_benchmark: what partitioners make of one mesh, and what they take for it.
 *
 * usage: partition_benchmark MESH MAP SIZE[,SIZE...] SPEC[,SPEC...] [SEED]
 *
 * A line for each block size and partitioner, in columns that bench/mosaic_gate.py reads: reuse
 * before and after the repair, the number of blocks, seconds of all threads' processor time and on
 * the clock, memory in MB of 10^6 bytes, and a number that tells partitions apart. */
#include "core/mesh/derive.h"
#include "core/plan/block_order.h"
#include "data/mesh_open.h"
#include "partitioners/partitioner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIME_LIMIT = 300 }; /* seconds that a third-party partitioner may take */

/* A number that tells partitions apart: FNV-1a over the blocks of all elements. */
static uint32_t fingerprint(const tess_partition *partition) {
    uint64_t hash = 14695981039346656037u;
    for (int64_t e = 0; e < partition->n_elements; e++)
        hash = (hash ^ (uint32_t)partition->block_of[e]) * 1099511628211u;
    return (uint32_t)(hash >> 32);
}

static tess_status reuse_after_repair(const tess_partition_problem *problem,
                                      const tess_partition *partition, double *reuse) {
    int32_t *number = NULL;
    int64_t largest = 0;
    TRY(tess_block_order_build(problem, partition->block_of, partition->n_blocks, &number, &largest,
                               reuse));
    free(number);
    return TESS_OK;
}

static tess_status print_row(const tess_partition_problem *problem, const tess_spec *spec) {
    tess_status status = TESS_OK;
    const tess_partitioner *partitioner = NULL;
    tess_partition *partition = NULL;
    char *name = NULL;
    double seconds = 0, reuse = 0;
    CHECK(tess_partitioner_find(spec->name, &partitioner));
    CHECK(tess_spec_print(spec, partitioner->options, &name));
    CHECK(
        tess_partitioner_run(partitioner, problem, spec, TESS_REPAIR_SPLIT, &seconds, &partition));
    CHECK(reuse_after_repair(problem, partition, &reuse));
    printf("%-40s %5d %9.6f %9.6f %8d %10.4f %10.4f %8.1f %08" PRIx32 "\n", name,
           problem->block_size, partition->reuse_factor_before, reuse, partition->n_blocks,
           partition->cpu_seconds, seconds, (double)partition->grown_bytes / 1e6,
           fingerprint(partition));
    fflush(stdout);
done:
    free(name);
    tess_partition_free(partition);
    return status;
}

/* All partitioners at one block size; one that fails says why and the others go on. */
static tess_status print_rows(const tess_bound_loop *bound, int32_t block_size, uint64_t seed,
                              const tess_spec *specs, int n_specs) {
    tess_partition_problem *problem = NULL;
    TRY(tess_partition_problem_build(bound, TESS_POINTS_INCREMENTS, block_size, seed, &problem));
    problem->time_limit = TIME_LIMIT;
    for (int i = 0; i < n_specs; i++)
        if (print_row(problem, specs + i) != TESS_OK)
            fprintf(stderr, "%s, S = %d: %s\n", specs[i].name, block_size, tess_message());
    tess_partition_problem_free(problem);
    return TESS_OK;
}

static tess_status benchmark(char **argv, uint64_t seed) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    tess_spec *specs = NULL;
    int n_specs = 0;
    CHECK(tess_spec_list_parse(argv[4], &specs, &n_specs));
    CHECK(tess_mesh_open(argv[1], &mesh));
    CHECK(tess_mesh_derive(mesh, argv[2]));
    CHECK(tess_loop_of_map(argv[2], NULL, &loop));
    CHECK(tess_loop_bind(loop, mesh, &bound));
    printf("%" PRId64 " elements\n", bound->n_elements);
    printf("%-40s %5s %9s %9s %8s %10s %10s %8s %8s\n", "partitioner", "S", "before", "reuse",
           "blocks", "CPU_s", "wall_s", "MB", "print");
    for (char *size = argv[3]; *size;) {
        CHECK(print_rows(bound, (int32_t)strtol(size, &size, 10), seed, specs, n_specs));
        size += *size == ',';
    }
done:
    tess_spec_list_free(specs, n_specs);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
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

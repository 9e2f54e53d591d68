/* partition_benchmark: partitioners side by side on one mesh, the table of partitioners/mosaic.md.
 *
 * usage: partition_benchmark MESH MAP SIZE[,SIZE...] SPEC[,SPEC...] [SEED]
 *
 * Everything of one row is measured in this process and the worker that it starts: CPU seconds of
 * both with graphs and inverse maps included, wall seconds, the growth of the peak memory of the
 * larger of them. Thread colours are DSATUR's, beside their lower bound: the most elements of a
 * block at one point, mean over blocks. */
#include "core/array.h"
#include "core/derive.h"
#include "core/plan.h"
#include "data/mesh_open.h"
#include "partitioners/partitioner.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef struct stage {
    tess_mesh *mesh;
    tess_loop *loop;
    tess_bound_loop *bound;
} stage;

static double cpu_seconds(int who) {
    struct rusage usage;
    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* A line of /proc/self/status in MB. */
static double status_mb(const char *key) {
    char line[256];
    double kb = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            kb = strtod(line + strlen(key) + 1, NULL);
    if (file)
        fclose(file);
    return kb / 1024;
}

static void peak_reset(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file) {
        fputs("5", file);
        fclose(file);
    }
}

static double mean(const int32_t *values, int32_t n) {
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        sum += values[i];
    return n ? sum / n : 0;
}

/* Mean over blocks of the most elements at one incremented point. */
static double colours_bound(const tess_plan *plan) {
    double sum = 0;
    for (int32_t b = 0; b < plan->n_blocks; b++) {
        int64_t most = 0;
        for (int s = 0; s < plan->n_sets; s++) {
            const tess_plan_set *set = plan->sets + s;
            int64_t count[TESS_NO_POINT] = {0};
            for (int64_t i = plan->block_offset[b]; i < plan->block_offset[b + 1]; i++)
                for (int k = 0; k < set->n_slots && set->incremented; k++) {
                    const uint16_t point = set->local_index[i * set->n_slots + k];
                    if (point != TESS_NO_POINT && ++count[point] > most)
                        most = count[point];
                }
        }
        sum += (double)most;
    }
    return plan->n_blocks ? sum / plan->n_blocks : 0;
}

static double reuse_after(const tess_plan *plan) {
    double pins = 0, points = 0;
    for (int s = 0; s < plan->n_sets; s++) {
        pins += (double)plan->n_executed * plan->sets[s].n_slots;
        points += (double)plan->sets[s].point_offset[plan->n_blocks];
    }
    return points > 0 ? pins / points : 0;
}

static tess_status row(const stage *all, tess_problem *problem, const tess_spec *spec) {
    tess_status status = TESS_OK;
    const tess_partitioner *partitioner = NULL;
    tess_partition *partition = NULL;
    tess_plan *plan = NULL;
    char *name = NULL;
    double seconds = 0;
    const tess_plan_options options = {.thread_colouring = TESS_COLOUR_FEWEST};
    CHECK(tess_partitioner_find(spec->name, &partitioner));
    CHECK(tess_spec_print(spec, partitioner->options, &name));
    const double memory = status_mb("VmRSS:");
    const double cpu = cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN);
    peak_reset();
    CHECK(
        tess_partitioner_run(partitioner, problem, spec, TESS_REPAIR_SPLIT, &seconds, &partition));
    const double used = cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN) - cpu;
    const double grown = status_mb("VmHWM:") - memory;
    struct rusage children;
    getrusage(RUSAGE_CHILDREN, &children);
    const double worker = partitioner->third_party ? (double)children.ru_maxrss / 1024 : 0;
    CHECK(tess_plan_build(all->bound, partition, &options, &plan));
    printf("%-34s %5d %8.4f %8.4f %6.3f %6.3f %5d %6.4f %9.3f %9.3f %8.0f\n", name,
           problem->block_size, partition->reuse_factor_before, reuse_after(plan),
           mean(plan->thread_colours, plan->n_blocks), colours_bound(plan), plan->n_block_colours,
           (double)problem->n_elements / partition->n_blocks / problem->block_size, used, seconds,
           grown > worker ? grown : worker);
    fflush(stdout);
done:
    free(name);
    tess_plan_free(plan);
    tess_partition_free(partition);
    return status;
}

/* All partitioners at one block size; one that fails says why and the others go on. */
static tess_status rows(const stage *all, int32_t block_size, uint64_t seed, const tess_spec *specs,
                        int n_specs) {
    tess_problem *problem = NULL;
    TRY(tess_problem_build(all->bound, TESS_POINTS_INCREMENTS, block_size, seed, &problem));
    problem->time_limit = 1200;
    for (int i = 0; i < n_specs; i++)
        if (row(all, problem, specs + i) != TESS_OK)
            printf("%-34s %5d %s\n", specs[i].name, block_size, tess_message());
    tess_problem_free(problem);
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
    printf("%-34s %5s %8s %8s %6s %6s %5s %6s %9s %9s %8s\n", "partitioner", "S", "before", "reuse",
           "thread", "bound", "block", "fill", "CPU s", "wall s", "MB");
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

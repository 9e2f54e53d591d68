/* A program of somebody else: cuts a generated mesh into blocks with the installed library. */
#include "core/mesh/derive.h"
#include "data/mesh_open.h"
#include "partitioners/partitioner.h"
#include <stdio.h>

static tess_status cut(const char *name) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    tess_partition_problem *problem = NULL;
    tess_spec *specs = NULL;
    int n_specs = 0;
    const tess_partitioner *partitioner = NULL;
    tess_partition *partition = NULL;
    double seconds = 0;
    CHECK(tess_mesh_open("quads:nx=20:ny=20", &mesh));
    CHECK(tess_mesh_derive(mesh, "edges:cells"));
    CHECK(tess_loop_of_map("edges:cells", NULL, &loop));
    CHECK(tess_loop_bind(loop, mesh, &bound));
    CHECK(tess_partition_problem_build(bound, TESS_POINTS_INCREMENTS, 64, 1, &problem));
    CHECK(tess_spec_list_parse(name, &specs, &n_specs));
    CHECK(tess_partitioner_find(specs[0].name, &partitioner));
    CHECK(tess_partitioner_run(partitioner, problem, &specs[0], TESS_REPAIR_SPLIT, &seconds,
                               &partition));
    printf("%s: %d blocks of %lld edges\n", name, partition->n_blocks,
           (long long)partition->n_elements);
done:
    tess_partition_free(partition);
    tess_spec_list_free(specs, n_specs);
    tess_partition_problem_free(problem);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
    return status;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (cut(argv[i]) != TESS_OK) {
            fprintf(stderr, "%s\n", tess_message());
            return 1;
        }
    return 0;
}

/* Blocks of a mesh that is in memory: cut_mesh [PARTITIONER] cuts the edges of a few quads, proves
 * the plan, and goes through the blocks as a code of yours would. */
#include <stdio.h>
#include <tesselab.h>

enum { NX = 30, NY = 20, N_CELLS = NX * NY, N_NODES = (NX + 1) * (NY + 1) };

static int32_t cell_nodes[N_CELLS][4];
static double coordinates[N_NODES][2];

/* Your arrays. */
static void make_arrays(void) {
    for (int node = 0; node < N_NODES; node++) {
        coordinates[node][0] = node % (NX + 1);
        coordinates[node][1] = node / (NX + 1);
    }
    for (int cell = 0; cell < N_CELLS; cell++) {
        const int32_t corner = cell / NX * (NX + 1) + cell % NX;
        const int32_t nodes[4] = {corner, corner + 1, corner + NX + 2, corner + NX + 1};
        for (int i = 0; i < 4; i++)
            cell_nodes[cell][i] = nodes[i];
    }
}

static tess_status make_mesh(tess_mesh **mesh) {
    tess_status status = tess_mesh_new("my code", 2, mesh);
    if (!status)
        status = tess_mesh_add_set(*mesh, "nodes", N_NODES, NULL);
    if (!status)
        status = tess_mesh_add_set(*mesh, "cells", N_CELLS, NULL);
    if (!status)
        status = tess_mesh_put_coordinates(*mesh, &coordinates[0][0]);
    if (!status)
        status = tess_mesh_put_map(*mesh, "cells", "nodes", 4, &cell_nodes[0][0]);
    return status ? status : tess_mesh_derive(*mesh, "edges:cells");
}

/* Executes the plan: the blocks of one colour may run at once, and so may, within a block, the
 * edges of one colour. Here each edge adds 1 to both of its cells. */
static void execute(const tess_mesh *mesh, const tess_plan *plan, int *sum) {
    const int32_t *edge_cells = tess_mesh_map_index(mesh, "edges:cells");
    const int32_t *executed = tess_plan_executed(plan),
                  *block_colour = tess_plan_block_colour(plan);
    const int64_t *block_offset = tess_plan_block_offset(plan);
    for (int32_t colour = 0; colour < tess_plan_n_block_colours(plan); colour++)
        for (int32_t block = 0; block < tess_plan_n_blocks(plan); block++)
            for (int64_t at = block_offset[block];
                 block_colour[block] == colour && at < block_offset[block + 1]; at++)
                for (int slot = 0; slot < 2; slot++)
                    sum[edge_cells[2 * executed[at] + slot]]++;
}

int main(int argc, char **argv) {
    static int sum[N_CELLS];
    tess_mesh *mesh = NULL;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    tess_partition *blocks = NULL;
    tess_plan *plan = NULL;
    tess_metrics *metrics = NULL;
    make_arrays();
    const bool done = !make_mesh(&mesh) && !tess_loop_of_map("edges:cells", NULL, &loop) &&
                      !tess_loop_bind(loop, mesh, &bound) &&
                      !tess_partition_cut(bound, argc > 1 ? argv[1] : "mosaic", 128, 1, &blocks) &&
                      !tess_plan_build(bound, blocks, NULL, &plan) &&
                      !tess_plan_check(bound, tess_partition_block_of(blocks), plan) &&
                      !tess_metrics_of_plan(bound, plan, NULL, TESS_SOA, &metrics);
    if (done) {
        execute(mesh, plan, sum);
        printf("%d blocks in %d colours, reuse %.3f; cell 0 has %d edges inside, cell %d has %d\n",
               tess_plan_n_blocks(plan), tess_plan_n_block_colours(plan),
               tess_metrics_get(metrics, "reuse_factor"), sum[0], NX + 1, sum[NX + 1]);
    } else {
        fprintf(stderr, "%s\n", tess_message());
    }
    tess_metrics_free(metrics);
    tess_plan_free(plan);
    tess_partition_free(blocks);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
    return !done;
}

/* A program of somebody else: builder FILE makes a mesh of two quads from arrays, proves a plan of
 * its own blocks, writes the mesh; then it does what is wrong, and prints what it is told. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tesselab.h>

static void need(tess_status status) {
    if (status == TESS_OK)
        return;
    printf("%s: %s\n", tess_status_text(status), tess_message());
    exit(1);
}

static void refused(tess_status status) {
    printf("%s: %s\n", tess_status_text(status), tess_message());
}

static tess_mesh *two_quads(void) {
    static const int32_t nodes[] = {0, 1, 4, 3, 1, 2, 5, 4};
    static const double coordinates[] = {0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1};
    const int32_t kinds[] = {7, 8};
    tess_mesh *mesh = NULL;
    int set = 0;
    need(tess_mesh_new("two quads", 2, &mesh));
    need(tess_mesh_add_set(mesh, "nodes", 6, &set));
    need(tess_mesh_add_set(mesh, "cells", 2, &set));
    need(tess_mesh_put_map(mesh, "cells", "nodes", 4, nodes));
    need(tess_mesh_put_coordinates(mesh, coordinates));
    need(tess_mesh_put_dat(mesh, "kind", "cells", 1, TESS_INT32, kinds));
    need(tess_mesh_derive(mesh, "edges:cells"));
    printf("%d sets, the last is %s; edges join", tess_mesh_n_sets(mesh),
           tess_mesh_set_name(mesh, tess_mesh_n_sets(mesh) - 1));
    for (int slot = 0; slot < tess_mesh_map_arity(mesh, "edges:cells"); slot++)
        printf(" %d", tess_mesh_map_index(mesh, "edges:cells")[slot]);
    printf("; node 5 is at %g\n", tess_mesh_coordinates(mesh)[5 * tess_mesh_dimension(mesh)]);
    return mesh;
}

/* The second cell has become another. */
static void update(const tess_bound_loop *bound, const tess_partition *before,
                   const tess_plan *plan) {
    const int32_t was[] = {0, -1}, twice[] = {1, 1};
    tess_partition *blocks = NULL;
    tess_plan *updated = NULL;
    need(tess_partition_update(bound, before, was, "natural", 1, &blocks));
    need(tess_plan_update(bound, blocks, plan, was, NULL, &updated));
    need(tess_plan_check(bound, tess_partition_block_of(blocks), updated));
    printf("%d of %d blocks kept\n", tess_plan_n_kept(updated), tess_plan_n_blocks(updated));
    tess_plan_free(updated);
    tess_partition_free(blocks);
    refused(tess_partition_update(bound, before, twice, "natural", 1, &blocks));
}

/* Numbers of choices behind the last, and a name that is too long. */
static void choose_what_is_not(const tess_bound_loop *bound, const tess_partition *blocks,
                               tess_loop *loop, tess_arg arg) {
    const char *name = "a name of forty-eight letters, which is too long";
    const tess_plan_options sixth = {.thread_colouring = (tess_colouring)5};
    tess_plan *plan = NULL;
    tess_experiment *experiment = NULL;
    arg.access = (tess_access)4;
    refused(tess_plan_build(bound, blocks, &sixth, &plan));
    refused(tess_loop_add_arg(loop, &arg));
    refused(tess_loop_new(name, "cells", &loop));
    refused(tess_experiment_new(TESS_N_KINDS, &experiment));
}

/* Two cells in blocks of their own, through all nodes. */
static void plan(const tess_mesh *mesh) {
    const int32_t apart[] = {5, 9}, negative[] = {0, -1};
    const tess_arg read = {.dat = "x",
                           .set = "nodes",
                           .map = "cells:nodes",
                           .slot = 0,
                           .dim = 2,
                           .type = TESS_DOUBLE,
                           .access = TESS_READ};
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    tess_partition *blocks = NULL;
    tess_plan *plan = NULL;
    need(tess_loop_of_map("cells:nodes", "q:nodes:4:float", &loop));
    need(tess_loop_add_arg(loop, &read));
    need(tess_loop_bind(loop, mesh, &bound));
    need(tess_partition_of_blocks(bound, apart, 1, &blocks));
    need(tess_plan_build(bound, blocks, NULL, &plan));
    need(tess_plan_check(bound, tess_partition_block_of(blocks), plan));
    const int64_t *offset = tess_plan_point_offset(plan, 0);
    printf("%d blocks in %d colours; the last executes %d and holds %d %s from %d; slots %d\n",
           tess_partition_n_blocks(blocks), tess_plan_n_block_colours(plan),
           tess_plan_executed(plan)[tess_plan_block_offset(plan)[1]], (int)(offset[2] - offset[1]),
           tess_plan_set_name(plan, 0), tess_plan_points(plan, 0)[offset[1]],
           tess_plan_n_slots(plan, 0));
    printf("outside: %d\n", !tess_plan_points(plan, 1) && !tess_plan_n_slots(plan, -1));
    update(bound, blocks, plan);
    choose_what_is_not(bound, blocks, loop, read);
    tess_plan_free(plan);
    tess_partition_free(blocks);
    tess_partition *none = NULL;
    refused(tess_partition_of_blocks(bound, negative, 1, &none));
    refused(tess_partition_cut(bound, "mosiac", 64, 1, &none));
    refused(tess_partition_cut(bound, "rcb,rcb", 64, 1, &none));
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
}

/* Elements that reach two of five points each, planned there, and again where two go to a new
 * block.
 */
static void plan_on_device(int32_t *block_of) {
    const int32_t ends[] = {3, 4, 0, 1, 2, 3, 1, 2}, was[] = {0, 1, -1, 3};
    int32_t executed[2][4], block_offset[2][4], point_offset[2][4], points[2][8];
    uint16_t local_index[2][8];
    int32_t owner[5], orders[4][5], renumbered[8];
    float dat[] = {0, 10, 20, 30}, moved[4];
    tess_device_set numbered[] = {{4, -1, orders[0], orders[1]}, {5, 0, orders[2], orders[3]}};
    tess_device_map map = {0, 1, 2, ends, renumbered};
    tess_device_dat values = {0, sizeof(float), dat, moved};
    tess_device_renumbering renumbering = {2, numbered, 1, &map, 1, &values};
    tess_device_points sets[2];
    tess_device_plan plans[2];
    for (int i = 0; i < 2; i++) {
        sets[i] = (tess_device_points){.n_slots = 2,
                                       .map = ends,
                                       .point_offset = point_offset[i],
                                       .points = points[i],
                                       .local_index = local_index[i],
                                       .n_points = 5,
                                       .owner = owner};
        plans[i] = (tess_device_plan){.n = 4,
                                      .n_blocks = 2,
                                      .block_of = block_of,
                                      .executed = executed[i],
                                      .block_offset = block_offset[i],
                                      .n_sets = 1,
                                      .sets = &sets[i]};
    }
    need(tess_plan_on_device("emulator", NULL, NULL, &plans[0]));
    plans[1].renumbering = &renumbering;
    need(tess_plan_on_device("emulator", &plans[0], was, &plans[1]));
    printf("renumbered: block %d has point 3 first, now %d; element 0 leads to %d %d, its value is "
           "%g\n",
           owner[3], orders[3][3], renumbered[0], renumbered[1], moved[0]);
    printf("planned: %d %d; the first point of block 1 is %d; %d block kept\n", executed[1][0],
           executed[1][3], points[1][point_offset[1][1]], plans[1].n_kept);
    sets[1].n_slots = 1;
    refused(tess_plan_on_device("emulator", &plans[0], was, &plans[1]));
    plans[0].owned_slots = -1;
    refused(tess_plan_on_device("emulator", NULL, NULL, &plans[0]));
}

/* Four elements on a line, in the memory of a device that is the host's. */
static void cut_on_device(void) {
    double line[] = {3, 0, 2, 1};
    int32_t block_of[4] = {9, 9, 9, 9};
    const tess_device_places places = {
        .device = "emulator", .n = 4, .dimension = 1, .coordinates = line};
    need(tess_partition_on_device(&places, NULL, "rcb", 2, block_of, NULL));
    printf("on a device: blocks %d %d %d %d\n", block_of[0], block_of[1], block_of[2], block_of[3]);
    const int32_t was[] = {2, -1, 1, 3};
    const tess_device_blocks before = {.n = 4, .n_blocks = 2, .block_of = block_of, .was = was};
    int32_t n_blocks = 0, now[4] = {0};
    need(tess_partition_on_device(&places, &before, "rcb", 2, now, &n_blocks));
    printf("and anew: %d blocks %d %d %d %d\n", n_blocks, now[0], now[1], now[2], now[3]);
    plan_on_device(now);
    line[2] = NAN;
    refused(tess_partition_on_device(&places, NULL, "hilbert", 2, block_of, NULL));
    refused(tess_partition_on_device(&places, NULL, "rcb:rotate=3", 2, block_of, NULL));
    refused(tess_partition_on_device(&places, NULL, "rcb", 0, block_of, NULL));
    refused(tess_partition_on_device(&places, NULL, "rcb:swap=1", 2, block_of, NULL));
}

int main(int argc, char **argv) {
    const int32_t bad[] = {0, 1, 2, 6, 0, 1, 2, 3};
    const double endless[] = {0, 0, 0, INFINITY, 0, 0, 0, 0, 0, 0, 0, 0};
    tess_mesh *mesh = two_quads();
    tess_experiment *experiment = NULL;
    tess_run *run = NULL;
    tess_bench_options options = {.argc = 0};
    char *text = NULL;
    plan(mesh);
    cut_on_device();
    need(tess_mesh_save(mesh, argv[argc - 1], NULL));
    need(tess_mesh_save(mesh, argv[argc - 1], "")); /* as Fortran says it */
    refused(tess_mesh_put_map(mesh, "cells", "edges", 4, bad));
    refused(tess_mesh_put_map(mesh, "nowhere", "nodes", 4, bad));
    refused(tess_mesh_put_coordinates(mesh, endless));
    refused(tess_mesh_put_dat(mesh, "kind", "nodes", 1, (tess_type)3, bad));
    tess_mesh_free(mesh);
    need(tess_experiment_new(TESS_CUTTING, &experiment));
    refused(tess_experiment_set_by_name(experiment, "blocksize", "64"));
    refused(tess_experiment_set_by_name(experiment, "block_size", "0"));
    need(tess_experiment_set_by_name(experiment, "partitioner", "rcb"));
    refused(tess_experiment_run(experiment, &options, &run));
    need(tess_experiment_set_by_name(experiment, "mesh", argv[argc - 1]));
    need(tess_experiment_set_by_name(experiment, "map", "edges:cells"));
    need(tess_experiment_text_by_name(experiment, "block_size", &text));
    options.emit = &(tess_emit_setting){"none", "c", "", NULL};
    refused(tess_experiment_run(experiment, &options, &run));
    options.emit = NULL;
    need(tess_experiment_run(experiment, &options, &run));
    printf("block size %s: %s, reuse %g, %s, %g s\n", text, tess_run_check(run),
           tess_run_measure(run, "reuse_factor"), tess_run_id(run) ? "kept" : "not kept",
           tess_run_seconds(run));
    free(text);
    tess_run_free(run);
    tess_experiment_free(experiment);
    return 0;
}

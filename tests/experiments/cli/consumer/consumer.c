/* A program of somebody else: consumer LAB PARTITIONER proves a plan and runs airfoil. */
#include <stdio.h>
#include <tesselab.h>

static const char *const settings[][2] = {{"application", "airfoil"}, {"mesh", "airfoil:i=40:j=60"},
                                          {"device", "host"},         {"strategy", "sequential"},
                                          {"partitioner", "mosaic"},  {"samples", "3"}};

int main(int argc, char **argv) {
    tess_mesh *mesh = NULL;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    tess_partition *blocks = NULL;
    tess_plan *plan = NULL;
    tess_metrics *metrics = NULL;
    tess_bench_options options = {.argc = argc, .argv = argv};
    tess_experiment *experiment = NULL;
    tess_run *run = NULL;
    bool done = !tess_mesh_open("quads:nx=20:ny=20", &mesh) &&
                !tess_mesh_derive(mesh, "edges:cells") &&
                !tess_loop_of_map("edges:cells", NULL, &loop) &&
                !tess_loop_bind(loop, mesh, &bound) &&
                !tess_partition_cut(bound, argv[argc - 1], 64, 1, &blocks) &&
                !tess_plan_build(bound, blocks, NULL, &plan) &&
                !tess_plan_check(bound, tess_partition_block_of(blocks), plan) &&
                !tess_metrics_of_plan(bound, plan, NULL, TESS_SOA, &metrics) &&
                !tess_lab_open(argv[1], true, &options.lab) &&
                !tess_experiment_new(TESS_RUNNING, &experiment);
    for (int i = 0; done && i < 6; i++)
        done = !tess_experiment_set_by_name(experiment, settings[i][0], settings[i][1]);
    done = done && !tess_experiment_run(experiment, &options, &run);
    if (done)
        printf("%d blocks, reuse %.3f; run %s %s in %g s\n", tess_plan_n_blocks(plan),
               tess_metrics_get(metrics, "reuse_factor"), tess_run_id(run), tess_run_check(run),
               tess_run_seconds(run));
    else
        fprintf(stderr, "%s\n", tess_message());
    tess_run_free(run);
    tess_experiment_free(experiment);
    tess_lab_close(options.lab);
    tess_metrics_free(metrics);
    tess_plan_free(plan);
    tess_partition_free(blocks);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
    return !done;
}

/* All ways to run a loop, with which options on which device, and running them. */
#pragma once

#include "strategy_bench.h"

static const struct {
    const char *strategy, *device;
} ways[] = {
    {"sequential", "host"},
    {"openmp", "host"},
    {"openmp:copies=private", "host:threads=3"},
    {"atomics", "emulator:seed=1"},
    {"atomics:transpose=shared", "emulator:seed=11"},
    {"atomics:transpose=shuffles", "emulator:seed=12"},
    {"atomics:aggregate=unsorted", "emulator:seed=13"},
    {"atomics:aggregate=sorted", "emulator:seed=14"},
    {"atomics:aggregate=unsorted:transpose=shared", "emulator"},
    {"atomics:aggregate=sorted:transpose=shuffles", "emulator"},
    {"atomics:aggregate=sorted:elements=3", "emulator:seed=19"},
    {"atomics:aggregate=sorted+unsorted", "emulator:seed=21"},
    {"atomics:aggregate=sorted+no:transpose=no+shared", "emulator:seed=22"},
    {"atomics:aggregate=no+unsorted:transpose=shuffles+shared", "emulator"},
    {"atomics:transpose=shared:elements=2", "emulator:seed=20"},
    {"global-colour", "emulator:seed=2"},
    {"block-colour", "emulator:seed=3"},
    {"block-colour:loads=vector", "emulator:seed=15"},
    {"block-colour:loads=single:sums=cleared", "emulator:seed=16"},
    {"block-colour:stage=increments", "emulator"},
    {"block-colour:stage=increments:loads=vector:sums=cleared", "emulator"},
    {"block-colour:stage=none", "emulator"},
    {"two-step", "emulator:seed=4"},
    {"halo-atomics", "emulator:seed=5"},
    {"halo-atomics:ahead=2", "emulator:seed=17"},
    {"halo-atomics:sum=increment-colours", "emulator:seed=12"},
    {"halo-atomics:sum=slots:stage=increments", "emulator"},
    {"halo-atomics:sum=thread-colours:stage=increments", "emulator"},
    {"halo-atomics:sum=block-gather", "emulator:seed=6"},
    {"halo-atomics:sum=shared-atomics", "emulator:seed=7"},
    {"owner-block", "emulator:seed=8"},
    {"owner-block:sum=slots", "emulator:seed=13"},
    {"owner-block:sum=thread-colours", "emulator"},
    {"owner-block:sum=block-gather:stage=increments", "emulator:seed=9"},
    {"owner-block:sum=shared-atomics", "emulator"},
    {"point-parallel", "emulator:seed=10"},
    {"point-parallel:ahead=2", "emulator:seed=18"},
    {"point-parallel:stage=none", "emulator"},
    {"point-parallel:direct=elements:antisymmetry=ignore", "emulator:seed=14"},
    {"point-parallel:direct=staged:slots=each", "emulator:seed=15"},
    {"gather", "host"},
    {"gather", "emulator:seed=21"},
    {"gather:own=staged", "emulator:seed=22"},
    {"gather:own=staged:elements=3", "emulator:seed=23"},
    {"gather:elements=3:ahead=2", "emulator"},
    {"gather:reads=staged", "emulator:seed=24"},
    {"gather:reads=staged:ahead=2", "emulator"},
    {"gather:own=staged:reads=staged", "emulator:seed=25"},
};

/* Strategies whose blocks own points need a loop that changes some, and so do choices by slot;
 * gather needs one that does not. */
static inline bool way_fits(const char *strategy, const tess_kernel *kernel) {
    bool changes = false;
    for (int a = 0; a < kernel->n_args; a++)
        changes |= kernel->args[a].map && kernel->args[a].access != TESS_READ;
    if (strncmp(strategy, "gather", 6) == 0)
        return !changes;
    return changes || (strncmp(strategy, "owner-block", 11) != 0 &&
                       strncmp(strategy, "point-parallel", 14) != 0 && !strchr(strategy, '+'));
}

/* Runs the first loops of an application by all strategies on a mesh, the primary one in some
 * layouts, block sizes, numbers of threads and orders. */
static inline void run_application(const char *name, const char *mesh_text, tess_type real,
                                   double tolerance, int n_loops, int n_variants) {
    const tess_application *application = NULL;
    OK(tess_application_find(name, &application));
    tess_mesh *mesh = generated_mesh(mesh_text);
    OK(tess_application_bind(application, mesh));
    for (int k = 0; k < application->n_kernels && k < n_loops; k++) {
        bench_scene scene = {.mesh = mesh, .kernel = &application->kernels[k], .real = real};
        OK(tess_application_start(application, mesh, real, &scene.start));
        OK(tess_application_prepare(application, scene.kernel, scene.start));
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
            for (int variant = 0; variant < (k == 0 ? n_variants : 1); variant++) {
                const bench_case c = {.scene = &scene,
                                      .strategy = ways[w].strategy,
                                      .device = ways[w].device,
                                      .layout = variant % 2 ? "aos" : "soa,cells=aos",
                                      .block_size = variant == 1 ? 40 : 64,
                                      .threads = variant == 2 ? 32 : 0,
                                      .renumber = variant == 1 ? "owner" : NULL,
                                      .scattered = variant == 2};
                double difference = 1;
                const tess_status status = bench_run(&c, NULL, &difference);
                if (!way_fits(ways[w].strategy, scene.kernel))
                    assert_int_equal(status, TESS_ERROR_USAGE);
                if (status == TESS_ERROR_USAGE &&
                    (k > 0 || !way_fits(ways[w].strategy, scene.kernel)))
                    continue; /* not every loop fits every strategy */
                OK(status);
                assert_true(difference < tolerance);
            }
        tess_state_free(scene.start);
    }
    tess_mesh_free(mesh);
}

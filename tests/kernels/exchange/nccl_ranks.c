/* nccl_ranks: applications on ranks by the engine nccl or peer, which
 * tests/kernels/exchange/nccl_test.py starts by mpiexec with a double of NCCL or of CUDA's driver:
 * the host stands for the GPU, and counts what runs beside. */
#include "kernels/exchange/halo_metrics.h"
#include "kernels/exchange/team.h"
#include "tests/kernels/exchange/ranks_bench.h"

#include <dlfcn.h>
#include <omp.h>

static int n_beside, is_beside, n_waits, n_moves, n_dats_moved, n_moves_of_all;

/* --- graphs ----------------------------------------------------------------------------------- */

typedef struct kept_launch {
    const tess_device_module *module;
    tess_launch launch;
    int n_words;
    uint64_t words[512];
} kept_launch;

struct tess_launch_graph {
    int n;
    kept_launch launches[64];
};

static const tess_device *host;
static tess_launch_graph *kept; /* NULL: what is launched runs */
static int n_replayed;

static tess_status graph_start(tess_target *target) {
    (void)target;
    return TESS_ZEROS(1, &kept);
}

static tess_status graph_stop(tess_target *target, tess_launch_graph **out) {
    (void)target;
    *out = TESS_TAKE(kept);
    return TESS_OK;
}

static tess_status launch(tess_target *target, const tess_device_module *module,
                          const tess_launch *what, const uint64_t *words, int n_words) {
    for (int i = 0; i < 3; i++)
        n_moves += strcmp(what->kernel, (const char *const[]){"pack", "unpack", "add"}[i]) == 0;
    if (!kept)
        return host->launch(target, module, what, words, n_words);
    assert_true(kept->n < 64 && n_words <= 512);
    kept_launch *of = &kept->launches[kept->n++];
    *of = (kept_launch){.module = module, .launch = *what, .n_words = n_words};
    memcpy(of->words, words, (size_t)n_words * sizeof *words);
    return TESS_OK;
}

static tess_status graph_launch(tess_target *target, tess_launch_graph *graph) {
    n_replayed++;
    for (int i = 0; i < graph->n; i++) {
        const kept_launch *of = &graph->launches[i];
        TRY(host->launch(target, of->module, &of->launch, of->words, of->n_words));
    }
    return TESS_OK;
}

static void graph_free(tess_target *target, tess_launch_graph *graph) {
    (void)target;
    free(graph);
}

/* --- memory that others reach ----------------------------------------------------------------- */

static int (*take)(uint64_t *out, size_t size), (*give)(uint64_t at);

static tess_status shared_alloc(tess_target *target, const char *name, int64_t size,
                                tess_address *out) {
    (void)target;
    if (take(out, size > 0 ? (size_t)size : 1) != 0)
        FAIL(TESS_ERROR_MEMORY, "no memory for %s", name);
    return TESS_OK;
}

static void shared_free(tess_target *target, tess_address at) {
    (void)target;
    assert_int_equal(give(at), 0);
}

/* From the double of CUDA's driver. */
static void share_memory(tess_device *device) {
    void *driver = dlopen(getenv("TESS_PEER"), RTLD_NOW | RTLD_LOCAL);
    if (!driver)
        return; /* the engine says so */
    *(void **)&take = dlsym(driver, "cuMemAlloc_v2");
    *(void **)&give = dlsym(driver, "cuMemFree_v2");
    device->alloc = shared_alloc;
    device->free = shared_free;
}

/* --- ranks ------------------------------------------------------------------------------------ */

static tess_status beside_start(tess_target *target) {
    (void)target;
    assert_false(is_beside);
    is_beside = 1;
    n_beside++;
    return TESS_OK;
}

static tess_status beside_stop(tess_target *target) {
    (void)target;
    is_beside = 0;
    return TESS_OK;
}

static tess_status beside_wait(tess_target *target) {
    (void)target;
    n_waits++;
    return TESS_OK;
}

static void *queue(const tess_target *target) {
    (void)target;
    assert_true(is_beside); /* what travels runs beside the core */
    return NULL;
}

/* All dats of an exchange are packed by one launch, and unpacked or added by one; none where a rank
 * has nothing to do with it. */
static void check_moves(const ranks_bench *b, int n_steps) {
    tess_halo_metrics halo;
    const int set = tess_mesh_find_set(b->mesh, "cells");
    OK(tess_halo_metrics_count(b->schedule, &b->ranking, b->halo, set < 0 ? 0 : set, 0, &halo));
    assert_true(n_moves <= (b->owners->n_ranks > 1 ? 2 * n_steps * halo.exchanges : 0));
    n_dats_moved += 2 * n_steps * (halo.arriving_dats + halo.returned_dats);
}

/* Marches and gives how far that is from the steps of the sequential loops, by the tolerance. */
static double march(const ranked_case *of, tess_halo_mode mode, const tess_team_place *at,
                    const tess_team_setting *setting, int n_steps) {
    ranks_bench b;
    tess_team *team = NULL;
    ranks_bench_open_in_chains(of, "hilbert", at->crew->n_ranks, mode, setting->chains, &b);
    tess_team_setting own = *setting;
    tess_team_place place = *at;
    tess_loop_way ways[MOST_WAYS];
    const tess_spec spec = {.name = (char *)(uintptr_t) "openmp"};
    own.application = b.application;
    own.n_ways = ranks_bench_ways(b.application, &spec, &spec, ways);
    ways[0].is_cut = false; /* every loop is cut in order */
    own.ways = ways;
    own.mode = mode;
    place.owners = b.owners;
    OK(tess_team_open(&own, &place, b.start, &team));
    n_moves = 0;
    const tess_difference difference = ranks_bench_march(&b, team, n_steps);
    check_moves(&b, n_steps);
    n_moves_of_all += n_moves;
    tess_team_close(team);
    ranks_bench_close(&b);
    return difference.largest / difference.tolerance;
}

/* Steps as graphs, which one rank runs without messages: whatever buffers chains begin with. */
static double march_graphs(const tess_team_place *at, const tess_team_setting *setting) {
    double worst = 0;
    tess_team_setting own = *setting;
    own.graph = true;
    for (int in_chains = 0; in_chains < 2; in_chains++)
        for (int n_steps = 10; n_steps < 12; n_steps++) { /* the second graph after 5, and 6 */
            own.chains = in_chains ? "auto:rings=2" : NULL;
            n_replayed = 0;
            const double far = march(&ranked_cases[0], TESS_HALO_REDUNDANT, at, &own, n_steps);
            worst = far > worst || far != far ? far : worst;
            assert_int_equal(n_replayed, 2);
        }
    return worst;
}

/* By the engine of that name, nccl unless another is said. */
int main(int argc, char **argv) {
    tess_device device;
    tess_team_setting setting = {
        .layouts = {.layout = TESS_SOA}, .overlap = true, .checked = true, .spoils = true};
    tess_team_place place = {.device = &device};
    OK(tess_device_open("host", &host, &place.target));
    device = *host;
    device.beside_start = beside_start;
    device.beside_stop = beside_stop;
    device.beside_wait = beside_wait;
    device.queue = queue;
    device.launch = launch;
    device.graph_start = graph_start;
    device.graph_stop = graph_stop;
    device.graph_launch = graph_launch;
    device.graph_free = graph_free;
    if (argc > 1)
        share_memory(&device);
    OK(tess_crew_open(argc > 1 ? argv[1] : "nccl", 0, &place.crew));
    OK(tess_crew_take_device(place.crew, &device, place.target));
    double worst = 0;
    for (int c = 0; c < N_RANKED_CASES; c += 3) /* airfoil, lulesh, fun3d */
        for (int sums = 0; sums < 2; sums++) {
            const double far =
                march(&ranked_cases[c], sums ? TESS_HALO_PARTIAL_SUMS : TESS_HALO_REDUNDANT, &place,
                      &setting, 2);
            worst = far > worst || far != far ? far : worst;
        }
    if (place.crew->n_ranks == 1)
        worst += march_graphs(&place, &setting);
    const bool good = worst <= 1 && n_beside > 0 && n_waits == n_beside;
    if (place.crew->first == 0)
        printf("%d ranks: %.3g of the tolerance, %d exchanges beside, %d waited for; %d moves of "
               "%d dats; %d threads; by %s\n",
               place.crew->n_ranks, worst, n_beside, n_waits, n_moves_of_all, n_dats_moved,
               omp_get_max_threads(), place.crew->carriers);
    place.crew->engine->close(place.crew);
    host->close(place.target);
    return good ? 0 : 1;
}

/* nccl_ranks: applications on ranks by the engine nccl, which tests/kernels/exchange/nccl_test.py
 * starts by mpiexec with the double of NCCL: the host stands for the GPU, and counts what runs
 * beside. */
#include "kernels/exchange/team.h"
#include "tests/kernels/exchange/ranks_bench.h"

static int n_beside, is_beside, n_waits;

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

/* Marches two steps and gives how far they are from those of the sequential loops, by the
 * tolerance. */
static double march(const ranked_case *of, tess_halo_mode mode, const tess_team_place *at,
                    const tess_team_setting *setting) {
    ranks_bench b;
    tess_team *team = NULL;
    ranks_bench_open(of, "hilbert", at->crew->n_ranks, mode, &b);
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
    const tess_difference difference = ranks_bench_march(&b, team, 2);
    tess_team_close(team);
    ranks_bench_close(&b);
    return difference.largest / difference.tolerance;
}

int main(void) {
    tess_device device;
    tess_team_setting setting = {
        .layouts = {.layout = TESS_SOA}, .overlap = true, .checked = true, .spoils = true};
    tess_team_place place = {.device = &device};
    const tess_device *host = NULL;
    OK(tess_device_open("host", &host, &place.target));
    device = *host;
    device.beside_start = beside_start;
    device.beside_stop = beside_stop;
    device.beside_wait = beside_wait;
    device.queue = queue;
    OK(tess_crew_open("nccl", 0, &place.crew));
    OK(tess_crew_take_device(place.crew, &device, place.target));
    double worst = 0;
    for (int c = 0; c < N_RANKED_CASES; c += 3) /* airfoil, lulesh, fun3d */
        for (int sums = 0; sums < 2; sums++) {
            const double far =
                march(&ranked_cases[c], sums ? TESS_HALO_PARTIAL_SUMS : TESS_HALO_REDUNDANT, &place,
                      &setting);
            worst = far > worst || far != far ? far : worst;
        }
    const bool good = worst <= 1 && n_beside > 0 && n_waits == n_beside;
    if (place.crew->first == 0)
        printf("%d ranks: %.3g of the tolerance, %d exchanges beside, %d waited for; by %s\n",
               place.crew->n_ranks, worst, n_beside, n_waits, place.crew->carriers);
    place.crew->engine->close(place.crew);
    host->close(place.target);
    return good ? 0 : 1;
}

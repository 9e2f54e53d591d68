/* Teams: every application on several ranks in one process comes to the state of the sequential
 * loops. */
#include "kernels/exchange/team.h"
#include "tests/kernels/exchange/ranks_bench.h"

typedef struct marched_variant {
    const char *device, *strategy, *partitioner;
    int32_t n_ranks;
    tess_halo_mode mode;
    bool whole; /* no overlap */
    tess_layout layout;
    tess_renumber_method renumber;
} marched_variant;

/* How far two time steps on ranks are from those of the sequential loops, by the tolerance. */
static double march(const ranked_case *of, const marched_variant *variant) {
    tess_loop_way ways[MOST_WAYS];
    ranks_bench b;
    ranks_bench_open(of, variant->partitioner, variant->n_ranks, variant->mode, &b);
    const tess_spec spec = {.name = (char *)(uintptr_t)variant->strategy};
    const bool on_host = strcmp(variant->device, "host") == 0;
    const tess_spec others = {.name = (char *)(uintptr_t)(on_host ? spec.name : "atomics")};
    tess_team_setting setting = {.application = b.application,
                                 .n_ways = ranks_bench_ways(b.application, &spec, &others, ways),
                                 .ways = ways,
                                 .renumber = variant->renumber,
                                 .layouts = {.layout = variant->layout},
                                 .mode = variant->mode,
                                 .overlap = !variant->whole,
                                 .checked = true,
                                 .spoils = true,
                                 .cut = ranks_bench_cut};
    tess_team_place place = {.owners = b.owners};
    tess_team *team = NULL;
    OK(tess_device_open(variant->device, &place.device, &place.target));
    OK(tess_crew_open("local", variant->n_ranks, &place.crew));
    OK(tess_team_open(&setting, &place, b.start, &team));
    const tess_difference difference = ranks_bench_march(&b, team, 2);
    if (difference.largest > difference.tolerance)
        print_message("%s on %d ranks: %s differs by %g\n", of->application, variant->n_ranks,
                      difference.dat->name, difference.largest);
    tess_team_close(team);
    place.crew->engine->close(place.crew);
    place.device->close(place.target);
    ranks_bench_close(&b);
    return difference.largest / difference.tolerance;
}

static void applications_come_to_the_sequential_state(void **state) {
    static const int32_t ranks[] = {1, 2, 3, 5, 8};
    for (int c = 0; c < N_RANKED_CASES; c++)
        for (int r = 0; r < 5; r++)
            for (int mode = 0; mode < 2; mode++) {
                const marched_variant variant = {.device = "host",
                                                 .strategy = "openmp",
                                                 .partitioner = "hilbert",
                                                 .n_ranks = ranks[r],
                                                 .mode = mode ? TESS_HALO_PARTIAL_SUMS
                                                              : TESS_HALO_REDUNDANT};
                assert_true(march(&ranked_cases[c], &variant) <= 1);
            }
}

/* Strategies, layouts, precision of blocks and the order of the phases, on the emulator, which
 * finds races as well; and more ranks than the mesh has room for. */
static void every_way_comes_there(void **state) {
    static const marched_variant variants[] = {
        {"emulator", "atomics", "hilbert", 3, TESS_HALO_REDUNDANT, false, TESS_AOS,
         TESS_RENUMBER_NONE},
        {"emulator", "atomics", "hilbert", 3, TESS_HALO_PARTIAL_SUMS, false, TESS_SOA,
         TESS_RENUMBER_NONE},
        {"emulator", "halo-atomics", "hilbert", 2, TESS_HALO_REDUNDANT, false, TESS_SOA,
         TESS_RENUMBER_NONE},
        {"emulator", "block-colour", "hilbert", 2, TESS_HALO_PARTIAL_SUMS, false, TESS_AOS,
         TESS_RENUMBER_NONE},
        {"emulator", "point-parallel", "hilbert", 2, TESS_HALO_REDUNDANT, false, TESS_SOA,
         TESS_RENUMBER_NONE},
        {"emulator", "owner-block", "hilbert", 2, TESS_HALO_PARTIAL_SUMS, false, TESS_SOA,
         TESS_RENUMBER_NONE},
        {"emulator", "point-parallel", "hilbert", 3, TESS_HALO_PARTIAL_SUMS, false, TESS_AOS,
         TESS_RENUMBER_OWNER},
        {"emulator", "owner-block", "hilbert", 3, TESS_HALO_REDUNDANT, false, TESS_SOA,
         TESS_RENUMBER_OWNER},
        {"emulator", "atomics", "hilbert", 3, TESS_HALO_PARTIAL_SUMS, false, TESS_SOA,
         TESS_RENUMBER_BLOCKS},
        {"emulator", "global-colour", "hilbert", 2, TESS_HALO_REDUNDANT, false, TESS_SOA,
         TESS_RENUMBER_COLOURS},
        {"host", "openmp", "random:seed=2", 4, TESS_HALO_PARTIAL_SUMS, false, TESS_AOS,
         TESS_RENUMBER_GPS},
        {"host", "sequential", "hilbert", 3, TESS_HALO_REDUNDANT, false, TESS_SOA,
         TESS_RENUMBER_NONE},
        {"host", "openmp", "random:seed=2", 4, TESS_HALO_REDUNDANT, false, TESS_AOS,
         TESS_RENUMBER_NONE},
        {"host", "openmp", "random:seed=2", 4, TESS_HALO_PARTIAL_SUMS, false, TESS_AOS,
         TESS_RENUMBER_NONE},
        {"host", "openmp", "hilbert", 64, TESS_HALO_REDUNDANT, true, TESS_AOS, TESS_RENUMBER_NONE},
        {"host", "openmp", "hilbert", 400, TESS_HALO_PARTIAL_SUMS, false, TESS_AOS,
         TESS_RENUMBER_NONE},
    };
    for (size_t w = 0; w < sizeof variants / sizeof *variants; w++)
        for (int c = (int)w % 2; c < N_RANKED_CASES; c += 3)
            assert_true(march(&ranked_cases[c], &variants[w]) <= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(applications_come_to_the_sequential_state),
        cmocka_unit_test(every_way_comes_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

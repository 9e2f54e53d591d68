/* Emulated caches: a cache against one written the slow way, and replays of traces by hand. */
#include "core/base/splitmix.h"
#include "kernels/devices/emulator/cache_profile.h"
#include "strategy_bench.h"

#include <math.h>

enum { MOST_LINES = 64, SECTORS_A_LINE = 8 };

/* A cache as a list of lines, the latest first. */
typedef struct slow_cache {
    int capacity, n;
    uint32_t sectors, number[MOST_LINES];
    bool valid[MOST_LINES][SECTORS_A_LINE], dirty[MOST_LINES][SECTORS_A_LINE];
} slow_cache;

static bool slow_access(slow_cache *cache, uint32_t sector, bool dirty, int64_t *n_written) {
    const uint32_t number = sector / cache->sectors, at = sector % cache->sectors;
    bool valid[SECTORS_A_LINE] = {false}, stays_dirty[SECTORS_A_LINE] = {false};
    int i = 0;
    while (i < cache->n && cache->number[i] != number)
        i++;
    if (i < cache->n) {
        memcpy(valid, cache->valid[i], sizeof valid);
        memcpy(stays_dirty, cache->dirty[i], sizeof stays_dirty);
    } else if (cache->n < cache->capacity) {
        i = cache->n++;
    } else {
        i = cache->n - 1;
        for (int s = 0; s < SECTORS_A_LINE; s++)
            *n_written += cache->dirty[i][s];
    }
    for (; i > 0; i--) {
        cache->number[i] = cache->number[i - 1];
        memcpy(cache->valid[i], cache->valid[i - 1], sizeof valid);
        memcpy(cache->dirty[i], cache->dirty[i - 1], sizeof valid);
    }
    const bool hit = valid[at];
    valid[at] = true;
    stays_dirty[at] |= dirty;
    cache->number[0] = number;
    memcpy(cache->valid[0], valid, sizeof valid);
    memcpy(cache->dirty[0], stays_dirty, sizeof valid);
    return hit;
}

static void a_cache_forgets_what_was_used_least_recently(void **state) {
    uint64_t seed = 3;
    for (int trial = 0; trial < 40; trial++) {
        const int line = 32 << trial % 4, capacity = 1 + trial;
        slow_cache slow = {.capacity = capacity, .sectors = (uint32_t)line / 32};
        tess_cache *cache = NULL;
        int64_t written = 0, slow_written = 0;
        OK(tess_cache_new(capacity * (int64_t)line, line, &cache));
        for (int i = 0; i < 3000; i++) {
            const uint32_t sector =
                (uint32_t)tess_random_below(&seed, 1 + 3 * capacity * line / 32);
            const bool dirty = tess_random_below(&seed, 4) == 0;
            assert_true(tess_cache_access(cache, sector, dirty, &written) ==
                        slow_access(&slow, sector, dirty, &slow_written));
            assert_true(written == slow_written);
        }
        assert_true(written > 0);
        tess_cache_free(cache);
    }
}

/* Share of accesses to `n` sectors, round after round, that a cache of 1,000 has once it is full;
 * of those to one sector in ten between them that is always the same, *hot. */
static double hits_of(int n_picked, int n, double *hot) {
    enum { CAPACITY = 1000, ROUNDS = 20 };
    tess_cache *cache = NULL;
    int64_t written = 0, hits = 0, hot_hits = 0, all = 0, hot_all = 0;
    OK(tess_cache_new(CAPACITY * 32, 32, &cache));
    tess_cache_pick(cache, n_picked);
    for (int round = 0; round < ROUNDS; round++)
        for (int sector = 0; sector < n; sector++) {
            const bool hit = tess_cache_access(cache, (uint64_t)sector, true, &written);
            hits += round > ROUNDS / 2 && hit;
            all += round > ROUNDS / 2;
            if (sector % 10)
                continue;
            hot_hits += tess_cache_access(cache, 1 << 20, true, &written);
            hot_all++;
        }
    /* what came in and went was written back; what is there still is not */
    assert_int_equal(tess_cache_clean(cache), CAPACITY);
    assert_int_equal(tess_cache_clean(cache), 0);
    assert_true(written > 0);
    tess_cache_free(cache);
    *hot = (double)hot_hits / (double)hot_all;
    return (double)hits / (double)all;
}

/* A line picked at random survives the misses between two uses with the probability exp(-misses /
 * capacity); of more that are picked, what was used lately stays, as in a cache that drops the
 * oldest.
 */
static void a_cache_may_pick_what_goes(void **state) {
    double hot = 0, hits = hits_of(1, 1100, &hot);
    assert_true(fabs(hits - exp(-1.1 * (1 - hits))) < 0.03 && hits > 0.7 && hits < 0.9);
    assert_true(hot < 0.9999);
    const double of_two = hits_of(2, 1100, &hot);
    assert_true(of_two > 0.3 && of_two < hits - 0.05 && hot > 0.998);
    assert_true(hits_of(64, 1100, &hot) < 0.2);
    assert_true(hits_of(0, 1100, &hot) == 0);
    assert_true(hits_of(2, 5000, &hot) < 0.05);
}

/* Share of accesses to sectors 0 to n, round after round, that a cache of 64,000 in sets of 64
 * lines has; *written: of dirty sectors, that went. */
static double hits_in_sets(int n, double *written) {
    enum { CAPACITY = 64000, ROUNDS = 4 };
    tess_cache *cache = NULL;
    int64_t hits = 0, gone = 0;
    OK(tess_cache_new(CAPACITY * 32, 32, &cache));
    OK(tess_cache_divide(cache, CAPACITY / 256));
    for (int round = 0; round < ROUNDS; round++) {
        hits = gone = 0;
        for (int sector = 0; sector < n; sector++)
            hits += tess_cache_access(cache, (uint64_t)sector, true, &gone);
    }
    *written = (double)gone / n;
    assert_true(tess_cache_clean(cache) <= CAPACITY);
    assert_int_equal(tess_cache_clean(cache), 0);
    tess_cache_free(cache);
    return (double)hits / n;
}

/* 64 lines of a set hold those that fall into it with the probability of Poisson's law: what is as
 * large as the cache is half kept, four fifths of that nearly whole, five quarters hardly. */
static void a_cache_in_sets_forgets_little_by_little(void **state) {
    double written = 0;
    assert_true(hits_in_sets(48000, &written) > 0.97 && written < 0.03);
    assert_true(hits_in_sets(56000, &written) > 0.75 && written < 0.25);
    const double half = hits_in_sets(64000, &written);
    assert_true(half > 0.4 && half < 0.6 && fabs(written + half - 1) < 1e-9);
    assert_true(hits_in_sets(80000, &written) < 0.1 && written > 0.9);
}

/* Two multiprocessors with a first level of four sectors and room for one block. */
static const tess_cache_machine tiny = {.name = "tiny",
                                        .multiprocessors = 2,
                                        .threads = 64,
                                        .blocks = 1,
                                        .shared_bytes = 1024,
                                        .l1_bytes = 128,
                                        .l1_parts = 1,
                                        .l1_line = 32,
                                        .l2_bytes = 8 * 32};

static void add(tess_trace *trace, tess_trace_kind kind, int passes, uint64_t first, int n) {
    uint64_t sectors[8];
    for (int s = 0; s < n; s++)
        sectors[s] = first + (uint64_t)s;
    OK(tess_trace_add(trace, kind, passes, sectors, n));
}

/* Block b of one warp: fetches the sectors 0 and 1 twice, loads 2, and behind a barrier stores 10 +
 * b and adds to 20, in three passes, and 21. */
static tess_status trace_by_hand(void *context, int64_t block, tess_trace **out) {
    int *asked = context;
    asked[block]++;
    TRY(tess_trace_new(1, out));
    TRY(tess_trace_begin_piece(*out));
    add(*out, TESS_TRACE_FETCH, 0, 0, 2);
    add(*out, TESS_TRACE_FETCH, 0, 0, 2);
    add(*out, TESS_TRACE_LOAD, 0, 2, 1);
    TRY(tess_trace_begin_piece(*out));
    add(*out, TESS_TRACE_STORE, 0, 10 + (uint64_t)block, 1);
    add(*out, TESS_TRACE_ATOMIC, 4, 20, 2);
    return TESS_OK;
}

static void a_replay_by_hand(void **state) {
    int asked[4] = {0};
    tess_counters counters = {0};
    tess_cache_machine machine = tiny;
    tess_cache_replay replay = {.machine = &machine,
                                .n_blocks = 4,
                                .threads = 32,
                                .seed = 1,
                                .trace_of = trace_by_hand,
                                .context = asked};
    OK(tess_cache_new(machine.l2_bytes, 32, &replay.l2));
    OK(tess_cache_replay_run(&replay, &counters));
    for (int b = 0; b < 4; b++)
        assert_int_equal(asked[b], 1);
    /* each first level reads 0 and 1 once, each block 2 past it */
    assert_int_equal(counters.l2_read_sectors, 2 * 2 + 4);
    assert_int_equal(counters.l2_atomic_sectors, 4 * 4);
    assert_int_equal(counters.l2_write_sectors, 4 + 4 * 4);
    /* memory gives 0, 1, 2, 20 and 21; what is stored need not be read */
    assert_int_equal(counters.dram_read_bytes, 5 * 32);
    assert_int_equal(counters.block_read_sectors, 4 * 3);
    assert_int_equal(counters.block_write_sectors, 4);
    assert_int_equal(counters.block_atomic_sectors, 4 * 2);
    assert_int_equal(counters.memory_instructions, 4 * 5);
    /* the second read finds all that it needs, the third a sector more of the same line */
    assert_int_equal(counters.memory_lines, 4 * (1 + 0 + 1 + 1 + 1));
    /* the four stored, 20 and 21 are dirty, and the eight of 0, 1, 2 and these do not all fit */
    assert_true(counters.dram_write_bytes <= 32);
    machine.l1_loads = true;
    counters = (tess_counters){0};
    OK(tess_cache_replay_run(&replay, &counters));
    assert_int_equal(counters.l2_read_sectors, 2 * 3);
    tess_cache_free(replay.l2);
}

/* A block that loads sectors 0 to 95, stores 200 to 203 and loads 300 to 395. */
static tess_status store_between_loads(void *context, int64_t block, tess_trace **out) {
    (void)block;
    ++*(int *)context;
    TRY(tess_trace_new(1, out));
    TRY(tess_trace_begin_piece(*out));
    for (uint64_t first = 0; first < 96; first += 8)
        add(*out, TESS_TRACE_LOAD, 0, first, 8);
    add(*out, TESS_TRACE_STORE, 0, 200, 4);
    for (uint64_t first = 300; first < 396; first += 8)
        add(*out, TESS_TRACE_LOAD, 0, first, 8);
    return TESS_OK;
}

/* A block that stores sectors 8 to 11, of one line, twice, then to two other lines, then 8 to 11.
 */
static tess_status store_again(void *context, int64_t block, tess_trace **out) {
    (void)context;
    (void)block;
    TRY(tess_trace_new(1, out));
    TRY(tess_trace_begin_piece(*out));
    add(*out, TESS_TRACE_STORE, 0, 8, 4);
    add(*out, TESS_TRACE_STORE, 0, 8, 4);
    add(*out, TESS_TRACE_STORE, 0, 12, 1);
    add(*out, TESS_TRACE_STORE, 0, 16, 1);
    add(*out, TESS_TRACE_STORE, 0, 8, 4);
    return TESS_OK;
}

static void stores_that_wait_go_as_one(void **state) {
    static const int64_t written[] = {14, 4 + 0 + 1 + 1 + 4, 4 + 0 + 1 + 1 + 4, 4 + 0 + 1 + 1 + 0};
    for (int lines = 0; lines < 4; lines++) {
        tess_counters counters = {0};
        tess_cache_machine machine = tiny;
        machine.l1_stores = lines;
        tess_cache_replay replay = {
            .machine = &machine, .n_blocks = 1, .threads = 32, .seed = 1, .trace_of = store_again};
        OK(tess_cache_new(64 * 32, 32, &replay.l2));
        OK(tess_cache_replay_run(&replay, &counters));
        assert_int_equal(counters.l2_write_sectors, written[lines]);
        assert_int_equal(counters.block_write_sectors, 6);
        assert_int_equal(tess_cache_clean(replay.l2), 6);
        assert_int_equal(counters.dram_read_bytes, 0);
        tess_cache_free(replay.l2);
    }
}

/* What a profiler puts back before it counts is written to memory while it counts: before the
 * launch writes it again where the L2 cannot keep it, else with that. Nothing that it keeps is read
 * again.
 */
static void a_profile_counts_what_was_put_back(void **state) {
    static const struct {
        int64_t l2_sectors, read, written, profiled_read, profiled_written;
    } cases[] = {{20, 192, 4, 192, 2 * 4}, {1000, 192, 0, 0, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int asked = 0;
        tess_counters plain = {0}, profiled = {0};
        tess_cache_replay replay = {.machine = &tiny,
                                    .n_blocks = 1,
                                    .threads = 32,
                                    .seed = 1,
                                    .trace_of = store_between_loads,
                                    .context = &asked};
        OK(tess_cache_new(cases[i].l2_sectors * 32, 32, &replay.l2));
        OK(tess_cache_replay_run(&replay, &plain));
        tess_cache_free(replay.l2);
        OK(tess_cache_new(cases[i].l2_sectors * 32, 32, &replay.l2));
        OK(tess_cache_profile_run(&replay, &profiled));
        tess_cache_free(replay.l2);
        assert_int_equal(asked, 2);
        assert_int_equal(plain.dram_read_bytes, 32 * cases[i].read);
        assert_int_equal(plain.dram_write_bytes, 32 * cases[i].written);
        assert_int_equal(profiled.dram_read_bytes, 32 * cases[i].profiled_read);
        assert_int_equal(profiled.dram_write_bytes, 32 * cases[i].profiled_written);
        assert_int_equal(profiled.l2_write_sectors, plain.l2_write_sectors);
        assert_int_equal(profiled.block_read_sectors, plain.block_read_sectors);
    }
}

static void shared_memory_limits_resident_blocks(void **state) {
    const tess_cache_machine *k20m = NULL, *h100 = NULL;
    OK(tess_cache_machine_find("k20m", &k20m));
    OK(tess_cache_machine_find("h100", &h100));
    /* Langguth et al. 2015, section 2: 128 threads of kernel 1 take 6 kB, so 8 blocks fit */
    assert_int_equal(tess_cache_machine_resident(k20m, 128, 6144), 8);
    assert_int_equal(tess_cache_machine_resident(k20m, 64, 3072), 16);
    assert_int_equal(tess_cache_machine_resident(k20m, 512, 0), 4);
    assert_int_equal(tess_cache_machine_resident(k20m, 1024, 49152), 1);
    assert_int_equal(tess_cache_machine_l1(k20m, 8, 6144), 49152);
    assert_int_equal(tess_cache_machine_l1(h100, 8, 16384), 131072);
    assert_int_equal(tess_cache_machine_find("k20", &k20m), TESS_ERROR_USAGE);
}

static void what_does_not_go_together_is_refused(void **state) {
    static const char *const wrong[] = {
        "emulator:caches=k20m:sample=4", "emulator:caches=h100:count=no",
        "emulator:caches=k20m:line=48",  "emulator:caches=k40",
        "emulator:profiled=yes",         "emulator:profiled=warm"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const tess_device *device = NULL;
        tess_target *target = NULL;
        assert_int_equal(tess_device_open(wrong[i], &device, &target), TESS_ERROR_USAGE);
    }
}

/* What the L2 gets of atomics is what an H200 counted (docs/results/emulator.md). */
static void atomics_pass_the_l2_as_on_hardware(void **state) {
    tess_counters counters = {0};
    bench_scene scene = bench_scene_open("airfoil", NULL, "quads:nx=12:ny=9");
    const bench_case c = {.scene = &scene,
                          .strategy = "atomics",
                          .device = "emulator:caches=h100",
                          .layout = "aos",
                          .block_size = 64,
                          .counters = &counters};
    bench_passes(&c, 1e-12);
    assert_true(counters.l2_atomic_sectors > counters.atomic_sectors);
    assert_true(counters.l2_atomic_sectors <= counters.atomics);
    assert_true(counters.l2_write_sectors == counters.write_sectors + counters.l2_atomic_sectors);
    assert_true(counters.l2_read_sectors <= counters.read_sectors);
    assert_true(counters.block_read_sectors <= counters.read_sectors);
    bench_scene_close(&scene);
}

/* A cell has 32 bytes of a and 16 of neighbours, and x of all cells is read: 7/4 sectors a cell,
 * which memory gives to the first of two runs and the L2 to both. */
static void arrays_are_told_apart(void **state) {
    enum { N = 4096 };
    const char *const layouts[] = {"soa", "aos,maps=aos"};
    bench_scene scene = bench_scene_open("fv", NULL, "random_blocks:n=4096:b=8");
    for (int l = 0; l < 2; l++) {
        tess_counters counters = {0};
        const bench_case c = {.scene = &scene,
                              .strategy = "gather",
                              .device = "emulator:caches=h100",
                              .layout = layouts[l],
                              .renumber = "blocks",
                              .block_size = 64,
                              .counters = &counters};
        double difference = 1;
        OK(bench_run(&c, NULL, &difference));
        assert_int_equal(counters.block_read_sectors, 2 * N * 7 / 4);
        assert_int_equal(counters.l2_read_sectors, 2 * N * 7 / 4);
        assert_int_equal(counters.dram_read_bytes, 32 * N * 7 / 4);
        assert_int_equal(counters.block_write_sectors, 2 * N / 4);
    }
    bench_scene_close(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_forgets_what_was_used_least_recently),
        cmocka_unit_test(a_cache_may_pick_what_goes),
        cmocka_unit_test(a_cache_in_sets_forgets_little_by_little),
        cmocka_unit_test(a_replay_by_hand),
        cmocka_unit_test(stores_that_wait_go_as_one),
        cmocka_unit_test(a_profile_counts_what_was_put_back),
        cmocka_unit_test(shared_memory_limits_resident_blocks),
        cmocka_unit_test(what_does_not_go_together_is_refused),
        cmocka_unit_test(atomics_pass_the_l2_as_on_hardware),
        cmocka_unit_test(arrays_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

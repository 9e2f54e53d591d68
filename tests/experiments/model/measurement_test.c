/* What a machine is measured by: each kernel moves what its formula says, counted by the emulator,
 * and the clock is the thread's where one thread does all. */
#include "experiments/model/gauge.h"
#include "tests/data/generated_mesh.h"
#include <math.h>

enum {
    THREADS = 64,
    BLOCKS = 6,
    REPEATS = 3,
    PORTION = 1024,
    TURNS = BLOCKS * THREADS * 8 * REPEATS
};

static tess_counters count(const char *kernel, int64_t n, int64_t portions, bool mixed) {
    const tess_device *device = NULL;
    tess_target *target = NULL;
    tess_gauge gauge;
    OK(tess_device_open("emulator:check=no", &device, &target));
    OK(tess_gauge_open(device, target, THREADS, 1 << 20, &gauge));
    const tess_gauge_work work = {kernel, BLOCKS, n, portions, mixed};
    OK(tess_gauge_run(&gauge, &work, REPEATS));
    const tess_counters counters = *device->counters(target);
    tess_gauge_close(&gauge);
    device->close(target);
    return counters;
}

static void portions_move_whole_sectors(void **state) {
    const int64_t sectors = BLOCKS * REPEATS * PORTION * 8 / 32;
    assert_int_equal(count("read_portions", PORTION, BLOCKS, false).read_sectors, sectors);
    assert_int_equal(count("read_portions", PORTION, 11, true).read_sectors, sectors);
    assert_int_equal(count("write_portions", PORTION, 11, true).write_sectors, sectors);
}

/* Lanes of a warp meet in one sector hardly ever. */
static void lone_sectors_are_apart(void **state) {
    const int64_t read = count("read_lines", 4096, 1, false).read_sectors;
    assert_in_range(read, TURNS * 95 / 100, TURNS);
    const tess_counters added = count("add_sectors", 4096, 1, false);
    assert_int_equal(added.atomics, TURNS);
    assert_in_range(added.atomic_sectors, TURNS * 95 / 100, TURNS);
}

static void lanes_share_what_they_are_to_share(void **state) {
    const tess_counters rows = count("add_rows", 8192, 1, false);
    assert_int_equal(rows.atomics, TURNS);
    assert_int_equal(rows.atomic_sectors, TURNS / 4);
    const tess_counters same = count("read_same", 256, 1, false);
    assert_int_equal(same.instructions, TURNS / 32);
    assert_int_equal(same.read_sectors, TURNS / 32);
    assert_int_equal(count("chase", 1, 1, false).read_sectors, BLOCKS * REPEATS);
    assert_int_equal(count("pass_barriers", 1, 1, false).barriers, BLOCKS * REPEATS);
    assert_int_equal(count("multiply", 1, 1, false).instructions, 0);
    assert_int_equal(count("nothing", 1, 1, false).instructions, 0);
}

/* A device that does nothing, and whose timer says what the test wants. */
static double told = 1;
static int n_launched;

static tess_status compile_nothing(tess_target *target, const char *page,
                                   tess_device_module **out) {
    (void)target, (void)page, *out = NULL;
    return TESS_OK;
}

static tess_status alloc_nothing(tess_target *target, const char *name, int64_t size,
                                 tess_address *out) {
    (void)target, (void)name, (void)size, *out = 0;
    return TESS_OK;
}

static tess_status launch_nothing(tess_target *target, const tess_device_module *module,
                                  const tess_launch *launch, const uint64_t *params, int n_words) {
    (void)target, (void)module, (void)launch, (void)params, (void)n_words;
    n_launched++;
    return TESS_OK;
}

static tess_status start_timer(tess_target *target) {
    (void)target;
    return TESS_OK;
}

static tess_status stop_timer(tess_target *target, double *seconds) {
    (void)target;
    *seconds = n_launched == 5 ? told / 2 : told; /* one run of nine is the fastest */
    return TESS_OK;
}

static double time_of(bool one_thread, int64_t blocks) {
    const tess_device device = {.one_thread = one_thread,
                                .compile = compile_nothing,
                                .alloc = alloc_nothing,
                                .launch = launch_nothing,
                                .timer_start = start_timer,
                                .timer_stop = stop_timer};
    const tess_gauge_work work = {"nothing", blocks, 1, 1, false};
    tess_gauge gauge;
    double seconds = NAN;
    n_launched = 0;
    OK(tess_gauge_open(&device, NULL, THREADS, 1 << 10, &gauge));
    OK(tess_gauge_time(&gauge, &work, &seconds));
    tess_gauge_close(&gauge);
    return seconds;
}

static void one_thread_is_timed_by_its_own_clock(void **state) {
    for (told = 1; told < 1e4; told *= 100) {
        assert_float_equal(time_of(true, 2), told / 2, 0);
        assert_int_equal(n_launched, 9);
        assert_float_equal(time_of(false, 1), told / 2, 0);
        const double own = time_of(true, 1);
        assert_true(own >= 0 && own != told && own != told / 2);
        assert_true(n_launched > 9); /* repeats, until nothing has taken a while */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portions_move_whole_sectors),
        cmocka_unit_test(lone_sectors_are_apart),
        cmocka_unit_test(lanes_share_what_they_are_to_share),
        cmocka_unit_test(one_thread_is_timed_by_its_own_clock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

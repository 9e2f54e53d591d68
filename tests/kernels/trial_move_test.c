/* Moved trials: all that a loop has on a device lies elsewhere, with the same result. */
#include "kernels/run/trial_move.h"
#include "strategy_bench.h"

static tess_device device;
static tess_address freed[64]; /* [n_freed], which the device still has */
static int n_freed;

/* By way of the host, where the device has no copies of its own. */
static tess_status copy(tess_target *target, tess_address to, tess_address from, int64_t size) {
    void *values = NULL;
    OK(tess_array_alloc(size, 1, &values));
    OK(device.download(target, values, from, size));
    OK(device.upload(target, to, values, size));
    free(values);
    return TESS_OK;
}

static void note_free(tess_target *target, tess_address address) {
    (void)target;
    assert_true(n_freed < (int)(sizeof freed / sizeof freed[0]));
    freed[n_freed++] = address;
}

static tess_address value_of(const tess_page *page, const char *name) {
    for (int i = 0; i < page->n_params; i++)
        if (strcmp(page->params[i].name, name) == 0)
            return page->params[i].value;
    fail();
    return 0;
}

/* Moves it, then gives back what it had. */
static void move(tess_execution *x) {
    tess_page *page = &x->page;
    tess_trial trial = {.store = page->store, .execution = x};
    tess_address before[32];
    int n = 0, n_moved = 0;
    assert_true(tess_trial_can_move(&trial) == (page->store->device->copy != NULL));
    const tess_device *own = page->store->device;
    device = *own;
    device.copy = copy;
    device.free = note_free;
    page->store->device = &device;
    for (int i = 0; i < page->n_dats; i++)
        before[n++] = page->dats[i].stored->address;
    for (int i = 0; i < page->n_arrays; i++)
        before[n++] = page->arrays[i].address;
    assert_true(n < 32 && page->n_dats > 0);
    n_freed = 0;
    OK(tess_trial_move(&trial));
    for (int i = 0; i < page->n_dats; i++) {
        const tess_address now = page->dats[i].stored->address;
        assert_true(now != before[n_moved++] && value_of(page, page->dats[i].symbol) == now);
    }
    for (int i = 0; i < page->n_arrays; i++) {
        const tess_address now = page->arrays[i].address;
        assert_true(now != before[n_moved++] && value_of(page, page->arrays[i].name) == now);
    }
    assert_true(n_moved == n && n_freed >= n);
    page->store->device = own;
    while (n_freed > 0)
        own->free(page->store->target, freed[--n_freed]);
}

static void check(const char *application, const char *mesh, const char *strategy,
                  const char *where) {
    bench_scene scene = bench_scene_open(application, NULL, mesh);
    const bench_case c = {.scene = &scene,
                          .strategy = strategy,
                          .layout = "soa",
                          .device = where,
                          .renumber = "blocks",
                          .block_size = 16,
                          .scattered = true,
                          .disturb = move};
    double difference = 1;
    OK(bench_run(&c, NULL, &difference));
    assert_true(difference < 1e-12);
    bench_scene_close(&scene);
}

static void loops_run_where_they_were_moved(void **state) {
    (void)state;
    check("airfoil", "quads:nx=9:ny=7", "atomics", "emulator");
    check("lulesh", "hexes:nx=4:ny=3:nz=3", "halo-atomics:border=ordered", "emulator");
    check("airfoil", "quads:nx=9:ny=7", "point-parallel", "emulator");
    check("airfoil", "quads:nx=9:ny=7", "openmp", "host:threads=2");
}

/* Where in their pages some arrays of the host begin, in a process that has allocated so much
 * before; `shuffled` or not. */
enum { PLACES = 16 };
static void find_places(size_t before, bool shuffled, int64_t places[PLACES]) {
    const tess_device *host = NULL;
    tess_target *target = NULL;
    tess_address address[PLACES];
    void *history = malloc(before);
    OK(tess_device_open("host", &host, &target));
    if (shuffled)
        host->shuffle(target);
    for (int i = 0; i < PLACES; i++) {
        OK(host->alloc(target, "an array", 1000 * i, &address[i]));
        places[i] = (int64_t)(address[i] % 4096);
        assert_true(places[i] % 256 == 0);
    }
    for (int i = 0; i < PLACES; i++)
        host->free(target, address[i]);
    host->close(target);
    free(history);
}

static void arrays_of_the_host_begin_where_no_history_of_the_heap_decides(void **state) {
    (void)state;
    int64_t first[PLACES], second[PLACES];
    find_places(1, false, first);
    find_places(5000, false, second);
    assert_memory_equal(first, second, sizeof first);
    int n_alike = 0;
    for (int i = 1; i < PLACES; i++)
        n_alike += first[i] == first[0];
    assert_true(n_alike < PLACES / 2);
    find_places(1, true, first);
    assert_memory_not_equal(first, second, sizeof first);
    find_places(1, true, second);
    assert_memory_not_equal(first, second, sizeof first);
}

static tess_status run_nothing(const void *of) {
    (void)of;
    return TESS_OK;
}

/* What a thread keeps for itself, or a chain, stays where it is. */
static void what_lies_elsewhere_is_not_moved(void **state) {
    (void)state;
    tess_device with_copies = {.copy = copy};
    tess_store store = {.device = &with_copies};
    tess_execution x = {.module = NULL};
    tess_trial trial = {.store = &store, .execution = &x};
    assert_true(tess_trial_can_move(&trial));
    x.copies = (tess_thread_copies *)&with_copies;
    assert_false(tess_trial_can_move(&trial));
    x.copies = NULL;
    x.run = run_nothing;
    assert_false(tess_trial_can_move(&trial));
    x.run = NULL;
    trial.execution = NULL;
    assert_false(tess_trial_can_move(&trial));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_run_where_they_were_moved),
        cmocka_unit_test(what_lies_elsewhere_is_not_moved),
        cmocka_unit_test(arrays_of_the_host_begin_where_no_history_of_the_heap_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Moved trials: all that a loop has on a device lies elsewhere, with the same result. */
#include "kernels/run/trial_move.h"

#include "kernels/run/chain_execution.h"
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
    for (int i = 0; i < page->store->n_stored; i++)
        if (page->store->stored[i].doubled)
            before[n++] = page->store->stored[i].other;
    assert_true(n < 32 && page->n_dats > 0);
    n_freed = 0;
    OK(tess_trial_move(&trial));
    for (int i = 0; i < page->n_dats; i++) {
        const tess_address now = page->dats[i].stored->address;
        assert_true(now != before[n_moved++]);
        assert_true(x->run || value_of(page, page->dats[i].symbol) == now);
    }
    for (int i = 0; i < page->n_arrays; i++) {
        const tess_address now = page->arrays[i].address;
        assert_true(now != before[n_moved++] && value_of(page, page->arrays[i].name) == now);
    }
    for (int i = 0; i < page->store->n_stored; i++)
        if (page->store->stored[i].doubled)
            assert_true(page->store->stored[i].other != before[n_moved++]);
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
    bench_passes(&c, 1e-12);
    bench_scene_close(&scene);
}

static void loops_run_where_they_were_moved(void **state) {
    check("airfoil", "quads:nx=9:ny=7", "atomics", "emulator");
    check("lulesh", "hexes:nx=4:ny=3:nz=3", "halo-atomics:border=ordered", "emulator");
    check("airfoil", "quads:nx=9:ny=7", "point-parallel", "emulator");
    check("airfoil", "quads:nx=9:ny=7", "openmp", "host:threads=2");
}

/* Runs a chain three times, moved before each but the first, or where it is. */
static void run_chain(const bench_scene *scene, bool moved, tess_state **out) {
    const bench_case c = {.scene = scene, .block_size = 16};
    tess_spec *spec = NULL;
    tess_trial_setting setting = {.chain = "init_stress+integrate_stress+move_nodes",
                                  .strategy = bench_strategy("point-parallel"),
                                  .layouts = {.layout = TESS_SOA}};
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    const tess_device *emulator = NULL;
    tess_target *target = NULL;
    tess_store *store = NULL;
    tess_chained_step *step = NULL;
    tess_execution *x = NULL;
    int first = 0;
    OK(tess_spec_parse_one("point-parallel", "strategy", &spec));
    setting.spec = spec;
    OK(tess_application_find("lulesh", &setting.application));
    OK(tess_kernel_loop(scene->kernel, scene->real, &loop));
    OK(tess_kernel_bind(loop, scene->mesh, &bound));
    tess_plan *plan = bench_plan(&c, setting.strategy, bound);
    const tess_trial_loop of = {.bound = bound, .plan = plan, .start = scene->start};
    OK(tess_device_open("emulator", &emulator, &target));
    OK(tess_store_open(emulator, target, scene->start, NULL, &setting.layouts, &store));
    OK(tess_trial_chain_open(&setting, &of, store, false, &step, &first));
    OK(tess_chain_execution_new(step, first, &x));
    for (int i = 0; i < 3; i++) {
        if (moved && i > 0)
            move(x);
        OK(tess_execution_run(x));
    }
    OK(tess_state_copy(scene->start, false, out));
    OK(tess_store_download(store, *out));
    tess_execution_close(x);
    tess_store_close(store);
    emulator->close(target);
    tess_plan_free(plan);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_spec_list_free(spec, 1);
}

static void a_chain_runs_where_it_was_moved_with_both_of_its_buffers(void **state) {
    bench_scene scene = bench_scene_open("lulesh", NULL, "hexes:nx=4:ny=3:nz=3");
    tess_state *there = NULL, *here = NULL;
    run_chain(&scene, true, &there);
    run_chain(&scene, false, &here);
    assert_true(tess_state_compare(there, here).largest == 0);
    assert_true(tess_state_compare(there, scene.start).largest > 0);
    tess_state_free(there);
    tess_state_free(here);
    bench_scene_close(&scene);
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

/* What a thread keeps for itself stays where it is. */
static void what_lies_elsewhere_is_not_moved(void **state) {
    tess_device with_copies = {.copy = copy};
    tess_store store = {.device = &with_copies};
    tess_execution x = {.module = NULL};
    tess_trial trial = {.store = &store, .execution = &x};
    assert_true(tess_trial_can_move(&trial));
    x.copies = (tess_thread_copies *)&with_copies;
    assert_false(tess_trial_can_move(&trial));
    x.copies = NULL;
    trial.execution = NULL;
    assert_false(tess_trial_can_move(&trial));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_run_where_they_were_moved),
        cmocka_unit_test(a_chain_runs_where_it_was_moved_with_both_of_its_buffers),
        cmocka_unit_test(what_lies_elsewhere_is_not_moved),
        cmocka_unit_test(arrays_of_the_host_begin_where_no_history_of_the_heap_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

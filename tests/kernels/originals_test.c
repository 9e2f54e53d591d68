/* Originals: what kernels place from them lies as what the host brings, and what they find
 * different is what the host finds. */
#include "kernels/loops/originals.h"
#include "strategy_bench.h"

#include <math.h>

/* A scene on an emulator, with an order of its own for nodes and cells. */
typedef struct stage {
    bench_scene scene;
    tess_loop *loop;
    tess_bound_loop *bound;
    tess_state *want;
    tess_renumbering *renumbering;
    const tess_device *device;
    tess_target *target;
} stage;

static stage stage_open(tess_type real, const char *application, const char *loop,
                        const char *mesh) {
    stage s = {.scene = bench_scene_open_in(real, application, loop, mesh)};
    OK(tess_kernel_loop(s.scene.kernel, real, &s.loop));
    OK(tess_loop_bind(s.loop, s.scene.mesh, &s.bound));
    OK(tess_state_copy(s.scene.start, true, &s.want));
    for (int i = 0; i < s.want->n_dats; i++)
        tess_dat_set(&s.want->dats[i], 0, tess_dat_value(&s.want->dats[i], 0) + 3);
    OK(tess_renumber_build(s.bound, NULL, TESS_RENUMBER_GPS, false, &s.renumbering));
    OK(tess_device_open("emulator", &s.device, &s.target));
    return s;
}

static void stage_close(stage *s) {
    s->device->close(s->target);
    tess_renumbering_free(s->renumbering);
    tess_state_free(s->want);
    tess_bound_loop_free(s->bound);
    tess_loop_free(s->loop);
    bench_scene_close(&s->scene);
}

static tess_original_states states_of(const stage *s) {
    return (tess_original_states){.start = s->scene.start, .want = s->want, .loop = s->loop};
}

static tess_store *draft(const stage *s, const char *layout, bool renumbered) {
    tess_layouts layouts;
    tess_store *store = NULL;
    OK(tess_layouts_parse(layout, &layouts));
    OK(tess_store_draft(s->device, s->target, s->scene.start, renumbered ? s->renumbering : NULL,
                        &layouts, &store));
    tess_store_leave_out(store, s->loop);
    return store;
}

static void assert_equal_images(const stage *s, const tess_store *a, const tess_store *b) {
    for (int i = 0; i < a->n_stored; i++) {
        const int64_t bytes = a->stored[i].bytes;
        char *image[2] = {NULL, NULL};
        if (a->stored[i].left_out)
            continue;
        for (int k = 0; k < 2; k++) {
            OK(TESS_ALLOC(bytes, &image[k]));
            OK(s->device->download(s->target, image[k], (k ? b : a)->stored[i].address, bytes));
        }
        assert_memory_equal(image[0], image[1], (size_t)bytes);
        free(image[0]);
        free(image[1]);
    }
}

/* Adds to a value of a dat on the device. */
static void change(const stage *s, const tess_store *store, const char *dat, const char *set,
                   double by) {
    const tess_stored *stored = tess_store_find(store, dat, set);
    double value = 0;
    float single = 0;
    const bool doubles = stored->dat->type == TESS_DOUBLE;
    void *here = doubles ? (void *)&value : (void *)&single;
    const int64_t size = doubles ? 8 : 4, at = 8;
    const tess_address where = stored->address + (tess_address)(at * size);
    OK(s->device->download(s->target, here, where, size));
    value += by;
    single += (float)by;
    OK(s->device->upload(s->target, where, here, size));
}

static void assert_same_difference(tess_originals *originals, tess_store *store,
                                   const tess_state *want) {
    tess_difference there, here;
    OK(tess_originals_compare(originals, store, &there));
    OK(tess_store_compare(store, want, &here));
    assert_true(there.largest == here.largest && there.tolerance == here.tolerance);
    assert_ptr_equal(there.dat, here.dat);
}

static void try_stage(stage *s, const char *dat, const char *set) {
    static const char *const layouts[] = {"soa", "aos", "aos16"};
    tess_originals *originals = NULL;
    const tess_original_states states = states_of(s);
    OK(tess_originals_open(s->device, s->target, &states, &originals));
    assert_non_null(originals);
    for (int k = 0; k < 6; k++) {
        tess_store *brought = draft(s, layouts[k % 3], k < 3),
                   *placed = draft(s, layouts[k % 3], k < 3);
        OK(tess_store_place(brought));
        OK(tess_originals_place(originals, placed));
        assert_equal_images(s, brought, placed);
        assert_same_difference(originals, placed, s->want);
        change(s, placed, dat, set, 1000);
        assert_same_difference(originals, placed, s->want);
        assert_same_difference(originals, brought, s->want); /* another store's orders */
        change(s, placed, dat, set, NAN);
        assert_same_difference(originals, placed, s->want);
        tess_store_close(placed);
        tess_store_close(brought);
    }
    tess_originals_close(originals);
    stage_close(s);
}

/* Places a start that was brought alone, by its orders and without. */
static void place_start(stage *s, const char *layout) {
    tess_originals *started = NULL;
    const tess_original_states states = {.start = s->scene.start, .loop = s->loop};
    OK(tess_originals_open(s->device, s->target, &states, &started));
    assert_non_null(started);
    for (int renumbered = 0; renumbered < 2; renumbered++) {
        tess_store *brought = draft(s, layout, renumbered), *placed = draft(s, layout, renumbered);
        OK(tess_store_place(brought));
        OK(tess_originals_place(started, placed));
        assert_equal_images(s, brought, placed);
        tess_store_close(placed);
        tess_store_close(brought);
    }
    tess_originals_close(started);
    stage_close(s);
}

static void a_start_is_placed_alone(void **state) {
    stage s = stage_open(TESS_DOUBLE, "airfoil", "res_calc", "quads:nx=9:ny=7");
    place_start(&s, "soa");
    s = stage_open(TESS_FLOAT, "volna", NULL, "irregular:nx=30:ny=20");
    place_start(&s, "aos");
}

static void doubles_are_placed_and_compared(void **state) {
    stage s = stage_open(TESS_DOUBLE, "fun3d", "lstgs", "layers:nx=4:ny=3:prisms=2:tets=1");
    try_stage(&s, "q", "nodes");
}

static void floats_are_placed_and_compared(void **state) {
    stage s = stage_open(TESS_FLOAT, "volna", NULL, "irregular:nx=30:ny=20");
    try_stage(&s, "rate", "cells");
}

static tess_status do_nothing(tess_target *target, const tess_device_module *module,
                              const tess_launch *launch, const uint64_t *params, int n_words) {
    (void)target, (void)module, (void)launch, (void)params, (void)n_words;
    return TESS_OK;
}

/* Its zeros are no differences. */
static void a_device_that_does_nothing_is_not_believed(void **state) {
    stage s = stage_open(TESS_DOUBLE, "airfoil", "res_calc", "quads:nx=9:ny=7");
    tess_state *same = NULL;
    OK(tess_state_copy(s.scene.start, true, &same));
    tess_device idle = *s.device;
    idle.launch = do_nothing;
    tess_original_states states = states_of(&s);
    states.want = same;
    tess_originals *originals = NULL;
    OK(tess_originals_open(&idle, s.target, &states, &originals));
    assert_null(originals);
    states.want = NULL;
    OK(tess_originals_open(&idle, s.target, &states, &originals));
    assert_null(originals);
    states.want = same;
    OK(tess_originals_open(s.device, s.target, &states, &originals));
    assert_non_null(originals);
    tess_originals_close(originals);
    tess_state_free(same);
    stage_close(&s);
}

/* What a comparison before it has left is no result of this one. */
static void a_device_that_stops_is_not_believed(void **state) {
    stage s = stage_open(TESS_DOUBLE, "airfoil", "res_calc", "quads:nx=9:ny=7");
    tess_device device = *s.device;
    const tess_original_states states = states_of(&s);
    tess_originals *originals = NULL;
    tess_difference difference;
    OK(tess_originals_open(&device, s.target, &states, &originals));
    tess_store *store = draft(&s, "soa", true);
    OK(tess_originals_place(originals, store));
    OK(tess_originals_compare(originals, store, &difference));
    device.launch = do_nothing;
    assert_int_equal(tess_originals_compare(originals, store, &difference), TESS_ERROR_INTERNAL);
    tess_store_close(store);
    tess_originals_close(originals);
    stage_close(&s);
}

static void each_store_has_its_own_order(void **state) {
    stage s = stage_open(TESS_DOUBLE, "airfoil", "res_calc", "quads:nx=9:ny=7");
    const tess_original_states states = states_of(&s);
    tess_originals *originals = NULL;
    OK(tess_originals_open(s.device, s.target, &states, &originals));
    tess_store *first = draft(&s, "soa", true);
    OK(tess_originals_place(originals, first));
    tess_renumbering *gps = s.renumbering;
    OK(tess_renumber_build(s.bound, NULL, TESS_RENUMBER_GPS, false, &s.renumbering));
    for (int k = 0; k < s.renumbering->n_sets; k++) {
        tess_permutation *set = &s.renumbering->sets[k];
        for (int64_t i = 0; i < set->size; i++)
            set->old_to_new[i] = (int32_t)(set->size - 1 - set->old_to_new[i]);
    }
    tess_store *second = draft(&s, "soa", true);
    OK(tess_originals_place(originals, second));
    change(&s, first, "res", "cells", 1);
    assert_same_difference(originals, first, s.want);
    tess_store_close(first);
    tess_store_close(second);
    tess_originals_close(originals);
    tess_renumbering_free(gps);
    stage_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_is_placed_alone),
        cmocka_unit_test(doubles_are_placed_and_compared),
        cmocka_unit_test(floats_are_placed_and_compared),
        cmocka_unit_test(a_device_that_does_nothing_is_not_believed),
        cmocka_unit_test(a_device_that_stops_is_not_believed),
        cmocka_unit_test(each_store_has_its_own_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Layouts: rows of whole 16 bytes, by every way to stage and to add, and what is no layout. */
#include "strategy_bench.h"

static void rows_of_16_bytes_hold_the_same(void **state) {
    static const char *const variants[] = {
        "sequential",   "atomics:aggregate=sorted:transpose=shared",
        "halo-atomics", "owner-block",
        "block-colour", "global-colour",
        "two-step",     "point-parallel"};
    bench_scene s = bench_scene_open("fun3d", "lstgs", "layers:nx=4:ny=3:prisms=2:tets=1");
    for (size_t w = 0; w < sizeof variants / sizeof variants[0]; w++) {
        const bench_case c = {.scene = &s,
                              .strategy = variants[w],
                              .layout = w % 2 ? "aos16" : "soa,nodes=aos16",
                              .device = w ? "emulator" : "host",
                              .renumber = w == 2 || w == 7 ? "owner" : NULL,
                              .block_size = 32};
        bench_passes(&c, 1e-11);
    }
    bench_scene_close(&s);
}

/* A node has 5 doubles of q, 3 of x and one of amut: rows of 6, 4 and 2. */
static void a_row_is_as_long_as_it_must_be(void **state) {
    static const struct {
        const char *dat;
        int dim, row;
    } rows[] = {{"q", 5, 6}, {"x", 3, 4}, {"amut", 1, 2}, {"r", 6, 6}};
    bench_scene s = bench_scene_open("fun3d", "lstgs", "layers:nx=4:ny=3:prisms=2:tets=1");
    const tess_device *device = NULL;
    tess_target *target = NULL;
    tess_layouts layouts;
    tess_store *store = NULL;
    OK(tess_device_open("host", &device, &target));
    OK(tess_layouts_parse("soa,nodes=aos16", &layouts));
    OK(tess_store_draft(device, target, s.start, NULL, &layouts, &store));
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const tess_stored *stored = tess_store_find(store, rows[r].dat, "nodes");
        assert_int_equal(stored->dat->dim, rows[r].dim);
        assert_int_equal(stored->row, rows[r].row);
        assert_int_equal(stored->bytes, stored->stride * rows[r].row * 8);
    }
    assert_int_equal(tess_store_find(store, "normal", "left_edges")->layout, TESS_SOA);
    assert_int_equal(tess_store_find(store, "scale", "")->row, 1);
    tess_store_close(store);
    device->close(target);
    bench_scene_close(&s);
}

/* A dat's own layout wins over that of its set, wherever it is named. */
static void a_dat_has_a_layout_of_its_own(void **state) {
    static const char *const variants[] = {"atomics:aggregate=sorted+no:transpose=no+shared",
                                           "halo-atomics", "point-parallel"};
    bench_scene s = bench_scene_open("fun3d", "roe_flux", "layers:nx=4:ny=3:prisms=2:tets=1");
    for (size_t w = 0; w < sizeof variants / sizeof variants[0]; w++) {
        const bench_case c = {.scene = &s,
                              .strategy = variants[w],
                              .layout = w % 2 ? "nodes.res=soa,aos" : "soa,nodes.res=aos16",
                              .block_size = 32};
        bench_passes(&c, 1e-11);
    }
    const tess_device *device = NULL;
    tess_target *target = NULL;
    tess_layouts layouts;
    tess_store *store = NULL;
    OK(tess_device_open("host", &device, &target));
    OK(tess_layouts_parse("soa,nodes.res=aos16,nodes=aos,nodes.q=soa", &layouts));
    OK(tess_store_draft(device, target, s.start, NULL, &layouts, &store));
    assert_int_equal(tess_store_find(store, "res", "nodes")->row, 6);
    assert_int_equal(tess_store_find(store, "q", "nodes")->layout, TESS_SOA);
    assert_int_equal(tess_store_find(store, "x", "nodes")->layout, TESS_AOS);
    assert_int_equal(tess_store_find(store, "x", "nodes")->row, 3);
    tess_store_close(store);
    OK(tess_layouts_parse("soa,nodes.rez=aos", &layouts));
    assert_int_equal(tess_store_draft(device, target, s.start, NULL, &layouts, &store),
                     TESS_ERROR_USAGE);
    assert_non_null(
        strstr(tess_message(), "--layout names nodes.rez, but there is no dat 'rez' on 'nodes'"));
    device->close(target);
    bench_scene_close(&s);
}

static void what_is_no_layout_is_refused(void **state) {
    static const char *const refused[][2] = {
        {"aos32", "'aos32' is not a layout: write soa, aos, aos16, soa,SET=aos, soa,SET.DAT=aos or "
                  "soa,maps=aos"},
        {"soa,maps=aos16", "maps lie as soa or aos, not aos16"}};
    for (int r = 0; r < 2; r++) {
        tess_layouts layouts;
        assert_int_equal(tess_layouts_parse(refused[r][0], &layouts), TESS_ERROR_USAGE);
        assert_string_equal(tess_message(), refused[r][1]);
    }
}

/* What the loop has no arg of stays off the device; all else is there, and comes back as it was. */
static void a_loop_takes_its_own_dats_along(void **state) {
    bench_scene s = bench_scene_open("airfoil", "res_calc", "quads:nx=9:ny=7");
    const tess_device *device = NULL;
    tess_target *target = NULL;
    tess_layouts layouts;
    tess_store *store = NULL;
    tess_loop *loop = NULL;
    tess_difference difference;
    OK(tess_device_open("host", &device, &target));
    OK(tess_layouts_parse("soa", &layouts));
    OK(tess_store_draft(device, target, s.start, NULL, &layouts, &store));
    OK(tess_kernel_loop(s.kernel, TESS_DOUBLE, &loop));
    tess_store_leave_out(store, loop);
    OK(tess_store_place(store));
    static const char *const needed[][2] = {
        {"x", "nodes"}, {"q", "cells"}, {"adt", "cells"}, {"res", "cells"}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        assert_true(tess_store_find(store, needed[i][0], needed[i][1])->placed);
    assert_false(tess_store_find(store, "old", "cells")->placed);
    OK(tess_store_compare(store, s.start, &difference));
    assert_true(difference.largest == 0);
    tess_store_close(store);
    tess_loop_free(loop);
    device->close(target);
    bench_scene_close(&s);
}

static int64_t bytes_of_a_piece;

/* Asks for pieces, as a GPU does whose buffers are small; nothing is written beside one. */
static tess_status upload_in_pieces(tess_target *target, tess_address to, tess_filler from,
                                    int64_t size) {
    enum { BESIDE = 64, MOST = 1000 };
    _Alignas(8) unsigned char piece[BESIDE + MOST + BESIDE];
    (void)target;
    for (int64_t at = 0; at < size; at += bytes_of_a_piece) {
        const int64_t left = size - at, n = left < bytes_of_a_piece ? left : bytes_of_a_piece;
        memset(piece, 77, sizeof piece);
        from.fill(from.context, at, n, piece + BESIDE);
        for (int i = 0; i < BESIDE; i++)
            assert_true(piece[i] == 77 && piece[BESIDE + n + i] == 77);
        memcpy((char *)(uintptr_t)to + at, piece + BESIDE, (size_t)n);
    }
    return TESS_OK;
}

static void assert_equal_bytes(tess_address got, tess_address want, int64_t bytes) {
    assert_memory_equal((const void *)(uintptr_t)got, (const void *)(uintptr_t)want, (size_t)bytes);
}

/* Where pieces end inside rows and components. */
static void what_is_filled_in_pieces_is_what_is_filled_whole(void **state) {
    static const char *const cases[][3] = {{"sequential", "soa", NULL},
                                           {"sequential", "aos", "owner"},
                                           {"sequential", "aos16,maps=aos", "blocks"},
                                           {"global-colour", "soa,maps=aos", "blocks"},
                                           {"global-colour", "soa", "blocks"}};
    bench_scene s = bench_scene_open("fun3d", "lstgs", "layers:nx=4:ny=3:prisms=2:tets=1");
    for (int i = 0; i < 15; i++) {
        const char *const *words = cases[i / 3];
        const bench_case c = {.scene = &s,
                              .strategy = words[0],
                              .layout = words[1],
                              .device = strcmp(words[0], "sequential") ? "emulator" : "host",
                              .renumber = words[2],
                              .block_size = 32};
        bench_opened o;
        tess_layouts layouts;
        tess_store *store = NULL;
        tess_execution *x = NULL;
        OK(bench_open(&c, NULL, &o));
        tess_device pieces = *o.device;
        pieces.upload_filled = upload_in_pieces;
        bytes_of_a_piece = (const int64_t[]){8, 40, 1000}[i % 3];
        OK(tess_layouts_parse(c.layout, &layouts));
        OK(tess_store_open(&pieces, o.target, s.start, o.renumbering, &layouts, &store));
        for (int d = 0; d < store->n_stored; d++)
            assert_equal_bytes(store->stored[d].address, o.store->stored[d].address,
                               store->stored[d].bytes);
        const tess_execution_options options = {
            .kernel = s.kernel, .strategy = bench_strategy(words[0]), .spec = &o.specs[0]};
        OK(tess_execution_open(&options, store, o.bound, o.plan, &x));
        assert_int_equal(x->page.n_arrays, o.execution->page.n_arrays);
        for (int a = 0; a < x->page.n_arrays; a++)
            assert_equal_bytes(x->page.arrays[a].address, o.execution->page.arrays[a].address,
                               x->page.arrays[a].bytes);
        tess_execution_close(x);
        tess_store_close(store);
        bench_close(&o);
    }
    bench_scene_close(&s);
}

/* A torus has no boundary, whose edges have a dat. */
static void a_set_may_be_empty(void **state) {
    bench_scene s = bench_scene_open("airfoil", NULL, "quads:nx=8:ny=8:periodic=xy");
    const tess_device *device = NULL;
    tess_target *target = NULL;
    OK(tess_device_open("host", &device, &target));
    for (int soa = 0; soa < 2; soa++) {
        tess_store *store = NULL;
        tess_difference difference;
        int n_empty = 0;
        const tess_layouts layouts = {.layout = soa ? TESS_SOA : TESS_AOS};
        OK(tess_store_open(device, target, s.start, NULL, &layouts, &store));
        for (int d = 0; d < store->n_stored; d++)
            n_empty += store->stored[d].bytes == 0;
        assert_int_equal(n_empty, 1);
        OK(tess_store_compare(store, s.start, &difference));
        assert_true(difference.largest == 0);
        tess_store_close(store);
    }
    device->close(target);
    bench_scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_16_bytes_hold_the_same),
        cmocka_unit_test(a_row_is_as_long_as_it_must_be),
        cmocka_unit_test(a_dat_has_a_layout_of_its_own),
        cmocka_unit_test(what_is_no_layout_is_refused),
        cmocka_unit_test(a_loop_takes_its_own_dats_along),
        cmocka_unit_test(what_is_filled_in_pieces_is_what_is_filled_whole),
        cmocka_unit_test(a_set_may_be_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Atomics: how many are left when the lanes of a warp sum up first, and how many sectors they touch
 * when lanes turn rows. */
#include "strategy_bench.h"

/* One block, so that elements keep their order. */
enum { WARP = 32, SECTOR = 32, BLOCK_SIZE = 1024, THREADS = 64 };

static tess_counters count_to(const bench_scene *s, const char *strategy, const char *layout,
                              double tolerance) {
    tess_counters counters = {0};
    const bench_case c = {.scene = s,
                          .strategy = strategy,
                          .layout = layout,
                          .block_size = BLOCK_SIZE,
                          .threads = THREADS,
                          .counters = &counters};
    bench_passes(&c, tolerance);
    return counters;
}

static tess_counters count(const bench_scene *s, const char *strategy, const char *layout) {
    return count_to(s, strategy, layout, 1e-12);
}

/* How often points count that a warp's elements have in one slot. */
typedef enum counted { EACH, DISTINCT, RUNS } counted;

static bool is_met_before(const tess_map *map, int64_t e, int slot, counted what) {
    const int32_t point = map->index[e * map->arity + slot];
    const int64_t warp = e / WARP * WARP, first = what == RUNS && e > warp ? e - 1 : warp;
    for (int64_t other = first; other < e; other++)
        if (map->index[other * map->arity + slot] == point)
            return true;
    return false;
}

/* Of one slot of a map, its elements a warp at a time. */
static int64_t count_slot(const tess_map *map, int64_t n, int slot, counted what) {
    int64_t points = 0;
    for (int64_t e = 0; e < n; e++)
        points += what == EACH || !is_met_before(map, e, slot, what);
    return points;
}

/* Over all slots. */
static int64_t count_points(const tess_map *map, int64_t n, counted what) {
    int64_t points = 0;
    for (int slot = 0; slot < map->arity; slot++)
        points += count_slot(map, n, slot, what);
    return points;
}

/* `dim` values are added to each point of a map. */
static void atomics_are_fewer(const char *application, const char *mesh, const char *map_name,
                              int dim) {
    static const struct {
        const char *strategy;
        counted points;
    } variants[] = {{"atomics", EACH},
                    {"atomics:transpose=shared", EACH},
                    {"atomics:transpose=shuffles", EACH},
                    {"atomics:aggregate=unsorted", DISTINCT},
                    {"atomics:aggregate=unsorted:transpose=shared", DISTINCT},
                    {"atomics:aggregate=unsorted:transpose=shuffles", DISTINCT},
                    {"atomics:aggregate=sorted", RUNS},
                    {"atomics:aggregate=sorted:transpose=shared", RUNS},
                    {"atomics:aggregate=sorted:transpose=shuffles", RUNS}};
    bench_scene s = bench_scene_open(application, NULL, mesh);
    const tess_map *map = tess_mesh_find_map(s.mesh, map_name);
    const int64_t n = s.mesh->sets[map->from].size;
    assert_true(count_points(map, n, DISTINCT) < count_points(map, n, RUNS));
    assert_true(count_points(map, n, RUNS) < count_points(map, n, EACH));
    for (size_t w = 0; w < sizeof variants / sizeof variants[0]; w++)
        for (int aos = 0; aos < 2; aos++) {
            const tess_counters counters = count(&s, variants[w].strategy, aos ? "aos" : "soa");
            assert_int_equal(counters.atomics, 2 * dim * count_points(map, n, variants[w].points));
            if (!strstr(variants[w].strategy, "transpose")) /* a warp adds to one slot at a time */
                assert_int_equal(counters.atomic_repeats,
                                 counters.atomics - 2 * dim * count_points(map, n, DISTINCT));
        }
    bench_scene_close(&s);
}

static void equal_points_of_a_warp_are_added_once(void **state) {
    atomics_are_fewer("airfoil", "quads:nx=13:ny=9", "edges:cells", 4);
    atomics_are_fewer("miniaero", "tets:nx=3:ny=3:nz=4", "faces:cells", 5);
}

/* Edges sorted by their left node: FUN3D's loops put the two slots together in different ways. */
static void each_slot_has_a_way_of_its_own(void **state) {
    static const struct {
        const char *strategy;
        counted slot[2];
    } variants[] = {{"atomics:aggregate=sorted+unsorted", {RUNS, DISTINCT}},
                    {"atomics:aggregate=unsorted+sorted", {DISTINCT, RUNS}},
                    {"atomics:aggregate=sorted+no:transpose=no+shared", {RUNS, EACH}},
                    {"atomics:aggregate=no+sorted:transpose=shuffles+no", {EACH, RUNS}},
                    {"atomics:aggregate=sorted+unsorted:transpose=shared", {RUNS, DISTINCT}}};
    static const struct {
        const char *loop;
        int values;
    } loops[] = {{"roe_flux", 5}, {"lstgs", 15}};
    for (int l = 0; l < 2; l++) {
        bench_scene s =
            bench_scene_open("fun3d", loops[l].loop, "layers:nx=5:ny=4:prisms=2:tets=2");
        const tess_map *map = tess_mesh_find_map(s.mesh, "left_edges:nodes");
        const int64_t n = s.mesh->sets[map->from].size;
        assert_true(count_slot(map, n, 1, DISTINCT) < count_slot(map, n, 1, RUNS));
        for (size_t w = 0; w < sizeof variants / sizeof variants[0]; w++) {
            int64_t points = 0;
            for (int slot = 0; slot < 2; slot++)
                points += count_slot(map, n, slot, variants[w].slot[slot]);
            const tess_counters counters = count(&s, variants[w].strategy, "aos");
            assert_int_equal(counters.atomics, 2 * loops[l].values * points);
        }
        bench_scene_close(&s);
    }
}

static void a_list_longer_than_the_slots_is_refused(void **state) {
    bench_scene s = bench_scene_open("airfoil", NULL, "quads:nx=5:ny=4");
    bench_refuses(&s, "atomics:aggregate=no+no+sorted", "aos",
                  "has 3 items, but what loop res_calc increments has 2 slots");
    bench_scene_close(&s);
}

/* Four floats of a cell are one atomic; lanes of a warp with one cell sum up first, or not. */
static void four_floats_are_added_at_once(void **state) {
    static const struct {
        const char *strategy;
        counted points;
    } variants[] = {{"atomics:adds=vectors", EACH},
                    {"atomics:adds=vectors:transpose=shared", EACH},
                    {"atomics:adds=vectors:aggregate=unsorted:transpose=shared", DISTINCT},
                    {"atomics:adds=vectors:aggregate=sorted", RUNS}};
    bench_scene s = bench_scene_open_in(TESS_FLOAT, "airfoil", NULL, "quads:nx=13:ny=9");
    const tess_map *map = tess_mesh_find_map(s.mesh, "edges:cells");
    const int64_t n = s.mesh->sets[map->from].size;
    for (size_t w = 0; w < sizeof variants / sizeof variants[0]; w++) {
        const tess_counters counters = count_to(&s, variants[w].strategy, "aos", 1e-5);
        assert_int_equal(counters.atomics, 2 * count_points(map, n, variants[w].points));
        assert_true(counters.atomic_sectors <= counters.atomics); /* 16 bytes never straddle two */
    }
    bench_refuses(&s, "atomics:adds=vectors", "soa", "is for floats in aos");
    bench_refuses(&s, "atomics:adds=vectors:transpose=shuffles", "aos",
                  "transpose=no and shared, not");
    bench_scene_close(&s);
    s = bench_scene_open("airfoil", NULL, "quads:nx=5:ny=4");
    bench_refuses(&s, "atomics:adds=vectors", "aos",
                  "loop res_calc adds to none (GPUs add vectors of");
    bench_scene_close(&s);
}

/* A cell's row of four doubles is one addition; what pads a row, and values before it, are zeros.
 */
static void rows_of_doubles_are_added_at_once(void **state) {
    static const struct {
        const char *strategy;
        counted points;
    } variants[] = {{"atomics:adds=widest", EACH},
                    {"atomics:adds=widest:elements=3", EACH},
                    {"atomics:adds=widest:aggregate=unsorted", DISTINCT},
                    {"atomics:adds=widest:aggregate=sorted", RUNS},
                    {"atomics:adds=widest:aggregate=shared:transpose=shared", DISTINCT}};
    bench_scene s = bench_scene_open("airfoil", NULL, "quads:nx=13:ny=9");
    const tess_map *map = tess_mesh_find_map(s.mesh, "edges:cells");
    const int64_t n = s.mesh->sets[map->from].size;
    for (size_t w = 0; w < sizeof variants / sizeof variants[0]; w++) {
        const tess_counters counters = count(&s, variants[w].strategy, "aos");
        assert_int_equal(counters.atomics, 2 * count_points(map, n, variants[w].points));
        assert_int_equal(counters.atomic_sectors, counters.atomics); /* 32 bytes in one sector */
    }
    bench_refuses(&s, "atomics:adds=widest", "soa",
                  "loop res_calc adds to none; take layout aos16");
    bench_refuses(&s, "atomics:adds=widest:transpose=groups", "aos",
                  "adds=widest goes with transpose=no");
    bench_scene_close(&s);
    s = bench_scene_open("miniaero", NULL, "tets:nx=2:ny=2:nz=2"); /* rows of five */
    count(&s, "atomics:adds=widest", "aos16");
    count(&s, "atomics:adds=widest:aggregate=shared+sorted:transpose=shared+no", "aos16");
    bench_refuses(&s, "atomics:adds=widest", "aos", "have 16, 32 ... bytes each");
    bench_scene_close(&s);
    s = bench_scene_open("fun3d", "visrhs_tets", "layers:nx=3:ny=3:prisms=2:tets=2");
    count(&s, "atomics:adds=widest", "aos16"); /* four of five, from the second on */
    count(&s, "atomics:adds=widest:aggregate=shared:transpose=shared", "aos16");
    bench_scene_close(&s);
}

/* Sums that are made in shared memory leave as often, and hit as many sectors, as those that
 * shuffles make; the rows of several lanes of one point are read there by the lanes that add them
 * up. */
static void points_are_summed_in_shared_memory(void **state) {
    bench_scene s = bench_scene_open("airfoil", NULL, "quads:nx=13:ny=9");
    const tess_map *map = tess_mesh_find_map(s.mesh, "edges:cells");
    const int64_t n = s.mesh->sets[map->from].size;
    const char *const layouts[] = {"soa", "aos"};
    for (int l = 0; l < 2; l++) {
        const tess_counters shared =
                                count(&s, "atomics:aggregate=shared:transpose=shared", layouts[l]),
                            shuffled = count(&s, "atomics:aggregate=unsorted:transpose=shared",
                                             layouts[l]);
        assert_int_equal(shared.atomics, 2 * 4 * count_points(map, n, DISTINCT));
        assert_int_equal(shared.atomic_repeats, 0);
        assert_int_equal(shared.atomics, shuffled.atomics);
    }
    bench_refuses(&s, "atomics:aggregate=shared", "aos", "goes with transpose=shared, not no");
    bench_refuses(&s, "atomics:aggregate=no+shared:transpose=shared+shuffles", "aos",
                  "not shuffles");
    bench_scene_close(&s);
    s = bench_scene_open_in(TESS_FLOAT, "airfoil", NULL, "quads:nx=13:ny=9");
    const tess_counters four =
        count_to(&s, "atomics:aggregate=shared:transpose=shared:adds=vectors", "aos", 1e-5);
    map = tess_mesh_find_map(s.mesh, "edges:cells");
    assert_int_equal(four.atomics, 2 * count_points(map, n, DISTINCT));
    bench_scene_close(&s);
}

/* The groups of four lanes that have a cell's four values add four lanes' rows one after another:
 * those of lanes t, 4 + t, 8 + t ... in turn t. */
static void lanes_turn_rows_in_groups(void **state) {
    bench_scene s = bench_scene_open("airfoil", NULL, "quads:nx=13:ny=9");
    const tess_map *map = tess_mesh_find_map(s.mesh, "edges:cells");
    const int64_t n = s.mesh->sets[map->from].size;
    int64_t sectors = 0;
    for (int slot = 0; slot < 2; slot++)
        for (int64_t e = 0; e < n; e++) {
            int64_t other = e / WARP * WARP + e % 4;
            while (map->index[2 * other + slot] != map->index[2 * e + slot])
                other += 4;
            sectors += other == e; /* a row is one sector of four doubles */
        }
    const tess_counters counters = count(&s, "atomics:transpose=groups", "aos");
    assert_int_equal(counters.atomics, 2 * 4 * count_points(map, n, EACH));
    assert_int_equal(counters.atomic_sectors, 2 * sectors);
    assert_int_equal(counters.shared_wavefronts, 0);
    bench_scene_close(&s);
    s = bench_scene_open("miniaero", NULL, "tets:nx=2:ny=2:nz=2");
    bench_refuses(&s, "atomics:transpose=groups", "aos",
                  "16 or 32 values of a point, and 'residual' of");
    bench_scene_close(&s);
}

/* A node's x is two pieces of 16 bytes, q and the three gradients are three each; of a warp's nodes
 * each is a sector, for pieces of one number lie 32 or 48 bytes apart. An edge's normal is two. */
static void rows_are_loaded_in_pieces(void **state) {
    bench_scene s = bench_scene_open("fun3d", "roe_flux", "layers:nx=5:ny=4:prisms=2:tets=2");
    const tess_map *map = tess_mesh_find_map(s.mesh, "left_edges:nodes");
    const int64_t n = s.mesh->sets[map->from].size;
    const int64_t indices = 2 * (4 * n + SECTOR - 1) / SECTOR,
                  nodes = count_points(map, n, DISTINCT);
    const tess_counters counters = count(&s, "atomics:loads=vectors", "aos16");
    assert_int_equal(counters.read_sectors, 2 * (14 * nodes + 2 * n + indices)); /* two runs */
    count(&s, "atomics:loads=vectors:elements=3", "soa,nodes.q=aos16");
    bench_refuses(&s, "atomics:loads=vectors", "soa",
                  "loop roe_flux reads none; take layout aos16");
    bench_scene_close(&s);
    s = bench_scene_open("fun3d", "visrhs_tets", "layers:nx=3:ny=3:prisms=1:tets=1");
    count_to(&s, "atomics:loads=vectors", "aos16", 1e-11); /* values 1 to 4 of 5 */
    bench_scene_close(&s);
    s = bench_scene_open_in(TESS_FLOAT, "airfoil", NULL, "quads:nx=13:ny=9");
    count_to(&s, "atomics:loads=vectors", "aos", 1e-5); /* a cell's four are a piece */
    bench_scene_close(&s);
}

static void turned_rows_touch_fewer_sectors(void **state) {
    bench_scene s = bench_scene_open("airfoil", NULL, "quads:nx=13:ny=9");
    const int64_t plain = count(&s, "atomics", "aos").atomic_sectors;
    const tess_counters shared = count(&s, "atomics:transpose=shared", "aos"),
                        shuffled = count(&s, "atomics:transpose=shuffles", "aos");
    /* a row is one sector of four doubles */
    assert_true(shared.atomic_sectors * 3 < plain);
    assert_int_equal(shared.atomic_sectors, shuffled.atomic_sectors);
    assert_true(shared.shared_wavefronts > 0);
    assert_int_equal(shuffled.shared_wavefronts, 0);
    bench_scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_points_of_a_warp_are_added_once),
        cmocka_unit_test(each_slot_has_a_way_of_its_own),
        cmocka_unit_test(a_list_longer_than_the_slots_is_refused),
        cmocka_unit_test(turned_rows_touch_fewer_sectors),
        cmocka_unit_test(four_floats_are_added_at_once),
        cmocka_unit_test(rows_of_doubles_are_added_at_once),
        cmocka_unit_test(points_are_summed_in_shared_memory),
        cmocka_unit_test(lanes_turn_rows_in_groups),
        cmocka_unit_test(rows_are_loaded_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* tiles: several lanes share a cell. Every way against the reference, as many atomics as FUN3D's
 * paper counts, and what is wrong is found. */
#include "strategy_bench.h"

static const char MESH[] = "layers:nx=3:ny=3:prisms=2:tets=1";

/* What lanes may do, in either layout: each loop by a third of it. */
static void every_way_makes_what_the_whole_kernel_makes(void **state) {
    static const char *const loops[] = {"visjac_tets", "visjac_prisms", "visrhs_prisms"};
    static const char *const variants[] = {
        "tiles:aggregate=sorted",
        "tiles:lanes=1:transpose=shared",
        "tiles:lanes=2:transpose=shuffles",
        "tiles:lanes=32:aggregate=unsorted:transpose=shared",
        "tiles:by=edges:aggregate=unsorted",
        "tiles:by=edges:lanes=16:sum=shared-atomics:transpose=shared",
        "tiles:by=edges:sum=serial:transpose=shared:registers=128",
        "tiles:by=edges:lanes=2:sum=sets",
        "tiles:by=edges:sum=sets:aggregate=unsorted:transpose=shuffles",
        "atomics:made=per-part:by=edges",
        "tiles:edges=own:transpose=shared",
        "tiles:edges=own:lanes=4"};
    for (int l = 0; l < 3; l++) {
        bench_scene s = bench_scene_open("fun3d", loops[l], MESH);
        for (size_t w = (size_t)l; w < sizeof variants / sizeof variants[0]; w += 3) {
            const bench_case c = {.scene = &s,
                                  .strategy = variants[w],
                                  .layout = w % 2 ? "soa" : "aos,maps=aos",
                                  .device = w % 3 ? "emulator" : "emulator:seed=5",
                                  .renumber = w == 2 ? "owner" : NULL,
                                  .block_size = w % 2 ? 32 : 64};
            bench_passes(&c, l < 2 ? 1e-6 : 1e-11); /* of floats, of doubles */
        }
        bench_scene_close(&s);
    }
}

/* Counts of a matrix by primitive variables. */
static void slopes_are_made_by_lanes(void **state) {
    static const char *const loops[] = {"slopes_tets", "slopes_prisms"};
    static const char *const variants[] = {"tiles:transpose=shared:adds=vectors",
                                           "tiles:edges=own:lanes=4:transpose=shared",
                                           "tiles:aggregate=unsorted:lanes=2",
                                           "tiles:transpose=shared:adds=widest",
                                           "atomics:made=per-part:transpose=shared:adds=widest",
                                           "halo-atomics:made=per-part"};
    for (int l = 0; l < 2; l++) {
        bench_scene s = bench_scene_open("fun3d", loops[l], MESH);
        for (size_t w = 0; w < sizeof variants / sizeof variants[0]; w++) {
            const bench_case c = {.scene = &s,
                                  .strategy = variants[w],
                                  .layout = w % 3 ? "aos16,maps=aos" : "aos,node_pairs=aos16",
                                  .device = w % 2 ? "emulator" : "emulator:seed=5",
                                  .renumber = w == 5 ? "owner" : NULL,
                                  .block_size = 64};
            bench_passes(&c, 1e-6); /* of floats */
        }
        bench_scene_close(&s);
    }
}

/* How many atomics a loop takes for each element of a set. */
typedef struct counted_row {
    const char *loop, *set, *strategy;
    int atomics;
} counted_row;

/* Runs the row's loop; gives how far the result is. */
static double assert_atomics(const counted_row *row, const char *layout) {
    bench_scene s = bench_scene_open("fun3d", row->loop, MESH);
    tess_counters counters = {0};
    const bench_case c = {.scene = &s,
                          .strategy = row->strategy,
                          .layout = layout,
                          .block_size = 64,
                          .counters = &counters};
    double difference = 1;
    OK(bench_run(&c, NULL, &difference));
    assert_int_equal(counters.atomics,
                     2 * row->atomics * tess_mesh_set_size(s.mesh, row->set)); /* two runs */
    bench_scene_close(&s);
    return difference;
}

/* By nodes and after sums in shared memory each value once; by edges each edge's to both ends: the
 * paper's numbers of atomics of a cell. */
static void atomics_are_those_of_the_paper(void **state) {
    static const counted_row rows[] = {{"visjac_tets", "tets", "tiles", 272},
                                       {"visjac_tets", "tets", "tiles:edges=own", 272},
                                       {"visjac_tets", "tets", "tiles:by=edges", 816},
                                       {"visjac_tets", "tets", "tiles:by=edges:sum=serial", 272},
                                       {"visjac_prisms", "prisms", "tiles:transpose=shared", 612},
                                       {"visjac_prisms", "prisms", "tiles:edges=own", 612},
                                       {"visjac_prisms", "prisms", "tiles:by=edges", 1836},
                                       {"visjac_prisms", "prisms", "tiles:by=edges:sum=sets", 612},
                                       {"slopes_tets", "tets", "tiles", 208},
                                       {"slopes_tets", "tets", "tiles:edges=own", 208},
                                       {"slopes_prisms", "prisms", "tiles", 468},
                                       {"slopes_prisms", "prisms", "tiles:edges=own", 468},
                                       {"visrhs_prisms", "prisms", "tiles", 24},
                                       {"visrhs_prisms", "prisms", "tiles:by=edges:lanes=16", 72}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        assert_atomics(&rows[r], "aos");
}

/* The 17 floats of a block beside the diagonal in rows of 20: five vectors, the last of one float
 * and what pads the row; 13 slopes in rows of 16. */
static void rows_of_16_bytes_take_vectors(void **state) {
    static const counted_row rows[] = {
        {"visjac_tets", "tets", "tiles:adds=vectors", 4 * 17 + 12 * 5},
        {"visjac_tets", "tets", "atomics:adds=vectors:transpose=shared:made=per-part",
         4 * 17 + 12 * 5},
        {"visjac_prisms", "prisms", "tiles:lanes=4:adds=vectors:transpose=shared", 6 * 17 + 30 * 5},
        {"slopes_prisms", "prisms", "tiles:adds=vectors:transpose=shared", 6 * 13 + 30 * 4}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        assert_true(assert_atomics(&rows[r], "aos,node_pairs=aos16") < 1e-6);
    static const counted_row whole[] = {
        /* a row of doubles is one */
        {"visjac_tets", "tets", "tiles:transpose=shared:adds=widest", 4 + 12 * 5},
        {"visjac_tets", "tets", "atomics:transpose=shared:adds=widest:made=per-part", 4 + 12 * 5}};
    for (size_t r = 0; r < sizeof whole / sizeof whole[0]; r++)
        assert_true(assert_atomics(&whole[r], "aos16") < 1e-6);
}

/* Runs a mutant of the page; gives how far the result is, -1 where the emulator stopped it with
 * these words. */
static double spoilt(const bench_scene *s, const char *strategy, const char *piece, const char *to,
                     const char *words) {
    const tess_strategy mutant = bench_changed("tiles", piece, to);
    const bench_case c = {
        .scene = s, .strategy = strategy, .mutant = &mutant, .layout = "aos", .block_size = 32};
    double difference = 0;
    const tess_status status = bench_run(&c, NULL, &difference);
    if (words && (status != TESS_ERROR_CHECK || !strstr(tess_message(), words)))
        print_error("%s: %s\n", piece, tess_message());
    assert_int_equal(status, words ? TESS_ERROR_CHECK : TESS_OK);
    assert_true(!words || strstr(tess_message(), words));
    return words ? -1 : difference;
}

static void mutants_are_caught(void **state) {
    static const char barrier[] = "        tile_barrier();\n";
    static const char race[] = "of shared memory with";
    bench_scene s = bench_scene_open("fun3d", "visjac_prisms", MESH);
    char text[128];
    /* lanes read what others have not loaded, given, or summed yet */
    spoilt(&s, "tiles", "    tile_barrier();\n    (void)p, (void)i;", "    (void)p, (void)i;",
           "of shared memory");
    spoilt(&s, "tiles", "    tile_barrier();\n    TURNS", "    TURNS", "of shared memory");
    snprintf(text, sizeof text, "%s        for (int e = 0;", barrier);
    spoilt(&s, "tiles:by=edges:sum=serial", text, "        for (int e = 0;", "of shared memory");
    spoilt(&s, "tiles:by=edges:sum=serial",
           "        tile_barrier();\n        ONE_BY_ONE for (int round = 0; round < 1; round++) "
           "{\n        const int row",
           "        ONE_BY_ONE for (int round = 0; round < 1; round++) {\n        const int row",
           race);
    /* two sets of edges that share ends; a mask without its first lane */
    spoilt(&s, "tiles:by=edges:sum=sets", "edge_set(e) == set", "edge_set(e) / 2 == set", race);
    spoilt(&s, "tiles", "warp_barrier(TILE_LANES <<", "warp_barrier((TILE_LANES & ~1u) <<",
           "warp_barrier");
    /* a sign, rows for columns, an end for the other */
    assert_true(spoilt(&s, "tiles:by=edges", ")-made0[0 + d]", ")made0[0 + d]", NULL) > 1e-2);
    assert_true(spoilt(&s, "tiles", "5 * row + column - (column > row)",
                       "5 * column + row - (row > column)", NULL) > 1e-2);
    assert_true(spoilt(&s, "tiles:by=edges:sum=serial", "edge_end(e, 1) * 17",
                       "edge_end(e, 0) * 17", NULL) > 1e-2);
    /* what is still needed where edges are put */
    spoilt(&s, "tiles", "double before_between8[", "double before_between8[0 *", race);
    bench_scene_close(&s);
}

/* By edges=own a lane finds the edges of its row, by edges=shared lanes find each edge once: where
 * one finds those of another row, or another edge, the result shows it. */
static void lanes_find_their_own_edges_or_share_them(void **state) {
    static const char *const changed[][4] = {
        {"visjac_tets", "tiles:edges=own", "tet_row_terms(k,", "tet_row_terms((k + 1) % 4,"},
        {"visjac_tets", "tiles:edges=own", "visjac_tet_own_block(k,",
         "visjac_tet_own_block(k ^ 1,"},
        {"visjac_tets", "tiles", "visjac_tet_shared_block(k,", "visjac_tet_shared_block(k ^ 1,"},
        {"visjac_prisms", "tiles:edges=own", "prism_row_terms(k,", "prism_row_terms((k + 1) % 6,"},
        {"visjac_prisms", "tiles:edges=own", "visjac_prism_own_block(k,",
         "visjac_prism_own_block(k ^ 1,"},
        {"visjac_prisms", "tiles", "prism_edge_terms(k,", "prism_edge_terms((k + 1) % 9,"},
        {"slopes_tets", "tiles:edges=own", "slopes_tet_own(k,", "slopes_tet_own(k ^ 1,"},
        {"slopes_tets", "tiles", "slopes_tet_shared(k,", "slopes_tet_shared(k ^ 1,"},
        {"slopes_prisms", "tiles:edges=own", "slopes_prism_own(k,", "slopes_prism_own(k ^ 1,"},
        {"slopes_prisms", "tiles", "prism_force(k,", "prism_force((k + 1) % 6,"},
        {"slopes_prisms", "tiles", "slopes_prism_shared(k,", "slopes_prism_shared(k ^ 1,"}};
    for (size_t m = 0; m < sizeof changed / sizeof changed[0]; m++) {
        bench_scene s = bench_scene_open("fun3d", changed[m][0], MESH);
        assert_true(spoilt(&s, changed[m][1], changed[m][2], changed[m][3], NULL) > 1e-3);
        bench_scene_close(&s);
    }
}

static void what_does_not_fit_is_refused(void **state) {
    static const char *const refused[][3] = {
        {"visrhs_tets", "tiles", "tiles is for kernels in parts: loop visrhs_tets has none"},
        {"visrhs_prisms", "tiles:by=edges:edges=own", "edges=own is of by=slots"},
        {"roe_flux", "tiles", "each slot, edge or pair: roe_sum of loop roe_flux adds itself"},
        {"visjac_tets", "tiles:aggregate=sorted+no+no+no+no+no+no+no+no+no+no+no+no",
         "has 13 items, but what loop visjac_tets increments has 12 slots"},
        {"slopes_tets", "tiles:by=edges", "by=edges: loop slopes_tets has no part that runs"}};
    for (size_t r = 0; r < sizeof refused / sizeof refused[0]; r++) {
        bench_scene s = bench_scene_open("fun3d", refused[r][0], MESH);
        bench_refuses(&s, refused[r][1], "aos", refused[r][2]);
        bench_scene_close(&s);
    }
}

int main(void) {
    bench_be_strict();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_makes_what_the_whole_kernel_makes),
        cmocka_unit_test(slopes_are_made_by_lanes),
        cmocka_unit_test(atomics_are_those_of_the_paper),
        cmocka_unit_test(rows_of_16_bytes_take_vectors),
        cmocka_unit_test(mutants_are_caught),
        cmocka_unit_test(lanes_find_their_own_edges_or_share_them),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

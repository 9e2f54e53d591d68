/* Mutants: strategies and plans with one thing wrong, each of which the emulator or the check of
 * the result must find. */
#include "strategy_bench.h"

/* What every mutant is tried on: airfoil's flux, or its update with a global sum. */
static bench_scene scene_open(const char *loop) {
    return bench_scene_open("airfoil", loop, "quads:nx=13:ny=9");
}

/* Runs a mutant with data in some order and expects the emulator to say `words`. */
static void is_caught_in(const char *renumber, const char *loop, const char *name,
                         const tess_strategy *mutant, void (*spoil)(tess_plan *plan),
                         const char *words) {
    bench_scene s = scene_open(loop);
    for (int seed = 0; seed < 2; seed++) {
        const bench_case c = {.scene = &s,
                              .strategy = name,
                              .mutant = mutant,
                              .device = seed ? "emulator:seed=3" : "emulator",
                              .layout = "soa",
                              .renumber = renumber,
                              .block_size = 64};
        double difference = 0;
        const tess_status status = bench_run(&c, spoil, &difference);
        assert_int_equal(status, TESS_ERROR_CHECK);
        if (!strstr(tess_message(), words))
            print_error("said: %s\n", tess_message());
        assert_non_null(strstr(tess_message(), words));
    }
    bench_scene_close(&s);
}

static void is_caught(const char *loop, const char *name, const tess_strategy *mutant,
                      void (*spoil)(tess_plan *plan), const char *words) {
    is_caught_in(NULL, loop, name, mutant, spoil, words);
}

static void every_removed_barrier(void **state) {
    /* in the order of the text; the second and third are those of sums that take the copies' place
     */
    for (int n = 0; n < 4; n++) {
        tess_strategy mutant = *bench_strategy("block-colour");
        char *text = bench_without("barrier();", mutant.text, n);
        mutant.text = text;
        if (n == 0 || n == 3)
            is_caught("res_calc", "block-colour", &mutant, NULL, "of shared memory");
        is_caught("res_calc", "block-colour:loads=single:sums=cleared", &mutant, NULL,
                  "of shared memory");
        free(text);
    }
}

static void copies_not_waited_for(void **state) {
    static const char *const names[] = {"block-colour", "point-parallel"};
    for (int i = 0; i < 2; i++) {
        tess_strategy mutant = *bench_strategy(names[i]);
        char *text = bench_without("async_wait();", mutant.text, 0);
        mutant.text = text;
        is_caught("res_calc", names[i], &mutant, NULL,
                  "asynchronous copies of its own are not waited for");
        free(text);
    }
}

static void wrong_thread_colours(void **state) {
    is_caught("res_calc", "block-colour", NULL, bench_one_thread_colour,
              "of shared memory with plain_add");
}

static void wrong_block_colours(void **state) {
    is_caught("res_calc", "block-colour", NULL, bench_one_block_colour, "of cells_res with ");
    is_caught("res_calc", "block-colour:stage=none", NULL, bench_one_block_colour,
              "of cells_res with store");
}

static tess_status join_two_colours(tess_page *page, const tess_spec *spec) {
    TRY(bench_strategy("global-colour")->prepare(page, spec));
    page->launches[1].first = page->launches[0].first;
    page->launches[1].count += page->launches[0].count;
    page->launches[1].n_blocks += page->launches[0].n_blocks;
    memmove(page->launches, page->launches + 1,
            (size_t)--page->n_launches * sizeof *page->launches);
    return TESS_OK;
}

static void wrong_element_colours(void **state) {
    tess_strategy mutant = *bench_strategy("global-colour");
    mutant.prepare = join_two_colours;
    is_caught("res_calc", "global-colour", &mutant, NULL, "of cells_res with store");
}

static tess_status shorten_shared(tess_page *page, const tess_spec *spec) {
    TRY(bench_strategy("block-colour")->prepare(page, spec));
    for (int i = 0; i < page->n_launches; i++)
        page->launches[i].shared_bytes -= 160; /* more than rounding up adds */
    return TESS_OK;
}

static void shared_memory_too_short(void **state) {
    tess_strategy mutant = *bench_strategy("block-colour");
    mutant.prepare = shorten_shared;
    is_caught("res_calc", "block-colour", &mutant, NULL, "bytes of shared memory");
}

static tess_status halve_mask(tess_page *page, const tess_spec *spec) {
    tess_page_print(page, "#undef ALL_LANES\n#define ALL_LANES 0xffffu\n");
    return bench_strategy("atomics")->prepare(page, spec);
}

static void mask_too_small(void **state) {
    tess_strategy mutant = *bench_strategy("atomics");
    mutant.prepare = halve_mask;
    is_caught("update", "atomics", &mutant, NULL, "its mask 0x0000ffff leaves out");
}

static void aggregating_mask_too_small(void **state) {
    const tess_strategy mutant =
        bench_changed("atomics", "match_any(ALL_LANES", "match_any(0xffffu");
    is_caught("res_calc", "atomics:aggregate=unsorted", &mutant, NULL,
              "its mask 0x0000ffff leaves out");
}

static tess_status forget_atomics(tess_page *page, const tess_spec *spec) {
    tess_page_print(page, "#undef atomic_add\n#define atomic_add plain_add\n");
    return bench_strategy("halo-atomics")->prepare(page, spec);
}

/* All increments through slot 0 in one colour. */
static void increments_of_a_slot_in_one_colour(void **state) {
    const tess_strategy mutant =
        bench_changed("halo-atomics", " == colour)", " >= 0 && colour == 0)");
    is_caught("res_calc", "halo-atomics:sum=slots", &mutant, NULL,
              "of shared memory with plain_add");
}

/* No barrier between two slots: the n-th barrier of the page does nothing. */
static void every_barrier_of_slots(void **state) {
    tess_strategy mutant = *bench_strategy("halo-atomics");
    mutant.prepare = bench_remove_barrier;
    for (bench_removed = 0; bench_removed < 3; bench_removed++)
        is_caught("res_calc", "halo-atomics:sum=slots", &mutant, NULL, "of shared memory");
}

static void border_of_slots_stored_without_atomics(void **state) {
    tess_strategy mutant = *bench_strategy("halo-atomics");
    mutant.prepare = forget_atomics;
    is_caught("res_calc", "halo-atomics:sum=slots", &mutant, NULL, "of cells_res with plain_add");
}

static void border_stored_without_atomics(void **state) {
    tess_strategy mutant = *bench_strategy("halo-atomics");
    mutant.prepare = forget_atomics;
    is_caught("res_calc", "halo-atomics", &mutant, NULL, "of cells_res with plain_add");
}

/* The second block finds its points one further than they are. */
static void shift_local_index(tess_plan *plan) {
    const tess_plan_set *set = &plan->sets[0];
    const int64_t n = set->point_offset[2] - set->point_offset[1];
    for (int64_t i = plan->block_offset[1] * set->n_slots; i < plan->block_offset[2] * set->n_slots;
         i++)
        set->local_index[i] = (uint16_t)((set->local_index[i] + 1) % n);
}

/* Blocks that bring what lies behind the last block's, or more than a block's own. */
static void brought_too_far(void **state) {
    tess_strategy mutant = *bench_strategy("point-parallel");
    char *text =
        bench_with_instead(mutant.text, "b.index + PREFETCH_DISTANCE < p->first + p->count",
                           "b.index < p->first + p->count");
    mutant.text = text;
    is_caught_in("owner", "res_calc", "point-parallel:prefetch=1", &mutant, NULL,
                 "prefetch_run by block 1");
    free(text);
    mutant = bench_changed("point-parallel", "(last + 3)", "(last + 67)");
    is_caught_in("owner", "res_calc", "point-parallel:prefetch=1", &mutant, NULL,
                 "past the end of cells_res");
}

/* Runs a mutant that no check of the emulator sees and expects a wrong result. */
static void is_wrong(const char *name, const tess_strategy *mutant, void (*spoil)(tess_plan *plan),
                     const char *renumber) {
    bench_scene s = scene_open("res_calc");
    const bench_case c = {.scene = &s,
                          .strategy = name,
                          .mutant = mutant,
                          .layout = "soa",
                          .renumber = renumber,
                          .block_size = 64};
    double difference = 0;
    OK(bench_run(&c, spoil, &difference));
    assert_true(difference > 1e-6);
    bench_scene_close(&s);
}

/* The second launch adds nothing, or only the last block's sums. */
static void border_sums_lost(void **state) {
    static const char *const spoilt[][2] = {{"if (j < ", "if (j < 0 && j < "},
                                            {"total[d] += fetch", "total[d] = fetch"}};
    for (int i = 0; i < 2; i++) {
        const tess_strategy mutant = bench_changed("halo-atomics", spoilt[i][0], spoilt[i][1]);
        is_wrong("halo-atomics:border=ordered", &mutant, NULL, NULL);
    }
}

static void staged_index_off_by_one(void **state) {
    is_wrong("halo-atomics", NULL, shift_local_index, NULL);
}

/* The lanes whose sums another lane has taken give them, too. */
static void sums_given_twice(void **state) {
    static const char *const ends[][2] = {
        {"atomics:aggregate=unsorted", "return before ? -1 : point;"},
        {"atomics:aggregate=sorted", "return begins ? point : -1;"}};
    for (int i = 0; i < 2; i++) {
        const tess_strategy mutant = bench_changed("atomics", ends[i][1], "return point;");
        is_wrong(ends[i][0], &mutant, NULL, NULL);
    }
}

/* Runs a mutant of a strategy on another loop, data in rows; gives how far the result is. */
static double spoilt_on(const char *application, const char *loop, const char *mesh,
                        const char *strategy, const tess_strategy *mutant) {
    bench_scene s = bench_scene_open(application, loop, mesh);
    const bench_case c = {
        .scene = &s, .strategy = strategy, .mutant = mutant, .layout = "aos", .block_size = 64};
    double difference = 0;
    OK(bench_run(&c, NULL, &difference));
    bench_scene_close(&s);
    return difference;
}

/* The lane behind the first gives what was summed in that. */
static void leader_off_by_one(void **state) {
    static const char *const ends[][3] = {
        {"atomics:aggregate=unsorted", "return before ? -1 : point;",
         "return count_lanes(before) == 1 ? point : -1;"},
        {"atomics:aggregate=sorted", "return begins ? point : -1;",
         "return shuffle(ALL_LANES, begins, (lane() + 31) % 32) ? point : -1;"}};
    for (int i = 0; i < 2; i++) {
        const tess_strategy mutant = bench_changed("atomics", ends[i][1], ends[i][2]);
        is_wrong(ends[i][0], &mutant, NULL, NULL);
    }
}

/* Rows in shared memory that lanes read, or write anew, with no warp barrier before: the votes that
 * are there order nothing. */
static void rows_of_a_warp_not_waited_for(void **state) {
    static const char barrier[] = "    warp_barrier(ALL_LANES);";
    static const char *const before[][2] = {
        {"atomics:transpose=shared", "count_lanes(givers & ((1u << lane()) - 1));\n"},
        {"atomics:transpose=shared", "        store(&points[row], point);\n    }\n"},
        {"atomics:aggregate=shared:transpose=shared",
         "count_lanes(leaders & ((1u << lane()) - 1));\n"},
        {"atomics:aggregate=shared:transpose=shared",
         "        store(&lists[WARP + k], (int)same);\n    }\n"}};
    for (int i = 0; i < 4; i++) {
        char piece[128];
        snprintf(piece, sizeof piece, "%s%s", before[i][1], barrier);
        const tess_strategy mutant = bench_changed("atomics", piece, before[i][1]);
        is_caught("res_calc", before[i][0], &mutant, NULL, "of shared memory");
    }
}

/* Of FUN3D's equation (1): S = 1/k modulo the lanes is not k, but for some, as 17. */
static void wrong_step_of_a_transposition(void **state) {
    const tess_strategy mutant =
        bench_changed("atomics", "inverse = odd * (2u - odd * odd)", "inverse = odd");
    assert_true(spoilt_on("miniaero", NULL, "tets:nx=2:ny=2:nz=2", "atomics:transpose=shuffles",
                          &mutant) > 1e-6);
}

/* What is added goes one place further down in its rows. */
static tess_status shift_entries(tess_page *page, const tess_spec *spec) {
    static tess_kernel_arg shifted;
    TRY(bench_strategy("atomics")->prepare(page, spec));
    for (int i = 0; i < page->n_dats; i++)
        if (page->dats[i].summed) {
            shifted = *page->dats[i].view;
            shifted.first--;
            page->dats[i].view = &shifted;
        }
    return TESS_OK;
}

static void entries_shifted_by_one(void **state) {
    tess_strategy mutant = *bench_strategy("atomics");
    mutant.prepare = shift_entries;
    assert_true(spoilt_on("fun3d", "visrhs_tets", "layers:nx=3:ny=3:prisms=1:tets=2", "atomics",
                          &mutant) > 1e-6);
}

/* What edges add is rounded to floats on its way to their ends. */
static void sums_on_chip_in_float(void **state) {
    const tess_strategy mutant =
        bench_changed("tiles", "* 4 + d], value)", "* 4 + d], (float)value)");
    assert_true(spoilt_on("fun3d", "visrhs_prisms", "layers:nx=3:ny=3:prisms=2:tets=1",
                          "tiles:by=edges:sum=serial", &mutant) > 1e-11);
}

/* Prepares a strategy as if nothing were renumbered: it reads through the mesh's own maps. */
static tess_status keep_old_maps(tess_page *page, const tess_spec *spec,
                                 const tess_strategy *strategy) {
    const tess_renumbering *renumbering = page->store->renumbering;
    page->store->renumbering = NULL;
    const tess_status status = strategy->prepare(page, spec);
    page->store->renumbering = renumbering;
    return status;
}

static tess_status atomics_through_old_maps(tess_page *page, const tess_spec *spec) {
    return keep_old_maps(page, spec, bench_strategy("atomics"));
}

static tess_status block_colour_through_old_maps(tess_page *page, const tess_spec *spec) {
    return keep_old_maps(page, spec, bench_strategy("block-colour"));
}

/* The error of a published airfoil: its data are renumbered, its maps are not. */
static void maps_that_are_not_renumbered(void **state) {
    static const char *const variants[] = {"gps", "rcm", "blocks", "owner"};
    for (int i = 0; i < 4; i++) {
        tess_strategy mutant = *bench_strategy("atomics");
        mutant.prepare = atomics_through_old_maps;
        is_wrong("atomics", &mutant, NULL, variants[i]);
        mutant = *bench_strategy("block-colour");
        mutant.prepare = block_colour_through_old_maps;
        is_wrong("block-colour", &mutant, NULL, variants[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_removed_barrier),
        cmocka_unit_test(wrong_thread_colours),
        cmocka_unit_test(wrong_block_colours),
        cmocka_unit_test(wrong_element_colours),
        cmocka_unit_test(shared_memory_too_short),
        cmocka_unit_test(mask_too_small),
        cmocka_unit_test(border_stored_without_atomics),
        cmocka_unit_test(border_sums_lost),
        cmocka_unit_test(staged_index_off_by_one),
        cmocka_unit_test(increments_of_a_slot_in_one_colour),
        cmocka_unit_test(every_barrier_of_slots),
        cmocka_unit_test(aggregating_mask_too_small),
        cmocka_unit_test(sums_given_twice),
        cmocka_unit_test(leader_off_by_one),
        cmocka_unit_test(rows_of_a_warp_not_waited_for),
        cmocka_unit_test(wrong_step_of_a_transposition),
        cmocka_unit_test(entries_shifted_by_one),
        cmocka_unit_test(sums_on_chip_in_float),
        cmocka_unit_test(copies_not_waited_for),
        cmocka_unit_test(border_of_slots_stored_without_atomics),
        cmocka_unit_test(brought_too_far),
        cmocka_unit_test(maps_that_are_not_renumbered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

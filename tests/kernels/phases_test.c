/* Phases: split loops against the reference, and what each phase is found to need. */
#include "kernels/loops/kernel_phases.h"
#include "strategy_bench.h"

static const char MESH[] = "layers:nx=3:ny=3:prisms=2:tets=1";

/* Parts, instances of parts, outputs and components; one element or several a thread, data in rows
 * and columns, blocks of elements and of points. */
static void split_loops_add_what_whole_ones_add(void **state) {
    static const struct {
        const char *application, *loop, *strategy, *layout;
        int block_size, threads;
    } rows[] = {
        {"fun3d", "roe_flux", "halo-atomics:parts=staged", "soa", 64, 0},
        {"fun3d", "roe_flux", "owner-block:parts=staged:next=after", "aos", 40, 32},
        {"fun3d", "lstgs", "halo-atomics:parts=staged", "aos", 64, 32},
        {"fun3d", "lstgs", "halo-atomics:parts=staged:split=components", "aos", 64, 0},
        {"fun3d", "lstgs", "halo-atomics:parts=staged:split=outputs:next=after", "soa", 40, 0},
        {"fun3d", "lstgs", "owner-block:parts=staged:split=components", "soa", 32, 0},
        {"fun3d", "visrhs_prisms", "halo-atomics:parts=staged:split=parts", "aos,maps=aos", 32, 0},
        {"fun3d", "visjac_tets", "halo-atomics:parts=staged", "soa", 64, 32},
        {"fun3d", "visjac_tets", "halo-atomics:parts=staged:split=components", "aos", 32, 0},
        {"miniaero", "compute_face_flux", "halo-atomics:parts=staged", "aos", 64, 32},
        {"miniaero", "compute_face_flux", "owner-block:parts=staged", "soa", 64, 0},
        {"miniaero", "compute_face_flux", "owner-block:parts=staged:passed=shared", "soa", 64, 32},
        {"fun3d", "roe_flux", "halo-atomics:parts=staged:next=after:passed=shared", "aos", 40, 0},
        {"fun3d", "visjac_tets", "owner-block:parts=staged:passed=shared", "soa", 32, 0},
        {"fun3d", "roe_flux", "halo-atomics:parts=separate", "aos", 64, 32},
        {"fun3d", "lstgs", "halo-atomics:border=ordered:parts=staged", "soa", 64, 32},
        {"miniaero", "compute_face_flux", "halo-atomics:border=ordered:parts=separate", "aos", 64,
         0},
        {"fun3d", "lstgs", "owner-block:parts=separate", "soa", 40, 0},
        {"fun3d", "lstgs", "halo-atomics:parts=separate:split=components", "soa", 64, 32},
        {"fun3d", "visjac_tets", "halo-atomics:parts=separate:split=outputs", "aos", 32, 0},
        {"miniaero", "compute_face_flux", "owner-block:parts=separate", "aos", 64, 32},
        {"fun3d", "roe_flux", "block-colour:parts=staged", "soa", 64, 0},
        {"fun3d", "lstgs", "block-colour:parts=staged:split=components:next=after", "aos", 40, 32},
        {"miniaero", "compute_face_flux", "block-colour:parts=separate", "aos", 64, 32},
        {"fun3d", "roe_flux", "point-parallel:parts=staged", "soa", 64, 32},
        {"fun3d", "lstgs", "point-parallel:parts=staged:next=after", "aos", 40, 32},
        {"fun3d", "lstgs", "point-parallel:parts=separate", "soa", 64, 0},
        {"fun3d", "lstgs", "point-parallel:parts=staged:split=components", "aos", 40, 32},
        {"fun3d", "lstgs", "point-parallel:parts=separate:split=outputs:antisymmetry=ignore", "soa",
         40, 0},
        {"fun3d", "visrhs_prisms", "point-parallel:parts=staged", "aos,maps=aos", 32, 0},
        {"miniaero", "compute_face_flux", "point-parallel:parts=staged", "aos", 64, 32},
        {"miniaero", "compute_face_flux", "point-parallel:parts=separate:next=ahead", "soa", 64,
         32},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        bench_scene s = bench_scene_open(rows[r].application, rows[r].loop, MESH);
        const bench_case c = {.scene = &s,
                              .strategy = rows[r].strategy,
                              .layout = rows[r].layout,
                              .device = r % 2 ? "emulator" : "emulator:seed=3",
                              .renumber = r % 3 ? "owner" : NULL,
                              .scattered = r == 2,
                              .block_size = rows[r].block_size,
                              .threads = rows[r].threads};
        double difference = 1;
        OK(bench_run(&c, NULL, &difference));
        assert_true(difference < (strstr(rows[r].loop, "visjac") ? 1e-6 : 1e-11));
        bench_scene_close(&s);
    }
}

/* Splits a loop; the caller clears the phases. */
static tess_status split(const bench_scene *s, tess_split how, tess_phases *phases) {
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    OK(tess_kernel_loop(s->kernel, TESS_DOUBLE, &loop));
    OK(tess_kernel_bind(loop, s->mesh, &bound));
    const tess_status status = tess_phases_find(s->kernel, bound, s->mesh, how, phases);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    return status;
}

/* A loop of fun3d split into so many phases; the caller clears them. */
static tess_phases phases_of(const char *loop, tess_split how, int n_phases) {
    bench_scene s = bench_scene_open("fun3d", loop, MESH);
    tess_phases phases;
    OK(split(&s, how, &phases));
    assert_int_equal(phases.n_phases, n_phases);
    bench_scene_close(&s);
    return phases;
}

/* The values of an arg that a phase reads or adds to, as bits. */
static unsigned values_of(const tess_phases *phases, const bool *marks, int arg) {
    unsigned bits = 0;
    for (int i = phases->first[arg]; i < phases->first[arg + 1]; i++)
        bits |= (unsigned)marks[i] << (i - phases->first[arg]);
    return bits;
}

/* Args of roe_flux: q, gx, gy, gz, x of two ends (0 to 9), normal, res of two ends (11, 12). */
static void a_phase_needs_what_its_part_reads(void **state) {
    tess_phases phases = phases_of("roe_flux", TESS_SPLIT_PARTS, 7);
    for (int p = 0; p < 7; p++) {
        const tess_phase *phase = &phases.phase[p];
        for (int a = 0; a < 8; a++)
            assert_int_equal(values_of(&phases, phase->reads, a),
                             p >= 1 && p <= 5 ? 1u << (p - 1) : 0);
        for (int a = 8; a < 10; a++)
            assert_int_equal(values_of(&phases, phase->reads, a), p == 0 ? 7 : 0);
        for (int a = 11; a < 13; a++)
            assert_int_equal(values_of(&phases, phase->adds, a), p == 6 ? 31 : 0);
    }
    tess_phases_clear(&phases);
}

/* Args of lstgs: q, x, r, gx, gy, gz of two ends. The phase needs these variables of q, and the
 * shape, x and r, or not; it adds to the gradients of the variables. */
static void assert_phase_of_lstgs(const tess_phases *phases, int p, unsigned variables,
                                  bool needs_shape) {
    for (int a = 0; a < 12; a++) {
        const unsigned shape = !needs_shape ? 0 : a < 4 ? 7 : 63;
        assert_int_equal(values_of(phases, phases->phase[p].reads, a), a < 2   ? variables
                                                                       : a < 6 ? shape
                                                                               : 0);
        assert_int_equal(values_of(phases, phases->phase[p].adds, a), a < 6 ? 0 : variables);
    }
}

/* An instance of a part adds to what it is seen to change. */
static void an_instance_adds_its_own_values(void **state) {
    tess_phases phases = phases_of("lstgs", TESS_SPLIT_PARTS, 6);
    for (int p = 0; p < 6; p++)
        assert_phase_of_lstgs(&phases, p, p > 0 ? 1u << (p - 1) : 0, p == 0);
    tess_phases_clear(&phases);
}

/* The gradient of a variable needs that variable. */
static void components_that_need_the_same_are_a_phase(void **state) {
    tess_phases phases = phases_of("lstgs", TESS_SPLIT_COMPONENTS, 5);
    for (int p = 0; p < 5; p++)
        assert_phase_of_lstgs(&phases, p, 1u << p, true);
    tess_phases_clear(&phases);
    phases = phases_of("lstgs", TESS_SPLIT_OUTPUTS, 3);
    for (int p = 0; p < 3; p++)
        for (int a = 6; a < 12; a++)
            assert_int_equal(values_of(&phases, phases.phase[p].adds, a), a / 2 - 3 == p ? 31 : 0);
    tess_phases_clear(&phases);
}

static void refuses(const char *application, const char *loop, tess_split how, const char *words) {
    bench_scene s = bench_scene_open(application, loop, MESH);
    tess_phases phases;
    assert_int_equal(split(&s, how, &phases), TESS_ERROR_USAGE);
    if (!strstr(tess_message(), words))
        fail_msg("'%s' is not in '%s'", words, tess_message());
    bench_scene_close(&s);
}

static bench_case case_of(const bench_scene *scene, const char *strategy,
                          const tess_strategy *mutant) {
    return (bench_case){.scene = scene,
                        .strategy = strategy,
                        .layout = strncmp(strategy, "point", 5) == 0 ? "aos" : "soa",
                        .mutant = mutant,
                        .block_size = 64};
}

static int64_t sectors_read(const bench_scene *scene, const char *strategy) {
    tess_counters counters = {0};
    bench_case c = case_of(scene, strategy, NULL);
    c.layout = "soa";
    c.counters = &counters;
    bench_passes(&c, 1e-11);
    return counters.read_sectors;
}

/* Five phases need the middle of a face, four its area. */
static void what_several_phases_need_of_an_element_is_read_once(void **state) {
    bench_scene s = bench_scene_open("miniaero", "compute_face_flux", "tets:nx=5:ny=5:nz=5");
    assert_true(sectors_read(&s, "point-parallel:parts=staged") <
                1.5 * (double)sectors_read(&s, "point-parallel"));
    bench_scene_close(&s);
}

static void what_cannot_be_split_is_refused_with_the_reason(void **state) {
    static const char *const useless[][2] = {
        {"point-parallel:parts=staged:stage=none", "stage has no effect with parts=staged"},
        {"point-parallel:parts=separate:next=after", "next has no effect with parts=separate"},
        {"point-parallel:parts=staged:slots=each", "slots has no effect with parts=staged"},
        {"point-parallel:split=outputs", "split has no effect with parts=fused"}};
    bench_scene s = bench_scene_open("fun3d", "roe_flux", MESH);
    for (size_t w = 0; w < sizeof useless / sizeof useless[0]; w++)
        bench_refuses(&s, useless[w][0], "aos", useless[w][1]);
    bench_scene_close(&s);
    refuses("fun3d", "roe_flux", TESS_SPLIT_COMPONENTS,
            "loop roe_flux: nothing to split: all that it adds needs the same values");
    refuses("fun3d", "visrhs_tets", TESS_SPLIT_OUTPUTS,
            "nothing to split: all that it adds is of one dat");
    refuses("fun3d", "visrhs_tets", TESS_SPLIT_PARTS, "loop visrhs_tets has no parts");
    refuses("fun3d", "update", TESS_SPLIT_OUTPUTS,
            "arg 4 of update ('q') is write of an element's own or a global value");
}

/* Each of the n barriers of a page, and none, does nothing. */
static void assert_barriers_are_needed(const char *name, const char *strategy, int n) {
    bench_scene s = bench_scene_open("fun3d", "roe_flux", MESH);
    tess_strategy mutant = *bench_strategy(name);
    bench_removed_of = name;
    const bench_case c = case_of(&s, strategy, &mutant);
    mutant.prepare = bench_remove_barrier;
    for (bench_removed = 0; bench_removed <= n; bench_removed++) {
        double difference = 1;
        const tess_status status = bench_run(&c, NULL, &difference);
        if (bench_removed == n) {
            OK(status);
            assert_true(difference < 1e-11);
        } else {
            assert_int_equal(status, TESS_ERROR_CHECK);
            if (!strstr(tess_message(), "of shared memory"))
                fail_msg("%s", tess_message());
        }
    }
    bench_scene_close(&s);
}

/* Of the slots of sums, before a phase stages, behind; with launches of their own not before. */
static void every_missing_barrier_is_found(void **state) {
    assert_barriers_are_needed("halo-atomics", "halo-atomics:parts=staged:next=after", 4);
    assert_barriers_are_needed("halo-atomics", "halo-atomics:parts=separate", 3);
    assert_barriers_are_needed("point-parallel", "point-parallel:parts=staged:next=after", 3);
    assert_barriers_are_needed("point-parallel", "point-parallel:parts=separate", 2);
}

/* Blocks with a common point in one launch: the first of a phase that both add in. */
static void blocks_of_one_colour_have_no_common_point(void **state) {
    bench_scene s = bench_scene_open("fun3d", "roe_flux", MESH);
    static const char *const variants[] = {"block-colour:parts=staged",
                                           "block-colour:parts=separate"};
    for (int w = 0; w < 2; w++) {
        const bench_case c = case_of(&s, variants[w], NULL);
        double difference = 0;
        assert_int_equal(bench_run(&c, bench_one_block_colour, &difference), TESS_ERROR_CHECK);
        if (!strstr(tess_message(), "a race on byte") || !strstr(tess_message(), "nodes_res"))
            fail_msg("%s", tess_message());
    }
    bench_scene_close(&s);
}

/* A page with a piece in other words fails, or adds something else. */
static void assert_is_wrong(const bench_scene *s, const char *strategy, const char *piece,
                            const char *to) {
    const bool points = strncmp(strategy, "point", 5) == 0;
    const tess_strategy mutant =
        bench_changed(points ? "point-parallel" : "halo-atomics", piece, to);
    const bench_case c = case_of(s, strategy, &mutant);
    double difference = 0;
    const tess_status status = bench_run(&c, NULL, &difference);
    assert_true(status == TESS_ERROR_CHECK || (status == TESS_OK && !(difference < 1e-6)));
}

/* What a phase reads is staged in it: a value of a phase too early or never is a wrong sum. */
static void a_value_that_is_not_staged_is_found(void **state) {
    bench_scene s = bench_scene_open("fun3d", "roe_flux", MESH);
    assert_is_wrong(&s, "halo-atomics:parts=staged", "0x4u >> phase", "0x8u >> phase");
    assert_is_wrong(&s, "point-parallel:parts=staged", "0x4u >> phase", "0x8u >> phase");
    bench_scene_close(&s);
}

/* Half of the distance between two nodes is passed on from launch 0 to launches 1 to 5, the states
 * of the ends from these to launch 6: another element's, another value, the other end's. */
static void a_value_that_is_not_passed_on_is_found(void **state) {
    static const char *const mutants[][2] = {
        {"store(&p->between0[between_at(k, d)]", "store(&p->between0[between_at(k ^ 1, d)]"},
        {"load(&p->between1[between_at(k, d)])", "load(&p->between1[between_at(k, d ^ 1)])"},
        {"between1[between_at(k, d)], e->between1[d]",
         "between1[between_at(k, d)], e->between1[d ^ 1]"},
    };
    bench_scene s = bench_scene_open("fun3d", "roe_flux", MESH);
    for (size_t m = 0; m < sizeof mutants / sizeof mutants[0]; m++)
        for (int w = 0; w < 2; w++)
            assert_is_wrong(&s, w ? "point-parallel:parts=separate" : "halo-atomics:parts=separate",
                            mutants[m][0], mutants[m][1]);
    assert_is_wrong(&s, "point-parallel:parts=staged", "passed->between1[d] = e->between1[d]",
                    "passed->between1[d] = e->between1[d ^ 1]");
    assert_is_wrong(&s, "point-parallel:parts=separate", "+ round * b->stride",
                    "+ round / 2 * b->stride");
    bench_scene_close(&s);
}

int main(void) {
    bench_be_strict();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_loops_add_what_whole_ones_add),
        cmocka_unit_test(a_phase_needs_what_its_part_reads),
        cmocka_unit_test(an_instance_adds_its_own_values),
        cmocka_unit_test(components_that_need_the_same_are_a_phase),
        cmocka_unit_test(what_several_phases_need_of_an_element_is_read_once),
        cmocka_unit_test(what_cannot_be_split_is_refused_with_the_reason),
        cmocka_unit_test(every_missing_barrier_is_found),
        cmocka_unit_test(blocks_of_one_colour_have_no_common_point),
        cmocka_unit_test(a_value_that_is_not_staged_is_found),
        cmocka_unit_test(a_value_that_is_not_passed_on_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

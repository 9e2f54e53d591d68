/* NVRTC: every strategy compiles for sm_90, without a warning, with every application, layout and
 * precision, each value of its options with all that args of a loop may be (covering.h); fully
 * optimised in double SoA without options, as runs are, and little elsewhere: the words of NVRTC
 * are the same. Skipped where NVRTC is not on the machine. */
#include "kernels/applications/applications.h"
#include "kernels/devices/cuda/nvrtc.h"
#include "strategy_variants.h"

/* NVRTC has nothing to say of a page. It was compiled just before: this reads its log. */
static void has_no_warning(const char *page, const char *option) {
    tess_cubin cubin;
    OK(tess_nvrtc_compile(page, 90, option, &cubin));
    if (strstr(cubin.log, "warning"))
        print_error("%s\n", cubin.log);
    assert_null(strstr(cubin.log, "warning"));
    tess_cubin_clear(&cubin);
}

static void has_no_warning_fully(const char *page) {
    has_no_warning(page, NULL);
}

static void has_no_warning_little(const char *page) {
    has_no_warning(page, tess_nvrtc_version() >= 13000 ? "--Ofast-compile=mid" : NULL);
}

enum { VARIANTS = sizeof variants / sizeof variants[0], MOST_SCENES = 32 };

/* Each application's primary loop in double and float. */
static int open_scenes(bench_scene *scenes) {
    int n = 0;
    const tess_application *application = NULL;
    for (int a = 0; (application = tess_application_at(a)); a++)
        for (int is_float = 0; is_float < 2; is_float++) {
            assert_true(n < MOST_SCENES);
            scenes[n++] = bench_scene_open_in(is_float ? TESS_FLOAT : TESS_DOUBLE,
                                              application->name, NULL, bench_mesh_of(application));
        }
    return n;
}

static void compile_case(const bench_scene *scene, size_t variant, int layout) {
    const bool is_full =
        scene->real == TESS_DOUBLE && layout == 0 && !strchr(variants[variant].strategy, ':');
    tess_resources resources;
    const bench_case c = {.scene = scene,
                          .strategy = variants[variant].strategy,
                          .device = is_full ? "nvrtc" : "nvrtc:optimise=little",
                          .layout = layout ? "aos,maps=aos" : "soa",
                          .block_size = 128,
                          .resources = &resources,
                          .see = is_full ? has_no_warning_fully : has_no_warning_little};
    const tess_status status = bench_run(&c, NULL, NULL);
    if (status != TESS_OK)
        print_error("%s by %s: %s\n", scene->kernel->name, c.strategy, tess_message());
    OK(status);
    assert_true(resources.registers > 0 && resources.spilled >= 0);
    print_message("%-8s %s %s %3d registers %3d bytes spilled  %s\n", scene->kernel->name,
                  scene->real == TESS_FLOAT ? "float " : "double", c.layout, resources.registers,
                  resources.spilled, c.strategy);
}

/* The case of a way in a scene and a layout. To be optimised fully is a property of its own: each
 * strategy and each loop is, at least once. */
static void add_case(covering *c, const bench_scene *scene, size_t variant, int layout) {
    char text[COVERING_TEXT];
    const bool is_float = scene->real == TESS_FLOAT,
               is_plain = !strchr(variants[variant].strategy, ':');
    const int number = covering_add(c);
    c->cases[number].fits_not = strncmp(variants[variant].device, "host", 4) == 0 ||
                                !way_fits(variants[variant].strategy, scene->kernel);
    covering_has(c, OF_LOOP, scene->kernel->name);
    snprintf(text, sizeof text, "%s, %s", is_float ? "float" : "double", layout ? "AoS" : "SoA");
    covering_has(c, OF_ARRANGEMENT, text);
    if (is_plain && !is_float && layout == 0)
        covering_has(c, OF_ARRANGEMENT, "fully optimised");
    covering_has_variant(c, variant);
    covering_has_shape(c, scene);
}

static void every_strategy_compiles_with_every_application(void **state) {
    if (tess_nvrtc_version() == 0)
        skip();
    bench_scene scenes[MOST_SCENES];
    const int n = open_scenes(scenes);
    covering *c = NULL;
    OK(TESS_ZEROS(1, &c));
    covering_ask_variants(c);
    for (int i = 0; i < n * VARIANTS * 2; i++)
        add_case(c, &scenes[i / 2 / VARIANTS], (size_t)(i / 2 % VARIANTS), i % 2);
    for (int i = 0; (i = covering_next(c)) >= 0;) {
        compile_case(&scenes[i / 2 / VARIANTS], (size_t)(i / 2 % VARIANTS), i % 2);
        covering_ran(c, i);
    }
    print_message("%d of %d cases have every pair\n", covering_prove(c), c->n_cases);
    covering_close(c);
    for (int i = 0; i < n; i++)
        bench_scene_close(&scenes[i]);
}

/* Compiles a loop of fun3d in blocks of 128; `see` is shown the page unless it is NULL. */
static tess_resources compile_fun3d(const char *const loop[2], void (*see)(const char *page)) {
    tess_resources resources;
    bench_scene s = bench_scene_open("fun3d", loop[0], "layers:nx=4:ny=3:prisms=2:tets=2");
    const bench_case c = {.scene = &s,
                          .strategy = loop[1],
                          .device = "nvrtc",
                          .layout = "aos",
                          .block_size = 128,
                          .resources = &resources,
                          .see = see};
    OK(bench_run(&c, NULL, NULL));
    bench_scene_close(&s);
    return resources;
}

/* A prism's geometry has arrays by face: indexed at run time they would lie in memory, as 272
 * values of a tet's blocks do unless each block is given away before the next is made. */
static void viscous_fluxes_and_blocks_stay_in_registers(void **state) {
    if (tess_nvrtc_version() == 0)
        skip();
    static const char *const loops[][2] = {
        {"visrhs_prisms", "atomics"},
        {"visjac_tets", "atomics:transpose=shared:made=per-part"},
        {"visrhs_prisms", "atomics:made=per-part:registers=168"}};
    for (int l = 0; l < 3; l++) {
        const tess_resources resources = compile_fun3d(loops[l], NULL);
        if (l < 2)
            assert_int_equal(resources.spilled, 0);
        else
            assert_in_range(resources.registers, 128, 168);
    }
}

/* The page for a GPU that has vector atomics, and for one before. */
static void compiles_with_and_without_vectors(const char *page) {
    tess_cubin cubin;
    for (int capability = 80; capability <= 90; capability += 10) {
        OK(tess_nvrtc_compile(page, capability, NULL, &cubin));
        assert_null(strstr(cubin.log, "warning"));
        tess_cubin_clear(&cubin);
    }
}

static void floats_are_moved_four_at_a_time_or_one_by_one(void **state) {
    if (tess_nvrtc_version() == 0)
        skip();
    static const char *const wide[] = {"atomics:adds=vectors", "atomics:loads=vectors",
                                       "atomics:transpose=groups"};
    bench_scene s = bench_scene_open_in(TESS_FLOAT, "airfoil", NULL, "quads:nx=6:ny=5");
    for (int w = 0; w < 3; w++) {
        tess_resources resources;
        const bench_case c = {.scene = &s,
                              .strategy = wide[w],
                              .device = "nvrtc",
                              .layout = "aos",
                              .block_size = 128,
                              .resources = &resources,
                              .see = compiles_with_and_without_vectors};
        OK(bench_run(&c, NULL, NULL));
        assert_int_equal(resources.spilled, 0);
    }
    bench_scene_close(&s);
}

static void rows_leave_at_once_where_gpus_can(void **state) {
    if (tess_nvrtc_version() == 0)
        skip();
    bench_scene s = bench_scene_open("fun3d", "visjac_tets", "layers:nx=4:ny=3:prisms=2:tets=2");
    tess_resources resources;
    bench_case c = {.scene = &s,
                    .strategy = "atomics:aggregate=shared:transpose=shared:adds=widest:"
                                "loads=vectors:made=per-part:registers=168",
                    .device = "nvrtc",
                    .layout = "aos16",
                    .block_size = 64,
                    .resources = &resources};
    OK(bench_run(&c, NULL, NULL));
    assert_int_equal(resources.spilled, 0);
    c.device = "nvrtc:sm=80";
    assert_int_equal(bench_run(&c, NULL, NULL), TESS_ERROR_USAGE);
    assert_non_null(strstr(tess_message(), "capability 9.0, and this one has 8.0: take adds="));
    bench_scene_close(&s);
}

/* No array of the page's own lies in global memory, where it would be read as data are. */
static void has_no_data(const char *page) {
    tess_cubin cubin;
    OK(tess_nvrtc_compile(page, 90, NULL, &cubin));
    assert_null(memmem(cubin.code, cubin.size, ".nv.global", strlen(".nv.global")));
    tess_cubin_clear(&cubin);
}

static void lanes_find_edges_and_faces_without_tables_in_memory(void **state) {
    if (tess_nvrtc_version() == 0)
        skip();
    static const char *const loops[][2] = {{"visrhs_prisms", "tiles"},
                                           {"visrhs_prisms", "tiles:by=edges"},
                                           {"visjac_tets", "tiles:by=edges:sum=sets"}};
    for (int l = 0; l < 3; l++)
        (void)compile_fun3d(loops[l], has_no_data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_find_edges_and_faces_without_tables_in_memory),
        cmocka_unit_test(viscous_fluxes_and_blocks_stay_in_registers),
        cmocka_unit_test(floats_are_moved_four_at_a_time_or_one_by_one),
        cmocka_unit_test(rows_leave_at_once_where_gpus_can),
        cmocka_unit_test(every_strategy_compiles_with_every_application),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

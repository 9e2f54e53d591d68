/* Strategies, all of them: every loop of every application, in layouts, orders and precisions. All
 * loops run in float where volna's do.
 *
 * The product has 3,600 cases. Those that are run have every pair of it that the code knows
 * together: a loop and a strategy, an option's value and each thing that args may be, an option's
 * value and a layout. */
#include "kernels/applications/applications.h"
#include "strategy_variants.h"

static const struct {
    const char *application, *mesh;
    tess_type real;
    double tolerance;
    int n_loops; /* at most, the first */
} stages[] = {
    {"airfoil", "quads:nx=13:ny=9", TESS_DOUBLE, 1e-12, 99},
    {"airfoil", "tris:nx=7:ny=8", TESS_FLOAT, 1e-4, 1},
    {"volna", "tris:nx=7:ny=8", TESS_FLOAT, 1e-4, 99},
    {"bookleaf", "quads:nx=13:ny=9", TESS_DOUBLE, 1e-12, 99},
    {"lulesh", "hexes:nx=6:ny=5:nz=5", TESS_DOUBLE, 1e-12, 99},
    {"miniaero", "tets:nx=3:ny=3:nz=4", TESS_DOUBLE, 1e-12, 99},
    {"fun3d", "layers:nx=4:ny=3:prisms=2:tets=2:stretch=10", TESS_DOUBLE, 1e-11, 7},
};

enum {
    VARIANTS = sizeof variants / sizeof variants[0],
    STAGES = sizeof stages / sizeof stages[0],
    MOST_SCENES = 64
};

/* Loops, each on its stage. */
static struct {
    bench_scene scene;
    size_t stage;
    bool is_primary;
} loops[MOST_SCENES];
static int n_loops;

static int open_loops(void **state) {
    for (size_t s = 0; s < STAGES; s++) {
        const tess_application *application = NULL;
        OK(tess_application_find(stages[s].application, &application));
        for (int k = 0; k < application->n_kernels && k < stages[s].n_loops; k++) {
            assert_true(n_loops < MOST_SCENES);
            loops[n_loops].stage = s;
            loops[n_loops].is_primary = k == 0;
            loops[n_loops++].scene = bench_scene_open_in(
                stages[s].real, application->name, application->kernels[k].name, stages[s].mesh);
        }
    }
    return 0;
}

static int close_loops(void **state) {
    for (int l = 0; l < n_loops; l++)
        bench_scene_close(&loops[l].scene);
    return 0;
}

/* Case number (l * WAYS + w) * ARRANGEMENTS + arrangement. */
static covering *all_cases(void) {
    covering *c = NULL;
    OK(TESS_ZEROS(1, &c));
    covering_ask_variants(c);
    covering_ask(c, OF_VARIANT, OF_SUM);
    for (int l = 0; l < n_loops; l++)
        for (size_t w = 0; w < VARIANTS; w++)
            for (int arrangement = 0; arrangement < ARRANGEMENTS; arrangement++) {
                char text[COVERING_TEXT];
                covering_add(c);
                snprintf(text, sizeof text, "%s on %s", loops[l].scene.kernel->name,
                         stages[loops[l].stage].mesh);
                covering_has(c, OF_LOOP, text);
                snprintf(text, sizeof text, "arrangement %d", arrangement);
                covering_has(c, OF_ARRANGEMENT, text);
                covering_has_variant(c, w);
                covering_has_shape(c, &loops[l].scene);
            }
    return c;
}

static void run_case(covering *c, int number) {
    const int l = number / ARRANGEMENTS / VARIANTS;
    const size_t w = (size_t)(number / ARRANGEMENTS % VARIANTS);
    const bench_case of = arranged(&loops[l].scene, w, number % ARRANGEMENTS);
    const bool fits = way_fits(of.strategy, of.scene->kernel);
    double difference = 1;
    const tess_status status = bench_run(&of, NULL, &difference);
    if (status == TESS_ERROR_USAGE &&
        (!fits || !loops[l].is_primary)) { /* not every loop fits every strategy */
        for (int arrangement = 0; arrangement < ARRANGEMENTS; arrangement++)
            c->cases[number - number % ARRANGEMENTS + arrangement].fits_not = true;
        return;
    }
    OK(status);
    assert_true(fits && difference < stages[loops[l].stage].tolerance);
    covering_ran(c, number);
}

/* All that do not fit are refused; the others come to the result of the sequential loop. */
static void loops_by_strategies(void **state) {
    covering *c = all_cases();
    for (int i = 0; i < c->n_cases; i += ARRANGEMENTS)
        if (!way_fits(variants[i / ARRANGEMENTS % VARIANTS].strategy,
                      loops[i / ARRANGEMENTS / VARIANTS].scene.kernel))
            run_case(c, i);
    for (int i = 0; (i = covering_next(c)) >= 0;)
        run_case(c, i);
    print_message("%d of %d cases have every pair\n", covering_prove(c), c->n_cases);
    covering_close(c);
}

int main(void) {
    bench_be_strict();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_by_strategies),
    };
    return cmocka_run_group_tests(tests, open_loops, close_loops);
}

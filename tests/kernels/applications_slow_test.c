/* Strategies, all of them: every loop of every application, in layouts, orders and precisions. All
 * loops run in float where volna's do. */
#include "strategy_ways.h"

static void airfoil_on_quads(void **state) {
    (void)state;
    run_application("airfoil", "quads:nx=13:ny=9", TESS_DOUBLE, 1e-12, 99, 3);
}

static void airfoil_on_tris_in_float(void **state) {
    (void)state;
    run_application("airfoil", "tris:nx=7:ny=8", TESS_FLOAT, 1e-4, 1, 1);
}

static void volna_on_tris(void **state) {
    (void)state;
    run_application("volna", "tris:nx=7:ny=8", TESS_FLOAT, 1e-4, 99, 3);
}

static void bookleaf_on_quads(void **state) {
    (void)state;
    run_application("bookleaf", "quads:nx=13:ny=9", TESS_DOUBLE, 1e-12, 99, 1);
}

static void lulesh_on_hexes(void **state) {
    (void)state;
    run_application("lulesh", "hexes:nx=6:ny=5:nz=5", TESS_DOUBLE, 1e-12, 99, 1);
}

static void miniaero_on_tets(void **state) {
    (void)state;
    run_application("miniaero", "tets:nx=3:ny=3:nz=4", TESS_DOUBLE, 1e-12, 99, 1);
}

static void fun3d_on_layers(void **state) {
    (void)state;
    run_application("fun3d", "layers:nx=4:ny=3:prisms=2:tets=2:stretch=10", TESS_DOUBLE, 1e-11, 7,
                    1);
}

int main(void) {
    bench_be_strict();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(airfoil_on_quads), cmocka_unit_test(airfoil_on_tris_in_float),
        cmocka_unit_test(volna_on_tris),    cmocka_unit_test(bookleaf_on_quads),
        cmocka_unit_test(lulesh_on_hexes),  cmocka_unit_test(miniaero_on_tets),
        cmocka_unit_test(fun3d_on_layers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

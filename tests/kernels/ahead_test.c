/* Blocks ahead: how many are chosen, and that no block is chosen where it does not pay. */
#include "kernels/codegen/tables.h"
#include "strategy_bench.h"

/* What -1 stands for, for the primary loop of an application and a plan of so many blocks. */
static int64_t chosen(const char *application, const char *mesh, int32_t n_blocks, int64_t asked) {
    bench_scene s = bench_scene_open(application, NULL, mesh);
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    OK(tess_kernel_loop(s.kernel, TESS_DOUBLE, &loop));
    OK(tess_kernel_bind(loop, s.mesh, &bound));
    static const tess_option options[] = {TESS_PREFETCH_OPTION, TESS_LAUNCH_OPTIONS("0")};
    char value[32], *key = "prefetch", *values[] = {value};
    snprintf(value, sizeof value, "%lld", (long long)asked);
    const tess_spec spec = {.name = "any", .n_values = 1, .keys = &key, .values = values};
    const tess_plan plan = {.n_blocks = n_blocks};
    const tess_page page = {
        .kernel = s.kernel, .plan = &plan, .bound = bound, .spec = &spec, .options = options};
    const int64_t ahead = tess_table_blocks_to_prefetch(&page);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    bench_scene_close(&s);
    return ahead;
}

/* airfoil: 152 bytes a cell but for the border; 9 MB of them are 59211 cells. */
static void it_is_nine_megabytes_on(void **state) {
    const char *mesh = "quads:nx=550:ny=550";
    const int64_t cells = 550 * 550;
    assert_true(llabs(chosen("airfoil", mesh, (int32_t)(cells / 128), -1) * 128 - 59211) < 600);
    assert_true(llabs(chosen("airfoil", mesh, (int32_t)(cells / 256), -1) * 256 - 59211) < 600);
}

static void it_is_none_where_little_is_computed(void **state) {
    assert_int_equal(chosen("bookleaf", "quads:nx=550:ny=550", 1000, -1), 0);
}

static void it_is_none_where_all_fits_the_cache(void **state) {
    assert_int_equal(chosen("airfoil", "quads:nx=500:ny=500", 1000, -1), 0);
}

static void what_is_asked_for_is_taken(void **state) {
    assert_int_equal(chosen("bookleaf", "quads:nx=5:ny=5", 10, 7), 7);
    assert_int_equal(chosen("airfoil", "quads:nx=550:ny=550", 1000, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_nine_megabytes_on),
        cmocka_unit_test(it_is_none_where_little_is_computed),
        cmocka_unit_test(it_is_none_where_all_fits_the_cache),
        cmocka_unit_test(what_is_asked_for_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

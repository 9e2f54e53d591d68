/* A register cap: a page is compiled again for one block more where that costs little, and what
 * comes of it is kept only where it is better. */
#include "kernels/run/register_cap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What a compiler makes of a page: without a cap, and for more blocks. */
struct tess_target {
    tess_resources first, capped;
    int asked; /* the blocks for which it compiles with a cap */
    int n_compiled, n_loaded;
    bool fails_again;
};

struct tess_device_module {
    tess_resources resources;
};

static tess_status compile(tess_target *target, const char *page, tess_device_module **out) {
    const int least = atoi(strstr(page, "#define LEAST_BLOCKS ") + strlen("#define LEAST_BLOCKS "));
    assert_non_null(strstr(page, "before\n#define LEAST_BLOCKS "));
    assert_non_null(strstr(page, "\nbehind\n"));
    if (++target->n_compiled == 2 && target->fails_again)
        return tess_fail(TESS_ERROR_INPUT, "refused");
    target->n_loaded++;
    *out = calloc(1, sizeof **out);
    assert_int_equal(target->n_compiled == 1 ? 1 : target->asked, least);
    (*out)->resources = least == 1 ? target->first : target->capped;
    return TESS_OK;
}

static tess_status resources(tess_target *target, const tess_device_module *module,
                             const char *kernel, tess_resources *out) {
    (void)target;
    assert_string_equal(kernel, "chain");
    *out = module->resources;
    return TESS_OK;
}

static void unload(tess_target *target, tess_device_module *module) {
    target->n_loaded--;
    free(module);
}

static double occupancy(const tess_target *target, const tess_block_needs *needs) {
    (void)target;
    return tess_occupancy(90, needs);
}

static const tess_device gpu = {
    .compile = compile, .resources = resources, .unload = unload, .occupancy = occupancy};
static const tess_device no_gpu = {.compile = compile, .resources = resources, .unload = unload};

static const char page[] = "before\n#define LEAST_BLOCKS 1\nbehind\n";

typedef struct found {
    tess_capped kernel;
    char text[sizeof page + 2];
} found;

static found compile_all(const tess_device *device, tess_target *target, int threads,
                         int64_t shared_bytes, tess_status want) {
    tess_text_writer text = {.text = NULL};
    const tess_launch launch = {
        .kernel = "chain", .threads = threads, .shared_bytes = shared_bytes};
    found out;
    tess_text_writer_print(&text, "%s", page);
    assert_int_equal(tess_register_cap_compile(device, target, &text, &launch, &out.kernel), want);
    snprintf(out.text, sizeof out.text, "%s", text.text);
    assert_int_equal(strlen(out.text), text.length);
    assert_int_equal(target->n_loaded, want == TESS_OK);
    if (want == TESS_OK)
        unload(target, out.kernel.module);
    tess_text_writer_clear(&text);
    return out;
}

static void keeps_the_first(const tess_device *device, tess_target *target, int64_t shared_bytes,
                            int n_compiled) {
    const found out = compile_all(device, target, 128, shared_bytes, TESS_OK);
    assert_int_equal(target->n_compiled, n_compiled);
    assert_int_equal(out.kernel.resources.registers, target->first.registers);
    assert_int_equal(out.kernel.uncapped, 0);
    assert_string_equal(out.text, page);
}

/* miniaero's chain: two blocks of 128 threads by 180 registers, three by 168. */
static void one_more_block_runs_by_fewer_registers(void **state) {
    (void)state;
    tess_target miniaero = {.first = {180, 0, 0}, .capped = {168, 0, 0}, .asked = 3};
    const found out = compile_all(&gpu, &miniaero, 128, 60000, TESS_OK);
    assert_int_equal(out.kernel.resources.registers, 168);
    assert_int_equal(out.kernel.uncapped, 180);
    assert_string_equal(out.text, "before\n#define LEAST_BLOCKS 3\nbehind\n");
    tess_target small = {.first = {44, 0, 0}, .capped = {40, 0, 0}, .asked = 12};
    assert_string_equal(compile_all(&gpu, &small, 128, 0, TESS_OK).text,
                        "before\n#define LEAST_BLOCKS 12\nbehind\n");
}

/* Arrays that lie in memory anyhow do so with a cap, too. */
static void what_lay_in_memory_before_may_stay_there(void **state) {
    (void)state;
    tess_target arrays = {.first = {180, 64, 0}, .capped = {168, 64, 0}, .asked = 3};
    assert_int_equal(compile_all(&gpu, &arrays, 128, 0, TESS_OK).kernel.uncapped, 180);
}

static void what_spills_is_not_kept(void **state) {
    (void)state;
    tess_target spills = {.first = {180, 0, 0}, .capped = {168, 8, 0}, .asked = 3};
    keeps_the_first(&gpu, &spills, 0, 2);
}

static void what_has_no_more_blocks_in_the_end_is_not_kept(void **state) {
    (void)state;
    tess_target stays = {.first = {180, 0, 0}, .capped = {176, 0, 0}, .asked = 3};
    keeps_the_first(&gpu, &stays, 0, 2);
    tess_target shares = {.first = {180, 0, 0}, .capped = {168, 0, 40000}, .asked = 3};
    keeps_the_first(&gpu, &shares, 60000, 2);
}

/* From 197 to 168 it is more than a seventh, from 196 not. */
static void a_cap_takes_a_seventh_at_most(void **state) {
    (void)state;
    tess_target many = {.first = {197, 0, 0}, .asked = 3};
    keeps_the_first(&gpu, &many, 0, 1);
    tess_target fewer = {.first = {196, 0, 0}, .capped = {168, 0, 0}, .asked = 3};
    assert_int_equal(compile_all(&gpu, &fewer, 128, 0, TESS_OK).kernel.uncapped, 196);
}

static void nothing_is_compiled_again_where_registers_do_not_bind(void **state) {
    (void)state;
    tess_target memory = {.first = {180, 0, 0}, .asked = 3}; /* three of 77,824 bytes do not fit */
    keeps_the_first(&gpu, &memory, 77824, 1);
    tess_target exact = {.first = {168, 0, 0}, .asked = 4};
    keeps_the_first(&gpu, &exact, 0, 1);
    tess_target silent = {.first = {-1, -1, -1}};
    keeps_the_first(&gpu, &silent, 0, 1);
    tess_target host = {.first = {180, 0, 0}};
    keeps_the_first(&no_gpu, &host, 0, 1);
}

static void a_failure_leaves_nothing_loaded(void **state) {
    (void)state;
    tess_target refuses = {.first = {180, 0, 0}, .asked = 3, .fails_again = true};
    const found out = compile_all(&gpu, &refuses, 128, 0, TESS_ERROR_INPUT);
    assert_null(out.kernel.module);
    assert_string_equal(out.text, page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_more_block_runs_by_fewer_registers),
        cmocka_unit_test(what_lay_in_memory_before_may_stay_there),
        cmocka_unit_test(what_spills_is_not_kept),
        cmocka_unit_test(what_has_no_more_blocks_in_the_end_is_not_kept),
        cmocka_unit_test(a_cap_takes_a_seventh_at_most),
        cmocka_unit_test(nothing_is_compiled_again_where_registers_do_not_bind),
        cmocka_unit_test(a_failure_leaves_nothing_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A register cap: a page is compiled again for one block more where that costs little, and what
 * comes of it is kept only where it is better. */
#include "kernels/run/register_cap.h"
#include "tests/unit.h"

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

static tess_device_facts facts(const tess_target *target) {
    (void)target;
    return (tess_device_facts){.capability = 90};
}

static const tess_device gpu = {.compile = compile,
                                .resources = resources,
                                .unload = unload,
                                .occupancy = occupancy,
                                .facts = facts};
static const tess_device no_gpu = {.compile = compile, .resources = resources, .unload = unload};

static const char page[] = "before\n#define LEAST_BLOCKS 1\nbehind\n";

static tess_launch launch_of(int64_t shared_bytes) {
    return (tess_launch){.kernel = "chain", .threads = 128, .shared_bytes = shared_bytes};
}

typedef struct found {
    tess_capped kernel;
    char text[sizeof page + 2];
} found;

static found compile_all(const tess_device *device, tess_target *target, const tess_launch *launch,
                         tess_status want) {
    tess_text_writer text = {.text = NULL};
    found out;
    tess_text_writer_print(&text, "%s", page);
    assert_int_equal(tess_register_cap_compile(device, target, &text, launch, &out.kernel), want);
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
    const found out =
        compile_all(device, target, (tess_launch[]){launch_of(shared_bytes)}, TESS_OK);
    assert_int_equal(target->n_compiled, n_compiled);
    assert_int_equal(out.kernel.resources.registers, target->first.registers);
    assert_int_equal(out.kernel.uncapped, 0);
    assert_string_equal(out.text, page);
}

/* miniaero's chain: two blocks of 128 threads by 180 registers, three by 168. */
static void one_more_block_runs_by_fewer_registers(void **state) {
    tess_target miniaero = {.first = {180, 0, 0}, .capped = {168, 0, 0}, .asked = 3};
    const found out = compile_all(&gpu, &miniaero, (tess_launch[]){launch_of(60000)}, TESS_OK);
    assert_int_equal(out.kernel.resources.registers, 168);
    assert_int_equal(out.kernel.uncapped, 180);
    assert_string_equal(out.text, "before\n#define LEAST_BLOCKS 3\nbehind\n");
    tess_target small = {.first = {44, 0, 0}, .capped = {40, 0, 0}, .asked = 12};
    assert_string_equal(compile_all(&gpu, &small, (tess_launch[]){launch_of(0)}, TESS_OK).text,
                        "before\n#define LEAST_BLOCKS 12\nbehind\n");
}

/* Three of 70,000 bytes are 228 kB as the GPU shares them, which leaves 28 to L1. */
static void blocks_do_not_take_the_last_of_l1(void **state) {
    tess_target reads = {.first = {180, 0, 0}, .asked = 3};
    keeps_the_first(&gpu, &reads, 70000, 1);
    tess_target rings = {.first = {180, 0, 0}, .capped = {168, 0, 0}, .asked = 3};
    const tess_launch all = {
        .kernel = "chain", .threads = 128, .shared_bytes = 70000, .carveout = 100};
    assert_int_equal(compile_all(&gpu, &rings, &all, TESS_OK).kernel.uncapped, 180);
}

/* Arrays that lie in memory anyhow do so with a cap, too. */
static void what_lay_in_memory_before_may_stay_there(void **state) {
    tess_target arrays = {.first = {180, 64, 0}, .capped = {168, 64, 0}, .asked = 3};
    assert_int_equal(
        compile_all(&gpu, &arrays, (tess_launch[]){launch_of(0)}, TESS_OK).kernel.uncapped, 180);
}

static void what_spills_is_not_kept(void **state) {
    tess_target spills = {.first = {180, 0, 0}, .capped = {168, 8, 0}, .asked = 3};
    keeps_the_first(&gpu, &spills, 0, 2);
}

static void what_has_no_more_blocks_in_the_end_is_not_kept(void **state) {
    tess_target stays = {.first = {180, 0, 0}, .capped = {176, 0, 0}, .asked = 3};
    keeps_the_first(&gpu, &stays, 0, 2);
    tess_target shares = {.first = {180, 0, 0}, .capped = {168, 0, 40000}, .asked = 3};
    keeps_the_first(&gpu, &shares, 60000, 2);
}

/* From 202 to 168 it is more than a sixth, from 201 not. */
static void a_cap_takes_a_sixth_at_most(void **state) {
    tess_target many = {.first = {202, 0, 0}, .asked = 3};
    keeps_the_first(&gpu, &many, 0, 1);
    tess_target fewer = {.first = {201, 0, 0}, .capped = {168, 0, 0}, .asked = 3};
    assert_int_equal(
        compile_all(&gpu, &fewer, (tess_launch[]){launch_of(0)}, TESS_OK).kernel.uncapped, 201);
}

static void nothing_is_compiled_again_where_registers_do_not_bind(void **state) {
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
    tess_target refuses = {.first = {180, 0, 0}, .asked = 3, .fails_again = true};
    const found out = compile_all(&gpu, &refuses, (tess_launch[]){launch_of(0)}, TESS_ERROR_INPUT);
    assert_null(out.kernel.module);
    assert_string_equal(out.text, page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_more_block_runs_by_fewer_registers),
        cmocka_unit_test(blocks_do_not_take_the_last_of_l1),
        cmocka_unit_test(what_lay_in_memory_before_may_stay_there),
        cmocka_unit_test(what_spills_is_not_kept),
        cmocka_unit_test(what_has_no_more_blocks_in_the_end_is_not_kept),
        cmocka_unit_test(a_cap_takes_a_sixth_at_most),
        cmocka_unit_test(nothing_is_compiled_again_where_registers_do_not_bind),
        cmocka_unit_test(a_failure_leaves_nothing_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Kernels in parts: those that ship add what their whole functions add; what deviates is refused by
 * part, value and number. */
#include "kernels/applications/applications.h"
#include "kernels/loops/kernel_table.h"
#include "kernels/run/declarations.h"
#include "tests/data/generated_mesh.h"

/* What nodes i and j of a tet are for one another; whole and in parts. %s: the head of what makes
 * `mean` and its end, and the part's block. */
static const char TEXT[] =
    "static inline void couple(const real *x, real *diagonal, float *others) {\n"
    "    for (int i = 0; i < 4; i++)\n"
    "        for (int j = 0; j < 4; j++)\n"
    "            for (int d = 0; d < 3; d++) {\n"
    "                const real mean = (x[d] + x[3 + d] + x[6 + d] + x[9 + d]) / 4;\n"
    "                const real v = (x[3 * i + d] - mean) * (2 * x[3 * j + d] + mean);\n"
    "                if (i == j) diagonal[3 * i + d] += v;\n"
    "                else others[3 * (3 * i + j - (j > i)) + d] += (float)v;\n"
    "            }\n"
    "}\n"
    "static inline void couple_terms(%s\n"
    "        mean[d] = (x[d] + x[3 + d] + x[6 + d] + x[9 + d]) / 4;\n"
    "    %s\n"
    "}\n"
    "static inline void couple_block(int pair, const real *x, const real *mean, real *block) {\n"
    "    const int i = pair / 4, j = pair %% 4;\n"
    "    for (int d = 0; d < 3; d++)\n"
    "        block[d] += %s;\n"
    "}\n";
static const char AT_ONCE[] = "const real *x, real *mean) {\n    for (int d = 0; d < 3; d++)";
static const char BLOCK[] = "(x[3 * i + d] - mean[d]) * (2 * x[3 * j + d] + mean[d])";

static const tess_kernel_arg args[] = {
    ARG_THROUGH("tets:nodes", -1, "nodes", "x", 3, "real", TESS_READ),
    ARG_THROUGH("tets:nodes", -1, "nodes", "diagonal", 3, "real", TESS_INC),
    ARG_THROUGH("tets:node_pairs", -1, "node_pairs", "others", 3, "float", TESS_INC),
};
static const tess_between between[] = {{"mean", 3}};
static const tess_kernel_part terms = {
    .name = "couple_terms", .n_takes = 1, .takes = {0}, .n_gives = 1, .gives = {0}};
static const tess_kernel_part shares = {.name = "couple_terms",
                                        .each = TESS_PART_NUMBER,
                                        .number = 3,
                                        .n_takes = 1,
                                        .takes = {0},
                                        .n_gives = 1,
                                        .gives = {0}};
static const tess_kernel_part block = {.name = "couple_block",
                                       .each = TESS_PART_PAIR,
                                       .n_takes = 2,
                                       .takes = {0, ~0},
                                       .n_adds = 1,
                                       .adds = {1}};

/* What is said of the kernel with these two parts, of which text and order may be wrong. */
static tess_status prove_text(const char *const words[3], const tess_kernel_part *first,
                              const tess_kernel_part *second) {
    char text[2048];
    const tess_kernel_part parts[] = {*first, *second};
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    snprintf(text, sizeof text, TEXT, words[0], words[1], words[2]);
    const tess_kernel kernel = {.name = "couple",
                                .set = "tets",
                                .n_args = 3,
                                .args = args,
                                .text = text,
                                .n_between = 1,
                                .between = between,
                                .n_parts = 2,
                                .parts = parts};
    tess_mesh *mesh = generated_mesh("tets:nx=1:ny=1:nz=1");
    OK(tess_kernel_derive(&kernel, mesh));
    OK(tess_kernel_loop(&kernel, TESS_DOUBLE, &loop));
    OK(tess_kernel_bind(loop, mesh, &bound));
    const tess_status status = tess_declarations_check(&kernel, bound);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
    return status;
}

static tess_status prove(const char *means, const char *entry, const tess_kernel_part *first,
                         const tess_kernel_part *second) {
    return prove_text((const char *const[]){means, "", entry}, first, second);
}

static void refuses(tess_status status, const char *words) {
    assert_true(status == TESS_ERROR_INPUT || status == TESS_ERROR_USAGE);
    if (!strstr(tess_message(), words))
        fail_msg("'%s' is not in '%s'", words, tess_message());
}

static void parts_that_add_up_to_the_whole_are_taken(void **state) {
    OK(prove(AT_ONCE, BLOCK, &terms, &block));
}

static void parts_that_do_not_are_refused_by_value(void **state) {
    refuses(
        prove(AT_ONCE, "(x[3 * j + d] - mean[d]) * (2 * x[3 * i + d] + mean[d])", &terms, &block),
        "the parts of loop couple, one after another, do not add what couple adds: on random "
        "values");
    assert_non_null(strstr(tess_message(), "of 'others'"));
    refuses(prove(AT_ONCE, "(x[3 * i + d] - mean[d]) * (2 * x[3 * j + d] + mean[d]) + (i == j)",
                  &terms, &block),
            "of 'diagonal'");
}

static void values_that_nobody_gave_are_named(void **state) {
    refuses(prove("const real *x, real *mean) {\n    for (int d = 0; d < 2; d++)", BLOCK, &terms,
                  &block),
            "a part of loop couple takes a value of 'mean' that no part has given");
}

static void parts_that_write_outside_of_their_arrays_are_named(void **state) {
    refuses(prove(AT_ONCE,
                  "(x[3 * i + d] - mean[d]) * (2 * x[3 * j + d] + mean[d]);\n    block[3] += 7",
                  &terms, &block),
            "part couple_block of loop couple writes outside of 'diagonal': it has 3 values there");
    refuses(prove_text((const char *const[]){AT_ONCE, "mean[3] = 0;", BLOCK}, &terms, &block),
            "part couple_terms of loop couple writes outside of 'mean': it has 3 values there");
}

static void instances_that_spoil_the_next_ones_share_are_refused(void **state) {
    static const char share[] = "int k, const real *x, real *share) {\n"
                                "    real *const mean = share - k;\n    const int d = k;";
    OK(prove_text((const char *const[]){share, "", BLOCK}, &shares, &block));
    refuses(prove_text((const char *const[]){share, "if (k < 2) share[1] = 0;", BLOCK}, &shares,
                       &block),
            "the parts of loop couple, the last instance of each first, do not add what couple "
            "adds");
}

static void parts_in_a_wrong_order_or_with_wrong_args_are_refused(void **state) {
    tess_kernel_part wrong = block;
    refuses(prove(AT_ONCE, BLOCK, &block, &terms),
            "part couple_block of loop couple takes 'mean', which no part before it gives");
    wrong.adds[0] = 0;
    refuses(prove(AT_ONCE, BLOCK, &terms, &wrong),
            "part couple_block of loop couple adds to 'x', which is no increment");
    wrong = block;
    wrong.takes[0] = 1;
    refuses(prove(AT_ONCE, BLOCK, &terms, &wrong),
            "part couple_block of loop couple takes 'diagonal', which is no arg to read");
    wrong = block;
    wrong.each = TESS_PART_SLOT;
    refuses(prove(AT_ONCE, BLOCK, &terms, &wrong),
            "'others' of loop couple is written: no part adds to it");
}

static void parts_that_ship_add_what_their_loops_add(void **state) {
    int n_proved = 0;
    const tess_application *application = NULL;
    for (int i = 0; (application = tess_application_at(i)); i++)
        for (int k = 0; k < application->n_kernels; k++) {
            const tess_kernel *kernel = &application->kernels[k];
            tess_loop *loop = NULL;
            tess_bound_loop *bound = NULL;
            if (kernel->n_parts == 0)
                continue;
            tess_mesh *mesh = generated_mesh("layers:nx=3:ny=2:prisms=1:tets=1");
            OK(tess_application_bind(application, mesh));
            OK(tess_kernel_derive(kernel, mesh));
            OK(tess_kernel_loop(kernel, TESS_DOUBLE, &loop));
            OK(tess_kernel_bind(loop, mesh, &bound));
            OK(tess_parts_prove(kernel, bound));
            n_proved++;
            tess_bound_loop_free(bound);
            tess_loop_free(loop);
            tess_mesh_free(mesh);
        }
    assert_int_equal(n_proved, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_that_add_up_to_the_whole_are_taken),
        cmocka_unit_test(parts_that_do_not_are_refused_by_value),
        cmocka_unit_test(values_that_nobody_gave_are_named),
        cmocka_unit_test(parts_that_write_outside_of_their_arrays_are_named),
        cmocka_unit_test(instances_that_spoil_the_next_ones_share_are_refused),
        cmocka_unit_test(parts_in_a_wrong_order_or_with_wrong_args_are_refused),
        cmocka_unit_test(parts_that_ship_add_what_their_loops_add),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

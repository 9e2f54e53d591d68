/* A user's step: several functions in a header of the user's, described by one YAML file. */
#include "kernels/loops/user_step.h"

#include "core/base/array.h"
#include "core/base/unknown_name.h"
#include "core/base/yaml_words.h"
#include "kernels/devices/c_module.h"
#include "kernels/devices/text_writer.h"
#include "kernels/loops/kernel_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LOOPS = 32 };

struct tess_user_step {
    tess_yaml *yaml;
    char *header;
    int n;
    tess_user_kernel *loops[MOST_LOOPS];
    tess_kernel kernels[MOST_LOOPS];       /* of these, with one text and references */
    const char *names[2 * MOST_LOOPS + 1]; /* of the loops of a time step */
    tess_c_module *references;             /* NULL before it is bound */
    tess_application application;
};

bool tess_user_step_is(const char *path) {
    const char *end = path ? strrchr(path, '.') : NULL;
    return end && (strcmp(end, ".yaml") == 0 || strcmp(end, ".yml") == 0);
}

/* The header's path: beside the description. */
static tess_status find_header(const char *path, const char *said, char **out) {
    const char *slash = strrchr(path, '/');
    if (!said)
        return tess_text_print(out, "%.*s.h", (int)(strrchr(path, '.') - path), path);
    if (said[0] == '/' || !slash)
        return tess_text_copy(said, out);
    return tess_text_print(out, "%.*s/%s", (int)(slash - path), path, said);
}

static tess_status read_order(tess_user_step *step, const tess_yaml_node *root) {
    const tess_yaml_node *list = NULL;
    int n = 0;
    if (!tess_yaml_find(step->yaml, root, "step")) {
        for (int k = 0; k < step->n; k++)
            step->names[k] = step->kernels[k].name;
        return TESS_OK;
    }
    TRY(tess_yaml_list(step->yaml, root, "step", 2 * MOST_LOOPS, &list, &n));
    for (int i = 0; i < n; i++) {
        const tess_yaml_node *item = tess_yaml_item(step->yaml, list, i);
        const char *name = tess_yaml_text(item);
        tess_unknown_name unknown = tess_unknown_name_of(name ? name : "?");
        for (int k = 0; k < step->n; k++) {
            tess_unknown_name_add(&unknown, step->kernels[k].name);
            if (name && strcmp(name, step->kernels[k].name) == 0)
                step->names[i] = step->kernels[k].name;
        }
        if (!step->names[i])
            return tess_yaml_fail(step->yaml, item,
                                  "the step has '%s', which is not among the loops%s%s%s",
                                  name ? name : "?", unknown.near[0] ? "; did you mean '" : "",
                                  unknown.near, unknown.near[0] ? "'?" : "");
    }
    return TESS_OK;
}

static tess_status read_loops(tess_user_step *step, const char *path, const tess_yaml_node *root) {
    const tess_yaml_node *list = NULL;
    int n = 0;
    TRY(tess_yaml_list(step->yaml, root, "loops", MOST_LOOPS, &list, &n));
    for (; step->n < n; step->n++) {
        tess_user_kernel **loop = &step->loops[step->n];
        TRY(tess_user_kernel_read_loop(step->header, path, step->n, loop));
        for (int k = 0; k < step->n; k++)
            if (strcmp(step->kernels[k].name, (*loop)->kernel.name) == 0)
                return tess_yaml_fail(
                    step->yaml, tess_yaml_item(step->yaml, list, step->n),
                    "loop '%s' is there twice: 'step: [...]' says what comes more "
                    "than once",
                    step->kernels[k].name);
        step->kernels[step->n] = (*loop)->kernel;
        step->kernels[step->n].text = step->loops[0]->text; /* a page has it once */
    }
    return TESS_OK;
}

static tess_status start(const void *read, tess_state *state) {
    const tess_user_step *step = read;
    return tess_user_kernels_fill((const tess_user_kernel *const *)step->loops, step->n, state);
}

tess_status tess_user_step_read(const char *path, tess_user_step **out) {
    static const char *const keys[] = {"name", "header", "dats", "loops", "step", NULL};
    static const char *const nothing[] = {NULL};
    tess_status status = TESS_OK;
    const char *name = NULL, *header = NULL;
    tess_user_step *step = NULL;
    CHECK(TESS_ZEROS(1, &step));
    CHECK(tess_yaml_read(path, &step->yaml));
    const tess_yaml_node *root = tess_yaml_root(step->yaml);
    if (!tess_yaml_find(step->yaml, root, "loops"))
        CHECK(tess_yaml_fail(step->yaml, root,
                             "'loops' is missing: a step has several; one loop alone is run by "
                             "--kernel FILE.h --loop %s",
                             path));
    CHECK(tess_yaml_check_map(step->yaml, root, "the description of a step", keys));
    CHECK(tess_yaml_needed_word(step->yaml, root, "name", TESS_NAME_SIZE - 1, &name));
    CHECK(tess_yaml_word(step->yaml, root, "header", 255, &header));
    CHECK(find_header(path, header, &step->header));
    CHECK(read_loops(step, path, root));
    CHECK(read_order(step, root));
    step->application = (tess_application){.name = name,
                                           .summary = "a step of yours",
                                           .reference = path,
                                           .precision = TESS_DOUBLE,
                                           .n_kernels = step->n,
                                           .kernels = step->kernels,
                                           .maps = nothing,
                                           .step = step->names,
                                           .start_as_read = start,
                                           .read = step};
    *out = TESS_TAKE(step);
done:
    tess_user_step_free(step);
    return status;
}

void tess_user_step_free(tess_user_step *step) {
    if (!step)
        return;
    for (int k = 0; k < MOST_LOOPS; k++)
        tess_user_kernel_free(step->loops[k]);
    if (step->references)
        tess_c_module_close(step->references);
    tess_yaml_free(step->yaml);
    free(step->header);
    free(step);
}

const tess_application *tess_user_step_application(const tess_user_step *step) {
    return &step->application;
}

const char *tess_user_step_header(const tess_user_step *step) {
    return step->header;
}

/* Prints reference_0 ..., which call the functions in double. */
static void print_references(const tess_user_step *step, const tess_mesh *mesh,
                             tess_text_writer *page) {
    tess_text_writer_print(page, "#include <tgmath.h>\n");
    tess_kernel_text_print_real(page, "double", TESS_ARITHMETIC_EXACT);
    tess_kernel_text_print_arities(page, mesh);
    tess_text_writer_include(page, step->header, step->kernels[0].text);
    for (int k = 0; k < step->n; k++) {
        const tess_kernel *kernel = &step->kernels[k];
        tess_text_writer_print(page,
                               "\nvoid reference_%d(void *const *a, int arity);\n"
                               "void reference_%d(void *const *a, int arity) {\n"
                               "    (void)arity;\n    %s(",
                               k, k, tess_kernel_function(kernel));
        for (int a = 0; a < kernel->n_args; a++)
            tess_text_writer_print(page, "%s(%s *)a[%d]", a ? ", " : "", kernel->args[a].type, a);
        tess_text_writer_print(page, ");\n}\n");
    }
}

static tess_status compile_references(tess_user_step *step, const tess_mesh *mesh) {
    tess_text_writer page = {.length = 0};
    print_references(step, mesh, &page);
    tess_status status = tess_text_writer_finish(&page);
    if (status == TESS_OK)
        status =
            tess_c_module_open(page.text, "-std=gnu11 -O2 -fno-strict-aliasing", &step->references);
    tess_text_writer_clear(&page);
    TRY(status);
    for (int k = 0; k < step->n; k++) {
        char name[32];
        void (*found)(void) = NULL;
        snprintf(name, sizeof name, "reference_%d", k);
        TRY(tess_c_module_function(step->references, name, &found));
        step->kernels[k].reference = (void (*)(void *const *, int))found;
    }
    return TESS_OK;
}

tess_status tess_user_step_bind(tess_user_step *step, tess_mesh *mesh) {
    for (int k = 0; k < step->n; k++)
        TRY(tess_user_kernel_bind(step->loops[k], mesh));
    return compile_references(step, mesh);
}

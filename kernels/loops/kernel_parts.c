/* Parts of a kernel: functions that run one after another on one element and pass values on. */
#include "kernels/loops/kernel_parts.h"

#include "core/mesh/cell_type.h"
#include <stdio.h>
#include <string.h>

bool tess_part_is_used(const tess_kernel_part *part, int use) {
    const int mapping = part->only & (TESS_USE_THREAD | TESS_USE_LANES);
    const int by = part->only & (TESS_USE_SLOTS | TESS_USE_EDGES);
    const int work = part->only & (TESS_USE_SHARED | TESS_USE_OWN);
    return (!mapping || (mapping & use)) && (!by || (by & use)) && (!work || (work & use));
}

bool tess_parts_have_edges(const tess_kernel *kernel, int use) {
    for (int p = 0; p < kernel->n_parts; p++)
        if (tess_part_is_of_edges(&kernel->parts[p]) && tess_part_is_used(&kernel->parts[p], use))
            return true;
    return false;
}

/* Whether one of the first n parts, if it is used, gives value `between`. */
static bool parts_give(const tess_kernel *kernel, int use, int n, int between) {
    for (int p = 0; p < n; p++)
        for (int g = 0; g < kernel->parts[p].n_gives; g++)
            if (kernel->parts[p].gives[g] == between && tess_part_is_used(&kernel->parts[p], use))
                return true;
    return false;
}

/* How many parts add to an arg. */
static int adders_of(const tess_kernel *kernel, int use, int arg) {
    int n = 0;
    for (int p = 0; p < kernel->n_parts; p++)
        for (int k = 0; k < kernel->parts[p].n_adds; k++)
            if (tess_part_is_used(&kernel->parts[p], use))
                n +=
                    kernel->parts[p].adds[k] == arg || (tess_part_is_of_matrix(&kernel->parts[p]) &&
                                                        kernel->parts[p].adds[k] + 1 == arg);
    return n;
}

/* What a part adds. */
static tess_status check_adds(const tess_kernel *kernel, const tess_kernel_part *part) {
    for (int k = 0; k < part->n_adds; k++) {
        const tess_kernel_arg *arg = &kernel->args[part->adds[k]];
        if (arg->access == TESS_INC && !arg->map)
            FAIL(TESS_ERROR_USAGE,
                 "part %s of loop %s adds to '%s', which is reached through no map: parts add "
                 "through maps, so leave it to a loop of its own",
                 part->name, kernel->name, arg->dat);
        if (arg->access != TESS_INC || (!tess_part_adds_itself(part) && arg->slot >= 0))
            FAIL(TESS_ERROR_USAGE,
                 "part %s of loop %s adds to '%s', which is no increment through %s of a map",
                 part->name, kernel->name, arg->dat,
                 tess_part_adds_itself(part) ? "slots" : "all slots");
        if (tess_part_adds_itself(part))
            continue;
        if (!tess_part_is_of_matrix(part) &&
            strcmp(arg->type, kernel->args[part->adds[0]].type) != 0)
            FAIL(TESS_ERROR_USAGE, "part %s of loop %s adds to '%s' (%s) and '%s' (%s): one type",
                 part->name, kernel->name, kernel->args[part->adds[0]].dat,
                 kernel->args[part->adds[0]].type, arg->dat, arg->type);
        if (strcmp(arg->map, kernel->args[part->adds[0]].map) != 0)
            FAIL(TESS_ERROR_USAGE, "part %s of loop %s adds through both %s and %s", part->name,
                 kernel->name, kernel->args[part->adds[0]].map, arg->map);
    }
    return TESS_OK;
}

static tess_status check_part(const tess_kernel *kernel, int use, int p) {
    const tess_kernel_part *part = &kernel->parts[p];
    for (int t = 0; t < part->n_takes; t++)
        if (part->takes[t] < 0 && !parts_give(kernel, use, p, ~part->takes[t]))
            FAIL(TESS_ERROR_USAGE, "part %s of loop %s takes '%s', which no part before it gives",
                 part->name, kernel->name, kernel->between[~part->takes[t]].name);
        else if (part->takes[t] >= 0 && kernel->args[part->takes[t]].access != TESS_READ)
            FAIL(TESS_ERROR_USAGE, "part %s of loop %s takes '%s', which is no arg to read",
                 part->name, kernel->name, kernel->args[part->takes[t]].dat);
    if ((part->n_gives > 0) == (part->n_adds > 0))
        FAIL(TESS_ERROR_USAGE, "part %s of loop %s: a part either gives or adds", part->name,
             kernel->name);
    if (tess_part_is_of_matrix(part) && part->n_gives > 0)
        FAIL(TESS_ERROR_USAGE, "part %s of loop %s makes blocks of a matrix, so it gives nothing",
             part->name, kernel->name);
    if (tess_part_is_of_edges(part) && !tess_cell_type_of_set(kernel->set))
        FAIL(TESS_ERROR_USAGE, "part %s of loop %s runs for each edge, but %s are no cells",
             part->name, kernel->name, kernel->set);
    return check_adds(kernel, part);
}

static tess_status check_use(const tess_kernel *kernel, int use, tess_parts_fault *fault) {
    for (int p = 0; p < kernel->n_parts; p++) {
        fault->part = p;
        if (tess_part_is_used(&kernel->parts[p], use))
            TRY(check_part(kernel, use, p));
    }
    int n_added = 0;
    fault->part = -1;
    for (int a = 0; a < kernel->n_args; a++) {
        fault->arg = a;
        const int n = kernel->args[a].access == TESS_READ ? 1 : adders_of(kernel, use, a);
        n_added += kernel->args[a].access != TESS_READ;
        if (n != 1)
            FAIL(TESS_ERROR_USAGE, "'%s' of loop %s is written: %s", kernel->args[a].dat,
                 kernel->name, n > 1 ? "two parts add to it" : "no part adds to it");
    }
    fault->arg = -1;
    if (n_added == 0)
        FAIL(TESS_ERROR_USAGE, "the parts of loop %s add nothing", kernel->name);
    return TESS_OK;
}

bool tess_parts_same(const tess_kernel *kernel, int use, int other) {
    for (int p = 0; p < kernel->n_parts; p++)
        if (tess_part_is_used(&kernel->parts[p], use) !=
            tess_part_is_used(&kernel->parts[p], other))
            return false;
    return true;
}

int tess_parts_uses(const tess_kernel *kernel, int uses[TESS_PARTS_USES]) {
    static const int variants[TESS_PARTS_USES] = {
        TESS_USE_THREAD | TESS_USE_SLOTS, TESS_USE_LANES | TESS_USE_SHARED | TESS_USE_SLOTS,
        TESS_USE_LANES | TESS_USE_OWN | TESS_USE_SLOTS, TESS_USE_THREAD | TESS_USE_EDGES,
        TESS_USE_LANES | TESS_USE_SHARED | TESS_USE_EDGES};
    int n = 0;
    for (int w = 0; w < TESS_PARTS_USES; w++) {
        bool is_new = !(variants[w] & TESS_USE_EDGES) || tess_parts_have_edges(kernel, variants[w]);
        for (int u = 0; u < n; u++)
            is_new &= !tess_parts_same(kernel, uses[u], variants[w]);
        if (is_new)
            uses[n++] = variants[w];
    }
    return n;
}

tess_status tess_parts_check(const tess_kernel *kernel, tess_parts_fault *fault) {
    int uses[TESS_PARTS_USES];
    *fault = (tess_parts_fault){-1, -1};
    const int n = kernel->n_parts > 0 ? tess_parts_uses(kernel, uses) : 0;
    for (int u = 0; u < n; u++)
        TRY(check_use(kernel, uses[u], fault));
    return n > 0 ? tess_parts_check_shares(kernel, NULL) : TESS_OK;
}

/* The map whose slots the instances of a kernel's parts go through. */
static const char *map_of_parts(const tess_kernel *kernel) {
    int p = 0;
    while (kernel->parts[p].n_adds == 0)
        p++;
    return kernel->args[kernel->parts[p].adds[0]].map;
}

/* The macro of how many slots it has: "tets_nodes_ARITY". */
static void part_arity(const tess_kernel *kernel, char arity[2 * TESS_NAME_SIZE]) {
    const char *map = map_of_parts(kernel);
    const int length = (int)strcspn(map, ":");
    snprintf(arity, 2 * TESS_NAME_SIZE, "%.*s_%s_ARITY", length, map, map + length + 1);
}

/* How many instances a part has, as an expression of C. */
static void part_count(const tess_kernel *kernel, const tess_kernel_part *part,
                       char count[5 * TESS_NAME_SIZE]) {
    const int size = 5 * TESS_NAME_SIZE;
    char n[2 * TESS_NAME_SIZE];
    part_arity(kernel, n);
    const int n_edges =
        tess_part_is_of_edges(part) ? tess_cell_type_of_set(kernel->set)->n_edges : 0;
    switch (part->each) {
    case TESS_PART_ONCE:
        snprintf(count, (size_t)size, "1");
        return;
    case TESS_PART_SLOT:
        snprintf(count, (size_t)size, "%s", n);
        return;
    case TESS_PART_PAIR:
        snprintf(count, (size_t)size, "(%s * %s)", n, n);
        return;
    case TESS_PART_EDGE:
        snprintf(count, (size_t)size, "%d", n_edges);
        return;
    case TESS_PART_EDGE_SLOT:
        snprintf(count, (size_t)size, "(%d * %s)", n_edges, n);
        return;
    case TESS_PART_NUMBER:
        snprintf(count, (size_t)size, "%d", part->number);
        return;
    }
}

int tess_part_instances(const tess_kernel *kernel, const tess_kernel_part *part,
                        const tess_mesh *mesh) {
    const int n = mesh ? tess_mesh_find_map(mesh, map_of_parts(kernel))->arity : 0;
    const int n_edges =
        tess_part_is_of_edges(part) ? tess_cell_type_of_set(kernel->set)->n_edges : 0;
    switch (part->each) {
    case TESS_PART_ONCE:
        return 1;
    case TESS_PART_SLOT:
        return n;
    case TESS_PART_PAIR:
        return n * n;
    case TESS_PART_EDGE:
        return n_edges;
    case TESS_PART_EDGE_SLOT:
        return n_edges * n;
    case TESS_PART_NUMBER:
        break;
    }
    return part->number;
}

tess_status tess_parts_check_shares(const tess_kernel *kernel, const tess_mesh *mesh) {
    for (int p = 0; p < kernel->n_parts; p++) {
        const tess_kernel_part *part = &kernel->parts[p];
        for (int g = 0; g < part->n_gives; g++) {
            const tess_between *given = &kernel->between[part->gives[g]];
            const int n = tess_part_instances(kernel, part, mesh);
            if (n > 0 && given->dim % n != 0)
                FAIL(TESS_ERROR_INPUT,
                     "part %s of loop %s runs %d times and gives '%s' of dim %d: each time an "
                     "equal share",
                     part->name, kernel->name, n, given->name, given->dim);
        }
    }
    return TESS_OK;
}

void tess_part_print_call(tess_text_writer *text, const tess_kernel *kernel,
                          const tess_kernel_part *part, const tess_part_words *words) {
    const char *comma = words->instance ? ", " : "";
    char count[5 * TESS_NAME_SIZE];
    part_count(kernel, part, count);
    tess_text_writer_print(text, "%s(%s", part->name, words->instance ? words->instance : "");
    for (int t = 0; t < part->n_takes; t++, comma = ", ")
        tess_text_writer_print(text, "%s%s%d", comma,
                               part->takes[t] < 0 ? words->between : words->arg,
                               part->takes[t] < 0 ? ~part->takes[t] : part->takes[t]);
    for (int g = 0; g < part->n_gives; g++, comma = ", ") {
        tess_text_writer_print(text, "%s%s%d", comma, words->given ? words->given : words->between,
                               part->gives[g]);
        if (words->instance && !words->given)
            tess_text_writer_print(text, " + %s * (%d / %s)", words->instance,
                                   kernel->between[part->gives[g]].dim, count);
    }
    for (int k = 0; k < part->n_adds; k++, comma = ", ")
        tess_text_writer_print(text, "%s%s%d", comma,
                               tess_part_adds_itself(part) ? words->arg : "made",
                               tess_part_adds_itself(part) ? part->adds[k] : k);
    tess_text_writer_print(text, ");\n");
}

/* Prints a parameter for an arg: its dat and slot, "x0", or the matrix whose diagonal it is. */
static void print_parameter(tess_text_writer *text, const tess_kernel_arg *arg, const char *type,
                            bool is_matrix) {
    const char *const end = is_matrix ? strstr(arg->dat, "_diagonal") : NULL;
    tess_text_writer_print(text, "%s%s *%.*s", arg->access == TESS_READ ? "const " : "", type,
                           end ? (int)(end - arg->dat) : TESS_NAME_SIZE, arg->dat);
    if (arg->map && arg->slot >= 0)
        tess_text_writer_print(text, "%d", arg->slot);
}

void tess_part_print_head(tess_text_writer *text, const tess_kernel *kernel,
                          const tess_kernel_part *part) {
    static const char *const instances[] = {
        [TESS_PART_ONCE] = "",
        [TESS_PART_SLOT] = "int slot",
        [TESS_PART_PAIR] = "int pair",
        [TESS_PART_EDGE] = "int edge",
        [TESS_PART_EDGE_SLOT] = "int instance",
        [TESS_PART_NUMBER] = "int instance",
    };
    const char *comma = part->each == TESS_PART_ONCE ? "" : ", ";
    tess_text_writer_print(text, "void %s(%s", part->name, instances[part->each]);
    for (int t = 0; t < part->n_takes; t++, comma = ", ") {
        const int value = part->takes[t];
        tess_text_writer_print(text, "%s", comma);
        if (value < 0)
            tess_text_writer_print(text, "const real *%s", kernel->between[~value].name);
        else
            print_parameter(text, &kernel->args[value], kernel->args[value].type, false);
    }
    for (int g = 0; g < part->n_gives; g++, comma = ", ")
        tess_text_writer_print(text, "%sreal *%s", comma, kernel->between[part->gives[g]].name);
    for (int k = 0; k < part->n_adds; k++, comma = ", ") {
        const tess_kernel_arg *arg = &kernel->args[part->adds[k]];
        const bool itself = tess_part_adds_itself(part);
        tess_text_writer_print(text, "%s", comma);
        print_parameter(text, arg, itself || !part->made ? arg->type : part->made,
                        tess_part_is_of_matrix(part));
    }
    tess_text_writer_print(text, ")");
}

/* Prints the head of the loop over the instances of a part. */
static void print_loop(tess_text_writer *text, const tess_kernel *kernel,
                       const tess_kernel_part *part, const tess_parts_trial *trial) {
    char count[5 * TESS_NAME_SIZE];
    part_count(kernel, part, count);
    if (trial && trial->backwards)
        tess_text_writer_print(text, "    for (int k = %s - 1; k >= 0; k--)", count);
    else
        tess_text_writer_print(text, "    UNROLL for (int k = 0; k < %s; k++)", count);
}

static void print_each(tess_text_writer *text, const tess_kernel *kernel,
                       const tess_kernel_part *part, const tess_part_words *words,
                       const tess_parts_trial *trial) {
    tess_part_words named = *words;
    if (part->each == TESS_PART_ONCE) {
        tess_text_writer_print(text, "    ");
        tess_part_print_call(text, kernel, part, words);
        return;
    }
    named.instance = "k";
    print_loop(text, kernel, part, trial);
    tess_text_writer_print(text, "\n        ");
    tess_part_print_call(text, kernel, part, &named);
}

void tess_part_print_each(tess_text_writer *text, const tess_kernel *kernel,
                          const tess_kernel_part *part, const tess_part_words *words) {
    print_each(text, kernel, part, words, NULL);
}

void tess_part_print_made(tess_text_writer *text, const tess_kernel *kernel,
                          const tess_kernel_part *part) {
    for (int k = 0; k < part->n_adds; k++)
        tess_text_writer_print(text,
                               "        %s made%d[%d];\n"
                               "        UNROLL for (int d = 0; d < %d; d++)\n"
                               "            made%d[d] = 0;\n",
                               part->made ? part->made : "real", k, kernel->args[part->adds[k]].dim,
                               kernel->args[part->adds[k]].dim, k);
}

/* The nodes of a cell's edges, as ends_NAME. */
static void print_ends(tess_text_writer *text, const tess_kernel *kernel,
                       const tess_kernel_part *part) {
    const tess_cell_type *type = tess_cell_type_of_set(kernel->set);
    tess_text_writer_print(text, "    const int ends_%s[%d][2] = {", part->name, type->n_edges);
    for (int e = 0; e < type->n_edges; e++)
        tess_text_writer_print(text, "%s{%d, %d}", e ? ", " : "", type->edge[e][0],
                               type->edge[e][1]);
    tess_text_writer_print(text, "};\n");
}

/* Prints what an edge made: it goes from its first node to its second. */
static void print_add_edge(tess_text_writer *text, const tess_kernel *kernel,
                           const tess_kernel_part *part) {
    for (int m = 0; m < part->n_adds; m++) {
        const int a = part->adds[m], dim = kernel->args[a].dim;
        tess_text_writer_print(text,
                               "        UNROLL for (int d = 0; d < %d; d++) {\n"
                               "            a%d[%d * ends_%s[k][0] + d] -= made%d[d];\n"
                               "            a%d[%d * ends_%s[k][1] + d] += made%d[d];\n"
                               "        }\n",
                               dim, a, dim, part->name, m, a, dim, part->name, m);
    }
}

/* Prints the addition of made<m>, `sign` times, to the block of `row` and `column`. */
static void print_add_block(tess_text_writer *text, const tess_kernel *kernel, int a, int m,
                            const char *sign, const char *n) {
    const int dim = kernel->args[a].dim;
    tess_text_writer_print(text,
                           "        UNROLL for (int d = 0; d < %d; d++)\n"
                           "            if (row == column)\n"
                           "                a%d[%d * row + d] %s= (%s)made%d[d];\n"
                           "            else\n"
                           "                a%d[%d * ((%s - 1) * row + column - (column > row)) + "
                           "d] %s= (%s)made%d[d];\n",
                           dim, a, dim, sign, kernel->args[a].type, m, a + 1, dim, n, sign,
                           kernel->args[a + 1].type, m);
}

/* Prints what an instance made of a matrix: a block, or those of an edge's two rows. */
static void print_add_blocks(tess_text_writer *text, const tess_kernel *kernel,
                             const tess_kernel_part *part, const char *n) {
    for (int m = 0; m < part->n_adds; m++)
        if (part->each == TESS_PART_PAIR) {
            tess_text_writer_print(
                text, "        {\n        const int row = k / %s, column = k %% %s;\n", n, n);
            print_add_block(text, kernel, part->adds[m], m, "+", n);
            tess_text_writer_print(text, "        }\n");
        } else {
            for (int end = 0; end < 2; end++) {
                tess_text_writer_print(
                    text,
                    "        {\n        const int row = ends_%s[k / %s][%d], column = k %% "
                    "%s;\n",
                    part->name, n, end, n);
                print_add_block(text, kernel, part->adds[m], m, end ? "+" : "-", n);
                tess_text_writer_print(text, "        }\n");
            }
        }
}

/* Prints the loop over all instances of a part, each of which adds to the args at once. */
static void print_instances(tess_text_writer *text, const tess_kernel *kernel,
                            const tess_kernel_part *part, const tess_parts_trial *trial) {
    const tess_part_words words = {.arg = "a", .between = "b", .instance = "k"};
    char n[2 * TESS_NAME_SIZE];
    part_arity(kernel, n);
    if (tess_part_is_of_edges(part))
        print_ends(text, kernel, part);
    print_loop(text, kernel, part, trial);
    tess_text_writer_print(text, " {\n");
    if (trial) {
        tess_trial_print_made(text, kernel, part, trial);
        tess_trial_print_copies(text, kernel, part, trial);
    } else {
        tess_part_print_made(text, kernel, part);
    }
    tess_text_writer_print(text, "        ");
    tess_part_print_call(text, kernel, part, &words);
    if (trial)
        tess_trial_print_check(text, kernel, part, trial);
    if (part->each == TESS_PART_EDGE)
        print_add_edge(text, kernel, part);
    else if (tess_part_is_of_matrix(part))
        print_add_blocks(text, kernel, part, n);
    for (int m = 0; m < part->n_adds && part->each == TESS_PART_SLOT; m++) {
        const tess_kernel_arg *arg = &kernel->args[part->adds[m]];
        tess_text_writer_print(text,
                               "        UNROLL for (int d = 0; d < %d; d++)\n"
                               "            a%d[%d * k + d] += (%s)made%d[d];\n",
                               arg->dim, part->adds[m], arg->dim, arg->type, m);
    }
    tess_text_writer_print(text, "    }\n");
}

/* Prints all instances of a part. */
static void print_part(tess_text_writer *text, const tess_kernel *kernel,
                       const tess_kernel_part *part, const tess_parts_trial *trial) {
    const tess_part_words words = {.arg = "a", .between = "b"};
    if (part->n_adds > 0 && !tess_part_adds_itself(part)) {
        print_instances(text, kernel, part, trial);
        return;
    }
    if (trial)
        tess_trial_print_copies(text, kernel, part, trial);
    print_each(text, kernel, part, &words, trial);
    if (trial)
        tess_trial_print_check(text, kernel, part, trial);
}

void tess_part_print_all(tess_text_writer *text, const tess_kernel *kernel,
                         const tess_kernel_part *part, int instance) {
    char number[16];
    const tess_part_words words = {.arg = "a", .between = "b", .instance = number};
    if ((part->n_adds > 0 && !tess_part_adds_itself(part)) || instance < 0) {
        print_part(text, kernel, part, NULL);
        return;
    }
    snprintf(number, sizeof number, "%d", instance);
    tess_text_writer_print(text, "    ");
    tess_part_print_call(text, kernel, part, &words);
}

tess_status tess_parts_check_separate(const tess_kernel *kernel, int use, const char *how) {
    if (kernel->n_parts == 0)
        FAIL(TESS_ERROR_USAGE, "%s is for kernels in parts: loop %s has none", how, kernel->name);
    for (int p = 0; p < kernel->n_parts; p++)
        if (tess_part_is_used(&kernel->parts[p], use) && tess_part_adds_itself(&kernel->parts[p]))
            FAIL(TESS_ERROR_USAGE,
                 "%s is for parts that add for each slot, edge or pair: %s of loop %s adds itself",
                 how, kernel->parts[p].name, kernel->name);
    return TESS_OK;
}

void tess_function_print_head(tess_text_writer *text, const char *comment, const char *function,
                              const tess_kernel_arg *args, int n_args) {
    tess_text_writer_print(text,
                           "\n#line 1 \"added\"\n#ifndef UNROLL\n#define UNROLL\n#endif\n"
                           "/* %s */\nstatic inline void %s(",
                           comment, function);
    for (int a = 0; a < n_args; a++)
        tess_text_writer_print(text, "%s%s%s *a%d", a ? ", " : "",
                               args[a].access == TESS_READ ? "const " : "", args[a].type, a);
    tess_text_writer_print(text, ") {\n");
}

void tess_parts_print_whole(tess_text_writer *text, const tess_kernel *kernel, int use,
                            const char *function, const tess_parts_trial *trial) {
    tess_function_print_head(text, "All parts, one after another.", function, kernel->args,
                             kernel->n_args);
    for (int b = 0; b < kernel->n_between; b++)
        if (trial)
            tess_trial_print_between(text, kernel, b, trial);
        else
            tess_text_writer_print(text, "    real b%d[%d];\n    (void)b%d;\n", b,
                                   kernel->between[b].dim, b);
    if (trial)
        tess_text_writer_print(text, "    int strays = 0;\n");
    for (int p = 0; p < kernel->n_parts; p++)
        if (tess_part_is_used(&kernel->parts[p], use))
            print_part(text, kernel, &kernel->parts[p], trial);
    for (int a = 0; trial && a < kernel->n_args; a++)
        if (kernel->args[a].access == TESS_INC)
            tess_text_writer_print(text, "    if (strays)\n        a%d[0] = (%s)(0.0 / 0.0);\n", a,
                                   kernel->args[a].type);
    tess_text_writer_print(text, "}\n");
}

tess_status tess_parts_make_whole(const tess_kernel *kernel, int use, const char *function,
                                  const tess_parts_trial *trial, tess_text_writer *text,
                                  tess_kernel *whole) {
    tess_text_writer_print(text, "%s", kernel->text);
    tess_parts_print_whole(text, kernel, use, function, trial);
    TRY(tess_text_writer_finish(text));
    *whole = *kernel;
    whole->text = text->text;
    whole->function = function;
    return TESS_OK;
}

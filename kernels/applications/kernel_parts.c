/* Parts of a kernel: functions that run one after another on one element and pass values on. */
#include "kernels/applications/kernel_parts.h"

#include "core/mesh/cell_type.h"
#include <stdio.h>
#include <string.h>

/* True where some part before the n-th gives a value of `between`. */
static bool is_given(const tess_kernel *kernel, int n, int between) {
    for (int p = 0; p < n; p++)
        for (int g = 0; g < kernel->parts[p].n_gives; g++)
            if (kernel->parts[p].gives[g] == between)
                return true;
    return false;
}

/* How many parts add to an arg. */
static int adders_of(const tess_kernel *kernel, int arg) {
    int n = 0;
    for (int p = 0; p < kernel->n_parts; p++)
        for (int k = 0; k < kernel->parts[p].n_adds; k++)
            n += kernel->parts[p].adds[k] == arg ||
                 (kernel->parts[p].each == TESS_PART_PAIR && kernel->parts[p].adds[k] + 1 == arg);
    return n;
}

static tess_status check_part(const tess_kernel *kernel, int p) {
    const tess_kernel_part *part = &kernel->parts[p];
    for (int t = 0; t < part->n_takes; t++)
        if (part->takes[t] < 0 && !is_given(kernel, p, ~part->takes[t]))
            FAIL(TESS_ERROR_USAGE, "part %s of loop %s takes '%s', which no part before it gives",
                 part->name, kernel->name, kernel->between[~part->takes[t]].name);
        else if (part->takes[t] >= 0 && kernel->args[part->takes[t]].access != TESS_READ)
            FAIL(TESS_ERROR_USAGE, "part %s of loop %s takes '%s', which is no arg to read",
                 part->name, kernel->name, kernel->args[part->takes[t]].dat);
    if ((part->each == TESS_PART_ONCE) != (part->n_adds == 0) ||
        (part->each != TESS_PART_ONCE && part->n_gives > 0))
        FAIL(
            TESS_ERROR_USAGE,
            "part %s of loop %s: what runs once gives and adds nothing, what runs for each slot or "
            "pair adds and gives nothing",
            part->name, kernel->name);
    if (part->each == TESS_PART_EDGE && !tess_cell_type_of_set(kernel->set))
        FAIL(TESS_ERROR_USAGE, "part %s of loop %s runs for each edge, but %s are no cells",
             part->name, kernel->name, kernel->set);
    for (int k = 0; k < part->n_adds; k++) {
        const tess_kernel_arg *arg = &kernel->args[part->adds[k]];
        if (arg->access != TESS_INC || !arg->map || arg->slot >= 0)
            FAIL(
                TESS_ERROR_USAGE,
                "part %s of loop %s adds to '%s', which is no increment through all slots of a map",
                part->name, kernel->name, arg->dat);
        if (part->each != TESS_PART_PAIR &&
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

tess_status tess_parts_check(const tess_kernel *kernel) {
    for (int p = 0; p < kernel->n_parts; p++)
        TRY(check_part(kernel, p));
    for (int a = 0; kernel->n_parts > 0 && a < kernel->n_args; a++) {
        const int n = kernel->args[a].access == TESS_READ ? 1 : adders_of(kernel, a);
        if (n != 1)
            FAIL(TESS_ERROR_USAGE, "arg %d of loop %s ('%s') is written: %s", a, kernel->name,
                 kernel->args[a].dat, n > 1 ? "two parts add to it" : "no part adds to it");
    }
    return TESS_OK;
}

void tess_part_print_call(tess_text_writer *text, const tess_kernel_part *part,
                          const tess_part_words *words) {
    const char *comma = words->instance ? ", " : "";
    tess_text_writer_print(text, "%s(%s", part->name, words->instance ? words->instance : "");
    for (int t = 0; t < part->n_takes; t++, comma = ", ")
        tess_text_writer_print(text, "%s%s%d", comma,
                               part->takes[t] < 0 ? words->between : words->arg,
                               part->takes[t] < 0 ? ~part->takes[t] : part->takes[t]);
    for (int g = 0; g < part->n_gives; g++, comma = ", ")
        tess_text_writer_print(text, "%s%s%d", comma, words->between, part->gives[g]);
    for (int k = 0; k < part->n_adds; k++, comma = ", ")
        tess_text_writer_print(text, "%smade%d", comma, k);
    tess_text_writer_print(text, ");\n");
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

/* The macro of how many slots the instances of a part go through: "tets_nodes_ARITY". */
static void part_arity(const tess_kernel *kernel, const tess_kernel_part *part,
                       char arity[2 * TESS_NAME_SIZE]) {
    const char *map = kernel->args[part->adds[0]].map;
    const int length = (int)strcspn(map, ":");
    snprintf(arity, 2 * TESS_NAME_SIZE, "%.*s_%s_ARITY", length, map, map + length + 1);
}

/* Prints the loop over a cell's edges: what each makes goes from its first node to its second. */
static void print_edges(tess_text_writer *text, const tess_kernel *kernel,
                        const tess_kernel_part *part) {
    const tess_part_words words = {.arg = "a", .between = "b", .instance = "k"};
    const tess_cell_type *type = tess_cell_type_of_set(kernel->set);
    tess_text_writer_print(text, "    const int ends_%s[%d][2] = {", part->name, type->n_edges);
    for (int e = 0; e < type->n_edges; e++)
        tess_text_writer_print(text, "%s{%d, %d}", e ? ", " : "", type->edge[e][0],
                               type->edge[e][1]);
    tess_text_writer_print(text, "};\n    UNROLL for (int k = 0; k < %d; k++) {\n", type->n_edges);
    tess_part_print_made(text, kernel, part);
    tess_text_writer_print(text, "        ");
    tess_part_print_call(text, part, &words);
    for (int m = 0; m < part->n_adds; m++) {
        const int a = part->adds[m], dim = kernel->args[a].dim;
        tess_text_writer_print(text,
                               "        UNROLL for (int d = 0; d < %d; d++) {\n"
                               "            a%d[%d * ends_%s[k][0] + d] -= made%d[d];\n"
                               "            a%d[%d * ends_%s[k][1] + d] += made%d[d];\n"
                               "        }\n",
                               dim, a, dim, part->name, m, a, dim, part->name, m);
    }
    tess_text_writer_print(text, "    }\n");
}

/* Prints the loop over all instances of a part, each of which adds to the args at once. */
static void print_instances(tess_text_writer *text, const tess_kernel *kernel,
                            const tess_kernel_part *part) {
    const tess_part_words words = {.arg = "a", .between = "b", .instance = "k"};
    const bool is_pair = part->each == TESS_PART_PAIR;
    char n[2 * TESS_NAME_SIZE];
    part_arity(kernel, part, n);
    tess_text_writer_print(text, "    UNROLL for (int k = 0; k < %s%s%s; k++) {\n", n,
                           is_pair ? " * " : "", is_pair ? n : "");
    tess_part_print_made(text, kernel, part);
    tess_text_writer_print(text, "        ");
    tess_part_print_call(text, part, &words);
    for (int m = 0; m < part->n_adds; m++) {
        const int a = part->adds[m], dim = kernel->args[a].dim;
        tess_text_writer_print(text, "        UNROLL for (int d = 0; d < %d; d++)\n", dim);
        if (!is_pair) {
            tess_text_writer_print(text, "            a%d[%d * k + d] += (%s)made%d[d];\n", a, dim,
                                   kernel->args[a].type, m);
            continue;
        }
        tess_text_writer_print(text,
                               "            if (k / %s == k %% %s)\n"
                               "                a%d[%d * (k / %s) + d] += (%s)made%d[d];\n"
                               "            else\n"
                               "                a%d[%d * (k - k / %s - (k %% %s > k / %s)) + d] += "
                               "(%s)made%d[d];\n",
                               n, n, a, dim, n, kernel->args[a].type, m, a + 1, dim, n, n, n,
                               kernel->args[a + 1].type, m);
    }
    tess_text_writer_print(text, "    }\n");
}

void tess_parts_print_whole(tess_text_writer *text, const tess_kernel *kernel, const char *function,
                            int poisoned) {
    const tess_part_words words = {.arg = "a", .between = "b"};
    tess_text_writer_print(text,
                           "\n#ifndef UNROLL\n#define UNROLL\n#endif\n"
                           "/* All parts, one after another. */\nstatic inline void %s(",
                           function);
    for (int a = 0; a < kernel->n_args; a++)
        tess_text_writer_print(text, "%s%s%s *a%d", a ? ", " : "",
                               kernel->args[a].access == TESS_READ ? "const " : "",
                               kernel->args[a].type, a);
    tess_text_writer_print(text, ") {\n");
    for (int b = 0; b < kernel->n_between; b++) {
        tess_text_writer_print(text, "    real b%d[%d];\n", b, kernel->between[b].dim);
        if (poisoned == -1 || poisoned == b)
            tess_text_writer_print(text,
                                   "    for (int d = 0; d < %d; d++)\n"
                                   "        b%d[d] = (real)(0.0 / 0.0);\n",
                                   kernel->between[b].dim, b);
        else if (poisoned >= 0)
            tess_text_writer_print(text,
                                   "    for (int d = 0; d < %d; d++)\n"
                                   "        b%d[d] = 1;\n",
                                   kernel->between[b].dim, b);
    }
    for (int p = 0; p < kernel->n_parts; p++) {
        if (kernel->parts[p].each == TESS_PART_EDGE) {
            print_edges(text, kernel, &kernel->parts[p]);
            continue;
        }
        if (kernel->parts[p].each != TESS_PART_ONCE) {
            print_instances(text, kernel, &kernel->parts[p]);
            continue;
        }
        tess_text_writer_print(text, "    ");
        tess_part_print_call(text, &kernel->parts[p], &words);
    }
    tess_text_writer_print(text, "}\n");
}

/* A trial of parts: their arrays between guards, printed. */
#include "kernels/loops/parts_trial.h"

#include <stdio.h>

/* Values before and behind an array, and the number that nobody may write over. */
enum { GUARD = 64 };
#define MARK "0.375"
#define NO_NUMBER "(0.0 / 0.0)"

int tess_part_n_arrays(const tess_kernel_part *part) {
    return part->n_gives > 0 ? part->n_gives : part->n_adds;
}

int tess_part_array_dim(const tess_kernel *kernel, const tess_kernel_part *part, int k) {
    return part->n_gives > 0 ? kernel->between[part->gives[k]].dim
                             : kernel->args[part->adds[k]].dim;
}

/* Prints an array of n values called NAME, in a room whose values are all `fill`. */
static void print_guarded(tess_text_writer *text, const char *type, const char *name, int n,
                          const char *fill) {
    tess_text_writer_print(text,
                           "    %s room_%s[%d], *const %s = room_%s + %d;\n"
                           "    for (int d = 0; d < %d; d++)\n"
                           "        room_%s[d] = (%s)%s;\n",
                           type, name, n + 2 * GUARD, name, name, GUARD, n + 2 * GUARD, name, type,
                           fill);
}

void tess_trial_print_between(tess_text_writer *text, const tess_kernel *kernel, int between,
                              const tess_parts_trial *trial) {
    char name[16];
    const bool poisoned = trial->poisoned == -1 || trial->poisoned == between;
    snprintf(name, sizeof name, "b%d", between);
    print_guarded(text, "real", name, kernel->between[between].dim,
                  trial->strays ? MARK
                  : poisoned    ? NO_NUMBER
                                : "1");
    tess_text_writer_print(text, "    (void)b%d;\n", between);
}

void tess_trial_print_made(tess_text_writer *text, const tess_kernel *kernel,
                           const tess_kernel_part *part, const tess_parts_trial *trial) {
    for (int k = 0; k < part->n_adds; k++) {
        char name[16];
        const int dim = kernel->args[part->adds[k]].dim;
        snprintf(name, sizeof name, "made%d", k);
        print_guarded(text, part->made ? part->made : "real", name, dim,
                      trial->strays ? MARK : NO_NUMBER);
        tess_text_writer_print(text,
                               "        for (int d = 0; d < %d; d++)\n"
                               "            made%d[d] = 0;\n",
                               dim, k);
    }
}

/* Whether the k-th array of a part is looked at. */
static bool looks_at(const tess_parts_trial *trial, const tess_kernel_part *part, int k) {
    return trial->strays && (!trial->of || (trial->of == part && trial->array == k));
}

void tess_trial_print_copies(tess_text_writer *text, const tess_kernel *kernel,
                             const tess_kernel_part *part, const tess_parts_trial *trial) {
    for (int t = 0; t < part->n_takes; t++) {
        const int b = ~part->takes[t];
        if (b >= 0 && looks_at(trial, part, tess_part_n_arrays(part) + t))
            tess_text_writer_print(text,
                                   "    real copy_%s%d[%d];\n"
                                   "    for (int d = 0; d < %d; d++)\n"
                                   "        copy_%s%d[d] = b%d[d];\n",
                                   part->name, t, kernel->between[b].dim, kernel->between[b].dim,
                                   part->name, t, b);
    }
}

static void print_check_taken(tess_text_writer *text, const tess_kernel *kernel,
                              const tess_kernel_part *part, const tess_parts_trial *trial) {
    for (int t = 0; t < part->n_takes; t++) {
        const int b = ~part->takes[t];
        if (b >= 0 && looks_at(trial, part, tess_part_n_arrays(part) + t))
            tess_text_writer_print(text,
                                   "    for (int d = 0; d < %d; d++)\n"
                                   "        strays |= copy_%s%d[d] != b%d[d];\n",
                                   kernel->between[b].dim, part->name, t, b);
    }
}

void tess_trial_print_check(tess_text_writer *text, const tess_kernel *kernel,
                            const tess_kernel_part *part, const tess_parts_trial *trial) {
    print_check_taken(text, kernel, part, trial);
    for (int k = 0; k < tess_part_n_arrays(part) && !tess_part_adds_itself(part); k++) {
        char name[16];
        if (!looks_at(trial, part, k))
            continue;
        if (part->n_gives > 0)
            snprintf(name, sizeof name, "b%d", part->gives[k]);
        else
            snprintf(name, sizeof name, "made%d", k);
        tess_text_writer_print(text,
                               "    for (int d = 0; d < %d; d++)\n"
                               "        strays |= room_%s[d] != " MARK
                               " || room_%s[d + %d] != " MARK ";\n",
                               GUARD, name, name, tess_part_array_dim(kernel, part, k) + GUARD);
    }
}

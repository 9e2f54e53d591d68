/* The parts of a user's kernel, and what they pass on. */
#include "kernels/loops/user_parts.h"

#include "core/base/unknown_name.h"
#include "core/base/yaml_words.h"
#include <stdio.h>
#include <string.h>

enum { LONGEST_WORD = TESS_NAME_SIZE - 1, LONGEST_NUMBER = 15 };

/* What a part's names mean. */
typedef struct reader {
    tess_yaml *yaml;
    const tess_kernel *kernel;
    tess_user_parts *parts;
} reader;

/* Which of `between` a name is, as ~i; or an arg that is read, or one that is added to, of which
 * the name is the dat or the matrix, "q", or with ":0" the dat through slot 0; NONE where it is
 * neither, MANY where several args have it. */
enum { NONE = TESS_MOST_DIM, MANY };

/* Whether a name is that of an arg: its dat, and its slot where the name has one. */
static bool is_named(const tess_kernel_arg *arg, const char *name) {
    const size_t length = strcspn(name, ":");
    return strlen(arg->dat) == length && strncmp(arg->dat, name, length) == 0 &&
           (name[length] == '\0' ||
            (arg->map && arg->slot >= 0 && arg->slot == tess_yaml_number(name + length + 1, MANY)));
}

/* Whether an arg is the diagonal of a matrix of that name. */
static bool is_of_matrix(const tess_kernel_arg *arg, const char *name) {
    char diagonal[2 * TESS_NAME_SIZE];
    snprintf(diagonal, sizeof diagonal, "%s_diagonal", name);
    return strcmp(arg->dat, diagonal) == 0;
}

static tess_status read_between(const reader *r, const tess_yaml_node *node) {
    static const char *const keys[] = {"name", "dim", NULL};
    tess_between *between = &r->parts->between[r->parts->n_between++];
    const char *dim = NULL;
    TRY(tess_yaml_check_map(r->yaml, node, "what is passed on", keys));
    TRY(tess_yaml_needed_word(r->yaml, node, "name", LONGEST_WORD, &between->name));
    TRY(tess_yaml_needed_word(r->yaml, node, "dim", LONGEST_NUMBER, &dim));
    for (int a = 0; a < r->kernel->n_args; a++)
        if (is_named(&r->kernel->args[a], between->name) ||
            is_of_matrix(&r->kernel->args[a], between->name))
            return tess_yaml_fail(r->yaml, node,
                                  "'%s' is a dat or a matrix: give what is passed on another name",
                                  between->name);
    for (const tess_between *other = r->parts->between; other < between; other++)
        if (strcmp(other->name, between->name) == 0)
            return tess_yaml_fail(r->yaml, node, "'%s' is passed on twice: one name each",
                                  between->name);
    between->dim = tess_yaml_number(dim, TESS_MOST_DIM);
    if (between->dim < 1)
        return tess_yaml_fail(r->yaml, tess_yaml_find(r->yaml, node, "dim"),
                              "'%s' has dim %s: write how many values are passed on, 1 to %d",
                              between->name, dim, TESS_MOST_DIM);
    return TESS_OK;
}

static int value_of(const reader *r, const char *name, bool is_read) {
    int found = NONE;
    for (int b = 0; b < r->parts->n_between; b++)
        if (strcmp(r->parts->between[b].name, name) == 0)
            return ~b;
    for (int a = 0; a < r->kernel->n_args; a++) {
        const tess_kernel_arg *arg = &r->kernel->args[a];
        if ((arg->access == TESS_READ) == is_read &&
            (is_named(arg, name) || (!is_read && is_of_matrix(arg, name))))
            found = found == NONE ? a : MANY;
    }
    return found;
}

/* `args`: one of these would do, too. */
static tess_status complain(const reader *r, const tess_yaml_node *node, const char *words,
                            const char *name, bool args) {
    tess_unknown_name unknown = tess_unknown_name_of(name);
    for (int b = 0; b < r->parts->n_between; b++)
        tess_unknown_name_add(&unknown, r->parts->between[b].name);
    for (int a = 0; args && a < r->kernel->n_args; a++)
        tess_unknown_name_add(&unknown, r->kernel->args[a].dat);
    const bool is_near = unknown.near[0] != '\0';
    return tess_yaml_fail(r->yaml, node, "%s '%s'%s%s%s", words, name,
                          is_near ? "; did you mean '" : "", unknown.near, is_near ? "'?" : "");
}

/* Reads a list of names at a key into out[*n]; none where the key is not there. */
static tess_status read_names(const reader *r, const tess_yaml_node *node, const char *key,
                              int *out, int *n) {
    const char *name = tess_yaml_text(tess_yaml_find(r->yaml, node, "name"));
    const bool takes = strcmp(key, "takes") == 0, gives = strcmp(key, "gives") == 0;
    const tess_yaml_node *list = NULL;
    char words[3 * TESS_NAME_SIZE];
    if (!tess_yaml_find(r->yaml, node, key))
        return TESS_OK;
    TRY(tess_yaml_list(r->yaml, node, key, TESS_MOST_PART_VALUES, &list, n));
    for (int i = 0; i < *n; i++) {
        const tess_yaml_node *item = tess_yaml_item(r->yaml, list, i);
        const char *text = tess_yaml_text(item);
        const int value = text ? value_of(r, text, takes) : NONE;
        snprintf(words, sizeof words, "part %s %s what is %s:", name, key,
                 takes   ? "neither passed on nor an arg to read"
                 : gives ? "not among 'between'"
                         : "neither a matrix nor an arg to add to");
        if (value == NONE || (gives && value >= 0) || (!takes && !gives && value < 0))
            return complain(r, item, words, text ? text : "?", !gives);
        if (value == MANY)
            return tess_yaml_fail(r->yaml, item,
                                  "part %s %s '%s', which several args are: write '%s:0', "
                                  "'%s:1' for those through slots 0, 1",
                                  name, key, text, text, text);
        out[i] = gives ? ~value : value;
    }
    return TESS_OK;
}

/* How often a part runs: in a word, or a number. */
static tess_status read_each(const reader *r, const tess_yaml_node *node, tess_kernel_part *part) {
    static const char *const eaches[] = {"once", "slot", "pair", "edge", "edge slot", NULL};
    const tess_yaml_node *found = tess_yaml_find(r->yaml, node, "each");
    const char *text = found ? tess_yaml_text(found) : NULL;
    int each = TESS_PART_ONCE;
    part->number = text ? tess_yaml_number(text, TESS_MOST_DIM) : -1;
    if (text && part->number < 1 && strspn(text, "-0123456789") > 0)
        return tess_yaml_fail(r->yaml, found, "each is a number of times from 1 to %d, not %s",
                              TESS_MOST_DIM, text);
    if (part->number < 1)
        TRY(tess_yaml_choice(r->yaml, node, "each", eaches, &each));
    part->each = part->number < 1 ? (tess_part_each)each : TESS_PART_NUMBER;
    return TESS_OK;
}

/* Where a part is used: a list of words at `only`. */
static tess_status read_only(const reader *r, const tess_yaml_node *node, tess_kernel_part *part) {
    static const char *const uses[] = {"thread", "lanes", "slots", "edges", "shared", "own"};
    enum { N_USES = sizeof uses / sizeof uses[0] };
    const tess_yaml_node *list = NULL;
    int n = 0;
    if (!tess_yaml_find(r->yaml, node, "only"))
        return TESS_OK;
    TRY(tess_yaml_list(r->yaml, node, "only", N_USES, &list, &n));
    for (int i = 0; i < n; i++) {
        const tess_yaml_node *item = tess_yaml_item(r->yaml, list, i);
        const char *text = tess_yaml_text(item);
        int use = 0;
        while (use < N_USES && (!text || strcmp(uses[use], text) != 0))
            use++;
        if (use == N_USES)
            return tess_yaml_fail(r->yaml, item,
                                  "part %s is used only by '%s': write thread, lanes, slots, "
                                  "edges, shared or own",
                                  part->name, text ? text : "?");
        part->only |= 1 << use;
    }
    return TESS_OK;
}

/* A part that makes blocks adds to a matrix alone, and nothing else adds to one as a whole. */
static tess_status check_blocks(const reader *r, const tess_yaml_node *node,
                                const tess_kernel_part *part) {
    const tess_yaml_node *list = tess_yaml_find(r->yaml, node, "adds");
    for (int k = 0; k < part->n_adds; k++) {
        const tess_yaml_node *item = tess_yaml_item(r->yaml, list, k);
        const char *name = tess_yaml_text(item);
        const bool is_matrix = is_of_matrix(&r->kernel->args[part->adds[k]], name);
        if (is_matrix && !tess_part_is_of_matrix(part))
            return tess_yaml_fail(r->yaml, item,
                                  "part %s adds to matrix %s, so it makes a block for each pair of "
                                  "slots: write 'each: pair' (or 'each: edge slot')",
                                  part->name, name);
        if (!is_matrix && tess_part_is_of_matrix(part))
            return tess_yaml_fail(r->yaml, item,
                                  "part %s makes blocks, so it adds to a matrix, not to '%s'",
                                  part->name, name);
    }
    return TESS_OK;
}

static tess_status read_part(const reader *r, const tess_yaml_node *node) {
    static const char *const keys[] = {"name", "each", "takes", "gives", "adds", "only", NULL};
    tess_kernel_part *part = &r->parts->parts[r->parts->n_parts++];
    TRY(tess_yaml_check_map(r->yaml, node, "a part", keys));
    TRY(tess_yaml_needed_word(r->yaml, node, "name", LONGEST_WORD, &part->name));
    TRY(read_each(r, node, part));
    TRY(read_only(r, node, part));
    TRY(read_names(r, node, "takes", part->takes, &part->n_takes));
    TRY(read_names(r, node, "gives", part->gives, &part->n_gives));
    TRY(read_names(r, node, "adds", part->adds, &part->n_adds));
    return check_blocks(r, node, part);
}

tess_status tess_user_parts_read(tess_yaml *yaml, const tess_kernel *kernel, tess_user_parts *out) {
    const tess_yaml_node *root = tess_yaml_root(yaml), *list = NULL;
    const reader r = {.yaml = yaml, .kernel = kernel, .parts = out};
    int n = 0;
    TRY(tess_yaml_word(yaml, root, "whole", LONGEST_WORD, &out->whole));
    if (tess_yaml_find(yaml, root, "between")) {
        TRY(tess_yaml_list(yaml, root, "between", TESS_MOST_PARTS, &list, &n));
        for (int i = 0; i < n; i++)
            TRY(read_between(&r, tess_yaml_item(yaml, list, i)));
    }
    if (!tess_yaml_find(yaml, root, "parts"))
        return out->whole || out->n_between > 0
                   ? tess_yaml_fail(yaml, root, "'parts' is missing: there is '%s'",
                                    out->whole ? "whole" : "between")
                   : TESS_OK;
    TRY(tess_yaml_list(yaml, root, "parts", TESS_MOST_PARTS, &list, &n));
    for (int i = 0; i < n; i++)
        TRY(read_part(&r, tess_yaml_item(yaml, list, i)));
    return TESS_OK;
}

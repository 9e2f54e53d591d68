/* A help text: what `tess COMMAND --help` and `--help=all` print. */
#include "experiments/cli/help/help_text.h"

#include "experiments/report/wrapped.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 79, HELP_COLUMN = 29, MOST_OPTIONS = 160, FEW_OPTIONS = 24 };

/* Prints a text in lines from column `indent`, the first without its first `skipped` spaces. */
static void print_wrapped(const char *text, int indent, int skipped, FILE *stream) {
    char *lines = NULL;
    size_t size = 0;
    FILE *wrapped = open_memstream(&lines, &size);
    if (wrapped) {
        tess_wrapped_print(text, indent, WIDTH, wrapped);
        fclose(wrapped);
        fputs(lines + skipped, stream);
    } else
        fprintf(stream, "%s\n", text);
    free(lines);
}

/* Wraps each line that is too long; one that is indented goes on further to the right. */
static void print_lines(const char *text, FILE *stream) {
    enum { FURTHER = 4 };
    while (*text) {
        const size_t length = strcspn(text, "\n");
        const int indent = (int)strspn(text, " ");
        char *line = strndup(text, length);
        fprintf(stream, "%*s", indent, "");
        const int next = indent > 0 ? indent + FURTHER : 0;
        if (line && tess_text_width(line) > WIDTH)
            print_wrapped(line + indent, next, next, stream);
        else
            fprintf(stream, "%.*s\n", (int)length - indent, text + indent);
        free(line);
        text += length + (text[length] == '\n');
    }
}

static bool is_end(const struct argp_option *option) {
    return !option->name && !option->key && !option->doc;
}

/* As argp has them: 0, 1, 2 ..., and then -m ... -1. */
static unsigned position_of_group(const struct argp_option *option) {
    return (unsigned)option->group;
}

static int compare(const void *a, const void *b) {
    const struct argp_option *one = *(const struct argp_option *const *)a,
                             *other = *(const struct argp_option *const *)b;
    const unsigned group = position_of_group(one), other_group = position_of_group(other);
    if (group != other_group)
        return group < other_group ? -1 : 1;
    if (!one->name || !other->name) /* a title stands first */
        return (one->name != NULL) - (other->name != NULL);
    return strcmp(one->name, other->name);
}

static void print_option(const struct argp_option *option, FILE *stream) {
    char letter[] = "    ";
    if (option->key > ' ' && option->key < 0x7f)
        snprintf(letter, sizeof letter, "-%c, ", option->key);
    const bool optional = option->flags & OPTION_ARG_OPTIONAL;
    const int column =
        fprintf(stream, "  %s--%s%s%s%s%s", letter, option->name, optional ? "[" : "",
                option->arg ? "=" : "", option->arg ? option->arg : "", optional ? "]" : "");
    const bool fits = column < HELP_COLUMN;
    fputs(fits ? "" : "\n", stream);
    print_wrapped(option->doc ? option->doc : "", HELP_COLUMN, fits ? column : 0, stream);
}

/* Fills sorted [MOST_OPTIONS] with the titles and options that are shown, and gives their number.
 */
static int options_sort(const struct argp_option *options, const struct argp_option **sorted) {
    int n = 0;
    for (const struct argp_option *option = options; !is_end(option) && n < MOST_OPTIONS; option++)
        if (!(option->flags & OPTION_HIDDEN))
            sorted[n++] = option;
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    return n;
}

static void print_options(const struct argp_option *options, FILE *stream) {
    const struct argp_option *sorted[MOST_OPTIONS];
    const int n = options_sort(options, sorted);
    for (int i = 0; i < n; i++) {
        if (i > 0 && sorted[i]->group != sorted[i - 1]->group)
            fputc('\n', stream);
        if (!sorted[i]->name)
            fprintf(stream, "%s\n", sorted[i]->doc);
        else
            print_option(sorted[i], stream);
    }
}

static bool is_typed_most(const struct argp_option *option, const char *typed) {
    if (!option->name || (option->key > ' ' && option->key < 0x7f))
        return option->name;
    const size_t length = strlen(option->name);
    for (const char *at = typed; at && (at = strstr(at, option->name)); at += length)
        if ((at == typed || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

/* Prints the first commands that stand in the notes, each with the lines that it goes on in. */
static void print_examples(const char *program, const char *notes, FILE *stream) {
    enum { MOST_EXAMPLES = 4 };
    const size_t length = strlen(program);
    bool goes_on = false;
    int n = 0;
    for (const char *line = notes; line && *line; line += strcspn(line, "\n"), line += *line != 0) {
        const int size = (int)strcspn(line, "\n");
        if (!goes_on && (strncmp(line, "  ", 2) != 0 || strncmp(line + 2, program, length) != 0 ||
                         n++ >= MOST_EXAMPLES))
            continue;
        fprintf(stream, "%s%.*s\n", n == 1 && !goes_on ? "Examples:\n" : "", size, line);
        goes_on = size > 0 && line[size - 1] == '\\';
    }
    fputs(n > 0 ? "\n" : "", stream);
}

const char *tess_help_notes(const struct argp *argp, char **made) {
    const char *behind = argp->doc ? strchr(argp->doc, '\v') : NULL;
    const char *given = behind ? behind + 1 : NULL;
    char *filtered =
        argp->help_filter ? argp->help_filter(ARGP_KEY_HELP_POST_DOC, given, NULL) : NULL;
    *made = filtered == given ? NULL : filtered;
    return filtered ? filtered : given;
}

/* Prints how the command is called and what it does. */
static void print_head(const char *program, const struct argp *argp, FILE *stream) {
    char *doc = strndup(argp->doc, strcspn(argp->doc, "\v"));
    fprintf(stream, "Usage: %s [OPTION...]%s%s\n", program, argp->args_doc ? " " : "",
            argp->args_doc ? argp->args_doc : "");
    print_lines(doc ? doc : "", stream);
    fputc('\n', stream);
    free(doc);
}

void tess_help_text_print(const char *program, const struct argp *argp, FILE *stream) {
    char *made = NULL;
    const char *notes = tess_help_notes(argp, &made);
    print_head(program, argp, stream);
    print_options(argp->options, stream);
    if (notes) {
        fputc('\n', stream);
        print_lines(notes, stream);
    }
    free(made);
}

void tess_help_short_print(const char *program, const struct argp *argp, const char *typed,
                           FILE *stream) {
    const struct argp_option *sorted[MOST_OPTIONS];
    const int n = options_sort(argp->options, sorted);
    if (n <= FEW_OPTIONS) {
        tess_help_text_print(program, argp, stream);
        return;
    }
    char *made = NULL;
    const char *notes = tess_help_notes(argp, &made);
    print_head(program, argp, stream);
    print_examples(program, notes, stream);
    int n_options = 0;
    for (int i = 0; i < n; i++) {
        n_options += sorted[i]->name != NULL;
        if (is_typed_most(sorted[i], typed))
            print_option(sorted[i], stream);
    }
    fprintf(stream, "\nAll %d options, and more to read: %s --help=all\n", n_options, program);
    free(made);
}

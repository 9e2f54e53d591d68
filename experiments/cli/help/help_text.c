/* A help text: what `tess COMMAND --help` and `--help=all` print. */
#include "experiments/cli/help/help_text.h"

#include "experiments/report/wrapped.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 79, HELP_COLUMN = 29, MOST_OPTIONS = 160 };
enum { MOST_TYPED = 12, SCREEN_LINES = 40 }; /* of the first level */

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

/* Whether the first level has it: it has a letter or is said to be typed most; where nothing is
 * said, it is not one of those of every command. */
static bool is_typed_most(const struct argp_option *option, const char *typed) {
    if (!option->name || (option->key > ' ' && option->key < 0x7f))
        return option->name;
    if (!typed)
        return option->group >= 0;
    const size_t length = strlen(option->name);
    for (const char *at = typed; (at = strstr(at, option->name)); at += length)
        if ((at == typed || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

/* Says of the lines of some notes, in their order, whether they are one of the program's first
 * commands, or what it goes on in. */
typedef struct example_finder {
    const char *program;
    int n, most;
    bool goes_on;
} example_finder;

static bool is_of_example(example_finder *find, const char *line) {
    const size_t length = strlen(find->program), size = strcspn(line, "\n");
    if (!find->goes_on && (find->n == find->most || strncmp(line, "  ", 2) != 0 ||
                           strncmp(line + 2, find->program, length) != 0))
        return false;
    find->n += !find->goes_on;
    find->goes_on = size > 0 && line[size - 1] == '\\';
    return true;
}

static const char *line_behind(const char *line) {
    line += strcspn(line, "\n");
    return line + (*line != '\0');
}

/* Prints the first commands that stand in the notes. */
static void print_examples(const char *program, const char *notes, int most, FILE *stream) {
    example_finder find = {.program = program, .most = most};
    const char *title = "Examples:\n";
    for (const char *line = notes; line && *line; line = line_behind(line)) {
        if (!is_of_example(&find, line))
            continue;
        char *one = strndup(line, strcspn(line, "\n"));
        fputs(title, stream);
        print_lines(one ? one : "", stream);
        free(one);
        title = "";
    }
    fputs(find.n > 0 ? "\n" : "", stream);
}

/* Prints the notes but for their examples. */
static void print_remarks(const char *program, const char *notes, FILE *stream) {
    example_finder find = {.program = program, .most = MOST_OPTIONS};
    const char *title = "Examples:";
    bool is_first = true, is_blank = false;
    for (const char *line = notes; line && *line; line = line_behind(line)) {
        const size_t size = strcspn(line, "\n");
        const bool is_title = size == strlen(title) && strncmp(line, title, size) == 0;
        if (is_of_example(&find, line) || is_title)
            continue;
        if (size == 0) {
            is_blank = true;
            continue;
        }
        fputs(is_first || is_blank ? "\n" : "", stream);
        is_first = is_blank = false;
        char *one = strndup(line, size);
        print_lines(one ? one : "", stream);
        free(one);
    }
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

/* Prints the notes as they are, with a title over examples that no line with ':' is before. */
static void print_notes(const char *program, const char *notes, FILE *stream) {
    example_finder find = {.program = program, .most = 1};
    const char *first = notes;
    while (*first && !is_of_example(&find, first))
        first = line_behind(first);
    char *before = strndup(notes, (size_t)(first - notes));
    fputc('\n', stream);
    print_lines(before ? before : "", stream);
    const bool is_titled = first - notes > 1 && first[-2] == ':';
    if (*first && !is_titled)
        fputs("Examples:\n", stream);
    print_lines(first, stream);
    free(before);
}

void tess_help_text_print(const char *program, const struct argp *argp, FILE *stream) {
    char *made = NULL;
    const char *notes = tess_help_notes(argp, &made);
    print_head(program, argp, stream);
    print_options(argp->options, stream);
    if (notes)
        print_notes(program, notes, stream);
    free(made);
}

/* All of it, with the examples first. */
static void print_screen(const char *program, const struct argp *argp, FILE *stream) {
    char *made = NULL;
    const char *notes = tess_help_notes(argp, &made);
    print_head(program, argp, stream);
    print_examples(program, notes, MOST_OPTIONS, stream);
    print_options(argp->options, stream);
    print_remarks(program, notes, stream);
    free(made);
}

/* Whether all of it is a screen. */
static bool is_short(const char *program, const struct argp *argp, int n_options) {
    char *text = NULL;
    size_t size = 0;
    int n_lines = 0;
    FILE *whole = n_options <= MOST_TYPED ? open_memstream(&text, &size) : NULL;
    if (!whole)
        return false;
    print_screen(program, argp, whole);
    fclose(whole);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        n_lines++;
    free(text);
    return n_lines <= SCREEN_LINES;
}

void tess_help_short_print(const char *program, const struct argp *argp, const char *typed,
                           FILE *stream) {
    const struct argp_option *sorted[MOST_OPTIONS];
    const int n = options_sort(argp->options, sorted);
    int n_options = 0;
    for (int i = 0; i < n; i++)
        n_options += sorted[i]->name != NULL;
    if (is_short(program, argp, n_options)) {
        print_screen(program, argp, stream);
        return;
    }
    char *made = NULL;
    print_head(program, argp, stream);
    print_examples(program, tess_help_notes(argp, &made), 4, stream);
    for (int i = 0; i < n; i++)
        if (is_typed_most(sorted[i], typed))
            print_option(sorted[i], stream);
    fprintf(stream, "\nAll %d options, and more to read: %s --help=all\n", n_options, program);
    free(made);
}

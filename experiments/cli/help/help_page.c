/* A help page: what a command takes, as a manual page or as the words that a shell completes. */
#include "experiments/cli/help/help_page.h"

#include "experiments/cli/help/help_text.h"
#include "tess_build.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char help_as[] = "--help-as=";

const char *tess_help_form(int argc, char *const *argv) {
    const char *last = argc > 1 ? argv[argc - 1] : "";
    const size_t length = sizeof help_as - 1;
    return strncmp(last, help_as, length) == 0 ? last + length : NULL;
}

/* Prints `n` characters of text for roff, which takes hyphens, backslashes and a dot or an
 * apostrophe at the start of a line for its own. */
static void print_text(const char *text, size_t n, FILE *stream) {
    for (size_t i = 0; i < n && text[i]; i++) {
        if ((i == 0 || text[i - 1] == '\n') && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", stream);
        if (text[i] == '\\')
            fputs("\\e", stream);
        else if (text[i] == '-')
            fputs("\\-", stream);
        else
            fputc(text[i], stream);
    }
}

/* Prints lines of text: as they stand where they are indented, filled otherwise. */
static void print_lines(const char *text, FILE *stream) {
    bool verbatim = false;
    while (*text) {
        const size_t length = strcspn(text, "\n");
        const bool indented = *text == ' ';
        if (indented != verbatim)
            fputs(indented ? ".nf\n" : ".fi\n", stream);
        verbatim = indented;
        if (length == 0)
            fputs(".PP", stream);
        print_text(text, length, stream);
        fputc('\n', stream);
        text += length + (text[length] == '\n');
    }
    if (verbatim)
        fputs(".fi\n", stream);
}

/* The name in one word, "tess-mesh-info". */
static void print_dashed(const char *program, bool capital, FILE *stream) {
    for (const char *c = program; *c; c++)
        fputc(*c == ' ' ? '-' : capital ? toupper((unsigned char)*c) : *c, stream);
}

/* The start of a page up to its description; `doc` begins with the sentence that is its summary. */
static void print_start(const char *program, const char *arguments, const char *doc, FILE *stream) {
    const size_t description = strcspn(doc, "\v");
    size_t summary = strcspn(doc, ".:");
    if (summary > description)
        summary = description;
    fputs(".TH ", stream);
    print_dashed(program, true, stream);
    fputs(" 1 \"\" \"tess " TESS_BUILD_VERSION "\" Tesselab\n.SH NAME\n", stream);
    print_dashed(program, false, stream);
    fputs(" \\- ", stream);
    print_text(doc, summary, stream);
    fprintf(stream, "\n.SH SYNOPSIS\n.B %s\n[\\fIOPTION\\fR...]", program);
    fputs(*arguments ? " " : "", stream);
    print_text(arguments, strlen(arguments), stream);
    fputs("\n.SH DESCRIPTION\n", stream);
    print_text(doc, description, stream);
    fputc('\n', stream);
}

static void print_option(const struct argp_option *option, FILE *stream) {
    if (!option->name || option->flags & OPTION_HIDDEN)
        return;
    fputs(".TP\n", stream);
    if (option->key > ' ' && option->key < 0x7f)
        fprintf(stream, "\\fB\\-%c\\fR, ", option->key);
    fputs("\\fB\\-\\-", stream);
    print_text(option->name, strlen(option->name), stream);
    fputs("\\fR", stream);
    if (option->arg) {
        fputs("=\\fI", stream);
        print_text(option->arg, strlen(option->arg), stream);
        fputs("\\fR", stream);
    }
    fputc('\n', stream);
    print_text(option->doc ? option->doc : "", option->doc ? strlen(option->doc) : 0, stream);
    fputc('\n', stream);
}

static void print_options(const struct argp_option *option, FILE *stream) {
    for (; option && (option->name || option->key || option->doc); option++)
        print_option(option, stream);
}

static void print_exit_codes(FILE *stream) {
    static const struct {
        int code;
        const char *words;
    } codes[] = {{0, "done"},
                 {1, "a check, comparison or run failed"},
                 {2, "wrong usage"},
                 {3, "bad input"},
                 {4, "something is missing on this machine"},
                 {130, "interrupted; what is finished is kept"}};
    fputs(".SH EXIT STATUS\n", stream);
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        fprintf(stream, ".TP\n.B %d\n%s\n", codes[i].code, codes[i].words);
}

static void print_notes(const struct argp *argp, FILE *stream) {
    char *made = NULL;
    const char *notes = tess_help_notes(argp, &made);
    if (notes) {
        fputs(".SH NOTES\n", stream);
        print_lines(notes, stream);
    }
    free(made);
}

static tess_status form_check(const char *form) {
    if (strcmp(form, "man") != 0 && strcmp(form, "words") != 0)
        FAIL(TESS_ERROR_USAGE, "--help-as: '%s' is not one of man, words", form);
    return TESS_OK;
}

tess_status tess_help_page_print(const char *form, const char *program, const struct argp *argp,
                                 FILE *stream) {
    TRY(form_check(form));
    print_start(program, argp->args_doc ? argp->args_doc : "", argp->doc ? argp->doc : "", stream);
    fputs(".SH OPTIONS\n", stream);
    print_options(argp->options, stream);
    print_notes(argp, stream);
    print_exit_codes(stream);
    fputs(".SH SEE ALSO\n.BR tess (1)\n", stream);
    return TESS_OK;
}

tess_status tess_help_group_print(const char *form, const char *program, const char *doc,
                                  const tess_help_entry *commands, FILE *stream) {
    TRY(form_check(form));
    if (strcmp(form, "words") == 0) {
        for (int i = 0; commands[i].name; i++)
            fprintf(stream, "%s\t%s\n", commands[i].name, commands[i].summary);
        fputs("--help\tGive the list of commands\n", stream);
        return TESS_OK;
    }
    print_start(program, "COMMAND", doc, stream);
    fputs(".SH COMMANDS\n", stream);
    for (int i = 0; commands[i].name; i++) {
        fputs(".TP\n.BR ", stream);
        print_dashed(program, false, stream);
        fprintf(stream, "-%s (1)\n%s\n", commands[i].name, commands[i].summary);
    }
    print_exit_codes(stream);
    return TESS_OK;
}

/* The text of a page as an emission has it. */
#include "kernels/emit/c_text.h"
#include "kernels/emit/emission.h"
#include "kernels/emit/pruning.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a declaration is a function's. */
static bool is_function(const char *at) {
    return at[strcspn(at, "{;(=")] == '(';
}

/* Whether a declaration is of something that runs or lies on the device and does not say so: words
 * in capitals do. */
static bool is_unmarked(const char *at) {
    static const char *const types[] = {"struct", "union", "enum", "typedef", "extern"};
    const char *end = tess_c_thing_end(at);
    bool is_type = false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        is_type |= tess_c_is(at, end, types[i]);
    if (isupper((unsigned char)*at) || !tess_c_is_word(*at))
        return false;
    return !is_type || (!tess_c_is(at, end, "typedef") && is_function(at));
}

/* Whether the word at `at` is a kernel's name: KERNEL( stands before it. */
static bool is_kernel_name(const char *text, const char *at) {
    static const char kernel[] = "KERNEL(";
    const size_t n = sizeof kernel - 1;
    return tess_c_is_word(*at) && at >= text + n && strncmp(at - n, kernel, n) == 0 &&
           (at == text + n || !tess_c_is_word(at[-(long)n - 1]));
}

/* A directive; kernels in macros have their names, too. */
static void print_directive(const char *name, const char *at, const char *end,
                            tess_text_writer *out) {
    const char *text = at;
    for (; at < end; at++) {
        if (is_kernel_name(text, at))
            tess_text_writer_print(out, "%s_", name);
        tess_text_writer_print(out, "%c", *at);
    }
}

/* --- the user kernel's names ------------------------------------------------------------------ */

enum { MOST_NAMES = 64 };

/* The parameters of the user kernel's function, one for each arg; none where that is not so. */
typedef struct parameter_names {
    int n;
    struct {
        const char *at, *end;
    } all[MOST_NAMES];
} parameter_names;

/* Reads the parameters behind an opening bracket; gives the end of the closing one. */
static const char *read_parameters(const char *at, parameter_names *out) {
    const char *end = NULL, *word = NULL, *word_end = NULL;
    for (int depth = 1; *at && depth > 0; at = end) {
        end = tess_c_thing_end(at);
        depth += tess_c_depth(*at);
        if (depth == 1 && tess_c_is_word(*at)) {
            word = at;
            word_end = end;
        }
        if ((depth == 0 || (depth == 1 && *at == ',')) && word && out->n < MOST_NAMES) {
            out->all[out->n].at = word;
            out->all[out->n++].end = word_end;
            word = NULL;
        }
    }
    return at;
}

/* Names that structs of pages have of their own. */
static bool is_taken(const char *at, const char *end) {
    return tess_c_is(at, end, "none") || tess_c_is(at, end, "given") ||
           strncmp(at, "between", strlen("between")) == 0;
}

static void find_names(const tess_kernel *kernel, parameter_names *out) {
    const char *end = NULL;
    out->n = 0;
    for (const char *at = kernel->text; *at; at = end) {
        end = tess_c_thing_end(at);
        if (!tess_c_is(at, end, tess_kernel_function(kernel)) || *end != '(')
            continue;
        out->n = 0;
        end = read_parameters(end + 1, out);
        if (end[strspn(end, " \n")] == '{')
            break; /* it is defined here */
        out->n = 0;
    }
    bool fits = out->n == kernel->n_args;
    for (int i = 0; i < out->n; i++)
        fits &= !is_taken(out->all[i].at, out->all[i].end);
    out->n = fits ? out->n : 0;
}

/* The number of an arg whose member of a struct a word is; -1: of no arg. */
static int arg_of(const parameter_names *names, const char *at, const char *end) {
    int arg = -1, length = 0;
    if (strncmp(at, "arg", 3) != 0 || !isdigit((unsigned char)at[3]) ||
        sscanf(at, "arg%d%n", &arg, &length) != 1 || at + length != end || arg >= names->n)
        return -1;
    return arg;
}

/* --- the text --------------------------------------------------------------------------------- */

/* How a page is printed. */
typedef struct printing {
    const char *name;              /* of the loop or chain: kernels begin with it */
    const char *on_device, *table; /* before functions, before tables */
    parameter_names names;
    tess_text_writer *out; /* of the section that is wanted ... */
    tess_text_writer others;
} printing;

static const char line_directive[] = "#line";

/* The section that begins behind a #line: the second file of glue, or of a chain, is that of the
 * data, and behind it come the strategy's. */
static tess_page_section section_behind(tess_page_section before, const char *directive,
                                        bool is_first) {
    static const char *const files[] = {"#line 1 \"glue-", "#line 1 \"chain.h"};
    bool is_glue = false;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        is_glue |= strncmp(directive, files[i], strlen(files[i])) == 0;
    if (before == TESS_KERNEL_SECTION)
        return is_glue && !is_first ? TESS_DATA_SECTION : before;
    return is_glue ? before : TESS_STRATEGY_SECTION;
}

static void print_thing(const printing *how, const char *text, const char *at, bool in_struct,
                        tess_text_writer *out) {
    const char *end = tess_c_thing_end(at);
    const bool is_member = in_struct || (at > text && (at[-1] == '.' || at[-1] == '>'));
    const int arg = is_member ? arg_of(&how->names, at, end) : -1;
    if (is_kernel_name(text, at))
        tess_text_writer_print(out, "%s_", how->name);
    if (arg >= 0) {
        end = how->names.all[arg].end;
        at = how->names.all[arg].at;
    }
    tess_text_writer_print(out, "%.*s", (int)(end - at), at);
}

static void print_text(printing *how, const char *text, tess_page_section wanted) {
    int depth = 0, n_files = 0;
    bool is_between = true; /* a declaration may begin here: the one before has ended */
    bool in_struct = false, ends_with_body = true; /* as functions do; types have a semicolon */
    tess_page_section section = TESS_KERNEL_SECTION;
    for (const char *at = text, *end; *at; at = end) {
        end = tess_c_thing_end(at);
        tess_text_writer *const out =
            wanted == TESS_ALL_SECTIONS || wanted == section ? how->out : &how->others;
        if (strncmp(at, line_directive, strlen(line_directive)) == 0) {
            section = section_behind(section, at, n_files++ == 0);
            continue;
        }
        if (*at == '#') {
            print_directive(how->name, at, end, out);
            continue;
        }
        if (is_between && !tess_c_is_passed_over(at)) {
            ends_with_body = is_unmarked(at) || isupper((unsigned char)*at);
            if (is_unmarked(at))
                tess_text_writer_print(out, "%s", is_function(at) ? how->on_device : how->table);
            in_struct = tess_c_is(at, end, "struct");
        }
        print_thing(how, text, at, in_struct && depth > 0, out);
        if (tess_c_is_passed_over(at))
            continue;
        depth += tess_c_depth(*at);
        is_between = depth == 0 && (*at == ';' || (*at == '}' && ends_with_body));
    }
}

void tess_emission_print_page(const tess_emission *x, const tess_page *page,
                              tess_page_section section, tess_text_writer *out) {
    char *text = NULL;
    const bool on_device = page == x->page;
    printing how = {.name = on_device ? x->name : page->kernel->name,
                    .on_device = on_device ? x->language->on_device : "",
                    .table = on_device ? x->language->table : "",
                    .out = out};
    if (page->kernel) /* a chain has several */
        find_names(page->kernel, &how.names);
    const tess_status status =
        tess_prune(page->text.text, on_device && x->language->is_cuda, &text);
    if (status == TESS_OK)
        print_text(&how, text, section);
    else
        out->failure = status;
    tess_text_writer_clear(&how.others);
    free(text);
}

/* The text of a page as an emission has it. */
#include "kernels/emit/emission.h"

#include <ctype.h>
#include <string.h>

/* Where a reader of C text is: outside of comments, strings and directives it counts brackets. */
typedef struct reading {
    const char *at;
    int depth;       /* of brackets of any kind */
    bool is_between; /* a declaration may begin here: the one before has ended */
} reading;

static const char *past(const char *at, const char *end) {
    const char *found = strstr(at, end);
    return found ? found + strlen(end) : at + strlen(at);
}

/* The end of a directive, with its last line's. */
static const char *past_directive(const char *at) {
    while (*at && *at != '\n')
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

static const char *past_quotes(const char *at) {
    const char quote = *at++;
    while (*at && *at != quote)
        at += *at == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* The end of what stands at r->at and is one thing: a comment, a directive, a quoted text, a word,
 * or one character. */
static const char *thing_end(const reading *r) {
    const char *at = r->at;
    if (strncmp(at, "/*", 2) == 0)
        return past(at + 2, "*/");
    if (strncmp(at, "//", 2) == 0)
        return at + strcspn(at, "\n");
    if (*at == '#')
        return past_directive(at);
    if (*at == '"' || *at == '\'')
        return past_quotes(at);
    if (!is_word(*at))
        return at + 1;
    while (is_word(*at))
        at++;
    return at;
}

/* Goes past a thing that is no comment, directive or space. */
static void count(reading *r, char c) {
    r->depth += (c == '{' || c == '(' || c == '[') - (c == '}' || c == ')' || c == ']');
    r->is_between = r->depth == 0 && (c == ';' || c == '}');
}

static bool is_passed_over(const char *at) {
    return *at == '#' || isspace((unsigned char)*at) || strncmp(at, "/*", 2) == 0 ||
           strncmp(at, "//", 2) == 0;
}

/* Whether a declaration is of something that runs or lies on the device and does not say so: words
 * in capitals do. */
static bool is_unmarked(const char *at) {
    static const char *const types[] = {"struct", "union", "enum", "typedef", "extern"};
    const size_t length = strcspn(at, " (*\n");
    bool is_type = false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        is_type |= strlen(types[i]) == length && strncmp(types[i], at, length) == 0;
    if (isupper((unsigned char)*at) || !is_word(*at))
        return false;
    return !is_type || (strncmp(at, "typedef", 7) != 0 && at[strcspn(at, "{;(=")] == '(');
}

/* Whether the word before r->at is KERNEL, and "(" stands between. */
static bool is_kernel_name(const char *text, const char *at) {
    static const char kernel[] = "KERNEL(";
    const size_t n = sizeof kernel - 1;
    return is_word(*at) && at >= text + n && strncmp(at - n, kernel, n) == 0 &&
           (at == text + n || !is_word(at[-(long)n - 1]));
}

/* A directive, but for those that number lines; kernels in macros have their names, too. */
static void print_directive(const tess_emission *x, const char *at, const char *end,
                            tess_text_writer *out) {
    if (strncmp(at, "#line", 5) == 0)
        return;
    const char *text = at;
    for (; at < end; at++) {
        if (is_kernel_name(text, at))
            tess_text_writer_print(out, "%s_", x->name);
        tess_text_writer_print(out, "%c", *at);
    }
}

void tess_emission_print_page(const tess_emission *x, const tess_page *page, const char *on_device,
                              tess_text_writer *out) {
    const char *text = page->text.text;
    reading r = {.at = text, .is_between = true};
    while (*r.at) {
        const char *end = thing_end(&r);
        if (*r.at == '#') {
            print_directive(x, r.at, end, out);
        } else {
            if (r.is_between && !is_passed_over(r.at) && is_unmarked(r.at))
                tess_text_writer_print(out, "%s", on_device);
            if (is_kernel_name(text, r.at))
                tess_text_writer_print(out, "%s_", x->name);
            tess_text_writer_print(out, "%.*s", (int)(end - r.at), r.at);
        }
        if (!is_passed_over(r.at))
            count(&r, *r.at);
        r.at = end;
    }
}

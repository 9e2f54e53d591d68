/* C text, thing by thing. */
#include "kernels/emit/c_text.h"

#include <ctype.h>
#include <string.h>

static const char *past(const char *at, const char *end) {
    const char *found = strstr(at, end);
    return found ? found + strlen(end) : at + strlen(at);
}

/* The end of a directive, with its last line's. */
static const char *past_directive(const char *at) {
    while (*at && *at != '\n') {
        if (strncmp(at, "/*", 2) == 0)
            at = past(at + 2, "*/");
        else
            at += at[0] == '\\' && at[1] ? 2 : 1;
    }
    return *at ? at + 1 : at;
}

static const char *past_quotes(const char *at) {
    const char quote = *at++;
    while (*at && *at != quote)
        at += *at == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

bool tess_c_is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

const char *tess_c_thing_end(const char *at) {
    if (strncmp(at, "/*", 2) == 0)
        return past(at + 2, "*/");
    if (strncmp(at, "//", 2) == 0)
        return at + strcspn(at, "\n");
    if (*at == '#')
        return past_directive(at);
    if (*at == '"' || *at == '\'')
        return past_quotes(at);
    if (!tess_c_is_word(*at))
        return at + 1;
    while (tess_c_is_word(*at))
        at++;
    return at;
}

bool tess_c_is_passed_over(const char *at) {
    return *at == '#' || isspace((unsigned char)*at) || strncmp(at, "/*", 2) == 0 ||
           strncmp(at, "//", 2) == 0;
}

bool tess_c_is(const char *at, const char *end, const char *word) {
    return (size_t)(end - at) == strlen(word) && strncmp(at, word, (size_t)(end - at)) == 0;
}

bool tess_c_names(const char *text, const char *word) {
    for (const char *at = text, *end; *at; at = end) {
        end = *at == '#' ? at + 1 : tess_c_thing_end(at); /* a directive's words, too */
        if (tess_c_is(at, end, word))
            return true;
    }
    return false;
}

int tess_c_depth(char c) {
    return (c == '{' || c == '(' || c == '[') - (c == '}' || c == ')' || c == ']');
}

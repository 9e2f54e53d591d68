/* Changed pages: copies of a page of kernels with one thing wrong, which a test has to find. */
#pragma once

#include "core/base/array.h"
#include "tests/unit.h"

/* Goes through an array of mutants; under a sanitizer, which sees no page but the host's way out of
 * what is found, through every eighth. */
#ifdef __SANITIZE_ADDRESS__
#define EACH_MUTANT(i, mutants) for (size_t i = 0; i < sizeof mutants / sizeof *mutants; i += 8)
#else
#define EACH_MUTANT(i, mutants) for (size_t i = 0; i < sizeof mutants / sizeof *mutants; i++)
#endif

/* A copy in which the n-th `from` is `to`; free it. */
static inline char *page_with_nth(const char *page, const char *from, const char *to, int n) {
    const char *at = strstr(page, from);
    char *out = NULL;
    for (int i = 0; at && i < n; i++)
        at = strstr(at + 1, from);
    if (!at)
        fail_msg("the page has no '%s' number %d", from, n);
    OK(tess_text_print(&out, "%.*s%s%s", (int)(at - page), page, to, at + strlen(from)));
    return out;
}

/* The only one. */
static inline char *page_with(const char *page, const char *from, const char *to) {
    const char *at = strstr(page, from);
    if (at && strstr(at + 1, from))
        fail_msg("the page has '%s' twice", from);
    return page_with_nth(page, from, to, 0);
}

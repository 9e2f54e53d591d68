/* A covering: of the cases of a product a few that together have every pair of properties that any
 * case has.
 *
 * A property is a text of a family (a loop, an option's value, a layout); which families'
 * properties are asked to meet in pairs is the caller's choice. The cases are taken greedily, each
 * the one that has most pairs which none before it has. */
#pragma once

#include "tests/unit.h"
#include <stdbool.h>

enum {
    COVERING_PROPERTIES = 512,
    COVERING_OF_CASE = 64,
    COVERING_FAMILIES = 8,
    COVERING_TEXT = 96
};

typedef struct covering_case {
    int n, property[COVERING_OF_CASE];
    bool is_run, fits_not;
    int gain; /* new pairs, at most */
} covering_case;

typedef struct covering {
    int n_properties, n_cases, room;
    char text[COVERING_PROPERTIES][COVERING_TEXT];
    int family[COVERING_PROPERTIES];
    bool asked[COVERING_FAMILIES][COVERING_FAMILIES];
    bool met[COVERING_PROPERTIES][COVERING_PROPERTIES];
    covering_case *cases; /* owned */
} covering;

/* Asks for the pairs of a property of one family with one of another; of a family with itself: any
 * two of a case. */
static inline void covering_ask(covering *c, int family, int other) {
    c->asked[family][other] = c->asked[other][family] = true;
}

/* Adds a case without properties; gives its place. */
static inline int covering_add(covering *c) {
    if (c->n_cases == c->room) {
        c->room = 2 * c->room + 64;
        c->cases = realloc(c->cases, (size_t)c->room * sizeof *c->cases);
        assert_non_null(c->cases);
    }
    c->cases[c->n_cases] = (covering_case){.gain = INT32_MAX};
    return c->n_cases++;
}

/* Gives the case added last a property, at most once. */
static inline void covering_has(covering *c, int family, const char *text) {
    covering_case *last = &c->cases[c->n_cases - 1];
    int p = 0;
    while (p < c->n_properties && (c->family[p] != family || strcmp(c->text[p], text) != 0))
        p++;
    if (p == c->n_properties) {
        assert_true(p < COVERING_PROPERTIES && strlen(text) < COVERING_TEXT);
        strcpy(c->text[p], text);
        c->family[c->n_properties++] = family;
    }
    for (int i = 0; i < last->n; i++)
        if (last->property[i] == p)
            return;
    assert_true(last->n < COVERING_OF_CASE);
    last->property[last->n++] = p;
}

/* Whether two properties of a case are asked to meet; one with itself: to be there at all. */
static inline bool covering_asks(const covering *c, int p, int other) {
    return p == other || c->asked[c->family[p]][c->family[other]];
}

/* Pairs of a case that no case before has; `take`: it has them from now on. */
static inline int covering_gain(covering *c, const covering_case *of, bool take) {
    int gain = 0;
    for (int i = 0; i < of->n; i++)
        for (int j = i; j < of->n; j++) {
            bool *met = &c->met[of->property[i]][of->property[j]];
            if (*met || !covering_asks(c, of->property[i], of->property[j]))
                continue;
            gain++;
            if (take)
                *met = c->met[of->property[j]][of->property[i]] = true;
        }
    return gain;
}

/* The next case to run; -1: every pair has been met. The caller says what became of it. */
static inline int covering_next(covering *c) {
    int best = -1, most = 0;
    for (int i = 0; i < c->n_cases; i++) {
        covering_case *one = &c->cases[i];
        if (one->is_run || one->fits_not || one->gain <= most)
            continue;
        one->gain = covering_gain(c, one, false); /* it only falls */
        if (one->gain > most) {
            most = one->gain;
            best = i;
        }
    }
    return best;
}

/* The case was run. */
static inline void covering_ran(covering *c, int i) {
    c->cases[i].is_run = true;
    covering_gain(c, &c->cases[i], true);
}

/* Proves, from the cases that were run alone, that no other that fits has a pair which none of them
 * has; gives how many ran. */
static inline int covering_prove(const covering *c) {
    static bool seen[COVERING_PROPERTIES][COVERING_PROPERTIES];
    int n_run = 0;
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < c->n_cases; i++) {
        const covering_case *one = &c->cases[i];
        for (int k = 0; one->is_run && k < one->n * one->n; k++)
            seen[one->property[k / one->n]][one->property[k % one->n]] = true;
        n_run += one->is_run;
    }
    for (int i = 0; i < c->n_cases; i++) {
        const covering_case *one = &c->cases[i];
        for (int k = 0; !one->fits_not && k < one->n * one->n; k++) {
            const int p = one->property[k / one->n], q = one->property[k % one->n];
            if (covering_asks(c, p, q) && !seen[p][q])
                fail_msg("'%s' and '%s' have not met", c->text[p], c->text[q]);
        }
    }
    return n_run;
}

static inline void covering_close(covering *c) {
    free(c->cases);
    free(c);
}

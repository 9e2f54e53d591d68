/* An unknown name: the one of the known names that was perhaps meant, and all of them, for the
 * message. */
#pragma once

#include "core/base/status.h"

typedef struct tess_unknown_name {
    const char *name;
    char near[64];    /* the nearest known name; "" where none is near */
    int distance;     /* from `name` to `near`; before there is one, the least that is not near */
    char known[1024]; /* "a, b, c" */
} tess_unknown_name;

/* Begins with a name and no known ones. */
tess_unknown_name tess_unknown_name_of(const char *name);

/* Adds a known name; it is near when its edit distance (a swap of neighbours counts as one) is at
 * most a third of the name's length, rounded up, or when the name is its beginning, of three
 * characters or more. `offer` leaves it out of `known`. */
void tess_unknown_name_add(tess_unknown_name *unknown, const char *known);
void tess_unknown_name_offer(tess_unknown_name *unknown, const char *known);

/* Adds all names, NULL-terminated. */
void tess_unknown_name_add_all(tess_unknown_name *unknown, const char *const *names);

/* What stands behind the name in a message: formats with at most one %s, all known names. */
typedef struct tess_unknown_words {
    const char *suggested; /* behind "; did you mean 'NEAR'" */
    const char *otherwise; /* where no known name is near */
} tess_unknown_words;

/* Fails (USAGE) with "SUBJECT 'NAME'", a suggestion and the words. */
TESS_MUST_CHECK tess_status tess_unknown_name_fail(const char *subject,
                                                   const tess_unknown_name *unknown,
                                                   tess_unknown_words words);

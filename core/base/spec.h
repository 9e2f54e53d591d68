/* A spec: a name with options, as typed: `metis:method=recursive:seed=3`.
 *
 * A list is separated by commas; a name or value that holds ':' or ',' is quoted with "...", inside
 * which \" and \\ stand for themselves.
 * A plug-in declares the options it knows; unknown keys, bad values and unknown names fail (USAGE)
 * with a suggestion. The canonical text of a spec (declared order, defaults left out but those that
 * were others once) names it in tables and records. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>
#include <stdint.h>

typedef enum tess_option_kind {
    TESS_OPTION_INT,    /* whole number within [minimum, maximum] */
    TESS_OPTION_INDEX,  /* the same; its value may stand alone: `cuda:1` */
    TESS_OPTION_REAL,   /* number within [minimum, maximum] */
    TESS_OPTION_CHOICE, /* one of `choices`, separated by | */
    TESS_OPTION_LIST,   /* some of `choices` joined by +: `sorted+no` */
    TESS_OPTION_TEXT    /* anything, a path */
} tess_option_kind;

/* An option that a plug-in knows; arrays of them end with key = NULL. */
typedef struct tess_option {
    const char *key;
    const char *value; /* the default, as typed */
    const char *help;  /* one line */
    tess_option_kind kind;
    double minimum, maximum;
    const char *choices;
    const char *before; /* the default of records that do not say it, since it is another now: the
                           canonical text always says it; NULL: it has always been `value` */
} tess_option;

/* Options as items of such an array. */
#define TESS_INT_OPTION(key, value, minimum, maximum, help)                                        \
    TESS_OPTION(key, value, help, TESS_OPTION_INT, minimum, maximum, NULL, NULL)
#define TESS_INDEX_OPTION(key, value, minimum, maximum, help)                                      \
    TESS_OPTION(key, value, help, TESS_OPTION_INDEX, minimum, maximum, NULL, NULL)
#define TESS_REAL_OPTION(key, value, minimum, maximum, help)                                       \
    TESS_OPTION(key, value, help, TESS_OPTION_REAL, minimum, maximum, NULL, NULL)
#define TESS_CHOICE_OPTION(key, value, choices, help)                                              \
    TESS_OPTION(key, value, help, TESS_OPTION_CHOICE, 0, 0, choices, NULL)
#define TESS_LIST_OPTION(key, value, choices, help)                                                \
    TESS_OPTION(key, value, help, TESS_OPTION_LIST, 0, 0, choices, NULL)
#define TESS_TEXT_OPTION(key, value, help)                                                         \
    TESS_OPTION(key, value, help, TESS_OPTION_TEXT, 0, 0, NULL, NULL)
#define TESS_OPTION(...)                                                                           \
    { __VA_ARGS__ }

typedef struct tess_spec {
    char *name;
    int n_values;
    char **keys; /* "" where a value stands alone */
    char **values;
} tess_spec;

/* Splits a comma-separated list of specs, with today's words for renamed ones (old_words.h); the
 * caller frees with tess_spec_list_free. */
TESS_MUST_CHECK tess_status tess_spec_list_parse(const char *text, tess_spec **out, int *n);
/* A list of one `what`, "partitioner", whose name may be an old word of it: fails (USAGE) with
 * "'TEXT' is not one WHAT". */
TESS_MUST_CHECK tess_status tess_spec_parse_one(const char *text, const char *what,
                                                tess_spec **out);
void tess_spec_list_free(tess_spec *specs, int n);

/* True of a text without a default: a spec must give it. */
bool tess_option_is_required(const tess_option *option);

/* Checks a spec against what a plug-in knows: keys, kinds, ranges, choices; no key twice, none that
 * is required left out. */
TESS_MUST_CHECK tess_status tess_spec_check(const tess_spec *spec, const tess_option *options);

/* The value of a key as given, else its default. The key is one of `options` and the spec has been
 * checked, so these cannot fail. */
const char *tess_spec_text(const tess_spec *spec, const tess_option *options, const char *key);
int64_t tess_spec_int(const tess_spec *spec, const tess_option *options, const char *key);
double tess_spec_real(const tess_spec *spec, const tess_option *options, const char *key);
bool tess_spec_is(const tess_spec *spec, const tess_option *options, const char *key,
                  const char *choice);

/* Whether item `i` of a list is this choice; the last item stands for all behind it. */
bool tess_spec_item_is(const tess_spec *spec, const tess_option *options, const char *key, int i,
                       const char *choice);

/* Adds to a spec from a record what its unsaid options meant when it was written: `before`. */
TESS_MUST_CHECK tess_status tess_spec_restore(tess_spec *spec, const tess_option *options);

/* Gives the canonical text, `name` or `name:key=value:...`, that the caller frees. */
TESS_MUST_CHECK tess_status tess_spec_print(const tess_spec *spec, const tess_option *options,
                                            char **out);

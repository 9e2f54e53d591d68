/* Values: named values of a record's sections, each a text and, where it is one, a number with its
 * unit. Keys are unique within a section; the last value given stays. */
#pragma once

#include "core/mesh/mesh.h"

typedef struct tess_value {
    char key[TESS_NAME_SIZE];
    char *text;    /* the number in print where it is one */
    double number; /* NaN if it is no number */
    char unit[TESS_NAME_SIZE];
} tess_value;

typedef struct tess_values {
    int64_t n, capacity;
    tess_value *items;
} tess_values;

/* Texts are kept with the path of the home directory replaced by `~`. */
TESS_MUST_CHECK tess_status tess_values_set_text(tess_values *values, const char *key,
                                                 const char *text);
TESS_MUST_CHECK tess_status tess_values_set_number(tess_values *values, const char *key,
                                                   double number, const char *unit);
const tess_value *tess_values_find(const tess_values *values, const char *key);
/* The text of a key, or "". */
const char *tess_values_text(const tess_values *values, const char *key);
void tess_values_clear(tess_values *values);

/* Gives a copy of `text` in which the home directory's path reads `~`; the caller frees it. */
TESS_MUST_CHECK tess_status tess_redact_home(const char *text, char **out);

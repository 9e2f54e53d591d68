/* Entries: named values of a record's sections, each a text and, where it is one, a number with its
 * unit. Keys are unique within a section; the last value given stays. */
#ifndef TESS_ENTRY_H
#define TESS_ENTRY_H

#include "core/mesh/mesh.h"

typedef struct tess_entry {
    char key[TESS_NAME_SIZE];
    char *text;    /* the number in print where it is one */
    double number; /* NaN where it is none */
    char unit[TESS_NAME_SIZE];
} tess_entry;

typedef struct tess_entries {
    int64_t n, capacity;
    tess_entry *items;
} tess_entries;

/* Texts are kept with the path of the home directory replaced by `~`. */
TESS_MUST_CHECK tess_status tess_entries_set_text(tess_entries *entries, const char *key,
                                                  const char *text);
TESS_MUST_CHECK tess_status tess_entries_set_number(tess_entries *entries, const char *key,
                                                    double number, const char *unit);
const tess_entry *tess_entries_find(const tess_entries *entries, const char *key);
/* The text of a key, "" where there is none. */
const char *tess_entries_text(const tess_entries *entries, const char *key);
void tess_entries_clear(tess_entries *entries);

/* Gives a copy of `text` in which the home directory's path reads `~`; the caller frees it. */
TESS_MUST_CHECK tess_status tess_redact_home(const char *text, char **out);

#endif

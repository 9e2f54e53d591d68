/* Entries: named values of a record's sections. */
#include "experiments/archive/entry.h"

#include "core/base/array.h"
#include <ctype.h>
#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *home_path(void) {
    const char *home = getenv("HOME");
    if (!home || !*home) {
        const struct passwd *user = getpwuid(getuid());
        home = user ? user->pw_dir : "";
    }
    return home && home[0] == '/' && home[1] ? home : NULL;
}

tess_status tess_redact_home(const char *text, char **out) {
    TRY(tess_text_copy(text, out));
    const char *home = home_path();
    if (!home)
        return TESS_OK;
    size_t length = strlen(home);
    length -= home[length - 1] == '/';
    const char *from = text;
    char *to = *out;
    while (*from) {
        const unsigned char before = from > text ? (unsigned char)from[-1] : ' ';
        const unsigned char behind =
            strncmp(from, home, length) == 0 ? (unsigned char)from[length] : 'x';
        const bool whole = !isalnum(behind) && !strchr("_-.", behind ? behind : '/');
        if (whole && !isalnum(before) && before != '_' && before != '.') {
            *to++ = '~';
            from += length;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
    return TESS_OK;
}

/* The entry of a key, made when it is not there yet. */
static tess_status entry_of(tess_entries *entries, const char *key, tess_entry **out) {
    if (strlen(key) >= TESS_NAME_SIZE)
        FAIL(TESS_ERROR_INTERNAL, "the key '%s' is too long", key);
    tess_entry *found = (tess_entry *)tess_entries_find(entries, key);
    if (!found) {
        TRY(TESS_RESERVE(entries->n + 1, &entries->capacity, &entries->items));
        found = &entries->items[entries->n++];
        *found = (tess_entry){.number = NAN};
        strcpy(found->key, key);
    }
    *out = found;
    return TESS_OK;
}

static tess_status set(tess_entries *entries, const char *key, const char *text, double number,
                       const char *unit) {
    tess_entry *entry = NULL;
    char *copy = NULL;
    TRY(tess_redact_home(text, &copy));
    const tess_status status = entry_of(entries, key, &entry);
    if (status != TESS_OK) {
        free(copy);
        return status;
    }
    free(entry->text);
    entry->text = copy;
    entry->number = number;
    snprintf(entry->unit, sizeof entry->unit, "%s", unit);
    return TESS_OK;
}

tess_status tess_entries_set_text(tess_entries *entries, const char *key, const char *text) {
    return set(entries, key, text, NAN, "");
}

tess_status tess_entries_set_number(tess_entries *entries, const char *key, double number,
                                    const char *unit) {
    char text[40];
    snprintf(text, sizeof text, "%.15g", number);
    if (strtod(text, NULL) != number)
        snprintf(text, sizeof text, "%.17g", number);
    return set(entries, key, text, number, unit);
}

const tess_entry *tess_entries_find(const tess_entries *entries, const char *key) {
    for (int64_t i = 0; i < entries->n; i++)
        if (strcmp(entries->items[i].key, key) == 0)
            return &entries->items[i];
    return NULL;
}

const char *tess_entries_text(const tess_entries *entries, const char *key) {
    const tess_entry *entry = tess_entries_find(entries, key);
    return entry && entry->text ? entry->text : "";
}

void tess_entries_clear(tess_entries *entries) {
    for (int64_t i = 0; i < entries->n; i++)
        free(entries->items[i].text);
    free(entries->items);
    *entries = (tess_entries){0};
}

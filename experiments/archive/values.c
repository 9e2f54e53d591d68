/* Values: named values of a record's sections. */
#include "experiments/archive/values.h"

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

/* The value of a key, made when it is not there yet. */
static tess_status value_of(tess_values *values, const char *key, tess_value **out) {
    if (strlen(key) >= TESS_NAME_SIZE)
        FAIL(TESS_ERROR_INTERNAL, "the key '%s' is too long", key);
    tess_value *found = (tess_value *)tess_values_find(values, key);
    if (!found) {
        TRY(TESS_RESERVE(values->n + 1, &values->capacity, &values->items));
        found = &values->items[values->n++];
        *found = (tess_value){.number = NAN};
        strcpy(found->key, key);
    }
    *out = found;
    return TESS_OK;
}

static tess_status set(tess_values *values, const char *key, const char *text, double number,
                       const char *unit) {
    tess_value *value = NULL;
    char *copy = NULL;
    TRY(tess_redact_home(text, &copy));
    const tess_status status = value_of(values, key, &value);
    if (status != TESS_OK) {
        free(copy);
        return status;
    }
    free(value->text);
    value->text = copy;
    value->number = number;
    snprintf(value->unit, sizeof value->unit, "%s", unit);
    return TESS_OK;
}

tess_status tess_values_set_text(tess_values *values, const char *key, const char *text) {
    return set(values, key, text, NAN, "");
}

tess_status tess_values_set_number(tess_values *values, const char *key, double number,
                                   const char *unit) {
    char text[40];
    snprintf(text, sizeof text, "%.15g", number);
    if (strtod(text, NULL) != number)
        snprintf(text, sizeof text, "%.17g", number);
    return set(values, key, text, number, unit);
}

const tess_value *tess_values_find(const tess_values *values, const char *key) {
    for (int64_t i = 0; i < values->n; i++)
        if (strcmp(values->items[i].key, key) == 0)
            return &values->items[i];
    return NULL;
}

const char *tess_values_text(const tess_values *values, const char *key) {
    const tess_value *value = tess_values_find(values, key);
    return value && value->text ? value->text : "";
}

void tess_values_clear(tess_values *values) {
    for (int64_t i = 0; i < values->n; i++)
        free(values->items[i].text);
    free(values->items);
    *values = (tess_values){0};
}

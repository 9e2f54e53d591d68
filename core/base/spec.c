/* A spec: a name with options, as typed: `metis:method=recursive:seed=3`. */
#include "core/base/spec.h"

#include "core/base/array.h"
#include "core/base/old_word.h"
#include "core/base/stream_text.h"
#include "core/base/unknown_name.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a parse is in a text. */
typedef struct spec_cursor {
    const char *text, *at;
} spec_cursor;

/* Copies the word at the cursor up to one of `ends`, quotes removed, and moves behind it. */
static tess_status word_parse(spec_cursor *cursor, const char *ends, char **out) {
    char *word = NULL;
    TRY(TESS_ALLOC((int64_t)strlen(cursor->at) + 1, &word));
    int64_t length = 0;
    bool quoted = false;
    for (; *cursor->at && (quoted || !strchr(ends, *cursor->at)); cursor->at++) {
        if (*cursor->at == '"') {
            quoted = !quoted;
            continue;
        }
        if (quoted && *cursor->at == '\\' && (cursor->at[1] == '"' || cursor->at[1] == '\\'))
            cursor->at++;
        word[length++] = *cursor->at;
    }
    word[length] = '\0';
    if (quoted) {
        free(word);
        FAIL(TESS_ERROR_USAGE, "a quote is not closed in '%s'", cursor->text);
    }
    *out = word;
    return TESS_OK;
}

/* Spells a word that may have been renamed as today. */
static tess_status spell(const char *of, char **word) {
    const char *today = tess_word_spelled(TESS_SPELLED_TODAY, of, *word);
    if (today == *word)
        return TESS_OK;
    char *copy = NULL;
    TRY(tess_text_copy(today, &copy));
    free(*word);
    *word = copy;
    return TESS_OK;
}

/* Makes room for one more value. */
static tess_status reserve_value(tess_spec *spec) {
    int64_t capacity = spec->n_values;
    TRY(TESS_RESERVE(spec->n_values + 1, &capacity, &spec->keys));
    capacity = spec->n_values;
    return TESS_RESERVE(spec->n_values + 1, &capacity, &spec->values);
}

/* Parses `:key=value`, or `:value`, behind the cursor's ':' into the spec. */
static tess_status option_parse(spec_cursor *cursor, tess_spec *spec) {
    TRY(reserve_value(spec));
    spec->keys[spec->n_values] = spec->values[spec->n_values] = NULL;
    const int n = spec->n_values++;
    TRY(word_parse(cursor, "=:,", &spec->keys[n]));
    if (!spec->keys[n][0])
        FAIL(TESS_ERROR_USAGE, "an option of '%s' has no name in '%s'", spec->name, cursor->text);
    if (*cursor->at != '=') {
        spec->values[n] = spec->keys[n];
        spec->keys[n] = NULL;
        return TESS_ZEROS(1, &spec->keys[n]);
    }
    cursor->at++;
    TRY(word_parse(cursor, ":,", &spec->values[n]));
    TRY(spell("", &spec->keys[n]));
    return spell(spec->keys[n], &spec->values[n]);
}

static tess_status spec_parse(spec_cursor *cursor, tess_spec *spec) {
    TRY(word_parse(cursor, ":,", &spec->name));
    if (!spec->name[0])
        FAIL(TESS_ERROR_USAGE, "a name is missing in '%s'", cursor->text);
    while (*cursor->at == ':') {
        cursor->at++;
        TRY(option_parse(cursor, spec));
    }
    return TESS_OK;
}

tess_status tess_spec_list_parse(const char *text, tess_spec **out, int *n) {
    tess_status status = TESS_OK;
    tess_spec *specs = NULL;
    int n_specs = 0;
    int64_t capacity = 0;
    spec_cursor cursor = {.text = text, .at = text};
    for (;;) {
        CHECK(TESS_RESERVE(n_specs + 1, &capacity, &specs));
        specs[n_specs] = (tess_spec){.name = NULL};
        CHECK(spec_parse(&cursor, &specs[n_specs++]));
        if (!*cursor.at)
            break;
        cursor.at++;
    }
    *out = specs;
    *n = n_specs;
    specs = NULL;
done:
    tess_spec_list_free(specs, n_specs);
    return status;
}

tess_status tess_spec_parse_one(const char *text, const char *what, tess_spec **out) {
    int n = 0;
    tess_spec *specs = NULL;
    TRY(tess_spec_list_parse(text, &specs, &n));
    if (n != 1) {
        tess_spec_list_free(specs, n);
        FAIL(TESS_ERROR_USAGE, "'%s' is not one %s", text, what);
    }
    *out = specs;
    return spell(what, &specs->name);
}

void tess_spec_list_free(tess_spec *specs, int n) {
    if (!specs)
        return;
    for (int i = 0; i < n; i++) {
        for (int v = 0; v < specs[i].n_values; v++) {
            free(specs[i].keys[v]);
            free(specs[i].values[v]);
        }
        free(specs[i].keys);
        free(specs[i].values);
        free(specs[i].name);
    }
    free(specs);
}

/* The declared option of that key, "": the one whose value may stand alone, an index or what must
 * be said; or NULL. */
static const tess_option *option_find(const tess_option *options, const char *key) {
    for (; options->key; options++)
        if (*key ? strcmp(options->key, key) == 0
                 : options->kind == TESS_OPTION_INDEX || tess_option_is_required(options))
            return options;
    return NULL;
}

static tess_status unknown_key(const tess_spec *spec, const tess_option *options, const char *key) {
    char subject[256];
    snprintf(subject, sizeof subject, "'%s' has no option", spec->name);
    tess_unknown_name unknown = tess_unknown_name_of(key);
    for (int i = 0; options[i].key; i++)
        tess_unknown_name_add(&unknown, options[i].key);
    return tess_unknown_name_fail(subject, &unknown,
                                  (tess_unknown_words){"? It knows %s", options[0].key
                                                                            ? ": it knows %s"
                                                                            : ": it takes none"});
}

static bool is_whole(const tess_option *option) {
    return option->kind == TESS_OPTION_INT || option->kind == TESS_OPTION_INDEX;
}

/* Fails unless `value` is a whole text of the option's number kind within its range. */
static tess_status number_check(const tess_spec *spec, const tess_option *option,
                                const char *value) {
    char *end = NULL;
    errno = 0;
    const bool whole = is_whole(option);
    const double number = whole ? (double)strtoll(value, &end, 10) : strtod(value, &end);
    if (!*value || *end || !isfinite(number))
        FAIL(TESS_ERROR_USAGE, "option '%s' of '%s' is a %s, not '%s'", option->key, spec->name,
             whole ? "whole number" : "number", value);
    if (errno == ERANGE || number < option->minimum || number > option->maximum)
        FAIL(TESS_ERROR_USAGE, "option '%s' of '%s' is between %.15g and %.15g, not '%s'",
             option->key, spec->name, option->minimum, option->maximum, value);
    return TESS_OK;
}

/* Whether the `length` letters at `value` are one of the choices, separated by |. */
static bool is_choice(const char *choices, const char *value, size_t length) {
    for (const char *choice = choices; length; choice++) {
        const size_t size = strcspn(choice, "|");
        if (size == length && memcmp(choice, value, size) == 0)
            return true;
        choice += size;
        if (!*choice)
            break;
    }
    return false;
}

/* Fails unless each item of a list is one of the choices. */
static tess_status list_check(const tess_spec *spec, const tess_option *option, const char *value) {
    for (const char *item = value;; item++) {
        const size_t length = strcspn(item, "+");
        if (!is_choice(option->choices, item, length))
            FAIL(TESS_ERROR_USAGE, "option '%s' of '%s' is %s, joined by +; '%.*s' in '%s' is not",
                 option->key, spec->name, option->choices, (int)length, item, value);
        item += length;
        if (!*item)
            return TESS_OK;
    }
}

static tess_status value_check(const tess_spec *spec, const tess_option *option,
                               const char *value) {
    switch (option->kind) {
    case TESS_OPTION_INT:
    case TESS_OPTION_INDEX:
    case TESS_OPTION_REAL:
        return number_check(spec, option, value);
    case TESS_OPTION_CHOICE:
        if (!is_choice(option->choices, value, strlen(value)))
            FAIL(TESS_ERROR_USAGE, "option '%s' of '%s' is one of %s, not '%s'", option->key,
                 spec->name, option->choices, value);
        return TESS_OK;
    case TESS_OPTION_LIST:
        return list_check(spec, option, value);
    case TESS_OPTION_TEXT:
        return TESS_OK;
    }
    FAIL(TESS_ERROR_INTERNAL, "option '%s' of '%s' has an unknown kind", option->key, spec->name);
}

bool tess_option_is_required(const tess_option *option) {
    return option->kind == TESS_OPTION_TEXT && !*option->value;
}

static tess_status required_check(const tess_spec *spec, const tess_option *options) {
    for (const tess_option *option = options; option->key; option++)
        if (tess_option_is_required(option) && !*tess_spec_text(spec, options, option->key))
            FAIL(TESS_ERROR_USAGE, "'%s' needs its option '%s': write %s:%s=VALUE", spec->name,
                 option->key, spec->name, option->key);
    return TESS_OK;
}

tess_status tess_spec_check(const tess_spec *spec, const tess_option *options) {
    for (int i = 0; i < spec->n_values; i++) {
        const tess_option *option = option_find(options, spec->keys[i]);
        if (!option && !*spec->keys[i])
            FAIL(TESS_ERROR_USAGE, "option '%s' of '%s' has no value: write %s:%s=VALUE",
                 spec->values[i], spec->name, spec->name, spec->values[i]);
        if (!option)
            TRY(unknown_key(spec, options, spec->keys[i]));
        for (int before = 0; before < i; before++)
            if (option_find(options, spec->keys[before]) == option)
                FAIL(TESS_ERROR_USAGE, "option '%s' of '%s' is given twice", option->key,
                     spec->name);
        TRY(value_check(spec, option, spec->values[i]));
    }
    return required_check(spec, options);
}

/* The value that a spec gives an option; NULL: none. */
static const char *said_value(const tess_spec *spec, const tess_option *options,
                              const tess_option *option) {
    for (int i = 0; i < spec->n_values; i++)
        if (option_find(options, spec->keys[i]) == option)
            return spec->values[i];
    return NULL;
}

const char *tess_spec_text(const tess_spec *spec, const tess_option *options, const char *key) {
    const tess_option *option = option_find(options, key);
    const char *said = option ? said_value(spec, options, option) : "";
    return said ? said : option->value;
}

int64_t tess_spec_int(const tess_spec *spec, const tess_option *options, const char *key) {
    return strtoll(tess_spec_text(spec, options, key), NULL, 10);
}

double tess_spec_real(const tess_spec *spec, const tess_option *options, const char *key) {
    return strtod(tess_spec_text(spec, options, key), NULL);
}

bool tess_spec_is(const tess_spec *spec, const tess_option *options, const char *key,
                  const char *choice) {
    return strcmp(tess_spec_text(spec, options, key), choice) == 0;
}

bool tess_spec_item_is(const tess_spec *spec, const tess_option *options, const char *key, int i,
                       const char *choice) {
    const char *item = tess_spec_text(spec, options, key);
    for (const char *next = item; i > 0 && (next = strchr(item, '+')); i--)
        item = next + 1;
    const size_t length = strcspn(item, "+");
    return strlen(choice) == length && strncmp(item, choice, length) == 0;
}

/* Whether a given value says the same as the default. */
static bool is_default(const tess_option *option, const char *value) {
    if (is_whole(option))
        return strtoll(value, NULL, 10) == strtoll(option->value, NULL, 10);
    if (option->kind == TESS_OPTION_REAL)
        return strtod(value, NULL) == strtod(option->value, NULL);
    return strcmp(value, option->value) == 0;
}

/* Adds a copy of a value. */
static tess_status add_value(tess_spec *spec, const char *key, const char *value) {
    TRY(reserve_value(spec));
    TRY(tess_text_copy(key, &spec->keys[spec->n_values]));
    const tess_status status = tess_text_copy(value, &spec->values[spec->n_values]);
    if (status != TESS_OK)
        free(spec->keys[spec->n_values]);
    else
        spec->n_values++;
    return status;
}

tess_status tess_spec_restore(tess_spec *spec, const tess_option *options) {
    for (const tess_option *option = options; option->key; option++)
        if (option->before && !said_value(spec, options, option))
            TRY(add_value(spec, option->key, option->before));
    return TESS_OK;
}

/* Writes a word, quoted where it must be. */
static void word_print(FILE *stream, const char *word) {
    if (!strpbrk(word, ":,=\"\\")) {
        fputs(word, stream);
        return;
    }
    fputc('"', stream);
    for (; *word; word++) {
        if (*word == '"' || *word == '\\')
            fputc('\\', stream);
        fputc(*word, stream);
    }
    fputc('"', stream);
}

tess_status tess_spec_print(const tess_spec *spec, const tess_option *options, char **out) {
    tess_printed text;
    TRY(tess_printed_open(&text));
    FILE *const stream = text.stream;
    word_print(stream, spec->name);
    for (const tess_option *option = options; option->key; option++) {
        const char *value = tess_spec_text(spec, options, option->key);
        if (is_default(option, value) && !option->before)
            continue;
        fprintf(stream, ":%s=", option->key);
        if (is_whole(option))
            fprintf(stream, "%lld", strtoll(value, NULL, 10));
        else
            word_print(stream, value);
    }
    return tess_printed_close(&text, TESS_OK, out);
}

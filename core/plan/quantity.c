/* A quantity: a number that is said of a run, a plan, its blocks or its elements, and what its name
 * means. */
#include "core/plan/quantity.h"

#include <string.h>

static const tess_quantity all[] = {
#define QUANTITY(name_, title_, scale_, format_, unit_, better_, of_, source_, long_, definition_) \
    {.name = #name_,                                                                               \
     .title = sizeof title_ > 1 ? title_ : #name_,                                                 \
     .scale = scale_,                                                                              \
     .format = format_,                                                                            \
     .unit = unit_,                                                                                \
     .better = better_,                                                                            \
     .of = TESS_OF_##of_,                                                                          \
     .source = TESS_SOURCE_##source_,                                                              \
     .long_name = long_,                                                                           \
     .definition = definition_},
#define TITLED(name_, title_) {.name = #name_, .title = title_, .scale = 1, .of = TESS_OF_SETTING},
#include "core/plan/quantities.h"
};
enum { N_ALL = sizeof all / sizeof *all };

/* Names that metrics had, and those that they have. */
static const char *const renamed[][2] = {
#define RENAMED(old, now) {#old, #now},
#include "core/plan/quantities.h"
};
enum { N_RENAMED = sizeof renamed / sizeof *renamed };

/* Titles that tables had, and the names of what they were of. */
static const char *const old_titles[][2] = {
#define OLD_TITLE(old, name) {old, #name},
#include "core/plan/quantities.h"
};
enum { N_OLD_TITLES = sizeof old_titles / sizeof *old_titles };

static const char *const sources[TESS_N_SOURCES] = {"plan",  "emulator", "counter", "driver",
                                                    "timer", "system",   "sample",  "model"};

const char *tess_source_name(tess_source source) {
    return sources[source];
}

bool tess_source_find(const char *name, tess_source *out) {
    for (*out = TESS_SOURCE_PLAN; *out < TESS_N_SOURCES; ++*out)
        if (strcmp(sources[*out], name) == 0)
            return true;
    return false;
}

const tess_quantity *tess_quantity_at(int i) {
    return i >= 0 && i < N_ALL ? &all[i] : NULL;
}

bool tess_quantity_is_whole(const tess_quantity *quantity) {
    return strcmp(quantity->format, "%.0f") == 0;
}

static bool is_metric(const tess_quantity *quantity) {
    return quantity->of == TESS_OF_RUN || quantity->of == TESS_OF_PLAN ||
           quantity->of == TESS_OF_BLOCK;
}

const tess_quantity *tess_metric_at(int i) {
    for (int k = 0; k < N_ALL; k++)
        if (is_metric(&all[k]) && i-- == 0)
            return &all[k];
    return NULL;
}

static bool is_word(const char *text, size_t length, const char *name) {
    return strlen(name) == length && strncmp(name, text, length) == 0;
}

/* The pair of an old name, or NULL. */
static const char *const *renamed_from(const char *name, size_t length) {
    for (int i = 0; i < N_RENAMED; i++)
        if (is_word(name, length, renamed[i][0]))
            return renamed[i];
    return NULL;
}

bool tess_metric_rename(char *name) {
    const size_t length = strcspn(name, "/@");
    const char *const *pair = renamed_from(name, length);
    const size_t now = pair ? strlen(pair[1]) : 0;
    if (!pair || now > length)
        return false;
    memmove(name + now, name + length, strlen(name + length) + 1);
    memcpy(name, pair[1], now);
    return true;
}

bool tess_metric_old_name_in(const char *text, const char **old, const char **now) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    while (*text) {
        const size_t length = strspn(text, letters);
        const char *const *pair = renamed_from(text, length);
        if (pair) {
            *old = pair[0];
            *now = pair[1];
            return true;
        }
        text += length ? length : 1;
    }
    return false;
}

const tess_quantity *tess_quantity_find(const char *name) {
    const size_t length = strcspn(name, "/");
    const char *const *pair = renamed_from(name, length);
    if (pair)
        return tess_quantity_find(pair[1]);
    for (int i = 0; i < N_ALL; i++)
        if (is_word(name, length, all[i].name))
            return &all[i];
    return NULL;
}

const tess_quantity *tess_metric_find(const char *name) {
    const tess_quantity *found = tess_quantity_find(name);
    return found && is_metric(found) ? found : NULL;
}

static bool is_titled(const tess_quantity *quantity) {
    return (is_metric(quantity) || quantity->of == TESS_OF_SETTING) &&
           strcmp(quantity->name, quantity->title) != 0;
}

const tess_quantity *tess_title_of(const char *name) {
    for (int i = 0; i < N_ALL; i++)
        if (is_titled(&all[i]) && strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

static bool says(const char *title, const char *words) {
    while (*title && (*title == *words || (*title == ' ' && *words == '_'))) {
        title++;
        words++;
    }
    return *title == *words;
}

const tess_quantity *tess_title_find(const char *title) {
    for (int i = 0; i < N_ALL; i++)
        if (is_titled(&all[i]) && says(all[i].title, title))
            return &all[i];
    for (int i = 0; i < N_OLD_TITLES; i++)
        if (says(old_titles[i][0], title))
            return tess_quantity_find(old_titles[i][1]);
    return NULL;
}

const char *tess_recorded_name(const char *words) {
    const tess_quantity *titled = tess_title_find(words);
    return titled ? titled->name : words;
}

json_t *tess_titles_json(void) {
    json_t *titles = json_object();
    for (int i = 0; i < N_ALL; i++)
        if (is_titled(&all[i]))
            json_object_set_new(titles, all[i].name,
                                json_pack("[s, f]", all[i].title, all[i].scale));
    return titles;
}

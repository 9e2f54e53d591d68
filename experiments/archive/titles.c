/* A title: what people read of a value that records name, in tables, pages and pictures. */
#include "experiments/archive/titles.h"

#include <stddef.h>
#include <string.h>

static const tess_title titles[] = {
#define TESS_TITLE(name, title, scale) {#name, title, scale},
#include "experiments/archive/title_list.h"
#undef TESS_TITLE
};
enum { N_TITLES = sizeof titles / sizeof *titles };

const tess_title *tess_title_at(int i) {
    return i >= 0 && i < N_TITLES ? &titles[i] : NULL;
}

const tess_title *tess_title_of(const char *name) {
    for (int i = 0; i < N_TITLES; i++)
        if (strcmp(titles[i].name, name) == 0)
            return &titles[i];
    return NULL;
}

static bool says(const char *title, const char *words) {
    while (*title && (*title == *words || (*title == ' ' && *words == '_'))) {
        title++;
        words++;
    }
    return *title == *words;
}

const tess_title *tess_title_find(const char *title) {
    for (int i = 0; i < N_TITLES; i++)
        if (says(titles[i].title, title))
            return &titles[i];
    return NULL;
}

const char *tess_recorded_name(const char *words) {
    const tess_title *title = tess_title_find(words);
    return title ? title->name : words;
}

json_t *tess_titles_json(void) {
    json_t *all = json_object();
    for (int i = 0; i < N_TITLES; i++)
        json_object_set_new(all, titles[i].name,
                            json_pack("[s, f]", titles[i].title, titles[i].scale));
    return all;
}

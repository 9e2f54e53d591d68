/* An explanation: what a metric, a setting or another word of tables means. */
#include "experiments/report/words/explanation.h"

#include "core/plan/quantity.h"
#include "experiments/bench/experiment.h"
#include <stdio.h>
#include <string.h>

static const tess_explanation words[] = {
#define TESS_WORD(name, titles, unit, better, long_name, definition)                               \
    {#name, unit, long_name, definition, better, titles},
#include "experiments/report/words/word_list.h"
#undef TESS_WORD
};
enum { N_WORDS = sizeof words / sizeof *words };

/* Other words for metrics. */
static const char *const others[][2] = {{"us", "median_time"}, {"median", "median_time"}};

static tess_explanation explanation_of(const tess_quantity *quantity) {
    return (tess_explanation){quantity->name,       quantity->unit,   quantity->long_name,
                              quantity->definition, quantity->better, ""};
}

static bool find_metric(const char *name, tess_explanation *out) {
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i][0], name) == 0)
            name = others[i][1];
    const tess_quantity *metric = tess_metric_find(name);
    if (metric)
        *out = explanation_of(metric);
    return metric != NULL;
}

/* What a view has of blocks and elements. */
static bool find_array(const char *name, tess_explanation *out) {
    const tess_quantity *array = tess_quantity_find(name);
    const bool found = array && array->definition;
    if (found)
        *out = explanation_of(array);
    return found;
}

/* Whether a word is one of those separated by '|'. */
static bool is_among(const char *word, const char *titles) {
    const size_t n = strlen(word);
    for (; *titles;
         titles += titles[strcspn(titles, "|")] ? strcspn(titles, "|") + 1 : strcspn(titles, "|"))
        if (strcspn(titles, "|") == n && strncmp(titles, word, n) == 0)
            return true;
    return false;
}

static bool find_word(const char *name, tess_explanation *out) {
    for (int i = 0; i < N_WORDS; i++)
        if (strcmp(words[i].name, name) == 0 || is_among(name, words[i].titles)) {
            *out = words[i];
            return true;
        }
    return false;
}

static bool find_setting(const char *name, tess_explanation *out) {
    for (tess_field field = 0; field < TESS_N_FIELDS; field++)
        if (strcmp(tess_fields[field].name, name) == 0 && tess_fields[field].help) {
            *out = (tess_explanation){tess_fields[field].name,
                                      tess_fields[field].unit,
                                      "a setting",
                                      tess_fields[field].help,
                                      0,
                                      ""};
            return true;
        }
    return false;
}

bool tess_explanation_find(const char *asked, tess_explanation *out) {
    char title[256];
    snprintf(title, sizeof title, "%s", asked);
    char *unit = strstr(title, " [");
    if (unit)
        *unit = '\0';
    for (int turn = 0; turn < 3; turn++) {
        const char *name = tess_recorded_name(title);
        if (find_metric(name, out) || find_word(name, out) || find_setting(name, out) ||
            find_array(name, out))
            return true;
        if (turn == 0)
            title[strcspn(title, "@")] = '\0';
        for (char *space = title; turn == 1 && (space = strchr(space, ' '));)
            *space = '_';
    }
    return false;
}

const char *tess_explanation_title(const tess_explanation *explanation) {
    const tess_quantity *title = tess_title_of(explanation->name);
    const bool one = *explanation->titles && !strchr(explanation->titles, '|');
    return title ? title->title : one ? explanation->titles : explanation->name;
}

void tess_explanation_offer(tess_unknown_name *unknown) {
    for (int i = 0; tess_quantity_at(i); i++)
        tess_unknown_name_offer(unknown, tess_quantity_at(i)->title);
    for (int i = 0; i < N_WORDS; i++)
        tess_unknown_name_offer(unknown, words[i].name);
    for (tess_field field = 0; field < TESS_N_FIELDS; field++)
        tess_unknown_name_offer(unknown, tess_fields[field].name);
    for (int i = 0; tess_metric_at(i); i++)
        tess_unknown_name_add(unknown, tess_metric_at(i)->name);
}

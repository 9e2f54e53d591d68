/* Words of a YAML map: what stands at its keys, each with its own rule. */
#include "core/base/yaml_words.h"

#include "core/base/unknown_name.h"
#include <stdlib.h>
#include <string.h>

enum { LONGEST_CHOICE = 47 };

tess_status tess_yaml_word(tess_yaml *yaml, const tess_yaml_node *map, const char *key,
                           size_t longest, const char **out) {
    const tess_yaml_node *node = tess_yaml_find(yaml, map, key);
    *out = node ? tess_yaml_text(node) : NULL;
    if (node && (!*out || !**out || strlen(*out) > longest))
        return tess_yaml_fail(yaml, node, "%s is a word of 1 to %zu letters", key, longest);
    return TESS_OK;
}

tess_status tess_yaml_needed_word(tess_yaml *yaml, const tess_yaml_node *map, const char *key,
                                  size_t longest, const char **out) {
    TRY(tess_yaml_word(yaml, map, key, longest, out));
    return *out ? TESS_OK : tess_yaml_fail(yaml, map, "'%s' is missing", key);
}

tess_status tess_yaml_choice(tess_yaml *yaml, const tess_yaml_node *map, const char *key,
                             const char *const *names, int *choice) {
    const char *word = NULL;
    TRY(tess_yaml_word(yaml, map, key, LONGEST_CHOICE, &word));
    for (int i = 0; word && names[i]; i++) {
        if (strcmp(names[i], word) == 0) {
            *choice = i;
            return TESS_OK;
        }
    }
    if (!word)
        return TESS_OK;
    tess_unknown_name unknown = tess_unknown_name_of(word);
    tess_unknown_name_add_all(&unknown, names);
    const bool is_near = unknown.near[0] != '\0';
    return tess_yaml_fail(yaml, tess_yaml_find(yaml, map, key), "%s is one of %s, not '%s'%s%s%s",
                          key, unknown.known, word, is_near ? "; did you mean '" : "", unknown.near,
                          is_near ? "'?" : "");
}

tess_status tess_yaml_list(tess_yaml *yaml, const tess_yaml_node *map, const char *key, int most,
                           const tess_yaml_node **list, int *n) {
    *list = tess_yaml_find(yaml, map, key);
    if (!*list)
        return tess_yaml_fail(yaml, map, "'%s' is missing", key);
    *n = tess_yaml_count(*list);
    if ((*list)->type == YAML_SCALAR_NODE)
        return tess_yaml_fail(yaml, *list, "%s is a list of 1 to %d items: write %s: [%.*s]", key,
                              most, key, LONGEST_CHOICE, tess_yaml_text(*list));
    if ((*list)->type != YAML_SEQUENCE_NODE || *n < 1 || *n > most)
        return tess_yaml_fail(yaml, *list, "%s is a list of 1 to %d items", key, most);
    return TESS_OK;
}

int tess_yaml_number(const char *text, int most) {
    char *end = NULL;
    const long value = text ? strtol(text, &end, 10) : -1;
    return !text || end == text || *end || value < 0 || value > most ? -1 : (int)value;
}

tess_status tess_yaml_numbers(tess_yaml *yaml, const tess_yaml_node *list, const char *what,
                              int end, int *out, int *n) {
    *n = tess_yaml_count(list);
    if (list->type != YAML_SEQUENCE_NODE || *n < 1)
        return tess_yaml_fail(yaml, list, "%s no number: write a list, [0, 1]", what);
    for (int i = 0; i < *n; i++) {
        const tess_yaml_node *item = tess_yaml_item(yaml, list, i);
        const char *text = tess_yaml_text(item);
        const int number = tess_yaml_number(text, end - 1);
        if (number < 0)
            return tess_yaml_fail(yaml, item, "%s %s: write numbers from 0 to %d", what,
                                  text ? text : "?", end - 1);
        if (i > 0 && number <= out[i - 1])
            return tess_yaml_fail(yaml, item,
                                  "%s %d behind %d: write them in ascending order, each once", what,
                                  number, out[i - 1]);
        out[i] = number;
    }
    return TESS_OK;
}

/* Words of a YAML map: what stands at its keys, each with its own rule; what breaks one is told by
 * file, line and column (INPUT). */
#pragma once

#include "core/base/yaml_file.h"

/* The word of up to `longest` letters at a key, or NULL. */
TESS_MUST_CHECK tess_status tess_yaml_word(tess_yaml *yaml, const tess_yaml_node *map,
                                           const char *key, size_t longest, const char **out);

/* Reads a word that must be there. */
TESS_MUST_CHECK tess_status tess_yaml_needed_word(tess_yaml *yaml, const tess_yaml_node *map,
                                                  const char *key, size_t longest,
                                                  const char **out);

/* The position among `names` (NULL-terminated) of the word at a key; *choice stays if the key
 * is missing. */
TESS_MUST_CHECK tess_status tess_yaml_choice(tess_yaml *yaml, const tess_yaml_node *map,
                                             const char *key, const char *const *names,
                                             int *choice);

/* The list of 1 to `most` items at a key, which must be there, and how many it has. */
TESS_MUST_CHECK tess_status tess_yaml_list(tess_yaml *yaml, const tess_yaml_node *map,
                                           const char *key, int most, const tess_yaml_node **list,
                                           int *n);

/* A whole number from 0 to `most`, or -1 if the text (or NULL) is no such number. */
int tess_yaml_number(const char *text, int most);

/* Fills out[*n] with the numbers of a list, ascending and each below `end`, of which there is one
 * at least. Words for messages: `what` "arg 3 ('res') has component". */
TESS_MUST_CHECK tess_status tess_yaml_numbers(tess_yaml *yaml, const tess_yaml_node *list,
                                              const char *what, int end, int *out, int *n);

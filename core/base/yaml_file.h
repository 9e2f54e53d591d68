/* A YAML file: a tree of maps, lists and scalars in which every node knows its place, so that
 * what is wrong with it is told by file, line and column. */
#pragma once

#include "core/base/status.h"
#include <stdbool.h>
#include <yaml.h>

typedef yaml_node_t tess_yaml_node;

typedef struct tess_yaml {
    char *path;
    yaml_document_t document;
    bool has_document;
} tess_yaml;

/* Reads a file of one document that is not empty, of at most 1 MiB. Fails (INPUT) with the place of
 * what is no YAML, of a key that a map has twice and of one that is no scalar. */
TESS_MUST_CHECK tess_status tess_yaml_read(const char *path, tess_yaml **out);
/* Reads YAML from a text; `name` stands for its path in messages. */
TESS_MUST_CHECK tess_status tess_yaml_read_text(const char *name, const char *text,
                                                tess_yaml **out);
void tess_yaml_free(tess_yaml *yaml);

/* The root. Nodes belong to the tree. */
const tess_yaml_node *tess_yaml_root(tess_yaml *yaml);

/* The text of a scalar, or NULL of anything else. */
const char *tess_yaml_text(const tess_yaml_node *node);

/* A list's items; a scalar or map counts as a list of itself. */
int tess_yaml_count(const tess_yaml_node *node);
const tess_yaml_node *tess_yaml_item(tess_yaml *yaml, const tess_yaml_node *node, int i);

/* The pairs of a map (0 of anything else), and the value of a key, or NULL. */
int tess_yaml_pairs(const tess_yaml_node *map);
const tess_yaml_node *tess_yaml_key(tess_yaml *yaml, const tess_yaml_node *map, int i);
const tess_yaml_node *tess_yaml_value(tess_yaml *yaml, const tess_yaml_node *map, int i);
const tess_yaml_node *tess_yaml_find(tess_yaml *yaml, const tess_yaml_node *map, const char *key);

/* Fails with INPUT and "file:line:column: " before the words. */
TESS_MUST_CHECK tess_status tess_yaml_fail(const tess_yaml *yaml, const tess_yaml_node *node,
                                           const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What a callee says of a node's text: USAGE and INPUT become INPUT, with the node's place before
 * the kept message; what is missing on this machine is no fault of the file. */
TESS_MUST_CHECK tess_status tess_yaml_fail_at(tess_status status, const tess_yaml *yaml,
                                              const tess_yaml_node *node);

/* Fails unless the node is a map whose keys are all among `names` (NULL-terminated), with a
 * suggestion; `what` is what it describes, "a recipe". */
TESS_MUST_CHECK tess_status tess_yaml_check_map(tess_yaml *yaml, const tess_yaml_node *node,
                                                const char *what, const char *const *names);

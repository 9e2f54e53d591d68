/* A YAML file: a tree of maps, lists and scalars in which every node knows its place. */
#include "core/base/yaml_file.h"

#include "core/base/array.h"
#include "core/base/input_file.h"
#include "core/base/print_args.h"
#include "core/base/unknown_name.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20, MOST_KEYS = 1000 /* of a map, and brackets in one another */ };

static tess_status fail_at_mark(const char *path, yaml_mark_t mark, const char *words) {
    return tess_fail(TESS_ERROR_INPUT, "%s:%zu:%zu: %s", path, mark.line + 1, mark.column + 1,
                     words);
}

tess_status tess_yaml_fail(const tess_yaml *yaml, const tess_yaml_node *node, const char *format,
                           ...) {
    char words[2048];
    TESS_PRINT_ARGS(words, format);
    return fail_at_mark(yaml->path, node->start_mark, words);
}

tess_status tess_yaml_fail_at(tess_status status, const tess_yaml *yaml,
                              const tess_yaml_node *node) {
    char words[2048];
    if (status != TESS_ERROR_USAGE && status != TESS_ERROR_INPUT)
        return status;
    snprintf(words, sizeof words, "%s", tess_message());
    return fail_at_mark(yaml->path, node->start_mark, words);
}

const tess_yaml_node *tess_yaml_root(tess_yaml *yaml) {
    return yaml_document_get_root_node(&yaml->document);
}

const char *tess_yaml_text(const tess_yaml_node *node) {
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

int tess_yaml_count(const tess_yaml_node *node) {
    if (node->type != YAML_SEQUENCE_NODE)
        return 1;
    return (int)(node->data.sequence.items.top - node->data.sequence.items.start);
}

const tess_yaml_node *tess_yaml_item(tess_yaml *yaml, const tess_yaml_node *node, int i) {
    if (node->type != YAML_SEQUENCE_NODE)
        return node;
    return yaml_document_get_node(&yaml->document, node->data.sequence.items.start[i]);
}

int tess_yaml_pairs(const tess_yaml_node *map) {
    if (map->type != YAML_MAPPING_NODE)
        return 0;
    return (int)(map->data.mapping.pairs.top - map->data.mapping.pairs.start);
}

const tess_yaml_node *tess_yaml_key(tess_yaml *yaml, const tess_yaml_node *map, int i) {
    return yaml_document_get_node(&yaml->document, map->data.mapping.pairs.start[i].key);
}

const tess_yaml_node *tess_yaml_value(tess_yaml *yaml, const tess_yaml_node *map, int i) {
    return yaml_document_get_node(&yaml->document, map->data.mapping.pairs.start[i].value);
}

const tess_yaml_node *tess_yaml_find(tess_yaml *yaml, const tess_yaml_node *map, const char *key) {
    for (int i = 0; i < tess_yaml_pairs(map); i++)
        if (strcmp(tess_yaml_text(tess_yaml_key(yaml, map, i)), key) == 0)
            return tess_yaml_value(yaml, map, i);
    return NULL;
}

/* What a terminal would obey, or a text ends at. */
static bool has_control(const tess_yaml_node *node, const char *text) {
    for (size_t i = 0; i < node->data.scalar.length; i++)
        if (iscntrl((unsigned char)text[i]) && !isspace((unsigned char)text[i]))
            return true;
    return false;
}

/* Every key is a scalar, no map has one twice, and no text holds a control character. */
static tess_status check_nodes(tess_yaml *yaml) {
    const yaml_document_t *document = &yaml->document;
    for (const yaml_node_t *node = document->nodes.start; node < document->nodes.top; node++) {
        const char *text = tess_yaml_text(node);
        if (text && has_control(node, text))
            return tess_yaml_fail(yaml, node, "a control character inside a text");
        if (tess_yaml_pairs(node) > MOST_KEYS)
            return tess_yaml_fail(yaml, node, "a map of more than %d keys", MOST_KEYS);
        for (int i = 0; i < tess_yaml_pairs(node); i++)
            if (!tess_yaml_text(tess_yaml_key(yaml, node, i)))
                return tess_yaml_fail(yaml, tess_yaml_key(yaml, node, i), "a key must be a word");
        for (int i = 0; i < tess_yaml_pairs(node); i++) {
            const tess_yaml_node *key = tess_yaml_key(yaml, node, i);
            if (tess_yaml_find(yaml, node, tess_yaml_text(key)) != tess_yaml_value(yaml, node, i))
                return tess_yaml_fail(yaml, key, "'%s' is given twice", tess_yaml_text(key));
        }
    }
    return TESS_OK;
}

/* Whether a tab stands at a position of a file that has been read. */
static bool is_tab(FILE *file, const yaml_mark_t *mark) {
    return fseek(file, (long)mark->index, SEEK_SET) == 0 && fgetc(file) == '\t';
}

/* A file under a parser. */
typedef struct source {
    yaml_parser_t *parser;
    FILE *file;
} source;

/* Reads on unless brackets are open one in another, of which libyaml looks at all for each word. */
static int read_some(void *from, unsigned char *bytes, size_t size, size_t *n) {
    const source *of = from;
    *n = fread(bytes, 1, size, of->file);
    return !ferror(of->file) && of->parser->flow_level <= MOST_KEYS;
}

static tess_status parse(tess_yaml *yaml, FILE *file) {
    tess_status status = TESS_OK;
    yaml_parser_t parser;
    source from = {.parser = &parser, .file = file};
    if (!yaml_parser_initialize(&parser))
        FAIL(TESS_ERROR_MEMORY, "out of memory for %s", yaml->path);
    yaml_parser_set_input(&parser, read_some, &from);
    yaml->has_document = yaml_parser_load(&parser, &yaml->document) != 0;
    if (!yaml->has_document) {
        char words[512];
        int used = snprintf(words, sizeof words, "no YAML: %s",
                            parser.problem ? parser.problem : "unreadable");
        if (parser.context && used < (int)sizeof words)
            snprintf(words + used, sizeof words - (size_t)used, " %s that begins in line %zu",
                     parser.context, parser.context_mark.line + 1);
        if (parser.flow_level > MOST_KEYS)
            snprintf(words, sizeof words, "more than %d brackets in one another", MOST_KEYS);
        else if (is_tab(file, &parser.problem_mark))
            snprintf(words, sizeof words, "no YAML: a tab; indent by blanks");
        CHECK(parser.error == YAML_MEMORY_ERROR
                  ? tess_fail(TESS_ERROR_MEMORY, "out of memory for %s", yaml->path)
                  : fail_at_mark(yaml->path, parser.problem_mark, words));
    }
    yaml_document_t second;
    if (!yaml_parser_load(&parser, &second))
        CHECK(fail_at_mark(yaml->path, parser.problem_mark, "no YAML behind the first document"));
    const bool more = yaml_document_get_root_node(&second) != NULL;
    yaml_document_delete(&second);
    if (more)
        CHECK(fail_at_mark(yaml->path, parser.mark, "more than one document"));
    if (!yaml_document_get_root_node(&yaml->document))
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s:1:1: the file is empty", yaml->path));
    status = check_nodes(yaml);
done:
    yaml_parser_delete(&parser);
    return status;
}

/* Reads a file that is open, and closes it. */
static tess_status read_open(const char *path, FILE *file, tess_yaml **out) {
    tess_status status = TESS_OK;
    tess_yaml *yaml = NULL;
    CHECK(TESS_ZEROS(1, &yaml));
    CHECK(tess_text_copy(path, &yaml->path));
    if (fseek(file, 0, SEEK_END) != 0 || ftell(file) > MOST_BYTES || fseek(file, 0, SEEK_SET) != 0)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s is no YAML file of at most 1 MiB", path));
    CHECK(parse(yaml, file));
    *out = TESS_TAKE(yaml);
done:
    fclose(file);
    tess_yaml_free(yaml);
    return status;
}

tess_status tess_yaml_read(const char *path, tess_yaml **out) {
    FILE *file = NULL;
    TRY(tess_input_open_stream(path, &file));
    return read_open(path, file, out);
}

tess_status tess_yaml_read_text(const char *name, const char *text, tess_yaml **out) {
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "rb");
    if (!file)
        FAIL(TESS_ERROR_MEMORY, "out of memory for %s", name);
    return read_open(name, file, out);
}

void tess_yaml_free(tess_yaml *yaml) {
    if (!yaml)
        return;
    if (yaml->has_document)
        yaml_document_delete(&yaml->document);
    free(yaml->path);
    free(yaml);
}

tess_status tess_yaml_check_map(tess_yaml *yaml, const tess_yaml_node *node, const char *what,
                                const char *const *names) {
    if (node->type != YAML_MAPPING_NODE)
        return tess_yaml_fail(yaml, node, "%s is a map of keys and values", what);
    for (int i = 0; i < tess_yaml_pairs(node); i++) {
        const tess_yaml_node *key = tess_yaml_key(yaml, node, i);
        const char *word = tess_yaml_text(key);
        int k = 0;
        while (names[k] && strcmp(names[k], word) != 0)
            k++;
        if (names[k])
            continue;
        tess_unknown_name unknown = tess_unknown_name_of(word);
        tess_unknown_name_add_all(&unknown, names);
        if (unknown.near[0])
            return tess_yaml_fail(yaml, key, "%s has no '%s'; did you mean '%s'?", what, word,
                                  unknown.near);
        return tess_yaml_fail(yaml, key, "%s has no '%s'; it has %s", what, word, unknown.known);
    }
    return TESS_OK;
}

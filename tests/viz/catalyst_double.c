/* A double of libcatalyst, not the real thing: it records what it is told as lines of JSON in the
 * file that CATALYST_DOUBLE_LOG names, for viz_test.py to compare and check against the blueprint.
 *
 * Each call of catalyst_* is one line {"call": NAME, "node": {PATH: value or [values] ...}}. It
 * fails the call that CATALYST_DOUBLE_FAILS names with CATALYST_DOUBLE_STATUS, else 3.
 *
 * It is as strict as libcatalyst 2.0 beside ParaView's adaptor: it aborts on a shape map that
 * is not of 32 bits, and fails with status 100 on pyramids and wedges where its Conduit
 * (CATALYST_DOUBLE_CONDUIT, else 0.9.2) is older than 0.8.5 or the topology has no other cells, on
 * a channel that was not in the first step, and on one without data. Where CATALYST_DOUBLE_PARAVIEW
 * is 5.11 it is as that ParaView is with mixed cells: it leaves them out and returns 0.
 * TESS_VIZ_SEEN tells the cells that it has taken, as failures.py does. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum leaf_kind {
    TEXT,
    INT32,
    INT64,
    FLOAT64,
    UINT8S,
    INT32S,
    INT64S,
    FLOAT32S,
    FLOAT64S
} leaf_kind;

typedef struct leaf {
    char *path, *text;
    leaf_kind kind;
    int64_t integer;
    double real;
    const char *values; /* the caller's, read when the call comes: zero-copy as in Conduit */
    int64_t n, stride;
} leaf;

typedef struct conduit_node {
    int n;
    leaf leaves[512];
} conduit_node;

conduit_node *catalyst_conduit_node_create(void);
void catalyst_conduit_node_destroy(conduit_node *node);
void catalyst_conduit_node_set_path_char8_str(conduit_node *node, const char *path,
                                              const char *text);
void catalyst_conduit_node_set_path_int32(conduit_node *node, const char *path, int32_t value);
void catalyst_conduit_node_set_path_int64(conduit_node *node, const char *path, int64_t value);
void catalyst_conduit_about(conduit_node *node);
char *catalyst_conduit_node_fetch_path_as_char8_str(conduit_node *node, const char *path);
void catalyst_conduit_node_set_path_float64(conduit_node *node, const char *path, double value);
int catalyst_initialize(const conduit_node *node);
int catalyst_execute(const conduit_node *node);
int catalyst_finalize(const conduit_node *node);

conduit_node *catalyst_conduit_node_create(void) {
    return calloc(1, sizeof(conduit_node));
}

void catalyst_conduit_node_destroy(conduit_node *node) {
    for (int i = 0; i < node->n; i++) {
        free(node->leaves[i].path);
        free(node->leaves[i].text);
    }
    free(node);
}

static leaf *add(conduit_node *node, const char *path, leaf_kind kind) {
    if (node->n == (int)(sizeof node->leaves / sizeof node->leaves[0]))
        abort();
    leaf *added = &node->leaves[node->n++];
    added->path = strdup(path);
    added->kind = kind;
    return added;
}

void catalyst_conduit_node_set_path_char8_str(conduit_node *node, const char *path,
                                              const char *text) {
    add(node, path, TEXT)->text = strdup(text);
}

void catalyst_conduit_node_set_path_int32(conduit_node *node, const char *path, int32_t value) {
    add(node, path, INT32)->integer = value;
}

void catalyst_conduit_node_set_path_int64(conduit_node *node, const char *path, int64_t value) {
    add(node, path, INT64)->integer = value;
}

void catalyst_conduit_node_set_path_float64(conduit_node *node, const char *path, double value) {
    add(node, path, FLOAT64)->real = value;
}

#define ARRAY_SETTER(name, type, kind)                                                             \
    void catalyst_conduit_node_set_path_external_##name##_ptr_detailed(                            \
        conduit_node *node, const char *path, type *values, int64_t n, int64_t offset,             \
        int64_t stride, int64_t size, int64_t endianness);                                         \
    void catalyst_conduit_node_set_path_external_##name##_ptr_detailed(                            \
        conduit_node *node, const char *path, type *values, int64_t n, int64_t offset,             \
        int64_t stride, int64_t size, int64_t endianness) {                                        \
        leaf *added = add(node, path, kind);                                                       \
        if (size != (int64_t)sizeof(type) || endianness != 0)                                      \
            abort();                                                                               \
        added->values = (const char *)values + offset;                                             \
        added->n = n;                                                                              \
        added->stride = stride;                                                                    \
    }
ARRAY_SETTER(uint8, uint8_t, UINT8S)
ARRAY_SETTER(int32, int32_t, INT32S)
ARRAY_SETTER(int64, int64_t, INT64S)
ARRAY_SETTER(float32, float, FLOAT32S)
ARRAY_SETTER(float64, double, FLOAT64S)

static void print_value(FILE *log, const leaf *of, int64_t i) {
    const void *value = of->values + i * of->stride;
    switch (of->kind) {
    case UINT8S:
        fprintf(log, "%d", *(const uint8_t *)value);
        break;
    case INT32S:
        fprintf(log, "%" PRId32, *(const int32_t *)value);
        break;
    case INT64S:
        fprintf(log, "%" PRId64, *(const int64_t *)value);
        break;
    case FLOAT32S:
        fprintf(log, "%.9g", (double)*(const float *)value);
        break;
    default:
        fprintf(log, "%.17g", *(const double *)value);
    }
}

static void print_leaf(FILE *log, const leaf *of) {
    fprintf(log, "\"%s\": ", of->path);
    if (of->kind == TEXT) {
        fprintf(log, "\"%s\"", of->text);
    } else if (of->kind == INT32 || of->kind == INT64) {
        fprintf(log, "%" PRId64, of->integer);
    } else if (of->kind == FLOAT64) {
        fprintf(log, "%.17g", of->real);
    } else {
        fputs("[", log);
        for (int64_t i = 0; i < of->n; i++) {
            fputs(i ? ", " : "", log);
            print_value(log, of, i);
        }
        fputs("]", log);
    }
}

static const char *version(void) {
    const char *given = getenv("CATALYST_DOUBLE_CONDUIT");
    return given ? given : "0.9.2";
}

void catalyst_conduit_about(conduit_node *node) {
    catalyst_conduit_node_set_path_char8_str(node, "version", version());
}

char *catalyst_conduit_node_fetch_path_as_char8_str(conduit_node *node, const char *path) {
    for (int i = 0; i < node->n; i++)
        if (strcmp(node->leaves[i].path, path) == 0)
            return node->leaves[i].text;
    return NULL;
}

static int ends_with(const char *path, const char *end) {
    const size_t length = strlen(path), n = strlen(end);
    return length >= n && strcmp(path + length - n, end) == 0;
}

static int is_late(const char *shape) {
    return strcmp(shape, "pyramid") == 0 || strcmp(shape, "wedge") == 0;
}

/* 100 where the shapes of the cells are none that the libraries know. */
static int check_shapes(const conduit_node *node) {
    const int is_old = strcmp(version(), "0.8.5") < 0; /* one digit each */
    for (int i = 0; i < node->n; i++) {
        const leaf *at = &node->leaves[i];
        const char *mapped = strstr(at->path, "/shape_map/");
        if (mapped && at->kind != INT32)
            abort(); /* Node::as_int32() const -- DataType int64 at path */
        if (mapped && is_old && is_late(strrchr(at->path, '/') + 1))
            return 100;
        if (ends_with(at->path, "/elements/shape") && is_late(at->text))
            return 100;
    }
    return 0;
}

/* The channels of the first step. */
static char *first[64];
static int n_first = -1; /* before it */

/* 100 where a channel has a type but no data, or was not there at the first step. */
static int check_channels(const conduit_node *node) {
    const int is_first = n_first < 0;
    n_first = is_first ? 0 : n_first;
    for (int i = 0; i < node->n; i++) {
        const char *path = node->leaves[i].path;
        if (strncmp(path, "catalyst/channels/", 18) != 0 || strchr(path + 18, '/') == NULL ||
            strcmp(strchr(path + 18, '/'), "/type") != 0)
            continue;
        const int length = (int)(strrchr(path, '/') - path);
        int has_data = 0, was_there = 0;
        for (int j = 0; j < node->n; j++)
            has_data |= strncmp(node->leaves[j].path, path, (size_t)length) == 0 &&
                        strncmp(node->leaves[j].path + length, "/data/coordsets/", 16) == 0;
        if (is_first && n_first < 64)
            first[n_first++] = strdup(path);
        for (int j = 0; j < n_first; j++)
            was_there |= strcmp(first[j], path) == 0;
        if (!has_data || !was_there)
            return 100;
    }
    return 0;
}

/* The leaf of that name in a channel's elements; NULL: it has none. */
static const leaf *element_leaf(const conduit_node *node, const char *channel, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/data/topologies/mesh/elements/%s", channel, name);
    for (int i = 0; i < node->n; i++)
        if (strcmp(node->leaves[i].path, path) == 0)
            return &node->leaves[i];
    return NULL;
}

/* The cells of a channel that ParaView takes. */
static int64_t cells_of(const conduit_node *node, const char *channel) {
    static const struct {
        const char *name;
        int n_corners;
    } shapes[] = {{"point", 1}, {"line", 2}, {"tri", 3}, {"quad", 4}, {"tet", 4}, {"hex", 8}};
    const char *paraview = getenv("CATALYST_DOUBLE_PARAVIEW");
    const leaf *shape = element_leaf(node, channel, "shape");
    if (shape && strcmp(shape->text, "mixed") == 0)
        return paraview && strcmp(paraview, "5.11") == 0 ? 0
                                                         : element_leaf(node, channel, "shapes")->n;
    for (size_t i = 0; shape && i < sizeof shapes / sizeof shapes[0]; i++)
        if (strcmp(shape->text, shapes[i].name) == 0)
            return element_leaf(node, channel, "connectivity")->n / shapes[i].n_corners;
    return 0;
}

static void tell_seen(const conduit_node *node) {
    char *seen = NULL;
    size_t size = 0;
    FILE *list = open_memstream(&seen, &size);
    for (int i = 0; list && i < n_first; i++) {
        char *channel = strdup(first[i]);
        channel[strlen(channel) - strlen("/type")] = '\0';
        fprintf(list, "%s%s=%" PRId64, i ? "," : "", strrchr(channel, '/') + 1,
                cells_of(node, channel));
        free(channel);
    }
    if (!list || fclose(list) != 0)
        abort();
    setenv("TESS_VIZ_SEEN", seen, 1);
    free(seen);
}

static int record(const char *call, const conduit_node *node) {
    FILE *log = fopen(getenv("CATALYST_DOUBLE_LOG"), "a");
    if (!log)
        abort();
    fprintf(log, "{\"call\": \"%s\", \"node\": {", call);
    for (int i = 0; i < node->n; i++) {
        fputs(i ? ", " : "", log);
        print_leaf(log, &node->leaves[i]);
    }
    fputs("}}\n", log);
    fclose(log);
    const char *fails = getenv("CATALYST_DOUBLE_FAILS");
    const char *status = getenv("CATALYST_DOUBLE_STATUS");
    return fails && strcmp(fails, call) == 0 ? (status ? atoi(status) : 3) : 0;
}

int catalyst_initialize(const conduit_node *node) {
    return record("initialize", node);
}

int catalyst_execute(const conduit_node *node) {
    const int recorded = record("execute", node);
    const int shapes = check_shapes(node), channels = check_channels(node);
    tell_seen(node);
    return recorded ? recorded : shapes ? shapes : channels;
}

int catalyst_finalize(const conduit_node *node) {
    while (n_first > 0)
        free(first[--n_first]);
    n_first = -1;
    return record("finalize", node);
}

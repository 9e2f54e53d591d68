/* A matrix of a user's loop: blocks over the points of a set. */
#include "kernels/loops/user_matrix.h"

#include "core/base/yaml_words.h"
#include "core/mesh/derive.h"
#include "core/mesh/pairs.h"
#include "kernels/loops/user_name.h"
#include <stdio.h>
#include <string.h>

enum { LONGEST_WORD = TESS_NAME_SIZE - 1, WORDS = 2 * TESS_NAME_SIZE };

/* Where the set that a map leads to stands in its name, NULL where it is no map's. */
static const char *goal_of(const char *map) {
    const char *colon = strchr(map, ':');
    return colon && colon != map && colon[1] ? colon + 1 : NULL;
}

/* Reads how many rows and columns a block has. */
static tess_status read_block(tess_yaml *yaml, const tess_yaml_node *node, tess_user_matrix *out) {
    const tess_yaml_node *list = NULL;
    int n = 0;
    TRY(tess_yaml_list(yaml, node, "block", 2, &list, &n));
    out->block = n == 2;
    for (int i = 0; i < n; i++) {
        const int most = tess_yaml_number(tess_yaml_text(tess_yaml_item(yaml, list, i)), 64);
        out->block = most > 0 ? out->block * most : 0;
    }
    if (out->block < 1 || out->block > TESS_MOST_DIM)
        return tess_yaml_fail(yaml, list,
                              "matrix %s has no such block: write [ROWS, COLUMNS], up to 64 each",
                              out->name);
    return TESS_OK;
}

/* Reads the maps whose elements' pairs of points have blocks. */
static tess_status read_through(tess_yaml *yaml, const tess_yaml_node *node,
                                tess_user_matrix *out) {
    const tess_yaml_node *list = NULL;
    TRY(tess_yaml_list(yaml, node, "through", TESS_MOST_THROUGH, &list, &out->n_through));
    for (int i = 0; i < out->n_through; i++) {
        const tess_yaml_node *item = tess_yaml_item(yaml, list, i);
        const char *map = tess_yaml_text(item);
        const char *goal = map && strlen(map) <= LONGEST_WORD ? goal_of(map) : NULL;
        if (!goal)
            return tess_yaml_fail(yaml, item,
                                  "matrix %s has rows on %s: write maps to it, as in tets:%s",
                                  out->name, out->rows, out->rows);
        if (strcmp(goal, out->rows) != 0)
            return tess_yaml_fail(yaml, item,
                                  "matrix %s has rows on %s, but %s leads to %s: write 'rows: %s', "
                                  "or a map to %s",
                                  out->name, out->rows, map, goal, goal, out->rows);
        out->through[i] = map;
    }
    return TESS_OK;
}

/* Reads which entries of a block are kept; all where none are named. */
static tess_status read_kept(tess_yaml *yaml, const tess_yaml_node *node, tess_user_matrix *out) {
    const tess_yaml_node *list = tess_yaml_find(yaml, node, "entries");
    char what[WORDS];
    snprintf(what, sizeof what, "matrix %s has entry", out->name);
    if (list)
        return tess_yaml_numbers(yaml, list, what, out->block, out->kept, &out->n_kept);
    out->n_kept = out->block;
    for (int i = 0; i < out->block; i++)
        out->kept[i] = i;
    return TESS_OK;
}

/* Reads the type of blocks at a key, real where none is named. */
static tess_status read_type(tess_yaml *yaml, const tess_yaml_node *node, const char *key,
                             const char **out) {
    static const char *const types[] = {"real", "float", "double", NULL};
    int type = 0;
    TRY(tess_yaml_choice(yaml, node, key, types, &type));
    *out = types[type];
    return TESS_OK;
}

tess_status tess_user_matrix_read(tess_yaml *yaml, const tess_yaml_node *node,
                                  tess_user_matrix *out) {
    static const char *const keys[] = {"name",    "rows",     "block",  "through",
                                       "entries", "diagonal", "others", NULL};
    enum { LONGEST_NAME = LONGEST_WORD - sizeof "_diagonal" };
    out->node = node;
    TRY(tess_yaml_check_map(yaml, node, "a matrix", keys));
    TRY(tess_yaml_needed_word(yaml, node, "name", LONGEST_NAME, &out->name));
    TRY(tess_yaml_needed_word(yaml, node, "rows", LONGEST_WORD, &out->rows));
    TRY(tess_user_name_check(yaml, node, "matrix", out->name));
    TRY(read_block(yaml, node, out));
    TRY(read_through(yaml, node, out));
    TRY(read_kept(yaml, node, out));
    TRY(read_type(yaml, node, "diagonal", &out->diagonal_type));
    TRY(read_type(yaml, node, "others", &out->others_type));
    snprintf(out->pairs, sizeof out->pairs, "%s_pairs", out->name);
    snprintf(out->diagonal, sizeof out->diagonal, "%s_diagonal", out->name);
    snprintf(out->others, sizeof out->others, "%s_others", out->name);
    return TESS_OK;
}

/* Finds where the entries of an arg lie among those that are kept. */
static tess_status read_entries(tess_yaml *yaml, const tess_yaml_node *node, int number,
                                tess_matrix_view *out) {
    const tess_user_matrix *matrix = out->matrix;
    const tess_yaml_node *list = tess_yaml_find(yaml, node, "entries");
    char what[WORDS];
    snprintf(what, sizeof what, "arg %d (matrix %s) has entry", number, matrix->name);
    out->n_entries = matrix->n_kept;
    for (int i = 0; i < matrix->n_kept; i++)
        out->positions[i] = matrix->kept[i];
    if (list)
        TRY(tess_yaml_numbers(yaml, list, what, matrix->block, out->positions, &out->n_entries));
    for (int i = 0, k = 0; i < out->n_entries; i++) {
        while (k < matrix->n_kept && matrix->kept[k] < out->positions[i])
            k++;
        if (k == matrix->n_kept || matrix->kept[k] != out->positions[i])
            return tess_yaml_fail(yaml, tess_yaml_item(yaml, list, i),
                                  "%s %d, which the matrix does not keep", what, out->positions[i]);
        out->positions[i] = k;
    }
    return TESS_OK;
}

tess_status tess_matrix_view_read(tess_yaml *yaml, const tess_yaml_node *node, int number,
                                  const char *over, tess_matrix_view *view) {
    static const char *const keys[] = {"matrix", "map", "entries", "as", "access", NULL};
    static const char *const accesses[] = {"inc", NULL};
    const tess_user_matrix *matrix = view->matrix;
    const size_t length = strlen(over);
    int access = -1;
    TRY(tess_yaml_check_map(yaml, node, "an arg of a matrix", keys));
    TRY(tess_yaml_needed_word(yaml, node, "map", LONGEST_WORD, &view->map));
    TRY(tess_yaml_choice(yaml, node, "access", accesses, &access));
    if (access < 0)
        return tess_yaml_fail(yaml, node,
                              "'access' is missing: a loop through a map adds to a matrix (inc)");
    if (strncmp(view->map, over, length) != 0 || view->map[length] != ':' ||
        strcmp(view->map + length + 1, matrix->rows) != 0)
        return tess_yaml_fail(yaml, tess_yaml_find(yaml, node, "map"),
                              "arg %d (matrix %s) goes through '%s': write the map %s:%s", number,
                              matrix->name, view->map, over, matrix->rows);
    snprintf(view->pairs_map, sizeof view->pairs_map, "%s:%s", over, matrix->pairs);
    if (strlen(view->pairs_map) > LONGEST_WORD)
        return tess_yaml_fail(yaml, node, "the name of matrix %s is too long", matrix->name);
    TRY(read_type(yaml, node, "as", &view->type));
    return read_entries(yaml, node, number, view);
}

tess_status tess_user_matrix_bind(const tess_user_matrix *matrix, const tess_yaml *yaml,
                                  tess_mesh *mesh) {
    for (int i = 0; i < matrix->n_through; i++)
        if (tess_mesh_derive(mesh, matrix->through[i]) != TESS_OK)
            return tess_yaml_fail(yaml, matrix->node, "matrix %s: %s", matrix->name,
                                  tess_message());
    if (tess_mesh_find_set(mesh, matrix->pairs) < 0)
        TRY(tess_pairs_add(mesh, matrix->pairs, matrix->through, matrix->n_through));
    return TESS_OK;
}

/* What to do where a pair is lacking: maps that are not among `through` are to be. */
static const char *advice_on(const tess_matrix_view *view) {
    for (int i = 0; i < view->matrix->n_through; i++)
        if (strcmp(view->matrix->through[i], view->map) == 0)
            return "";
    return ": write this map among 'through', too";
}

tess_status tess_matrix_view_bind(const tess_matrix_view *view, const tess_yaml *yaml,
                                  tess_mesh *mesh) {
    if (tess_mesh_find_map(mesh, view->pairs_map))
        return TESS_OK;
    TRY(tess_mesh_derive(mesh, view->map));
    const tess_status status = tess_pairs_of_map_add(mesh, view->map, view->matrix->pairs);
    return status == TESS_ERROR_INPUT
               ? tess_yaml_fail(yaml, view->matrix->node, "%s%s", tess_message(), advice_on(view))
               : status;
}

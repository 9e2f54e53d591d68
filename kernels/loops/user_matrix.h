/* A matrix of a user's loop: blocks over the points of a set, on its diagonal and wherever an
 * element of some map has two points. It consists of what loops know already:
 *
 *   NAME_pairs         the set of ordered pairs of points off the diagonal, by row, then column
 *   NAME_pairs:ROWS    the map to a pair's row (slot 0) and column (slot 1)
 *   FROM:NAME_pairs    from an element to the pairs of its points
 *   NAME_diagonal      the dat of blocks on the diagonal, on the rows' set
 *   NAME_others        the dat of the others, on NAME_pairs
 *
 * The description of one, and of an arg that adds to it:
 *
 *   matrices:
 *     - {name: A, rows: nodes, block: [5, 5], through: ["tets:nodes", "prisms:nodes"],
 *        entries: [1, 2, 3], diagonal: double, others: float}
 *   args:
 *     - {matrix: A, map: "tets:nodes", entries: [1, 3], as: double, access: inc}
 *
 * A matrix with `entries` keeps those alone; without it, whole blocks. An arg is one array of
 * [row slot][column slot][its entries], which a function that is printed behind the user's puts
 * into the two dats: each value is converted once. */
#pragma once

#include "core/base/yaml_file.h"
#include "kernels/loops/application.h"

enum { TESS_MOST_THROUGH = 8 };

/* Texts are the YAML's. */
typedef struct tess_user_matrix {
    const tess_yaml_node *node; /* where it stands */
    const char *name, *rows;
    int n_through;
    const char *through[TESS_MOST_THROUGH];
    const char *diagonal_type, *others_type;
    int block;               /* values of a whole block */
    int n_kept;              /* of them */
    int kept[TESS_MOST_DIM]; /* ascending */
    char pairs[TESS_NAME_SIZE], diagonal[TESS_NAME_SIZE], others[TESS_NAME_SIZE];
} tess_user_matrix;

/* What an arg sees of a matrix. */
typedef struct tess_matrix_view {
    const tess_user_matrix *matrix;
    const char *map, *type; /* FROM:ROWS, of the local array */
    char pairs_map[2 * TESS_NAME_SIZE];
    int n_entries;
    int positions[TESS_MOST_DIM]; /* of its entries among the kept, ascending */
} tess_matrix_view;

/* Reads a matrix and fills what follows from it. */
TESS_MUST_CHECK tess_status tess_user_matrix_read(tess_yaml *yaml, const tess_yaml_node *node,
                                                  tess_user_matrix *out);

/* Reads an arg of a loop over `over`, its `number` in the list, that adds to view->matrix. */
TESS_MUST_CHECK tess_status tess_matrix_view_read(tess_yaml *yaml, const tess_yaml_node *node,
                                                  int number, const char *over,
                                                  tess_matrix_view *view);

/* Adds the pairs and their map to the rows. Fails (INPUT) where the mesh cannot have the maps. */
TESS_MUST_CHECK tess_status tess_user_matrix_bind(const tess_user_matrix *matrix,
                                                  const tess_yaml *yaml, tess_mesh *mesh);

/* Adds the map from an arg's elements to their pairs. Fails (INPUT) where the matrix lacks one. */
TESS_MUST_CHECK tess_status tess_matrix_view_bind(const tess_matrix_view *view,
                                                  const tess_yaml *yaml, tess_mesh *mesh);

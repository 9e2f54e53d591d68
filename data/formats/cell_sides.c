/* Cell sides: of which cell a marked element is a side, and which of its sides. */
#include "data/formats/cell_sides.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

/* A marked element by its nodes, ascending. */
typedef struct keyed_side {
    int32_t key[TESS_FACET_NODES_MAX];
    int64_t side;
} keyed_side;

static int compare_sides(const void *left, const void *right) {
    const keyed_side *a = left, *b = right;
    return memcmp(a->key, b->key, sizeof a->key);
}

/* Gives the marked elements by their keys, and notes their nodes; collapsed ones are left out. */
static tess_status key_sides(const tess_facets *facets, const tess_marked *marked,
                             keyed_side **sides, int64_t *n, uint8_t *is_of_sides) {
    TRY(TESS_ALLOC(marked->n, sides));
    *n = 0;
    for (int64_t side = 0; side < marked->n; side++) {
        const int32_t *nodes = marked->nodes + 4 * side;
        const int size = tess_marked_size(nodes);
        if ((size == 2) != (facets->kind == TESS_FACET_EDGES) ||
            !tess_facet_key(size, nodes, facets->kind, (*sides)[*n].key))
            continue;
        (*sides)[(*n)++].side = side;
        for (int k = 0; k < size; k++)
            is_of_sides[nodes[k]] = 1;
    }
    if (*n)
        qsort(*sides, (size_t)*n, sizeof **sides, compare_sides);
    return TESS_OK;
}

/* The first of n elements whose key is not less. */
static int64_t find_key(const keyed_side *sides, int64_t n, const keyed_side *wanted) {
    int64_t low = 0, high = n;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (compare_sides(&sides[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Gives a half to the elements that have its nodes and none yet. */
static void give_half(const keyed_side *sides, int64_t n, const keyed_side *wanted, int64_t half,
                      int64_t *half_of) {
    for (int64_t i = find_key(sides, n, wanted); i < n && compare_sides(&sides[i], wanted) == 0;
         i++)
        if (half_of[sides[i].side] < 0)
            half_of[sides[i].side] = half;
}

tess_status tess_cell_sides_find(const tess_facets *facets, const tess_marked *marked,
                                 int64_t **out) {
    tess_status status = TESS_OK;
    keyed_side *sides = NULL;
    uint8_t *is_of_sides = NULL;
    int64_t *half_of = NULL, n = 0;
    CHECK(TESS_ALLOC(marked->n, &half_of));
    CHECK(TESS_ZEROS(facets->cells->n_nodes, &is_of_sides));
    for (int64_t side = 0; side < marked->n; side++)
        half_of[side] = -1;
    CHECK(key_sides(facets, marked, &sides, &n, is_of_sides));
    for (int64_t cell = 0; n && cell < facets->cells->n_cells; cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(facets->cells, cell, &type);
        const int n_facets = tess_facet_count(type, facets->kind);
        for (int position = 0; position < n_facets; position++) {
            int32_t of[TESS_FACET_NODES_MAX];
            keyed_side wanted;
            const int size = tess_facet_nodes(type, nodes, facets->kind, position, of);
            bool are_marked = true;
            for (int k = 0; k < size; k++)
                are_marked = are_marked && is_of_sides[of[k]];
            if (are_marked && tess_facet_key(size, of, facets->kind, wanted.key))
                give_half(sides, n, &wanted, cell * facets->stride + position, half_of);
        }
    }
    *out = TESS_TAKE(half_of);
done:
    free(sides);
    free(is_of_sides);
    free(half_of);
    return status;
}

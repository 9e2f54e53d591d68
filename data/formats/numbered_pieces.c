/* Numbered pieces: parts of a mesh whose nodes and elements have numbers in the whole. */
#include "data/formats/numbered_pieces.h"

#include "core/base/array.h"
#include "core/base/key_order.h"
#include <stdlib.h>
#include <string.h>

tess_status tess_numbered_add_node(tess_numbered_pieces *pieces, const tess_numbered_node *node) {
    if (pieces->n_nodes == INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "the pieces have more than 2147483647 nodes");
    TRY(TESS_RESERVE(pieces->n_nodes + 1, &pieces->node_capacity, &pieces->nodes));
    pieces->nodes[pieces->n_nodes++] = *node;
    return TESS_OK;
}

tess_status tess_numbered_add_element(tess_numbered_pieces *pieces,
                                      const tess_numbered_element *element) {
    if (pieces->n_elements == INT32_MAX)
        FAIL(TESS_ERROR_INPUT, "the pieces have more than 2147483647 elements");
    TRY(TESS_RESERVE(pieces->n_elements + 1, &pieces->element_capacity, &pieces->elements));
    pieces->elements[pieces->n_elements++] = *element;
    return TESS_OK;
}

/* Numbers of any sign in the order of unsigned ones. */
static uint64_t key_of(int64_t number) {
    return (uint64_t)number ^ UINT64_C(1) << 63;
}

/* Gives the order of rows by the numbers that they begin with, the caller's. */
static tess_status order_rows(const void *rows, size_t row_size, int64_t n, int32_t **order) {
    tess_status status = TESS_OK;
    uint64_t *keys = NULL;
    CHECK(TESS_ALLOC(n, &keys));
    for (int64_t i = 0; i < n; i++) {
        int64_t number = 0;
        memcpy(&number, (const char *)rows + (size_t)i * row_size, sizeof number);
        keys[i] = key_of(number);
    }
    CHECK(tess_key_order(keys, n, order));
done:
    free(keys);
    return status;
}

/* Gives the node of the whole that each is, and packs the coordinates of these. */
static tess_status join_nodes(const tess_numbered_pieces *pieces, tess_grouped *grouped,
                              int32_t *joined) {
    tess_status status = TESS_OK;
    const int64_t n = pieces->n_nodes;
    const tess_numbered_node *nodes = pieces->nodes;
    int32_t *order = NULL;
    CHECK(order_rows(nodes, sizeof *nodes, n, &order));
    CHECK(TESS_ALLOC(n * grouped->dimension, &grouped->coordinates));
    grouped->n_nodes = 0;
    for (int64_t i = 0; i < n; i++) {
        const tess_numbered_node *node = &nodes[order[i]];
        const bool is_new = i == 0 || node->number != nodes[order[i - 1]].number;
        grouped->n_nodes += is_new;
        joined[order[i]] = (int32_t)(grouped->n_nodes - 1);
        for (int axis = 0; axis < grouped->dimension && is_new; axis++)
            grouped->coordinates[(grouped->n_nodes - 1) * grouped->dimension + axis] =
                node->x[axis];
    }
done:
    free(order);
    return status;
}

static tess_status join_elements(const tess_numbered_pieces *pieces, const int32_t *joined,
                                 tess_elements *elements) {
    tess_status status = TESS_OK;
    const int64_t n = pieces->n_elements;
    int32_t *order = NULL;
    CHECK(order_rows(pieces->elements, sizeof *pieces->elements, n, &order));
    for (int64_t i = 0; i < n; i++) {
        tess_element element = pieces->elements[order[i]].element;
        for (int k = 0; k < tess_element_kinds[element.type].arity; k++)
            element.nodes[k] = joined[element.nodes[k]];
        CHECK(tess_elements_append(elements, &element, 1));
    }
done:
    free(order);
    return status;
}

tess_status tess_numbered_join(tess_numbered_pieces *pieces, tess_grouped *grouped) {
    tess_status status = TESS_OK;
    int32_t *joined = NULL;
    CHECK(TESS_ALLOC(pieces->n_nodes, &joined));
    CHECK(join_nodes(pieces, grouped, joined));
    CHECK(join_elements(pieces, joined, &grouped->elements));
done:
    free(joined);
    return status;
}

void tess_numbered_clear(tess_numbered_pieces *pieces) {
    free(pieces->nodes);
    free(pieces->elements);
    *pieces = (tess_numbered_pieces){.n_nodes = 0};
}

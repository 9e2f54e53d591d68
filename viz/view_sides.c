/* The sides of cells: their distinct edges or faces, numbered. */
#include "viz/view_sides.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <stdlib.h>
#include <string.h>

typedef struct side_key {
    int32_t node[4]; /* ascending, -1 past the last */
} side_key;

static side_key key_of(int n, const int32_t *nodes) {
    side_key key = {{-1, -1, -1, -1}};
    memcpy(key.node, nodes, (size_t)n * sizeof *nodes);
    tess_sort(key.node, n);
    return key;
}

static side_key cell_side_key(const tess_cell_type *type, const int32_t *cell_nodes,
                              tess_facet_kind kind, int s) {
    int32_t nodes[TESS_FACET_NODES_MAX];
    return key_of(tess_facet_nodes(type, cell_nodes, kind, s, nodes), nodes);
}

/* The number of sides of all cells, each counted as often as cells have it, and of one at most. */
static int64_t count_sides(const tess_cells *cells, tess_facet_kind kind, int *stride) {
    int64_t n = 0;
    for (int b = 0; b < cells->n_blocks; b++) {
        const int of_cell = tess_facet_count(cells->blocks[b].type, kind);
        n += of_cell * cells->blocks[b].n;
        *stride = of_cell > *stride ? of_cell : *stride;
    }
    return n;
}

tess_status tess_view_sides_build(const tess_cells *cells, tess_facet_kind kind,
                                  tess_view_sides **out) {
    tess_status status = TESS_OK;
    tess_view_sides *sides = NULL;
    CHECK(TESS_ZEROS(1, &sides));
    const int64_t n_most = count_sides(cells, kind, &sides->stride);
    CHECK(tess_facet_slots_new(n_most, sizeof *sides->nodes, &sides->slots));
    CHECK(TESS_ALLOC(cells->n_cells * sides->stride, &sides->side_of));
    memset(sides->side_of, 0xff, (size_t)(cells->n_cells * sides->stride) * sizeof *sides->side_of);
    int64_t capacity = 0;
    for (int64_t c = 0; c < cells->n_cells; c++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(cells, c, &type);
        for (int s = 0; s < tess_facet_count(type, kind); s++) {
            const side_key key = cell_side_key(type, nodes, kind, s);
            int32_t *side = tess_facet_slot(&sides->slots, sides->nodes, key.node);
            if (*side < 0) {
                if (sides->n_sides == INT32_MAX)
                    CHECK(tess_fail(TESS_ERROR_INPUT, "more than 2147483647 sides of cells"));
                CHECK(TESS_RESERVE(sides->n_sides + 1, &capacity, &sides->nodes));
                memcpy(sides->nodes[sides->n_sides], key.node, sizeof key.node);
                *side = (int32_t)sides->n_sides++;
            }
            sides->side_of[c * sides->stride + s] = *side;
        }
    }
    *out = TESS_TAKE(sides);
done:
    tess_view_sides_free(sides);
    return status;
}

int32_t tess_view_sides_find(const tess_view_sides *sides, int n, const int32_t *nodes) {
    const side_key key = key_of(n, nodes);
    return *tess_facet_slot(&sides->slots, sides->nodes, key.node);
}

static tess_status count_cells_of_sides(const tess_cells *cells, const tess_view_sides *sides,
                                        uint8_t **out) {
    TRY(TESS_ZEROS(sides->n_sides, out));
    for (int64_t i = 0; i < cells->n_cells * sides->stride; i++)
        if (sides->side_of[i] >= 0 && (*out)[sides->side_of[i]] < 2)
            (*out)[sides->side_of[i]]++;
    return TESS_OK;
}

/* Whether the second cell has this side, or there is no second cell and no cell shares it. */
static bool side_fits(const tess_view_sides *sides, const uint8_t *n_cells_of, int32_t side,
                      int32_t second) {
    if (second < 0)
        return n_cells_of[side] == 1;
    for (int s = 0; s < sides->stride; s++)
        if (sides->side_of[(int64_t)second * sides->stride + s] == side)
            return true;
    return false;
}

tess_status tess_view_faces_locate(const tess_cells *cells, const tess_view_sides *faces,
                                   const tess_map *element_cells, int64_t n_elements,
                                   int8_t **out) {
    tess_status status = TESS_OK;
    uint8_t *n_cells_of = NULL, *taken = NULL; /* taken: bit s of a cell's side s */
    int8_t *local = NULL;
    CHECK(count_cells_of_sides(cells, faces, &n_cells_of));
    CHECK(TESS_ZEROS(cells->n_cells, &taken));
    CHECK(TESS_ALLOC(n_elements, &local));
    for (int64_t e = 0; e < n_elements; e++) {
        const int32_t *beside = element_cells->index + e * element_cells->arity;
        const int32_t second = element_cells->arity > 1 ? beside[1] : -1;
        local[e] = -1;
        for (int s = 0; s < faces->stride && beside[0] >= 0 && local[e] < 0; s++) {
            const int32_t side = faces->side_of[(int64_t)beside[0] * faces->stride + s];
            if (side >= 0 && !(taken[beside[0]] >> s & 1) &&
                side_fits(faces, n_cells_of, side, second))
                local[e] = (int8_t)s;
        }
        if (local[e] < 0)
            CHECK(tess_fail(TESS_ERROR_INPUT, "%s: element %lld is at no face of cell %d",
                            element_cells->name, (long long)e, beside[0]));
        taken[beside[0]] |= (uint8_t)(1 << local[e]);
    }
    *out = TESS_TAKE(local);
done:
    free(n_cells_of);
    free(taken);
    free(local);
    return status;
}

void tess_view_sides_free(tess_view_sides *sides) {
    if (!sides)
        return;
    free(sides->side_of);
    free(sides->nodes);
    tess_facet_slots_clear(&sides->slots);
    free(sides);
}

/* What is around: the places at which edges or nodes stand in the cells that have them. */
#include "viz/view_around.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

/* The element at a place, or -1: nodes where `edges` is NULL, else the edge's element. */
static int32_t element_at(const tess_cells *cells, const tess_view_sides *edges,
                          const int32_t *element_of_edge, int64_t cell, int local) {
    if (edges)
        return element_of_edge[edges->side_of[cell * edges->stride + local]];
    const tess_cell_type *type = NULL;
    return tess_cell_nodes(cells, cell, &type)[local];
}

static int places_of_cell(const tess_cells *cells, const tess_view_sides *edges, int64_t cell) {
    const tess_cell_type *type = NULL;
    tess_cell_nodes(cells, cell, &type);
    return edges ? type->n_edges : type->n_nodes;
}

static tess_status around_build(const tess_cells *cells, const tess_view_sides *edges,
                                const int32_t *element_of_edge, int64_t n_elements,
                                tess_view_around **out) {
    tess_status status = TESS_OK;
    tess_view_around *around = NULL;
    CHECK(TESS_ZEROS(1, &around));
    around->n_elements = n_elements;
    CHECK(TESS_ZEROS(n_elements + 2, &around->offset));
    int64_t *end = around->offset + 1; /* counts, then the next free place of each element */
    for (int64_t c = 0; c < cells->n_cells; c++) {
        for (int i = 0; i < places_of_cell(cells, edges, c); i++) {
            const int32_t element = element_at(cells, edges, element_of_edge, c, i);
            if (element >= 0)
                end[element + 1]++;
        }
    }
    for (int64_t e = 0; e < n_elements; e++)
        end[e + 1] += end[e];
    CHECK(TESS_ALLOC(end[n_elements], &around->place));
    for (int64_t c = 0; c < cells->n_cells; c++) {
        for (int i = 0; i < places_of_cell(cells, edges, c); i++) {
            const int32_t element = element_at(cells, edges, element_of_edge, c, i);
            if (element >= 0)
                around->place[end[element]++] = (tess_view_place){.cell = (int32_t)c, .local = i};
        }
    }
    *out = around;
    around = NULL;
done:
    tess_view_around_free(around);
    return status;
}

tess_status tess_view_around_nodes(const tess_cells *cells, int64_t n_nodes,
                                   tess_view_around **out) {
    return around_build(cells, NULL, NULL, n_nodes, out);
}

tess_status tess_view_around_edges(const tess_cells *cells, const tess_map *nodes, int64_t n_edges,
                                   tess_view_around **out) {
    tess_status status = TESS_OK;
    tess_view_sides *edges = NULL;
    int32_t *element_of_edge = NULL;
    CHECK(tess_view_edges_build(cells, &edges));
    CHECK(TESS_ALLOC(edges->n_sides, &element_of_edge));
    memset(element_of_edge, 0xff, (size_t)edges->n_sides * sizeof *element_of_edge);
    for (int64_t e = n_edges - 1; e >= 0; e--) { /* of an edge that is there twice the first */
        const int32_t edge = tess_view_sides_find(edges, 2, nodes->index + 2 * e);
        if (edge >= 0)
            element_of_edge[edge] = (int32_t)e;
    }
    CHECK(around_build(cells, edges, element_of_edge, n_edges, out));
done:
    free(element_of_edge);
    tess_view_sides_free(edges);
    return status;
}

void tess_view_around_free(tess_view_around *around) {
    if (!around)
        return;
    free(around->offset);
    free(around->place);
    free(around);
}

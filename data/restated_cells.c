/* Restated cells: what a file says of one cell several times. */
#include "data/restated_cells.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "data/formats/name_counts.h"
#include "data/keep_rows.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A cell, and the nodes that it has, ascending. */
typedef struct sorted_cell {
    int32_t nodes[TESS_CELL_NODES_MAX];
    int32_t cell;
} sorted_cell;

static int compare_cells(const void *left, const void *right) {
    const sorted_cell *a = left, *b = right;
    const int order = memcmp(a->nodes, b->nodes, sizeof a->nodes);
    return order ? order : (a->cell > b->cell) - (a->cell < b->cell);
}

static tess_status sort_cells(const tess_cells *cells, sorted_cell **out) {
    TRY(TESS_ALLOC(cells->n_cells, out));
#pragma omp parallel for schedule(static)
    for (int64_t cell = 0; cell < cells->n_cells; cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(cells, cell, &type);
        sorted_cell *sorted = &(*out)[cell];
        memset(sorted->nodes, 0xff, sizeof sorted->nodes);
        memcpy(sorted->nodes, nodes, (size_t)type->n_nodes * sizeof *nodes);
        tess_sort(sorted->nodes, type->n_nodes);
        sorted->cell = (int32_t)cell;
    }
    qsort(*out, (size_t)cells->n_cells, sizeof **out, compare_cells);
    return TESS_OK;
}

/* Finds the cells that have the nodes of a lower one and another region; counts them by region.
 * Where the lower one has none, it gets that. */
static int64_t find_restated(const sorted_cell *sorted, int64_t n, int32_t *region, int64_t *count,
                             bool *keep) {
    int64_t n_gone = 0;
    for (int64_t i = 0, first = 0; i < n; i++) {
        const int32_t cell = sorted[i].cell;
        if (memcmp(sorted[i].nodes, sorted[first].nodes, sizeof sorted->nodes) != 0)
            first = i;
        int32_t *stated = &region[sorted[first].cell];
        keep[cell] = first == i || region[cell] == *stated;
        n_gone += !keep[cell];
        if (!keep[cell] && *stated < 0)
            *stated = region[cell];
        else if (!keep[cell] && region[cell] >= 0)
            count[region[cell]]++;
    }
    return n_gone;
}

/* Leaves out cells of all, and the rows of their types. */
static tess_status drop_cells(tess_mesh *mesh, const bool *keep) {
    tess_status status = TESS_OK;
    bool *rows = NULL;
    for (int s = 0; s < mesh->n_sets; s++) {
        const tess_map *map = tess_mesh_find_map_between(mesh, mesh->sets[s].name, "cells");
        if (!map || !tess_cell_type_of_set(mesh->sets[s].name))
            continue;
        CHECK(TESS_ALLOC(mesh->sets[s].size, &rows));
        for (int64_t i = 0; i < mesh->sets[s].size; i++)
            rows[i] = keep[map->index[i]];
        CHECK(tess_mesh_keep_rows(mesh, s, rows));
        free(TESS_TAKE(rows));
    }
    CHECK(tess_mesh_keep_rows(mesh, tess_mesh_find_set(mesh, "cells"), keep));
done:
    free(rows);
    return status;
}

static bool tells_of_twins(const tess_mesh_faults *faults) {
    for (int64_t i = 0; i < faults->n; i++)
        if (strcmp(faults->items[i].kind, "cell-twice") == 0)
            return true;
    return false;
}

tess_status tess_restated_cells_unite(tess_mesh *mesh, const tess_mesh_faults *faults,
                                      int64_t *n_cells) {
    tess_status status = TESS_OK;
    tess_cells cells = {.dimension = 0};
    tess_name_counts words = {.n = 0};
    sorted_cell *sorted = NULL;
    bool *keep = NULL;
    int64_t *count = NULL;
    *n_cells = 0;
    if (!tess_mesh_regions(mesh) || !tells_of_twins(faults))
        return TESS_OK;
    CHECK(tess_cells_build(mesh, &cells));
    CHECK(sort_cells(&cells, &sorted));
    CHECK(TESS_ALLOC(cells.n_cells, &keep));
    CHECK(TESS_ZEROS(mesh->n_regions, &count));
    *n_cells = find_restated(sorted, cells.n_cells,
                             tess_mesh_find_dat(mesh, "region", "cells")->values, count, keep);
    if (*n_cells == 0)
        goto done;
    tess_name_counts_add_all(&words, mesh->regions, count, mesh->n_regions);
    CHECK(tess_mesh_warn(mesh,
                         "%" PRId64 " cells are stated again in another region: each is one cell, "
                         "of the first; left out are those of %s",
                         *n_cells, words.n ? tess_name_counts_text(&words) : "none"));
    CHECK(drop_cells(mesh, keep));
done:
    tess_cells_release(&cells);
    free(sorted);
    free(keep);
    free(count);
    return status;
}

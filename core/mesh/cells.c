/* The cells of a mesh, of one type or mixed: a view that finds each cell's type and nodes. */
#include "core/mesh/cells.h"

#include "core/base/array.h"
#include <stdlib.h>
#include <string.h>

/* The type of cells that have one map: the set that says so, else the one that fits the arity. */
static const tess_cell_type *type_of_all(const tess_mesh *mesh, int arity) {
    for (int t = 0; t < TESS_CELL_TYPES; t++) {
        const tess_cell_type *type = &tess_cell_types[t];
        if (type->n_nodes == arity && tess_mesh_find_set(mesh, type->set) >= 0)
            return type;
    }
    const tess_cell_type *type = tess_cell_type_of_size(mesh->dimension, arity);
    return type ? type : tess_cell_type_of_size(2, arity);
}

static tess_status one_type(const tess_mesh *mesh, const tess_map *map, tess_cells *cells) {
    const tess_cell_type *type = type_of_all(mesh, map->arity);
    if (!type)
        FAIL(TESS_ERROR_INPUT, "%s: no type of cells in %d dimensions has %d nodes", mesh->source,
             mesh->dimension, map->arity);
    cells->dimension = type->dimension;
    cells->n_blocks = 1;
    cells->blocks[0] = (tess_cell_block){.type = type, .n = cells->n_cells, .nodes = map->index};
    return TESS_OK;
}

/* Adds the block of a type, where the mesh states one. */
static tess_status add_block(const tess_mesh *mesh, const tess_cell_type *type, tess_cells *cells) {
    const tess_map *nodes = tess_mesh_find_map_between(mesh, type->set, "nodes");
    const tess_map *position = tess_mesh_find_map_between(mesh, type->set, "cells");
    if (!nodes || !position)
        return TESS_OK;
    if (nodes->arity != type->n_nodes || position->arity != 1)
        FAIL(TESS_ERROR_INPUT, "%s: map %s has %d slots, not %d", mesh->source, nodes->name,
             nodes->arity, type->n_nodes);
    if (cells->dimension && cells->dimension != type->dimension)
        FAIL(TESS_ERROR_INPUT, "%s: %s are among cells of %d dimensions", mesh->source, type->set,
             cells->dimension);
    cells->dimension = type->dimension;
    cells->blocks[cells->n_blocks++] = (tess_cell_block){.type = type,
                                                         .n = mesh->sets[nodes->from].size,
                                                         .nodes = nodes->index,
                                                         .cell = position->index};
    return TESS_OK;
}

/* Finds each cell's block and row; fails unless each has exactly one. */
static tess_status places_build(const tess_mesh *mesh, tess_cells *cells) {
    enum { NOWHERE = 0xff };
    TRY(TESS_ALLOC(cells->n_cells, &cells->block_of));
    TRY(TESS_ALLOC(cells->n_cells, &cells->row_of));
    memset(cells->block_of, NOWHERE, (size_t)cells->n_cells);
    int64_t n = 0;
    for (int b = 0; b < cells->n_blocks; b++) {
        const tess_cell_block *block = &cells->blocks[b];
        for (int64_t row = 0; row < block->n; row++) {
            const int32_t cell = block->cell[row];
            if (cells->block_of[cell] != NOWHERE)
                FAIL(TESS_ERROR_INPUT, "%s: cell %d is stated twice, last as %s %lld", mesh->source,
                     cell, block->type->set, (long long)row);
            cells->block_of[cell] = (uint8_t)b;
            cells->row_of[cell] = (int32_t)row;
        }
        n += block->n;
    }
    for (int64_t cell = 0; cell < cells->n_cells && n < cells->n_cells; cell++)
        if (cells->block_of[cell] == NOWHERE)
            FAIL(TESS_ERROR_INPUT, "%s: cell %lld has no type and no nodes", mesh->source,
                 (long long)cell);
    return TESS_OK;
}

tess_status tess_cells_build(const tess_mesh *mesh, tess_cells *out) {
    tess_status status = TESS_OK;
    tess_cells cells = {.n_cells = tess_mesh_set_size(mesh, "cells"),
                        .n_nodes = tess_mesh_set_size(mesh, "nodes")};
    const tess_map *map = tess_mesh_find_map(mesh, "cells:nodes");
    if (map && !map->derived) { /* a derived one follows from the types */
        CHECK(one_type(mesh, map, &cells));
    } else {
        for (int t = 0; t < TESS_CELL_TYPES; t++)
            CHECK(add_block(mesh, &tess_cell_types[t], &cells));
        if (cells.n_blocks)
            CHECK(places_build(mesh, &cells));
    }
    *out = cells;
    cells = (tess_cells){.dimension = 0};
done:
    tess_cells_release(&cells);
    return status;
}

void tess_cells_release(tess_cells *cells) {
    free(cells->block_of);
    free(cells->row_of);
    cells->block_of = NULL;
    cells->row_of = NULL;
}

tess_status tess_cells_unite(const tess_cells *cells, int *arity, int32_t **out) {
    int32_t *nodes = NULL;
    int most = 0;
    for (int b = 0; b < cells->n_blocks; b++)
        if (cells->blocks[b].type->n_nodes > most)
            most = cells->blocks[b].type->n_nodes;
    TRY(TESS_ALLOC(cells->n_cells * most, &nodes));
#pragma omp parallel for schedule(static)
    for (int64_t cell = 0; cell < cells->n_cells; cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *of_cell = tess_cell_nodes(cells, cell, &type);
        for (int i = 0; i < most; i++)
            nodes[cell * most + i] = i < type->n_nodes ? of_cell[i] : -1;
    }
    *arity = most;
    *out = nodes;
    return TESS_OK;
}

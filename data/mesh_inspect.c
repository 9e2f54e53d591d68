/* An inspection: what is odd about a mesh that was read, said in its warnings. */
#include "data/mesh_inspect.h"

#include "core/base/array.h"
#include "core/mesh/cells.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 1 << 18 }; /* cells or nodes, not worth sharing out */

static tess_status warn(tess_mesh *mesh, const char *set, int64_t count, int64_t first,
                        const char *what) {
    if (count == 0)
        return TESS_OK;
    return tess_mesh_warn(mesh, "%" PRId64 " of the %s %s; the first is number %" PRId64, count,
                          set, what, first);
}

/* The set that the rows of a block are numbered in. */
static const char *set_name(const tess_cell_block *block) {
    return block->cell ? block->type->set : "cells";
}

static bool has_node_twice(const int32_t *nodes, int arity) {
    for (int i = 1; i < arity; i++)
        for (int j = 0; j < i; j++)
            if (nodes[i] == nodes[j])
                return true;
    return false;
}

static bool has_place_twice(const int32_t *nodes, int arity, const double *coordinates,
                            int dimension) {
    for (int i = 1; i < arity; i++) {
        const double *a = coordinates + (int64_t)nodes[i] * dimension;
        for (int j = 0; j < i; j++) {
            const double *b = coordinates + (int64_t)nodes[j] * dimension;
            if (a[0] == b[0] && a[1] == b[1] && (dimension == 2 || a[2] == b[2]))
                return true;
        }
    }
    return false;
}

static tess_status inspect_cells(tess_mesh *mesh, const tess_cell_block *block) {
    const int64_t n = block->n;
    const int arity = block->type->n_nodes, dimension = mesh->dimension;
    const double *coordinates = mesh->coordinates;
    int64_t n_repeating = 0, first_repeating = n, n_flat = 0, first_flat = n;
#pragma omp parallel for schedule(static) if (n > FEW) reduction(+ : n_repeating, n_flat)           \
    reduction(min : first_repeating, first_flat)
    for (int64_t i = 0; i < n; i++) {
        const int32_t *nodes = block->nodes + i * arity;
        if (has_node_twice(nodes, arity)) {
            n_repeating++;
            first_repeating = i < first_repeating ? i : first_repeating;
        } else if (has_place_twice(nodes, arity, coordinates, dimension)) {
            n_flat++;
            first_flat = i < first_flat ? i : first_flat;
        }
    }
    const char *set = set_name(block);
    TRY(warn(mesh, set, n_repeating, first_repeating, "have a node twice"));
    return warn(mesh, set, n_flat, first_flat, "have two nodes at the same place");
}

/* The nodes of a cell in ascending order. */
static void sort_nodes(const int32_t *nodes, int arity, int32_t sorted[TESS_CELL_NODES_MAX]) {
    for (int i = 0; i < arity; i++) {
        int j = i;
        for (; j > 0 && sorted[j - 1] > nodes[i]; j--)
            sorted[j] = sorted[j - 1];
        sorted[j] = nodes[i];
    }
}

static uint64_t hash_nodes(const int32_t *sorted, int arity) {
    uint64_t hash = 0x9E3779B97F4A7C15;
    for (int i = 0; i < arity; i++) {
        hash = (hash ^ (uint32_t)sorted[i]) * 0xBF58476D1CE4E5B9;
        hash ^= hash >> 29;
    }
    return hash;
}

/* A hash table of cells; those with the same nodes share a slot, which keeps the lowest of them. */
typedef struct cell_table {
    const int32_t *index; /* [cells][arity] */
    int arity;
    uint64_t mask;  /* slots - 1; slots are a power of two, twice the cells at least */
    int32_t *cells; /* [slots], -1: free */
} cell_table;

static bool same_nodes(const cell_table *table, const int32_t *sorted, int32_t other) {
    int32_t sorted_other[TESS_CELL_NODES_MAX];
    sort_nodes(table->index + (int64_t)other * table->arity, table->arity, sorted_other);
    return memcmp(sorted, sorted_other, (size_t)table->arity * sizeof *sorted) == 0;
}

/* Enters a cell, while other threads do the same. Gives the larger of it and a cell with the same
 * nodes, or -1 where there is none. Of all the cells with the same nodes, each but the lowest is
 * given once, whatever the order in which they come. */
static int32_t cell_table_enter(cell_table *table, int32_t cell) {
    int32_t sorted[TESS_CELL_NODES_MAX];
    sort_nodes(table->index + (int64_t)cell * table->arity, table->arity, sorted);
    for (uint64_t slot = hash_nodes(sorted, table->arity) & table->mask;;
         slot = (slot + 1) & table->mask) {
        int32_t held = __atomic_load_n(&table->cells[slot], __ATOMIC_RELAXED);
        if (held < 0 && __atomic_compare_exchange_n(&table->cells[slot], &held, cell, false,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return -1;
        if (!same_nodes(table, sorted, held))
            continue;
        while (cell < held && !__atomic_compare_exchange_n(&table->cells[slot], &held, cell, false,
                                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            ;
        return cell < held ? held : cell;
    }
}

static tess_status inspect_duplicates(tess_mesh *mesh, const tess_cell_block *block) {
    const int64_t n = block->n;
    int64_t n_slots = 2;
    while (n_slots < 2 * n)
        n_slots *= 2;
    cell_table table = {
        .index = block->nodes, .arity = block->type->n_nodes, .mask = (uint64_t)n_slots - 1};
    TRY(TESS_ALLOC(n_slots, &table.cells));
    int64_t count = 0, first = n;
#pragma omp parallel if (n > FEW) reduction(+ : count) reduction(min : first)
    {
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n_slots; i++)
            table.cells[i] = -1;
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            const int32_t duplicate = cell_table_enter(&table, (int32_t)i);
            count += duplicate >= 0;
            first = duplicate >= 0 && duplicate < first ? duplicate : first;
        }
    }
    free(table.cells);
    return warn(mesh, set_name(block), count, first, "have the same nodes as another one");
}

/* Marks the nodes of cells. */
static void mark_used(const tess_cell_block *block, char *used) {
    const int64_t n = block->n * block->type->n_nodes;
#pragma omp parallel for schedule(static) if (block->n > FEW)
    for (int64_t i = 0; i < n; i++)
        __atomic_store_n(&used[block->nodes[i]], 1, __ATOMIC_RELAXED);
}

static tess_status count_unused(tess_mesh *mesh, const char *used, int64_t n) {
    int64_t count = 0, first = n;
#pragma omp parallel for schedule(static) if (n > FEW) reduction(+ : count) reduction(min : first)
    for (int64_t i = 0; i < n; i++) {
        count += !used[i];
        first = !used[i] && i < first ? i : first;
    }
    return warn(mesh, "nodes", count, first, "belong to no cell");
}

tess_status tess_mesh_inspect(tess_mesh *mesh) {
    tess_status status = TESS_OK;
    const int64_t n_nodes = tess_mesh_set_size(mesh, "nodes");
    tess_cells cells = {0};
    char *used = NULL;
    CHECK(tess_cells_build(mesh, &cells));
    CHECK(TESS_ZEROS(n_nodes, &used));
    for (int b = 0; b < cells.n_blocks; b++) {
        CHECK(inspect_cells(mesh, &cells.blocks[b]));
        CHECK(inspect_duplicates(mesh, &cells.blocks[b]));
        mark_used(&cells.blocks[b], used);
    }
    CHECK(count_unused(mesh, used, n_nodes));
done:
    free(used);
    tess_cells_release(&cells);
    return status;
}

/* Faults of a mesh: what is odd about its cells and nodes, whatever their shape. */
#include "data/mesh_faults.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 1 << 18 }; /* cells or nodes, not worth sharing out */

tess_status tess_mesh_faults_add(tess_mesh_faults *faults, const tess_mesh_fault *fault) {
    if (fault->count == 0)
        return TESS_OK;
    TRY(TESS_RESERVE(faults->n + 1, &faults->capacity, &faults->items));
    faults->items[faults->n++] = *fault;
    return TESS_OK;
}

int64_t tess_mesh_faults_take(tess_mesh_faults *faults, const char *kind) {
    int64_t n_kept = 0, count = 0;
    for (int64_t i = 0; i < faults->n; i++)
        if (strcmp(faults->items[i].kind, kind) == 0)
            count += faults->items[i].count;
        else
            faults->items[n_kept++] = faults->items[i];
    faults->n = n_kept;
    return count;
}

void tess_mesh_faults_release(tess_mesh_faults *faults) {
    free(faults->items);
    *faults = (tess_mesh_faults){.n = 0};
}

void tess_mesh_fault_show(tess_mesh_fault *fault, int64_t element) {
    if (fault->n_shown < TESS_MOST_SHOWN)
        fault->shown[fault->n_shown++] = (int32_t)element;
}

/* A fault of the rows of a block, none counted yet. */
static tess_mesh_fault fault_of_block(const tess_cell_block *block, const char *kind,
                                      const char *words) {
    tess_mesh_fault fault = {.kind = kind, .words = words};
    snprintf(fault.set, sizeof fault.set, "%s", block->cell ? block->type->set : "cells");
    return fault;
}

static inline bool has_node_twice(const int32_t *nodes, int arity) {
    for (int i = 1; i < arity; i++)
        for (int j = 0; j < i; j++)
            if (nodes[i] == nodes[j])
                return true;
    return false;
}

static inline bool has_place_twice(const int32_t *nodes, int arity, const double *coordinates,
                                   int dimension) {
    const double *place[TESS_CELL_NODES_MAX];
    double x[TESS_CELL_NODES_MAX]; /* along the first axis, which alone tells most apart */
    for (int i = 0; i < arity; i++) {
        place[i] = coordinates + (int64_t)nodes[i] * dimension;
        x[i] = *place[i];
    }
    for (int i = 1; i < arity; i++)
        for (int j = 0; j < i; j++)
            if (x[i] == x[j] && place[i][1] == place[j][1] &&
                (dimension == 2 || place[i][2] == place[j][2]))
                return true;
    return false;
}

/* A test of the cells of a block. */
typedef bool cell_test(const tess_mesh *mesh, const int32_t *nodes, int arity);

/* Triangles and tetrahedra have branches of their own: most cells of large meshes are such. */
static bool repeats_node(const tess_mesh *mesh, const int32_t *nodes, int arity) {
    (void)mesh;
    return arity == 3   ? has_node_twice(nodes, 3)
           : arity == 4 ? has_node_twice(nodes, 4)
                        : has_node_twice(nodes, arity);
}

static bool repeats_position(const tess_mesh *mesh, const int32_t *nodes, int arity) {
    const double *x = mesh->coordinates;
    const int dimension = mesh->dimension;
    const bool repeats = arity == 3 && dimension == 2 ? has_place_twice(nodes, 3, x, 2)
                         : arity == 4 && dimension == 3
                             ? has_place_twice(nodes, 4, x, 3)
                             : has_place_twice(nodes, arity, x, dimension);
    return repeats && !has_node_twice(nodes, arity);
}

/* Adds the cells of a block that the test finds. */
static tess_status find_cells(const tess_mesh *mesh, const tess_cell_block *block, cell_test *test,
                              tess_mesh_fault fault, tess_mesh_faults *faults) {
    const int64_t n = block->n;
    const int arity = block->type->n_nodes;
    int64_t count = 0, first = n;
#pragma omp parallel for schedule(static) if (n > FEW) reduction(+ : count) reduction(min : first)
    for (int64_t i = 0; i < n; i++)
        if (test(mesh, block->nodes + i * arity, arity)) {
            count++;
            first = i < first ? i : first;
        }
    fault.count = count;
    for (int64_t i = first; i < n && fault.n_shown < count && fault.n_shown < TESS_MOST_SHOWN; i++)
        if (test(mesh, block->nodes + i * arity, arity))
            tess_mesh_fault_show(&fault, i);
    return tess_mesh_faults_add(faults, &fault);
}

/* What cells are told apart by before their nodes are compared one by one: the order of the nodes
 * does not matter. */
typedef struct cell_key {
    int32_t lowest; /* node */
    uint64_t hash;
} cell_key;

static cell_key key_of(const int32_t *nodes, int arity) {
    cell_key key = {.lowest = nodes[0]};
    for (int i = 0; i < arity; i++) {
        uint64_t mixed = (uint64_t)(uint32_t)nodes[i] * 0x9E3779B97F4A7C15;
        mixed ^= mixed >> 32;
        key.hash += mixed * 0xBF58476D1CE4E5B9;
        key.lowest = nodes[i] < key.lowest ? nodes[i] : key.lowest;
    }
    return key;
}

/* A hash table of cells; those with the same nodes share a slot, which keeps the lowest of them.
 * Cells with the same lowest node share a row of slots, so that cells whose numbers are near meet
 * in memory that is near. */
typedef struct cell_table {
    const int32_t *index; /* [cells][arity] */
    int arity;
    int64_t n_nodes;
    uint32_t *row_offset; /* [nodes + 1]: the slots of each lowest node */
    int32_t *cells;       /* [slots], -1: free; in each row as many as cells at least */
} cell_table;

static void cell_table_release(cell_table *table) {
    free(table->row_offset);
    free(table->cells);
}

static const int32_t *nodes_of(const cell_table *table, int32_t cell) {
    return table->index + (int64_t)cell * table->arity;
}

/* Makes rows for n cells, all slots free. */
static tess_status cell_table_build(cell_table *table, int64_t n) {
    TRY(TESS_ZEROS(table->n_nodes + 1, &table->row_offset));
#pragma omp parallel for schedule(static) if (n > FEW)
    for (int64_t i = 0; i < n; i++) {
        const int32_t lowest = key_of(nodes_of(table, (int32_t)i), table->arity).lowest;
        __atomic_fetch_add(&table->row_offset[lowest], 1, __ATOMIC_RELAXED);
    }
    uint32_t n_slots = 0; /* fewer than two a cell, of which there are fewer than 2^31 */
    for (int64_t node = 0; node <= table->n_nodes; node++) {
        const uint32_t n_cells = table->row_offset[node];
        table->row_offset[node] = n_slots;
        n_slots += n_cells + n_cells / 4;
    }
    TRY(TESS_ALLOC((int64_t)n_slots, &table->cells));
#pragma omp parallel for schedule(static) if (n > FEW)
    for (int64_t i = 0; i < (int64_t)n_slots; i++)
        table->cells[i] = -1;
    return TESS_OK;
}

static bool same_nodes(const cell_table *table, int32_t cell, uint64_t hash, int32_t other) {
    const int32_t cells[2] = {cell, other};
    const size_t size = (size_t)table->arity * sizeof(int32_t);
    int32_t sorted[2][TESS_CELL_NODES_MAX];
    if (key_of(nodes_of(table, other), table->arity).hash != hash)
        return false;
    for (int i = 0; i < 2; i++) {
        memcpy(sorted[i], nodes_of(table, cells[i]), size);
        tess_sort(sorted[i], table->arity);
    }
    return memcmp(sorted[0], sorted[1], size) == 0;
}

/* The slot that a cell's key leads to. */
static uint32_t first_slot(const cell_table *table, const cell_key *key) {
    __extension__ typedef unsigned __int128 wide;
    const uint32_t first = table->row_offset[key->lowest];
    return first + (uint32_t)((wide)key->hash * (table->row_offset[key->lowest + 1] - first) >> 64);
}

static uint32_t next_slot(const cell_table *table, const cell_key *key, uint32_t slot) {
    return slot + 1 < table->row_offset[key->lowest + 1] ? slot + 1
                                                         : table->row_offset[key->lowest];
}

/* Enters a cell, while other threads do the same. Gives the larger of it and a cell with the same
 * nodes, or -1. Of all the cells with the same nodes, each but the lowest is
 * given once, whatever the order in which they come. */
static int32_t cell_table_enter(cell_table *table, int32_t cell) {
    const cell_key key = key_of(nodes_of(table, cell), table->arity);
    for (uint32_t slot = first_slot(table, &key);; slot = next_slot(table, &key, slot)) {
        int32_t held = __atomic_load_n(&table->cells[slot], __ATOMIC_RELAXED);
        if (held < 0 && __atomic_compare_exchange_n(&table->cells[slot], &held, cell, false,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return -1;
        if (!same_nodes(table, cell, key.hash, held))
            continue;
        while (cell < held && !__atomic_compare_exchange_n(&table->cells[slot], &held, cell, false,
                                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            ;
        return cell < held ? held : cell;
    }
}

/* Whether the table holds a lower cell with the nodes of this one, once all are entered. */
static bool is_duplicate(const cell_table *table, int32_t cell) {
    const cell_key key = key_of(nodes_of(table, cell), table->arity);
    uint32_t slot = first_slot(table, &key);
    while (!same_nodes(table, cell, key.hash, table->cells[slot]))
        slot = next_slot(table, &key, slot);
    return table->cells[slot] < cell;
}

static tess_status find_duplicates(const tess_cell_block *block, int64_t n_nodes,
                                   tess_mesh_faults *faults) {
    tess_status status = TESS_OK;
    const int64_t n = block->n;
    cell_table table = {.index = block->nodes, .arity = block->type->n_nodes, .n_nodes = n_nodes};
    int64_t count = 0, first = n;
    CHECK(cell_table_build(&table, n));
#pragma omp parallel for schedule(static) if (n > FEW) reduction(+ : count) reduction(min : first)
    for (int64_t i = 0; i < n; i++) {
        const int32_t duplicate = cell_table_enter(&table, (int32_t)i);
        count += duplicate >= 0;
        first = duplicate >= 0 && duplicate < first ? duplicate : first;
    }
    tess_mesh_fault fault =
        fault_of_block(block, "cell-twice", "have the same nodes as another one");
    fault.count = count;
    for (int64_t i = first; i < n && fault.n_shown < count && fault.n_shown < TESS_MOST_SHOWN; i++)
        if (is_duplicate(&table, (int32_t)i))
            tess_mesh_fault_show(&fault, i);
    CHECK(tess_mesh_faults_add(faults, &fault));
done:
    cell_table_release(&table);
    return status;
}

/* What is known of a node, in bits. */
enum { UNUSED, USED /* by a cell */, OF_SIDES /* some marked side has it */, USED_OF_SIDES };

/* Marks the nodes of cells, and notes the marked sides of those that may have one. */
static void mark_used(const tess_cell_block *block, tess_marked_sides *sides, uint8_t *known) {
    const int arity = block->type->n_nodes;
    const unsigned fewest = (unsigned)block->type->dimension; /* nodes of a side */
#pragma omp parallel for schedule(static) if (block->n > FEW)
    for (int64_t i = 0; i < block->n; i++) {
        const int32_t *nodes = block->nodes + i * arity;
        unsigned all = USED, n_of_sides = 0;
        for (int k = 0; k < arity; k++) {
            const uint8_t node = __atomic_load_n(&known[nodes[k]], __ATOMIC_RELAXED);
            n_of_sides += node >> 1;
            all &= node;
        }
        for (int k = 0; k < arity && !all; k++) /* a store takes the line from other threads */
            __atomic_fetch_or(&known[nodes[k]], USED, __ATOMIC_RELAXED);
        if (n_of_sides >= fewest)
            tess_marked_sides_note(sides, block->type, nodes);
    }
}

static tess_status find_unused(const uint8_t *known, int64_t n, tess_mesh_faults *faults) {
    tess_mesh_fault fault = {.kind = "node-unused", .words = "belong to no cell", .set = "nodes"};
    int64_t count = 0;
#pragma omp parallel for schedule(static) if (n > FEW) reduction(+ : count)
    for (int64_t i = 0; i < n; i++)
        count += !(known[i] & USED);
    fault.count = count;
    for (int64_t i = 0; i < n && fault.n_shown < count && fault.n_shown < TESS_MOST_SHOWN; i++)
        if (!(known[i] & USED))
            tess_mesh_fault_show(&fault, i);
    return tess_mesh_faults_add(faults, &fault);
}

tess_status tess_mesh_faults_of_cells(const tess_mesh *mesh, tess_marked_sides *sides,
                                      tess_mesh_faults *faults) {
    tess_status status = TESS_OK;
    const int64_t n_nodes = tess_mesh_set_size(mesh, "nodes");
    tess_cells cells = {0};
    uint8_t *known = NULL;
    CHECK(tess_cells_build(mesh, &cells));
    CHECK(TESS_ZEROS(n_nodes, &known));
    for (int64_t i = 0; sides && i < n_nodes; i++)
        known[i] = tess_marked_sides_nodes(sides)[i] ? OF_SIDES : UNUSED;
    for (int b = 0; b < cells.n_blocks; b++) {
        const tess_cell_block *block = &cells.blocks[b];
        CHECK(find_cells(mesh, block, repeats_node,
                         fault_of_block(block, "node-twice", "have a node twice"), faults));
        CHECK(find_cells(mesh, block, repeats_position,
                         fault_of_block(block, "place-twice", "have two nodes at the same place"),
                         faults));
        CHECK(find_duplicates(block, n_nodes, faults));
        mark_used(block, sides, known);
    }
    if (cells.n_blocks > 0) /* the nodes of polyhedra are not listed */
        CHECK(find_unused(known, n_nodes, faults));
done:
    free(known);
    tess_cells_release(&cells);
    return status;
}

/* Turning: the nodes of cells so that cells of neighbouring numbers have them in the same slots. */
#include "data/turn_cells.h"

#include "core/base/splitmix.h"
#include "core/mesh/cells.h"
#include "data/canonical_mesh.h"
#include <string.h>

enum { POSITIONS = 4096, PASSES = 2 };

/* How many cells of a window have a node in a slot, or two nodes in two: by a number of these. */
typedef struct tally {
    uint64_t of[POSITIONS];
    int32_t n[POSITIONS];
} tally;

/* A cell's nodes in the order of a turn. */
typedef struct turned {
    const int32_t *row;
    const signed char *turn;
    int n_nodes;
} turned;

/* The number of the nodes in slots i and j, which may be one. */
static uint64_t number_of(const turned *cell, int i, int j) {
    const uint64_t a = (uint64_t)cell->row[cell->turn[i]], b = (uint64_t)cell->row[cell->turn[j]];
    return tess_random_mix((a << 32 | b) +
                           (uint64_t)(TESS_CELL_NODES_MAX * i + j) * UINT64_C(0x9e3779b97f4a7c15)) |
           1;
}

static int32_t *count_of(tally *t, uint64_t number) {
    size_t at = number >> 40 & (POSITIONS - 1);
    while (t->of[at] && t->of[at] != number)
        at = (at + 1) & (POSITIONS - 1);
    t->of[at] = number;
    return &t->n[at];
}

static void count(tally *t, const turned *cell, int by) {
    for (int i = 0; i < cell->n_nodes; i++)
        for (int j = i; j < cell->n_nodes; j++)
            *count_of(t, number_of(cell, i, j)) += by;
}

/* Nodes and pairs of nodes that others of the window have in the same slots. */
static int agreement(const tally *t, const turned *cell) {
    int n = 0;
    for (int i = 0; i < cell->n_nodes; i++)
        for (int j = i; j < cell->n_nodes; j++) {
            const uint64_t number = number_of(cell, i, j);
            size_t at = number >> 40 & (POSITIONS - 1);
            while (t->of[at] && t->of[at] != number)
                at = (at + 1) & (POSITIONS - 1);
            n += t->n[at] > 0;
        }
    return n;
}

typedef struct turns {
    int n, n_nodes;
    signed char slots[TESS_MOST_TURNS][TESS_CELL_NODES_MAX];
} turns;

static void turn_cell(tally *t, const turns *variants, int32_t *row) {
    int best = 0, most = -1;
    int32_t nodes[TESS_CELL_NODES_MAX];
    for (int w = 0; w < variants->n; w++) {
        const int n = agreement(t, &(turned){row, variants->slots[w], variants->n_nodes});
        best = n > most ? w : best;
        most = n > most ? n : most;
    }
    for (int k = 0; k < variants->n_nodes; k++)
        nodes[k] = row[variants->slots[best][k]];
    memcpy(row, nodes, (size_t)variants->n_nodes * sizeof *row);
}

/* Turns n cells, first by those before each, then by all others. */
static void turn_window(const turns *variants, int32_t *rows, int64_t n) {
    tally t = {.of = {0}};
    for (int pass = 0; pass < PASSES; pass++)
        for (int64_t i = 0; i < n; i++) {
            int32_t *row = rows + i * variants->n_nodes;
            const turned cell = {row, variants->slots[0], variants->n_nodes};
            if (pass > 0)
                count(&t, &cell, -1);
            turn_cell(&t, variants, row);
            count(&t, &cell, 1);
        }
}

tess_status tess_mesh_turn_cells(tess_mesh *mesh, int64_t window) {
    tess_cells cells = {.dimension = 0};
    TRY(tess_cells_build(mesh, &cells));
    for (int m = 0; m < mesh->n_maps; m++)
        for (int b = 0; b < cells.n_blocks; b++) {
            const tess_map *map = &mesh->maps[m];
            if (cells.blocks[b].nodes != map->index)
                continue;
            const int64_t n = mesh->sets[map->from].size;
            turns variants = {.n_nodes = map->arity};
            variants.n =
                tess_cell_turns(cells.blocks[b].type->dimension, map->arity, variants.slots);
#pragma omp parallel for schedule(static)
            for (int64_t first = 0; first < n; first += window)
                turn_window(&variants, map->index + first * map->arity,
                            n - first < window ? n - first : window);
        }
    tess_cells_release(&cells);
    return TESS_OK;
}

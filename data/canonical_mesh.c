/* A canonical mesh: one numbering for all files of a mesh, whatever theirs is. */
#include "data/canonical_mesh.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "core/base/splitmix.h"
#include <stdlib.h>
#include <string.h>

/* --- nodes ------------------------------------------------------------------------------------ */

/* A node, its place, and a hash of what is around it. */
typedef struct placed_node {
    double x[3];
    uint64_t around;
    int32_t node;
} placed_node;

static uint64_t hash_place(const double x[3]) {
    uint64_t hash = 0;
    for (int axis = 0; axis < 3; axis++) {
        uint64_t bits = 0;
        memcpy(&bits, &x[axis], sizeof bits);
        hash = tess_random_mix(hash + bits + 1);
    }
    return hash;
}

/* Makes each node's hash one of those of its cells' nodes, too, in any order. */
static tess_status hash_neighbours(const tess_cells *cells, placed_node *nodes) {
    uint64_t *sum = NULL;
    TRY(TESS_ZEROS(cells->n_nodes, &sum));
    for (int b = 0; b < cells->n_blocks; b++) {
        const tess_cell_block *block = &cells->blocks[b];
        const int n_nodes = block->type->n_nodes;
        for (int64_t i = 0; i < block->n; i++) {
            const int32_t *corner = block->nodes + i * n_nodes;
            uint64_t cell = (uint64_t)block->type->vtk;
            for (int k = 0; k < n_nodes; k++)
                cell += tess_random_mix(nodes[corner[k]].around);
            for (int k = 0; k < n_nodes; k++)
                sum[corner[k]] += tess_random_mix(cell);
        }
    }
    for (int64_t i = 0; i < cells->n_nodes; i++)
        nodes[i].around = tess_random_mix(nodes[i].around + tess_random_mix(sum[i]));
    free(sum);
    return TESS_OK;
}

/* Makes each node's hash one of those of its polygons or polyhedra, too, told by their sides. */
static tess_status hash_polytopes(const tess_polytopes *polytopes, placed_node *nodes) {
    tess_status status = TESS_OK;
    uint64_t *sum = NULL, *cell = NULL;
    CHECK(TESS_ZEROS(polytopes->n_nodes, &sum));
    CHECK(TESS_ZEROS(polytopes->n_cells, &cell));
    for (int pass = 0; pass < 2; pass++)
        for (int64_t side = 0; side < polytopes->n_sides; side++) {
            int n = 0;
            int32_t cells[2];
            uint64_t own = 0;
            const int32_t *corner = tess_polytope_side(polytopes, side, &n);
            tess_polytope_cells(polytopes, side, cells);
            for (int k = 0; k < n; k++)
                own += tess_random_mix(nodes[corner[k]].around);
            for (int c = 0; c < 2; c++) {
                if (cells[c] >= 0 && pass == 0)
                    cell[cells[c]] += tess_random_mix(own);
                for (int k = 0; k < n && cells[c] >= 0 && pass == 1; k++)
                    sum[corner[k]] += tess_random_mix(cell[cells[c]]);
            }
        }
    for (int64_t i = 0; i < polytopes->n_nodes; i++)
        nodes[i].around = tess_random_mix(nodes[i].around + tess_random_mix(sum[i]));
done:
    free(sum);
    free(cell);
    return status;
}

static int compare_nodes(const void *left, const void *right) {
    const placed_node *a = left, *b = right;
    for (int axis = 0; axis < 3; axis++)
        if (a->x[axis] != b->x[axis])
            return a->x[axis] < b->x[axis] ? -1 : 1;
    if (a->around != b->around)
        return a->around < b->around ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

tess_status tess_canonical_nodes(const tess_mesh *mesh, const tess_cells *cells,
                                 const tess_polytopes *polytopes, int32_t **new_to_old) {
    enum { ROUNDS = 2 };
    tess_status status = TESS_OK;
    const int64_t n = cells->n_nodes;
    placed_node *nodes = NULL;
    CHECK(TESS_ZEROS(n, &nodes));
    for (int64_t i = 0; i < n; i++) {
        nodes[i].node = (int32_t)i;
        for (int axis = 0; axis < mesh->dimension; axis++)
            nodes[i].x[axis] = mesh->coordinates[i * mesh->dimension + axis] + 0.0; /* no -0 */
        nodes[i].around = hash_place(nodes[i].x);
    }
    for (int round = 0; round < ROUNDS; round++)
        CHECK(polytopes->dimension ? hash_polytopes(polytopes, nodes)
                                   : hash_neighbours(cells, nodes));
    qsort(nodes, (size_t)n, sizeof *nodes, compare_nodes);
    CHECK(TESS_ALLOC(n, new_to_old));
    for (int64_t i = 0; i < n; i++)
        (*new_to_old)[i] = nodes[i].node;
done:
    free(nodes);
    return status;
}

/* --- elements --------------------------------------------------------------------------------- */

/* Turns from which all others follow, by dimension and number of nodes; slots from 0. */
static const struct {
    int dimension, n_nodes;
    signed char turn[2][TESS_CELL_NODES_MAX];
} generators[] = {{2, 3, {{1, 2, 0}, {0, 1, 2}}},
                  {2, 4, {{1, 2, 3, 0}, {0, 1, 2, 3}}},
                  {3, 4, {{1, 2, 0, 3}, {0, 2, 3, 1}}},
                  {3, 5, {{1, 2, 3, 0, 4}, {0, 1, 2, 3, 4}}},
                  {3, 6, {{1, 2, 0, 4, 5, 3}, {3, 5, 4, 0, 2, 1}}},
                  {3, 8, {{1, 2, 3, 0, 5, 6, 7, 4}, {3, 2, 6, 7, 0, 1, 5, 4}}}};

int tess_cell_turns(int dimension, int n_nodes,
                    signed char slots[TESS_MOST_TURNS][TESS_CELL_NODES_MAX]) {
    int n = 1;
    for (int k = 0; k < n_nodes; k++)
        slots[0][k] = (signed char)k;
    for (size_t g = 0; g < sizeof generators / sizeof generators[0]; g++) {
        if (generators[g].dimension != dimension || generators[g].n_nodes != n_nodes)
            continue;
        for (int at = 0; at < n; at++) /* the list grows until nothing new follows */
            for (int k = 0; k < 2; k++) {
                signed char turned[TESS_CELL_NODES_MAX];
                for (int slot = 0; slot < n_nodes; slot++)
                    turned[slot] = slots[at][generators[g].turn[k][slot]];
                int known = 0;
                while (known < n && memcmp(slots[known], turned, (size_t)n_nodes) != 0)
                    known++;
                if (known == n && n < TESS_MOST_TURNS)
                    memcpy(slots[n++], turned, (size_t)n_nodes);
            }
    }
    return n;
}

/* Turns each row of a map. */
static void turn_rows(int dimension, int64_t n, int arity, int32_t *index) {
    signed char turns[TESS_MOST_TURNS][TESS_CELL_NODES_MAX];
    const int n_turns = tess_cell_turns(dimension, arity, turns);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        int32_t least[TESS_CELL_NODES_MAX], *row = index + i * arity;
        memcpy(least, row, (size_t)arity * sizeof *row);
        for (int t = 1; t < n_turns; t++) {
            int slot = 0;
            while (slot < arity && row[turns[t][slot]] == least[slot])
                slot++;
            if (slot < arity && row[turns[t][slot]] < least[slot])
                for (int k = 0; k < arity; k++)
                    least[k] = row[turns[t][k]];
        }
        memcpy(row, least, (size_t)arity * sizeof *row);
    }
}

/* The type of the cells whose nodes a map states, NULL where it is of none. */
static const tess_cell_type *type_of(const tess_cells *cells, const tess_map *map) {
    for (int b = 0; b < cells->n_blocks; b++)
        if (cells->blocks[b].nodes == map->index)
            return cells->blocks[b].type;
    return NULL;
}

/* Turns the nodes around a side so that the least comes first. */
static void turn_ring(int32_t *nodes, int n) {
    int least = 0;
    for (int i = 1; i < n; i++)
        least = nodes[i] < nodes[least] ? i : least;
    tess_reverse(nodes, least); /* in three turns */
    tess_reverse(nodes + least, n - least);
    tess_reverse(nodes, n);
}

/* Turns the sides of polytopes, the lower cell first. */
static void turn_sides(const tess_polytopes *polytopes) {
    for (int64_t side = 0; side < polytopes->n_sides; side++) {
        const bool outer = side >= polytopes->n_inner;
        const tess_map *of_cells = polytopes->of_cells[outer];
        int32_t *cells =
            of_cells->index + (side - (outer ? polytopes->n_inner : 0)) * of_cells->arity;
        int n = 0;
        int32_t *nodes = (int32_t *)(uintptr_t)tess_polytope_side(polytopes, side, &n);
        if (of_cells->arity == 2 && cells[1] >= 0 && cells[1] < cells[0]) {
            tess_reverse(cells, 2);
            tess_reverse(nodes, n);
        }
        turn_ring(nodes, n);
    }
}

tess_status tess_canonical_turn(tess_mesh *mesh) {
    tess_polytopes polytopes = {.dimension = 0};
    static const char *const marked[] = {"marked_tris:nodes", "marked_quads:nodes"};
    tess_cells cells = {.dimension = 0};
    TRY(tess_polytopes_build(mesh, &polytopes));
    turn_sides(&polytopes);
    tess_polytopes_release(&polytopes);
    TRY(tess_cells_build(mesh, &cells));
    for (int m = 0; m < mesh->n_maps; m++) {
        const tess_map *map = &mesh->maps[m];
        const tess_cell_type *type = type_of(&cells, map);
        const bool side = strcmp(map->name, marked[0]) == 0 || strcmp(map->name, marked[1]) == 0;
        if (type || side)
            turn_rows(type ? type->dimension : 2, mesh->sets[map->from].size, map->arity,
                      map->index);
    }
    tess_cells_release(&cells);
    return TESS_OK;
}

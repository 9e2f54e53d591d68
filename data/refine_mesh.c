/* Refinement: every cell cut into smaller ones of its type, by new nodes on its edges and faces. */
#include "data/refine_mesh.h"

#include "core/base/array.h"
#include "data/formats/marked.h"
#include "data/refine_points.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The pieces of all cells, by type. */
typedef struct cell_pieces {
    int64_t *first; /* [n_cells]: number of a cell's first piece */
    int64_t n_cells;
    struct {
        int64_t n;
        int32_t *nodes, *cell;
    } of_type[TESS_CELL_TYPES];
} cell_pieces;

static int number_of_type(const char *set) {
    return (int)(tess_cell_type_of_set(set) - tess_cell_types);
}

/* Numbers the pieces along the cells and makes room for them. */
static tess_status pieces_build(const tess_cells *cells, cell_pieces *pieces) {
    TRY(TESS_ALLOC(cells->n_cells, &pieces->first));
    for (int64_t cell = 0; cell < cells->n_cells; cell++) {
        const int block = cells->block_of ? cells->block_of[cell] : 0;
        pieces->first[cell] = pieces->n_cells;
        pieces->n_cells += tess_refinement_of(cells->blocks[block].type->set)->n_pieces;
    }
    if (pieces->n_cells > INT32_MAX)
        FAIL(TESS_ERROR_INPUT,
             "set 'cells' would have %lld elements; at most 2147483647 are possible",
             (long long)pieces->n_cells);
    for (int b = 0; b < cells->n_blocks; b++) {
        const tess_refinement *cut = tess_refinement_of(cells->blocks[b].type->set);
        for (int p = 0; p < cut->n_pieces; p++)
            pieces->of_type[number_of_type(cut->pieces[p].set)].n += cells->blocks[b].n;
    }
    for (int t = 0; t < TESS_CELL_TYPES; t++) {
        TRY(TESS_ALLOC(pieces->of_type[t].n * tess_cell_types[t].n_nodes,
                       &pieces->of_type[t].nodes));
        TRY(TESS_ALLOC(pieces->of_type[t].n, &pieces->of_type[t].cell));
    }
    return TESS_OK;
}

static void pieces_release(cell_pieces *pieces) {
    free(pieces->first);
    for (int t = 0; t < TESS_CELL_TYPES; t++) {
        free(pieces->of_type[t].nodes);
        free(pieces->of_type[t].cell);
    }
}

/* Which diagonal of a tet's inner octahedron is the shortest, the first of equals. */
static int shortest_diagonal(int dimension, const double *coordinates, const int32_t *points) {
    int shortest = 0;
    double least = 0;
    for (int k = 0; k < 3; k++) {
        const double *a = coordinates + (int64_t)points[tess_refine_diagonals[k][0][0]] * dimension;
        const double *b = coordinates + (int64_t)points[tess_refine_diagonals[k][0][1]] * dimension;
        double length = 0;
        for (int d = 0; d < dimension; d++)
            length += (a[d] - b[d]) * (a[d] - b[d]);
        if (k == 0 || length < least) {
            least = length;
            shortest = k;
        }
    }
    return shortest;
}

/* Cuts the cells of a block. `begin` is where each type's next rows begin, moved behind them. */
static tess_status cut_block(const tess_mesh *mesh, const tess_refine_points *points, int b,
                             const double *coordinates, int64_t begin[TESS_CELL_TYPES],
                             cell_pieces *pieces) {
    const tess_cell_block *block = &points->cells->blocks[b];
    const tess_refinement *cut = tess_refinement_of(block->type->set);
    const bool are_tets = strcmp(cut->set, "tets") == 0;
    int per_cell[TESS_CELL_TYPES] = {0}, type_of[TESS_REFINE_PIECES_MAX],
        rank[TESS_REFINE_PIECES_MAX];
    for (int p = 0; p < cut->n_pieces; p++) {
        type_of[p] = number_of_type(cut->pieces[p].set);
        rank[p] = per_cell[type_of[p]]++;
    }
    int64_t bad = block->n;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t row = 0; row < block->n; row++) {
        int32_t local[TESS_REFINE_POINTS_MAX];
        if (!tess_refine_points_of_cell(points, b, row, local)) {
            bad = row < bad ? row : bad;
            continue;
        }
        const int diagonal = are_tets ? shortest_diagonal(mesh->dimension, coordinates, local) : 0;
        const int64_t cell = block->cell ? block->cell[row] : row;
        for (int p = 0; p < cut->n_pieces; p++) {
            const int t = type_of[p], n_nodes = tess_cell_types[t].n_nodes;
            const signed char *piece =
                are_tets && p >= 4 ? tess_refine_diagonals[diagonal][p - 4] : cut->pieces[p].points;
            const int64_t to = begin[t] + row * per_cell[t] + rank[p];
            for (int i = 0; i < n_nodes; i++)
                pieces->of_type[t].nodes[to * n_nodes + i] = local[piece[i]];
            pieces->of_type[t].cell[to] = (int32_t)(pieces->first[cell] + p);
        }
    }
    if (bad < block->n)
        FAIL(TESS_ERROR_INPUT, "%s: cell %lld (%s %lld) repeats a node and cannot be refined",
             mesh->source, (long long)(block->cell ? block->cell[bad] : bad), cut->set,
             (long long)bad);
    for (int t = 0; t < TESS_CELL_TYPES; t++)
        begin[t] += block->n * per_cell[t];
    return TESS_OK;
}

/* Hands the pieces over to the new mesh. */
static tess_status give_pieces(cell_pieces *pieces, tess_mesh *mesh) {
    TRY(tess_mesh_add_set(mesh, "cells", pieces->n_cells, NULL));
    for (int t = 0; t < TESS_CELL_TYPES; t++) {
        const tess_cell_type *type = &tess_cell_types[t];
        if (!pieces->of_type[t].n)
            continue;
        int32_t *nodes = pieces->of_type[t].nodes, *cell = pieces->of_type[t].cell;
        pieces->of_type[t].nodes = NULL;
        if (pieces->of_type[t].n == pieces->n_cells) {
            /* the set says which type has so many nodes: quads in space are no tets */
            if (type->dimension != mesh->dimension)
                TRY(tess_mesh_add_set(mesh, type->set, pieces->n_cells, NULL));
            return tess_mesh_add_map(mesh, "cells", "nodes", type->n_nodes, false, false, nodes);
        }
        TRY(tess_mesh_add_set(mesh, type->set, pieces->of_type[t].n, NULL));
        TRY(tess_mesh_add_map(mesh, type->set, "nodes", type->n_nodes, false, false, nodes));
        pieces->of_type[t].cell = NULL;
        TRY(tess_mesh_add_map(mesh, type->set, "cells", 1, false, false, cell));
    }
    return TESS_OK;
}

/* The pieces of a marked element, [4][4] nodes at most; 0 where it is no edge or face of a cell. */
static int cut_marked(const tess_refine_points *points, int arity, const int32_t *nodes,
                      int32_t out[16]) {
    int32_t middle[4], centre = 0;
    for (int i = 0; i < arity; i++) {
        middle[i] = tess_refine_points_of_edge(points, nodes[i], nodes[(i + 1) % arity]);
        if (middle[i] < 0)
            return 0;
    }
    if (arity == 2) {
        memcpy(out, (int32_t[]){nodes[0], middle[0], middle[0], nodes[1]}, 4 * sizeof *out);
        return 2;
    }
    if (arity == 4 && (centre = tess_refine_points_of_quad(points, nodes)) < 0)
        return 0;
    for (int i = 0; i < arity; i++) {
        const int32_t before = middle[(i + arity - 1) % arity];
        const int32_t piece[4] = {nodes[i], middle[i], arity == 4 ? centre : before, before};
        memcpy(out + i * arity, piece, (size_t)arity * sizeof *out);
    }
    if (arity == 3)
        memcpy(out + 9, middle, 3 * sizeof *out);
    return 4;
}

/* Cuts the marked elements of `size` nodes and adds them to the new mesh as `set`. */
static tess_status refine_marked(const tess_marked *marked, int size, const char *set,
                                 const tess_refine_points *points, tess_mesh *fine) {
    tess_status status = TESS_OK;
    int32_t *nodes = NULL, *markers = NULL;
    int64_t n = 0, n_fine = 0, n_lost = 0;
    for (int64_t i = 0; i < marked->n; i++)
        n += tess_marked_size(marked->nodes + 4 * i) == size;
    if (!n)
        return TESS_OK;
    CHECK(TESS_ALLOC(n * 4 * size, &nodes));
    CHECK(TESS_ALLOC(n * 4, &markers));
    for (int64_t i = 0; i < marked->n; i++) {
        int32_t cut[16];
        if (tess_marked_size(marked->nodes + 4 * i) != size)
            continue;
        const int n_pieces = cut_marked(points, size, marked->nodes + 4 * i, cut);
        memcpy(nodes + n_fine * size, cut, (size_t)(n_pieces * size) * sizeof *nodes);
        for (int p = 0; p < n_pieces; p++)
            markers[n_fine++] = marked->marker[i];
        n_lost += n_pieces == 0;
    }
    if (n_lost)
        CHECK(tess_mesh_warn(fine, "%lld of the %s belong to no cell: refinement drops them",
                             (long long)n_lost, set));
    CHECK(tess_mesh_add_set(fine, set, n_fine, NULL));
    status = tess_mesh_add_map(fine, set, "nodes", size, false, false, nodes);
    nodes = NULL;
    CHECK(status);
    status = tess_mesh_add_dat(fine, "marker", set, 1, TESS_INT32, markers);
    markers = NULL;
done:
    free(nodes);
    free(markers);
    return status;
}

/* Warns of the stated maps that have no place in the refined mesh. */
static tess_status warn_of_lost_maps(const tess_mesh *mesh, tess_mesh *fine) {
    static const char *const kept[] = {"cells", "marked_edges", "marked_tris", "marked_quads"};
    char names[256] = "";
    size_t length = 0;
    for (int m = 0; m < mesh->n_maps && length < sizeof names; m++) {
        const char *from = mesh->sets[mesh->maps[m].from].name;
        bool is_kept = mesh->maps[m].derived || tess_cell_type_of_set(from);
        for (int k = 0; k < 4; k++)
            is_kept |= strcmp(from, kept[k]) == 0;
        if (!is_kept)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                       length ? ", " : "", mesh->maps[m].name);
    }
    if (!length)
        return TESS_OK;
    return tess_mesh_warn(fine, "refinement drops the stated maps %s: they are derived anew",
                          names);
}

static tess_status refine_rest(const tess_mesh *mesh, const tess_refine_points *points,
                               tess_mesh *fine) {
    static const char *const sets[] = {"marked_edges", "marked_tris", "marked_quads"};
    tess_status status = TESS_OK;
    tess_marked marked = {.n = 0};
    CHECK(tess_marked_build(mesh, &marked));
    for (int m = 0; m < marked.n_markers; m++) {
        int number = 0;
        CHECK(tess_mesh_add_marker(fine, marked.names[m], &number));
    }
    for (int64_t i = 0; i < mesh->n_warnings; i++)
        CHECK(tess_mesh_warn(fine, "%s", mesh->warnings[i]));
    for (int s = 0; s < 3; s++)
        CHECK(refine_marked(&marked, s + 2, sets[s], points, fine));
    CHECK(warn_of_lost_maps(mesh, fine));
done:
    tess_marked_release(&marked);
    return status;
}

tess_status tess_mesh_refine(const tess_mesh *mesh, tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_cells cells = {.dimension = 0};
    tess_refine_points points = {.n_nodes = 0};
    cell_pieces pieces = {.first = NULL};
    int64_t begin[TESS_CELL_TYPES] = {0};
    tess_mesh *fine = NULL;
    CHECK(tess_cells_build(mesh, &cells));
    if (!cells.n_blocks || !mesh->coordinates)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s has no cells with coordinates to refine",
                        mesh->source));
    CHECK(tess_refine_points_build(&cells, &points));
    CHECK(tess_mesh_new(mesh->source, mesh->dimension, &fine));
    CHECK(tess_mesh_add_set(fine, "nodes", tess_refine_points_count(&points), NULL));
    CHECK(TESS_ALLOC(tess_refine_points_count(&points) * mesh->dimension, &fine->coordinates));
    tess_refine_points_place(&points, mesh->dimension, mesh->coordinates, fine->coordinates);
    CHECK(pieces_build(&cells, &pieces));
    for (int b = 0; b < cells.n_blocks; b++)
        CHECK(cut_block(mesh, &points, b, fine->coordinates, begin, &pieces));
    CHECK(give_pieces(&pieces, fine));
    CHECK(refine_rest(mesh, &points, fine));
    *out = fine;
    fine = NULL;
done:
    tess_mesh_free(fine);
    pieces_release(&pieces);
    tess_refine_points_release(&points);
    tess_cells_release(&cells);
    return status;
}

/* Refinement: every cell cut into smaller ones of its type, by new nodes on its edges and faces. */
#include "data/refine_mesh.h"

#include "core/base/array.h"
#include "core/base/buckets.h"
#include "core/mesh/cell_type.h"
#include "core/mesh/cells.h"
#include "core/mesh/facets.h"
#include "data/formats/marked.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Local points of a cell: its nodes, the middles of its edges, the middles of its quadrilateral
 * faces, and its own where it is a quad or a hex; each in the order of the cell type's table. */
enum { MOST_POINTS = 27, MOST_PIECES = 10 };

typedef struct refinement {
    const char *set; /* of the cells that are cut */
    bool has_centre; /* a point in the middle of the cell */
    int n_pieces;
    struct {
        const char *set;
        signed char points[TESS_CELL_NODES_MAX];
    } pieces[MOST_PIECES];
} refinement;

static const refinement refinements[] = {
    {.set = "tris",
     .n_pieces = 4,
     .pieces =
         {{"tris", {0, 3, 5}}, {"tris", {3, 1, 4}}, {"tris", {5, 4, 2}}, {"tris", {3, 4, 5}}}},
    {.set = "quads",
     .has_centre = true,
     .n_pieces = 4,
     .pieces = {{"quads", {0, 4, 8, 7}},
                {"quads", {4, 1, 5, 8}},
                {"quads", {8, 5, 2, 6}},
                {"quads", {7, 8, 6, 3}}}},
    /* The last four are replaced by those around the shortest diagonal. */
    {.set = "tets",
     .n_pieces = 8,
     .pieces = {{"tets", {0, 4, 6, 7}},
                {"tets", {4, 1, 5, 8}},
                {"tets", {6, 5, 2, 9}},
                {"tets", {7, 8, 9, 3}},
                {"tets", {4, 9, 5, 6}},
                {"tets", {4, 9, 6, 7}},
                {"tets", {4, 9, 7, 8}},
                {"tets", {4, 9, 8, 5}}}},
    {.set = "pyramids",
     .n_pieces = 10,
     .pieces = {{"pyramids", {0, 5, 13, 8, 9}},
                {"pyramids", {5, 1, 6, 13, 10}},
                {"pyramids", {13, 6, 2, 7, 11}},
                {"pyramids", {8, 13, 7, 3, 12}},
                {"pyramids", {9, 10, 11, 12, 4}},
                {"pyramids", {9, 12, 11, 10, 13}},
                {"tets", {10, 5, 9, 13}},
                {"tets", {11, 6, 10, 13}},
                {"tets", {12, 7, 11, 13}},
                {"tets", {9, 8, 12, 13}}}},
    {.set = "prisms",
     .n_pieces = 8,
     .pieces = {{"prisms", {0, 6, 8, 12, 15, 17}},
                {"prisms", {6, 1, 7, 15, 13, 16}},
                {"prisms", {8, 7, 2, 17, 16, 14}},
                {"prisms", {6, 7, 8, 15, 16, 17}},
                {"prisms", {12, 15, 17, 3, 9, 11}},
                {"prisms", {15, 13, 16, 9, 4, 10}},
                {"prisms", {17, 16, 14, 11, 10, 5}},
                {"prisms", {15, 16, 17, 9, 10, 11}}}},
    /* Faces: 20 bottom, 21 top, 22 front (0 1 5 4), 23 right, 24 back, 25 left; 26 the centre. */
    {.set = "hexes",
     .has_centre = true,
     .n_pieces = 8,
     .pieces = {{"hexes", {0, 8, 20, 11, 16, 22, 26, 25}},
                {"hexes", {8, 1, 9, 20, 22, 17, 23, 26}},
                {"hexes", {20, 9, 2, 10, 26, 23, 18, 24}},
                {"hexes", {11, 20, 10, 3, 25, 26, 24, 19}},
                {"hexes", {16, 22, 26, 25, 4, 12, 21, 15}},
                {"hexes", {22, 17, 23, 26, 12, 5, 13, 21}},
                {"hexes", {26, 23, 18, 24, 21, 13, 6, 14}},
                {"hexes", {25, 26, 24, 19, 15, 21, 14, 7}}}},
};

/* The last four pieces of a tet around each of the three diagonals of its inner octahedron, whose
 * ends are points[piece][0] and [1]: 4 and 9, 5 and 7, 6 and 8. */
static const signed char diagonals[3][4][4] = {
    {{4, 9, 5, 6}, {4, 9, 6, 7}, {4, 9, 7, 8}, {4, 9, 8, 5}},
    {{5, 7, 4, 8}, {5, 7, 8, 9}, {5, 7, 9, 6}, {5, 7, 6, 4}},
    {{6, 8, 4, 5}, {6, 8, 5, 9}, {6, 8, 9, 7}, {6, 8, 7, 4}},
};

/* The way in which the cells of a set are cut. */
static const refinement *refinement_of(const char *set) {
    for (size_t i = 0; i < sizeof refinements / sizeof refinements[0]; i++)
        if (strcmp(refinements[i].set, set) == 0)
            return &refinements[i];
    return NULL;
}

/* The edges of cells, or their quadrilateral faces. */
typedef struct halved_sides {
    tess_facet_kind kind;
    int arity;
    int64_t n;
    int32_t *nodes;  /* [n][arity], ascending */
    tess_buckets at; /* by lowest node: (next node, side) */
} halved_sides;

/* The points of a refined mesh: the old nodes, and the middles of edges, faces and cells. */
typedef struct refined_points {
    const tess_cells *cells;
    int64_t n_nodes, n_centres;            /* numbered: nodes, edges, quads, centres */
    int64_t first_centre[TESS_CELL_TYPES]; /* of each block's cells; -1: they have none */
    halved_sides edges, quads;
} refined_points;

/* Keeps of the halves those of sides of `arity` different nodes, and gives how many. */
static int64_t keep_halves(const tess_facets *facets, int arity, int64_t *halves, int64_t n) {
    int64_t n_kept = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t nodes[TESS_FACET_NODES_MAX], key[TESS_FACET_NODES_MAX];
        tess_facet_key(tess_facet_of_half(facets, halves[i], nodes), nodes, facets->kind, key);
        if (key[arity - 1] >= 0)
            halves[n_kept++] = halves[i];
    }
    return n_kept;
}

static tess_status find_sides(const refined_points *points, tess_facet_kind kind, int arity,
                              halved_sides *sides) {
    tess_status status = TESS_OK;
    int64_t *halves = NULL, n = 0;
    const tess_facets facets = tess_facets_of(points->cells, kind);
    if (kind == TESS_FACET_EDGES || points->cells->dimension == 3)
        CHECK(tess_facets_first(&facets, &halves, &n));
    n = keep_halves(&facets, arity, halves, n);
    *sides = (halved_sides){.kind = kind, .arity = arity, .n = n};
    CHECK(TESS_ALLOC(arity * n, &sides->nodes));
    CHECK(tess_buckets_new(points->n_nodes, &sides->at));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        int32_t nodes[TESS_FACET_NODES_MAX], key[TESS_FACET_NODES_MAX];
        tess_facet_key(tess_facet_of_half(&facets, halves[i], nodes), nodes, kind, key);
        memcpy(sides->nodes + arity * i, key, (size_t)arity * sizeof *key);
        tess_buckets_count(&sides->at, key[0]);
    }
    CHECK(tess_buckets_open(&sides->at));
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        tess_buckets_put(&sides->at, sides->nodes[arity * i],
                         (uint64_t)sides->nodes[arity * i + 1] << 32 | (uint64_t)i);
    tess_buckets_close(&sides->at);
done:
    free(halves);
    return status;
}

static void points_release(refined_points *points) {
    tess_buckets_release(&points->edges.at);
    tess_buckets_release(&points->quads.at);
    free(points->edges.nodes);
    free(points->quads.nodes);
    points->edges.nodes = points->quads.nodes = NULL;
}

/* Finds the edges and faces; the cells outlive it. */
static tess_status points_build(const tess_cells *cells, refined_points *points) {
    tess_status status = TESS_OK;
    *points = (refined_points){.cells = cells, .n_nodes = cells->n_nodes};
    CHECK(find_sides(points, TESS_FACET_EDGES, 2, &points->edges));
    CHECK(find_sides(points, TESS_FACET_FACES, 4, &points->quads));
    const int64_t first = points->n_nodes + points->edges.n + points->quads.n;
    for (int b = 0; b < cells->n_blocks; b++) {
        points->first_centre[b] = -1;
        if (!refinement_of(cells->blocks[b].type->set)->has_centre)
            continue;
        points->first_centre[b] = first + points->n_centres;
        points->n_centres += cells->blocks[b].n;
    }
done:
    if (status != TESS_OK)
        points_release(points);
    return status;
}

static int64_t points_count(const refined_points *points) {
    return points->n_nodes + points->edges.n + points->quads.n + points->n_centres;
}

/* The number of the side with some nodes, -1 where there is no such one. */
static int64_t find_side(const halved_sides *sides, const int32_t *nodes) {
    int32_t key[TESS_FACET_NODES_MAX];
    tess_facet_key(sides->arity, nodes, sides->kind, key);
    for (int64_t i = sides->at.offset[key[0]]; i < sides->at.offset[key[0] + 1]; i++) {
        const int64_t side = (int64_t)(uint32_t)sides->at.value[i];
        if ((int32_t)(sides->at.value[i] >> 32) == key[1] &&
            memcmp(sides->nodes + sides->arity * side, key, (size_t)sides->arity * sizeof *key) ==
                0)
            return side;
    }
    return -1;
}

/* The point in the middle of an edge, -1 where there is no such one. */
static int32_t point_of_edge(const refined_points *points, int32_t a, int32_t b) {
    const int64_t edge = find_side(&points->edges, (int32_t[]){a, b});
    return edge < 0 ? -1 : (int32_t)(points->n_nodes + edge);
}

/* The point in the middle of a quadrilateral face, -1 where there is no such one. */
static int32_t point_of_quad(const refined_points *points, const int32_t nodes[4]) {
    const int64_t quad = find_side(&points->quads, nodes);
    return quad < 0 ? -1 : (int32_t)(points->n_nodes + points->edges.n + quad);
}

/* Fills the local points of a cell; false where one is missing: the cell repeats a node. */
static bool points_of_cell(const refined_points *points, int block, int64_t row,
                           int32_t out[MOST_POINTS]) {
    const tess_cell_type *type = points->cells->blocks[block].type;
    const int32_t *nodes = points->cells->blocks[block].nodes + row * type->n_nodes;
    int n = 0;
    for (int i = 0; i < type->n_nodes; i++)
        out[n++] = nodes[i];
    for (int e = 0; e < type->n_edges; e++)
        out[n++] = point_of_edge(points, nodes[type->edge[e][0]], nodes[type->edge[e][1]]);
    for (int f = 0; f < type->n_faces; f++) {
        int32_t face[TESS_FACET_NODES_MAX];
        if (tess_facet_nodes(type, nodes, TESS_FACET_FACES, f, face) == 4)
            out[n++] = point_of_quad(points, face);
    }
    if (points->first_centre[block] >= 0)
        out[n++] = (int32_t)(points->first_centre[block] + row);
    for (int i = 0; i < n; i++)
        if (out[i] < 0)
            return false;
    return true;
}

/* point = mean of n nodes. */
static void place_mean(int dimension, const double *nodes, int n, const int32_t *of,
                       double *point) {
    for (int d = 0; d < dimension; d++) {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += nodes[(int64_t)of[i] * dimension + d];
        point[d] = sum / n;
    }
}

/* Fills the coordinates [count][dimension] of all points from those of the nodes. */
static void points_position(const refined_points *points, int dimension, const double *nodes,
                            double *out) {
    memcpy(out, nodes, (size_t)(points->n_nodes * dimension) * sizeof *out);
    double *edges = out + points->n_nodes * dimension;
    double *quads = edges + points->edges.n * dimension;
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < points->edges.n; e++)
        place_mean(dimension, nodes, 2, points->edges.nodes + 2 * e, edges + e * dimension);
#pragma omp parallel for schedule(static)
    for (int64_t q = 0; q < points->quads.n; q++)
        place_mean(dimension, nodes, 4, points->quads.nodes + 4 * q, quads + q * dimension);
    for (int b = 0; b < points->cells->n_blocks; b++) {
        const tess_cell_block *block = &points->cells->blocks[b];
        if (points->first_centre[b] < 0)
            continue;
#pragma omp parallel for schedule(static)
        for (int64_t row = 0; row < block->n; row++)
            place_mean(dimension, nodes, block->type->n_nodes,
                       block->nodes + row * block->type->n_nodes,
                       out + (points->first_centre[b] + row) * dimension);
    }
}

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
        pieces->n_cells += refinement_of(cells->blocks[block].type->set)->n_pieces;
    }
    if (pieces->n_cells > INT32_MAX)
        FAIL(TESS_ERROR_INPUT,
             "set 'cells' would have %lld elements; at most 2147483647 are possible",
             (long long)pieces->n_cells);
    for (int b = 0; b < cells->n_blocks; b++) {
        const refinement *cut = refinement_of(cells->blocks[b].type->set);
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
        const double *a = coordinates + (int64_t)points[diagonals[k][0][0]] * dimension;
        const double *b = coordinates + (int64_t)points[diagonals[k][0][1]] * dimension;
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
static tess_status cut_block(const tess_mesh *mesh, const refined_points *points, int b,
                             const double *coordinates, int64_t begin[TESS_CELL_TYPES],
                             cell_pieces *pieces) {
    const tess_cell_block *block = &points->cells->blocks[b];
    const refinement *cut = refinement_of(block->type->set);
    const bool are_tets = strcmp(cut->set, "tets") == 0;
    int per_cell[TESS_CELL_TYPES] = {0}, type_of[MOST_PIECES], rank[MOST_PIECES];
    for (int p = 0; p < cut->n_pieces; p++) {
        type_of[p] = number_of_type(cut->pieces[p].set);
        rank[p] = per_cell[type_of[p]]++;
    }
    int64_t bad = block->n;
#pragma omp parallel for schedule(static) reduction(min : bad)
    for (int64_t row = 0; row < block->n; row++) {
        int32_t local[MOST_POINTS];
        if (!points_of_cell(points, b, row, local)) {
            bad = row < bad ? row : bad;
            continue;
        }
        const int diagonal = are_tets ? shortest_diagonal(mesh->dimension, coordinates, local) : 0;
        const int64_t cell = block->cell ? block->cell[row] : row;
        for (int p = 0; p < cut->n_pieces; p++) {
            const int t = type_of[p], n_nodes = tess_cell_types[t].n_nodes;
            const signed char *piece =
                are_tets && p >= 4 ? diagonals[diagonal][p - 4] : cut->pieces[p].points;
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
            return tess_mesh_add_map(mesh, "cells", "nodes", type->n_nodes, 0, nodes);
        }
        TRY(tess_mesh_add_set(mesh, type->set, pieces->of_type[t].n, NULL));
        TRY(tess_mesh_add_map(mesh, type->set, "nodes", type->n_nodes, 0, nodes));
        pieces->of_type[t].cell = NULL;
        TRY(tess_mesh_add_map(mesh, type->set, "cells", 1, 0, cell));
    }
    return TESS_OK;
}

/* The pieces of a marked element, [4][4] nodes at most; 0 where it is no edge or face of a cell. */
static int cut_marked(const refined_points *points, int arity, const int32_t *nodes,
                      int32_t out[16]) {
    int32_t middle[4], centre = 0;
    for (int i = 0; i < arity; i++) {
        middle[i] = point_of_edge(points, nodes[i], nodes[(i + 1) % arity]);
        if (middle[i] < 0)
            return 0;
    }
    if (arity == 2) {
        memcpy(out, (int32_t[]){nodes[0], middle[0], middle[0], nodes[1]}, 4 * sizeof *out);
        return 2;
    }
    if (arity == 4 && (centre = point_of_quad(points, nodes)) < 0)
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
                                 const refined_points *points, tess_mesh *fine) {
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
    CHECK(tess_mesh_add_map(fine, set, "nodes", size, 0, TESS_TAKE(nodes)));
    CHECK(tess_mesh_add_dat(fine, "marker", set, 1, TESS_INT32, TESS_TAKE(markers)));
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

/* Gives each piece the region of its cell. */
static tess_status refine_regions(const tess_mesh *mesh, const cell_pieces *pieces,
                                  tess_mesh *fine) {
    const int64_t n_cells = tess_mesh_set_size(mesh, "cells");
    const int32_t *region = tess_mesh_regions(mesh);
    int32_t *fine_region = NULL;
    if (!region)
        return TESS_OK;
    for (int r = 0; r < mesh->n_regions; r++) {
        int number = 0;
        TRY(tess_mesh_add_region(fine, mesh->regions[r], mesh->region_tags[r], &number));
    }
    TRY(TESS_ALLOC(pieces->n_cells, &fine_region));
    for (int64_t cell = 0; cell < n_cells; cell++) {
        const int64_t end = cell + 1 < n_cells ? pieces->first[cell + 1] : pieces->n_cells;
        for (int64_t piece = pieces->first[cell]; piece < end; piece++)
            fine_region[piece] = region[cell];
    }
    return tess_mesh_add_dat(fine, "region", "cells", 1, TESS_INT32, fine_region);
}

static tess_status refine_rest(const tess_mesh *mesh, const refined_points *points,
                               tess_mesh *fine) {
    static const char *const sets[] = {"marked_edges", "marked_tris", "marked_quads"};
    tess_status status = TESS_OK;
    tess_marked marked = {.n = 0};
    CHECK(tess_marked_build(mesh, &marked));
    for (int m = 0; m < marked.n_markers; m++) {
        int number = 0;
        CHECK(tess_mesh_add_marker(fine, marked.names[m], &number));
        fine->marker_tags[number] = m < mesh->n_markers ? mesh->marker_tags[m] : 0;
    }
    fine->n_of_higher_order = mesh->n_of_higher_order;
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
    refined_points points = {.n_nodes = 0};
    cell_pieces pieces = {.first = NULL};
    int64_t begin[TESS_CELL_TYPES] = {0};
    tess_mesh *fine = NULL;
    CHECK(tess_cells_build(mesh, &cells));
    if (!cells.n_blocks || !mesh->coordinates)
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s has no cells with coordinates to refine",
                        mesh->source));
    CHECK(points_build(&cells, &points));
    CHECK(tess_mesh_new(mesh->source, mesh->dimension, &fine));
    CHECK(tess_mesh_add_set(fine, "nodes", points_count(&points), NULL));
    CHECK(TESS_ALLOC(points_count(&points) * mesh->dimension, &fine->coordinates));
    points_position(&points, mesh->dimension, mesh->coordinates, fine->coordinates);
    CHECK(pieces_build(&cells, &pieces));
    for (int b = 0; b < cells.n_blocks; b++)
        CHECK(cut_block(mesh, &points, b, fine->coordinates, begin, &pieces));
    CHECK(give_pieces(&pieces, fine));
    CHECK(refine_regions(mesh, &pieces, fine));
    CHECK(refine_rest(mesh, &points, fine));
    *out = TESS_TAKE(fine);
done:
    tess_mesh_free(fine);
    pieces_release(&pieces);
    points_release(&points);
    tess_cells_release(&cells);
    return status;
}

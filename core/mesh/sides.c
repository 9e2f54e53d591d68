/* The sides of cells: edges in 2D, faces in 3D; interior ones join two cells, the boundary's have
 * one. */
#include "core/mesh/sides.h"

#include "core/base/array.h"
#include "core/mesh/facets.h"
#include "core/mesh/marker_table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_BOUNDARY = -1, SIDE_NONE = -2 };

/* What became of each half: the first half of an interior side holds its second cell. */
typedef struct pairing {
    tess_facets facets;
    int32_t *second; /* [n_halves] */
    int64_t n_non_manifold;
} pairing;

/* Joins the lowest two cells of a side; what is left is boundary. */
static void pair_visit(void *context, const uint64_t *halves, int64_t n) {
    pairing *pairs = context;
    const int64_t stride = pairs->facets.stride;
    const int64_t first = (int64_t)halves[0] / stride;
    int64_t joined = 1;
    while (joined < n && (int64_t)halves[joined] / stride == first)
        joined++;
    for (int64_t i = 0; i < n; i++)
        pairs->second[halves[i]] = SIDE_BOUNDARY;
    if (joined < n) {
        pairs->second[halves[0]] = (int32_t)((int64_t)halves[joined] / stride);
        pairs->second[halves[joined]] = SIDE_NONE;
    }
    if (n > 2)
        __atomic_fetch_add(&pairs->n_non_manifold, 1, __ATOMIC_RELAXED);
}

static tess_status pairing_build(const tess_cells *cells, pairing *pairs) {
    *pairs = (pairing){.facets = tess_facets_of(cells, cells->dimension == 2 ? TESS_FACET_EDGES
                                                                             : TESS_FACET_FACES)};
    TRY(TESS_ALLOC(pairs->facets.n_halves, &pairs->second));
#pragma omp parallel for schedule(static)
    for (int64_t h = 0; h < pairs->facets.n_halves; h++)
        pairs->second[h] = SIDE_NONE;
    return tess_facets_visit(&pairs->facets, pair_visit, pairs);
}

/* Sides of one kind, interior or boundary. Shape 0 has three nodes (an edge has two), 1 four. */
typedef struct side_set {
    char name[TESS_NAME_SIZE];
    bool wanted;
    int n_cells;                                 /* of a side: 2 or 1 */
    int64_t n[2];                                /* by shape */
    int32_t *cells;                              /* [n[0] + n[1]][n_cells] */
    int32_t *marker;                             /* [n[0] + n[1]] or NULL */
    int32_t *nodes[2];                           /* [n[shape]][nodes of the shape] */
    int32_t *shape_cells[2], *shape_position[2]; /* where shapes are mixed: [n][n_cells], [n] */
} side_set;

/* How many sides of each kind and shape lie before a chunk of cells. */
typedef struct side_count {
    int64_t n[2][2]; /* [interior, boundary][shape] */
} side_count;

typedef struct side_numbering {
    const pairing *pairs;
    bool mixed; /* cells have faces of both shapes */
    int n_chunks;
    side_count *chunks; /* [n_chunks + 1] */
    side_set sets[2];   /* interior, boundary */
    tess_marker_table *markers;
} side_numbering;

static int64_t chunk_begin(const side_numbering *numbering, int chunk) {
    return numbering->pairs->facets.cells->n_cells * chunk / numbering->n_chunks;
}

static void count_chunk(side_numbering *numbering, int chunk) {
    const tess_facets *facets = &numbering->pairs->facets;
    side_count count = {.n = {{0}}};
    for (int64_t cell = chunk_begin(numbering, chunk); cell < chunk_begin(numbering, chunk + 1);
         cell++) {
        const tess_cell_type *type = NULL;
        tess_cell_nodes(facets->cells, cell, &type);
        const int n = tess_facet_count(type, facets->kind);
        for (int position = 0; position < n; position++) {
            const int32_t second = numbering->pairs->second[cell * facets->stride + position];
            const bool quad = facets->kind == TESS_FACET_FACES && type->face[position][3] >= 0;
            if (second != SIDE_NONE)
                count.n[second == SIDE_BOUNDARY][quad]++;
        }
    }
    numbering->chunks[chunk + 1] = count;
}

/* A side of a cell. */
typedef struct cell_side {
    int32_t cell, second; /* the cells that it is between */
    int n_nodes;
    int32_t nodes[TESS_FACET_NODES_MAX];
} cell_side;

/* Writes a side as number `row` of its shape and `at` of its set. */
static void fill_side(const side_numbering *numbering, const side_set *set, const cell_side *side,
                      int64_t row, int64_t at) {
    const bool quad = side->n_nodes == 4;
    set->cells[at * set->n_cells] = side->cell;
    if (set->n_cells == 2)
        set->cells[at * 2 + 1] = side->second;
    memcpy(set->nodes[quad] + row * side->n_nodes, side->nodes,
           (size_t)side->n_nodes * sizeof *side->nodes);
    if (numbering->mixed) {
        memcpy(set->shape_cells[quad] + row * set->n_cells, set->cells + at * set->n_cells,
               (size_t)set->n_cells * sizeof *set->cells);
        set->shape_position[quad][row] = (int32_t)at;
    }
    if (set->marker) {
        int32_t key[TESS_FACET_NODES_MAX];
        tess_facet_key(side->n_nodes, side->nodes, numbering->pairs->facets.kind, key);
        set->marker[at] = tess_marker_table_find(numbering->markers, key);
    }
}

static void fill_chunk(const side_numbering *numbering, int chunk) {
    const tess_facets *facets = &numbering->pairs->facets;
    side_count next = numbering->chunks[chunk];
    for (int64_t cell = chunk_begin(numbering, chunk); cell < chunk_begin(numbering, chunk + 1);
         cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *cell_nodes = tess_cell_nodes(facets->cells, cell, &type);
        const int n = tess_facet_count(type, facets->kind);
        for (int position = 0; position < n; position++) {
            const int32_t second = numbering->pairs->second[cell * facets->stride + position];
            if (second == SIDE_NONE)
                continue;
            const bool boundary = second == SIDE_BOUNDARY;
            cell_side side = {.cell = (int32_t)cell, .second = second};
            side.n_nodes = tess_facet_nodes(type, cell_nodes, facets->kind, position, side.nodes);
            const int64_t at = next.n[boundary][0] + next.n[boundary][1];
            const int64_t row = next.n[boundary][side.n_nodes == 4]++;
            if (numbering->sets[boundary].wanted)
                fill_side(numbering, &numbering->sets[boundary], &side, row, at);
        }
    }
}

/* Adds the mesh's set of that name with its size, which is refused where it is too large. */
static tess_status shape_set_add(tess_mesh *mesh, const side_set *set, int shape,
                                 char name[TESS_NAME_SIZE]) {
    const bool boundary = set->n_cells == 1;
    snprintf(name, TESS_NAME_SIZE, "%s%s_faces", boundary ? "b" : "", shape ? "quad" : "tri");
    return tess_mesh_add_set(mesh, name, set->n[shape], NULL);
}

static tess_status set_alloc(side_numbering *numbering, side_set *set) {
    const int n_nodes[2] = {numbering->pairs->facets.kind == TESS_FACET_EDGES ? 2 : 3, 4};
    TRY(TESS_ALLOC((set->n[0] + set->n[1]) * set->n_cells, &set->cells));
    if (numbering->markers && set->n_cells == 1)
        TRY(TESS_ALLOC(set->n[0] + set->n[1], &set->marker));
    for (int shape = 0; shape < 2; shape++) {
        TRY(TESS_ALLOC(set->n[shape] * n_nodes[shape], &set->nodes[shape]));
        if (numbering->mixed) {
            TRY(TESS_ALLOC(set->n[shape] * set->n_cells, &set->shape_cells[shape]));
            TRY(TESS_ALLOC(set->n[shape], &set->shape_position[shape]));
        }
    }
    return TESS_OK;
}

/* Hands an array over to the mesh as a derived map. */
static tess_status give_map(tess_mesh *mesh, const char *from, const char *to, int arity,
                            int32_t **index) {
    int32_t *given = *index;
    *index = NULL;
    return tess_mesh_add_map(mesh, from, to, arity, TESS_MAP_DERIVED, given);
}

/* Adds a filled set to the mesh. */
static tess_status set_give(tess_mesh *mesh, const side_numbering *numbering, side_set *set) {
    TRY(give_map(mesh, set->name, "cells", set->n_cells, &set->cells));
    if (set->marker) {
        int32_t *marker = set->marker;
        set->marker = NULL;
        TRY(tess_mesh_add_dat(mesh, "marker", set->name, 1, TESS_INT32, marker));
    }
    if (!numbering->mixed) {
        const int shape = numbering->pairs->facets.kind == TESS_FACET_FACES &&
                          tess_cells_have_faces(numbering->pairs->facets.cells, 4);
        const int n_nodes = numbering->pairs->facets.kind == TESS_FACET_EDGES ? 2 : 3 + shape;
        return give_map(mesh, set->name, "nodes", n_nodes, &set->nodes[shape]);
    }
    for (int shape = 0; shape < 2; shape++) {
        char name[TESS_NAME_SIZE];
        TRY(shape_set_add(mesh, set, shape, name));
        TRY(give_map(mesh, name, "nodes", 3 + shape, &set->nodes[shape]));
        TRY(give_map(mesh, name, "cells", set->n_cells, &set->shape_cells[shape]));
        TRY(give_map(mesh, name, set->name, 1, &set->shape_position[shape]));
    }
    return TESS_OK;
}

static void set_release(side_set *set) {
    free(set->cells);
    free(set->marker);
    for (int shape = 0; shape < 2; shape++) {
        free(set->nodes[shape]);
        free(set->shape_cells[shape]);
        free(set->shape_position[shape]);
    }
}

/* Numbers the sides by their first cell, then by position in it. */
static tess_status numbering_count(side_numbering *numbering) {
    TRY(TESS_ZEROS(numbering->n_chunks + 1, &numbering->chunks));
#pragma omp parallel for schedule(dynamic, 1)
    for (int chunk = 0; chunk < numbering->n_chunks; chunk++)
        count_chunk(numbering, chunk);
    for (int chunk = 0; chunk < numbering->n_chunks; chunk++)
        for (int i = 0; i < 4; i++)
            numbering->chunks[chunk + 1].n[i / 2][i % 2] +=
                numbering->chunks[chunk].n[i / 2][i % 2];
    for (int kind = 0; kind < 2; kind++)
        memcpy(numbering->sets[kind].n, numbering->chunks[numbering->n_chunks].n[kind],
               sizeof numbering->sets[kind].n);
    return TESS_OK;
}

static tess_status warn_of(tess_mesh *mesh, const side_numbering *numbering, const char *sides) {
    const pairing *pairs = numbering->pairs;
    if (pairs->n_non_manifold)
        TRY(tess_mesh_warn(mesh,
                           "%lld %.*s%s shared by more than two cells: the lowest two are joined, "
                           "the rest are boundary",
                           (long long)pairs->n_non_manifold, (int)strlen(sides) - 1, sides,
                           pairs->n_non_manifold == 1 ? " is" : "s are"));
    if (!numbering->markers || !numbering->sets[1].wanted)
        return TESS_OK;
    const int64_t unused = tess_marker_table_unused(numbering->markers);
    if (unused)
        TRY(tess_mesh_warn(mesh,
                           "%lld marked %s are sides of two cells, or of none: no side at the "
                           "boundary has their markers",
                           (long long)unused, sides));
    const int64_t repeated = tess_marker_table_repeated(numbering->markers);
    if (repeated)
        TRY(tess_mesh_warn(mesh, "%lld %s are marked again: the first marker counts",
                           (long long)repeated, sides));
    return TESS_OK;
}

bool tess_cells_have_faces(const tess_cells *cells, int n_nodes) {
    for (int b = 0; b < cells->n_blocks; b++)
        for (int face = 0; face < cells->blocks[b].type->n_faces; face++)
            if (tess_cell_face_size(cells->blocks[b].type, face) == n_nodes)
                return true;
    return false;
}

tess_status tess_sides_add(tess_mesh *mesh, const tess_cells *cells, bool interior, bool boundary) {
    enum { CHUNKS = 1024 };
    tess_status status = TESS_OK;
    pairing pairs = {.second = NULL};
    const char *sides = cells->dimension == 2 ? "edges" : "faces";
    side_numbering numbering = {
        .pairs = &pairs,
        .mixed = tess_cells_have_faces(cells, 3) && tess_cells_have_faces(cells, 4),
        .n_chunks = CHUNKS,
        .sets = {{.wanted = interior, .n_cells = 2}, {.wanted = boundary, .n_cells = 1}}};
    CHECK(pairing_build(cells, &pairs));
    CHECK(tess_marker_table_build(mesh, pairs.facets.kind, &numbering.markers));
    CHECK(numbering_count(&numbering));
    for (int kind = 0; kind < 2; kind++) {
        side_set *set = &numbering.sets[kind];
        if (!set->wanted)
            continue;
        snprintf(set->name, sizeof set->name, "%s%s", kind ? "b" : "", sides);
        CHECK(tess_mesh_add_set(mesh, set->name, set->n[0] + set->n[1], NULL));
        CHECK(set_alloc(&numbering, set));
    }
#pragma omp parallel for schedule(dynamic, 1)
    for (int chunk = 0; chunk < CHUNKS; chunk++)
        fill_chunk(&numbering, chunk);
    for (int kind = 0; kind < 2; kind++)
        if (numbering.sets[kind].wanted)
            CHECK(set_give(mesh, &numbering, &numbering.sets[kind]));
    CHECK(warn_of(mesh, &numbering, sides));
done:
    for (int kind = 0; kind < 2; kind++)
        set_release(&numbering.sets[kind]);
    free(pairs.second);
    free(numbering.chunks);
    tess_marker_table_free(numbering.markers);
    return status;
}

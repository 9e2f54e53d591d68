/* tess mesh compare: whether files of different formats hold the same mesh. */
#include "experiments/cli/mesh/mesh_compare.h"

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/mesh/cells.h"
#include "core/mesh/polytopes.h"
#include "data/formats/marked.h"
#include "data/mesh_open.h"
#include "data/order_mesh.h"
#include "experiments/archive/digest.h"
#include "experiments/report/table.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_MESHES = 64, SHOWN_DIGITS = 12 };

typedef struct compare_options {
    tess_common common;
    int n_meshes;
    const char *meshes[MOST_MESHES];
} compare_options;

/* What is compared of a mesh, in the canonical order of its elements. */
typedef struct compared_mesh {
    int64_t n_nodes, n_cells, n_sides;
    int n_markers;
    char cells[TESS_DIGEST_SIZE]; /* of the nodes' coordinates and the cells' nodes */
    char sides[TESS_DIGEST_SIZE]; /* of the marked sides' nodes and which have the same marker */
} compared_mesh;

/* A marked side: its nodes ascending, and its marker. */
typedef struct compared_side {
    int32_t nodes[4];
    int32_t marker;
} compared_side;

static tess_status hash_cells(const tess_mesh *mesh, const tess_cells *cells, tess_hash *hash) {
    TRY(tess_hash_int(hash, mesh->dimension));
    TRY(tess_hash_int(hash, cells->n_nodes));
    for (int64_t i = 0; i < cells->n_nodes * mesh->dimension; i++) {
        const double x = mesh->coordinates[i] + 0.0; /* no -0 */
        TRY(tess_hash_array(hash, &x, 1, sizeof x));
    }
    TRY(tess_hash_int(hash, cells->n_cells));
    for (int64_t cell = 0; cell < cells->n_cells && cells->dimension; cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(cells, cell, &type);
        TRY(tess_hash_int(hash, type->vtk));
        TRY(tess_hash_array(hash, nodes, type->n_nodes, sizeof *nodes));
    }
    return TESS_OK;
}

static int compare_sides(const void *left, const void *right) {
    const compared_side *a = left, *b = right;
    for (int k = 0; k < 4; k++)
        if (a->nodes[k] != b->nodes[k])
            return a->nodes[k] < b->nodes[k] ? -1 : 1;
    return (a->marker > b->marker) - (a->marker < b->marker);
}

static void sort_four(int32_t nodes[4]) {
    for (int i = 1; i < 4; i++)
        for (int k = i; k > 0 && nodes[k] < nodes[k - 1]; k--) {
            const int32_t swapped = nodes[k];
            nodes[k] = nodes[k - 1];
            nodes[k - 1] = swapped;
        }
}

/* Markers count in the order in which the sorted sides have them. */
static tess_status hash_sides(const tess_marked *marked, tess_hash *hash) {
    tess_status status = TESS_OK;
    compared_side *sides = NULL;
    int32_t *number = NULL, n_numbers = 0;
    CHECK(TESS_ALLOC(marked->n, &sides));
    CHECK(TESS_ZEROS(marked->n_markers, &number));
    for (int64_t i = 0; i < marked->n; i++) {
        memcpy(sides[i].nodes, marked->nodes + 4 * i, sizeof sides[i].nodes);
        sort_four(sides[i].nodes);
        sides[i].marker = marked->marker[i];
    }
    if (marked->n)
        qsort(sides, (size_t)marked->n, sizeof *sides, compare_sides);
    for (int64_t i = 0; i < marked->n; i++) {
        int32_t *marker = &number[sides[i].marker];
        *marker = *marker ? *marker : ++n_numbers;
        sides[i].marker = *marker;
    }
    CHECK(tess_hash_array(hash, sides, marked->n, sizeof *sides));
done:
    free(sides);
    free(number);
    return status;
}

/* Hashes the nodes around a side of a polytope from the least on, whichever way round. */
static tess_status hash_ring(const int32_t *nodes, int n, tess_hash *hash) {
    const bool reversed = nodes[n - 1] < nodes[1]; /* the least is the first */
    TRY(tess_hash_int(hash, n));
    for (int i = 0; i < n; i++)
        TRY(tess_hash_int(hash, nodes[reversed && i ? n - i : i]));
    return TESS_OK;
}

/* Polygons and polyhedra are told by their sides, and the cells beside these. */
static tess_status hash_polytopes(const tess_polytopes *polytopes, tess_hash *hash) {
    for (int64_t side = 0; side < polytopes->n_sides; side++) {
        int n = 0;
        int32_t cells[2];
        const int32_t *nodes = tess_polytope_side(polytopes, side, &n);
        tess_polytope_cells(polytopes, side, cells);
        TRY(tess_hash_array(hash, cells, 2, sizeof *cells));
        TRY(hash_ring(nodes, n, hash));
    }
    return TESS_OK;
}

/* The marked sides of polytopes, likewise; gives how many there are. */
static tess_status hash_marked_sides(const tess_mesh *mesh, const tess_polytopes *polytopes,
                                     tess_hash *hash, int64_t *n_marked) {
    tess_status status = TESS_OK;
    int32_t *number = NULL, n_numbers = 0;
    CHECK(TESS_ZEROS(mesh->n_markers, &number));
    for (int64_t side = 0; side < polytopes->n_sides; side++) {
        const int32_t value = tess_polytope_marker(polytopes, side);
        int n = 0;
        const int32_t *nodes = tess_polytope_side(polytopes, side, &n);
        if (value < 0)
            continue;
        number[value] = number[value] ? number[value] : ++n_numbers;
        CHECK(hash_ring(nodes, n, hash));
        CHECK(tess_hash_int(hash, number[value]));
        ++*n_marked;
    }
done:
    free(number);
    return status;
}

static tess_status digest_mesh(const tess_mesh *mesh, compared_mesh *out) {
    tess_status status = TESS_OK;
    tess_cells cells = {.dimension = 0};
    tess_marked marked = {.n = 0};
    tess_polytopes polytopes = {.dimension = 0};
    tess_hash *of_cells = NULL, *of_sides = NULL;
    CHECK(tess_cells_build(mesh, &cells));
    CHECK(tess_marked_build(mesh, &marked));
    CHECK(tess_hash_new("tesselab cells 1", &of_cells));
    CHECK(tess_hash_new("tesselab sides 1", &of_sides));
    CHECK(tess_polytopes_build(mesh, &polytopes));
    CHECK(hash_cells(mesh, &cells, of_cells));
    CHECK(hash_polytopes(&polytopes, of_cells));
    CHECK(hash_sides(&marked, of_sides));
    CHECK(hash_marked_sides(mesh, &polytopes, of_sides, &marked.n));
    CHECK(tess_hash_finish(of_cells, out->cells));
    CHECK(tess_hash_finish(of_sides, out->sides));
    out->n_nodes = cells.n_nodes;
    out->n_cells = cells.n_cells;
    out->n_sides = marked.n;
    out->n_markers = marked.n_markers;
done:
    tess_hash_free(of_cells);
    tess_hash_free(of_sides);
    tess_cells_release(&cells);
    tess_marked_release(&marked);
    tess_polytopes_release(&polytopes);
    return status;
}

static tess_status look_at(const char *name, compared_mesh *out) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    CHECK(tess_mesh_open(name, &mesh));
    CHECK(tess_mesh_order(mesh, "canonical"));
    CHECK(digest_mesh(mesh, out));
done:
    tess_mesh_free(mesh);
    return status;
}

static tess_status print_table(const compare_options *asked, const compared_mesh *meshes) {
    tess_status status = TESS_OK;
    tess_table *table = NULL;
    CHECK(tess_table_new(TESS_TITLES("mesh", ">nodes", ">all cells", "digest", ">marked sides",
                                     ">markers", "digest of sides"),
                         &table));
    for (int i = 0; i < asked->n_meshes; i++) {
        const compared_mesh *mesh = &meshes[i];
        CHECK(tess_table_add_row(table));
        CHECK(tess_table_add_cell(table, "%s", asked->meshes[i]));
        CHECK(tess_table_add_cell(table, "%lld", (long long)mesh->n_nodes));
        CHECK(tess_table_add_cell(table, "%lld", (long long)mesh->n_cells));
        CHECK(tess_table_add_cell(table, "%.*s", SHOWN_DIGITS, mesh->cells));
        CHECK(tess_table_add_cell(table, "%lld", (long long)mesh->n_sides));
        CHECK(tess_table_add_cell(table, "%d", mesh->n_markers));
        CHECK(tess_table_add_cell(table, "%.*s", SHOWN_DIGITS, mesh->sides));
    }
    CHECK(tess_table_print(table, stdout));
done:
    tess_table_free(table);
    return status;
}

/* The first mesh whose digest of cells (or of sides) is not that of the first of all; 0: none. */
static int first_other(const compared_mesh *meshes, int n, bool sides) {
    for (int i = 1; i < n; i++)
        if (strcmp(sides ? meshes[i].sides : meshes[i].cells,
                   sides ? meshes[0].sides : meshes[0].cells) != 0)
            return i;
    return 0;
}

static tess_status print_json(const compare_options *asked, const compared_mesh *meshes) {
    json_t *rows = json_array();
    for (int i = 0; i < asked->n_meshes; i++)
        json_array_append_new(rows,
                              json_pack("{s:o, s:I, s:I, s:s, s:I, s:i, s:s}", "mesh",
                                        tess_json_text(asked->meshes[i]), "nodes",
                                        (json_int_t)meshes[i].n_nodes, "cells",
                                        (json_int_t)meshes[i].n_cells, "digest", meshes[i].cells,
                                        "marked_sides", (json_int_t)meshes[i].n_sides, "markers",
                                        meshes[i].n_markers, "digest_of_sides", meshes[i].sides));
    return tess_json_print(json_pack("{s:s, s:b, s:b, s:o}", "schema", "tess.mesh_compare/1",
                                     "same_cells", !first_other(meshes, asked->n_meshes, false),
                                     "same_sides", !first_other(meshes, asked->n_meshes, true),
                                     "meshes", rows));
}

static tess_status print_verdict(const compare_options *asked, const compared_mesh *meshes) {
    const int other = first_other(meshes, asked->n_meshes, false);
    const int other_sides = first_other(meshes, asked->n_meshes, true);
    if (other)
        FAIL(TESS_ERROR_CHECK, "%s and %s are not the same mesh: their %s differ", asked->meshes[0],
             asked->meshes[other],
             meshes[0].n_nodes != meshes[other].n_nodes   ? "numbers of nodes"
             : meshes[0].n_cells != meshes[other].n_cells ? "numbers of cells"
                                                          : "places of nodes or their cells");
    if (asked->common.json)
        return TESS_OK;
    if (other_sides)
        printf("\nThe same nodes and cells; %s has other marked sides than %s, or other markers on "
               "them.\n",
               asked->meshes[other_sides], asked->meshes[0]);
    else
        printf("\nThe same nodes, cells and marked sides.\n");
    return TESS_OK;
}

static tess_status compare_run(int argc, char **argv) {
    static const tess_option_row options[] = {
        {TESS_KEPT_LIST(compare_options, meshes, n_meshes), .refusal = "more than %d meshes"}, {0}};
    static const tess_usage usage = {
        .options = options,
        .args_doc = "MESH MESH...",
        .doc = "Say whether files hold the same mesh, whatever their formats and numberings: all "
               "elements are numbered by the places of their nodes (:order=canonical), and the "
               "digests of what follows are compared. Markers count by which sides they are on, "
               "not by their names. Exits with 1 where nodes or cells differ.\v"
               "  tess mesh compare wing.su2 wing.lb8.ugrid"};
    static compare_options asked;
    static compared_mesh meshes[MOST_MESHES];
    asked = (compare_options){.n_meshes = 0};
    TRY(tess_command_parse(&usage, argc, argv, &asked.common, &asked));
    if (asked.n_meshes < 2)
        FAIL(TESS_ERROR_USAGE, "which meshes? tess mesh compare FILE FILE");
    for (int i = 0; i < asked.n_meshes; i++)
        TRY(look_at(asked.meshes[i], &meshes[i]));
    TRY(asked.common.json ? print_json(&asked, meshes) : print_table(&asked, meshes));
    return print_verdict(&asked, meshes);
}

const tess_command tess_mesh_compare = {
    .name = "compare", .summary = "Say whether files hold the same mesh", .run = compare_run};

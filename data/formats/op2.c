/* OP2: `new_grid.dat`, the mesh of OP2's airfoil application, with all its maps stated.
 *
 * One line of counts (nodes, cells, edges, boundary edges), then one row each of: x y; the four
 * nodes of a cell; two nodes and two cells of an edge; two nodes, one cell and the boundary
 * condition of a boundary edge. Ids count from 0. Format: OP2-Common, apps/c/airfoil. */
#include "core/base/array.h"
#include "core/mesh/plane_walls.h"
#include "data/formats/reader.h"
#include "data/formats/scan.h"
#include "data/formats/writer.h"
#include <stdlib.h>
#include <string.h>

typedef struct op2_file {
    int64_t n_nodes, n_cells, n_edges, n_bedges;
    double *coordinates;   /* [n_nodes][2] */
    int32_t *cells_nodes;  /* [n_cells][4] */
    int32_t *edges_nodes;  /* [n_edges][2] */
    int32_t *edges_cells;  /* [n_edges][2] */
    int32_t *bedges_nodes; /* [n_bedges][2] */
    int32_t *bedges_cells; /* [n_bedges] */
    int32_t *bedges_bound; /* [n_bedges] */
} op2_file;

static tess_status parse_node(tess_scan *line, const void *context, void *slot) {
    (void)context;
    double *x = slot;
    TRY(tess_scan_real(line, "x coordinate", &x[0]));
    return tess_scan_real(line, "y coordinate", &x[1]);
}

static tess_status parse_cell(tess_scan *line, const void *context, void *slot) {
    const op2_file *file = context;
    int32_t *nodes = slot;
    for (int i = 0; i < 4; i++)
        TRY(tess_scan_index(line, "node of the cell", file->n_nodes, &nodes[i]));
    return TESS_OK;
}

static tess_status parse_edge(tess_scan *line, const void *context, void *slot) {
    const op2_file *file = context;
    int32_t *edge = slot;
    TRY(tess_scan_index(line, "node of the edge", file->n_nodes, &edge[0]));
    TRY(tess_scan_index(line, "node of the edge", file->n_nodes, &edge[1]));
    TRY(tess_scan_index(line, "cell of the edge", file->n_cells, &edge[2]));
    TRY(tess_scan_index(line, "cell of the edge", file->n_cells, &edge[3]));
    if (edge[2] == edge[3])
        return tess_scan_fail(line, "the edge has the cell %d on both sides", edge[2]);
    return TESS_OK;
}

/* Copies `count` columns, from column `from` on, of n rows of four numbers. */
static void copy_columns(const int32_t *rows, int64_t n, int from, int count, int32_t *to) {
    for (int64_t i = 0; i < n; i++)
        memcpy(to + count * i, rows + 4 * i + from, (size_t)count * sizeof *to);
}

static tess_status take_edges(const void *rows, int64_t first, int64_t n, void *context) {
    op2_file *file = context;
    copy_columns(rows, n, 0, 2, file->edges_nodes + 2 * first);
    copy_columns(rows, n, 2, 2, file->edges_cells + 2 * first);
    return TESS_OK;
}

static tess_status parse_bedge(tess_scan *line, const void *context, void *slot) {
    const op2_file *file = context;
    int32_t *edge = slot;
    int64_t bound = 0;
    TRY(tess_scan_index(line, "node of the boundary edge", file->n_nodes, &edge[0]));
    TRY(tess_scan_index(line, "node of the boundary edge", file->n_nodes, &edge[1]));
    TRY(tess_scan_index(line, "cell of the boundary edge", file->n_cells, &edge[2]));
    TRY(tess_scan_integer(line, "boundary condition", INT32_MIN, INT32_MAX, &bound));
    edge[3] = (int32_t)bound;
    return TESS_OK;
}

static tess_status take_bedges(const void *rows, int64_t first, int64_t n, void *context) {
    op2_file *file = context;
    copy_columns(rows, n, 0, 2, file->bedges_nodes + 2 * first);
    copy_columns(rows, n, 2, 1, file->bedges_cells + first);
    copy_columns(rows, n, 3, 1, file->bedges_bound + first);
    return TESS_OK;
}

static const tess_row_format node_rows = {"nodes", 4, 2 * sizeof(double), parse_node, NULL, NULL};
static const tess_row_format cell_rows = {"cells", 8, 4 * sizeof(int32_t), parse_cell, NULL, NULL};
static const tess_row_format edge_rows = {"edges",    8,          4 * sizeof(int32_t),
                                          parse_edge, take_edges, NULL};
static const tess_row_format bedge_rows = {"boundary edges", 8,           4 * sizeof(int32_t),
                                           parse_bedge,      take_bedges, NULL};

static tess_status read_counts(tess_scan *scan, op2_file *file) {
    if (!tess_scan_find_line(scan))
        return tess_scan_fail(scan, "the counts are missing");
    TRY(tess_scan_integer(scan, "number of nodes", 1, INT32_MAX, &file->n_nodes));
    TRY(tess_scan_integer(scan, "number of cells", 1, INT32_MAX, &file->n_cells));
    TRY(tess_scan_integer(scan, "number of edges", 0, INT32_MAX, &file->n_edges));
    TRY(tess_scan_integer(scan, "number of boundary edges", 0, INT32_MAX, &file->n_bedges));
    TRY(tess_scan_finish_line(scan));
    TRY(tess_scan_expect_rows(scan, &node_rows, file->n_nodes));
    TRY(tess_scan_expect_rows(scan, &cell_rows, file->n_cells));
    TRY(tess_scan_expect_rows(scan, &edge_rows, file->n_edges));
    return tess_scan_expect_rows(scan, &bedge_rows, file->n_bedges);
}

static tess_status read_rows(tess_scan *scan, op2_file *file) {
    TRY(TESS_ALLOC(2 * file->n_nodes, &file->coordinates));
    TRY(TESS_ALLOC(4 * file->n_cells, &file->cells_nodes));
    TRY(TESS_ALLOC(2 * file->n_edges, &file->edges_nodes));
    TRY(TESS_ALLOC(2 * file->n_edges, &file->edges_cells));
    TRY(TESS_ALLOC(2 * file->n_bedges, &file->bedges_nodes));
    TRY(TESS_ALLOC(file->n_bedges, &file->bedges_cells));
    TRY(TESS_ALLOC(file->n_bedges, &file->bedges_bound));
    tess_row_format nodes = node_rows, cells = cell_rows;
    nodes.to = file->coordinates;
    cells.to = file->cells_nodes;
    TRY(tess_scan_rows(scan, &nodes, file->n_nodes, file));
    TRY(tess_scan_rows(scan, &cells, file->n_cells, file));
    TRY(tess_scan_rows(scan, &edge_rows, file->n_edges, file));
    TRY(tess_scan_rows(scan, &bedge_rows, file->n_bedges, file));
    if (tess_scan_find_line(scan))
        return tess_scan_fail(scan, "'%s' is left over behind the last boundary edge",
                              tess_scan_show(scan).text);
    return TESS_OK;
}

static tess_status state(op2_file *file, tess_mesh *mesh) {
    mesh->coordinates = TESS_TAKE(file->coordinates);
    TRY(tess_mesh_add_set(mesh, "nodes", file->n_nodes, NULL));
    TRY(tess_mesh_add_set(mesh, "cells", file->n_cells, NULL));
    TRY(tess_mesh_add_set(mesh, "edges", file->n_edges, NULL));
    TRY(tess_mesh_add_set(mesh, "bedges", file->n_bedges, NULL));
    TRY(tess_mesh_add_map(mesh, "cells", "nodes", 4, 0, TESS_TAKE(file->cells_nodes)));
    TRY(tess_mesh_add_map(mesh, "edges", "nodes", 2, 0, TESS_TAKE(file->edges_nodes)));
    TRY(tess_mesh_add_map(mesh, "edges", "cells", 2, 0, TESS_TAKE(file->edges_cells)));
    TRY(tess_mesh_add_map(mesh, "bedges", "nodes", 2, 0, TESS_TAKE(file->bedges_nodes)));
    TRY(tess_mesh_add_map(mesh, "bedges", "cells", 1, 0, TESS_TAKE(file->bedges_cells)));
    return tess_mesh_add_dat(mesh, "bound", "bedges", 1, TESS_INT32, TESS_TAKE(file->bedges_bound));
}

static tess_status op2_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    op2_file file = {0};
    tess_mesh *mesh = NULL;
    tess_scan scan = tess_scan_open(text, 0);
    CHECK(read_counts(&scan, &file));
    CHECK(read_rows(&scan, &file));
    CHECK(tess_mesh_new(text->path, 2, &mesh));
    CHECK(state(&file, mesh));
    *out = TESS_TAKE(mesh);
done:
    free(file.coordinates);
    free(file.cells_nodes);
    free(file.edges_nodes);
    free(file.edges_cells);
    free(file.bedges_nodes);
    free(file.bedges_cells);
    free(file.bedges_bound);
    tess_mesh_free(mesh);
    return status;
}

/* Whether the first line holds four whole numbers and no more. */
static bool op2_recognise(const tess_file_text *text) {
    tess_scan scan = tess_scan_open(text, 0);
    int64_t count = 0;
    if (!tess_scan_find_line(&scan))
        return false;
    for (int i = 0; i < 4; i++)
        if (tess_scan_line_done(&scan) ||
            tess_number_integer(&scan.at, scan.end, &count) != TESS_NUMBER_FINE)
            return false;
    return tess_scan_line_done(&scan);
}

const tess_reader tess_reader_op2 = {.name = "op2",
                                     .summary = "OP2's airfoil mesh (new_grid.dat), maps stated",
                                     .extensions = ".dat",
                                     .recognise = op2_recognise,
                                     .read = op2_read};

/* The side of a cell's middle from the way a to b: positive on the left. */
static double side_of_cell(const tess_mesh *mesh, const int32_t *cell_nodes, int32_t a, int32_t b) {
    const double *x = mesh->coordinates;
    double middle[2] = {0};
    for (int i = 0; i < 4; i++) {
        middle[0] += x[2 * cell_nodes[i]] / 4;
        middle[1] += x[2 * cell_nodes[i] + 1] / 4;
    }
    return (x[2 * b] - x[2 * a]) * (middle[1] - x[2 * a + 1]) -
           (x[2 * b + 1] - x[2 * a + 1]) * (middle[0] - x[2 * a]);
}

/* Writes edges or bedges; those derived are turned so that their first cell lies on the right, as
 * OP2 has it. `bound` is NULL, or what is written behind each. */
static void write_sides(FILE *stream, const tess_mesh *mesh, const int32_t *cells_nodes,
                        const char *set, const int32_t *bound) {
    const tess_map *nodes = tess_mesh_find_map_between(mesh, set, "nodes");
    const tess_map *cells = tess_mesh_find_map_between(mesh, set, "cells");
    for (int64_t e = 0; e < tess_mesh_set_size(mesh, set); e++) {
        const int32_t *of = cells->index + e * cells->arity;
        int32_t a = nodes->index[2 * e], b = nodes->index[2 * e + 1];
        if (nodes->derived && side_of_cell(mesh, cells_nodes + 4 * (int64_t)of[0], a, b) > 0) {
            a = b;
            b = nodes->index[2 * e];
        }
        fprintf(stream, "%d %d %d", a, b, of[0]);
        if (cells->arity == 2)
            fprintf(stream, " %d", of[1]);
        if (bound)
            fprintf(stream, " %d", bound[e]);
        fputc('\n', stream);
    }
}

/* The boundary conditions of bedges [bedges], the caller's: those that the mesh states; else 1 at
 * walls, as OP2's airfoil has it, 2 where nothing is marked, and other markers from 3 on. */
static tess_status find_bound(const tess_mesh *mesh, int32_t **out) {
    tess_status status = TESS_OK;
    const tess_dat *stated = tess_mesh_find_dat(mesh, "bound", "bedges");
    const tess_dat *marker = tess_mesh_find_dat(mesh, "marker", "bedges");
    const int64_t n = tess_mesh_set_size(mesh, "bedges");
    int32_t *bound = NULL;
    CHECK(TESS_ALLOC(n, &bound));
    CHECK(tess_plane_walls(mesh, bound));
    for (int64_t s = 0; s < n && marker && !stated; s++) {
        const int32_t of = ((const int32_t *)marker->values)[s];
        if (bound[s] != TESS_PLANE_WALL && of >= 0)
            bound[s] = TESS_PLANE_FAR_FIELD + 1 + of;
    }
    *out = TESS_TAKE(bound);
done:
    free(bound);
    return status;
}

static tess_status write_bedges(const tess_mesh *mesh, const int32_t *cells_nodes, FILE *stream) {
    int32_t *bound = NULL;
    TRY(find_bound(mesh, &bound));
    write_sides(stream, mesh, cells_nodes, "bedges", bound);
    free(bound);
    return TESS_OK;
}

static tess_status op2_write(tess_mesh *mesh, const tess_cells *cells, const tess_marked *marked,
                             FILE *stream) {
    (void)marked;
    const tess_map *cells_nodes = tess_mesh_find_map(mesh, "cells:nodes");
    if (!cells_nodes || cells_nodes->arity != 4 || mesh->dimension != 2)
        FAIL(TESS_ERROR_INPUT, "%s: OP2's new_grid.dat holds nothing but quads in a plane",
             mesh->source);
    fprintf(stream, "%lld %lld %lld %lld\n", (long long)cells->n_nodes, (long long)cells->n_cells,
            (long long)tess_mesh_set_size(mesh, "edges"),
            (long long)tess_mesh_set_size(mesh, "bedges"));
    for (int64_t i = 0; i < cells->n_nodes; i++) {
        tess_write_real(stream, mesh->coordinates[2 * i]);
        fputc(' ', stream);
        tess_write_real(stream, mesh->coordinates[2 * i + 1]);
        fputc('\n', stream);
    }
    for (int64_t cell = 0; cell < cells->n_cells; cell++)
        fprintf(stream, "%d %d %d %d\n", cells_nodes->index[4 * cell],
                cells_nodes->index[4 * cell + 1], cells_nodes->index[4 * cell + 2],
                cells_nodes->index[4 * cell + 3]);
    write_sides(stream, mesh, cells_nodes->index, "edges", NULL);
    return write_bedges(mesh, cells_nodes->index, stream);
}

const tess_writer tess_writer_op2 = {
    .name = "op2",
    .summary = "OP2's new_grid.dat: quads with edges:nodes, edges:cells and boundary conditions",
    .extension = ".dat",
    .maps = "edges:nodes edges:cells bedges:nodes bedges:cells",
    .keeps_maps = true,
    .numbers = "1 at all walls, 2 where nothing is marked, others from 3 on",
    .write = op2_write};

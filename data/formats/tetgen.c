/* TetGen: the files `.node` and `.ele`, of TetGen in 3D and Triangle in 2D, text or Chaste's
 * binary.
 *
 * Each begins with counts; then a row a node (`id x y z attributes marker`) and a row an element
 * (`id nodes attributes`). Nodes count from the first node's id, 0 or 1. Attributes of elements,
 * the regions, become the dat `region` on cells. Boundary elements come from `.face` in 3D, `.edge`
 * in 2D, where there is such a file: `id nodes marker`, 0 for those inside. Chaste ends the line of
 * counts with BIN and packs rows without ids, little-endian, nodes from 0.
 * Formats: TetGen's manual, 5.2; Chaste, TrianglesMeshReader. */
#include "core/base/array.h"
#include "core/base/folder.h"
#include "data/formats/elements.h"
#include "data/formats/marker_groups.h"
#include "data/formats/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ATTRIBUTES = 64 };

typedef struct tetgen_files {
    tess_scan scan;   /* of the file being read */
    bool packed;      /* that file is */
    int64_t first_id; /* of the nodes */
    int64_t n_cells;
    int n_node_words;    /* attributes and markers behind a node's coordinates */
    int n_element_nodes; /* 10 of a tetrahedron of second order, whose corners come first */
    int n_regions;       /* attributes of a cell */
    double *regions;     /* [n_cells][n_regions] */
    tess_element_type boundary;
    tess_grouped grouped;
} tetgen_files;

/* Reads the first line: up to `most` counts, and the word BIN where the rows are packed. */
static tess_status read_counts(tetgen_files *files, int least, int most, int64_t *counts) {
    tess_scan *scan = &files->scan;
    tess_scan_find_line(scan);
    files->packed = false;
    for (int i = 0; i < most && !tess_scan_line_done(scan) && *scan->at != 'B'; i++, least--)
        TRY(tess_scan_integer(scan, "count", 0, INT32_MAX, &counts[i]));
    if (least > 0)
        return tess_scan_fail(scan, "a count is missing in the first line");
    const char *word = NULL;
    if (!tess_scan_line_done(scan) && *scan->at == 'B') {
        const size_t length = tess_scan_word(scan, &word);
        if (length != 3 || strncmp(word, "BIN", 3) != 0)
            return tess_scan_fail(scan, "the first line ends neither in a count nor in BIN");
        files->packed = true;
    }
    TRY(tess_scan_finish_line(scan));
    scan->binary = files->packed;
    return TESS_OK;
}

/* Behind the rows only comments may stand. */
static tess_status expect_end(tetgen_files *files) {
    files->scan.binary = false;
    if (tess_scan_find_line(&files->scan)) {
        files->scan.binary = files->packed;
        return tess_scan_fail(&files->scan, "'%s' is left over behind the last row",
                              tess_scan_show(&files->scan).text);
    }
    return TESS_OK;
}

typedef struct node_row {
    int64_t id;
    double x[3];
} node_row;

static tess_status parse_node(tess_scan *line, const void *context, void *slot) {
    const tetgen_files *files = context;
    node_row *node = slot;
    double ignored = 0;
    TRY(tess_scan_integer(line, "node id", INT64_MIN, INT64_MAX, &node->id));
    for (int axis = 0; axis < files->grouped.dimension; axis++)
        TRY(tess_scan_real(line, "coordinate", &node->x[axis]));
    for (int i = 0; i < files->n_node_words; i++)
        TRY(tess_scan_real(line, "attribute", &ignored));
    return TESS_OK;
}

static tess_status take_nodes(const void *slots, int64_t first_row, int64_t n_rows, void *context) {
    tetgen_files *files = context;
    const node_row *rows = slots;
    if (first_row == 0)
        files->first_id = rows[0].id;
    for (int64_t i = 0; i < n_rows; i++) {
        const int64_t node = first_row + i;
        if (rows[i].id != files->first_id + node)
            return tess_scan_fail(&files->scan,
                                  "row %" PRId64 " of the nodes has the id %" PRId64
                                  ", not %" PRId64 ": ids should count up",
                                  node, rows[i].id, files->first_id + node);
        memcpy(files->grouped.coordinates + node * files->grouped.dimension, rows[i].x,
               (size_t)files->grouped.dimension * sizeof(double));
    }
    return TESS_OK;
}

static tess_status read_packed_nodes(tetgen_files *files, int n_attributes) {
    const char *raw = NULL;
    const int64_t record = 8 * (files->grouped.dimension + n_attributes);
    TRY(tess_scan_raw(&files->scan, "nodes", files->grouped.n_nodes, record, &raw));
    TRY(TESS_ALLOC(files->grouped.n_nodes * files->grouped.dimension, &files->grouped.coordinates));
    for (int64_t i = 0; i < files->grouped.n_nodes; i++)
        for (int axis = 0; axis < files->grouped.dimension; axis++) {
            const double x = tess_raw_double(raw + i * record + 8 * axis, files->scan.swap);
            if (!isfinite(x))
                return tess_scan_fail(&files->scan, "node %" PRId64 " has the coordinate %g", i, x);
            files->grouped.coordinates[i * files->grouped.dimension + axis] = x;
        }
    return TESS_OK;
}

/* Nodes: count, dimension, attributes, markers (0 or 1). */
static tess_status read_nodes(tetgen_files *files) {
    static const tess_row_format rows = {"nodes",    6,          sizeof(node_row),
                                         parse_node, take_nodes, NULL};
    int64_t counts[4] = {0};
    TRY(read_counts(files, 2, 4, counts));
    if (counts[1] != 2 && counts[1] != 3)
        return tess_scan_fail(&files->scan, "the dimension %" PRId64 " is neither 2 nor 3",
                              counts[1]);
    if (counts[2] > MOST_ATTRIBUTES || counts[3] > 1)
        return tess_scan_fail(&files->scan,
                              "%" PRId64 " attributes and %" PRId64 " markers a node are too many",
                              counts[2], counts[3]);
    files->grouped.n_nodes = counts[0];
    files->grouped.dimension = (int)counts[1];
    files->n_node_words = (int)(counts[2] + counts[3]);
    if (files->packed)
        return read_packed_nodes(files, (int)counts[2]);
    TRY(tess_scan_expect_rows(&files->scan, &rows, files->grouped.n_nodes));
    TRY(TESS_ALLOC(files->grouped.n_nodes * files->grouped.dimension, &files->grouped.coordinates));
    return tess_scan_rows(&files->scan, &rows, files->grouped.n_nodes, files);
}

typedef struct element_row {
    tess_element element;
    double regions[]; /* [n_regions] */
} element_row;

static tess_status parse_corners(const tetgen_files *files, tess_scan *line, int n,
                                 tess_element *element) {
    const int arity = tess_element_kinds[element->type].arity;
    int64_t id = 0;
    for (int i = 0; i < n; i++) {
        TRY(tess_scan_integer(line, "node", files->first_id,
                              files->first_id + files->grouped.n_nodes - 1, &id));
        if (i < arity)
            element->nodes[i] = (int32_t)(id - files->first_id);
    }
    element->cut = n > arity;
    return TESS_OK;
}

static tess_status parse_cell(tess_scan *line, const void *context, void *slot) {
    const tetgen_files *files = context;
    element_row *row = slot;
    int64_t id = 0;
    row->element =
        (tess_element){.type = files->grouped.dimension == 3 ? TESS_ELEMENT_TET : TESS_ELEMENT_TRI};
    TRY(tess_scan_integer(line, "element id", INT64_MIN, INT64_MAX, &id));
    TRY(parse_corners(files, line, files->n_element_nodes, &row->element));
    for (int i = 0; i < files->n_regions; i++)
        TRY(tess_scan_real(line, "attribute", &row->regions[i]));
    return TESS_OK;
}

static tess_status take_cells(const void *slots, int64_t first_row, int64_t n_rows, void *context) {
    tetgen_files *files = context;
    const size_t size = sizeof(element_row) + (size_t)files->n_regions * sizeof(double);
    for (int64_t i = 0; i < n_rows; i++) {
        const element_row *row = (const void *)((const char *)slots + (size_t)i * size);
        TRY(tess_elements_append(&files->grouped.elements, &row->element, 1));
        memcpy(files->regions + (first_row + i) * files->n_regions, row->regions,
               (size_t)files->n_regions * sizeof(double));
    }
    return TESS_OK;
}

static tess_status read_packed_cells(tetgen_files *files) {
    const int64_t ids = 4 * files->n_element_nodes;
    tess_raw_elements raw = {.type = files->grouped.dimension == 3 ? TESS_ELEMENT_TET
                                                                   : TESS_ELEMENT_TRI,
                             .n = files->n_cells,
                             .id_bytes = 4,
                             .from_zero = true,
                             .record = ids + 8 * files->n_regions};
    TRY(tess_scan_raw(&files->scan, "elements", raw.n, raw.record, &raw.ids));
    TRY(TESS_ALLOC(files->n_cells * files->n_regions, &files->regions));
    for (int64_t i = 0; i < files->n_cells; i++)
        for (int k = 0; k < files->n_regions; k++)
            files->regions[i * files->n_regions + k] =
                tess_raw_double(raw.ids + i * raw.record + ids + 8 * k, files->scan.swap);
    return tess_raw_elements_append(&files->scan, &raw, files->grouped.n_nodes,
                                    &files->grouped.elements);
}

/* Elements: count, nodes of each, attributes. */
static tess_status read_cells(tetgen_files *files) {
    int64_t counts[3] = {0};
    TRY(read_counts(files, 2, 3, counts));
    const int corners = files->grouped.dimension + 1;
    const int middles = corners * (corners - 1) / 2; /* one an edge, of second order */
    if (counts[1] != corners && counts[1] != corners + middles)
        return tess_scan_fail(&files->scan,
                              "elements of %" PRId64 " nodes; %d or %d are read in "
                              "%d dimensions",
                              counts[1], corners, corners + middles, files->grouped.dimension);
    if (counts[2] > MOST_ATTRIBUTES)
        return tess_scan_fail(&files->scan, "%" PRId64 " attributes an element are too many",
                              counts[2]);
    files->n_cells = counts[0];
    files->n_element_nodes = (int)counts[1];
    files->n_regions = (int)counts[2];
    if (files->packed)
        return read_packed_cells(files);
    const tess_row_format rows = {"elements",
                                  2 * corners + 2,
                                  sizeof(element_row) + (size_t)files->n_regions * sizeof(double),
                                  parse_cell,
                                  take_cells,
                                  NULL};
    TRY(tess_scan_expect_rows(&files->scan, &rows, files->n_cells));
    TRY(TESS_ALLOC(files->n_cells * files->n_regions, &files->regions));
    return tess_scan_rows(&files->scan, &rows, files->n_cells, files);
}

static tess_status parse_side(tess_scan *line, const void *context, void *slot) {
    const tetgen_files *files = context;
    tess_element *element = slot;
    int64_t id = 0, marker = 0;
    *element = (tess_element){.type = files->boundary};
    TRY(tess_scan_integer(line, "id", INT64_MIN, INT64_MAX, &id));
    TRY(parse_corners(files, line, tess_element_kinds[files->boundary].arity, element));
    if (!tess_scan_line_done(line))
        TRY(tess_scan_integer(line, "marker", INT32_MIN, INT32_MAX, &marker));
    element->marker = (int32_t)marker;
    /* the cells beside it, where they were asked for */
    return tess_scan_skip_integers(line, "neighbour");
}

/* Takes those that have a marker. */
static tess_status take_sides(const void *slots, int64_t first_row, int64_t n_rows, void *context) {
    (void)first_row;
    tetgen_files *files = context;
    const tess_element *sides = slots;
    for (int64_t i = 0; i < n_rows; i++)
        if (sides[i].marker != 0)
            TRY(tess_elements_append(&files->grouped.elements, &sides[i], 1));
    return TESS_OK;
}

/* Sides: count, markers (0 or 1). Chaste's packed ones have no markers that we know of. */
static tess_status read_sides(tetgen_files *files) {
    static const tess_row_format rows = {"sides",    6,          sizeof(tess_element),
                                         parse_side, take_sides, NULL};
    int64_t counts[2] = {0};
    TRY(read_counts(files, 1, 2, counts));
    if (files->packed || counts[1] == 0) {
        files->scan.at = files->scan.end;
        return TESS_OK;
    }
    files->boundary = files->grouped.dimension == 3 ? TESS_ELEMENT_TRI : TESS_ELEMENT_LINE;
    return tess_scan_rows(&files->scan, &rows, counts[0], files);
}

/* Gives the name of the file beside `path` that differs by its ending. */
static tess_status name_of_part(const char *path, const char *ending, char **name) {
    const char *own = tess_last_of_path(path);
    size_t length = tess_path_length_unpacked(own);
    while (length > 0 && own[--length] != '.')
        ;
    return tess_text_print(name, "%.*s%s", (int)length, own, ending);
}

/* Reads the file of that ending beside `path` by one of the functions above. */
static tess_status read_part(const char *path, const char *ending, tetgen_files *files,
                             tess_status (*read)(tetgen_files *)) {
    tess_status status = TESS_OK;
    tess_file_text *part = NULL;
    char *name = NULL;
    CHECK(name_of_part(path, ending, &name));
    CHECK(tess_file_text_read_beside(path, name, &part));
    files->scan = tess_scan_open(part, '#');
    CHECK(read(files));
    CHECK(expect_end(files));
done:
    free(name);
    tess_file_text_free(part);
    return status;
}

static tess_status read_boundary(const char *path, tetgen_files *files) {
    const char *const ending = files->grouped.dimension == 3 ? ".face" : ".edge";
    char *name = NULL;
    TRY(name_of_part(path, ending, &name));
    const bool exists = tess_file_text_is_beside(path, name);
    free(name);
    return exists ? read_part(path, ending, files, read_sides) : TESS_OK;
}

/* Makes the attributes of elements their groups where each has one, a whole number. */
static void group_by_attribute(tetgen_files *files) {
    tess_element_list *cells =
        &files->grouped.elements
             .lists[files->grouped.dimension == 3 ? TESS_ELEMENT_TET : TESS_ELEMENT_TRI];
    for (int64_t i = 0; i < files->n_cells; i++) {
        const double value = files->n_regions == 1 ? files->regions[i] : NAN;
        if (!(fabs(value) <= INT32_MAX) || value != rint(value))
            return;
    }
    for (int64_t i = 0; i < files->n_cells; i++)
        cells->marker[i] = (int32_t)files->regions[i];
    free(TESS_TAKE(files->regions));
    files->n_regions = 0;
}

static tess_status tetgen_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    tetgen_files files = {.grouped.kind = "marker"};
    tess_mesh *mesh = NULL;
    CHECK(read_part(text->path, ".node", &files, read_nodes));
    CHECK(read_part(text->path, ".ele", &files, read_cells));
    CHECK(read_boundary(text->path, &files));
    group_by_attribute(&files);
    CHECK(tess_marker_groups_mesh(text->path, &files.grouped, &mesh));
    if (files.n_regions)
        CHECK(tess_mesh_add_dat(mesh, "region", "cells", files.n_regions, TESS_DOUBLE,
                                TESS_TAKE(files.regions)));
    *out = TESS_TAKE(mesh);
done:
    free(files.regions);
    tess_grouped_clear(&files.grouped);
    tess_mesh_free(mesh);
    return status;
}

/* Whether the first line is of counts. */
static bool tetgen_recognise(const tess_file_text *text) {
    tess_scan scan = tess_scan_open(text, '#');
    int64_t count = 0;
    int n = 0;
    if (!strstr(text->path, ".node") && !strstr(text->path, ".ele"))
        return false; /* the content alone could be much else */
    if (!tess_scan_find_line(&scan))
        return false;
    while (!tess_scan_line_done(&scan) &&
           tess_number_integer(&scan.at, scan.end, &count) == TESS_NUMBER_FINE)
        n++;
    return n >= 2;
}

const tess_reader tess_reader_tetgen = {.name = "tetgen",
                                        .summary =
                                            "TetGen's and Triangle's .node and .ele, Chaste's "
                                            "binary ones",
                                        .extensions = ".node .ele",
                                        .recognise = tetgen_recognise,
                                        .read = tetgen_read};

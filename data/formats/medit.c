/* Medit: the text form `.mesh` of libMeshb's format (Gmsh, mmg, TetGen, FreeFem write it).
 *
 * Keywords, some of them followed by a count and as many rows, whose last number is a reference.
 * References of boundary elements become the markers `reference N`. Sections of other keywords
 * (corners, ridges, normals) are skipped with their rows. Keywords may be in capitals. Format:
 * libMeshb's manual. */
#include "core/base/array.h"
#include "data/formats/elements.h"
#include "data/formats/marker_groups.h"
#include "data/formats/reader.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct medit_file {
    tess_scan scan;
    tess_grouped grouped;   /* dimension 0, coordinates NULL until they are read */
    tess_element_type type; /* of the section being read */
    int n_nodes;            /* of its elements, the corners first */
} medit_file;

/* The keyword that the line begins with, "" where it begins with something else. */
static tess_short_word take_key(tess_scan *scan) {
    const tess_scan before = *scan;
    const tess_short_word key = tess_scan_short_word(scan);
    if (isalpha((unsigned char)key.text[0]))
        return key;
    *scan = before;
    return (tess_short_word){""};
}

/* Reads the number behind a keyword, on its line or on the next. */
static tess_status read_number(medit_file *file, const char *what, int64_t most, int64_t *number) {
    tess_scan_find_line(&file->scan);
    TRY(tess_scan_integer(&file->scan, what, 0, most, number));
    return tess_scan_finish_line(&file->scan);
}

static tess_status read_dimension(medit_file *file) {
    int64_t dimension = 0;
    TRY(read_number(file, "dimension", INT32_MAX, &dimension));
    if ((dimension != 2 && dimension != 3) || file->grouped.dimension)
        return tess_scan_fail(&file->scan, "the dimension %" PRId64 " is stated%s", dimension,
                              file->grouped.dimension ? " again" : ", which is neither 2 nor 3");
    file->grouped.dimension = (int)dimension;
    return TESS_OK;
}

/* What stands behind an element or a vertex; some writers leave it out. */
static tess_status read_reference(tess_scan *line, int32_t *reference) {
    int64_t number = 0;
    if (!tess_scan_line_done(line))
        TRY(tess_scan_integer(line, "reference", INT32_MIN, INT32_MAX, &number));
    *reference = (int32_t)number;
    return TESS_OK;
}

static tess_status parse_vertex(tess_scan *line, const void *context, void *slot) {
    const medit_file *file = context;
    double *x = slot;
    int32_t reference = 0;
    for (int axis = 0; axis < file->grouped.dimension; axis++)
        TRY(tess_scan_real(line, "coordinate", &x[axis]));
    return read_reference(line, &reference);
}

static tess_status read_vertices(medit_file *file) {
    if (file->grouped.dimension == 0 || file->grouped.coordinates)
        return tess_scan_fail(&file->scan, file->grouped.dimension ? "a second section Vertices"
                                                                   : "Vertices before Dimension");
    tess_row_format rows = {.what = "vertices",
                            .min_bytes = 2 * file->grouped.dimension,
                            .slot_size = (size_t)file->grouped.dimension * sizeof(double),
                            .parse = parse_vertex};
    TRY(read_number(file, "number of vertices", INT32_MAX, &file->grouped.n_nodes));
    TRY(tess_scan_expect_rows(&file->scan, &rows, file->grouped.n_nodes));
    TRY(TESS_ALLOC(file->grouped.n_nodes * file->grouped.dimension, &file->grouped.coordinates));
    rows.to = file->grouped.coordinates;
    return tess_scan_rows(&file->scan, &rows, file->grouped.n_nodes, file);
}

static tess_status parse_element(tess_scan *line, const void *context, void *slot) {
    const medit_file *file = context;
    tess_element *element = slot;
    *element = (tess_element){.type = file->type};
    const int arity = tess_element_kinds[file->type].arity;
    int32_t node = 0;
    for (int i = 0; i < file->n_nodes; i++) {
        TRY(tess_scan_id(line, "vertex", file->grouped.n_nodes, &node));
        if (i < arity)
            element->nodes[i] = node;
    }
    element->cut = file->n_nodes > arity;
    return read_reference(line, &element->marker);
}

static tess_status read_elements(medit_file *file, tess_element_type type, int n_nodes) {
    const tess_row_format rows = {"elements",           4,
                                  sizeof(tess_element), parse_element,
                                  tess_elements_take,   &file->grouped.elements};
    int64_t n = 0;
    if (!file->grouped.coordinates)
        return tess_scan_fail(&file->scan, "elements before the vertices");
    file->type = type;
    file->n_nodes = n_nodes ? n_nodes : tess_element_kinds[type].arity;
    TRY(read_number(file, "number of elements", INT64_MAX, &n));
    return tess_scan_rows(&file->scan, &rows, n, file);
}

/* Passes over a section up to the next keyword. */
static void skip_section(tess_scan *scan) {
    tess_scan_skip_line(scan);
    while (tess_scan_find_line(scan) && !isalpha((unsigned char)*scan->at))
        tess_scan_skip_line(scan);
}

static tess_status read_section(medit_file *file, const char *key) {
    static const struct {
        const char *key;
        tess_element_type type;
        int n_nodes; /* 0: the corners */
    } kinds[] = {
        {"Edges", TESS_ELEMENT_LINE, 0},          {"Triangles", TESS_ELEMENT_TRI, 0},
        {"Quadrilaterals", TESS_ELEMENT_QUAD, 0}, {"Tetrahedra", TESS_ELEMENT_TET, 0},
        {"Tetrahedrons", TESS_ELEMENT_TET, 0},    {"Pyramids", TESS_ELEMENT_PYRAMID, 0},
        {"Prisms", TESS_ELEMENT_PRISM, 0},        {"Pentahedra", TESS_ELEMENT_PRISM, 0},
        {"Hexahedra", TESS_ELEMENT_HEX, 0},       {"Hexaedra", TESS_ELEMENT_HEX, 0},
        {"EdgesP2", TESS_ELEMENT_LINE, 3},        {"TrianglesP2", TESS_ELEMENT_TRI, 6},
        {"TetrahedraP2", TESS_ELEMENT_TET, 10},   {"QuadrilateralsQ2", TESS_ELEMENT_QUAD, 9},
        {"HexahedraQ2", TESS_ELEMENT_HEX, 27}};
    if (strcasecmp(key, "Dimension") == 0)
        return read_dimension(file);
    if (strcasecmp(key, "Vertices") == 0)
        return read_vertices(file);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcasecmp(kinds[i].key, key) == 0)
            return read_elements(file, kinds[i].type, kinds[i].n_nodes);
    skip_section(&file->scan);
    return TESS_OK;
}

static tess_status read_sections(medit_file *file) {
    tess_scan *scan = &file->scan;
    while (tess_scan_find_line(scan)) {
        const tess_short_word key = take_key(scan);
        if (!key.text[0])
            return tess_scan_fail(scan,
                                  "'%s' stands where a keyword should: the section before it "
                                  "promised fewer rows",
                                  tess_scan_show(scan).text);
        if (strcasecmp(key.text, "End") == 0)
            break;
        TRY(read_section(file, key.text));
    }
    if (!file->grouped.coordinates || tess_elements_dimension(&file->grouped.elements) < 2)
        return tess_scan_fail(scan, "the file ends without %s",
                              file->grouped.coordinates ? "cells" : "Vertices");
    return TESS_OK;
}

static tess_status medit_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    medit_file file = {.scan = tess_scan_open(text, '#'), .grouped.kind = "reference"};
    CHECK(read_sections(&file));
    CHECK(tess_marker_groups_mesh(text->path, &file.grouped, out));
done:
    tess_grouped_clear(&file.grouped);
    return status;
}

static bool medit_recognise(const tess_file_text *text) {
    tess_scan scan = tess_scan_open(text, '#');
    return tess_scan_find_line(&scan) &&
           strcasecmp(take_key(&scan).text, "MeshVersionFormatted") == 0;
}

const tess_reader tess_reader_medit = {.name = "medit",
                                       .summary = "Medit's text format, of Gmsh, mmg and TetGen",
                                       .extensions = ".mesh",
                                       .recognise = medit_recognise,
                                       .read = medit_read};

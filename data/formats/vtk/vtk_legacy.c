/* Legacy VTK: VTK's older files, `.vtk`, of unstructured grids and of polygons, text and binary.
 *
 * Three lines of head, then keywords with numbers behind them, which are big-endian where they are
 * binary. Cells are rows, the number of nodes before the nodes, or since version 5.1 offsets and
 * connectivity. Cells of one dimension less are boundary elements; their markers are the cell data
 * that VTU files have them in, and Gmsh's `CellEntityIds`. Format: VTK's file formats, "Simple
 * Legacy Formats". */
#include "core/base/array.h"
#include "data/formats/marker_groups.h"
#include "data/formats/reader.h"
#include "data/formats/vtk/vtu_cells.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum { N_KINDS = 5, GRID = 4 };

/* Sections of cells, in the order in which cell data count them; a grid has the last alone. */
static const struct {
    const char *key;
    int type; /* VTK's of all of them; 0: CELL_TYPES says it */
} kinds[N_KINDS] = {
    {"VERTICES", 2}, {"LINES", 4}, {"POLYGONS", 7}, {"TRIANGLE_STRIPS", 6}, [GRID] = {"CELLS", 0}};

typedef struct vtk_file {
    tess_scan scan;
    tess_vtk_coding coding;
    bool is_text, has_dataset, is_grid;
    int64_t n_points, n_types;
    tess_vtk_array points;
    tess_vtu_piece cells[N_KINDS];
    int64_t n_data;                      /* of cells or points, which the data here are of */
    bool of_cells;                       /* of cells */
    int64_t n_cell_data;                 /* as CELL_DATA says */
    tess_vtk_array cell_data[VTU_ROLES]; /* of all kinds, one behind the other */
    tess_short_word unknown;             /* the array of data that ended the search, or "" */
    tess_vtu_left_out left_out;
    tess_grouped grouped;
} vtk_file;

/* --- arrays ----------------------------------------------------------------------------------- */

static bool is_word(tess_short_word word, const char *text) {
    return strcasecmp(word.text, text) == 0;
}

/* Sets the type of numbers by the file's word for it. VTK writes its ids as int. */
static bool set_type(tess_vtk_array *array, const char *word) {
    static const struct {
        const char *word, *type;
    } types[] = {{"char", "Int8"},
                 {"signed_char", "Int8"},
                 {"unsigned_char", "UInt8"},
                 {"bit", "UInt8"},
                 {"short", "Int16"},
                 {"unsigned_short", "UInt16"},
                 {"int", "Int32"},
                 {"vtkIdType", "Int32"},
                 {"vtktypeint32", "Int32"},
                 {"unsigned_int", "UInt32"},
                 {"long", "Int64"},
                 {"long_long", "Int64"},
                 {"vtktypeint64", "Int64"},
                 {"unsigned_long", "UInt64"},
                 {"unsigned_long_long", "UInt64"},
                 {"vtktypeuint64", "UInt64"},
                 {"float", "Float32"},
                 {"double", "Float64"}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcasecmp(word, types[i].word) == 0)
            return tess_vtk_array_type(array, types[i].type);
    return false;
}

/* Moves the scan over n numbers of an array; a keyword of the text ends them too early. */
static tess_status pass_numbers(tess_scan *scan, const tess_vtk_array *array, int64_t n) {
    const char *word = NULL, *const start = scan->at;
    if (array->encoding != TESS_VTK_TEXT)
        return tess_scan_raw(scan, array->name, n, array->type_bytes, &word);
    if (n > (scan->end - scan->at) / 2 + 1)
        return tess_scan_fail(scan,
                              "%" PRId64 " numbers of the %s are announced, but only %" PRId64
                              " bytes follow in the file",
                              n, array->name, (int64_t)(scan->end - scan->at));
    for (int64_t i = 0; i < n; i++) {
        if (!tess_scan_find_line(scan))
            return tess_scan_fail(scan, "the file ends after %" PRId64 " of %" PRId64 " %s", i, n,
                                  array->name);
        if (isalpha((unsigned char)*scan->at) && !strchr("nNiI", *scan->at))
            return tess_scan_fail(
                scan, "'%s' stands where number %" PRId64 " of %" PRId64 " of the %s should",
                tess_scan_show(scan).text, i + 1, n, array->name);
        tess_scan_word(scan, &word);
        tess_scan_passed(scan, i, start, scan->at);
    }
    return TESS_OK;
}

/* Finds the array of n numbers that begins here, and moves behind it. */
static tess_status take_array(vtk_file *file, const char *name, const char *type, int64_t n,
                              tess_vtk_array *out) {
    *out = (tess_vtk_array){.name = name,
                            .encoding = file->is_text ? TESS_VTK_TEXT : TESS_VTK_RAW,
                            .start = file->scan};
    if (!set_type(out, type))
        return tess_scan_fail(&file->scan, "the %s are numbers of the unknown type '%s'", name,
                              type);
    TRY(pass_numbers(&file->scan, out, n));
    out->start.end = file->scan.at;
    return TESS_OK;
}

/* --- points and cells ------------------------------------------------------------------------- */

static tess_status read_dataset(vtk_file *file) {
    const tess_short_word type = tess_scan_short_word(&file->scan);
    file->is_grid = is_word(type, "UNSTRUCTURED_GRID");
    if (file->has_dataset || (!file->is_grid && !is_word(type, "POLYDATA")))
        return tess_scan_fail(&file->scan,
                              "a DATASET of %s%s; one of UNSTRUCTURED_GRID or POLYDATA is read",
                              type.text, file->has_dataset ? " behind another" : "");
    file->has_dataset = true;
    return tess_scan_finish_line(&file->scan);
}

static tess_status read_points(vtk_file *file) {
    if (file->points.type)
        return tess_scan_fail(&file->scan, "a second section POINTS");
    TRY(tess_scan_integer(&file->scan, "number of points", 0, INT32_MAX, &file->n_points));
    const tess_short_word type = tess_scan_short_word(&file->scan);
    TRY(tess_scan_finish_line(&file->scan));
    return take_array(file, "points", type.text, 3 * file->n_points, &file->points);
}

/* OFFSETS or CONNECTIVITY, and the numbers behind it. */
static tess_status read_listed(vtk_file *file, const char *key, const char *name, int64_t n,
                               tess_vtk_array *out) {
    tess_scan_find_line(&file->scan);
    const tess_scan before = file->scan;
    if (!is_word(tess_scan_short_word(&file->scan), key))
        return tess_scan_fail(&before, "'%s' stands where %s should", tess_scan_show(&before).text,
                              key);
    const tess_short_word type = tess_scan_short_word(&file->scan);
    TRY(tess_scan_finish_line(&file->scan));
    return take_array(file, name, type.text, n, out);
}

/* Leaves the first offset out, which is that of the first cell. */
static tess_status drop_first(const tess_vtk_coding *coding, tess_vtk_array *offsets) {
    tess_vtk_values values;
    int64_t first = 0;
    TRY(tess_vtk_values_open(offsets, coding, 1, &values));
    const tess_status status = tess_vtk_values_integers(&values, 1, &first);
    tess_vtk_values_close(&values);
    TRY(status);
    if (first != 0)
        return tess_scan_fail(&offsets->start, "the first offset is %" PRId64 ", not 0", first);
    return pass_numbers(&offsets->start, offsets, 1);
}

/* The cells of version 5.1: n offsets, of which the last is where the last cell ends. */
static tess_status read_split_cells(vtk_file *file, int64_t n, int64_t n_nodes,
                                    tess_vtu_piece *cells) {
    TRY(read_listed(file, "OFFSETS", "offsets", n, &cells->arrays[VTU_OFFSETS]));
    TRY(read_listed(file, "CONNECTIVITY", "connectivity", n_nodes,
                    &cells->arrays[VTU_CONNECTIVITY]));
    cells->n_cells = n > 0 ? n - 1 : 0;
    return n > 0 ? drop_first(&file->coding, &cells->arrays[VTU_OFFSETS]) : TESS_OK;
}

static tess_status read_cells(vtk_file *file, int kind) {
    tess_scan *scan = &file->scan;
    tess_vtu_piece *cells = &file->cells[kind];
    int64_t n = 0, size = 0;
    if (file->is_grid != (kind == GRID) || cells->arrays[VTU_OFFSETS].type)
        return tess_scan_fail(scan, "a section %s%s", kinds[kind].key,
                              cells->arrays[VTU_OFFSETS].type
                                  ? " behind another one"
                                  : ", which this type of DATASET does not have");
    cells->position = *scan;
    cells->type = kinds[kind].type;
    cells->faces_in_cells = true;
    TRY(tess_scan_integer(scan, "number of cells", 0, INT32_MAX, &n));
    TRY(tess_scan_integer(scan, "size of the cells", 0, INT64_MAX / 16, &size));
    TRY(tess_scan_finish_line(scan));
    tess_scan next = *scan;
    if (tess_scan_find_line(&next) && is_word(tess_scan_short_word(&next), "OFFSETS"))
        return read_split_cells(file, n, size, cells);
    if (n > size)
        return tess_scan_fail(scan, "%" PRId64 " cells of %" PRId64 " numbers in all", n, size);
    tess_vtk_array rows = {.name = NULL};
    TRY(take_array(file, "cells", "int", size, &rows));
    rows.n_numbers = size;
    rows.view = TESS_VTK_ROW_NODES;
    cells->arrays[VTU_CONNECTIVITY] = rows;
    rows.view = TESS_VTK_ROW_ENDS;
    cells->arrays[VTU_OFFSETS] = rows;
    cells->n_cells = n;
    return TESS_OK;
}

static tess_status read_types(vtk_file *file) {
    TRY(tess_scan_integer(&file->scan, "number of types", 0, INT32_MAX, &file->n_types));
    TRY(tess_scan_finish_line(&file->scan));
    return take_array(file, "types", "int", file->n_types, &file->cells[GRID].arrays[VTU_TYPES]);
}

/* --- data ------------------------------------------------------------------------------------- */

/* Passes over a text in a binary file. The first two bits say how many bytes its length has, the
 * others are the length, big-endian. */
static tess_status pass_packed_text(tess_scan *scan) {
    const char *raw = NULL;
    TRY(tess_scan_raw(scan, "lengths of texts", 1, 1, &raw));
    const int first = (unsigned char)raw[0], n_more = (1 << (3 - (first >> 6))) - 1;
    uint64_t length = (uint64_t)(first & 0x3f);
    TRY(tess_scan_raw(scan, "lengths of texts", n_more, 1, &raw));
    for (int i = 0; i < n_more; i++)
        length = length << 8 | (unsigned char)raw[i];
    return tess_scan_raw(scan, "texts", length > INT64_MAX ? INT64_MAX : (int64_t)length, 1, &raw);
}

/* Passes over n texts, in a text a line each. */
static tess_status pass_texts(vtk_file *file, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        if (file->scan.at == file->scan.end)
            return tess_scan_fail(&file->scan,
                                  "the file ends after %" PRId64 " of %" PRId64 " texts", i, n);
        if (file->is_text)
            tess_scan_skip_line(&file->scan);
        else
            TRY(pass_packed_text(&file->scan));
    }
    return TESS_OK;
}

/* Passes over data; of cells those are kept that say something of the mesh. */
static tess_status take_data(vtk_file *file, tess_short_word name, const char *type, int64_t width,
                             int64_t n) {
    tess_vtk_array array = {.name = NULL};
    const bool packed = !file->is_text && strcasecmp(type, "bit") == 0;
    if (strcasecmp(type, "string") == 0)
        return pass_texts(file, width * n);
    if (!set_type(&array, type)) { /* where they end is not known */
        file->unknown = name;
        file->scan.at = file->scan.end;
        return TESS_OK;
    }
    TRY(take_array(file, "data", type, packed ? (width * n + 7) / 8 : width * n, &array));
    const tess_vtu_role role = tess_vtu_cell_data_role(name.text);
    if (role == VTU_ROLES && file->n_data && name.text[0])
        tess_name_counts_add(&file->left_out.data, name.text, 0);
    const bool is_group = role != VTU_ROLES && file->of_cells;
    if (!is_group)
        return TESS_OK;
    if (width != 1 || n != file->n_data || packed || array.type == 'f')
        file->left_out.odd = name;
    else if (file->cell_data[role].type)
        file->left_out.later = name;
    else
        file->cell_data[role] = array;
    return TESS_OK;
}

static tess_status read_data(vtk_file *file, bool of_cells) {
    file->of_cells = of_cells;
    TRY(tess_scan_integer(&file->scan, "number of data", 0, INT32_MAX, &file->n_data));
    if (of_cells)
        file->n_cell_data = file->n_data;
    return tess_scan_finish_line(&file->scan);
}

/* METADATA of the array before: lines up to one that is blank. */
static void skip_metadata(tess_scan *scan) {
    do
        tess_scan_skip_line(scan);
    while (scan->at < scan->end && !tess_scan_line_done(scan));
}

/* FIELD NAME N, then as many arrays: NAME COMPONENTS TUPLES TYPE. */
static tess_status read_field(vtk_file *file) {
    tess_scan *scan = &file->scan;
    int64_t n = 0;
    tess_scan_short_word(scan);
    TRY(tess_scan_integer(scan, "number of arrays", 0, INT32_MAX, &n));
    TRY(tess_scan_finish_line(scan));
    while (n > 0 && !file->unknown.text[0]) {
        int64_t width = 0, n_tuples = 0;
        if (!tess_scan_find_line(scan))
            return tess_scan_fail(scan, "the file ends before %" PRId64 " arrays of a FIELD", n);
        const tess_short_word name = tess_scan_short_word(scan);
        if (is_word(name, "METADATA")) {
            skip_metadata(scan);
            continue;
        }
        TRY(tess_scan_integer(scan, "number of components", 0, INT32_MAX, &width));
        TRY(tess_scan_integer(scan, "number of tuples", 0, INT32_MAX, &n_tuples));
        const tess_short_word type = tess_scan_short_word(scan);
        TRY(tess_scan_finish_line(scan));
        TRY(take_data(file, name, type.text, width, n_tuples));
        n--;
    }
    return TESS_OK;
}

/* SCALARS NAME TYPE [COMPONENTS], and the name of a table of colours on the next line. */
static tess_status read_scalars(vtk_file *file) {
    tess_scan *scan = &file->scan;
    int64_t width = 1;
    const tess_short_word name = tess_scan_short_word(scan), type = tess_scan_short_word(scan);
    if (!tess_scan_line_done(scan))
        TRY(tess_scan_integer(scan, "number of components", 1, INT32_MAX, &width));
    TRY(tess_scan_finish_line(scan));
    tess_scan next = *scan;
    if (tess_scan_find_line(&next) && is_word(tess_scan_short_word(&next), "LOOKUP_TABLE")) {
        tess_scan_skip_line(&next);
        *scan = next;
    }
    return take_data(file, name, type.text, width, file->n_data);
}

/* NAME N: colours of N bytes, or a table of N colours of four; in text these are reals. */
static tess_status read_colours(vtk_file *file, bool of_table) {
    int64_t n = 0;
    tess_scan_short_word(&file->scan);
    TRY(tess_scan_integer(&file->scan, "number of colours", 0, INT32_MAX, &n));
    TRY(tess_scan_finish_line(&file->scan));
    return take_data(file, (tess_short_word){""}, "unsigned_char", of_table ? 4 : n,
                     of_table ? n : file->n_data);
}

/* NAME TYPE: data of so many components, 0: NAME COMPONENTS TYPE. */
static tess_status read_attribute(vtk_file *file, int64_t width) {
    tess_scan *scan = &file->scan;
    const tess_short_word name = tess_scan_short_word(scan);
    if (width == 0)
        TRY(tess_scan_integer(scan, "number of components", 1, INT32_MAX, &width));
    const tess_short_word type = tess_scan_short_word(scan);
    TRY(tess_scan_finish_line(scan));
    return take_data(file, name, type.text, width, file->n_data);
}

/* --- the file --------------------------------------------------------------------------------- */

static tess_status read_head(vtk_file *file) {
    tess_scan *scan = &file->scan;
    tess_scan_skip_line(scan);
    tess_scan_skip_line(scan); /* the title, which may be blank */
    tess_scan_find_line(scan);
    const tess_scan before = *scan;
    const tess_short_word form = tess_scan_short_word(scan);
    file->is_text = is_word(form, "ASCII");
    if (!file->is_text && !is_word(form, "BINARY"))
        return tess_scan_fail(&before, "'%s' stands where ASCII or BINARY should",
                              tess_scan_show(&before).text);
    file->scan.binary = !file->is_text;
    file->coding.swap = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    return tess_scan_finish_line(scan);
}

static tess_status read_section(vtk_file *file, const tess_scan *before, tess_short_word key) {
    static const struct {
        const char *key;
        int width; /* 0: it is stated */
    } attributes[] = {{"VECTORS", 3},    {"NORMALS", 3},     {"TEXTURE_COORDINATES", 0},
                      {"TENSORS", 9},    {"TENSORS6", 6},    {"GLOBAL_IDS", 1},
                      {"EDGE_FLAGS", 1}, {"PEDIGREE_IDS", 1}};
    if (is_word(key, "DATASET"))
        return read_dataset(file);
    if (is_word(key, "POINTS"))
        return read_points(file);
    for (int kind = 0; kind < N_KINDS; kind++)
        if (is_word(key, kinds[kind].key))
            return read_cells(file, kind);
    if (is_word(key, "CELL_TYPES"))
        return read_types(file);
    if (is_word(key, "CELL_DATA") || is_word(key, "POINT_DATA"))
        return read_data(file, is_word(key, "CELL_DATA"));
    if (is_word(key, "FIELD"))
        return read_field(file);
    if (is_word(key, "SCALARS"))
        return read_scalars(file);
    if (is_word(key, "COLOR_SCALARS") || is_word(key, "LOOKUP_TABLE"))
        return read_colours(file, is_word(key, "LOOKUP_TABLE"));
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++)
        if (is_word(key, attributes[i].key))
            return read_attribute(file, attributes[i].width);
    if (!is_word(key, "METADATA"))
        return tess_scan_fail(before,
                              "'%s' stands where a keyword should: the section before it promised "
                              "fewer numbers",
                              tess_scan_show(before).text);
    skip_metadata(&file->scan);
    return TESS_OK;
}

static tess_status read_sections(vtk_file *file) {
    TRY(read_head(file));
    while (tess_scan_find_line(&file->scan)) {
        const tess_scan before = file->scan;
        TRY(read_section(file, &before, tess_scan_short_word(&file->scan)));
    }
    return file->points.type ? TESS_OK : tess_scan_fail(&file->scan, "the file has no POINTS");
}

/* --- the mesh --------------------------------------------------------------------------------- */

static tess_status append_points(vtk_file *file) {
    tess_vtk_values values;
    const int64_t n = 3 * file->n_points;
    file->grouped.n_nodes = file->n_points;
    TRY(tess_vtk_values_open(&file->points, &file->coding, n, &values));
    tess_status status = TESS_ALLOC(n, &file->grouped.coordinates);
    if (status == TESS_OK)
        status = tess_vtk_values_reals(&values, n, file->grouped.coordinates);
    tess_vtk_values_close(&values);
    return status;
}

/* Appends the cells of a kind, and moves the data of cells behind theirs. */
static tess_status append_kind(vtk_file *file, int kind) {
    tess_vtu_piece *cells = &file->cells[kind];
    cells->n_points = file->n_points;
    if (kind == GRID && file->n_types != cells->n_cells)
        return tess_scan_fail(&cells->position,
                              "there are %" PRId64 " CELL_TYPES for %" PRId64 " cells",
                              file->n_types, cells->n_cells);
    for (int role = VTU_GHOSTS; role <= VTU_REGIONS; role++) {
        tess_vtk_array *data = &file->cell_data[role];
        cells->arrays[role] = *data;
        if (data->type)
            TRY(pass_numbers(&data->start, data, cells->n_cells));
    }
    return tess_vtu_cells_append(cells, &file->coding, 0, &file->grouped.elements);
}

static tess_status append_cells(vtk_file *file) {
    int64_t n = 0;
    for (int kind = 0; kind < N_KINDS; kind++)
        n += file->cells[kind].n_cells;
    if (n != file->n_cell_data &&
        (file->cell_data[VTU_GHOSTS].type || file->cell_data[VTU_GROUPS].type ||
         file->cell_data[VTU_REGIONS].type))
        return tess_scan_fail(&file->scan, "CELL_DATA are of %" PRId64 " cells; there are %" PRId64,
                              file->n_cell_data, n);
    for (int kind = 0; kind < N_KINDS; kind++)
        if (file->cells[kind].n_cells)
            TRY(append_kind(file, kind));
    return tess_elements_dimension(&file->grouped.elements) < 2
               ? tess_scan_fail(&file->scan, "the file has no cells")
               : TESS_OK;
}

static tess_status vtk_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    vtk_file file = {.scan = tess_scan_open(text, 0),
                     .grouped = {.kind = "marker", .dimension = 3}};
    CHECK(read_sections(&file));
    CHECK(append_points(&file));
    CHECK(append_cells(&file));
    CHECK(tess_marker_groups_mesh(text->path, &file.grouped, &mesh));
    if (file.unknown.text[0])
        CHECK(tess_mesh_warn(mesh,
                             "the data '%s' are of an unknown type: data behind them were not "
                             "searched for markers",
                             file.unknown.text));
    CHECK(tess_vtu_warn_of_left_out(&file.left_out, mesh));
    *out = TESS_TAKE(mesh);
done:
    tess_mesh_free(mesh);
    tess_grouped_clear(&file.grouped);
    return status;
}

static bool vtk_recognise(const tess_file_text *text) {
    static const char head[] = "# vtk DataFile Version";
    tess_scan scan = tess_scan_open(text, 0);
    return tess_scan_find_line(&scan) && scan.end - scan.at > (int64_t)sizeof head &&
           strncasecmp(scan.at, head, sizeof head - 1) == 0;
}

const tess_reader tess_reader_vtk = {
    .name = "vtk",
    .summary = "VTK's legacy files of unstructured grids and polygons, text and binary",
    .extensions = ".vtk",
    .recognise = vtk_recognise,
    .read = vtk_read};

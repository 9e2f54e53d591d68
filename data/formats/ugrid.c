/* UGRID: AFLR3's grids, `.ugrid` in text, or binary as C or Fortran write them.
 *
 * Seven counts (nodes, boundary triangles and quadrilaterals, tetrahedra, pyramids, prisms,
 * hexahedra), then coordinates, the nodes of boundary triangles and quadrilaterals, their surfaces'
 * numbers (the markers `surface N`), and the nodes of the cells. The name alone says the form:
 * `.lb8.ugrid` is little-endian, of C, in double precision. Fortran's have two records, each
 * between two words that tell its bytes. Format: www.simcenter.msstate.edu, "UGRID". */
#include "core/base/array.h"
#include "data/formats/elements.h"
#include "data/formats/marker_groups.h"
#include "data/formats/reader.h"
#include "data/formats/writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_TABLES = 6, N_COUNTS = 7, HEAD_BYTES = 4 * N_COUNTS };

/* In the order of the file. A pyramid's apex is its third node there. */
static const struct {
    tess_element_type type;
    int slot_of[TESS_ELEMENT_MAX_NODES];
} tables[N_TABLES] = {{TESS_ELEMENT_TRI, {0}},   {TESS_ELEMENT_QUAD, {0}},
                      {TESS_ELEMENT_TET, {0}},   {TESS_ELEMENT_PYRAMID, {1, 0, 4, 2, 3}},
                      {TESS_ELEMENT_PRISM, {0}}, {TESS_ELEMENT_HEX, {0}}};

/* How a file writes its numbers. */
typedef struct ugrid_form {
    const char *ending;
    bool big_endian, of_fortran;
    int real_bytes; /* 0: text */
} ugrid_form;

static const ugrid_form forms[] = {{".lb8.ugrid", false, false, 8}, {".b8.ugrid", true, false, 8},
                                   {".lb4.ugrid", false, false, 4}, {".b4.ugrid", true, false, 4},
                                   {".lr8.ugrid", false, true, 8},  {".r8.ugrid", true, true, 8},
                                   {".lr4.ugrid", false, true, 4},  {".r4.ugrid", true, true, 4},
                                   {".ugrid", false, false, 0}};
enum { N_FORMS = sizeof forms / sizeof forms[0] };

typedef struct ugrid_file {
    tess_scan scan;
    const ugrid_form *form;
    int64_t counts[N_TABLES];
    tess_grouped grouped;
} ugrid_file;

/* The form that the name says, or NULL. */
static const ugrid_form *form_of(const char *path) {
    const size_t length = tess_path_length_unpacked(path);
    for (int i = 0; i < N_FORMS; i++) {
        const size_t ending = strlen(forms[i].ending);
        if (length > ending && strncmp(path + length - ending, forms[i].ending, ending) == 0)
            return &forms[i];
    }
    return NULL;
}

/* Takes the seven counts; none is negative. */
static tess_status take_counts(ugrid_file *file, const int64_t counts[N_COUNTS]) {
    file->grouped.n_nodes = counts[0];
    for (int i = 0; i < N_COUNTS; i++) {
        if (counts[i] < 0)
            return tess_scan_fail(&file->scan, "a count is negative: of the other byte order than "
                                               "the name says?");
        if (i > 0)
            file->counts[i - 1] = counts[i];
    }
    return TESS_OK;
}

static tess_status refuse_without_cells(const ugrid_file *file) {
    return tess_elements_dimension(&file->grouped.elements) < 3
               ? tess_scan_fail(&file->scan, "the file has no cells")
               : TESS_OK;
}

/* --- text ------------------------------------------------------------------------------------- */

/* Reads a whole number, on this line or on one that follows. */
static tess_status read_number(tess_scan *scan, const char *what, int64_t least, int64_t most,
                               int64_t *out) {
    tess_scan_find_line(scan);
    return tess_scan_integer(scan, what, least, most, out);
}

/* Fails where the counts ask for more numbers than can follow. */
static tess_status expect_numbers(const ugrid_file *file) {
    int64_t n = 3 * file->grouped.n_nodes;
    for (int i = 0; i < N_TABLES; i++) {
        const tess_element_kind *kind = &tess_element_kinds[tables[i].type];
        n += file->counts[i] * (kind->arity + (kind->dimension == 2));
    }
    const int64_t left = file->scan.end - file->scan.at;
    return n > left / 2 + 1
               ? tess_scan_fail(&file->scan,
                                "the counts imply %" PRId64 " numbers, but only %" PRId64
                                " bytes follow in the file",
                                n, left)
               : TESS_OK;
}

static tess_status read_text_elements(ugrid_file *file, int table) {
    tess_element element = {.type = tables[table].type};
    const tess_element_kind *kind = &tess_element_kinds[element.type];
    const int *slot_of = tables[table].slot_of;
    const char *const start = file->scan.at;
    for (int64_t i = 0; i < file->counts[table]; i++) {
        for (int k = 0; k < kind->arity; k++) {
            tess_scan_find_line(&file->scan);
            TRY(tess_scan_id(&file->scan, "node", file->grouped.n_nodes,
                             &element.nodes[slot_of[0] != slot_of[1] ? slot_of[k] : k]));
        }
        TRY(tess_elements_append(&file->grouped.elements, &element, 1));
        tess_scan_passed(&file->scan, i, start, file->scan.at);
    }
    return TESS_OK;
}

/* The surfaces of the boundary elements that were read. */
static tess_status read_text_surfaces(ugrid_file *file, int table) {
    tess_element_list *list = &file->grouped.elements.lists[tables[table].type];
    int64_t surface = 0;
    for (int64_t i = 0; i < list->size; i++) {
        TRY(read_number(&file->scan, "surface", INT32_MIN, INT32_MAX, &surface));
        list->marker[i] = (int32_t)surface;
    }
    return TESS_OK;
}

static tess_status read_text(ugrid_file *file) {
    tess_scan *scan = &file->scan;
    int64_t counts[N_COUNTS];
    for (int i = 0; i < N_COUNTS; i++)
        TRY(read_number(scan, "count", 0, INT32_MAX, &counts[i]));
    TRY(take_counts(file, counts));
    TRY(expect_numbers(file));
    TRY(TESS_ALLOC(3 * file->grouped.n_nodes, &file->grouped.coordinates));
    const char *const start = scan->at;
    for (int64_t i = 0; i < 3 * file->grouped.n_nodes; i++) {
        tess_scan_find_line(scan);
        TRY(tess_scan_real(scan, "coordinate", &file->grouped.coordinates[i]));
        tess_scan_passed(scan, i, start, scan->at);
    }
    for (int i = 0; i < N_TABLES; i++) {
        TRY(read_text_elements(file, i));
        if (i == 1) {
            TRY(read_text_surfaces(file, 0));
            TRY(read_text_surfaces(file, 1));
        }
    }
    return refuse_without_cells(file);
}

/* --- binary ----------------------------------------------------------------------------------- */

/* Passes over a word of Fortran's, which tells the bytes of a record. */
static tess_status pass_record_word(ugrid_file *file, int64_t bytes) {
    const char *raw = NULL;
    if (!file->form->of_fortran)
        return TESS_OK;
    TRY(tess_scan_raw(&file->scan, "words of a record", 1, 4, &raw));
    const int64_t stated = (uint32_t)tess_raw_int32(raw, file->scan.swap);
    file->scan.at = raw; /* where the message points */
    if (stated != bytes)
        return tess_scan_fail(&file->scan,
                              "a record of %" PRId64 " bytes where one of %" PRId64
                              " should be: not written by Fortran, or of the other byte order "
                              "than its name says",
                              stated, bytes);
    file->scan.at = raw + 4;
    return TESS_OK;
}

/* Bytes of all that follows the counts. */
static int64_t body_bytes(const ugrid_file *file) {
    int64_t bytes = 3 * file->form->real_bytes * file->grouped.n_nodes;
    for (int i = 0; i < N_TABLES; i++) {
        const tess_element_kind *kind = &tess_element_kinds[tables[i].type];
        bytes += file->counts[i] * 4 * (kind->arity + (kind->dimension == 2));
    }
    return bytes;
}

/* Reads the counts; they must imply the size of the file to the byte. */
static tess_status read_head(ugrid_file *file) {
    const char *raw = NULL;
    int64_t counts[N_COUNTS];
    TRY(pass_record_word(file, HEAD_BYTES));
    TRY(tess_scan_raw(&file->scan, "counts", 1, HEAD_BYTES, &raw));
    for (int i = 0; i < N_COUNTS; i++)
        counts[i] = tess_raw_int32(raw + 4 * i, file->scan.swap);
    file->scan.at = file->scan.start; /* where the message points */
    TRY(take_counts(file, counts));
    const int64_t size = file->scan.end - file->scan.start;
    const int64_t implied = HEAD_BYTES + body_bytes(file) + (file->form->of_fortran ? 16 : 0);
    if (implied != size)
        return tess_scan_fail(&file->scan,
                              "the counts imply %" PRId64 " bytes, but the file has %" PRId64
                              ": cut, or of the other byte order than its name says",
                              implied, size);
    file->scan.at = raw + HEAD_BYTES;
    return pass_record_word(file, HEAD_BYTES);
}

static double raw_real(const ugrid_file *file, const char *raw) {
    if (file->form->real_bytes == 8)
        return tess_raw_double(raw, file->scan.swap);
    const int32_t bits = tess_raw_int32(raw, file->scan.swap);
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static tess_status read_nodes(ugrid_file *file) {
    const char *raw = NULL;
    const int bytes = file->form->real_bytes;
    TRY(tess_scan_raw(&file->scan, "nodes", file->grouped.n_nodes, 3 * bytes, &raw));
    TRY(TESS_ALLOC(3 * file->grouped.n_nodes, &file->grouped.coordinates));
    for (int64_t i = 0; i < 3 * file->grouped.n_nodes; i++) {
        file->grouped.coordinates[i] = raw_real(file, raw + bytes * i);
        tess_scan_passed(&file->scan, i, raw, raw + bytes * i);
        if (!isfinite(file->grouped.coordinates[i]))
            return tess_scan_fail(&file->scan, "node %" PRId64 " has the coordinate %g", i / 3 + 1,
                                  file->grouped.coordinates[i]);
    }
    return TESS_OK;
}

static tess_status read_elements(ugrid_file *file) {
    tess_raw_elements raw[N_TABLES] = {0};
    for (int i = 0; i < N_TABLES; i++) {
        raw[i] = (tess_raw_elements){.type = tables[i].type,
                                     .n = file->counts[i],
                                     .id_bytes = 4,
                                     .record = 4 * tess_element_kinds[tables[i].type].arity,
                                     .group_record = 4};
        memcpy(raw[i].slot_of, tables[i].slot_of, sizeof raw[i].slot_of);
        TRY(tess_scan_raw(&file->scan, "elements", raw[i].n, raw[i].record, &raw[i].ids));
        if (i == 1) { /* behind the boundary elements are their surfaces */
            TRY(tess_scan_raw(&file->scan, "surfaces", raw[0].n, 4, &raw[0].groups));
            TRY(tess_scan_raw(&file->scan, "surfaces", raw[1].n, 4, &raw[1].groups));
        }
    }
    for (int i = 0; i < N_TABLES; i++)
        TRY(tess_raw_elements_append(&file->scan, &raw[i], file->grouped.n_nodes,
                                     &file->grouped.elements));
    return refuse_without_cells(file);
}

static tess_status read_binary(ugrid_file *file) {
    const bool big_endian_machine = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    file->scan.binary = true;
    file->scan.at = file->scan.start;
    file->scan.swap = file->form->big_endian != big_endian_machine;
    TRY(read_head(file));
    TRY(pass_record_word(file, body_bytes(file)));
    TRY(read_nodes(file));
    TRY(read_elements(file));
    return pass_record_word(file, body_bytes(file));
}

/* --- the mesh --------------------------------------------------------------------------------- */

static tess_status ugrid_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    ugrid_file file = {.scan = tess_scan_open(text, 0),
                       .form = form_of(text->path),
                       .grouped = {.kind = "surface", .dimension = 3}};
    CHECK(file.form->real_bytes ? read_binary(&file) : read_text(&file));
    CHECK(tess_marker_groups_mesh(text->path, &file.grouped, out));
done:
    tess_grouped_clear(&file.grouped);
    return status;
}

/* Binary content has no mark, the name must tell; text begins with a count. */
static bool ugrid_recognise(const tess_file_text *text) {
    const ugrid_form *form = form_of(text->path);
    tess_scan scan = tess_scan_open(text, 0);
    return form &&
           (form->real_bytes || (tess_scan_find_line(&scan) && *scan.at >= '0' && *scan.at <= '9'));
}

const tess_reader tess_reader_ugrid = {.name = "ugrid",
                                       .summary = "AFLR3's UGRID: text, or binary of C and Fortran",
                                       .extensions = ".ugrid",
                                       .recognise = ugrid_recognise,
                                       .read = ugrid_read};

/* The cells of a table's type, or none. */
static const tess_cell_block *block_of(const tess_cells *cells, int table) {
    static const tess_cell_block none = {.n = 0};
    const tess_element_kind *kind = &tess_element_kinds[tables[table].type];
    for (int b = 0; b < cells->n_blocks; b++)
        if (strcmp(cells->blocks[b].type->set, kind->set) == 0)
            return &cells->blocks[b];
    return &none;
}

static int64_t count_marked(const tess_marked *marked, int n_nodes) {
    int64_t n = 0;
    for (int64_t i = 0; i < marked->n; i++)
        n += tess_marked_size(marked->nodes + 4 * i) == n_nodes;
    return n;
}

/* The nodes of the marked elements of that size, or their surfaces. */
static void write_marked(FILE *stream, const tess_marked *marked, int n_nodes, bool surfaces) {
    for (int64_t i = 0; i < marked->n; i++) {
        const int32_t *nodes = marked->nodes + 4 * i;
        if (tess_marked_size(nodes) != n_nodes)
            continue;
        for (int k = 0; k < n_nodes && !surfaces; k++)
            tess_write_int32(stream, nodes[k] + 1);
        if (surfaces)
            tess_write_int32(stream, marked->tags[marked->marker[i]]);
    }
}

static void write_cells(FILE *stream, const tess_cells *cells, int table) {
    const tess_cell_block *block = block_of(cells, table);
    const int *slot_of = tables[table].slot_of;
    const bool reordered = slot_of[0] != slot_of[1];
    for (int64_t i = 0; i < block->n; i++) {
        const int32_t *nodes = block->nodes + i * block->type->n_nodes;
        for (int k = 0; k < block->type->n_nodes; k++)
            tess_write_int32(stream, nodes[reordered ? slot_of[k] : k] + 1);
    }
}

static tess_status ugrid_write(tess_mesh *mesh, const tess_cells *cells, const tess_marked *marked,
                               FILE *stream) {
    if (cells->dimension != 3)
        FAIL(TESS_ERROR_INPUT, "%s: UGRID holds cells of 3 dimensions, not of %d", mesh->source,
             cells->dimension);
    tess_write_int32(stream, (int32_t)cells->n_nodes);
    tess_write_int32(stream, (int32_t)count_marked(marked, 3));
    tess_write_int32(stream, (int32_t)count_marked(marked, 4));
    for (int table = 2; table < N_TABLES; table++)
        tess_write_int32(stream, (int32_t)block_of(cells, table)->n);
    for (int64_t i = 0; i < 3 * cells->n_nodes; i++)
        tess_write_double(stream, mesh->coordinates[i]);
    write_marked(stream, marked, 3, false);
    write_marked(stream, marked, 4, false);
    write_marked(stream, marked, 3, true);
    write_marked(stream, marked, 4, true);
    for (int table = 2; table < N_TABLES; table++)
        write_cells(stream, cells, table);
    return TESS_OK;
}

const tess_writer tess_writer_ugrid = {.name = "ugrid",
                                       .summary =
                                           "AFLR3's UGRID, little-endian; surfaces by number",
                                       .extension = ".lb8.ugrid",
                                       .maps = "",
                                       .loses_names = true,
                                       .write = ugrid_write};

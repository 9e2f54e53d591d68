/* UGRID: AFLR3's grids as C writes them, `.lb8.ugrid` (little-endian) and `.b8.ugrid` (big-endian).
 *
 * Seven counts of 4 bytes (nodes, boundary triangles and quadrilaterals, tetrahedra, pyramids,
 * prisms, hexahedra), then coordinates in double precision, the nodes of boundary triangles and
 * quadrilaterals, their surfaces' numbers (the markers `surface N`), and the nodes of the cells.
 * The name alone says the byte order. Format: www.simcenter.msstate.edu, "UGRID". */
#include "core/base/array.h"
#include "data/formats/elements.h"
#include "data/formats/marker_groups.h"
#include "data/formats/reader.h"
#include "data/formats/writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_TABLES = 6, HEAD_BYTES = 28, NODE_BYTES = 24 };

/* In the order of the file. A pyramid's apex is its third node there. */
static const struct {
    tess_element_type type;
    int slot_of[TESS_ELEMENT_MAX_NODES];
} tables[N_TABLES] = {{TESS_ELEMENT_TRI, {0}},   {TESS_ELEMENT_QUAD, {0}},
                      {TESS_ELEMENT_TET, {0}},   {TESS_ELEMENT_PYRAMID, {1, 0, 4, 2, 3}},
                      {TESS_ELEMENT_PRISM, {0}}, {TESS_ELEMENT_HEX, {0}}};

typedef struct ugrid_file {
    tess_scan scan;
    int64_t counts[N_TABLES];
    tess_grouped grouped;
} ugrid_file;

/* Reads the counts; they must imply the size of the file to the byte. */
static tess_status read_head(ugrid_file *file) {
    const char *raw = NULL;
    TRY(tess_scan_raw(&file->scan, "counts", 1, HEAD_BYTES, &raw));
    file->grouped.n_nodes = tess_raw_int32(raw, file->scan.swap);
    bool negative = file->grouped.n_nodes < 0;
    int64_t implied = HEAD_BYTES + NODE_BYTES * file->grouped.n_nodes;
    for (int i = 0; i < N_TABLES; i++) {
        const tess_element_kind *kind = &tess_element_kinds[tables[i].type];
        file->counts[i] = tess_raw_int32(raw + 4 + 4 * i, file->scan.swap);
        negative |= file->counts[i] < 0;
        implied += file->counts[i] * 4 * (kind->arity + (kind->dimension == 2));
    }
    const int64_t size = file->scan.end - file->scan.start;
    file->scan.at = file->scan.start; /* where the message points */
    if (negative)
        return tess_scan_fail(&file->scan, "a count is negative: of the other byte order than the "
                                           "name says?");
    if (implied != size)
        return tess_scan_fail(&file->scan,
                              "the counts imply %" PRId64 " bytes, but the file has %" PRId64
                              ": cut, or of the other byte order than its name says",
                              implied, size);
    file->scan.at += HEAD_BYTES;
    return TESS_OK;
}

static tess_status read_nodes(ugrid_file *file) {
    const char *raw = NULL;
    TRY(tess_scan_raw(&file->scan, "nodes", file->grouped.n_nodes, NODE_BYTES, &raw));
    TRY(TESS_ALLOC(3 * file->grouped.n_nodes, &file->grouped.coordinates));
    for (int64_t i = 0; i < 3 * file->grouped.n_nodes; i++) {
        file->grouped.coordinates[i] = tess_raw_double(raw + 8 * i, file->scan.swap);
        tess_scan_passed(&file->scan, i, raw, raw + 8 * i);
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
    if (tess_elements_dimension(&file->grouped.elements) < 3)
        return tess_scan_fail(&file->scan, "the file has no cells");
    return TESS_OK;
}

/* True when the path's last name holds `part`. */
static bool name_holds(const char *path, const char *part) {
    const char *slash = strrchr(path, '/');
    return strstr(slash ? slash : path, part) != NULL;
}

static tess_status ugrid_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    ugrid_file file = {.scan = tess_scan_open(text, 0),
                       .grouped = {.kind = "surface", .dimension = 3}};
    const bool big_endian_machine = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    file.scan.binary = true;
    file.scan.at = file.scan.start;
    file.scan.swap = name_holds(text->path, ".b8.") != big_endian_machine;
    CHECK(read_head(&file));
    CHECK(read_nodes(&file));
    CHECK(read_elements(&file));
    CHECK(tess_marker_groups_mesh(text->path, &file.grouped, out));
done:
    tess_grouped_clear(&file.grouped);
    return status;
}

/* The content has no mark; the name must tell. */
static bool ugrid_recognise(const tess_file_text *text) {
    return name_holds(text->path, ".b8.ugrid") || name_holds(text->path, ".lb8.ugrid");
}

const tess_reader tess_reader_ugrid = {.name = "ugrid",
                                       .summary = "AFLR3's UGRID, C binary in double precision",
                                       .extensions = ".lb8.ugrid .b8.ugrid",
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
            tess_write_int32(stream, marked->marker[i] + 1);
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

static tess_status ugrid_write(const tess_mesh *mesh, const tess_cells *cells,
                               const tess_marked *marked, FILE *stream) {
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

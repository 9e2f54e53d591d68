/* meshb: the binary format of libMeshb (Medit, refine, feflo.a), versions 1 to 4.
 *
 * The number 1, the version, then blocks: a keyword, the offset of the next block, and for most a
 * count and as many records, whose last number is a reference. References of boundary elements
 * become the markers `reference N`. Unknown blocks are passed over. Format: libMeshb's manual. */
#include "core/base/array.h"
#include "data/formats/elements.h"
#include "data/formats/marker_groups.h"
#include "data/formats/reader.h"
#include "data/formats/writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_DIMENSION = 3, KEY_VERTICES = 4, KEY_END = 54 };

/* The keywords of elements. */
static const struct {
    int key;
    tess_element_type type;
} kinds[] = {{5, TESS_ELEMENT_LINE},    {6, TESS_ELEMENT_TRI},   {7, TESS_ELEMENT_QUAD},
             {8, TESS_ELEMENT_TET},     {9, TESS_ELEMENT_PRISM}, {10, TESS_ELEMENT_HEX},
             {49, TESS_ELEMENT_PYRAMID}};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

typedef struct meshb_file {
    tess_scan scan;
    int real_bytes, id_bytes, offset_bytes;
    tess_grouped grouped; /* dimension 0, coordinates NULL until they are read */
} meshb_file;

static tess_status read_number(meshb_file *file, const char *what, int n_bytes, int64_t *number) {
    const char *raw = NULL;
    TRY(tess_scan_raw(&file->scan, what, 1, n_bytes, &raw));
    *number = n_bytes == 8 ? tess_raw_int64(raw, false) : tess_raw_int32(raw, false);
    return TESS_OK;
}

static tess_status read_head(meshb_file *file) {
    int64_t one = 0, version = 0;
    TRY(read_number(file, "head", 4, &one));
    if (one != 1)
        return tess_scan_fail(&file->scan,
                              "the first number is %" PRId64 ", not 1: another byte "
                              "order than this machine's, or no meshb file",
                              one);
    TRY(read_number(file, "version", 4, &version));
    if (version < 1 || version > 4)
        return tess_scan_fail(&file->scan, "unsupported version %" PRId64 "; 1 to 4 are read",
                              version);
    file->real_bytes = version == 1 ? 4 : 8;
    file->offset_bytes = version < 3 ? 4 : 8;
    file->id_bytes = version < 4 ? 4 : 8;
    return TESS_OK;
}

static double read_real(const meshb_file *file, const char *raw) {
    if (file->real_bytes == 8)
        return tess_raw_double(raw, false);
    union {
        int32_t bits;
        float value;
    } real = {.bits = tess_raw_int32(raw, false)};
    return (double)real.value;
}

/* Reads a block's count and gives where its records begin. */
static tess_status read_records(meshb_file *file, int64_t record, int64_t *n, const char **raw) {
    TRY(read_number(file, "count", file->id_bytes, n));
    return tess_scan_raw(&file->scan, "records", *n, record, raw);
}

static tess_status read_vertices(meshb_file *file) {
    const char *raw = NULL;
    const int64_t record = file->grouped.dimension * file->real_bytes + file->id_bytes;
    if (file->grouped.dimension == 0 || file->grouped.coordinates)
        return tess_scan_fail(&file->scan, file->grouped.dimension
                                               ? "a second block of vertices"
                                               : "vertices before the dimension");
    TRY(read_records(file, record, &file->grouped.n_nodes, &raw));
    if (file->grouped.n_nodes > INT32_MAX)
        return tess_scan_fail(&file->scan, "more than 2147483647 vertices");
    TRY(TESS_ALLOC(file->grouped.n_nodes * file->grouped.dimension, &file->grouped.coordinates));
    for (int64_t i = 0; i < file->grouped.n_nodes; i++) {
        for (int axis = 0; axis < file->grouped.dimension; axis++) {
            const double x = read_real(file, raw + i * record + axis * file->real_bytes);
            if (!isfinite(x))
                return tess_scan_fail(&file->scan, "vertex %" PRId64 " has the coordinate %g",
                                      i + 1, x);
            file->grouped.coordinates[i * file->grouped.dimension + axis] = x;
        }
        tess_scan_passed(&file->scan, i, raw, raw + i * record);
    }
    return TESS_OK;
}

static tess_status read_elements(meshb_file *file, tess_element_type type) {
    const int64_t ids = tess_element_kinds[type].arity * file->id_bytes;
    tess_raw_elements table = {.type = type,
                               .id_bytes = file->id_bytes,
                               .record = ids + file->id_bytes,
                               .group_record = ids + file->id_bytes};
    if (!file->grouped.coordinates)
        return tess_scan_fail(&file->scan, "elements before the vertices");
    TRY(read_records(file, table.record, &table.n, &table.ids));
    table.groups = table.ids + ids;
    return tess_raw_elements_append(&file->scan, &table, file->grouped.n_nodes,
                                    &file->grouped.elements);
}

static tess_status read_block(meshb_file *file, int64_t key) {
    if (key == KEY_DIMENSION) {
        int64_t dimension = 0;
        TRY(read_number(file, "dimension", 4, &dimension));
        if ((dimension != 2 && dimension != 3) || file->grouped.dimension)
            return tess_scan_fail(&file->scan, "the dimension %" PRId64 " is stated%s", dimension,
                                  file->grouped.dimension ? " again"
                                                          : ", which is neither 2 nor 3");
        file->grouped.dimension = (int)dimension;
    }
    if (key == KEY_VERTICES)
        return read_vertices(file);
    for (size_t i = 0; i < N_KINDS; i++)
        if (kinds[i].key == key)
            return read_elements(file, kinds[i].type);
    return TESS_OK;
}

static tess_status read_blocks(meshb_file *file) {
    tess_scan *scan = &file->scan;
    for (;;) {
        int64_t key = 0, next = 0;
        TRY(read_number(file, "keyword", 4, &key));
        if (key == KEY_END)
            break;
        TRY(read_number(file, "offset of the next block", file->offset_bytes, &next));
        if (next <= scan->at - scan->start || next > scan->end - scan->start)
            return tess_scan_fail(scan,
                                  "the block of keyword %" PRId64 " says that it ends at offset "
                                  "%" PRId64 ", which is %s",
                                  key, next,
                                  next > scan->end - scan->start ? "past the end of the file"
                                                                 : "not behind its start");
        const char *const end = scan->start + next;
        TRY(read_block(file, key));
        if (scan->at > end)
            return tess_scan_fail(scan, "the block of keyword %" PRId64 " is longer than it says",
                                  key);
        scan->at = end;
    }
    if (!file->grouped.coordinates || tess_elements_dimension(&file->grouped.elements) < 2)
        return tess_scan_fail(scan, "the file has no %s",
                              file->grouped.coordinates ? "cells" : "vertices");
    return TESS_OK;
}

static tess_status meshb_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    meshb_file file = {.scan = tess_scan_open(text, 0), .grouped.kind = "reference"};
    file.scan.binary = true;
    CHECK(read_head(&file));
    CHECK(read_blocks(&file));
    CHECK(tess_marker_groups_mesh(text->path, &file.grouped, out));
done:
    tess_grouped_clear(&file.grouped);
    return status;
}

/* Whether the first four bytes are the number 1 in either byte order. */
static bool meshb_recognise(const tess_file_text *text) {
    return text->size >= 4 &&
           (tess_raw_int32(text->content, false) == 1 || tess_raw_int32(text->content, true) == 1);
}

const tess_reader tess_reader_meshb = {.name = "meshb",
                                       .summary = "libMeshb's binary format, versions 1 to 4",
                                       .extensions = ".meshb",
                                       .recognise = meshb_recognise,
                                       .read = meshb_read};

/* Begins a block of n records behind a count; gives the offset of the next. */
static int64_t write_head(FILE *stream, int key, int64_t offset, int64_t n, int64_t record) {
    const int64_t next = offset + 4 + 8 + 4 + n * record;
    tess_write_int32(stream, key);
    tess_write_int64(stream, next);
    tess_write_int32(stream, (int32_t)n);
    return next;
}

/* The cells of a type, each with its region as reference, 0 for none. */
static int64_t write_cells(FILE *stream, int64_t offset, const tess_cell_block *block,
                           const tess_marked *marked) {
    const int n_nodes = block->type->n_nodes;
    int key = 0;
    for (size_t i = 0; i < N_KINDS; i++)
        if (strcmp(tess_element_kinds[kinds[i].type].set, block->type->set) == 0)
            key = kinds[i].key;
    const int64_t next = write_head(stream, key, offset, block->n, 4 * (n_nodes + 1));
    for (int64_t i = 0; i < block->n; i++) {
        for (int k = 0; k < n_nodes; k++)
            tess_write_int32(stream, block->nodes[i * n_nodes + k] + 1);
        const int64_t cell = block->cell ? block->cell[i] : i;
        const int32_t region = marked->region_of ? marked->region_of[cell] : -1;
        tess_write_int32(stream, region < 0 ? 0 : marked->region_tags[region]);
    }
    return next;
}

/* Marked elements of 2, 3 or 4 nodes, whose keywords are 5, 6 and 7. */
static int64_t write_marked(FILE *stream, int64_t offset, const tess_marked *marked, int n_nodes) {
    int64_t n = 0;
    for (int64_t i = 0; i < marked->n; i++)
        n += tess_marked_size(marked->nodes + 4 * i) == n_nodes;
    if (n == 0)
        return offset;
    const int64_t next = write_head(stream, n_nodes + 3, offset, n, 4 * (n_nodes + 1));
    for (int64_t i = 0; i < marked->n; i++) {
        const int32_t *nodes = marked->nodes + 4 * i;
        if (tess_marked_size(nodes) != n_nodes)
            continue;
        for (int k = 0; k < n_nodes; k++)
            tess_write_int32(stream, nodes[k] + 1);
        tess_write_int32(stream, marked->tags[marked->marker[i]]);
    }
    return next;
}

/* Version 3: numbers of 4 bytes, offsets of 8. */
static tess_status meshb_write(tess_mesh *mesh, const tess_cells *cells, const tess_marked *marked,
                               FILE *stream) {
    enum { VERSION = 3 };
    const int dimension = mesh->dimension;
    int64_t offset = 8 + 4 + 8 + 4; /* behind the head and the dimension */
    tess_write_int32(stream, 1);
    tess_write_int32(stream, VERSION);
    tess_write_int32(stream, KEY_DIMENSION);
    tess_write_int64(stream, offset);
    tess_write_int32(stream, dimension);
    offset = write_head(stream, KEY_VERTICES, offset, cells->n_nodes, 8 * dimension + 4);
    for (int64_t i = 0; i < cells->n_nodes; i++) {
        for (int axis = 0; axis < dimension; axis++)
            tess_write_double(stream, mesh->coordinates[i * dimension + axis]);
        tess_write_int32(stream, 0);
    }
    for (int b = 0; b < cells->n_blocks; b++)
        offset = write_cells(stream, offset, &cells->blocks[b], marked);
    for (int n_nodes = cells->dimension; n_nodes <= (cells->dimension == 2 ? 2 : 4); n_nodes++)
        offset = write_marked(stream, offset, marked, n_nodes);
    tess_write_int32(stream, KEY_END);
    tess_write_int64(stream, 0);
    return TESS_OK;
}

const tess_writer tess_writer_meshb = {.name = "meshb",
                                       .summary =
                                           "libMeshb's binary format; references for markers",
                                       .extension = ".meshb",
                                       .maps = "",
                                       .loses_names = true,
                                       .keeps_regions = true,
                                       .write = meshb_write};

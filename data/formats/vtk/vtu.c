/* VTU: VTK's XML files of unstructured grids, `.vtu`, and `.pvtu`, which names files of pieces.
 *
 * Arrays are text or binary, inline or appended, as they are or compressed with zlib; only what
 * makes the mesh is decoded, a few cells at a time. The nodes that pieces share are joined, cells
 * that VTK marks as ghosts left out. Cells of one dimension less are boundary elements; their
 * markers are the cell data `marker`, `gmsh:physical` or `medit:ref`. Entities are refused. Format:
 * VTK's file formats. */
#include "core/base/array.h"
#include "core/base/progress.h"
#include "data/formats/joined_nodes.h"
#include "data/formats/marker_groups.h"
#include "data/formats/reader.h"
#include "data/formats/vtk/vtu_cells.h"

#include <expat.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file being parsed. */
typedef struct vtu_file {
    const tess_file_text *text;
    XML_Parser parser;
    tess_status status; /* of the first handler that failed; expat is stopped then */
    tess_scan scan;     /* of the element being handled */
    tess_vtk_coding coding;
    bool is_vtk, is_grid, names_pieces;
    char section[16]; /* "Points", "Cells", "CellData" while in one */
    int depth;        /* elements that are open */
    bool in_array;    /* numbers, which the parser is not given, follow up to the next element */
    int64_t n_passed, n_passed_lines; /* bytes and lines that it was not given */
    tess_vtu_left_out left_out;
    tess_vtu_piece *pieces;
    int64_t n_pieces, pieces_capacity;
    char **sources; /* files of pieces; owned */
    int64_t n_sources, sources_capacity;
    tess_vtk_array *inlined; /* the array whose numbers are being passed over, or NULL */
    const char *appended;    /* the first byte behind the underscore, or NULL */
    tess_vtk_encoding appended_encoding;
} vtu_file;

static const char *attribute(const char **attributes, const char *name) {
    for (; attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return "";
}

static tess_status read_count(const vtu_file *file, const char **attributes, const char *name,
                              int64_t *n) {
    const char *word = attribute(attributes, name), *at = word;
    if (tess_number_integer(&at, word + strlen(word), n) != TESS_NUMBER_FINE || *at || *n < 0 ||
        *n > INT32_MAX)
        return tess_scan_fail(&file->scan, "%s=\"%.24s\" is not in 0..2147483647", name, word);
    return TESS_OK;
}

static tess_status open_file(vtu_file *file, const char **attributes) {
    const char *type = attribute(attributes, "type"), *order = attribute(attributes, "byte_order");
    const char *header = attribute(attributes, "header_type");
    const char *compressor = attribute(attributes, "compressor");
    const bool big = strcmp(order, "BigEndian") == 0;
    file->is_vtk = true;
    file->names_pieces = strcmp(type, "PUnstructuredGrid") == 0;
    if (!file->names_pieces && strcmp(type, "UnstructuredGrid") != 0)
        return tess_scan_fail(&file->scan,
                              "a VTKFile of the type %.40s; UnstructuredGrid and "
                              "PUnstructuredGrid are read",
                              type);
    if (*compressor && strcmp(compressor, "vtkZLibDataCompressor") != 0)
        return tess_scan_fail(&file->scan,
                              "compressed by %.40s; vtkZLibDataCompressor is read: "
                              "write the file with it or without compression",
                              compressor);
    if (*header && strcmp(header, "UInt32") != 0 && strcmp(header, "UInt64") != 0)
        return tess_scan_fail(&file->scan, "the header_type %.40s is neither UInt32 nor UInt64",
                              header);
    file->coding = (tess_vtk_coding){.header_bytes = strcmp(header, "UInt64") == 0 ? 8 : 4,
                                     .compressed = *compressor,
                                     .swap = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)};
    return TESS_OK;
}

static tess_status open_piece(vtu_file *file, const char **attributes) {
    if (!file->is_grid)
        return tess_scan_fail(&file->scan, "a Piece outside of an unstructured grid");
    if (file->names_pieces) {
        TRY(TESS_RESERVE(file->n_sources + 1, &file->sources_capacity, &file->sources));
        TRY(tess_text_copy(attribute(attributes, "Source"), &file->sources[file->n_sources]));
        file->n_sources++;
        return TESS_OK;
    }
    tess_vtu_piece piece = {.position = file->scan};
    TRY(read_count(file, attributes, "NumberOfPoints", &piece.n_points));
    TRY(read_count(file, attributes, "NumberOfCells", &piece.n_cells));
    TRY(TESS_RESERVE(file->n_pieces + 1, &file->pieces_capacity, &file->pieces));
    file->pieces[file->n_pieces++] = piece;
    return TESS_OK;
}

/* The names of arrays: of points and cells as in the file, of cell data in messages. */
static const char *const role_names[VTU_ROLES] = {"Points",
                                                  "connectivity",
                                                  "offsets",
                                                  "types",
                                                  "ghosts",
                                                  "markers",
                                                  "regions",
                                                  "faces",
                                                  "faceoffsets",
                                                  "face_connectivity",
                                                  "face_offsets",
                                                  "polyhedron_to_faces",
                                                  "polyhedron_offsets"};

static bool is_cell_data(int role) {
    return role >= VTU_GHOSTS && role <= VTU_REGIONS;
}

/* What an array is for, VTU_ROLES for all that say nothing of the mesh. */
static tess_vtu_role role_of(const vtu_file *file, const char *name) {
    if (strcmp(file->section, "Points") == 0)
        return VTU_POINTS;
    if (strcmp(file->section, "CellData") == 0)
        return tess_vtu_cell_data_role(name);
    if (strcmp(file->section, "Cells") == 0)
        for (int role = VTU_CONNECTIVITY; role < VTU_ROLES; role++)
            if (!is_cell_data(role) && strcmp(name, role_names[role]) == 0)
                return (tess_vtu_role)role;
    return VTU_ROLES;
}

/* Passes over an array; data of the first piece that say nothing of the mesh are named. */
static void pass_array(vtu_file *file, const char *name) {
    if (file->n_pieces == 1 && name[0] && strstr(file->section, "Data") &&
        tess_vtu_cell_data_role(name) == VTU_ROLES)
        tess_name_counts_add(&file->left_out.data, name, 0);
}

/* How the values of an array are written; where, of appended ones. */
static tess_status find_values(const vtu_file *file, const char **attributes, const char *name,
                               tess_vtk_array *array) {
    const char *format = attribute(attributes, "format");
    if (strcmp(format, "appended") == 0) {
        int64_t offset = 0;
        const char *word = attribute(attributes, "offset"), *at = word;
        if (tess_number_integer(&at, word + strlen(word), &offset) != TESS_NUMBER_FINE ||
            offset < 0 || offset > file->text->size)
            return tess_scan_fail(&file->scan,
                                  "the array '%.24s' begins at offset '%.24s', behind the end of "
                                  "the file",
                                  name, word);
        array->encoding = TESS_VTK_RAW;
        array->start.binary = true;
        array->start.end = array->start.start + offset; /* until the appended data are found */
        return TESS_OK;
    }
    array->encoding = strcmp(format, "binary") == 0 ? TESS_VTK_BASE64 : TESS_VTK_TEXT;
    if (*format && !array->encoding && strcmp(format, "ascii") != 0)
        return tess_scan_fail(&file->scan, "the array '%.24s' has the unknown format '%.24s'", name,
                              format);
    return TESS_OK;
}

/* Keeps where the array of an element <DataArray> is; appended ones by their offset for now. */
static tess_status open_array(vtu_file *file, const char **attributes) {
    const char *name = attribute(attributes, "Name"), *type = attribute(attributes, "type"),
               *components = attribute(attributes, "NumberOfComponents");
    const tess_vtu_role role = role_of(file, name);
    if (role == VTU_ROLES || file->n_pieces == 0) {
        pass_array(file, name);
        return TESS_OK;
    }
    tess_vtk_array array = {.name = role_names[role], .start = file->scan};
    if (!tess_vtk_array_type(&array, type))
        return tess_scan_fail(&file->scan, "the array '%.24s' has the unknown type '%.24s'", name,
                              type);
    tess_vtk_array *slot = &file->pieces[file->n_pieces - 1].arrays[role];
    const bool is_odd = array.type == 'f' || (*components && strcmp(components, "1") != 0);
    if (is_cell_data(role) && (is_odd || slot->type)) {
        tess_short_word *left_out = is_odd ? &file->left_out.odd : &file->left_out.later;
        snprintf(left_out->text, sizeof left_out->text, "%s", name);
        return TESS_OK;
    }
    if (role == VTU_POINTS && strcmp(components, "3") != 0)
        return tess_scan_fail(&file->scan, "points have NumberOfComponents=\"%.24s\", not 3",
                              components);
    TRY(find_values(file, attributes, name, &array));
    if (!array.start.binary)
        file->inlined = slot;
    *slot = array;
    if (file->inlined) {
        slot->start.at += XML_GetCurrentByteCount(file->parser);
        slot->start.end = slot->start.at;
    }
    return TESS_OK;
}

/* The rest of the file is binary and no XML: the parser stops. */
static tess_status open_appended(vtu_file *file, const char **attributes) {
    const char *encoding = attribute(attributes, "encoding");
    const char *end = file->text->content + file->text->size;
    const char *at = file->scan.at + XML_GetCurrentByteCount(file->parser);
    const char *mark = memchr(at, '_', (size_t)(end - at));
    file->appended_encoding = strcmp(encoding, "raw") == 0 ? TESS_VTK_RAW : TESS_VTK_BASE64;
    if (file->appended_encoding != TESS_VTK_RAW && strcmp(encoding, "base64") != 0)
        return tess_scan_fail(&file->scan,
                              "appended data of the encoding '%.24s'; raw and base64 are read",
                              encoding);
    if (!mark)
        return tess_scan_fail(&file->scan, "appended data without the underscore before them");
    file->appended = mark + 1;
    XML_StopParser(file->parser, XML_FALSE);
    return TESS_OK;
}

static tess_status open_element(vtu_file *file, const char *name, const char **attributes) {
    enum { DEEPEST = 64 }; /* VTK's files have six; the parser keeps what it is in */
    if (++file->depth > DEEPEST)
        return tess_scan_fail(&file->scan, "elements are nested %d deep, which none of VTK's are",
                              file->depth);
    if (strcmp(name, "VTKFile") == 0)
        return open_file(file, attributes);
    if (!file->is_vtk)
        return tess_scan_fail(&file->scan, "the element <%.24s> outside of <VTKFile>", name);
    if (strcmp(name, "UnstructuredGrid") == 0 || strcmp(name, "PUnstructuredGrid") == 0)
        file->is_grid = true;
    else if (strcmp(name, "Piece") == 0)
        return open_piece(file, attributes);
    else if (strcmp(name, "Points") == 0 || strcmp(name, "Cells") == 0 ||
             strcmp(name, "CellData") == 0 || strcmp(name, "PointData") == 0)
        strcpy(file->section, name);
    else if (strcmp(name, "DataArray") == 0)
        return open_array(file, attributes);
    else if (strcmp(name, "AppendedData") == 0)
        return open_appended(file, attributes);
    return TESS_OK;
}

/* Where the parser is. */
static const char *position_of(const vtu_file *file) {
    return file->text->content + XML_GetCurrentByteIndex(file->parser) + file->n_passed;
}

static void set_position(vtu_file *file) {
    file->scan.at = position_of(file);
    file->scan.line = (int64_t)XML_GetCurrentLineNumber(file->parser) + file->n_passed_lines;
}

/* The numbers of an inline array end here, at its end or at an element inside of it. */
static void close_array(vtu_file *file) {
    tess_vtk_array *array = file->inlined;
    if (!array)
        return;
    array->start.end = position_of(file);
    if (array->start.end < array->start.at) /* <DataArray/> */
        array->start.at = array->start.end;
    while (array->encoding == TESS_VTK_BASE64 && array->start.at < array->start.end &&
           (tess_is_blank(*array->start.at) || *array->start.at == '\n'))
        array->start.at++;
    file->inlined = NULL;
}

static void on_start(void *data, const char *name, const char **attributes) {
    vtu_file *file = data;
    if (file->status != TESS_OK)
        return;
    close_array(file);
    set_position(file);
    file->in_array = strcmp(name, "DataArray") == 0;
    file->status = open_element(file, name, attributes);
    if (file->status != TESS_OK)
        XML_StopParser(file->parser, XML_FALSE);
}

static void on_end(void *data, const char *name) {
    vtu_file *file = data;
    file->depth--;
    file->in_array = false;
    close_array(file);
    if (strcmp(name, file->section) == 0)
        file->section[0] = '\0';
}

static void on_doctype(void *data, const char *name, const char *system, const char *public,
                       int has_internal) {
    vtu_file *file = data;
    (void)name, (void)system, (void)public, (void)has_internal;
    set_position(file);
    file->status = tess_scan_fail(&file->scan, "a DOCTYPE, which no VTK file has: entities are not "
                                               "expanded");
    XML_StopParser(file->parser, XML_FALSE);
}

/* Points the appended arrays at their bytes. */
static tess_status place_appended(vtu_file *file) {
    const char *const end = file->text->content + file->text->size;
    for (int64_t p = 0; p < file->n_pieces; p++)
        for (int role = 0; role < VTU_ROLES; role++) {
            tess_vtk_array *array = &file->pieces[p].arrays[role];
            if (!array->type || array->encoding != TESS_VTK_RAW)
                continue;
            const int64_t offset = array->start.end - array->start.start;
            if (!file->appended || offset > end - file->appended)
                return tess_scan_fail(&file->scan,
                                      "the array %s at the offset %" PRId64 " of the "
                                      "appended data is not in the file",
                                      array->name, offset);
            array->encoding = file->appended_encoding;
            array->start.at = file->appended + offset;
            array->start.end = end;
        }
    return TESS_OK;
}

/* Passes over the numbers of an array, up to the next element. */
static const char *pass_numbers(vtu_file *file, const char *at, const char *end) {
    enum { STEP = 1 << 22 }; /* bytes: the pages need not stay in memory */
    const char *next = NULL;
    while (at < end && !next) {
        const char *until = end - at < STEP ? end : at + STEP, *line = at;
        next = memchr(at, '<', (size_t)(until - at));
        until = next ? next : until;
        for (; (line = memchr(line, '\n', (size_t)(until - line))); line++)
            file->n_passed_lines++;
        file->n_passed += until - at;
        at = until;
        tess_progress_set(at - file->text->content, file->text->size, NULL);
        if (file->text->mapped)
            tess_file_pages_pass(file->text->content, at);
    }
    return at;
}

/* Gives the parser the file, tag by tag, but for the numbers of arrays. */
static enum XML_Status parse_content(vtu_file *file) {
    enum { STEP = 1 << 23 }; /* bytes: the parser's pages need not stay in memory */
    const tess_file_text *text = file->text;
    const char *at = text->content, *const end = at + text->size;
    enum XML_Status parsed = XML_STATUS_OK;
    while (at < end && parsed == XML_STATUS_OK) {
        const int64_t most = end - at < STEP ? end - at : STEP;
        const char *tag = memchr(at, '>', (size_t)most);
        const int64_t n = tag ? tag + 1 - at : most;
        parsed = XML_Parse(file->parser, at, (int)n, false);
        at += n;
        if (file->in_array && parsed == XML_STATUS_OK)
            at = pass_numbers(file, at, end);
    }
    return parsed == XML_STATUS_OK ? XML_Parse(file->parser, "", 0, true) : parsed;
}

/* Finds pieces and arrays in the file's XML. */
static tess_status parse_file(const tess_file_text *text, vtu_file *file) {
    file->text = text;
    file->scan = tess_scan_open(text, 0);
    file->parser = XML_ParserCreate(NULL);
    if (!file->parser)
        FAIL(TESS_ERROR_MEMORY, "out of memory");
    XML_SetUserData(file->parser, file);
    XML_SetElementHandler(file->parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(file->parser, on_doctype);
    const enum XML_Status parsed = parse_content(file);
    TRY(file->status);
    set_position(file);
    if (parsed != XML_STATUS_OK && !file->appended)
        return tess_scan_fail(&file->scan, "no well-formed XML: %s",
                              XML_ErrorString(XML_GetErrorCode(file->parser)));
    return place_appended(file);
}

static void file_release(vtu_file *file) {
    if (file->parser)
        XML_ParserFree(file->parser);
    for (int64_t i = 0; i < file->n_sources; i++)
        free(file->sources[i]);
    free(file->sources);
    free(file->pieces);
}

/* The mesh as it grows. */
typedef struct vtu_mesh {
    tess_pieces nodes;
    int64_t first_node_capacity, coordinates_capacity;
    tess_grouped grouped;
    tess_vtu_left_out left_out; /* of its files */
} vtu_mesh;

static tess_status append_points(vtu_mesh *mesh, const vtu_file *file,
                                 const tess_vtu_piece *piece) {
    tess_status status = TESS_OK;
    tess_vtk_values values;
    tess_pieces *nodes = &mesh->nodes;
    const int64_t n = nodes->n_pieces, first = n ? nodes->first_node[n] : 0;
    if (first + piece->n_points > INT32_MAX)
        return tess_scan_fail(&piece->position, "more than 2147483647 points");
    TRY(tess_vtk_values_open(&piece->arrays[VTU_POINTS], &file->coding, 3 * piece->n_points,
                             &values));
    CHECK(TESS_RESERVE(n + 2, &mesh->first_node_capacity, &nodes->first_node));
    CHECK(TESS_RESERVE(3 * (first + piece->n_points), &mesh->coordinates_capacity,
                       &mesh->grouped.coordinates));
    CHECK(
        tess_vtk_values_reals(&values, 3 * piece->n_points, mesh->grouped.coordinates + 3 * first));
    nodes->first_node[n] = first;
    nodes->first_node[n + 1] = first + piece->n_points;
    nodes->n_pieces++;
done:
    tess_vtk_values_close(&values);
    return status;
}

static tess_status append_pieces(vtu_mesh *mesh, const vtu_file *file) {
    if (file->left_out.odd.text[0])
        mesh->left_out.odd = file->left_out.odd;
    if (file->left_out.later.text[0])
        mesh->left_out.later = file->left_out.later;
    if (!mesh->left_out.data.n)
        mesh->left_out.data = file->left_out.data;
    for (int64_t p = 0; p < file->n_pieces; p++) {
        const tess_vtu_piece *piece = &file->pieces[p];
        if (piece->n_points == 0 && piece->n_cells == 0)
            continue;
        for (int role = 0; role <= VTU_TYPES; role++)
            if (!piece->arrays[role].type)
                return tess_scan_fail(&piece->position, "the piece has no array %s",
                                      role_names[role]);
        if (piece->n_points == 0)
            return tess_scan_fail(&piece->position, "the piece has cells, but no points");
        TRY(append_points(mesh, file, piece));
        TRY(tess_vtu_cells_append(piece, &file->coding,
                                  mesh->nodes.first_node[mesh->nodes.n_pieces - 1],
                                  &mesh->grouped.elements));
    }
    return TESS_OK;
}

/* Appends the pieces of a file that another one names. */
static tess_status append_source(vtu_mesh *mesh, const tess_file_text *beside, const char *name) {
    tess_status status = TESS_OK;
    tess_file_text *text = NULL;
    vtu_file file = {.text = NULL};
    CHECK(tess_fail_at(tess_file_text_read_beside(beside->path, name, &text), "%s: piece '%s'",
                       beside->path, name));
    CHECK(parse_file(text, &file));
    if (file.names_pieces)
        CHECK(tess_scan_fail(&file.scan, "a piece that names pieces itself"));
    CHECK(append_pieces(mesh, &file));
done:
    file_release(&file);
    tess_file_text_free(text);
    return status;
}

static tess_status vtu_state(const tess_file_text *text, vtu_mesh *mesh, tess_mesh **out) {
    tess_scan end = tess_scan_open(text, 0);
    if (mesh->nodes.n_pieces == 0 || tess_elements_dimension(&mesh->grouped.elements) < 2)
        return tess_scan_fail(&end, "the file has no cells");
    TRY(tess_joined_nodes(&mesh->nodes, &mesh->grouped));
    TRY(tess_marker_groups_mesh(text->path, &mesh->grouped, out));
    return tess_vtu_warn_of_left_out(&mesh->left_out, *out);
}

static tess_status vtu_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    vtu_file file = {.text = NULL};
    vtu_mesh mesh = {.grouped = {.kind = "marker", .dimension = 3}};
    CHECK(parse_file(text, &file));
    CHECK(append_pieces(&mesh, &file));
    for (int64_t i = 0; i < file.n_sources; i++)
        CHECK(append_source(&mesh, text, file.sources[i]));
    CHECK(vtu_state(text, &mesh, out));
done:
    file_release(&file);
    free(mesh.nodes.first_node);
    tess_grouped_clear(&mesh.grouped);
    return status;
}

/* Whether the file begins with a tag and names a VTKFile soon. */
static bool vtu_recognise(const tess_file_text *text) {
    enum { SOON = 4096 };
    tess_scan scan = tess_scan_open(text, 0);
    return tess_scan_find_line(&scan) && *scan.at == '<' &&
           memmem(text->content, (size_t)(text->size < SOON ? text->size : SOON), "<VTKFile", 8);
}

const tess_reader tess_reader_vtu = {
    .name = "vtu",
    .summary = "VTK's XML files of unstructured grids, and of their pieces",
    .extensions = ".vtu .pvtu",
    .recognise = vtu_recognise,
    .read = vtu_read};

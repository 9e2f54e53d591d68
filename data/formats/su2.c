/* SU2: the native mesh format of the SU2 suite, one or several zones.
 *
 * `KEY= value` lines, some of them followed by rows. Ids count from 0 in each zone; zones are read
 * into one mesh, one behind the other, and stay unconnected. A marker that has the name of one in
 * an earlier zone becomes `NAME zone K`. Keys that say nothing of the mesh (periodicity, free-form
 * deformation boxes) are skipped with their rows, and so are the vertices that parts of a parallel
 * mesh exchange. Format: su2code.github.io, "Mesh File". */
#include "core/base/array.h"
#include "core/mesh/cell_type.h"
#include "data/formats/elements.h"
#include "data/formats/reader.h"
#include "data/formats/scan.h"
#include "data/formats/writer.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A file being read. */
typedef struct su2_file {
    tess_scan scan;
    tess_mesh *mesh;
    tess_elements elements;
    double *coordinates;
    int64_t n_nodes, coordinates_capacity; /* capacity in numbers */
    int dimension;                         /* 0 until NDIME is read */
    /* the zone being read */
    int zone; /* from 1 */
    int zone_first_marker;
    int64_t zone_first_node;
    int64_t zone_n_nodes; /* found by looking ahead, INT32_MAX where there is no NPOIN */
    bool zone_has_cells, zone_has_nodes;
    /* the section being read */
    int cell_dimension; /* of the elements of the section */
    int32_t marker;     /* of the elements of the section */
    bool marker_named;
    bool marker_exchanges; /* it lists vertices that parts of a parallel mesh exchange */
    bool skipping;         /* rows under a key that says nothing of the mesh */
} su2_file;

typedef struct su2_key {
    char name[32];
    size_t length;
} su2_key;

/* The KEY of a line `KEY= value`; moves behind the sign. False, and no move, on any other line. */
static bool take_key(tess_scan *scan, su2_key *key) {
    const char *p = scan->at;
    size_t length = 0;
    for (; p < scan->end && ((*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_');
         p++)
        if (length + 1 < sizeof key->name)
            key->name[length++] = *p;
    key->name[length] = '\0';
    key->length = length;
    while (p < scan->end && tess_is_blank(*p))
        p++;
    if (length == 0 || p == scan->end || *p != '=')
        return false;
    scan->at = p + 1;
    return true;
}

static bool is_key(const su2_key *key, const char *name) {
    return strcmp(key->name, name) == 0;
}

/* The number of a line `KEY= n`; further numbers (SU2 writes some after NPOIN) mean nothing here.
 */
static tess_status read_count(tess_scan *scan, const su2_key *key, int64_t *count) {
    TRY(tess_scan_integer(scan, key->name, 0, INT64_MAX, count));
    while (!tess_scan_line_done(scan)) {
        int64_t ignored = 0;
        TRY(tess_scan_integer(scan, "number after the count", INT64_MIN, INT64_MAX, &ignored));
    }
    tess_scan_skip_line(scan);
    return TESS_OK;
}

/* Looks ahead for a sign, and keeps no more of the file than a few megabytes in memory. */
static const char *find_ahead(const tess_scan *scan, char sign) {
    enum { PIECE = 1 << 22 };
    const char *found = NULL;
    for (const char *at = scan->at; !found && at < scan->end; at += PIECE) {
        const size_t n = scan->end - at < PIECE ? (size_t)(scan->end - at) : PIECE;
        found = memchr(at, sign, n);
        if (scan->mapped)
            tess_file_pages_pass(at, at + n);
    }
    return found;
}

/* Looks ahead for the number of points of the zone that `scan` is in, so that ids can be checked as
 * they are read. INT32_MAX where the zone has none. */
static int64_t find_zone_nodes(tess_scan scan) {
    su2_key key;
    for (;;) {
        const char *equals = find_ahead(&scan, '=');
        if (!equals)
            return INT32_MAX;
        const char *line = equals;
        while (line > scan.at && line[-1] != '\n')
            line--;
        scan.at = line;
        int64_t count = 0;
        if (tess_scan_find_line(&scan) && take_key(&scan, &key)) {
            if (is_key(&key, "IZONE"))
                return INT32_MAX;
            if (is_key(&key, "NPOIN"))
                return read_count(&scan, &key, &count) == TESS_OK && count <= INT32_MAX ? count
                                                                                        : INT32_MAX;
        }
        scan.at = equals + 1;
    }
}

/* The type of VTK's number, or TESS_N_ELEMENT_TYPES. */
static tess_element_type type_of_vtk(int64_t vtk) {
    if (vtk == 1 || vtk == 3)
        return vtk == 1 ? TESS_ELEMENT_POINT : TESS_ELEMENT_LINE;
    int found = 0;
    while (found < TESS_CELL_TYPES && tess_cell_types[found].vtk != vtk)
        found++;
    return (tess_element_type)(TESS_ELEMENT_TRI + found);
}

/* One row: type (a VTK number), nodes, and an id that means nothing. */
static tess_status parse_element(tess_scan *line, const void *context, void *slot) {
    const su2_file *file = context;
    tess_element *element = slot;
    int64_t vtk = 0, id = 0;
    TRY(tess_scan_integer(line, "element type", INT64_MIN, INT64_MAX, &vtk));
    element->type = type_of_vtk(vtk);
    if (element->type == TESS_N_ELEMENT_TYPES)
        return tess_scan_fail(line, "unknown element type %" PRId64, vtk);
    const tess_element_kind *kind = &tess_element_kinds[element->type];
    if (kind->dimension != (file->marker_exchanges ? 0 : file->cell_dimension) &&
        kind->dimension != 0)
        return tess_scan_fail(line, "a %s does not belong here", kind->name);
    element->cut = false;
    element->marker = file->marker;
    for (int i = 0; i < kind->arity; i++) {
        TRY(tess_scan_index(line, "node", file->zone_n_nodes, &element->nodes[i]));
        element->nodes[i] += (int32_t)file->zone_first_node;
    }
    if (!tess_scan_line_done(line))
        TRY(tess_scan_integer(line, "element id", INT64_MIN, INT64_MAX, &id));
    return TESS_OK;
}

/* One row: the coordinates, and ids that mean nothing. */
static tess_status parse_node(tess_scan *line, const void *context, void *slot) {
    const su2_file *file = context;
    double *x = slot;
    for (int axis = 0; axis < file->dimension; axis++)
        TRY(tess_scan_real(line, "coordinate", &x[axis]));
    return tess_scan_skip_integers(line, "node id");
}

static tess_status take_nodes(const void *slots, int64_t first_row, int64_t n_rows, void *context) {
    (void)first_row;
    su2_file *file = context;
    TRY(TESS_RESERVE((file->n_nodes + n_rows) * file->dimension, &file->coordinates_capacity,
                     &file->coordinates));
    memcpy(file->coordinates + file->n_nodes * file->dimension, slots,
           (size_t)(n_rows * file->dimension) * sizeof(double));
    file->n_nodes += n_rows;
    return TESS_OK;
}

/* The rows of a marker SEND_RECEIVE, vertices below a line `SEND_TO= part`, say nothing of the
 * mesh.
 */
static tess_status pass_over(const void *slots, int64_t first_row, int64_t n_rows, void *context) {
    (void)slots, (void)first_row, (void)n_rows, (void)context;
    return TESS_OK;
}

static const tess_row_format exchanged_rows = {.what = "exchanged vertices",
                                               .min_bytes = 4,
                                               .slot_size = sizeof(tess_element),
                                               .parse = parse_element,
                                               .take = pass_over};

static tess_status read_exchange(su2_file *file, int64_t n) {
    su2_key key = {.length = 0};
    if (!tess_scan_find_line(&file->scan) || !take_key(&file->scan, &key) ||
        (!is_key(&key, "SEND_TO") && !is_key(&key, "SEND_RECV")))
        return tess_scan_fail(&file->scan, "SEND_TO= should follow the marker SEND_RECEIVE");
    tess_scan_skip_line(&file->scan);
    return tess_scan_rows(&file->scan, &exchanged_rows, n, file);
}

static tess_status read_elements(su2_file *file, const su2_key *key, int dimension) {
    int64_t n = 0;
    if (file->dimension == 0)
        return tess_scan_fail(&file->scan, "%s before NDIME", key->name);
    TRY(read_count(&file->scan, key, &n));
    if (n == 0 && dimension == file->dimension)
        return tess_scan_fail(&file->scan, "NELEM= 0: a mesh without cells");
    if (!file->zone_has_nodes)
        file->zone_n_nodes = find_zone_nodes(file->scan);
    file->cell_dimension = dimension;
    if (file->marker_exchanges)
        return read_exchange(file, n);
    const tess_row_format rows = {
        "elements", 4, sizeof(tess_element), parse_element, tess_elements_take, &file->elements};
    return tess_scan_rows(&file->scan, &rows, n, file);
}

static tess_status read_cells(su2_file *file, const su2_key *key) {
    if (file->zone_has_cells)
        return tess_scan_fail(&file->scan, "a second NELEM in the same zone");
    file->zone_has_cells = true;
    return read_elements(file, key, file->dimension);
}

static tess_status read_nodes(su2_file *file, const su2_key *key) {
    int64_t n = 0;
    if (file->dimension == 0)
        return tess_scan_fail(&file->scan, "NPOIN before NDIME");
    if (file->zone_has_nodes)
        return tess_scan_fail(&file->scan, "a second NPOIN in the same zone");
    TRY(read_count(&file->scan, key, &n));
    const tess_row_format node_rows = {.what = "points",
                                       .min_bytes = 2 * file->dimension,
                                       .slot_size = (size_t)file->dimension * sizeof(double),
                                       .parse = parse_node,
                                       .take = take_nodes};
    TRY(tess_scan_rows(&file->scan, &node_rows, n, file));
    if (file->n_nodes > INT32_MAX)
        return tess_scan_fail(&file->scan, "more than 2147483647 points");
    file->zone_has_nodes = true;
    file->zone_n_nodes = n;
    return TESS_OK;
}

/* Adds the marker of the zone being read. */
static tess_status add_marker(su2_file *file, const char *name) {
    char name_in_zone[160];
    TRY(tess_mesh_add_marker(file->mesh, name, &file->marker));
    if (file->marker >= file->zone_first_marker)
        return TESS_OK;
    snprintf(name_in_zone, sizeof name_in_zone, "%s zone %d", name, file->zone);
    return tess_mesh_add_marker(file->mesh, name_in_zone, &file->marker);
}

static tess_status read_marker_tag(su2_file *file) {
    enum { MOST_MARKERS = 10000 };
    char name[128];
    const char *word = NULL;
    size_t length = tess_scan_word(&file->scan, &word);
    if (length == 0 || length >= sizeof name)
        return tess_scan_fail(&file->scan, "MARKER_TAG needs a name of at most %zu characters",
                              sizeof name - 1);
    if (file->mesh->n_markers == MOST_MARKERS)
        return tess_scan_fail(&file->scan, "more than %d markers", MOST_MARKERS);
    memcpy(name, word, length);
    name[length] = '\0';
    file->marker_exchanges = strcmp(name, "SEND_RECEIVE") == 0 || strcmp(name, "SEND_RECV") == 0;
    if (!file->marker_exchanges)
        TRY(add_marker(file, name));
    file->marker_named = true;
    return tess_scan_finish_line(&file->scan);
}

static tess_status read_marker_elements(su2_file *file, const su2_key *key) {
    if (!file->marker_named)
        return tess_scan_fail(&file->scan, "MARKER_ELEMS without a MARKER_TAG before it");
    file->marker_named = false;
    TRY(read_elements(file, key, file->dimension - 1));
    file->marker_exchanges = false;
    return TESS_OK;
}

static tess_status read_dimension(su2_file *file, const su2_key *key) {
    int64_t dimension = 0;
    TRY(read_count(&file->scan, key, &dimension));
    if ((dimension != 2 && dimension != 3) || (file->dimension && file->dimension != dimension))
        return tess_scan_fail(&file->scan, "NDIME= %" PRId64 " %s", dimension,
                              file->dimension ? "differs from that of the zone before"
                                              : "is neither 2 nor 3");
    file->dimension = (int)dimension;
    file->mesh->dimension = file->dimension;
    return TESS_OK;
}

/* A zone is complete when the next one begins or the file ends. */
static tess_status end_zone(su2_file *file) {
    if (!file->zone_has_nodes)
        return tess_scan_fail(&file->scan, "the %s ends without points (NPOIN)",
                              file->scan.at == file->scan.end ? "file" : "zone");
    if (!file->zone_has_cells)
        return tess_scan_fail(&file->scan, "the %s ends without elements (NELEM)",
                              file->scan.at == file->scan.end ? "file" : "zone");
    file->zone_has_nodes = file->zone_has_cells = false;
    file->zone++;
    file->zone_first_node = file->n_nodes;
    file->zone_first_marker = file->mesh->n_markers;
    return TESS_OK;
}

static tess_status read_section(su2_file *file, const su2_key *key) {
    file->skipping = false;
    if (is_key(key, "NDIME"))
        return read_dimension(file, key);
    if (is_key(key, "NELEM"))
        return read_cells(file, key);
    if (is_key(key, "NPOIN"))
        return read_nodes(file, key);
    if (is_key(key, "MARKER_TAG"))
        return read_marker_tag(file);
    if (is_key(key, "MARKER_ELEMS"))
        return read_marker_elements(file, key);
    if (is_key(key, "IZONE") && (file->zone_has_nodes || file->zone_has_cells))
        TRY(end_zone(file));
    file->skipping = !is_key(key, "IZONE") && !is_key(key, "NZONE") && !is_key(key, "NMARK");
    tess_scan_skip_line(&file->scan);
    return TESS_OK;
}

static tess_status read_sections(su2_file *file) {
    su2_key key;
    while (tess_scan_find_line(&file->scan)) {
        if (take_key(&file->scan, &key))
            TRY(read_section(file, &key));
        else if (file->skipping)
            tess_scan_skip_line(&file->scan);
        else
            return tess_scan_fail(&file->scan,
                                  "'%s' is left over: the section before it promised fewer rows",
                                  tess_scan_show(&file->scan).text);
    }
    if (file->dimension == 0)
        return tess_scan_fail(&file->scan, "the file ends without NDIME");
    return end_zone(file);
}

static tess_status su2_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    su2_file file = {.scan = tess_scan_open(text, '%'), .zone = 1};
    CHECK(tess_mesh_new(text->path, 0, &file.mesh));
    CHECK(read_sections(&file));
    CHECK(tess_mesh_add_set(file.mesh, "nodes", file.n_nodes, NULL));
    file.mesh->coordinates = TESS_TAKE(file.coordinates);
    CHECK(tess_elements_state(&file.elements, file.mesh));
    *out = TESS_TAKE(file.mesh);
done:
    free(file.coordinates);
    tess_elements_clear(&file.elements);
    tess_mesh_free(file.mesh);
    return status;
}

/* True when the first line that says anything is `KEY= ...`. */
static bool su2_recognise(const tess_file_text *text) {
    tess_scan scan = tess_scan_open(text, '%');
    su2_key key;
    return tess_scan_find_line(&scan) && take_key(&scan, &key);
}

const tess_reader tess_reader_su2 = {.name = "su2",
                                     .summary = "SU2's native format, one or several zones",
                                     .extensions = ".su2",
                                     .recognise = su2_recognise,
                                     .read = su2_read};

static void write_nodes(FILE *stream, const int32_t *nodes, int n) {
    for (int i = 0; i < n; i++)
        fprintf(stream, " %d", nodes[i]);
}

/* VTK's number of an edge, a triangle or a quad. */
static int vtk_of_marked(int n_nodes) {
    return n_nodes == 2 ? 3 : n_nodes == 3 ? 5 : 9;
}

/* SU2's tags are one word: what separates words becomes '_'. */
static void write_tag(FILE *stream, const char *name) {
    fputs("MARKER_TAG= ", stream);
    for (; *name; name++)
        fputc(isspace((unsigned char)*name) || *name == '%' ? '_' : *name, stream);
    fputc('\n', stream);
}

static void write_marker(FILE *stream, const tess_marked *marked, int marker) {
    int64_t n = 0;
    for (int64_t i = 0; i < marked->n; i++)
        n += marked->marker[i] == marker;
    write_tag(stream, marked->names[marker]);
    fprintf(stream, "MARKER_ELEMS= %lld\n", (long long)n);
    for (int64_t i = 0; i < marked->n; i++) {
        if (marked->marker[i] != marker)
            continue;
        const int32_t *nodes = marked->nodes + 4 * i;
        fprintf(stream, "%d", vtk_of_marked(tess_marked_size(nodes)));
        write_nodes(stream, nodes, tess_marked_size(nodes));
        fputc('\n', stream);
    }
}

static tess_status su2_write(const tess_mesh *mesh, const tess_cells *cells,
                             const tess_marked *marked, FILE *stream) {
    if (cells->dimension != mesh->dimension)
        FAIL(TESS_ERROR_INPUT, "%s: SU2 holds no cells of %d dimensions in space of %d",
             mesh->source, cells->dimension, mesh->dimension);
    fprintf(stream, "NDIME= %d\nNELEM= %lld\n", mesh->dimension, (long long)cells->n_cells);
    for (int64_t cell = 0; cell < cells->n_cells; cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(cells, cell, &type);
        fprintf(stream, "%d", type->vtk);
        write_nodes(stream, nodes, type->n_nodes);
        fprintf(stream, " %lld\n", (long long)cell);
    }
    fprintf(stream, "NPOIN= %lld\n", (long long)cells->n_nodes);
    for (int64_t i = 0; i < cells->n_nodes; i++) {
        for (int d = 0; d < mesh->dimension; d++) {
            tess_write_real(stream, mesh->coordinates[i * mesh->dimension + d]);
            fputc(' ', stream);
        }
        fprintf(stream, "%lld\n", (long long)i);
    }
    fprintf(stream, "NMARK= %d\n", marked->n_markers);
    for (int m = 0; m < marked->n_markers; m++)
        write_marker(stream, marked, m);
    return TESS_OK;
}

const tess_writer tess_writer_su2 = {.name = "su2",
                                     .summary = "SU2, with boundary markers",
                                     .extension = ".su2",
                                     .maps = "",
                                     .write = su2_write};

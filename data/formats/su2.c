/* SU2: the native mesh format of the SU2 suite, one or several zones.
 *
 * `KEY= value` lines, some of them followed by rows. Ids count from 0 in each zone; where the rows
 * of points end with their ids, in whatever order, these count. Zones are read into one mesh, one
 * behind the other, and stay unconnected; they are its regions. A marker that has the name of one
 * in an earlier zone becomes `NAME zone K`. Keys that say nothing of the mesh (free-form
 * deformation boxes) are skipped with their rows, and so are the vertices that parts of a parallel
 * mesh exchange. Format: su2code.github.io, "Mesh File". */
#include "core/base/array.h"
#include "core/mesh/cell_type.h"
#include "data/formats/marker_groups.h"
#include "data/formats/name_counts.h"
#include "data/formats/reader.h"
#include "data/formats/su2_periodic.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers behind the coordinates of the points of a zone. */
typedef struct su2_ids {
    bool in_order;    /* the first of each is its place so far: none is kept */
    int64_t capacity; /* of ids, in pairs */
    int64_t (*id)[2]; /* [points of the zone], -1 for none; owned */
    bool has_z;       /* points of two dimensions have a third coordinate ... */
    double z;         /* ... and it is this one */
} su2_ids;

/* A file being read. */
typedef struct su2_file {
    tess_scan scan;
    tess_mesh *mesh;
    tess_elements elements;
    double *coordinates;
    int64_t n_nodes, coordinates_capacity; /* capacity in numbers */
    int dimension;                         /* 0 until NDIME is read */
    int64_t n_exchanged;                   /* vertices */
    int64_t n_transforms;                  /* between periodic sides */
    tess_su2_moves moves;                  /* of these, where they are to be joined */
    tess_periodic periodic;
    int64_t n_boxes;       /* for free-form deformation (FFD) */
    tess_name_counts same; /* markers with the tag of another */
    int64_t *zone_end;     /* [zone - 1]: cells up to the end of each zone */
    int64_t zone_capacity;
    /* the zone being read */
    int zone; /* from 1 */
    int zone_first_marker;
    int64_t zone_first_node;
    int64_t zone_n_nodes; /* found by looking ahead, INT32_MAX where there is no NPOIN */
    bool zone_has_cells, zone_has_nodes;
    su2_ids ids;              /* of the zone's points */
    int64_t n_markers_stated; /* of the zone, -1: not */
    int64_t n_markers;        /* of the zone, with the same tag or not */
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

/* A point: its coordinates, a third perhaps where there are two dimensions, and its ids. */
typedef struct node_row {
    double x[3];
    int64_t id[2]; /* -1 for none */
    bool has_z;
} node_row;

/* Whether the next number of the line is written as a real one. */
static bool next_is_real(const tess_scan *line) {
    const char *at = line->at;
    while (tess_is_blank(*at))
        at++;
    at += *at == '-' || *at == '+';
    while (*at >= '0' && *at <= '9')
        at++;
    return *at == '.' || *at == 'e' || *at == 'E';
}

/* One row: the coordinates, then an id, or a local and a global one, then what means nothing. */
static tess_status parse_node(tess_scan *line, const void *context, void *slot) {
    const su2_file *file = context;
    node_row *node = slot;
    *node = (node_row){.id = {-1, -1}};
    for (int axis = 0; axis < file->dimension; axis++)
        TRY(tess_scan_real(line, "coordinate", &node->x[axis]));
    node->has_z = file->dimension == 2 && next_is_real(line);
    if (node->has_z)
        TRY(tess_scan_real(line, "third coordinate", &node->x[2]));
    int64_t ignored = 0;
    for (int i = 0; !tess_scan_line_done(line); i++)
        TRY(i < 2 ? tess_scan_integer(line, "node id", 0, INT64_MAX, &node->id[i])
                  : tess_scan_integer(line, "number behind the node ids", INT64_MIN, INT64_MAX,
                                      &ignored));
    return TESS_OK;
}

/* Keeps the ids of a point, from the first on that is not its place. */
static tess_status keep_ids(su2_ids *ids, const node_row *node, int64_t place) {
    if (ids->in_order && (node->id[0] == place || node->id[0] < 0))
        return TESS_OK;
    TRY(TESS_RESERVE(place + 1, &ids->capacity, &ids->id));
    for (int64_t i = 0; i < place && ids->in_order; i++)
        ids->id[i][0] = ids->id[i][1] = i;
    ids->in_order = false;
    memcpy(ids->id[place], node->id, sizeof node->id);
    return TESS_OK;
}

static tess_status take_nodes(const void *slots, int64_t first_row, int64_t n_rows, void *context) {
    su2_file *file = context;
    su2_ids *ids = &file->ids;
    const node_row *rows = slots;
    const int dimension = file->dimension;
    TRY(TESS_RESERVE((file->n_nodes + n_rows) * dimension, &file->coordinates_capacity,
                     &file->coordinates));
    for (int64_t i = 0; i < n_rows; i++) {
        const node_row *node = &rows[i];
        if (first_row + i == 0)
            *ids = (su2_ids){.in_order = true,
                             .capacity = ids->capacity,
                             .id = ids->id,
                             .has_z = node->has_z,
                             .z = node->x[2]};
        if (node->has_z != ids->has_z || (dimension == 2 && node->x[2] != ids->z))
            return tess_scan_fail(&file->scan,
                                  "point %" PRId64 " of the zone has another third coordinate than "
                                  "those before it: NDIME= 2 asks for a plane",
                                  first_row + i);
        memcpy(file->coordinates + file->n_nodes++ * dimension, node->x,
               (size_t)dimension * sizeof(double));
        TRY(keep_ids(ids, node, first_row + i));
    }
    return TESS_OK;
}

/* Whether the ids in this column are 0 to n - 1 in some order; `place` [n] is where each stands. */
static bool is_permutation(const su2_ids *ids, int column, int64_t n, int32_t *place) {
    for (int64_t i = 0; i < n; i++)
        place[i] = -1;
    for (int64_t i = 0; i < n; i++) {
        const int64_t id = ids->id[i][column];
        if (id < 0 || id >= n || place[id] >= 0)
            return false;
        place[id] = (int32_t)i;
    }
    return true;
}

/* Puts the points of the zone in the order of their ids; says where these are none. */
static tess_status order_nodes(su2_file *file) {
    tess_status status = TESS_OK;
    const int64_t n = file->n_nodes - file->zone_first_node;
    const int dimension = file->dimension;
    double *ordered = NULL;
    int32_t *place = NULL;
    if (file->ids.in_order || n == 0)
        return TESS_OK;
    double *const x = file->coordinates + file->zone_first_node * dimension;
    CHECK(TESS_ALLOC(n, &place));
    if (!is_permutation(&file->ids, 0, n, place) && !is_permutation(&file->ids, 1, n, place)) {
        CHECK(tess_mesh_warn(file->mesh,
                             "the ids of the %" PRId64 " points of zone %d are not 0 to %" PRId64
                             " and are ignored: elements name points by their position in the file",
                             n, file->zone, n - 1));
        goto done;
    }
    CHECK(TESS_COPY(n * dimension, x, &ordered));
    for (int64_t id = 0; id < n; id++)
        memcpy(x + id * dimension, ordered + place[id] * dimension, (size_t)dimension * sizeof *x);
done:
    free(place);
    free(ordered);
    return status;
}

/* The rows of a marker SEND_RECEIVE, vertices below a line `SEND_TO= part`, say nothing of the
 * mesh.
 */
static tess_status pass_over(const void *slots, int64_t first_row, int64_t n_rows, void *context) {
    (void)slots, (void)first_row;
    ((su2_file *)context)->n_exchanged += n_rows;
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
                                       .slot_size = sizeof(node_row),
                                       .parse = parse_node,
                                       .take = take_nodes};
    TRY(tess_scan_rows(&file->scan, &node_rows, n, file));
    TRY(order_nodes(file));
    if (file->n_nodes > INT32_MAX)
        return tess_scan_fail(&file->scan, "more than 2147483647 points");
    file->zone_has_nodes = true;
    file->zone_n_nodes = n;
    return TESS_OK;
}

/* Adds the marker of the zone being read. */
static tess_status add_marker(su2_file *file, const char *name) {
    char name_in_zone[TESS_GROUP_NAME_SIZE + 32];
    int before = file->mesh->n_markers;
    TRY(tess_mesh_add_marker(file->mesh, name, &file->marker));
    if (file->marker < file->zone_first_marker) {
        snprintf(name_in_zone, sizeof name_in_zone, "%s zone %d", name, file->zone);
        before = file->mesh->n_markers;
        TRY(tess_mesh_add_marker(file->mesh, name_in_zone, &file->marker));
    }
    if (file->mesh->n_markers == before)
        tess_name_counts_add(&file->same, name, 0);
    return TESS_OK;
}

/* Reads the rest of the line, up to a comment, without blanks around it. */
static tess_status read_tag(tess_scan *scan, char tag[TESS_GROUP_NAME_SIZE]) {
    const char *word = NULL, *begin = NULL, *end = NULL;
    for (size_t length = 0; (length = tess_scan_word(scan, &word));) {
        begin = begin ? begin : word;
        end = word + length;
    }
    if (!begin || end - begin >= TESS_GROUP_NAME_SIZE)
        return tess_scan_fail(scan, "MARKER_TAG needs a name of at most %d characters",
                              TESS_GROUP_NAME_SIZE - 1);
    tess_scan_name(begin, (size_t)(end - begin), TESS_GROUP_NAME_SIZE, tag);
    return TESS_OK;
}

static tess_status read_marker_tag(su2_file *file) {
    char name[TESS_GROUP_NAME_SIZE];
    TRY(read_tag(&file->scan, name));
    if (file->mesh->n_markers == TESS_MOST_GROUPS)
        return tess_scan_fail(&file->scan, "more than %d markers", TESS_MOST_GROUPS);
    file->n_markers++;
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
    TRY(TESS_RESERVE(file->zone, &file->zone_capacity, &file->zone_end));
    file->zone_end[file->zone - 1] = file->elements.n_of_dimension[file->dimension];
    if (file->n_markers_stated >= 0 && file->n_markers_stated != file->n_markers)
        TRY(tess_mesh_warn(file->mesh,
                           "zone %d: NMARK= %" PRId64 ", but %" PRId64 " markers follow",
                           file->zone, file->n_markers_stated, file->n_markers));
    file->zone_has_nodes = file->zone_has_cells = false;
    file->n_markers_stated = -1;
    file->n_markers = 0;
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
    if (is_key(key, "NPERIODIC")) {
        int64_t n = 0;
        TRY(read_count(&file->scan, key, &n));
        file->n_transforms += n > 1 ? n - 1 : 0; /* the first transforms nothing */
        file->skipping = true;
        return TESS_OK;
    }
    if (is_key(key, "PERIODIC_INDEX") && file->periodic.joins) {
        tess_scan_skip_line(&file->scan);
        return tess_su2_move_read(&file->scan, &file->moves);
    }
    if (is_key(key, "FFD_NBOX")) {
        file->skipping = true;
        return read_count(&file->scan, key, &file->n_boxes);
    }
    if (is_key(key, "NMARK"))
        return read_count(&file->scan, key, &file->n_markers_stated);
    if (is_key(key, "IZONE") && (file->zone_has_nodes || file->zone_has_cells))
        TRY(end_zone(file));
    file->skipping = !is_key(key, "IZONE") && !is_key(key, "NZONE");
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

/* Makes the zones regions of the cells, where there are several. */
static tess_status state_zones(su2_file *file) {
    const int n_zones = file->zone - 1;
    int32_t *region = NULL;
    if (n_zones < 2)
        return TESS_OK;
    TRY(TESS_ALLOC(file->zone_end[n_zones - 1], &region));
    for (int zone = 0; zone < n_zones; zone++) {
        for (int64_t cell = zone ? file->zone_end[zone - 1] : 0; cell < file->zone_end[zone];
             cell++)
            region[cell] = zone;
    }
    TRY(tess_mesh_add_dat(file->mesh, "region", "cells", 1, TESS_INT32, region));
    for (int zone = 0; zone < n_zones; zone++) {
        char name[32];
        int number = 0;
        snprintf(name, sizeof name, "zone %d", zone + 1);
        TRY(tess_mesh_add_region(file->mesh, name, zone + 1, &number));
    }
    return TESS_OK;
}

static tess_status warn_of_lost(const su2_file *file) {
    if (file->n_boxes)
        TRY(tess_mesh_tie(file->mesh, "boxes for free-form deformation (FFD_NBOX)"));
    if (file->n_transforms)
        TRY(tess_mesh_tie(file->mesh, "periodic sections (NPERIODIC)"));
    if (file->n_exchanged)
        TRY(tess_mesh_tie(file->mesh, "sections that parts exchange (SEND_RECEIVE)"));
    if (file->same.n)
        TRY(tess_mesh_warn(file->mesh,
                           "%d marker%s the tag of another one of the zone and became one with it: "
                           "%s",
                           file->same.n, file->same.n == 1 ? " has" : "s have",
                           tess_name_counts_text(&file->same)));
    if (file->n_transforms && !file->periodic.joins)
        TRY(tess_mesh_warn(file->mesh,
                           "%" PRId64 " periodic transformations (NPERIODIC) were left out: the "
                           "sides stay apart (MESH:periodic=join joins markers of which one is "
                           "moved onto the other)",
                           file->n_transforms));
    TRY(tess_periodic_warn(&file->periodic, file->mesh));
    return file->n_exchanged
               ? tess_mesh_warn(file->mesh,
                                "%" PRId64 " vertices that parts of a parallel mesh exchange "
                                "(SEND_RECEIVE) were left out",
                                file->n_exchanged)
               : TESS_OK;
}

/* Makes the nodes of periodic sides one where that is asked for. */
static tess_status join_periodic(su2_file *file) {
    tess_grouped grouped = {.dimension = file->dimension,
                            .n_nodes = file->n_nodes,
                            .coordinates = file->coordinates,
                            .elements = file->elements};
    TRY(tess_su2_moves_pair(&file->scan, &file->moves, &grouped, &file->periodic));
    TRY(tess_periodic_join(&file->periodic, &grouped));
    file->n_nodes = grouped.n_nodes;
    return TESS_OK;
}

static tess_status su2_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    su2_file file = {.scan = tess_scan_open(text, '%'),
                     .zone = 1,
                     .n_markers_stated = -1,
                     .periodic = tess_periodic_of(text)};
    CHECK(tess_mesh_new(text->path, 0, &file.mesh));
    CHECK(read_sections(&file));
    if (file.moves.n)
        CHECK(join_periodic(&file));
    CHECK(tess_mesh_add_set(file.mesh, "nodes", file.n_nodes, NULL));
    file.mesh->coordinates = TESS_TAKE(file.coordinates);
    CHECK(tess_elements_warn_of_points(&file.elements, file.mesh));
    CHECK(tess_elements_state(&file.elements, file.mesh));
    CHECK(state_zones(&file));
    CHECK(warn_of_lost(&file));
    *out = TESS_TAKE(file.mesh);
done:
    free(file.coordinates);
    free(file.zone_end);
    free(file.ids.id);
    free(file.moves.moves);
    tess_periodic_clear(&file.periodic);
    tess_elements_clear(&file.elements);
    tess_mesh_free(file.mesh);
    return status;
}

/* Whether the first line that says anything is `KEY= ...`. */
static bool su2_recognise(const tess_file_text *text) {
    tess_scan scan = tess_scan_open(text, '%');
    su2_key key;
    return tess_scan_find_line(&scan) && take_key(&scan, &key);
}

const tess_reader tess_reader_su2 = {.name = "su2",
                                     .summary = "SU2's native format, one or several zones",
                                     .extensions = ".su2",
                                     .has_periods = true,
                                     .recognise = su2_recognise,
                                     .read = su2_read};

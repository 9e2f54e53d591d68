/* Gmsh: the MSH format, versions 2.x and 4.1, text and binary.
 *
 * Elements of the highest dimension are the cells; those of one dimension less are boundary
 * elements, marked by their physical group, or by their geometric entity where they have none.
 * Cells have the region of their physical group; an element in several groups has all markers, and
 * the first region. Elements of higher order keep their corners. Partitions, parameters and data
 * are passed over, ghost cells left out. A mesh in a plane of constant z has two dimensions.
 * Format: the Gmsh reference manual, "MSH file format". */
#include "data/formats/gmsh.h"

#include "core/base/array.h"
#include "core/base/sort.h"
#include "data/formats/marker_groups.h"
#include "data/formats/name_counts.h"
#include "data/formats/reader.h"
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tess_status tess_gmsh_reserve_nodes(tess_gmsh *gmsh, int64_t n) {
    const int64_t wanted = gmsh->grouped.n_nodes + n;
    if (wanted > INT32_MAX)
        return tess_scan_fail(&gmsh->scan, "more than 2147483647 nodes");
    TRY(TESS_RESERVE(wanted, &gmsh->tags_capacity, &gmsh->tags));
    return TESS_RESERVE(3 * wanted, &gmsh->coordinates_capacity, &gmsh->grouped.coordinates);
}

tess_status tess_gmsh_raw_node(tess_gmsh *gmsh, const char *raw, int64_t node) {
    for (int axis = 0; axis < 3; axis++) {
        const double x = tess_raw_double(raw + axis * 8, gmsh->scan.swap);
        if (!isfinite(x))
            return tess_scan_fail(&gmsh->scan, "node %" PRId64 " has the coordinate %g", node, x);
        gmsh->grouped.coordinates[3 * node + axis] = x;
    }
    return TESS_OK;
}

tess_status tess_gmsh_find_node(const tess_gmsh *gmsh, const tess_scan *scan, int64_t tag,
                                int32_t *node) {
    *node = tess_tag_index_find(&gmsh->index, tag);
    if (*node < 0)
        return tess_scan_fail(scan, "there is no node %" PRId64, tag);
    return TESS_OK;
}

tess_status tess_gmsh_read_corners(const tess_gmsh *gmsh, tess_scan *line,
                                   const tess_gmsh_type *type, tess_element *element) {
    const int n_corners = tess_element_kinds[type->type].arity;
    element->type = type->type;
    for (int i = 0; i < type->n_nodes; i++) {
        int64_t tag = 0;
        int32_t node = 0;
        TRY(tess_scan_integer(line, "node of the element", INT64_MIN, INT64_MAX, &tag));
        TRY(tess_gmsh_find_node(gmsh, line, tag, &node));
        if (i < n_corners)
            element->nodes[i] = node;
    }
    element->cut = type->n_nodes > n_corners;
    return TESS_OK;
}

static int64_t raw_number(const char *raw, int number_bytes, bool swap) {
    return number_bytes == 8 ? tess_raw_int64(raw, swap) : tess_raw_int32(raw, swap);
}

tess_status tess_gmsh_raw_elements(tess_gmsh *gmsh, int64_t n, int n_before, int number_bytes,
                                   bool own_groups) {
    enum { BATCH = 256 };
    tess_element batch[BATCH];
    const tess_gmsh_type *type = gmsh->block_type;
    const bool swap = gmsh->scan.swap;
    const int64_t record = (int64_t)(n_before + type->n_nodes) * number_bytes;
    const char *raw = NULL;
    TRY(tess_scan_raw(&gmsh->scan, "elements", n, record, &raw));
    const char *const start = raw;
    int n_batch = 0;
    for (int64_t i = 0; i < n; i++, raw += record) {
        tess_element *element = &batch[n_batch++];
        element->type = type->type;
        element->cut = type->n_nodes > tess_element_kinds[type->type].arity;
        element->marker = gmsh->block_marker;
        if (own_groups && n_before > 1)
            element->marker = tess_gmsh_marker(
                raw_number(raw + number_bytes, number_bytes, swap),
                n_before > 2 ? raw_number(raw + 2 * number_bytes, number_bytes, swap) : 0);
        for (int j = 0; j < tess_element_kinds[type->type].arity; j++)
            TRY(tess_gmsh_find_node(
                gmsh, &gmsh->scan,
                raw_number(raw + (n_before + j) * number_bytes, number_bytes, swap),
                &element->nodes[j]));
        if (n_batch == BATCH || i + 1 == n) {
            TRY(tess_elements_append(&gmsh->grouped.elements, batch, n_batch));
            n_batch = 0;
        }
        tess_scan_passed(&gmsh->scan, i, start, raw);
    }
    return TESS_OK;
}

tess_status tess_gmsh_repeat(tess_gmsh *gmsh, tess_element_type type, int64_t n, int32_t marker) {
    const tess_element_kind *kind = &tess_element_kinds[type];
    const tess_element_list *list = &gmsh->grouped.elements.lists[type];
    gmsh->n_repeated += n;
    if (gmsh->n_repeated > gmsh->scan.end - gmsh->scan.start)
        return tess_scan_fail(&gmsh->scan, "entities belong to so many physical groups that their "
                                           "elements would be more than the file has bytes");
    for (int64_t i = list->size - n, end = list->size; i < end; i++) {
        tess_element element = {.type = type, .marker = marker};
        memcpy(element.nodes, list->nodes + i * kind->arity,
               (size_t)kind->arity * sizeof *element.nodes);
        TRY(tess_elements_append(&gmsh->grouped.elements, &element, 1));
    }
    return TESS_OK;
}

typedef struct node_row {
    int64_t tag;
    double x[3];
} node_row;

/* One row: tag, x y z; of $ParametricNodes the dimension and tag of the entity and up to two
 * parameters on it, too. */
static tess_status parse_node(tess_scan *line, const void *context, void *slot) {
    const tess_gmsh *gmsh = context;
    node_row *node = slot;
    double parameter = 0;
    TRY(tess_scan_integer(line, "node tag", INT64_MIN, INT64_MAX, &node->tag));
    for (int axis = 0; axis < 3; axis++)
        TRY(tess_scan_real(line, "coordinate", &node->x[axis]));
    for (int i = 0; i < 4 && gmsh->parametric && !tess_scan_line_done(line); i++)
        TRY(tess_scan_real(line, "number behind the coordinates", &parameter));
    return TESS_OK;
}

static tess_status take_nodes(const void *slots, int64_t first_row, int64_t n_rows, void *context) {
    (void)first_row;
    tess_gmsh *gmsh = context;
    const node_row *rows = slots;
    TRY(tess_gmsh_reserve_nodes(gmsh, n_rows));
    for (int64_t i = 0; i < n_rows; i++, gmsh->grouped.n_nodes++) {
        gmsh->tags[gmsh->grouped.n_nodes] = rows[i].tag;
        memcpy(gmsh->grouped.coordinates + 3 * gmsh->grouped.n_nodes, rows[i].x, sizeof rows[i].x);
    }
    return TESS_OK;
}

/* Reads the line that holds the number of rows. */
static tess_status read_count(tess_gmsh *gmsh, const char *what, int64_t *n) {
    tess_scan_find_line(&gmsh->scan);
    TRY(tess_scan_integer(&gmsh->scan, what, 0, INT64_MAX, n));
    return tess_scan_finish_line(&gmsh->scan);
}

/* Nodes of which each has the dimension and tag of its entity behind it, and as many parameters as
 * a curve or a surface has. */
static tess_status raw_parametric_nodes(tess_gmsh *gmsh, int64_t n) {
    const int64_t record = 4 + 3 * 8 + 4 + 4;
    tess_scan *scan = &gmsh->scan;
    const char *raw = NULL;
    if (n > (scan->end - scan->at) / record)
        return tess_scan_fail(scan, "%" PRId64 " nodes are more than the file can hold", n);
    TRY(tess_gmsh_reserve_nodes(gmsh, n));
    for (int64_t i = 0; i < n; i++) {
        TRY(tess_scan_raw(scan, "nodes", 1, record, &raw));
        gmsh->tags[i] = tess_raw_int32(raw, scan->swap);
        TRY(tess_gmsh_raw_node(gmsh, raw + 4, i));
        const int32_t dimension = tess_raw_int32(raw + 4 + 3 * 8, scan->swap);
        if (dimension == 1 || dimension == 2)
            TRY(tess_scan_raw(scan, "parameters of a node", dimension, 8, &raw));
    }
    gmsh->grouped.n_nodes = n;
    return TESS_OK;
}

static tess_status raw_nodes(tess_gmsh *gmsh, int64_t n) {
    enum { RECORD = 4 + 3 * 8 };
    if (gmsh->parametric)
        return raw_parametric_nodes(gmsh, n);
    const char *raw = NULL;
    TRY(tess_scan_raw(&gmsh->scan, "nodes", n, RECORD, &raw));
    TRY(tess_gmsh_reserve_nodes(gmsh, n));
    for (int64_t i = 0; i < n; i++, raw += RECORD) {
        gmsh->tags[i] = tess_raw_int32(raw, gmsh->scan.swap);
        TRY(tess_gmsh_raw_node(gmsh, raw + 4, i));
    }
    gmsh->grouped.n_nodes = n;
    return TESS_OK;
}

static tess_status read_nodes2(tess_gmsh *gmsh) {
    static const tess_row_format rows = {"nodes",    8,          sizeof(node_row),
                                         parse_node, take_nodes, NULL};
    int64_t n = 0;
    TRY(read_count(gmsh, "number of nodes", &n));
    return gmsh->binary ? raw_nodes(gmsh, n) : tess_scan_rows(&gmsh->scan, &rows, n, gmsh);
}

/* One row: tag, type, number of groups, the groups (physical, entity, partitions), nodes. */
static tess_status parse_element(tess_scan *line, const void *context, void *slot) {
    const tess_gmsh *gmsh = context;
    const tess_gmsh_type *type = NULL;
    int64_t tag = 0, number = 0, n_groups = 0, groups[2] = {0, 0};
    TRY(tess_scan_integer(line, "element tag", INT64_MIN, INT64_MAX, &tag));
    TRY(tess_scan_integer(line, "element type", INT64_MIN, INT64_MAX, &number));
    TRY(tess_gmsh_type_find(line, number, &type));
    TRY(tess_scan_integer(line, "number of tags", 0, INT32_MAX, &n_groups));
    for (int64_t i = 0; i < n_groups; i++) {
        int64_t group = 0;
        TRY(tess_scan_integer(line, "tag of the element", INT32_MIN, INT32_MAX, &group));
        if (i < 2)
            groups[i] = group;
    }
    tess_element *element = slot;
    element->marker = tess_gmsh_marker(groups[0], groups[1]);
    return tess_gmsh_read_corners(gmsh, line, type, element);
}

/* Blocks of a header (type, number of elements, number of groups) and the elements. */
static tess_status raw_elements(tess_gmsh *gmsh, int64_t n) {
    tess_scan *scan = &gmsh->scan;
    for (int64_t done = 0; done < n;) {
        const char *header = NULL;
        TRY(tess_scan_raw(scan, "header", 3, 4, &header));
        const int32_t n_block = tess_raw_int32(header + 4, scan->swap);
        const int32_t n_groups = tess_raw_int32(header + 8, scan->swap);
        TRY(tess_gmsh_type_find(scan, tess_raw_int32(header, scan->swap), &gmsh->block_type));
        if (n_block < 1 || n_block > n - done || n_groups < 0 || n_groups > 1 << 20)
            return tess_scan_fail(scan, "a block of %d elements with %d tags each", n_block,
                                  n_groups);
        gmsh->block_marker = 0;
        TRY(tess_gmsh_raw_elements(gmsh, n_block, 1 + n_groups, 4, true));
        done += n_block;
    }
    return TESS_OK;
}

static tess_status read_elements2(tess_gmsh *gmsh) {
    const tess_row_format rows = {"elements",           8,
                                  sizeof(tess_element), parse_element,
                                  tess_elements_take,   &gmsh->grouped.elements};
    int64_t n = 0;
    TRY(read_count(gmsh, "number of elements", &n));
    return gmsh->binary ? raw_elements(gmsh, n) : tess_scan_rows(&gmsh->scan, &rows, n, gmsh);
}

/* Reads the line "$End" + the section's name. */
static tess_status expect_end(tess_gmsh *gmsh, const char *section) {
    char expected[40];
    snprintf(expected, sizeof expected, "$End%s", section + 1);
    if (!tess_scan_find_line(&gmsh->scan))
        return tess_scan_fail(&gmsh->scan, "the file ends where %s should be", expected);
    tess_scan rest = gmsh->scan;
    if (strcmp(tess_scan_short_word(&rest).text, expected) != 0)
        return tess_scan_fail(&gmsh->scan, "'%s' stands where %s should be",
                              tess_scan_show(&gmsh->scan).text, expected);
    gmsh->scan = rest;
    return tess_scan_finish_line(&gmsh->scan);
}

/* Passes over a section that says nothing of the mesh. `section` is its name with the dollar. */
static tess_status skip_section(tess_gmsh *gmsh, const char *section) {
    char end[48];
    tess_scan *scan = &gmsh->scan;
    const int length = snprintf(end, sizeof end, "\n$End%s", section + 1);
    const char *found = memmem(scan->at, (size_t)(scan->end - scan->at), end, (size_t)length);
    if (!found)
        return tess_scan_fail(scan, "%s has no $End%s", section, section + 1);
    while (scan->at <= found)
        tess_scan_skip_line(scan);
    return expect_end(gmsh, section);
}

/* The number 1 in 4 bytes says which byte order the file has. */
static tess_status read_byte_order(tess_gmsh *gmsh) {
    const char *raw = NULL;
    gmsh->scan.binary = true;
    TRY(tess_scan_raw(&gmsh->scan, "byte order marker", 1, 4, &raw));
    gmsh->scan.swap = tess_raw_int32(raw, false) != 1;
    if (tess_raw_int32(raw, gmsh->scan.swap) != 1)
        return tess_scan_fail(&gmsh->scan, "the byte order marker is not 1: is the file text, in "
                                           "spite of its head?");
    return TESS_OK;
}

static tess_status read_format(tess_gmsh *gmsh) {
    tess_scan *scan = &gmsh->scan;
    int64_t kind = 0, bytes = 0;
    tess_scan_find_line(scan);
    const tess_scan before = *scan;
    const tess_short_word version = tess_scan_short_word(scan);
    if (version.text[0] == '2' && (version.text[1] == '.' || version.text[1] == '\0'))
        gmsh->version = 2;
    else if (strcmp(version.text, "4.1") == 0)
        gmsh->version = 4;
    else
        return tess_scan_fail(scan,
                              "unsupported version %s; 2.x and 4.1 are read (gmsh -save -format "
                              "msh41 converts)",
                              tess_scan_show(&before).text);
    TRY(tess_scan_integer(scan, "kind of file", 0, 1, &kind));
    TRY(tess_scan_integer(scan, "size of a number", 8, 8, &bytes));
    TRY(tess_scan_finish_line(scan));
    gmsh->binary = kind == 1;
    return gmsh->binary ? read_byte_order(gmsh) : TESS_OK;
}

/* Reads a line: dimension, number, name in quotes. */
static tess_status read_name(tess_gmsh *gmsh) {
    tess_scan *scan = &gmsh->scan;
    tess_gmsh_name name = {0};
    int64_t dimension = 0, physical = 0;
    tess_scan_find_line(scan);
    TRY(tess_scan_integer(scan, "dimension of a physical group", 0, 3, &dimension));
    TRY(tess_scan_integer(scan, "number of a physical group", INT32_MIN, INT32_MAX, &physical));
    if (tess_scan_line_done(scan) || *scan->at != '"')
        return tess_scan_fail(scan, "the name of the physical group should be in quotes");
    const char *text = ++scan->at;
    tess_scan_skip_line(scan);
    const char *quote = memrchr(text, '"', (size_t)(scan->at - text));
    if (!quote || quote == text)
        return tess_scan_fail(scan, "the name of the physical group before this line is empty or "
                                    "not closed");
    tess_scan_name(text, (size_t)(quote - text), sizeof name.text, name.text);
    name.dimension = (int)dimension;
    name.physical = (int32_t)physical;
    TRY(TESS_RESERVE(gmsh->n_names + 1, &gmsh->names_capacity, &gmsh->names));
    gmsh->names[gmsh->n_names++] = name;
    return TESS_OK;
}

static tess_status read_names(tess_gmsh *gmsh) {
    int64_t n = 0;
    tess_scan_find_line(&gmsh->scan);
    TRY(tess_scan_integer(&gmsh->scan, "number of physical names", 0, TESS_MOST_GROUPS, &n));
    TRY(tess_scan_finish_line(&gmsh->scan));
    for (int64_t i = 0; i < n; i++)
        TRY(read_name(gmsh));
    return TESS_OK;
}

static tess_status read_nodes(tess_gmsh *gmsh) {
    if (gmsh->has_nodes)
        return tess_scan_fail(&gmsh->scan, "a second section $Nodes");
    gmsh->has_nodes = true;
    TRY(gmsh->version == 2 ? read_nodes2(gmsh) : tess_gmsh4_nodes(gmsh));
    if (tess_tag_index_build(gmsh->tags, gmsh->grouped.n_nodes, &gmsh->index) != TESS_OK)
        return tess_scan_fail(&gmsh->scan, "nodes: %s", tess_message());
    return TESS_OK;
}

static tess_status read_elements(tess_gmsh *gmsh) {
    if (!gmsh->has_nodes || gmsh->has_elements)
        return tess_scan_fail(&gmsh->scan, gmsh->has_nodes ? "a second section $Elements"
                                                           : "$Elements comes before $Nodes");
    gmsh->has_elements = true;
    return gmsh->version == 2 ? read_elements2(gmsh) : tess_gmsh4_elements(gmsh);
}

/* Reads periodic sides. Where they are not to be joined, what is not understood of them is passed
 * over, and said. */
static tess_status read_periodic(tess_gmsh *gmsh, bool *known) {
    const tess_scan before = gmsh->scan;
    const tess_status status = tess_gmsh_periodic(gmsh);
    if (status == TESS_OK || gmsh->periodic.joins || status != TESS_ERROR_INPUT)
        return status;
    tess_periodic_clear(&gmsh->periodic);
    gmsh->periodic.n_sides = 1;
    gmsh->scan = before;
    *known = false;
    return TESS_OK;
}

/* Reads the content of a section that says something of the mesh; *known is false for others. */
static tess_status read_known_section(tess_gmsh *gmsh, const char *section, bool *known) {
    *known = true;
    if (strcmp(section, "$MeshFormat") == 0)
        return read_format(gmsh);
    if (strcmp(section, "$PhysicalNames") == 0)
        return read_names(gmsh);
    const bool are_parts = strcmp(section, "$PartitionedEntities") == 0;
    if ((are_parts || strcmp(section, "$Entities") == 0) && gmsh->version == 4)
        return tess_gmsh4_entities(gmsh, are_parts);
    gmsh->parametric = strcmp(section, "$ParametricNodes") == 0 && gmsh->version == 2;
    if (strcmp(section, "$Nodes") == 0 || gmsh->parametric)
        return read_nodes(gmsh);
    if (strcmp(section, "$Elements") == 0)
        return read_elements(gmsh);
    if (strcmp(section, "$Periodic") == 0)
        return read_periodic(gmsh, known);
    *known = false;
    return TESS_OK;
}

static char *const data_sections[] = {"NodeData", "ElementData", "ElementNodeData"};

static tess_status read_sections(tess_gmsh *gmsh) {
    tess_scan *scan = &gmsh->scan;
    while (tess_scan_find_line(scan)) {
        const tess_scan before = *scan;
        const tess_short_word section = tess_scan_short_word(scan);
        if (section.text[0] != '$' || strncmp(section.text, "$End", 4) == 0)
            return tess_scan_fail(&before, "'%s' stands where a section should begin",
                                  tess_scan_show(&before).text);
        if (strcmp(section.text, "$NOD") == 0)
            return tess_scan_fail(&before,
                                  "unsupported version 1; 2.x and 4.1 are read (gmsh -save "
                                  "-format msh41 converts)");
        if (gmsh->version == 0 && strcmp(section.text, "$MeshFormat") != 0 &&
            strcmp(section.text, "$Comments") != 0)
            return tess_scan_fail(&before, "%s comes before $MeshFormat", section.text);
        bool known = false;
        TRY(tess_scan_finish_line(scan));
        TRY(read_known_section(gmsh, section.text, &known));
        for (int i = 0; i < 3; i++)
            gmsh->n_data[i] += strcmp(section.text + 1, data_sections[i]) == 0;
        TRY(known ? expect_end(gmsh, section.text) : skip_section(gmsh, section.text));
    }
    if (!gmsh->has_nodes || !gmsh->has_elements)
        return tess_scan_fail(scan, "the file ends without %s",
                              gmsh->has_nodes ? "$Elements" : "$Nodes");
    if (tess_elements_dimension(&gmsh->grouped.elements) < 2)
        return tess_scan_fail(scan, "the mesh has no cells");
    return TESS_OK;
}

/* The dimension of the elements that a group is of; of lower ones: the first that names it. */
static const tess_gmsh_name *find_name(const tess_gmsh *gmsh, tess_group_of of, int32_t group) {
    const int dimension = tess_elements_dimension(&gmsh->grouped.elements) - (int)of;
    for (int64_t i = 0; i < gmsh->n_names; i++) {
        const tess_gmsh_name *name = &gmsh->names[i];
        if (name->physical == group && (of == TESS_GROUP_OF_LOWER ? name->dimension <= dimension
                                                                  : name->dimension == dimension))
            return name;
    }
    return NULL;
}

/* Physical groups have names; of sides entities are named where there is no group. */
static int32_t name_group(const void *context, tess_group_of of, int32_t group, char *text,
                          size_t size) {
    const tess_gmsh *gmsh = context;
    const tess_gmsh_name *name = group > 0 ? find_name(gmsh, of, group) : NULL;
    const int dimension = tess_elements_dimension(&gmsh->grouped.elements) - 1;
    text[0] = '\0';
    if (name)
        snprintf(text, size, "%s", name->text);
    else if (group > 0)
        snprintf(text, size, "physical %d", group);
    else if (of == TESS_GROUP_OF_SIDES && group != 0)
        snprintf(text, size, "%s %lld", dimension == 1 ? "curve" : "surface", -(long long)group);
    else if (of == TESS_GROUP_OF_SIDES)
        snprintf(text, size, "unmarked");
    return group > 0 ? group : 0;
}

/* Whether a name is of a group that has another one, before it. */
static bool is_second(const tess_gmsh *gmsh, const tess_gmsh_name *name) {
    for (const tess_gmsh_name *before = gmsh->names; before < name; before++)
        if (before->dimension == name->dimension && before->physical == name->physical)
            return true;
    return false;
}

/* Finds the names of groups of a dimension that no element has. */
static tess_status find_empty(const tess_gmsh *gmsh, int dimension, tess_name_counts *empty) {
    tess_status status = TESS_OK;
    int64_t n = 0, capacity = 0;
    int32_t *groups = NULL;
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++) {
        const tess_element_list *list = &gmsh->grouped.elements.lists[type];
        for (int64_t i = 0; tess_element_kinds[type].dimension == dimension && i < list->size; i++)
            if (i == 0 || list->marker[i] != list->marker[i - 1]) {
                CHECK(TESS_RESERVE(n + 1, &capacity, &groups));
                groups[n++] = list->marker[i];
            }
    }
    n = n ? tess_sort_unique(groups, n) : 0;
    for (int64_t i = 0; i < gmsh->n_names; i++) {
        const tess_gmsh_name *name = &gmsh->names[i];
        const int64_t at = n ? tess_sorted_position(groups, n, name->physical) : 0;
        if (name->dimension == dimension &&
            (at >= n || groups[at] != name->physical || is_second(gmsh, name)))
            tess_name_counts_add(empty, name->text, 0);
    }
done:
    free(groups);
    return status;
}

static tess_status gmsh_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_gmsh gmsh = {.scan = tess_scan_open(text, 0),
                      .periodic = tess_periodic_of(text),
                      .grouped = {.dimension = 3, .name = name_group, .context = &gmsh}};
    tess_name_counts empty = {.n = 0}, data = {.n = 0};
    tess_mesh *mesh = NULL;
    CHECK(read_sections(&gmsh));
    for (int dimension = 0; dimension <= 3; dimension++)
        CHECK(find_empty(&gmsh, dimension, &empty));
    CHECK(tess_periodic_join(&gmsh.periodic, &gmsh.grouped));
    CHECK(tess_marker_groups_mesh(text->path, &gmsh.grouped, &mesh));
    CHECK(tess_periodic_warn(&gmsh.periodic, mesh));
    tess_name_counts_add_all(&data, data_sections, gmsh.n_data, 3);
    if (data.n)
        CHECK(tess_mesh_pass_over(mesh, tess_name_counts_text(&data)));
    if (gmsh.periodic.n_sides)
        CHECK(tess_mesh_tie(mesh, "periodic sections ($Periodic)"));
    if (empty.n)
        CHECK(tess_mesh_warn(mesh, "%d physical groups are named, but no element has them: %s",
                             empty.n, tess_name_counts_text(&empty)));
    *out = TESS_TAKE(mesh);
done:
    tess_mesh_free(mesh);
    free(gmsh.tags);
    free(gmsh.entities);
    free(gmsh.groups);
    free(gmsh.names);
    tess_tag_index_release(&gmsh.index);
    tess_periodic_clear(&gmsh.periodic);
    tess_grouped_clear(&gmsh.grouped);
    return status;
}

/* Whether the first line that says anything begins with a dollar. */
static bool gmsh_recognise(const tess_file_text *text) {
    tess_scan scan = tess_scan_open(text, 0);
    return tess_scan_find_line(&scan) && scan.end - scan.at > 1 && *scan.at == '$' &&
           isalpha((unsigned char)scan.at[1]);
}

const tess_reader tess_reader_gmsh = {.name = "gmsh",
                                      .summary = "Gmsh's MSH 2.x and 4.1, text and binary",
                                      .extensions = ".msh",
                                      .has_periods = true,
                                      .recognise = gmsh_recognise,
                                      .read = gmsh_read};

/* MFEM: its meshes, `.mesh`, versions 1.0, 1.2 and 1.3: elements, boundary and vertices.
 *
 * Each element is its attribute, its geometry and its vertices from 0. Attributes of boundary
 * elements become the markers `attribute N`, or those of the sets that version 1.3 names: a side in
 * several sets has the marker of each. Attributes of cells are regions, named by a set that holds
 * one alone; other sets of cells are left out with a warning. A curved mesh, whose `nodes` are a
 * finite element function, is read at its vertices, with a warning. Non-conforming and NURBS meshes
 * are refused. Format: mfem.org, "Mesh formats". */
#include "core/base/array.h"
#include "core/base/plural.h"
#include "data/formats/elements.h"
#include "data/formats/marker_groups.h"
#include "data/formats/name_counts.h"
#include "data/formats/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A set of attributes by its name: those of its rows of `members`. */
typedef struct named_sets {
    int n;
    int64_t capacity, n_members, member_capacity;
    char **names;
    struct set_member {
        int32_t set, attribute;
    } * members; /* [n_members], in the order of the file */
} named_sets;

typedef struct mfem_file {
    tess_scan scan;
    int64_t dimension;
    int part_dimension; /* of the elements being read */
    int64_t largest;    /* number of a vertex of any element, -1: none */
    named_sets sides, cells;
    tess_name_counts left_out; /* sets of cells */
    char curve[40];            /* name of the finite element space of a curved mesh, or "" */
    bool is_rank;              /* of a parallel mesh */
    tess_grouped grouped;
} mfem_file;

/* By the number of the geometry. */
static const tess_element_type geometries[] = {
    TESS_ELEMENT_POINT, TESS_ELEMENT_LINE, TESS_ELEMENT_TRI,   TESS_ELEMENT_QUAD,
    TESS_ELEMENT_TET,   TESS_ELEMENT_HEX,  TESS_ELEMENT_PRISM, TESS_ELEMENT_PYRAMID};
enum { N_GEOMETRIES = sizeof geometries / sizeof geometries[0] };

/* --- words ------------------------------------------------------------------------------------ */

static tess_status expect_key(mfem_file *file, const char *key) {
    tess_scan_find_line(&file->scan);
    const tess_scan before = file->scan;
    if (strcmp(tess_scan_short_word(&file->scan).text, key) != 0)
        return before.at == before.end
                   ? tess_scan_fail(&before, "the file ends where '%s' should be", key)
                   : tess_scan_fail(&before, "'%s' stands where '%s' should",
                                    tess_scan_show(&before).text, key);
    return TESS_OK;
}

/* Reads a whole number, on this line or on one that follows. */
static tess_status read_number(mfem_file *file, const char *what, int64_t most, int64_t *out) {
    tess_scan_find_line(&file->scan);
    return tess_scan_integer(&file->scan, what, 0, most, out);
}

/* --- elements --------------------------------------------------------------------------------- */

static tess_status parse_element(tess_scan *line, const void *context, void *slot) {
    const mfem_file *file = context;
    tess_element *element = slot;
    int64_t attribute = 0, geometry = 0, node = 0;
    TRY(tess_scan_integer(line, "attribute", 0, INT32_MAX, &attribute));
    TRY(tess_scan_integer(line, "geometry", 0, N_GEOMETRIES - 1, &geometry));
    *element = (tess_element){.type = geometries[geometry], .marker = (int32_t)attribute};
    const tess_element_kind *kind = &tess_element_kinds[element->type];
    if (kind->dimension != file->part_dimension)
        return tess_scan_fail(line, "a %s among elements of %d dimensions", kind->name,
                              file->part_dimension);
    for (int i = 0; i < kind->arity; i++) {
        TRY(tess_scan_integer(line, "vertex", 0, INT32_MAX - 1, &node));
        element->nodes[i] = (int32_t)node;
    }
    return TESS_OK;
}

static tess_status take_elements(const void *rows, int64_t first_row, int64_t n, void *context) {
    mfem_file *file = context;
    const tess_element *elements = rows;
    (void)first_row;
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < tess_element_kinds[elements[i].type].arity; k++)
            if (elements[i].nodes[k] > file->largest)
                file->largest = elements[i].nodes[k];
    return tess_elements_append(&file->grouped.elements, elements, n);
}

static tess_status read_elements(mfem_file *file, const char *key, int dimension) {
    const tess_row_format rows = {.what = "elements",
                                  .min_bytes = 6,
                                  .slot_size = sizeof(tess_element),
                                  .parse = parse_element,
                                  .take = take_elements};
    int64_t n = 0;
    TRY(expect_key(file, key));
    TRY(read_number(file, "number of elements", INT32_MAX, &n));
    TRY(tess_scan_finish_line(&file->scan));
    file->part_dimension = dimension;
    return tess_scan_rows(&file->scan, &rows, n, file);
}

/* --- named sets ------------------------------------------------------------------------------- */

/* The name of a set, in quotes or one word. */
static tess_status read_name(mfem_file *file, named_sets *sets) {
    tess_scan *scan = &file->scan;
    const char *name = NULL;
    if (!tess_scan_find_line(scan))
        return tess_scan_fail(scan, "the file ends where the name of a set should be");
    const char *line_end = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
    line_end = line_end ? line_end : scan->end;
    size_t length = 0;
    if (*scan->at == '"') {
        name = scan->at + 1;
        const char *quote = memchr(name, '"', (size_t)(line_end - name));
        if (!quote)
            return tess_scan_fail(scan, "the name of a set has no second quote");
        length = (size_t)(quote - name);
        scan->at = quote + 1;
    } else {
        length = tess_scan_word(scan, &name);
    }
    TRY(TESS_RESERVE(sets->n + 1, &sets->capacity, &sets->names));
    char text[TESS_GROUP_NAME_SIZE];
    tess_scan_name(name, length, sizeof text, text);
    TRY(tess_text_copy(text, &sets->names[sets->n]));
    sets->n++;
    return TESS_OK;
}

/* Reads sets of attributes: a name, how many they are, and these. */
static tess_status read_sets(mfem_file *file, const char *key, named_sets *sets) {
    enum { MOST_SETS = 10000 };
    int64_t n = 0;
    TRY(expect_key(file, key));
    TRY(read_number(file, "number of sets", MOST_SETS, &n));
    for (int64_t i = 0; i < n; i++) {
        int64_t n_members = 0, attribute = 0;
        TRY(read_name(file, sets));
        TRY(read_number(file, "number of attributes", INT32_MAX, &n_members));
        for (int64_t k = 0; k < n_members; k++) {
            TRY(read_number(file, "attribute", INT32_MAX, &attribute));
            TRY(TESS_RESERVE(sets->n_members + 1, &sets->member_capacity, &sets->members));
            sets->members[sets->n_members++] = (struct set_member){(int32_t)i, (int32_t)attribute};
        }
    }
    return TESS_OK;
}

static void sets_release(named_sets *sets) {
    for (int i = 0; i < sets->n; i++)
        free(sets->names[i]);
    free(sets->names);
    free(sets->members);
}

/* The group of the sides of a set; others have their attribute. */
static int32_t group_of_set(int32_t set) {
    return -1 - set;
}

static int compare_members(const void *a, const void *b) {
    const struct set_member *x = a, *y = b;
    return x->attribute != y->attribute ? (x->attribute < y->attribute ? -1 : 1)
                                        : (x->set > y->set) - (x->set < y->set);
}

/* The first row of a set with that attribute among those that are sorted by it, or n_members. */
static int64_t find_attribute(const named_sets *sets, int32_t attribute) {
    int64_t low = 0, high = sets->n_members;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sets->members[middle].attribute < attribute)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const char *name_of_cells(const named_sets *sets, int32_t attribute) {
    const int64_t row = find_attribute(sets, attribute);
    return row < sets->n_members && sets->members[row].attribute == attribute
               ? sets->names[sets->members[row].set]
               : NULL;
}

static int32_t name_group(const void *context, tess_group_of of, int32_t group, char *text,
                          size_t size) {
    const mfem_file *file = context;
    const char *name = of == TESS_GROUP_OF_CELLS                ? name_of_cells(&file->cells, group)
                       : of == TESS_GROUP_OF_SIDES && group < 0 ? file->sides.names[-1 - group]
                                                                : NULL;
    text[0] = '\0';
    if (name)
        snprintf(text, size, "%s", name);
    else if (of != TESS_GROUP_OF_LOWER)
        snprintf(text, size, "attribute %d", group);
    return group > 0 ? group : 0;
}

/* Keeps the sets that hold one attribute alone, the first of each, sorted by it. */
static void keep_single_sets(named_sets *sets, tess_name_counts *left_out) {
    struct set_member *members = sets->members;
    int64_t n = 0, n_kept = 0;
    for (int64_t first = 0, end = 0; first < sets->n_members; first = end) {
        while (end < sets->n_members && members[end].set == members[first].set)
            end++;
        if (end - first == 1)
            members[n++] = members[first];
        else
            tess_name_counts_add(left_out, sets->names[members[first].set], end - first);
    }
    if (n > 0)
        qsort(members, (size_t)n, sizeof *members, compare_members);
    for (int64_t i = 0; i < n; i++) {
        if (n_kept > 0 && members[n_kept - 1].attribute == members[i].attribute)
            tess_name_counts_add(left_out, sets->names[members[i].set], 1);
        else
            members[n_kept++] = members[i];
    }
    sets->n_members = n_kept;
}

/* Gives a side the group of each set that its attribute is in: it is appended again for all but the
 * first. */
static tess_status name_element(mfem_file *file, tess_element_type type, int64_t row) {
    enum { MOST_OF_ONE = 64 };
    tess_element_list *list = &file->grouped.elements.lists[type];
    const named_sets *sets = &file->sides;
    const int arity = tess_element_kinds[type].arity;
    const int32_t attribute = list->marker[row];
    tess_element again = {.type = type};
    const int64_t first = find_attribute(sets, attribute);
    for (int64_t m = first; m < sets->n_members && sets->members[m].attribute == attribute; m++) {
        const int32_t group = group_of_set(sets->members[m].set);
        if (m - first == MOST_OF_ONE)
            return tess_scan_fail(&file->scan, "the attribute %d is in more than %d sets",
                                  attribute, MOST_OF_ONE);
        if (m == first) {
            list->marker[row] = group;
            continue;
        }
        again.marker = group;
        memcpy(again.nodes, list->nodes + row * arity, (size_t)arity * sizeof *again.nodes);
        TRY(tess_elements_append(&file->grouped.elements, &again, 1));
    }
    return TESS_OK;
}

static tess_status name_sides(mfem_file *file) {
    const int dimension = (int)file->dimension - 1;
    if (file->sides.n_members == 0)
        return TESS_OK;
    qsort(file->sides.members, (size_t)file->sides.n_members, sizeof *file->sides.members,
          compare_members);
    for (int type = 0; type < TESS_N_ELEMENT_TYPES; type++) {
        const int64_t n = file->grouped.elements.lists[type].size;
        for (int64_t i = 0; i < n && tess_element_kinds[type].dimension == dimension; i++)
            TRY(name_element(file, (tess_element_type)type, i));
    }
    return TESS_OK;
}

/* --- vertices --------------------------------------------------------------------------------- */

static tess_status parse_vertex(tess_scan *line, const void *context, void *slot) {
    const mfem_file *file = context;
    double *x = slot;
    for (int axis = 0; axis < file->grouped.dimension; axis++)
        TRY(tess_scan_real(line, "coordinate", &x[axis]));
    return TESS_OK;
}

static tess_status read_coordinates(mfem_file *file, int64_t n) {
    int64_t width = 0;
    TRY(read_number(file, "number of coordinates", 3, &width));
    TRY(tess_scan_finish_line(&file->scan));
    if (width < file->dimension)
        return tess_scan_fail(&file->scan,
                              "%" PRId64 " coordinates for a mesh of %" PRId64 " dimensions", width,
                              file->dimension);
    file->grouped.dimension = (int)width;
    tess_row_format rows = {.what = "vertices",
                            .min_bytes = 2 * (int)width,
                            .slot_size = (size_t)width * sizeof(double),
                            .parse = parse_vertex};
    TRY(tess_scan_expect_rows(&file->scan, &rows, n));
    TRY(TESS_ALLOC(n * width, &file->grouped.coordinates));
    rows.to = file->grouped.coordinates;
    return tess_scan_rows(&file->scan, &rows, n, file);
}

/* Whether the first values of a finite element space are those at vertices. */
static bool begins_with_vertices(const char *space) {
    return strncmp(space, "H1_", 3) == 0 || strncmp(space, "H1Pos_", 6) == 0 ||
           strncmp(space, "H1Ser_", 6) == 0 || strncmp(space, "H1@", 3) == 0 ||
           strcmp(space, "Linear") == 0 || strcmp(space, "Quadratic") == 0 ||
           strcmp(space, "QuadraticPos") == 0 || strcmp(space, "Cubic") == 0;
}

/* Reads the head of a finite element function; by_vertex: the coordinates of a vertex stand
 * together. */
static tess_status read_space(mfem_file *file, int64_t *width, bool *by_vertex) {
    int64_t ordering = 0;
    TRY(expect_key(file, "nodes"));
    TRY(expect_key(file, "FiniteElementSpace"));
    TRY(expect_key(file, "FiniteElementCollection:"));
    const tess_short_word space = tess_scan_short_word(&file->scan);
    if (!begins_with_vertices(space.text))
        return tess_scan_fail(&file->scan,
                              "a curved mesh of the space '%s', which has no values at vertices: "
                              "project its nodes to H1 (SetCurvature(1, false)) and save it again",
                              space.text);
    strcpy(file->curve, space.text);
    TRY(expect_key(file, "VDim:"));
    TRY(read_number(file, "number of coordinates", 3, width));
    TRY(expect_key(file, "Ordering:"));
    TRY(read_number(file, "ordering", 1, &ordering));
    *by_vertex = ordering == 1;
    return tess_scan_finish_line(&file->scan);
}

static bool find_word(tess_scan *scan) {
    const char *word = NULL;
    return tess_scan_find_line(scan) && tess_scan_word(scan, &word) > 0;
}

/* The values up to the end of the file. */
static int64_t count_values(tess_scan scan) {
    int64_t n = 0;
    while (find_word(&scan))
        n++;
    return n;
}

/* Reads the vertices of a curved mesh, the first values of each coordinate. */
static tess_status read_curve(mfem_file *file, int64_t n) {
    int64_t width = 0;
    bool by_vertex = false;
    TRY(read_space(file, &width, &by_vertex));
    tess_scan *scan = &file->scan;
    const int64_t n_values = width ? count_values(*scan) / width : 0;
    if (width < file->dimension || n_values < n)
        return tess_scan_fail(scan,
                              "%" PRId64 " nodes of %" PRId64 " coordinates for %" PRId64
                              " vertices of a mesh of %" PRId64 " dimensions",
                              n_values, width, n, file->dimension);
    file->grouped.dimension = (int)width;
    TRY(TESS_ALLOC(n * width, &file->grouped.coordinates));
    for (int64_t i = 0; i < n * width; i++) {
        const int64_t axis = by_vertex ? i % width : i / n, vertex = by_vertex ? i / width : i % n;
        for (int64_t pass = 0; !by_vertex && i > 0 && vertex == 0 && pass < n_values - n; pass++)
            find_word(scan);
        tess_scan_find_line(scan);
        TRY(tess_scan_real(scan, "coordinate", &file->grouped.coordinates[vertex * width + axis]));
    }
    scan->at = scan->end;
    return TESS_OK;
}

static tess_status read_vertices(mfem_file *file) {
    int64_t *n = &file->grouped.n_nodes;
    TRY(expect_key(file, "vertices"));
    TRY(read_number(file, "number of vertices", INT32_MAX, n));
    if (file->largest >= *n)
        return tess_scan_fail(&file->scan,
                              "an element has the vertex %" PRId64 ", which is not in 0..%" PRId64,
                              file->largest, *n - 1);
    tess_scan next = file->scan;
    return tess_scan_find_line(&next) && strcmp(tess_scan_short_word(&next).text, "nodes") == 0
               ? read_curve(file, *n)
               : read_coordinates(file, *n);
}

/* --- the mesh --------------------------------------------------------------------------------- */

/* The rest of the first line behind `MFEM`. */
static tess_status read_version(mfem_file *file, bool *has_sets) {
    tess_scan *scan = &file->scan;
    tess_scan_find_line(scan);
    tess_scan_short_word(scan);
    const tess_short_word kind = tess_scan_short_word(scan), version = tess_scan_short_word(scan);
    const bool is_mesh = strcmp(kind.text, "mesh") == 0;
    if (strcmp(kind.text, "NURBS") == 0 || strcmp(kind.text, "INLINE") == 0)
        return tess_scan_fail(scan, "an MFEM mesh of the kind %s: let MFEM write it as v1.0",
                              kind.text);
    if (strcmp(kind.text, "NC") == 0 || (is_mesh && strcmp(version.text, "v1.1") == 0))
        return tess_scan_fail(scan,
                              "a non-conforming MFEM mesh, whose cells meet at hanging nodes; "
                              "conforming ones are read");
    *has_sets = strcmp(version.text, "v1.3") == 0;
    if (!is_mesh ||
        (!*has_sets && strcmp(version.text, "v1.0") != 0 && strcmp(version.text, "v1.2") != 0))
        return tess_scan_fail(scan, "an MFEM %s of version '%s'; v1.0, v1.2 and v1.3 are read",
                              kind.text, version.text);
    return tess_scan_finish_line(scan);
}

static tess_status read_sections(mfem_file *file) {
    bool has_sets = false;
    TRY(read_version(file, &has_sets));
    TRY(expect_key(file, "dimension"));
    TRY(read_number(file, "dimension", 3, &file->dimension));
    if (file->dimension < 2)
        return tess_scan_fail(&file->scan,
                              "a mesh of %" PRId64 " dimensions; those of 2 and 3 are "
                              "read",
                              file->dimension);
    TRY(read_elements(file, "elements", (int)file->dimension));
    if (has_sets)
        TRY(read_sets(file, "attribute_sets", &file->cells));
    TRY(read_elements(file, "boundary", (int)file->dimension - 1));
    if (has_sets)
        TRY(read_sets(file, "bdr_attribute_sets", &file->sides));
    TRY(read_vertices(file));
    tess_scan_find_line(&file->scan);
    file->is_rank = strcmp(tess_scan_short_word(&file->scan).text, "mfem_serial_mesh_end") == 0;
    keep_single_sets(&file->cells, &file->left_out);
    return name_sides(file);
}

static tess_status add_warnings(const mfem_file *file, tess_mesh *mesh) {
    if (file->left_out.n)
        TRY(tess_mesh_warn(mesh, "%d set%s of cells %s (with %s attributes): %s", file->left_out.n,
                           tess_plural(file->left_out.n),
                           file->left_out.n == 1
                               ? "does not hold one attribute alone or is not the first to do so, "
                                 "and was left out"
                               : "do not hold one attribute alone or are not the first to do so, "
                                 "and were left out",
                           file->left_out.n == 1 ? "its" : "their",
                           tess_name_counts_text(&file->left_out)));
    if (file->curve[0])
        TRY(tess_mesh_warn(mesh, "the mesh is curved (%s): it is read at its vertices",
                           file->curve));
    if (file->is_rank)
        TRY(tess_mesh_warn(mesh,
                           "the file is one part of a parallel mesh: the others are not read"));
    return TESS_OK;
}

static tess_status mfem_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_mesh *mesh = NULL;
    mfem_file file = {.scan = tess_scan_open(text, '#'), .largest = -1};
    CHECK(read_sections(&file));
    if (tess_elements_dimension(&file.grouped.elements) < file.dimension)
        CHECK(tess_scan_fail(&file.scan, "the file has no cells"));
    file.grouped.name = name_group;
    file.grouped.context = &file;
    CHECK(tess_marker_groups_mesh(text->path, &file.grouped, &mesh));
    CHECK(add_warnings(&file, mesh));
    *out = TESS_TAKE(mesh);
done:
    sets_release(&file.sides);
    sets_release(&file.cells);
    tess_mesh_free(mesh);
    tess_grouped_clear(&file.grouped);
    return status;
}

static bool mfem_recognise(const tess_file_text *text) {
    tess_scan scan = tess_scan_open(text, '#');
    return tess_scan_find_line(&scan) && strcmp(tess_scan_short_word(&scan).text, "MFEM") == 0;
}

const tess_reader tess_reader_mfem = {.name = "mfem",
                                      .summary = "MFEM's meshes, at their vertices where curved",
                                      .extensions = ".mesh",
                                      .recognise = mfem_recognise,
                                      .read = mfem_read};

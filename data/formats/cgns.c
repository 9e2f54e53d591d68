/* CGNS: unstructured zones of the first base of a CGNS file, ADF or HDF5.
 *
 * Zones lie one behind the other and stay unconnected. Elements of the cells' dimension are cells;
 * those of one less are boundary elements, whose markers have the names of the boundary conditions
 * that list them, else of their sections. Elements of higher order keep their corners. Format:
 * CGNS/SIDS. */
#include "core/base/array.h"
#include "data/formats/cgns_library.h"
#include "data/formats/marker_groups.h"
#include "data/formats/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_GROWTH = 1032 }; /* of what HDF5 has compressed */

/* CGNS's element types: number of nodes, and ours. All have their corners first, in VTK's order. */
static const struct {
    tess_element_type type;
    int n_nodes; /* 0: not read */
} types[] = {[2] = {TESS_ELEMENT_POINT, 1},    [3] = {TESS_ELEMENT_LINE, 2},
             [4] = {TESS_ELEMENT_LINE, 3},     [5] = {TESS_ELEMENT_TRI, 3},
             [6] = {TESS_ELEMENT_TRI, 6},      [7] = {TESS_ELEMENT_QUAD, 4},
             [8] = {TESS_ELEMENT_QUAD, 8},     [9] = {TESS_ELEMENT_QUAD, 9},
             [10] = {TESS_ELEMENT_TET, 4},     [11] = {TESS_ELEMENT_TET, 10},
             [12] = {TESS_ELEMENT_PYRAMID, 5}, [13] = {TESS_ELEMENT_PYRAMID, 14},
             [14] = {TESS_ELEMENT_PRISM, 6},   [15] = {TESS_ELEMENT_PRISM, 15},
             [16] = {TESS_ELEMENT_PRISM, 18},  [17] = {TESS_ELEMENT_HEX, 8},
             [18] = {TESS_ELEMENT_HEX, 20},    [19] = {TESS_ELEMENT_HEX, 27},
             [21] = {TESS_ELEMENT_PYRAMID, 13}};
enum { N_TYPES = sizeof types / sizeof types[0] };

/* Elements first ... last of a zone have a boundary condition. */
typedef struct marked_range {
    int64_t first, last;
    int32_t group;
} marked_range;

typedef struct group_name {
    char text[CGNS_NAME_SIZE];
} group_name;

typedef struct cgns_file {
    const tess_file_text *text;
    tess_cgns library;
    int id, zone; /* of the library: the file, negative for none; the zone being read, from 1 */
    bool wide;    /* the library's sizes have 64 bits */
    int64_t n_zone_nodes, coordinates_capacity;
    int64_t n_groups, groups_capacity;
    group_name *groups; /* of sections and conditions, by the elements' `marker` */
    int64_t n_ranges, ranges_capacity;
    marked_range *ranges; /* of the zone, by `first` */
    tess_grouped grouped;
} cgns_file;

enum { BASE = 1 };

static tess_status cgns_fail(const cgns_file *file, const char *what, const char *name,
                             const char *words) {
    FAIL(TESS_ERROR_INPUT, "%s: zone %d, %s '%.32s': %s", file->text->path, file->zone, what, name,
         words);
}

static tess_status library_fail(const cgns_file *file, const char *what, const char *name) {
    return cgns_fail(file, what, name, file->library.error());
}

/* Number i of an array of the library's sizes. */
static int64_t size_at(const cgns_file *file, const void *sizes, int64_t i) {
    return file->wide ? ((const int64_t *)sizes)[i] : ((const int32_t *)sizes)[i];
}

/* One size as the library takes it. */
typedef union cgns_size {
    int64_t wide;
    int32_t narrow;
} cgns_size;

static cgns_size size_of(const cgns_file *file, int64_t value) {
    cgns_size size = {.wide = value};
    if (!file->wide)
        size.narrow = (int32_t)value;
    return size;
}

static tess_status add_group(cgns_file *file, const char *name, int32_t *group) {
    TRY(TESS_RESERVE(file->n_groups + 1, &file->groups_capacity, &file->groups));
    snprintf(file->groups[file->n_groups].text, CGNS_NAME_SIZE, "%s", name);
    *group = (int32_t)file->n_groups++;
    return TESS_OK;
}

/* Room for n of the library's sizes, where the file can hold so many. */
static tess_status sizes_alloc(const cgns_file *file, const char *what, const char *name, int64_t n,
                               char **sizes) {
    if (n < 0 || n / MOST_GROWTH > file->text->size)
        return cgns_fail(file, what, name, "it announces more than the file holds");
    return tess_array_zeros(n, file->wide ? 8 : 4, (void **)sizes);
}

/* Writes the content of a compressed file where the library can open it. Gives its path, the
 * caller's, who removes the file. */
static tess_status write_unpacked(const tess_file_text *text, char **path) {
    const char *folder = getenv("TMPDIR");
    char *name = NULL;
    TRY(tess_text_print(&name, "%s/tess-cgns-XXXXXX", folder && *folder ? folder : "/tmp"));
    const int fd = mkstemp(name);
    bool written = fd >= 0;
    for (int64_t done = 0; written && done < text->size;) {
        const ssize_t n = write(fd, text->content + done, (size_t)(text->size - done));
        written = n > 0;
        done += n;
    }
    const int reason = errno;
    if (fd >= 0 && close(fd) == 0 && !written)
        unlink(name);
    *path = name;
    if (!written)
        FAIL(TESS_ERROR_IO,
             "%s: %s cannot be written, which would hold what it decompresses to: %s", text->path,
             name, strerror(reason));
    return TESS_OK;
}

/* Opens the file, or what it decompresses to: the library reads from paths. */
static tess_status open_content(cgns_file *file) {
    tess_status status = TESS_OK;
    char *unpacked = NULL;
    if (file->text->packed)
        CHECK(write_unpacked(file->text, &unpacked));
    const bool failed =
        file->library.open(unpacked ? unpacked : file->text->path, 0, &file->id) != 0;
    if (unpacked)
        unlink(unpacked); /* what is open stays readable */
    if (failed) {
        file->id = -1;
        CHECK(tess_fail(TESS_ERROR_INPUT, "%s: offset 0: CGNS cannot open it: %s", file->text->path,
                        file->library.error()));
    }
done:
    free(unpacked);
    return status;
}

/* Reads name and number of nodes of an unstructured zone; how wide sizes are shows in what the
 * library leaves untouched. */
static tess_status read_zone_head(cgns_file *file, char name[CGNS_NAME_SIZE]) {
    const tess_cgns *library = &file->library;
    int type = 0;
    unsigned char sizes[9 * 8], untouched[8];
    memset(sizes, 0xA5, sizeof sizes);
    memset(untouched, 0xA5, sizeof untouched);
    if (library->zone(file->id, BASE, file->zone, name, sizes) != 0 ||
        library->zone_type(file->id, BASE, file->zone, &type) != 0)
        return library_fail(file, "zone", "");
    if (type != CGNS_UNSTRUCTURED)
        return cgns_fail(file, "zone", name,
                         "it is structured; unstructured zones are read (cgnsutil "
                         "converts: structured_to_unstructured)");
    file->wide = memcmp(sizes + 16, untouched, sizeof untouched) != 0;
    int64_t aligned[9];
    memcpy(aligned, sizes, sizeof sizes);
    file->n_zone_nodes = size_at(file, aligned, 0);
    if (file->n_zone_nodes < 1 || file->n_zone_nodes > INT32_MAX - file->grouped.n_nodes ||
        file->n_zone_nodes / MOST_GROWTH > file->text->size)
        return cgns_fail(file, "zone", name,
                         "its number of nodes is not in what the file can hold");
    return TESS_OK;
}

static tess_status read_coordinates(cgns_file *file) {
    static const char *const names[] = {"CoordinateX", "CoordinateY", "CoordinateZ"};
    tess_status status = TESS_OK;
    const int64_t n = file->n_zone_nodes;
    const int dimension = file->grouped.dimension;
    const cgns_size first = size_of(file, 1), last = size_of(file, n);
    double *x = NULL;
    CHECK(TESS_ZEROS(n, &x));
    CHECK(TESS_RESERVE((file->grouped.n_nodes + n) * dimension, &file->coordinates_capacity,
                       &file->grouped.coordinates));
    for (int axis = 0; axis < dimension; axis++) {
        if (file->library.coordinate(file->id, BASE, file->zone, names[axis], CGNS_REAL_DOUBLE,
                                     &first, &last, x) != 0)
            CHECK(library_fail(file, "coordinates", names[axis]));
        for (int64_t i = 0; i < n; i++) {
            if (!isfinite(x[i]))
                CHECK(cgns_fail(file, "coordinates", names[axis], "a value is not finite"));
            file->grouped.coordinates[(file->grouped.n_nodes + i) * dimension + axis] = x[i];
        }
    }
done:
    free(x);
    return status;
}

static tess_status append_range(cgns_file *file, int64_t first, int64_t last, int32_t group) {
    TRY(TESS_RESERVE(file->n_ranges + 1, &file->ranges_capacity, &file->ranges));
    file->ranges[file->n_ranges++] = (marked_range){first, last, group};
    return TESS_OK;
}

/* Keeps which elements a boundary condition lists; those that list nodes say nothing of elements.
 */
static tess_status read_condition(cgns_file *file, int condition) {
    tess_status status = TESS_OK;
    char name[CGNS_NAME_SIZE] = "", *points = NULL;
    int type = 0, kind = 0, normal_index[3], normal_type = 0, n_data = 0, place = 0;
    int32_t group = 0;
    cgns_size n_raw = {.wide = 0}, n_normals = {.wide = 0};
    if (file->library.condition(file->id, BASE, file->zone, condition, name, &type, &kind, &n_raw,
                                normal_index, &n_normals, &normal_type, &n_data) != 0)
        CHECK(library_fail(file, "boundary condition", name));
    const bool of_elements = kind == CGNS_ELEMENT_LIST || kind == CGNS_ELEMENT_RANGE;
    const bool is_range = kind == CGNS_POINT_RANGE || kind == CGNS_ELEMENT_RANGE;
    if (!of_elements &&
        (file->library.condition_place(file->id, BASE, file->zone, condition, &place) != 0 ||
         (place != CGNS_FACE_CENTRE && place != CGNS_EDGE_CENTRE)))
        return TESS_OK;
    const int64_t n = size_at(file, &n_raw, 0);
    CHECK(sizes_alloc(file, "boundary condition", name, n < 2 ? 2 : n, &points));
    if (file->library.condition_points(file->id, BASE, file->zone, condition, points, NULL) != 0)
        CHECK(library_fail(file, "boundary condition", name));
    CHECK(add_group(file, name, &group));
    if (is_range)
        CHECK(append_range(file, size_at(file, points, 0), size_at(file, points, 1), group));
    for (int64_t i = 0; i < n && !is_range; i++)
        CHECK(append_range(file, size_at(file, points, i), size_at(file, points, i), group));
done:
    free(points);
    return status;
}

static int compare_ranges(const void *left, const void *right) {
    const marked_range *a = left, *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

static tess_status read_conditions(cgns_file *file) {
    int n = 0;
    file->n_ranges = 0;
    if (file->library.n_conditions(file->id, BASE, file->zone, &n) != 0)
        return library_fail(file, "zone", "");
    for (int i = 1; i <= n; i++)
        TRY(read_condition(file, i));
    if (file->n_ranges)
        qsort(file->ranges, (size_t)file->n_ranges, sizeof *file->ranges, compare_ranges);
    return TESS_OK;
}

/* The group of element `number` of the zone: of its boundary condition, else of its section. */
static int32_t group_of(const cgns_file *file, int64_t number, int32_t of_section) {
    int64_t low = 0, high = file->n_ranges; /* the last that begins at or before it is low - 1 */
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (file->ranges[middle].first <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && file->ranges[low - 1].last >= number ? file->ranges[low - 1].group
                                                           : of_section;
}

/* A section: `n_values` sizes in `values`, a type before each element's nodes where it is mixed. */
typedef struct cgns_section {
    char name[CGNS_NAME_SIZE];
    int type;
    int64_t first, n, n_values;
    int32_t group;
    char *values; /* owned */
} cgns_section;

static tess_status append_element(cgns_file *file, const cgns_section *section, int64_t row,
                                  int64_t *at) {
    char words[96];
    int64_t type = section->type;
    if (type == CGNS_MIXED && *at < section->n_values)
        type = size_at(file, section->values, (*at)++);
    if (type < 0 || type >= N_TYPES || types[type].n_nodes == 0) {
        snprintf(words, sizeof words,
                 "element %" PRId64 " has the type %" PRId64 ", which is not "
                 "read",
                 section->first + row, type);
        return cgns_fail(file, "section", section->name, words);
    }
    const int arity = tess_element_kinds[types[type].type].arity, n_nodes = types[type].n_nodes;
    tess_element element = {.type = types[type].type,
                            .cut = n_nodes > arity,
                            .marker = group_of(file, section->first + row, section->group)};
    if (n_nodes > section->n_values - *at)
        return cgns_fail(file, "section", section->name, "it ends before its last element");
    for (int i = 0; i < n_nodes; i++) {
        const int64_t node = size_at(file, section->values, (*at)++);
        if (node < 1 || node > file->n_zone_nodes) {
            snprintf(words, sizeof words,
                     "element %" PRId64 " has the node %" PRId64 ", which is not "
                     "in 1..%" PRId64,
                     section->first + row, node, file->n_zone_nodes);
            return cgns_fail(file, "section", section->name, words);
        }
        if (i < arity)
            element.nodes[i] = (int32_t)(file->grouped.n_nodes + node - 1);
    }
    return tess_elements_append(&file->grouped.elements, &element, 1);
}

static tess_status read_section_head(cgns_file *file, int number, cgns_section *section) {
    cgns_size first = {.wide = 0}, last = {.wide = 0}, n_values = {.wide = 0};
    int n_boundary = 0, parents = 0;
    if (file->library.section(file->id, BASE, file->zone, number, section->name, &section->type,
                              &first, &last, &n_boundary, &parents) != 0 ||
        file->library.data_size(file->id, BASE, file->zone, number, &n_values) != 0)
        return library_fail(file, "section", section->name);
    section->first = size_at(file, &first, 0);
    section->n = size_at(file, &last, 0) - section->first + 1;
    section->n_values = size_at(file, &n_values, 0);
    if (section->type == CGNS_NGON || section->type == CGNS_NFACE)
        return cgns_fail(file, "section", section->name,
                         "polygons and polyhedra (NGON_n, NFACE_n) are not read");
    if (section->n < 1 || section->n > section->n_values)
        return cgns_fail(file, "section", section->name,
                         "its range of elements does not fit its data");
    return add_group(file, section->name, &section->group);
}

static tess_status read_section(cgns_file *file, int number) {
    tess_status status = TESS_OK;
    cgns_section section = {.values = NULL};
    char *offsets = NULL;
    int failed = 0;
    int64_t at = 0;
    CHECK(read_section_head(file, number, &section));
    CHECK(sizes_alloc(file, "section", section.name, section.n_values, &section.values));
    if (section.type == CGNS_MIXED) {
        CHECK(sizes_alloc(file, "section", section.name, section.n + 1, &offsets));
        failed = file->library.poly_elements(file->id, BASE, file->zone, number, section.values,
                                             offsets, NULL);
    } else {
        failed = file->library.elements(file->id, BASE, file->zone, number, section.values, NULL);
    }
    if (failed)
        CHECK(library_fail(file, "section", section.name));
    for (int64_t row = 0; row < section.n; row++)
        CHECK(append_element(file, &section, row, &at));
done:
    free(section.values);
    free(offsets);
    return status;
}

static tess_status read_zone(cgns_file *file) {
    char name[CGNS_NAME_SIZE] = "";
    int n = 0;
    TRY(read_zone_head(file, name));
    TRY(read_coordinates(file));
    TRY(read_conditions(file));
    if (file->library.n_sections(file->id, BASE, file->zone, &n) != 0)
        return library_fail(file, "zone", name);
    for (int section = 1; section <= n; section++)
        TRY(read_section(file, section));
    file->grouped.n_nodes += file->n_zone_nodes;
    return TESS_OK;
}

static tess_status read_base(cgns_file *file) {
    char name[CGNS_NAME_SIZE] = "";
    int cell_dimension = 0, n_bases = 0, n_zones = 0;
    if (file->library.n_bases(file->id, &n_bases) != 0 || n_bases < 1 ||
        file->library.base(file->id, BASE, name, &cell_dimension, &file->grouped.dimension) != 0 ||
        file->library.n_zones(file->id, BASE, &n_zones) != 0)
        return library_fail(file, "base", name);
    if (file->grouped.dimension != 2 && file->grouped.dimension != 3)
        return cgns_fail(file, "base", name, "it has neither 2 nor 3 dimensions");
    for (file->zone = 1; file->zone <= n_zones; file->zone++)
        TRY(read_zone(file));
    if (tess_elements_dimension(&file->grouped.elements) <
        (cell_dimension > 2 ? cell_dimension : 2))
        return cgns_fail(file, "base", name, "it has no cells");
    return TESS_OK;
}

static void name_group(const void *context, int32_t group, char *text, size_t size) {
    const cgns_file *file = context;
    snprintf(text, size, "%s", file->groups[group].text);
}

static tess_status cgns_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    cgns_file file = {.text = text, .id = -1, .grouped = {.name = name_group, .context = &file}};
    CHECK(tess_cgns_load(text->path, &file.library));
    CHECK(open_content(&file));
    CHECK(read_base(&file));
    CHECK(tess_marker_groups_mesh(text->path, &file.grouped, out));
done:
    if (file.id >= 0)
        file.library.close(file.id);
    free(file.groups);
    free(file.ranges);
    tess_grouped_clear(&file.grouped);
    return status;
}

/* True for HDF5 with CGNS's root in its first bytes, and for ADF. */
static bool cgns_recognise(const tess_file_text *text) {
    const size_t size = (size_t)text->size;
    if (size >= 32 && memcmp(text->content, "\x89HDF\r\n\x1a\n", 8) == 0)
        return memmem(text->content, size, "CGNSLibraryVersion", 18) != NULL;
    return size >= 32 && memmem(text->content, 32, "ADF Database Version", 20) != NULL;
}

const tess_reader tess_reader_cgns = {.name = "cgns",
                                      .summary =
                                          "CGNS: unstructured zones (libcgns opened when needed)",
                                      .extensions = ".cgns",
                                      .recognise = cgns_recognise,
                                      .read = cgns_read};

/* CGNS: the zones of a base of a CGNS file, ADF or HDF5: of the first, or that which is asked for.
 *
 * Zones lie one behind the other; structured ones are joined by their 1-to-1 interfaces
 * (cgns_interfaces.h), others stay unconnected. Elements of the cells' dimension are cells;
 * those of one less are boundary elements, whose markers have the names of the boundary conditions
 * that list them, else of their sections. Conditions that list nodes mark the sides at the boundary
 * all of whose nodes they list. Sections of cells are regions, and so are structured zones.
 * Elements of higher order keep their corners. Polygons and polyhedra: cgns_faces.h; structured
 * zones: cgns_block.h. Format: CGNS/SIDS. */
#include "core/base/array.h"
#include "core/base/progress.h"
#include "data/formats/cgns/cgns_links.h"
#include "data/formats/cgns/cgns_types.h"
#include "data/formats/hdf_content.h"
#include "data/formats/probe_in_child.h"
#include "data/formats/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
enum { N_TYPES = sizeof types / sizeof types[0], AT_ONCE = 1 << 16 /* nodes, values */ };

int tess_cgns_number_of(tess_element_type type) {
    int number = 0;
    while (types[number].type != type || types[number].n_nodes != tess_element_kinds[type].arity)
        number++;
    return number;
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

/* A file that the library is to open. */
typedef struct cgns_path {
    const tess_cgns_file *file;
    const char *path; /* where it lies, or what it decompresses to */
} cgns_path;

static tess_status open_path(const cgns_path *at, int *id) {
    const tess_cgns *library = &at->file->library;
    if (library->open(at->path, 0, id) != 0)
        FAIL(TESS_ERROR_INPUT, "%s: offset 0: CGNS cannot open it: %s", at->file->text->path,
             library->error());
    return TESS_OK;
}

/* All that looks through what may be damaged, in a process of its own. */
static tess_status probe_in_child(const void *context) {
    const cgns_path *at = context;
    int id = -1; /* the process ends with it open */
    TRY(tess_cgns_types_check(at->file->text));
    return open_path(at, &id);
}

/* Opens the file, or what it decompresses to: the library reads from paths. */
static tess_status open_content(tess_cgns_file *file) {
    tess_status status = TESS_OK;
    const tess_file_text *text = file->text;
    char *unpacked = NULL;
    int id = -1;
    if (text->packed)
        CHECK(write_unpacked(text, &unpacked));
    const cgns_path at = {.file = file, .path = unpacked ? unpacked : text->path};
    CHECK(tess_probe_in_child(text->path, "CGNS", probe_in_child, &at));
    CHECK(open_path(&at, &id));
    file->id = id;
done:
    if (unpacked)
        unlink(unpacked); /* what is open stays readable */
    free(unpacked);
    return status;
}

/* A zone of either kind. */
typedef struct cgns_zone {
    bool structured;
    tess_cgns_block block; /* where it is structured; else its first size is that of the nodes */
} cgns_zone;

/* Reads the zone's name and sizes; how wide sizes are shows in what the library leaves untouched.
 */
static tess_status read_zone_head(tess_cgns_file *file, cgns_zone *zone) {
    const tess_cgns *library = &file->library;
    int type = 0;
    unsigned char sizes[9 * 8], untouched[8];
    int64_t aligned[9];
    memset(sizes, 0xA5, sizeof sizes);
    memset(untouched, 0xA5, sizeof untouched);
    if (library->zone(file->id, file->base, file->zone, file->zone_name, sizes) != 0 ||
        library->zone_type(file->id, file->base, file->zone, &type) != 0)
        return tess_cgns_library_fail(file, "zone", "");
    zone->structured = type == CGNS_STRUCTURED;
    if (!zone->structured && type != CGNS_UNSTRUCTURED)
        return tess_cgns_fail(file, "zone", file->zone_name, "it is neither structured nor not");
    zone->block = (tess_cgns_block){.dimension = zone->structured ? file->cell_dimension : 1,
                                    .size = {1, 1, 1}};
    const int narrow_bytes = 3 * 4 * zone->block.dimension; /* nodes, cells, boundary nodes */
    file->wide = memcmp(sizes + narrow_bytes, untouched, sizeof untouched / 2) != 0;
    memcpy(aligned, sizes, sizeof sizes);
    file->n_zone_nodes = 1;
    for (int axis = 0; axis < zone->block.dimension; axis++) {
        const int64_t size = tess_cgns_size_at(file, aligned, axis);
        zone->block.size[axis] = size;
        if (size < 1 || size > (INT32_MAX - file->grouped.n_nodes) / file->n_zone_nodes ||
            size * file->n_zone_nodes / CGNS_MOST_GROWTH > file->text->size)
            return tess_cgns_fail(file, "zone", file->zone_name,
                                  "its number of nodes is not in what the file can hold");
        file->n_zone_nodes *= size;
    }
    return TESS_OK;
}

/* A coordinate of the nodes from plane `first` to `last` of the zone's last axis, from 1. */
typedef struct coordinate_part {
    const char *name;
    int axis;
    int64_t first, last;
} coordinate_part;

static tess_status read_part(tess_cgns_file *file, const tess_cgns_block *block,
                             const coordinate_part *part, double *x) {
    const int last = block->dimension - 1, dimension = file->grouped.dimension;
    const int64_t plane = file->n_zone_nodes / block->size[last];
    int64_t from[3] = {1, 1, 1}, to[3] = {block->size[0], block->size[1], block->size[2]};
    from[last] = part->first;
    to[last] = part->last;
    const tess_cgns_sizes first_node = tess_cgns_sizes_of(file, from);
    const tess_cgns_sizes last_node = tess_cgns_sizes_of(file, to);
    double *into = file->grouped.coordinates + part->axis +
                   (file->grouped.n_nodes + (part->first - 1) * plane) * dimension;
    if (file->library.coordinate(file->id, file->base, file->zone, part->name, CGNS_REAL_DOUBLE,
                                 &first_node, &last_node, x) != 0)
        return tess_cgns_library_fail(file, "coordinates", part->name);
    for (int64_t i = 0; i < (part->last - part->first + 1) * plane; i++) {
        if (!isfinite(x[i]))
            return tess_cgns_fail(file, "coordinates", part->name, "a value is not finite");
        into[i * dimension] = x[i];
    }
    return TESS_OK;
}

/* Reads the coordinates, of some planes of nodes at once. */
static tess_status read_coordinates(tess_cgns_file *file, const tess_cgns_block *block) {
    static const char *const names[] = {"CoordinateX", "CoordinateY", "CoordinateZ"};
    tess_status status = TESS_OK;
    const int64_t n = file->n_zone_nodes, n_planes = block->size[block->dimension - 1];
    const int64_t plane = n / n_planes, at_once = plane < AT_ONCE ? AT_ONCE / plane : 1;
    const int dimension = file->grouped.dimension;
    double *x = NULL;
    CHECK(TESS_ZEROS(plane * at_once, &x));
    CHECK(TESS_RESERVE((file->grouped.n_nodes + n) * dimension, &file->coordinates_capacity,
                       &file->grouped.coordinates));
    for (int axis = 0; axis < dimension; axis++)
        for (int64_t first = 1; first <= n_planes; first += at_once) {
            const int64_t last = first + at_once - 1;
            CHECK(read_part(file, block,
                            &(coordinate_part){.name = names[axis],
                                               .axis = axis,
                                               .first = first,
                                               .last = last < n_planes ? last : n_planes},
                            x));
        }
done:
    free(x);
    return status;
}

/* Some values of a section, from the first of an element on. */
typedef struct some_values {
    const int64_t *value;
    int64_t at, n;
} some_values;

/* Appends element `number` of the zone: a side once for each of its boundary conditions. */
static tess_status append_with_groups(tess_cgns_file *file, int64_t number, tess_element *element) {
    int64_t at = -1;
    if (tess_element_kinds[element->type].dimension == file->cell_dimension)
        return tess_elements_append(&file->grouped.elements, element, 1);
    const int32_t otherwise = element->marker;
    int32_t group = tess_cgns_next_group(file, number, otherwise, &at);
    for (; group >= 0; group = tess_cgns_next_group(file, number, otherwise, &at)) {
        element->marker = group;
        TRY(tess_elements_append(&file->grouped.elements, element, 1));
        element->cut = false; /* it counts once */
    }
    return TESS_OK;
}

static tess_status append_element(tess_cgns_file *file, const tess_cgns_section *section,
                                  int64_t row, some_values *values) {
    int64_t type = section->type;
    if (type == CGNS_MIXED && values->at < values->n)
        type = values->value[values->at++];
    if (type < 0 || type >= N_TYPES || types[type].n_nodes == 0)
        return tess_cgns_fail(file, "section", section->name,
                              "element %" PRId64 " has the type %" PRId64 ", which is not read",
                              section->first + row, type);
    const int arity = tess_element_kinds[types[type].type].arity, n_nodes = types[type].n_nodes;
    tess_element element = {
        .type = types[type].type, .cut = n_nodes > arity, .marker = section->group};
    if (n_nodes > values->n - values->at)
        return tess_cgns_fail(file, "section", section->name, "it ends before its last element");
    for (int i = 0; i < n_nodes; i++) {
        const int64_t node = values->value[values->at++];
        if (node < 1 || node > file->n_zone_nodes)
            return tess_cgns_fail(file, "section", section->name,
                                  "element %" PRId64 " has the node %" PRId64
                                  ", which is not in 1..%" PRId64,
                                  section->first + row, node, file->n_zone_nodes);
        if (i < arity)
            element.nodes[i] = (int32_t)(file->grouped.n_nodes + node - 1);
    }
    return append_with_groups(file, section->first + row, &element);
}

/* Reads the values behind those that were used. */
static tess_status refill(tess_cgns_values *from, int64_t *next, int64_t *value,
                          some_values *values) {
    const int64_t kept = values->n - values->at, left = from->n - *next;
    const int64_t n = left < AT_ONCE - kept ? left : AT_ONCE - kept;
    memmove(value, value + values->at, (size_t)kept * sizeof *value);
    TRY(tess_cgns_values_read(from, 0, *next, n, value + kept));
    *next += n;
    *values = (some_values){.value = value, .n = kept + n};
    return TESS_OK;
}

/* Appends a section of elements of several types, the type before the nodes of each. */
static tess_status append_mixed(tess_cgns_file *file, const tess_cgns_section *section) {
    enum { MOST_VALUES = 32 /* of an element */ };
    tess_status status = TESS_OK;
    const tess_cgns_array array = tess_cgns_section_array(section, "ElementConnectivity");
    tess_cgns_values from;
    some_values values = {.n = 0};
    int64_t next = 0, *value = NULL;
    CHECK(tess_cgns_values_open(file, &array, &from));
    CHECK(TESS_ALLOC(AT_ONCE, &value));
    for (int64_t row = 0; row < section->n; row++) {
        if (values.n - values.at < MOST_VALUES && next < from.n) {
            tess_progress_set(row, section->n, NULL);
            CHECK(refill(&from, &next, value, &values));
        }
        CHECK(append_element(file, section, row, &values));
    }
done:
    free(value);
    tess_cgns_values_close(&from);
    return status;
}

/* Appends n elements of a section of one type from `first` on. */
static tess_status append_part(tess_cgns_file *file, tess_cgns_section *section, int64_t first,
                               int64_t n, int64_t *value) {
    const int n_nodes = types[section->type].n_nodes;
    some_values values = {.value = value, .n = n * n_nodes};
    TRY(tess_cgns_section_read_part(file, section, first, n, n_nodes));
    for (int64_t i = 0; i < values.n; i++)
        value[i] = tess_cgns_size_at(file, section->values, i);
    tess_progress_set(first, section->n, NULL);
    for (int64_t row = first; row < first + n; row++)
        TRY(append_element(file, section, row, &values));
    return TESS_OK;
}

/* Appends a section of elements of one type, of which some are read at once. */
static tess_status append_equal(tess_cgns_file *file, tess_cgns_section *section) {
    enum { SOME = 1 << 13 }; /* elements */
    tess_status status = TESS_OK;
    const int type = section->type;
    const int n_nodes = type >= 0 && type < N_TYPES ? types[type].n_nodes : 0;
    int64_t *value = NULL;
    if (n_nodes == 0)
        return append_element(file, section, 0,
                              &(some_values){.n = 0}); /* says that it is not read */
    if (section->n > section->n_values / n_nodes)
        return tess_cgns_fail(file, "section", section->name, "it ends before its last element");
    TRY(TESS_ALLOC(SOME * n_nodes, &value));
    for (int64_t first = 0; first < section->n; first += SOME)
        CHECK(append_part(file, section, first,
                          section->n - first < SOME ? section->n - first : SOME, value));
done:
    free(value);
    return status;
}

/* Whether a section is of one type of elements, which are cells. */
static bool is_of_cells(const tess_cgns_file *file, const tess_cgns_section *section) {
    const int type = section->type;
    return type >= 0 && type < N_TYPES && types[type].n_nodes &&
           tess_element_kinds[types[type].type].dimension == file->cell_dimension;
}

/* Reads a section of elements of fixed numbers of nodes; others are passed over. */
static tess_status read_section(tess_cgns_file *file, int number) {
    tess_status status = TESS_OK;
    tess_cgns_section section = {.n = 0};
    CHECK(tess_cgns_section_open(file, number, &section));
    if (section.type == CGNS_NGON || section.type == CGNS_NFACE)
        goto done;
    CHECK(tess_cgns_add_section_group(file, &section, is_of_cells(file, &section)));
    CHECK(section.type == CGNS_MIXED ? append_mixed(file, &section) : append_equal(file, &section));
done:
    tess_cgns_section_clear(&section);
    return status;
}

static tess_status read_sections(tess_cgns_file *file, tess_cgns_faces *faces) {
    int n = 0;
    TRY(tess_cgns_conditions_read(file));
    if (file->library.n_sections(file->id, file->base, file->zone, &n) != 0)
        return tess_cgns_library_fail(file, "zone", file->zone_name);
    for (int section = 1; section <= n; section++)
        TRY(read_section(file, section));
    return tess_cgns_faces_read(file, n, faces);
}

/* What zones have beside elements of a fixed number of nodes. */
typedef struct cgns_parts {
    tess_cgns_faces faces;
    tess_cgns_interfaces interfaces;
} cgns_parts;

static tess_status read_zone(tess_cgns_file *file, cgns_parts *parts) {
    cgns_zone zone = {.structured = false};
    TRY(read_zone_head(file, &zone));
    TRY(read_coordinates(file, &zone.block));
    TRY(zone.structured ? tess_cgns_block_read(file, &zone.block)
                        : read_sections(file, &parts->faces));
    TRY(tess_cgns_interfaces_read(file, &zone.block, zone.structured, &parts->interfaces));
    file->grouped.n_nodes += file->n_zone_nodes;
    int n_links = 0;
    if (file->library.n_links(file->id, file->base, file->zone, &n_links) != 0)
        return tess_cgns_library_fail(file, "zone", file->zone_name);
    file->n_links += n_links;
    return TESS_OK;
}

/* Finds the base that is asked for, or takes the first. */
static tess_status find_base(tess_cgns_file *file) {
    const char *wanted = file->text->reading ? file->text->reading->base : NULL;
    char name[CGNS_NAME_SIZE] = "";
    int dimensions[2];
    if (file->library.n_bases(file->id, &file->n_bases) != 0 || file->n_bases < 1)
        return tess_cgns_library_fail(file, "base", name);
    for (int base = 1; base <= file->n_bases; base++) {
        if (file->library.base(file->id, base, name, &dimensions[0], &dimensions[1]) != 0)
            return tess_cgns_library_fail(file, "base", name);
        if (!file->base && (!wanted || strcmp(wanted, name) == 0)) {
            file->base = base;
            snprintf(file->base_name, sizeof file->base_name, "%s", name);
            file->cell_dimension = dimensions[0];
            file->grouped.dimension = dimensions[1];
        } else {
            tess_name_counts_add(&file->bases, name, 0);
        }
    }
    if (!file->base)
        FAIL(TESS_ERROR_USAGE, "%s: there is no base '%s'; there are %s", file->text->path, wanted,
             tess_name_counts_text(&file->bases));
    return TESS_OK;
}

/* True for the name of a condition or a section. */
static bool is_named(const tess_cgns_file *file, const char *name) {
    for (int64_t group = 1; group < file->n_groups; group++)
        if (strcmp(file->groups[group].name, name) == 0)
            return true;
    return false;
}

/* Keeps the names of the families, which conditions and zones may belong to, that name nothing. */
static tess_status read_families(tess_cgns_file *file) {
    int n = 0, n_conditions = 0, n_shapes = 0;
    char name[CGNS_NAME_SIZE] = "";
    if (file->library.n_families(file->id, file->base, &n) != 0)
        return tess_cgns_library_fail(file, "base", file->base_name);
    for (int family = 1; family <= n; family++) {
        if (file->library.family(file->id, file->base, family, name, &n_conditions, &n_shapes) != 0)
            return tess_cgns_library_fail(file, "family", name);
        if (!is_named(file, name))
            tess_name_counts_add(&file->families, name, 0);
    }
    return TESS_OK;
}

static tess_status read_base(tess_cgns_file *file, cgns_parts *parts) {
    const char *name = file->base_name;
    TRY(find_base(file));
    if (file->library.n_zones(file->id, file->base, &file->n_zones) != 0)
        return tess_cgns_library_fail(file, "base", name);
    const int n_zones = file->n_zones;
    if (file->grouped.dimension != 2 && file->grouped.dimension != 3)
        return tess_cgns_fail(file, "base", name, "it has neither 2 nor 3 dimensions");
    if (file->cell_dimension < 2 || file->cell_dimension > file->grouped.dimension)
        return tess_cgns_fail(file, "base", name, "its cells have %d dimensions",
                              file->cell_dimension);
    for (file->zone = 1; file->zone <= n_zones; file->zone++)
        TRY(read_zone(file, parts));
    TRY(read_families(file));
    if (tess_elements_dimension(&file->grouped.elements) < file->cell_dimension &&
        !parts->faces.rings.n)
        return tess_cgns_fail(file, "base", name, "it has no cells");
    TRY(tess_cgns_vertices_mark(file, &(tess_vertex_polygons){.dimension = file->cell_dimension,
                                                              .rings = &parts->faces.rings,
                                                              .beyond = parts->faces.right}));
    if (parts->interfaces.linked.joins)
        TRY(tess_cgns_links_read(file, &parts->interfaces));
    return tess_cgns_interfaces_join(file, &parts->interfaces, &parts->faces);
}

static int32_t name_group(const void *context, tess_group_of of, int32_t group, char *text,
                          size_t size) {
    const tess_cgns_file *file = context;
    text[0] = '\0';
    if (group > 0)
        snprintf(text, size, "%s", file->groups[group].name);
    else if (of == TESS_GROUP_OF_SIDES)
        snprintf(text, size, "unmarked");
    return 0;
}

static tess_status cgns_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_cgns_file file = {
        .text = text, .id = -1, .grouped = {.name = name_group, .context = &file}};
    cgns_parts parts = {.interfaces = {.linked = tess_periodic_of(text)}};
    tess_mesh *mesh = NULL;
    CHECK(tess_cgns_load(text->path, &file.library));
    CHECK(open_content(&file));
    CHECK(read_base(&file, &parts));
    CHECK(parts.faces.rings.n ? tess_cgns_faces_mesh(&file, &parts.faces, &mesh)
                              : tess_marker_groups_mesh(text->path, &file.grouped, &mesh));
    if (parts.interfaces.n_structured)
        CHECK(tess_mesh_tie(mesh, "structured zones, whose numbers are positions in a box"));
    CHECK(tess_cgns_interfaces_warn(&parts.interfaces, file.n_links, mesh));
    CHECK(tess_cgns_warn_of_lost(&file, mesh));
    *out = TESS_TAKE(mesh);
done:
    tess_mesh_free(mesh);
    tess_cgns_faces_clear(&parts.faces);
    tess_cgns_interfaces_clear(&parts.interfaces);
    tess_cgns_file_clear(&file);
    return status;
}

/* True for HDF5 with CGNS's root in its first bytes, and for ADF. */
static bool cgns_recognise(const tess_file_text *text) {
    const size_t size = (size_t)text->size;
    if (size >= 32 && tess_hdf_is_content(text))
        return tess_file_text_holds(text, "CGNSLibraryVersion");
    return size >= 32 && memmem(text->content, 32, "ADF Database Version", 20) != NULL;
}

const tess_reader tess_reader_cgns = {.name = "cgns",
                                      .summary =
                                          "CGNS: zones of any kind, polygons and polyhedra, too "
                                          "(libcgns opened when needed)",
                                      .extensions = ".cgns",
                                      .has_bases = true,
                                      .has_periods = true,
                                      .recognise = cgns_recognise,
                                      .read = cgns_read};

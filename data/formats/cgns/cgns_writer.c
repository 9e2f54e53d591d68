/* Writes CGNS: one zone, a section of cells for each region, and for each marker a section of sides
 * with the boundary condition that lists it, by the CGNS library. */
#include "core/base/array.h"
#include "data/formats/cell_groups.h"
#include "data/formats/cgns/cgns_section.h"
#include "data/formats/elements.h"
#include "data/formats/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct cgns_name {
    char text[CGNS_NAME_SIZE];
} cgns_name;

/* What is written. */
typedef struct cgns_output {
    tess_cgns library;
    int id, base, zone; /* `id` negative: the file is not open */
    bool wide;          /* the library's sizes have 64 bits */
    const tess_mesh *mesh;
    const tess_cells *cells;
    const tess_marked *marked;
    tess_cell_groups groups;
    int64_t n_elements; /* that are written */
    int n_names;
    cgns_name *names; /* of the sections that are written; owned */
} cgns_output;

static tess_status check(const cgns_output *out, const char *what, int code) {
    return code == 0 ? TESS_OK
                     : tess_fail(TESS_ERROR_IO, "%s: CGNS cannot write %s: %s", out->mesh->source,
                                 what, out->library.error());
}

/* An array of the library's sizes, being filled. */
typedef struct size_array {
    bool wide;
    int64_t n;
    void *values; /* owned */
} size_array;

static tess_status sizes_open(const cgns_output *out, int64_t n, size_array *sizes) {
    *sizes = (size_array){.wide = out->wide};
    return tess_array_alloc(n, out->wide ? sizeof(int64_t) : sizeof(int32_t), &sizes->values);
}

static void sizes_add(size_array *sizes, int64_t value) {
    if (sizes->wide)
        ((int64_t *)sizes->values)[sizes->n++] = value;
    else
        ((int32_t *)sizes->values)[sizes->n++] = (int32_t)value;
}

/* --- the file --------------------------------------------------------------------------------- */

static tess_status write_zone(cgns_output *out, const char *path) {
    const int64_t wide[3] = {out->cells->n_nodes, out->cells->n_cells, 0};
    const int32_t narrow[3] = {(int32_t)wide[0], (int32_t)wide[1], 0};
    TRY(check(out, path, out->library.open(path, CGNS_WRITE, &out->id)));
    TRY(check(out, "its base",
              out->library.write_base(out->id, "Base", out->cells->dimension, out->mesh->dimension,
                                      &out->base)));
    return check(out, "its zone",
                 out->library.write_zone(out->id, out->base, "Zone1",
                                         out->wide ? (const void *)wide : narrow, CGNS_UNSTRUCTURED,
                                         &out->zone));
}

static tess_status close_file(cgns_output *out) {
    const int id = out->id;
    out->id = -1;
    return check(out, "its end", out->library.close(id));
}

/* Begins the file: once more with sizes of 32 bits where those of the zone were written so. */
static tess_status begin_file(cgns_output *out, const char *path) {
    int tree = 0;
    double root = 0, node = 0;
    char type[3] = "";
    out->wide = true;
    TRY(write_zone(out, path));
    TRY(check(out, "its zone", out->library.tree(out->id, &tree)));
    TRY(check(out, "its zone", out->library.root(out->id, &root)));
    TRY(check(out, "its zone", out->library.node(tree, root, "/Base/Zone1", &node)));
    TRY(check(out, "its zone", out->library.data_type(tree, node, type)));
    if (strcmp(type, "I8") == 0)
        return TESS_OK;
    out->wide = false;
    TRY(close_file(out));
    return write_zone(out, path);
}

static tess_status write_nodes(const cgns_output *out) {
    static const char *const names[] = {"CoordinateX", "CoordinateY", "CoordinateZ"};
    const int dimension = out->mesh->dimension;
    double *x = NULL;
    tess_status status = TESS_OK;
    CHECK(TESS_ALLOC(out->cells->n_nodes, &x));
    for (int axis = 0; axis < dimension; axis++) {
        int coordinate = 0;
        for (int64_t i = 0; i < out->cells->n_nodes; i++)
            x[i] = out->mesh->coordinates[i * dimension + axis];
        CHECK(check(out, names[axis],
                    out->library.write_coordinate(out->id, out->base, out->zone, CGNS_REAL_DOUBLE,
                                                  names[axis], x, &coordinate)));
    }
done:
    free(x);
    return status;
}

/* --- sections --------------------------------------------------------------------------------- */

/* A name that no section has yet, of these letters and what tells it apart. */
static cgns_name name_section(cgns_output *out, const char *wanted) {
    cgns_name name;
    snprintf(name.text, sizeof name.text, "%s", wanted);
    for (int i = 0, number = 2; i < out->n_names; i++)
        if (strcmp(out->names[i].text, name.text) == 0) {
            const int end = snprintf(NULL, 0, "_%d", number);
            snprintf(name.text, sizeof name.text, "%.*s_%d", CGNS_NAME_SIZE - 1 - end, wanted,
                     number++);
            i = -1;
        }
    out->names[out->n_names++] = name;
    return name;
}

/* Elements that become a section. */
typedef struct cgns_section {
    const char *name;
    bool is_mixed;
    int64_t n, n_nodes; /* of all together */
    tess_element_type type;
    size_array elements, offsets; /* the second of mixed ones; owned */
} cgns_section;

static tess_status section_open(const cgns_output *out, cgns_section *section) {
    TRY(sizes_open(out, section->n_nodes + (section->is_mixed ? section->n : 0),
                   &section->elements));
    TRY(sizes_open(out, section->n + 1, &section->offsets));
    sizes_add(&section->offsets, 0);
    return TESS_OK;
}

static void section_add(cgns_section *section, tess_element_type type, const int32_t *nodes) {
    if (section->is_mixed)
        sizes_add(&section->elements, tess_cgns_number_of(type));
    section->type = type;
    for (int k = 0; k < tess_element_kinds[type].arity; k++)
        sizes_add(&section->elements, nodes[k] + 1);
    sizes_add(&section->offsets, section->elements.n);
}

static tess_status section_write(cgns_output *out, const cgns_section *section) {
    const cgns_name name = name_section(out, section->name);
    const int64_t first = out->n_elements + 1, last = out->n_elements + section->n;
    int number = 0;
    out->n_elements = last;
    return check(out, name.text,
                 section->is_mixed
                     ? out->library.write_mixed_section(
                           out->id, out->base, out->zone, name.text, CGNS_MIXED, first, last, 0,
                           section->elements.values, section->offsets.values, &number)
                     : out->library.write_section(out->id, out->base, out->zone, name.text,
                                                  tess_cgns_number_of(section->type), first, last,
                                                  0, section->elements.values, &number));
}

static void section_close(cgns_section *section) {
    free(section->elements.values);
    free(section->offsets.values);
}

static tess_status write_cells(cgns_output *out, const tess_cell_group *group) {
    tess_status status = TESS_OK;
    const tess_cell_type *type = NULL;
    cgns_section section = {.name = group->region < 0 ? "Elements"
                                                      : out->marked->region_names[group->region],
                            .is_mixed = !group->type,
                            .n = group->n};
    for (int64_t i = group->first; i < group->first + group->n; i++) {
        tess_cell_nodes(out->cells, out->groups.cell[i], &type);
        section.n_nodes += type->n_nodes;
    }
    CHECK(section_open(out, &section));
    for (int64_t i = group->first; i < group->first + group->n; i++) {
        const int32_t *nodes = tess_cell_nodes(out->cells, out->groups.cell[i], &type);
        section_add(&section, (tess_element_type)(TESS_ELEMENT_TRI + (type - tess_cell_types)),
                    nodes);
    }
    CHECK(section_write(out, &section));
done:
    section_close(&section);
    return status;
}

static tess_element_type type_of_side(const int32_t nodes[4]) {
    const int n = tess_marked_size(nodes);
    return n == 2 ? TESS_ELEMENT_LINE : n == 3 ? TESS_ELEMENT_TRI : TESS_ELEMENT_QUAD;
}

/* The condition of elements first ... last. */
static tess_status write_condition(const cgns_output *out, const char *name, int64_t first,
                                   int64_t last) {
    int condition = 0;
    size_array range;
    TRY(sizes_open(out, 2, &range));
    sizes_add(&range, first);
    sizes_add(&range, last);
    tess_status status =
        check(out, name,
              out->library.write_condition(out->id, out->base, out->zone, name, CGNS_USER_DEFINED,
                                           CGNS_POINT_RANGE, 2, range.values, &condition));
    free(range.values);
    if (status == TESS_OK)
        status = check(out, name,
                       out->library.write_condition_position(
                           out->id, out->base, out->zone, condition,
                           out->cells->dimension == 2 ? CGNS_EDGE_CENTRE : CGNS_FACE_CENTRE));
    return status;
}

/* Writes the sides of a marker, which may have none, and its condition. */
static tess_status write_sides(cgns_output *out, int marker) {
    tess_status status = TESS_OK;
    const tess_marked *marked = out->marked;
    cgns_section section = {.name = marked->names[marker]};
    for (int64_t i = 0; i < marked->n; i++) {
        if (marked->marker[i] != marker)
            continue;
        const tess_element_type type = type_of_side(marked->nodes + 4 * i);
        section.is_mixed = section.is_mixed || (section.n && section.type != type);
        section.type = type;
        section.n_nodes += tess_marked_size(marked->nodes + 4 * i);
        section.n++;
    }
    if (section.n == 0)
        return TESS_OK;
    const int64_t first = out->n_elements + 1;
    CHECK(section_open(out, &section));
    for (int64_t i = 0; i < marked->n; i++)
        if (marked->marker[i] == marker)
            section_add(&section, type_of_side(marked->nodes + 4 * i), marked->nodes + 4 * i);
    CHECK(section_write(out, &section));
    CHECK(write_condition(out, marked->names[marker], first, out->n_elements));
done:
    section_close(&section);
    return status;
}

static tess_status write_all(cgns_output *out, const char *path) {
    TRY(begin_file(out, path));
    TRY(write_nodes(out));
    for (int g = 0; g < out->groups.n; g++)
        TRY(write_cells(out, &out->groups.groups[g]));
    for (int m = 0; m < out->marked->n_markers; m++)
        TRY(write_sides(out, m));
    return close_file(out);
}

/* --- the stream ------------------------------------------------------------------------------- */

/* A file that the library can write; the caller removes it and frees its path. */
static tess_status make_file(char **path) {
    const char *folder = getenv("TMPDIR");
    TRY(tess_text_print(path, "%s/tess-cgns-XXXXXX", folder && *folder ? folder : "/tmp"));
    const int file = mkstemp(*path);
    if (file < 0) {
        const int reason = errno;
        FAIL(TESS_ERROR_IO, "%s cannot be made, which CGNS would write to: %s", *path,
             strerror(reason));
    }
    close(file);
    return TESS_OK;
}

static tess_status copy_file(const char *path, FILE *stream) {
    char bytes[BUFSIZ];
    FILE *from = fopen(path, "r");
    if (!from)
        FAIL(TESS_ERROR_IO, "%s, which CGNS wrote, cannot be read: %s", path, strerror(errno));
    for (size_t n = 1; n > 0;) {
        n = fread(bytes, 1, sizeof bytes, from);
        fwrite(bytes, 1, n, stream);
    }
    const bool is_whole = !ferror(from);
    fclose(from);
    return is_whole ? TESS_OK
                    : tess_fail(TESS_ERROR_IO, "%s, which CGNS wrote, cannot be read", path);
}

static tess_status cgns_write(tess_mesh *mesh, const tess_cells *cells, const tess_marked *marked,
                              FILE *stream) {
    tess_status status = TESS_OK;
    char *path = NULL;
    cgns_output out = {.id = -1, .mesh = mesh, .cells = cells, .marked = marked};
    CHECK(tess_cgns_load(mesh->source, &out.library));
    CHECK(tess_cell_groups_build(cells, marked, false, &out.groups));
    CHECK(TESS_ALLOC(out.groups.n + marked->n_markers, &out.names));
    CHECK(make_file(&path));
    CHECK(write_all(&out, path));
    CHECK(copy_file(path, stream));
    CHECK(tess_cell_groups_warn(&out.groups, "cgns", "section", mesh));
done:
    if (out.id >= 0)
        out.library.close(out.id);
    if (path)
        unlink(path);
    free(path);
    free(out.names);
    tess_cell_groups_release(&out.groups);
    return status;
}

static const char *const taken[] = {"GridCoordinates",      "ZoneBC",       "ZoneType",
                                    "ZoneGridConnectivity", "FlowSolution", NULL};

const tess_writer tess_writer_cgns = {
    .name = "cgns",
    .summary = "CGNS: one zone, regions as sections, markers as boundary conditions (libcgns "
               "opened when needed)",
    .extension = ".cgns",
    .maps = "",
    .keeps_regions = true,
    .forbidden = "/\n\r\t\v\f",
    .instead = '_',
    .not_first = " .",
    .most_letters = CGNS_NAME_SIZE - 1,
    .taken = taken,
    .write = cgns_write};

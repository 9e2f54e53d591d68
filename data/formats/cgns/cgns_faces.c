/* The faces of a CGNS file: polygons (NGON_n), and the polyhedra that they close (NFACE_n). */
#include "data/formats/cgns/cgns_faces.h"

#include "core/base/array.h"
#include "core/base/rows.h"
#include "core/base/sort.h"
#include "data/formats/faces/polyhedra.h"
#include "data/formats/faces/polyhedra_order.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a row of a section is, and of what. */
typedef struct row_kind {
    const char *name, *parts;
    int least;
} row_kind;

static const row_kind polygon = {"polygon", "nodes", 3}, polyhedron = {"polyhedron", "faces", 4};

/* A section of polygons: elements first ... first + n - 1 of the zone are the faces from `at`. */
typedef struct face_range {
    int section; /* number */
    int64_t first, n, at;
    int32_t group;
} face_range;

/* The polygons of the present zone. */
typedef struct zone_faces {
    tess_cgns_file *file;
    tess_cgns_faces *all;
    int64_t n_ranges, capacity;
    face_range *ranges; /* [n_ranges]; owned */
    int64_t first_face;
    bool has_polyhedra;
} zone_faces;

/* Where the values of a row at hand begin and end. */
static tess_status find_row(const tess_cgns_file *file, const tess_cgns_section *section,
                            const tess_cgns_rows *rows, int64_t row, const row_kind *kind) {
    const int64_t n = rows->offset[row + 1] - rows->offset[row];
    if (n < kind->least)
        return tess_cgns_fail(file, "section", section->name, "%s %" PRId64 " has %" PRId64 " %s",
                              kind->name, section->first + rows->first + row, n, kind->parts);
    return TESS_OK;
}

/* Appends the rows of a section, some at a time. */
static tess_status append_rows(zone_faces *zone, const tess_cgns_section *section,
                               tess_status (*append)(zone_faces *, const tess_cgns_section *,
                                                     const tess_cgns_rows *)) {
    tess_status status = TESS_OK;
    tess_cgns_rows rows = {.n = 0};
    CHECK(tess_cgns_rows_open(zone->file, section, &rows));
    do {
        CHECK(tess_cgns_rows_next(zone->file, section, &rows));
        CHECK(append(zone, section, &rows));
    } while (rows.n > 0);
done:
    tess_cgns_rows_close(&rows);
    return status;
}

/* --- polygons --------------------------------------------------------------------------------- */

/* Appends the rows at hand of a section. */
static tess_status append_rings(zone_faces *zone, const tess_cgns_section *section,
                                const tess_cgns_rows *rows) {
    tess_cgns_file *file = zone->file;
    tess_cgns_faces *all = zone->all;
    TRY(TESS_RESERVE(all->n_values + rows->offset[rows->n], &all->value_capacity,
                     &all->rings.value));
    for (int64_t row = 0; row < rows->n; row++) {
        TRY(find_row(file, section, rows, row, &polygon));
        for (int64_t i = rows->offset[row]; i < rows->offset[row + 1]; i++) {
            const int64_t node = rows->item[i];
            if (node < 1 || node > file->n_zone_nodes)
                return tess_cgns_fail(file, "section", section->name,
                                      "element %" PRId64 " has the node %" PRId64
                                      ", which is not in 1..%" PRId64,
                                      section->first + rows->first + row, node, file->n_zone_nodes);
            all->rings.value[all->n_values++] = (int32_t)(file->grouped.n_nodes + node - 1);
        }
        all->left[all->rings.n] = all->right[all->rings.n] = -1;
        all->group[all->rings.n] = tess_cgns_group_of(file, section->first + rows->first + row,
                                                      zone->ranges[zone->n_ranges - 1].group);
        all->rings.start[++all->rings.n] = all->n_values;
    }
    return TESS_OK;
}

static tess_status append_polygons(zone_faces *zone, tess_cgns_section *section) {
    tess_cgns_faces *all = zone->all;
    const int64_t at = all->rings.n, n = at + section->n;
    TRY(tess_cgns_add_section_group(zone->file, section, zone->file->cell_dimension == 2));
    if (n > INT32_MAX)
        return tess_cgns_fail(zone->file, "section", section->name, "more than 2147483647 faces");
    TRY(TESS_RESERVE(n + 1, &all->start_capacity, &all->rings.start));
    TRY(TESS_RESERVE(n, &all->left_capacity, &all->left));
    TRY(TESS_RESERVE(n, &all->right_capacity, &all->right));
    TRY(TESS_RESERVE(n, &all->group_capacity, &all->group));
    TRY(TESS_RESERVE(zone->n_ranges + 1, &zone->capacity, &zone->ranges));
    zone->ranges[zone->n_ranges++] =
        (face_range){section->number, section->first, section->n, at, section->group};
    all->rings.start[at] = all->n_values;
    return append_rows(zone, section, append_rings);
}

/* --- the cells on both sides ------------------------------------------------------------------ */

/* The face of that number in the zone, counted from all, or -1. */
static int64_t find_face(const zone_faces *zone, int64_t number) {
    for (int64_t i = 0; i < zone->n_ranges; i++)
        if (number >= zone->ranges[i].first && number - zone->ranges[i].first < zone->ranges[i].n)
            return zone->ranges[i].at + number - zone->ranges[i].first;
    return -1;
}

/* Says that the cell is on the left of a face, or on its right; on the other side where there is a
 * cell already: files are careless with signs. False where it has two. */
static bool join(tess_cgns_faces *faces, int64_t face, int32_t cell, bool left) {
    int32_t *sides[2] = {&faces->left[face], &faces->right[face]};
    int32_t *side = *sides[!left] < 0 ? sides[!left] : sides[left];
    if (*side >= 0 || *sides[0] == cell || *sides[1] == cell)
        return false;
    *side = cell;
    return true;
}

/* Appends the polyhedra at hand. */
static tess_status append_polyhedra_of(zone_faces *zone, const tess_cgns_section *section,
                                       const tess_cgns_rows *rows) {
    tess_cgns_file *file = zone->file;
    TRY(TESS_RESERVE(zone->all->n_cells + rows->n, &zone->all->cell_group_capacity,
                     &zone->all->cell_group));
    for (int64_t row = 0; row < rows->n; row++) {
        const int64_t cell = zone->all->n_cells++, element = section->first + rows->first + row;
        TRY(find_row(file, section, rows, row, &polyhedron));
        if (cell == INT32_MAX)
            return tess_cgns_fail(file, "section", section->name, "more than 2147483647 cells");
        zone->all->cell_group[cell] = section->group;
        for (int64_t i = rows->offset[row]; i < rows->offset[row + 1]; i++) {
            const int64_t number = rows->item[i];
            const int64_t face = find_face(zone, number < 0 ? -number : number);
            if (face < 0)
                return tess_cgns_fail(file, "section", section->name,
                                      "polyhedron %" PRId64 " has the face %" PRId64
                                      ", which is no polygon of the zone",
                                      element, number);
            if (!join(zone->all, face, (int32_t)cell, number > 0))
                return tess_cgns_fail(file, "section", section->name,
                                      "face %" PRId64 " of polyhedron %" PRId64
                                      " has two cells already, or this one twice",
                                      number, element);
        }
    }
    return TESS_OK;
}

static tess_status append_cells(zone_faces *zone, tess_cgns_section *section) {
    zone->has_polyhedra = true;
    TRY(tess_cgns_add_section_group(zone->file, section, true));
    return append_rows(zone, section, append_polyhedra_of);
}

/* What the faces of a zone say of the cells on their sides. */
typedef struct parent_cells {
    int64_t least, most; /* their numbers, 0 apart */
    bool joins;          /* they are being joined, which are known */
} parent_cells;

/* Takes the cells on one side of n faces, the first of which is number `first` of the zone. */
static tess_status take_parents(zone_faces *zone, parent_cells *cells, bool left, int64_t first,
                                const int64_t *cell, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        if (!cells->joins) {
            cells->least = cell[i] != 0 && cell[i] < cells->least ? cell[i] : cells->least;
            cells->most = cell[i] > cells->most ? cell[i] : cells->most;
        } else if (cell[i] != 0 &&
                   !join(zone->all, zone->first_face + first + i,
                         (int32_t)(zone->all->n_cells + cell[i] - cells->least), left)) {
            return tess_cgns_fail(zone->file, "zone", "",
                                  "face %" PRId64 " has the cell %" PRId64 " on both sides",
                                  first + i + 1, cell[i]);
        }
    }
    return TESS_OK;
}

/* Reads the cells on both sides of the polygons of a section, where it says them. */
static tess_status read_parents(zone_faces *zone, const face_range *range, parent_cells *cells) {
    enum { AT_ONCE = 1 << 14 };
    static const char *const names[] = {"ParentElements", "ParentData"};
    tess_status status = TESS_OK;
    tess_cgns_section section = {.n = 0};
    tess_cgns_values values = {.n = -1};
    int64_t cell[AT_ONCE];
    CHECK(tess_cgns_section_open(zone->file, range->section, &section));
    for (int k = 0; k < 2 && values.n < 0; k++) {
        const tess_cgns_array array = tess_cgns_section_array(&section, names[k]);
        CHECK(tess_cgns_values_open(zone->file, &array, &values));
    }
    if (values.n < 0)
        goto done;
    if (values.n != range->n || values.n_columns < 2)
        CHECK(tess_cgns_fail(zone->file, "section", section.name,
                             "%s has %" PRId64 " rows of %" PRId64 " values for %" PRId64 " faces",
                             values.array.array, values.n, values.n_columns, range->n));
    for (int side = 0; side < 2; side++)
        for (int64_t first = 0; first < range->n; first += AT_ONCE) {
            const int64_t n = range->n - first < AT_ONCE ? range->n - first : AT_ONCE;
            CHECK(tess_cgns_values_read(&values, side, first, n, cell));
            CHECK(take_parents(zone, cells, side == 0, range->at - zone->first_face + first, cell,
                               n));
        }
done:
    tess_cgns_values_close(&values);
    tess_cgns_section_clear(&section);
    return status;
}

/* Where no polyhedra are stated: the cells are those that faces say they lie between. */
static tess_status join_parents(zone_faces *zone) {
    const int64_t n = zone->all->rings.n - zone->first_face;
    parent_cells cells = {.least = INT64_MAX};
    for (int64_t i = 0; i < zone->n_ranges; i++)
        TRY(read_parents(zone, &zone->ranges[i], &cells));
    if (cells.most == 0 || cells.least < 1 || cells.most - cells.least >= n)
        return tess_cgns_fail(zone->file, "zone", "",
                              cells.most == 0
                                  ? "its polygons bound no cells: no polyhedra (NFACE_n) and "
                                    "no ParentElements"
                                  : "the cells that ParentElements name are not in a range "
                                    "that so many faces can bound");
    if (cells.most - cells.least >= INT32_MAX - zone->all->n_cells)
        return tess_cgns_fail(zone->file, "zone", "", "more than 2147483647 cells");
    cells.joins = true;
    for (int64_t i = 0; i < zone->n_ranges; i++)
        TRY(read_parents(zone, &zone->ranges[i], &cells));
    const int64_t n_before = zone->all->n_cells;
    zone->all->n_cells += cells.most - cells.least + 1;
    TRY(TESS_RESERVE(zone->all->n_cells, &zone->all->cell_group_capacity, &zone->all->cell_group));
    memset(zone->all->cell_group + n_before, 0,
           (size_t)(zone->all->n_cells - n_before) * sizeof *zone->all->cell_group);
    return TESS_OK;
}

/* A face whose only cell is on its right is turned round; the name of a section marks faces only
 * where all of them are at the boundary. */
static void settle_faces(const zone_faces *zone) {
    tess_cgns_faces *all = zone->all;
    for (int64_t r = 0; r < zone->n_ranges; r++) {
        const face_range *range = &zone->ranges[r];
        bool outside = true;
        for (int64_t f = range->at; f < range->at + range->n; f++) {
            if (all->left[f] < 0 && all->right[f] >= 0) {
                all->left[f] = all->right[f];
                all->right[f] = -1;
                tess_reverse(all->rings.value + all->rings.start[f],
                             all->rings.start[f + 1] - all->rings.start[f]);
            }
            outside = outside && all->right[f] < 0;
        }
        for (int64_t f = range->at; f < range->at + range->n && !outside; f++)
            if (all->group[f] == range->group)
                all->group[f] = -1;
    }
}

/* --- the zone --------------------------------------------------------------------------------- */

/* Reads the sections of that type. */
static tess_status read_sections(zone_faces *zone, int n_sections, int type) {
    tess_status status = TESS_OK;
    tess_cgns_section section = {.n = 0};
    for (int number = 1; number <= n_sections; number++) {
        tess_cgns_section_clear(&section);
        CHECK(tess_cgns_section_open(zone->file, number, &section));
        if (section.type != type)
            continue;
        CHECK(type == CGNS_NGON ? append_polygons(zone, &section) : append_cells(zone, &section));
    }
done:
    tess_cgns_section_clear(&section);
    return status;
}

tess_status tess_cgns_faces_read(tess_cgns_file *file, int n_sections, tess_cgns_faces *faces) {
    tess_status status = TESS_OK;
    zone_faces zone = {.file = file, .all = faces, .first_face = faces->rings.n};
    CHECK(read_sections(&zone, n_sections, CGNS_NGON));
    if (file->cell_dimension == 2)
        goto done;
    CHECK(read_sections(&zone, n_sections, CGNS_NFACE));
    if (!zone.has_polyhedra && zone.n_ranges)
        CHECK(join_parents(&zone));
    settle_faces(&zone);
done:
    free(zone.ranges);
    return status;
}

/* --- the mesh --------------------------------------------------------------------------------- */

/* Adds the markers of the groups that faces have, in the order of the file, and puts them in the
 * place of the groups: of the faces between two cells, and of those at the boundary. */
static tess_status name_markers(const tess_cgns_file *file, const tess_polyhedra *polyhedra,
                                tess_mesh *mesh) {
    tess_status status = TESS_OK;
    int32_t *marker = NULL, *const groups[2] = {polyhedra->inner_marker, polyhedra->marker};
    const int64_t n[2] = {polyhedra->inner_marker ? polyhedra->n_inner : 0,
                          polyhedra->faces.n - polyhedra->n_inner};
    CHECK(TESS_ZEROS(file->n_groups, &marker));
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < n[k]; i++)
            if (groups[k][i] >= 0)
                marker[groups[k][i]] = 1;
    for (int64_t g = 0; g < file->n_groups; g++)
        if (marker[g])
            CHECK(tess_mesh_add_marker(mesh, file->groups[g].name, &marker[g]));
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < n[k]; i++)
            groups[k][i] = groups[k][i] < 0 ? -1 : marker[groups[k][i]];
done:
    free(marker);
    return status;
}

/* Makes the sections of polyhedra regions. */
static tess_status name_regions(const tess_cgns_file *file, const tess_cgns_faces *faces,
                                tess_mesh *mesh) {
    tess_status status = TESS_OK;
    int32_t *of_group = NULL, *region = NULL;
    CHECK(TESS_ZEROS(file->n_groups + 1, &of_group)); /* a region's number and one, 0: none */
    CHECK(TESS_ALLOC(faces->n_cells, &region));
    for (int64_t cell = 0; cell < faces->n_cells; cell++) {
        const int32_t group = faces->cell_group[cell];
        int number = -1;
        if (group > 0 && of_group[group] == 0) {
            CHECK(tess_mesh_add_region(mesh, file->groups[group].name, 0, &number));
            of_group[group] = number + 1;
        }
        region[cell] = of_group[group] - 1;
    }
    if (mesh->n_regions)
        CHECK(tess_mesh_add_dat(mesh, "region", "cells", 1, TESS_INT32, TESS_TAKE(region)));
done:
    free(of_group);
    free(region);
    return status;
}

/* Makes the faces those of faced cells. */
static tess_status take_faces(tess_cgns_faces *faces, tess_polyhedra *polyhedra) {
    polyhedra->faces = faces->rings;
    faces->rings = (tess_jagged_array){.n = 0};
    polyhedra->owner = TESS_TAKE(faces->left);
    polyhedra->neighbour = TESS_TAKE(faces->right);
    polyhedra->marker = TESS_TAKE(faces->group);
    return tess_polyhedra_order(polyhedra);
}

/* Makes the mesh of faces that polyhedra alone have. */
static tess_status make_polyhedra(tess_cgns_file *file, tess_cgns_faces *faces, tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_polyhedra polyhedra = {.dimension = 3};
    tess_mesh *mesh = NULL;
    const int64_t n_faces = faces->rings.n;
    CHECK(take_faces(faces, &polyhedra));
    CHECK(tess_mesh_new(file->text->path, 3, &mesh));
    polyhedra.n_points = file->grouped.n_nodes;
    polyhedra.points = TESS_TAKE(file->grouped.coordinates);
    CHECK(name_markers(file, &polyhedra, mesh));
    const int64_t n_loose = n_faces - polyhedra.faces.n;
    CHECK(tess_polyhedra_state(&polyhedra, mesh));
    CHECK(name_regions(file, faces, mesh));
    if (n_loose)
        CHECK(
            tess_mesh_warn(mesh, "%" PRId64 " polygons bound no cell and were left out", n_loose));
    *out = TESS_TAKE(mesh);
done:
    tess_polyhedra_clear(&polyhedra);
    tess_mesh_free(mesh);
    return status;
}

/* --- beside cells of a fixed number of nodes -------------------------------------------------- */

static tess_status append_polygon(const tess_cgns_faces *faces, int64_t f,
                                  tess_elements *elements) {
    const tess_polygon_list side = {.dimension = 2,
                                    .marker = faces->group[f],
                                    .n = 1,
                                    .start = faces->rings.start + f,
                                    .nodes = faces->rings.value};
    return tess_elements_append_polygons(elements, &side);
}

/* The faces of each polyhedron. */
static tess_status find_faces_of_cells(const tess_cgns_faces *faces, tess_rows **out) {
    tess_status status = TESS_OK;
    tess_rows *rows = NULL;
    CHECK(tess_rows_new(faces->n_cells, &rows));
    for (int64_t f = 0; f < faces->rings.n; f++) {
        if (faces->left[f] >= 0)
            tess_rows_count(rows, faces->left[f]);
        if (faces->right[f] >= 0)
            tess_rows_count(rows, faces->right[f]);
    }
    CHECK(tess_rows_open(rows));
    for (int64_t f = 0; f < faces->rings.n; f++) {
        if (faces->left[f] >= 0)
            tess_rows_put(rows, faces->left[f], (int32_t)f);
        if (faces->right[f] >= 0)
            tess_rows_put(rows, faces->right[f], (int32_t)f);
    }
    *out = TESS_TAKE(rows);
done:
    tess_rows_free(rows);
    return status;
}

/* Fills the rings of a polyhedron's faces as they are seen from outside. */
static tess_status fill_rings(const tess_cgns_faces *faces, const tess_rows *rows, int64_t cell,
                              int64_t capacity[2], tess_jagged_array *out) {
    out->n = 0;
    for (int64_t i = rows->offset[cell]; i < rows->offset[cell + 1]; i++) {
        const int32_t f = rows->item[i];
        const int64_t begin = faces->rings.start[f], size = faces->rings.start[f + 1] - begin;
        TRY(tess_jagged_array_append(out, capacity, size, faces->rings.value + begin));
        if (faces->right[f] == cell)
            tess_reverse(out->value + out->start[out->n - 1], size);
    }
    return TESS_OK;
}

static tess_status append_polyhedra(tess_cgns_file *file, const tess_cgns_faces *faces) {
    tess_status status = TESS_OK;
    tess_rows *rows = NULL;
    tess_jagged_array rings = {.n = 0};
    int64_t capacity[2] = {0};
    CHECK(find_faces_of_cells(faces, &rows));
    for (int64_t cell = 0; cell < faces->n_cells; cell++) {
        if (tess_rows_size(rows, cell) == 0)
            CHECK(tess_cgns_fail(file, "base", "", "polyhedron %" PRId64 " has no faces", cell));
        CHECK(fill_rings(faces, rows, cell, capacity, &rings));
        CHECK(tess_elements_append_polygons(&file->grouped.elements,
                                            &(tess_polygon_list){.dimension = 3,
                                                                 .marker = faces->cell_group[cell],
                                                                 .n = rings.n,
                                                                 .start = rings.start,
                                                                 .nodes = rings.value}));
    }
    for (int64_t f = 0; f < faces->rings.n; f++) /* some may lie between two kinds of cells */
        if (faces->group[f] >= 0)
            CHECK(append_polygon(faces, f, &file->grouped.elements));
done:
    free(rings.start);
    free(rings.value);
    tess_rows_free(rows);
    return status;
}

tess_status tess_cgns_faces_mesh(tess_cgns_file *file, tess_cgns_faces *faces, tess_mesh **out) {
    tess_grouped *grouped = &file->grouped;
    if (file->cell_dimension == 3 && tess_elements_dimension(&grouped->elements) < 2)
        return make_polyhedra(file, faces, out);
    if (file->cell_dimension == 3)
        TRY(append_polyhedra(file, faces));
    for (int64_t f = 0; f < faces->rings.n && file->cell_dimension == 2; f++)
        TRY(append_polygon(faces, f, &grouped->elements));
    return tess_marker_groups_mesh(file->text->path, grouped, out);
}

void tess_cgns_faces_clear(tess_cgns_faces *faces) {
    free(faces->left);
    free(faces->right);
    free(faces->group);
    free(faces->cell_group);
    free(faces->rings.start);
    free(faces->rings.value);
    *faces = (tess_cgns_faces){.n_cells = 0};
}

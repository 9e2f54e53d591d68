/* The faces of a CGNS file: polygons (NGON_n), and the polyhedra that they close (NFACE_n). */
#include "data/formats/cgns/cgns_faces.h"

#include "core/base/array.h"
#include "core/base/rows.h"
#include "core/base/sort.h"
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
    int64_t first, n, at;
    int32_t group;
} face_range;

/* The polygons of the present zone. */
typedef struct zone_faces {
    tess_cgns_file *file;
    tess_cgns_faces *all;
    int64_t n_ranges, capacity;
    face_range *ranges;  /* [n_ranges]; owned */
    int64_t *parents[2]; /* [faces of the zone]: left and right as the file numbers them; owned */
    int64_t parents_capacity[2], first_face;
    bool has_polyhedra;
} zone_faces;

/* Where the values of a row begin and end. */
static tess_status find_row(const tess_cgns_file *file, const tess_cgns_section *section,
                            int64_t row, const row_kind *kind, int64_t *first, int64_t *end) {
    *first = tess_cgns_size_at(file, section->offsets, row);
    *end = tess_cgns_size_at(file, section->offsets, row + 1);
    if (*end - *first < kind->least)
        return tess_cgns_fail(file, "section", section->name, "%s %" PRId64 " has %" PRId64 " %s",
                              kind->name, section->first + row, *end - *first, kind->parts);
    return TESS_OK;
}

/* --- polygons --------------------------------------------------------------------------------- */

static tess_status append_ring(zone_faces *zone, const tess_cgns_section *section, int64_t row) {
    const tess_cgns_file *file = zone->file;
    tess_ragged *rings = &zone->all->rings;
    int64_t first = 0, end = 0;
    TRY(find_row(file, section, row, &polygon, &first, &end));
    for (int64_t i = first; i < end; i++) {
        const int64_t node = tess_cgns_size_at(file, section->values, i);
        if (node < 1 || node > file->n_zone_nodes)
            return tess_cgns_fail(file, "section", section->name,
                                  "element %" PRId64 " has the node %" PRId64
                                  ", which is not in 1..%" PRId64,
                                  section->first + row, node, file->n_zone_nodes);
        rings->value[zone->all->n_values++] = (int32_t)(file->grouped.n_nodes + node - 1);
    }
    rings->start[++rings->n] = zone->all->n_values;
    return TESS_OK;
}

/* The cells on both sides as the section says, 0 where it does not. */
static tess_status append_parents(zone_faces *zone, const tess_cgns_section *section) {
    const int64_t n = zone->all->rings.n - zone->first_face;
    for (int side = 0; side < 2; side++) {
        TRY(TESS_RESERVE(n, &zone->parents_capacity[side], &zone->parents[side]));
        for (int64_t i = 0; i < section->n; i++)
            zone->parents[side][n - section->n + i] =
                section->parents
                    ? tess_cgns_size_at(zone->file, section->parents, side * section->n + i)
                    : 0;
    }
    return TESS_OK;
}

static tess_status append_polygons(zone_faces *zone, const tess_cgns_section *section) {
    tess_cgns_faces *all = zone->all;
    const int64_t at = all->rings.n;
    int32_t group = 0;
    TRY(tess_cgns_add_group(zone->file, section->name, &group));
    if (at + section->n > INT32_MAX)
        return tess_cgns_fail(zone->file, "section", section->name, "more than 2147483647 faces");
    TRY(TESS_RESERVE(at + section->n + 1, &all->start_capacity, &all->rings.start));
    TRY(TESS_RESERVE(at + section->n, &all->capacity, &all->face));
    TRY(TESS_RESERVE(all->n_values + section->n_values, &all->value_capacity, &all->rings.value));
    TRY(TESS_RESERVE(zone->n_ranges + 1, &zone->capacity, &zone->ranges));
    zone->ranges[zone->n_ranges++] = (face_range){section->first, section->n, at, group};
    all->rings.start[at] = all->n_values;
    for (int64_t row = 0; row < section->n; row++) {
        TRY(append_ring(zone, section, row));
        all->face[at + row] =
            (tess_cgns_face){-1, -1, tess_cgns_group_of(zone->file, section->first + row, group)};
    }
    return append_parents(zone, section);
}

/* --- the cells on both sides ------------------------------------------------------------------ */

/* The face of that number in the zone; NULL where there is none. */
static tess_cgns_face *find_face(const zone_faces *zone, int64_t number) {
    for (int64_t i = 0; i < zone->n_ranges; i++)
        if (number >= zone->ranges[i].first && number - zone->ranges[i].first < zone->ranges[i].n)
            return &zone->all->face[zone->ranges[i].at + number - zone->ranges[i].first];
    return NULL;
}

/* Says that the cell is on the left of a face, or on its right; on the other side where there is a
 * cell already: files are careless with signs. False where it has two. */
static bool join(tess_cgns_face *face, int32_t cell, bool left) {
    int32_t *side = left ? &face->left : &face->right, *other = left ? &face->right : &face->left;
    side = *side < 0 ? side : other;
    if (*side >= 0 || face->left == cell || face->right == cell)
        return false;
    *side = cell;
    return true;
}

static tess_status append_polyhedron(zone_faces *zone, const tess_cgns_section *section,
                                     int64_t row) {
    const tess_cgns_file *file = zone->file;
    const int64_t cell = zone->all->n_cells++;
    int64_t first = 0, end = 0;
    TRY(find_row(file, section, row, &polyhedron, &first, &end));
    for (int64_t i = first; i < end; i++) {
        const int64_t number = tess_cgns_size_at(file, section->values, i);
        tess_cgns_face *face = find_face(zone, number < 0 ? -number : number);
        if (!face)
            return tess_cgns_fail(file, "section", section->name,
                                  "polyhedron %" PRId64 " has the face %" PRId64
                                  ", which is no polygon of the zone",
                                  section->first + row, number);
        if (!join(face, (int32_t)cell, number > 0))
            return tess_cgns_fail(file, "section", section->name,
                                  "face %" PRId64 " of polyhedron %" PRId64
                                  " has two cells already, or this one twice",
                                  number, section->first + row);
    }
    return TESS_OK;
}

/* Where no polyhedra are stated: the cells are those that faces say they lie between. */
static tess_status join_parents(zone_faces *zone) {
    const int64_t n = zone->all->rings.n - zone->first_face;
    int64_t least = INT64_MAX, most = 0;
    for (int side = 0; side < 2; side++)
        for (int64_t i = 0; i < n; i++) {
            const int64_t cell = zone->parents[side][i];
            least = cell != 0 && cell < least ? cell : least;
            most = cell > most ? cell : most;
        }
    if (most == 0 || least < 1 || most - least >= n)
        return tess_cgns_fail(zone->file, "zone", "",
                              most == 0 ? "its polygons bound no cells: no polyhedra (NFACE_n) and "
                                          "no ParentElements"
                                        : "the cells that ParentElements name are not in a range "
                                          "that so many faces can bound");
    for (int64_t i = 0; i < n; i++)
        for (int side = 0; side < 2; side++) {
            const int64_t cell = zone->parents[side][i];
            tess_cgns_face *face = &zone->all->face[zone->first_face + i];
            if (cell != 0 && !join(face, (int32_t)(zone->all->n_cells + cell - least), side == 0))
                return tess_cgns_fail(zone->file, "zone", "",
                                      "face %" PRId64 " has the cell %" PRId64 " on both sides",
                                      i + 1, cell);
        }
    zone->all->n_cells += most - least + 1;
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
            tess_cgns_face *face = &all->face[f];
            if (face->left < 0 && face->right >= 0) {
                face->left = face->right;
                face->right = -1;
                tess_reverse(all->rings.value + all->rings.start[f],
                             all->rings.start[f + 1] - all->rings.start[f]);
            }
            outside = outside && face->right < 0;
        }
        for (int64_t f = range->at; f < range->at + range->n && !outside; f++)
            if (all->face[f].group == range->group)
                all->face[f].group = -1;
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
        CHECK(tess_cgns_section_read(zone->file, &section));
        if (type == CGNS_NGON) {
            CHECK(append_polygons(zone, &section));
            continue;
        }
        zone->has_polyhedra = true;
        for (int64_t row = 0; row < section.n; row++)
            CHECK(append_polyhedron(zone, &section, row));
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
    free(zone.parents[0]);
    free(zone.parents[1]);
    return status;
}

/* --- the mesh --------------------------------------------------------------------------------- */

/* Adds the markers of the groups that faces have, in the order of the file, and puts them in the
 * place of the groups. */
static tess_status name_markers(const tess_cgns_file *file, int32_t *group, int64_t n,
                                tess_mesh *mesh) {
    tess_status status = TESS_OK;
    int32_t *marker = NULL;
    CHECK(TESS_ZEROS(file->n_groups, &marker));
    for (int64_t i = 0; i < n; i++)
        if (group[i] >= 0)
            marker[group[i]] = 1;
    for (int64_t g = 0; g < file->n_groups; g++)
        if (marker[g])
            CHECK(tess_mesh_add_marker(mesh, file->groups[g].name, &marker[g]));
    for (int64_t i = 0; i < n; i++)
        group[i] = group[i] < 0 ? -1 : marker[group[i]];
done:
    free(marker);
    return status;
}

/* Fills the faces that have a cell: those between two, then those at the boundary. */
static tess_status pack_faces(const tess_cgns_faces *faces, tess_faced *faced) {
    const tess_ragged *rings = &faces->rings;
    int64_t n = 0;
    for (int64_t f = 0; f < rings->n; f++) {
        n += faces->face[f].left >= 0;
        faced->n_inner += faces->face[f].right >= 0;
    }
    TRY(TESS_ALLOC(n + 1, &faced->faces.start));
    TRY(TESS_ALLOC(faces->n_values, &faced->faces.value));
    TRY(TESS_ALLOC(n, &faced->owner));
    TRY(TESS_ALLOC(faced->n_inner, &faced->neighbour));
    TRY(TESS_ALLOC(n, &faced->marker));
    faced->faces.start[0] = 0;
    for (int inner = 1; inner >= 0; inner--)
        for (int64_t f = 0; f < rings->n; f++) {
            const tess_cgns_face *face = &faces->face[f];
            const int64_t length = rings->start[f + 1] - rings->start[f], at = faced->faces.n;
            if (face->left < 0 || (face->right >= 0) != inner)
                continue;
            memcpy(faced->faces.value + faced->faces.start[at], rings->value + rings->start[f],
                   (size_t)length * sizeof *rings->value);
            faced->faces.start[at + 1] = faced->faces.start[at] + length;
            faced->owner[at] = face->left;
            if (inner)
                faced->neighbour[at] = face->right;
            faced->marker[at] = inner ? -1 : face->group;
            faced->faces.n++;
        }
    return TESS_OK;
}

/* Makes the mesh of faces that polyhedra alone have. */
static tess_status make_faced(tess_cgns_file *file, const tess_cgns_faces *faces, tess_mesh **out) {
    tess_status status = TESS_OK;
    tess_faced faced = {.dimension = 3};
    tess_mesh *mesh = NULL;
    CHECK(pack_faces(faces, &faced));
    CHECK(tess_mesh_new(file->text->path, 3, &mesh));
    faced.n_points = file->grouped.n_nodes;
    faced.points = TESS_TAKE(file->grouped.coordinates);
    CHECK(name_markers(file, faced.marker, faced.faces.n, mesh));
    const int64_t n_loose = faces->rings.n - faced.faces.n;
    CHECK(tess_faced_state(&faced, mesh));
    if (n_loose)
        CHECK(
            tess_mesh_warn(mesh, "%" PRId64 " polygons bound no cell and were left out", n_loose));
    *out = TESS_TAKE(mesh);
done:
    tess_faced_clear(&faced);
    tess_mesh_free(mesh);
    return status;
}

/* --- beside cells of a fixed number of nodes -------------------------------------------------- */

static tess_status append_polygon(const tess_cgns_faces *faces, int64_t f,
                                  tess_elements *elements) {
    const tess_ringed side = {.dimension = 2,
                              .marker = faces->face[f].group,
                              .n = 1,
                              .start = faces->rings.start + f,
                              .nodes = faces->rings.value};
    return tess_elements_append_ringed(elements, &side);
}

/* The faces of each polyhedron. */
static tess_status find_faces_of_cells(const tess_cgns_faces *faces, tess_rows **out) {
    tess_status status = TESS_OK;
    tess_rows *rows = NULL;
    CHECK(tess_rows_new(faces->n_cells, &rows));
    for (int64_t f = 0; f < faces->rings.n; f++) {
        if (faces->face[f].left >= 0)
            tess_rows_count(rows, faces->face[f].left);
        if (faces->face[f].right >= 0)
            tess_rows_count(rows, faces->face[f].right);
    }
    CHECK(tess_rows_open(rows));
    for (int64_t f = 0; f < faces->rings.n; f++) {
        if (faces->face[f].left >= 0)
            tess_rows_put(rows, faces->face[f].left, (int32_t)f);
        if (faces->face[f].right >= 0)
            tess_rows_put(rows, faces->face[f].right, (int32_t)f);
    }
    *out = TESS_TAKE(rows);
done:
    tess_rows_free(rows);
    return status;
}

/* A polyhedron by the rings of its faces as they are seen from outside. */
typedef struct cell_rings {
    int64_t start_capacity, value_capacity, n_values;
    int64_t *start; /* owned */
    int32_t *value; /* owned */
} cell_rings;

static tess_status fill_rings(const tess_cgns_faces *faces, const tess_rows *rows, int64_t cell,
                              cell_rings *out) {
    const int64_t n = tess_rows_size(rows, cell);
    out->n_values = 0;
    TRY(TESS_RESERVE(n + 1, &out->start_capacity, &out->start));
    for (int64_t i = 0; i < n; i++) {
        const int32_t f = rows->item[rows->offset[cell] + i];
        const int64_t size = faces->rings.start[f + 1] - faces->rings.start[f];
        out->start[i] = out->n_values;
        TRY(TESS_RESERVE(out->n_values + size, &out->value_capacity, &out->value));
        memcpy(out->value + out->n_values, faces->rings.value + faces->rings.start[f],
               (size_t)size * sizeof *out->value);
        if (faces->face[f].right == cell)
            tess_reverse(out->value + out->n_values, size);
        out->n_values += size;
    }
    out->start[n] = out->n_values;
    return TESS_OK;
}

static tess_status append_polyhedra(tess_cgns_file *file, const tess_cgns_faces *faces) {
    tess_status status = TESS_OK;
    tess_rows *rows = NULL;
    cell_rings rings = {.n_values = 0};
    CHECK(find_faces_of_cells(faces, &rows));
    for (int64_t cell = 0; cell < faces->n_cells; cell++) {
        const int64_t n = tess_rows_size(rows, cell);
        if (n == 0)
            CHECK(tess_cgns_fail(file, "base", "", "polyhedron %" PRId64 " has no faces", cell));
        CHECK(fill_rings(faces, rows, cell, &rings));
        CHECK(tess_elements_append_ringed(
            &file->grouped.elements,
            &(tess_ringed){.dimension = 3, .n = n, .start = rings.start, .nodes = rings.value}));
    }
    for (int64_t f = 0; f < faces->rings.n; f++) /* some may lie between two kinds of cells */
        if (faces->face[f].right < 0 && faces->face[f].group >= 0)
            CHECK(append_polygon(faces, f, &file->grouped.elements));
done:
    free(rings.start);
    free(rings.value);
    tess_rows_free(rows);
    return status;
}

tess_status tess_cgns_faces_mesh(tess_cgns_file *file, const tess_cgns_faces *faces,
                                 tess_mesh **out) {
    tess_grouped *grouped = &file->grouped;
    if (file->cell_dimension == 3 && tess_elements_dimension(&grouped->elements) < 3)
        return make_faced(file, faces, out);
    if (file->cell_dimension == 3)
        TRY(append_polyhedra(file, faces));
    for (int64_t f = 0; f < faces->rings.n && file->cell_dimension == 2; f++)
        TRY(append_polygon(faces, f, &grouped->elements));
    return tess_marker_groups_mesh(file->text->path, grouped, out);
}

void tess_cgns_faces_clear(tess_cgns_faces *faces) {
    free(faces->face);
    free(faces->rings.start);
    free(faces->rings.value);
    *faces = (tess_cgns_faces){.n_cells = 0};
}

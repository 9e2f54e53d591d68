/* A structured zone of a CGNS file: a box of nodes, whose cells are hexahedra, or quadrilaterals.
 */
#include "data/formats/cgns/cgns_block.h"

#include <inttypes.h>
#include <stdlib.h>

/* Nodes from first to last along each axis, from 0. */
typedef struct node_range {
    int64_t first[3], last[3];
} node_range;

static int32_t node_at(const tess_cgns_file *file, const tess_cgns_block *block, int64_t i,
                       int64_t j, int64_t k) {
    return (int32_t)(file->grouped.n_nodes + (k * block->size[1] + j) * block->size[0] + i);
}

/* The corners of the quadrilateral at (a, b) of the axes `u` and `v`, or of a line along `u`. */
static void fill_side(const tess_cgns_file *file, const tess_cgns_block *block, const int axes[2],
                      const int64_t at[3], tess_element *element) {
    static const int turn[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int corner = 0; corner < tess_element_kinds[element->type].arity; corner++) {
        int64_t position[3] = {at[0], at[1], at[2]};
        for (int axis = 0; axis < block->dimension - 1; axis++)
            position[axes[axis]] += turn[corner][axis];
        element->nodes[corner] = node_at(file, block, position[0], position[1], position[2]);
    }
}

/* Appends the cells, whose region has the name of the zone. */
static tess_status append_cells(tess_cgns_file *file, const tess_cgns_block *block) {
    const bool flat = block->dimension == 2;
    int32_t group = 0;
    TRY(tess_cgns_add_group(file, file->zone_name, &group));
    for (int64_t k = 0; k + (flat ? 0 : 1) < block->size[2]; k++)
        for (int64_t j = 0; j + 1 < block->size[1]; j++)
            for (int64_t i = 0; i + 1 < block->size[0]; i++) {
                tess_element cell = {.type = flat ? TESS_ELEMENT_QUAD : TESS_ELEMENT_HEX,
                                     .marker = group};
                for (int corner = 0; corner < (flat ? 4 : 8); corner++)
                    cell.nodes[corner] =
                        node_at(file, block, i + (corner % 4 == 1 || corner % 4 == 2),
                                j + (corner % 4 >= 2), k + corner / 4);
                TRY(tess_elements_append(&file->grouped.elements, &cell, 1));
            }
    return TESS_OK;
}

/* Appends the sides between the nodes of a range in a plane of the box; of a line, a node or a
 * volume there are none. */
static tess_status append_sides(tess_cgns_file *file, const tess_cgns_block *block,
                                const node_range *range, int32_t group) {
    int axes[3] = {0}, n_axes = 0;
    for (int axis = 0; axis < block->dimension; axis++)
        if (range->last[axis] > range->first[axis])
            axes[n_axes++] = axis;
    if (n_axes != block->dimension - 1)
        return TESS_OK;
    const bool line = block->dimension == 2;
    const int u = axes[0], v = axes[1];
    tess_element side = {.type = line ? TESS_ELEMENT_LINE : TESS_ELEMENT_QUAD, .marker = group};
    int64_t at[3] = {range->first[0], range->first[1], range->first[2]};
    for (int64_t b = line ? 0 : range->first[v]; b < (line ? 1 : range->last[v]); b++)
        for (int64_t a = range->first[u]; a < range->last[u]; a++) {
            at[u] = a;
            if (!line)
                at[v] = b;
            fill_side(file, block, axes, at, &side);
            TRY(tess_elements_append(&file->grouped.elements, &side, 1));
        }
    return TESS_OK;
}

/* Makes nodes of what the file says, in any order, of nodes or, at the centre of faces, of those
 * along the axes in which the range extends, or cells have room for it. */
static tess_status find_range(const tess_cgns_file *file, const tess_cgns_block *block,
                              const char *name, const char *points, int face_axis,
                              node_range *out) {
    *out = (node_range){.first = {0}};
    for (int axis = 0; axis < block->dimension; axis++) {
        const int64_t a = tess_cgns_size_at(file, points, axis);
        const int64_t b = tess_cgns_size_at(file, points, block->dimension + axis);
        const int64_t first = a < b ? a : b, last = a < b ? b : a;
        const bool of_faces = face_axis >= 0 && axis != face_axis;
        if (first < 1 || last + of_faces > block->size[axis])
            return tess_cgns_fail(file, "boundary condition", name,
                                  "its range %" PRId64 "..%" PRId64 " along axis %d is not in "
                                  "1..%" PRId64,
                                  first, last, axis + 1, block->size[axis] - of_faces);
        out->first[axis] = first - 1;
        out->last[axis] = last - 1 + of_faces;
    }
    return TESS_OK;
}

/* The axis across the faces of a range, -1 where it is of nodes, -2 where it is of neither. */
static int axis_of_position(const tess_cgns_block *block, int position, const char *points,
                            const tess_cgns_file *file) {
    if (position == CGNS_VERTEX)
        return -1;
    if (position >= CGNS_I_FACE_CENTRE && position <= CGNS_K_FACE_CENTRE)
        return position - CGNS_I_FACE_CENTRE;
    for (int axis = 0; axis < block->dimension; axis++)
        if ((position == CGNS_FACE_CENTRE || position == CGNS_EDGE_CENTRE) &&
            tess_cgns_size_at(file, points, axis) ==
                tess_cgns_size_at(file, points, block->dimension + axis))
            return axis;
    return -2;
}

/* Keeps the nodes that a condition lists. */
static tess_status read_nodes(tess_cgns_file *file, const tess_cgns_block *block, int condition,
                              int64_t n, int32_t group) {
    static const char what[] = "boundary condition";
    tess_status status = TESS_OK;
    const char *name = file->groups[group].name;
    const int dimension = block->dimension;
    char *points = NULL;
    CHECK(tess_cgns_points_check(file, name, CGNS_POINT_LIST, n * dimension));
    CHECK(tess_cgns_sizes_alloc(file, what, name, n * dimension, &points));
    if (file->library.condition_points(file->id, file->base, file->zone, condition, points, NULL) !=
        0)
        CHECK(tess_cgns_library_fail(file, what, name));
    for (int64_t i = 0; i < n; i++) {
        int64_t at[3] = {0, 0, 0};
        for (int axis = 0; axis < dimension; axis++) {
            at[axis] = tess_cgns_size_at(file, points, i * dimension + axis) - 1;
            if (at[axis] < 0 || at[axis] >= block->size[axis])
                CHECK(tess_cgns_fail(file, what, name, "point %" PRId64 " is not in the zone",
                                     i + 1));
        }
        CHECK(tess_vertex_groups_add(&file->vertices, node_at(file, block, at[0], at[1], at[2]),
                                     group));
    }
done:
    free(points);
    return status;
}

static tess_status read_condition(tess_cgns_file *file, const tess_cgns_block *block,
                                  int condition) {
    static const char what[] = "boundary condition";
    const tess_cgns *library = &file->library;
    tess_status status = TESS_OK;
    char name[CGNS_NAME_SIZE] = "", *points = NULL;
    int type = 0, kind = 0, normal_index[3], normal_type = 0, n_data = 0, position = CGNS_VERTEX;
    int32_t number = 0;
    node_range range;
    tess_cgns_size n = {.wide = 0}, n_normals = {.wide = 0};
    if (library->condition(file->id, file->base, file->zone, condition, name, &type, &kind, &n,
                           normal_index, &n_normals, &normal_type, &n_data) != 0 ||
        library->condition_position(file->id, file->base, file->zone, condition, &position) != 0)
        CHECK(tess_cgns_library_fail(file, what, name));
    CHECK(tess_cgns_add_condition(file, name, &number));
    const int32_t group = file->conditions[number].group;
    const int64_t n_points = tess_cgns_size_at(file, &n, 0);
    if (kind == CGNS_POINT_LIST && position == CGNS_VERTEX)
        CHECK(read_nodes(file, block, condition, n_points, group));
    if (kind != CGNS_POINT_RANGE || n_points != 2)
        goto done; /* lists of other points state no sides */
    CHECK(tess_cgns_points_check(file, name, kind, 2 * block->dimension));
    CHECK(tess_cgns_sizes_alloc(file, what, name, 6, &points));
    if (library->condition_points(file->id, file->base, file->zone, condition, points, NULL) != 0)
        CHECK(tess_cgns_library_fail(file, what, name));
    const int face_axis = axis_of_position(block, position, points, file);
    if (face_axis < -1 || face_axis >= block->dimension)
        goto done;
    CHECK(find_range(file, block, name, points, face_axis, &range));
    CHECK(append_sides(file, block, &range, group));
done:
    free(points);
    return status;
}

tess_status tess_cgns_block_read(tess_cgns_file *file, const tess_cgns_block *block) {
    int n = 0;
    TRY(append_cells(file, block));
    if (file->library.n_conditions(file->id, file->base, file->zone, &n) != 0)
        return tess_cgns_library_fail(file, "zone", "");
    for (int i = 1; i <= n; i++)
        TRY(read_condition(file, block, i));
    return TESS_OK;
}

/* The interfaces of the zones of a CGNS file. Format: CGNS/SIDS, "1-to-1 Interface Connectivity".
 */
#include "data/formats/cgns/cgns_interfaces.h"

#include "core/base/array.h"
#include "core/base/union_find.h"
#include "data/formats/hdf_content.h"
#include "data/formats/joined_nodes.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "interface";

/* --- reading ---------------------------------------------------------------------------------- */

/* Checks the axes: each of the donor's once. */
static tess_status check_axes(const tess_cgns_file *file, const tess_cgns_interface *item,
                              int dimension) {
    unsigned seen = 0;
    for (int axis = 0; axis < dimension; axis++)
        if (abs(item->axis[axis]) >= 1 && abs(item->axis[axis]) <= dimension)
            seen |= 1U << abs(item->axis[axis]);
    return seen == (2U << dimension) - 2
               ? TESS_OK
               : tess_cgns_fail(file, what, item->name,
                                "its transform %d %d %d does not name each axis once",
                                item->axis[0], item->axis[1], item->axis[2]);
}

/* Checks that a range of the library's, [2][dimension], lies in the box. */
static tess_status check_range(const tess_cgns_file *file, const tess_cgns_interface *item,
                               const tess_cgns_block *block) {
    for (int axis = 0; axis < block->dimension; axis++) {
        const int64_t a = item->first[axis], b = item->last[axis];
        if (a < 1 || a > block->size[axis] || b < 1 || b > block->size[axis])
            return tess_cgns_fail(file, what, item->name,
                                  "its range %" PRId64 "..%" PRId64 " along axis %d is not in "
                                  "1..%" PRId64,
                                  a, b, axis + 1, block->size[axis]);
    }
    return TESS_OK;
}

/* Bytes that the library may fill with a range: it reads all that the file has, which of HDF5 is
 * no more than a range (cgns_types.h). */
static int64_t bytes_of_range(const tess_cgns_file *file) {
    enum { RANGE = 2 * 3 * 8 };
    return tess_hdf_is_content(file->text) ? RANGE : file->text->size + RANGE;
}

static tess_status read_interface(tess_cgns_file *file, const tess_cgns_block *block, int number,
                                  tess_cgns_interface *item) {
    const tess_cgns *library = &file->library;
    const int dimension = block->dimension;
    tess_status status = TESS_OK;
    char *range = NULL, *donor = NULL;
    CHECK(TESS_ZEROS(bytes_of_range(file), &range));
    CHECK(TESS_ZEROS(bytes_of_range(file), &donor));
    if (library->interface(file->id, file->base, file->zone, number, item->name, item->donor, range,
                           donor, item->axis) != 0)
        CHECK(tess_cgns_library_fail(file, what, item->name));
    for (int axis = 0; axis < dimension; axis++) {
        item->first[axis] = tess_cgns_size_at(file, range, axis);
        item->last[axis] = tess_cgns_size_at(file, range, dimension + axis);
        item->donor_first[axis] = tess_cgns_size_at(file, donor, axis);
    }
    CHECK(check_axes(file, item, dimension));
    CHECK(check_range(file, item, block));
done:
    free(range);
    free(donor);
    return status;
}

tess_status tess_cgns_interfaces_read(tess_cgns_file *file, const tess_cgns_block *block,
                                      bool structured, tess_cgns_interfaces *interfaces) {
    int n = 0;
    tess_cgns_position position = {.zone = file->zone,
                                   .structured = structured,
                                   .first_node = file->grouped.n_nodes,
                                   .block = *block};
    snprintf(position.name, sizeof position.name, "%s", file->zone_name);
    TRY(TESS_RESERVE(interfaces->n_positions + 1, &interfaces->place_capacity,
                     &interfaces->positions));
    interfaces->positions[interfaces->n_positions] = position;
    if (structured && file->library.n_interfaces(file->id, file->base, file->zone, &n) != 0)
        return tess_cgns_library_fail(file, "zone", file->zone_name);
    for (int number = 1; number <= n; number++) {
        tess_cgns_interface item = {
            .position = interfaces->n_positions, .first = {1, 1, 1}, .last = {1, 1, 1}};
        TRY(read_interface(file, block, number, &item));
        TRY(TESS_RESERVE(interfaces->n + 1, &interfaces->capacity, &interfaces->items));
        interfaces->items[interfaces->n++] = item;
    }
    interfaces->n_positions++;
    interfaces->n_structured += structured;
    return TESS_OK;
}

/* --- joining ---------------------------------------------------------------------------------- */

/* The pairs of nodes of an interface. */
typedef struct node_pairs {
    const tess_cgns_interface *item;
    const tess_cgns_position *own, *donor;
    int64_t size[3]; /* nodes along each axis */
    int64_t n;
} node_pairs;

static int64_t node_of(const tess_cgns_position *position, const int64_t at[3]) {
    const int64_t *size = position->block.size;
    return position->first_node + ((at[2] - 1) * size[1] + at[1] - 1) * size[0] + at[0] - 1;
}

/* Gives the nodes of pair i; false where the donor has none there. */
static bool find_pair(const node_pairs *pairs, int64_t i, int64_t *own, int64_t *donor) {
    const tess_cgns_interface *item = pairs->item;
    int64_t at[3] = {1, 1, 1}, there[3] = {1, 1, 1};
    for (int axis = 0; axis < pairs->own->block.dimension; axis++)
        there[axis] = item->donor_first[axis];
    for (int axis = 0; axis < pairs->own->block.dimension; axis++) {
        const int64_t step = i % pairs->size[axis];
        const int other = item->axis[axis];
        i /= pairs->size[axis];
        at[axis] = item->first[axis] + (item->last[axis] < item->first[axis] ? -step : step);
        there[abs(other) - 1] +=
            (other < 0) == (item->last[axis] < item->first[axis]) ? step : -step;
    }
    for (int axis = 0; axis < 3; axis++)
        if (there[axis] < 1 || there[axis] > pairs->donor->block.size[axis])
            return false;
    *own = node_of(pairs->own, at);
    *donor = node_of(pairs->donor, there);
    return true;
}

const tess_cgns_position *tess_cgns_position_find(const tess_cgns_interfaces *interfaces,
                                                  const char *name) {
    for (int64_t i = 0; i < interfaces->n_positions; i++)
        if (strcmp(interfaces->positions[i].name, name) == 0)
            return &interfaces->positions[i];
    return NULL;
}

static tess_status find_pairs(tess_cgns_file *file, const tess_cgns_interfaces *interfaces,
                              const tess_cgns_interface *item, node_pairs *out) {
    *out = (node_pairs){.item = item, .own = &interfaces->positions[item->position], .n = 1};
    for (int axis = 0; axis < 3; axis++) {
        out->size[axis] = llabs(item->last[axis] - item->first[axis]) + 1;
        out->n *= out->size[axis];
    }
    out->donor = tess_cgns_position_find(interfaces, item->donor);
    if (!out->donor || !out->donor->structured)
        return tess_cgns_fail(file, what, item->name, "there is no structured zone '%.32s'",
                              item->donor);
    int64_t own = 0, donor = 0; /* the others lie between the first pair and the last */
    if (!find_pair(out, 0, &own, &donor) || !find_pair(out, out->n - 1, &own, &donor))
        return tess_cgns_fail(file, what, item->name, "its range is not in the zone '%.32s'",
                              item->donor);
    return TESS_OK;
}

/* Whether the nodes of all pairs lie at one place, by a thousandth of how far the interface
 * extends: periodic ones lie as far apart as the zones. */
static bool lie_together(const tess_grouped *grouped, const node_pairs *pairs) {
    const int dimension = grouped->dimension;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double extent = 0, most = 0;
    for (int64_t i = 0; i < pairs->n; i++) {
        int64_t own = 0, donor = 0;
        find_pair(pairs, i, &own, &donor);
        for (int axis = 0; axis < dimension; axis++) {
            const double x = grouped->coordinates[own * dimension + axis];
            low[axis] = fmin(low[axis], x);
            high[axis] = fmax(high[axis], x);
            most = fmax(most, fabs(x - grouped->coordinates[donor * dimension + axis]));
        }
    }
    for (int axis = 0; axis < dimension; axis++)
        extent = fmax(extent, high[axis] - low[axis]);
    return most <= 1e-3 * extent;
}

/* Gives the node that each becomes, itself or a lower one. */
static void join_pairs(const node_pairs *pairs, int32_t *joined) {
    for (int64_t i = 0; i < pairs->n; i++) {
        int64_t own = 0, donor = 0;
        find_pair(pairs, i, &own, &donor);
        tess_sets_join(joined, (int32_t)own, (int32_t)donor);
    }
}

tess_status tess_cgns_interfaces_join(tess_cgns_file *file, tess_cgns_interfaces *interfaces,
                                      tess_cgns_faces *faces) {
    tess_status status = TESS_OK;
    const int64_t n_nodes = file->grouped.n_nodes;
    int32_t *joined = NULL;
    if (interfaces->n == 0 && interfaces->linked.n == 0)
        return TESS_OK;
    CHECK(TESS_ALLOC(n_nodes, &joined));
    for (int64_t i = 0; i < n_nodes; i++)
        joined[i] = (int32_t)i;
    for (int64_t i = 0; i < interfaces->n; i++) {
        node_pairs pairs;
        file->zone = interfaces->positions[interfaces->items[i].position].zone;
        CHECK(find_pairs(file, interfaces, &interfaces->items[i], &pairs));
        const bool apart = !lie_together(&file->grouped, &pairs);
        if (!apart || interfaces->linked.joins)
            join_pairs(&pairs, joined);
        if (apart)
            interfaces->n_pairs_apart += pairs.n;
        if (apart && interfaces->n_apart++ == 0)
            memcpy(interfaces->apart, interfaces->items[i].name, sizeof interfaces->apart);
    }
    for (int64_t i = 0; i < interfaces->linked.n; i++)
        tess_sets_join(joined, interfaces->linked.pairs[i][0], interfaces->linked.pairs[i][1]);
    for (int64_t i = 0; i < n_nodes; i++)
        joined[i] = tess_root_of(joined, (int32_t)i);
    CHECK(tess_joined_nodes_pack(&file->grouped, joined));
    for (int64_t i = 0; i < faces->n_values; i++)
        faces->rings.value[i] = joined[faces->rings.value[i]];
done:
    free(joined);
    return status;
}

static tess_status warn_of_joined(const tess_cgns_interfaces *interfaces, tess_mesh *mesh) {
    const tess_name_counts others = interfaces->other_links;
    tess_periodic joined = interfaces->linked;
    joined.n_sides += interfaces->n_apart;
    joined.n += interfaces->n_pairs_apart;
    TRY(tess_periodic_warn(&joined, mesh));
    return others.n ? tess_mesh_warn(mesh,
                                     "%d links between zones list no pairs of nodes and were left "
                                     "out: %s",
                                     others.n, tess_name_counts_text(&others))
                    : TESS_OK;
}

tess_status tess_cgns_interfaces_warn(const tess_cgns_interfaces *interfaces, int64_t n_links,
                                      tess_mesh *mesh) {
    if (interfaces->linked.joins)
        return warn_of_joined(interfaces, mesh);
    if (interfaces->n_apart)
        TRY(tess_mesh_warn(mesh,
                           "%" PRId64 " of %" PRId64 " 1-to-1 interfaces lie elsewhere than "
                           "their donors, as periodic ones do, and were not joined (the first "
                           "is '%s'; MESH:periodic=join joins them)",
                           interfaces->n_apart, interfaces->n, interfaces->apart));
    if (n_links)
        TRY(tess_mesh_warn(mesh,
                           "%" PRId64 " links between zones by lists of points were left out: the "
                           "zones stay apart (MESH:periodic=join makes each pair of nodes one, "
                           "MESH:merge=TOLERANCE nodes at one place)",
                           n_links));
    return TESS_OK;
}

void tess_cgns_interfaces_clear(tess_cgns_interfaces *interfaces) {
    free(interfaces->positions);
    free(interfaces->items);
    tess_periodic_clear(&interfaces->linked);
    *interfaces = (tess_cgns_interfaces){.n = 0};
}

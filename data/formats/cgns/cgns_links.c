/* The links between zones of a CGNS file by lists of nodes. Format: CGNS/SIDS, "General Interface
 * Connectivity", but of the type Overset, at vertices, with a donor for each. */
#include "data/formats/cgns/cgns_links.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "link";

/* What the library says of a link. */
typedef struct link_head {
    char name[CGNS_NAME_SIZE], donor[CGNS_NAME_SIZE];
    int position, type, data_type;
    int64_t n, n_donor; /* points */
} link_head;

static tess_status read_head(tess_cgns_file *file, int number, link_head *head) {
    int kind = 0, zone_type = 0, donor_kind = 0;
    tess_cgns_size n = {.wide = 0}, n_donor = {.wide = 0};
    *head = (link_head){.n = 0};
    if (file->library.link(file->id, file->base, file->zone, number, head->name, &head->position,
                           &head->type, &kind, &n, head->donor, &zone_type, &donor_kind,
                           &head->data_type, &n_donor) != 0)
        return tess_cgns_library_fail(file, what, head->name);
    head->n = tess_cgns_size_at(file, &n, 0);
    head->n_donor = tess_cgns_size_at(file, &n_donor, 0);
    return TESS_OK;
}

/* Checks that an array of the link has no more than n numbers: the library reads them all. */
static tess_status check_array(const tess_cgns_file *file, const char *link, const char *name,
                               int64_t n, bool *found) {
    const tess_cgns_array array = {what, link, "ZoneGridConnectivity/", name};
    int tree = 0;
    double node = 0;
    TRY(tess_cgns_array_find(file, &array, &tree, &node, found));
    return *found ? tess_cgns_array_check(file, &array, n) : TESS_OK;
}

/* The node of point i of a list: a number along each axis of the zone. */
static tess_status find_node(const tess_cgns_file *file, const link_head *head,
                             const tess_cgns_position *zone, const char *points, int64_t i,
                             int32_t *node) {
    const tess_cgns_block *block = &zone->block;
    int64_t stride = 1, found = zone->first_node;
    for (int axis = 0; axis < block->dimension; axis++) {
        const int64_t at = tess_cgns_size_at(file, points, i * block->dimension + axis);
        if (at < 1 || at > block->size[axis])
            return tess_cgns_fail(file, what, head->name,
                                  "the number %" PRId64 " is not in 1..%" PRId64 ", the nodes of "
                                  "the zone '%.32s'",
                                  at, block->size[axis], zone->name);
        found += (at - 1) * stride;
        stride *= block->size[axis];
    }
    *node = (int32_t)found;
    return TESS_OK;
}

/* Two zones, of which one names nodes of the other, and the lists of these. */
typedef struct linked_zones {
    const tess_cgns_position *own, *donor;
    char *points, *donor_points; /* owned */
} linked_zones;

static tess_status read_points(tess_cgns_file *file, int number, const link_head *head,
                               linked_zones *zones) {
    const int64_t n = head->n * zones->own->block.dimension;
    const int64_t n_donor = head->n * zones->donor->block.dimension;
    TRY(tess_cgns_sizes_alloc(file, what, head->name, n, &zones->points));
    TRY(tess_cgns_sizes_alloc(file, what, head->name, n_donor, &zones->donor_points));
    if (file->library.link_points(file->id, file->base, file->zone, number, zones->points,
                                  head->data_type, zones->donor_points) != 0)
        return tess_cgns_library_fail(file, what, head->name);
    return TESS_OK;
}

/* Whether the link has a node for each of its nodes, in arrays of no more than these. */
static tess_status has_pairs(const tess_cgns_file *file, const link_head *head,
                             const linked_zones *zones, bool *has) {
    bool found = false, donor_found = false;
    *has = head->position == CGNS_VERTEX && head->type != CGNS_OVERSET &&
           head->n == head->n_donor && head->n > 0;
    if (!*has)
        return TESS_OK;
    if (!zones->donor)
        return tess_cgns_fail(file, what, head->name, "there is no zone '%.32s'", head->donor);
    if (head->n > file->text->size)
        return tess_cgns_fail(file, what, head->name, "it announces more than the file holds");
    TRY(check_array(file, head->name, "PointList", head->n * zones->own->block.dimension, &found));
    TRY(check_array(file, head->name, "PointListDonor", head->n * zones->donor->block.dimension,
                    &donor_found));
    *has = found && donor_found;
    return TESS_OK;
}

static tess_status read_link(tess_cgns_file *file, tess_cgns_interfaces *interfaces,
                             const tess_cgns_position *own, int number) {
    tess_status status = TESS_OK;
    link_head head;
    linked_zones zones = {.own = own};
    bool has = false;
    CHECK(read_head(file, number, &head));
    zones.donor = tess_cgns_position_find(interfaces, head.donor);
    CHECK(has_pairs(file, &head, &zones, &has));
    if (!has) {
        tess_name_counts_add(&interfaces->other_links, head.name, head.n);
        goto done;
    }
    CHECK(read_points(file, number, &head, &zones));
    for (int64_t i = 0; i < head.n; i++) {
        int32_t node = 0, donor = 0;
        CHECK(find_node(file, &head, own, zones.points, i, &node));
        CHECK(find_node(file, &head, zones.donor, zones.donor_points, i, &donor));
        CHECK(tess_periodic_add(&interfaces->linked, node, donor));
    }
    interfaces->linked.n_sides++;
done:
    free(zones.points);
    free(zones.donor_points);
    return status;
}

tess_status tess_cgns_links_read(tess_cgns_file *file, tess_cgns_interfaces *interfaces) {
    for (int64_t i = 0; i < interfaces->n_positions; i++) {
        const tess_cgns_position *own = &interfaces->positions[i];
        int n = 0;
        file->zone = own->zone;
        memcpy(file->zone_name, own->name, sizeof file->zone_name);
        if (file->library.n_links(file->id, file->base, own->zone, &n) != 0)
            return tess_cgns_library_fail(file, "zone", own->name);
        for (int number = 1; number <= n; number++)
            TRY(read_link(file, interfaces, own, number));
    }
    return TESS_OK;
}

/* A Gmsh file being read: what its versions 2 and 4.1 share. */
#pragma once

#include "data/formats/periodic.h"
#include "data/formats/scan.h"
#include "data/formats/tag_index.h"
#include <stdlib.h>

/* A type of elements in Gmsh's numbering. */
typedef struct tess_gmsh_type {
    tess_element_type type;
    int n_nodes; /* corners first, then those of higher orders */
} tess_gmsh_type;

/* A geometric entity, and the physical groups that it belongs to. */
typedef struct tess_gmsh_entity {
    int dimension;
    int32_t tag;
    int32_t n_groups;
    int64_t first_group; /* in the file's `groups` */
} tess_gmsh_entity;

typedef struct tess_gmsh_name {
    int dimension;
    int32_t physical;
    char text[TESS_GROUP_NAME_SIZE];
} tess_gmsh_name;

typedef struct tess_gmsh {
    tess_scan scan;
    int version; /* 2 or 4, 0 until $MeshFormat is read */
    bool binary, has_nodes, has_elements, parametric;
    int64_t tags_capacity, coordinates_capacity;
    int64_t *tags; /* [n_nodes], as the file names them */
    tess_tag_index index;
    /* an element's group is its physical group, or minus its entity where it has none */
    tess_grouped grouped;
    int64_t n_entities, entities_capacity;
    tess_gmsh_entity *entities; /* sorted by dimension and tag */
    int64_t n_groups, groups_capacity;
    int32_t *groups; /* of all entities */
    tess_periodic periodic;
    int64_t n_data[3];  /* sections of data on nodes, on elements, on nodes of elements */
    int64_t n_repeated; /* rows for the second group of elements and further ones */
    int64_t n_names, names_capacity;
    tess_gmsh_name *names;
    /* of the block of elements that is being read */
    const tess_gmsh_type *block_type;
    int32_t block_marker;
} tess_gmsh;

/* Finds the type of Gmsh's number; fails (INPUT) at the scan's place when it is unknown. */
TESS_MUST_CHECK tess_status tess_gmsh_type_find(const tess_scan *scan, int64_t number,
                                                const tess_gmsh_type **out);
/* Fills the type and the corners of an element from a line and passes over its other nodes. */
TESS_MUST_CHECK tess_status tess_gmsh_read_corners(const tess_gmsh *gmsh, tess_scan *line,
                                                   const tess_gmsh_type *type,
                                                   tess_element *element);
/* Appends the last n elements of a type again, now of another group. */
TESS_MUST_CHECK tess_status tess_gmsh_repeat(tess_gmsh *gmsh, tess_element_type type, int64_t n,
                                             int32_t marker);
/* What an element of a physical group (0: none) and an entity has as `marker` until the end. */
static inline int32_t tess_gmsh_marker(int64_t physical, int64_t entity) {
    return (int32_t)(physical ? llabs(physical) : -llabs(entity)); /* signs are orientations */
}
/* Finds the node of a tag; fails (INPUT) at the scan's place where the file has no such node. */
TESS_MUST_CHECK tess_status tess_gmsh_find_node(const tess_gmsh *gmsh, const tess_scan *scan,
                                                int64_t tag, int32_t *node);
/* Reads what is between $Periodic and its end. */
TESS_MUST_CHECK tess_status tess_gmsh_periodic(tess_gmsh *gmsh);
/* Reads `n` binary elements: of each `n_before` numbers and the tags of its nodes, all of
 * `number_bytes` (4 or 8) bytes. The block's marker is theirs, but where `own_groups` is set and
 * there are numbers for it: then number 1 is the physical group and number 2 the entity. */
TESS_MUST_CHECK tess_status tess_gmsh_raw_elements(tess_gmsh *gmsh, int64_t n, int n_before,
                                                   int number_bytes, bool own_groups);
/* Makes room for `n` more nodes behind the n_nodes that there are. */
TESS_MUST_CHECK tess_status tess_gmsh_reserve_nodes(tess_gmsh *gmsh, int64_t n);
/* Reads the three coordinates of node number `node` from `raw`. */
TESS_MUST_CHECK tess_status tess_gmsh_raw_node(tess_gmsh *gmsh, const char *raw, int64_t node);

/* Read what is between $Entities and $EndEntities, $Nodes and $EndNodes, $Elements and $EndElements
 * of version 4.1; the first also what is between $PartitionedEntities and its end, `are_parts`. */
TESS_MUST_CHECK tess_status tess_gmsh4_entities(tess_gmsh *gmsh, bool are_parts);
TESS_MUST_CHECK tess_status tess_gmsh4_nodes(tess_gmsh *gmsh);
TESS_MUST_CHECK tess_status tess_gmsh4_elements(tess_gmsh *gmsh);

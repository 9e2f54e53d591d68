/* Gmsh 4.1: entities, blocks of nodes and blocks of elements, text and binary. */
#include "data/formats/gmsh.h"

#include "core/base/array.h"
#include <inttypes.h>
#include <stdlib.h>

/* The dimensions of entities, and that which those of ghosts have here. */
enum { POINTS, CURVES, SURFACES, VOLUMES, GHOSTS };

/* Reads n whole numbers: one text line, or binary ones of 8 bytes. */
static tess_status read_numbers(tess_gmsh *gmsh, const char *what, int n, int64_t *numbers) {
    const char *raw = NULL;
    if (gmsh->binary)
        TRY(tess_scan_raw(&gmsh->scan, what, n, 8, &raw));
    else
        tess_scan_find_line(&gmsh->scan);
    for (int i = 0; i < n; i++) {
        if (gmsh->binary)
            numbers[i] = tess_raw_int64(raw + i * 8, gmsh->scan.swap);
        else
            TRY(tess_scan_integer(&gmsh->scan, what, INT64_MIN, INT64_MAX, &numbers[i]));
        if (numbers[i] < 0)
            return tess_scan_fail(&gmsh->scan, "the %s %" PRId64 " is negative", what, numbers[i]);
    }
    return gmsh->binary ? TESS_OK : tess_scan_finish_line(&gmsh->scan);
}

/* The header of a block: three numbers of 4 bytes and the number of rows. */
static tess_status read_block_header(tess_gmsh *gmsh, int64_t header[4]) {
    if (!gmsh->binary) {
        if (!tess_scan_find_line(&gmsh->scan))
            return tess_scan_fail(&gmsh->scan, "the file ends where a block should be");
        for (int i = 0; i < 3; i++)
            TRY(tess_scan_integer(&gmsh->scan, "number in the head of a block", INT32_MIN,
                                  INT32_MAX, &header[i]));
        TRY(tess_scan_integer(&gmsh->scan, "number of rows of the block", 0, INT64_MAX,
                              &header[3]));
        return tess_scan_finish_line(&gmsh->scan);
    }
    const char *raw = NULL;
    TRY(tess_scan_raw(&gmsh->scan, "numbers in the head of a block", 3, 4, &raw));
    for (int i = 0; i < 3; i++)
        header[i] = tess_raw_int32(raw + i * 4, gmsh->scan.swap);
    TRY(tess_scan_raw(&gmsh->scan, "number of rows of the block", 1, 8, &raw));
    header[3] = tess_raw_int64(raw, gmsh->scan.swap);
    return TESS_OK;
}

/* Passes over what a part of an entity has behind its tag: the dimension and tag of the whole, and
 * the partitions that it belongs to. */
static tess_status pass_partitions(tess_gmsh *gmsh) {
    tess_scan *scan = &gmsh->scan;
    const char *raw = NULL;
    int64_t n = 0, number = 0;
    if (gmsh->binary) {
        TRY(tess_scan_raw(scan, "entity that is parted", 1, 4 + 4 + 8, &raw));
        return tess_scan_raw(scan, "partitions", tess_raw_int64(raw + 8, scan->swap), 4, &raw);
    }
    for (int i = 0; i < 2; i++)
        TRY(tess_scan_integer(scan, "entity that is parted", INT32_MIN, INT32_MAX, &number));
    TRY(tess_scan_integer(scan, "number of partitions", 0, INT32_MAX, &n));
    for (int64_t i = 0; i < n; i++)
        TRY(tess_scan_integer(scan, "partition", INT32_MIN, INT32_MAX, &number));
    return TESS_OK;
}

static tess_status add_group(tess_gmsh *gmsh, int64_t group, tess_gmsh_entity *entity) {
    TRY(TESS_RESERVE(gmsh->n_groups + 1, &gmsh->groups_capacity, &gmsh->groups));
    gmsh->groups[gmsh->n_groups++] = tess_gmsh_marker(group, entity->tag);
    entity->n_groups++;
    return TESS_OK;
}

/* Reads the physical groups of an entity or a part of one, behind its tag: after its bounding box;
 * and passes over what bounds it. */
static tess_status read_groups(tess_gmsh *gmsh, tess_gmsh_entity *entity) {
    tess_scan *scan = &gmsh->scan;
    const int n_reals = entity->dimension == 0 ? 3 : 6;
    const char *raw = NULL;
    int64_t n = 0, group = 0;
    double real = 0;
    if (!gmsh->binary) {
        for (int i = 0; i < n_reals; i++)
            TRY(tess_scan_real(scan, "bound of the entity", &real));
        TRY(tess_scan_integer(scan, "number of physical groups", 0, INT32_MAX, &n));
        for (int64_t i = 0; i < n; i++) {
            TRY(tess_scan_integer(scan, "physical group", INT32_MIN, INT32_MAX, &group));
            TRY(add_group(gmsh, group, entity));
        }
        tess_scan_skip_line(scan); /* the entities that bound it */
        return TESS_OK;
    }
    TRY(tess_scan_raw(scan, "entity", 1, n_reals * 8 + 8, &raw));
    n = tess_raw_int64(raw + n_reals * 8, scan->swap);
    TRY(tess_scan_raw(scan, "physical groups", n, 4, &raw));
    for (int64_t i = 0; i < n; i++)
        TRY(add_group(gmsh, tess_raw_int32(raw + 4 * i, scan->swap), entity));
    if (entity->dimension == 0)
        return TESS_OK;
    TRY(tess_scan_raw(scan, "number of bounding entities", 1, 8, &raw));
    return tess_scan_raw(scan, "bounding entities", tess_raw_int64(raw, scan->swap), 4, &raw);
}

/* Reads an entity, or a part of one. */
static tess_status read_entity(tess_gmsh *gmsh, bool is_part, tess_gmsh_entity *entity) {
    int64_t tag = 0;
    const char *raw = NULL;
    if (gmsh->binary) {
        TRY(tess_scan_raw(&gmsh->scan, "entity", 1, 4, &raw));
        tag = tess_raw_int32(raw, gmsh->scan.swap);
    } else {
        tess_scan_find_line(&gmsh->scan);
        TRY(tess_scan_integer(&gmsh->scan, "entity tag", INT32_MIN, INT32_MAX, &tag));
    }
    if (is_part)
        TRY(pass_partitions(gmsh));
    entity->tag = (int32_t)tag;
    entity->first_group = gmsh->n_groups;
    return read_groups(gmsh, entity);
}

static int compare_entities(const void *a, const void *b) {
    const tess_gmsh_entity *left = a, *right = b;
    if (left->dimension != right->dimension)
        return left->dimension - right->dimension;
    return (left->tag > right->tag) - (left->tag < right->tag);
}

static tess_status add_entity(tess_gmsh *gmsh, const tess_gmsh_entity *entity) {
    TRY(TESS_RESERVE(gmsh->n_entities + 1, &gmsh->entities_capacity, &gmsh->entities));
    gmsh->entities[gmsh->n_entities++] = *entity;
    return TESS_OK;
}

/* Adds an entity of ghosts, copies of cells: it has the dimension GHOSTS here, as its tag may be
 * that of another entity. */
static tess_status add_ghosts(tess_gmsh *gmsh, int64_t tag) {
    return add_entity(gmsh, &(tess_gmsh_entity){.dimension = GHOSTS, .tag = (int32_t)tag});
}

/* The head of parts: how many partitions there are, and the entities of ghosts with the partition
 * of each. */
static tess_status read_ghosts(tess_gmsh *gmsh) {
    int64_t n_partitions = 0, n = 0, tag = 0;
    const char *raw = NULL;
    TRY(read_numbers(gmsh, "number of partitions", 1, &n_partitions));
    TRY(read_numbers(gmsh, "number of ghost entities", 1, &n));
    if (gmsh->binary)
        TRY(tess_scan_raw(&gmsh->scan, "ghost entities", n, 8, &raw));
    for (int64_t i = 0; i < n; i++) {
        if (gmsh->binary) {
            TRY(add_ghosts(gmsh, tess_raw_int32(raw + 8 * i, gmsh->scan.swap)));
            continue;
        }
        if (!tess_scan_find_line(&gmsh->scan))
            return tess_scan_fail(&gmsh->scan, "the file ends where a ghost entity should be");
        TRY(tess_scan_integer(&gmsh->scan, "tag of ghosts", INT32_MIN, INT32_MAX, &tag));
        TRY(add_ghosts(gmsh, tag));
        tess_scan_skip_line(&gmsh->scan);
    }
    return TESS_OK;
}

tess_status tess_gmsh4_entities(tess_gmsh *gmsh, bool are_parts) {
    int64_t counts[4];
    if (are_parts)
        TRY(read_ghosts(gmsh));
    TRY(read_numbers(gmsh, "number of entities", 4, counts));
    for (int dimension = 0; dimension < 4; dimension++) {
        for (int64_t i = 0; i < counts[dimension]; i++) {
            tess_gmsh_entity entity = {.dimension = dimension};
            TRY(read_entity(gmsh, are_parts, &entity));
            TRY(add_entity(gmsh, &entity));
        }
    }
    if (gmsh->n_entities)
        qsort(gmsh->entities, (size_t)gmsh->n_entities, sizeof *gmsh->entities, compare_entities);
    return TESS_OK;
}

/* The entity, or NULL. */
static const tess_gmsh_entity *find_entity(const tess_gmsh *gmsh, int64_t dimension, int64_t tag) {
    const tess_gmsh_entity wanted = {.dimension = (int)dimension, .tag = (int32_t)tag};
    return gmsh->n_entities ? bsearch(&wanted, gmsh->entities, (size_t)gmsh->n_entities,
                                      sizeof wanted, compare_entities)
                            : NULL;
}

static tess_status parse_tag(tess_scan *line, const void *context, void *slot) {
    (void)context;
    return tess_scan_integer(line, "node tag", INT64_MIN, INT64_MAX, slot);
}

/* One row: x y z, and up to three parameters on the entity. */
static tess_status parse_node(tess_scan *line, const void *context, void *slot) {
    (void)context;
    double *x = slot, parameter = 0;
    for (int axis = 0; axis < 3; axis++)
        TRY(tess_scan_real(line, "coordinate", &x[axis]));
    for (int i = 0; i < 3 && !tess_scan_line_done(line); i++)
        TRY(tess_scan_real(line, "parameter of the node", &parameter));
    return TESS_OK;
}

static tess_status read_node_block(tess_gmsh *gmsh, int64_t n) {
    tess_row_format tag_rows = {"node tags", 2, sizeof(int64_t), parse_tag, NULL, NULL};
    tess_row_format node_rows = {"nodes", 6, 3 * sizeof(double), parse_node, NULL, NULL};
    TRY(tess_scan_expect_rows(&gmsh->scan, &node_rows, n));
    if (n == 0)
        return TESS_OK; /* there may be no arrays yet to read into */
    TRY(tess_gmsh_reserve_nodes(gmsh, n));
    tag_rows.to = gmsh->tags + gmsh->grouped.n_nodes;
    node_rows.to = gmsh->grouped.coordinates + 3 * gmsh->grouped.n_nodes;
    TRY(tess_scan_rows(&gmsh->scan, &tag_rows, n, gmsh));
    return tess_scan_rows(&gmsh->scan, &node_rows, n, gmsh);
}

static tess_status raw_node_block(tess_gmsh *gmsh, int64_t n, int n_parameters) {
    const char *tags = NULL, *nodes = NULL;
    const int64_t record = (3 + n_parameters) * 8;
    TRY(tess_scan_raw(&gmsh->scan, "node tags", n, 8, &tags));
    TRY(tess_scan_raw(&gmsh->scan, "nodes", n, record, &nodes));
    TRY(tess_gmsh_reserve_nodes(gmsh, n));
    for (int64_t i = 0; i < n; i++) {
        gmsh->tags[gmsh->grouped.n_nodes + i] = tess_raw_int64(tags + i * 8, gmsh->scan.swap);
        TRY(tess_gmsh_raw_node(gmsh, nodes + i * record, gmsh->grouped.n_nodes + i));
        tess_scan_passed(&gmsh->scan, i, tags, tags + 8 * i);
        tess_scan_passed(&gmsh->scan, i, nodes, nodes + i * record);
    }
    return TESS_OK;
}

/* Fails unless the blocks held as many rows as the section's head says. */
static tess_status check_total(const tess_gmsh *gmsh, const char *what, int64_t stated,
                               int64_t found) {
    if (stated == found)
        return TESS_OK;
    return tess_scan_fail(&gmsh->scan, "%" PRId64 " %s are stated, but the blocks hold %" PRId64,
                          stated, what, found);
}

tess_status tess_gmsh4_nodes(tess_gmsh *gmsh) {
    int64_t counts[4]; /* blocks, nodes, lowest and highest tag */
    TRY(read_numbers(gmsh, "number in the head of the section", 4, counts));
    for (int64_t block = 0; block < counts[0]; block++) {
        int64_t header[4]; /* dimension and tag of the entity, parametric, nodes */
        TRY(read_block_header(gmsh, header));
        if (header[0] < 0 || header[0] > 3)
            return tess_scan_fail(&gmsh->scan, "an entity of dimension %" PRId64, header[0]);
        if (gmsh->binary)
            TRY(raw_node_block(gmsh, header[3], header[2] ? (int)header[0] : 0));
        else
            TRY(read_node_block(gmsh, header[3]));
        gmsh->grouped.n_nodes += header[3];
    }
    return check_total(gmsh, "nodes", counts[1], gmsh->grouped.n_nodes);
}

/* One row: tag, nodes. */
static tess_status parse_element(tess_scan *line, const void *context, void *slot) {
    const tess_gmsh *gmsh = context;
    tess_element *element = slot;
    int64_t tag = 0;
    TRY(tess_scan_integer(line, "element tag", INT64_MIN, INT64_MAX, &tag));
    element->marker = gmsh->block_marker;
    return tess_gmsh_read_corners(gmsh, line, gmsh->block_type, element);
}

/* Passes over n elements that are copies of other parts'; their nodes may not be in the file. */
static tess_status pass_ghosts(tess_gmsh *gmsh, int64_t n) {
    const char *raw = NULL;
    gmsh->grouped.elements.n_ghosts += n;
    if (gmsh->binary)
        return tess_scan_raw(&gmsh->scan, "ghosts", n, 8 * (1 + gmsh->block_type->n_nodes), &raw);
    for (int64_t i = 0; i < n; i++) {
        if (!tess_scan_find_line(&gmsh->scan))
            return tess_scan_fail(&gmsh->scan, "the file ends where a ghost should be");
        tess_scan_skip_line(&gmsh->scan);
    }
    return TESS_OK;
}

/* Reads a block: dimension and tag of the entity, type, elements. An element of an entity in
 * several groups is stated once for each. */
static tess_status read_block(tess_gmsh *gmsh, const int64_t header[4]) {
    const tess_row_format rows = {"elements",           4,
                                  sizeof(tess_element), parse_element,
                                  tess_elements_take,   &gmsh->grouped.elements};
    const tess_gmsh_entity *entity = find_entity(gmsh, header[0], header[1]);
    const int n_groups = entity ? entity->n_groups : 0;
    TRY(tess_gmsh_type_find(&gmsh->scan, header[2], &gmsh->block_type));
    if (!entity && find_entity(gmsh, GHOSTS, header[1]))
        return pass_ghosts(gmsh, header[3]);
    gmsh->block_marker =
        n_groups ? gmsh->groups[entity->first_group] : tess_gmsh_marker(0, header[1]);
    if (gmsh->binary)
        TRY(tess_gmsh_raw_elements(gmsh, header[3], 1, 8, false));
    else
        TRY(tess_scan_rows(&gmsh->scan, &rows, header[3], gmsh));
    for (int g = 1; g < n_groups; g++)
        TRY(tess_gmsh_repeat(gmsh, gmsh->block_type->type, header[3],
                             gmsh->groups[entity->first_group + g]));
    return TESS_OK;
}

tess_status tess_gmsh4_elements(tess_gmsh *gmsh) {
    int64_t counts[4], n = 0; /* blocks, elements, lowest and highest tag */
    TRY(read_numbers(gmsh, "number in the head of the section", 4, counts));
    for (int64_t block = 0; block < counts[0]; block++) {
        int64_t header[4];
        TRY(read_block_header(gmsh, header));
        TRY(read_block(gmsh, header));
        n += header[3];
    }
    return check_total(gmsh, "elements", counts[1], n);
}

/* Gmsh 2.x: nodes and elements, text and binary. */
#include "data/formats/gmsh.h"

#include <string.h>

typedef struct node_row {
    int64_t tag;
    double x[3];
} node_row;

static tess_status parse_node(tess_scan *line, const void *context, void *slot) {
    (void)context;
    node_row *node = slot;
    TRY(tess_scan_integer(line, "node tag", INT64_MIN, INT64_MAX, &node->tag));
    for (int axis = 0; axis < 3; axis++)
        TRY(tess_scan_real(line, "coordinate", &node->x[axis]));
    return TESS_OK;
}

static tess_status take_nodes(const void *slots, int64_t first_row, int64_t n_rows, void *context) {
    (void)first_row;
    tess_gmsh *gmsh = context;
    const node_row *rows = slots;
    TRY(tess_gmsh_reserve_nodes(gmsh, n_rows));
    for (int64_t i = 0; i < n_rows; i++, gmsh->n_nodes++) {
        gmsh->tags[gmsh->n_nodes] = rows[i].tag;
        memcpy(gmsh->coordinates + 3 * gmsh->n_nodes, rows[i].x, sizeof rows[i].x);
    }
    return TESS_OK;
}

/* Reads the line that holds the number of rows. */
static tess_status read_count(tess_gmsh *gmsh, const char *what, int64_t *n) {
    tess_scan_find_line(&gmsh->scan);
    TRY(tess_scan_integer(&gmsh->scan, what, 0, INT64_MAX, n));
    return tess_scan_finish_line(&gmsh->scan);
}

static tess_status raw_nodes(tess_gmsh *gmsh, int64_t n) {
    enum { RECORD = 4 + 3 * 8 };
    const char *raw = NULL;
    TRY(tess_scan_raw(&gmsh->scan, "nodes", n, RECORD, &raw));
    TRY(tess_gmsh_reserve_nodes(gmsh, n));
    for (int64_t i = 0; i < n; i++, raw += RECORD) {
        gmsh->tags[i] = tess_raw_int32(raw, gmsh->scan.swap);
        TRY(tess_gmsh_raw_node(gmsh, raw + 4, i));
    }
    gmsh->n_nodes = n;
    return TESS_OK;
}

tess_status tess_gmsh2_nodes(tess_gmsh *gmsh) {
    static const tess_row_format rows = {"nodes", 8, sizeof(node_row), parse_node, take_nodes};
    int64_t n = 0;
    TRY(read_count(gmsh, "number of nodes", &n));
    return gmsh->binary ? raw_nodes(gmsh, n) : tess_scan_rows(&gmsh->scan, &rows, n, gmsh);
}

/* One row: tag, type, number of groups, the groups (physical, entity, partitions), nodes. */
static tess_status parse_element(tess_scan *line, const void *context, void *slot) {
    const tess_gmsh *gmsh = context;
    const tess_gmsh_type *type = NULL;
    int64_t tag = 0, number = 0, n_groups = 0, groups[2] = {0, 0};
    TRY(tess_scan_integer(line, "element tag", INT64_MIN, INT64_MAX, &tag));
    TRY(tess_scan_integer(line, "element type", INT64_MIN, INT64_MAX, &number));
    TRY(tess_gmsh_type_find(line, number, &type));
    TRY(tess_scan_integer(line, "number of tags", 0, INT32_MAX, &n_groups));
    for (int64_t i = 0; i < n_groups; i++) {
        int64_t group = 0;
        TRY(tess_scan_integer(line, "tag of the element", INT32_MIN, INT32_MAX, &group));
        if (i < 2)
            groups[i] = group;
    }
    tess_element *element = slot;
    element->marker = tess_gmsh_marker(groups[0], groups[1]);
    return tess_gmsh_read_corners(gmsh, line, type, element);
}

/* Blocks of a header (type, number of elements, number of groups) and the elements. */
static tess_status raw_elements(tess_gmsh *gmsh, int64_t n) {
    tess_scan *scan = &gmsh->scan;
    for (int64_t done = 0; done < n;) {
        const char *header = NULL;
        TRY(tess_scan_raw(scan, "header", 3, 4, &header));
        const int32_t n_block = tess_raw_int32(header + 4, scan->swap);
        const int32_t n_groups = tess_raw_int32(header + 8, scan->swap);
        TRY(tess_gmsh_type_find(scan, tess_raw_int32(header, scan->swap), &gmsh->block_type));
        if (n_block < 1 || n_block > n - done || n_groups < 0 || n_groups > 1 << 20)
            return tess_scan_fail(scan, "a block of %d elements with %d tags each", n_block,
                                  n_groups);
        gmsh->block_marker = 0;
        TRY(tess_gmsh_raw_elements(gmsh, n_block, 1 + n_groups, 4, true));
        done += n_block;
    }
    return TESS_OK;
}

tess_status tess_gmsh2_elements(tess_gmsh *gmsh) {
    static const tess_row_format rows = {"elements", 8, sizeof(tess_element), parse_element,
                                         tess_gmsh_take_elements};
    int64_t n = 0;
    TRY(read_count(gmsh, "number of elements", &n));
    return gmsh->binary ? raw_elements(gmsh, n) : tess_scan_rows(&gmsh->scan, &rows, n, gmsh);
}

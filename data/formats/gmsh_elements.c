/* The nodes and elements of a Gmsh file: types, corners, binary records. */
#include "data/formats/gmsh.h"

#include "core/base/array.h"
#include <inttypes.h>
#include <math.h>

static const tess_gmsh_type types[] = {
    [1] = {TESS_ELEMENT_LINE, 2},      [2] = {TESS_ELEMENT_TRI, 3},
    [3] = {TESS_ELEMENT_QUAD, 4},      [4] = {TESS_ELEMENT_TET, 4},
    [5] = {TESS_ELEMENT_HEX, 8},       [6] = {TESS_ELEMENT_PRISM, 6},
    [7] = {TESS_ELEMENT_PYRAMID, 5},   [8] = {TESS_ELEMENT_LINE, 3},
    [9] = {TESS_ELEMENT_TRI, 6},       [10] = {TESS_ELEMENT_QUAD, 9},
    [11] = {TESS_ELEMENT_TET, 10},     [12] = {TESS_ELEMENT_HEX, 27},
    [13] = {TESS_ELEMENT_PRISM, 18},   [14] = {TESS_ELEMENT_PYRAMID, 14},
    [15] = {TESS_ELEMENT_POINT, 1},    [16] = {TESS_ELEMENT_QUAD, 8},
    [17] = {TESS_ELEMENT_HEX, 20},     [18] = {TESS_ELEMENT_PRISM, 15},
    [19] = {TESS_ELEMENT_PYRAMID, 13}, [20] = {TESS_ELEMENT_TRI, 9},
    [21] = {TESS_ELEMENT_TRI, 10},     [22] = {TESS_ELEMENT_TRI, 12},
    [23] = {TESS_ELEMENT_TRI, 15},     [24] = {TESS_ELEMENT_TRI, 15},
    [25] = {TESS_ELEMENT_TRI, 21},     [26] = {TESS_ELEMENT_LINE, 4},
    [27] = {TESS_ELEMENT_LINE, 5},     [28] = {TESS_ELEMENT_LINE, 6},
    [29] = {TESS_ELEMENT_TET, 20},     [30] = {TESS_ELEMENT_TET, 35},
    [31] = {TESS_ELEMENT_TET, 56},     [36] = {TESS_ELEMENT_QUAD, 16},
    [37] = {TESS_ELEMENT_QUAD, 25},    [92] = {TESS_ELEMENT_HEX, 64},
    [93] = {TESS_ELEMENT_HEX, 125},
};

tess_status tess_gmsh_type_find(const tess_scan *scan, int64_t number, const tess_gmsh_type **out) {
    if (number < 0 || number >= (int64_t)(sizeof types / sizeof types[0]) ||
        types[number].n_nodes == 0)
        return tess_scan_fail(scan, "unknown element type %" PRId64, number);
    *out = &types[number];
    return TESS_OK;
}

tess_status tess_gmsh_reserve_nodes(tess_gmsh *gmsh, int64_t n) {
    const int64_t wanted = gmsh->n_nodes + n;
    if (wanted > INT32_MAX)
        return tess_scan_fail(&gmsh->scan, "more than 2147483647 nodes");
    TRY(TESS_RESERVE(wanted, &gmsh->tags_capacity, &gmsh->tags));
    return TESS_RESERVE(3 * wanted, &gmsh->coordinates_capacity, &gmsh->coordinates);
}

tess_status tess_gmsh_raw_node(tess_gmsh *gmsh, const char *raw, int64_t node) {
    for (int axis = 0; axis < 3; axis++) {
        const double x = tess_raw_double(raw + axis * 8, gmsh->scan.swap);
        if (!isfinite(x))
            return tess_scan_fail(&gmsh->scan, "node %" PRId64 " has the coordinate %g", node, x);
        gmsh->coordinates[3 * node + axis] = x;
    }
    return TESS_OK;
}

static tess_status find_node(const tess_gmsh *gmsh, const tess_scan *scan, int64_t tag,
                             int32_t *node) {
    *node = tess_tag_index_find(&gmsh->index, tag);
    if (*node < 0)
        return tess_scan_fail(scan, "there is no node %" PRId64, tag);
    return TESS_OK;
}

tess_status tess_gmsh_read_corners(const tess_gmsh *gmsh, tess_scan *line,
                                   const tess_gmsh_type *type, tess_element *element) {
    const int n_corners = tess_element_kinds[type->type].arity;
    element->type = type->type;
    for (int i = 0; i < type->n_nodes; i++) {
        int64_t tag = 0;
        int32_t node = 0;
        TRY(tess_scan_integer(line, "node of the element", INT64_MIN, INT64_MAX, &tag));
        TRY(find_node(gmsh, line, tag, &node));
        if (i < n_corners)
            element->nodes[i] = node;
    }
    element->cut = type->n_nodes > n_corners;
    return TESS_OK;
}

static int64_t raw_number(const char *raw, int number_bytes, bool swap) {
    return number_bytes == 8 ? tess_raw_int64(raw, swap) : tess_raw_int32(raw, swap);
}

tess_status tess_gmsh_raw_elements(tess_gmsh *gmsh, int64_t n, int n_before, int number_bytes,
                                   bool own_groups) {
    enum { BATCH = 256 };
    tess_element batch[BATCH];
    const tess_gmsh_type *type = gmsh->block_type;
    const bool swap = gmsh->scan.swap;
    const int64_t record = (int64_t)(n_before + type->n_nodes) * number_bytes;
    const char *raw = NULL;
    TRY(tess_scan_raw(&gmsh->scan, "elements", n, record, &raw));
    int n_batch = 0;
    for (int64_t i = 0; i < n; i++, raw += record) {
        tess_element *element = &batch[n_batch++];
        element->type = type->type;
        element->cut = type->n_nodes > tess_element_kinds[type->type].arity;
        element->marker = gmsh->block_marker;
        if (own_groups && n_before > 1)
            element->marker = tess_gmsh_marker(
                raw_number(raw + number_bytes, number_bytes, swap),
                n_before > 2 ? raw_number(raw + 2 * number_bytes, number_bytes, swap) : 0);
        for (int j = 0; j < tess_element_kinds[type->type].arity; j++)
            TRY(find_node(gmsh, &gmsh->scan,
                          raw_number(raw + (n_before + j) * number_bytes, number_bytes, swap),
                          &element->nodes[j]));
        if (n_batch == BATCH || i + 1 == n) {
            TRY(tess_elements_append(&gmsh->elements, batch, n_batch));
            n_batch = 0;
        }
    }
    return TESS_OK;
}

tess_status tess_gmsh_take_elements(const void *slots, int64_t first_row, int64_t n_rows,
                                    void *context) {
    (void)first_row;
    tess_gmsh *gmsh = context;
    return tess_elements_append(&gmsh->elements, slots, n_rows);
}

/* gr3: the grids of SCHISM and ADCIRC (hgrid.gr3, fort.14), triangles and quadrilaterals.
 *
 * A title, a line `elements nodes`, a row `id x y depth` for each node, a row `id n nodes...` for
 * each element, and the open and the land boundaries as chains of nodes. Ids are labels and come
 * in any order. Depths go into the dat `depth` on nodes. Format: ADCIRC's user manual, fort.14. */
#include "core/base/array.h"
#include "data/formats/elements.h"
#include "data/formats/reader.h"
#include "data/formats/scan.h"
#include "data/formats/tag_index.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct gr3_file {
    tess_scan scan;
    tess_mesh *mesh;
    int64_t n_nodes;
    int64_t *labels;     /* [n_nodes] */
    double *coordinates; /* [n_nodes][2] */
    double *depth;       /* [n_nodes] */
    tess_tag_index index;
    tess_elements elements;
} gr3_file;

typedef struct node_row {
    int64_t label;
    double x[3]; /* and the depth last */
} node_row;

static tess_status parse_node(tess_scan *line, const void *context, void *slot) {
    (void)context;
    node_row *node = slot;
    TRY(tess_scan_integer(line, "node id", INT64_MIN, INT64_MAX, &node->label));
    TRY(tess_scan_real(line, "x coordinate", &node->x[0]));
    TRY(tess_scan_real(line, "y coordinate", &node->x[1]));
    return tess_scan_real(line, "depth", &node->x[2]);
}

static tess_status take_nodes(const void *slots, int64_t first_row, int64_t n_rows, void *context) {
    gr3_file *file = context;
    const node_row *rows = slots;
    for (int64_t i = 0; i < n_rows; i++) {
        const int64_t node = first_row + i;
        file->labels[node] = rows[i].label;
        file->coordinates[2 * node] = rows[i].x[0];
        file->coordinates[2 * node + 1] = rows[i].x[1];
        file->depth[node] = rows[i].x[2];
    }
    return TESS_OK;
}

static tess_status read_node(const gr3_file *file, tess_scan *line, int32_t *node) {
    int64_t label = 0;
    TRY(tess_scan_integer(line, "node", INT64_MIN, INT64_MAX, &label));
    *node = tess_tag_index_find(&file->index, label);
    if (*node < 0)
        return tess_scan_fail(line, "there is no node %" PRId64, label);
    return TESS_OK;
}

static tess_status parse_element(tess_scan *line, const void *context, void *slot) {
    tess_element *element = slot;
    int64_t label = 0, n = 0;
    TRY(tess_scan_integer(line, "element id", INT64_MIN, INT64_MAX, &label));
    TRY(tess_scan_integer(line, "number of nodes of the element", 3, 4, &n));
    *element = (tess_element){.type = n == 3 ? TESS_ELEMENT_TRI : TESS_ELEMENT_QUAD};
    for (int64_t i = 0; i < n; i++)
        TRY(read_node(context, line, &element->nodes[i]));
    return TESS_OK;
}

/* Reads the number that a line begins with; what follows on it is a remark. */
static tess_status read_count(tess_scan *scan, const char *what, int64_t *n) {
    tess_scan_find_line(scan);
    TRY(tess_scan_integer(scan, what, 0, INT32_MAX, n));
    tess_scan_skip_line(scan);
    return TESS_OK;
}

static tess_status read_nodes(gr3_file *file) {
    static const tess_row_format rows = {"nodes",    8,          sizeof(node_row),
                                         parse_node, take_nodes, NULL};
    TRY(tess_scan_expect_rows(&file->scan, &rows, file->n_nodes));
    TRY(TESS_ALLOC(file->n_nodes, &file->labels));
    TRY(TESS_ALLOC(2 * file->n_nodes, &file->coordinates));
    TRY(TESS_ALLOC(file->n_nodes, &file->depth));
    TRY(tess_scan_rows(&file->scan, &rows, file->n_nodes, file));
    if (tess_tag_index_build(file->labels, file->n_nodes, &file->index) != TESS_OK)
        return tess_scan_fail(&file->scan, "node ids before this line: %s", tess_message());
    free(TESS_TAKE(file->labels));
    return TESS_OK;
}

/* A chain of boundary nodes. */
typedef struct gr3_chain {
    int64_t n;
    bool is_closed; /* an island's */
    bool is_paired; /* a barrier's inside of the mesh: a node on each side of it */
    int32_t marker;
} gr3_chain;

/* Reads a chain, one node or pair a line, as boundary edges. What follows on its line (barriers
 * have heights) is passed over. */
static tess_status read_chain(gr3_file *file, const gr3_chain *chain) {
    tess_element edge[2] = {{.type = TESS_ELEMENT_LINE, .marker = chain->marker},
                            {.type = TESS_ELEMENT_LINE, .marker = chain->marker}};
    const int n_sides = chain->is_paired ? 2 : 1;
    int32_t first = 0;
    for (int64_t i = 0; i < chain->n; i++) {
        tess_scan_find_line(&file->scan);
        for (int side = 0; side < n_sides; side++) {
            int32_t *nodes = edge[side].nodes;
            nodes[0] = nodes[1];
            TRY(read_node(file, &file->scan, &nodes[1]));
        }
        tess_scan_skip_line(&file->scan);
        first = i == 0 ? edge->nodes[1] : first;
        if (i > 0)
            TRY(tess_elements_append(&file->elements, edge, n_sides));
    }
    edge->nodes[0] = edge->nodes[1];
    edge->nodes[1] = first;
    return chain->is_closed && chain->n > 2 && edge->nodes[0] != first
               ? tess_elements_append(&file->elements, edge, 1)
               : TESS_OK;
}

/* ADCIRC's kinds of barriers inside of the mesh. */
static bool is_barrier(int64_t kind) {
    return kind == 4 || kind == 24 || kind == 5 || kind == 25 || kind == 64;
}

/* All chains of one kind, "open" or "land": their number, the number of all their nodes, chains.
 * A land chain's kind (1, 11 and 21 are islands, 4, 24, 5, 25 and 64 barriers inside of the mesh)
 * stands behind its number of nodes. */
static tess_status read_chains(gr3_file *file, const char *name, bool land) {
    int64_t n_chains = 0, n_all = 0;
    int32_t marker = 0;
    TRY(read_count(&file->scan, "number of boundaries", &n_chains));
    TRY(read_count(&file->scan, "number of boundary nodes", &n_all));
    if (n_chains)
        TRY(tess_mesh_add_marker(file->mesh, name, &marker));
    for (int64_t i = 0; i < n_chains; i++) {
        int64_t n = 0, kind = 0;
        tess_scan_find_line(&file->scan);
        TRY(tess_scan_integer(&file->scan, "number of nodes of the boundary", 0, INT32_MAX, &n));
        tess_scan rest = file->scan;
        if (land && !tess_scan_line_done(&rest))
            if (tess_number_integer(&rest.at, rest.end, &kind) != TESS_NUMBER_FINE)
                kind = 0; /* a remark */
        tess_scan_skip_line(&file->scan);
        const gr3_chain chain = {.n = n,
                                 .is_closed = land && kind % 10 == 1 && kind <= 21,
                                 .is_paired = land && is_barrier(kind),
                                 .marker = marker};
        TRY(read_chain(file, &chain));
    }
    return TESS_OK;
}

static tess_status read_body(gr3_file *file) {
    const tess_row_format rows = {
        "elements", 8, sizeof(tess_element), parse_element, tess_elements_take, &file->elements};
    tess_scan *scan = &file->scan;
    int64_t n_elements = 0;
    tess_scan_skip_line(scan); /* the title */
    tess_scan_find_line(scan);
    TRY(tess_scan_integer(scan, "number of elements", 1, INT32_MAX, &n_elements));
    TRY(tess_scan_integer(scan, "number of nodes", 1, INT32_MAX, &file->n_nodes));
    tess_scan_skip_line(scan);
    TRY(read_nodes(file));
    TRY(tess_scan_rows(scan, &rows, n_elements, file));
    if (tess_scan_find_line(scan))
        TRY(read_chains(file, "open", false));
    if (tess_scan_find_line(scan))
        TRY(read_chains(file, "land", true));
    if (tess_scan_find_line(scan))
        return tess_scan_fail(scan, "'%s' is left over behind the last boundary",
                              tess_scan_show(scan).text);
    return TESS_OK;
}

static tess_status gr3_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    gr3_file file = {.scan = tess_scan_open(text, 0)};
    CHECK(tess_mesh_new(text->path, 2, &file.mesh));
    CHECK(read_body(&file));
    CHECK(tess_mesh_add_set(file.mesh, "nodes", file.n_nodes, NULL));
    file.mesh->coordinates = TESS_TAKE(file.coordinates);
    double *depth = file.depth;
    file.depth = NULL;
    CHECK(tess_mesh_add_dat(file.mesh, "depth", "nodes", 1, TESS_DOUBLE, depth));
    CHECK(tess_elements_state(&file.elements, file.mesh));
    *out = TESS_TAKE(file.mesh);
done:
    free(file.labels);
    free(file.coordinates);
    free(file.depth);
    tess_tag_index_release(&file.index);
    tess_elements_clear(&file.elements);
    tess_mesh_free(file.mesh);
    return status;
}

/* Whether the second line that says anything begins with two whole numbers. */
static bool gr3_recognise(const tess_file_text *text) {
    tess_scan scan = tess_scan_open(text, 0);
    int64_t count = 0;
    tess_scan_skip_line(&scan);
    if (!tess_scan_find_line(&scan))
        return false;
    for (int i = 0; i < 2; i++)
        if (tess_scan_line_done(&scan) ||
            tess_number_integer(&scan.at, scan.end, &count) != TESS_NUMBER_FINE)
            return false;
    return true;
}

const tess_reader tess_reader_gr3 = {.name = "gr3",
                                     .summary = "SCHISM's hgrid.gr3, ADCIRC's fort.14",
                                     .extensions = ".gr3 .14 .grd",
                                     .recognise = gr3_recognise,
                                     .read = gr3_read};

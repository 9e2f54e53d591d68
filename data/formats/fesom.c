/* FESOM: the surface mesh of the ocean model FESOM2, nod2d.out and elem2d.out of one folder.
 *
 * nod2d.out: the number of nodes, then a row `id longitude latitude coast` for each; elem2d.out:
 * the number of triangles, then the three nodes of each. Degrees are the coordinates; `coast` (1
 * where the node lies on one) becomes a dat on nodes. Format: FESOM2's documentation, "Meshes". */
#include "core/base/array.h"
#include "core/base/folder.h"
#include "data/formats/elements.h"
#include "data/formats/reader.h"
#include "data/formats/tag_index.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct fesom_files {
    int64_t n_nodes;
    int64_t *ids;        /* [n_nodes] */
    double *coordinates; /* [n_nodes][2] */
    int32_t *coast;      /* [n_nodes] */
    tess_tag_index index;
    tess_elements elements;
} fesom_files;

typedef struct node_row {
    int64_t id;
    double degrees[2];
    int32_t coast;
} node_row;

static tess_status parse_node(tess_scan *line, const void *context, void *slot) {
    (void)context;
    node_row *node = slot;
    int64_t coast = 0;
    TRY(tess_scan_integer(line, "node id", INT64_MIN, INT64_MAX, &node->id));
    TRY(tess_scan_real(line, "longitude", &node->degrees[0]));
    TRY(tess_scan_real(line, "latitude", &node->degrees[1]));
    TRY(tess_scan_integer(line, "coast index", INT32_MIN, INT32_MAX, &coast));
    node->coast = (int32_t)coast;
    return TESS_OK;
}

static tess_status take_nodes(const void *slots, int64_t first_row, int64_t n_rows, void *context) {
    fesom_files *files = context;
    const node_row *rows = slots;
    for (int64_t i = 0; i < n_rows; i++) {
        const int64_t node = first_row + i;
        files->ids[node] = rows[i].id;
        memcpy(files->coordinates + 2 * node, rows[i].degrees, sizeof rows[i].degrees);
        files->coast[node] = rows[i].coast;
    }
    return TESS_OK;
}

static tess_status read_count(tess_scan *scan, const char *what, int64_t *n) {
    tess_scan_find_line(scan);
    TRY(tess_scan_integer(scan, what, 1, INT32_MAX, n));
    return tess_scan_finish_line(scan);
}

static tess_status expect_end(tess_scan *scan) {
    return tess_scan_find_line(scan) ? tess_scan_fail(scan, "'%s' is left over behind the last row",
                                                      tess_scan_show(scan).text)
                                     : TESS_OK;
}

static tess_status read_nodes(const tess_file_text *text, fesom_files *files) {
    static const tess_row_format rows = {"nodes",    8,          sizeof(node_row),
                                         parse_node, take_nodes, NULL};
    tess_scan scan = tess_scan_open(text, 0);
    TRY(read_count(&scan, "number of nodes", &files->n_nodes));
    TRY(tess_scan_expect_rows(&scan, &rows, files->n_nodes));
    TRY(TESS_ALLOC(files->n_nodes, &files->ids));
    TRY(TESS_ALLOC(2 * files->n_nodes, &files->coordinates));
    TRY(TESS_ALLOC(files->n_nodes, &files->coast));
    TRY(tess_scan_rows(&scan, &rows, files->n_nodes, files));
    if (tess_tag_index_build(files->ids, files->n_nodes, &files->index) != TESS_OK)
        return tess_scan_fail(&scan, "node ids before this line: %s", tess_message());
    free(TESS_TAKE(files->ids));
    return expect_end(&scan);
}

static tess_status parse_element(tess_scan *line, const void *context, void *slot) {
    const fesom_files *files = context;
    tess_element *element = slot;
    *element = (tess_element){.type = TESS_ELEMENT_TRI};
    for (int i = 0; i < 3; i++) {
        int64_t id = 0;
        TRY(tess_scan_integer(line, "node", INT64_MIN, INT64_MAX, &id));
        element->nodes[i] = tess_tag_index_find(&files->index, id);
        if (element->nodes[i] < 0)
            return tess_scan_fail(line, "there is no node %" PRId64 " in nod2d.out", id);
    }
    return TESS_OK;
}

static tess_status read_elements(const tess_file_text *text, fesom_files *files) {
    const tess_row_format rows = {
        "elements", 6, sizeof(tess_element), parse_element, tess_elements_take, &files->elements};
    tess_scan scan = tess_scan_open(text, 0);
    int64_t n = 0;
    TRY(read_count(&scan, "number of elements", &n));
    TRY(tess_scan_rows(&scan, &rows, n, files));
    return expect_end(&scan);
}

/* Says how many triangles lie on both sides of the meridian where longitudes jump by 360 degrees.
 */
static tess_status warn_of_jump(const fesom_files *files, tess_mesh *mesh) {
    const tess_element_list *tris = &files->elements.lists[TESS_ELEMENT_TRI];
    int64_t n = 0, first = -1;
    for (int64_t i = 0; i < tris->size; i++) {
        const int32_t *nodes = tris->nodes + 3 * i;
        double west = files->coordinates[2 * nodes[0]], east = west;
        for (int k = 1; k < 3; k++) {
            west = fmin(west, files->coordinates[2 * nodes[k]]);
            east = fmax(east, files->coordinates[2 * nodes[k]]);
        }
        if (east - west > 180) {
            first = first < 0 ? i : first;
            n++;
        }
    }
    if (n == 0)
        return TESS_OK;
    return tess_mesh_warn(mesh,
                          "%" PRId64 " of the cells lie where the longitude jumps by 360 degrees; "
                          "the first is number %" PRId64,
                          n, first);
}

static tess_status fesom_state(fesom_files *files, tess_mesh *mesh) {
    TRY(warn_of_jump(files, mesh));
    TRY(tess_mesh_add_set(mesh, "nodes", files->n_nodes, NULL));
    mesh->coordinates = TESS_TAKE(files->coordinates);
    TRY(tess_mesh_add_dat(mesh, "coast", "nodes", 1, TESS_INT32, TESS_TAKE(files->coast)));
    return tess_elements_state(&files->elements, mesh);
}

/* Either of the two files stands for both. */
static tess_status fesom_read(const tess_file_text *text, tess_mesh **out) {
    tess_status status = TESS_OK;
    fesom_files files = {.n_nodes = 0};
    tess_file_text *nodes = NULL, *elements = NULL;
    tess_mesh *mesh = NULL;
    CHECK(tess_file_text_read_beside(text->path, "nod2d.out", &nodes));
    CHECK(read_nodes(nodes, &files));
    CHECK(tess_file_text_read_beside(text->path, "elem2d.out", &elements));
    CHECK(read_elements(elements, &files));
    CHECK(tess_mesh_new(text->path, 2, &mesh));
    CHECK(fesom_state(&files, mesh));
    *out = TESS_TAKE(mesh);
done:
    tess_file_text_free(nodes);
    tess_file_text_free(elements);
    free(files.ids);
    free(files.coordinates);
    free(files.coast);
    tess_tag_index_release(&files.index);
    tess_elements_clear(&files.elements);
    tess_mesh_free(mesh);
    return status;
}

/* The names of the files are fixed. */
static bool fesom_recognise(const tess_file_text *text) {
    const char *name = tess_last_of_path(text->path);
    const size_t length = tess_path_length_unpacked(name);
    return strncmp(name, "nod2d.out", length) == 0 || strncmp(name, "elem2d.out", length) == 0;
}

const tess_reader tess_reader_fesom = {.name = "fesom",
                                       .summary = "FESOM2's nod2d.out and elem2d.out",
                                       .extensions = "nod2d.out elem2d.out",
                                       .in_folder = "nod2d.out",
                                       .recognise = fesom_recognise,
                                       .read = fesom_read};

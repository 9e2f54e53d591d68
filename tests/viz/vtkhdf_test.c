/* VTKHDF files have the layout of version 1.0. With TESS_VIEW_FOLDER set the views stay there, for
 * vtkhdf_test.py to open them in ParaView. */
#include "viz/vtkhdf_writer.h"

#include "box_mesh.h"
#include "core/base/hdf_file.h"

#include <unistd.h>

static char folder[256] = "/tmp/tess_vtkhdf_XXXXXX";

static int choose_folder(void **state) {
    const char *given = getenv("TESS_VIEW_FOLDER");
    if (given)
        snprintf(folder, sizeof folder, "%s", given);
    else if (!mkdtemp(folder))
        return -1;
    return 0;
}

static int remove_folder(void **state) {
    return getenv("TESS_VIEW_FOLDER") ? 0 : rmdir(folder);
}

/* A plan by rule, which the reader of the file knows, too: blocks are runs of 7 elements, last
 * element first, of block colour block % 3; an element's thread colour is element % 5. */
static void write_by_rule(const tess_mesh *mesh, const char *map, const char *path) {
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    OK(tess_loop_of_map(map, NULL, &loop));
    OK(tess_loop_bind(loop, mesh, &bound));
    enum { MOST = 1000 };
    const int32_t n = (int32_t)bound->n_elements, n_blocks = (n + 6) / 7;
    assert_true(n < MOST);
    int32_t executed[MOST], block_colour[MOST], thread_colours[MOST];
    int64_t block_offset[MOST + 1];
    uint16_t thread_colour[MOST];
    for (int32_t i = 0; i < n; i++) {
        const int32_t begin = i / 7 * 7, end = begin + 7 < n ? begin + 7 : n;
        executed[i] = begin + end - 1 - i;
        thread_colour[i] = (uint16_t)(executed[i] % 5);
    }
    for (int32_t b = 0; b < n_blocks; b++) {
        block_offset[b] = 7 * b;
        block_colour[b] = b % 3;
        thread_colours[b] = 5;
    }
    block_offset[n_blocks] = n;
    tess_plan plan = {.block_size = 7,
                      .n_elements = n,
                      .n_executed = n,
                      .n_blocks = n_blocks,
                      .executed = executed,
                      .block_offset = block_offset,
                      .thread_colour = thread_colour,
                      .thread_colours = thread_colours,
                      .block_colour = block_colour};
    snprintf(plan.partitioned_set, sizeof plan.partitioned_set, "%s", loop->set);
    tess_metric_value values[] = {{.name = "sectors_per_block/q", .value = 3.25},
                                  {.name = "reuse_factor", .value = 1.5}};
    const tess_metrics metrics = {.n_values = 2, .values = values};
    const tess_view_label label = {"partitioner", "runs of 7: r\xc3\xbc"
                                                  "ckw\xc3\xa4rts"};
    tess_view_mesh *view = NULL;
    OK(tess_view_mesh_of_plan(bound, &plan, NULL, &metrics, &view));
    OK(tess_vtkhdf_write(
        view, &(tess_view_source){.metrics = &metrics, .n_labels = 1, .labels = &label}, path));
    tess_view_mesh_free(view);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
}

static const char *write_view(const char *name, int dimension, const char *how, const char *map) {
    static char path[300];
    snprintf(path, sizeof path, "%s/%s.hdf", folder, name);
    tess_mesh *mesh = box_mesh(dimension, 3, 1, &how);
    box_add_sides(mesh, dimension == 2, 2);
    write_by_rule(mesh, map, path);
    tess_mesh_free(mesh);
    return path;
}

static void forget(const char *path) {
    if (!getenv("TESS_VIEW_FOLDER"))
        unlink(path);
}

static int64_t rows_of(hid_t file, const char *name) {
    const hid_t array = H5Dopen2(file, name, H5P_DEFAULT);
    assert_true(array >= 0);
    const hid_t space = H5Dget_space(array);
    const int64_t rows = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    H5Dclose(array);
    return rows;
}

static void test_layout_is_that_of_version_1_0(void **state) {
    const char *path = write_view("edges", 2, "tris", "edges:cells");
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    const hid_t root = H5Gopen2(file, "VTKHDF", H5P_DEFAULT);
    const hid_t version = H5Aopen(root, "Version", H5P_DEFAULT);
    int64_t numbers[2] = {0, 0};
    assert_true(H5Aread(version, H5T_NATIVE_INT64, numbers) >= 0);
    assert_int_equal(numbers[0], 1);
    assert_int_equal(numbers[1], 0);
    H5Aclose(version);
    const hid_t kind = H5Aopen(root, "Type", H5P_DEFAULT);
    const hid_t type = H5Aget_type(kind);
    assert_int_equal(H5Tget_class(type), H5T_STRING);
    assert_int_equal(H5Tget_cset(type), H5T_CSET_ASCII);
    assert_false(H5Tis_variable_str(type) > 0);
    char text[32] = "";
    assert_true(H5Aread(kind, type, text) >= 0);
    assert_string_equal(text, "UnstructuredGrid");
    H5Tclose(type);
    H5Aclose(kind);
    const int64_t n_edges = 3 * 3 + 2 * (2 * 3); /* diagonals, inner grid lines */
    assert_int_equal(rows_of(root, "Types"), n_edges);
    assert_int_equal(rows_of(root, "Offsets"), n_edges + 1);
    assert_int_equal(rows_of(root, "Connectivity"), 4 * n_edges);
    assert_int_equal(rows_of(root, "CellData/thread_colour"), n_edges);
    assert_int_equal(rows_of(root, "PointData/explode"), rows_of(root, "Points"));
    H5Gclose(root);
    H5Fclose(file);
    forget(path);
}

static void test_cells_and_faces_are_written(void **state) {
    forget(write_view("cells", 3, "hexes", "cells:nodes"));
    forget(write_view("faces", 3, "tets", "faces:cells"));
}

static void test_a_folder_that_is_not_there_is_named(void **state) {
    tess_view_mesh view = {0};
    assert_int_equal(tess_vtkhdf_write(&view, &(tess_view_source){.of = NULL}, "/nowhere/view.hdf"),
                     TESS_ERROR_IO);
    assert_non_null(strstr(tess_message(), "/nowhere/view.hdf"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout_is_that_of_version_1_0),
        cmocka_unit_test(test_cells_and_faces_are_written),
        cmocka_unit_test(test_a_folder_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, choose_folder, remove_folder);
}

/* Meshes: what may be added, and what is refused by name. */
#include "core/base/array.h"
#include "core/mesh/mesh.h"
#include "tests/unit.h"

static tess_mesh *two_cells(void) {
    tess_mesh *mesh = NULL;
    OK(tess_mesh_new("test", 2, &mesh));
    OK(tess_mesh_add_set(mesh, "edges", 3, NULL));
    OK(tess_mesh_add_set(mesh, "cells", 2, NULL));
    return mesh;
}

static int32_t *index_of(int n, const int32_t *values) {
    int32_t *index = NULL;
    OK(TESS_ALLOC(n, &index));
    memcpy(index, values, (size_t)n * sizeof *index);
    return index;
}

static void finds_what_was_added(void **state) {
    tess_mesh *mesh = two_cells();
    int32_t *index = index_of(6, (int32_t[]){0, 1, 1, 0, 0, 0});
    OK(tess_mesh_add_map(mesh, "edges", "cells", 2, 0, index));
    assert_int_equal(tess_mesh_find_map(mesh, "edges:cells")->arity, 2);
    assert_null(tess_mesh_find_map(mesh, "edges:nodes"));
    assert_int_equal(tess_mesh_set_size(mesh, "edges"), 3);
    assert_int_equal(tess_mesh_find_set(mesh, "hexes"), -1);
    tess_mesh_free(mesh);
}

static void refuses_an_index_out_of_range_by_place(void **state) {
    tess_mesh *mesh = two_cells();
    int32_t *index = index_of(6, (int32_t[]){0, 1, 1, 2, 0, 0});
    assert_int_equal(tess_mesh_add_map(mesh, "edges", "cells", 2, 0, index), TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "element 1, slot 1 refers to cells 2 of 2"));
    tess_mesh_free(mesh);
}

static void refuses_minus_one_unless_padded(void **state) {
    tess_mesh *mesh = two_cells();
    const int32_t padded[] = {0, -1, 1, 0, 0, 1};
    assert_int_equal(tess_mesh_add_map(mesh, "edges", "cells", 2, 0, index_of(6, padded)),
                     TESS_ERROR_INPUT);
    OK(tess_mesh_add_map(mesh, "edges", "cells", 2, TESS_MAP_PADDED, index_of(6, padded)));
    tess_mesh_free(mesh);
}

static void refuses_a_set_too_large_or_stated_twice(void **state) {
    tess_mesh *mesh = two_cells();
    assert_int_equal(tess_mesh_add_set(mesh, "nodes", INT64_C(1) << 31, NULL), TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "nodes"));
    assert_int_equal(tess_mesh_add_set(mesh, "cells", 2, NULL), TESS_ERROR_INPUT);
    tess_mesh_free(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_added),
        cmocka_unit_test(refuses_an_index_out_of_range_by_place),
        cmocka_unit_test(refuses_minus_one_unless_padded),
        cmocka_unit_test(refuses_a_set_too_large_or_stated_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

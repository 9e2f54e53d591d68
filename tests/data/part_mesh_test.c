/* A part of a mesh: what goes with what it reaches, over several sets. */
#include "data/part_mesh.h"

#include "generated_mesh.h"

static void add(tess_mesh *mesh, const char *set, const char *to, int64_t n, const int32_t *index) {
    int32_t *copy = NULL;
    OK(TESS_COPY(n, index, &copy));
    OK(tess_mesh_add_set(mesh, set, n, NULL));
    OK(tess_mesh_add_map(mesh, set, to, 1, 0, copy));
}

/* A probe is of a wall, a wall of a cell; maps of what stays come behind theirs. */
static void elements_go_where_those_that_they_reach_go(void **state) {
    tess_mesh *mesh = generated_mesh("quads:nx=4:ny=1");
    OK(tess_mesh_add_set(mesh, "walls", 2, NULL));
    add(mesh, "probes", "walls", 3, (int32_t[]){1, 0, 1});
    int32_t *cells = NULL;
    OK(TESS_COPY(2, ((int32_t[]){0, 3}), &cells));
    OK(tess_mesh_add_map(mesh, "walls", "cells", 1, 0, cells));
    add(mesh, "corners", "nodes", 1, (int32_t[]){0});
    OK(tess_mesh_take_part(mesh, 2));
    assert_int_equal(tess_mesh_set_size(mesh, "cells"), 2);
    assert_int_equal(tess_mesh_set_size(mesh, "corners"), 1);
    assert_int_equal(tess_mesh_set_size(mesh, "walls"), 1);
    assert_int_equal(tess_mesh_set_size(mesh, "probes"), 1);
    assert_int_equal(tess_mesh_find_map(mesh, "probes:walls")->index[0], 0);
    tess_mesh_free(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_go_where_those_that_they_reach_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

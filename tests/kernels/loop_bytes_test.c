/* Loop bytes: dats that are read and written count twice, each once, whatever goes through it. */
#include "kernels/loops/loop_bytes.h"

#include "tests/core/small_mesh.h"

static void dats_and_maps_count_by_hand(void **state) {
    tess_mesh *mesh = quad_mesh(4, 3);
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    const int64_t cells = tess_mesh_set_size(mesh, "cells"),
                  edges = tess_mesh_set_size(mesh, "edges");
    OK(tess_loop_new("l", "edges", &loop));
    add_arg(loop, "q", "edges:cells", 0, 2, TESS_READ);
    add_arg(loop, "q", "edges:cells", 1, 2, TESS_READ);
    add_arg(loop, "res", "edges:cells", -1, 3, TESS_INC);
    add_arg(loop, "w", "", 0, 1, TESS_RW);
    add_arg(loop, "out", "", 0, 1, TESS_WRITE);
    OK(tess_loop_bind(loop, mesh, &bound));
    assert_int_equal(tess_dat_bytes(bound), 8 * (2 * cells + 2 * 3 * cells + 2 * edges + edges));
    assert_int_equal(tess_map_bytes(bound), 4 * 2 * edges);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(dats_and_maps_count_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

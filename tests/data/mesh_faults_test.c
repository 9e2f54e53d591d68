/* Cells that are there twice are found where all cells share a node, whatever the order of their
 * nodes. */
#include "data/mesh_faults.h"
#include "tests/data/mixed_mesh.h"

enum { N_ROUND = 299000, N_TWICE = 1000, N = N_ROUND + N_TWICE };

/* Triangles around node 0; the last thousand are the first thousand with their nodes turned. */
static void cells_twice_around_one_node(void **state) {
    double *x = NULL;
    int32_t *nodes = NULL, *cell = NULL;
    tess_mesh_faults faults = {.n = 0};
    OK(TESS_ZEROS(2 * (N_ROUND + 1), &x));
    OK(TESS_ALLOC(3 * N, &nodes));
    OK(TESS_ALLOC(N, &cell));
    for (int i = 0; i < N; i++) {
        const int32_t corners[3] = {0, 1 + i % N_ROUND, 1 + (i + 1) % N_ROUND};
        for (int k = 0; k < 3; k++)
            nodes[3 * i + k] = corners[(k + i / N_ROUND) % 3];
        cell[i] = i;
        x[2 * (1 + i % N_ROUND)] = 1 + i % N_ROUND;
    }
    tess_mesh *mesh = mesh_of_nodes(2, N_ROUND + 1, x, N);
    add_type(mesh, "tris", N, 3, nodes, cell);
    OK(tess_mesh_faults_of_cells(mesh, NULL, &faults));
    assert_int_equal(faults.n, 1);
    assert_string_equal(faults.items[0].kind, "cell-twice");
    assert_int_equal(faults.items[0].count, N_TWICE);
    assert_int_equal(faults.items[0].shown[0], N_ROUND);
    assert_int_equal(faults.items[0].shown[9], N_ROUND + 9);
    tess_mesh_faults_release(&faults);
    tess_mesh_free(mesh);
    free(x);
    free(nodes);
    free(cell);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_twice_around_one_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

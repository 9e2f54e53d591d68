/* Sizes of polyhedra and polygons as applications compute them: volumes and area vectors of
 * miniaero, areas of airfoil and fv. */
#include "kernels/applications/plane.h"
#include "kernels/applications/space.h"
#include "tests/data/made_mesh.h"

static void add_map(tess_mesh *mesh, const char *from, const char *to, int arity,
                    const int32_t *index, int64_t n) {
    int32_t *copy = NULL;
    if (tess_mesh_find_set(mesh, from) < 0)
        OK(tess_mesh_add_set(mesh, from, n, NULL));
    OK(TESS_COPY(n * arity, index, &copy));
    OK(tess_mesh_add_map(mesh, from, to, arity, 0, copy));
}

static tess_mesh *new_mesh(int dimension, const double *x, int64_t n_nodes) {
    tess_mesh *mesh = NULL;
    OK(tess_mesh_new("made", dimension, &mesh));
    OK(tess_mesh_add_set(mesh, "nodes", n_nodes, NULL));
    OK(TESS_COPY(n_nodes * dimension, x, &mesh->coordinates));
    OK(tess_mesh_add_set(mesh, "cells", 2, NULL));
    return mesh;
}

/* A cube and a box of twice its length, with two triangles between them: polyhedra of seven faces.
 */
static tess_mesh *two_boxes(void) {
    static const double x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1,
                               1, 1, 1, 0, 1, 1, 3, 0, 0, 3, 1, 0, 3, 0, 1, 3, 1, 1};
    static const int32_t faces[] = {1, 2, 6, 1, 6, 5}, between[] = {0, 1, 0, 1};
    static const int32_t outer[] = {0, 4,  7,  3, 0, 3, 2,  1, 4,  5,  6,  7, 0, 1,
                                    5, 4,  3,  7, 6, 2, 8,  9, 11, 10, 1,  2, 9, 8,
                                    5, 10, 11, 6, 1, 8, 10, 5, 2,  6,  11, 9};
    static const int32_t of[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
    tess_mesh *mesh = new_mesh(3, x, 12);
    add_map(mesh, "faces", "cells", 2, between, 2);
    add_map(mesh, "faces", "nodes", 3, faces, 2);
    add_map(mesh, "bfaces", "cells", 1, of, 10);
    add_map(mesh, "bfaces", "nodes", 4, outer, 10);
    return mesh;
}

static void polyhedra_have_their_volumes(void **state) {
    tess_mesh *mesh = two_boxes();
    tess_space space = {.n_cells = 0};
    OK(tess_space_bind(mesh));
    OK(tess_space_build(mesh, &space));
    assert_int_equal(space.n_cells, 2);
    assert_int_equal(space.n_faces, 2);
    assert_true(fabs(space.volume[0] - 1) < 1e-14 && fabs(space.volume[1] - 2) < 1e-14);
    static const double centre[] = {0.5, 0.5, 0.5, 2, 0.5, 0.5};
    for (int i = 0; i < 6; i++)
        assert_true(fabs(space.centre[i] - centre[i]) < 1e-14);
    for (int axis = 0; axis < 3; axis++) { /* half a square each, and both cells are closed */
        double area = 0;
        for (int f = 0; f < 2; f++) {
            assert_true(fabs(space.face[6 * f + 3 + axis] - (axis == 0 ? 0.5 : 0)) < 1e-14);
            area += space.face[6 * f + 3 + axis];
        }
        assert_true(fabs(space.wall[axis] + area) < 1e-14);
        assert_true(fabs(space.wall[3 + axis] - area) < 1e-14);
    }
    tess_space_clear(&space);
    tess_mesh_free(mesh);
}

/* An L of six nodes, and the square that it lacks. */
static void polygons_have_their_areas(void **state) {
    static const double x[] = {0, 0, 2, 0, 2, 1, 1, 1, 1, 2, 0, 2, 2, 2};
    static const int32_t edges[] = {2, 3, 3, 4}, between[] = {0, 1, 0, 1},
                         of[] = {0, 0, 0, 0, 1, 1};
    static const int32_t outer[] = {0, 1, 1, 2, 4, 5, 5, 0, 2, 6, 6, 4};
    tess_mesh *mesh = new_mesh(2, x, 7);
    add_map(mesh, "edges", "cells", 2, between, 2);
    add_map(mesh, "edges", "nodes", 2, edges, 2);
    add_map(mesh, "bedges", "cells", 1, of, 6);
    add_map(mesh, "bedges", "nodes", 2, outer, 6);
    OK(tess_plane_bind(mesh));
    const tess_map *corners = tess_mesh_find_map(mesh, "cells:nodes");
    assert_non_null(corners);
    assert_true(fabs(tess_plane_area(mesh, corners, 0) - 3) < 1e-14);
    assert_true(fabs(tess_plane_area(mesh, corners, 1) - 1) < 1e-14);
    tess_mesh_free(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polyhedra_have_their_volumes),
        cmocka_unit_test(polygons_have_their_areas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

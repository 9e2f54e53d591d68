/* Views of polygons and polyhedra tile the mesh, whatever set is shown, and keep blocks apart. */
#include "viz/view_mesh.h"

#include "box_mesh.h"

#include <math.h>

enum { TRIANGLE = 5, POLYGON = 7, QUAD = 9 };

#define assert_near(a, b) assert_true(fabs((a) - (b)) <= 1e-12)

/* A mesh of cells that have no nodes, but sides. */
static tess_mesh *sided_mesh(int dimension, int64_t n_nodes, const double *x, int64_t n_cells) {
    tess_mesh *mesh = NULL;
    OK(tess_mesh_new("polytopes", dimension, &mesh));
    OK(tess_mesh_add_set(mesh, "nodes", n_nodes, NULL));
    OK(tess_mesh_add_set(mesh, "cells", n_cells, NULL));
    mesh->coordinates = malloc((size_t)(n_nodes * dimension) * sizeof *x);
    memcpy(mesh->coordinates, x, (size_t)(n_nodes * dimension) * sizeof *x);
    return mesh;
}

static void add_map(tess_mesh *mesh, const char *from, const char *to, int arity, int64_t n,
                    const int32_t *index) {
    int32_t *copy = malloc((size_t)(n * arity + 1) * sizeof *copy);
    if (n > 0)
        memcpy(copy, index, (size_t)(n * arity) * sizeof *copy);
    if (tess_mesh_find_set(mesh, from) < 0)
        OK(tess_mesh_add_set(mesh, from, n, NULL));
    OK(tess_mesh_add_map(mesh, from, to, arity, TESS_MAP_PADDED, copy));
}

static void copy_map(const tess_mesh *from, const char *set, const char *to, tess_mesh *mesh) {
    char name[TESS_NAME_SIZE];
    snprintf(name, sizeof name, "%s:%s", set, to);
    const tess_map *map = tess_mesh_find_map(from, name);
    add_map(mesh, set, to, map->arity, from->sets[map->from].size, map->index);
}

/* A box whose cells are known by their sides alone. */
static tess_mesh *box_of_polytopes(int dimension, int n, int n_hows, const char *const *hows,
                                   int arity) {
    static const char *const sets[2][2] = {{"edges", "bedges"}, {"faces", "bfaces"}};
    tess_mesh *box = box_mesh(dimension, n, n_hows, hows);
    box_add_sides(box, true, arity);
    tess_mesh *mesh = sided_mesh(dimension, tess_mesh_set_size(box, "nodes"), box->coordinates,
                                 tess_mesh_set_size(box, "cells"));
    for (int k = 0; k < 2; k++) {
        copy_map(box, sets[dimension - 2][k], "nodes", mesh);
        copy_map(box, sets[dimension - 2][k], "cells", mesh);
    }
    tess_mesh_free(box);
    return mesh;
}

/* An L and the square that is left of its box of 2 x 2: the L's centroid is its inner corner. */
static const double l_nodes[] = {0, 0, 2, 0, 2, 1, 1, 1, 1, 2, 0, 2, 2, 2};
enum { L_NODES = 7 };

static tess_mesh *l_and_square(void) {
    tess_mesh *mesh = sided_mesh(2, L_NODES, l_nodes, 2);
    add_map(mesh, "edges", "nodes", 2, 2, (const int32_t[]){2, 3, 4, 3});
    add_map(mesh, "edges", "cells", 2, 2, (const int32_t[]){0, 1, 0, 1});
    add_map(mesh, "bedges", "nodes", 2, 6, (const int32_t[]){5, 0, 1, 0, 1, 2, 4, 5, 2, 6, 6, 4});
    add_map(mesh, "bedges", "cells", 1, 6, (const int32_t[]){0, 0, 0, 0, 1, 1});
    return mesh;
}

/* Two storeys of the L, each of height 1: faces of six nodes, not convex, which do not begin where
 * all of them is seen. */
static tess_mesh *l_tower(void) {
    enum { RING = 6, STOREYS = 2 };
    double x[3 * RING * (STOREYS + 1)];
    for (int i = 0; i < RING * (STOREYS + 1); i++) {
        x[3 * i] = l_nodes[2 * (i % RING)];
        x[3 * i + 1] = l_nodes[2 * (i % RING) + 1];
        x[3 * i + 2] = i / RING;
    }
    tess_mesh *mesh = sided_mesh(3, RING * (STOREYS + 1), x, STOREYS);
    int32_t outer[(2 + STOREYS * RING) * RING], cells[2 + STOREYS * RING], n = 0;
    for (int end = 0; end < 2; end++, n++) {
        cells[n] = end;
        for (int k = 0; k < RING; k++)
            outer[RING * n + k] = end ? STOREYS * RING + (k + 2) % RING : RING - 1 - (k + 2) % RING;
    }
    for (int s = 0; s < STOREYS; s++)
        for (int k = 0; k < RING; k++, n++) {
            const int32_t a = s * RING + k, b = s * RING + (k + 1) % RING;
            const int32_t wall[RING] = {a, b, b + RING, a + RING, -1, -1};
            memcpy(outer + RING * n, wall, sizeof wall);
            cells[n] = s;
        }
    add_map(mesh, "faces", "nodes", RING, 1, (const int32_t[]){8, 9, 10, 11, 6, 7});
    add_map(mesh, "faces", "cells", 2, 1, (const int32_t[]){0, 1});
    add_map(mesh, "bfaces", "nodes", RING, n, outer);
    add_map(mesh, "bfaces", "cells", 1, n, cells);
    return mesh;
}

/* Of a tet or a pyramid with flat base: a third of the base's area vector along the way to the
 * apex; turned the right way it is not negative. */
static double cone_volume(const tess_view_mesh *view, int64_t c) {
    const int64_t *corner = view->connectivity + view->offset[c];
    const int64_t n = view->offset[c + 1] - view->offset[c] - 1;
    const double *o = view->points + 3 * corner[0], *apex = view->points + 3 * corner[n];
    double volume = 0;
    for (int64_t i = 1; i + 1 < n; i++) {
        const double *p = view->points + 3 * corner[i], *q = view->points + 3 * corner[i + 1];
        double part = 0;
        for (int d = 0; d < 3; d++) {
            const int e = (d + 1) % 3, f = (d + 2) % 3;
            part += ((p[e] - o[e]) * (q[f] - o[f]) - (p[f] - o[f]) * (q[e] - o[e])) *
                    (apex[d] - o[d]) / 6;
        }
        assert_true(part >= -1e-15); /* bases are convex */
        volume += part;
    }
    return volume;
}

/* The area or volume of a view of runs of two elements, whose blocks share no points. */
static double measure_of(const tess_mesh *mesh, const char *set) {
    const int64_t n = tess_mesh_set_size(mesh, set);
    int32_t *block_of = malloc((size_t)(n + 1) * sizeof *block_of);
    for (int64_t e = 0; e < n; e++)
        block_of[e] = (int32_t)(e / 2);
    tess_view_mesh *view = NULL;
    OK(tess_view_mesh_of_partition(mesh, set, (int32_t)((n + 1) / 2), block_of, &view));
    const int32_t *block = tess_view_mesh_find(view, "block")->values;
    double sum = 0;
    for (int64_t c = 0; c < view->n_cells; c++) {
        if (view->offset[c + 1] - view->offset[c] > 2)
            sum += mesh->dimension == 2 ? fabs(polygon_area(view, c)) : cone_volume(view, c);
        for (int64_t i = view->offset[c]; i < view->offset[c + 1]; i++)
            assert_in_range(view->connectivity[i], view->block_point[block[c]],
                            view->block_point[block[c] + 1] - 1);
    }
    tess_view_mesh_free(view);
    free(block_of);
    return sum;
}

static void assert_tiles(tess_mesh *mesh, double measure) {
    const bool flat = mesh->dimension == 2;
    assert_near(measure_of(mesh, "cells"), measure);
    assert_near(measure_of(mesh, "nodes"), measure);
    const double inner = measure_of(mesh, flat ? "edges" : "faces");
    assert_true(inner > 0 && inner < measure);
    assert_near(inner + measure_of(mesh, flat ? "bedges" : "bfaces"), measure);
    tess_mesh_free(mesh);
}

static void test_all_sets_tile_the_mesh(void **state) {
    static const char *const flat[] = {"quads", "tris"};
    static const char *const hexes[] = {"hexes"}, *const tets[] = {"tets"};
    assert_tiles(box_of_polytopes(2, 4, 2, flat, 2), 1);
    assert_tiles(box_of_polytopes(3, 2, 1, tets, 3), 1);
    assert_tiles(box_of_polytopes(3, 2, 1, hexes, 4), 1);
    assert_tiles(l_and_square(), 4);
    assert_tiles(l_tower(), 6);
}

static void test_polygons_are_themselves(void **state) {
    tess_mesh *mesh = l_and_square();
    tess_view_mesh *view = NULL;
    OK(tess_view_mesh_of_partition(mesh, "cells", 2, (const int32_t[]){0, 1}, &view));
    assert_int_equal(view->n_cells, 2);
    assert_int_equal(view->type[0], POLYGON);
    assert_int_equal(view->type[1], QUAD);
    assert_int_equal(view->offset[1], 6);
    assert_near(fabs(polygon_area(view, 0)), 3);
    assert_int_equal(view->n_points, 10); /* three of them twice: explode moves blocks apart */
    assert_true(view->explode[0] < 0 && view->explode[3 * 6] > 0);
    tess_view_mesh_free(view);
    tess_mesh_free(mesh);
}

/* Two triangles that touch in a corner are one cell: its edges are two rings. */
static void test_edges_that_are_no_ring_are_shown(void **state) {
    const double x[] = {0, 0, 1, 0, 0, 1, -1, 0, 0, -1};
    tess_mesh *mesh = sided_mesh(2, 5, x, 1);
    add_map(mesh, "edges", "nodes", 2, 0, NULL);
    add_map(mesh, "edges", "cells", 2, 0, NULL);
    add_map(mesh, "bedges", "nodes", 2, 6, (const int32_t[]){0, 1, 1, 2, 2, 0, 0, 3, 3, 4, 4, 0});
    add_map(mesh, "bedges", "cells", 1, 6, (const int32_t[]){0, 0, 0, 0, 0, 0});
    tess_view_mesh *view = NULL;
    OK(tess_view_mesh_of_partition(mesh, "cells", 1, (const int32_t[]){0}, &view));
    assert_int_equal(view->n_cells, 6);
    double area = 0;
    for (int64_t c = 0; c < view->n_cells; c++) {
        assert_int_equal(view->type[c], TRIANGLE);
        area += fabs(polygon_area(view, c));
    }
    assert_near(area, 1);
    tess_view_mesh_free(view);
    tess_mesh_free(mesh);
}

static void test_cells_of_which_nothing_is_known_are_refused(void **state) {
    const double x[] = {0, 0, 0, 1, 0, 0};
    tess_mesh *mesh = sided_mesh(3, 2, x, 2);
    add_map(mesh, "faces", "cells", 2, 1, (const int32_t[]){0, 1});
    tess_view_mesh *view = NULL;
    const int32_t block_of[] = {0, 0};
    assert_int_equal(tess_view_mesh_of_partition(mesh, "cells", 1, block_of, &view),
                     TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "the nodes of their sides"));
    assert_int_equal(tess_view_mesh_of_partition(mesh, "faces", 1, block_of, &view),
                     TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "where its cells are"));
    tess_mesh_free(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_sets_tile_the_mesh),
        cmocka_unit_test(test_polygons_are_themselves),
        cmocka_unit_test(test_edges_that_are_no_ring_are_shown),
        cmocka_unit_test(test_cells_of_which_nothing_is_known_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

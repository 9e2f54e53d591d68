/* Problems: the points that count, centroids and inverses, against what follows from the maps. */
#include "core/mesh/centroid.h"
#include "core/plan/incidence.h"
#include "core/plan/partition_problem.h"
#include "tests/core/small_mesh.h"

/* A loop over the edges of quads that reads nodes and slot 1 of cells, and increments slot 0. */
static tess_loop *mixed_loop(void) {
    tess_loop *loop = NULL;
    OK(tess_loop_new("mixed", "edges", &loop));
    add_arg(loop, "x", "edges:nodes", -1, 2, TESS_READ);
    add_arg(loop, "q", "edges:cells", 0, 4, TESS_INC);
    add_arg(loop, "q", "edges:cells", 1, 4, TESS_READ);
    return loop;
}

static void counts_increments_or_all(void **state) {
    tess_mesh *mesh = quad_mesh(3, 2);
    tess_loop *loop = mixed_loop();
    tess_bound_loop *bound = NULL;
    tess_partition_problem *problem = NULL;
    OK(tess_loop_bind(loop, mesh, &bound));
    OK(tess_partition_problem_build(bound, TESS_POINTS_INCREMENTS, 4, 7, &problem));
    assert_int_equal(problem->n_maps, 1);
    assert_int_equal(problem->order_map, 0);
    assert_int_equal(problem->maps[0].arity, 1);
    assert_int_equal(problem->maps[0].n_points, 6);
    const int32_t *edge_cells = tess_mesh_find_map(mesh, "edges:cells")->index;
    for (int e = 0; e < problem->n_elements; e++)
        assert_int_equal(problem->maps[0].index[e], edge_cells[2 * e]);
    tess_partition_problem_free(problem);

    OK(tess_partition_problem_build(bound, TESS_POINTS_ALL, 4, 7, &problem));
    assert_int_equal(problem->n_maps, 2);
    assert_int_equal(problem->order_map, 1);
    assert_ptr_equal(problem->maps[0].index, tess_mesh_find_map(mesh, "edges:nodes")->index);
    assert_ptr_equal(problem->maps[1].index, edge_cells);
    assert_true(problem->maps[0].weight == 16 && problem->maps[1].weight == 32);
    tess_partition_problem_free(problem);

    assert_int_equal(tess_partition_problem_build(bound, TESS_POINTS_ALL, 0, 7, &problem),
                     TESS_ERROR_USAGE);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
}

static void inverse_has_the_elements_of_each_point(void **state) {
    uint64_t seed = 1;
    for (int trial = 0; trial < 200; trial++) {
        tess_mesh *mesh = random_mesh(&seed, 1);
        tess_loop *loop = random_loop(mesh, trial & 1);
        tess_bound_loop *bound = NULL;
        tess_partition_problem *problem = NULL;
        OK(tess_loop_bind(loop, mesh, &bound));
        OK(tess_partition_problem_build_inverse(bound, mesh->maps[0].to, 8, 0, &problem));
        const tess_map *map = &mesh->maps[0];
        assert_int_equal(problem->n_elements, mesh->sets[map->to].size);
        for (int p = 0; p < problem->n_elements; p++) {
            int64_t n = 0, found = 0;
            const int32_t *row = tess_incidence_row(&problem->maps[0], p, &n);
            for (int e = 0; e < bound->n_elements; e++) {
                bool has = false;
                for (int s = 0; s < map->arity; s++)
                    has |= map->index[e * map->arity + s] == p;
                if (has) {
                    assert_true(found < n);
                    assert_int_equal(row[found++], e);
                }
            }
            assert_int_equal(found, n);
        }
        tess_partition_problem_free(problem);
        tess_bound_loop_free(bound);
        tess_loop_free(loop);
        tess_mesh_free(mesh);
    }
}

/* Row p holds the distinct points, ascending, that the chosen slots of a map lead to from the edges
 * whose slot 0 is cell p. */
static void assert_reads(const tess_incidence *reads, const tess_mesh *mesh, const char *name,
                         int first_slot, int n_cells, double weight) {
    const tess_map *map = tess_mesh_find_map(mesh, name);
    const int32_t *cells = tess_mesh_find_map(mesh, "edges:cells")->index;
    assert_int_equal(reads->n_points, mesh->sets[map->to].size);
    assert_true(reads->weight == weight);
    for (int p = 0; p < n_cells; p++) {
        int64_t n = 0, found = 0;
        const int32_t *row = tess_incidence_row(reads, p, &n);
        for (int32_t point = 0; point < reads->n_points; point++) {
            bool is_read = false;
            for (int64_t e = 0; e < mesh->sets[map->from].size; e++)
                for (int s = first_slot; s < 2; s++)
                    is_read |= cells[2 * e] == p && map->index[2 * e + s] == point;
            if (is_read) {
                assert_true(found < n);
                assert_int_equal(row[found++], point);
            }
        }
        assert_int_equal(found, n);
    }
}

static void what_elements_read_weighs_beside(void **state) {
    tess_mesh *mesh = quad_mesh(4, 3);
    tess_loop *loop = mixed_loop();
    tess_bound_loop *bound = NULL;
    tess_partition_problem *problem = NULL;
    add_arg(loop, "w", "", 0, 3, TESS_READ);
    loop->args[loop->n_args - 1].type = TESS_FLOAT;
    add_arg(loop, "w", "", 0, 3, TESS_READ);
    loop->args[loop->n_args - 1].type = TESS_FLOAT;
    add_arg(loop, "o", "", 0, 5, TESS_WRITE);
    loop->args[loop->n_args - 1].type = TESS_FLOAT;
    OK(tess_loop_bind(loop, mesh, &bound));
    OK(tess_partition_problem_build_inverse(bound, tess_mesh_find_set(mesh, "cells"), 4, 0,
                                            &problem));
    OK(tess_partition_problem_add_reads(bound, problem));
    assert_int_equal(problem->n_maps, 1);
    assert_true(problem->maps[0].weight == 3 * 4 + 4);
    assert_int_equal(problem->n_reads, 2);
    assert_reads(&problem->reads[0], mesh, "edges:nodes", 0, 12, 16);
    assert_reads(&problem->reads[1], mesh, "edges:cells", 1, 12, 32);
    tess_partition_problem_free(problem);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);

    /* nothing is read: elements count as before */
    OK(tess_loop_of_map("edges:cells", NULL, &loop));
    OK(tess_loop_bind(loop, mesh, &bound));
    OK(tess_partition_problem_build_inverse(bound, tess_mesh_find_set(mesh, "cells"), 4, 0,
                                            &problem));
    OK(tess_partition_problem_add_reads(bound, problem));
    assert_true(problem->n_reads == 0 && problem->maps[0].weight == 1);
    tess_partition_problem_free(problem);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
}

static void inverse_refuses_a_set_not_reached(void **state) {
    tess_mesh *mesh = quad_mesh(3, 2);
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    tess_partition_problem *problem = NULL;
    OK(tess_loop_of_map("edges:cells", NULL, &loop));
    OK(tess_loop_bind(loop, mesh, &bound));
    const int nodes = tess_mesh_find_set(mesh, "nodes");
    assert_int_equal(tess_partition_problem_build_inverse(bound, nodes, 8, 0, &problem),
                     TESS_ERROR_USAGE);
    assert_non_null(strstr(tess_message(), "nodes"));
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
}

static void assert_centroid(const tess_mesh *mesh, const char *set, int e, double x, double y) {
    double *centroids = NULL;
    OK(tess_centroids_build(mesh, tess_mesh_find_set(mesh, set), &centroids));
    assert_non_null(centroids);
    assert_true(centroids[2 * e] == x && centroids[2 * e + 1] == y);
    free(centroids);
}

static void centroids_are_means_of_nodes(void **state) {
    tess_mesh *mesh = quad_mesh(3, 2);
    assert_centroid(mesh, "nodes", 5, 1, 1);
    assert_centroid(mesh, "cells", 4, 1.5, 1.5);
    assert_centroid(mesh, "edges", 0, 1, 0.5);

    /* a set that only leads to cells lies between them; one that leads nowhere has no place */
    OK(tess_mesh_add_set(mesh, "pairs", 1, NULL));
    int32_t *pair = NULL;
    OK(TESS_ALLOC(3, &pair));
    pair[0] = 0;
    pair[1] = 5;
    pair[2] = -1;
    OK(tess_mesh_add_map(mesh, "pairs", "cells", 3, TESS_MAP_PADDED, pair));
    assert_centroid(mesh, "pairs", 0, 1.5, 1);
    OK(tess_mesh_add_set(mesh, "labels", 2, NULL));
    double *none = NULL;
    OK(tess_centroids_build(mesh, tess_mesh_find_set(mesh, "labels"), &none));
    assert_null(none);
    tess_mesh_free(mesh);
}

static void centroids_of_mixed_cells_come_from_their_types(void **state) {
    tess_mesh *mesh = NULL;
    OK(tess_mesh_new("mixed", 2, &mesh));
    OK(tess_mesh_add_set(mesh, "nodes", 4, NULL));
    OK(tess_mesh_add_set(mesh, "cells", 2, NULL));
    OK(tess_mesh_add_set(mesh, "tris", 1, NULL));
    OK(tess_mesh_add_set(mesh, "quads", 1, NULL));
    OK(TESS_ZEROS(8, &mesh->coordinates));
    const double x[] = {0, 0, 3, 0, 0, 3, 1, 1};
    memcpy(mesh->coordinates, x, sizeof x);
    int32_t *tri = NULL, *quad = NULL, *tri_cell = NULL, *quad_cell = NULL;
    OK(TESS_ZEROS(3, &tri));
    OK(TESS_ZEROS(4, &quad));
    OK(TESS_ZEROS(1, &tri_cell));
    OK(TESS_ZEROS(1, &quad_cell));
    for (int i = 0; i < 4; i++)
        quad[i] = i < 3 ? (tri[i] = i) : i;
    tri_cell[0] = 1;
    OK(tess_mesh_add_map(mesh, "tris", "nodes", 3, 0, tri));
    OK(tess_mesh_add_map(mesh, "quads", "nodes", 4, 0, quad));
    OK(tess_mesh_add_map(mesh, "tris", "cells", 1, 0, tri_cell));
    OK(tess_mesh_add_map(mesh, "quads", "cells", 1, 0, quad_cell));
    assert_centroid(mesh, "cells", 1, 1, 1);
    assert_centroid(mesh, "cells", 0, 1, 1);
    tess_mesh_free(mesh);
}

static void only_a_box_of_cells_has_a_shape(void **state) {
    tess_mesh *mesh = quad_mesh(3, 2);
    const char *const maps[] = {"cells:nodes", "edges:cells"};
    for (int m = 0; m < 2; m++) {
        tess_loop *loop = NULL;
        tess_bound_loop *bound = NULL;
        tess_partition_problem *problem = NULL;
        OK(tess_loop_of_map(maps[m], NULL, &loop));
        OK(tess_loop_bind(loop, mesh, &bound));
        OK(tess_partition_problem_build(bound, TESS_POINTS_INCREMENTS, 4, 0, &problem));
        assert_int_equal(problem->shape[0], m == 0 ? 3 : 0);
        assert_int_equal(problem->shape[1], m == 0 ? 2 : 0);
        tess_partition_problem_free(problem);
        tess_bound_loop_free(bound);
        tess_loop_free(loop);
    }
    tess_mesh_free(mesh);
}

static void a_part_of_a_box_has_no_shape(void **state) {
    tess_mesh *mesh = quad_mesh(3, 2);
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL, *part = NULL;
    tess_partition_problem *problem = NULL;
    OK(tess_loop_of_map("cells:nodes", NULL, &loop));
    OK(tess_loop_bind(loop, mesh, &bound));
    OK(tess_bound_loop_part(bound, 0, 3, &part));
    OK(tess_partition_problem_build(part, TESS_POINTS_ALL, 2, 0, &problem));
    assert_int_equal(problem->n_elements, 3);
    assert_int_equal(problem->shape[0], 0);
    tess_partition_problem_free(problem);
    tess_bound_loop_free(part);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_increments_or_all),
        cmocka_unit_test(inverse_has_the_elements_of_each_point),
        cmocka_unit_test(what_elements_read_weighs_beside),
        cmocka_unit_test(inverse_refuses_a_set_not_reached),
        cmocka_unit_test(centroids_are_means_of_nodes),
        cmocka_unit_test(centroids_of_mixed_cells_come_from_their_types),
        cmocka_unit_test(only_a_box_of_cells_has_a_shape),
        cmocka_unit_test(a_part_of_a_box_has_no_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

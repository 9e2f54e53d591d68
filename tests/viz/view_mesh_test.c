/* View meshes tile the mesh, keep blocks apart and say of each element what the plan says. */
#include "viz/view_mesh.h"

#include "box_mesh.h"

#include <math.h>

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

enum { VERTEX = 1, LINE = 3, TRIANGLE = 5, QUAD = 9 };

static double determinant(const double *a, const double *b, const double *c, const double *d) {
    double m[3][3];
    for (int i = 0; i < 3; i++) {
        m[0][i] = b[i] - a[i];
        m[1][i] = c[i] - a[i];
        m[2][i] = d[i] - a[i];
    }
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* By tets from the mean of the corners to the fans of the faces. */
static double solid_volume(const tess_view_mesh *view, int64_t c) {
    const int64_t *corner = view->connectivity + view->offset[c];
    const tess_cell_type *type =
        tess_cell_type_of_size(3, (int)(view->offset[c + 1] - view->offset[c]));
    double centre[3] = {0}, volume = 0;
    for (int i = 0; i < type->n_nodes; i++)
        for (int d = 0; d < 3; d++)
            centre[d] += view->points[3 * corner[i] + d] / type->n_nodes;
    for (int f = 0; f < type->n_faces; f++)
        for (int i = 1; i + 1 < tess_cell_face_size(type, f); i++)
            volume += determinant(view->points + 3 * corner[type->face[f][0]],
                                  view->points + 3 * corner[type->face[f][i]],
                                  view->points + 3 * corner[type->face[f][i + 1]], centre) /
                      6;
    return fabs(volume);
}

/* Area or volume of all cells; pieces made by us must be turned the right way. */
static double measure(const tess_view_mesh *view) {
    const bool as_stated = strcmp(view->set, "cells") == 0 || tess_cell_type_of_set(view->set);
    double sum = 0;
    for (int64_t c = 0; c < view->n_cells; c++) {
        if (view->type[c] == VERTEX)
            continue; /* a node that no cell has */
        if (view->dimension == 3)
            sum += solid_volume(view, c);
        else
            sum += as_stated ? fabs(polygon_area(view, c)) : polygon_area(view, c);
    }
    return sum;
}

static double measure_of(const tess_mesh *mesh, const char *set) {
    tess_view_mesh *view = view_of_runs(mesh, set, 7);
    const double sum = measure(view);
    tess_view_mesh_free(view);
    return sum;
}

static const char *const mixed_2d[] = {"quads", "tris"};
static const char *const mixed_3d[] = {"hexes", "pyramids"};
static const char *const solids[] = {"tets", "pyramids", "prisms", "hexes"};

static void test_cells_of_every_type_tile_the_mesh(void **state) {
    for (int i = 0; i < 6; i++) {
        const char *how = i < 2 ? mixed_2d[i] : solids[i - 2];
        tess_mesh *mesh = box_mesh(i < 2 ? 2 : 3, 3, 1, &how);
        assert_near(measure_of(mesh, "cells"), 1, 1e-12);
        tess_mesh_free(mesh);
    }
    tess_mesh *mesh = box_mesh(2, 4, 2, mixed_2d);
    assert_near(measure_of(mesh, "cells"), 1, 1e-12);
    assert_near(measure_of(mesh, "quads") + measure_of(mesh, "tris"), 1, 1e-12);
    tess_mesh_free(mesh);
    mesh = box_mesh(3, 3, 2, mixed_3d);
    assert_near(measure_of(mesh, "cells"), 1, 1e-12);
    tess_mesh_free(mesh);
}

static void test_kites_of_edges_and_bedges_tile_the_mesh(void **state) {
    tess_mesh *mesh = box_mesh(2, 4, 2, mixed_2d);
    box_add_sides(mesh, true, 2);
    tess_view_mesh *view = view_of_runs(mesh, "edges", 5);
    assert_int_equal(view->n_cells, tess_mesh_set_size(mesh, "edges"));
    for (int64_t c = 0; c < view->n_cells; c++) {
        assert_int_equal(view->type[c], QUAD);
        assert_true(polygon_area(view, c) > 0);
    }
    assert_true(measure(view) < 0.95); /* the triangles of bedges are not there */
    assert_near(measure(view) + measure_of(mesh, "bedges"), 1, 1e-12);
    tess_view_mesh_free(view);
    tess_mesh_free(mesh);
}

static void test_cones_of_faces_and_bfaces_tile_the_mesh(void **state) {
    const struct {
        const char *const *hows;
        int n_hows, arity; /* 0: nodes are left out, as where faces are of both types */
    } cases[] = {{solids, 1, 3},   {solids, 1, 0},     {solids + 3, 1, 4},
                 {mixed_3d, 2, 0}, {solids + 2, 1, 0}, {mixed_3d + 1, 1, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tess_mesh *mesh = box_mesh(3, 2, cases[i].n_hows, cases[i].hows);
        box_add_sides(mesh, cases[i].arity > 0, cases[i].arity);
        tess_view_mesh *view = view_of_runs(mesh, "faces", 6);
        assert_int_equal(view->n_cells, 2 * tess_mesh_set_size(mesh, "faces"));
        assert_near(measure(view) + measure_of(mesh, "bfaces"), 1, 1e-12);
        tess_view_mesh_free(view);
        tess_mesh_free(mesh);
    }
}

static void test_nodes_and_bare_edges_tile_the_mesh(void **state) {
    for (int i = 0; i < 7; i++) {
        const char *const *hows = i < 2 ? &mixed_2d[i] : i < 6 ? &solids[i - 2] : mixed_3d;
        tess_mesh *mesh = box_mesh(i < 2 ? 2 : 3, 2, i == 6 ? 2 : 1, hows);
        box_add_pairs(mesh);
        assert_near(measure_of(mesh, "nodes"), 1, 1e-12);
        assert_near(measure_of(mesh, "pairs"), 1, 1e-12);
        tess_mesh_free(mesh);
    }
}

static const int32_t *ints(const tess_view_mesh *view, const char *name) {
    const tess_view_array *array = tess_view_mesh_find(view, name);
    assert_non_null(array);
    assert_int_equal(array->type, TESS_INT32);
    return array->values;
}

static bool same_point(const double *a, const double *b) {
    return memcmp(a, b, 3 * sizeof *a) == 0;
}

static void test_points_are_of_one_block_and_move_with_it(void **state) {
    tess_mesh *mesh = box_mesh(2, 6, 2, mixed_2d);
    tess_view_mesh *view = view_of_runs(mesh, "cells", 8);
    double centre[3] = {0};
    for (int64_t i = 0; i < view->n_points; i++)
        for (int d = 0; d < 3; d++)
            centre[d] += view->points[3 * i + d] / (double)view->n_points;
    assert_int_equal(view->block_point[view->n_blocks], view->n_points);
    for (int32_t b = 0; b < view->n_blocks; b++) {
        const int64_t begin = view->block_point[b], end = view->block_point[b + 1];
        double block_centre[3] = {0};
        for (int64_t i = begin; i < end; i++) {
            for (int d = 0; d < 3; d++)
                block_centre[d] += view->points[3 * i + d] / (double)(end - begin);
            for (int64_t j = begin; j < i; j++)
                assert_false(same_point(view->points + 3 * i, view->points + 3 * j));
        }
        for (int64_t i = begin; i < end; i++)
            for (int d = 0; d < 3; d++)
                assert_near(view->explode[3 * i + d], block_centre[d] - centre[d], 1e-6);
        for (int64_t c = view->block_cell[b]; c < view->block_cell[b + 1]; c++) {
            assert_int_equal(ints(view, "block")[c], b);
            assert_int_equal(ints(view, "element")[c] / 8, b);
            for (int64_t i = view->offset[c]; i < view->offset[c + 1]; i++)
                assert_in_range(view->connectivity[i], begin, end - 1);
        }
    }
    tess_view_mesh_free(view);
    tess_mesh_free(mesh);
}

static void test_blocks_that_touch_have_other_hues(void **state) {
    tess_mesh *mesh = box_mesh(2, 12, 2, mixed_2d);
    tess_view_mesh *view = view_of_runs(mesh, "cells", 5);
    const int32_t *hue = ints(view, "display_colour");
    int32_t most = 0;
    int touching = 0;
    for (int32_t a = 0; a < view->n_blocks; a++) {
        most = hue[view->block_cell[a]] > most ? hue[view->block_cell[a]] : most;
        for (int32_t b = 0; b < a; b++)
            for (int64_t i = view->block_point[a]; i < view->block_point[a + 1]; i++)
                for (int64_t j = view->block_point[b]; j < view->block_point[b + 1]; j++)
                    if (same_point(view->points + 3 * i, view->points + 3 * j)) {
                        touching++;
                        assert_int_not_equal(hue[view->block_cell[a]], hue[view->block_cell[b]]);
                    }
    }
    assert_true(touching > view->n_blocks);
    assert_in_range(most, 1, 7);
    tess_view_mesh_free(view);
    tess_mesh_free(mesh);
}

/* Where more blocks meet than there are hues, there are still no more hues. */
static void test_hues_stay_few(void **state) {
    tess_mesh *mesh = box_mesh(3, 3, 1, solids);
    tess_view_mesh *view = view_of_runs(mesh, "cells", 1);
    for (int64_t c = 0; c < view->n_cells; c++)
        assert_in_range(ints(view, "display_colour")[c], 0, TESS_VIEW_HUES - 1);
    tess_view_mesh_free(view);
    tess_mesh_free(mesh);
}

/* The arrays of a plan by hand over four edges of cells, in blocks of three and of one. */
static void assert_arrays_of_plan(const tess_view_mesh *view, const int32_t *executed) {
    const int32_t thread_colour[] = {0, 1, 2, 0};
    assert_int_equal(view->n_cells, 4);
    for (int c = 0; c < 4; c++) {
        const int b = c == 3;
        assert_int_equal(ints(view, "element")[c], executed[c]);
        assert_int_equal(ints(view, "block")[c], b);
        assert_int_equal(ints(view, "thread_colour")[c], thread_colour[c]);
        assert_int_equal(ints(view, "thread")[c], b ? 0 : c);
        assert_int_equal(ints(view, "warp")[c], 0);
        assert_int_equal(ints(view, "block_colour")[c], b);
        assert_int_equal(ints(view, "block_thread_colours")[c], b ? 1 : 3);
        assert_int_equal(ints(view, "block_points")[c], b ? 2 : 4);
        assert_int_equal(ints(view, "block_elements")[c], b ? 1 : 3);
        const float *reuse = tess_view_mesh_find(view, "block_reuse")->values;
        assert_near(reuse[c], b ? 2 / 2. : 6 / 4., 1e-6);
        assert_int_equal(ints(view, "block_components")[c], 1); /* the metrics lack them */
    }
}

/* A plan by hand over the edges of a 2 x 1 strip of quads cut in two blocks. */
static void test_arrays_say_what_the_plan_says(void **state) {
    tess_mesh *mesh = box_mesh(2, 2, 1, mixed_2d); /* 4 quads, 4 inner edges */
    box_add_sides(mesh, true, 2);
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    OK(tess_loop_of_map("edges:cells", NULL, &loop));
    OK(tess_loop_bind(loop, mesh, &bound));
    bool incremented[] = {true, true};
    tess_plan_set set = {.set = "cells",
                         .n_slots = 2,
                         .incremented = true,
                         .slot_incremented = incremented,
                         .point_offset = (int64_t[]){0, 4, 6},
                         .points = (int32_t[]){0, 1, 2, 3, 1, 3},
                         .local_index = (uint16_t[]){0, 1, 0, 2, 2, 3, 0, 1}};
    tess_plan plan = {.loop = "edges:cells",
                      .partitioned_set = "edges",
                      .block_size = 3,
                      .n_elements = 4,
                      .n_executed = 4,
                      .n_blocks = 2,
                      .executed = (int32_t[]){0, 1, 3, 2},
                      .block_offset = (int64_t[]){0, 3, 4},
                      .thread_colour = (uint16_t[]){0, 1, 2, 0},
                      .thread_colours = (int32_t[]){3, 1},
                      .block_colour = (int32_t[]){0, 1},
                      .n_block_colours = 2,
                      .n_sets = 1,
                      .sets = &set};
    tess_metrics metrics = {
        .n_blocks = 2, .n_distributions = 1, .distributions = {{"block_points", (double[]){4, 2}}}};
    tess_view_mesh *view = NULL;
    OK(tess_view_mesh_of_plan(bound, &plan, NULL, &metrics, &view));
    assert_arrays_of_plan(view, plan.executed);
    tess_view_mesh_free(view);

    /* Blocks that own points: the points are shown, by their owner. */
    snprintf(plan.partitioned_set, sizeof plan.partitioned_set, "cells");
    plan.owns_points = true;
    const int32_t block_of[] = {1, 1, 0, 0};
    OK(tess_view_mesh_of_plan(bound, &plan, block_of, NULL, &view));
    assert_int_equal(view->n_cells, 4);
    for (int c = 0; c < 4; c++)
        assert_int_equal(block_of[ints(view, "element")[c]], ints(view, "block")[c]);
    assert_null(tess_view_mesh_find(view, "thread_colour"));
    assert_null(tess_view_mesh_find(view, "thread"));
    tess_view_mesh_free(view);
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
    tess_mesh_free(mesh);
}

/* 16 quads on two ranks, in blocks of four: the second rank's come behind the first's. */
static void test_blocks_of_ranks_say_rank_thread_and_warp(void **state) {
    tess_mesh *mesh = box_mesh(2, 4, 1, mixed_2d);
    const int32_t n = (int32_t)tess_mesh_set_size(mesh, "cells");
    tess_ranked_blocks *blocks = NULL;
    OK(tess_ranked_blocks_new("cells", n, 2, &blocks));
    assert_int_equal(blocks->n, n);
    assert_int_equal(blocks->n_ranks, 2);
    blocks->n_blocks = (n + 3) / 4;
    for (int32_t e = 0; e < n; e++) {
        assert_int_equal(blocks->thread_of[e] | blocks->thread_colour[e] | blocks->rank_of[e], 0);
        blocks->block_of[e] = (n - 1 - e) / 4;
        blocks->rank_of[e] = blocks->block_of[e] >= blocks->n_blocks / 2;
        blocks->thread_of[e] = 31 * (e % 4); /* in warps 0, 0, 1 and 2 */
        blocks->thread_colour[e] = e % 3;
    }
    tess_view_mesh *view = NULL;
    OK(tess_view_mesh_of_ranked_blocks(mesh, blocks, &view));
    assert_int_equal(view->n_cells, n);
    assert_near(measure(view), 1, 1e-12);
    static const int warps[] = {0, 0, 1, 2};
    for (int64_t c = 0; c < view->n_cells; c++) {
        const int32_t e = ints(view, "element")[c];
        assert_int_equal(ints(view, "block")[c], (n - 1 - e) / 4);
        assert_int_equal(ints(view, "rank")[c], (n - 1 - e) / 4 >= blocks->n_blocks / 2);
        assert_int_equal(ints(view, "thread")[c], 31 * (e % 4));
        assert_int_equal(ints(view, "warp")[c], warps[e % 4]);
        assert_int_equal(ints(view, "thread_colour")[c], e % 3);
    }
    tess_view_mesh_free(view);
    blocks->block_of[n - 1] = blocks->n_blocks;
    view = NULL;
    assert_int_equal(tess_view_mesh_of_ranked_blocks(mesh, blocks, &view), TESS_ERROR_INTERNAL);
    assert_null(view);
    tess_ranked_blocks_free(blocks);
    tess_ranked_blocks_free(NULL);
    tess_mesh_free(mesh);
}

static void test_what_cannot_be_shown_is_refused_by_name(void **state) {
    tess_mesh *mesh = box_mesh(2, 2, 1, mixed_2d);
    OK(tess_mesh_add_set(mesh, "things", 3, NULL));
    const int32_t block_of[] = {0, 0, 0, 0};
    tess_view_mesh *view = NULL;
    assert_int_equal(tess_view_mesh_of_partition(mesh, "things", 1, block_of, &view),
                     TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "things:nodes"));
    assert_int_equal(tess_view_mesh_of_partition(mesh, "cells", 0, block_of, &view),
                     TESS_ERROR_INTERNAL);
    /* An edge that no cell has is a line. */
    OK(tess_mesh_add_map(mesh, "things", "nodes", 2, 0,
                         memcpy(malloc(24), (int32_t[]){0, 8, 0, 1, 1, 2}, 24)));
    OK(tess_view_mesh_of_partition(mesh, "things", 1, block_of, &view));
    assert_int_equal(view->n_cells, 3);
    assert_int_equal(view->type[0], LINE);
    assert_int_equal(view->type[1], TRIANGLE);
    tess_view_mesh_free(view);
    tess_mesh_free(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_of_every_type_tile_the_mesh),
        cmocka_unit_test(test_kites_of_edges_and_bedges_tile_the_mesh),
        cmocka_unit_test(test_cones_of_faces_and_bfaces_tile_the_mesh),
        cmocka_unit_test(test_nodes_and_bare_edges_tile_the_mesh),
        cmocka_unit_test(test_points_are_of_one_block_and_move_with_it),
        cmocka_unit_test(test_blocks_that_touch_have_other_hues),
        cmocka_unit_test(test_hues_stay_few),
        cmocka_unit_test(test_arrays_say_what_the_plan_says),
        cmocka_unit_test(test_blocks_of_ranks_say_rank_thread_and_warp),
        cmocka_unit_test(test_what_cannot_be_shown_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

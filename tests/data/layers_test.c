/* Layers of prisms under tets, over planes and around a wing: counts by formula, closed and
 * positive cells, markers; meshes put in order; pairs of nodes; unique nodes of consecutive edges
 * as the FUN3D paper's table II counts them. */
#include "core/base/sort.h"
#include "data/order_mesh.h"
#include "data/shuffle.h"
#include "tests/data/made_mesh.h"

typedef struct shape {
    const char *text;
    int64_t columns, edges, triangles, prisms, tets; /* of the base; layers */
    int euler;
} shape;

static const shape shapes[] = {
    {"layers:base=regular:nx=12:ny=9:prisms=5:tets=4:height=2", 130, 345, 216, 5, 4, 1},
    {"layers:base=irregular:nx=12:ny=12:prisms=3:tets=6", 169, 456, 288, 3, 6, 1},
    {"layers:base=irregular:nx=12:ny=12:prisms=0:tets=3", 169, 456, 288, 0, 3, 1},
    {"layers:base=irregular:nx=12:ny=12:prisms=3:tets=0", 169, 456, 288, 3, 0, 1},
    {"layers:base=wing:nx=48:ny=6:prisms=9:tets=5:height=2", 336, 912, 576, 9, 5, 0},
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

static void layers_have_the_counts_of_columns(void **state) {
    for (int s = 0; s < N_SHAPES; s++) {
        const shape *of = &shapes[s];
        const int64_t layers = of->prisms + of->tets;
        tess_mesh *mesh = generated_mesh(of->text);
        volume_of(mesh); /* of which each is positive */
        assert_marked(mesh, 3);
        assert_int_equal(tess_mesh_set_size(mesh, "nodes"), of->columns * (layers + 1));
        assert_int_equal(tess_mesh_set_size(mesh, "cells"),
                         of->triangles * (of->prisms + 3 * of->tets));
        const int64_t edges =
            of->edges * (layers + 1) + of->columns * layers + of->edges * of->tets;
        assert_int_equal(tess_mesh_set_size(mesh, "edges"), edges);
        assert_int_equal(euler(mesh), of->euler);
        OK(tess_mesh_derive(mesh, "node_pairs:nodes"));
        assert_int_equal(tess_mesh_set_size(mesh, "node_pairs"),
                         2 * (edges + 2 * of->edges * of->prisms));
        tess_mesh_free(mesh);
    }
}

static void layers_over_a_plane_fill_their_box_and_stretch(void **state) {
    tess_mesh *mesh = generated_mesh("layers:base=irregular:nx=8:ny=4:prisms=4:tets=2:height=3:"
                                     "stretch=125");
    assert_true(fabs(volume_of(mesh) - 1.5) < 1e-12);
    const double *x = mesh->coordinates;
    const int64_t level = 3 * 45; /* 9 by 5 columns */
    const double first = x[level + 2] - x[2], last = x[4 * level + 2] - x[3 * level + 2];
    assert_true(fabs(last / first - 125) < 1e-9);
    assert_true(fabs(x[5 * level + 2] - x[4 * level + 2] - last) < 1e-12);
    assert_true(fabs(x[6 * level + 2] - 3) < 1e-12);
    tess_mesh_free(mesh);
    assert_int_equal(generated("layers:prisms=0:tets=0", &mesh), TESS_ERROR_USAGE);
    assert_int_equal(generated("layers:nx=65536:ny=65536", &mesh), TESS_ERROR_INPUT);
}

/* The section at the root is closed, has the chord 1 and a thickness of nearly a tenth. */
static void a_wing_has_its_section(void **state) {
    tess_mesh *mesh = generated_mesh("layers:base=wing:nx=200:ny=4:prisms=2:tets=1");
    double low[3] = {9, 9, 9}, high[3] = {-9, -9, -9};
    for (int i = 0; i < 200; i++)
        for (int d = 0; d < 3; d++) {
            low[d] = fmin(low[d], mesh->coordinates[3 * i + d]);
            high[d] = fmax(high[d], mesh->coordinates[3 * i + d]);
        }
    assert_true(fabs(low[0]) < 1e-12 && fabs(high[0] - 1) < 1e-12 && high[1] == 0);
    assert_true(high[2] - low[2] > 0.09 && high[2] - low[2] < 0.13);
    tess_mesh_free(mesh);
}

/* A number of a cell that does not depend on any numbering. */
static double fingerprint(const tess_mesh *mesh, const tess_cell_type *type, const int32_t *nodes) {
    double product = type->n_nodes;
    for (int i = 0; i < type->n_nodes; i++)
        for (int d = 0; d < mesh->dimension; d++)
            product *= 1 + mesh->coordinates[nodes[i] * mesh->dimension + d] * (d + 1) / 10;
    return product;
}

/* The mean difference of the numbers of an edge's nodes, of n nodes: n / 3 in random order. */
static double mean_apart(tess_mesh *mesh) {
    OK(tess_mesh_derive(mesh, "edges:nodes"));
    const int32_t *nodes = tess_mesh_find_map(mesh, "edges:nodes")->index;
    const int64_t n = tess_mesh_set_size(mesh, "edges");
    double sum = 0;
    for (int64_t e = 0; e < n; e++)
        sum += abs(nodes[2 * e] - nodes[2 * e + 1]);
    return sum / (double)n;
}

/* The cells of each set come in the lexicographic order of their nodes, each cell's ascending. */
static void assert_cells_in_order(const tess_mesh *mesh, const char *name) {
    const tess_map *map = tess_mesh_find_map(mesh, name);
    int32_t before[8] = {-1};
    for (int64_t e = 0; e < mesh->sets[map->from].size; e++) {
        int32_t now[8];
        memcpy(now, map->index + e * map->arity, (size_t)map->arity * sizeof *now);
        tess_sort(now, map->arity);
        int i = 0;
        while (i < map->arity - 1 && now[i] == before[i])
            i++;
        assert_true(now[i] >= before[i]);
        memcpy(before, now, sizeof now);
    }
}

static void an_order_changes_numbers_and_nothing_else(void **state) {
    static const char *const orders[] = {"rcm", "gps", "hilbert"};
    const char *text = "layers:nx=12:ny=12:prisms=3:tets=6";
    for (int o = 0; o < 3; o++) {
        tess_mesh *mesh = generated_mesh(text);
        const double volume = volume_of(mesh), before = sum_over_cells(mesh, fingerprint);
        OK(tess_mesh_shuffle(mesh, 5));
        OK(tess_mesh_order(mesh, orders[o]));
        assert_true(fabs(volume_of(mesh) - volume) < 1e-12);
        assert_true(fabs(sum_over_cells(mesh, fingerprint) / before - 1) < 1e-12);
        assert_cells_in_order(mesh, "tets:nodes");
        assert_cells_in_order(mesh, "prisms:nodes");
        assert_marked(mesh, 3); /* derives all: marked elements are found by their nodes */
        assert_true(mean_apart(mesh) < 1690 / 12.0);
        tess_mesh_free(mesh);
    }
}

static void an_order_follows_edges_or_needs_cells(void **state) {
    tess_mesh *mesh = generated_mesh("quads:nx=40:ny=5");
    OK(tess_mesh_shuffle(mesh, 5));
    OK(tess_mesh_order(mesh, "rcm"));
    assert_true(mean_apart(mesh) < 8); /* a column of the rectangle has 6 */
    assert_int_equal(mesh->shape[0], 0);
    tess_mesh_free(mesh);
    OK(tess_mesh_new("points", 2, &mesh));
    OK(tess_mesh_add_set(mesh, "nodes", 3, NULL));
    OK(TESS_ZEROS(6, &mesh->coordinates));
    assert_int_equal(tess_mesh_order(mesh, "rcm"), TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "has no cells"));
    OK(tess_mesh_order(mesh, "hilbert"));
    tess_mesh_free(mesh);
}

/* Unique nodes of one slot of `width` consecutive edges: the least number such that `tenths` tenths
 * of all runs have at most as many. */
static int unique_nodes(const tess_mesh *mesh, int slot, int width, int tenths) {
    const int32_t *nodes = tess_mesh_find_map(mesh, "left_edges:nodes")->index;
    const int64_t runs = tess_mesh_set_size(mesh, "left_edges") / width;
    int64_t histogram[65] = {0}, up_to = 0;
    for (int64_t r = 0; r < runs; r++) {
        int32_t run[64];
        for (int i = 0; i < width; i++)
            run[i] = nodes[2 * (r * width + i) + slot];
        histogram[tess_sort_unique(run, width)]++;
    }
    for (int n = 0; n <= 64; n++) {
        up_to += histogram[n];
        if (10 * up_to >= tenths * runs)
            return n;
    }
    return 65;
}

/* Table II of Stone, Walden, Zubair and Nielsen (2021), in 32 and 64 edges: medians left 6 and 11,
 * right 25 and 45, ninth deciles left 9 and 18, right 28 and 50. A mesh of 10 thousand nodes is
 * within 1 of the left ones and 3 of the right ones of 32; in 64 edges of so small a mesh fewer
 * nodes are right. */
static void edges_share_left_nodes_as_the_paper_says(void **state) {
    tess_mesh *mesh = generated_mesh("layers:nx=22:ny=22:prisms=10:tets=9");
    OK(tess_mesh_shuffle(mesh, 1));
    OK(tess_mesh_derive(mesh, "left_edges:nodes"));
    assert_true(unique_nodes(mesh, 1, 32, 5) >= 31); /* as numbered by chance */
    tess_mesh_free(mesh);
    mesh = generated_mesh("layers:nx=22:ny=22:prisms=10:tets=9");
    OK(tess_mesh_shuffle(mesh, 1));
    OK(tess_mesh_order(mesh, "rcm"));
    OK(tess_mesh_derive(mesh, "left_edges:nodes"));
    assert_in_range(unique_nodes(mesh, 0, 32, 5), 5, 7);
    assert_in_range(unique_nodes(mesh, 0, 32, 9), 8, 10);
    assert_in_range(unique_nodes(mesh, 0, 64, 5), 10, 12);
    assert_in_range(unique_nodes(mesh, 0, 64, 9), 17, 19);
    assert_in_range(unique_nodes(mesh, 1, 32, 5), 22, 28);
    assert_in_range(unique_nodes(mesh, 1, 32, 9), 25, 31);
    tess_mesh_free(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_have_the_counts_of_columns),
        cmocka_unit_test(layers_over_a_plane_fill_their_box_and_stretch),
        cmocka_unit_test(a_wing_has_its_section),
        cmocka_unit_test(an_order_changes_numbers_and_nothing_else),
        cmocka_unit_test(an_order_follows_edges_or_needs_cells),
        cmocka_unit_test(edges_share_left_nodes_as_the_paper_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

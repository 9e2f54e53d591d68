/* Generated and shuffled meshes: counts, volumes, marked boundaries, closed cells, Delaunay. */
#include "data/generators/generator.h"
#include "data/mesh_open.h"
#include "data/shuffle.h"
#include "tests/data/made_mesh.h"

#include <omp.h>

/* The marked elements "x0", "y1" ... lie where their names say, in a box of the given lengths. */
static void assert_marks_in_place(const tess_mesh *mesh, const double length[3]) {
    static const char *const sets[] = {"marked_edges", "marked_tris", "marked_quads"};
    for (int s = 0; s < 3; s++) {
        char name[TESS_NAME_SIZE];
        snprintf(name, sizeof name, "%s:nodes", sets[s]);
        const tess_map *nodes = tess_mesh_find_map(mesh, name);
        for (int64_t i = 0; nodes && i < tess_mesh_set_size(mesh, sets[s]) * nodes->arity; i++) {
            const int32_t *marker = tess_mesh_find_dat(mesh, "marker", sets[s])->values;
            const char *side = mesh->markers[marker[i / nodes->arity]];
            const int axis = side[0] - 'x';
            assert_true(mesh->coordinates[nodes->index[i] * mesh->dimension + axis] ==
                        (side[1] == '1' ? length[axis] : 0));
        }
    }
}

static void boxes_fill_their_volume(void **state) {
    static const struct {
        const char *text;
        int64_t cells, boundary;
        double volume, length[3];
    } boxes[] = {
        {"quads:nx=7:ny=5:lx=2:stretch=1e4", 35, 24, 2, {2, 1}},
        {"tris:nx=7:ny=5:ly=3", 70, 24, 3, {1, 3}},
        {"hexes:nx=3:ny=4:nz=5:lz=2:stretch=10", 60, 94, 2, {1, 1, 2}},
        {"tets:nx=3:ny=4:nz=5:ly=2", 360, 188, 2, {1, 2, 1}},
        {"prisms:nx=3:ny=4:nz=5", 120, 118, 1, {1, 1, 1}},
        {"quads:nx=1:ny=1", 1, 4, 1, {1, 1}},
    };
    for (size_t b = 0; b < sizeof boxes / sizeof boxes[0]; b++) {
        tess_mesh *mesh = generated_mesh(boxes[b].text);
        assert_true(fabs(volume_of(mesh) - boxes[b].volume) < 1e-12);
        assert_marked(mesh, 2 * mesh->dimension);
        assert_marks_in_place(mesh, boxes[b].length);
        assert_int_equal(tess_mesh_set_size(mesh, "cells"), boxes[b].cells);
        assert_int_equal(tess_mesh_set_size(mesh, mesh->dimension == 2 ? "bedges" : "bfaces"),
                         boxes[b].boundary);
        assert_int_equal(euler(mesh), 1);
        tess_mesh_free(mesh);
    }
}

static void a_box_keeps_its_shape_and_stretches(void **state) {
    tess_mesh *mesh = generated_mesh("quads:nx=2:ny=4:stretch=1000");
    assert_int_equal(mesh->shape[0], 2);
    assert_int_equal(mesh->shape[1], 4);
    assert_int_equal(mesh->shape[2], 0);
    const double *x = mesh->coordinates;
    const double first = x[2 * 3 + 1] - x[1], last = x[2 * 12 + 1] - x[2 * 9 + 1];
    assert_true(fabs(last / first - 1000) < 1e-6);
    assert_true(x[2 * 12 + 1] == 1);
    tess_mesh_free(mesh);
    mesh = generated_mesh("tets:nx=2:ny=2:nz=2");
    assert_int_equal(mesh->shape[0], 0);
    tess_mesh_free(mesh);
}

/* Every neighbour is another cell of the same block, and none is there twice; a rest that is too
 * small for a block of its own joins the last one. */
static void random_blocks_are_closed(void **state) {
    static const struct {
        const char *text;
        int n, b, neighbours, last; /* last: where the last block begins */
        bool symmetric;
    } cases[] = {
        {"random_blocks:n=1000:b=5", 1000, 5, 4, 995, false},
        {"random_blocks:n=103:b=10", 103, 10, 4, 90, false}, /* a rest of 3 joins the last */
        {"random_blocks:n=105:b=10", 105, 10, 4, 100, false},
        {"random_blocks:n=100:b=50:seed=9", 100, 50, 4, 50, false},
        {"random_blocks:n=64:b=200:neighbours=7", 64, 200, 7, 0, false},
        {"random_blocks:n=500:b=20:symmetric=yes", 500, 20, 4, 480, true},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        tess_mesh *mesh = generated_mesh(cases[c].text);
        const tess_map *map = tess_mesh_find_map(mesh, "cells:cells");
        const int arity = cases[c].neighbours;
        assert_int_equal(mesh->sets[map->from].size, cases[c].n);
        assert_int_equal(map->arity, arity);
        assert_null(mesh->coordinates);
        int n_absent = 0;
        for (int i = 0; i < cases[c].n; i++) {
            const int32_t *row = map->index + (int64_t)i * arity;
            const int first = i < cases[c].last ? i / cases[c].b * cases[c].b : cases[c].last;
            const int end = i < cases[c].last ? first + cases[c].b : cases[c].n;
            for (int s = 0; s < arity; s++) {
                n_absent += row[s] < 0;
                if (row[s] < 0)
                    continue;
                assert_true(row[s] != i && row[s] >= first && row[s] < end);
                bool back = !cases[c].symmetric;
                for (int t = 0; t < arity; t++) {
                    assert_true(t == s || row[t] != row[s]);
                    back |= map->index[(int64_t)row[s] * arity + t] == i;
                }
                assert_true(back);
            }
        }
        assert_true(cases[c].symmetric ? n_absent < cases[c].n : n_absent == 0);
        tess_mesh_free(mesh);
    }
}

/* The neighbours of a seed are the same however many threads draw them, and others of another. */
static void random_blocks_follow_the_seed(void **state) {
    static const char *const texts[] = {"random_blocks:n=3000:b=100:seed=4",
                                        "random_blocks:n=3000:b=100:seed=4",
                                        "random_blocks:n=3000:b=100:seed=5"};
    tess_mesh *mesh[3];
    const size_t bytes = 3000 * 4 * sizeof(int32_t);
    for (int i = 0; i < 3; i++) {
        omp_set_num_threads(i == 1 ? 3 : 1);
        mesh[i] = generated_mesh(texts[i]);
    }
    assert_memory_equal(mesh[0]->maps[0].index, mesh[1]->maps[0].index, bytes);
    assert_true(memcmp(mesh[0]->maps[0].index, mesh[2]->maps[0].index, bytes) != 0);
    for (int i = 0; i < 3; i++)
        tess_mesh_free(mesh[i]);
}

static void a_periodic_box_has_no_boundary(void **state) {
    static const char *const texts[] = {"quads:nx=5:ny=4:periodic=xy",
                                        "hexes:nx=3:ny=4:nz=5:periodic=xyz",
                                        "tets:nx=3:ny=4:nz=5:periodic=xyz"};
    for (int t = 0; t < 3; t++) {
        tess_mesh *mesh = generated_mesh(texts[t]);
        assert_marked(mesh, 0);
        assert_int_equal(mesh->n_warnings, 1);
        assert_int_equal(tess_mesh_set_size(mesh, mesh->dimension == 2 ? "bedges" : "bfaces"), 0);
        assert_int_equal(euler(mesh), 0); /* a torus */
        tess_mesh_free(mesh);
    }
    tess_mesh *mesh = generated_mesh("quads:nx=5:ny=4:periodic=x");
    assert_marked(mesh, 2);
    assert_int_equal(tess_mesh_set_size(mesh, "bedges"), 10);
    tess_mesh_free(mesh);
    assert_int_equal(generated("quads:nx=2:periodic=x", &mesh), TESS_ERROR_USAGE);
}

static void a_box_too_large_is_refused_before_memory(void **state) {
    tess_mesh *mesh = NULL;
    assert_int_equal(generated("quads:nx=2147483647:ny=2147483647", &mesh), TESS_ERROR_INPUT);
    assert_int_equal(generated("tets:nx=2000000000:ny=2000000000:nz=2000000000", &mesh),
                     TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "nodes"));
}

/* Sums over the pairs of a map that do not depend on numbers: of coordinates of both ends. */
static double invariant(const tess_mesh *mesh, const char *name) {
    const tess_map *map = tess_mesh_find_map(mesh, name);
    double sum = 0;
    for (int64_t e = 0; e < mesh->sets[map->from].size; e++) {
        const double *a = mesh->coordinates + 2 * map->index[e * map->arity];
        const double *b = mesh->coordinates + 2 * map->index[e * map->arity + 1];
        sum += a[0] * b[1] + 3 * a[1] * b[0] * b[0];
    }
    return sum;
}

static void shuffling_changes_numbers_and_nothing_else(void **state) {
    tess_mesh *mesh = generated_mesh("tris:nx=30:ny=20:lx=3"),
              *other = generated_mesh("tris:nx=30:ny=20:lx=3");
    tess_mesh *third = generated_mesh("tris:nx=30:ny=20:lx=3");
    const tess_map *cells = tess_mesh_find_map(mesh, "cells:nodes");
    const double before = invariant(mesh, "cells:nodes");
    OK(tess_mesh_shuffle(mesh, 7));
    OK(tess_mesh_shuffle(other, 7));
    OK(tess_mesh_shuffle(third, 8));
    const size_t bytes = 1200 * 3 * sizeof *cells->index;
    assert_memory_equal(cells->index, tess_mesh_find_map(other, "cells:nodes")->index, bytes);
    assert_true(memcmp(cells->index, tess_mesh_find_map(third, "cells:nodes")->index, bytes) != 0);
    assert_true(fabs(invariant(mesh, "cells:nodes") - before) < 1e-9 * fabs(before));
    assert_true(fabs(volume_of(mesh) - 3) < 1e-12);
    int64_t in_place = 0;
    for (int64_t i = 0; i < 1200; i++)
        in_place += cells->index[3 * i] / 31 == i / 60;
    assert_true(in_place < 200);
    assert_marked(mesh, 4);
    tess_mesh_free(mesh);
    tess_mesh_free(other);
    tess_mesh_free(third);
}

/* Every cell of stated edges is closed: the normals of its sides, outwards by the order of nodes
 * and cells that OP2's airfoil uses, sum to nothing; and both cells touch both nodes of an edge. */
static void assert_closed(const tess_mesh *mesh) {
    static const char *const sets[] = {"edges", "bedges"};
    const int64_t n_cells = tess_mesh_set_size(mesh, "cells");
    const int32_t *cells_nodes = tess_mesh_find_map(mesh, "cells:nodes")->index;
    const double *x = mesh->coordinates;
    double *sum = NULL;
    OK(TESS_ZEROS(2 * n_cells, &sum));
    for (int s = 0; s < 2; s++) {
        char name[TESS_NAME_SIZE];
        snprintf(name, sizeof name, "%s:nodes", sets[s]);
        const int32_t *nodes = tess_mesh_find_map(mesh, name)->index;
        snprintf(name, sizeof name, "%s:cells", sets[s]);
        const tess_map *cells = tess_mesh_find_map(mesh, name);
        for (int64_t e = 0; e < tess_mesh_set_size(mesh, sets[s]); e++) {
            const double *a = x + 2 * nodes[2 * e], *b = x + 2 * nodes[2 * e + 1];
            for (int k = 0; k < cells->arity; k++) {
                const int32_t cell = cells->index[e * cells->arity + k];
                int touched = 0;
                for (int i = 0; i < 4; i++) {
                    const double *c = x + 2 * cells_nodes[4 * cell + i];
                    touched += (fabs(c[0] - a[0]) + fabs(c[1] - a[1]) < 1e-12) +
                               (fabs(c[0] - b[0]) + fabs(c[1] - b[1]) < 1e-12);
                }
                assert_int_equal(touched, 2);
                sum[2 * cell] += (k ? -1 : 1) * (b[1] - a[1]);
                sum[2 * cell + 1] += (k ? -1 : 1) * (a[0] - b[0]);
            }
        }
    }
    for (int64_t i = 0; i < 2 * n_cells; i++)
        assert_true(fabs(sum[i]) < 1e-12);
    free(sum);
}

static void the_airfoil_is_op2s(void **state) {
    tess_mesh *mesh = generated_mesh("airfoil:i=20:j=15:stretch=50");
    assert_int_equal(tess_mesh_set_size(mesh, "nodes"), 61 * 16);
    assert_int_equal(tess_mesh_set_size(mesh, "cells"), 60 * 15);
    assert_int_equal(tess_mesh_set_size(mesh, "edges"), 59 * 15 + 60 * 14 + 20);
    assert_int_equal(tess_mesh_set_size(mesh, "bedges"), 20 + 60 + 30);
    assert_true(volume_of(mesh) > 0);
    assert_closed(mesh);
    const int32_t *bound = tess_mesh_find_dat(mesh, "bound", "bedges")->values;
    assert_int_equal(bound[19], 1);
    assert_int_equal(bound[20], 2);
    /* the trailing edge and the end of the wake exist twice */
    const double *x = mesh->coordinates;
    assert_true(x[2 * 20] == x[2 * 40] && fabs(x[2 * 20] - 1) < 1e-12 && x[2 * 20 + 1] == 0);
    assert_true(x[0] == 9 && x[2 * 60] == 9);
    OK(tess_mesh_shuffle(mesh, 3));
    assert_closed(mesh);
    OK(tess_mesh_derive_all(mesh));
    assert_false(tess_mesh_find_map(mesh, "edges:cells")->derived);
    tess_mesh_free(mesh);
}

static void rings_surround_the_circle(void **state) {
    tess_mesh *mesh = generated_mesh("ogrid:ni=24:nj=30:radius=5:stretch=1e5");
    const double pi = acos(-1);
    assert_true(fabs(volume_of(mesh) - 12 * sin(pi / 12) * 24) < 1e-9);
    assert_marked(mesh, 2);
    assert_int_equal(tess_mesh_set_size(mesh, "bedges"), 48);
    assert_int_equal(euler(mesh), 0);
    const double *x = mesh->coordinates;
    const double first = x[2 * 24] - x[0], last = x[2 * 24 * 30] - x[2 * 24 * 29];
    assert_true(fabs(last / first / 1e5 - 1) < 1e-6);
    tess_mesh_free(mesh);
}

static double angle_opposite(const double *at, const double *a, const double *b) {
    const double ux = a[0] - at[0], uy = a[1] - at[1], vx = b[0] - at[0], vy = b[1] - at[1];
    return atan2(fabs(ux * vy - uy * vx), ux * vx + uy * vy);
}

/* Delaunay: the two angles opposite to an edge sum to pi at most. Counts the nodes by degree. */
static void assert_delaunay(tess_mesh *mesh, int64_t seen[12]) {
    const int32_t *cells = tess_mesh_find_map(mesh, "cells:nodes")->index;
    const int32_t *edges = tess_mesh_find_map(mesh, "edges:nodes")->index;
    const int32_t *beside = tess_mesh_find_map(mesh, "edges:cells")->index;
    const int64_t n_nodes = tess_mesh_set_size(mesh, "nodes");
    int *degree = NULL;
    OK(TESS_ZEROS(n_nodes, &degree));
    for (int64_t e = 0; e < tess_mesh_set_size(mesh, "edges"); e++) {
        double sum = 0;
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 3; i++) {
                const int32_t node = cells[3 * beside[2 * e + k] + i];
                if (node != edges[2 * e] && node != edges[2 * e + 1])
                    sum += angle_opposite(mesh->coordinates + 2 * node,
                                          mesh->coordinates + 2 * edges[2 * e],
                                          mesh->coordinates + 2 * edges[2 * e + 1]);
            }
        assert_true(sum < acos(-1) + 1e-9);
        degree[edges[2 * e]]++;
        degree[edges[2 * e + 1]]++;
    }
    for (int64_t i = 0; i < n_nodes; i++)
        seen[degree[i] < 12 ? degree[i] : 11]++;
    free(degree);
}

static void irregular_triangles_are_delaunay(void **state) {
    for (int seed = 0; seed < 6; seed++) {
        char text[64];
        int64_t seen[12] = {0};
        snprintf(text, sizeof text, "irregular:nx=200:ny=100:seed=%d", seed);
        tess_mesh *mesh = generated_mesh(text);
        assert_int_equal(tess_mesh_set_size(mesh, "cells"), 40000);
        assert_true(fabs(volume_of(mesh) - 0.5) < 1e-10);
        assert_marked(mesh, 4);
        assert_int_equal(tess_mesh_set_size(mesh, "bedges"), 600);
        assert_int_equal(euler(mesh), 1);
        assert_delaunay(mesh, seen);
        assert_true(seen[3] && seen[4] && seen[5] && seen[6] && seen[7] && seen[8] && seen[9]);
        tess_mesh_free(mesh);
    }
}

/* What every mesh may be asked has a name of its own, but for what is asked of files alone. */
static void no_generator_has_an_option_of_every_mesh(void **state) {
    const tess_generator *generator = NULL;
    for (int g = 0; (generator = tess_generator_at(g)); g++)
        for (const tess_option *own = generator->options; own && own->key; own++)
            for (const tess_option *common = tess_mesh_options; common->key; common++)
                if (strcmp(own->key, "periodic") != 0 && strcmp(own->key, "base") != 0)
                    assert_string_not_equal(own->key, common->key);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_fill_their_volume),
        cmocka_unit_test(a_box_keeps_its_shape_and_stretches),
        cmocka_unit_test(a_periodic_box_has_no_boundary),
        cmocka_unit_test(random_blocks_are_closed),
        cmocka_unit_test(random_blocks_follow_the_seed),
        cmocka_unit_test(a_box_too_large_is_refused_before_memory),
        cmocka_unit_test(the_airfoil_is_op2s),
        cmocka_unit_test(rings_surround_the_circle),
        cmocka_unit_test(irregular_triangles_are_delaunay),
        cmocka_unit_test(shuffling_changes_numbers_and_nothing_else),
        cmocka_unit_test(no_generator_has_an_option_of_every_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

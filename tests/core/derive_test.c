/* Derived maps of boxes and of meshes made by hand: counts, markers, stated maps, threads,
 * refusals. */
#include "tests/core/cell_soup.h"

#include <omp.h>

/* A box of nx * ny * nz hexes. */
static tess_mesh *hex_box(int nx, int ny, int nz) {
    int32_t *nodes = NULL;
    OK(TESS_ALLOC((int64_t)8 * nx * ny * nz, &nodes));
    int64_t at = 0;
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++)
                for (int corner = 0; corner < 8; corner++) {
                    const int dx = (corner % 4 == 1) + (corner % 4 == 2), dy = corner % 4 > 1;
                    nodes[at++] = ((z + corner / 4) * (ny + 1) + y + dy) * (nx + 1) + x + dx;
                }
    tess_mesh *mesh = cells_of_one_type("hexes", (int64_t)(nx + 1) * (ny + 1) * (nz + 1),
                                        (int64_t)nx * ny * nz, nodes, 0);
    free(nodes);
    return mesh;
}

static void a_box_has_the_counts_of_a_box(void **state) {
    const int64_t nx = 4, ny = 3, nz = 5;
    tess_mesh *mesh = hex_box(4, 3, 5);
    OK(tess_mesh_derive_all(mesh));
    const int64_t faces = (nx - 1) * ny * nz + nx * (ny - 1) * nz + nx * ny * (nz - 1);
    const int64_t bfaces = 2 * (nx * ny + ny * nz + nx * nz);
    const int64_t edges =
        nx * (ny + 1) * (nz + 1) + (nx + 1) * ny * (nz + 1) + (nx + 1) * (ny + 1) * nz;
    assert_int_equal(tess_mesh_set_size(mesh, "faces"), faces);
    assert_int_equal(tess_mesh_set_size(mesh, "bfaces"), bfaces);
    assert_int_equal(tess_mesh_set_size(mesh, "edges"), edges);
    /* Euler: nodes - edges + faces - cells = 1 for a ball. */
    assert_int_equal(tess_mesh_set_size(mesh, "nodes") - edges + faces + bfaces - nx * ny * nz, 1);
    const tess_map *neighbours = tess_mesh_find_map(mesh, "cells:cells");
    assert_int_equal(neighbours->arity, 6);
    assert_true(neighbours->padded);
    const int32_t *count = tess_mesh_find_dat(mesh, "n_cells", "cells")->values;
    assert_int_equal(count[0], 3);
    assert_int_equal(count[(1 * 3 + 1) * 4 + 1], 6);
    assert_int_equal(neighbours->index[3], -1);
    for (int64_t cell = 0; cell < nx * ny * nz; cell++)
        for (int s = 0; s < count[cell]; s++) {
            const int32_t other = neighbours->index[cell * 6 + s];
            int back = 0;
            for (int t = 0; t < 6; t++)
                back += neighbours->index[other * 6 + t] == cell;
            assert_int_equal(back, 1);
        }
    tess_mesh_free(mesh);
}

static void left_edges_are_the_edges_sorted(void **state) {
    tess_mesh *mesh = hex_box(3, 2, 2);
    OK(tess_mesh_derive(mesh, "left_edges:nodes"));
    const int64_t n = tess_mesh_set_size(mesh, "left_edges");
    assert_int_equal(n, tess_mesh_set_size(mesh, "edges"));
    const int32_t *left = index_of(mesh, "left_edges:nodes"),
                  *edges = index_of(mesh, "edges:nodes");
    int64_t sum[2] = {0};
    for (int64_t e = 0; e < n; e++) {
        assert_true(left[2 * e] < left[2 * e + 1]);
        if (e)
            assert_true(left[2 * e - 2] < left[2 * e] ||
                        (left[2 * e - 2] == left[2 * e] && left[2 * e - 1] < left[2 * e + 1]));
        sum[0] += (int64_t)left[2 * e] * left[2 * e + 1];
        sum[1] += (int64_t)edges[2 * e] * edges[2 * e + 1];
    }
    assert_int_equal(sum[0], sum[1]);
    tess_mesh_free(mesh);
}

/* Two quads side by side, and a triangle above the first: nodes 0 1 2 / 3 4 5 / 6. */
static tess_mesh *house(void) {
    tess_mesh *mesh = mesh_of_nodes(2, 7);
    OK(tess_mesh_add_set(mesh, "cells", 3, NULL));
    OK(tess_mesh_add_set(mesh, "tris", 1, NULL));
    OK(tess_mesh_add_set(mesh, "quads", 2, NULL));
    OK(tess_mesh_add_map(mesh, "tris", "nodes", 3, 0, copy_of(3, (int32_t[]){3, 4, 6})));
    OK(tess_mesh_add_map(mesh, "tris", "cells", 1, 0, copy_of(1, (int32_t[]){1})));
    OK(tess_mesh_add_map(mesh, "quads", "nodes", 4, 0,
                         copy_of(8, (int32_t[]){0, 1, 4, 3, 1, 2, 5, 4})));
    OK(tess_mesh_add_map(mesh, "quads", "cells", 1, 0, copy_of(2, (int32_t[]){0, 2})));
    return mesh;
}

static void mark(tess_mesh *mesh, int n, const int32_t *nodes, const int32_t *markers) {
    OK(tess_mesh_add_set(mesh, "marked_edges", n, NULL));
    OK(tess_mesh_add_map(mesh, "marked_edges", "nodes", 2, 0, copy_of(2 * n, nodes)));
    OK(tess_mesh_add_dat(mesh, "marker", "marked_edges", 1, TESS_INT32, copy_of(n, markers)));
}

static void sides_of_a_house_by_hand_with_markers(void **state) {
    tess_mesh *mesh = house();
    /* the floor backwards; the inner wall; the roof; the floor again; a line of no cell */
    mark(mesh, 5, (int32_t[]){1, 0, 1, 4, 4, 6, 0, 1, 0, 5}, (int32_t[]){2, 0, 1, 0, 1});
    OK(tess_mesh_derive(mesh, "edges:cells"));
    assert_int_equal(tess_mesh_set_size(mesh, "edges"), 2);
    assert_memory_equal(index_of(mesh, "edges:cells"), ((int32_t[]){0, 2, 0, 1}), 16);
    assert_memory_equal(index_of(mesh, "edges:nodes"), ((int32_t[]){1, 4, 4, 3}), 16);
    assert_int_equal(tess_mesh_set_size(mesh, "bedges"), 7);
    assert_memory_equal(index_of(mesh, "bedges:cells"), ((int32_t[]){0, 0, 1, 1, 2, 2, 2}), 28);
    assert_memory_equal(index_of(mesh, "bedges:nodes"),
                        ((int32_t[]){0, 1, 3, 0, 4, 6, 6, 3, 1, 2, 2, 5, 5, 4}), 56);
    assert_memory_equal(tess_mesh_find_dat(mesh, "marker", "bedges")->values,
                        ((int32_t[]){2, -1, 1, -1, -1, -1, -1}), 28);
    assert_int_equal(mesh->n_warnings, 2);
    assert_non_null(strstr(mesh->warnings[0], "2 marked edges are sides of two cells, or of none"));
    assert_non_null(strstr(mesh->warnings[1], "1 edges are marked again"));
    tess_mesh_free(mesh);
}

static void faces_of_both_shapes_are_marked(void **state) {
    tess_mesh *mesh = cells_of_one_type("prisms", 6, 1, (int32_t[]){0, 1, 2, 3, 4, 5}, 0);
    OK(tess_mesh_add_set(mesh, "marked_tris", 1, NULL));
    OK(tess_mesh_add_map(mesh, "marked_tris", "nodes", 3, 0, copy_of(3, (int32_t[]){5, 3, 4})));
    OK(tess_mesh_add_dat(mesh, "marker", "marked_tris", 1, TESS_INT32, copy_of(1, (int32_t[]){7})));
    OK(tess_mesh_add_set(mesh, "marked_quads", 1, NULL));
    OK(tess_mesh_add_map(mesh, "marked_quads", "nodes", 4, 0, copy_of(4, (int32_t[]){1, 2, 5, 4})));
    OK(tess_mesh_add_dat(mesh, "marker", "marked_quads", 1, TESS_INT32,
                         copy_of(1, (int32_t[]){9})));
    OK(tess_mesh_derive(mesh, "bquad_faces:nodes"));
    assert_memory_equal(tess_mesh_find_dat(mesh, "marker", "bfaces")->values,
                        ((int32_t[]){-1, 7, -1, 9, -1}), 20);
    assert_memory_equal(index_of(mesh, "btri_faces:bfaces"), ((int32_t[]){0, 1}), 8);
    assert_memory_equal(index_of(mesh, "bquad_faces:bfaces"), ((int32_t[]){2, 3, 4}), 12);
    tess_mesh_free(mesh);
}

/* Two quads whose common edge has nodes of its own on each side, joined by a stated map: a cut. */
static void stated_maps_win(void **state) {
    tess_mesh *mesh = cells_of_one_type("quads", 8, 2, (int32_t[]){0, 1, 2, 3, 4, 5, 6, 7}, 0);
    OK(tess_mesh_add_set(mesh, "edges", 2, NULL));
    OK(tess_mesh_add_map(mesh, "edges", "cells", 2, 0, copy_of(4, (int32_t[]){1, 0, 1, 1})));
    OK(tess_mesh_add_map(mesh, "edges", "nodes", 2, 0, copy_of(4, (int32_t[]){2, 1, 7, 4})));
    OK(tess_mesh_derive_all(mesh));
    assert_int_equal(tess_mesh_set_size(mesh, "edges"), 2);
    assert_false(tess_mesh_find_map(mesh, "edges:cells")->derived);
    assert_int_equal(tess_mesh_find_set(mesh, "bedges"), -1);
    assert_memory_equal(index_of(mesh, "left_edges:nodes"), ((int32_t[]){1, 2, 4, 7}), 16);
    /* over the stated edges; the edge between cell 1 and itself joins nobody */
    assert_memory_equal(index_of(mesh, "cells:cells"), ((int32_t[]){1, 0}), 8);
    assert_int_equal(tess_mesh_derive(mesh, "bedges:nodes"), TESS_ERROR_USAGE);
    tess_mesh_free(mesh);
}

static void refuses_with_what_it_can(void **state) {
    tess_mesh *mesh = house();
    assert_int_equal(tess_mesh_derive(mesh, "edge:cells"), TESS_ERROR_USAGE);
    assert_non_null(strstr(tess_message(), "did you mean 'edges:cells'?"));
    assert_int_equal(tess_mesh_derive(mesh, "faces:cells"), TESS_ERROR_USAGE);
    assert_non_null(strstr(tess_message(), "bedges:nodes"));
    assert_int_equal(tess_mesh_derive(mesh, "bfaces:cells"), TESS_ERROR_USAGE);
    assert_non_null(strstr(tess_message(), "did you mean 'bedges:cells'?"));
    assert_int_equal(tess_mesh_derive(mesh, ""), TESS_ERROR_USAGE);
    assert_int_equal(tess_mesh_derive(mesh, "hexes:nodes"), TESS_ERROR_USAGE);
    tess_mesh_free(mesh);
    mesh = hex_box(2, 1, 1);
    assert_int_equal(tess_mesh_derive(mesh, "edges:cells"), TESS_ERROR_USAGE);
    assert_non_null(strstr(tess_message(), "did you mean 'faces:cells'?"));
    tess_mesh_free(mesh);
}

/* n quads; all are neighbours of the first. */
static tess_mesh *star_of_quads(int n) {
    tess_mesh *mesh = cells_of_one_type("quads", 4, n, NULL, 1);
    int32_t *star = NULL;
    OK(TESS_ALLOC(2 * n, &star));
    for (int32_t i = 0; i < n; i++) {
        star[2 * i] = 0;
        star[2 * i + 1] = i;
    }
    OK(tess_mesh_add_set(mesh, "edges", n, NULL));
    OK(tess_mesh_add_map(mesh, "edges", "cells", 2, 0, star));
    return mesh;
}

static void a_cell_that_all_others_neighbour_is_refused_in_large_meshes(void **state) {
    tess_mesh *mesh = star_of_quads(150);
    OK(tess_mesh_derive(mesh, "cells:cells"));
    assert_int_equal(tess_mesh_find_map(mesh, "cells:cells")->arity, 149);
    tess_mesh_free(mesh);
    mesh = star_of_quads(20000);
    assert_int_equal(tess_mesh_derive(mesh, "cells:cells"), TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "19999 neighbours"));
    tess_mesh_free(mesh);
    mesh = star_of_quads(3);
    tess_map *edges = (tess_map *)tess_mesh_find_map(mesh, "edges:cells");
    edges->padded = true;
    edges->index[2] = -1;
    assert_int_equal(tess_mesh_derive(mesh, "cells:cells"), TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "edges:cells does not join two cells each"));
    tess_mesh_free(mesh);
    mesh = star_of_quads(1); /* beside itself, which makes no neighbour */
    OK(tess_mesh_derive(mesh, "cells:cells"));
    assert_int_equal(tess_mesh_find_map(mesh, "cells:cells")->arity, 1);
    assert_int_equal(index_of(mesh, "cells:cells")[0], -1);
    tess_mesh_free(mesh);
}

static void every_derivable_map_derives_under_its_name(void **state) {
    static const char *const sets[] = {"tris", "quads", "tets", "pyramids", "prisms", "hexes"};
    for (int t = 0; t < 6; t++) {
        tess_mesh *mesh = cells_of_one_type(sets[t], 10, 5, NULL, 3);
        const char **names = NULL;
        OK(tess_mesh_derivable(mesh, &names));
        int n = 0;
        for (; names[n]; n++) {
            tess_mesh *other = cells_of_one_type(sets[t], 10, 5, NULL, 3);
            OK(tess_mesh_derive(other, names[n]));
            assert_non_null(tess_mesh_find_map(other, names[n]));
            OK(tess_mesh_derive_all(other));
            OK(tess_mesh_derive(other, names[n]));
            tess_mesh_free(other);
        }
        assert_true(n >= (t < 2 ? 7 : 9));
        free(names);
        tess_mesh_free(mesh);
    }
}

/* Whether some cell of the types has a and b at two of its places. */
static bool in_one_cell(const tess_mesh *mesh, const char *const *sets, int n_sets, int32_t a,
                        int32_t b) {
    for (int t = 0; t < n_sets; t++) {
        char name[TESS_NAME_SIZE];
        snprintf(name, sizeof name, "%s:nodes", sets[t]);
        const tess_map *map = tess_mesh_find_map(mesh, name);
        for (int64_t e = 0; e < mesh->sets[map->from].size; e++)
            for (int i = 0; i < map->arity; i++)
                for (int j = 0; j < map->arity; j++)
                    if (i != j && map->index[e * map->arity + i] == a &&
                        map->index[e * map->arity + j] == b)
                        return true;
    }
    return false;
}

static void pairs_are_those_of_cells_sorted(void **state) {
    static const char *const sets[] = {"tets", "pyramids", "prisms", "hexes"};
    enum { N_NODES = 40 };
    tess_mesh *mesh = soup(4, sets, N_NODES, 30, 5);
    OK(tess_mesh_derive(mesh, "node_pairs:nodes"));
    const int32_t *pairs = index_of(mesh, "node_pairs:nodes");
    int64_t at = 0;
    for (int32_t row = 0; row < tess_mesh_set_size(mesh, "nodes"); row++)
        for (int32_t column = 0; column < tess_mesh_set_size(mesh, "nodes"); column++) {
            if (!in_one_cell(mesh, sets, 4, row, column))
                continue;
            assert_int_equal(pairs[2 * at], row);
            assert_int_equal(pairs[2 * at + 1], column);
            at++;
        }
    assert_int_equal(at, tess_mesh_set_size(mesh, "node_pairs"));
    for (int t = 0; t < 4; t++) {
        char name[TESS_NAME_SIZE];
        snprintf(name, sizeof name, "%s:node_pairs", sets[t]);
        OK(tess_mesh_derive(mesh, name));
        const int32_t *of_cells = index_of(mesh, name);
        pairs = index_of(mesh, "node_pairs:nodes");
        snprintf(name, sizeof name, "%s:nodes", sets[t]);
        const tess_map *nodes = tess_mesh_find_map(mesh, name);
        for (int64_t e = 0; e < mesh->sets[nodes->from].size; e++)
            for (int i = 0; i < nodes->arity; i++)
                for (int j = 0; j < nodes->arity; j++) {
                    if (i == j)
                        continue;
                    assert_int_equal(pairs[2 * *of_cells], nodes->index[e * nodes->arity + i]);
                    assert_int_equal(pairs[2 * *of_cells++ + 1],
                                     nodes->index[e * nodes->arity + j]);
                }
    }
    tess_mesh_free(mesh);
}

static void mixed_cells_have_their_nodes_padded(void **state) {
    tess_mesh *mesh = house();
    OK(tess_mesh_derive(mesh, "edges:nodes"));
    assert_null(tess_mesh_find_map(mesh, "cells:nodes"));
    OK(tess_mesh_derive(mesh, "cells:nodes"));
    assert_true(tess_mesh_find_map(mesh, "cells:nodes")->padded);
    assert_memory_equal(index_of(mesh, "cells:nodes"),
                        ((int32_t[]){0, 1, 4, 3, 3, 4, 6, -1, 1, 2, 5, 4}), 48);
    assert_memory_equal(tess_mesh_find_dat(mesh, "n_nodes", "cells")->values,
                        ((int32_t[]){4, 3, 4}), 12);
    /* Cells keep their types: sides and pairs follow from these as before. */
    tess_mesh *other = house();
    OK(tess_mesh_derive(other, "cells:nodes"));
    OK(tess_mesh_derive(other, "edges:nodes"));
    assert_memory_equal(index_of(other, "bedges:nodes"), index_of(mesh, "bedges:nodes"), 56);
    OK(tess_mesh_derive(other, "tris:node_pairs"));
    tess_mesh_free(other);
    tess_mesh_free(mesh);
}

/* As readers state a surface in space: cells of one type beside the set of this type, which says
 * which of them each is. */
static void cells_of_a_surface_have_their_nodes(void **state) {
    tess_mesh *mesh = mesh_of_nodes(3, 6);
    OK(tess_mesh_add_set(mesh, "quads", 2, NULL));
    OK(tess_mesh_add_map(mesh, "quads", "nodes", 4, 0,
                         copy_of(8, (int32_t[]){0, 1, 4, 3, 1, 2, 5, 4})));
    assert_int_equal(tess_mesh_derive(mesh, "edges:cells"), TESS_ERROR_USAGE);
    assert_non_null(strstr(tess_message(), "it has no cells: add the set cells, and the map "
                                           "quads:cells"));
    assert_int_equal(tess_mesh_derive(mesh, "edges:cels"), TESS_ERROR_USAGE);
    assert_null(strstr(tess_message(), "no cells"));
    OK(tess_mesh_add_set(mesh, "cells", 2, NULL));
    OK(tess_mesh_add_map(mesh, "quads", "cells", 1, 0, copy_of(2, (int32_t[]){1, 0})));
    OK(tess_mesh_derive(mesh, "cells:nodes"));
    const tess_map *nodes = tess_mesh_find_map(mesh, "cells:nodes");
    assert_int_equal(nodes->arity, 4);
    assert_false(nodes->padded);
    assert_memory_equal(nodes->index, ((int32_t[]){1, 2, 5, 4, 0, 1, 4, 3}), 32);
    OK(tess_mesh_derive(mesh, "edges:cells")); /* quads, as before, and no tets */
    assert_int_equal(tess_mesh_set_size(mesh, "edges"), 1);
    tess_mesh_free(mesh);
}

/* Triangles around one node, more than threads share: every edge of theirs is found once. */
static void a_node_of_all_cells_has_their_edges(void **state) {
    enum { N = 9000 };
    int32_t nodes[N][3];
    for (int32_t i = 0; i < N; i++)
        memcpy(nodes[i], (int32_t[3]){1 + i * 7 % N, 0, 1 + (i * 7 + 1) % N}, sizeof *nodes);
    tess_mesh *mesh = cells_of_one_type("tris", N + 1, N, *nodes, 0);
    OK(tess_mesh_derive(mesh, "edges:cells"));
    assert_int_equal(tess_mesh_set_size(mesh, "edges"), N);
    assert_int_equal(tess_mesh_set_size(mesh, "bedges"), N);
    const tess_map *cells = tess_mesh_find_map(mesh, "edges:cells");
    for (int64_t edge = 0; edge < N; edge++) {
        const int32_t *a = nodes[cells->index[2 * edge]], *b = nodes[cells->index[2 * edge + 1]];
        assert_true(a[0] == b[2] || a[2] == b[0]);
    }
    tess_mesh_free(mesh);
}

static void the_same_on_any_number_of_threads(void **state) {
    static const char *const solid[] = {"tets", "pyramids", "prisms", "hexes"};
    const int most = omp_get_max_threads();
    tess_mesh *meshes[2] = {NULL};
    for (int i = 0; i < 2; i++) {
        omp_set_num_threads(i ? 7 : 1);
        meshes[i] = soup(4, solid, 3000, 9000, 11);
        OK(tess_mesh_derive_all(meshes[i]));
    }
    omp_set_num_threads(most);
    assert_int_equal(meshes[0]->n_maps, meshes[1]->n_maps);
    for (int m = 0; m < meshes[0]->n_maps; m++) {
        const tess_map *a = &meshes[0]->maps[m], *b = &meshes[1]->maps[m];
        const int64_t n = meshes[0]->sets[a->from].size;
        assert_string_equal(a->name, b->name);
        assert_int_equal(n, meshes[1]->sets[b->from].size);
        assert_int_equal(memcmp(a->index, b->index, (size_t)(n * a->arity) * 4), 0);
    }
    tess_mesh_free(meshes[0]);
    tess_mesh_free(meshes[1]);
}

static void cells_of_no_type_and_of_two_are_refused(void **state) {
    tess_mesh *mesh = house();
    for (int m = 0; m < mesh->n_maps; m++)
        if (strcmp(mesh->maps[m].name, "tris:cells") == 0)
            mesh->maps[m].index[0] = 2;
    assert_int_equal(tess_mesh_derive_all(mesh), TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "cell 2 is stated twice"));
    tess_mesh_free(mesh);
    mesh = house();
    for (int s = 0; s < mesh->n_sets; s++)
        if (strcmp(mesh->sets[s].name, "quads") == 0)
            mesh->sets[s].size = 1;
    assert_int_equal(tess_mesh_derive_all(mesh), TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "cell 2 has no type"));
    tess_mesh_free(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_the_counts_of_a_box),
        cmocka_unit_test(left_edges_are_the_edges_sorted),
        cmocka_unit_test(sides_of_a_house_by_hand_with_markers),
        cmocka_unit_test(faces_of_both_shapes_are_marked),
        cmocka_unit_test(stated_maps_win),
        cmocka_unit_test(refuses_with_what_it_can),
        cmocka_unit_test(a_cell_that_all_others_neighbour_is_refused_in_large_meshes),
        cmocka_unit_test(every_derivable_map_derives_under_its_name),
        cmocka_unit_test(pairs_are_those_of_cells_sorted),
        cmocka_unit_test(mixed_cells_have_their_nodes_padded),
        cmocka_unit_test(cells_of_a_surface_have_their_nodes),
        cmocka_unit_test(a_node_of_all_cells_has_their_edges),
        cmocka_unit_test(the_same_on_any_number_of_threads),
        cmocka_unit_test(cells_of_no_type_and_of_two_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

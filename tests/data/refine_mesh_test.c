/* Refined meshes: counts, volumes, conforming sides, marked boundaries, what is refused and
 * dropped. */
#include "data/refine_mesh.h"
#include "tests/data/made_mesh.h"
#include "tests/data/mixed_mesh.h"

static tess_mesh *refined(tess_mesh *mesh) {
    tess_mesh *fine = NULL;
    OK(tess_mesh_refine(mesh, &fine));
    tess_mesh_free(mesh);
    return fine;
}

static void refined_boxes_are_finer_boxes(void **state) {
    static const char *const texts[] = {"quads:nx=3:ny=2:lx=2", "tris:nx=3:ny=2:lx=2",
                                        "hexes:nx=2:ny=3:nz=2:lz=2", "tets:nx=2:ny=3:nz=2:lz=2",
                                        "prisms:nx=2:ny=3:nz=2:lz=2"};
    for (int t = 0; t < 5; t++) {
        tess_mesh *mesh = generated_mesh(texts[t]);
        const char *boundary = mesh->dimension == 2 ? "bedges" : "bfaces";
        OK(tess_mesh_derive_all(mesh));
        const int64_t n_cells = tess_mesh_set_size(mesh, "cells");
        const int64_t n_boundary = tess_mesh_set_size(mesh, boundary);
        mesh = refined(refined(mesh));
        assert_true(fabs(volume_of(mesh) - 2) < 1e-12);
        assert_marked(mesh, 2 * mesh->dimension);
        assert_int_equal(tess_mesh_set_size(mesh, "cells"),
                         n_cells * (mesh->dimension == 2 ? 16 : 64));
        assert_int_equal(tess_mesh_set_size(mesh, boundary),
                         n_boundary * (mesh->dimension == 2 ? 4 : 16));
        assert_int_equal(euler(mesh), 1);
        tess_mesh_free(mesh);
    }
}

/* A hex with a pyramid on its top, a prism at its right side and a tet at the pyramid's. */
static tess_mesh *all_types(void) {
    static const double x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0,   0,   1, 1, 0,   1,
                               1, 1, 1, 0, 1, 1, 2, 0, 0, 2, 1, 0, 0.5, 0.5, 2, 2, 0.5, 2};
    tess_mesh *mesh = mesh_of_nodes(3, 12, x, 4);
    add_type(mesh, "hexes", 1, 8, (int32_t[]){0, 1, 2, 3, 4, 5, 6, 7}, (int32_t[]){3});
    add_type(mesh, "pyramids", 1, 5, (int32_t[]){4, 5, 6, 7, 10}, (int32_t[]){1});
    add_type(mesh, "prisms", 1, 6, (int32_t[]){1, 5, 8, 2, 6, 9}, (int32_t[]){0});
    add_type(mesh, "tets", 1, 4, (int32_t[]){5, 11, 6, 10}, (int32_t[]){2});
    return mesh;
}

static void cells_of_all_types_are_refined_together(void **state) {
    tess_mesh *mesh = all_types();

    OK(tess_mesh_derive_all(mesh));
    assert_int_equal(tess_mesh_set_size(mesh, "faces"), 3);
    int64_t n_boundary = tess_mesh_set_size(mesh, "bfaces");
    const double volume = volume_of(mesh);
    for (int level = 0; level < 2; level++) {
        mesh = refined(mesh);
        assert_true(fabs(volume_of(mesh) - volume) < 1e-12);
        OK(tess_mesh_derive_all(mesh));
        assert_int_equal(mesh->n_warnings, 0);
        assert_int_equal(tess_mesh_set_size(mesh, "bfaces"), 4 * n_boundary);
        assert_int_equal(euler(mesh), 1);
        n_boundary *= 4;
    }
    assert_int_equal(tess_mesh_set_size(mesh, "cells"), 64 * 3 + 6 * 10 + 4 * 8);
    assert_int_equal(tess_mesh_set_size(mesh, "pyramids"), 36);
    tess_mesh_free(mesh);
}

static void a_tet_is_cut_along_its_shortest_diagonal(void **state) {
    static const double sides[3][3] = {{2, 3, 1}, {2, 1, 3}, {1, 2, 3}}; /* of a box, a b c */
    static const int32_t ends[3][2] = {{4, 9}, {5, 7}, {6, 8}};          /* middles of edges */
    for (int k = 0; k < 3; k++) {
        const double a = sides[k][0], b = sides[k][1], c = sides[k][2];
        const double x[] = {0, 0, 0, a, b, 0, 0, b, c, a, 0, c};
        const int32_t nodes[] = {0, 1, 2, 3};
        int32_t *index = NULL;
        tess_mesh *mesh = NULL;
        OK(tess_mesh_new("every other corner of a box", 3, &mesh));
        OK(tess_mesh_add_set(mesh, "nodes", 4, NULL));
        OK(tess_mesh_add_set(mesh, "cells", 1, NULL));
        OK(TESS_ALLOC(12, &mesh->coordinates));
        memcpy(mesh->coordinates, x, sizeof x);
        OK(TESS_ALLOC(4, &index));
        memcpy(index, nodes, sizeof nodes);
        OK(tess_mesh_add_map(mesh, "cells", "nodes", 4, 0, index));
        mesh = refined(mesh);
        assert_true(fabs(volume_of(mesh) - 2) < 1e-12); /* a third of the box */
        OK(tess_mesh_derive(mesh, "left_edges:nodes"));
        const int32_t *edges = tess_mesh_find_map(mesh, "left_edges:nodes")->index;
        int found = 0;
        for (int64_t e = 0; e < tess_mesh_set_size(mesh, "left_edges"); e++)
            found += edges[2 * e] == ends[k][0] && edges[2 * e + 1] == ends[k][1];
        assert_int_equal(found, 1);
        tess_mesh_free(mesh);
    }
}

static void refinement_refuses_a_cell_that_repeats_a_node(void **state) {
    static const char *const texts[] = {"quads:nx=2:ny=1", "hexes:nx=2:ny=1:nz=1"};
    for (int t = 0; t < 2; t++) {
        tess_mesh *mesh = generated_mesh(texts[t]), *fine = NULL;
        int32_t *second =
            ((tess_map *)tess_mesh_find_map(mesh, "cells:nodes"))->index + (t ? 8 : 4);
        second[1] = second[0]; /* a side of the hex is a triangle then */
        assert_int_equal(tess_mesh_refine(mesh, &fine), TESS_ERROR_INPUT);
        assert_non_null(strstr(tess_message(), "cell 1"));
        assert_null(fine);
        tess_mesh_free(mesh);
    }
}

static void refinement_names_what_it_drops(void **state) {
    tess_mesh *mesh = generated_mesh("quads:nx=2:ny=1");
    OK(tess_mesh_derive(mesh, "edges:cells"));
    ((tess_map *)tess_mesh_find_map(mesh, "edges:cells"))->derived = false;
    ((tess_map *)tess_mesh_find_map(mesh, "marked_edges:nodes"))->index[1] = 5; /* no edge 0 5 */
    mesh = refined(mesh);
    assert_int_equal(mesh->n_warnings, 2);
    assert_non_null(strstr(mesh->warnings[0], "1 of the marked_edges belong to no cell"));
    assert_non_null(strstr(mesh->warnings[1], "edges:cells"));
    tess_mesh_free(mesh);
}

static void a_refined_airfoil_keeps_its_boundary_conditions(void **state) {
    tess_mesh *mesh = refined(generated_mesh("airfoil:i=6:j=5"));
    assert_int_equal(mesh->n_markers, 2);
    assert_string_equal(mesh->markers[0], "1");
    assert_int_equal(tess_mesh_set_size(mesh, "marked_edges"), 2 * (6 + 18 + 10));
    assert_int_equal(tess_mesh_set_size(mesh, "cells"), 4 * 18 * 5);
    assert_non_null(strstr(mesh->warnings[0], "edges:nodes, edges:cells, bedges:nodes"));
    tess_mesh_free(mesh);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refined_boxes_are_finer_boxes),
        cmocka_unit_test(cells_of_all_types_are_refined_together),
        cmocka_unit_test(a_tet_is_cut_along_its_shortest_diagonal),
        cmocka_unit_test(refinement_refuses_a_cell_that_repeats_a_node),
        cmocka_unit_test(refinement_names_what_it_drops),
        cmocka_unit_test(a_refined_airfoil_keeps_its_boundary_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

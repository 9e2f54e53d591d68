/* The faces of each cell type close it, and its edges are those of its faces. */
#include "core/mesh/cell_type.h"
#include "tests/unit.h"

/* How often the directed side a -> b occurs around the faces. */
static int sides_between(const tess_cell_type *type, int a, int b) {
    int n = 0;
    for (int f = 0; f < type->n_faces; f++) {
        const int size = tess_cell_face_size(type, f);
        for (int i = 0; i < size; i++)
            n += type->face[f][i] == a && type->face[f][(i + 1) % size] == b;
    }
    return n;
}

static void test_faces_close_the_cell_and_share_its_edges(void **state) {
    for (int t = 0; t < TESS_CELL_TYPES; t++) {
        const tess_cell_type *type = &tess_cell_types[t];
        if (type->dimension == 2)
            continue;
        int sides = 0;
        for (int f = 0; f < type->n_faces; f++)
            sides += tess_cell_face_size(type, f);
        assert_int_equal(sides, 2 * type->n_edges);
        assert_int_equal(type->n_nodes - type->n_edges + type->n_faces, 2); /* Euler */
        for (int e = 0; e < type->n_edges; e++) {
            assert_int_equal(sides_between(type, type->edge[e][0], type->edge[e][1]), 1);
            assert_int_equal(sides_between(type, type->edge[e][1], type->edge[e][0]), 1);
        }
    }
}

static void test_types_are_found(void **state) {
    for (int t = 0; t < TESS_CELL_TYPES; t++) {
        const tess_cell_type *type = &tess_cell_types[t];
        assert_ptr_equal(tess_cell_type_of_set(type->set), type);
        assert_ptr_equal(tess_cell_type_of_size(type->dimension, type->n_nodes), type);
    }
    assert_null(tess_cell_type_of_set("cells"));
    assert_null(tess_cell_type_of_size(2, 5));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faces_close_the_cell_and_share_its_edges),
        cmocka_unit_test(test_types_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

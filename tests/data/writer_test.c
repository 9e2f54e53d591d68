/* Writers: what is written reads back the same, to the last bit; what cannot be written is refused.
 */
#include "core/mesh/derive.h"
#include "core/mesh/plane_walls.h"
#include "data/formats/reader.h"
#include "data/formats/writer.h"
#include "data/mesh_open.h"
#include "tests/data/mixed_mesh.h"

#include <sys/stat.h>
#include <unistd.h>

static tess_mesh *mesh_of(const char *text) {
    tess_mesh *mesh = NULL;
    OK(tess_mesh_open(text, &mesh));
    return mesh;
}

/* A path in a directory of our own. */
static const char *path_of(const char *name) {
    static char directory[] = "/tmp/writer_test-XXXXXX", path[256];
    static bool is_made = false;
    if (!is_made)
        assert_non_null(mkdtemp(directory));
    is_made = true;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static tess_mesh *written_and_read(tess_mesh *mesh, const char *format, const char *file) {
    const tess_writer *writer = NULL;
    const char *path = path_of(file);
    tess_mesh *again = NULL;
    OK(tess_writer_find(format, path, &writer));
    OK(tess_mesh_write(mesh, writer, path));
    OK(tess_mesh_read(path, &again));
    unlink(path);
    return again;
}

static void assert_same_map(const tess_mesh *a, const tess_mesh *b, const char *name) {
    const tess_map *x = tess_mesh_find_map(a, name), *y = tess_mesh_find_map(b, name);
    assert_non_null(x);
    assert_non_null(y);
    assert_int_equal(a->sets[x->from].size, b->sets[y->from].size);
    assert_int_equal(x->arity, y->arity);
    assert_memory_equal(x->index, y->index,
                        (size_t)(a->sets[x->from].size * x->arity) * sizeof *x->index);
}

/* Each cell's nodes, and each boundary side's marker by its name, are the same. */
static void assert_same(tess_mesh *a, tess_mesh *b) {
    tess_cells x, y;
    OK(tess_cells_build(a, &x));
    OK(tess_cells_build(b, &y));
    assert_int_equal(x.n_cells, y.n_cells);
    for (int64_t cell = 0; cell < x.n_cells; cell++) {
        const tess_cell_type *type_x = NULL, *type_y = NULL;
        const int32_t *nodes_x = tess_cell_nodes(&x, cell, &type_x);
        const int32_t *nodes_y = tess_cell_nodes(&y, cell, &type_y);
        assert_ptr_equal(type_x, type_y);
        assert_memory_equal(nodes_x, nodes_y, (size_t)type_x->n_nodes * sizeof *nodes_x);
    }
    tess_cells_release(&x);
    tess_cells_release(&y);
    assert_int_equal(tess_mesh_set_size(a, "nodes"), tess_mesh_set_size(b, "nodes"));
    assert_memory_equal(a->coordinates, b->coordinates,
                        (size_t)(tess_mesh_set_size(a, "nodes") * a->dimension) * sizeof(double));
    const char *boundary = a->dimension == 2 ? "bedges" : "bfaces";
    OK(tess_mesh_derive_all(a));
    OK(tess_mesh_derive_all(b));
    const int32_t *marker_a = tess_mesh_find_dat(a, "marker", boundary)->values;
    const int32_t *marker_b = tess_mesh_find_dat(b, "marker", boundary)->values;
    for (int64_t i = 0; i < tess_mesh_set_size(a, boundary); i++) {
        assert_in_range(marker_b[i], 0, b->n_markers - 1);
        assert_string_equal(a->markers[marker_a[i]], b->markers[marker_b[i]]);
    }
}

static void formats_that_keep_names_read_back_the_same(void **state) {
    static const char *const texts[] = {
        "quads:nx=5:ny=4:stretch=7", "irregular:nx=6:ny=5:seed=2", "hexes:nx=2:ny=3:nz=4:lx=0.1",
        "tets:nx=2:ny=3:nz=2:lz=3",  "prisms:nx=2:ny=3:nz=2",      "tets:nx=1:ny=1:nz=1:shuffle=4"};
    static const char *const formats[] = {"su2", "gmsh4", "gmsh2", "vtkhdf", "exodus", "cgns"};
    static const char *const files[] = {"mesh.su2",    "mesh.msh", "mesh.msh",
                                        "mesh.vtkhdf", "mesh.exo", "mesh.cgns"};
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++)
        for (int f = 0; f < 6; f++) {
            tess_mesh *mesh = mesh_of(texts[t]);
            tess_mesh *again = written_and_read(mesh, formats[f], files[f]);
            assert_same(mesh, again);
            tess_mesh_free(mesh);
            tess_mesh_free(again);
        }
}

/* A quad with a triangle on it, between two more quads in the order of cells. */
static tess_mesh *mixed(void) {
    static const double x[] = {0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1, 0.5, 1.7};
    tess_mesh *mesh = mesh_of_nodes(2, 7, x, 3);
    add_type(mesh, "tris", 1, 3, (int32_t[]){3, 4, 6}, (int32_t[]){1});
    add_type(mesh, "quads", 2, 4, (int32_t[]){0, 1, 4, 3, 1, 2, 5, 4}, (int32_t[]){0, 2});
    return mesh;
}

static void mixed_cells_keep_their_order(void **state) {
    static const char *const formats[] = {"su2", "gmsh4", "gmsh2", "vtkhdf"};
    static const char *const files[] = {"mesh.su2", "mesh.msh", "mesh.msh", "mesh.vtkhdf"};
    for (int f = 0; f < 4; f++) {
        tess_mesh *mesh = mixed();
        tess_mesh *again = written_and_read(mesh, formats[f], files[f]);
        assert_same_map(mesh, again, "tris:cells");
        assert_same_map(mesh, again, "quads:cells");
        assert_same_map(mesh, again, "quads:nodes");
        tess_mesh_free(mesh);
        tess_mesh_free(again);
    }
}

static void op2_keeps_stated_maps(void **state) {
    tess_mesh *mesh = mesh_of("airfoil:i=10:j=8:shuffle=2");
    int32_t *turned = tess_mesh_find_map(mesh, "edges:nodes")->index; /* the file's way is kept */
    const int32_t first = turned[0];
    turned[0] = turned[1];
    turned[1] = first;
    tess_mesh *again = written_and_read(mesh, NULL, "mesh.dat");
    static const char *const maps[] = {"cells:nodes", "edges:nodes", "edges:cells", "bedges:nodes",
                                       "bedges:cells"};
    for (int m = 0; m < 5; m++)
        assert_same_map(mesh, again, maps[m]);
    assert_memory_equal(tess_mesh_find_dat(mesh, "bound", "bedges")->values,
                        tess_mesh_find_dat(again, "bound", "bedges")->values, 46 * 4);
    assert_memory_equal(mesh->coordinates, again->coordinates,
                        (size_t)tess_mesh_set_size(mesh, "nodes") * 16);
    tess_mesh_free(mesh);
    tess_mesh_free(again);
}

static void op2_turns_derived_edges(void **state) {
    tess_mesh *mesh = mesh_of("quads:nx=3:ny=2");
    tess_mesh *again = written_and_read(mesh, NULL, "mesh.dat");
    const int32_t *nodes = tess_mesh_find_map(again, "edges:nodes")->index;
    const int32_t *cells = tess_mesh_find_map(again, "edges:cells")->index;
    /* between cells 0 and 1: cell 0 lies to the right of the way down */
    assert_memory_equal(cells, ((int32_t[]){0, 1}), 8);
    assert_memory_equal(nodes, ((int32_t[]){5, 1}), 8);
    tess_mesh_free(mesh);
    tess_mesh_free(again);
}

/* OP2's airfoil takes 1 for a wall, whatever number that marker has in the mesh. */
static void op2_states_walls(void **state) {
    static const char *const names[] = {"wall", "outside"};
    for (int named = 0; named < 2; named++) {
        tess_mesh *mesh = mesh_of("quads:nx=3:ny=2");
        free(mesh->markers[3]); /* of the sides where y is 1 */
        mesh->markers[3] = strdup(names[named]);
        tess_mesh *again = written_and_read(mesh, NULL, "mesh.dat");
        const int32_t *bound = tess_mesh_find_dat(again, "bound", "bedges")->values;
        const int32_t *nodes = tess_mesh_find_map(again, "bedges:nodes")->index;
        const double *x = again->coordinates;
        for (int64_t s = 0; s < 10; s++) {
            const bool top = x[2 * nodes[2 * s] + 1] == 1 && x[2 * nodes[2 * s + 1] + 1] == 1;
            assert_int_equal(bound[s] == TESS_PLANE_WALL, top && named == 0);
        }
        tess_mesh_free(mesh);
        tess_mesh_free(again);
    }
}

static void su2_marks_what_bounds_op2s_mesh_and_says_what_is_lost(void **state) {
    tess_mesh *mesh = mesh_of("airfoil:i=10:j=8");
    tess_mesh *again = written_and_read(mesh, NULL, "mesh.su2");
    assert_int_equal(mesh->n_warnings, 1);
    assert_non_null(strstr(mesh->warnings[0], "edges:cells is lost"));
    assert_int_equal(again->n_markers, 2);
    assert_string_equal(again->markers[0], "1");
    assert_int_equal(tess_mesh_set_size(again, "marked_edges"), 10 + 30 + 16);
    tess_mesh_free(mesh);
    tess_mesh_free(again);
}

static void refuses_what_cannot_be_written_and_leaves_nothing(void **state) {
    const tess_writer *writer = NULL;
    tess_mesh *mesh = mesh_of("tris:nx=2:ny=2");
    assert_int_equal(tess_writer_find(NULL, "mesh.obj", &writer), TESS_ERROR_USAGE);
    assert_int_equal(tess_writer_find("su", "mesh.obj", &writer), TESS_ERROR_USAGE);
    assert_non_null(strstr(tess_message(), "did you mean 'su2'?"));
    OK(tess_writer_find("op2", "mesh", &writer));
    const char *path = path_of("mesh.dat");
    assert_int_equal(tess_mesh_write(mesh, writer, path), TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "quads"));
    assert_int_not_equal(access(path, F_OK), 0);
    OK(tess_writer_find("su2", "mesh", &writer));
    assert_int_equal(tess_mesh_write(mesh, writer, "/no/such/folder/mesh.su2"), TESS_ERROR_IO);
    /* a folder in the way: the temporary file is removed again, so that rmdir succeeds below */
    path = path_of("folder");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(tess_mesh_write(mesh, writer, path), TESS_ERROR_IO);
    assert_int_equal(rmdir(path), 0);
    tess_mesh_free(mesh);
}

static int remove_folder(void **state) {
    return rmdir(path_of(""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_that_keep_names_read_back_the_same),
        cmocka_unit_test(mixed_cells_keep_their_order),
        cmocka_unit_test(op2_keeps_stated_maps),
        cmocka_unit_test(op2_turns_derived_edges),
        cmocka_unit_test(op2_states_walls),
        cmocka_unit_test(su2_marks_what_bounds_op2s_mesh_and_says_what_is_lost),
        cmocka_unit_test(refuses_what_cannot_be_written_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, remove_folder);
}

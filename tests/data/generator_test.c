/* Generated, refined and shuffled meshes: counts, volumes, conforming sides, marked boundaries. */
#include "core/array.h"
#include "core/cells.h"
#include "core/derive.h"
#include "data/generator.h"
#include "data/refine_mesh.h"
#include "data/shuffle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OK(call) assert_int_equal((call), TESS_OK)

static tess_status generated(const char *text, tess_mesh **out) {
    tess_spec *specs = NULL;
    int n = 0;
    OK(tess_spec_list_parse(text, &specs, &n));
    const tess_generator *generator = tess_generator_of_name(specs[0].name);
    assert_non_null(generator);
    OK(tess_spec_check(&specs[0], generator->options));
    const tess_status status = generator->generate(&specs[0], out);
    tess_spec_list_free(specs, n);
    return status;
}

static tess_mesh *mesh_of(const char *text) {
    tess_mesh *mesh = NULL;
    OK(generated(text, &mesh));
    return mesh;
}

static tess_mesh *refined(tess_mesh *mesh) {
    tess_mesh *fine = NULL;
    OK(tess_mesh_refine(mesh, &fine));
    tess_mesh_free(mesh);
    return fine;
}

static double tet_volume(const double *a, const double *b, const double *c, const double *d) {
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
        w[i] = d[i] - a[i];
    }
    return ((u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] +
            (u[0] * v[1] - u[1] * v[0]) * w[2]) /
           6;
}

/* Area or volume of a cell, positive where its nodes are in VTK's order. */
static double cell_volume(const tess_mesh *mesh, const tess_cell_type *type, const int32_t *nodes) {
    const double *x = mesh->coordinates;
    double volume = 0;
    if (type->dimension == 2) {
        for (int i = 0; i < type->n_nodes; i++) {
            const double *a = x + 2 * nodes[i], *b = x + 2 * nodes[(i + 1) % type->n_nodes];
            volume += (a[0] * b[1] - a[1] * b[0]) / 2;
        }
        return volume;
    }
    /* from node 0 to the outward faces; quads from their mean */
    double middle[3] = {0};
    for (int i = 0; i < type->n_nodes; i++)
        for (int d = 0; d < 3; d++)
            middle[d] += x[3 * nodes[i] + d] / type->n_nodes;
    for (int f = 0; f < type->n_faces; f++) {
        const int n = tess_cell_face_size(type, f);
        double centre[3] = {0};
        for (int i = 0; i < n; i++)
            for (int d = 0; d < 3; d++)
                centre[d] += x[3 * nodes[type->face[f][i]] + d] / n;
        for (int i = 0; i < n; i++)
            volume -= tet_volume(x + 3 * nodes[type->face[f][i]],
                                 x + 3 * nodes[type->face[f][(i + 1) % n]], centre, middle);
    }
    return volume;
}

/* The sum of all volumes, each of which is positive. */
static double volume_of(const tess_mesh *mesh) {
    tess_cells cells;
    OK(tess_cells_build(mesh, &cells));
    double sum = 0;
    for (int64_t cell = 0; cell < cells.n_cells; cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = tess_cell_nodes(&cells, cell, &type);
        const double volume = cell_volume(mesh, type, nodes);
        assert_true(volume > 0);
        sum += volume;
    }
    tess_cells_release(&cells);
    return sum;
}

/* Derives all; every boundary side is marked, with each of n_markers. */
static void assert_marked(tess_mesh *mesh, int n_markers) {
    const char *set = mesh->dimension == 2 ? "bedges" : "bfaces";
    OK(tess_mesh_derive_all(mesh));
    assert_int_equal(mesh->n_warnings, 0);
    assert_int_equal(mesh->n_markers, n_markers);
    const tess_dat *marker = tess_mesh_find_dat(mesh, "marker", set);
    int64_t *count = NULL;
    OK(TESS_ZEROS(n_markers, &count));
    for (int64_t i = 0; i < tess_mesh_set_size(mesh, set) && n_markers; i++) {
        const int32_t value = ((const int32_t *)marker->values)[i];
        assert_in_range(value, 0, n_markers - 1);
        count[value]++;
    }
    for (int m = 0; m < n_markers; m++)
        assert_true(count[m] > 0);
    free(count);
}

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

/* nodes - edges + faces - cells: 1 for what has no hole. */
static int64_t euler(const tess_mesh *mesh) {
    const bool flat = mesh->dimension == 2;
    const int64_t edges =
        tess_mesh_set_size(mesh, "edges") + (flat ? tess_mesh_set_size(mesh, "bedges") : 0);
    const int64_t faces = tess_mesh_set_size(mesh, "faces") + tess_mesh_set_size(mesh, "bfaces");
    const int64_t cells = tess_mesh_set_size(mesh, "cells");
    return tess_mesh_set_size(mesh, "nodes") - edges + (flat ? cells : faces - cells);
}

static void boxes_fill_their_volume(void **state) {
    (void)state;
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
        tess_mesh *mesh = mesh_of(boxes[b].text);
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
    (void)state;
    tess_mesh *mesh = mesh_of("quads:nx=2:ny=4:stretch=1000");
    assert_int_equal(mesh->shape[0], 2);
    assert_int_equal(mesh->shape[1], 4);
    assert_int_equal(mesh->shape[2], 0);
    const double *x = mesh->coordinates;
    const double first = x[2 * 3 + 1] - x[1], last = x[2 * 12 + 1] - x[2 * 9 + 1];
    assert_true(fabs(last / first - 1000) < 1e-6);
    assert_true(x[2 * 12 + 1] == 1);
    tess_mesh_free(mesh);
    mesh = mesh_of("tets:nx=2:ny=2:nz=2");
    assert_int_equal(mesh->shape[0], 0);
    tess_mesh_free(mesh);
}

static void a_periodic_box_has_no_boundary(void **state) {
    (void)state;
    static const char *const texts[] = {"quads:nx=5:ny=4:periodic=xy",
                                        "hexes:nx=3:ny=4:nz=5:periodic=xyz",
                                        "tets:nx=3:ny=4:nz=5:periodic=xyz"};
    for (int t = 0; t < 3; t++) {
        tess_mesh *mesh = mesh_of(texts[t]);
        assert_marked(mesh, 0);
        assert_int_equal(tess_mesh_set_size(mesh, mesh->dimension == 2 ? "bedges" : "bfaces"), 0);
        assert_int_equal(euler(mesh), 0); /* a torus */
        tess_mesh_free(mesh);
    }
    tess_mesh *mesh = mesh_of("quads:nx=5:ny=4:periodic=x");
    assert_marked(mesh, 2);
    assert_int_equal(tess_mesh_set_size(mesh, "bedges"), 10);
    tess_mesh_free(mesh);
    assert_int_equal(generated("quads:nx=2:periodic=x", &mesh), TESS_ERROR_USAGE);
}

static void a_box_too_large_is_refused_before_memory(void **state) {
    (void)state;
    tess_mesh *mesh = NULL;
    assert_int_equal(generated("quads:nx=2147483647:ny=2147483647", &mesh), TESS_ERROR_INPUT);
    assert_int_equal(generated("tets:nx=2000000000:ny=2000000000:nz=2000000000", &mesh),
                     TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "nodes"));
}

static void refined_boxes_are_finer_boxes(void **state) {
    (void)state;
    static const char *const texts[] = {"quads:nx=3:ny=2:lx=2", "tris:nx=3:ny=2:lx=2",
                                        "hexes:nx=2:ny=3:nz=2:lz=2", "tets:nx=2:ny=3:nz=2:lz=2",
                                        "prisms:nx=2:ny=3:nz=2:lz=2"};
    for (int t = 0; t < 5; t++) {
        tess_mesh *mesh = mesh_of(texts[t]);
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

static void add_type(tess_mesh *mesh, const char *set, int n, int n_nodes, const int32_t *nodes,
                     const int32_t *cell) {
    int32_t *index = NULL, *place = NULL;
    OK(TESS_ALLOC(n * n_nodes, &index));
    OK(TESS_ALLOC(n, &place));
    memcpy(index, nodes, (size_t)(n * n_nodes) * sizeof *nodes);
    memcpy(place, cell, (size_t)n * sizeof *cell);
    OK(tess_mesh_add_set(mesh, set, n, NULL));
    OK(tess_mesh_add_map(mesh, set, "nodes", n_nodes, false, false, index));
    OK(tess_mesh_add_map(mesh, set, "cells", 1, false, false, place));
}

/* A hex with a pyramid on its top, a prism at its right side and a tet at the pyramid's. */
static tess_mesh *all_types(void) {
    static const double x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0,   0,   1, 1, 0,   1,
                               1, 1, 1, 0, 1, 1, 2, 0, 0, 2, 1, 0, 0.5, 0.5, 2, 2, 0.5, 2};
    tess_mesh *mesh = NULL;
    OK(tess_mesh_new("all types", 3, &mesh));
    OK(tess_mesh_add_set(mesh, "nodes", 12, NULL));
    OK(TESS_ALLOC(36, &mesh->coordinates));
    memcpy(mesh->coordinates, x, sizeof x);
    OK(tess_mesh_add_set(mesh, "cells", 4, NULL));
    add_type(mesh, "hexes", 1, 8, (int32_t[]){0, 1, 2, 3, 4, 5, 6, 7}, (int32_t[]){3});
    add_type(mesh, "pyramids", 1, 5, (int32_t[]){4, 5, 6, 7, 10}, (int32_t[]){1});
    add_type(mesh, "prisms", 1, 6, (int32_t[]){1, 5, 8, 2, 6, 9}, (int32_t[]){0});
    add_type(mesh, "tets", 1, 4, (int32_t[]){5, 11, 6, 10}, (int32_t[]){2});
    return mesh;
}

static void cells_of_all_types_are_refined_together(void **state) {
    (void)state;
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
    (void)state;
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
        OK(tess_mesh_add_map(mesh, "cells", "nodes", 4, false, false, index));
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
    (void)state;
    tess_mesh *mesh = mesh_of("quads:nx=2:ny=1"), *fine = NULL;
    ((tess_map *)tess_mesh_find_map(mesh, "cells:nodes"))->index[5] = 1;
    assert_int_equal(tess_mesh_refine(mesh, &fine), TESS_ERROR_INPUT);
    assert_non_null(strstr(tess_message(), "cell 1"));
    assert_null(fine);
    tess_mesh_free(mesh);
}

static void refinement_names_what_it_drops(void **state) {
    (void)state;
    tess_mesh *mesh = mesh_of("quads:nx=2:ny=1");
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
    (void)state;
    tess_mesh *mesh = refined(mesh_of("airfoil:i=6:j=5"));
    assert_int_equal(mesh->n_markers, 2);
    assert_string_equal(mesh->markers[0], "1");
    assert_int_equal(tess_mesh_set_size(mesh, "marked_edges"), 2 * (6 + 18 + 10));
    assert_int_equal(tess_mesh_set_size(mesh, "cells"), 4 * 18 * 5);
    assert_non_null(strstr(mesh->warnings[0], "edges:nodes, edges:cells, bedges:nodes"));
    tess_mesh_free(mesh);
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
    (void)state;
    tess_mesh *mesh = mesh_of("tris:nx=30:ny=20:lx=3"), *other = mesh_of("tris:nx=30:ny=20:lx=3");
    tess_mesh *third = mesh_of("tris:nx=30:ny=20:lx=3");
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
    (void)state;
    tess_mesh *mesh = mesh_of("airfoil:i=20:j=15:stretch=50");
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
    (void)state;
    tess_mesh *mesh = mesh_of("ogrid:ni=24:nj=30:radius=5:stretch=1e5");
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
    (void)state;
    for (int seed = 0; seed < 6; seed++) {
        char text[64];
        int64_t seen[12] = {0};
        snprintf(text, sizeof text, "irregular:nx=200:ny=100:seed=%d", seed);
        tess_mesh *mesh = mesh_of(text);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_fill_their_volume),
        cmocka_unit_test(a_box_keeps_its_shape_and_stretches),
        cmocka_unit_test(a_periodic_box_has_no_boundary),
        cmocka_unit_test(a_box_too_large_is_refused_before_memory),
        cmocka_unit_test(the_airfoil_is_op2s),
        cmocka_unit_test(rings_surround_the_circle),
        cmocka_unit_test(irregular_triangles_are_delaunay),
        cmocka_unit_test(refined_boxes_are_finer_boxes),
        cmocka_unit_test(cells_of_all_types_are_refined_together),
        cmocka_unit_test(a_tet_is_cut_along_its_shortest_diagonal),
        cmocka_unit_test(refinement_refuses_a_cell_that_repeats_a_node),
        cmocka_unit_test(refinement_names_what_it_drops),
        cmocka_unit_test(a_refined_airfoil_keeps_its_boundary_conditions),
        cmocka_unit_test(shuffling_changes_numbers_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

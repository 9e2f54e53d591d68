/* Derivation against a reference that sorts all sides of all cells, on soups of random cells. */
#include "tests/core/cell_soup.h"

/* The nodes of a cell by the maps of the mesh alone. */
static const int32_t *nodes_of(const tess_mesh *mesh, int32_t cell, const tess_cell_type **type) {
    const tess_map *all = tess_mesh_find_map(mesh, "cells:nodes");
    if (all) {
        *type = tess_cell_type_of_size(mesh->dimension, all->arity);
        return all->index + (int64_t)cell * all->arity;
    }
    for (int t = 0; t < TESS_CELL_TYPES; t++) {
        char name[TESS_NAME_SIZE];
        snprintf(name, sizeof name, "%s:cells", tess_cell_types[t].set);
        const tess_map *position = tess_mesh_find_map(mesh, name);
        snprintf(name, sizeof name, "%s:nodes", tess_cell_types[t].set);
        const tess_map *nodes = tess_mesh_find_map(mesh, name);
        for (int64_t row = 0; position && row < mesh->sets[position->from].size; row++) {
            if (position->index[row] == cell) {
                *type = &tess_cell_types[t];
                return nodes->index + row * nodes->arity;
            }
        }
    }
    fail_msg("cell %d has no nodes", cell);
    return NULL;
}

typedef struct half {
    int32_t key[4]; /* nodes, ascending, each once, -1 behind */
    int32_t cell, position, n_nodes, nodes[4];
    int32_t second; /* of the first half of an interior side; -1 boundary, -2 neither */
} half;

static int compare_int(const void *a, const void *b) {
    return (*(const int32_t *)a > *(const int32_t *)b) -
           (*(const int32_t *)a < *(const int32_t *)b);
}

static int compare_place(const void *a, const void *b) {
    const half *x = a, *y = b;
    return x->cell != y->cell ? (x->cell > y->cell) - (x->cell < y->cell)
                              : (x->position > y->position) - (x->position < y->position);
}

static int compare_key(const void *a, const void *b) {
    const int order = memcmp(((const half *)a)->key, ((const half *)b)->key, sizeof(int32_t[4]));
    return order ? order : compare_place(a, b);
}

/* All halves of sides (edges where `edges`) that are not collapsed, by key. */
static half *sorted_halves(const tess_mesh *mesh, bool edges, int64_t *n) {
    const int64_t n_cells = tess_mesh_set_size(mesh, "cells");
    half *halves = NULL;
    OK(TESS_ALLOC(12 * n_cells, &halves));
    *n = 0;
    for (int32_t cell = 0; cell < n_cells; cell++) {
        const tess_cell_type *type = NULL;
        const int32_t *nodes = nodes_of(mesh, cell, &type);
        for (int position = 0; position < (edges ? type->n_edges : type->n_faces); position++) {
            half h = {.cell = cell, .position = position, .n_nodes = 2, .second = -2};
            if (!edges)
                h.n_nodes = type->face[position][3] < 0 ? 3 : 4;
            for (int i = 0; i < h.n_nodes; i++)
                h.nodes[i] = nodes[edges ? type->edge[position][i] : type->face[position][i]];
            memcpy(h.key, h.nodes, sizeof h.key);
            qsort(h.key, (size_t)h.n_nodes, sizeof *h.key, compare_int);
            int unique = 1;
            for (int i = 1; i < h.n_nodes; i++)
                if (h.key[i] != h.key[unique - 1])
                    h.key[unique++] = h.key[i];
            for (int i = unique; i < 4; i++)
                h.key[i] = -1;
            if (unique >= (edges ? 2 : 3))
                halves[(*n)++] = h;
        }
    }
    qsort(halves, (size_t)*n, sizeof *halves, compare_key);
    return halves;
}

/* Pairs the halves of each side by the words of derive.h, and puts them in order of their cells. */
static int64_t pair_halves(half *halves, int64_t n) {
    int64_t n_non_manifold = 0;
    for (int64_t i = 0, end = 0; i < n; i = end) {
        int64_t other = -1;
        for (end = i; end < n && memcmp(halves[i].key, halves[end].key, sizeof halves->key) == 0;
             end++) {
            halves[end].second = -1;
            if (other < 0 && halves[end].cell != halves[i].cell)
                other = end;
        }
        if (other >= 0) {
            halves[i].second = halves[other].cell;
            halves[other].second = -2;
        }
        n_non_manifold += end - i > 2;
    }
    qsort(halves, (size_t)n, sizeof *halves, compare_place);
    return n_non_manifold;
}

/* Compares the mesh's sides, interior (kind 0) or boundary (1), with the reference. */
static void assert_sides(const tess_mesh *mesh, const half *halves, int64_t n, int kind) {
    const bool flat = mesh->dimension == 2;
    const char *set = flat ? (kind ? "bedges" : "edges") : (kind ? "bfaces" : "faces");
    char name[TESS_NAME_SIZE];
    snprintf(name, sizeof name, "%s:cells", set);
    const int32_t *cells = index_of(mesh, name);
    snprintf(name, sizeof name, "%s:nodes", set);
    const tess_map *nodes = tess_mesh_find_map(mesh, name);
    int64_t at = 0, rows[2] = {0};
    for (int64_t i = 0; i < n; i++) {
        if (halves[i].second == -2 || (halves[i].second == -1) != kind)
            continue;
        assert_int_equal(cells[at * (2 - kind)], halves[i].cell);
        if (!kind)
            assert_int_equal(cells[at * 2 + 1], halves[i].second);
        const int shape = halves[i].n_nodes == 4;
        const int32_t *found = nodes ? nodes->index + at * nodes->arity : NULL;
        if (!nodes) {
            const char *shape_set = shape ? "quad" : "tri";
            snprintf(name, sizeof name, "%s%s_faces:nodes", kind ? "b" : "", shape_set);
            found = index_of(mesh, name) + rows[shape] * halves[i].n_nodes;
            snprintf(name, sizeof name, "%s%s_faces:%s", kind ? "b" : "", shape_set, set);
            assert_int_equal(index_of(mesh, name)[rows[shape]], at);
            snprintf(name, sizeof name, "%s%s_faces:cells", kind ? "b" : "", shape_set);
            assert_memory_equal(index_of(mesh, name) + rows[shape] * (2 - kind),
                                cells + at * (2 - kind), (size_t)(2 - kind) * sizeof *cells);
        }
        assert_memory_equal(found, halves[i].nodes, (size_t)halves[i].n_nodes * sizeof *found);
        rows[shape]++;
        at++;
    }
    assert_int_equal(tess_mesh_set_size(mesh, set), at);
}

/* Derives all and compares with the reference; the mesh is freed. */
static void assert_derived(tess_mesh *mesh) {
    OK(tess_mesh_derive_all(mesh));
    int64_t n = 0;
    half *halves = sorted_halves(mesh, mesh->dimension == 2, &n);
    const int64_t n_non_manifold = pair_halves(halves, n);
    assert_sides(mesh, halves, n, 0);
    assert_sides(mesh, halves, n, 1);
    assert_int_equal(mesh->n_warnings, n_non_manifold > 0);
    if (n_non_manifold)
        assert_int_equal(strtoll(mesh->warnings[0], NULL, 10), n_non_manifold);
    free(halves);
    if (mesh->dimension == 3) {
        halves = sorted_halves(mesh, true, &n);
        int64_t n_edges = 0;
        for (int64_t i = 0; i < n; i++)
            if (i == 0 || memcmp(halves[i].key, halves[i - 1].key, sizeof halves->key) != 0)
                halves[n_edges++] = halves[i];
        qsort(halves, (size_t)n_edges, sizeof *halves, compare_place);
        assert_int_equal(tess_mesh_set_size(mesh, "edges"), n_edges);
        for (int64_t e = 0; e < n_edges; e++)
            assert_memory_equal(index_of(mesh, "edges:nodes") + 2 * e, halves[e].nodes, 8);
        free(halves);
    }
    tess_mesh_free(mesh);
}

static void soups_agree_with_the_reference(void **state) {
    static const char *const flat[] = {"tris", "quads"};
    static const char *const solid[] = {"tets", "pyramids", "prisms", "hexes"};
    for (uint64_t seed = 1; seed <= 6; seed++) {
        const int64_t n_nodes = 4 << seed;
        assert_derived(soup(2, flat, n_nodes, 100, seed));
        assert_derived(soup(4, solid, n_nodes, 60, seed));
        assert_derived(cells_of_one_type("tris", n_nodes, 80, NULL, seed));
        assert_derived(cells_of_one_type("quads", n_nodes, 80, NULL, seed));
        assert_derived(cells_of_one_type("tets", n_nodes, 80, NULL, seed));
        assert_derived(cells_of_one_type("hexes", n_nodes, 80, NULL, seed));
        assert_derived(cells_of_one_type("prisms", n_nodes, 80, NULL, seed));
    }
}

static void a_fan_of_faces_whose_mixes_collide_agrees_with_the_reference(void **state) {
    enum { N = 60000, NODES = 1000000 };
    int32_t *nodes = NULL;
    OK(TESS_ALLOC(8 * N, &nodes));
    uint64_t seed = 5;
    for (int64_t i = 0; i < 4 * N; i++) /* each cell twice: halves of colliding faces alternate */
        nodes[i] = nodes[i + 4 * N] =
            i % 8 ? 1 + (int32_t)(tess_random_next(&seed) % (NODES - 1)) : 0;
    for (int i = 1; i < 16; i++) /* two cells whose faces differ by a high bit of one node */
        nodes[i] = i % 8 == 1 ? i << 15 : i % 8 ? NODES - i % 8 : 0;
    assert_derived(cells_of_one_type("hexes", NODES, N, nodes, 0));
    free(nodes);
}

static void the_empty_mesh_derives_to_nothing(void **state) {
    assert_derived(cells_of_one_type("tris", 0, 0, NULL, 0));
    assert_derived(cells_of_one_type("hexes", 3, 0, NULL, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soups_agree_with_the_reference),
        cmocka_unit_test(a_fan_of_faces_whose_mixes_collide_agrees_with_the_reference),
        cmocka_unit_test(the_empty_mesh_derives_to_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A user's matrix: what its two dats hold after a loop, against blocks that are added one by one.
 */
#include "kernels/loops/user_kernel.h"
#include "kernels/run/reference.h"
#include "tests/data/generated_mesh.h"
#include "tests/experiments/archive/scratch_folder.h"

/* Entry v of the block that a tet adds for its nodes i and j tells all three. */
static const char HEADER[] = "static inline void blocks(const int *id, double *a) {\n"
                             "    for (int i = 0; i < 4; i++)\n"
                             "        for (int j = 0; j < 4; j++)\n"
                             "            for (int v = 0; v < 3; v++)\n"
                             "                a[3 * (4 * i + j) + v] +=\n"
                             "                    100 * id[i] + id[j] + 0.125 * (v + 1);\n"
                             "}\n";
static const char DESCRIPTION[] =
    "name: blocks\n"
    "over: tets\n"
    "dats:\n"
    "  - {name: id, set: nodes, dim: 1, type: int, start: index}\n"
    "matrices:\n"
    "  - {name: A, rows: nodes, block: [2, 3], through: [%s], %sdiagonal: double, others: float}\n"
    "args:\n"
    "  - {dat: id, map: \"tets:nodes\", access: read}\n"
    "  - {matrix: A, map: \"tets:nodes\", entries: [1, 2, 5], as: double, access: inc}\n";

typedef struct scene {
    tess_mesh *mesh;
    tess_user_kernel *user;
    tess_status status; /* of binding */
} scene;

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    fclose(file);
}

static scene scene_open(const char *through, const char *entries) {
    char header[64], path[64], text[1024];
    scene s = {.mesh = generated_mesh("layers:nx=3:ny=2:prisms=1:tets=1")};
    snprintf(header, sizeof header, "%s/blocks.h", folder);
    snprintf(path, sizeof path, "%s/blocks.yaml", folder);
    snprintf(text, sizeof text, DESCRIPTION, through, entries);
    write_file(header, HEADER);
    write_file(path, text);
    OK(tess_user_kernel_read(header, path, &s.user));
    s.status = tess_user_kernel_bind(s.user, s.mesh);
    return s;
}

static void scene_close(scene *s) {
    tess_user_kernel_free(s->user);
    tess_mesh_free(s->mesh);
}

static const int32_t *index_of(const tess_mesh *mesh, const char *map) {
    return tess_mesh_find_map(mesh, map)->index;
}

/* How many of n elements have both points, `row` in some slot and `column` in another or the same.
 */
static int count(const int32_t *map, int arity, int64_t n, int32_t row, int32_t column) {
    int found = 0;
    for (int64_t e = 0; e < n; e++)
        for (int i = 0; i < arity; i++)
            for (int j = 0; j < arity; j++)
                found += map[e * arity + i] == row && map[e * arity + j] == column;
    return found;
}

/* Every block of a matrix of `dim` values, of which `places` hold the three entries, is the sum
 * over all tets with its two nodes. */
static void check_blocks(const scene *s, const tess_state *state, int dim, const int *positions) {
    const int32_t *tets = index_of(s->mesh, "tets:nodes"),
                  *pairs = index_of(s->mesh, "A_pairs:nodes");
    const int64_t n = tess_mesh_set_size(s->mesh, "tets");
    const int64_t n_nodes = tess_mesh_set_size(s->mesh, "nodes");
    const int64_t n_pairs = tess_mesh_set_size(s->mesh, "A_pairs");
    const tess_dat *diagonal = tess_state_find(state, "A_diagonal", "nodes");
    const tess_dat *others = tess_state_find(state, "A_others", "A_pairs");
    assert_true(diagonal->type == TESS_DOUBLE && others->type == TESS_FLOAT);
    assert_true(diagonal->dim == dim && others->dim == dim);
    for (int64_t b = 0; b < n_nodes + n_pairs; b++) {
        const int64_t pair = b - n_nodes;
        const int32_t row = pair < 0 ? (int32_t)b : pairs[2 * pair];
        const int32_t column = pair < 0 ? (int32_t)b : pairs[2 * pair + 1];
        const int times = count(tets, 4, n, row, column);
        for (int d = 0; d < dim; d++) {
            double want = 0;
            for (int v = 0; v < 3; v++)
                if (positions[v] == d)
                    want = times * (100 * row + column + 0.125 * (v + 1));
            const double got = pair < 0 ? tess_dat_value(diagonal, b * dim + d)
                                        : tess_dat_value(others, pair * dim + d);
            assert_float_equal(got, want, 0);
        }
    }
}

static void run_and_check(const char *through, const char *entries, int dim, const int *positions) {
    tess_state *start = NULL, *end = NULL;
    scene s = scene_open(through, entries);
    OK(s.status);
    OK(tess_user_kernel_start(s.user, s.mesh, TESS_DOUBLE, &start));
    OK(tess_reference_run(&s.user->kernel, start, &end));
    check_blocks(&s, end, dim, positions);
    tess_state_free(end);
    tess_state_free(start);
    scene_close(&s);
}

static void whole_blocks_keep_their_other_entries(void **state) {
    run_and_check("\"tets:nodes\", \"prisms:nodes\"", "", 6, (const int[]){1, 2, 5});
}

static void packed_blocks_hold_the_entries_that_are_kept(void **state) {
    run_and_check("\"tets:nodes\"", "entries: [0, 1, 2, 5], ", 4, (const int[]){1, 2, 3});
}

static void pairs_are_those_of_the_maps_that_are_named(void **state) {
    scene s = scene_open("\"tets:nodes\", \"prisms:nodes\"", "");
    const int32_t *tets = index_of(s.mesh, "tets:nodes"),
                  *pairs = index_of(s.mesh, "A_pairs:nodes");
    const int32_t *prisms = index_of(s.mesh, "prisms:nodes");
    const int64_t n_tets = tess_mesh_set_size(s.mesh, "tets");
    const int64_t n_prisms = tess_mesh_set_size(s.mesh, "prisms");
    const int32_t n_nodes = (int32_t)tess_mesh_set_size(s.mesh, "nodes");
    int64_t at = 0;
    for (int32_t row = 0; row < n_nodes; row++)
        for (int32_t column = 0; column < n_nodes; column++)
            if (row != column &&
                (count(tets, 4, n_tets, row, column) || count(prisms, 6, n_prisms, row, column))) {
                assert_int_equal(pairs[2 * at], row);
                assert_int_equal(pairs[2 * at++ + 1], column);
            }
    assert_int_equal(at, tess_mesh_set_size(s.mesh, "A_pairs"));
    scene_close(&s);
}

static void a_pair_that_is_lacking_is_told_by_element_and_slots(void **state) {
    scene s = scene_open("\"prisms:nodes\"", "");
    int32_t *tets = tess_mesh_find_map(s.mesh, "tets:nodes")->index;
    const int32_t *prisms = index_of(s.mesh, "prisms:nodes");
    const int64_t n_prisms = tess_mesh_set_size(s.mesh, "prisms");
    for (int64_t first = 0; first < 2; first++) { /* that lacks a pair */
        char words[160] = "";
        for (int k = 0; !words[0] && k < 16; k++) {
            const int32_t row = tets[4 * first + k / 4], column = tets[4 * first + k % 4];
            if (row != column && !count(prisms, 6, n_prisms, row, column))
                snprintf(words, sizeof words,
                         "A_pairs lack the pair (%d, %d), which element %lld of tets:nodes has in "
                         "its slots %d and %d",
                         row, column, (long long)first, k / 4, k % 4);
        }
        assert_int_equal(s.status, TESS_ERROR_INPUT);
        assert_true(words[0] && strstr(tess_message(), words));
        memcpy(tets + 4 * first, prisms, 4 * sizeof *tets);
        s.status = tess_user_kernel_bind(s.user, s.mesh);
    }
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_blocks_keep_their_other_entries),
        cmocka_unit_test(packed_blocks_hold_the_entries_that_are_kept),
        cmocka_unit_test(pairs_are_those_of_the_maps_that_are_named),
        cmocka_unit_test(a_pair_that_is_lacking_is_told_by_element_and_slots),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

/* fun3d on whole meshes: exact solutions, conservation, the matrix cell by cell, and as many
 * atomics as values are added. */
#include "fun3d_flow.h"
#include "fun3d_formulas.h"
#include "kernels/applications/applications.h"
#include "kernels/applications/dual_mesh.h"
#include "kernels/run/declarations.h"
#include "strategy_bench.h"

static const char *const meshes[] = {"layers:nx=7:ny=6:prisms=4:tets=4:stretch=50",
                                     "layers:base=wing:nx=24:ny=4:prisms=4:tets=3:stretch=20",
                                     "layers:base=regular:nx=5:ny=5:prisms=0:tets=4",
                                     "prisms:nx=4:ny=4:nz=5"};
enum { N_MESHES = sizeof meshes / sizeof meshes[0] };

/* Sets q from linear functions of x: value[v] + slope[v] . x. */
static void flow_set_linear(const flow *f, const double *value, const double (*slope)[3]) {
    const double *x = f->mesh->coordinates;
    double *q = values_of(f, "q");
    for (int64_t i = 0; i < nodes_of_flow(f); i++)
        for (int v = 0; v < 5; v++) {
            q[5 * i + v] = value[v];
            for (int d = 0; d < 3; d++)
                q[5 * i + v] += slope[v][d] * x[3 * i + d];
        }
}

static const double none[5][3] = {{0}};

/* The dual faces around an inner node sum to nothing. */
static void dual_cells_are_closed(void **state) {
    for (int m = 0; m < N_MESHES; m++) {
        flow f = flow_open(meshes[m]);
        const int32_t *edges = tess_mesh_find_map(f.mesh, "left_edges:nodes")->index;
        const double *normal = tess_state_find(f.state, "normal", "left_edges")->values;
        const double *held = values_of(&f, "held");
        double *sum = NULL, *size = NULL;
        int64_t n_inner = 0;
        OK(TESS_ZEROS(3 * nodes_of_flow(&f), &sum));
        OK(TESS_ZEROS(nodes_of_flow(&f), &size));
        for (int64_t i = 0; i < 2 * tess_mesh_set_size(f.mesh, "left_edges"); i++) {
            const double *n = normal + 4 * (i / 2);
            for (int d = 0; d < 3; d++)
                sum[3 * edges[i] + d] += (i % 2 ? -1 : 1) * n[d] * n[3];
            size[edges[i]] += n[3];
        }
        for (int64_t i = 0; i < nodes_of_flow(&f); i++) {
            n_inner += held[i] == 0;
            for (int d = 0; d < 3 && held[i] == 0; d++)
                assert_true(fabs(sum[3 * i + d]) < 1e-13 * size[i]);
        }
        assert_true(n_inner > 0);
        free(sum);
        free(size);
        flow_close(&f);
    }
}

/* R of two stars by hand: unit vectors around a corner, and (0,0,0), (1,1,0), (0,0,1) around
 * (1,0,0). A fifth node belongs to no cell and has I. */
static void factors_are_those_of_gram_and_schmidt(void **state) {
    static const double corners[2][15] = {{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 2, 2},
                                          {1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 2, 2, 2}};
    static const double identity[6] = {1, 0, 0, 1, 0, 1};
    const double root = sqrt(0.5),
                 want[2][6] = {{1, 0, 0, 1, 0, 1}, {2 * root, 0, -root, 1, 0, root}};
    for (int t = 0; t < 2; t++) {
        tess_mesh *mesh = NULL;
        tess_dual_mesh dual = {.n_nodes = 0};
        int32_t *nodes = NULL;
        OK(tess_mesh_new("a tet", 3, &mesh));
        OK(tess_mesh_add_set(mesh, "nodes", 5, NULL));
        OK(tess_mesh_add_set(mesh, "cells", 1, NULL));
        OK(TESS_ALLOC(15, &mesh->coordinates));
        OK(TESS_ALLOC(4, &nodes));
        memcpy(mesh->coordinates, corners[t], sizeof corners[t]);
        memcpy(nodes, (int32_t[]){0, 1, 2, 3}, 4 * sizeof *nodes);
        OK(tess_mesh_add_map(mesh, "cells", "nodes", 4, 0, nodes));
        OK(tess_mesh_derive(mesh, "left_edges:nodes"));
        OK(tess_dual_mesh_build(mesh, &dual));
        for (int k = 0; k < 6; k++)
            assert_true(fabs(dual.factors[k] - want[t][k]) < 1e-15);
        assert_memory_equal(dual.factors + 6 * 4, identity, sizeof identity);
        assert_true(dual.outer[0]);
        tess_dual_mesh_clear(&dual);
        nodes[1] = 2; /* turned over */
        nodes[2] = 1;
        assert_int_equal(tess_dual_mesh_build(mesh, &dual), TESS_ERROR_INPUT);
        assert_non_null(strstr(tess_message(), "cell 0, of tets, has the volume -"));
        tess_mesh_free(mesh);
    }
}

/* The loops qr_first, qr_second, qr_third and qr make what the start has. */
static void loops_make_the_factors(void **state) {
    static const char *const sums[] = {"qr_first", "qr_second", "qr_third"};
    static const int dims[] = {3, 2, 1};
    for (int m = 0; m < N_MESHES; m++) {
        flow f = flow_open(meshes[m]);
        const int64_t n = nodes_of_flow(&f);
        double *want = NULL, *r = values_of(&f, "r");
        OK(TESS_ALLOC(6 * n, &want));
        memcpy(want, r, sizeof *want * 6 * (size_t)n);
        memset(r, 0, sizeof *r * 6 * (size_t)n);
        for (int i = 0; i < 3; i++) {
            memset(values_of(&f, sums[i]), 0, sizeof *r * (size_t)(dims[i] * n));
            flow_run(&f, sums[i]);
        }
        flow_run(&f, "qr");
        for (int64_t i = 0; i < 6 * n; i++)
            assert_true(fabs(r[i] - want[i]) <= 1e-12 * fabs(want[i / 6 * 6]));
        free(want);
        flow_close(&f);
    }
}

static void gradients_of_linear_fields_are_exact(void **state) {
    const double value[5] = {1, .2, -.1, .3, .7};
    const double slope[5][3] = {{.1, -.2, .05}, {1, 2, 3}, {-2, .5, .1}, {0, 0, 1}, {.3, .2, .1}};
    for (int m = 0; m < N_MESHES; m++) {
        flow f = flow_open(meshes[m]);
        const char *const dats[] = {"gx", "gy", "gz"};
        flow_set_linear(&f, value, slope);
        flow_run(&f, "zero");
        flow_run(&f, "lstgs");
        for (int d = 0; d < 3; d++) {
            const double *g = values_of(&f, dats[d]);
            for (int64_t i = 0; i < 5 * nodes_of_flow(&f); i++)
                assert_true(fabs(g[i] - slope[i % 5][d]) < 1e-10);
        }
        flow_close(&f);
    }
}

static void residual_of(const flow *f) {
    static const char *const loops[] = {"zero", "lstgs", "roe_flux", "visrhs_tets",
                                        "visrhs_prisms"};
    for (int i = 0; i < 5; i++)
        flow_run(f, loops[i]);
}

static void a_free_stream_stays(void **state) {
    const double value[5] = {1, .5, .1, -.2, 1 / 1.4};
    for (int m = 0; m < N_MESHES; m++) {
        flow f = flow_open(meshes[m]);
        const double *held = values_of(&f, "held"), *res = values_of(&f, "res");
        flow_set_linear(&f, value, none);
        residual_of(&f);
        for (int64_t i = 0; i < 5 * nodes_of_flow(&f); i++)
            assert_true(held[i / 5] == 1 || fabs(res[i]) < 1e-12);
        flow_close(&f);
    }
}

/* Everything that leaves a node enters another. */
static void fluxes_are_conserved(void **state) {
    for (int m = 0; m < N_MESHES; m++) {
        flow f = flow_open(meshes[m]);
        const double *res = values_of(&f, "res");
        residual_of(&f);
        for (int v = 0; v < 5; v++) {
            double sum = 0, size = 0;
            for (int64_t i = 0; i < nodes_of_flow(&f); i++) {
                sum += res[5 * i + v];
                size += fabs(res[5 * i + v]);
            }
            assert_true(size > 1e-8);
            assert_true(fabs(sum) < 1e-12 * size);
        }
        flow_close(&f);
    }
}

/* A linear velocity at one temperature has one stress: no force inside; density gets nothing. */
static void one_stress_has_no_force(void **state) {
    const double value[5] = {1, .2, -.1, .3, 1 / 1.4};
    const double slope[5][3] = {{0}, {1, 2, 3}, {-2, .5, .1}, {.3, -.7, 1}, {0}};
    for (int m = 0; m < N_MESHES; m++) {
        flow f = flow_open(meshes[m]);
        const double *held = values_of(&f, "held"), *res = values_of(&f, "res");
        memset(values_of(&f, "amut"), 0, (size_t)nodes_of_flow(&f) * sizeof(double));
        flow_set_linear(&f, value, slope);
        flow_run(&f, "zero");
        flow_run(&f, "visrhs_tets");
        flow_run(&f, "visrhs_prisms");
        double energy = 0;
        for (int64_t i = 0; i < nodes_of_flow(&f); i++) {
            assert_true(res[5 * i] == 0);
            for (int v = 1; v < 4; v++)
                assert_true(held[i] == 1 || fabs(res[5 * i + v]) < 1e-12 * 1e-2);
            energy = fmax(energy, fabs(res[5 * i + 4]));
        }
        assert_true(energy > 1e-8);
        flow_close(&f);
    }
}

/* Adds what a cell of a mesh gives to the matrix of all nodes, dense: [rows][columns][17]. */
static void add_dense(const flow *f, const char *set, const int32_t *nodes, double *dense) {
    const int n = tess_cell_type_of_set(set)->n_nodes;
    flow_cell c = {.set = set, .scale = values_of(f, "scale")[0]};
    double columns[5][24];
    for (int i = 0; i < n; i++) {
        memcpy(c.x + 3 * i, f->mesh->coordinates + 3 * nodes[i], 3 * sizeof *c.x);
        memcpy(c.q + 5 * i, values_of(f, "q") + 5 * nodes[i], 5 * sizeof *c.q);
        c.amut[i] = values_of(f, "amut")[nodes[i]];
    }
    for (int j = 0; j < n; j++) {
        for (int v = 0; v < 5; v++)
            viscous_column(&c, j, v, columns[v]);
        for (int i = 0; i < n; i++)
            for (int v = 0; v < 17; v++) {
                int row = 0, column = 0;
                entry_position(v, &row, &column);
                dense[17 * (nodes[i] * nodes_of_flow(f) + nodes[j]) + v] +=
                    columns[column][4 * i + row];
            }
    }
}

/* The matrix of a mesh: each block stands at its pair of nodes, and there is no other. */
static void the_matrix_is_the_sum_of_its_cells(void **state) {
    static const char *const sets[] = {"tets", "prisms"}, *const loops[] = {"visjac_tets",
                                                                            "visjac_prisms"};
    flow f = {.mesh = generated_mesh("layers:nx=3:ny=2:prisms=2:tets=2:stretch=3")};
    double *dense = NULL, largest = 0;
    OK(tess_application_find("fun3d", &f.application));
    OK(tess_application_bind(f.application, f.mesh));
    for (int t = 0; t < 2; t++) {
        const tess_kernel *kernel = NULL;
        OK(tess_application_kernel(f.application, loops[t], &kernel));
        OK(tess_kernel_derive(kernel, f.mesh));
    }
    OK(tess_application_start(f.application, f.mesh, TESS_DOUBLE, &f.state));
    const int64_t n = nodes_of_flow(&f);
    OK(TESS_ZEROS(17 * n * n, &dense));
    for (int t = 0; t < 2; t++) {
        char name[TESS_NAME_SIZE];
        snprintf(name, sizeof name, "%s:nodes", sets[t]);
        const tess_map *map = tess_mesh_find_map(f.mesh, name);
        for (int64_t e = 0; e < f.mesh->sets[map->from].size; e++)
            add_dense(&f, sets[t], map->index + e * map->arity, dense);
        flow_run(&f, loops[t]);
    }
    for (int64_t i = 0; i < 17 * n * n; i++)
        largest = fmax(largest, fabs(dense[i]));
    const double *diagonal = values_of(&f, "jac_diagonal");
    const float *others = tess_state_find(f.state, "jac_others", "node_pairs")->values;
    const int32_t *pairs = tess_mesh_find_map(f.mesh, "node_pairs:nodes")->index;
    for (int64_t p = 0; p < tess_mesh_set_size(f.mesh, "node_pairs"); p++)
        for (int v = 0; v < 17; v++) {
            double *want = &dense[17 * (pairs[2 * p] * n + pairs[2 * p + 1]) + v];
            assert_true(fabs((double)others[17 * p + v] - *want) < 1e-6 * largest);
            *want = 0;
        }
    for (int64_t i = 0; i < n; i++)
        for (int v = 0; v < 17; v++) {
            double *want = &dense[17 * (i * n + i) + v];
            assert_true(fabs(diagonal[17 * i + v] - *want) < 1e-12 * largest);
            *want = 0;
        }
    for (int64_t i = 0; i < 17 * n * n; i++)
        assert_true(dense[i] == 0);
    free(dense);
    flow_close(&f);
}

/* --- how the loops run ------------------------------------------------------------------------ */

static void lstgs_adds_alike_and_roe_opposite(void **state) {
    static const struct {
        const char *loop;
        tess_antisymmetry declared;
        tess_status status;
    } rows[] = {{"lstgs", TESS_ALIKE, TESS_OK},
                {"lstgs", TESS_OPPOSITE, TESS_ERROR_INPUT},
                {"lstgs", TESS_EXCHANGE, TESS_ERROR_INPUT},
                {"roe_flux", TESS_OPPOSITE, TESS_OK},
                {"roe_flux", TESS_ALIKE, TESS_ERROR_INPUT}}; /* its normal does not turn */
    flow f = flow_open(meshes[0]);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const tess_kernel *kernel = NULL;
        tess_loop *loop = NULL;
        tess_bound_loop *bound = NULL;
        OK(tess_application_kernel(f.application, rows[r].loop, &kernel));
        tess_kernel declaring = *kernel;
        declaring.antisymmetry = rows[r].declared;
        OK(tess_kernel_loop(&declaring, TESS_DOUBLE, &loop));
        OK(tess_kernel_bind(loop, f.mesh, &bound));
        assert_int_equal(tess_antisymmetry_check(&declaring, bound), rows[r].status);
        tess_bound_loop_free(bound);
        tess_loop_free(loop);
    }
    flow_close(&f);
}

/* The paper's loops add 30, 10, 16 and 24 values an element, those of the matrix 272 and 612, by
 * primitive variables 208 and 468. */
static void atomics_are_the_values_that_are_added(void **state) {
    static const struct {
        const char *loop, *set;
        int atomics;
    } loops[] = {{"lstgs", "left_edges", 30},  {"roe_flux", "left_edges", 10},
                 {"visrhs_tets", "tets", 16},  {"visrhs_prisms", "prisms", 24},
                 {"visjac_tets", "tets", 272}, {"visjac_prisms", "prisms", 612},
                 {"slopes_tets", "tets", 208}, {"slopes_prisms", "prisms", 468}};
    for (int l = 0; l < 8; l++)
        for (int aos = 0; aos < 2; aos++) {
            bench_scene s = bench_scene_open("fun3d", loops[l].loop, meshes[0]);
            tess_counters counters = {0};
            const bench_case c = {.scene = &s,
                                  .strategy = aos && l > 2 ? "atomics:made=per-part" : "atomics",
                                  .layout = aos ? "aos" : "soa",
                                  .block_size = 64,
                                  .counters = &counters};
            bench_passes(&c, l < 4 ? 1e-11 : 1e-6);                   /* of floats */
            assert_int_equal(counters.atomics, 2 * loops[l].atomics * /* two runs */
                                                   tess_mesh_set_size(s.mesh, loops[l].set));
            bench_scene_close(&s);
        }
}

/* Prisms by edges: four values to both ends of nine edges, as the paper counts them. */
static void edges_of_prisms_give_to_both_ends(void **state) {
    bench_scene s = bench_scene_open("fun3d", "visrhs_prisms", meshes[0]);
    tess_counters counters = {0};
    static const char *const variants[] = {
        "atomics:made=per-part:by=edges",
        "atomics:made=per-part:by=edges:aggregate=unsorted:elements=2"};
    for (int w = 0; w < 2; w++) {
        const bench_case c = {.scene = &s,
                              .strategy = variants[w],
                              .layout = "aos",
                              .block_size = 64,
                              .counters = w == 0 ? &counters : NULL};
        bench_passes(&c, 1e-11);
    }
    assert_int_equal(counters.atomics,
                     2 * 72 * tess_mesh_set_size(s.mesh, "prisms")); /* two runs */
    bench_scene_close(&s);
}

/* The matrix by strategies of every kind, with data in both layouts and two orders. */
static void the_matrix_runs_by_all_kinds_of_strategies(void **state) {
    static const char *const variants[] = {
        "atomics:aggregate=unsorted:transpose=shared",
        "atomics:transpose=shuffles:made=per-part",
        "atomics:aggregate=unsorted:transpose=shared:made=per-part",
        "two-step",
        "halo-atomics",
        "block-colour:stage=increments",
        "global-colour",
        "owner-block",
        "owner-block:parts=staged",
        "point-parallel",
        "point-parallel:stage=none"};
    static const char *const loops[] = {"visjac_tets", "visjac_prisms"};
    for (int l = 0; l < 2; l++) {
        bench_scene s = bench_scene_open("fun3d", loops[l], "layers:nx=3:ny=3:prisms=1:tets=1");
        for (size_t w = 0; w < sizeof variants / sizeof variants[0]; w++) {
            const bench_case c = {.scene = &s,
                                  .strategy = variants[w],
                                  .layout = w % 2 ? "soa" : "aos",
                                  .block_size = 32,
                                  .renumber = w == 4 || w >= 9 ? "owner" : NULL};
            bench_passes(&c, 1e-6);
        }
        bench_scene_close(&s);
    }
}

/* A thread that adds to the rows of its elements' other points is found by whom it meets there. */
static void a_thread_adds_to_its_own_row_only(void **state) {
    static const char head[] = "INLINE void add_to_rows(const struct params *p, const struct "
                               "element *e, int own_slot) {\n";
    char others[256];
    snprintf(others, sizeof others, "%s    own_slot = (own_slot + 1) %% 4;\n", head);
    const tess_strategy mutant = bench_changed("point-parallel", head, others);
    bench_scene s = bench_scene_open("fun3d", "visjac_tets", "layers:nx=3:ny=3:prisms=1:tets=1");
    const bench_case c = {.scene = &s,
                          .strategy = "point-parallel",
                          .layout = "aos",
                          .mutant = &mutant,
                          .block_size = 32};
    assert_int_equal(bench_run(&c, NULL, NULL), TESS_ERROR_CHECK);
    if (!strstr(tess_message(), "a race on byte") || !strstr(tess_message(), "jac_others"))
        fail_msg("%s", tess_message());
    bench_scene_close(&s);
}

/* A block sums what each instance of a part made as it sums all of an element: the same values, as
 * many to the points that others have, too. */
static void blocks_sum_what_parts_make(void **state) {
    static const char *const loops[] = {"visjac_tets", "visjac_prisms", "visrhs_prisms"};
    static const char *const variants[] = {"halo-atomics", "halo-atomics:made=per-part",
                                           "owner-block:sum=slots:made=per-part"};
    for (int l = 0; l < 3; l++) {
        bench_scene s = bench_scene_open("fun3d", loops[l], "layers:nx=4:ny=4:prisms=4:tets=3");
        int64_t atomics[3] = {0};
        for (int w = 0; w < 3; w++) {
            tess_counters counters = {0};
            const bench_case c = {.scene = &s,
                                  .strategy = variants[w],
                                  .layout = l == 1 ? "aos" : "soa",
                                  .block_size = 64,
                                  .threads = 32, /* two elements a thread */
                                  .renumber = w == 1 ? "owner" : NULL,
                                  .counters = &counters};
            bench_passes(&c, l < 2 ? 1e-6 : 1e-11);
            atomics[w] = counters.atomics;
        }
        assert_true(atomics[0] > 0);
        assert_int_equal(atomics[1], atomics[0]);
        assert_int_equal(atomics[2], 0);
        bench_scene_close(&s);
    }
}

static void blocks_sum_what_parts_make_only_so(void **state) {
    static const char *const refused[][3] = {
        {"visjac_tets", "halo-atomics:made=per-part:sum=block-gather",
         "made=per-part goes with sum=slots"},
        {"visrhs_tets", "halo-atomics:made=per-part",
         "made=per-part is for kernels in parts: loop visrhs_tets has none"},
        {"visjac_tets", "halo-atomics:made=per-part:parts=staged",
         "made has no effect with parts=staged"},
        {"visjac_tets", "point-parallel:parts=staged",
         "loop visjac_tets adds to a matrix, whose rows a thread of point-parallel adds to"}};
    for (int r = 0; r < 4; r++) {
        bench_scene s =
            bench_scene_open("fun3d", refused[r][0], "layers:nx=3:ny=3:prisms=1:tets=1");
        bench_refuses(&s, refused[r][1], "soa", refused[r][2]);
        bench_scene_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_matrix_is_the_sum_of_its_cells),
        cmocka_unit_test(the_matrix_runs_by_all_kinds_of_strategies),
        cmocka_unit_test(a_thread_adds_to_its_own_row_only),
        cmocka_unit_test(blocks_sum_what_parts_make),
        cmocka_unit_test(blocks_sum_what_parts_make_only_so),
        cmocka_unit_test(dual_cells_are_closed),
        cmocka_unit_test(factors_are_those_of_gram_and_schmidt),
        cmocka_unit_test(loops_make_the_factors),
        cmocka_unit_test(gradients_of_linear_fields_are_exact),
        cmocka_unit_test(a_free_stream_stays),
        cmocka_unit_test(fluxes_are_conserved),
        cmocka_unit_test(one_stress_has_no_force),
        cmocka_unit_test(lstgs_adds_alike_and_roe_opposite),
        cmocka_unit_test(atomics_are_the_values_that_are_added),
        cmocka_unit_test(edges_of_prisms_give_to_both_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

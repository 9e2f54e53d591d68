/* The use of fun3d's matrix on whole meshes: its product is the slope of the residual, and sweeps
 * of block Jacobi bring a problem of heat and shear to its linear solution. */
#include "fun3d_flow.h"
#include "fun3d_formulas.h"
#include "kernels/applications/applications.h"
#include "strategy_bench.h"

static const char MESH[] = "layers:nx=4:ny=3:prisms=2:tets=2:stretch=5";

/* Viscosity that is the same everywhere: beside it the laminar, which varies with temperature and
 * which the matrix keeps, is nothing. */
static void make_viscous(const flow *f, double amut) {
    for (int64_t i = 0; i < nodes_of_flow(f); i++)
        values_of(f, "amut")[i] = amut;
    values_of(f, "scale")[0] = 1 / amut;
}

static void assert_is_near(double value, double want, double most) {
    if (!(fabs(value - want) <= most))
        fail_msg("%.9g is not %.9g", value, want);
}

static void clear(const flow *f, const char *dat, int dim) {
    memset(values_of(f, dat), 0, sizeof(double) * (size_t)(nodes_of_flow(f) * dim));
}

/* The viscous residual and, where `matrix`, its derivatives. */
static void find_residual(const flow *f, bool matrix) {
    flow_run(f, "zero");
    flow_run(f, "visrhs_tets");
    flow_run(f, "visrhs_prisms");
    if (!matrix)
        return;
    tess_dat *others = tess_state_find(f->state, "jac_others", "node_pairs");
    clear(f, "jac_diagonal", 17);
    memset(others->values, 0,
           sizeof(float) * 17 * (size_t)tess_mesh_set_size(f->mesh, "node_pairs"));
    flow_run(f, "visjac_tets");
    flow_run(f, "visjac_prisms");
}

static flow viscous_flow_open(uint64_t seed) {
    flow f = {.mesh = generated_mesh(MESH)};
    OK(tess_application_find("fun3d", &f.application));
    OK(tess_application_bind(f.application, f.mesh));
    OK(tess_mesh_derive(f.mesh, "tets:node_pairs"));
    OK(tess_mesh_derive(f.mesh, "prisms:node_pairs"));
    OK(tess_application_start(f.application, f.mesh, TESS_DOUBLE, &f.state));
    make_viscous(&f, 1e8);
    double *q = values_of(&f, "q");
    for (int64_t i = 0; i < 5 * nodes_of_flow(&f); i++)
        q[i] = i % 5 == 0  ? random_in(&seed, 0.9, 1.1)
               : i % 5 < 4 ? random_in(&seed, -0.1, 0.1)
                           : random_in(&seed, 0.65, 0.75);
    return f;
}

/* (R(Q + h dq) - R(Q - h dq)) / 2h into slope [nodes][5]. */
static void find_slope(const flow *f, double h, double *slope) {
    const int64_t n = 5 * nodes_of_flow(f);
    double *q = values_of(f, "q"), *dq = values_of(f, "dq"), *res = values_of(f, "res");
    double *kept_q = NULL, *kept_dq = NULL;
    OK(TESS_ALLOC(n, &kept_q));
    OK(TESS_ALLOC(n, &kept_dq));
    memcpy(kept_q, q, sizeof(double) * (size_t)n);
    memcpy(kept_dq, dq, sizeof(double) * (size_t)n);
    memset(slope, 0, sizeof(double) * (size_t)n);
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int64_t i = 0; i < n; i++)
            dq[i] = sign * h * kept_dq[i];
        flow_run(f, "correct");
        find_residual(f, false);
        for (int64_t i = 0; i < n; i++)
            slope[i] += sign * res[i] / (2 * h);
        memcpy(q, kept_q, sizeof(double) * (size_t)n);
    }
    memcpy(dq, kept_dq, sizeof(double) * (size_t)n);
    free(kept_q);
    free(kept_dq);
}

static void the_product_is_the_slope_of_the_residual(void **state) {
    uint64_t seed = 3;
    flow f = viscous_flow_open(1);
    const int64_t n = nodes_of_flow(&f);
    double *dq = values_of(&f, "dq"), *slope = NULL, largest = 0;
    for (int64_t i = 0; i < 5 * n; i++)
        dq[i] = random_in(&seed, -1, 1);
    OK(TESS_ALLOC(5 * n, &slope));
    find_residual(&f, true);
    find_slope(&f, 1e-5, slope);
    flow_run(&f, "spmv");
    flow_run(&f, "spmv_diagonal");
    for (int64_t i = 0; i < 5 * n; i++)
        largest = fmax(largest, fabs(slope[i]));
    for (int64_t i = 0; i < 5 * n; i++)
        assert_is_near(i % 5 == 0 ? 0 : values_of(&f, "product")[4 * (i / 5) + i % 5 - 1], slope[i],
                       1e-5 * largest);
    free(slope);
    flow_close(&f);
}

/* Slopes are another form of the matrix: the product with what conserved values change of primitive
 * ones is the same, and so are the entries that they expand to. */
static void slopes_are_the_same_matrix(void **state) {
    uint64_t seed = 7;
    flow f = viscous_flow_open(6);
    const int64_t n = nodes_of_flow(&f), n_pairs = tess_mesh_set_size(f.mesh, "node_pairs");
    double *dq = values_of(&f, "dq"), *product = values_of(&f, "product"), *want = NULL;
    double *diagonal = NULL, most = 0, most_entry = 0;
    float *others = NULL;
    const float *expanded = tess_state_find(f.state, "jac_others", "node_pairs")->values;
    for (int64_t i = 0; i < 5 * n; i++)
        dq[i] = random_in(&seed, -1, 1);
    find_residual(&f, true);
    flow_run(&f, "spmv");
    flow_run(&f, "spmv_diagonal");
    OK(tess_array_copy(4 * n, sizeof *want, product, (void **)&want));
    OK(tess_array_copy(17 * n, sizeof *diagonal, values_of(&f, "jac_diagonal"),
                       (void **)&diagonal));
    OK(tess_array_copy(17 * n_pairs, sizeof *others, expanded, (void **)&others));
    clear(&f, "product", 4);
    flow_run(&f, "slopes_tets");
    flow_run(&f, "slopes_prisms");
    flow_run(&f, "primitive_change");
    flow_run(&f, "spmv_slopes");
    flow_run(&f, "spmv_slopes_diagonal");
    flow_run(&f, "expand");
    flow_run(&f, "expand_diagonal");
    for (int64_t i = 0; i < 4 * n; i++)
        most = fmax(most, fabs(want[i]));
    for (int64_t i = 0; i < 17 * n; i++)
        most_entry = fmax(most_entry, fabs(diagonal[i]));
    assert_true(most > 0 && most_entry > 0);
    for (int64_t i = 0; i < 4 * n; i++)
        assert_is_near(product[i], want[i], 1e-6 * most);
    for (int64_t i = 0; i < 17 * n; i++)
        assert_is_near(values_of(&f, "jac_diagonal")[i], diagonal[i], 1e-12 * most_entry);
    for (int64_t i = 0; i < 17 * n_pairs; i++)
        assert_is_near((double)expanded[i], (double)others[i], 1e-6 * most_entry);
    free(want);
    free(diagonal);
    free(others);
    flow_close(&f);
}

/* The largest change of what is not held; density never changes. */
static double worst(const flow *f) {
    double largest = 0;
    const double *res = values_of(f, "res"), *held = values_of(f, "held");
    for (int64_t i = 0; i < 5 * nodes_of_flow(f); i++)
        if (i % 5 > 0 && !held[i / 5])
            largest = fmax(largest, fabs(res[i]));
    return largest;
}

/* Between boundaries with a linear velocity and one temperature the flow at rest gets that
 * velocity: Newton's steps, each solved by sweeps, march to it. */
static void sweeps_bring_shear_to_its_linear_solution(void **state) {
    flow f = viscous_flow_open(2);
    const int64_t n = nodes_of_flow(&f);
    double *q = values_of(&f, "q"), *x = values_of(&f, "x"), *held = values_of(&f, "held");
    double first = 0;
    int64_t inner = 0;
    for (int64_t i = 0; i < n; i++) {
        const double at_rest[5] = {1, 0, 0, 0, 1 / 1.4};
        for (int v = 0; v < 5; v++)
            q[5 * i + v] = at_rest[v];
        for (int k = 0; k < 3 && held[i]; k++)
            q[5 * i + 1 + k] = 1e-4 * (x[3 * i + (k + 1) % 3] + 0.3 * x[3 * i + k]);
        values_of(&f, "step")[i] = 1e30;
        inner += !held[i];
    }
    assert_true(inner >= 4);
    for (int step = 0; step < 3; step++) {
        find_residual(&f, true);
        first = step == 0 ? worst(&f) : first;
        clear(&f, "dq", 5);
        clear(&f, "product", 4);
        for (int s = 0; s < 60; s++) {
            flow_run(&f, "sweep");
            flow_run(&f, "spmv");
        }
        clear(&f, "product", 4);
        flow_run(&f, "correct");
    }
    find_residual(&f, false);
    assert_true(first > 0 && worst(&f) < 1e-6 * first);
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            assert_is_near(q[5 * i + 1 + k], 1e-4 * (x[3 * i + (k + 1) % 3] + 0.3 * x[3 * i + k]),
                           1e-9);
    flow_close(&f);
}

static void the_product_is_the_same_by_all_kinds_of_strategies(void **state) {
    static const char *const strategies[] = {"atomics:aggregate=sorted:transpose=shared",
                                             "halo-atomics", "point-parallel", "block-colour"};
    uint64_t seed = 5;
    flow f = viscous_flow_open(4);
    bench_scene scene = {.mesh = f.mesh, .start = f.state, .real = TESS_DOUBLE};
    OK(tess_application_kernel(f.application, "spmv", &scene.kernel));
    for (int64_t i = 0; i < 5 * nodes_of_flow(&f); i++)
        values_of(&f, "dq")[i] = random_in(&seed, -1, 1);
    find_residual(&f, true);
    for (size_t s = 0; s < sizeof strategies / sizeof strategies[0]; s++) {
        double difference = 1;
        const bench_case c = {.scene = &scene,
                              .strategy = strategies[s],
                              .layout = s % 2 ? "soa" : "aos",
                              .block_size = 64,
                              .renumber = "owner"};
        OK(bench_run(&c, NULL, &difference));
        assert_true(difference < 1e-12);
    }
    flow_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_product_is_the_same_by_all_kinds_of_strategies),
        cmocka_unit_test(the_product_is_the_slope_of_the_residual),
        cmocka_unit_test(slopes_are_the_same_matrix),
        cmocka_unit_test(sweeps_bring_shear_to_its_linear_solution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

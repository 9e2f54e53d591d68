/* fun3d's functions alone: fluxes, blocks of the matrix and surfaces of a cell against formulas of
 * their own. */
#include "fun3d_formulas.h"

typedef double real;
#include "kernels/loops/arithmetic_words.h"

#include "kernels/applications/fun3d/fun3d_flow_kernels.h"
#include "kernels/applications/fun3d/fun3d_matrix_kernels.h"
#include "kernels/applications/fun3d/fun3d_slopes_kernels.h"
#include "tests/unit.h"

static void flux_of(const double complex *u, const double *n, double complex *f) {
    const double complex un = (u[1] * n[0] + u[2] * n[1] + u[3] * n[2]) / u[0];
    const double complex square = (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0];
    const double complex p = 0.4 * (u[4] - 0.5 * square);
    f[0] = u[0] * un;
    for (int d = 0; d < 3; d++)
        f[1 + d] = u[1 + d] * un + p * n[d];
    f[4] = (u[4] + p) * un;
}

/* v becomes (A - shift I) v by the flux's Jacobian at u, found by a complex step. */
static void apply_shifted(const double *u, const double *n, double shift, double *v) {
    double complex at[5], f[5];
    for (int i = 0; i < 5; i++)
        at[i] = u[i] + 1e-30 * I * v[i];
    flux_of(at, n, f);
    for (int i = 0; i < 5; i++)
        v[i] = cimag(f[i]) / 1e-30 - shift * v[i];
}

/* F = (F(a) + F(b) - |A| (b - a)) / 2 at Roe's averages: |A| as the polynomial in A that is |k| at
 * its three eigenvalues k (Sylvester). */
static void roe_by_eigenvalues(const double *a, const double *b, const double *n, double *f) {
    double ua[5], ub[5], mean[5], v[3];
    double complex wide[5], fa[5], fb[5];
    conserved_of(a, ua);
    conserved_of(b, ub);
    const double wa = sqrt(a[0]) / (sqrt(a[0]) + sqrt(b[0])), wb = 1 - wa;
    const double h = wa * (ua[4] + a[4]) / a[0] + wb * (ub[4] + b[4]) / b[0];
    for (int d = 0; d < 3; d++)
        v[d] = wa * a[1 + d] + wb * b[1 + d];
    const double half = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const double rho = sqrt(a[0] * b[0]), p = (h - half) * rho * 0.4 / 1.4,
                 c = sqrt(0.4 * (h - half));
    const double un = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
    const double state[5] = {rho, v[0], v[1], v[2], p}, k[3] = {un - c, un, un + c};
    conserved_of(state, mean);
    for (int i = 0; i < 5; i++)
        wide[i] = ua[i];
    flux_of(wide, n, fa);
    for (int i = 0; i < 5; i++)
        wide[i] = ub[i];
    flux_of(wide, n, fb);
    for (int i = 0; i < 5; i++)
        f[i] = 0.5 * creal(fa[i] + fb[i]);
    for (int e = 0; e < 3; e++) {
        double term[5];
        for (int i = 0; i < 5; i++)
            term[i] = ub[i] - ua[i];
        for (int o = 0; o < 3; o++)
            if (o != e) {
                apply_shifted(mean, n, k[o], term);
                for (int i = 0; i < 5; i++)
                    term[i] /= k[e] - k[o];
            }
        for (int i = 0; i < 5; i++)
            f[i] -= 0.5 * fabs(k[e]) * term[i];
    }
}

static void roe_of(const double *a, const double *b, const double *n, double area, double *f) {
    const double none[15] = {0}, normal[4] = {n[0], n[1], n[2], area};
    double other[5] = {0};
    memset(f, 0, 5 * sizeof *f);
    roe_flux(a, b, none, none, none, none, none, none, none, none, normal, f, other);
    for (int i = 0; i < 5; i++)
        assert_true(f[i] == -other[i]);
}

static void roes_flux_is_that_of_eigenvalues(void **state) {
    const double a[5] = {1, .1, .2, -.1, .75}, b[5] = {.9, .05, .25, 0, .7}, n[3] = {.6, .8, 0};
    const double want[5] = {0.48525721942757, 0.919339603408246, 1.260707101658884,
                            -0.046322451240427, 1.280029550041339}; /* by numpy */
    double f[5], g[5];
    roe_of(a, b, n, 2, f);
    for (int i = 0; i < 5; i++)
        assert_true(fabs(f[i] - want[i]) < 1e-12);
    uint64_t seed = 1;
    for (int t = 0; t < 200; t++) {
        double q[2][5], normal[3], length = 0;
        for (int i = 0; i < 10; i++)
            q[i / 5][i % 5] = i % 5 % 4 ? random_in(&seed, -1, 1) : random_in(&seed, .5, 1.5);
        for (int d = 0; d < 3; d++)
            normal[d] = random_in(&seed, -1, 1);
        for (int d = 0; d < 3; d++)
            length += normal[d] * normal[d];
        for (int d = 0; d < 3; d++)
            normal[d] /= sqrt(length);
        roe_of(q[0], q[1], normal, 1.3, f);
        roe_by_eigenvalues(q[0], q[1], normal, g);
        for (int i = 0; i < 5; i++)
            assert_true(fabs(f[i] - 1.3 * g[i]) < 1e-12);
        roe_of(q[0], q[0], normal, 1, f); /* F(q, q) = F(q) */
        roe_by_eigenvalues(q[0], q[0], normal, g);
        for (int i = 0; i < 5; i++)
            assert_true(fabs(f[i] - g[i]) < 1e-12);
    }
}

static void viscous_fluxes_are_those_through_dual_faces(void **state) {
    uint64_t seed = 3;
    for (int t = 0; t < 200; t++) {
        const char *set = t % 2 ? "prisms" : "tets";
        double x[18], q[30], amut[6], got[24] = {0}, largest = 0;
        double complex wide[30], want[24] = {0};
        const double scale = 0.01;
        random_cell(set, &seed, x, q, amut);
        for (int i = 0; i < 30; i++)
            wide[i] = q[i];
        viscous_by_edges(set, scale, x, wide, amut, want);
        if (t % 2)
            visrhs_prisms(&scale, x, q, amut, got);
        else
            visrhs_tets(&scale, x, q, amut, got);
        for (int i = 0; i < 24; i++)
            largest = fmax(largest, fabs(creal(want[i])));
        for (int i = 0; i < 24; i++)
            assert_true(fabs(got[i] - creal(want[i])) < 1e-13 * largest);
    }
}

/* Lays the blocks of a matrix of n nodes one after another, row by row. */
static void lay_blocks(int n, const double *diagonal, const float *others, double *blocks) {
    for (int i = 0, pair = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (int v = 0; v < 17; v++)
                blocks[17 * (n * i + j) + v] =
                    i == j ? diagonal[17 * i + v] : (double)others[17 * pair + v];
            pair += i != j;
        }
}

/* The blocks of the shipped kernels, one entry after another: the others as they are in float. */
static void blocks_of(const flow_cell *c, double *blocks) {
    const int n = tess_cell_type_of_set(c->set)->n_nodes;
    double diagonal[6 * 17] = {0};
    float others[30 * 17] = {0};
    if (n == 4)
        visjac_tets(&c->scale, c->x, c->q, c->amut, diagonal, others);
    else
        visjac_prisms(&c->scale, c->x, c->q, c->amut, diagonal, others);
    lay_blocks(n, diagonal, others, blocks);
}

/* Against a complex step through the fluxes: the diagonal to 1e-13 of the largest, the others to
 * the rounding of a float; entries that are not stored are 0; what all rows get of a column
 * cancels. */
static void blocks_are_derivatives(void **state) {
    uint64_t seed = 9;
    for (int t = 0; t < 40; t++) {
        const int n = t % 2 ? 6 : 4;
        flow_cell c = {.set = t % 2 ? "prisms" : "tets", .scale = 0.01};
        double blocks[36 * 17], want[5][6][24], largest = 0;
        random_cell(c.set, &seed, c.x, c.q, c.amut);
        blocks_of(&c, blocks);
        for (int j = 0; j < n; j++)
            for (int v = 0; v < 5; v++) {
                viscous_column(&c, j, v, want[v][j]);
                for (int i = 0; i < 4 * n; i++)
                    largest = fmax(largest, fabs(want[v][j][i]));
            }
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) {
                double full[5][4] = {{0}};
                for (int v = 0; v < 17; v++) {
                    int row = 0, column = 0;
                    entry_position(v, &row, &column);
                    full[column][row] = blocks[17 * (n * i + j) + v];
                    assert_true(full[column][row] != 0);
                }
                for (int k = 0; k < 20; k++)
                    assert_true(fabs(full[k / 4][k % 4] - want[k / 4][j][4 * i + k % 4]) <
                                (i == j ? 1e-13 : 1e-7) * largest);
            }
            for (int v = 0; v < 17; v++) {
                double sum = 0;
                for (int i = 0; i < n; i++)
                    sum += blocks[17 * (n * i + j) + v];
                assert_true(fabs(sum) < 3e-7 * largest); /* of floats */
            }
        }
        for (int i = 1; i < n; i++) /* one state: rows sum to nothing, too */
            memcpy(c.q + 5 * i, c.q, 5 * sizeof *c.q);
        blocks_of(&c, blocks);
        for (int i = 0; i < n; i++)
            for (int v = 0; v < 17; v++) {
                double sum = 0;
                for (int j = 0; j < n; j++)
                    sum += blocks[17 * (n * i + j) + v];
                assert_true(fabs(sum) < 3e-7 * largest);
            }
    }
}

/* The blocks of the slopes of a cell, as blocks_of gives those of visjac. */
static void expanded_blocks_of(const flow_cell *c, double *blocks) {
    const int n = tess_cell_type_of_set(c->set)->n_nodes;
    double slopes[6 * 13] = {0}, diagonal[6 * 17];
    float others_slopes[30 * 13] = {0}, others[30 * 17];
    if (n == 4)
        slopes_tets(&c->scale, c->x, c->q, c->amut, slopes, others_slopes);
    else
        slopes_prisms(&c->scale, c->x, c->q, c->amut, slopes, others_slopes);
    for (int i = 0; i < n; i++)
        expand_diagonal(slopes + 13 * i, c->q + 5 * i, diagonal + 17 * i);
    for (int pair = 0; pair < n * (n - 1); pair++) {
        const int i = pair / (n - 1), beside = pair % (n - 1);
        expand(others_slopes + 13 * pair, c->q + 5 * (beside + (beside >= i)), others + 17 * pair);
    }
    lay_blocks(n, diagonal, others, blocks);
}

/* What slopes expand to are the blocks by conserved values, and a product with changes of primitive
 * variables is the one with those of conserved values. */
static void slopes_make_the_same_matrix(void **state) {
    uint64_t seed = 11;
    for (int t = 0; t < 40; t++) {
        flow_cell c = {.set = t % 2 ? "prisms" : "tets", .scale = 0.01};
        const int n = t % 2 ? 6 : 4;
        double want[36 * 17], got[36 * 17], largest = 0;
        random_cell(c.set, &seed, c.x, c.q, c.amut);
        blocks_of(&c, want);
        expanded_blocks_of(&c, got);
        for (int k = 0; k < 17 * n * n; k++)
            largest = fmax(largest, fabs(want[k]));
        for (int k = 0; k < 17 * n * n; k++)
            assert_true(fabs(got[k] - want[k]) < (k / 17 % (n + 1) == 0 ? 1e-13 : 1e-6) * largest);
        double slopes[13], block[17], dq[5], change[4], product[4] = {0}, by_block[4] = {0};
        for (int v = 0; v < 13; v++)
            slopes[v] = random_in(&seed, -1, 1);
        for (int v = 0; v < 5; v++)
            dq[v] = random_in(&seed, -1, 1);
        expand_diagonal(slopes, c.q, block);
        spmv_diagonal(block, dq, by_block);
        primitive_change(c.q, dq, change);
        spmv_slopes_diagonal(slopes, change, product);
        for (int k = 0; k < 4; k++)
            assert_true(fabs(product[k] - by_block[k]) < 1e-12);
    }
}

/* The shares of a prism's surface sum to nothing, and x by them to its volume, with bent quads. */
static void a_prisms_surface_is_closed(void **state) {
    uint64_t seed = 5;
    for (int t = 0; t < 100; t++) {
        double x[18], q[30] = {0}, amut[6], m[15], w[18], centre[3] = {0};
        random_cell("prisms", &seed, x, q, amut);
        for (int i = 0; i < 18; i++)
            centre[i % 3] += x[i] / 6;
        const double volume = prism_surface(x, centre, m, w) / 3;
        for (int d = 0; d < 3; d++)
            for (int k = 0; k < 3; k++) {
                double sum = 0, moment = 0;
                for (int i = 0; i < 6; i++) {
                    sum += w[3 * i + d];
                    moment += x[3 * i + k] * w[3 * i + d];
                }
                assert_true(fabs(sum) < 1e-13);
                assert_true(fabs(moment - (d == k ? volume : 0)) < 1e-13);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roes_flux_is_that_of_eigenvalues),
        cmocka_unit_test(viscous_fluxes_are_those_through_dual_faces),
        cmocka_unit_test(blocks_are_derivatives),
        cmocka_unit_test(slopes_make_the_same_matrix),
        cmocka_unit_test(a_prisms_surface_is_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

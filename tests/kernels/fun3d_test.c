/* fun3d: fluxes and gradients against formulas of their own, exact solutions, conservation, and as
 * many atomics as values are added. */
#include "kernels/applications/dual_mesh.h"
#include "strategy_bench.h"

#include "core/base/splitmix.h"
#include "core/mesh/cells.h"
#include "kernels/run/declarations.h"
#include <complex.h>
#include <math.h>

typedef double real;
#include "kernels/applications/fun3d/fun3d_kernels.h"

static double random_in(uint64_t *seed, double low, double high) {
    return low + (high - low) * (double)(tess_random_next(seed) >> 11) * 0x1p-53;
}

/* --- Roe's flux ------------------------------------------------------------------------------- */

static void flux_of(const double complex *u, const double *n, double complex *f) {
    const double complex un = (u[1] * n[0] + u[2] * n[1] + u[3] * n[2]) / u[0];
    const double complex square = (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0];
    const double complex p = 0.4 * (u[4] - 0.5 * square);
    f[0] = u[0] * un;
    for (int d = 0; d < 3; d++)
        f[1 + d] = u[1 + d] * un + p * n[d];
    f[4] = (u[4] + p) * un;
}

static void conserved_of(const double *q, double *u) {
    u[0] = q[0];
    for (int d = 0; d < 3; d++)
        u[1 + d] = q[0] * q[1 + d];
    u[4] = q[4] / 0.4 + 0.5 * q[0] * (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
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
    (void)state;
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

/* --- viscous fluxes of a cell ----------------------------------------------------------------- */

static void cross_of(const double *p, const double *q, double *out) {
    for (int d = 0; d < 3; d++)
        out[d] = p[(d + 1) % 3] * q[(d + 2) % 3] - p[(d + 2) % 3] * q[(d + 1) % 3];
}

static void between(const double *from, const double *to, double *out) {
    for (int d = 0; d < 3; d++)
        out[d] = to[d] - from[d];
}

/* A cell of any type by its table: middles of faces and of itself, shares of its surface, volume.
 */
typedef struct any_cell {
    const tess_cell_type *type;
    double face[6][3], centre[3], share[8][3], volume;
} any_cell;

static any_cell any_cell_of(const char *set, const double *x) {
    any_cell c = {.type = tess_cell_type_of_set(set)};
    for (int i = 0; i < c.type->n_nodes; i++)
        for (int d = 0; d < 3; d++)
            c.centre[d] += x[3 * i + d] / c.type->n_nodes;
    for (int f = 0; f < c.type->n_faces; f++) {
        const int n = tess_cell_face_size(c.type, f);
        const signed char *node = c.type->face[f];
        for (int i = 0; i < n; i++)
            for (int d = 0; d < 3; d++)
                c.face[f][d] += x[3 * node[i] + d] / n;
        for (int i = 0; i < n; i++) { /* a triangle of a side and the middle, a third each */
            double u[3], v[3], s[3];
            between(c.face[f], x + 3 * node[i], u);
            between(c.face[f], x + 3 * node[(i + 1) % n], v);
            cross_of(u, v, s);
            for (int d = 0; d < 3; d++) {
                c.share[node[i]][d] += s[d] / 6;
                c.share[node[(i + 1) % n]][d] += s[d] / 6;
                for (int k = 0; k < n; k++)
                    c.share[node[k]][d] += s[d] / 6 / n;
            }
        }
    }
    for (int i = 0; i < c.type->n_nodes; i++)
        for (int d = 0; d < 3; d++)
            c.volume += (x[3 * i + d] - c.centre[d]) * c.share[i][d] / 3;
    return c;
}

/* The dual face of an edge (a, b), out of a. */
static void dual_face(const any_cell *c, const double *x, int a, int b, double *area) {
    double across[3], inward[3], middle[3];
    int l = -1, r = -1;
    for (int f = 0; f < c->type->n_faces; f++)
        for (int i = 0, n = tess_cell_face_size(c->type, f); i < n; i++) {
            const int p = c->type->face[f][i], q = c->type->face[f][(i + 1) % n];
            l = p == a && q == b ? f : l;
            r = p == b && q == a ? f : r;
        }
    for (int d = 0; d < 3; d++)
        middle[d] = 0.5 * (x[3 * a + d] + x[3 * b + d]);
    between(c->face[l], c->face[r], across);
    between(middle, c->centre, inward);
    cross_of(across, inward, area);
    for (int d = 0; d < 3; d++)
        area[d] *= 0.5;
}

/* Viscous fluxes of a cell of any type through the dual faces of its edges, by the words of the
 * formula; velocities and temperatures are fields 0 to 3. What is imaginary of q changes the fluxes
 * but not the viscosity. */
static void viscous_by_edges(const char *set, double scale, const double *x,
                             const double complex *q, const double *amut, double complex *res) {
    const any_cell c = any_cell_of(set, x);
    const int n = c.type->n_nodes;
    double complex gradient[4][3] = {{0}}, mean[3] = {0}, field[8][4];
    double mu = 0, kappa = 0;
    for (int i = 0; i < n; i++) {
        const double complex t = 1.4 * q[5 * i + 4] / q[5 * i];
        const double s = 110.4 / 288.15;
        const double laminar = pow(creal(t), 1.5) * (1 + s) / (creal(t) + s);
        mu += (laminar + amut[i]) / n;
        kappa += (laminar / 0.72 + amut[i] / 0.9) / 0.4 / n;
        for (int k = 0; k < 4; k++) {
            field[i][k] = k < 3 ? q[5 * i + 1 + k] : t;
            for (int d = 0; d < 3; d++)
                gradient[k][d] += field[i][k] * c.share[i][d] / c.volume;
        }
        for (int k = 0; k < 3; k++)
            mean[k] += q[5 * i + 1 + k] / n;
    }
    for (int e = 0; e < c.type->n_edges; e++) {
        const int a = c.type->edge[e][0], b = c.type->edge[e][1];
        double area[3], along[3], length = 0;
        double complex g[4][3], f[4] = {0};
        dual_face(&c, x, a, b, area);
        between(x + 3 * a, x + 3 * b, along);
        for (int d = 0; d < 3; d++)
            length += along[d] * along[d];
        for (int k = 0; k < 4; k++) {
            double complex jump = field[b][k] - field[a][k];
            for (int d = 0; d < 3; d++)
                jump -= gradient[k][d] * along[d];
            for (int d = 0; d < 3; d++)
                g[k][d] = gradient[k][d] + jump * along[d] / length;
        }
        for (int k = 0; k < 3; k++) {
            for (int d = 0; d < 3; d++) {
                double complex stress = g[k][d] + g[d][k];
                stress -= k == d ? 2.0 / 3 * (g[0][0] + g[1][1] + g[2][2]) : 0;
                f[k] += mu * stress * area[d];
            }
            f[3] += mean[k] * f[k] + kappa * g[3][k] * area[k];
        }
        for (int k = 0; k < 4; k++) {
            res[4 * a + k] -= scale * f[k];
            res[4 * b + k] += scale * f[k];
        }
    }
}

/* A cell and the flow in it. */
typedef struct flow_cell {
    const char *set;
    double scale, x[18], q[30], amut[6];
} flow_cell;

/* Column `v` of the blocks of node j, all rows, by the conserved values: 4 values a row, by a
 * complex step. */
static void viscous_column(const flow_cell *c, int j, int v, double *column) {
    const int n = tess_cell_type_of_set(c->set)->n_nodes;
    double complex wide[30], res[24] = {0}, u[5], square = 0;
    double kept[5];
    for (int i = 0; i < 5 * n; i++)
        wide[i] = c->q[i];
    conserved_of(c->q + 5 * j, kept);
    for (int i = 0; i < 5; i++)
        u[i] = kept[i] + (i == v ? 1e-30 * I : 0);
    for (int d = 0; d < 3; d++) {
        wide[5 * j + 1 + d] = u[1 + d] / u[0];
        square += u[1 + d] * u[1 + d] / u[0];
    }
    wide[5 * j] = u[0];
    wide[5 * j + 4] = 0.4 * (u[4] - 0.5 * square);
    viscous_by_edges(c->set, c->scale, c->x, wide, c->amut, res);
    for (int i = 0; i < 4 * n; i++)
        column[i] = cimag(res[i]) / 1e-30;
}

/* A cell with its corners moved at random: quads are bent. */
static void random_cell(const char *set, uint64_t *seed, double x[18], double q[30],
                        double amut[6]) {
    static const double tet[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double prism[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1};
    const int n = tess_cell_type_of_set(set)->n_nodes;
    memset(x, 0, 18 * sizeof *x);
    memset(q, 0, 30 * sizeof *q);
    memset(amut, 0, 6 * sizeof *amut);
    for (int i = 0; i < 3 * n; i++)
        x[i] = (n == 4 ? tet[i] : prism[i]) + random_in(seed, -.15, .15);
    for (int i = 0; i < 5 * n; i++)
        q[i] = i % 5 % 4 ? random_in(seed, -1, 1) : random_in(seed, .5, 1.5);
    for (int i = 0; i < n; i++)
        amut[i] = random_in(seed, 0, 3);
}

static void viscous_fluxes_are_those_through_dual_faces(void **state) {
    (void)state;
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

/* Entry v of a block of 17: its row of momentum and energy, its column. */
static void entry_place(int v, int *row, int *column) {
    *column = v == 16 ? 4 : v / 4;
    *row = v == 16 ? 3 : v % 4;
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
    for (int i = 0, pair = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (int v = 0; v < 17; v++)
                blocks[17 * (n * i + j) + v] =
                    i == j ? diagonal[17 * i + v] : (double)others[17 * pair + v];
            pair += i != j;
        }
}

/* Against a complex step through the fluxes: the diagonal to 1e-13 of the largest, the others to
 * the rounding of a float; entries that are not stored are 0; what all rows get of a column
 * cancels. */
static void blocks_are_derivatives(void **state) {
    (void)state;
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
                    entry_place(v, &row, &column);
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

/* The shares of a prism's surface sum to nothing, and x by them to its volume, with bent quads. */
static void a_prisms_surface_is_closed(void **state) {
    (void)state;
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

/* --- whole meshes ----------------------------------------------------------------------------- */

static const char *const meshes[] = {"layers:nx=7:ny=6:prisms=4:tets=4:stretch=50",
                                     "layers:base=wing:nx=24:ny=4:prisms=4:tets=3:stretch=20",
                                     "layers:base=regular:nx=5:ny=5:prisms=0:tets=4",
                                     "prisms:nx=4:ny=4:nz=5"};
enum { N_MESHES = sizeof meshes / sizeof meshes[0] };

/* The start of fun3d with its first loops run by their references, in this order. */
typedef struct flow {
    tess_mesh *mesh;
    tess_state *state;
    const tess_application *application;
} flow;

static flow flow_open(const char *text) {
    flow f = {.mesh = generated_mesh(text)};
    OK(tess_application_find("fun3d", &f.application));
    OK(tess_application_bind(f.application, f.mesh));
    OK(tess_application_start(f.application, f.mesh, TESS_DOUBLE, &f.state));
    return f;
}

static void flow_close(flow *f) {
    tess_state_free(f->state);
    tess_mesh_free(f->mesh);
}

static double *values_of(const flow *f, const char *dat) {
    tess_dat *found = tess_state_find(f->state, dat, "nodes");
    return found ? found->values : tess_state_find(f->state, dat, NULL)->values;
}

static int64_t nodes_of_flow(const flow *f) {
    return tess_mesh_set_size(f->mesh, "nodes");
}

static void flow_run(const flow *f, const char *name) {
    const tess_kernel *kernel = NULL;
    tess_loop *loop = NULL;
    tess_bound_loop *bound = NULL;
    OK(tess_application_kernel(f->application, name, &kernel));
    if (!tess_kernel_applies(kernel, f->mesh))
        return;
    OK(tess_kernel_loop(kernel, TESS_DOUBLE, &loop));
    OK(tess_kernel_bind(loop, f->mesh, &bound));
    OK(tess_kernel_reference(kernel, bound, f->state));
    tess_bound_loop_free(bound);
    tess_loop_free(loop);
}

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
    (void)state;
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
 * (1,0,0). */
static void factors_are_those_of_gram_and_schmidt(void **state) {
    (void)state;
    static const double corners[2][12] = {{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
                                          {1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1}};
    const double root = sqrt(0.5),
                 want[2][6] = {{1, 0, 0, 1, 0, 1}, {2 * root, 0, -root, 1, 0, root}};
    for (int t = 0; t < 2; t++) {
        tess_mesh *mesh = NULL;
        tess_dual_mesh dual = {.n_nodes = 0};
        int32_t *nodes = NULL;
        OK(tess_mesh_new("a tet", 3, &mesh));
        OK(tess_mesh_add_set(mesh, "nodes", 4, NULL));
        OK(tess_mesh_add_set(mesh, "cells", 1, NULL));
        OK(TESS_ALLOC(12, &mesh->coordinates));
        OK(TESS_ALLOC(4, &nodes));
        memcpy(mesh->coordinates, corners[t], sizeof corners[t]);
        memcpy(nodes, (int32_t[]){0, 1, 2, 3}, 4 * sizeof *nodes);
        OK(tess_mesh_add_map(mesh, "cells", "nodes", 4, 0, nodes));
        OK(tess_mesh_derive(mesh, "left_edges:nodes"));
        OK(tess_dual_mesh_build(mesh, &dual));
        for (int k = 0; k < 6; k++)
            assert_true(fabs(dual.factors[k] - want[t][k]) < 1e-15);
        assert_true(dual.outer[0]);
        tess_dual_mesh_clear(&dual);
        nodes[1] = 2; /* turned over */
        nodes[2] = 1;
        assert_int_equal(tess_dual_mesh_build(mesh, &dual), TESS_ERROR_INPUT);
        assert_non_null(strstr(tess_message(), "cell 0, of tets, has the volume -"));
        tess_mesh_free(mesh);
    }
}

static void gradients_of_linear_fields_are_exact(void **state) {
    (void)state;
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
    (void)state;
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
    (void)state;
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
    (void)state;
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
                entry_place(v, &row, &column);
                dense[17 * (nodes[i] * nodes_of_flow(f) + nodes[j]) + v] +=
                    columns[column][4 * i + row];
            }
    }
}

/* The matrix of a mesh: each block stands at its pair of nodes, and there is no other. */
static void the_matrix_is_the_sum_of_its_cells(void **state) {
    (void)state;
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
    (void)state;
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

/* The paper's loops add 30, 10, 16 and 24 values an element, those of the matrix 272 and 612. */
static void atomics_are_the_values_that_are_added(void **state) {
    (void)state;
    static const struct {
        const char *loop, *set;
        int atomics;
    } loops[] = {{"lstgs", "left_edges", 30},  {"roe_flux", "left_edges", 10},
                 {"visrhs_tets", "tets", 16},  {"visrhs_prisms", "prisms", 24},
                 {"visjac_tets", "tets", 272}, {"visjac_prisms", "prisms", 612}};
    for (int l = 0; l < 6; l++)
        for (int aos = 0; aos < 2; aos++) {
            bench_scene s = bench_scene_open("fun3d", loops[l].loop, meshes[0]);
            tess_counters counters = {0};
            const bench_case c = {.kernel = s.kernel,
                                  .mesh = s.mesh,
                                  .start = s.start,
                                  .real = TESS_DOUBLE,
                                  .strategy = "atomics",
                                  .layout = aos ? "aos" : "soa",
                                  .device = "emulator",
                                  .block_size = 64,
                                  .counters = &counters};
            double difference = 1;
            OK(bench_run(&c, NULL, &difference));
            assert_true(difference < (l < 4 ? 1e-11 : 1e-6));         /* of floats */
            assert_int_equal(counters.atomics, 2 * loops[l].atomics * /* two runs */
                                                   tess_mesh_set_size(s.mesh, loops[l].set));
            bench_scene_close(&s);
        }
}

/* The matrix by strategies of every kind, with data in both layouts and two orders. */
static void the_matrix_runs_by_all_kinds_of_strategies(void **state) {
    (void)state;
    static const char *const ways[] = {"atomics:aggregate=unsorted:transpose=shared",
                                       "atomics:transpose=shuffles",
                                       "two-step",
                                       "halo-atomics",
                                       "block-colour:stage=increments",
                                       "global-colour"};
    static const char *const loops[] = {"visjac_tets", "visjac_prisms"};
    for (int l = 0; l < 2; l++) {
        bench_scene s = bench_scene_open("fun3d", loops[l], "layers:nx=3:ny=3:prisms=1:tets=1");
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            const bench_case c = {.kernel = s.kernel,
                                  .mesh = s.mesh,
                                  .start = s.start,
                                  .real = TESS_DOUBLE,
                                  .strategy = ways[w],
                                  .layout = w % 2 ? "soa" : "aos",
                                  .device = "emulator",
                                  .block_size = 32,
                                  .renumber = w == 3 ? "owner" : NULL};
            double difference = 1;
            OK(bench_run(&c, NULL, &difference));
            assert_true(difference < 1e-6);
        }
        bench_scene_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roes_flux_is_that_of_eigenvalues),
        cmocka_unit_test(viscous_fluxes_are_those_through_dual_faces),
        cmocka_unit_test(blocks_are_derivatives),
        cmocka_unit_test(the_matrix_is_the_sum_of_its_cells),
        cmocka_unit_test(the_matrix_runs_by_all_kinds_of_strategies),
        cmocka_unit_test(a_prisms_surface_is_closed),
        cmocka_unit_test(dual_cells_are_closed),
        cmocka_unit_test(factors_are_those_of_gram_and_schmidt),
        cmocka_unit_test(gradients_of_linear_fields_are_exact),
        cmocka_unit_test(a_free_stream_stays),
        cmocka_unit_test(fluxes_are_conserved),
        cmocka_unit_test(one_stress_has_no_force),
        cmocka_unit_test(lstgs_adds_alike_and_roe_opposite),
        cmocka_unit_test(atomics_are_the_values_that_are_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

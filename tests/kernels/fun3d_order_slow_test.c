/* The order of fun3d: a manufactured solution of the Navier-Stokes equations is found to second
 * order on three meshes of prisms and tets. */
#include "core/mesh/cells.h"
#include "fun3d_flow.h"
#include <math.h>

/* Of the five values of q: mean, amplitude, wave, phase. All of a supersonic flow is carried out:
 * in a slower one pressure feels the held nodes behind it, and is of order 1.5 until meshes are
 * finer. */
static const double wave[5][6] = {{1, .1, 2.2, 1.4, 1.8, .3},
                                  {1.5, .05, 1.6, 2.4, -1.2, 1.1},
                                  {.5, .06, -1.8, 1.2, 2.0, .2},
                                  {-1, .05, 2.4, -1.0, 1.4, .8},
                                  {.75, .06, 1.4, 1.8, 2.2, 1.7}};
static const double SCALE = 0.02, AMUT = 0.5, TOLERANCE = 5e-3, COURANT = 2;

/* The solution and its gradients at a place. */
static void solution(const double *x, double *q, double (*gradient)[3]) {
    for (int v = 0; v < 5; v++) {
        const double *w = wave[v];
        const double angle = w[2] * x[0] + w[3] * x[1] + w[4] * x[2] + w[5];
        q[v] = w[0] + w[1] * sin(angle);
        for (int d = 0; d < 3; d++)
            gradient[v][d] = w[1] * cos(angle) * w[2 + d];
    }
}

/* The flux along d at a place: convection, pressure, Newton's stress and Fourier's heat. */
static void flux_along(int d, const double *x, double *f) {
    double q[5], g[5][3], divergence = 0, work = 0;
    solution(x, q, g);
    const double t = 1.4 * q[4] / q[0], s = 110.4 / 288.15;
    const double laminar = pow(t, 1.5) * (1 + s) / (t + s);
    const double energy = q[4] / 0.4 + 0.5 * q[0] * (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double slope = 1.4 * (g[4][d] - q[4] / q[0] * g[0][d]) / q[0]; /* of the temperature */
    for (int k = 0; k < 3; k++)
        divergence += g[1 + k][k];
    f[0] = q[0] * q[1 + d];
    for (int k = 0; k < 3; k++) {
        const double stress = SCALE * (laminar + AMUT) *
                              (g[1 + k][d] + g[1 + d][k] - (k == d ? 2.0 / 3 * divergence : 0));
        f[1 + k] = q[0] * q[1 + d] * q[1 + k] + (k == d ? q[4] : 0) - stress;
        work += stress * q[1 + k];
    }
    f[4] = (energy + q[4]) * q[1 + d] - work - SCALE * (laminar / 0.72 + AMUT / 0.9) / 0.4 * slope;
}

/* The sources that keep the solution: the divergence of its fluxes, by differences of fourth order.
 */
static void source_at(const double *x, double *source) {
    static const double h = 2e-3, weight[4] = {1. / 12, -8. / 12, 8. / 12, -1. / 12};
    static const int step[4] = {-2, -1, 1, 2};
    memset(source, 0, 5 * sizeof *source);
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < 4; i++) {
            double at[3] = {x[0], x[1], x[2]}, f[5];
            at[d] += step[i] * h;
            flux_along(d, at, f);
            for (int v = 0; v < 5; v++)
                source[v] += weight[i] * f[v] / h;
        }
}

/* The volume and the middle of the tet of four points. */
static double tet_of(const double *const p[4], double *middle) {
    double e[3][3];
    for (int d = 0; d < 3; d++) {
        middle[d] = (p[0][d] + p[1][d] + p[2][d] + p[3][d]) / 4;
        for (int k = 0; k < 3; k++)
            e[k][d] = p[k + 1][d] - p[0][d];
    }
    return fabs(e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

/* Adds the sources in a cell to those of its nodes' dual cells, a tet of each side of each face at
 * either end: sources [nodes][5]. */
static void add_cell(const tess_cell_type *type, const double *x, const int32_t *nodes,
                     double *sources) {
    double centre[3] = {0};
    for (int i = 0; i < type->n_nodes; i++)
        for (int d = 0; d < 3; d++)
            centre[d] += x[3 * nodes[i] + d] / type->n_nodes;
    for (int f = 0; f < type->n_faces; f++) {
        const int n = tess_cell_face_size(type, f);
        double face[3] = {0};
        for (int i = 0; i < n; i++)
            for (int d = 0; d < 3; d++)
                face[d] += x[3 * nodes[type->face[f][i]] + d] / n;
        for (int i = 0; i < 2 * n; i++) {
            const int32_t a = nodes[type->face[f][i / 2]],
                          b = nodes[type->face[f][(i / 2 + 1) % n]];
            const int32_t to = i % 2 ? b : a;
            double side[3], middle[3], source[5];
            for (int d = 0; d < 3; d++)
                side[d] = (x[3 * a + d] + x[3 * b + d]) / 2;
            const double *const corners[4] = {x + 3 * to, side, face, centre};
            const double part = tet_of(corners, middle);
            source_at(middle, source);
            for (int v = 0; v < 5; v++)
                sources[5 * to + v] += part * source[v];
        }
    }
}

static void find_sources(const flow *f, double *sources) {
    static const char *const sets[] = {"tets", "prisms"};
    for (int t = 0; t < 2; t++) {
        char name[TESS_NAME_SIZE];
        snprintf(name, sizeof name, "%s:nodes", sets[t]);
        const tess_map *map = tess_mesh_find_map(f->mesh, name);
        for (int64_t c = 0; c < f->mesh->sets[map->from].size; c++)
            add_cell(tess_cell_type_of_set(sets[t]), f->mesh->coordinates,
                     map->index + c * map->arity, sources);
    }
}

/* Steps over the dual volumes that convection and conduction allow. */
static void find_steps(const flow *f) {
    const int32_t *nodes = tess_mesh_find_map(f->mesh, "left_edges:nodes")->index;
    const double *normal = tess_state_find(f->state, "normal", "left_edges")->values;
    const double *x = f->mesh->coordinates;
    double *steps = values_of(f, "step");
    memset(steps, 0, sizeof(double) * (size_t)nodes_of_flow(f));
    for (int64_t i = 0; i < 2 * tess_mesh_set_size(f->mesh, "left_edges"); i++) {
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += pow(x[3 * nodes[i] + d] - x[3 * nodes[i ^ 1] + d], 2);
        steps[nodes[i]] += normal[4 * (i / 2) + 3] * (3.5 + 6 * SCALE / sqrt(square));
    }
    for (int64_t i = 0; i < nodes_of_flow(f); i++)
        steps[i] = COURANT / steps[i];
}

/* Marches from the solution at the nodes to that of the scheme; boundary nodes are held. */
static void march(const flow *f, const double *sources) {
    static const char *const loops[] = {"zero", "lstgs", "roe_flux", "visrhs_tets",
                                        "visrhs_prisms"};
    double first = 0, sum = 1;
    for (int step = 0; step < 1000 && (step < 2 || sum > TOLERANCE * first); step++) {
        flow_run(f, "keep");
        for (int stage = 0; stage < 2; stage++) {
            double *res = values_of(f, "res");
            for (int l = 0; l < 5; l++)
                flow_run(f, loops[l]);
            sum = 0;
            for (int64_t i = 0; i < 5 * nodes_of_flow(f); i++) {
                res[i] -= sources[i];
                sum += values_of(f, "held")[i / 5] == 0 ? fabs(res[i]) : 0;
            }
            flow_run(f, "update");
        }
        first = step == 0 ? sum : first;
    }
    assert_true(sum <= TOLERANCE * first);
}

/* The mean error of the solution where it is not held, by value. */
static void find_errors(const char *mesh, double *error) {
    flow f = flow_open(mesh);
    const int64_t n = nodes_of_flow(&f);
    double *sources = NULL, gradient[5][3];
    int64_t n_free = 0;
    OK(TESS_ZEROS(5 * n, &sources));
    find_sources(&f, sources);
    values_of(&f, "scale")[0] = SCALE;
    for (int64_t i = 0; i < n; i++) {
        values_of(&f, "amut")[i] = AMUT;
        solution(f.mesh->coordinates + 3 * i, values_of(&f, "q") + 5 * i, gradient);
    }
    find_steps(&f);
    march(&f, sources);
    memset(error, 0, 5 * sizeof *error);
    for (int64_t i = 0; i < n; i++) {
        double q[5];
        solution(f.mesh->coordinates + 3 * i, q, gradient);
        n_free += values_of(&f, "held")[i] == 0;
        for (int v = 0; v < 5; v++)
            error[v] += fabs(values_of(&f, "q")[5 * i + v] - q[v]);
    }
    for (int v = 0; v < 5; v++)
        error[v] /= (double)n_free;
    free(sources);
    flow_close(&f);
}

/* Density, velocity and pressure, between each mesh and the next finer one. */
static void the_solution_is_of_second_order(void **state) {
    enum { MESHES = 3 };
    static const int side[MESHES] = {4, 8, 12};
    double error[MESHES][5];
    for (int m = 0; m < MESHES; m++) {
        char mesh[128];
        snprintf(mesh, sizeof mesh, "layers:base=regular:nx=%d:ny=%d:prisms=%d:tets=%d:stretch=1.3",
                 side[m], side[m], side[m] / 2, side[m] / 2);
        find_errors(mesh, error[m]);
    }
    for (int m = 1; m < MESHES; m++)
        for (int v = 0; v < 5; v++) {
            const double order =
                log(error[m - 1][v] / error[m][v]) / log((double)side[m] / side[m - 1]);
            print_message("1/%d to 1/%d, value %d: error %.3g, order %.2f\n", side[m - 1], side[m],
                          v, error[m][v], order);
            assert_true(order >= 1.8);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_solution_is_of_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

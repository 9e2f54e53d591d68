/* What fun3d computes, by formulas that share nothing with its kernels: viscous fluxes of a
 * cell of any type through the dual faces of its edges, and their derivatives by a complex step. */
#pragma once
#include "core/base/splitmix.h"
#include "core/mesh/cells.h"
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static inline double random_in(uint64_t *seed, double low, double high) {
    return low + (high - low) * (double)(tess_random_next(seed) >> 11) * 0x1p-53;
}

static inline void conserved_of(const double *q, double *u) {
    u[0] = q[0];
    for (int d = 0; d < 3; d++)
        u[1 + d] = q[0] * q[1 + d];
    u[4] = q[4] / 0.4 + 0.5 * q[0] * (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

static inline void cross_of(const double *p, const double *q, double *out) {
    for (int d = 0; d < 3; d++)
        out[d] = p[(d + 1) % 3] * q[(d + 2) % 3] - p[(d + 2) % 3] * q[(d + 1) % 3];
}

static inline void between(const double *from, const double *to, double *out) {
    for (int d = 0; d < 3; d++)
        out[d] = to[d] - from[d];
}

/* A cell of any type by its table: middles of faces and of itself, shares of its surface, volume.
 */
typedef struct any_cell {
    const tess_cell_type *type;
    double face[6][3], centre[3], share[8][3], volume;
} any_cell;

static inline any_cell any_cell_of(const char *set, const double *x) {
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
static inline void dual_face(const any_cell *c, const double *x, int a, int b, double *area) {
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
static inline void viscous_by_edges(const char *set, double scale, const double *x,
                                    const double complex *q, const double *amut,
                                    double complex *res) {
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
static inline void viscous_column(const flow_cell *c, int j, int v, double *column) {
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
static inline void random_cell(const char *set, uint64_t *seed, double x[18], double q[30],
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

/* Entry v of a block of 17: its row of momentum and energy, its column. */
static inline void entry_position(int v, int *row, int *column) {
    *column = v == 16 ? 4 : v / 4;
    *row = v == 16 ? 3 : v % 4;
}

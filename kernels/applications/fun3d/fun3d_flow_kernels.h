/* fun3d: the flow of a node-centred solver of the compressible Navier-Stokes equations on tets and
 * prisms, as FUN3D has it: gradients, fluxes, explicit time.
 *
 * A node has q = (density, velocity, pressure), the density by that of the free stream, the
 * velocity by its speed of sound a, the pressure by density a^2; its place x; the least-squares
 * gradients gx, gy, gz of q; `amut`, the eddy viscosity; and `res`, the sum of fluxes out of its
 * dual cell of (density, momentum, energy). An edge has the unit normal and the area of its dual
 * face, out of slot 0. What is viscous goes by `scale`, the Mach number over the Reynolds number.
 */

#ifndef UNROLL /* before a loop that a GPU is to unroll: the arrays that it indexes stay in        \
                  registers */
#define UNROLL
#endif

#define GAMMA ((real)1.4)
#define SUTHERLAND ((real)(110.4 / 288.15)) /* kelvin, by the free stream's */
#define PRANDTL ((real)0.72)
#define TURBULENT_PRANDTL ((real)0.9)

/* Clears what the loops of a step add to. */
static inline void zero(real *gx, real *gy, real *gz, real *res) {
    for (int i = 0; i < 5; i++)
        gx[i] = gy[i] = gz[i] = res[i] = 0;
}

/* The QR factorisation of a node's edge vectors by Gram and Schmidt, in three sums over its edges,
 * once a mesh: of x with all three, then of what is left of y and z beside x, then of z beside
 * both. An edge adds the same at either end. */
static inline void qr_first(const real *x0, const real *x1, real *first0, real *first1) {
    for (int d = 0; d < 3; d++) {
        first0[d] += (x1[0] - x0[0]) * (x1[d] - x0[d]);
        first1[d] += (x1[0] - x0[0]) * (x1[d] - x0[d]);
    }
}

/* What is left of an edge's y and z at one end. */
static inline void beside_x(const real *x0, const real *x1, const real *first, real *left) {
    for (int d = 0; d < 2; d++)
        left[d] = x1[d + 1] - x0[d + 1] - divide(first[d + 1], first[0]) * (x1[0] - x0[0]);
}

static inline void qr_second(const real *x0, const real *x1, const real *first0, const real *first1,
                             real *second0, real *second1) {
    real left[2], right[2];
    beside_x(x0, x1, first0, left);
    beside_x(x0, x1, first1, right);
    for (int d = 0; d < 2; d++) {
        second0[d] += left[0] * left[d];
        second1[d] += right[0] * right[d];
    }
}

static inline void qr_third(const real *x0, const real *x1, const real *first0, const real *first1,
                            const real *second0, const real *second1, real *third0, real *third1) {
    real left[2], right[2];
    beside_x(x0, x1, first0, left);
    beside_x(x0, x1, first1, right);
    const real a = left[1] - divide(second0[1], second0[0]) * left[0];
    const real b = right[1] - divide(second1[1], second1[0]) * right[0];
    third0[0] += a * a;
    third1[0] += b * b;
}

/* R, of the three sums: r11 r12 r13 r22 r23 r33. */
static inline void qr(const real *first, const real *second, const real *third, real *r) {
    r[0] = root(first[0]);
    r[1] = divide(first[1], r[0]);
    r[2] = divide(first[2], r[0]);
    r[3] = root(second[0]);
    r[4] = divide(second[1], r[3]);
    r[5] = root(third[0]);
}

/* By what an edge dx weighs differences in the gradient at one end, by that end's R of the QR
 * factorisation of its edges: r11 r12 r13 r22 r23 r33. */
static inline void edge_weights(const real *dx, const real *r, real *t) {
    const real i1 = reciprocal(r[0]), i2 = reciprocal(r[3]), i3 = reciprocal(r[5]);
    const real a = r[1] * i1, b = r[2] * i1, c = r[4] * i2;
    const real y = dx[1] - a * dx[0], z = dx[2] - b * dx[0] - c * y;
    t[2] = z * (i3 * i3);
    t[1] = y * (i2 * i2) - c * t[2];
    t[0] = dx[0] * (i1 * i1) - a * y * (i2 * i2) + (a * c - b) * t[2];
}

/* What an edge adds to the gradients at one end. */
static inline void least_squares(const real *dx, const real *dq, const real *r, real *gx, real *gy,
                                 real *gz) {
    real t[3];
    edge_weights(dx, r, t);
    for (int i = 0; i < 5; i++) {
        gx[i] += t[0] * dq[i];
        gy[i] += t[1] * dq[i];
        gz[i] += t[2] * dq[i];
    }
}

/* Least-squares gradients. Both ends add alike: dx and dq change their signs together. */
static inline void lstgs(const real *q0, const real *q1, const real *x0, const real *x1,
                         const real *r0, const real *r1, real *gx0, real *gx1, real *gy0, real *gy1,
                         real *gz0, real *gz1) {
    real dx[3], dq[5];
    for (int d = 0; d < 3; d++)
        dx[d] = x1[d] - x0[d];
    for (int i = 0; i < 5; i++)
        dq[i] = q1[i] - q0[i];
    least_squares(dx, dq, r0, gx0, gy0, gz0);
    for (int d = 0; d < 3; d++)
        dx[d] = -dx[d];
    for (int i = 0; i < 5; i++)
        dq[i] = -dq[i];
    least_squares(dx, dq, r1, gx1, gy1, gz1);
}

static inline void lstgs_weights(const real *x0, const real *x1, const real *r0, const real *r1,
                                 real *weights) {
    real dx[3];
    for (int d = 0; d < 3; d++)
        dx[d] = x1[d] - x0[d];
    edge_weights(dx, r0, weights);
    edge_weights(dx, r1, weights + 3);
}

/* The gradient of variable i at both ends: what is minus dx there, and minus dq, cancel. */
static inline void lstgs_add(int i, const real *q0, const real *q1, const real *weights, real *gx0,
                             real *gx1, real *gy0, real *gy1, real *gz0, real *gz1) {
    const real dq = q1[i] - q0[i];
    gx0[i] += weights[0] * dq;
    gy0[i] += weights[1] * dq;
    gz0[i] += weights[2] * dq;
    gx1[i] += weights[3] * dq;
    gy1[i] += weights[4] * dq;
    gz1[i] += weights[5] * dq;
}

/* The state in the middle of the edge as a node sees it. */
static inline void reconstruct(const real *q, const real *gx, const real *gy, const real *gz,
                               const real *x, const real *middle, real *s) {
    const real d[3] = {middle[0] - x[0], middle[1] - x[1], middle[2] - x[2]};
    for (int i = 0; i < 5; i++)
        s[i] = q[i] + gx[i] * d[0] + gy[i] * d[1] + gz[i] * d[2];
}

/* Energy per volume. */
static inline real energy_of(const real *s) {
    return s[4] * (1 / (GAMMA - 1)) + (real)0.5 * s[0] * (s[1] * s[1] + s[2] * s[2] + s[3] * s[3]);
}

/* Twice Roe's flux (1981) through a unit normal out of state a, without a fix of its entropy. */
static inline void twice_roe(const real *a, const real *b, const real *normal, real *f) {
    const real ua = normal[0] * a[1] + normal[1] * a[2] + normal[2] * a[3];
    const real ub = normal[0] * b[1] + normal[1] * b[2] + normal[2] * b[3];
    const real ea = energy_of(a), eb = energy_of(b);
    const real rho = root(fabs(a[0] * b[0])), share = divide(rho, rho + b[0]), other = 1 - share;
    real v[3];
    for (int d = 0; d < 3; d++)
        v[d] = a[1 + d] * share + b[1 + d] * other;
    const real h = divide(ea + a[4], a[0]) * share + divide(eb + b[4], b[0]) * other;
    const real half = (real)0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const real c2 = fabs((GAMMA - 1) * (h - half)), c = root(c2);
    const real un = normal[0] * v[0] + normal[1] * v[1] + normal[2] * v[2];
    const real still = fabs(un), dp = b[4] - a[4], du = ub - ua, inverse = reciprocal(c2);
    /* waves that run with c, against c, shear, entropy */
    const real w1 = fabs(un + c) * (real)0.5 * (dp + rho * c * du) * inverse;
    const real w2 = fabs(un - c) * (real)0.5 * (dp - rho * c * du) * inverse;
    const real w3 = still * rho, w4 = still * (b[0] - a[0] - dp * inverse);
    real along = 0; /* the mean velocity times the difference of velocities */
    f[0] = a[0] * ua + b[0] * ub - (w1 + w2 + w4);
    for (int d = 0; d < 3; d++) {
        const real dv = b[1 + d] - a[1 + d];
        along += v[d] * dv;
        f[1 + d] = a[0] * a[1 + d] * ua + b[0] * b[1 + d] * ub + (a[4] + b[4]) * normal[d] -
                   (w1 * (v[d] + c * normal[d]) + w2 * (v[d] - c * normal[d]) +
                    w3 * (dv - du * normal[d]) + w4 * v[d]);
    }
    f[4] = (ea + a[4]) * ua + (eb + b[4]) * ub -
           (w1 * (h + c * un) + w2 * (h - c * un) + w3 * (along - un * du) + w4 * half);
}

static inline void roe_flux(const real *q0, const real *q1, const real *gx0, const real *gx1,
                            const real *gy0, const real *gy1, const real *gz0, const real *gz1,
                            const real *x0, const real *x1, const real *normal, real *res0,
                            real *res1) {
    real middle[3], a[5], b[5], f[5];
    for (int d = 0; d < 3; d++)
        middle[d] = (real)0.5 * (x0[d] + x1[d]);
    reconstruct(q0, gx0, gy0, gz0, x0, middle, a);
    reconstruct(q1, gx1, gy1, gz1, x1, middle, b);
    twice_roe(a, b, normal, f);
    for (int i = 0; i < 5; i++) {
        const real flux = (real)0.5 * normal[3] * f[i];
        res0[i] += flux;
        res1[i] -= flux;
    }
}

/* From either end to the middle of an edge: half of the edge, and minus that. */
static inline void roe_half(const real *x0, const real *x1, real *half) {
    for (int d = 0; d < 3; d++)
        half[d] = (real)0.5 * (x1[d] - x0[d]);
}

/* Variable i in the middle of the edge as its two ends see it. */
static inline void roe_ends(int i, const real *q0, const real *q1, const real *gx0, const real *gx1,
                            const real *gy0, const real *gy1, const real *gz0, const real *gz1,
                            const real *half, real *ends) {
    ends[0] = q0[i] + (gx0[i] * half[0] + gy0[i] * half[1] + gz0[i] * half[2]);
    ends[1] = q1[i] - (gx1[i] * half[0] + gy1[i] * half[1] + gz1[i] * half[2]);
}

static inline void roe_sum(const real *normal, const real *ends, real *res0, real *res1) {
    real a[5], b[5], f[5];
    for (int i = 0; i < 5; i++) {
        a[i] = ends[2 * i];
        b[i] = ends[2 * i + 1];
    }
    twice_roe(a, b, normal, f);
    for (int i = 0; i < 5; i++) {
        const real flux = (real)0.5 * normal[3] * f[i];
        res0[i] += flux;
        res1[i] -= flux;
    }
}

/* What a cell of n nodes knows of the flow for its viscous fluxes. */
struct viscous_cell {
    real velocity[9], temperature[3]; /* gradients: of velocity k along d at 3 k + d */
    real mean[3];                     /* velocity */
    real mu, kappa;                   /* viscosity, conductivity; by `scale` */
};

/* By Green and Gauss: w are the nodes' shares of the cell's surface, t their temperatures. */
static inline void viscous_means(int n, const real *w, real inverse_volume, const real *q,
                                 const real *amut, real scale, real *t, struct viscous_cell *c) {
    const real share = divide(scale, (real)n);
    for (int k = 0; k < 3; k++)
        c->temperature[k] = c->mean[k] = 0;
    for (int k = 0; k < 9; k++)
        c->velocity[k] = 0;
    c->mu = c->kappa = 0;
    for (int i = 0; i < n; i++) {
        t[i] = divide(GAMMA * q[5 * i + 4], q[5 * i]);
        const real mu = divide(t[i] * root(t[i]) * (1 + SUTHERLAND), t[i] + SUTHERLAND);
        c->mu += share * (mu + amut[i]);
        c->kappa += share * (mu * (1 / ((GAMMA - 1) * PRANDTL)) +
                             amut[i] * (1 / ((GAMMA - 1) * TURBULENT_PRANDTL)));
        for (int k = 0; k < 3; k++) {
            const real u = q[5 * i + 1 + k];
            c->temperature[k] += t[i] * w[3 * i + k] * inverse_volume;
            c->mean[k] += u * (1 / (real)n);
            for (int d = 0; d < 3; d++)
                c->velocity[3 * k + d] += u * w[3 * i + d] * inverse_volume;
        }
    }
}

/* Newton's stress and Fourier's heat through an area, of gradients: momentum, energy. */
static inline void viscous_flux(const struct viscous_cell *c, const real *velocity,
                                const real *temperature, const real *area, real *f) {
    const real third = (velocity[0] + velocity[4] + velocity[8]) * (real)(2.0 / 3);
    f[3] =
        c->kappa * (temperature[0] * area[0] + temperature[1] * area[1] + temperature[2] * area[2]);
    for (int k = 0; k < 3; k++) {
        f[k] = -third * area[k];
        for (int d = 0; d < 3; d++)
            f[k] += (velocity[3 * k + d] + velocity[3 * d + k]) * area[d];
        f[k] *= c->mu;
        f[3] += c->mean[k] * f[k];
    }
}

/* The cross product of b - a and c - a, component d. */
static inline real cross(const real *a, const real *b, const real *c, int d) {
    const int e = (d + 1) % 3, f = (d + 2) % 3;
    return (b[e] - a[e]) * (c[f] - a[f]) - (b[f] - a[f]) * (c[e] - a[e]);
}

/* The nodes' shares w [4][3] of a tet's surface; gives the volume. */
static inline real tet_surface(const real *x, real *w) {
    const int face[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}}; /* opposite, inward */
    real volume = 0;
    for (int i = 0; i < 4; i++)
        for (int d = 0; d < 3; d++)
            w[3 * i + d] = cross(x + 3 * face[i][0], x + 3 * face[i][1], x + 3 * face[i][2], d) *
                           (real)(1.0 / 6);
    for (int d = 0; d < 3; d++)
        volume += w[9 + d] * (x[9 + d] - x[d]);
    return volume;
}

/* Viscous fluxes of a tet. Its gradients are those along its edges, too, and the dual faces around
 * a node are together minus the node's share of the surface. */
static inline void visrhs_tets(const real *scale, const real *x, const real *q, const real *amut,
                               real *res) {
    struct viscous_cell c;
    real w[12], t[4];
    const real volume = tet_surface(x, w);
    viscous_means(4, w, reciprocal(volume), q, amut, scale[0], t, &c);
    for (int i = 0; i < 4; i++) {
        real f[4];
        viscous_flux(&c, c.velocity, c.temperature, w + 3 * i, f);
        for (int k = 0; k < 4; k++)
            res[4 * i + k] += f[k];
    }
}

/* The middles of a prism's faces m [5][3], its nodes' shares w [6][3] of its surface: a third of a
 * triangle; a quad is four triangles around its middle, of which everyone has a share. Gives the
 * volume, three times. */
static inline real prism_surface(const real *x, const real *centre, real *m, real *w) {
    const int face[5][4] = {{0, 2, 1, 0}, {3, 4, 5, 3}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}};
    real volume = 0;
    UNROLL for (int i = 0; i < 18; i++) w[i] = 0;
    UNROLL for (int f = 0; f < 5; f++) {
        const int n = f < 2 ? 3 : 4;
        UNROLL for (int d = 0; d < 3; d++) {
            m[3 * f + d] = 0;
            UNROLL for (int k = 0; k < n; k++) m[3 * f + d] +=
                x[3 * face[f][k] + d] * (f < 2 ? (real)(1.0 / 3) : (real)0.25);
        }
        UNROLL for (int d = 0; d < 3 && f < 2; d++) {
            const real s = cross(x + 3 * face[f][0], x + 3 * face[f][1], x + 3 * face[f][2], d);
            UNROLL for (int k = 0; k < 3; k++) w[3 * face[f][k] + d] += s * (real)(1.0 / 6);
        }
        UNROLL for (int d = 0; d < 3 && f >= 2; d++) {
            real total = 0;
            UNROLL for (int k = 0; k < 4; k++) {
                const int a = 3 * face[f][k], b = 3 * face[f][(k + 1) % 4];
                const real s = cross(m + 3 * f, x + a, x + b, d) * (real)0.5;
                w[a + d] += s * (real)(1.0 / 3);
                w[b + d] += s * (real)(1.0 / 3);
                total += s;
            }
            UNROLL for (int k = 0; k < 4; k++) w[3 * face[f][k] + d] += total * (real)(1.0 / 12);
        }
    }
    UNROLL for (int i = 0; i < 18; i++) volume += (x[i] - centre[i % 3]) * w[i];
    return volume;
}

/* Digit i, from the right, of an octal number: a table that needs no memory, where compilers for
 * GPUs put arrays. */
static inline int digit(int octal, int i) {
    return octal >> 3 * i & 7;
}

/* An edge of a prism between nodes a and b, and its dual face, out of a. */
struct prism_edge {
    int a, b;
    real dx[3], area[3], inverse; /* inverse: of the length's square */
};

/* Edge e, which lies beside two faces. */
static inline void prism_edge_find(int e, const real *x, const real *centre, const real *m,
                                   struct prism_edge *edge) {
    const int a = digit(0210543210, e), b = digit(0543354021, e);
    const int l = digit(0324111432, e), r = digit(0432432000, e);
    real across[3], inward[3], square = 0;
    edge->a = a;
    edge->b = b;
    for (int d = 0; d < 3; d++) {
        edge->dx[d] = x[3 * b + d] - x[3 * a + d];
        square += edge->dx[d] * edge->dx[d];
        across[d] = m[3 * r + d] - m[3 * l + d];
        inward[d] = centre[d] - (real)0.5 * (x[3 * a + d] + x[3 * b + d]);
    }
    for (int d = 0; d < 3; d++)
        edge->area[d] = (real)0.5 * (across[(d + 1) % 3] * inward[(d + 2) % 3] -
                                     across[(d + 2) % 3] * inward[(d + 1) % 3]);
    edge->inverse = reciprocal(square);
}

/* The flux through an edge's dual face, out of a: the cell's gradients are corrected along the edge
 * by the difference of its ends. */
static inline void prism_edge_flux(const struct viscous_cell *c, const struct prism_edge *edge,
                                   const real *q, const real *t, real *f) {
    const real *dx = edge->dx, *qa = q + 5 * edge->a, *qb = q + 5 * edge->b;
    real velocity[9], temperature[3];
    const real jump = t[edge->b] - t[edge->a] - c->temperature[0] * dx[0] -
                      c->temperature[1] * dx[1] - c->temperature[2] * dx[2];
    for (int k = 0; k < 3; k++) {
        const real *g = c->velocity + 3 * k;
        const real missing =
            (qb[1 + k] - qa[1 + k] - g[0] * dx[0] - g[1] * dx[1] - g[2] * dx[2]) * edge->inverse;
        for (int d = 0; d < 3; d++)
            velocity[3 * k + d] = g[d] + missing * dx[d];
        temperature[k] = c->temperature[k] + jump * edge->inverse * dx[k];
    }
    viscous_flux(c, velocity, temperature, edge->area, f);
}

/* Viscous fluxes of a prism, through the dual faces of its edges. */
static inline void visrhs_prisms(const real *scale, const real *x, const real *q, const real *amut,
                                 real *res) {
    struct viscous_cell c;
    real w[18], m[15], t[6], centre[3] = {0, 0, 0};
    for (int i = 0; i < 18; i++)
        centre[i % 3] += x[i] * (real)(1.0 / 6);
    const real volume = prism_surface(x, centre, m, w);
    viscous_means(6, w, divide(3, volume), q, amut, scale[0], t, &c);
    for (int e = 0; e < 9; e++) {
        struct prism_edge edge;
        real f[4];
        prism_edge_find(e, x, centre, m, &edge);
        prism_edge_flux(&c, &edge, q, t, f);
        for (int k = 0; k < 4; k++) {
            res[4 * edge.a + k] -= f[k];
            res[4 * edge.b + k] += f[k];
        }
    }
}

/* What parts of a cell share: its flow and the inverse of its volume, `flow` [18]. */
static inline void flow_put(const struct viscous_cell *c, real inverse, real *flow) {
    for (int k = 0; k < 9; k++)
        flow[k] = c->velocity[k];
    for (int k = 0; k < 3; k++) {
        flow[9 + k] = c->temperature[k];
        flow[12 + k] = c->mean[k];
    }
    flow[15] = c->mu;
    flow[16] = c->kappa;
    flow[17] = inverse;
}

static inline void flow_take(const real *flow, struct viscous_cell *c) {
    for (int k = 0; k < 9; k++)
        c->velocity[k] = flow[k];
    for (int k = 0; k < 3; k++) {
        c->temperature[k] = flow[9 + k];
        c->mean[k] = flow[12 + k];
    }
    c->mu = flow[15];
    c->kappa = flow[16];
}

/* Of a prism: its centre, the middles m [5][3] of its faces, its nodes' shares w [6][3] of the
 * surface and temperatures t [6], and its flow. */
static inline void prism_terms(const real *scale, const real *x, const real *q, const real *amut,
                               real *centre, real *m, real *w, real *t, real *flow) {
    struct viscous_cell c;
    for (int d = 0; d < 3; d++)
        centre[d] =
            (x[d] + x[3 + d] + x[6 + d] + x[9 + d] + x[12 + d] + x[15 + d]) * (real)(1.0 / 6);
    const real inverse = divide(3, prism_surface(x, centre, m, w));
    viscous_means(6, w, inverse, q, amut, scale[0], t, &c);
    flow_put(&c, inverse, flow);
}

/* The parts by lanes that share the work. Of a node: its temperature, viscosity, conductivity. */
static inline void node_means(const real *q, real amut, real *t, real *mu, real *kappa) {
    t[0] = divide(GAMMA * q[4], q[0]);
    mu[0] = divide(t[0] * root(t[0]) * (1 + SUTHERLAND), t[0] + SUTHERLAND);
    kappa[0] =
        mu[0] * (1 / ((GAMMA - 1) * PRANDTL)) + amut * (1 / ((GAMMA - 1) * TURBULENT_PRANDTL));
    mu[0] += amut;
}

/* Value k of the flow of a cell of n nodes: a sum over these of values that lie a stride apart, of
 * gradients by the nodes' shares of the surface. Lanes that have other values go the same way. */
static inline real flow_value(int n, int k, real scale, real inverse, const real *q, const real *w,
                              const real *t, const real *mu, const real *kappa) {
    const int of_velocity = k < 9 || (k >= 12 && k < 15), stride = of_velocity ? 5 : 1;
    const real *values = of_velocity ? q + 1 + (k < 9 ? k / 3 : k - 12)
                         : k < 12    ? t
                         : k < 16    ? mu
                                     : kappa;
    const real mean = k < 15 ? (real)(1.0 / n) : scale * (real)(1.0 / n);
    real sum = 0;
    for (int i = 0; i < n; i++)
        sum += values[stride * i] * (k < 12 ? w[3 * i + k % 3] : 1);
    return k == 17 ? inverse : sum * (k < 12 ? inverse : mean);
}

/* Component d of a prism's centre. */
static inline void prism_centre(int d, const real *x, real *centre) {
    centre[0] = (x[d] + x[3 + d] + x[6 + d] + x[9 + d] + x[12 + d] + x[15 + d]) * (real)(1.0 / 6);
}

/* The middle of face f of a prism. */
static inline void prism_face(int f, const real *x, real *m) {
    const real *a = x + 3 * digit(021030, f), *b = x + 3 * digit(002142, f);
    const real *c = x + 3 * digit(035451, f), *last = x + 3 * digit(054330, f);
    for (int d = 0; d < 3; d++) {
        const real three = a[d] + b[d] + c[d];
        m[d] = f < 2 ? three * (real)(1.0 / 3) : (three + last[d]) * (real)0.25;
    }
}

/* Node k of the quad of a prism above edge f of its triangle. */
static inline int quad_node(int f, int k) {
    return (k == 1 || k == 2 ? (f + 1) % 3 : f) + (k < 2 ? 0 : 3);
}

/* Of node i of a prism: its share w of the surface, of a triangle and of the two quads at its
 * column; its temperature, viscosity and conductivity; its share of the volume, three times. */
static inline void prism_node(int i, const real *x, const real *q, const real *amut,
                              const real *centre, const real *m, real *w, real *t, real *mu,
                              real *kappa, real *volume) {
    const int top = i >= 3;
    const real *second = x + (top ? 12 : 6), *third = x + (top ? 15 : 3);
    for (int d = 0; d < 3; d++)
        w[d] = cross(x + (top ? 9 : 0), second, third, d) * (real)(1.0 / 6);
    for (int side = 0; side < 2; side++) {
        const int f = (i % 3 + 2 * side) % 3;
        for (int k = 0; k < 4; k++) {
            const int a = quad_node(f, k), b = quad_node(f, (k + 1) % 4);
            const real share =
                (real)0.5 * ((a == i || b == i ? (real)(1.0 / 3) : 0) + (real)(1.0 / 12));
            for (int d = 0; d < 3; d++)
                w[d] += cross(m + 6 + 3 * f, x + 3 * a, x + 3 * b, d) * share;
        }
    }
    node_means(q + 5 * i, amut[i], t, mu, kappa);
    volume[0] = 0;
    for (int d = 0; d < 3; d++)
        volume[0] += (x[3 * i + d] - centre[d]) * w[d];
}

/* Value k of a prism's flow. */
static inline void prism_flow(int k, const real *scale, const real *q, const real *w, const real *t,
                              const real *mu, const real *kappa, const real *volume, real *flow) {
    real thrice = 0;
    for (int i = 0; i < 6; i++)
        thrice += volume[i];
    flow[0] = flow_value(6, k, scale[0], divide(3, thrice), q, w, t, mu, kappa);
}

/* Of node i of a tet: as of a prism's. */
static inline void tet_node(int i, const real *x, const real *q, const real *amut, real *w, real *t,
                            real *mu, real *kappa) {
    const real *a = x + 3 * digit(00001, i); /* the face opposite, inward: a, b, c */
    const real *b = x + 3 * digit(01323, i), *c = x + 3 * digit(02132, i);
    for (int d = 0; d < 3; d++)
        w[d] = cross(a, b, c, d) * (real)(1.0 / 6);
    node_means(q + 5 * i, amut[i], t, mu, kappa);
}

/* Value k of a tet's flow. */
static inline void tet_flow(int k, const real *scale, const real *x, const real *q, const real *w,
                            const real *t, const real *mu, const real *kappa, real *flow) {
    const real volume = w[9] * (x[9] - x[0]) + w[10] * (x[10] - x[1]) + w[11] * (x[11] - x[2]);
    flow[0] = flow_value(4, k, scale[0], reciprocal(volume), q, w, t, mu, kappa);
}

/* The viscous flux along edge e of a prism. */
static inline void visrhs_prism_edge(int e, const real *x, const real *q, const real *centre,
                                     const real *m, const real *t, const real *flow, real *f) {
    struct viscous_cell c;
    struct prism_edge edge;
    flow_take(flow, &c);
    prism_edge_find(e, x, centre, m, &edge);
    prism_edge_flux(&c, &edge, q, t, f);
}

/* The state at the begin of a step. */
static inline void keep(const real *q, real *q_old) {
    for (int i = 0; i < 5; i++)
        q_old[i] = q[i];
}

/* A stage of explicit time from q_old, `step` over the dual volume long; nodes that are held keep
 * their state. `residual` sums the squares of what changes the density of the others. Of two stages
 * the second starts from q_old again with the fluxes of the first. */
static inline void update(const real *step, const real *held, const real *q_old, const real *res,
                          real *q, real *residual) {
    real momentum[3], square = 0;
    const real free = 1 - held[0], h = step[0] * free;
    const real density = q_old[0] - h * res[0], energy = energy_of(q_old) - h * res[4];
    for (int d = 0; d < 3; d++) {
        momentum[d] = q_old[0] * q_old[1 + d] - h * res[1 + d];
        q[1 + d] = divide(momentum[d], density);
        square += momentum[d] * q[1 + d];
    }
    q[0] = density;
    q[4] = (GAMMA - 1) * (energy - (real)0.5 * square);
    residual[0] += free * res[0] * res[0];
}

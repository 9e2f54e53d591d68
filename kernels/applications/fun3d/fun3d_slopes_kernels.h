/* fun3d: the matrix of the viscous fluxes by primitive variables, velocity and temperature. Stands
 * behind fun3d_matrix_kernels.h.
 *
 * What conserved values change of a node's velocity and temperature is the node's alone: it can
 * come after the sum over cells. Summed are slopes, 13 values of a block: momentum and energy by
 * the first component of the velocity 0-3, by the second 4-7, by the third 8-11, energy by the
 * temperature 12. The 17 entries of a block by conserved values follow of them. */

static inline void slopes_widen(const float *slopes, real *wide) {
    for (int v = 0; v < 13; v++)
        wide[v] = slopes[v];
}

static inline void slopes_put(const struct viscous_slopes *s, real *slopes) {
    for (int d = 0; d < 3; d++) {
        for (int k = 0; k < 3; k++)
            slopes[4 * d + k] = s->momentum[3 * k + d];
        slopes[4 * d + 3] = s->velocity[d];
    }
    slopes[12] = s->temperature;
}

/* Adds slopes to the diagonal or, in float, to the others: those of row i without the i-th. */
static inline void slopes_give(const real *slopes, int n, int i, int j, real *diagonal,
                               float *others) {
    for (int v = 0; v < 13; v++) {
        if (i == j)
            diagonal[13 * i + v] += slopes[v];
        else
            others[13 * ((n - 1) * i + j - (j > i)) + v] += (float)slopes[v];
    }
}

/* The slopes of a cell's nodes i and j of the same sums as block_of_product. */
static inline void slopes_of_product(const real *product, const real *force, real share,
                                     const real *mean, real mu, real kappa, real *slopes) {
    const real through = product[0] + product[4] + product[8];
    for (int d = 0; d < 3; d++) {
        real work = share * force[d];
        for (int k = 0; k < 3; k++) {
            const real m = mu * ((k == d ? through : 0) + product[3 * k + d] -
                                 (real)(2.0 / 3) * product[3 * d + k]);
            slopes[4 * d + k] = m;
            work += mean[k] * m;
        }
        slopes[4 * d + 3] = work;
    }
    slopes[12] = kappa * through;
}

/* The slopes of a tet's nodes i and j: `area` and `g` are their shares of the surface, `force` the
 * momentum of the flux through the first, mu and kappa over the volume. */
static inline void slopes_of_tet(const real *area, const real *g, const real *force,
                                 const real *mean, real mu, real kappa, real *slopes) {
    real product[9];
    for (int k = 0; k < 3; k++)
        for (int d = 0; d < 3; d++)
            product[3 * k + d] = g[k] * area[d];
    slopes_of_product(product, force, (real)0.25, mean, mu, kappa, slopes);
}

/* The slopes of the nodes i and j, pair 4 i + j, of a tet that lanes share. */
static inline void slopes_tet_shared(int pair, const real *w, const real *flow, real *slopes) {
    const int i = pair / 4, j = pair % 4;
    struct viscous_cell c;
    real f[4];
    flow_take(flow, &c);
    viscous_flux(&c, c.velocity, c.temperature, w + 3 * i, f);
    slopes_of_tet(w + 3 * i, w + 3 * j, f, c.mean, c.mu * flow[17], c.kappa * flow[17], slopes);
}

/* The parts where each lane finds the edges of its own row. */
static inline void slopes_tet_own(int pair, const real *w, const real *flow, const real *rows,
                                  real *slopes) {
    struct viscous_slopes s;
    tet_own_slopes(pair, w, flow, rows, &s);
    slopes_put(&s, slopes);
}

/* Those of a tet that a thread has. */
static inline void slopes_tet(int pair, const real *w, const real *stress, real *slopes) {
    const int i = pair / 4, j = pair % 4;
    real force[3];
    stress_through(stress, w + 3 * i, force);
    slopes_of_tet(w + 3 * i, w + 3 * j, force, stress + 6, stress[9], stress[10], slopes);
}

static inline void slopes_tets(const real *scale, const real *x, const real *q, const real *amut,
                               real *diagonal, float *others) {
    real w[12], t[4], stress[11], slopes[13];
    tet_stress(scale, x, q, amut, w, t, stress);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            slopes_tet(4 * i + j, w, stress, slopes);
            slopes_give(slopes, 4, i, j, diagonal, others);
        }
}

/* The slopes of such a prism's nodes i and j, pair 6 i + j. */
static inline void slopes_prism_shared(int pair, const real *w, const real *flow, const real *edges,
                                       const real *force, real *slopes) {
    const int i = pair / 6, j = pair % 6;
    real product[9];
    prism_product(i, j, w, flow[17], edges, product);
    slopes_of_product(product, force + 3 * i, (real)(1.0 / 6), flow + 12, flow[15], flow[16],
                      slopes);
}

/* The parts where each lane finds the edges of its own row. */
static inline void slopes_prism_own(int pair, const real *w, const real *flow, const real *rows,
                                    real *slopes) {
    struct viscous_slopes s;
    prism_own_slopes(pair, w, flow, rows, &s);
    slopes_put(&s, slopes);
}

/* Those of a prism that a thread has. */
static inline void slopes_prism(int pair, const real *x, const real *q, const real *centre,
                                const real *m, const real *w, const real *t, const real *flow,
                                real *slopes) {
    struct viscous_slopes s;
    prism_slopes(pair, x, q, centre, m, w, t, flow, &s);
    slopes_put(&s, slopes);
}

static inline void slopes_prisms(const real *scale, const real *x, const real *q, const real *amut,
                                 real *diagonal, float *others) {
    real centre[3], m[15], w[18], t[6], flow[18], slopes[13];
    prism_terms(scale, x, q, amut, centre, m, w, t, flow);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            slopes_prism(6 * i + j, x, q, centre, m, w, t, flow, slopes);
            slopes_give(slopes, 6, i, j, diagonal, others);
        }
}

/* --- use of the slopes ------------------------------------------------------------------------ */

/* The block, by the conserved values of its column's node of state q, of these slopes. */
static inline void block_of_slopes(const real *slopes, const real *q, real *block) {
    struct viscous_slopes s;
    for (int d = 0; d < 3; d++) {
        for (int k = 0; k < 3; k++)
            s.momentum[3 * k + d] = slopes[4 * d + k];
        s.velocity[d] = slopes[4 * d + 3];
    }
    s.temperature = slopes[12];
    slopes_block(&s, q, divide(GAMMA * q[4], q[0]), block);
}

/* Expands the slopes of a pair to its block by conserved values. */
static inline void expand(const float *slopes, const real *q, float *others) {
    real wide[13], block[17];
    slopes_widen(slopes, wide);
    block_of_slopes(wide, q, block);
    for (int v = 0; v < 17; v++)
        others[v] = (float)block[v];
}

/* Those of a node. */
static inline void expand_diagonal(const real *slopes, const real *q, real *diagonal) {
    block_of_slopes(slopes, q, diagonal);
}

/* What changes dq of a node's conserved values change of its velocity and temperature. */
static inline void primitive_change(const real *q, const real *dq, real *change) {
    const real inverse = reciprocal(q[0]);
    real heat = dq[4];
    for (int k = 0; k < 3; k++) {
        const real u = q[1 + k];
        change[k] = (dq[1 + k] - u * dq[0]) * inverse;
        heat += u * ((real)0.5 * u * dq[0] - dq[1 + k]);
    }
    change[3] = GAMMA * ((GAMMA - 1) * heat - q[4] * inverse * dq[0]) * inverse;
}

/* Adds the product of slopes with changes of a node's velocity and temperature. */
static inline void slopes_multiply(const real *slopes, const real *change, real *product) {
    for (int v = 0; v < 12; v++)
        product[v % 4] += slopes[v] * change[v / 4];
    product[3] += slopes[12] * change[3];
}

/* What a pair's slopes add to the product of the matrix and the changes at the pair's row. */
static inline void spmv_slopes(const float *slopes, const real *change, real *product) {
    real wide[13];
    slopes_widen(slopes, wide);
    slopes_multiply(wide, change, product);
}

/* What a node's own slopes add to it. */
static inline void spmv_slopes_diagonal(const real *slopes, const real *change, real *product) {
    slopes_multiply(slopes, change, product);
}

/* fun3d: the matrix of the viscous fluxes, their Jacobian, and its use in implicit time. Stands
 * behind fun3d_flow_kernels.h.
 *
 * A block is the derivative of what node i gets by the conserved values of node j, viscosity kept.
 * Of 25 entries 17 are not 0: column by column 1-4, 6-9, 11-14, 16-19 and 24. */

/* What a flux through an area changes with the velocity and the temperature of one node, whose
 * share of the gradients is g: 9 of the momentum, 3 and 1 of the energy. */
struct viscous_slopes {
    real momentum[9], velocity[3], temperature;
};

/* Adds those of the flux f, `sign` times; `share` is the node's of the mean velocity. */
static inline void slopes_add(const struct viscous_cell *c, const real *g, const real *area,
                              const real *f, real share, real sign, struct viscous_slopes *s) {
    const real through = g[0] * area[0] + g[1] * area[1] + g[2] * area[2];
    for (int d = 0; d < 3; d++) {
        real work = f[d] * share;
        for (int k = 0; k < 3; k++) {
            const real m = c->mu * ((k == d ? through : 0) + g[k] * area[d] -
                                    (real)(2.0 / 3) * area[k] * g[d]);
            s->momentum[3 * k + d] += sign * m;
            work += c->mean[k] * m;
        }
        s->velocity[d] += sign * work;
    }
    s->temperature += sign * c->kappa * through;
}

/* The block of these slopes by the conserved values of a node of state q and temperature t. */
static inline void slopes_block(const struct viscous_slopes *s, const real *q, real t,
                                real *block) {
    const real inverse = reciprocal(q[0]), heat = GAMMA * (GAMMA - 1) * inverse * s->temperature;
    const real square = q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    block[3] = heat * (real)0.5 * square - t * inverse * s->temperature;
    for (int k = 0; k < 3; k++) {
        block[k] = 0;
        for (int d = 0; d < 3; d++) {
            block[k] -= s->momentum[3 * k + d] * q[1 + d] * inverse;
            block[4 + 4 * d + k] = s->momentum[3 * k + d] * inverse;
        }
        block[3] -= s->velocity[k] * q[1 + k] * inverse;
        block[4 + 4 * k + 3] = s->velocity[k] * inverse - heat * q[1 + k];
    }
    block[16] = heat;
}

/* Adds a block to the diagonal or, in float, to the others: those of row i without the i-th. */
static inline void block_give(const real *block, int n, int i, int j, real *diagonal,
                              float *others) {
    for (int v = 0; v < 17; v++) {
        if (i == j)
            diagonal[17 * i + v] += block[v];
        else
            others[17 * ((n - 1) * i + j - (j > i)) + v] += (float)block[v];
    }
}

/* Adds what the flux f along an edge of a prism changes with a node, `sign` times: the node's share
 * of the gradients, w by `inverse` of the volume, is corrected along the edge as they are; `end` is
 * 1 at the edge's second node, -1 at its first, 0 elsewhere. */
static inline void prism_edge_slopes(const struct viscous_cell *c, const struct prism_edge *edge,
                                     const real *f, int end, const real *w, real inverse, real sign,
                                     struct viscous_slopes *s) {
    real g[3], along = 0;
    for (int d = 0; d < 3; d++)
        along += w[d] * inverse * edge->dx[d];
    const real missing = (end - along) * edge->inverse;
    for (int d = 0; d < 3; d++)
        g[d] = w[d] * inverse + missing * edge->dx[d];
    slopes_add(c, g, edge->area, f, (real)(1.0 / 6), sign, s);
}

/* What an edge's flux changes with the conserved values of node j, of a prism: 6 e + j. */
static inline void visjac_prism_edge(int instance, const real *x, const real *q, const real *centre,
                                     const real *m, const real *w, const real *t, const real *flow,
                                     real *block) {
    const int j = instance % 6;
    struct viscous_cell c;
    struct viscous_slopes s = {{0}, {0}, 0};
    struct prism_edge at;
    real f[4];
    flow_take(flow, &c);
    prism_edge_find(instance / 6, x, centre, m, &at);
    prism_edge_flux(&c, &at, q, t, f);
    prism_edge_slopes(&c, &at, f, (j == at.b) - (j == at.a), w + 3 * j, flow[17], 1, &s);
    slopes_block(&s, q + 5 * j, t[j], block);
}

/* Of a tet: its nodes' shares w [4][3] of the surface and temperatures t [4], and its flow. */
static inline void visjac_tet_terms(const real *scale, const real *x, const real *q,
                                    const real *amut, real *w, real *t, real *flow) {
    struct viscous_cell c;
    const real inverse = reciprocal(tet_surface(x, w));
    viscous_means(4, w, inverse, q, amut, scale[0], t, &c);
    flow_put(&c, inverse, flow);
}

/* Begins the block of a row of a cell and its node j: what `through`, the change of the flux of a
 * gradient, makes of heat, which it gives; of node j u is the velocity and `node` [2] the inverse
 * of the density and what the temperature changes with the density, times that. */
static inline real block_begin(real through, real kappa, const real *node, real *block) {
    const real warmth = kappa * node[0] * through;
    const real heat = (real)(GAMMA * (GAMMA - 1)) * warmth;
    for (int k = 0; k < 3; k++)
        block[k] = 0;
    block[3] = node[1] * warmth;
    block[16] = heat;
    return heat;
}

/* Adds what momentum d of node j changes: the momenta by m [3], and work, beside that of these. */
static inline void block_add(int d, const real *m, real work, const real *mean, real heat,
                             const real *u, real *block) {
    for (int k = 0; k < 3; k++) {
        block[4 + 4 * d + k] = m[k];
        block[k] -= m[k] * u[d];
        work += mean[k] * m[k];
    }
    block[3] -= work * u[d];
    block[4 + 4 * d + 3] = work - heat * u[d];
}

/* The block of a cell's nodes i and j of the sum, over the dual faces around node i, of the
 * products g[k] area[d] of the change of the gradients with node j and the face, `product` [3][3],
 * and of the fluxes' momentum, `force`, of which node j has a `share`; of node j as block_begin. */
static inline void block_of_product(const real *product, const real *force, real share,
                                    const real *mean, real mu, real kappa, const real *u,
                                    const real *node, real *block) {
    const real through = product[0] + product[4] + product[8];
    const real heat = block_begin(through, kappa, node, block);
    for (int d = 0; d < 3; d++) {
        real m[3];
        for (int k = 0; k < 3; k++)
            m[k] = mu * node[0] *
                   ((k == d ? through : 0) + product[3 * k + d] -
                    (real)(2.0 / 3) * product[3 * d + k]);
        block_add(d, m, share * node[0] * force[d], mean, heat, u, block);
    }
}

/* The block of a tet's nodes i and j: `area` and `g` are their shares of the surface, `force` the
 * momentum of the flux through the first, mu and kappa over the volume, of node j as block_begin.
 * As block_of_product, but multiplies as it adds, so that no product needs a register. */
static inline void tet_block(const real *area, const real *g, const real *force, const real *mean,
                             real mu, real kappa, const real *u, const real *node, real *block) {
    const real through = g[0] * area[0] + g[1] * area[1] + g[2] * area[2];
    const real heat = block_begin(through, kappa, node, block);
    for (int d = 0; d < 3; d++) {
        real m[3];
        for (int k = 0; k < 3; k++)
            m[k] = mu * node[0] *
                   ((k == d ? through : 0) + g[k] * area[d] - (real)(2.0 / 3) * area[k] * g[d]);
        block_add(d, m, (real)0.25 * node[0] * force[d], mean, heat, u, block);
    }
}

/* What blocks need of a node of state q and temperature t: tet_block. */
static inline void tet_block_node(const real *q, real t, real *node) {
    const real square = q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    node[0] = reciprocal(q[0]);
    node[1] = (real)(0.5 * GAMMA * (GAMMA - 1)) * square - t;
}

/* Of node i of a tet that lanes share: tet_node, and what blocks need. */
static inline void visjac_tet_node(int i, const real *x, const real *q, const real *amut, real *w,
                                   real *t, real *mu, real *kappa, real *node) {
    tet_node(i, x, q, amut, w, t, mu, kappa);
    tet_block_node(q + 5 * i, t[0], node);
}

/* The block of such a tet's nodes i and j, pair 4 i + j. */
static inline void visjac_tet_shared_block(int pair, const real *q, const real *w, const real *flow,
                                           const real *node, real *block) {
    const int i = pair / 4, j = pair % 4;
    struct viscous_cell c;
    real f[4];
    flow_take(flow, &c);
    viscous_flux(&c, c.velocity, c.temperature, w + 3 * i, f);
    tet_block(w + 3 * i, w + 3 * j, f, c.mean, c.mu * flow[17], c.kappa * flow[17], q + 5 * j + 1,
              node + 2 * j, block);
}

/* The edges of node i of a tet, `edges` [3][6], that a lane finds for its own row: dual face and
 * momentum of the flux, out of the node. Nodes 0, 1, 2 are the first of edge i, the second of the
 * edge before it and the first of edge 3 + i, to node 3. */
static inline void tet_row_terms(int i, const real *w, const real *flow, real *edges) {
    struct viscous_cell c;
    flow_take(flow, &c);
    for (int z = 0; z < 3; z++) {
        const int other = i == 3 ? z : z == 0 ? (i + 1) % 3 : z == 1 ? (i + 2) % 3 : 3;
        real *area = edges + 6 * z, f[4];
        for (int d = 0; d < 3; d++)
            area[d] = (real)0.25 * (w[3 * other + d] - w[3 * i + d]);
        viscous_flux(&c, c.velocity, c.temperature, area, f);
        for (int d = 0; d < 3; d++)
            area[3 + d] = f[d];
    }
}

/* What the fluxes of these, `rows` [4][3][6], change with node j, pair 4 i + j. */
static inline void tet_own_slopes(int pair, const real *w, const real *flow, const real *rows,
                                  struct viscous_slopes *s) {
    const int i = pair / 4, j = pair % 4;
    const struct viscous_slopes none = {{0}, {0}, 0};
    struct viscous_cell c;
    real g[3];
    *s = none;
    flow_take(flow, &c);
    for (int d = 0; d < 3; d++)
        g[d] = w[3 * j + d] * flow[17];
    UNROLL for (int z = 0; z < 3; z++) {
        const real *edge = rows + 18 * i + 6 * z;
        slopes_add(&c, g, edge, edge + 3, (real)0.25, -1, s);
    }
}

/* The block of these. */
static inline void visjac_tet_own_block(int pair, const real *q, const real *w, const real *t,
                                        const real *flow, const real *rows, real *block) {
    const int j = pair % 4;
    struct viscous_slopes s;
    tet_own_slopes(pair, w, flow, rows, &s);
    slopes_block(&s, q + 5 * j, t[j], block);
}

/* What all blocks of a tet share that one thread makes, in few values: its nodes' shares w [4][3]
 * of the surface, their temperatures t, and `stress` [11]: the stress (its lower triangle), the
 * mean velocity, viscosity and conductivity over the volume. */
static inline void tet_stress(const real *scale, const real *x, const real *q, const real *amut,
                              real *w, real *t, real *stress) {
    struct viscous_cell c;
    const real inverse = reciprocal(tet_surface(x, w));
    viscous_means(4, w, inverse, q, amut, scale[0], t, &c);
    const real third = (c.velocity[0] + c.velocity[4] + c.velocity[8]) * (real)(2.0 / 3);
    for (int k = 0; k < 3; k++) {
        for (int d = 0; d <= k; d++)
            stress[k * (k + 1) / 2 + d] =
                c.mu * (c.velocity[3 * k + d] + c.velocity[3 * d + k] - (d == k ? third : 0));
        stress[6 + k] = c.mean[k];
    }
    stress[9] = c.mu * inverse;
    stress[10] = c.kappa * inverse;
}

/* The parts, with what blocks need of each node. */
static inline void visjac_tet_stress(const real *scale, const real *x, const real *q,
                                     const real *amut, real *w, real *node, real *stress) {
    real t[4];
    tet_stress(scale, x, q, amut, w, t, stress);
    for (int i = 0; i < 4; i++)
        tet_block_node(q + 5 * i, t[i], node + 2 * i);
}

/* The force of that stress through an area. */
static inline void stress_through(const real *stress, const real *area, real *force) {
    for (int d = 0; d < 3; d++) {
        force[d] = 0;
        for (int k = 0; k < 3; k++)
            force[d] += stress[k > d ? k * (k + 1) / 2 + d : d * (d + 1) / 2 + k] * area[k];
    }
}

/* The block of such a tet's nodes i and j, pair 4 i + j. */
static inline void visjac_tet_block(int pair, const real *q, const real *w, const real *node,
                                    const real *stress, real *block) {
    const int i = pair / 4, j = pair % 4;
    real force[3];
    stress_through(stress, w + 3 * i, force);
    tet_block(w + 3 * i, w + 3 * j, force, stress + 6, stress[9], stress[10], q + 5 * j + 1,
              node + 2 * j, block);
}

/* What the flux of an edge of a tet changes with the conserved values of node j: 4 e + j. The dual
 * face of an edge is a fourth of the difference of its ends' shares of the surface. */
static inline void visjac_tet_edge(int instance, const real *q, const real *w, const real *t,
                                   const real *flow, real *block) {
    const int e = instance / 4, j = instance % 4;
    const int a = digit(0210210, e), b = digit(0333021, e);
    struct viscous_cell c;
    struct viscous_slopes s = {{0}, {0}, 0};
    real area[3], f[4], g[3];
    for (int d = 0; d < 3; d++) {
        area[d] = (real)0.25 * (w[3 * b + d] - w[3 * a + d]);
        g[d] = w[3 * j + d] * flow[17];
    }
    flow_take(flow, &c);
    viscous_flux(&c, c.velocity, c.temperature, area, f);
    slopes_add(&c, g, area, f, (real)0.25, 1, &s);
    slopes_block(&s, q + 5 * j, t[j], block);
}

/* The blocks of a tet. */
static inline void visjac_tets(const real *scale, const real *x, const real *q, const real *amut,
                               real *diagonal, float *others) {
    real w[12], node[8], stress[11], block[17];
    visjac_tet_stress(scale, x, q, amut, w, node, stress);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            visjac_tet_block(4 * i + j, q, w, node, stress, block);
            block_give(block, 4, i, j, diagonal, others);
        }
}

/* What the fluxes of the edges at node i of a prism change with node j, pair 6 i + j. */
static inline void prism_slopes(int pair, const real *x, const real *q, const real *centre,
                                const real *m, const real *w, const real *t, const real *flow,
                                struct viscous_slopes *s) {
    const int i = pair / 6, j = pair % 6;
    const struct viscous_slopes none = {{0}, {0}, 0};
    struct viscous_cell c;
    *s = none;
    flow_take(flow, &c);
    UNROLL for (int e = 0; e < 9; e++) {
        struct prism_edge at;
        real f[4];
        prism_edge_find(e, x, centre, m, &at);
        if (at.a != i && at.b != i)
            continue;
        prism_edge_flux(&c, &at, q, t, f);
        prism_edge_slopes(&c, &at, f, (j == at.b) - (j == at.a), w + 3 * j, flow[17],
                          at.a == i ? -1 : 1, s);
    }
}

/* The block of these. */
static inline void visjac_prism_block(int pair, const real *x, const real *q, const real *centre,
                                      const real *m, const real *w, const real *t, const real *flow,
                                      real *block) {
    const int j = pair % 6;
    struct viscous_slopes s;
    prism_slopes(pair, x, q, centre, m, w, t, flow, &s);
    slopes_block(&s, q + 5 * j, t[j], block);
}

/* Edge e of a prism as lanes share it, `edge` [10]: its direction, its dual face, the inverse of
 * its length's square, the momentum of its flux. */
static inline void prism_edge_all(int e, const real *x, const real *q, const real *centre,
                                  const real *m, const real *t, const real *flow, real *edge) {
    struct viscous_cell c;
    struct prism_edge at;
    real f[4];
    flow_take(flow, &c);
    prism_edge_find(e, x, centre, m, &at);
    prism_edge_flux(&c, &at, q, t, f);
    for (int d = 0; d < 3; d++) {
        edge[d] = at.dx[d];
        edge[3 + d] = at.area[d];
        edge[7 + d] = f[d];
    }
    edge[6] = at.inverse;
}

/* The block of an edge, `edge` [7], and the momentum apart. */
static inline void prism_edge_terms(int e, const real *x, const real *q, const real *centre,
                                    const real *m, const real *t, const real *flow, real *edge,
                                    real *momentum) {
    real all[10];
    prism_edge_all(e, x, q, centre, m, t, flow, all);
    for (int d = 0; d < 7; d++)
        edge[d] = all[d];
    for (int d = 0; d < 3; d++)
        momentum[d] = all[7 + d];
}

/* Edge z, of three, of node i of a prism: of the lower or upper triangle the node is the first of
 * edge i, the second of the edge before it, and an end of one between the two. */
static inline int prism_row_edge(int i, int z) {
    const int corner = i % 3;
    return z == 0 ? i : z == 1 ? i - corner + (corner + 2) % 3 : 6 + corner;
}

/* The node at its other end. */
static inline int prism_row_other(int i, int z) {
    const int corner = i % 3;
    return z == 2 ? (i + 3) % 6 : i - corner + (corner + 1 + z) % 3;
}

/* 1 where the dual face of that edge points into the node, else -1. */
static inline int prism_row_sign(int i, int z) {
    return z == 0 || (z == 2 && i < 3) ? -1 : 1;
}

/* The momentum of the fluxes into node i of a prism that lanes share. */
static inline void prism_force(int i, const real *momentum, real *force) {
    for (int d = 0; d < 3; d++) {
        force[d] = 0;
        for (int z = 0; z < 3; z++)
            force[d] += prism_row_sign(i, z) * momentum[3 * prism_row_edge(i, z) + d];
    }
}

/* What blocks of a prism need of its node i, `node` [5]: as a column tet_block_node, as a row the
 * momentum of the fluxes into it. */
static inline void prism_block_node(int i, const real *q, const real *momentum, real *node) {
    tet_block_node(q + 5 * i, divide(GAMMA * q[5 * i + 4], q[5 * i]), node);
    prism_force(i, momentum, node + 2);
}

/* Of a prism's nodes i and j the products of gradient and dual face, of the edges that lanes share,
 * [9][7]. What the fluxes of all edges of node i change is as linear in them as that of one, so
 * that these are summed. */
static inline void prism_product(int i, int j, const real *w, real inverse, const real *edges,
                                 real *product) {
    real share[3];
    for (int d = 0; d < 9; d++)
        product[d] = 0;
    for (int d = 0; d < 3; d++)
        share[d] = w[3 * j + d] * inverse;
    UNROLL for (int z = 0; z < 3; z++) {
        const real *edge = edges + 7 * prism_row_edge(i, z);
        const int sign = prism_row_sign(i, z);
        const int end = sign * ((j == i) - (j == prism_row_other(i, z)));
        const real along = share[0] * edge[0] + share[1] * edge[1] + share[2] * edge[2];
        const real missing = (end - along) * edge[6];
        for (int d = 0; d < 3; d++) {
            const real area = sign < 0 ? -edge[3 + d] : edge[3 + d];
            for (int k = 0; k < 3; k++)
                product[3 * k + d] += (share[k] + missing * edge[k]) * area;
        }
    }
}

/* The block of these, pair 6 i + j. */
static inline void visjac_prism_shared_block(int pair, const real *q, const real *w,
                                             const real *flow, const real *edges, const real *node,
                                             real *block) {
    const int i = pair / 6, j = pair % 6;
    real product[9];
    prism_product(i, j, w, flow[17], edges, product);
    block_of_product(product, node + 5 * i + 2, (real)(1.0 / 6), flow + 12, flow[15], flow[16],
                     q + 5 * j + 1, node + 5 * j, block);
}

/* The edges of node i, `edges` [3][10], that a lane finds for its own row; so each is found twice.
 */
static inline void prism_row_terms(int i, const real *x, const real *q, const real *centre,
                                   const real *m, const real *t, const real *flow, real *edges) {
    for (int z = 0; z < 3; z++)
        prism_edge_all(prism_row_edge(i, z), x, q, centre, m, t, flow, edges + 10 * z);
}

/* What the fluxes of the edges of each node of a prism, `rows` [6][3][10], change with node j, pair
 * 6 i + j. */
static inline void prism_own_slopes(int pair, const real *w, const real *flow, const real *rows,
                                    struct viscous_slopes *s) {
    const int i = pair / 6, j = pair % 6;
    const struct viscous_slopes none = {{0}, {0}, 0};
    struct viscous_cell c;
    *s = none;
    flow_take(flow, &c);
    UNROLL for (int z = 0; z < 3; z++) {
        const real *edge = rows + 30 * i + 10 * z;
        const int sign = prism_row_sign(i, z);
        struct prism_edge at;
        for (int d = 0; d < 3; d++) {
            at.dx[d] = edge[d];
            at.area[d] = edge[3 + d];
        }
        at.inverse = edge[6];
        prism_edge_slopes(&c, &at, edge + 7, sign * ((j == i) - (j == prism_row_other(i, z))),
                          w + 3 * j, flow[17], sign, s);
    }
}

/* The block of these. */
static inline void visjac_prism_own_block(int pair, const real *q, const real *w, const real *t,
                                          const real *flow, const real *rows, real *block) {
    const int j = pair % 6;
    struct viscous_slopes s;
    prism_own_slopes(pair, w, flow, rows, &s);
    slopes_block(&s, q + 5 * j, t[j], block);
}

/* The blocks of a prism, row by row. */
static inline void visjac_prisms(const real *scale, const real *x, const real *q, const real *amut,
                                 real *diagonal, float *others) {
    real centre[3], m[15], w[18], t[6], flow[18], block[17];
    prism_terms(scale, x, q, amut, centre, m, w, t, flow);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            visjac_prism_block(6 * i + j, x, q, centre, m, w, t, flow, block);
            block_give(block, 6, i, j, diagonal, others);
        }
}

/* --- use of the matrix ------------------------------------------------------------------------ */

/* Adds a block's product with changes dq of a node's conserved values: momentum and energy. */
static inline void block_multiply(const real *block, const real *dq, real *product) {
    for (int v = 0; v < 16; v++)
        product[v % 4] += block[v] * dq[v / 4];
    product[3] += block[16] * dq[4];
}

/* What a pair's block adds to the product of the matrix and dq at the pair's row. */
static inline void spmv(const float *others, const real *dq, real *product) {
    real block[17];
    for (int v = 0; v < 17; v++)
        block[v] = others[v];
    block_multiply(block, dq, product);
}

/* What a node's own block adds to it. */
static inline void spmv_diagonal(const real *diagonal, const real *dq, real *product) {
    block_multiply(diagonal, dq, product);
}

/* A sweep of block Jacobi: solves (1 / step + diagonal) dq = -res - product at a node, where the
 * product is that of the blocks beside the diagonal; clears it. Nodes that are held do not change.
 */
static inline void sweep(const real *step, const real *held, const real *diagonal, const real *res,
                         real *product, real *dq) {
    const real free = 1 - held[0], rate = reciprocal(step[0]);
    real a[3][4];
    dq[0] = -free * step[0] * res[0];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            a[r][c] = diagonal[4 * (c + 1) + r] + (r == c ? rate : 0);
        a[r][3] = -res[1 + r] - product[r] - diagonal[r] * dq[0];
    }
    for (int k = 0; k < 2; k++)
        for (int r = k + 1; r < 3; r++) {
            const real share = divide(a[r][k], a[k][k]);
            for (int c = k + 1; c < 4; c++)
                a[r][c] -= share * a[k][c];
        }
    for (int k = 2; k >= 0; k--) {
        for (int c = k + 1; c < 3; c++)
            a[k][3] -= a[k][c] * a[c][3];
        a[k][3] = divide(a[k][3], a[k][k]);
    }
    real energy = -res[4] - product[3] - diagonal[3] * dq[0];
    for (int k = 0; k < 3; k++) {
        energy -= diagonal[4 * (k + 1) + 3] * a[k][3];
        dq[1 + k] = free * a[k][3];
    }
    dq[4] = divide(free * energy, rate + diagonal[16]);
    for (int r = 0; r < 4; r++)
        product[r] = 0;
}

/* Adds the changes of its conserved values to a node's state. */
static inline void correct(const real *dq, real *q) {
    real momentum[3], square = 0;
    const real density = q[0] + dq[0], energy = energy_of(q) + dq[4];
    for (int d = 0; d < 3; d++) {
        momentum[d] = q[0] * q[1 + d] + dq[1 + d];
        q[1 + d] = divide(momentum[d], density);
        square += momentum[d] * q[1 + d];
    }
    q[0] = density;
    q[4] = (GAMMA - 1) * (energy - (real)0.5 * square);
}

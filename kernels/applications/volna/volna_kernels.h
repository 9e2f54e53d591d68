/* volna: the shallow-water equations over a bed, cell-centred finite volumes.
 *
 * q = (depth, x discharge, y discharge, height of the bed) of a cell. Fluxes between the two states
 * of an edge after hydrostatic reconstruction (Audusse et al. 2004), by Rusanov's formula; the bed
 * moves with the discharge (Exner), a small share of it. */

#define GRAVITY ((real)9.81)
#define BED_SHARE ((real)0.001)
#define DRY ((real)1e-6)

/* normal: out of cell 0, as long as the edge. flux: through the edge; source: what the bed adds to
 * the momentum of either side, along the normal. */
static inline void compute_fluxes(const real *q0, const real *q1, const real *normal, real *flux,
                                  real *source) {
    const real bed = fmax(q0[3], q1[3]);
    const real h0 = fmax(q0[0] + q0[3] - bed, (real)0), h1 = fmax(q1[0] + q1[3] - bed, (real)0);
    const real length = root(normal[0] * normal[0] + normal[1] * normal[1]);
    const real u0 = divide(q0[1], fmax(q0[0], DRY)), v0 = divide(q0[2], fmax(q0[0], DRY));
    const real u1 = divide(q1[1], fmax(q1[0], DRY)), v1 = divide(q1[2], fmax(q1[0], DRY));
    const real n0 = u0 * normal[0] + v0 * normal[1], n1 = u1 * normal[0] + v1 * normal[1];
    const real speed =
        fmax(fabs(n0) + root(GRAVITY * h0) * length, fabs(n1) + root(GRAVITY * h1) * length);
    const real pressure = (real)0.25 * GRAVITY * (h0 * h0 + h1 * h1);
    flux[0] = (real)0.5 * (h0 * n0 + h1 * n1) - (real)0.5 * speed * (h1 - h0);
    flux[1] = (real)0.5 * (h0 * u0 * n0 + h1 * u1 * n1) + pressure * normal[0] -
              (real)0.5 * speed * (h1 * u1 - h0 * u0);
    flux[2] = (real)0.5 * (h0 * v0 * n0 + h1 * v1 * n1) + pressure * normal[1] -
              (real)0.5 * speed * (h1 * v1 - h0 * v0);
    source[0] = (real)0.5 * GRAVITY * (q0[0] * q0[0] - h0 * h0);
    source[1] = (real)0.5 * GRAVITY * (q1[0] * q1[0] - h1 * h1);
}

/* Adds what passes an edge to the rates of both cells; `closed` 1: only pressure passes. */
static inline void space_discretization(const real *area0, const real *area1, const real *flux,
                                        const real *source, const real *normal, const int *closed,
                                        real *rate0, real *rate1) {
    const real mass = closed[0] ? 0 : flux[0];
    const real out0 = reciprocal(area0[0]), out1 = reciprocal(area1[0]);
    rate0[0] -= mass * out0;
    rate0[1] -= (flux[1] + source[0] * normal[0]) * out0;
    rate0[2] -= (flux[2] + source[0] * normal[1]) * out0;
    rate0[3] -= BED_SHARE * mass * out0;
    rate1[0] += mass * out1;
    rate1[1] += (flux[1] + source[1] * normal[0]) * out1;
    rate1[2] += (flux[2] + source[1] * normal[1]) * out1;
    rate1[3] += BED_SHARE * mass * out1;
}

/* A wall on the boundary: the water's pressure pushes back. */
static inline void wall_pressure(const real *x0, const real *x1, const real *q, const real *area,
                                 real *rate) {
    const real push = divide((real)0.5 * GRAVITY * q[0] * q[0], area[0]);
    rate[1] -= push * (x1[1] - x0[1]);
    rate[2] -= push * (x0[0] - x1[0]);
}

static inline void evolve(const real *dt, real *rate, real *q, real *volume, const real *area) {
    for (int c = 0; c < 4; c++) {
        q[c] += dt[0] * rate[c];
        rate[c] = 0;
    }
    volume[0] += q[0] * area[0];
}

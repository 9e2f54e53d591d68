/* airfoil: the 2D Euler equations, cell-centred finite volumes, local time steps.
 *
 * q = (density, x momentum, y momentum, total energy) of a cell. An edge runs from node 0 to node 1
 * with cell 0 on its left, so (dy, -dx) points out of cell 0. Fluxes are the mean of both sides'
 * with dissipation in proportion to the spectral radius; adt is what a cell's time step divides by:
 * the sum over its sides of |u.n| + c |n|, over the CFL number. */

#define GAMMA ((real)1.4)
#define CFL ((real)0.9)
#define DISSIPATION ((real)0.05)
/* the free stream: Mach 0.4 at 3 degrees, density and pressure 1 */
#define FREE_U ((real)0.47263776)
#define FREE_V ((real)0.024769895)
#define FREE_ENERGY ((real)2.612)

static inline real pressure_of(const real *q) {
    return (GAMMA - 1) * (q[3] - (real)0.5 * (q[1] * q[1] + q[2] * q[2]) / q[0]);
}

/* Flux of a state through the normal (nx, ny). */
static inline void flux_of(const real *q, real nx, real ny, real *flux) {
    const real p = pressure_of(q);
    const real volume = (q[1] * nx + q[2] * ny) / q[0];
    flux[0] = volume * q[0];
    flux[1] = volume * q[1] + p * nx;
    flux[2] = volume * q[2] + p * ny;
    flux[3] = volume * (q[3] + p);
}

static inline void res_calc(const real *x0, const real *x1, const real *q0, const real *q1,
                            const real *adt0, const real *adt1, real *res0, real *res1) {
    const real nx = x1[1] - x0[1], ny = x0[0] - x1[0];
    const real mu = (real)0.5 * (adt0[0] + adt1[0]) * DISSIPATION;
    real f0[4], f1[4];
    flux_of(q0, nx, ny, f0);
    flux_of(q1, nx, ny, f1);
    for (int c = 0; c < 4; c++) {
        const real f = (real)0.5 * (f0[c] + f1[c]) + mu * (q0[c] - q1[c]);
        res0[c] += f;
        res1[c] -= f;
    }
}

static inline void save_soln(const real *q, real *old) {
    for (int c = 0; c < 4; c++)
        old[c] = q[c];
}

/* x: the corners of the cell one after another; a triangle among quads repeats its last one. */
static inline void adt_of(int n_corners, const real *x, const real *q, real *adt) {
    const real u = q[1] / q[0], v = q[2] / q[0];
    const real c = sqrt(GAMMA * pressure_of(q) / q[0]);
    real sum = 0;
    for (int i = 0; i < n_corners; i++) {
        const int j = (i + 1) % n_corners;
        const real dx = x[2 * j] - x[2 * i], dy = x[2 * j + 1] - x[2 * i + 1];
        sum += fabs(u * dy - v * dx) + c * sqrt(dx * dx + dy * dy);
    }
    adt[0] = sum / CFL;
}

static inline void adt_calc(const real *x, const real *q, real *adt) {
    adt_of(cells_nodes_ARITY, x, q, adt);
}

/* bound 1: a wall, only pressure acts; else the far field is the free stream. */
static inline void bres_calc(const real *x0, const real *x1, const real *q, const real *adt,
                             const int *bound, real *res) {
    const real nx = x1[1] - x0[1], ny = x0[0] - x1[0];
    if (bound[0] == 1) {
        const real p = pressure_of(q);
        res[1] += p * nx;
        res[2] += p * ny;
        return;
    }
    const real free[4] = {1, FREE_U, FREE_V, FREE_ENERGY};
    real f0[4], f1[4];
    flux_of(q, nx, ny, f0);
    flux_of(free, nx, ny, f1);
    const real mu = adt[0] * DISSIPATION;
    for (int c = 0; c < 4; c++)
        res[c] += (real)0.5 * (f0[c] + f1[c]) + mu * (q[c] - free[c]);
}

static inline void update(const real *old, real *q, real *res, const real *adt, real *rms) {
    for (int c = 0; c < 4; c++) {
        const real change = res[c] / adt[0];
        q[c] = old[c] - change;
        res[c] = 0;
        rms[0] += change * change;
    }
}

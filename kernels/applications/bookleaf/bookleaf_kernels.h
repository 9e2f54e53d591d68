/* bookleaf: compatible Lagrangian hydrodynamics on quads, staggered: density and energy in cells,
 * velocity at nodes. Corner arrays go around the cell as its nodes do. */

#define GAMMA ((real)1.4)
#define NO_MASS ((real)1e-30)

/* Pressure times the half sides at each corner pushes the nodes, which are half the diagonal
 * across; each corner owns a quarter of the cell. A cell's own mass never changes. */
static inline void get_force(const real *x, const real *mass, const real *energy, real *weight,
                             real *corner_mass, real *force_x, real *force_y, real *density) {
    const real even[] = {x[4] - x[0], x[5] - x[1]}, odd[] = {x[6] - x[2], x[7] - x[3]};
    const real area = (real)0.5 * (even[0] * odd[1] - odd[0] * even[1]);
    density[0] = divide(mass[0], fabs(area));
    const real half = (real)0.5 * (GAMMA - 1) * density[0] * energy[0] * (area < 0 ? -1 : 1);
    for (int i = 0; i < 4; i++) {
        const real *across = i % 2 ? even : odd;
        const real push = i == 0 || i == 3 ? -half : half;
        weight[i] = (real)0.25 * fabs(area);
        corner_mass[i] = i % 2 ? (real)0.25 * mass[0] : 0;
        force_x[i] = push * across[1];
        force_y[i] = -push * across[0];
    }
}

/* Sums at the nodes: area, mass, force. A corner without a mass of its own takes its share of the
 * cell's density. */
static inline void getacc_scatter(const real *weight, const real *corner_mass, const real *force_x,
                                  const real *force_y, const real *density, real *sums) {
    for (int i = 0; i < 4; i++) {
        sums[4 * i] += weight[i];
        sums[4 * i + 1] += corner_mass[i] > NO_MASS ? corner_mass[i] : density[0] * weight[i];
        sums[4 * i + 2] += force_x[i];
        sums[4 * i + 3] += force_y[i];
    }
}

static inline void getacc_apply(const real *dt, real *sums, real *u, real *x) {
    for (int d = 0; d < 2 && sums[1] > 0; d++) {
        u[d] += divide(dt[0] * sums[2 + d], sums[1]);
        x[d] += dt[0] * u[d];
    }
    for (int i = 0; i < 4; i++)
        sums[i] = 0;
}

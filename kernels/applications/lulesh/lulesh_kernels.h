/* lulesh: Lagrangian hydrodynamics on hexes: the stress of an element pushes its eight nodes.
 *
 * Corner arrays go in VTK's order: nodes 0 to 3 around the bottom, 4 to 7 above them. */

/* Adds to the four corners of a face a quarter each of its area vector, half the cross product of
 * its diagonals. */
static inline void face_area(const real *x, int a, int b, int c, int d, real *area) {
    real p[3], q[3], n[3];
    for (int k = 0; k < 3; k++) {
        p[k] = x[3 * c + k] - x[3 * a + k];
        q[k] = x[3 * d + k] - x[3 * b + k];
    }
    n[0] = (real)0.125 * (p[1] * q[2] - p[2] * q[1]);
    n[1] = (real)0.125 * (p[2] * q[0] - p[0] * q[2]);
    n[2] = (real)0.125 * (p[0] * q[1] - p[1] * q[0]);
    for (int k = 0; k < 3; k++) {
        area[3 * a + k] += n[k];
        area[3 * b + k] += n[k];
        area[3 * c + k] += n[k];
        area[3 * d + k] += n[k];
    }
}

/* force += - stress . area at each corner; volume by the divergence theorem. */
static inline void integrate_stress(const real *x, const real *stress, real *volume, real *force) {
    real area[24];
    for (int i = 0; i < 24; i++)
        area[i] = 0;
    face_area(x, 0, 3, 2, 1, area);
    face_area(x, 4, 5, 6, 7, area);
    face_area(x, 0, 1, 5, 4, area);
    face_area(x, 1, 2, 6, 5, area);
    face_area(x, 2, 3, 7, 6, area);
    face_area(x, 3, 0, 4, 7, area);
    real three = 0;
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) {
            three += x[3 * i + k] * area[3 * i + k];
            force[3 * i + k] -= stress[k] * area[3 * i + k];
        }
    volume[0] = three / 3;
}

static inline void init_stress(const real *pressure, const real *viscosity, real *stress) {
    for (int k = 0; k < 3; k++)
        stress[k] = -pressure[0] - viscosity[0];
}

static inline void move_nodes(const real *dt, const real *mass, real *force, real *u, real *x) {
    for (int k = 0; k < 3; k++) {
        u[k] += dt[0] * force[k] / mass[0];
        x[k] += dt[0] * u[k];
        force[k] = 0;
    }
}

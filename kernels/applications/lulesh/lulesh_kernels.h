/* lulesh: Lagrangian hydrodynamics on hexes: the stress of an element pushes its eight nodes.
 *
 * Corner arrays go in VTK's order: nodes 0 to 3 around the bottom, 4 to 7 above them. */

/* What a face gives each of its four corners: a quarter of its area vector, half the cross product
 * of its diagonals. Adds to `three` what the face gives to three times the volume. */
static inline void face_area(const real *x, int a, int b, int c, int d, real *area, real *three) {
    real p[3], q[3];
    for (int k = 0; k < 3; k++) {
        p[k] = x[3 * c + k] - x[3 * a + k];
        q[k] = x[3 * d + k] - x[3 * b + k];
    }
    area[0] = (real)0.125 * (p[1] * q[2] - p[2] * q[1]);
    area[1] = (real)0.125 * (p[2] * q[0] - p[0] * q[2]);
    area[2] = (real)0.125 * (p[0] * q[1] - p[1] * q[0]);
    for (int k = 0; k < 3; k++)
        three[0] += area[k] * (x[3 * a + k] + x[3 * b + k] + x[3 * c + k] + x[3 * d + k]);
}

/* force += - stress . area at each corner; volume by the divergence theorem. The forces on the six
 * faces are kept, not those on the eight corners: each is the sum of three. */
static inline void integrate_stress(const real *x, const real *stress, real *volume, real *force) {
    real bottom[3], top[3], front[3], right[3], back[3], left[3], three = 0;
    face_area(x, 0, 3, 2, 1, bottom, &three);
    face_area(x, 0, 1, 5, 4, front, &three);
    face_area(x, 1, 2, 6, 5, right, &three);
    face_area(x, 2, 3, 7, 6, back, &three);
    face_area(x, 3, 0, 4, 7, left, &three);
    face_area(x, 4, 5, 6, 7, top, &three);
    volume[0] = divide(three, 3);
    for (int k = 0; k < 3; k++) {
        const real lower = stress[k] * bottom[k], upper = stress[k] * top[k];
        const real sides[4] = {stress[k] * (front[k] + left[k]), stress[k] * (front[k] + right[k]),
                               stress[k] * (back[k] + right[k]), stress[k] * (back[k] + left[k])};
        for (int i = 0; i < 4; i++) {
            force[3 * i + k] -= sides[i] + lower;
            force[3 * (4 + i) + k] -= sides[i] + upper;
        }
    }
}

static inline void init_stress(const real *pressure, const real *viscosity, real *stress) {
    for (int k = 0; k < 3; k++)
        stress[k] = -pressure[0] - viscosity[0];
}

static inline void move_nodes(const real *dt, const real *mass, real *force, real *u, real *x) {
    for (int k = 0; k < 3; k++) {
        u[k] += divide(dt[0] * force[k], mass[0]);
        x[k] += dt[0] * u[k];
        force[k] = 0;
    }
}

/* miniaero: the compressible Navier-Stokes equations, cell-centred finite volumes of second order.
 *
 * w = (density, velocity, temperature) of a cell, gas constant 1. What a cell states for its faces:
 * the gradient of each of the five (x, y, z), a limiter each, w, and its centre. A face: its
 * middle, its area vector out of cell 0, and two unit vectors along it.
 *
 * Divisions are few: one costs as much as ten products, on a GPU far more where what is divided is
 * 0, as two components of a normal in a box are. */

#define GAMMA ((real)1.4)
#define VISCOSITY ((real)1e-3)
#define CONDUCTIVITY ((real)4.9e-3) /* viscosity, heat capacity 3.5, Prandtl number 0.71 */

/* A state at the middle of the face: density, velocity along normal and tangents, pressure. */
static inline void face_state(const real *gradient, const real *limiter, const real *w,
                              const real *centre, const real *middle, const real *normal,
                              const real *tangent, const real *binormal, real *s) {
    real v[5];
    for (int i = 0; i < 5; i++) {
        real slope = 0;
        for (int d = 0; d < 3; d++)
            slope += gradient[3 * i + d] * (middle[d] - centre[d]);
        v[i] = w[i] + limiter[i] * slope;
    }
    s[0] = v[0];
    s[1] = s[2] = s[3] = 0;
    for (int d = 0; d < 3; d++) {
        s[1] += v[1 + d] * normal[d];
        s[2] += v[1 + d] * tangent[d];
        s[3] += v[1 + d] * binormal[d];
    }
    s[4] = v[0] * v[4];
}

/* Flux along the normal of (density, momenta, energy), and the conserved values. */
static inline void face_flux(const real *s, real *flux, real *u) {
    const real energy = s[4] * ((real)1 / (GAMMA - 1)) +
                        (real)0.5 * s[0] * (s[1] * s[1] + s[2] * s[2] + s[3] * s[3]);
    u[0] = s[0];
    u[4] = energy;
    flux[0] = s[0] * s[1];
    flux[4] = s[1] * (energy + s[4]);
    for (int d = 1; d < 4; d++) {
        u[d] = s[0] * s[d];
        flux[d] = s[1] * u[d];
    }
    flux[1] += s[4];
}

/* HLL (Harten, Lax, van Leer 1983) along the normal. */
static inline void inviscid_flux(const real *s0, const real *s1, real *flux) {
    real f0[5], f1[5], u0[5], u1[5];
    face_flux(s0, f0, u0);
    face_flux(s1, f1, u1);
    const real c0 = root(GAMMA * fabs(divide(s0[4], s0[0])));
    const real c1 = root(GAMMA * fabs(divide(s1[4], s1[0])));
    const real low = fmin(fmin(s0[1] - c0, s1[1] - c1), (real)0);
    const real high = fmax(fmax(s0[1] + c0, s1[1] + c1), (real)0);
    const real scale = reciprocal(high - low);
    for (int i = 0; i < 5; i++)
        flux[i] = (high * f0[i] - low * f1[i] + high * low * (u1[i] - u0[i])) * scale;
}

/* What one side gives to the mean of Newton's stress, three components, and of Fourier's heat
 * through the unit normal: twice that, without the coefficients. */
static inline void side_stress(const real *gradient, const real *normal, real *stress) {
    const real third = (gradient[3] + gradient[7] + gradient[11]) * ((real)2 / 3);
    for (int i = 0; i < 3; i++) {
        stress[i] = -third * normal[i];
        for (int d = 0; d < 3; d++)
            stress[i] += (gradient[3 * (1 + i) + d] + gradient[3 * (1 + d) + i]) * normal[d];
    }
    stress[3] = gradient[12] * normal[0] + gradient[13] * normal[1] + gradient[14] * normal[2];
}

/* Of momenta and energy. */
static inline void viscous_flux(const real *stress0, const real *stress1, const real *w0,
                                const real *w1, real *flux) {
    flux[3] = (real)0.5 * CONDUCTIVITY * (stress0[3] + stress1[3]);
    for (int i = 0; i < 3; i++) {
        flux[i] = (real)0.5 * VISCOSITY * (stress0[i] + stress1[i]);
        flux[3] += flux[i] * (real)0.5 * (w0[1 + i] + w1[1 + i]);
    }
}

/* What both fluxes through a face of `size` give to its cells. */
static inline void face_give(real size, const real *inviscid, const real *viscous,
                             const real *normal, const real *tangent, const real *binormal,
                             real *residual0, real *residual1) {
    real total[5];
    total[0] = size * inviscid[0];
    total[4] = size * (inviscid[4] - viscous[3]);
    for (int d = 0; d < 3; d++)
        total[1 + d] = size * (inviscid[1] * normal[d] + inviscid[2] * tangent[d] +
                               inviscid[3] * binormal[d] - viscous[d]);
    for (int i = 0; i < 5; i++) {
        residual0[i] += total[i];
        residual1[i] -= total[i];
    }
}

/* One side after the other, so that few values are needed at a time. */
static inline void compute_face_flux(const real *gradient0, const real *gradient1,
                                     const real *limiter0, const real *limiter1, const real *w0,
                                     const real *w1, const real *centre0, const real *centre1,
                                     const real *middle, const real *area, const real *tangent,
                                     const real *binormal, real *residual0, real *residual1) {
    const real size = root(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
    const real inverse = reciprocal(size);
    const real normal[3] = {area[0] * inverse, area[1] * inverse, area[2] * inverse};
    real s0[5], s1[5], stress0[4], stress1[4], inviscid[5], viscous[4];
    face_state(gradient0, limiter0, w0, centre0, middle, normal, tangent, binormal, s0);
    side_stress(gradient0, normal, stress0);
    face_state(gradient1, limiter1, w1, centre1, middle, normal, tangent, binormal, s1);
    side_stress(gradient1, normal, stress1);
    viscous_flux(stress0, stress1, w0, w1, viscous);
    inviscid_flux(s0, s1, inviscid);
    face_give(size, inviscid, viscous, normal, tangent, binormal, residual0, residual1);
}

/* Variable i at the face, as cell 0 and as cell 1 sees it. */
static inline void face_ends(int i, const real *gradient0, const real *gradient1,
                             const real *limiter0, const real *limiter1, const real *w0,
                             const real *w1, const real *centre0, const real *centre1,
                             const real *middle, real *ends) {
    real slope0 = 0, slope1 = 0;
    for (int d = 0; d < 3; d++) {
        slope0 += gradient0[3 * i + d] * (middle[d] - centre0[d]);
        slope1 += gradient1[3 * i + d] * (middle[d] - centre1[d]);
    }
    ends[0] = w0[i] + limiter0[i] * slope0;
    ends[1] = w1[i] + limiter1[i] * slope1;
}

/* What the slopes of velocity component j give to the force of the stress on the face, beside
 * `before`; the mean of the component. */
static inline void face_force(int j, const real *gradient0, const real *gradient1, const real *w0,
                              const real *w1, const real *area, const real *before, real *mean,
                              real *force) {
    const real *slope0 = gradient0 + 3 * (1 + j), *slope1 = gradient1 + 3 * (1 + j);
    real slope[3], along = 0;
    mean[0] = (real)0.5 * (w0[1 + j] + w1[1 + j]);
    for (int d = 0; d < 3; d++) {
        slope[d] = (real)0.5 * VISCOSITY * (slope0[d] + slope1[d]);
        along += slope[d] * area[d];
    }
    for (int i = 0; i < 3; i++)
        force[i] = before[i] + slope[i] * area[j] - (real)(2.0 / 3) * slope[j] * area[i];
    force[j] += along;
}

static inline void face_velocity_x(const real *gradient0, const real *gradient1,
                                   const real *limiter0, const real *limiter1, const real *w0,
                                   const real *w1, const real *centre0, const real *centre1,
                                   const real *middle, const real *area, real *ends, real *mean,
                                   real *force) {
    const real none[3] = {0, 0, 0};
    face_ends(1, gradient0, gradient1, limiter0, limiter1, w0, w1, centre0, centre1, middle, ends);
    face_force(0, gradient0, gradient1, w0, w1, area, none, mean, force);
}

static inline void face_velocity_y(const real *gradient0, const real *gradient1,
                                   const real *limiter0, const real *limiter1, const real *w0,
                                   const real *w1, const real *centre0, const real *centre1,
                                   const real *middle, const real *area, const real *before,
                                   real *ends, real *mean, real *force) {
    face_ends(2, gradient0, gradient1, limiter0, limiter1, w0, w1, centre0, centre1, middle, ends);
    face_force(1, gradient0, gradient1, w0, w1, area, before, mean, force);
}

/* The last component: gives the work of the whole force, too. */
static inline void face_velocity_z(const real *gradient0, const real *gradient1,
                                   const real *limiter0, const real *limiter1, const real *w0,
                                   const real *w1, const real *centre0, const real *centre1,
                                   const real *middle, const real *area, const real *before,
                                   const real *mean_x, const real *mean_y, real *ends, real *force,
                                   real *work) {
    real mean[1];
    face_ends(3, gradient0, gradient1, limiter0, limiter1, w0, w1, centre0, centre1, middle, ends);
    face_force(2, gradient0, gradient1, w0, w1, area, before, mean, force);
    work[0] = force[0] * mean_x[0] + force[1] * mean_y[0] + force[2] * mean[0];
}

static inline void face_density(const real *gradient0, const real *gradient1, const real *limiter0,
                                const real *limiter1, const real *w0, const real *w1,
                                const real *centre0, const real *centre1, const real *middle,
                                real *ends) {
    face_ends(0, gradient0, gradient1, limiter0, limiter1, w0, w1, centre0, centre1, middle, ends);
}

/* The temperature, and what heat and `work` bring through the face. */
static inline void face_temperature(const real *gradient0, const real *gradient1,
                                    const real *limiter0, const real *limiter1, const real *w0,
                                    const real *w1, const real *centre0, const real *centre1,
                                    const real *middle, const real *area, const real *work,
                                    real *ends, real *energy) {
    real along = 0;
    face_ends(4, gradient0, gradient1, limiter0, limiter1, w0, w1, centre0, centre1, middle, ends);
    for (int d = 0; d < 3; d++)
        along += (gradient0[12 + d] + gradient1[12 + d]) * area[d];
    energy[0] = work[0] + (real)0.5 * CONDUCTIVITY * along;
}

/* What the two sides of a face weigh in the flux along its normal (Harten, Lax, van Leer 1983): of
 * what a side carries along, weight[side]; of the sides' pressure, and so of their work,
 * press[side]; of what they hold, hold. */
struct face_weights {
    real weight[2], press[2], hold;
};

static inline void face_weigh(const real *density, const real *speed, const real *temperature,
                              struct face_weights *of) {
    const real c0 = root(GAMMA * fabs(temperature[0])), c1 = root(GAMMA * fabs(temperature[1]));
    const real low = fmin(fmin(speed[0] - c0, speed[1] - c1), (real)0);
    const real high = fmax(fmax(speed[0] + c0, speed[1] + c1), (real)0);
    const real scale = reciprocal(high - low);
    of->press[0] = high * scale;
    of->press[1] = -low * scale;
    of->hold = high * low * scale;
    of->weight[0] = density[0] * (of->press[0] * speed[0] - of->hold);
    of->weight[1] = density[1] * (of->press[1] * speed[1] + of->hold);
}

/* What a direction of the face gives to the flux: of both sides' velocities along it. */
static inline void face_turn(const struct face_weights *of, const real *x, const real *y,
                             const real *z, const real *direction, real *square, real *momentum) {
    real flux = 0;
    for (int side = 0; side < 2; side++) {
        const real along = x[side] * direction[0] + y[side] * direction[1] + z[side] * direction[2];
        square[side] += along * along;
        flux += of->weight[side] * along;
    }
    for (int d = 0; d < 3; d++)
        momentum[d] += flux * direction[d];
}

static inline void face_total(const real *area, const real *tangent, const real *binormal,
                              const real *density, const real *x, const real *y, const real *z,
                              const real *temperature, const real *force, const real *energy,
                              real *residual0, real *residual1) {
    const real size = root(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
    const real inverse = reciprocal(size);
    const real normal[3] = {area[0] * inverse, area[1] * inverse, area[2] * inverse};
    real speed[2], square[2] = {0, 0}, momentum[3] = {0, 0, 0}, pressure = 0, work = 0;
    struct face_weights of;
    for (int side = 0; side < 2; side++)
        speed[side] = x[side] * normal[0] + y[side] * normal[1] + z[side] * normal[2];
    face_weigh(density, speed, temperature, &of);
    face_turn(&of, x, y, z, normal, square, momentum);
    face_turn(&of, x, y, z, tangent, square, momentum);
    face_turn(&of, x, y, z, binormal, square, momentum);
    for (int side = 0; side < 2; side++) {
        const real press = of.press[side] * density[side] * temperature[side];
        pressure += press;
        work += press * speed[side] +
                of.weight[side] *
                    (temperature[side] * ((real)1 / (GAMMA - 1)) + (real)0.5 * square[side]);
    }
    const real total[5] = {size * (of.weight[0] + of.weight[1]),
                           size * (momentum[0] + pressure * normal[0]) - force[0],
                           size * (momentum[1] + pressure * normal[1]) - force[1],
                           size * (momentum[2] + pressure * normal[2]) - force[2],
                           size * work - energy[0]};
    for (int i = 0; i < 5; i++) {
        residual0[i] += total[i];
        residual1[i] -= total[i];
    }
}

/* One explicit step; the boundary is a slip wall, on which only pressure acts. */
static inline void advance(const real *dt, const real *volume, const real *wall, real *w,
                           real *residual, real *change) {
    const real pressure = w[0] * w[4];
    real u[5];
    u[0] = w[0];
    u[4] = w[0] * (divide(w[4], GAMMA - 1) + (real)0.5 * (w[1] * w[1] + w[2] * w[2] + w[3] * w[3]));
    for (int d = 0; d < 3; d++) {
        u[1 + d] = w[0] * w[1 + d];
        residual[1 + d] += pressure * wall[d];
    }
    for (int i = 0; i < 5; i++) {
        const real step = divide(dt[0] * residual[i], volume[0]);
        u[i] -= step;
        change[0] += step * step;
        residual[i] = 0;
    }
    w[0] = u[0];
    for (int d = 0; d < 3; d++)
        w[1 + d] = divide(u[1 + d], u[0]);
    w[4] =
        (GAMMA - 1) * (divide(u[4], u[0]) - (real)0.5 * (w[1] * w[1] + w[2] * w[2] + w[3] * w[3]));
}

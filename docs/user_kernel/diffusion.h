/* What two cells exchange through the edge between them. */
static inline void exchange(const real *u0, const real *u1, real *gain0, real *gain1) {
    const real flow = (real)0.1 * (u1[0] - u0[0]);
    gain0[0] += flow;
    gain1[0] -= flow;
}

/* A cell takes what it gained, and counts by how much it changed. */
static inline void advance(real *u, real *gain, real *change) {
    u[0] += gain[0];
    change[0] += gain[0] * gain[0];
    gain[0] = 0;
}

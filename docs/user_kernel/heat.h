/* Conduction of heat through a tet, in two parts. The first finds what all its blocks share: the
 * slopes g [4][3] of the functions that are 1 at one node and 0 at the others, and the volume times
 * the conductivity. */
static inline void heat_terms(const real *x, const real *conductivity, real *g, real *weight) {
    const int face[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}}; /* opposite a node */
    real volume = 0;
    for (int i = 0; i < 4; i++) {
        const real *a = x + 3 * face[i][0], *b = x + 3 * face[i][1], *c = x + 3 * face[i][2];
        for (int d = 0; d < 3; d++) {
            const int e = (d + 1) % 3, f = (d + 2) % 3;
            g[3 * i + d] = (b[e] - a[e]) * (c[f] - a[f]) - (b[f] - a[f]) * (c[e] - a[e]);
        }
    }
    for (int d = 0; d < 3; d++)
        volume += g[9 + d] * (x[9 + d] - x[d]) / 6;
    for (int k = 0; k < 12; k++)
        g[k] /= 6 * volume;
    weight[0] = conductivity[0] * fabs(volume);
}

/* The second makes the block of nodes i and j: `pair` is 4 i + j. */
static inline void heat_block(int pair, const real *g, const real *weight, real *block) {
    const real *gi = g + 3 * (pair / 4), *gj = g + 3 * (pair % 4);
    block[0] += weight[0] * (gi[0] * gj[0] + gi[1] * gj[1] + gi[2] * gj[2]);
}

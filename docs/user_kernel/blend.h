/* blend: a triangle mixes what its corners hold, by the colour of its sides' neighbours. Odd arity,
 * two maps, int, float and real values, a global sum. */
static inline void blend(const real *x, const int *kind, const float *weight,
                         const real *neighbours, const real *rate, real *share, float *heat,
                         int *odd, real *total) {
    real middle[2] = {0, 0};
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < 2; d++)
            middle[d] += x[2 * i + d] / 3;
    for (int i = 0; i < 3; i++) {
        const real dx = x[2 * i] - middle[0], dy = x[2 * i + 1] - middle[1];
        const real distance = sqrt(dx * dx + dy * dy);
        share[i] += rate[0] * (kind[0] % 2 ? distance : neighbours[i]);
        heat[2 * i] += weight[0] * (float)distance;
        heat[2 * i + 1] += weight[1];
        odd[i] += kind[0] % 2;
    }
    total[0] += middle[0] * middle[1];
}

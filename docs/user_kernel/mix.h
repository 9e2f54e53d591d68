/* Six substances that spread along an edge, each by the mean of both ends' mobilities. */
static inline void mix_weight(const real *x0, const real *x1, real *weight) {
    const real a = x1[0] - x0[0], b = x1[1] - x0[1];
    weight[0] = (real)0.5 / sqrt(a * a + b * b);
}

/* What flows of substance i. */
static inline void mix_flow(int i, const real *share0, const real *share1, const real *mobility0,
                            const real *mobility1, const real *weight, real *flow) {
    flow[0] = weight[0] * (mobility0[i] + mobility1[i]) * (share0[i] - share1[i]);
}

static inline void mix_sum(const real *flow, real *rate0, real *rate1) {
    for (int i = 0; i < 6; i++) {
        rate0[i] -= flow[i];
        rate1[i] += flow[i];
    }
}

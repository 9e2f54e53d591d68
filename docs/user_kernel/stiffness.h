/* The stiffness of a trilinear hexahedron, linear elasticity, at two points of Gauss a direction. A
 * block of 3 by 3 couples two of its nodes: to `diagonal` [8] goes that of a node with itself, to
 * `others` [8][7] those of node i with the other nodes in their order, column by column. */
static inline void stiffness(const real *x, real *diagonal, float *others) {
    const real lambda = (real)1.2, mu = (real)0.8, at = (real)0.57735026918962576; /* 1 / sqrt(3) */
    const int corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                              {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    for (int point = 0; point < 8; point++) {
        real slope[8][3], jacobian[3][3], inverse[3][3], g[8][3];
        for (int i = 0; i < 8; i++)
            for (int d = 0; d < 3; d++) {
                slope[i][d] = (real)0.125 * corner[i][d];
                for (int o = 0; o < 3; o++)
                    slope[i][d] *= o == d ? 1 : 1 + at * corner[point][o] * corner[i][o];
            }
        for (int k = 0; k < 3; k++)
            for (int d = 0; d < 3; d++) {
                jacobian[k][d] = 0;
                for (int i = 0; i < 8; i++)
                    jacobian[k][d] += x[3 * i + k] * slope[i][d];
            }
        for (int k = 0; k < 3; k++)
            for (int d = 0; d < 3; d++)
                inverse[d][k] =
                    jacobian[(k + 1) % 3][(d + 1) % 3] * jacobian[(k + 2) % 3][(d + 2) % 3] -
                    jacobian[(k + 1) % 3][(d + 2) % 3] * jacobian[(k + 2) % 3][(d + 1) % 3];
        const real volume = jacobian[0][0] * inverse[0][0] + jacobian[0][1] * inverse[1][0] +
                            jacobian[0][2] * inverse[2][0];
        for (int i = 0; i < 8; i++)
            for (int k = 0; k < 3; k++) {
                g[i][k] = 0;
                for (int d = 0; d < 3; d++)
                    g[i][k] += slope[i][d] * inverse[d][k] / volume;
            }
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                const real dot = g[i][0] * g[j][0] + g[i][1] * g[j][1] + g[i][2] * g[j][2];
                for (int v = 0; v < 9; v++) {
                    const int row = v % 3, column = v / 3;
                    const real entry = volume * (lambda * g[i][row] * g[j][column] +
                                                 mu * g[i][column] * g[j][row] +
                                                 (row == column ? mu * dot : 0));
                    if (i == j)
                        diagonal[9 * i + v] += entry;
                    else
                        others[9 * (7 * i + j - (j > i)) + v] += (float)entry;
                }
            }
    }
}

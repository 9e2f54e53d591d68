/* The stiffness of a trilinear hexahedron, linear elasticity, at two points of Gauss a direction: a
 * block of 3 by 3, column by column, for each two of its nodes, k [8][8][9]. */
static inline void stiffness(const real *x, real *k) {
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
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < 3; d++) {
                jacobian[c][d] = 0;
                for (int i = 0; i < 8; i++)
                    jacobian[c][d] += x[3 * i + c] * slope[i][d];
            }
        for (int c = 0; c < 3; c++)
            for (int d = 0; d < 3; d++)
                inverse[d][c] =
                    jacobian[(c + 1) % 3][(d + 1) % 3] * jacobian[(c + 2) % 3][(d + 2) % 3] -
                    jacobian[(c + 1) % 3][(d + 2) % 3] * jacobian[(c + 2) % 3][(d + 1) % 3];
        const real volume = jacobian[0][0] * inverse[0][0] + jacobian[0][1] * inverse[1][0] +
                            jacobian[0][2] * inverse[2][0];
        for (int i = 0; i < 8; i++)
            for (int c = 0; c < 3; c++) {
                g[i][c] = 0;
                for (int d = 0; d < 3; d++)
                    g[i][c] += slope[i][d] * inverse[d][c] / volume;
            }
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                const real dot = g[i][0] * g[j][0] + g[i][1] * g[j][1] + g[i][2] * g[j][2];
                for (int v = 0; v < 9; v++) {
                    const int row = v % 3, column = v / 3;
                    k[9 * (8 * i + j) + v] +=
                        volume * (lambda * g[i][row] * g[j][column] +
                                  mu * g[i][column] * g[j][row] + (row == column ? mu * dot : 0));
                }
            }
    }
}

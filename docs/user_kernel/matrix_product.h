/* What a pair of nodes adds to the product of the matrix and a vector: a block of 3 by 3, column by
 * column, times the vector at the pair's second node. */
static inline void product(const float *others, const real *vector, real *result) {
    for (int v = 0; v < 9; v++)
        result[v % 3] += others[v] * vector[v / 3];
}

/* fv: a cell-centred finite-volume step that only gathers: what a cell becomes follows from its own
 * value and its neighbours' (Langguth et al. 2015, equation 1). Two loops make a step and the next
 * one, so that the two arrays of values change their parts. */

/* y(i) = sum over j of a(i, j) (x(neighbour j of i) - x(i)); a cell without neighbour j has a zero
 * there. */
static inline void differences(const real *a, const real *neighbours, const real *x, real *y) {
    y[0] = 0;
    for (int j = 0; j < cells_cells_ARITY; j++)
        y[0] += a[j] * (neighbours[j] - x[0]);
}

static inline void differences_back(const real *a, const real *neighbours, const real *y, real *x) {
    differences(a, neighbours, y, x);
}

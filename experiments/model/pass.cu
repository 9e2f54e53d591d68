/* A pass over the elements of a map, in the words of simt.h: READS arrays of WIDTH values at each point are read, ADDS are
 * added to, ELEMENT values stream past with each element, POINT with each point, these ROUNDS times. As loops over meshes do, an element adds
 * what follows from all that it has read. SOLVES arrays are swept through forwards and then backwards, as triangular
 * matrices are solved: an element adds to its last point what its others have come to, times the diagonal's value there, on
 * the way back the other way round, so that where these are neighbours in the order each element waits for the one before it. */

/* One way through the arrays of a solution. The highest point of a row comes first. */
static void solve(const struct params *p, int back) {
    double *diagonal = &p->at_points[(READS + ADDS + SOLVES) * p->n_points * WIDTH];
    for (long long n = 0; n < p->n; n++) {
        const long long i = back ? p->n - 1 - n : n, last = load(&p->index[i * ARITY]);
        double factor = 0;
        UNROLL for (int k = 0; k < ELEMENT; k++)
            factor += load(&p->with_elements[i * ELEMENT + k]);
        UNROLL for (int slot = 1; slot < ARITY; slot++) {
            const long long point = load(&p->index[i * ARITY + slot]);
            UNROLL for (int k = 0; k < SOLVES * WIDTH; k++) {
                double *values = &p->at_points[(READS + ADDS + k / WIDTH) * p->n_points * WIDTH + k % WIDTH];
                const long long at = (back ? point : last) * WIDTH, from = (back ? last : point) * WIDTH;
                if (!PADDED || point >= 0)
                    store(values + at, load(values + at) - factor * load(diagonal + at) * load(values + from));
            }
        }
    }
}

KERNEL(pass) {
    const struct params *p = PARAMS;
    double left = 0;
    for (long long i = 0; i < p->n; i++) {
        double sum = 0;
        UNROLL for (int k = 0; k < ELEMENT; k++)
            sum += load(&p->with_elements[i * ELEMENT + k]);
        const double factor = ELEMENT ? sum : 0.5;
        UNROLL for (int slot = 0; slot < ARITY; slot++) {
            const long long point = load(&p->index[i * ARITY + slot]);
            UNROLL for (int k = 0; k < READS * WIDTH; k++)
                if (!PADDED || point >= 0)
                    sum += factor * load(&p->at_points[(k / WIDTH * p->n_points + point) * WIDTH + k % WIDTH]);
        }
        UNROLL for (int slot = 0; slot < ARITY; slot++) {
            const long long point = load(&p->index[i * ARITY + slot]);
            UNROLL for (int k = 0; k < ADDS * WIDTH; k++) {
                double *to = &p->at_points[((READS + k / WIDTH) * p->n_points + point) * WIDTH + k % WIDTH];
                if (!PADDED || point >= 0)
                    store(to, load(to) + sum);
            }
        }
        left += ADDS ? 0 : sum;
    }
    for (int back = 0; back < 2 && SOLVES; back++)
        solve(p, back);
    double some[8] = {0}; /* sums of their own: one alone would wait for each addition */
    for (int round = 0; round < ROUNDS; round++)
        for (long long i = 0; i + 8 <= p->n_points * POINT; i += 8)
            UNROLL for (int k = 0; k < 8; k++)
                some[k] += load(&p->with_points[i + k]);
    UNROLL for (int k = 0; k < 8; k++)
        left += some[k];
    store(&p->with_points[0], 0 * left);
}

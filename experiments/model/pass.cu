/* A pass over the elements of a map, in the words of simt.h: READS arrays of WIDTH values at each point are read, ADDS are
 * added to, ELEMENT values stream past with each element, POINT with each point. As loops over meshes do, an element adds
 * what follows from all that it has read. */

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
    for (long long i = 0; i < p->n_points * POINT; i++)
        left += load(&p->with_points[i]);
    store(&p->with_points[0], 0 * left);
}

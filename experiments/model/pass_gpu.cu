/* A pass on a GPU, in the words of simt.h: a thread an element, which reads READS arrays of WIDTH values at each of its
 * points, computes for as many steps as the caller asks for, adds to ADDS by atomics, and goes past ELEMENT values of
 * its own, of which it sets the last WRITTEN; and a thread a point, which goes past POINT values, ROUNDS times. What
 * streams past lies array by array. */

INLINE REAL read_element(const struct params *p, long long i) {
    REAL sum = 0;
    UNROLL for (int k = 0; k < ELEMENT - WRITTEN; k++)
        sum += load(&p->with_elements[k * p->n + i]);
    UNROLL for (int slot = 0; slot < ARITY; slot++) {
        const long long point = load(&p->index[i * ARITY + slot]);
        UNROLL for (int k = 0; k < READS * WIDTH; k++)
            if (!PADDED || point >= 0)
                sum += load(&p->at_points[(k / WIDTH * p->n_points + point) * WIDTH + k % WIDTH]);
    }
    return sum;
}

/* Goes on for so many steps, each of two sums that take half of each other: their mean. */
INLINE REAL compute(REAL sum, long long steps) {
    REAL sums[] = {sum, sum};
    ONE_BY_ONE for (int step = 0; step < steps; step++)
        UNROLL for (int k = 0; k < 2; k++) {
            sums[k] = (REAL)0.5 * sums[k] + (REAL)0.5 * sums[1 - k];
            forget(sums[k]);
        }
    return (sums[0] + sums[1]) / 2;
}

INLINE void add_to_points(const struct params *p, long long i, REAL sum) {
    UNROLL for (int slot = 0; slot < ARITY; slot++) {
        const long long point = load(&p->index[i * ARITY + slot]);
        UNROLL for (int k = 0; k < ADDS * WIDTH; k++)
            if (!PADDED || point >= 0)
                atomic_add(&p->at_points[((READS + k / WIDTH) * p->n_points + point) * WIDTH + k % WIDTH], sum);
    }
}

KERNEL(pass) {
    const struct params *p = PARAMS;
    const long long i = (long long)block_index() * THREADS + thread_index();
    REAL left = 0;
    if (i < p->n) {
        left = WORK ? compute(read_element(p, i), p->steps) : read_element(p, i);
        add_to_points(p, i, left);
        UNROLL for (int k = ELEMENT - WRITTEN; k < ELEMENT; k++)
            store(&p->with_elements[k * p->n + i], left);
    }
    for (int round = 0; round < ROUNDS && i < p->n_points; round++)
        UNROLL for (int k = 0; k < POINT; k++)
            left += load(&p->with_points[k * p->n_points + i]);
    if (left < 0) /* what is read is not */
        store(&p->with_points[POINT * p->n_points], left);
}

/* How originals are placed and compared, in the words of simt.h. They lie element by element: value d of element e
 * at e * dim + d. Where a run has it, order, next_element and next_value say. */

enum { INT_VALUES, FLOAT_VALUES, DOUBLE_VALUES }; /* as originals.c numbers them */

INLINE long long place_of(const struct params *p, long long element) {
    return (p->order ? (long long)load(&p->order[element]) : element) * p->next_element;
}

INLINE double value_at(const void *values, long long type, long long i) {
    if (type == DOUBLE_VALUES)
        return load(&((const double *)values)[i]);
    if (type == FLOAT_VALUES)
        return (double)load(&((const float *)values)[i]);
    return (double)load(&((const int *)values)[i]);
}

INLINE void move(const struct params *p, long long from, long long to) {
    if (p->got_type == DOUBLE_VALUES)
        store(&((double *)p->got)[to], load(&((const double *)p->original)[from]));
    else
        store(&((int *)p->got)[to], load(&((const int *)p->original)[from]));
}

KERNEL(place_original) {
    const struct params *p = PARAMS;
    const long long step = p->blocks * THREADS;
    for (long long e = (long long)block_index() * THREADS + thread_index(); e < p->n; e += step) {
        const long long to = place_of(p, e);
        for (long long d = 0; d < p->dim; d++)
            move(p, e * p->dim + d, to + d * p->next_value);
    }
}

/* Each warp leaves the largest difference, the largest value, how many differences are no numbers, and the
 * ticket: that of another call says that no such warp has come by. */
KERNEL(compare_original) {
    const struct params *p = PARAMS;
    const long long step = p->blocks * THREADS;
    double largest = 0, scale = 0, n_lost = 0;
    for (long long e = (long long)block_index() * THREADS + thread_index(); e < p->n; e += step) {
        const long long at = place_of(p, e);
        for (long long d = 0; d < p->dim; d++) {
            const double want = value_at(p->original, p->original_type, e * p->dim + d);
            const double difference = fabs(value_at(p->got, p->got_type, at + d * p->next_value) - want);
            n_lost += difference == difference ? 0 : 1;
            largest = difference > largest ? difference : largest;
            scale = fabs(want) > scale ? fabs(want) : scale;
        }
    }
    for (int lanes = WARP / 2; lanes > 0; lanes /= 2) {
        const double other = shuffle_xor(ALL_LANES, largest, lanes), more = shuffle_xor(ALL_LANES, scale, lanes);
        n_lost += shuffle_xor(ALL_LANES, n_lost, lanes);
        largest = other > largest ? other : largest;
        scale = more > scale ? more : scale;
    }
    if (lane() == 0) {
        double *found = &p->found[((long long)block_index() * THREADS + thread_index()) / WARP * 4];
        store(&found[0], largest);
        store(&found[1], scale);
        store(&found[2], n_lost);
        store(&found[3], (double)p->ticket);
    }
}

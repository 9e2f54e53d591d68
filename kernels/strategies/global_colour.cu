/* global-colour: one thread an element, one launch a colour of elements: no two of one launch
 * increment a common point. */
KERNEL(global_colour) {
    const struct params *p = PARAMS;
    struct sums s;
    sums_clear(&s);
    const int k = block_index() * THREADS + thread_index();
    if (k < p->count) {
        struct element e;
        const int i = fetch(&p->coloured[p->first + k]);
        find_points(p, &e, i);
        read_direct(p, &e, i);
        read_points(p, &e);
        read_changed(p, &e);
        compute(&e);
        write_points(p, &e);
        write_direct(p, &e, i);
        sums_take(&s, &e);
#define ADD(set, dat, slot, values)                                                                \
    UNROLL for (int d = 0; d < dat##_DIM; d++) if (IS_POINT(set, e.set##_point[slot]))             \
        plain_add(&p->dat[dat##_AT(e.set##_point[slot], d)], values[d]);
        EACH_INCREMENT(ADD)
    }
    sums_give(p, &s);
}

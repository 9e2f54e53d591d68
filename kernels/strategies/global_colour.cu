/* global-colour: one thread an element, one launch a colour of elements: no two of one launch
 * increment a common point. Maps are stored in the order of the launches. */
KERNEL(global_colour) {
    const struct params *p = PARAMS;
    struct sums s;
    sums_clear(&s);
    const int k = block_index() * THREADS + thread_index();
    if (k < p->count) {
        struct element e;
        const int i = coloured_at(p, p->first + k);
        find_points(p, &e, p->first + k);
        read_direct(p, &e, i);
        read_points(p, &e);
        read_changed(p, &e);
        compute(&e);
        write_points(p, &e);
        write_direct(p, &e, i);
        sums_take(&s, &e);
        add_points(p, &e);
    }
    sums_give(p, &s);
}

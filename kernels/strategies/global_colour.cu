/* global-colour: one thread an element, one launch a colour of elements: no two of one launch
 * increment a common point. Maps are stored in the order of the launches. */
KERNEL(global_colour) {
    const struct params *p = PARAMS;
    struct sums s;
    sums_clear(&s);
    const int k = block_index() * THREADS + thread_index();
    if (k < p->count)
        execute_whole(p, &s, coloured_at(p, p->first + k), p->first + k);
    sums_give(p, &s);
}

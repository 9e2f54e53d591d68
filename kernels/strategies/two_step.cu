/* two-step: increments go to temporary arrays, then a second kernel gathers them, a thread a
 * point. An entry of a point's list is slot * N_POSITIONS + position. */
KERNEL(two_step_compute) {
    const struct params *p = PARAMS;
    struct sums s;
    sums_clear(&s);
    const int k = block_index() * THREADS + thread_index();
    if (k < N_POSITIONS) {
        struct element e;
        const int i = element_at(p, k);
        find_points(p, &e, i);
        read_direct(p, &e, i);
        read_points(p, &e);
        compute(&e);
        write_direct(p, &e, i);
        sums_take(&s, &e);
        keep_increments(p, &e, k);
    }
    sums_give(p, &s);
}

KERNEL(two_step_gather) {
    gather(PARAMS, block_index() * THREADS + thread_index());
}

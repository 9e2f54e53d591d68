/* sequential: one thread goes through all elements in the order in which they are stored. */
KERNEL(sequential) {
    const struct params *p = PARAMS;
    struct sums s;
    sums_clear(&s);
    for (int i = 0; i < N_ELEMENTS; i++) {
        struct element e;
        find_points(p, &e, i);
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

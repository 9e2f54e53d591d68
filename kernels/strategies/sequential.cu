/* sequential: one thread goes through all elements in the order in which they are stored. */
KERNEL(sequential) {
    const struct params *p = PARAMS;
    struct sums s;
    sums_clear(&s);
    for (int i = 0; i < N_ELEMENTS; i++)
        execute_whole(p, &s, i, i);
    sums_give(p, &s);
}

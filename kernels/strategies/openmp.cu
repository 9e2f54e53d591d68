/* openmp: one thread a block; blocks of one colour at a time, so that no two touch one point. */
KERNEL(openmp) {
    const struct params *p = PARAMS;
    const struct block b = open_block(p, fetch(&p->block_list[p->first + block_index()]));
    struct sums s;
    sums_clear(&s);
    for (int k = b.begin; k < b.end; k++) {
        struct element e;
        const int i = element_at(p, k);
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

/* openmp: one thread a block; blocks of one colour at a time, so that no two touch one point. */
KERNEL(openmp) {
    const struct params *p = PARAMS;
    struct sums s;
    sums_clear(&s);
    const int block = fetch(&p->block_list[p->first + block_index()]);
    const int end = fetch(&p->block_offset[block + 1]);
    for (int k = fetch(&p->block_offset[block]); k < end; k++) {
        struct element e;
        const int i = ELEMENT_AT(p, k);
        find_points(p, &e, i);
        read_direct(p, &e, i);
        read_points(p, &e);
        read_changed(p, &e);
        compute(&e);
        write_points(p, &e);
        write_direct(p, &e, i);
        sums_take(&s, &e);
#define ADD(set, dat, slot, values)                                                                \
    for (int d = 0; IS_POINT(set, e.set##_point[slot]) && d < dat##_DIM; d++)                      \
        plain_add(&p->dat[dat##_AT(e.set##_point[slot], d)], values[d]);
        EACH_INCREMENT(ADD)
    }
    sums_give(p, &s);
}

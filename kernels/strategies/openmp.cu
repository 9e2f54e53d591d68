/* openmp: one thread a block; blocks of one colour at a time, so that no two touch one point. */
KERNEL(openmp) {
    const struct params *p = PARAMS;
    const struct block b = open_block(p, fetch(&p->block_list[p->first + block_index()]));
    struct sums s;
    sums_clear(&s);
    for (int k = b.begin; k < b.end; k++) {
        const int i = element_at(p, k);
        execute_whole(p, &s, i, i);
    }
    sums_give(p, &s);
}

/* two-step: increments go to a temporary array, then a second kernel gathers them, a thread a
 * point. An entry of a point's list is slot * N_POSITIONS + position. */
#define TEMPORARY(set, dat, slot, d, k)                                                            \
    (&p->dat##_temporary[dat##_AOS                                                                 \
                             ? ((long long)(k)*set##_SLOTS + (slot)) * dat##_DIM + (d)             \
                             : ((long long)(slot)*dat##_DIM + (d)) * N_POSITIONS + (k)])

KERNEL(two_step_compute) {
    const struct params *p = PARAMS;
    struct sums s;
    sums_clear(&s);
    const int k = block_index() * THREADS + thread_index();
    if (k < N_POSITIONS) {
        struct element e;
        const int i = ELEMENT_AT(p, k);
        find_points(p, &e, i);
        read_direct(p, &e, i);
        read_points(p, &e);
        compute(&e);
        write_direct(p, &e, i);
        sums_take(&s, &e);
#define KEEP(set, dat, slot, values)                                                               \
    UNROLL for (int d = 0; d < dat##_DIM; d++) store(TEMPORARY(set, dat, slot, d, k), values[d]);
        EACH_INCREMENT(KEEP)
    }
    sums_give(p, &s);
}

KERNEL(two_step_gather) {
    const struct params *p = PARAMS;
    const int point = block_index() * THREADS + thread_index();
    (void)p, (void)point;
#define GATHER(set, dat)                                                                           \
    if (point < set##_SIZE) {                                                                      \
        dat##_type total[dat##_DIM];                                                               \
        UNROLL for (int d = 0; d < dat##_DIM; d++) total[d] = 0;                                   \
        const int last = fetch(&p->set##_list_offset[point + 1]);                                  \
        for (int i = fetch(&p->set##_list_offset[point]); i < last; i++) {                         \
            const int entry = fetch(&p->set##_list[i]);                                            \
            const int slot = entry / N_POSITIONS, k = entry % N_POSITIONS;                         \
            if (dat##_SLOTS >> slot & 1)                                                           \
                UNROLL for (int d = 0; d < dat##_DIM; d++) total[d] +=                             \
                    fetch(TEMPORARY(set, dat, slot, d, k));                                        \
        }                                                                                          \
        ADD_GLOBAL(dat, point, total)                                                              \
    }
    EACH_SUM(GATHER)
}

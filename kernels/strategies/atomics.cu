/* atomics: one thread an element, in the order of the plan; increments go straight to global
 * memory.
 *
 * TRANSPOSE 1: the lanes of a warp exchange their increments through ROW_BYTES of shared memory
 * each, so that consecutive lanes add the consecutive values of one point (FUN3D's shared-memory
 * transposition): for AoS one sector an element, not one a value. */
#if TRANSPOSE
/* Rows are an odd number of values apart, so that the lanes fall into different banks. */
#define ADD(set, dat, slot, values)                                                                \
    {                                                                                              \
        dat##_type *rows = (dat##_type *)warp;                                                     \
        const int width = dat##_DIM | 1;                                                           \
        warp_barrier(ALL_LANES);                                                                   \
        UNROLL for (int d = 0; d < dat##_DIM; d++)                                                 \
            store(&rows[lane() * width + d], active ? values[d] : (dat##_type)0);                  \
        store(&points[lane()], active ? e.set##_point[slot] : -1);                                 \
        warp_barrier(ALL_LANES);                                                                   \
        UNROLL for (int d = 0; d < dat##_DIM; d++) {                                               \
            const int v = d * WARP + lane(), point = load(&points[v / dat##_DIM]);                 \
            if (point >= 0)                                                                        \
                atomic_add(&p->dat[dat##_AT(point, v % dat##_DIM)],                                \
                           load(&rows[v / dat##_DIM * width + v % dat##_DIM]));                    \
        }                                                                                          \
    }
#else
#define ADD(set, dat, slot, values)                                                                \
    UNROLL for (int d = 0; d < dat##_DIM; d++) if (active && IS_POINT(set, e.set##_point[slot]))   \
        atomic_add(&p->dat[dat##_AT(e.set##_point[slot], d)], values[d]);
#endif

KERNEL(atomics) {
    const struct params *p = PARAMS;
    struct sums s;
    sums_clear(&s);
    const int k = block_index() * THREADS + thread_index();
    const int active = k < N_POSITIONS;
    struct element e;
    if (active) {
        const int i = ELEMENT_AT(p, k);
        find_points(p, &e, i);
        read_direct(p, &e, i);
        read_points(p, &e);
        compute(&e);
        write_direct(p, &e, i);
        sums_take(&s, &e);
    }
#if TRANSPOSE
    char *warp = shared_memory() + thread_index() / WARP * WARP * ROW_BYTES;
    int *points = (int *)(warp + WARP * (ROW_BYTES - (int)sizeof(int)));
#endif
    EACH_INCREMENT(ADD)
    sums_give(p, &s);
}

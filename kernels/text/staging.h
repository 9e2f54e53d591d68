/* staging.h: how the threads of a block move points between global and shared memory, together.
 *
 * Text for strategies, after the glue's. `block`, `p` and `shared` are the kernel's. Consecutive
 * threads take consecutive values of one point where the dat is AoS, consecutive points where it is
 * SoA. */

/* A bit field (kernels/text/bit_field.h) of an array of words. */
#define BITS_AT(word, at, bits) ((int)((word)[(at) / 32] >> (at) % 32 & ((1u << (bits)) - 1)))

#define SHARED_READ(set, dat, i, d) (&((dat##_type *)(shared + dat##_READ))[(d)*set##_STAGED + (i)])
#define SHARED_SUM(set, dat, i, d)                                                                 \
    (&((dat##_type *)(shared + SUM_START + dat##_SUM))[(d)*set##_STAGED + (i)])

/* A packed place of a point; -1 where the element has none there. */
#define PLACE_AT(set, word, at, bits)                                                              \
    (set##_PADDED && BITS_AT(word, at, bits) == (1 << (bits)) - 1 ? -1 : BITS_AT(word, at, bits))

/* Runs a statement for all values of the block's points: `i` the point's place among them, `d` the
 * component, `mark` where the point is stored or, where the plan marks the point for the strategy,
 * the complement of that. */
#define EACH_VALUE(set, dat, ...)                                                                  \
    {                                                                                              \
        const int first_point = fetch(&p->set##_point_offset[block]);                              \
        const int n_points = fetch(&p->set##_point_offset[block + 1]) - first_point;               \
        if (dat##_AOS) {                                                                           \
            TURNS(v, thread_index(), n_points * dat##_DIM, THREADS) {                              \
                const int i = v / dat##_DIM, d = v % dat##_DIM;                                    \
                const int mark = fetch(&p->set##_points[first_point + i]);                         \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
        } else {                                                                                   \
            TURNS(i, thread_index(), n_points, THREADS) {                                          \
                const int mark = fetch(&p->set##_points[first_point + i]);                         \
                UNROLL for (int d = 0; d < dat##_DIM; d++) {                                       \
                    __VA_ARGS__;                                                                   \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

/* The same for the points that the block increments. */
#define EACH_MARKED_VALUE(set, dat, ...)                                                           \
    EACH_VALUE(                                                                                    \
        set, dat, if (set##_INCREMENTS(p, first_point + i)) { __VA_ARGS__; })

#define COPY_IN(set, dat)                                                                          \
    EACH_VALUE(                                                                                    \
        set, dat,                                                                                  \
        store(SHARED_READ(set, dat, i, d), fetch(&p->dat[dat##_AT(mark < 0 ? ~mark : mark, d)])))

#define CLEAR(set, dat)                                                                            \
    for (int v = thread_index(); v < set##_STAGED * dat##_DIM; v += THREADS)                       \
        store(SHARED_SUM(set, dat, v, 0), 0);

#define ADD_SHARED(set, dat, slot, values)                                                         \
    UNROLL for (int d = 0; d < dat##_DIM; d++) if (IS_POINT(set, e.set##_local[slot]))             \
        plain_add(SHARED_SUM(set, dat, e.set##_local[slot], d), values[d]);

/* Adds to a point in global memory that no other thread adds to. All its values are loaded before
 * one is stored: a load behind a store waits for it, since both might be of one place. */
#define ADD_GLOBAL(dat, point, values)                                                             \
    {                                                                                              \
        dat##_type sum[dat##_DIM];                                                                 \
        UNROLL for (int d = 0; d < dat##_DIM; d++) sum[d] =                                        \
            load(&p->dat[dat##_AT(point, d)]) + values[d];                                         \
        UNROLL for (int d = 0; d < dat##_DIM; d++) store(&p->dat[dat##_AT(point, d)], sum[d]);     \
    }

#define COPY_OUT(set, dat)                                                                         \
    EACH_MARKED_VALUE(set, dat, STORE_SUM(dat, mark, d, load(SHARED_SUM(set, dat, i, d))))

/* Bringing what a later block will read from memory to the L2, by one thread, in whole pieces of 16
 * bytes. */
#if AHEAD > 0
#define BRING(dat, begin, end)                                                                     \
    {                                                                                              \
        const int from = (begin) / 4 * 4, n = ((end) + 3) / 4 * 4 - from;                          \
        const int bytes = n * (int)sizeof(dat##_type);                                             \
        if (n > 0 && dat##_AOS)                                                                    \
            prefetch_run(&p->dat[dat##_AT(from, 0)], bytes * dat##_DIM);                           \
        if (n > 0 && !dat##_AOS)                                                                   \
            UNROLL for (int d = 0; d < dat##_DIM; d++)                                             \
                prefetch_run(&p->dat[dat##_AT(from, d)], bytes);                                   \
    }

INLINE void bring_words(const void *array, int begin, int end) {
    const int from = (begin + 3) / 4 * 4, n = end / 4 * 4 - from;
    if (n > 0)
        prefetch_run((const int *)array + from, n * (int)sizeof(int));
}

#ifdef EACH_DIRECT
/* Points that are new to a block, no more than MOST_NEW: else they are stored in another order. */
#define MOST_NEW 2048
#define FIND_NEW(set)                                                                              \
    const int set##_from = fetch(&p->set##_frontier[ahead]);                                       \
    const int set##_end = fetch(&p->set##_frontier[ahead + 1]);                                    \
    const int set##_to = set##_end - set##_from <= MOST_NEW ? set##_end : set##_from;
#define BRING_NEW(set, dat)                                                                        \
    if (set##_to > set##_from)                                                                     \
    BRING(dat, set##_from, set##_to)
#define BRING_DIRECT(dat) BRING(dat, begin, end)

/* For block `ahead`, which has the elements from begin to end. */
INLINE void bring_elements(const struct params *p, int ahead, int begin, int end) {
    EACH_SET(FIND_NEW)
    if (ELEMENTS_IN_ORDER) {
        EACH_DIRECT(BRING_DIRECT)
    }
    EACH_READ(BRING_NEW)
    EACH_SUM(BRING_NEW)
    (void)p, (void)ahead, (void)begin, (void)end;
}
#endif
#endif

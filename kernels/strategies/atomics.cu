/* atomics: a thread computes ELEMENTS elements, one after the other, in the order of the plan, and
 * fetches meanwhile where the points of the next are; increments go straight to global memory.
 *
 * The lanes of a warp may work together first, one slot at a time, after FUN3D:
 *   AGGREGATE_UNSORTED   lanes with one point, wherever they are, sum up to the first of them
 *   AGGREGATE_SORTED     so do runs of neighbouring lanes: cheaper, and as good where the slot's
 *                        points are sorted
 *   TRANSPOSE_SHARED     consecutive lanes add the consecutive values of one point, for AoS one
 *                        sector an element, not one a value; through ROW_BYTES of shared memory a
 *                        lane, in which only the lanes that still give something have a row
 *   TRANSPOSE_SHUFFLES   the same without shared memory */
#if AGGREGATE_UNSORTED
/* Pairs of lanes of a group, then pairs of pairs: `others` are the lanes after this one whose sums
 * have not been taken yet. */
#define AGGREGATE(dat, point, sum)                                                                 \
    {                                                                                              \
        const unsigned same = match_any(ALL_LANES, point), before = same & ((1u << lane()) - 1);   \
        unsigned others = point < 0 ? 0 : same & ~before & ~(1u << lane());                        \
        int rank = count_lanes(before);                                                            \
        while (ballot(ALL_LANES, others != 0)) {                                                   \
            const int next = others ? lowest_lane(others) : lane();                                \
            UNROLL for (int d = 0; d < dat##_DIM; d++) {                                           \
                const dat##_type more = shuffle(ALL_LANES, sum[d], next);                          \
                sum[d] += others ? more : 0;                                                       \
            }                                                                                      \
            const unsigned stay = ballot(ALL_LANES, rank % 2 == 0);                                \
            others = rank % 2 ? 0 : others & stay;                                                 \
            rank /= 2;                                                                             \
        }                                                                                          \
        point = before ? -1 : point;                                                               \
    }
#elif AGGREGATE_SORTED
/* After the turn of `delta` a lane has the sum of its run's next 2 * delta lanes. */
#define AGGREGATE(dat, point, sum)                                                                 \
    {                                                                                              \
        const int left = shuffle(ALL_LANES, point, lane() > 0 ? lane() - 1 : 0);                   \
        const int begins = lane() == 0 || point != left;                                           \
        const unsigned later = ballot(ALL_LANES, begins) & ~1u << lane();                          \
        const int last = later ? lowest_lane(later) - 1 : WARP - 1;                                \
        for (int delta = 1; ballot(ALL_LANES, point >= 0 && lane() + delta <= last); delta *= 2)   \
            UNROLL for (int d = 0; d < dat##_DIM; d++) {                                           \
                const dat##_type more = shuffle_down(ALL_LANES, sum[d], delta);                    \
                sum[d] += lane() + delta <= last ? more : 0;                                       \
            }                                                                                      \
        point = begins ? point : -1;                                                               \
    }
#else
#define AGGREGATE(dat, point, sum)
#endif

#if TRANSPOSE_SHARED
/* Rows are an odd number of values apart, so that the lanes fall into different banks. */
#define GIVE(dat, point, sum)                                                                      \
    {                                                                                              \
        dat##_type *rows = (dat##_type *)warp;                                                     \
        const int width = dat##_DIM | 1;                                                           \
        const unsigned givers = ballot(ALL_LANES, point >= 0);                                     \
        const int row = count_lanes(givers & ((1u << lane()) - 1));                                \
        warp_barrier(ALL_LANES);                                                                   \
        if (point >= 0) {                                                                          \
            UNROLL for (int d = 0; d < dat##_DIM; d++) store(&rows[row * width + d], sum[d]);      \
            store(&points[row], point);                                                            \
        }                                                                                          \
        warp_barrier(ALL_LANES);                                                                   \
        UNROLL for (int d = 0; d < dat##_DIM; d++) {                                               \
            const int v = d * WARP + lane();                                                       \
            if (v < count_lanes(givers) * dat##_DIM)                                               \
                atomic_add(&p->dat[dat##_AT(load(&points[v / dat##_DIM]), v % dat##_DIM)],         \
                           load(&rows[v / dat##_DIM * width + v % dat##_DIM]));                    \
        }                                                                                          \
    }
#elif TRANSPOSE_SHUFFLES
/* Value v = q * DIM + c is component c of lane q, and goes to lane v % WARP as its value v / WARP.
 * In turn i every lane sends one value, each to another lane. Where DIM is odd that is c = i: the
 * places q * DIM + i are different modulo WARP. Else they repeat every TURN(dim) lanes, and each
 * such part of the warp is one component ahead of the part before, among COMMON(dim) of them. */
#define COMMON(dim) ((dim) % WARP == 0 ? WARP : (dim) & -(dim))
#define TURN(dim) (WARP / COMMON(dim))
/* An inverse of odd m modulo 64. */
#define INVERSE(m) ((unsigned)(m) * (2u - (unsigned)(m) * (unsigned)(m)))
#define GIVE(dat, point, sum)                                                                      \
    {                                                                                              \
        const int common = COMMON(dat##_DIM), turn = TURN(dat##_DIM);                              \
        dat##_type turned[dat##_DIM];                                                              \
        UNROLL for (int i = 0; i < dat##_DIM; i++) {                                               \
            const int c = i / common * common;                                                     \
            dat##_type mine = sum[c];                                                              \
            UNROLL for (int h = 1; h < common; h++) mine =                                         \
                (i + lane() / turn) % common == h ? sum[c + h] : mine;                             \
            const int part = (lane() + WARP * dat##_DIM - i) % common;                             \
            const unsigned at = (unsigned)(lane() / common + WARP - i / common) *                  \
                                INVERSE(dat##_DIM / common) % (unsigned)turn;                      \
            const int source = part * turn + (int)at;                                              \
            const dat##_type theirs = shuffle(ALL_LANES, mine, source);                            \
            const int place = (source * dat##_DIM + c + lane() % common) / WARP;                   \
            UNROLL for (int t = 0; t < dat##_DIM; t++) turned[t] =                                 \
                t == place ? theirs : turned[t];                                                   \
        }                                                                                          \
        UNROLL for (int t = 0; t < dat##_DIM; t++) {                                               \
            const int v = t * WARP + lane();                                                       \
            const int whose = shuffle(ALL_LANES, point, v / dat##_DIM);                            \
            if (whose >= 0)                                                                        \
                atomic_add(&p->dat[dat##_AT(whose, v % dat##_DIM)], turned[t]);                    \
        }                                                                                          \
    }
#else
#define GIVE(dat, point, sum)                                                                      \
    UNROLL for (int d = 0; d < dat##_DIM; d++) if (point >= 0)                                     \
        atomic_add(&p->dat[dat##_AT(point, d)], sum[d]);
#endif

#if AGGREGATE_UNSORTED || AGGREGATE_SORTED || TRANSPOSE_SHARED || TRANSPOSE_SHUFFLES
/* `point` is -1 in a lane that gives nothing. */
#define ADD(set, dat, slot, values)                                                                \
    {                                                                                              \
        dat##_type sum[dat##_DIM];                                                                 \
        int point = active ? e.set##_point[slot] : -1;                                             \
        UNROLL for (int d = 0; d < dat##_DIM; d++) sum[d] = active ? values[d] : (dat##_type)0;    \
        AGGREGATE(dat, point, sum)                                                                 \
        GIVE(dat, point, sum)                                                                      \
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
    int k = block_index() * THREADS * ELEMENTS + thread_index(), next_i = 0;
    struct element next;
    if (k < N_POSITIONS) {
        next_i = ELEMENT_AT(p, k);
        find_points(p, &next, next_i);
    }
#if TRANSPOSE_SHARED
    char *warp = shared_memory() + thread_index() / WARP * WARP * ROW_BYTES;
    int *points = (int *)(warp + WARP * (ROW_BYTES - (int)sizeof(int)));
#endif
    ONE_BY_ONE TURNS(turn, 0, ELEMENTS, 1) {
        const int active = k < N_POSITIONS, i = next_i;
        struct element e = next;
        k += THREADS;
        if (turn + 1 < ELEMENTS && k < N_POSITIONS) {
            next_i = ELEMENT_AT(p, k);
            find_points(p, &next, next_i);
        }
        if (active) {
            read_direct(p, &e, i);
            read_points(p, &e);
            compute(&e);
            write_direct(p, &e, i);
            sums_take(&s, &e);
        }
        EACH_INCREMENT(ADD)
    }
    sums_give(p, &s);
}

/* run_staging.h: how the threads of a block move points that are stored one behind the other to
 * shared memory, in pieces of 16 bytes, and others by a list; and elements' own values the same
 * way. Text for point_parallel.cu, after staging.h: `block`, `p`, `shared`, `first` and `n_own` are
 * the kernel's. */

/* What the block stages of a set: a run of points stored one behind the other, then others by a
 * list (no more than), whose first for each thread is known before any copy is under way; negative
 * where there is none. */
#define FIND_STAGED(set)                                                                           \
    const int set##_begin = set##_RUN_BEGIN(p, block), set##_end = set##_RUN_END(p, block);        \
    const int set##_list = set##_OTHERS_BEGIN(p, block);                                           \
    const int set##_n_others = set##_OTHERS_END(p, block) - set##_list;                            \
    const int set##_other =                                                                        \
        thread_index() < set##_n_others ? fetch(&p->set##_others[set##_list + thread_index()])     \
                                        : -1;
#define FIND_STAGED_SET(set, EACH_DAT) FIND_STAGED(set)

/* Where the run begins among the staged, and where the others do. */
#define RUN_PLACE(set) (set##_begin % 4)
#define OTHERS_PLACE(set) ((RUN_PLACE(set) + set##_end - set##_begin + 3) / 4 * 4)

/* Runs a statement for all values of n points, in the order of memory: `i` the point's number, `d`
 * the component, `point` where it is stored. */
#define EACH_IN_ROWS(dat, n, at, ...)                                                              \
    for (int v = thread_index(); v < (n)*dat##_DIM; v += THREADS) {                                \
        const int i = v / dat##_DIM, d = v % dat##_DIM;                                            \
        const int point = (at);                                                                    \
        __VA_ARGS__;                                                                               \
    }

/* Copies a run of one dat: columns in pieces of 16 bytes, from and to multiples of 4 elements. */
#define COPY_RUN(set, dat, SHARED)                                                                 \
    if (dat##_AOS) {                                                                               \
        EACH_IN_ROWS(dat, set##_end - set##_begin, set##_begin + i,                                \
                     async_copy(SHARED(set, dat, RUN_PLACE(set) + i, d),                           \
                                &p->dat[dat##_AT(point, d)]))                                      \
    } else {                                                                                       \
        const int in_piece = 16 / (int)sizeof(dat##_type), from = set##_begin - RUN_PLACE(set);    \
        for (int i = thread_index() * in_piece; i < set##_end - from; i += THREADS * in_piece)     \
            UNROLL for (int d = 0; d < dat##_DIM; d++)                                             \
                async_copy((struct piece *)SHARED(set, dat, i, d),                                 \
                           (const struct piece *)&p->dat[dat##_AT(from + i, d)]);                  \
    }

#define COPY_OTHER_COLUMNS(set, dat, SHARED)                                                       \
    if (!dat##_AOS)                                                                                \
        UNROLL for (int d = 0; d < dat##_DIM; d++)                                                 \
            async_copy(SHARED(set, dat, place, d), &p->dat[dat##_AT(point, d)]);

#define COPY_OTHER_ROWS(set, dat, SHARED)                                                          \
    if (dat##_AOS)                                                                                 \
        EACH_IN_ROWS(dat, set##_n_others, fetch(&p->set##_others[set##_list + i]),                 \
                     if (point >= 0) async_copy(SHARED(set, dat, OTHERS_PLACE(set) + i, d),        \
                                                &p->dat[dat##_AT(point, d)]))

#define READ_RUN(set, dat) COPY_RUN(set, dat, SHARED_READ)
#define READ_OTHER_COLUMNS(set, dat) COPY_OTHER_COLUMNS(set, dat, SHARED_READ)
#define READ_OTHER_ROWS(set, dat) COPY_OTHER_ROWS(set, dat, SHARED_READ)

/* Own points that are not stored one behind the other. */
#define READ_LISTED(set, dat)                                                                      \
    EACH_IN_ROWS(dat, n_own, OWN_AT(p, first + i),                                                 \
                 async_copy(SHARED_READ(set, dat, i, d), &p->dat[dat##_AT(point, d)]))

#define STAGE_RUN(set, EACH_DAT)                                                                   \
    if (set##_OWNED && !OWN_IN_ORDER) {                                                            \
        EACH_DAT(READ_LISTED)                                                                      \
    } else {                                                                                       \
        EACH_DAT(READ_RUN)                                                                         \
    }

#define STAGE_OTHERS(set, EACH_COLUMNS, EACH_ROWS)                                                 \
    for (int i = thread_index(); i < set##_n_others; i += THREADS) {                               \
        const int place = OTHERS_PLACE(set) + i;                                                   \
        const int point =                                                                          \
            i == thread_index() ? set##_other : fetch(&p->set##_others[set##_list + i]);           \
        if (point < 0)                                                                             \
            break;                                                                                 \
        EACH_COLUMNS                                                                               \
        (void)place;                                                                               \
    }                                                                                              \
    EACH_ROWS
#define STAGE_OTHERS_OF(set, EACH_DAT)                                                             \
    STAGE_OTHERS(set, EACH_DAT(READ_OTHER_COLUMNS), EACH_DAT(READ_OTHER_ROWS))

/* Elements' own values, the same way: they are the set `own`. */
#if STAGE_OWN
#define SHARED_OWN(set, dat, i, d) (&((dat##_type *)(shared + dat##_OWN))[(d)*ELEMENTS_STAGED + (i)])
#define READ_OWN_RUN(dat) COPY_RUN(own, dat, SHARED_OWN)
#define READ_OWN_COLUMNS(dat) COPY_OTHER_COLUMNS(own, dat, SHARED_OWN)
#define READ_OWN_ROWS(dat) COPY_OTHER_ROWS(own, dat, SHARED_OWN)

/* Where a staged element is stored. */
#define STORED(b, place)                                                                           \
    ((place) < (b)->others_place ? (b)->run + (place)                                              \
                                 : fetch(&p->own_others[(b)->list + (place) - (b)->others_place]))
#endif

/* block-colour: the paper's Algorithm 1. What the block's elements read and increment is staged in
 * shared memory; thread colours order the increments inside the block, one launch a block colour
 * those between blocks.
 *
 * A block's row says where its elements and points are; each element's colour and staged places lie
 * packed in a few words. Both, and what the elements own, are fetched before the copies are waited
 * for. Points that the block increments are staged first.
 *
 * STAGE_READS, STAGE_SUMS 1 or 0. COPY_ASYNC 1: by asynchronous copies; COPY_VECTORS 1: rows of AoS
 * in pieces of up to 16 bytes. PRELOAD 1: sums start from the old values, and leave as plain
 * stores; 0: they start from zero and are added. OVERLAY 1: they take the place of the copies that
 * were read, which needs every element of the block to be computed at once.
 *
 * WRITES_POINTS 1: some args write at points, in global memory, so that an element is computed when
 * its colour's turn has come. */
#define ROW(w) fetch(&p->block_row[(p->first + block_index()) * ROW_WORDS + (w)])

/* A set's points: where their list begins, how many, how many of them the block increments, and the
 * first that the thread copies. */
#define FIND_POINTS(set, EACH_DAT_READ, EACH_DAT_SUM, at)                                          \
    const int set##_begin = ROW(at), set##_n = ROW(at + 1), set##_n_sums = ROW(at + 2);            \
    const int set##_first =                                                                        \
        thread_index() < set##_n ? fetch(&p->set##_points[set##_begin + thread_index()]) : 0;      \
    (void)set##_n_sums, (void)set##_first;
#define POINT_AT(set, i)                                                                           \
    ((i) == thread_index() ? set##_first : fetch(&p->set##_points[set##_begin + (i)]))

/* A piece of a row, read or written at once: its bytes are a power of two that divides the row's.
 */
#define ROW_BYTES(dat) (dat##_DIM * (int)sizeof(dat##_type))
#define PIECE_BYTES(dat)                                                                           \
    (!COPY_VECTORS              ? (int)sizeof(dat##_type)                                          \
     : ROW_BYTES(dat) % 16 == 0 ? 16                                                               \
     : ROW_BYTES(dat) % 8 == 0  ? 8                                                                \
                                : (int)sizeof(dat##_type))
#define WIDTH(dat) (PIECE_BYTES(dat) / (int)sizeof(dat##_type))
#define PIECE(set, dat)                                                                            \
    struct dat##_piece {                                                                           \
        dat##_type value[WIDTH(dat)];                                                              \
    } __attribute__((aligned(PIECE_BYTES(dat))));
EACH_READ(PIECE)
EACH_SUM(PIECE)

/* Runs a statement for the pieces of n points' rows: `i` the point's place, `d` the piece's first
 * component, `point` where it is stored. */
#define EACH_PIECE(set, dat, n, ...)                                                               \
    if (dat##_AOS)                                                                                 \
        for (int v = thread_index(); v < (n)*ROW_BYTES(dat) / PIECE_BYTES(dat); v += THREADS) {    \
            const int i = v * WIDTH(dat) / dat##_DIM, d = v * WIDTH(dat) % dat##_DIM;              \
            const int point = fetch(&p->set##_points[set##_begin + i]);                            \
            __VA_ARGS__;                                                                           \
        }

#if COPY_ASYNC
#define COPY(to, from, get) async_copy(to, from)
#else
#define COPY(to, from, get) store(to, get(from))
#endif
#define COPY_COLUMNS(set, dat, shared_at, get)                                                     \
    if (!dat##_AOS)                                                                                \
        UNROLL for (int d = 0; d < dat##_DIM; d++)                                                 \
            COPY(shared_at(set, dat, i, d), &p->dat[dat##_AT(point, d)], get);
#define COPY_PIECE(set, dat, shared_at, get)                                                       \
    if (WIDTH(dat) == 1) {                                                                         \
        COPY(shared_at(set, dat, i, d), &p->dat[dat##_AT(point, d)], get);                         \
    } else {                                                                                       \
        const struct dat##_piece piece =                                                           \
            load((const struct dat##_piece *)&p->dat[dat##_AT(point, d)]);                         \
        UNROLL for (int w = 0; w < WIDTH(dat); w++)                                                \
            store(shared_at(set, dat, i, d + w), piece.value[w]);                                  \
    }

#define READ_COLUMNS(set, dat) COPY_COLUMNS(set, dat, SHARED_READ, fetch)
#define READ_ROWS(set, dat) EACH_PIECE(set, dat, set##_n, COPY_PIECE(set, dat, SHARED_READ, fetch))
#if PRELOAD
#define SUM_COLUMNS(set, dat) COPY_COLUMNS(set, dat, SHARED_SUM, load)
#define SUM_ROWS(set, dat)                                                                         \
    EACH_PIECE(set, dat, set##_n_sums, COPY_PIECE(set, dat, SHARED_SUM, load))
#else
#define SUM_COLUMNS(set, dat)
#define SUM_ROWS(set, dat)
#endif
#define STAGE(set, EACH_DAT_READ, EACH_DAT_SUM, at)                                                \
    for (int i = thread_index(); i < set##_n; i += THREADS) {                                      \
        const int point = POINT_AT(set, i);                                                        \
        EACH_DAT_READ(READ_COLUMNS)                                                                \
        if (i < set##_n_sums) {                                                                    \
            EACH_DAT_SUM(SUM_COLUMNS)                                                              \
        }                                                                                          \
        (void)point;                                                                               \
    }                                                                                              \
    EACH_DAT_READ(READ_ROWS)                                                                       \
    EACH_DAT_SUM(SUM_ROWS)

#if PRELOAD
#define GIVE_VALUE(p, v) store(p, v)
#define OLD_PIECE(piece)                                                                           \
    { 0 }
#else
#define GIVE_VALUE(p, v) plain_add(p, v)
#define OLD_PIECE(piece) load(piece)
#endif
#define GIVE_COLUMNS(set, dat)                                                                     \
    if (!dat##_AOS)                                                                                \
        UNROLL for (int d = 0; d < dat##_DIM; d++)                                                 \
            GIVE_VALUE(&p->dat[dat##_AT(point, d)], load(SHARED_SUM(set, dat, i, d)));
#define GIVE_PIECE(set, dat)                                                                       \
    if (WIDTH(dat) == 1) {                                                                         \
        GIVE_VALUE(&p->dat[dat##_AT(point, d)], load(SHARED_SUM(set, dat, i, d)));                 \
    } else {                                                                                       \
        struct dat##_piece *there = (struct dat##_piece *)&p->dat[dat##_AT(point, d)];             \
        struct dat##_piece piece = OLD_PIECE(there);                                               \
        UNROLL for (int w = 0; w < WIDTH(dat); w++) piece.value[w] +=                              \
            load(SHARED_SUM(set, dat, i, d + w));                                                  \
        store(there, piece);                                                                       \
    }
#define GIVE_ROWS(set, dat) EACH_PIECE(set, dat, set##_n_sums, GIVE_PIECE(set, dat))
/* A set without sums asks for no count of them. */
#define ONE_MORE(set, dat) +1
#define GIVE(set, EACH_DAT_READ, EACH_DAT_SUM, at)                                                 \
    for (int i = thread_index(); EACH_DAT_SUM(ONE_MORE) + 0 > 0 && i < set##_n_sums;               \
         i += THREADS) {                                                                           \
        const int point = POINT_AT(set, i);                                                        \
        EACH_DAT_SUM(GIVE_COLUMNS)                                                                 \
        (void)point;                                                                               \
    }                                                                                              \
    EACH_DAT_SUM(GIVE_ROWS)

/* What an element needs that no other thread brings; gives where it is stored. */
INLINE int begin_element(const struct params *p, struct element *e, unsigned *word, int k) {
    const int i = ELEMENT_AT(p, k);
    UNROLL for (int w = 0; w < PACKED_WORDS; w++) word[w] = fetch(&p->packed[PACKED_AT(w, k)]);
#if !STAGE_READS || !STAGE_SUMS || WRITES_POINTS
    find_points(p, e, i);
#endif
    read_direct(p, e, i);
#if !STAGE_READS
    read_points(p, e);
#endif
    return i;
}

#define FIND_LOCAL(set, slot, at, bits)                                                            \
    e.set##_local[slot] = BITS_AT(word, at, bits);                                                 \
    if (set##_PADDED && e.set##_local[slot] == (1 << (bits)) - 1)                                  \
        e.set##_local[slot] = -1;

#if STAGE_SUMS
#define ADD(set, dat, slot, values) ADD_SHARED(set, dat, slot, values)
#else
#define ADD(set, dat, slot, values)                                                                \
    if (IS_POINT(set, e.set##_point[slot]))                                                        \
    ADD_GLOBAL(dat, e.set##_point[slot], values)
#endif

KERNEL(block_colour) {
    const struct params *p = PARAMS;
    char *shared = shared_memory();
    struct sums s;
    struct element e;
    unsigned word[PACKED_WORDS];
    const int begin = ROW(0), n = ROW(1), n_colours = ROW(2);
    int place = thread_index(), i = 0;
    sums_clear(&s);
    EACH_STAGED_SET(FIND_POINTS)
    if (place < n)
        i = begin_element(p, &e, word, begin + place);
    EACH_STAGED_SET(STAGE)
#if STAGE_SUMS && !PRELOAD && !OVERLAY
    EACH_SUM(CLEAR)
#endif
#if COPY_ASYNC
    async_wait();
#endif
    barrier();
    for (int first = 0; first < n; first += THREADS, place += THREADS) {
        int colour = -1;
        if (first > 0 && place < n)
            i = begin_element(p, &e, word, begin + place);
        if (place < n) {
            colour = COLOUR_OF(word);
            EACH_LOCAL(FIND_LOCAL)
#if STAGE_READS
            read_staged(&e, shared);
#endif
#if !WRITES_POINTS
            compute(&e);
            write_direct(p, &e, i);
            sums_take(&s, &e);
#endif
        }
#if STAGE_SUMS && OVERLAY
        barrier();
        EACH_SUM(CLEAR)
        barrier();
#endif
        for (int c = 0; c < n_colours; c++) {
            if (colour == c) {
#if WRITES_POINTS
                read_changed(p, &e);
                compute(&e);
                write_points(p, &e);
                write_direct(p, &e, i);
                sums_take(&s, &e);
#endif
                EACH_INCREMENT(ADD)
            }
            barrier();
        }
    }
    EACH_STAGED_SET(GIVE)
    sums_give(p, &s);
    (void)shared;
}

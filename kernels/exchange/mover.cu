/* A mover carries values between dats of a store and the buffers of messages. A launch has several
 * dats, each in blocks of its own; row k of a dat is element row[k] of the store, and its values
 * lie from place[k] on in the buffer. */
#ifdef ONE_THREAD
#define FIRST_VALUE 0
#define VALUE_STEP 1
#else
#define FIRST_VALUE thread_index()
#define VALUE_STEP THREADS
#endif

/* The dat that a block is of. */
INLINE int dat_of(const struct params *p, int block) {
    int i = 0;
    while (i + 1 < p->n && block >= p->moved[i + 1].first_block)
        i++;
    return i;
}

/* The rows of its dat that come before those of the block. */
INLINE long long rows_before(const struct moved *m, int block) {
    return (long long)(block - m->first_block) * m->rows;
}

/* How many values the block has. */
INLINE int values_of(const struct moved *m, int block) {
    const long long left = m->count - rows_before(m, block);
    return (left < m->rows ? (int)left : m->rows) * m->dim;
}

INLINE long long row_of(const struct moved *m, int block, int v) {
    return m->first + rows_before(m, block) + v / m->dim;
}

/* Where value d of an element lies in its dat. */
INLINE long long place_in(const struct moved *m, long long element, int d) {
    return element * m->next_element + d * m->next_component;
}

/* Each value v of this thread, of row k of dat m. */
#define EACH_VALUE                                                                                 \
    const int block = block_index(), dat = dat_of(PARAMS, block);                                  \
    const struct moved *m = &PARAMS->moved[dat];                                                   \
    const int end = values_of(m, block);                                                           \
    TURNS(v, FIRST_VALUE, end, VALUE_STEP)

/* Values have 4 or 8 bytes, whatever they mean. */
#define COPY(to, to_place, from, from_place)                                                       \
    do {                                                                                           \
        if (m->type == INT || m->type == FLOAT)                                                    \
            store(&((int *)(to))[to_place], load(&((const int *)(from))[from_place]));             \
        else                                                                                       \
            store(&((long long *)(to))[to_place], load(&((const long long *)(from))[from_place])); \
    } while (0)

KERNEL(pack) {
    EACH_VALUE {
        const long long k = row_of(m, block, v);
        const int d = v % m->dim, place = fetch(&m->place[k]) + d;
        const long long from = place_in(m, fetch(&m->row[k]), d);
        COPY(m->buffer, place, m->dat, from);
    }
}

KERNEL(unpack) {
    EACH_VALUE {
        const long long k = row_of(m, block, v);
        const int d = v % m->dim, place = fetch(&m->place[k]) + d;
        const long long to = place_in(m, fetch(&m->row[k]), d);
        COPY(m->dat, to, m->buffer, place);
    }
}

/* To a row what lies at each of its places, in their order; rows are of different elements. */
#define ADD(type)                                                                                  \
    TURNS(j, fetch(&m->begin[k]), last, 1)                                                         \
        plain_add(&((type *)m->dat)[to], load(&((const type *)m->buffer)[fetch(&m->place[j]) + d]))

KERNEL(add) {
    EACH_VALUE {
        const long long k = row_of(m, block, v);
        const int d = v % m->dim, last = fetch(&m->begin[k + 1]);
        const long long to = place_in(m, fetch(&m->row[k]), d);
        if (m->type == INT)
            ADD(int);
        else if (m->type == FLOAT)
            ADD(float);
        else
            ADD(double);
    }
}

/* Gives all values of the elements first, first + 1, ... one value. */
KERNEL(fill) {
    EACH_VALUE {
        const long long to = place_in(m, row_of(m, block, v), v % m->dim);
        if (m->type == INT)
            store(&((int *)m->dat)[to], (int)m->value);
        else if (m->type == FLOAT)
            store(&((float *)m->dat)[to], (float)m->value);
        else
            store(&((double *)m->dat)[to], m->value);
    }
}

/* A mover carries rows of a dat, DIM values of TYPE each, between a store and the buffer of a
 * message. Row k of a launch is row `first + k` of the lists: element row[] of the store, from
 * place[] on in the buffer. */
#ifdef ONE_THREAD
#define FIRST_VALUE 0
#define VALUE_STEP 1
#else
#define FIRST_VALUE thread_index()
#define VALUE_STEP THREADS
#endif

/* Values that one block carries, from the launch's first row. */
INLINE int values_end(const struct params *p, int block) {
    const long long n = p->count * DIM - (long long)block * VALUES_A_BLOCK;
    return n < VALUES_A_BLOCK ? (int)n : VALUES_A_BLOCK;
}

INLINE long long row_of(const struct params *p, int block, int v) {
    return p->first + ((long long)block * VALUES_A_BLOCK + v) / DIM;
}

INLINE TYPE *value_at(const struct params *p, long long element, int d) {
    return &p->dat[element * p->next_element + d * p->next_component];
}

KERNEL(pack) {
    const struct params *p = PARAMS;
    const int end = values_end(p, block_index());
    TURNS(v, FIRST_VALUE, end, VALUE_STEP) {
        const long long k = row_of(p, block_index(), v);
        const int d = v % DIM;
        store(&p->buffer[fetch(&p->place[k]) + d], load(value_at(p, fetch(&p->row[k]), d)));
    }
}

KERNEL(unpack) {
    const struct params *p = PARAMS;
    const int end = values_end(p, block_index());
    TURNS(v, FIRST_VALUE, end, VALUE_STEP) {
        const long long k = row_of(p, block_index(), v);
        const int d = v % DIM;
        store(value_at(p, fetch(&p->row[k]), d), load(&p->buffer[fetch(&p->place[k]) + d]));
    }
}

/* As unpack, but adds; the rows of a launch are of different elements. */
KERNEL(add) {
    const struct params *p = PARAMS;
    const int end = values_end(p, block_index());
    TURNS(v, FIRST_VALUE, end, VALUE_STEP) {
        const long long k = row_of(p, block_index(), v);
        const int d = v % DIM;
        plain_add(value_at(p, fetch(&p->row[k]), d), load(&p->buffer[fetch(&p->place[k]) + d]));
    }
}

/* Gives all values of the elements first, first + 1, ... one value. */
KERNEL(fill) {
    const struct params *p = PARAMS;
    const int end = values_end(p, block_index());
    TURNS(v, FIRST_VALUE, end, VALUE_STEP)
        store(value_at(p, row_of(p, block_index(), v), v % DIM), (TYPE)p->value);
}

/* What a machine is measured by, in the words of simt.h. A portion is n values that lie together; in each
 * repeat a block works on its own one of them, or, where they are mixed, on any: what a multiprocessor's
 * first level still has of another block's is then hardly ever asked for. n is a multiple of 8 * THREADS, or a power of
 * two where numbers are random. All values are zero, but where `chase` finds the next one. */

enum { AT_ONCE = 8, LINE_VALUES = 16, SECTOR_VALUES = 4 };

INLINE unsigned long long *portion_of(const struct params *p, int block, long long repeat) {
    unsigned long long i = (unsigned long long)(repeat * p->blocks + block + 1);
    if (!p->mixed)
        return &p->values[block % p->portions * p->n];
    i = (i ^ i >> 15) * 0xd168aaad2d2b0f35ull;
    i = (i ^ i >> 29) * 0xaf723597f0d1b9e7ull;
    return &p->values[(long long)((i ^ i >> 32) % (unsigned long long)p->portions) * p->n];
}

/* A number below n, a power of two, that is another one in each turn of each thread. */
INLINE long long random_below(const struct params *p, int block, long long turn) {
    const unsigned long long i =
        (unsigned long long)((turn * p->blocks + block) * THREADS + thread_index());
    return (long long)((i * 0x9e3779b97f4a7c15ull) >> 24) & (p->n - 1);
}

/* Nothing that was computed may be left out. */
INLINE void keep(const struct params *p, unsigned long long sum) {
    if (sum == ~0ull)
        store(&p->values[0], sum);
}

KERNEL(read_portions) {
    const struct params *p = PARAMS;
    unsigned long long sum[AT_ONCE] = {0};
    for (long long r = 0; r < p->repeats; r++) {
        const unsigned long long *from = portion_of(p, block_index(), r);
        for (long long i = thread_index(); i < p->n; i += AT_ONCE * THREADS)
            UNROLL for (int j = 0; j < AT_ONCE; j++)
                sum[j] += load(&from[i + j * THREADS]);
    }
    for (int j = 1; j < AT_ONCE; j++)
        sum[0] += sum[j];
    keep(p, sum[0]);
}

KERNEL(write_portions) {
    const struct params *p = PARAMS;
    for (long long r = 0; r < p->repeats; r++) {
        unsigned long long *to = portion_of(p, block_index(), r);
        for (long long i = thread_index(); i < p->n; i += AT_ONCE * THREADS)
            UNROLL for (int j = 0; j < AT_ONCE; j++)
                store(&to[i + j * THREADS], 0ull);
    }
}

/* One sector of each of n lines. */
KERNEL(read_lines) {
    const struct params *p = PARAMS;
    unsigned long long sum = 0;
    for (long long r = 0; r < p->repeats; r++)
        UNROLL for (int j = 0; j < AT_ONCE; j++)
            sum += load(&p->values[random_below(p, block_index(), r * AT_ONCE + j) * LINE_VALUES]);
    keep(p, sum);
}

/* One value for all threads, again and again. */
KERNEL(read_same) {
    const struct params *p = PARAMS;
    unsigned long long sum = 0;
    for (long long r = 0; r < p->repeats; r++)
        UNROLL for (int j = 0; j < AT_ONCE; j++)
            sum += load(&p->values[(r * AT_ONCE + j) & (p->n - 1)]);
    keep(p, sum);
}

/* A value in each of n sectors. */
KERNEL(add_sectors) {
    const struct params *p = PARAMS;
    for (long long r = 0; r < p->repeats; r++)
        UNROLL for (int j = 0; j < AT_ONCE; j++)
            atomic_add(&p->sums[random_below(p, block_index(), r * AT_ONCE + j) * SECTOR_VALUES], 0.0);
}

/* n values by consecutive threads. */
KERNEL(add_rows) {
    const struct params *p = PARAMS;
    for (long long r = 0; r < p->repeats; r++)
        UNROLL for (int j = 0; j < AT_ONCE; j++)
            atomic_add(&p->sums[(((r * AT_ONCE + j) * p->blocks + block_index()) * THREADS + thread_index()) &
                                (p->n - 1)],
                       0.0);
}

KERNEL(chase) {
    const struct params *p = PARAMS;
    unsigned long long at = 0;
    if (thread_index() == 0)
        for (long long r = 0; r < p->repeats; r++)
            at = load(&p->values[at]);
    keep(p, at);
}

KERNEL(pass_barriers) {
    const struct params *p = PARAMS;
    for (long long r = 0; r < p->repeats; r++)
        barrier();
}

KERNEL(multiply) {
    const struct params *p = PARAMS;
    double a[AT_ONCE] = {0};
    for (long long r = 0; r < p->repeats; r++)
        UNROLL for (int j = 0; j < AT_ONCE; j++)
            a[j] = a[j] * 0.999 + 0.001;
    for (int j = 1; j < AT_ONCE; j++)
        a[0] += a[j];
    keep(p, a[0] < 0 ? ~0ull : 0);
}

KERNEL(nothing) {
    (void)PARAMS;
}

/* What is made of places, coordinates [n][dimension] of elements, in the words of simt.h: how far they extend, keys
 * along the Hilbert curve, blocks. One thread an element. */

/* The bits of a double that is a number such that they have its order; both zeros are one. */
INLINE unsigned long long ordered_bits(const struct params *p, long long at) {
    const unsigned long long sign = 1ull << 63, bits = load(&((const unsigned long long *)p->places)[at]);
    return bits == sign ? sign : bits & sign ? ~bits : bits | sign;
}

INLINE double coordinate_of(unsigned long long ordered) {
    const unsigned long long sign = 1ull << 63;
    union {
        unsigned long long bits;
        double x;
    } of;
    of.bits = ordered & sign ? ordered ^ sign : ~ordered;
    return of.x;
}

/* Extents [3][2] along each axis: the lowest word, inverted, and the highest; zeros before the first. */
INLINE void extend(unsigned long long *extents, int axis, unsigned long long word) {
    extents[2 * axis] = ~word > extents[2 * axis] ? ~word : extents[2 * axis];
    extents[2 * axis + 1] = word > extents[2 * axis + 1] ? word : extents[2 * axis + 1];
}

/* `shared`, of shared memory, becomes the extents of all threads of a team. */
INLINE void share_extents(struct team team, int dimension, const unsigned long long *extents, unsigned long long *shared) {
    if (rank_in(team) < 6)
        store(&shared[rank_in(team)], 0);
    barrier();
    UNROLL for (int k = 0; k < 6; k++)
        if (k < 2 * dimension) {
            unsigned long long most = extents[k];
            for (int lanes = WARP / 2; lanes > 0; lanes /= 2) {
                const unsigned long long other = shuffle_xor(ALL_LANES, most, lanes);
                most = other > most ? other : most;
            }
            if (lane() == 0)
                atomic_max(&shared[k], most);
        }
    barrier();
}

/* Those of all threads extend those at `to`, in global memory. */
INLINE void give_extents(const struct params *p, const unsigned long long *extents, unsigned long long *shared,
                         unsigned long long *to) {
    share_extents(whole_block(), (int)p->dimension, extents, shared);
    if (thread_index() < 2 * (int)p->dimension)
        atomic_max(&to[thread_index()], load(&shared[thread_index()]));
}

/* p->extents become those of all places. */
KERNEL(survey_places) {
    const struct params *p = PARAMS;
    unsigned long long extents[6] = {0, 0, 0, 0, 0, 0};
    for (long long e = ELEMENT(); e < p->n; e += p->n_surveyors * THREADS)
        UNROLL for (int d = 0; d < 3; d++)
            if (d < (int)p->dimension)
                extend(extents, d, ordered_bits(p, e * p->dimension + d));
    give_extents(p, extents, (unsigned long long *)shared_memory(), p->extents);
}

/* The square or cube around all places, halved, so that no difference of finite numbers overflows. */
struct frame {
    double low[3], side;
};

INLINE struct frame frame_of(const struct params *p) {
    struct frame frame = {{0, 0, 0}, 0};
    UNROLL for (int d = 0; d < 3; d++)
        if (d < (int)p->dimension) {
            frame.low[d] = 0.5 * coordinate_of(~load(&p->extents[2 * d]));
            const double extent = 0.5 * coordinate_of(load(&p->extents[2 * d + 1])) - frame.low[d];
            frame.side = extent > frame.side ? extent : frame.side;
        }
    return frame;
}

/* The dimension is a constant in each, by which all else is unrolled. */
INLINE unsigned long long hilbert_key_of(unsigned *x, int dimension, int bits) {
    return dimension == 3 ? hilbert_key(x, 3, bits) : dimension == 2 ? hilbert_key(x, 2, bits) : hilbert_key(x, 1, bits);
}

KERNEL(fill_hilbert_keys) {
    const struct params *p = PARAMS;
    const long long e = ELEMENT();
    const struct frame frame = frame_of(p);
    if (e >= p->n)
        return;
    unsigned x[3] = {0, 0, 0};
    UNROLL for (int d = 0; d < 3; d++)
        if (d < (int)p->dimension && frame.side > 0)
            x[d] = hilbert_cell(load(&p->places[e * p->dimension + d]), frame.low[d], frame.side, (int)p->bits);
    store(&p->keys[e], hilbert_key_of(x, (int)p->dimension, (int)p->bits));
    store(&p->ids[e], (int)e);
}

/* Where an element is among slabs. */
INLINE struct slabs slabs_around(const struct params *p, long long e, double place[3]) {
    struct slabs slabs = {(int)p->dimension, {0, 0, 0}, {0, 0, 0}, p->width};
    UNROLL for (int d = 0; d < 3; d++) {
        place[d] = 0;
        if (d < slabs.dimension) {
            slabs.low[d] = 0.5 * coordinate_of(~load(&p->extents[2 * d]));
            slabs.extent[d] = 0.5 * coordinate_of(load(&p->extents[2 * d + 1])) - slabs.low[d];
            place[d] = load(&p->places[e * slabs.dimension + d]);
        }
    }
    return slabs;
}

/* The slab and the strip of an element, as far as they are known, stand where its block will. */
INLINE unsigned numbers_of(const struct params *p, long long e) {
    return p->diagonal ? (unsigned)load(&p->block_of[e]) : 0;
}

KERNEL(fill_slab_keys) {
    const struct params *p = PARAMS;
    const long long e = ELEMENT();
    double place[3];
    if (e >= p->n)
        return;
    const struct slabs slabs = slabs_around(p, e, place);
    store(&p->keys[e], slab_key(&slabs, place, (int)p->diagonal, numbers_of(p, e)));
    store(&p->ids[e], (int)e);
}

KERNEL(number_slabs) {
    const struct params *p = PARAMS;
    const long long i = ELEMENT();
    double place[3];
    if (i >= p->n)
        return;
    const struct slabs slabs = slabs_around(p, load(&p->ids[slab_middle(i, p->n, p->block_size)]), place);
    const int e = load(&p->ids[i]);
    store(&p->block_of[e], (int)slab_number(&slabs, place, (int)p->diagonal, numbers_of(p, e)));
}

/* Every p->block_size places of an order are a block. */
KERNEL(fill_blocks) {
    const struct params *p = PARAMS;
    const long long i = ELEMENT();
    if (i < p->n)
        store(&p->block_of[load(&p->ids[i])], (int)(i / p->block_size));
}

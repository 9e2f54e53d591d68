/* What is made of places, coordinates [n][dimension] of elements, in the words of simt.h: a survey, keys along an
 * axis or along the Hilbert curve, ranks, blocks. One thread an element. */

#define ELEMENT() ((long long)block_index() * THREADS + thread_index())

/* The bits of a double that is a number such that they have its order; both zeros are one. */
INLINE unsigned long long ordered_bits(const struct params *p, long long at) {
    const unsigned long long sign = 1ull << 63, bits = load(&((const unsigned long long *)p->places)[at]);
    return bits == sign ? sign : bits & sign ? ~bits : bits | sign;
}

/* What the places of each warp's threads have along each axis: the lowest and the highest bits, and those that are
 * set in any and in all; p->survey [warps][dimension][4]. */
KERNEL(survey_places) {
    const struct params *p = PARAMS;
    const long long step = p->n_surveyors * THREADS, warp = ELEMENT() / WARP;
    for (int axis = 0; axis < (int)p->dimension; axis++) {
        unsigned long long low = ~0ull, high = 0, any = 0, all = ~0ull;
        for (long long e = ELEMENT(); e < p->n; e += step) {
            const unsigned long long bits = ordered_bits(p, e * p->dimension + axis);
            low = bits < low ? bits : low;
            high = bits > high ? bits : high;
            any |= bits;
            all &= bits;
        }
        for (int lanes = WARP / 2; lanes > 0; lanes /= 2) {
            const unsigned long long lower = shuffle_xor(ALL_LANES, low, lanes);
            const unsigned long long higher = shuffle_xor(ALL_LANES, high, lanes);
            low = lower < low ? lower : low;
            high = higher > high ? higher : high;
            any |= shuffle_xor(ALL_LANES, any, lanes);
            all &= shuffle_xor(ALL_LANES, all, lanes);
        }
        if (lane() == 0) {
            unsigned long long *survey = &p->survey[(warp * p->dimension + axis) * 4];
            store(&survey[0], low);
            store(&survey[1], high);
            store(&survey[2], any);
            store(&survey[3], all);
        }
    }
}

/* Keys along p->axis of elements in the order of p->ids, which begin as they are numbered: their coordinates, or
 * short ones, of KEY_BITS, which have their order but are the same for some that are near each other. */
KERNEL(fill_keys) {
    const struct params *p = PARAMS;
    const long long i = ELEMENT();
    if (i >= p->n)
        return;
    const int id = p->is_first ? (int)i : load(&p->ids[i]);
    const long long at = id * p->dimension + p->axis;
    const double cells = (double)((1ull << KEY_BITS) - 1);
    unsigned long long key = 0;
    if (!p->is_short)
        key = ordered_bits(p, at);
    else if (p->side > 0)
        key = (unsigned long long)((0.5 * load(&p->places[at]) - p->low_x) / p->side * cells);
    store(&p->keys[i], key);
    if (p->is_first)
        store(&p->ids[i], id);
}

/* Elements that have one short key lie side by side. A run of at most LONGEST_RUN of them is put in the order of
 * their coordinates, from p->ids to p->ids_out; a longer one stays, and *p->is_unsorted is 1 where it is not in that
 * order already. */
KERNEL(sort_runs) {
    const struct params *p = PARAMS;
    const long long i = ELEMENT();
    if (i >= p->n)
        return;
    const unsigned long long key = load(&p->keys[i]);
    const int id = load(&p->ids[i]);
    long long first = i, end = i + 1;
    while (first > 0 && i - first < LONGEST_RUN && load(&p->keys[first - 1]) == key)
        first--;
    while (end < p->n && end - first <= LONGEST_RUN && load(&p->keys[end]) == key)
        end++;
    long long to = i;
    if (end - first > 1) {
        const unsigned long long own = ordered_bits(p, id * p->dimension + p->axis);
        const int is_long = end - first > LONGEST_RUN;
        to = is_long ? i : first;
        for (long long j = is_long ? (i > first ? i - 1 : i) : first; j < (is_long ? i : end); j++) {
            const unsigned long long other = ordered_bits(p, load(&p->ids[j]) * p->dimension + p->axis);
            if (is_long && other > own)
                atomic_add(p->is_unsorted, 1);
            to += !is_long && (other < own || (other == own && j < i));
        }
    }
    store(&p->ids_out[to], id);
}

KERNEL(fill_hilbert_keys) {
    const struct params *p = PARAMS;
    const long long e = ELEMENT();
    if (e >= p->n)
        return;
    const double low[3] = {p->low_x, p->low_y, p->low_z};
    unsigned x[3] = {0, 0, 0};
    UNROLL for (int d = 0; d < 3; d++)
        if (d < (int)p->dimension && p->side > 0)
            x[d] = hilbert_cell(load(&p->places[e * p->dimension + d]), low[d], p->side, (int)p->bits);
    store(&p->keys[e], hilbert_key(x, (int)p->dimension, (int)p->bits));
    store(&p->ids[e], (int)e);
}

/* The elements in the order along p->axis, and their ranks there. */
KERNEL(keep_order) {
    const struct params *p = PARAMS;
    const long long i = ELEMENT();
    if (i >= p->n)
        return;
    const int id = load(&p->ids[i]);
    store(&p->order[p->axis * p->n + i], id);
    store(&p->ranks[p->axis * p->n + id], (int)i);
}

/* The lists of bisect.cu as one part has them. */
KERNEL(fill_lists) {
    const struct params *p = PARAMS;
    const long long i = ELEMENT();
    if (i >= p->n)
        return;
    for (int axis = 0; axis < (int)p->dimension; axis++) {
        const int id = load(&p->order[axis * p->n + i]);
        for (int k = 0; k < (int)p->dimension - 1; k++)
            store(&p->lists[(axis * (p->dimension - 1) + k) * p->n + i],
                  load(&p->ranks[(axis + 1 + k) % p->dimension * p->n + id]));
    }
}

/* Every p->block_size places of an order, or of the lists in its place, are a block. */
KERNEL(fill_blocks) {
    const struct params *p = PARAMS;
    const long long i = ELEMENT();
    if (i >= p->n)
        return;
    const int id = p->lists ? load(&p->order[p->n + load(&p->lists[i])]) : load(&p->ids[i]);
    store(&p->block_of[id], (int)(i / p->block_size));
}

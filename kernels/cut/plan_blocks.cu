/* How a plan is made of blocks, in the words of simt.h: elements in the order of their blocks, the distinct points that
 * each block reaches, ascending, and the place of each element's points among these.
 *
 * offsets [n_blocks + 1] elements of each block; later where it begins
 * taken [n_blocks]       those that lie there */

/* The block of an element; wrong ones are told, and are the first block. */
INLINE int block_at(const struct params *p, long long e) {
    const int block = load(&p->block_of[e]), is_wrong = block < 0 || block >= p->n_blocks;
    if (is_wrong)
        atomic_max(&p->faults[WRONG_BLOCK], 1u);
    return is_wrong ? 0 : block;
}

/* The block that executes an element for the point in its s-th slot, where blocks own points, unless it does so for
 * one before; else its own. -1: none. */
INLINE int executing_block(const struct params *p, long long e, int s) {
    if (e >= p->n || !p->owned_slots)
        return e < p->n ? block_at(p, e) : -1;
    const int *points = &p->owned_map[e * p->owned_slots];
    const int point = fetch(&points[s]), block = point < 0 || point >= p->n_points ? -1 : block_at(p, point);
    if (point >= p->n_points)
        atomic_max(&p->faults[WRONG_POINT], 1u);
    for (int t = 0; t < s && block >= 0; t++) {
        const int other = fetch(&points[t]);
        if (other >= 0 && other < p->n_points && block_at(p, other) == block)
            return -1;
    }
    return block;
}

#define EXECUTIONS() (p->owned_slots ? (int)p->owned_slots : 1) /* of an element, at most */

/* Of lanes with elements of one block the first one adds for all. */
KERNEL(count_elements) {
    const struct params *p = PARAMS;
    for (int s = 0; s < EXECUTIONS(); s++) {
        const int block = executing_block(p, ELEMENT(), s);
        const unsigned others = match_any(ALL_LANES, block);
        if (block >= 0 && lane() == lowest_lane(others))
            atomic_add(&p->offsets[block], count_lanes(others));
    }
}

/* Elements come to lie in their blocks, in any order, but for blocks that are taken over. */
KERNEL(place_elements) {
    const struct params *p = PARAMS;
    for (int s = 0; s < EXECUTIONS(); s++) {
        int block = executing_block(p, ELEMENT(), s), at = 0;
        if (block >= 0 && p->kept && load(&p->kept[block]))
            block = -1;
        const unsigned others = match_any(ALL_LANES, block);
        const int first = lowest_lane(others);
        if (block >= 0 && lane() == first)
            at = load(&p->offsets[block]) + atomic_take(&p->taken[block], count_lanes(others));
        at = shuffle(ALL_LANES, at, first);
        if (block >= 0)
            store(&p->executed_out[at + count_lanes(others & ((1u << lane()) - 1))], (int)ELEMENT());
    }
}

/* The block that is planned by this thread block: of a list, or of all. */
INLINE int planned_block(const struct params *p) {
    return p->touched_list ? load(&p->touched_list[block_index()]) : block_index();
}

/* By which an element lies in its block. */
INLINE int given_position(const struct params *p, int element) {
    return p->position ? fetch(&p->position[element]) : element;
}

KERNEL(order_elements) {
    const struct params *p = PARAMS;
    const int block = planned_block(p), begin = load(&p->offsets[block]);
    const int n_elements = load(&p->offsets[block + 1]) - begin, n = n_elements > CHUNK ? 0 : n_elements;
    const struct number_set set = open_numbers(n);
    int own[ITEMS];
    UNROLL for (int k = 0; k < ITEMS && k * THREADS < n; k++) {
        const int i = k * THREADS + thread_index();
        own[k] = i < n ? load(&p->executed_out[begin + i]) : -1;
        if (own[k] >= 0)
            put_number(&set, given_position(p, own[k]));
    }
    order_numbers(&set);
    UNROLL for (int k = 0; k < ITEMS && k * THREADS < n; k++)
        if (own[k] >= 0)
            store(&p->executed_out[begin + place_of_number(&set, given_position(p, own[k]))], own[k]);
}

KERNEL(give_offsets) {
    const struct params *p = PARAMS;
    if (ELEMENT() <= p->n_blocks)
        store(&p->offsets_out[ELEMENT()], load(&p->offsets[ELEMENT()]));
}

/* What the i-th reference of a block leads to, whose elements begin there; -1: to nothing. */
INLINE int reached_by(const struct params *p, int begin, int i) {
    const int n_slots = (int)p->n_slots;
    const long long element = load(&p->executed_out[begin + i / n_slots]);
    return fetch(&p->map[element * n_slots + i % n_slots]);
}

/* The points of a block go to p->points, at its first reference, and how many they are to p->values [n_blocks + 1]; of a
 * block with more than CHUNK references none does. */
KERNEL(list_points) {
    const struct params *p = PARAMS;
    const int block = planned_block(p), begin = load(&p->offsets[block]);
    const int n_elements = load(&p->offsets[block + 1]) - begin, is_large = n_elements > CHUNK / p->n_slots;
    const int n = is_large ? 0 : n_elements * (int)p->n_slots;
    const long long first = (long long)begin * p->n_slots;
    const struct number_set set = open_numbers(n);
    int own[ITEMS];
    unsigned are_new = 0; /* a bit each */
    if (is_large && thread_index() == 0)
        atomic_max(&p->faults[LARGE_BLOCK], 1u);
    UNROLL for (int k = 0; k < ITEMS && k * THREADS < n; k++) {
        const int i = k * THREADS + thread_index();
        own[k] = i < n ? reached_by(p, begin, i) : -1;
        are_new |= own[k] >= 0 && put_number(&set, own[k]) ? 1u << k : 0;
    }
    const int n_distinct = order_numbers(&set);
    UNROLL for (int k = 0; k < ITEMS && k * THREADS < n; k++) {
        const int i = k * THREADS + thread_index();
        const int place = own[k] >= 0 ? place_of_number(&set, own[k]) : 0xffff;
        if (are_new >> k & 1)
            store(&p->points[first + place], own[k]);
        if (i < n)
            store(&p->local_index[first + i], (unsigned short)place);
    }
    if (thread_index() == 0)
        store(&p->values[block], n_distinct);
}

/* The colours of a block's points, in shared memory. */
struct taken_colours {
    unsigned long long *taken; /* [CHUNK]: a bit for each colour of a point */
    unsigned *first;           /* [CHUNK]: the round and ~ of the first element without a colour there */
    int *n_left;               /* [1]: elements without one */
};

INLINE unsigned turn_of(int round, int e) {
    return (unsigned)round << 16 | (0xffff - e);
}

/* The least colour that is free at all points of an element, for which it is taken; -1: it is not the turn of the element,
 * for another one is first at one of them. */
INLINE int take_colour(const struct params *p, const struct taken_colours *of, const unsigned short *places, int round, int e) {
    unsigned long long used = 0;
    for (int s = 0; s < (int)p->n_slots; s++) {
        const int place = load(&places[s]);
        if (place == 0xffff)
            continue;
        if (load(&of->first[place]) != turn_of(round, e))
            return -1;
        used |= load(&of->taken[place]);
    }
    const int colour = bits_of(~used & (used + 1)) - 1; /* the least bit that `used` lacks */
    if (colour < 0)
        atomic_max(&p->faults[MANY_COLOURS], 1u);
    for (int s = 0; s < (int)p->n_slots && colour >= 0; s++) {
        const int place = load(&places[s]);
        if (place != 0xffff)
            store(&of->taken[place], load(&of->taken[place]) | 1ull << colour);
    }
    return colour < 0 ? 0 : colour;
}

/* Elements of a block that share a point get different colours, each the least that is free, as if one came after the
 * other: in each round those that are the first without a colour at all of their points. */
KERNEL(colour_elements) {
    const struct params *p = PARAMS;
    const int begin = load(&p->offsets[block_index()]), n = load(&p->offsets[block_index() + 1]) - begin;
    const unsigned short *places = &p->local_index[(long long)begin * p->n_slots];
    unsigned long long *taken = (unsigned long long *)shared_memory();
    unsigned *first = (unsigned *)(taken + CHUNK);
    const struct taken_colours of = {taken, first, (int *)(first + CHUNK)};
    int own[ITEMS];
    for (int i = thread_index(); i < n * (int)p->n_slots; i += THREADS) {
        store(&taken[i], 0);
        store(&first[i], 0);
    }
    if (thread_index() == 0)
        store(of.n_left, n);
    UNROLL for (int k = 0; k < ITEMS; k++)
        own[k] = k * THREADS + thread_index() < n ? -1 : 0;
    barrier();
    for (int round = 1; load(of.n_left) > 0; round++) {
        UNROLL for (int k = 0; k < ITEMS && k * THREADS < n; k++) {
            const int e = k * THREADS + thread_index();
            for (int s = 0; s < (int)p->n_slots && own[k] < 0; s++) {
                const int place = load(&places[e * p->n_slots + s]);
                if (place != 0xffff)
                    atomic_max(&first[place], turn_of(round, e));
            }
        }
        barrier();
        UNROLL for (int k = 0; k < ITEMS && k * THREADS < n; k++) {
            const int e = k * THREADS + thread_index();
            if (own[k] >= 0)
                continue;
            own[k] = take_colour(p, &of, &places[e * p->n_slots], round, e);
            if (own[k] >= 0)
                atomic_add(of.n_left, -1);
        }
        barrier();
    }
    UNROLL for (int k = 0; k < ITEMS; k++)
        if (k * THREADS + thread_index() < n)
            store(&p->colours[begin + k * THREADS + thread_index()], (unsigned short)own[k]);
}

/* Closes the gaps between the points of blocks, whose counts were scanned. */
KERNEL(pack_points) {
    const struct params *p = PARAMS;
    const int block = planned_block(p);
    const long long from = load(&p->offsets[block]) * p->n_slots;
    const int to = load(&p->values[block]), n = load(&p->values[block + 1]) - to;
    for (int i = thread_index(); i < n; i += THREADS)
        store(&p->points_out[to + i], load(&p->points[from + i]));
}

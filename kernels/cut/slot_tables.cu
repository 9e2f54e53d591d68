/* Tables of strategies that sum the increments of a block in shared memory, in the words of simt.h: which of its points a
 * block increments, where it stages them, and the words by which its elements find theirs.
 *
 * elements [n_blocks + 1]  where the elements of blocks begin, by position
 * offsets [n_blocks + 1]   where their points do
 * local_index              of elements by position, [n_slots] each; 0xffff: no point
 * incremented              a bit for each of these slots that is
 * staged_at                of points of blocks: where each is staged
 * flags                    of them: 1 where the block increments it
 * holders [n_points]       how many blocks increment each
 * marks [n_points]         the complement of the first of them; none: nobody asks */

struct plan_block {
    int begin, n;        /* its elements, by position */
    int first, n_points; /* its points */
};

INLINE struct plan_block open_plan_block(const struct params *p) {
    struct plan_block b;
    b.begin = fetch(&p->elements[block_index()]);
    b.n = fetch(&p->elements[block_index() + 1]) - b.begin;
    b.first = fetch(&p->offsets[block_index()]);
    b.n_points = fetch(&p->offsets[block_index() + 1]) - b.first;
    return b;
}

/* Where an element of the block finds its point of a slot. */
INLINE int place_in_block(const struct params *p, const struct plan_block *b, int element, int slot) {
    return fetch(&p->local_index[(b->begin + element) * p->n_slots + slot]);
}

INLINE int is_incremented_slot(const struct params *p, int slot) {
    return (int)(p->incremented >> slot & 1);
}

/* A bit for each of the block's points, in shared memory. */
INLINE unsigned *open_point_bits(void) {
    unsigned *bits = (unsigned *)shared_memory(); /* [CHUNK / WARP] */
    for (int w = thread_index(); w < CHUNK / WARP; w += THREADS)
        store(&bits[w], 0);
    barrier();
    return bits;
}

INLINE void set_bit(unsigned *bits, int i) {
    atomic_or(&bits[i / WARP], 1u << i % WARP);
}

INLINE int has_bit(const unsigned *bits, int i) {
    return load(&bits[i / WARP]) >> i % WARP & 1;
}

/* The points that a block increments; `most` becomes 1 where some block has one that it does not. */
KERNEL(mark_incremented) {
    const struct params *p = PARAMS;
    const struct plan_block b = open_plan_block(p);
    const int n_slots = (int)p->n_slots;
    unsigned *bits = open_point_bits();
    for (int i = thread_index(); i < b.n * n_slots; i += THREADS) {
        const int place = place_in_block(p, &b, i / n_slots, i % n_slots);
        if (is_incremented_slot(p, i % n_slots) && place != 0xffff)
            set_bit(bits, place);
    }
    barrier();
    for (int i = thread_index(); i < b.n_points; i += THREADS) {
        store(&p->flags[b.first + i], (unsigned char)has_bit(bits, i));
        if (has_bit(bits, i)) {
            const int point = fetch(&p->points[b.first + i]);
            atomic_add(&p->holders[point], 1);
            if (p->marks)
                atomic_max(&p->marks[point], ~(unsigned)block_index());
        } else
            atomic_max(&p->most[0], 1u);
    }
}

/* Whether a point is another block's, where blocks own them, of pairs of them (`map`) the block of their row; or several
 * blocks increment it, and this is not the first of them where that is asked. */
INLINE int is_marked(const struct params *p, int point) {
    if (p->owners)
        return fetch(&p->owners[p->map ? fetch(&p->map[2ll * point]) : point]) != block_index();
    return p->holders && load(&p->holders[point]) > 1 &&
           !(p->marks && load(&p->marks[point]) == ~(unsigned)block_index());
}

/* Where staged points are stored, complemented where they are marked, and their flags where these are asked for. */
KERNEL(put_staged_points) {
    const struct params *p = PARAMS;
    const struct plan_block b = open_plan_block(p);
    for (int i = thread_index(); i < b.n_points; i += THREADS) {
        const int point = fetch(&p->points[b.first + i]), stored = stored_point(p, b.first + i);
        const int at = b.first + fetch(&p->staged_at[b.first + i]);
        store(&p->points_out[at], is_marked(p, point) ? ~stored : stored);
        if (p->flags_out)
            store(&p->flags_out[at], fetch(&p->flags[b.first + i]));
    }
}

/* One past the highest point, as stored, that a block has. */
KERNEL(find_frontiers) {
    const struct params *p = PARAMS;
    const struct plan_block b = open_plan_block(p);
    unsigned *most = (unsigned *)shared_memory(), own = 0; /* [1] */
    if (thread_index() == 0)
        store(most, 0);
    barrier();
    for (int i = thread_index(); i < b.n_points; i += THREADS) {
        const unsigned end = (unsigned)stored_point(p, b.first + i) + 1;
        own = end > own ? end : own;
    }
    atomic_max(most, own);
    barrier();
    if (thread_index() == 0)
        store(&p->most[block_index()], load(most));
}

/* Points that the block increments come first, each kind as stored; staged_out: where each is staged then;
 * n_first [n_blocks]: how many those are. */
KERNEL(put_incremented_first) {
    const struct params *p = PARAMS;
    const struct plan_block b = open_plan_block(p);
    unsigned *bits = open_point_bits();
    int *before = (int *)(bits + CHUNK / WARP); /* [CHUNK / WARP]: incremented points before those of a word */
    int *parts = before + CHUNK / WARP, n;
    for (int i = thread_index(); i < b.n_points; i += THREADS)
        if (fetch(&p->flags[b.first + i]))
            set_bit(bits, fetch(&p->staged_at[b.first + i]));
    barrier();
    const int w = thread_index(), count = w < CHUNK / WARP ? count_lanes(load(&bits[w])) : 0;
    const int sum = sum_before_in_block(count, parts, &n);
    if (w < CHUNK / WARP)
        store(&before[w], sum);
    barrier();
    for (int i = thread_index(); i < b.n_points; i += THREADS) {
        const int position = fetch(&p->staged_at[b.first + i]), word = position / WARP;
        const int rank = load(&before[word]) + count_lanes(load(&bits[word]) & ((1u << position % WARP) - 1));
        const int at = has_bit(bits, position) ? rank : n + position - rank;
        store(&p->staged_out[b.first + i], at);
        store(&p->points_out[b.first + at], stored_point(p, b.first + i));
    }
    if (thread_index() == 0)
        store(&p->n_first[block_index()], n);
}

/* The colours of increments through one slot, by a warp: how many of the block's elements before have the same point there.
 * Gives one past the highest. */
INLINE int colour_slot(const struct params *p, const struct plan_block *b, int slot, int *counts) {
    int n_colours = 0;
    for (int i = lane(); i < b->n_points; i += WARP)
        store(&counts[i], 0);
    warp_barrier(ALL_LANES);
    for (int first = 0; first < b->n; first += WARP) {
        const int element = first + lane();
        const int place = element < b->n ? place_in_block(p, b, element, slot) : 0xffff;
        const unsigned same = match_any(ALL_LANES, place);
        const int start = place != 0xffff ? load(&counts[place]) : 0;
        const int colour = start + count_lanes(same & ((1u << lane()) - 1));
        warp_barrier(ALL_LANES);
        if (place != 0xffff) {
            store(&p->colours[slot * p->n + b->begin + element], (unsigned short)colour);
            n_colours = colour >= n_colours ? colour + 1 : n_colours;
            if (lane() == lowest_lane(same))
                store(&counts[place], start + count_lanes(same));
        }
        warp_barrier(ALL_LANES);
    }
    return n_colours;
}

/* colours [n_slots][n]: of elements by position; most [n_slots]: one past the highest of each slot. */
KERNEL(colour_slots) {
    const struct params *p = PARAMS;
    const struct plan_block b = open_plan_block(p);
    const int warp = thread_index() / WARP;
    int *counts = (int *)shared_memory() + warp * p->n_staged; /* [WARPS][n_staged] */
    for (int slot = warp; slot < (int)p->n_slots; slot += WARPS)
        if (is_incremented_slot(p, slot))
            atomic_max(&p->most[slot], (unsigned)colour_slot(p, &b, slot, counts));
}

INLINE void add_to_word(const struct params *p, int k, int at, unsigned value) {
    unsigned *word = &p->words[at / WARP * p->stride + k];
    store(word, load(word) | value << at % WARP);
}

/* Where elements find their points of slot `slot`, `bits` from bit `at` of their words on; in which colours they increment
 * them, at colour_at, where there are colours. */
KERNEL(put_field) {
    const struct params *p = PARAMS;
    const struct plan_block b = open_plan_block(p);
    for (int i = thread_index(); i < b.n; i += THREADS) {
        const int place = p->staged_at ? place_in_block(p, &b, i, (int)p->slot) : 0;
        const unsigned none = (1u << p->bits) - 1;
        if (p->staged_at)
            add_to_word(p, b.begin + i, (int)p->at, place == 0xffff ? none : (unsigned)fetch(&p->staged_at[b.first + place]));
        if (p->colours)
            add_to_word(p, b.begin + i, (int)p->colour_at, fetch(&p->colours[b.begin + i]));
    }
}

/* Whether this block is the one, of those that execute an element, which owns the first point that it increments. */
KERNEL(find_homes) {
    const struct params *p = PARAMS;
    const struct plan_block b = open_plan_block(p);
    for (int i = thread_index(); i < b.n; i += THREADS) {
        int place = 0xffff;
        for (int slot = 0; slot < (int)p->n_slots && place == 0xffff; slot++)
            if (is_incremented_slot(p, slot))
                place = place_in_block(p, &b, i, slot);
        const int owner = fetch(&p->owners[fetch(&p->points[b.first + place])]); /* an element has one */
        store(&p->flags_out[b.begin + i], (unsigned char)(owner == block_index()));
    }
}

/* Of each slot of elements by position, to keys: where the point that it increments is stored, or n_points; to ids: slot * n
 * + position. holders [n_points + 1]: how many increments each point has. */
KERNEL(key_increments) {
    const struct params *p = PARAMS;
    const struct plan_block b = open_plan_block(p);
    const int n_slots = (int)p->n_slots;
    for (int i = thread_index(); i < b.n * n_slots; i += THREADS) {
        const int element = i / n_slots, slot = i % n_slots, place = place_in_block(p, &b, element, slot);
        const int is_one = is_incremented_slot(p, slot) && place != 0xffff;
        const int point = is_one ? stored_point(p, b.first + place) : (int)p->n_points;
        const long long at = (long long)b.begin * n_slots + i;
        store(&p->keys[at], (unsigned long long)point);
        store(&p->ids[at], slot * (int)p->n + b.begin + element);
        if (is_one)
            atomic_add(&p->holders[point], 1);
    }
}

/* Where the points of elements are stored, to map_out: slot by slot, `stride` elements each as `executed` has them; stride 0:
 * in rows. */
KERNEL(index_points) {
    const struct params *p = PARAMS;
    const struct plan_block b = open_plan_block(p);
    const int n_slots = (int)p->n_slots;
    for (int i = thread_index(); i < b.n * n_slots; i += THREADS) {
        const int slot = i % n_slots, place = place_in_block(p, &b, i / n_slots, slot);
        const int position = b.begin + i / n_slots;
        const long long stored = p->executed ? fetch(&p->executed[position]) : position;
        const long long at = p->stride ? slot * p->stride + stored : stored * n_slots + slot;
        store(&p->map_out[at], place == 0xffff ? -1 : stored_point(p, b.first + place));
    }
}

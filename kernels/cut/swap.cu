/* How blocks swap elements so that they reach fewer points, in the words of simt.h: groups of neighbouring blocks, one
 * by each thread block, in shared memory (partitioners/swap.h tells the rule, swap_rule.h has its numbers).
 *
 * ids [n]             elements in the order of their blocks, `block_size` each
 * values [n_blocks]   elements of each that were placed; later the group of each
 * taken [groups]      blocks of each
 * members [n_blocks]  blocks in the order of their groups, `group_blocks` each
 * map [n][n_slots]    the points of elements, distinct; below 0: none
 * temperatures, waits tables of the host */

/* Elements come to lie in their blocks, in any order. */
KERNEL(place_in_blocks) {
    const struct params *p = PARAMS;
    if (ELEMENT() >= p->n)
        return;
    const int block = load(&p->block_of[ELEMENT()]);
    store(&p->ids[block * p->block_size + atomic_take(&p->values[block], 1)], (int)ELEMENT());
}

INLINE int block_elements(const struct params *p, long long block) {
    const long long left = p->n - block * p->block_size;
    return (int)(left < p->block_size ? left : p->block_size);
}

/* The elements of a block, CHUNK at most, ascend. */
KERNEL(sort_block) {
    const struct params *p = PARAMS;
    int *const ids = (int *)shared_memory(), *const from = &p->ids[block_index() * p->block_size];
    const int n = block_elements(p, block_index());
    int size = 1;
    while (size < n)
        size *= 2;
    for (int i = thread_index(); i < size; i += THREADS)
        store(&ids[i], i < n ? load(&from[i]) : NO_WORD);
    sort_in_block(ids, size);
    for (int i = thread_index(); i < n; i += THREADS)
        store(&from[i], load(&ids[i]));
}

/* Where the centres of blocks lie in the frame of a round. */
KERNEL(place_centres) {
    const struct params *p = PARAMS;
    const long long block = ELEMENT();
    const int dimension = (int)p->dimension;
    if (block >= p->n_blocks)
        return;
    const int n = block_elements(p, block);
    double sum[3] = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        const long long id = load(&p->ids[block * p->block_size + i]);
        UNROLL for (int d = 0; d < 3; d++)
            if (d < dimension)
                sum[d] += swap_share(fetch(&p->places[id * dimension + d]));
    }
    UNROLL for (int d = 0; d < 3; d++)
        sum[d] /= n;
    for (int d = 0; d < dimension; d++)
        store(&p->gathered[block * dimension + d], swap_along(sum, dimension, (int)p->round, d));
}

/* Blocks come to lie in their groups, in any order. */
KERNEL(place_in_groups) {
    const struct params *p = PARAMS;
    if (ELEMENT() >= p->n_blocks)
        return;
    const int group = load(&p->made[ELEMENT()]);
    store(&p->members[group * p->group_blocks + atomic_take(&p->taken[group], 1)], (int)ELEMENT());
}

/* The blocks of a group, by a thread, ascend. */
KERNEL(sort_groups) {
    const struct params *p = PARAMS;
    const long long first = ELEMENT() * p->group_blocks, left = p->n_blocks - first;
    const int n = (int)(left < p->group_blocks ? left : p->group_blocks);
    for (int i = 1; i < n; i++) { /* insertion sort */
        const int block = load(&p->members[first + i]);
        int at = i;
        for (; at > 0 && load(&p->members[first + at - 1]) > block; at--)
            store(&p->members[first + at], load(&p->members[first + at - 1]));
        store(&p->members[first + at], block);
    }
}

/* A group, in shared memory: its blocks' elements side by side, and what they reach, under numbers of its own. */
struct group {
    int n_blocks, n, n_slots, block_size, n_points;
    unsigned *any;          /* [SWAP_POINTS]: the blocks that reach a point, a bit each; before, as the next, a hash table */
    unsigned *several;      /* [SWAP_POINTS]: those that do so by two elements or more */
    unsigned *first;        /* [SWAP_POINTS]: the pair that comes first there */
    unsigned *best;         /* [SWAP_DIRECTIONS]: of each direction from block to block and try, what an element gains */
    int *ids;               /* [SWAP_POSITIONS]; -1: no element, at the end of the last block */
    int *parts;             /* [WARPS] */
    unsigned short *places; /* [n][n_slots] */
};

INLINE struct group group_in(const struct params *p, char *shared) {
    struct group g;
    const long long left = p->n_blocks - block_index() * p->group_blocks;
    g.n_blocks = (int)(left < p->group_blocks ? left : p->group_blocks);
    g.block_size = (int)p->block_size;
    g.n = g.n_blocks * g.block_size;
    g.n_slots = (int)p->n_slots;
    g.n_points = 0;
    g.any = (unsigned *)shared;
    g.several = g.any + SWAP_POINTS;
    g.first = g.several + SWAP_POINTS;
    g.best = g.first + SWAP_POINTS;
    g.ids = (int *)(g.best + SWAP_DIRECTIONS);
    g.parts = g.ids + SWAP_POSITIONS;
    g.places = (unsigned short *)(g.parts + WARPS);
    return g;
}

/* Where the i-th position of a group is among those of all blocks. */
INLINE long long position_of(const struct params *p, const struct group *g, int i) {
    const int block = load(&p->members[block_index() * p->group_blocks + i / g->block_size]);
    return (long long)block * g->block_size + i % g->block_size;
}

/* The slot of a point in the table, where it is put. */
INLINE int slot_of_point(int *table, int point) {
    int slot = (int)(swap_mix((unsigned)point) & (SWAP_TABLE - 1));
    for (int there; (there = atomic_claim(&table[slot], point + 1)) != 0 && there != point + 1;)
        slot = (slot + 1) & (SWAP_TABLE - 1);
    return slot;
}

/* Brings the elements of a group and numbers their points, in any order. */
INLINE void bring_group(const struct params *p, struct group *g) {
    int *const table = (int *)g->any;
    int n_points = 0;
    for (int i = thread_index(); i < SWAP_TABLE; i += THREADS)
        store(&table[i], 0);
    barrier();
    for (int i = thread_index(); i < g->n; i += THREADS) {
        const long long at = position_of(p, g, i);
        const int id = at < p->n ? load(&p->ids[at]) : -1;
        store(&g->ids[i], id);
        for (int s = 0; s < g->n_slots; s++) {
            const int point = id < 0 ? -1 : fetch(&p->map[(long long)id * g->n_slots + s]);
            store(&g->places[i * g->n_slots + s], (unsigned short)(point < 0 ? SWAP_NO_PLACE : slot_of_point(table, point)));
        }
    }
    barrier();
    for (int row = 0; row < SWAP_TABLE; row += THREADS) {
        int more;
        const int is_taken = load(&table[row + thread_index()]) != 0;
        const int before = sum_before_in_block(is_taken, g->parts, &more);
        store(&table[row + thread_index()], n_points + before);
        n_points += more;
    }
    barrier();
    for (int i = thread_index(); i < g->n * g->n_slots; i += THREADS) {
        const int slot = load(&g->places[i]);
        if (slot != SWAP_NO_PLACE)
            store(&g->places[i], (unsigned short)load(&table[slot]));
    }
    g->n_points = n_points;
    barrier();
}

/* Which blocks reach each point, by one element or more. */
INLINE void mark_holders(const struct group *g) {
    for (int i = thread_index(); i < g->n_points; i += THREADS) {
        store(&g->any[i], 0);
        store(&g->several[i], 0);
    }
    barrier();
    for (int i = thread_index(); i < g->n; i += THREADS) {
        const unsigned own = 1u << i / g->block_size;
        for (int s = 0; s < g->n_slots; s++) {
            const int place = load(&g->places[i * g->n_slots + s]);
            if (place != SWAP_NO_PLACE && atomic_or(&g->any[place], own) & own)
                atomic_or(&g->several[place], own);
        }
    }
    barrier();
}

/* The points that blocks reach, in all. */
INLINE int count_reached(const struct group *g) {
    int n = 0, total;
    for (int i = thread_index(); i < g->n_points; i += THREADS)
        n += count_lanes(load(&g->any[i]));
    sum_before_in_block(n, g->parts, &total);
    return total;
}

/* One of the bits, any of them where `turn`, in [0, WARP), is. */
INLINE int bit_from(unsigned bits, int turn) {
    const unsigned turned = bits >> turn | bits << ((WARP - turn) & (WARP - 1));
    return (lowest_lane(turned) + turn) & (WARP - 1);
}

/* Blocks that lack the fewest points of an element, and what it costs to go there; 0: none has its points. */
INLINE unsigned cheapest_blocks(const struct group *g, int i, int *cost) {
    const unsigned own = 1u << i / g->block_size;
    unsigned some = 0, lack[SWAP_LACKS]; /* blocks that lack so many points at most */
    int goes = 0;
    UNROLL for (int k = 0; k < SWAP_LACKS; k++)
        lack[k] = ~0u;
    for (int s = 0; s < g->n_slots; s++) {
        const int place = load(&g->places[i * g->n_slots + s]);
        if (place == SWAP_NO_PLACE)
            continue;
        const unsigned any = load(&g->any[place]);
        some |= any & ~own;
        goes += !(load(&g->several[place]) & own);
        UNROLL for (int k = SWAP_LACKS - 1; k > 0; k--)
            lack[k] = (lack[k] & any) | lack[k - 1];
        lack[0] &= any;
    }
    unsigned to = 0;
    UNROLL for (int k = SWAP_LACKS - 1; k >= 0; k--)
        if (lack[k] & some) {
            to = lack[k] & some;
            *cost = k - goes;
        }
    return to;
}

/* Each element says what it gains by going where that costs least; of each direction and try the most is kept. */
INLINE void propose(const struct params *p, const struct group *g, int step) {
    const int temperature = fetch(&p->temperatures[step - 1]);
    for (int i = thread_index(); i < g->n; i += THREADS) {
        int cost = 0;
        const unsigned to = cheapest_blocks(g, i, &cost);
        if (!to)
            continue;
        const unsigned drawn = swap_draw((unsigned)p->seed, step, load(&g->ids[i]));
        const int direction = i / g->block_size * g->n_blocks + bit_from(to, (int)(drawn >> 27));
        const int gain = temperature * fetch(&p->waits[drawn % SWAP_WAITS]) / SWAP_WAITS - cost * SWAP_UNIT;
        atomic_max(&g->best[direction * SWAP_TRIES + (int)(drawn >> 8) % SWAP_TRIES], swap_key(gain, i));
    }
    barrier();
}

/* Two elements that would change places. */
struct pair {
    int first, second; /* positions; -1: there are none */
    unsigned turn;     /* the greatest comes first */
};

INLINE struct pair pair_at(const struct params *p, const struct group *g, int step, int at) {
    struct pair pair = {-1, -1, 0};
    const int from = at / SWAP_TRIES / g->n_blocks, to = at / SWAP_TRIES % g->n_blocks;
    if (from >= to)
        return pair;
    const unsigned there = load(&g->best[at]), back = load(&g->best[(to * g->n_blocks + from) * SWAP_TRIES + at % SWAP_TRIES]);
    if (!swap_pays(there, back))
        return pair;
    pair.first = swap_position(there);
    pair.second = swap_position(back);
    pair.turn = swap_turn((unsigned)p->seed, step, at);
    return pair;
}

/* Whether a pair comes first at all points of an element. */
INLINE int is_first(const struct group *g, int i, unsigned turn) {
    int is = 1;
    for (int s = 0; s < g->n_slots; s++) {
        const int place = load(&g->places[i * g->n_slots + s]);
        is = is && (place == SWAP_NO_PLACE || load(&g->first[place]) == turn);
    }
    return is;
}

INLINE int share_a_point(const struct group *g, struct pair pair) {
    int share = 0;
    for (int s = 0; s < g->n_slots; s++)
        for (int t = 0; t < g->n_slots; t++) {
            const int place = load(&g->places[pair.first * g->n_slots + s]);
            share |= place != SWAP_NO_PLACE && place == load(&g->places[pair.second * g->n_slots + t]);
        }
    return share;
}

INLINE void claim_places(const struct group *g, int i, unsigned turn) {
    for (int s = 0; s < g->n_slots; s++) {
        const int place = load(&g->places[i * g->n_slots + s]);
        if (place != SWAP_NO_PLACE)
            atomic_max(&g->first[place], turn);
    }
}

INLINE void change_places(const struct group *g, struct pair pair) {
    const int id = load(&g->ids[pair.first]);
    store(&g->ids[pair.first], load(&g->ids[pair.second]));
    store(&g->ids[pair.second], id);
    for (int s = 0; s < g->n_slots; s++) {
        unsigned short *const a = &g->places[pair.first * g->n_slots + s], *const b = &g->places[pair.second * g->n_slots + s];
        const unsigned short place = load(a);
        store(a, load(b));
        store(b, place);
    }
}

/* Pairs that have no point in common change places at once. */
INLINE void swap_pairs(const struct params *p, const struct group *g, int step) {
    const int n = g->n_blocks * g->n_blocks * SWAP_TRIES;
    for (int at = thread_index(); at < n; at += THREADS) {
        const struct pair pair = pair_at(p, g, step, at);
        if (pair.first >= 0) {
            claim_places(g, pair.first, pair.turn);
            claim_places(g, pair.second, pair.turn);
        }
    }
    barrier();
    for (int at = thread_index(); at < n; at += THREADS) {
        const struct pair pair = pair_at(p, g, step, at);
        if (pair.first >= 0 && is_first(g, pair.first, pair.turn) && is_first(g, pair.second, pair.turn) && !share_a_point(g, pair))
            change_places(g, pair);
    }
    barrier();
}

KERNEL(swap_elements) {
    const struct params *p = PARAMS;
    struct group g = group_in(p, shared_memory());
    bring_group(p, &g);
    if (g.n_points > SWAP_POINTS)
        return;
    for (int i = thread_index(); i < g.n_points; i += THREADS)
        store(&g.first[i], 0);
    mark_holders(&g);
    const int before = count_reached(&g);
    for (int step = 1; step <= SWAP_STEPS; step++) {
        for (int i = thread_index(); i < g.n_blocks * g.n_blocks * SWAP_TRIES; i += THREADS)
            store(&g.best[i], 0);
        barrier();
        propose(p, &g, step);
        swap_pairs(p, &g, step);
        mark_holders(&g);
    }
    if (count_reached(&g) > before)
        return;
    for (int i = thread_index(); i < g.n; i += THREADS)
        if (load(&g.ids[i]) >= 0)
            store(&p->ids[position_of(p, &g, i)], load(&g.ids[i]));
}

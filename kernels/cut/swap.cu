/* How blocks swap elements so that they reach fewer points, in the words of simt.h: groups of neighbouring blocks, one
 * by each thread block, in shared memory (partitioners/swap.h tells the rule, swap_rule.h has its numbers).
 *
 * ids [n]             elements in the order of their blocks, `block_size` each
 * values [n_blocks]   elements of each that were placed; later the group of each
 * taken [groups]      blocks of each
 * members [n_blocks]  blocks in the order of their groups, `group_blocks` each
 * map [n][n_slots]    the points of elements, distinct; below 0: none */

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

/* The places and points of the elements of the first p->n_values positions, side by side. */
KERNEL(take_sample) {
    const struct params *p = PARAMS;
    const long long i = ELEMENT();
    if (i >= p->n_values)
        return;
    const long long id = load(&p->ids[i]);
    for (int d = 0; d < (int)p->dimension; d++)
        store(&p->gathered[i * p->dimension + d], fetch(&p->places[id * p->dimension + d]));
    for (int s = 0; s < (int)p->n_slots; s++)
        store(&p->map_out[i * p->n_slots + s], fetch(&p->map[id * p->n_slots + s]));
}

/* Places of p->n_values elements, scaled along each axis. */
KERNEL(scale_places) {
    const struct params *p = PARAMS;
    const double scale[3] = {p->scale_x, p->scale_y, p->scale_z};
    const long long first = ELEMENT() * p->dimension;
    UNROLL for (int d = 0; d < 3; d++)
        if (ELEMENT() < p->n_values && d < (int)p->dimension)
            store(&p->gathered[first + d], load(&p->places[first + d]) * scale[d]);
}

/* Where the centres of some of the blocks' elements lie in the frame of a round. */
KERNEL(place_centres) {
    const struct params *p = PARAMS;
    const long long block = ELEMENT();
    const int dimension = (int)p->dimension;
    if (block >= p->n_blocks)
        return;
    const int n = block_elements(p, block), each = (n + SWAP_SEEN - 1) / SWAP_SEEN;
    double sum[3] = {0, 0, 0};
    for (int i = 0; i < n; i += each) {
        const long long id = load(&p->ids[block * p->block_size + i]);
        UNROLL for (int d = 0; d < 3; d++)
            if (d < dimension)
                sum[d] += swap_share(fetch(&p->places[id * dimension + d]));
    }
    UNROLL for (int d = 0; d < 3; d++)
        sum[d] /= (n + each - 1) / each;
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
    sort_few(&p->members[first], (int)(left < p->group_blocks ? left : p->group_blocks));
}

/* A group, in shared memory: its blocks' elements and what these reach, under numbers of its own. */
struct group {
    int n_blocks, n, n_slots, block_size, n_points;
    unsigned seed;
    int *parts;               /* [WARPS] */
    int *count;               /* of points; then of active elements */
    unsigned *marks;          /* [swap_points]: the blocks that reach a point, a bit each, and above these those that do so by two elements
                                 or more; before, as all up to the spots, a hash table */
    unsigned *first;          /* [swap_points]: the pair that comes first there */
    unsigned *best;           /* [SWAP_DIRECTIONS]: of each direction from block to block and try, what an element gains */
    unsigned *is_active;      /* [SWAP_POSITIONS / WARP]: elements that had a point of another block, a bit each */
    unsigned short *begins;   /* [swap_points + 1]: of each point's elements */
    unsigned short *active;   /* [n] */
    unsigned short *elements; /* [n][n_slots]: those of each point */
    unsigned short *spots;    /* [n]: the block of each element * SWAP_LONGEST + where in it */
    unsigned short *places;   /* [n][n_slots]: the points of each */
};

INLINE struct group group_in(const struct params *p, int n_slots, char *shared) {
    struct group g;
    const long long left = p->n_blocks - block_index() * p->group_blocks;
    g.n_blocks = (int)(left < p->group_blocks ? left : p->group_blocks);
    g.block_size = (int)p->block_size;
    g.n = g.n_blocks * g.block_size;
    g.n_slots = n_slots;
    g.n_points = 0;
    g.seed = swap_seed((int)p->round, (unsigned)block_index());
    g.parts = (int *)shared;
    g.count = g.parts + WARPS;
    g.marks = (unsigned *)(g.count + 1);
    g.first = g.marks + swap_points(n_slots);
    g.best = g.first + swap_points(n_slots);
    g.is_active = g.best + SWAP_DIRECTIONS;
    g.begins = (unsigned short *)(g.is_active + SWAP_POSITIONS / WARP);
    g.active = g.begins + swap_points(n_slots) + 1;
    g.elements = g.active + SWAP_POSITIONS;
    g.spots = g.elements + g.n * g.n_slots;
    g.places = g.spots + SWAP_POSITIONS;
    return g;
}

/* Where a spot of a group is among those of all blocks; groups that are counted have blocks as they come. */
INLINE long long position_of(const struct params *p, const struct group *g, int spot) {
    const long long at = block_index() * p->group_blocks + spot / SWAP_LONGEST;
    return (p->round < 0 ? at : (long long)load(&p->members[at])) * g->block_size + spot % SWAP_LONGEST;
}

/* The element at a position; -1: none, at the end of the last block. */
INLINE int element_in(const struct params *p, long long position) {
    return position < p->n ? load(&p->ids[position]) : -1;
}

/* The slot of a point in the table, where it is put. */
INLINE int slot_of_point(int *table, int size, int point) {
    int slot = (int)(swap_mix((unsigned)point) & (unsigned)(size - 1));
    for (int there; (there = atomic_claim(&table[slot], point + 1)) != 0 && there != point + 1;)
        slot = (slot + 1) & (size - 1);
    return slot;
}

/* Brings the elements of a group and numbers their points, in any order. */
INLINE void bring_group(const struct params *p, struct group *g) {
    int *const table = (int *)g->marks;
    int size = 1;
    while (size < g->n * g->n_slots)
        size *= 2;
    for (int i = thread_index(); i < size; i += THREADS)
        store(&table[i], 0);
    if (thread_index() == 0)
        store(g->count, 0);
    barrier();
    for (int i = thread_index(); i < g->n; i += THREADS) {
        const int spot = i / g->block_size * SWAP_LONGEST + i % g->block_size;
        const int id = element_in(p, position_of(p, g, spot));
        store(&g->spots[i], (unsigned short)spot);
        for (int s = 0; s < g->n_slots; s++) {
            const int point = id < 0 ? -1 : fetch(&p->map[(long long)id * g->n_slots + s]);
            store(&g->places[i * g->n_slots + s], (unsigned short)(point < 0 ? SWAP_NO_PLACE : slot_of_point(table, size, point)));
        }
    }
    barrier();
    for (int i = thread_index(); i < size; i += THREADS)
        if (load(&table[i]))
            store(&table[i], atomic_take(g->count, 1));
    barrier();
    g->n_points = load(g->count);
    for (int i = thread_index(); i < g->n * g->n_slots; i += THREADS) {
        const int slot = load(&g->places[i]);
        if (slot != SWAP_NO_PLACE)
            store(&g->places[i], (unsigned short)load(&table[slot]));
    }
    barrier();
}

/* Which elements each point has, in any order. */
INLINE void list_by_points(const struct group *g) {
    int n = 0;
    for (int i = thread_index(); i < g->n_points; i += THREADS)
        store(&g->first[i], 0);
    barrier();
    for (int i = thread_index(); i < g->n * g->n_slots; i += THREADS)
        if (load(&g->places[i]) != SWAP_NO_PLACE)
            atomic_take(&g->first[load(&g->places[i])], 1);
    barrier();
    for (int row = 0; row <= g->n_points; row += THREADS) {
        const int at = row + thread_index();
        int more;
        const int before = sum_before_in_block(at < g->n_points ? (int)load(&g->first[at]) : 0, g->parts, &more);
        if (at <= g->n_points)
            store(&g->begins[at], (unsigned short)(n + before));
        n += more;
    }
    barrier();
    for (int i = thread_index(); i < g->n; i += THREADS)
        for (int s = 0; s < g->n_slots; s++) {
            const int place = load(&g->places[i * g->n_slots + s]);
            if (place != SWAP_NO_PLACE)
                store(&g->elements[load(&g->begins[place]) + atomic_take(&g->first[place], -1u) - 1], (unsigned short)i);
        }
    barrier();
}

/* Which blocks reach a point; where these are several its elements become active. */
INLINE void mark_point(const struct group *g, int point) {
    const int begin = load(&g->begins[point]), end = load(&g->begins[point + 1]);
    unsigned any = 0, several = 0;
    for (int k = begin; k < end; k++) {
        const unsigned own = 1u << load(&g->spots[load(&g->elements[k])]) / SWAP_LONGEST;
        several |= any & own;
        any |= own;
    }
    store(&g->marks[point], several << SWAP_BLOCKS | any);
    for (int k = begin; any & (any - 1) && k < end; k++) {
        const int i = load(&g->elements[k]);
        const unsigned bit = 1u << i % WARP;
        if (!(atomic_or(&g->is_active[i / WARP], bit) & bit))
            store(&g->active[atomic_take(g->count, 1)], (unsigned short)i);
    }
}

INLINE void mark_all_points(const struct group *g) {
    list_by_points(g);
    for (int i = thread_index(); i < SWAP_DIRECTIONS; i += THREADS)
        store(&g->best[i], 0);
    if (thread_index() < SWAP_POSITIONS / WARP)
        store(&g->is_active[thread_index()], 0);
    if (thread_index() == 0)
        store(g->count, 0);
    barrier();
    for (int i = thread_index(); i < g->n_points; i += THREADS)
        mark_point(g, i);
    barrier();
}

/* The points that blocks reach, in all. */
INLINE int count_reached(const struct group *g) {
    int n = 0, total;
    for (int i = thread_index(); i < g->n_points; i += THREADS)
        n += count_lanes(load(&g->marks[i]) % (1u << SWAP_BLOCKS));
    sum_before_in_block(n, g->parts, &total);
    return total;
}

/* One of the bits, any of them where `turn`, in [0, WARP), is. */
INLINE int bit_from(unsigned bits, int turn) {
    const unsigned turned = bits >> turn | bits << ((WARP - turn) & (WARP - 1));
    return (lowest_lane(turned) + turn) & (WARP - 1);
}

/* Blocks that lack the fewest points of an element, and what it costs to go there; 0: none has its points. */
INLINE unsigned cheapest_blocks(const struct group *g, int i, int home, int *cost) {
    unsigned some = 0, lack[SWAP_LACKS]; /* blocks that lack so many points at most */
    int goes = 0;
    UNROLL for (int k = 0; k < SWAP_LACKS; k++)
        lack[k] = ~0u;
    for (int s = 0; s < g->n_slots; s++) {
        const int place = load(&g->places[i * g->n_slots + s]);
        if (place == SWAP_NO_PLACE)
            continue;
        const unsigned marks = load(&g->marks[place]);
        some |= marks;
        goes += !(marks >> home >> SWAP_BLOCKS & 1);
        UNROLL for (int k = SWAP_LACKS - 1; k > 0; k--)
            lack[k] = (lack[k] & marks) | lack[k - 1];
        lack[0] &= marks;
    }
    some &= ((1u << SWAP_BLOCKS) - 1) & ~(1u << home);
    unsigned to = 0;
    UNROLL for (int k = SWAP_LACKS - 1; k >= 0; k--)
        if (lack[k] & some) {
            to = lack[k] & some;
            *cost = k - goes;
        }
    return to;
}

/* Each active element says what it gains by going where that costs least; of each direction and try the most is kept. */
INLINE void propose(const struct group *g, int step) {
    const int n = load(g->count);
    for (int at = thread_index(); at < n; at += THREADS) {
        const int i = load(&g->active[at]), home = load(&g->spots[i]) / SWAP_LONGEST;
        int cost = 0;
        const unsigned to = cheapest_blocks(g, i, home, &cost);
        if (!to)
            continue;
        const unsigned drawn = swap_draw(g->seed, step, i);
        const int direction = home * SWAP_BLOCKS + bit_from(to, (int)(drawn >> 27));
        atomic_max(&g->best[direction * SWAP_TRIES + (int)(drawn >> 8) % SWAP_TRIES], swap_key(swap_gain(step, drawn, cost), i));
    }
    barrier();
}

/* Two blocks and a try, of which a thread looks after one. */
struct direction {
    int at, back; /* where the best of each direction are; -1: of none */
};

INLINE struct direction direction_of(const struct group *g) {
    struct direction none = {-1, -1};
    const int of_pair = thread_index() % SWAP_TRIES;
    int from = thread_index() / SWAP_TRIES, to = 1;
    for (; from >= to && to < g->n_blocks; to++)
        from -= to;
    if (to >= g->n_blocks)
        return none;
    struct direction one = {(from * SWAP_BLOCKS + to) * SWAP_TRIES + of_pair, (to * SWAP_BLOCKS + from) * SWAP_TRIES + of_pair};
    return one;
}

/* Two elements that would change places. */
struct pair {
    int first, second; /* -1: there are none */
    unsigned turn;     /* the greatest comes first */
};

INLINE struct pair pair_of(const struct group *g, int step, struct direction one) {
    struct pair pair = {-1, -1, 0};
    const unsigned best = one.at < 0 ? 0 : load(&g->best[one.at]), best_back = one.at < 0 ? 0 : load(&g->best[one.back]);
    if (!swap_pays(best, best_back))
        return pair;
    pair.first = swap_element(best);
    pair.second = swap_element(best_back);
    pair.turn = swap_turn(g->seed, step, one.at);
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
    const unsigned short spot = load(&g->spots[pair.first]);
    store(&g->spots[pair.first], load(&g->spots[pair.second]));
    store(&g->spots[pair.second], spot);
    for (int t = 0; t < 2; t++)
        for (int s = 0; s < g->n_slots; s++) {
            const int place = load(&g->places[(t ? pair.second : pair.first) * g->n_slots + s]);
            if (place != SWAP_NO_PLACE)
                mark_point(g, place);
        }
}

/* Pairs that have no point in common change places at once. */
INLINE void swap_pairs(const struct group *g, int step, struct direction one) {
    const struct pair pair = pair_of(g, step, one);
    if (pair.first >= 0) {
        claim_places(g, pair.first, pair.turn);
        claim_places(g, pair.second, pair.turn);
    }
    if (one.at >= 0) {
        store(&g->best[one.at], 0);
        store(&g->best[one.back], 0);
    }
    barrier();
    if (pair.first >= 0 && is_first(g, pair.first, pair.turn) && is_first(g, pair.second, pair.turn) && !share_a_point(g, pair))
        change_places(g, pair);
    barrier();
}

/* Of each group the points that its blocks reach. */
KERNEL(count_reached_points) {
    const struct params *p = PARAMS;
    struct group g = group_in(p, (int)p->n_slots, shared_memory());
    bring_group(p, &g);
    int n = g.n * g.n_slots;
    if (g.n_points <= swap_points(g.n_slots)) {
        mark_all_points(&g);
        n = count_reached(&g);
    }
    if (thread_index() == 0)
        store(&p->taken[block_index()], n);
}

INLINE void swap_group(const struct params *p, int n_slots) {
    struct group g = group_in(p, n_slots, shared_memory());
    int ids[ITEMS];
    bring_group(p, &g);
    if (g.n_points > swap_points(n_slots))
        return;
    mark_all_points(&g);
    const struct direction one = direction_of(&g);
    const int before = count_reached(&g);
    for (int step = 1; step <= SWAP_STEPS; step++) {
        propose(&g, step);
        swap_pairs(&g, step, one);
    }
    if (count_reached(&g) > before)
        return;
    UNROLL for (int k = 0; k < ITEMS; k++) {
        const int i = k * THREADS + thread_index();
        ids[k] = i < g.n ? element_in(p, position_of(p, &g, i / g.block_size * SWAP_LONGEST + i % g.block_size)) : -1;
    }
    barrier();
    UNROLL for (int k = 0; k < ITEMS; k++)
        if (ids[k] >= 0)
            store(&p->ids[position_of(p, &g, load(&g.spots[k * THREADS + thread_index()]))], ids[k]);
}

/* Most elements have two points: loops over these are unrolled. */
KERNEL(swap_elements) {
    const struct params *p = PARAMS;
    if (p->n_slots == 2)
        swap_group(p, 2);
    else
        swap_group(p, (int)p->n_slots);
}

/* How a part of at most PART_ITEMS elements a thread is bisected to the end by one block, in shared memory, by the numbers
 * of keys, in the words of simt.h: a team counts the elements of a part in bins of its extent, ITEMS a thread, puts them
 * before, into and behind the bin in which the part is cut, and divides the bin's own exactly (select_cut.cu). So many
 * registers that four blocks share a multiprocessor. */

#undef LAUNCH_BOUNDS
#define LAUNCH_BOUNDS __launch_bounds__(THREADS, 4)

/* What it needs there. */
struct small_part {
    struct selection *selections; /* [TEAMS] */
    unsigned long long *room;     /* [4][THREADS] */
    unsigned long long *keys;     /* [p->tile], as ids, in the order of parts */
    int *ids;
};

INLINE struct small_part small_part_in(const struct params *p, char *shared) {
    struct small_part part;
    part.selections = (struct selection *)shared;
    part.room = (unsigned long long *)(part.selections + TEAMS);
    part.keys = part.room + 4 * THREADS;
    part.ids = (int *)(part.keys + p->tile);
    return part;
}

/* What a team divides: n elements, the first `half` of them in order from the others; 0: nothing. Each warp has rows of
 * them that lie one behind the other. */
struct small_pile {
    unsigned long long *keys;
    int *ids;
    int n, half, level, rows;
};

INLINE int place_in_row(struct team team, const struct small_pile *of, int row) {
    return (rank_in(team) / WARP * of->rows + row) * WARP + lane();
}

/* s->boxes become that of all of a team's keys, and its bins are empty. */
INLINE void survey_keys(int axes, struct team team, const struct small_pile *of, const unsigned long long *keys, int *bins,
                        struct selection *s) {
    const int t = rank_in(team);
    unsigned box[6] = {0, 0, 0, 0, 0, 0};
    UNROLL for (int i = 0; i < PART_ITEMS; i++)
        if (i < of->rows && place_in_row(team, of, i) < of->n)
            UNROLL for (int d = 0; d < 3; d++)
                if (d < axes) {
                    const unsigned number = number_of(axes, keys[i], d);
                    box[2 * d] = ~number > box[2 * d] ? ~number : box[2 * d];
                    box[2 * d + 1] = number > box[2 * d + 1] ? number : box[2 * d + 1];
                }
    UNROLL for (int b = 0; b < ITEMS; b++)
        store(&bins[b * team.size + t], 0);
    if (t < 6)
        store(&s->boxes[t], 0);
    if (t < 3)
        store(&s->taken[t], 0);
    if (t == 0)
        store(&s->differ, 0);
    barrier();
    UNROLL for (int k = 0; k < 6; k++)
        if (k < 2 * axes) {
            unsigned most = box[k];
            for (int lanes = WARP / 2; lanes > 0; lanes /= 2) {
                const unsigned other = shuffle_xor(ALL_LANES, most, lanes);
                most = other > most ? other : most;
            }
            if (lane() == 0)
                atomic_max(&s->boxes[k], most);
        }
    barrier();
}

/* The axis along which a team's elements are cut; where parts of teams have no clear longest side, s->extents are found. */
INLINE int axis_of_team(const struct params *p, int axes, const struct pile *pile, const struct small_pile *of,
                        const unsigned long long *keys, struct selection *s) {
    unsigned long long extents[6] = {0, 0, 0, 0, 0, 0};
    unsigned box[6];
    int is_unclear = 0;
    if (p->in_turns)
        return of->level % (int)p->dimension;
    for (int i = 0; i < pile->n_teams; i++)
        is_unclear |= longest_side(p, pile->selections[i].boxes) < 0;
    const int side = longest_side(p, s->boxes);
    if (!is_unclear)
        return side;
    UNROLL for (int k = 0; k < 6; k++)
        box[k] = load(&s->boxes[k]);
    UNROLL for (int i = 0; i < PART_ITEMS; i++)
        if (side < 0 && i < of->rows && place_in_row(pile->team, of, i) < of->n)
            extend_at_sides(p, axes, box, keys[i], &of->ids[place_in_row(pile->team, of, i)], extents);
    share_extents(pile->team, (int)p->dimension, extents, s->extents);
    return side < 0 ? longest_axis(p, s->extents) : side;
}

/* s->low, s->high become the numbers of the bin with the cut, s->before, s->n_inside the elements before it and inside. */
INLINE void choose_bin(struct team team, int half, const struct window *w, const int *bins, struct selection *s) {
    const int first = rank_in(team) * ITEMS;
    int counts[ITEMS], sum = 0, total;
    UNROLL for (int b = 0; b < ITEMS; b++) {
        counts[b] = load(&bins[first + b]);
        sum += counts[b];
    }
    int before = sum_before_in_team(team, sum, s->parts, &total);
    if (total == 0 && first == 0) {
        set_window(s, 0, 0, 0);
        store(&s->before, 0);
        store(&s->n_inside, 0);
    }
    UNROLL for (int b = 0; b < ITEMS; b++) {
        if (before <= half && half < before + counts[b]) {
            const unsigned low = w->low + ((unsigned)(first + b) << w->shift), last = (1u << w->shift) - 1;
            store(&s->low[0], low);
            store(&s->high[0], w->high - low > last ? low + last : w->high);
            store(&s->before, before);
            store(&s->n_inside, half > before ? counts[b] : 0);
        }
        before += counts[b];
    }
}

/* Those before the bin, inside and behind it come to lie one behind the other, where room is taken by warps. */
INLINE void part_in_three(int axes, struct team team, const struct small_pile *of, const unsigned long long *keys, int axis,
                          struct selection *s) {
    const int third = WARP / 3, n_before = load(&s->before), n_inside = load(&s->n_inside);
    const unsigned low = (unsigned)load(&s->low[0]), high = (unsigned)load(&s->high[0]);
    int ids[PART_ITEMS], to[3], start = 0;
    unsigned sides = 0, n = 0; /* of each, in 2 bits; how many are at each, in a third of the bits */
    UNROLL for (int i = 0; i < PART_ITEMS; i++) {
        const int at = place_in_row(team, of, i), is_there = i < of->rows && at < of->n;
        const unsigned number = number_of(axes, keys[i], axis);
        const int side = !is_there ? NOWHERE : number < low ? BEFORE : n_inside && number <= high ? INSIDE : BEHIND;
        ids[i] = is_there ? load(&of->ids[at]) : 0;
        sides |= (unsigned)side << 2 * i;
        n += 1u << third * side; /* NOWHERE: what is over falls off */
    }
    for (int lanes = WARP / 2; lanes > 0; lanes /= 2)
        n += shuffle_xor(ALL_LANES, n, lanes);
    if (lane() < 3)
        start = atomic_take(&s->taken[lane()], (int)(n >> third * lane() & ((1u << third) - 1)));
    UNROLL for (int side = 0; side < 3; side++)
        to[side] = shuffle(ALL_LANES, start, side) + (side == BEFORE ? 0 : side == INSIDE ? n_before : n_before + n_inside);
    barrier(); /* all are read */
    UNROLL for (int i = 0; i < PART_ITEMS; i++)
        if (i < of->rows) {
            const int side = (int)(sides >> 2 * i & 3);
            const int at = place_of_side(side, to);
            if (side != NOWHERE) {
                store(&of->keys[at], keys[i]);
                store(&of->ids[at], ids[i]);
            }
        }
    barrier();
}

/* Gives the axis. */
INLINE int split_by_numbers(const struct params *p, int axes, const struct pile *pile, const struct small_pile *of,
                            struct selection *s) {
    const struct team team = pile->team;
    int *const bins = (int *)pile->room + ITEMS * team.first;
    unsigned long long keys[PART_ITEMS];
    UNROLL for (int i = 0; i < PART_ITEMS; i++)
        keys[i] = i < of->rows && place_in_row(team, of, i) < of->n ? load(&of->keys[place_in_row(team, of, i)]) : 0;
    survey_keys(axes, team, of, keys, bins, s);
    const int axis = axis_of_team(p, axes, pile, of, keys, s);
    struct window w = window_open(p, axis);
    w.low = ~load(&s->boxes[2 * axis]);
    w.high = load(&s->boxes[2 * axis + 1]);
    w.shift = shift_of(ITEMS * team.size, w.high - w.low);
    UNROLL for (int i = 0; i < PART_ITEMS; i++)
        if (i < of->rows && place_in_row(team, of, i) < of->n)
            atomic_add(&bins[(number_of(axes, keys[i], axis) - w.low) >> w.shift], 1);
    barrier();
    choose_bin(team, of->half, &w, bins, s);
    barrier();
    part_in_three(axes, team, of, keys, axis, s);
    return axis;
}

/* Puts the elements of teams in order, where each has a thread for each of its own. */
INLINE void order_few(const struct params *p, const struct pile *pile, const struct small_pile *of, struct selection *s) {
    const int t = rank_in(pile->team), n = of->n;
    const unsigned long long key = t < n ? load(&of->keys[t]) : 0;
    const int id = t < n ? load(&of->ids[t]) : 0;
    if (t < n)
        put_few(p, pile, id, t);
    barrier();
    for (int w = 0; w < (int)p->dimension; w++)
        if (ballot(ALL_LANES, t < n && load(&pile->room[w * THREADS + pile->team.first + t]) !=
                                           load(&pile->room[w * THREADS + pile->team.first])) &&
            lane() == 0)
            atomic_or(&s->differ, 1u << w);
    barrier();
    const unsigned differ = load(&s->differ);
    if (t < n) {
        const int from = differ ? lowest_lane(differ) : (int)p->dimension;
        const int rank = rank_of_few(p, pile, n, t, from);
        store(&of->keys[rank], key);
        store(&of->ids[rank], id);
    }
    barrier();
}

/* Divides those of teams by way of p->keys_out and p->ids_out, `from` there. */
INLINE void divide_many(const struct params *p, const struct pile *pile, const struct small_pile *of, int from,
                        struct selection *s) {
    const int t = rank_in(pile->team), n = of->n;
    select_cut(p, pile, of->half, s);
    for (int row = t - lane(); row < n; row += pile->team.size) {
        const int i = row + lane(), is_there = i < n, id = is_there ? load(&of->ids[i]) : 0;
        const int to = from + place_in_turn(is_there, is_there && is_before_cut(p, pile, id, s), s->taken, of->half);
        if (is_there) {
            store(&p->keys_out[to], load(&of->keys[i]));
            store(&p->ids_out[to], id);
        }
    }
    barrier();
    for (int i = t; i < n; i += pile->team.size) {
        store(&of->keys[i], load(&p->keys_out[from + i]));
        store(&of->ids[i], load(&p->ids_out[from + i]));
    }
    barrier();
}

/* Those inside a bin. */
INLINE void divide_inside(const struct params *p, const struct pile *pile, const struct small_pile *of, int from,
                          struct selection *s) {
    if (some_have_many(pile, pile->team.size))
        divide_many(p, pile, of, from, s);
    else
        order_few(p, pile, of, s);
}

/* The teams that halve parts of a level at once, whose largest has `most` elements, PART_ITEMS a thread. */
INLINE int teams_for(int n_parts, int most) {
    int n = 1;
    while (2 * n <= n_parts && 2 * n <= TEAMS && THREADS / (2 * n) * PART_ITEMS >= most)
        n *= 2;
    return n;
}

/* From p->keys and p->ids to p->ids_out; p->level is that of the parts. */
KERNEL(finish_parts) {
    const struct params *p = PARAMS;
    const struct small_part in = small_part_in(p, shared_memory());
    const struct part whole = part_at(p, (int)p->level, block_index());
    const int n = whole.end - whole.first;
    for (int i = thread_index(); i < n; i += THREADS) {
        store(&in.keys[i], load(&p->keys[whole.first + i]));
        store(&in.ids[i], load(&p->ids[whole.first + i]));
    }
    barrier();
    for (int level = 0; (whole.n_blocks - 1) >> level > 0; level++) {
        const int most = (((whole.n_blocks - 1) >> level) + 1) * (int)p->block_size, n_teams = teams_for(1 << level, most);
        const int size = THREADS / n_teams, own = thread_index() / size;
        struct selection *const s = &in.selections[own];
        struct pile pile = {{own * size, size}, in.selections, n_teams, in.room, 0, 0, 0};
        for (int index = own; index < 1 << level; index += n_teams) {
            const struct part part = part_at(p, (int)p->level + level, (block_index() << level) + index);
            const int at = part.first - whole.first, size_of_part = part.n_blocks > 1 ? part.end - part.first : 0;
            const struct small_pile of = {in.keys + at, in.ids + at, size_of_part, part.middle - part.first,
                                          (int)p->level + level, (size_of_part + size - 1) / size};
            pile.axis = p->dimension == 3 ? split_by_numbers(p, 3, &pile, &of, s) : split_by_numbers(p, 2, &pile, &of, s);
            const int before = size_of_part ? load(&s->before) : 0;
            const struct small_pile inside = {of.keys + before, of.ids + before, size_of_part ? load(&s->n_inside) : 0,
                                              of.half - before, 0, 0};
            pile.ids = inside.ids;
            pile.n = inside.n;
            divide_inside(p, &pile, &inside, part.first + before, s);
        }
    }
    for (int i = thread_index(); i < n; i += THREADS)
        store(&p->ids_out[whole.first + i], load(&in.ids[i]));
}

#undef LAUNCH_BOUNDS
#define LAUNCH_BOUNDS __launch_bounds__(THREADS)

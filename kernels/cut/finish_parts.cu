/* How a part of at most p->tile elements is bisected to the end by one block, in shared memory, in the words of
 * simt.h. */

/* What it needs there: a name is a place in bits and ids. */
struct small_part {
    struct selection *selections; /* [TEAMS] */
    unsigned long long *bits;     /* [dimension][p->tile]: coordinates, ordered bits */
    int *ids;                     /* [p->tile] */
    int *names;                   /* [p->tile], in the order of parts */
};

INLINE struct small_part small_part_in(const struct params *p, char *shared) {
    struct small_part part;
    part.selections = (struct selection *)shared;
    part.bits = (unsigned long long *)(part.selections + TEAMS);
    part.ids = (int *)(part.bits + p->dimension * p->tile);
    part.names = part.ids + p->tile;
    return part;
}

/* s->extents become those of the n names of a team. */
INLINE void survey_names(const struct params *p, const struct small_part *of, struct team team, const int *names, int n,
                         struct selection *s) {
    unsigned long long extents[6] = {0, 0, 0, 0, 0, 0};
    for (int i = rank_in(team); i < n; i += team.size) {
        const int name = load(&names[i]);
        UNROLL for (int d = 0; d < 3; d++)
            if (d < (int)p->dimension)
                extend(extents, d, load(&of->bits[d * (int)p->tile + name]));
    }
    share_extents(team, (int)p->dimension, extents, s->extents);
}

INLINE void halve(const struct params *p, const struct pile *pile, int *names, int n_before, struct selection *s) {
    int own[ITEMS], to[ITEMS];
    select_cut(p, pile, n_before, s);
    UNROLL for (int i = 0; i < ITEMS; i++) {
        const int at = i * pile->team.size + rank_in(pile->team), row = at - lane(), is_there = at < pile->n;
        own[i] = 0;
        to[i] = -1;
        if (row < pile->n) {
            own[i] = is_there ? load(&names[at]) : 0;
            const int place = place_in_turn(is_there, is_there && is_before_cut(p, pile, own[i], s), s->taken, n_before);
            to[i] = is_there ? place : -1;
        }
    }
    barrier();
    UNROLL for (int i = 0; i < ITEMS; i++)
        if (to[i] >= 0)
            store(&names[to[i]], own[i]);
    barrier();
}

/* The teams that halve parts of a level at once, whose largest has `most` elements, ITEMS a thread. */
INLINE int teams_for(int n_parts, int most) {
    int n = 1;
    while (2 * n <= n_parts && 2 * n <= TEAMS && THREADS / (2 * n) * ITEMS >= most)
        n *= 2;
    return n;
}

/* From p->ids to p->ids_out; p->level is that of the parts. */
KERNEL(finish_parts) {
    const struct params *p = PARAMS;
    const struct small_part of = small_part_in(p, shared_memory());
    const struct part whole = part_at(p, (int)p->level, block_index());
    const int n = whole.end - whole.first;
    for (int i = thread_index(); i < n; i += THREADS) {
        const int id = load(&p->ids[whole.first + i]);
        store(&of.ids[i], id);
        store(&of.names[i], i);
        for (int d = 0; d < (int)p->dimension; d++)
            store(&of.bits[d * (int)p->tile + i], ordered_bits(p, id * p->dimension + d));
    } /* the first part is surveyed by the threads that brought it: no barrier */
    for (int level = 0; (whole.n_blocks - 1) >> level > 0; level++) {
        const int most = (((whole.n_blocks - 1) >> level) + 1) * (int)p->block_size, n_teams = teams_for(1 << level, most);
        const int size = THREADS / n_teams, own = thread_index() / size;
        const struct team team = {own * size, size};
        struct selection *const s = &of.selections[own];
        for (int index = own; index < 1 << level; index += n_teams) {
            const struct part part = part_at(p, (int)p->level + level, (block_index() << level) + index);
            const int size_of_part = part.n_blocks > 1 ? part.end - part.first : 0;
            int *const names = of.names + (part.first - whole.first);
            survey_names(p, &of, team, names, size_of_part, s);
            const int axis = p->in_turns ? (int)((p->level + level) % p->dimension) : longest_axis(p, s->extents);
            const struct pile pile = {team, of.selections, n_teams, names, size_of_part, of.bits, of.ids, axis,
                                      &s->extents[2 * axis]};
            halve(p, &pile, names, part.middle - part.first, s);
        }
    }
    for (int i = thread_index(); i < n; i += THREADS)
        store(&p->ids_out[whole.first + i], load(&of.ids[load(&of.names[i])]));
}

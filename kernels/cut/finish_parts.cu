/* How a part of at most CHUNK elements is bisected to the end by one block, in shared memory, in the words of
 * simt.h. */

/* What it needs there, behind the selection: a name is a place in bits and ids. */
struct small_part {
    struct selection *s;
    unsigned long long *bits; /* [dimension][CHUNK]: coordinates, ordered bits */
    int *ids;                 /* [CHUNK] */
    int *names;               /* [CHUNK], in the order of parts */
};

INLINE struct small_part small_part_in(const struct params *p, char *shared) {
    struct small_part part;
    part.s = (struct selection *)shared;
    part.bits = (unsigned long long *)(shared + sizeof(struct selection));
    part.ids = (int *)(part.bits + p->dimension * CHUNK);
    part.names = part.ids + CHUNK;
    return part;
}

/* of->s->extents become those of the n names. */
INLINE void survey_names(const struct params *p, const struct small_part *of, const int *names, int n) {
    unsigned long long extents[6] = {0, 0, 0, 0, 0, 0};
    for (int i = thread_index(); i < n; i += THREADS) {
        const int name = load(&names[i]);
        UNROLL for (int d = 0; d < 3; d++)
            if (d < (int)p->dimension)
                extend(extents, d, load(&of->bits[d * CHUNK + name]));
    }
    share_extents((int)p->dimension, extents, of->s->extents);
}

INLINE void halve(const struct params *p, const struct small_part *of, int *names, struct part part, int axis) {
    const int n = part.end - part.first, n_before = part.middle - part.first;
    const struct pile pile = {names, n, of->bits, of->ids, axis, &of->s->extents[2 * axis]};
    int own[ITEMS], to[ITEMS];
    select_cut(p, &pile, n_before, of->s);
    UNROLL for (int i = 0; i < ITEMS; i++) {
        const int row = i * THREADS + thread_index() - lane(), at = row + lane();
        own[i] = 0;
        to[i] = -1;
        if (row < n) {
            own[i] = at < n ? load(&names[at]) : 0;
            const int place = place_in_turn(at < n, at < n && is_before_cut(p, &pile, own[i], of->s), of->s->taken, n_before);
            to[i] = at < n ? place : -1;
        }
    }
    barrier();
    UNROLL for (int i = 0; i < ITEMS; i++)
        if (to[i] >= 0)
            store(&names[to[i]], own[i]);
    barrier();
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
            store(&of.bits[d * CHUNK + i], ordered_bits(p, id * p->dimension + d));
    } /* the first part is surveyed by the threads that brought it: no barrier */
    for (int level = 0; (whole.n_blocks - 1) >> level > 0; level++)
        for (int index = 0; index < 1 << level; index++) {
            const struct part part = part_at(p, (int)p->level + level, (block_index() << level) + index);
            if (part.n_blocks < 2)
                continue;
            int *const names = of.names + (part.first - whole.first);
            survey_names(p, &of, names, part.end - part.first);
            halve(p, &of, names, part,
                  p->in_turns ? (int)((p->level + level) % p->dimension) : longest_axis(p, of.s->extents));
        }
    for (int i = thread_index(); i < n; i += THREADS)
        store(&p->ids_out[whole.first + i], load(&of.ids[load(&of.names[i])]));
}

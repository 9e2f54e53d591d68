/* How a pile of elements is cut exactly, in the words of simt.h: after so many of them in the order along an axis, then
 * the next ones, then by number. An element has a word for each of these; a window of the first words, then the next,
 * is narrowed until few elements are inside, and these are ranked one by one. */

enum { FEW = WARP };

/* The state of it, in shared memory. */
struct selection {
    unsigned long long low[5], high[5]; /* of each word inside, at most 4, and one more */
    unsigned long long cut[4];          /* the words of the first behind the cut */
    unsigned long long extents[6];
    unsigned boxes[12];
    int parts[WARPS];
    int n_inside, n_few, before, taken[3];
    unsigned differ; /* a bit for each word that a few do not share */
};

/* Elements that a team divides. */
struct pile {
    struct team team;
    const struct selection *selections; /* of all teams of the block, */
    int n_teams;
    unsigned long long *room; /* [4][THREADS] in shared memory, of all teams: counts, and the words of a few */
    const int *ids;
    int n;
    int axis;
};

INLINE unsigned long long word_of(const struct params *p, const struct pile *pile, int id, int w) {
    const int dimension = (int)p->dimension;
    const int axis = pile->axis + w < dimension ? pile->axis + w : pile->axis + w - dimension;
    return w == dimension ? (unsigned long long)id : ordered_bits(p, (long long)id * dimension + axis);
}

/* Below 0: before the window of the first words to `depth`; 0: inside; else behind. */
INLINE int side_of(const struct params *p, const struct pile *pile, int id, const struct selection *s, int depth) {
    for (int w = 0; w <= depth; w++) {
        const unsigned long long word = word_of(p, pile, id, w);
        if (word < load(&s->low[w]))
            return -1;
        if (word > load(&s->high[w]))
            return 1;
    }
    return 0;
}

INLINE void set_window(struct selection *s, int w, unsigned long long low, unsigned long long high) {
    store(&s->low[w], low);
    store(&s->high[w], high);
}

/* The window of word `depth` becomes what those inside have, where a team works. Gives whether that is more than one word. */
INLINE int tighten(const struct params *p, const struct pile *pile, struct selection *s, int depth, int works) {
    unsigned long long extents[6] = {0, 0, 0, 0, 0, 0};
    for (int i = rank_in(pile->team); works && i < pile->n; i += pile->team.size) {
        const int id = load(&pile->ids[i]);
        if (side_of(p, pile, id, s, depth) == 0)
            extend(extents, 0, word_of(p, pile, id, depth));
    }
    share_extents(pile->team, 1, extents, s->extents);
    const unsigned long long low = ~load(&s->extents[0]), high = load(&s->extents[1]);
    if (works && rank_in(pile->team) == 0) {
        set_window(s, depth, low, high);
        set_window(s, depth + 1, 0, ~0ull);
    }
    barrier();
    return low < high;
}

/* The window of word `depth` becomes that of the bin with the cut, where a team works; gives what is left of the rank
 * without those before. */
INLINE int narrow(const struct params *p, const struct pile *pile, struct selection *s, int depth, int rank, int works) {
    const unsigned long long low = load(&s->low[depth]), high = load(&s->high[depth]);
    const int bits = bits_of(high - low), bin_bits = bits_of(pile->team.size - 1), shift = bits > bin_bits ? bits - bin_bits : 0;
    const unsigned long long bin = rank_in(pile->team);
    int *const counts = (int *)pile->room + pile->team.first;
    int total;
    store(&counts[bin], 0);
    barrier();
    for (int i = rank_in(pile->team); works && i < pile->n; i += pile->team.size) {
        const int id = load(&pile->ids[i]);
        if (side_of(p, pile, id, s, depth) == 0)
            atomic_add(&counts[(word_of(p, pile, id, depth) - low) >> shift], 1);
    }
    barrier();
    const int own = load(&counts[bin]);
    const int before = sum_before_in_team(pile->team, own, s->parts, &total);
    if (works && before <= rank && rank < before + own) {
        const unsigned long long last = ((bin + 1) << shift) - 1; /* the last bin's may be all bits */
        store(&s->before, before);
        store(&s->n_inside, own);
        set_window(s, depth, low + (bin << shift), last < high - low ? low + last : high);
    }
    barrier();
    return works ? rank - load(&s->before) : rank;
}

INLINE int some_have_many(const struct pile *pile, int most) {
    int have = 0;
    for (int i = 0; i < pile->n_teams; i++)
        have |= load(&pile->selections[i].n_inside) > most;
    return have;
}

/* Puts the words of an element to those of a few, which its team has. */
INLINE void put_few(const struct params *p, const struct pile *pile, int id, int at) {
    for (int w = 0; w <= (int)p->dimension; w++)
        store(&pile->room[w * THREADS + pile->team.first + at], word_of(p, pile, id, w));
}

/* How many of n few come before that at `at`, where they share all words before `from`: by one word, then by the next of
 * those that share it. */
INLINE int rank_of_few(const struct params *p, const struct pile *pile, int n, int at, int from) {
    const unsigned long long *few = pile->room + pile->team.first;
    int before = 0, n_tied = n;
    for (int w = from; w <= (int)p->dimension && n_tied > 1; w++) {
        const unsigned long long own = load(&few[w * THREADS + at]);
        n_tied = 0;
        for (int other = 0; other < n; other++) {
            const unsigned long long word = load(&few[w * THREADS + other]);
            int is_tied = 1;
            for (int v = from; v < w; v++)
                is_tied &= load(&few[v * THREADS + other]) == load(&few[v * THREADS + at]);
            before += is_tied && word < own;
            n_tied += is_tied && word == own;
        }
    }
    return before;
}

/* s->cut becomes the words of the element that `rank` others come before. All threads of the block, teams each with a
 * pile, of which s->n_inside is the number. */
INLINE void select_cut(const struct params *p, const struct pile *pile, int rank, struct selection *s) {
    const int t = rank_in(pile->team);
    int depth = 0;
    if (t == 0) {
        set_window(s, 0, 0, ~0ull);
        store(&s->n_few, 0);
        store(&s->taken[0], 0);
        store(&s->taken[1], 0);
    }
    barrier();
    for (int turn = 0; turn < 2 * 64 && some_have_many(pile, FEW); turn++) { /* a turn settles a word, or 5 bits of it */
        const int works = load(&s->n_inside) > FEW, narrows = tighten(p, pile, s, depth, works) && works;
        depth += works && !narrows;
        rank = narrow(p, pile, s, depth, rank, narrows);
    }
    const int n = load(&s->n_inside);
    for (int i = t; i < pile->n; i += pile->team.size) {
        const int id = load(&pile->ids[i]);
        if (side_of(p, pile, id, s, depth) == 0)
            put_few(p, pile, id, atomic_take(&s->n_few, 1));
    }
    barrier();
    if (t < n && rank_of_few(p, pile, n, t, depth) == rank)
        for (int w = 0; w <= (int)p->dimension; w++)
            store(&s->cut[w], load(&pile->room[w * THREADS + pile->team.first + t]));
    barrier();
}

INLINE int is_before_cut(const struct params *p, const struct pile *pile, int id, const struct selection *s) {
    for (int w = 0; w <= (int)p->dimension; w++) {
        const unsigned long long word = word_of(p, pile, id, w), cut = load(&s->cut[w]);
        if (word != cut)
            return word < cut;
    }
    return 0;
}

/* Where a warp's elements go: those of the first side from 0 on, the others from `second` on, after those that `taken`
 * [2] counts. */
INLINE int place_in_turn(int is_there, int goes, int *taken, int second) {
    const unsigned going = ballot(ALL_LANES, goes), staying = ballot(ALL_LANES, is_there && !goes);
    const unsigned below = (1u << lane()) - 1;
    int start = 0;
    if (lane() < 2)
        start = atomic_take(&taken[lane()], count_lanes(lane() == 0 ? going : staying));
    const int first = shuffle(ALL_LANES, start, 0), other = second + shuffle(ALL_LANES, start, 1);
    return goes ? first + count_lanes(going & below) : other + count_lanes(staying & below);
}

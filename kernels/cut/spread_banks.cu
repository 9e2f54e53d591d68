/* Which entry of a point comes in which round, in the words of simt.h, as kernels/codegen/banks.c has it: entries of one point
 * are exchanged where lanes of a warp then read from different banks of shared memory. A warp takes 32 points; all pairs of
 * rounds of a lane are tried at once, and the first that helps is exchanged.
 *
 * fields [n_fields][BANK_FIELD]  a position that each entry names: the word it is in, its first bit there, bits, how many there
 *                                may be, how many lanes read at once, how many values, and where its reads lie in
 *                                round_bytes */

enum { BANK_WORD, BANK_SHIFT, BANK_BITS, BANK_POSITIONS, BANK_LANES, BANK_WEIGHT, BANK_READS, BANK_FIELD };

/* What the lanes of a warp read in one round through one field, in shared memory. */
struct bank_reads {
    unsigned short *position; /* [WARP]: of each lane */
    unsigned char *positions; /* [WARP]: that lie in a bank and some lane reads */
    unsigned char *lanes;     /* [WARP / lanes at once][n_positions + 1]: that read a position; none reads the last */
    int n_positions, at_once;
};

/* The points of a warp. */
struct bank_warp {
    const struct params *p;
    unsigned *words; /* of lane 0, round 0 */
    int stride;      /* from a round to the next: n_words of these */
    int n_rounds, n_lanes;
    char *shared;
};

INLINE unsigned *bank_word(const struct bank_warp *w, int round, int lane) {
    return &w->words[round * (int)w->p->n_words * w->stride + lane];
}

INLINE int bank_field(const struct bank_warp *w, int field, int what) {
    return fetch(&w->p->fields[field * BANK_FIELD + what]);
}

INLINE struct bank_reads open_reads(const struct bank_warp *w, int round, int field) {
    char *const start = w->shared + round * w->p->round_bytes + bank_field(w, field, BANK_READS);
    const struct bank_reads reads = {(unsigned short *)start,
                                     (unsigned char *)start + 2 * WARP,
                                     (unsigned char *)start + 3 * WARP,
                                     bank_field(w, field, BANK_POSITIONS),
                                     bank_field(w, field, BANK_LANES)};
    return reads;
}

INLINE unsigned char *lanes_at(const struct bank_reads *r, int lane, int position) {
    return &r->lanes[lane / r->at_once * (r->n_positions + 1) + position];
}

INLINE int bank_of(const struct bank_reads *r, int lane, int position) {
    return lane / r->at_once * r->at_once + position % r->at_once;
}

/* What the nth position of a bank costs: all n cost n cubed. */
INLINE int bank_cost(int n) {
    return 3 * n * (n - 1) + 1;
}

/* By how much a round costs more where a lane reads `to` and no longer `from`. */
INLINE int change_of(const struct bank_reads *r, int lane, int from, int to) {
    const int leaves = load(lanes_at(r, lane, from)) == 1, comes = load(lanes_at(r, lane, to)) == 0 && to < r->n_positions;
    const int old_bank = bank_of(r, lane, from), new_bank = bank_of(r, lane, to);
    if (from == to || (leaves && comes && old_bank == new_bank))
        return 0;
    return comes * bank_cost(load(&r->positions[new_bank]) + 1) - leaves * bank_cost(load(&r->positions[old_bank]));
}

/* Adds, by 1, or takes away, by -1, what a lane reads. */
INLINE void count_read(const struct bank_reads *r, int lane, int position, int by) {
    if (position == r->n_positions)
        return;
    unsigned char *const lanes = lanes_at(r, lane, position), *const positions = &r->positions[bank_of(r, lane, position)];
    if (load(lanes) == (by > 0 ? 0 : 1))
        store(positions, (unsigned char)(load(positions) + by));
    store(lanes, (unsigned char)(load(lanes) + by));
}

/* All that the warp reads. */
INLINE void count_reads(const struct bank_warp *w) {
    for (int t = 0; t < w->n_rounds * w->p->n_fields; t++) {
        const struct bank_reads r = open_reads(w, t / (int)w->p->n_fields, t % (int)w->p->n_fields);
        for (int i = lane(); i < WARP / r.at_once * (r.n_positions + 1); i += WARP)
            store(&r.lanes[i], 0);
        store(&r.positions[lane()], 0);
    }
    warp_barrier(ALL_LANES);
    for (int t = lane(); t < w->n_rounds * w->p->n_fields; t += WARP) {
        const int round = t / (int)w->p->n_fields, field = t % (int)w->p->n_fields;
        const struct bank_reads r = open_reads(w, round, field);
        for (int i = 0; i < w->n_lanes; i++) {
            const unsigned word = load(&bank_word(w, round, i)[bank_field(w, field, BANK_WORD) * w->stride]);
            const int named = (int)(word >> bank_field(w, field, BANK_SHIFT) & ((1u << bank_field(w, field, BANK_BITS)) - 1));
            const int position = named < r.n_positions ? named : r.n_positions;
            store(&r.position[i], (unsigned short)position);
            count_read(&r, i, position, 1);
        }
    }
    warp_barrier(ALL_LANES);
}

INLINE int exchange_helps(const struct bank_warp *w, int a, int b, int lane) {
    const unsigned one = load(bank_word(w, a, lane)), other = load(bank_word(w, b, lane));
    int change = 0;
    if (one == 0xffffffffu || other == 0xffffffffu || ((one ^ other) & ((1u << w->p->slot_bits) - 1)))
        return 0;
    for (int f = 0; f < w->p->n_fields; f++) {
        const struct bank_reads from = open_reads(w, a, f), to = open_reads(w, b, f);
        const int position = load(&from.position[lane]), next = load(&to.position[lane]);
        change += bank_field(w, f, BANK_WEIGHT) *
                  (change_of(&from, lane, position, next) + change_of(&to, lane, next, position));
    }
    return change < 0;
}

/* By all threads of the warp: a field each, then a word each. */
INLINE void exchange_entries(const struct bank_warp *w, int a, int b, int point) {
    for (int f = lane(); f < w->p->n_fields; f += WARP) {
        const struct bank_reads from = open_reads(w, a, f), to = open_reads(w, b, f);
        const int position = load(&from.position[point]), next = load(&to.position[point]);
        count_read(&from, point, position, -1);
        count_read(&to, point, next, -1);
        store(&from.position[point], (unsigned short)next);
        store(&to.position[point], (unsigned short)position);
        count_read(&from, point, next, 1);
        count_read(&to, point, position, 1);
    }
    for (int i = lane(); i < w->p->n_words; i += WARP) {
        unsigned *const one = &bank_word(w, a, point)[i * w->stride], *const other = &bank_word(w, b, point)[i * w->stride];
        const unsigned kept = load(one);
        store(one, load(other));
        store(other, kept);
    }
    warp_barrier(ALL_LANES);
}

/* One turn over all lanes and pairs of rounds; whether that lessened the cost. */
INLINE int spread_once(const struct bank_warp *w) {
    int better = 0, a = 0, b = lane() + 1; /* a thread's pair */
    while (b >= w->n_rounds && a < w->n_rounds) {
        a++;
        b += a + 1 - w->n_rounds;
    }
    for (int point = 0; point < w->n_lanes; point++)
        for (unsigned left = ALL_LANES; left;) {
            const int helps = a < w->n_rounds && (left >> lane() & 1) && exchange_helps(w, a, b, point);
            const unsigned all = ballot(ALL_LANES, helps);
            if (!all)
                break;
            const int first = lowest_lane(all);
            warp_barrier(ALL_LANES);
            exchange_entries(w, shuffle(ALL_LANES, a, first), shuffle(ALL_LANES, b, first), point);
            left = first == WARP - 1 ? 0 : ALL_LANES << (first + 1);
            better = 1;
        }
    return better;
}

KERNEL(spread_banks) {
    const struct params *p = PARAMS;
    const struct own_block own = open_own(p);
    const int warp = thread_index() / WARP, n_rounds = fetch(&p->rounds[block_index()]);
    if (n_rounds > p->most_rounds || warp >= p->n_warps)
        return;
    for (int first = warp * WARP; first < own.n_own; first += (int)p->n_warps * WARP) {
        struct bank_warp w = {p, p->words + fetch(&p->starts[block_index()]) + first, own.stride, n_rounds, own.n_own - first, 0};
        w.n_lanes = w.n_lanes < WARP ? w.n_lanes : WARP;
        w.shared = shared_memory() + warp * p->most_rounds * p->round_bytes;
        count_reads(&w);
        for (int i = 0; i < p->n_sweeps && spread_once(&w); i++)
            warp_barrier(ALL_LANES);
        warp_barrier(ALL_LANES);
    }
}

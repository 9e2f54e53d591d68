/* How entries are made, in the words of simt.h: all increments of a point that a block owns, packed into words, so that one
 * thread sums them (kernels/codegen/entries.h).
 *
 * elements [n_blocks + 1]    where those of blocks begin, by position
 * offsets, own_ranks, staged_at, own_offsets   as in stage_tables.cu
 * rounds [n_blocks]          the most entries of a point
 * starts [n_blocks + 1]      where the words of blocks begin; word w of entry `round` of own point i is words[starts[block] +
 *                            (round * n_words + w) * stride + i], where the stride is a multiple of 8
 * keys                       likewise, n_words = 1: slot * elements of the block + which of these; -1: no entry */

/* What a thread block packs. */
struct own_block {
    int begin, n_elements, first_point, n_own, stride;
};

INLINE struct own_block open_own(const struct params *p) {
    const int b = block_index(), begin = fetch(&p->elements[b]), first = fetch(&p->own_offsets[b]);
    const int n_own = fetch(&p->own_offsets[b + 1]) - first;
    const struct own_block own = {begin, fetch(&p->elements[b + 1]) - begin, fetch(&p->offsets[b]), n_own, (n_own + 7) / 8 * 8};
    return own;
}

/* The rank of the own point that the block's k-th element increments through a slot; -1: none. */
INLINE int incremented_rank(const struct params *p, const struct own_block *own, int k, int slot) {
    const int local = fetch(&p->local_index[(own->begin + k) * p->n_slots + slot]);
    return !(p->incremented >> slot & 1) || local == 0xffff ? -1 : fetch(&p->own_ranks[own->first_point + local]);
}

/* Counts the entries of each own point in shared memory; where `keys` is not 0 they are put there in any order. */
INLINE void count_entries(const struct params *p, const struct own_block *own, int *counts, int *keys) {
    for (int i = thread_index(); i < own->n_own; i += THREADS)
        store(&counts[i], 0);
    barrier();
    for (int i = thread_index(); i < own->n_elements * (int)p->n_slots; i += THREADS) {
        const int k = i / (int)p->n_slots, slot = i % (int)p->n_slots, rank = incremented_rank(p, own, k, slot);
        const int round = rank < 0 ? 0 : atomic_take(&counts[rank], 1);
        if (rank >= 0 && keys)
            store(&keys[round * own->stride + rank], slot * own->n_elements + k);
    }
    barrier();
}

KERNEL(count_rounds) {
    const struct params *p = PARAMS;
    const struct own_block own = open_own(p);
    int *counts = (int *)shared_memory();
    count_entries(p, &own, counts, 0);
    for (int i = thread_index(); i < own.n_own; i += THREADS)
        atomic_max((unsigned *)&p->rounds[block_index()], (unsigned)load(&counts[i]));
}

/* The entries of a point ascend by slot, then as its block has the elements. */
KERNEL(list_entries) {
    const struct params *p = PARAMS;
    const struct own_block own = open_own(p);
    int *counts = (int *)shared_memory(), *keys = p->entry_keys + fetch(&p->starts[block_index()]) / p->n_words;
    const int n_rounds = fetch(&p->rounds[block_index()]);
    count_entries(p, &own, counts, keys);
    for (int i = thread_index(); i < own.stride; i += THREADS) {
        const int n = i < own.n_own ? load(&counts[i]) : 0;
        for (int round = 1; round < n; round++) {
            const int key = load(&keys[round * own.stride + i]);
            int at = round;
            for (; at > 0 && load(&keys[(at - 1) * own.stride + i]) > key; at--)
                store(&keys[at * own.stride + i], load(&keys[(at - 1) * own.stride + i]));
            store(&keys[at * own.stride + i], key);
        }
        for (int round = n; round < n_rounds; round++)
            store(&keys[round * own.stride + i], -1);
    }
}

/* An entry of a block: which position it has among them, the first of its words, and what it holds. */
struct table_entry {
    unsigned *words;
    int stride, slot, k; /* slot -1: none */
};

INLINE struct table_entry open_entry(const struct params *p, const struct own_block *own, int position) {
    const int start = fetch(&p->starts[block_index()]), key = fetch(&p->entry_keys[start / p->n_words + position]);
    unsigned *const words = p->words + start + position / own->stride * p->n_words * own->stride + position % own->stride;
    const struct table_entry entry = {words, own->stride, key < 0 ? -1 : key / own->n_elements, key < 0 ? 0 : key % own->n_elements};
    return entry;
}

INLINE void put_bits(const struct table_entry *entry, int at, unsigned value) {
    unsigned *const word = &entry->words[at / 32 * entry->stride];
    store(word, load(word) | value << at % 32);
}

/* Takes bits of one word, of the next where the last has too few left; gives where. */
INLINE int take_bits(int *used, int bits) {
    if (*used % 32 + bits > 32)
        *used = (*used + 31) / 32 * 32;
    *used += bits;
    return *used - bits;
}

/* The own point's slot, and where the element is: its position among those that are staged, or where it is stored. */
KERNEL(pack_elements) {
    const struct params *p = PARAMS;
    const struct own_block own = open_own(p);
    const int n = fetch(&p->rounds[block_index()]) * own.stride;
    for (int i = thread_index(); i < n; i += THREADS) {
        const struct table_entry entry = open_entry(p, &own, i);
        for (int w = 0; w < p->n_words; w++)
            store(&entry.words[w * entry.stride], entry.slot < 0 ? 0xffffffffu : 0);
        if (entry.slot < 0)
            continue;
        put_bits(&entry, 0, (unsigned)entry.slot);
        if (p->element_bits)
            put_bits(&entry, (int)p->slot_bits,
                     (unsigned)(p->staged_at ? fetch(&p->staged_at[own.begin + entry.k]) : stored_point(p, own.begin + entry.k)));
    }
}

/* Where the points of one set are staged, from bit `used` on: of those that blocks own all but the own point, else of all
 * slots, or, where the own point is not in slot 0, of `exchanged` [n_slots]. */
KERNEL(pack_positions) {
    const struct params *p = PARAMS;
    const struct own_block own = open_own(p);
    const int n = fetch(&p->rounds[block_index()]) * own.stride, n_fields = (int)p->n_slots - (p->is_own ? 1 : 0);
    for (int i = thread_index(); i < n; i += THREADS) {
        const struct table_entry entry = open_entry(p, &own, i);
        int used = (int)p->used;
        for (int field = 0; field < n_fields && entry.slot >= 0; field++) {
            const int other = p->exchanged && entry.slot ? fetch(&p->exchanged[field]) : field;
            const int slot = p->is_own && field >= entry.slot ? field + 1 : other;
            const int local = fetch(&p->local_index[(own.begin + entry.k) * p->n_slots + slot]);
            put_bits(&entry, take_bits(&used, (int)p->bits),
                     local == 0xffff ? (1u << p->bits) - 1 : (unsigned)fetch(&p->staged_at[own.first_point + local]));
        }
    }
}

/* taken [2]: rounds of warps that have an entry, and the slots in them. */
KERNEL(count_entry_slots) {
    const struct params *p = PARAMS;
    const struct own_block own = open_own(p);
    const int n_warps = (own.n_own + WARP - 1) / WARP, n = fetch(&p->rounds[block_index()]) * n_warps;
    for (int turn = thread_index() / WARP; turn < n; turn += WARPS) {
        const int i = turn % n_warps * WARP + lane();
        const int slot = i < own.n_own ? open_entry(p, &own, turn / n_warps * own.stride + i).slot : -1;
        const unsigned same = match_any(ALL_LANES, slot);
        const int n_slots = count_lanes(ballot(ALL_LANES, slot >= 0 && lane() == lowest_lane(same)));
        if (lane() == 0 && n_slots > 0) {
            atomic_add(&p->taken[0], 1);
            atomic_add(&p->taken[1], n_slots);
        }
    }
}

/* The entries of a point come to lie one behind the other in n_joined words, `bits` bits each. */
KERNEL(join_entries) {
    const struct params *p = PARAMS;
    const struct own_block own = open_own(p);
    const int start = fetch(&p->starts[block_index()]), n_rounds = fetch(&p->rounds[block_index()]), bits = (int)p->bits;
    unsigned *const joined = p->words_out + start / n_rounds * p->n_joined;
    for (int i = thread_index(); i < own.n_own; i += THREADS)
        for (int round = 0; round < n_rounds; round++) {
            const unsigned word = load(&p->words[start + round * own.stride + i]);
            const unsigned long long value = (unsigned long long)(word & (unsigned)((1ull << bits) - 1)) << round * bits % 32;
            unsigned *const to = &joined[round * bits / 32 * own.stride + i];
            store(to, load(to) | (unsigned)value);
            if (value >> 32)
                store(&to[own.stride], load(&to[own.stride]) | (unsigned)(value >> 32));
        }
}

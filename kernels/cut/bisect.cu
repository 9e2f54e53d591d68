/* How elements are bisected, in the words of simt.h. The elements of a part lie one behind the other, each with a key
 * of its coordinates as whole numbers. At each level
 *   count_bins    counts those of each part in bins of its extent along its axis,
 *   choose_bins   finds the bin in which the part is cut,
 *   count_again   where that holds many, counts these in bins of theirs, and in bins of the next axis, by which they are
 *                 divided if they are tied: if all have one coordinate along the axis,
 *   divide_parts  puts what lies before the bin to one end, what lies behind it to the other, the bin's own between,
 *   settle_parts  divides the bin's own, exactly (select_cut.cu).
 * A part of at most TESS_CUT_PART elements is cut to the end by one block, in shared memory (finish_parts.cu).
 *
 * boxes [parts][3][2]      along each axis the lowest number of a part, inverted, and the highest
 * extents [parts][3][2]    the same of ordered bits: of all elements, and of parts that boxes leave unclear; later, first,
 *                          those of a bin of many along the axis
 * windows [parts][WINDOW]  what choose_bins found
 * bins [3][parts][n_bins]  elements in each bin, and in both kinds of the bin of many; 0 between levels */

enum { WINDOW = 8, UNCLEAR = 3 };

/* A part: its blocks, its places, and where the second half begins. */
struct part {
    int n_blocks;
    int first, middle, end;
};

/* Half of its blocks, rounded down, are a part's first half; of one block, nothing is. */
INLINE struct part part_at(const struct params *p, int level, int index) {
    int first = 0, n_blocks = (int)p->n_blocks;
    for (int bit = level - 1; bit >= 0; bit--) {
        const int half = n_blocks / 2, second = index >> bit & 1;
        first += second ? half : 0;
        n_blocks = second ? n_blocks - half : half;
    }
    const long long size = p->block_size, end = (first + n_blocks) * size;
    struct part part;
    part.n_blocks = n_blocks;
    part.first = (int)(first * size < p->n ? first * size : p->n);
    part.middle = (int)((first + n_blocks / 2) * size);
    part.end = (int)(end < p->n ? end : p->n);
    return part;
}

/* --- numbers --- */

/* Of a key: 2, also of elements along a line, or 3. */
INLINE int key_axes(const struct params *p) {
    return p->dimension == 3 ? 3 : 2;
}

INLINE unsigned number_of(int axes, unsigned long long key, int axis) {
    const int bits = 64 / axes;
    return (unsigned)(key >> axis * bits) & (unsigned)((1ull << bits) - 1);
}

INLINE unsigned number_at(const struct params *p, const struct frame *frame, double coordinate, int axis) {
    const double most = (double)((1ull << 64 / key_axes(p)) - 1);
    const int is_finite = frame->side > 0 && frame->side < 1e308;
    return is_finite ? (unsigned)((0.5 * coordinate - frame->low[axis]) / frame->side * most) : 0;
}

KERNEL(fill_numbers) {
    const struct params *p = PARAMS;
    const long long e = ELEMENT();
    const struct frame frame = frame_of(p);
    if (e < p->n) {
        unsigned long long key = 0;
        for (int d = 0; d < (int)p->dimension; d++)
            key |= (unsigned long long)number_at(p, &frame, load(&p->places[e * p->dimension + d]), d)
                   << d * (64 / key_axes(p));
        store(&p->keys[e], key);
        store(&p->ids[e], (int)e);
    }
    if (e < p->dimension) {
        const int d = (int)e;
        store(&p->boxes[2 * d], ~number_at(p, &frame, coordinate_of(~load(&p->extents[2 * d])), d));
        store(&p->boxes[2 * d + 1], number_at(p, &frame, coordinate_of(load(&p->extents[2 * d + 1])), d));
    }
}

/* --- axes --- */

/* The axis of the longest extent, the first of equals: as the host finds it. */
INLINE int longest_axis(const struct params *p, const unsigned long long *extents) {
    int longest = 0;
    double longest_extent = -1;
    for (int d = 0; d < (int)p->dimension; d++) {
        const double high = coordinate_of(load(&extents[2 * d + 1])), low = coordinate_of(~load(&extents[2 * d]));
        const double extent = 0.5 * high - 0.5 * low;
        longest = extent > longest_extent ? d : longest;
        longest_extent = extent > longest_extent ? extent : longest_extent;
    }
    return longest;
}

/* That of the longest by numbers; -1 where another one is nearly as long. */
INLINE int longest_side(const struct params *p, const unsigned *box) {
    unsigned sides[3] = {0, 0, 0}, most = 0;
    int longest = 0, n_long = 0;
    UNROLL for (int d = 0; d < 3; d++)
        if (d < (int)p->dimension) {
            sides[d] = load(&box[2 * d + 1]) - ~load(&box[2 * d]);
            longest = sides[d] > most ? d : longest;
            most = sides[d] > most ? sides[d] : most;
        }
    UNROLL for (int d = 0; d < 3; d++)
        n_long += d < (int)p->dimension && most - sides[d] <= UNCLEAR;
    return n_long > 1 ? -1 : longest;
}

INLINE int axis_of(const struct params *p, int index) {
    if (p->in_turns)
        return (int)(p->level % p->dimension);
    const int side = longest_side(p, &p->boxes[6 * (long long)index]);
    return side >= 0 ? side : longest_axis(p, &p->extents[6 * (long long)index]);
}

/* A tile of a part: p->tile of its places. */
struct tile {
    int index; /* of the part */
    struct part part;
    int first, end;
};

INLINE struct tile tile_of(const struct params *p) {
    struct tile tile;
    tile.index = block_index() / (int)p->n_tiles;
    tile.part = part_at(p, (int)p->level, tile.index);
    const long long first = tile.part.first + (block_index() - tile.index * (int)p->n_tiles) * p->tile, end = first + p->tile;
    tile.first = (int)(first < tile.part.end ? first : tile.part.end);
    tile.end = (int)(end < tile.part.end ? end : tile.part.end);
    return tile;
}

/* Extents grow by an element where it is at a side of its part's box. */
INLINE void extend_at_sides(const struct params *p, int axes, const unsigned *box, unsigned long long key, const int *id,
                            unsigned long long *extents) {
    UNROLL for (int d = 0; d < 3; d++)
        if (d < (int)p->dimension) {
            const unsigned number = number_of(axes, key, d);
            if (number == ~box[2 * d] || number == box[2 * d + 1])
                extend(extents, d, ordered_bits(p, load(id) * p->dimension + d));
        }
}

/* The extents of parts that have no clear longest side. */
KERNEL(extend_parts) {
    const struct params *p = PARAMS;
    const struct tile tile = tile_of(p);
    unsigned long long extents[6] = {0, 0, 0, 0, 0, 0};
    unsigned box[6] = {0, 0, 0, 0, 0, 0};
    if (tile.first >= tile.end || longest_side(p, &p->boxes[6 * (long long)tile.index]) >= 0)
        return;
    UNROLL for (int k = 0; k < 6; k++)
        box[k] = load(&p->boxes[6 * (long long)tile.index + k]);
    for (long long i = tile.first + thread_index(); i < tile.end; i += THREADS)
        extend_at_sides(p, key_axes(p), box, fetch(&p->keys[i]), &p->ids[i], extents);
    give_extents(p, extents, (unsigned long long *)shared_memory(), &p->extents[6 * (long long)tile.index]);
}

/* --- windows --- */

/* Where a part is cut: by numbers from `low` to `high` along its axis and, among these, from `next_low` to `next_high`
 * along another one, which `inside` elements have, beside `before` with lower ones. */
struct window {
    int axis, shift; /* of a number, to its bin */
    unsigned low, high;
    int next_axis;
    unsigned next_low, next_high;
    int before, inside;
    int is_wide; /* more than CHUNK are inside */
};

INLINE int shift_of(int n_bins, unsigned extent) {
    const int bits = bits_of(extent), bin_bits = bits_of((unsigned long long)n_bins - 1);
    return bits > bin_bits ? bits - bin_bits : 0;
}

INLINE struct window window_open(const struct params *p, int axis) {
    struct window w = {axis, 0, 0, ~0u, axis + 1 < p->dimension ? axis + 1 : 0, 0, ~0u, 0, 0, 0};
    return w;
}

/* That of all of a part. */
INLINE struct window window_along(const struct params *p, int index, int axis) {
    const unsigned *box = &p->boxes[6 * (long long)index + 2 * axis];
    struct window w = window_open(p, axis);
    w.low = ~load(&box[0]);
    w.high = load(&box[1]);
    w.shift = shift_of((int)p->n_bins, w.high - w.low);
    return w;
}

INLINE int bin_of(const struct params *p, const struct window *w, unsigned long long key) {
    return (int)((number_of(key_axes(p), key, w->axis) - w->low) >> w->shift);
}

/* The window becomes the bin of the element that `rank` others come before. All threads of the block. */
INLINE struct window narrowed(const struct params *p, struct window w, const int *bins, int rank) {
    int *chosen = (int *)shared_memory(), *parts = chosen + 3;
    const int each = (int)p->n_bins / THREADS, first = thread_index() * each;
    int counts[ITEMS], sum = 0, total;
    UNROLL for (int i = 0; i < ITEMS; i++) {
        counts[i] = i < each ? load(&bins[first + i]) : 0;
        sum += counts[i];
    }
    int before = w.before + sum_before_in_block(sum, parts, &total);
    UNROLL for (int i = 0; i < ITEMS; i++) {
        if (before <= rank && rank < before + counts[i]) {
            store(&chosen[0], first + i);
            store(&chosen[1], before);
            store(&chosen[2], counts[i]);
        }
        before += counts[i];
    }
    barrier();
    const unsigned low = w.low + ((unsigned)load(&chosen[0]) << w.shift), last = (1u << w.shift) - 1;
    struct window in = w;
    in.low = low;
    in.high = w.high - low > last ? low + last : w.high;
    in.shift = shift_of((int)p->n_bins, in.high - in.low);
    in.before = load(&chosen[1]);
    in.inside = rank > in.before ? load(&chosen[2]) : 0;
    in.is_wide = in.inside > CHUNK;
    barrier(); /* shared memory is free again */
    return in;
}

enum { OF_ALL, OF_MANY, ALONG_NEXT };

INLINE int *bins_of(const struct params *p, int kind, int index) {
    return &p->values[(((long long)kind << p->level) + index) * p->n_bins];
}

INLINE void store_window(int *to, struct window w) {
    store(&to[0], w.axis);
    store(&to[1], w.shift);
    store(&to[2], (int)w.low);
    store(&to[3], (int)w.high);
    store(&to[4], w.before);
    store(&to[5], w.inside);
    store(&to[6], w.is_wide);
}

INLINE struct window window_at(const struct params *p, int index) {
    const int *from = &p->windows[WINDOW * (long long)index];
    struct window w = window_open(p, load(&from[0]));
    w.shift = load(&from[1]);
    w.low = (unsigned)load(&from[2]);
    w.high = (unsigned)load(&from[3]);
    w.before = load(&from[4]);
    w.inside = load(&from[5]);
    w.is_wide = load(&from[6]);
    return w;
}

INLINE void empty_bins(int *counts, int n) {
    for (int b = thread_index(); b < n; b += THREADS)
        store(&counts[b], 0);
    barrier();
}

/* Those that were counted are added to a part's. */
INLINE void give_bins(const struct params *p, const int *counts, int *bins) {
    for (int b = thread_index(); b < (int)p->n_bins; b += THREADS)
        if (load(&counts[b]))
            atomic_add(&bins[b], load(&counts[b]));
}

KERNEL(count_bins) {
    const struct params *p = PARAMS;
    const struct tile tile = tile_of(p);
    int *counts = (int *)shared_memory();
    if (tile.first >= tile.end || tile.part.n_blocks < 2)
        return;
    const struct window w = window_along(p, tile.index, axis_of(p, tile.index));
    empty_bins(counts, (int)p->n_bins);
    for (long long i = tile.first + thread_index(); i < tile.end; i += THREADS)
        atomic_add(&counts[bin_of(p, &w, fetch(&p->keys[i]))], 1);
    barrier();
    give_bins(p, counts, bins_of(p, OF_ALL, tile.index));
}

/* A block a part: its window; and what its halves grow from. */
KERNEL(choose_bins) {
    const struct params *p = PARAMS;
    const int index = block_index(), t = thread_index();
    const struct part part = part_at(p, (int)p->level, index);
    struct window w = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}; /* all go to the second half */
    if (part.n_blocks > 1)
        w = narrowed(p, window_along(p, index, axis_of(p, index)), bins_of(p, OF_ALL, index), part.middle - part.first);
    if (t == 0)
        store_window(&p->windows[WINDOW * (long long)index], w);
    if (t < 12) {
        store(&p->boxes_out[12 * (long long)index + t], 0);
        store(&p->extents_out[12 * (long long)index + t], 0);
    }
    if (t < 2)
        store(&p->extents[6 * (long long)index + t], 0);
    if (t < 3)
        store(&p->taken[3 * (long long)index + t], 0);
}

/* Those in a window that is wide. */
KERNEL(count_again) {
    const struct params *p = PARAMS;
    const struct tile tile = tile_of(p);
    unsigned long long *shared = (unsigned long long *)shared_memory(), extents[6] = {0, 0, 0, 0, 0, 0};
    int *counts = (int *)(shared + 6), *next_counts = counts + (int)p->n_bins;
    if (tile.first >= tile.end)
        return;
    const struct window w = window_at(p, tile.index), next = window_along(p, tile.index, w.next_axis);
    if (!w.is_wide)
        return;
    empty_bins(counts, 2 * (int)p->n_bins);
    for (long long i = tile.first + thread_index(); i < tile.end; i += THREADS) {
        const unsigned long long key = fetch(&p->keys[i]);
        const unsigned number = number_of(key_axes(p), key, w.axis);
        if (number < w.low || number > w.high)
            continue;
        atomic_add(&counts[bin_of(p, &w, key)], 1);
        atomic_add(&next_counts[bin_of(p, &next, key)], 1);
        extend(extents, 0, ordered_bits(p, fetch(&p->ids[i]) * p->dimension + w.axis));
    }
    give_extents(p, extents, shared, &p->extents[6 * (long long)tile.index]);
    give_bins(p, counts, bins_of(p, OF_MANY, tile.index));
    give_bins(p, next_counts, bins_of(p, ALONG_NEXT, tile.index));
}

INLINE struct window settled_window(const struct params *p, int index, struct part part) {
    const int rank = part.middle - part.first;
    const unsigned long long *extents = &p->extents[6 * (long long)index];
    struct window w = window_at(p, index);
    if (!w.is_wide)
        return w;
    if (~load(&extents[0]) != load(&extents[1]))
        return narrowed(p, w, bins_of(p, OF_MANY, index), rank);
    struct window next = window_along(p, index, w.next_axis);
    next.before = w.before;
    next = narrowed(p, next, bins_of(p, ALONG_NEXT, index), rank);
    w.next_low = next.low;
    w.next_high = next.high;
    w.before = next.before;
    w.inside = next.inside;
    return w;
}

/* --- division --- */

/* Boxes of both halves, of which a thread knows some elements. */
struct halves {
    unsigned box[2][6];
};

INLINE void enclose(int axes, struct halves *halves, int half, unsigned long long key) {
    UNROLL for (int h = 0; h < 2; h++)
        UNROLL for (int d = 0; d < 3; d++)
            if (h == half && d < axes) {
                const unsigned number = number_of(axes, key, d);
                halves->box[h][2 * d] = ~number > halves->box[h][2 * d] ? ~number : halves->box[h][2 * d];
                halves->box[h][2 * d + 1] = number > halves->box[h][2 * d + 1] ? number : halves->box[h][2 * d + 1];
            }
}

/* Adds those of all threads to the parts'; `boxes` [12] is in shared memory. */
INLINE void give_boxes(const struct params *p, int axes, struct halves *halves, unsigned *boxes, int index) {
    const int t = thread_index();
    if (t < 12)
        store(&boxes[t], 0);
    barrier();
    UNROLL for (int h = 0; h < 2; h++)
        UNROLL for (int k = 0; k < 6; k++)
            if (k < 2 * axes) {
                unsigned most = halves->box[h][k];
                for (int lanes = WARP / 2; lanes > 0; lanes /= 2) {
                    const unsigned other = shuffle_xor(ALL_LANES, most, lanes);
                    most = other > most ? other : most;
                }
                if (lane() == 0)
                    atomic_max(&boxes[6 * h + k], most);
            }
    barrier();
    if (t < 12)
        atomic_max(&p->boxes_out[12 * (long long)index + t], load(&boxes[t]));
}

enum { BEFORE, INSIDE, BEHIND, NOWHERE };

INLINE int side_of_window(int axes, const struct window *w, unsigned long long key) {
    const unsigned number = number_of(axes, key, w->axis);
    if (number < w->low || number > w->high)
        return number < w->low ? BEFORE : BEHIND;
    const unsigned next = number_of(axes, key, w->next_axis);
    return next < w->next_low ? BEFORE : w->inside && next <= w->next_high ? INSIDE : BEHIND;
}

/* A tile's elements of a side get their room; counts [3][WARPS] become what warps before have. */
INLINE void start_side(const struct params *p, struct tile tile, const struct window *w, int s, int *counts, int *starts) {
    const int start = s == BEFORE ? 0 : s == INSIDE ? w->before : w->before + w->inside;
    int sum = 0;
    for (int i = 0; i < WARPS; i++) {
        const int own = load(&counts[s * WARPS + i]);
        store(&counts[s * WARPS + i], sum);
        sum += own;
    }
    store(&starts[s], tile.part.first + start + atomic_take(&p->taken[3 * (long long)tile.index + s], sum));
}

/* Where an element of a side goes, after those of the lanes before; `to` [3], of the warp, counts on. */
INLINE int place_of_side(int side, int *to) {
    unsigned same = 0;
    int at = 0;
    UNROLL for (int s = 0; s < 3; s++) {
        const unsigned there = ballot(ALL_LANES, side == s);
        same = side == s ? there : same;
        at = side == s ? to[s] : at;
        to[s] += count_lanes(there);
    }
    return at + count_lanes(same & ((1u << lane()) - 1));
}

/* From p->keys and p->ids to p->keys_out and p->ids_out. */
INLINE void divide(const struct params *p, int axes) {
    const struct tile tile = tile_of(p);
    int *counts = (int *)shared_memory() + WINDOW + WARPS; /* [3][WARPS] */
    int *starts = counts + 3 * WARPS;                      /* [3] */
    unsigned *boxes = (unsigned *)(starts + 3);
    unsigned long long keys[ITEMS];
    int ids[ITEMS], to[3];
    unsigned sides = 0, n = 0; /* of each, in 2 bits; how many are at each, in a third of the bits */
    struct halves halves = {{{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}}};
    if (tile.first >= tile.end)
        return;
    const struct window w = settled_window(p, tile.index, tile.part);
    const int warp = thread_index() / WARP, third = WARP / 3; /* counts of a warp's ITEMS * WARP fit */
    const long long first = tile.first + warp * (ITEMS * WARP) + lane();
    UNROLL for (int i = 0; i < ITEMS; i++) {
        const int is_there = first + i * WARP < tile.end;
        keys[i] = is_there ? load(&p->keys[first + i * WARP]) : 0;
        ids[i] = is_there ? load(&p->ids[first + i * WARP]) : 0;
    }
    UNROLL for (int i = 0; i < ITEMS; i++) {
        const int side = first + i * WARP < tile.end ? side_of_window(axes, &w, keys[i]) : NOWHERE;
        sides |= (unsigned)side << 2 * i;
        if (side == BEFORE || side == BEHIND)
            enclose(axes, &halves, side == BEHIND, keys[i]);
        n += 1u << third * side; /* NOWHERE: what is over falls off */
    }
    for (int lanes = WARP / 2; lanes > 0; lanes /= 2)
        n += shuffle_xor(ALL_LANES, n, lanes);
    if (lane() < 3)
        store(&counts[lane() * WARPS + warp], (int)(n >> third * lane() & ((1u << third) - 1)));
    give_boxes(p, axes, &halves, boxes, tile.index);
    if (thread_index() < 3)
        start_side(p, tile, &w, thread_index(), counts, starts);
    barrier();
    UNROLL for (int s = 0; s < 3; s++)
        to[s] = load(&starts[s]) + load(&counts[s * WARPS + warp]);
    UNROLL for (int i = 0; i < ITEMS; i++) {
        const int side = sides >> 2 * i & 3;
        const int at = place_of_side(side, to);
        if (side != NOWHERE) {
            store(&p->keys_out[at], keys[i]);
            store(&p->ids_out[at], ids[i]);
        }
    }
}

/* Apart by axes, so that numbers are at fixed bits. */
KERNEL(divide_parts) {
    const struct params *p = PARAMS;
    if (p->dimension == 3)
        divide(p, 3);
    else
        divide(p, 2);
}

/* A block a part: the elements inside its window, divided by way of p->keys and p->ids, whose own are read no more. */
KERNEL(settle_parts) {
    const struct params *p = PARAMS;
    const int index = block_index();
    const struct part part = part_at(p, (int)p->level, index);
    struct selection *s = (struct selection *)shared_memory();
    struct halves halves = {{{0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}}};
    const struct window w = settled_window(p, index, part);
    const int n_kinds = window_at(p, index).is_wide ? 3 : 1;
    for (int b = thread_index(); b < n_kinds * (int)p->n_bins; b += THREADS)
        store(&bins_of(p, b / (int)p->n_bins, index)[b % (int)p->n_bins], 0);
    if (w.inside == 0)
        return;
    const int first = part.first + w.before, n_before = part.middle - first;
    const struct pile pile = {whole_block(), s, 1, (unsigned long long *)(s + 1), &p->ids_out[first], w.inside, w.axis};
    if (thread_index() == 0)
        store(&s->n_inside, w.inside);
    select_cut(p, &pile, n_before, s);
    for (int row = thread_index() - lane(); row < w.inside; row += THREADS) {
        const int i = row + lane(), is_there = i < w.inside;
        const int id = is_there ? load(&p->ids_out[first + i]) : 0;
        const int goes = is_there && is_before_cut(p, &pile, id, s);
        const int to = first + place_in_turn(is_there, goes, s->taken, n_before);
        if (is_there) {
            const unsigned long long key = load(&p->keys_out[first + i]);
            enclose(key_axes(p), &halves, !goes, key);
            store(&p->keys[to], key);
            store(&p->ids[to], id);
        }
    }
    give_boxes(p, key_axes(p), &halves, s->boxes, index);
    for (int i = first + thread_index(); i < first + w.inside; i += THREADS) {
        store(&p->keys_out[i], load(&p->keys[i]));
        store(&p->ids_out[i], load(&p->ids[i]));
    }
}

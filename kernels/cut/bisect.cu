/* How elements are bisected, in the words of simt.h. Along each axis they have a rank, which no two share: by that
 * coordinate, then the next ones, then the element. All parts of a level lie one behind the other in a list for each
 * axis, sorted by the rank along it: the ends of a part's list say how far it extends, and the middle where it is
 * cut. The list of another axis is divided, stably, by the ranks along the axis of the cut, which it carries.
 *
 * ranks [dimension][n]     of each element
 * order [dimension][n]     the element of each rank
 * lists [dimension][dimension - 1][n]: at each place of the list of axis a the ranks along the axes after it, (a + 1)
 *                          % dimension first */

/* A part: its blocks, the places in the lists, and where the second half begins. */
struct part {
    int index, n_blocks; /* among the 2^level of its level, some of them empty */
    int first, middle, end;
};

INLINE struct part part_of_blocks(const struct params *p, int index, int first, int n_blocks) {
    const long long size = p->block_size, end = (first + n_blocks) * size;
    struct part part;
    part.index = index;
    part.n_blocks = n_blocks;
    part.first = (int)(first * size);
    part.middle = (int)((first + n_blocks / 2) * size);
    part.end = (int)(end < p->n ? end : p->n);
    return part;
}

/* Half of its blocks, rounded down, are a part's first half. */
INLINE struct part part_at(const struct params *p, int index) {
    int first = 0, n_blocks = (int)p->n_blocks;
    for (int bit = (int)p->level - 1; bit >= 0; bit--) {
        const int half = n_blocks / 2, second = index >> bit & 1;
        first += second ? half : 0;
        n_blocks = second ? n_blocks - half : half;
    }
    return part_of_blocks(p, index, first, n_blocks);
}

INLINE struct part part_around(const struct params *p, int place) {
    const int block = place / (int)p->block_size;
    int first = 0, n_blocks = (int)p->n_blocks, index = 0;
    for (int level = 0; level < (int)p->level; level++) {
        const int half = n_blocks / 2, second = block >= first + half;
        first += second ? half : 0;
        n_blocks = second ? n_blocks - half : half;
        index = 2 * index + second;
    }
    return part_of_blocks(p, index, first, n_blocks);
}

INLINE const int *list_at(const struct params *p, const int *lists, int axis, int along) {
    return lists + (axis * (p->dimension - 1) + (along - axis - 1 + p->dimension) % p->dimension) * p->n;
}

INLINE int element_at(const struct params *p, int axis, int place) {
    const int next = (axis + 1) % (int)p->dimension;
    return load(&p->order[next * p->n + load(&list_at(p, p->lists, axis, next)[place])]);
}

/* Halved, so that no difference of finite numbers overflows. */
INLINE double half_coordinate(const struct params *p, int axis, int place) {
    return 0.5 * load(&p->places[element_at(p, axis, place) * p->dimension + axis]);
}

INLINE int axis_of(const struct params *p, struct part part) {
    int longest = 0;
    double longest_extent = -1;
    if (p->in_turns)
        return (int)(p->level % p->dimension);
    for (int axis = 0; axis < (int)p->dimension; axis++) {
        const double extent = half_coordinate(p, axis, part.end - 1) - half_coordinate(p, axis, part.first);
        longest = extent > longest_extent ? axis : longest;
        longest_extent = extent > longest_extent ? extent : longest_extent;
    }
    return longest;
}

/* Each part's axis and the lowest rank of its second half. */
KERNEL(choose_cuts) {
    const struct params *p = PARAMS;
    const int index = block_index() * THREADS + thread_index();
    const struct part part = part_at(p, index);
    if (index >> p->level || part.n_blocks < 2)
        return;
    const int axis = axis_of(p, part);
    store(&p->cut_axis[index], axis);
    store(&p->cut_rank[index], load(&p->ranks[axis * p->n + element_at(p, axis, part.middle)]));
}

/* What a thread needs to divide a list: its part and, where its list is not in the order of the cut, the ranks. */
struct division {
    struct part part;
    const int *ranks; /* NULL: what goes to the first half lies there */
    int cut_rank;
};

INLINE struct division division_around(const struct params *p, int axis, int place) {
    struct division of;
    of.part = part_around(p, place);
    of.ranks = 0;
    of.cut_rank = 0;
    const int cut_axis = of.part.n_blocks > 1 ? load(&p->cut_axis[of.part.index]) : axis;
    if (cut_axis != axis) {
        of.ranks = list_at(p, p->lists, axis, cut_axis);
        of.cut_rank = load(&p->cut_rank[of.part.index]);
    }
    return of;
}

/* Goes through the rows of a warp's places: which go to the first half, which lie there. Their difference, summed up
 * over the places before, is 0 at the beginning of each part: so it says how far each place is off, whatever the
 * part. In the bits of lanes. */
struct row {
    unsigned go, lie;
};

INLINE struct row row_of(const struct params *p, int axis, long long place, struct division *of) {
    struct row row;
    int goes = 0, lies = 0;
    if (place < p->n) {
        if (place >= of->part.end)
            *of = division_around(p, axis, (int)place);
        lies = place < of->part.middle;
        goes = of->ranks ? load(&of->ranks[place]) < of->cut_rank : lies;
    }
    row.go = ballot(ALL_LANES, goes);
    row.lie = ballot(ALL_LANES, lies);
    return row;
}

INLINE int excess(struct row row, unsigned lanes) {
    return count_lanes(row.go & lanes) - count_lanes(row.lie & lanes);
}

/* p->values [dimension][n_tiles]: how many more go to first halves than lie there, in each tile of each list. */
KERNEL(count_excess) {
    const struct params *p = PARAMS;
    const int axis = block_index() / (int)p->n_tiles, tile = block_index() % (int)p->n_tiles;
    const long long first = (long long)tile * CHUNK + thread_index() / WARP * (CHUNK / WARPS) + lane();
    struct division of = {{0, 0, 0, 0, 0}, 0, 0};
    int sum = 0, total;
    UNROLL for (int i = 0; i < ITEMS; i++)
        if (first - lane() + i * WARP < p->n)
            sum += excess(row_of(p, axis, first + i * WARP, &of), ALL_LANES);
    sum_before_in_block(lane() == 0 ? sum : 0, (int *)shared_memory(), &total);
    if (thread_index() == 0)
        store(&p->values[block_index()], total);
}

/* Divides all lists, from p->lists to p->lists_out. */
KERNEL(divide_lists) {
    const struct params *p = PARAMS;
    const int axis = block_index() / (int)p->n_tiles, tile = block_index() % (int)p->n_tiles;
    const long long first = (long long)tile * CHUNK + thread_index() / WARP * (CHUNK / WARPS) + lane();
    struct division of = {{0, 0, 0, 0, 0}, 0, 0};
    struct row rows[ITEMS];
    int sum = 0, total;
    UNROLL for (int i = 0; i < ITEMS; i++) {
        rows[i].go = rows[i].lie = 0;
        if (first - lane() + i * WARP >= p->n)
            continue;
        rows[i] = row_of(p, axis, first + i * WARP, &of);
        sum += excess(rows[i], ALL_LANES);
    }
    const int own = sum_before_in_block(lane() == 0 ? sum : 0, (int *)shared_memory(), &total);
    int off = load(&p->values[block_index()]) + shuffle(ALL_LANES, own, 0);
    of.part.end = 0;
    UNROLL for (int i = 0; i < ITEMS; i++) {
        const long long place = first + i * WARP;
        if (place < p->n) {
            if (place >= of.part.end)
                of.part = part_around(p, (int)place);
            const int before = off + excess(rows[i], (1u << lane()) - 1), at = (int)place, middle = of.part.middle;
            const int to = rows[i].go >> lane() & 1 ? (at < middle ? at : middle) + before
                                                    : (at > middle ? at : middle) - before;
            for (int k = 0; k < (int)p->dimension - 1; k++) {
                const long long list = (axis * (p->dimension - 1) + k) * p->n;
                store(&p->lists_out[list + to], load(&p->lists[list + at]));
            }
        }
        off += excess(rows[i], ALL_LANES);
    }
}

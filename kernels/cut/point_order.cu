/* How the points of a plan's set are ordered by the blocks that have them, in the words of simt.h: those of one block come
 * first, block by block; the others by how many blocks they have, then by these, and those of none last. And how that order
 * is sorted by the blocks that own them.
 *
 * offsets [n_blocks + 1] where the points of each block begin in `points`
 * reached [n_points]     how many blocks have each point
 * values [n_blocks + 1]  points of one block in each; later in those before it
 * marks [n_words]        a bit for each point of several blocks, or of none, which is a row
 * ranks [n_words + 1]    rows in each word; later in those before it
 * kept [n_rows]          the point of each row
 * was [n_rows + 1]       blocks of each row; later where they begin in `made`, and ascend
 * touched [1]            the most blocks of a row, where they are more than 2 */

/* The i-th point of a block, or -1. */
INLINE int point_of_block(const struct params *p, int i) {
    const int at = fetch(&p->offsets[block_index()]) + i;
    const int point = at < fetch(&p->offsets[block_index() + 1]) ? fetch(&p->points[at]) : -1;
    if (point >= p->n_points)
        atomic_max(&p->faults[WRONG_POINT], 1u);
    return point < p->n_points ? point : -1;
}

INLINE int size_of_block(const struct params *p) {
    return fetch(&p->offsets[block_index() + 1]) - fetch(&p->offsets[block_index()]);
}

KERNEL(count_blocks) {
    const struct params *p = PARAMS;
    for (int i = thread_index(); i < size_of_block(p); i += THREADS) {
        const int point = point_of_block(p, i);
        if (point >= 0)
            atomic_add(&p->reached[point], 1u);
    }
}

KERNEL(count_single_points) {
    const struct params *p = PARAMS;
    for (int i = thread_index(); i < size_of_block(p); i += THREADS) {
        const int point = point_of_block(p, i);
        if (point >= 0 && load(&p->reached[point]) == 1)
            atomic_add(&p->values[block_index()], 1);
    }
}

KERNEL(place_single_points) {
    const struct params *p = PARAMS;
    int start = load(&p->values[block_index()]), more;
    for (int first = 0; first < size_of_block(p); first += THREADS) {
        const int point = point_of_block(p, first + thread_index());
        const int is_single = point >= 0 && load(&p->reached[point]) == 1;
        const int before = sum_before_in_block(is_single, (int *)shared_memory(), &more);
        if (is_single)
            store(&p->new_to_old[start + before], point);
        start += more;
    }
}

/* A warp a word. */
KERNEL(mark_rows) {
    const struct params *p = PARAMS;
    const int is_row = ELEMENT() < p->n_points && load(&p->reached[ELEMENT()]) != 1;
    const unsigned same = match_any(ALL_LANES, is_row), rows = is_row ? same : ~same;
    if (lane() == 0 && ELEMENT() < p->n_points) {
        store(&p->marks[ELEMENT() / WARP], rows);
        store(&p->ranks[ELEMENT() / WARP], count_lanes(rows));
    }
}

/* The row of a point, or -1. */
INLINE int row_at(const struct params *p, long long point) {
    const unsigned rows = load(&p->marks[point / WARP]), bit = 1u << point % WARP;
    return rows & bit ? load(&p->ranks[point / WARP]) + count_lanes(rows & (bit - 1)) : -1;
}

KERNEL(list_rows) {
    const struct params *p = PARAMS;
    const int row = ELEMENT() < p->n_points ? row_at(p, ELEMENT()) : -1;
    if (row < 0)
        return;
    const unsigned n = load(&p->reached[ELEMENT()]);
    store(&p->kept[row], (int)ELEMENT());
    store(&p->ids[row], row);
    store(&p->values[row], (int)n);
    if (n > 2)
        atomic_max(&p->touched[0], n);
}

KERNEL(fill_rows) {
    const struct params *p = PARAMS;
    for (int i = thread_index(); i < size_of_block(p); i += THREADS) {
        const int point = point_of_block(p, i), row = point >= 0 ? row_at(p, point) : -1;
        if (row >= 0)
            store(&p->made[load(&p->values[row]) + atomic_take(&p->taken[row], 1)], block_index());
    }
}

/* A thread a row, of up to 2 * WARP blocks. */
KERNEL(sort_rows) {
    const struct params *p = PARAMS;
    if (ELEMENT() >= p->n)
        return;
    const int begin = fetch(&p->was[ELEMENT()]);
    sort_few(&p->made[begin], fetch(&p->was[ELEMENT() + 1]) - begin);
}

/* Keys of the `round`-th two blocks of each row; behind how many it has in the first, where none are more than all. */
KERNEL(fill_block_keys) {
    const struct params *p = PARAMS;
    if (ELEMENT() >= p->n)
        return;
    const int row = load(&p->ids[ELEMENT()]), begin = fetch(&p->was[row]), n = fetch(&p->was[row + 1]) - begin;
    const int first = 2 * (int)p->round;
    unsigned long long key = p->round ? 0 : (unsigned long long)((n - 1) & (4 * WARP - 1));
    for (int i = first; i < first + 2; i++)
        key = key << p->bits | (unsigned long long)(i < n ? load(&p->made[begin + i]) : 0);
    store(&p->keys[ELEMENT()], key);
}

KERNEL(place_rows) {
    const struct params *p = PARAMS;
    if (ELEMENT() < p->n)
        store(&p->new_to_old[p->n_touched + ELEMENT()], fetch(&p->kept[load(&p->ids[ELEMENT()])]));
}

/* Keys of points, in their order by blocks (`kept`), which have `now` blocks: twice the block that owns each (owners NULL:
 * the first, ~reached), and 1 where another one has it. */
KERNEL(fill_owner_keys) {
    const struct params *p = PARAMS;
    if (ELEMENT() >= p->n_points)
        return;
    const int point = fetch(&p->kept[ELEMENT()]), n = (int)load(&p->now[point]), first = (int)~load(&p->reached[point]);
    const int own = n == 0 ? (int)p->n_blocks : p->owners ? fetch(&p->owners[point]) : first;
    const int is_shared = n > 1 || (n == 1 && first != own);
    store(&p->keys[ELEMENT()], 2 * (unsigned long long)own + is_shared);
    store(&p->ids[ELEMENT()], (int)ELEMENT());
}

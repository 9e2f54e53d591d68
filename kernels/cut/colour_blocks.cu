/* Which blocks share a point, in the words of simt.h, for their colours: each block lists those before it that do. Given
 * one after another, colours wait for each other along chains of blocks: in rounds by a device they would take as many as
 * such a chain is long, so the host gives them by these lists.
 *
 * offsets [n_blocks + 1]  where the points of blocks begin
 * values [n_points]       how many blocks have each point; later where their list begins, in the end where it ends
 * ids                     these lists, each in any order
 * taken [1]               pairs of blocks so far: n_values have room in `keys`
 * keys [n_values]         a block, 32 bits, and one before it that shares a point, some more than once */

KERNEL(count_holders) {
    const struct params *p = PARAMS;
    const int end = fetch(&p->offsets[block_index() + 1]);
    for (int i = fetch(&p->offsets[block_index()]) + thread_index(); i < end; i += THREADS) {
        const int point = fetch(&p->points[i]);
        if (point >= p->n_points)
            atomic_max(&p->faults[WRONG_POINT], 1u);
        else if (atomic_take(&p->values[point], 1) == THREADS)
            atomic_max(&p->faults[MANY_HOLDERS], 1u);
    }
}

KERNEL(place_holders) {
    const struct params *p = PARAMS;
    const int end = fetch(&p->offsets[block_index() + 1]);
    for (int i = fetch(&p->offsets[block_index()]) + thread_index(); i < end; i += THREADS)
        store(&p->ids[atomic_take(&p->values[fetch(&p->points[i])], 1)], block_index());
}

/* Lists the blocks before this one that have a point; `listed` knows of most that are. */
INLINE void list_holders(const struct params *p, int point, int *listed) {
    const int end = fetch(&p->values[point]);
    for (int k = point > 0 ? fetch(&p->values[point - 1]) : 0; k < end; k++) {
        const int other = fetch(&p->ids[k]);
        if (other >= block_index() || atomic_claim(&listed[other % CHUNK], other + 1) == other + 1)
            continue;
        const int at = atomic_take(&p->taken[0], 1);
        if (at < p->n_values)
            store(&p->keys[at], (unsigned long long)block_index() << 32 | (unsigned)other);
    }
}

KERNEL(list_neighbours) {
    const struct params *p = PARAMS;
    int *listed = (int *)shared_memory(); /* [CHUNK] */
    const int end = fetch(&p->offsets[block_index() + 1]);
    for (int i = thread_index(); i < CHUNK; i += THREADS)
        store(&listed[i], 0);
    barrier();
    for (int i = fetch(&p->offsets[block_index()]) + thread_index(); i < end; i += THREADS)
        list_holders(p, fetch(&p->points[i]), listed);
}

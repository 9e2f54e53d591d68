/* tiles: LANES neighbouring lanes have an element. They load what its parts take into shared memory,
 * each some consecutive values, and run the parts: each lane other instances. What these make is
 * summed in registers, in shared memory or not at all, and given as the strategy atomics does
 * (warp_sum.h). */
KERNEL(tiles) {
    const struct params *p = PARAMS;
    const int k = (int)(((long long)block_index() * THREADS + thread_index()) / LANES);
    const int active = k < N_POSITIONS;
    const int i = active ? element_at(p, k) : 0;
    struct tile *t = (struct tile *)(shared_memory() + THREADS * ROW_BYTES +
                                     thread_index() / LANES * TILE_BYTES +
                                     (thread_index() + WARP / 2) / WARP * TILE_SHIFT);
#if ROW_BYTES > 0
    char *rows = shared_memory() + thread_index() / WARP * WARP * ROW_BYTES;
#else
    char *rows = 0;
#endif
    load_tile(p, t, i, active);
    give_parts(t, active);
    add_parts(p, t, i, active, rows);
    wait_given();
}

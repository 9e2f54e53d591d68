/* halo-atomics: blocks of elements in one launch. Points that only one block increments are stored
 * plainly, the others by atomics or, BORDER_KEPT 1, by their first block and a second launch. */
#if PHASES_LAUNCHED
#define PHASE_KERNEL(phase)                                                                        \
    KERNEL(halo_atomics_##phase) {                                                               \
        block_phase(PARAMS, block_index(), phase);                                                 \
    }
EACH_PHASE(PHASE_KERNEL)
#else
KERNEL(halo_atomics) {
    block_sum(PARAMS, block_index());
}
#endif
#if BORDER_KEPT
KERNEL(halo_atomics_border) {
    add_border(PARAMS, block_index() * THREADS + thread_index());
}
#endif

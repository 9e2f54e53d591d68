/* owner-block: blocks own points and compute every element that increments them, those on borders
 * more than once: no atomics, no block colours. */
#if PHASES_LAUNCHED
#define PHASE_KERNEL(phase)                                                                        \
    KERNEL(owner_block_##phase) {                                                               \
        block_phase(PARAMS, block_index(), phase);                                                 \
    }
EACH_PHASE(PHASE_KERNEL)
#else
KERNEL(owner_block) {
    block_sum(PARAMS, block_index());
}
#endif

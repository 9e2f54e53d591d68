/* owner-block: blocks own points and compute every element that increments them, those on borders
 * more than once: no atomics, no block colours. */
#if PHASES_LAUNCHED
#define PHASE_KERNEL(phase)                                                                        \
    KERNEL(owner_block_##phase) {                                                               \
        const struct params *p = PARAMS;                                                           \
        block_phase(p, (int)p->first + block_index(), phase);                                      \
    }
EACH_PHASE(PHASE_KERNEL)
#else
KERNEL(owner_block) {
    const struct params *p = PARAMS;
    block_sum(p, (int)p->first + block_index());
}
#endif

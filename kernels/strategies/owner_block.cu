/* owner-block: blocks own points and compute every element that increments them, those on borders
 * more than once: no atomics, no block colours. */
KERNEL(owner_block) {
    block_sum(PARAMS, block_index());
}

/* halo-atomics: blocks of elements in one launch. Points that only one block increments are stored
 * plainly, the others by atomics (BORDER_ATOMICS of block_sum.h). */
KERNEL(halo_atomics) {
    block_sum(PARAMS, block_index(), shared_memory());
}

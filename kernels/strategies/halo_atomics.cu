/* halo-atomics: blocks of elements in one launch. Points that only one block increments are stored
 * plainly, the others by atomics. */
KERNEL(halo_atomics) {
    block_sum(PARAMS, block_index());
}

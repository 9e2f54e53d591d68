/* chain_stages.h: a block goes through the stages of a chain; text for kernels/codegen/chain_page.h.
 *
 * Each stage computes the block's own points and as many rings around them as the next ones read.
 * Before the next stage the block waits: it reads at neighbours what this one keeps. */
#define RUN_STAGE(stage, ring)                                                                     \
    if (stage > 0)                                                                                 \
        barrier();                                                                                 \
    TURNS(k, thread_index(), b.n[ring], THREADS)                                                   \
        stage_##stage(p, &b, k, &s);

KERNEL(chain) {
    const struct params *p = PARAMS;
    const struct block b = open_block(p, block_index());
    struct sums s;
    sums_clear(&s);
#if KEEPS_LOADED
    TURNS(k, thread_index(), b.n[LOADED_RING], THREADS)
        keep_loaded(p, &b, k);
    async_wait();
    barrier();
#endif
    EACH_STAGE(RUN_STAGE)
    sums_give(p, &s);
}

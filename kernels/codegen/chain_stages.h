/* chain_stages.h: a block goes through the stages of a chain; text for kernels/codegen/chain_page.h.
 *
 * Before a stage's points come the elements that the block computes once, behind which it waits, too.
 * Each stage computes the block's own points and as many rings around them as the next ones read.
 * Before the next stage the block waits: it reads at neighbours what this one keeps. What the first
 * one reads so, what all read of other sets, and where all that lies is brought to the block's
 * memory before. */
#define RUN_STAGE(stage, ring)                                                                     \
    if (stage > 0)                                                                                 \
        barrier();                                                                                 \
    elements_##stage(p, &b, &s);                                                                   \
    TURNS(k, thread_index(), b.n[ring], THREADS)                                                   \
        stage_##stage(p, &b, k, &s);

#define KEEP(set)                                                                                  \
    TURNS(k, thread_index(), set##_kept(&b), THREADS)                                              \
        keep_##set(p, &b, k);

KERNEL(chain) {
    const struct params *p = PARAMS;
    const struct block b = open_block(p, (int)p->first + block_index());
    struct sums s;
    sums_clear(&s);
#if RINGS
    TURNS(k, thread_index(), b.n[LOADED_RING], THREADS)
        keep_loaded(p, &b, k);
    EACH_KEPT(KEEP)
    async_wait();
    barrier();
#endif
    EACH_STAGE(RUN_STAGE)
    sums_give(p, &s);
}

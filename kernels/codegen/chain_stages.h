/* chain_stages.h: a block goes through the stages of a chain; text for kernels/codegen/chain_page.h.
 *
 * Before a stage's points come the elements that the block computes once, behind which it waits, too.
 * Each stage computes the block's own points and as many rings around them as the next ones read.
 * Before the next stage the block waits: it reads at neighbours what this one keeps. What the first
 * one reads so, what all read of other sets, and where all that lies is brought to the block's
 * memory before. Printed for each chain are
 *
 *   EACH_STAGE(run), EACH_KEPT(run)   run(stage, ring) of the stages, run(set, n) of what lies there
 *   keep_SET(p, b, k)                 brings one of n there
 *   elements_0(p, b, s) ...           what a block computes once for a stage, and a barrier
 *   stage_0(p, b, k, s) ...           what a stage does with the point at place k of the block */
#define RUN_STAGE(stage, ring)                                                                     \
    if (stage > 0)                                                                                 \
        barrier();                                                                                 \
    elements_##stage(p, &b, &s);                                                                   \
    TURNS(k, thread_index(), b.n[ring], THREADS)                                                   \
        stage_##stage(p, &b, k, &s);

#define KEEP(set, n)                                                                               \
    TURNS(k, thread_index(), n, THREADS)                                                           \
        keep_##set(p, &b, k);

KERNEL(chain) {
    const struct params *p = PARAMS;
    const struct block b = open_block(p, (int)p->first + block_index());
    struct sums s;
    sums_clear(&s);
#if RINGS
    EACH_KEPT(KEEP)
    async_wait();
    barrier();
#endif
    EACH_STAGE(RUN_STAGE)
    sums_give(p, &s);
}

/* phase_sum.h: a block computes its elements phase after phase and sums their increments in shared
 * memory; text for halo_atomics.cu and owner_block.cu where a loop is split.
 *
 * Each phase stages what it alone needs: reads, and sums, which start from what points have and leave
 * at once; what the phase before it had stays where both need it. What phases pass on stays with the
 * element, so all elements of a block are under way at the same time, ELEMENTS of each thread.
 *
 * PHASES. PHASES_AHEAD 1: a phase is staged while the one before it is computed, or behind the sums of
 * that; 0: after it, in its place. Bit f of PHASE_ADDS: phase f adds something. */
#define ADDS(phase) (PHASE_ADDS >> (phase)&1)
#define STAGES_NEXT(phase) (PHASES_AHEAD && (phase) + 1 < PHASES)

INLINE void begin_element(const struct params *p, struct element *e, struct words *words, int k) {
    fetch_words(p, words, k);
    read_direct(p, e, element_at(p, k));
    clear_unstaged(e);
}

INLINE void block_sum(const struct params *p, int index) {
    const struct block b = open_block(p, index);
    struct element e[ELEMENTS] UNSET;
    struct words words[ELEMENTS] UNSET;
    stage(p, &b, 0);
    UNROLL for (int i = 0; i < ELEMENTS; i++) {
        const int k = b.begin + i * THREADS + thread_index();
        if (k < b.end)
            begin_element(p, &e[i], &words[i], k);
    }
    UNROLL for (int phase = 0; phase < PHASES; phase++) {
        if (!PHASES_AHEAD && phase > 0) {
            barrier(); /* the copies of the phase before have been read */
            stage(p, &b, phase);
        }
        async_wait();
        barrier();
        if (STAGES_NEXT(phase) && !ADDS(phase))
            stage(p, &b, phase + 1);
        UNROLL for (int i = 0; i < ELEMENTS; i++)
            if (b.begin + i * THREADS + thread_index() < b.end) {
                find_local(&e[i], &words[i]);
                read_staged(&b, &e[i], phase);
                compute_phase(&e[i], phase);
            }
        if (ADDS(phase)) {
            UNROLL for (int i = 0; i < ELEMENTS; i++)
                add_by_slot(&b, &e[i], &words[i], b.begin + i * THREADS + thread_index() < b.end,
                            phase);
            give_sums(p, &b, phase);
            if (STAGES_NEXT(phase))
                stage(p, &b, phase + 1);
        }
    }
}

/* phase_sum.h: a block computes its elements phase after phase and sums their increments in shared
 * memory; text for halo_atomics.cu and owner_block.cu where a loop is split.
 *
 * Each phase stages what it alone needs: reads, and sums, which start from what points have and leave
 * at once; what the phase before it had stays where both need it. What phases pass on stays with the
 * element, so all elements of a block are under way at the same time, ELEMENTS of each thread.
 *
 * PHASES, and EACH_PHASE(X): X(0) X(1) ... The code of phases is written out so: compilers leave a
 * loop of that size rolled up, whatever the pragma, and then ask at run time which phase it is.
 * Bit f of PHASE_ADDS: phase f adds something. PHASES_AHEAD 1: a phase is staged while the one before
 * it is computed, or behind the sums of that; 0: after it, in its place.
 *
 * PHASES_LAUNCHED 1: each phase is a launch of its own; what phases pass on goes through memory, and a
 * thread has one element after another. */
#define ADDS(phase) (PHASE_ADDS >> (phase)&1)

#if PHASES_LAUNCHED

/* Fetches what does not wait for copies. */
INLINE void begin_element(const struct params *p, struct element *e, struct words *words, int k,
                          int phase) {
    fetch_words(p, words, k);
    clear_unstaged(e);
    read_own(p, e, element_at(p, k), phase);
    read_passed(p, e, k, phase);
}

INLINE void block_phase(const struct params *p, int index, int phase) {
    const struct block b = open_block(p, index);
    int k = b.begin + thread_index();
    struct element e UNSET;
    struct words words UNSET;
    stage(p, &b, phase);
    if (k < b.end)
        begin_element(p, &e, &words, k, phase);
    async_wait();
    barrier();
    for (int first = b.begin; first < b.end; first += THREADS) {
        const int active = k < b.end;
        if (active) {
            find_local(&e, &words);
            read_staged(&b, &e, phase);
            compute_phase(&e, phase);
            pass_on(p, &e, k, phase);
        }
        if (ADDS(phase))
            add_by_slot(&b, &e, &words, active, phase);
        k += THREADS;
        if (k < b.end)
            begin_element(p, &e, &words, k, phase);
    }
    give_sums(p, &b, phase);
}

#else

#define STAGES_NEXT(phase) (PHASES_AHEAD && (phase) + 1 < PHASES)

INLINE void begin_element(const struct params *p, struct element *e, struct words *words, int k) {
    fetch_words(p, words, k);
    read_direct(p, e, element_at(p, k));
    clear_unstaged(e);
}

/* The elements of a thread. */
struct elements {
    struct element e[ELEMENTS];
    struct words words[ELEMENTS];
};

INLINE void run_phase(const struct params *p, const struct block *b, struct elements *own,
                      int phase) {
    if (!PHASES_AHEAD && phase > 0) {
        barrier(); /* the copies of the phase before have been read */
        stage(p, b, phase);
    }
    async_wait();
    barrier();
    if (STAGES_NEXT(phase) && !ADDS(phase))
        stage(p, b, phase + 1);
    UNROLL for (int i = 0; i < ELEMENTS; i++)
        if (b->begin + i * THREADS + thread_index() < b->end) {
            find_local(&own->e[i], &own->words[i]);
            read_staged(b, &own->e[i], phase);
            compute_phase(&own->e[i], phase);
        }
    if (ADDS(phase)) {
        UNROLL for (int i = 0; i < ELEMENTS; i++)
            add_by_slot(b, &own->e[i], &own->words[i],
                        b->begin + i * THREADS + thread_index() < b->end, phase);
        give_sums(p, b, phase);
        if (STAGES_NEXT(phase))
            stage(p, b, phase + 1);
    }
}

INLINE void block_sum(const struct params *p, int index) {
    const struct block b = open_block(p, index);
    struct elements own UNSET;
    stage(p, &b, 0);
    UNROLL for (int i = 0; i < ELEMENTS; i++) {
        const int k = b.begin + i * THREADS + thread_index();
        if (k < b.end)
            begin_element(p, &own.e[i], &own.words[i], k);
    }
#define RUN_PHASE(phase) run_phase(p, &b, &own, phase);
    EACH_PHASE(RUN_PHASE)
}

#endif

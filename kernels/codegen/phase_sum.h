/* phase_sum.h: a block computes its elements phase after phase and sums their increments in shared
 * memory; text for halo_atomics.cu and owner_block.cu where a loop is split.
 *
 * Each phase stages what it alone needs: reads, and sums, which start from what points have and leave
 * at once; what the phase before it had stays where both need it. All elements of a block are under way
 * at the same time, ELEMENTS of each thread.
 *
 * PHASES, and EACH_PHASE(X): X(0) X(1) ... The code of phases is written out so: compilers leave a
 * loop of that size rolled up, whatever the pragma, and then ask at run time which phase it is.
 * Bit f of PHASE_ADDS: phase f adds something. PHASES_AHEAD 1: a phase is staged while the one before
 * it is computed, or behind the sums of that; 0: after it, in its place.
 *
 * What phases pass on waits in registers; PASSED_SHARED 1: in shared memory. PHASES_LAUNCHED 1: each
 * phase is a launch of its own, what phases pass on waits in memory, and a thread has one element after
 * another. */
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

/* The elements of a thread, and where they are stored. */
struct elements {
    struct element e[ELEMENTS];
    struct words words[ELEMENTS];
    int stored[ELEMENTS];
};

INLINE int has_element(const struct block *b, int i) {
    return b->begin + i * THREADS + thread_index() < b->end;
}

INLINE void begin_element(const struct params *p, const struct block *b, struct elements *own,
                          int i) {
    const int k = b->begin + i * THREADS + thread_index();
    fetch_words(p, &own->words[i], k);
    own->stored[i] = element_at(p, k);
    clear_unstaged(&own->e[i]);
}

INLINE void run_phase(const struct params *p, const struct block *b, struct elements *own,
                      int phase) {
    if (!PHASES_AHEAD && phase > 0) {
        barrier(); /* the copies of the phase before have been read */
        stage(p, b, phase);
    }
    UNROLL for (int i = 0; i < ELEMENTS; i++)
        if (has_element(b, i))
            read_own(p, &own->e[i], own->stored[i], phase);
    async_wait();
    barrier();
    if (STAGES_NEXT(phase) && !ADDS(phase))
        stage(p, b, phase + 1);
    UNROLL for (int i = 0; i < ELEMENTS; i++)
        if (has_element(b, i)) {
            find_local(&own->e[i], &own->words[i]);
            read_staged(b, &own->e[i], phase);
#if PASSED_SHARED
            read_passed(p, &own->e[i], i * THREADS + thread_index(), phase);
#endif
            compute_phase(&own->e[i], phase);
#if PASSED_SHARED
            pass_on(p, &own->e[i], i * THREADS + thread_index(), phase);
#endif
        }
    if (ADDS(phase)) {
        UNROLL for (int i = 0; i < ELEMENTS; i++)
            add_by_slot(b, &own->e[i], &own->words[i], has_element(b, i), phase);
        give_sums(p, b, phase);
        if (STAGES_NEXT(phase))
            stage(p, b, phase + 1);
    }
}

INLINE void block_sum(const struct params *p, int index) {
    const struct block b = open_block(p, index);
    struct elements own UNSET;
    stage(p, &b, 0);
    if (PREFETCH_DISTANCE > 0 && thread_index() == 0 && index + PREFETCH_DISTANCE < p->first + p->count)
        prefetch(p, index + PREFETCH_DISTANCE);
    UNROLL for (int i = 0; i < ELEMENTS; i++)
        if (has_element(&b, i))
            begin_element(p, &b, &own, i);
#define RUN_PHASE(phase) run_phase(p, &b, &own, phase);
    EACH_PHASE(RUN_PHASE)
}

#endif

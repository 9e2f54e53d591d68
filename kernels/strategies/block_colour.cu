/* block-colour: the paper's Algorithm 1. What the block's elements read and increment is staged in
 * shared memory; thread colours order the increments inside the block, one launch a block colour
 * those between blocks.
 *
 * A block's row says where its elements and points are; each element's colour and staged places lie
 * packed in a few words. Both, and what the elements own, are fetched before the copies are waited
 * for.
 *
 * STAGE_READS, STAGE_SUMS 1 or 0. COPY_ASYNC 1: by asynchronous copies. CLEAR_SUMS 1: sums start from
 * zero and are added in the end; 0: they start from the old values, and leave as plain stores.
 * OVERLAY 1: they take the place of the copies that were read, which needs every element of the block
 * to be computed at once.
 *
 * WRITES_POINTS 1: some args write at points, in global memory, so that an element is computed when
 * its colour's turn has come.
 *
 * PHASES: where the loop is split, text/phase_sum.h sums by slots of elements in place of colours. */

#if PHASES
INLINE int block_of_colour(const struct params *p) {
    return fetch(&p->block_list[p->first + block_index()]);
}

#if PHASES_LAUNCHED
#define PHASE_KERNEL(phase)                                                                        \
    KERNEL(block_colour_##phase) {                                                                 \
        block_phase(PARAMS, block_of_colour(PARAMS), phase);                                       \
    }
EACH_PHASE(PHASE_KERNEL)
#else
KERNEL(block_colour) {
    block_sum(PARAMS, block_of_colour(PARAMS));
}
#endif
#else

/* What an element needs that no other thread brings; gives where it is stored. */
INLINE int begin_element(const struct params *p, struct element *e, struct words *words, int k) {
    const int i = element_at(p, k);
    fetch_words(p, words, k);
#if !STAGE_READS || !STAGE_SUMS || WRITES_POINTS
    find_points(p, e, i);
#endif
    read_direct(p, e, i);
#if !STAGE_READS
    read_points(p, e);
#endif
    return i;
}

/* Computes an element, which is stored at i. */
INLINE void execute(const struct params *p, struct element *e, struct sums *s, int i) {
#if WRITES_POINTS
    read_changed(p, e);
    compute(e);
    write_points(p, e);
#else
    compute(e);
#endif
    write_direct(p, e, i);
    sums_take(s, e);
}

KERNEL(block_colour) {
    const struct params *p = PARAMS;
    const struct block b = open_block(p, block_index());
    struct sums s;
    struct element e UNSET;
    struct words words UNSET;
    int place = thread_index(), i = 0;
    sums_clear(&s);
    if (place < b.n)
        i = begin_element(p, &e, &words, b.begin + place);
    stage(p, &b);
#if STAGE_SUMS && CLEAR_SUMS && !OVERLAY
    clear_sums(&b);
#endif
#if COPY_ASYNC
    async_wait();
#endif
    barrier();
    for (int first = 0; first < b.n; first += THREADS, place += THREADS) {
        int own_colour = -1;
        if (first > 0 && place < b.n)
            i = begin_element(p, &e, &words, b.begin + place);
        if (place < b.n) {
            own_colour = colour_of(&words);
            find_local(&e, &words);
#if STAGE_READS
            read_staged(&b, &e);
#endif
            if (!WRITES_POINTS)
                execute(p, &e, &s, i);
        }
#if STAGE_SUMS && OVERLAY
        barrier();
        clear_sums(&b);
        barrier();
#endif
        for (int colour = 0; colour < b.n_colours; colour++) {
            if (own_colour == colour) {
                if (WRITES_POINTS)
                    execute(p, &e, &s, i);
#if STAGE_SUMS
                add_staged(&b, &e);
#else
                add_points(p, &e);
#endif
            }
            barrier();
        }
    }
    give_sums(p, &b);
    sums_give(p, &s);
}
#endif

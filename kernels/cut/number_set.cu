/* The distinct numbers of a block, and values that it sorts, in shared memory, in the words of simt.h. */

enum { NO_WORD = 0x7fffffff }; /* behind all words */

/* Sorts a few values by one thread, ascending, each put among those before it. */
INLINE void sort_few(int *values, int n) {
    for (int i = 1; i < n; i++) {
        const int value = load(&values[i]);
        int at = i;
        for (; at > 0 && load(&values[at - 1]) > value; at--)
            store(&values[at], load(&values[at - 1]));
        store(&values[at], value);
    }
}

/* Sorts n values in shared memory, a power of 2, ascending: bitonically, in stretches of `size`. A warp has 2 * WARP
 * values to itself while steps are of WARP at most. */
INLINE void sort_in_block(int *values, int n) {
    const int takes_part = n > 2 * WARP || thread_index() < WARP;
    barrier();
    for (int size = 2; size <= n && takes_part; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            if (step > WARP || (step == WARP && size > 2 * WARP))
                barrier();
            else
                warp_barrier(ALL_LANES);
            for (int i = thread_index(); i < n / 2; i += THREADS) {
                const int low = 2 * i - (i & (step - 1)), high = low + step;
                const int a = load(&values[low]), b = load(&values[high]);
                if ((a > b) == ((low & size) == 0)) {
                    store(&values[low], b);
                    store(&values[high], a);
                }
            }
        }
    barrier();
}

/* The distinct numbers of a block, in shared memory: words of WARP numbers, hashed, with a bit for each number. */
struct number_set {
    int *words;     /* [CHUNK]: a word that has a number, and 1; 0: none */
    unsigned *bits; /* [CHUNK] */
    int *sorted;    /* [CHUNK]: words as they come, then ascending; in the end the numbers before each of `words` */
    int *n_words;   /* [1] */
    int *parts;     /* [WARPS] */
    int size;       /* of `words` and `bits`: a power of 2 */
};

/* An empty one, for n numbers. */
INLINE struct number_set open_numbers(int n) {
    int *words = (int *)shared_memory(), *sorted = words + 2 * CHUNK;
    struct number_set set = {words, (unsigned *)(words + CHUNK), sorted, sorted + CHUNK, sorted + CHUNK + 1, 1};
    while (set.size < n)
        set.size *= 2;
    for (int i = thread_index(); i < set.size; i += THREADS) {
        store(&set.words[i], 0);
        store(&set.bits[i], 0);
    }
    if (thread_index() == 0)
        store(set.n_words, 0);
    barrier();
    return set;
}

INLINE int first_slot(const struct number_set *set, int word) {
    return (int)((unsigned)word * 0x9e3779b1u >> 16) & (set->size - 1); /* Fibonacci hashing */
}

/* Puts a number there; whether it is new. */
INLINE int put_number(const struct number_set *set, int number) {
    const int word = number / WARP;
    const unsigned bit = 1u << number % WARP;
    int slot = first_slot(set, word);
    for (int there; (there = atomic_claim(&set->words[slot], word + 1)) != word + 1;) {
        if (there == 0) {
            store(&set->sorted[atomic_take(set->n_words, 1)], word);
            break;
        }
        slot = (slot + 1) & (set->size - 1);
    }
    return !(atomic_or(&set->bits[slot], bit) & bit);
}

INLINE int slot_of(const struct number_set *set, int word) {
    int slot = first_slot(set, word);
    for (int i = 1; i < set->size && load(&set->words[slot]) != word + 1; i++)
        slot = (slot + 1) & (set->size - 1);
    return slot;
}

/* All are there: gives how many they are. */
INLINE int order_numbers(const struct number_set *set) {
    int slots[ITEMS], size = 1, n_before = 0, more;
    barrier();
    const int n = load(set->n_words);
    while (size < n)
        size *= 2;
    for (int i = n + thread_index(); i < size; i += THREADS)
        store(&set->sorted[i], NO_WORD);
    sort_in_block(set->sorted, size);
    UNROLL for (int k = 0; k < ITEMS && k * THREADS < n; k++) {
        const int at = k * THREADS + thread_index();
        slots[k] = at < n ? slot_of(set, load(&set->sorted[at])) : -1;
    }
    UNROLL for (int k = 0; k < ITEMS && k * THREADS < n; k++) {
        const int count = slots[k] < 0 ? 0 : count_lanes(load(&set->bits[slots[k]]));
        const int before = sum_before_in_block(count, set->parts, &more);
        if (slots[k] >= 0)
            store(&set->sorted[slots[k]], n_before + before);
        n_before += more;
    }
    barrier();
    return n_before;
}

INLINE int place_of_number(const struct number_set *set, int number) {
    const int slot = slot_of(set, number / WARP);
    return load(&set->sorted[slot]) + count_lanes(load(&set->bits[slot]) & ((1u << number % WARP) - 1));
}

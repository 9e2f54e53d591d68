/* How sets get new numbers, in the words of simt.h: points in the order in which elements first lead to them, elements by
 * the numbers of their points; how maps and dats follow; and whose points are.
 *
 * order [n]            the element at each place; NULL: each is at its own
 * reached [n_points]   ~ of the first reference to each point; 0: none
 * marks [n_values]      1 at references that are first, then at points that none leads to
 * values [n_values]     how many in each word of 32; later in those before it
 *
 * Elements go into buckets by the least number of their points, and are sorted there; where a bucket is full, all are by
 * keys of two numbers at a time.
 * values [n_points + 2] elements of each bucket, the last for those that reach no point; later those before it
 * ranks [n]             the place of each in its bucket
 * keys [n]              the least number of each and the next one, 32 bits each
 * keys_out [n]          bucket by bucket the second number of each and its own
 * marks [1]             1: a bucket is full, of what one thread sorts */

INLINE long long element_at(const struct params *p, long long place) {
    return p->order ? fetch(&p->order[place]) : place;
}

/* A lane leaves a point to the lane before, whose reference comes first, where that has it in the same slot. */
KERNEL(reach_points) {
    const struct params *p = PARAMS;
    const long long i = ELEMENT();
    const int n_slots = (int)p->n_slots, is_there = i < p->n;
    const long long first = is_there ? element_at(p, i) * n_slots : 0;
    for (int s = 0; s < n_slots; s++) {
        const int point = is_there ? fetch(&p->map[first + s]) : -1;
        const int before = shuffle(ALL_LANES, point, lane() > 0 ? lane() - 1 : 0);
        if (point >= p->n_points)
            atomic_max(&p->faults[WRONG_POINT], 1u);
        else if (point >= 0 && (lane() == 0 || point != before))
            atomic_max(&p->reached[point], ~(unsigned)(i * n_slots + s));
    }
}

/* Where the bit of a point is: at its first reference, or behind all references. */
INLINE long long bit_of(const struct params *p, long long point) {
    const unsigned reached = load(&p->reached[point]);
    return reached ? (long long)~reached : p->n * p->n_slots + point;
}

KERNEL(mark_points) {
    const struct params *p = PARAMS;
    if (ELEMENT() >= p->n_points)
        return;
    const long long bit = bit_of(p, ELEMENT());
    atomic_add(&p->marks[bit / WARP], 1u << bit % WARP);
}

KERNEL(count_bits) {
    const struct params *p = PARAMS;
    if (ELEMENT() < p->n_values)
        store(&p->values[ELEMENT()], count_lanes(load(&p->marks[ELEMENT()])));
}

INLINE void give_number(const struct params *p, int number, int old) {
    store(&p->new_to_old[number], old);
    store(&p->old_to_new[old], number);
}

KERNEL(number_points) {
    const struct params *p = PARAMS;
    if (ELEMENT() >= p->n_points)
        return;
    const long long bit = bit_of(p, ELEMENT());
    const unsigned before = load(&p->marks[bit / WARP]) & ((1u << bit % WARP) - 1);
    give_number(p, load(&p->values[bit / WARP]) + count_lanes(before), (int)ELEMENT());
}

/* Elements get the numbers of their places. */
KERNEL(number_elements) {
    const struct params *p = PARAMS;
    if (ELEMENT() < p->n)
        give_number(p, (int)ELEMENT(), (int)element_at(p, ELEMENT()));
}

KERNEL(list_elements) {
    const struct params *p = PARAMS;
    if (ELEMENT() < p->n)
        store(&p->ids[ELEMENT()], (int)ELEMENT());
}

/* The least number above `above` among those of an element's points; n_points: none. */
INLINE long long number_above(const struct params *p, long long element, long long above) {
    long long least = p->n_points;
    for (int s = 0; s < (int)p->n_slots; s++) {
        const int point = fetch(&p->map[element * p->n_slots + s]);
        if (point >= p->n_points)
            atomic_max(&p->faults[WRONG_POINT], 1u);
        const long long number = point < 0 || point >= p->n_points ? p->n_points : fetch(&p->numbers[point]);
        least = number > above && number < least ? number : least;
    }
    return least;
}

KERNEL(count_by_number) {
    const struct params *p = PARAMS;
    if (ELEMENT() >= p->n)
        return;
    const long long first = number_above(p, ELEMENT(), -1), second = number_above(p, ELEMENT(), first);
    const int rank = atomic_take(&p->values[first], 1);
    store(&p->keys[ELEMENT()], (unsigned long long)first << 32 | (unsigned long long)second);
    store(&p->ranks[ELEMENT()], rank);
    if (rank == 2 * WARP)
        atomic_max(&p->marks[0], 1u);
}

KERNEL(place_by_number) {
    const struct params *p = PARAMS;
    if (ELEMENT() >= p->n)
        return;
    const unsigned long long key = load(&p->keys[ELEMENT()]);
    store(&p->keys_out[load(&p->values[key >> 32]) + load(&p->ranks[ELEMENT()])], key << 32 | (unsigned long long)ELEMENT());
}

/* Whether an element comes before another one by the numbers of their points above `above`, then by its own. */
INLINE int comes_before(const struct params *p, int element, int other, long long above) {
    while (above < p->n_points) {
        const long long number = number_above(p, element, above), others = number_above(p, other, above);
        if (number != others)
            return number < others;
        above = number;
    }
    return element < other;
}

/* Likewise in a bucket: each is its second number and its own. */
INLINE int comes_before_in_bucket(const struct params *p, unsigned long long key, unsigned long long other) {
    return key >> 32 != other >> 32 ? key < other : comes_before(p, (int)key, (int)other, (long long)(key >> 32));
}

/* A thread a bucket. */
KERNEL(sort_buckets) {
    const struct params *p = PARAMS;
    if (ELEMENT() > p->n_points)
        return;
    const int begin = load(&p->values[ELEMENT()]), end = load(&p->values[ELEMENT() + 1]);
    for (int i = begin + 1; i < end; i++) {
        const unsigned long long key = load(&p->keys_out[i]);
        int at = i;
        for (; at > begin && comes_before_in_bucket(p, key, load(&p->keys_out[at - 1])); at--)
            store(&p->keys_out[at], load(&p->keys_out[at - 1]));
        store(&p->keys_out[at], key);
    }
    for (int i = begin; i < end; i++)
        give_number(p, i, (int)load(&p->keys_out[i]));
}

/* Keys of the `round`-th two numbers that an element's points have, ascending. */
KERNEL(fill_number_keys) {
    const struct params *p = PARAMS;
    if (ELEMENT() >= p->n)
        return;
    const long long element = load(&p->ids[ELEMENT()]);
    long long number = -1;
    for (int i = 0; i < 2 * (int)p->round; i++)
        number = number_above(p, element, number);
    const long long first = number_above(p, element, number), second = number_above(p, element, first);
    store(&p->keys[ELEMENT()], (unsigned long long)first << p->bits | (unsigned long long)second);
}

/* Rows of n_slots words at their new places: of a map with the new numbers of its points, -1 as it was; numbers NULL:
 * words are as they were. A thread block THREADS rows: a thread goes from word to word by whole rows and some slots. */
KERNEL(move_rows) {
    const struct params *p = PARAMS;
    const long long first = (long long)block_index() * THREADS;
    const int n_slots = (int)p->n_slots, rows = THREADS / n_slots, slots = THREADS % n_slots;
    const int n_rows = p->n - first < THREADS ? (int)(p->n - first) : THREADS;
    int row = thread_index() / n_slots, slot = thread_index() % n_slots;
    for (int i = thread_index(); i < n_rows * n_slots; i += THREADS) {
        const int word = fetch(&p->map[element_at(p, first + row) * n_slots + slot]);
        const int is_number = p->numbers && word >= 0;
        if (is_number && word >= p->n_points)
            atomic_max(&p->faults[WRONG_POINT], 1u);
        store(&p->map_out[first * n_slots + i], is_number && word < p->n_points ? fetch(&p->numbers[word]) : word);
        row += rows + (slot + slots >= n_slots);
        slot += slot + slots >= n_slots ? slots - n_slots : slots;
    }
}

/* The first block that has each point; a thread block a block. */
KERNEL(claim_points) {
    const struct params *p = PARAMS;
    const int end = fetch(&p->values[block_index() + 1]);
    for (int i = fetch(&p->values[block_index()]) + thread_index(); i < end; i += THREADS) {
        const int point = fetch(&p->points[i]);
        if (point >= p->n_points)
            atomic_max(&p->faults[WRONG_POINT], 1u);
        else
            atomic_max(&p->reached[point], ~(unsigned)block_index());
    }
}

KERNEL(tell_owners) {
    const struct params *p = PARAMS;
    if (ELEMENT() >= p->n_points)
        return;
    const unsigned reached = load(&p->reached[ELEMENT()]);
    store(&p->owners[ELEMENT()], reached ? (int)~reached : -1);
}

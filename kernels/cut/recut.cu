/* Which elements are cut anew where a part of them has changed, in the words of simt.h: those that are new, and all of
 * blocks that have lost one. The others keep their blocks.
 *
 * now [n_before]              the number that each has now, and 1; 0 of one that is not there any more
 * touched [n_blocks_before]   1 of a block that has lost one; later, as `ranks`, how many such blocks come before it
 * values [n + 1]              1 of an element to be cut; later how many such elements come before it */

KERNEL(note_numbers) {
    const struct params *p = PARAMS;
    const long long e = ELEMENT();
    if (e >= p->n)
        return;
    const int was = fetch(&p->was[e]);
    if (was >= 0 && was < p->n_before)
        atomic_max(&p->now[was], (unsigned)e + 1);
    else if (was != -1)
        atomic_max(&p->faults[WRONG_NUMBER], 1u);
}

KERNEL(touch_blocks) {
    const struct params *p = PARAMS;
    const long long e = ELEMENT();
    if (e >= p->n_before)
        return;
    const int block = fetch(&p->before[e]);
    if (block < 0 || block >= p->n_blocks_before)
        atomic_max(&p->faults[WRONG_BLOCK], 1u);
    else if (load(&p->now[e]) == 0)
        atomic_max(&p->touched[block], 1u);
}

INLINE int is_chosen(const struct params *p, long long e) {
    const int was = fetch(&p->was[e]);
    if (was < 0 || was >= p->n_before)
        return 1;
    if (load(&p->now[was]) != (unsigned)e + 1) /* another one was it, too */
        atomic_max(&p->faults[WRONG_NUMBER], 1u);
    const int block = fetch(&p->before[was]);
    return block < 0 || block >= p->n_blocks_before || load(&p->touched[block]);
}

KERNEL(choose_elements) {
    const struct params *p = PARAMS;
    const long long e = ELEMENT();
    if (e <= p->n)
        store(&p->values[e], e < p->n && is_chosen(p, e));
}

KERNEL(list_touched) {
    const struct params *p = PARAMS;
    const long long b = ELEMENT();
    if (b < p->n_blocks_before && load(&p->ranks[b + 1]) > load(&p->ranks[b]))
        store(&p->touched_list[load(&p->ranks[b])], (int)b);
}

/* The places of chosen elements, side by side, and what they reach. */
KERNEL(gather_chosen) {
    const struct params *p = PARAMS;
    const long long e = ELEMENT(), at = e < p->n ? load(&p->values[e]) : 0;
    if (e >= p->n || load(&p->values[e + 1]) == at)
        return;
    for (int d = 0; d < (int)p->dimension; d++)
        store(&p->gathered[at * p->dimension + d], load(&p->places[e * p->dimension + d]));
    for (int s = 0; s < (int)p->n_slots; s++)
        store(&p->map_out[at * p->n_slots + s], fetch(&p->map[e * p->n_slots + s]));
}

/* Blocks of the cut take the numbers of touched ones, as long as there are some, then the last ones; touched blocks
 * without such a successor are closed up. */
KERNEL(join_blocks) {
    const struct params *p = PARAMS;
    const long long e = ELEMENT();
    if (e >= p->n)
        return;
    const int at = load(&p->values[e]);
    int block;
    if (load(&p->values[e + 1]) > at) {
        const int made = load(&p->made[at]);
        block = made < p->n_touched ? load(&p->touched_list[made]) : (int)(p->n_blocks_before + made - p->n_touched);
    } else {
        block = fetch(&p->before[fetch(&p->was[e])]);
        const int n_closed = load(&p->ranks[block]) - (int)p->n_made;
        block -= n_closed > 0 ? n_closed : 0;
    }
    store(&p->block_of[e], block);
}

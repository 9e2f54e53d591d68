/* whole_element.h: an element from its points to its increments, by one thread, while no other adds
 * to those points; text for sequential.cu, openmp.cu and global_colour.cu. */

/* The element stored at i, whose points stand at `position` of the maps. */
INLINE void execute_whole(const struct params *p, struct sums *s, int i, int position) {
    struct element e;
    find_points(p, &e, position);
    read_direct(p, &e, i);
    read_points(p, &e);
    read_changed(p, &e);
    compute(&e);
    write_points(p, &e);
    write_direct(p, &e, i);
    sums_take(s, &e);
    add_points(p, &e);
}

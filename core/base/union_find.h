/* Union-find: sets of numbers that are joined. parent [n]: another member of the set of each, or
 * itself where it is the root, which tells the set. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The root of the set of i; halves the ways that it goes. */
static inline int32_t tess_root_of(int32_t *parent, int32_t i) {
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* The sets of i and j become one, whose root is the lower of both roots; true where they were two.
 */
static inline bool tess_sets_join(int32_t *parent, int32_t i, int32_t j) {
    const int32_t a = tess_root_of(parent, i), b = tess_root_of(parent, j);
    parent[a > b ? a : b] = a > b ? b : a;
    return a != b;
}

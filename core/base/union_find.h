/* Union-find: sets of numbers that are joined. parent [n]: another member of the set of each, or
 * itself where it is the root, which tells the set. */
#pragma once

#include <stdint.h>

/* The root of the set of i; halves the ways that it goes. */
static inline int32_t tess_root_of(int32_t *parent, int32_t i) {
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

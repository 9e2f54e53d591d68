/* An incidence: the points of each element through one map. */
#pragma once

#include "core/base/rows.h"
#include <stdbool.h>

/* The points of element e are
 *   index[e * arity ... (e + 1) * arity)        where offset is NULL, -1 being no point, or
 *   index[offset[e] ... offset[e + 1])          otherwise (inverse maps; distinct in each row). */
typedef struct tess_incidence {
    const int32_t *index;
    const int64_t *offset;    /* NULL: fixed arity */
    int arity;                /* 0 where offset is given */
    bool owned;               /* index and offset are freed with it */
    bool points_are_elements; /* the last of each row is the row's own */
    int64_t n_points;
    double weight; /* of one point: the bytes accessed there */
} tess_incidence;

/* The points of element e, *n of them (-1 where padded). */
static inline const int32_t *tess_incidence_row(const tess_incidence *map, int64_t e, int64_t *n) {
    if (map->offset) {
        *n = map->offset[e + 1] - map->offset[e];
        return map->index + map->offset[e];
    }
    *n = map->arity;
    return map->index + e * map->arity;
}

/* Fetches the row of an element that comes soon, where elements come in no order. */
static inline void tess_incidence_prefetch(const tess_incidence *map, int64_t e) {
    __builtin_prefetch(map->index + (map->offset ? map->offset[e] : e * map->arity));
}

/* Whether row[slot] is a point, and the first time in its row (in inverse maps it always is). */
static inline bool tess_incidence_is_first(const tess_incidence *map, const int32_t *row,
                                           int64_t slot) {
    if (row[slot] < 0)
        return false;
    if (!map->offset)
        for (int64_t before = 0; before < slot; before++)
            if (row[before] == row[slot])
                return false;
    return true;
}

/* The elements of each point as an incidence from points to elements; no copy. */
tess_incidence tess_incidence_of_rows(const tess_rows *rows, int64_t n_elements);

/* Gives the inverse of a map of n_elements elements: for each point the elements that have it,
 * ascending; an element that has a point twice is listed once. Parallel, the same on any number of
 * threads. */
TESS_MUST_CHECK tess_status tess_incidence_invert(const tess_incidence *map, int64_t n_elements,
                                                  tess_rows **out);

/* Gives the map of n elements with its rows in the order [n] given: row i is that of element
 * order[i]. The caller clears it. */
TESS_MUST_CHECK tess_status tess_incidence_in_order(const tess_incidence *map, int64_t n,
                                                    const int32_t *order, tess_incidence *out);

/* Frees index and offset where they are owned. */
void tess_incidence_clear(tess_incidence *map);

/* An order of elements: by the positions of their points, lexicographically. */
#include "core/plan/order/element_order.h"

#include "core/base/array.h"
#include "core/base/key_order.h"
#include <stdlib.h>

/* Elements and the positions of their points. */
typedef struct placed_elements {
    const tess_incidence *map;
    const int32_t *position; /* [map->n_points] */
} placed_elements;

/* The lowest place above `above` among the element's points, or INT32_MAX. */
static int32_t next_position(const placed_elements *placed, int32_t element, int32_t above) {
    int64_t n = 0;
    const int32_t *points = tess_incidence_row(placed->map, element, &n);
    int32_t lowest = INT32_MAX;
    for (int64_t s = 0; s < n; s++) {
        const int32_t position = points[s] < 0 ? INT32_MAX : placed->position[points[s]];
        if (position > above && position < lowest)
            lowest = position;
    }
    return lowest;
}

/* The two lowest places of an element, in the order of which most of the sorting is done. */
static uint64_t key_of(const placed_elements *placed, int32_t element) {
    const int32_t first = next_position(placed, element, -1);
    return (uint64_t)first << 32 | (uint32_t)next_position(placed, element, first);
}

static int compare_elements(const void *a, const void *b, void *context) {
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    int32_t place_x = -1, place_y = -1;
    do {
        place_x = next_position(context, x, place_x);
        place_y = next_position(context, y, place_y);
        if (place_x != place_y)
            return place_x < place_y ? -1 : 1;
    } while (place_x != INT32_MAX);
    return (x > y) - (x < y);
}

/* Puts runs of elements with equal keys in order by all of their points. */
static void ties_sort(const placed_elements *placed, const uint64_t *keys, int64_t n,
                      int32_t *order) {
    for (int64_t start = 0, end = 0; start < n; start = end) {
        while (end < n && keys[order[end]] == keys[order[start]])
            end++;
        if (end - start > 1)
            qsort_r(order + start, (size_t)(end - start), sizeof *order, compare_elements,
                    (void *)placed);
    }
}

tess_status tess_element_order(const tess_incidence *map, int64_t n, const int32_t *position,
                               int32_t **new_to_old) {
    const placed_elements placed = {map, position};
    uint64_t *keys = NULL;
    TRY(TESS_ALLOC(n, &keys));
#pragma omp parallel for
    for (int64_t e = 0; e < n; e++)
        keys[e] = key_of(&placed, (int32_t)e);
    const tess_status status = tess_key_order(keys, n, new_to_old);
    if (status == TESS_OK && map->arity != 2)
        ties_sort(&placed, keys, n, *new_to_old);
    free(keys);
    return status;
}

tess_status tess_first_use_order(const tess_incidence *map, int64_t n, const int32_t *elements,
                                 int32_t **new_to_old) {
    const int64_t ahead = 16; /* elements, while whose points are read another one comes */
    tess_status status = TESS_OK;
    bool *seen = NULL;
    int32_t *order = NULL;
    int64_t n_seen = 0;
    CHECK(TESS_ZEROS(map->n_points, &seen));
    CHECK(TESS_ALLOC(map->n_points, &order));
    for (int64_t i = 0; i < n; i++) {
        int64_t n_points = 0;
        if (elements && i + ahead < n)
            __builtin_prefetch(tess_incidence_row(map, elements[i + ahead], &n_points));
        const int32_t *row = tess_incidence_row(map, elements ? elements[i] : i, &n_points);
        for (int64_t k = 0; k < n_points; k++) {
            if (row[k] < 0 || seen[row[k]])
                continue;
            seen[row[k]] = true;
            order[n_seen++] = row[k];
        }
    }
    for (int32_t point = 0; point < map->n_points; point++)
        if (!seen[point])
            order[n_seen++] = point;
    *new_to_old = TESS_TAKE(order);
done:
    free(seen);
    free(order);
    return status;
}

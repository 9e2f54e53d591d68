/* Colours by smallest last. */
#include "core/plan/colour/colour.h"

#include "core/base/array.h"
#include "core/base/key_heap.h"
#include <stdlib.h>

/* The elements that are not put aside yet. */
typedef struct remaining {
    tess_rows *at_point;
    int32_t *degree; /* [n]: neighbours that remain, counted once a shared point; -1 once aside */
    tess_key_heap heap; /* an element whose degree sank has several keys */
} remaining;

enum { ELEMENT_BITS = 31 };

/* Fewer neighbours first, then the higher number. */
static uint64_t key_of(const remaining *r, int64_t e) {
    return (uint64_t)(INT32_MAX - r->degree[e]) << ELEMENT_BITS | (uint64_t)e;
}

static tess_status remaining_open(const tess_incidence *map, int64_t n, remaining *r) {
    TRY(tess_incidence_invert(map, n, &r->at_point));
    TRY(TESS_ZEROS(n, &r->degree));
    for (int64_t p = 0; p < map->n_points; p++)
        for (int64_t i = r->at_point->offset[p]; i < r->at_point->offset[p + 1]; i++)
            r->degree[r->at_point->item[i]] += (int32_t)tess_rows_size(r->at_point, p) - 1;
    for (int64_t e = 0; e < n; e++)
        TRY(tess_key_heap_push(&r->heap, key_of(r, e)));
    return TESS_OK;
}

static void remaining_close(remaining *r) {
    tess_rows_free(r->at_point);
    free(r->degree);
    free(r->heap.key);
}

/* Puts element e aside; its neighbours have one fewer. */
static tess_status element_put_aside(remaining *r, const tess_incidence *map, int64_t e) {
    int64_t n_points = 0;
    const int32_t *row = tess_incidence_row(map, e, &n_points);
    r->degree[e] = -1;
    for (int64_t i = 0; i < n_points; i++) {
        if (!tess_incidence_is_first(map, row, i))
            continue;
        for (int64_t j = r->at_point->offset[row[i]]; j < r->at_point->offset[row[i] + 1]; j++) {
            const int32_t f = r->at_point->item[j];
            if (r->degree[f] < 0)
                continue;
            r->degree[f]--;
            TRY(tess_key_heap_push(&r->heap, key_of(r, f)));
        }
    }
    return TESS_OK;
}

/* Fills order [n]: the element put aside first comes last. */
static tess_status order_smallest_last(const tess_incidence *map, int64_t n, int32_t *order) {
    tess_status status = TESS_OK;
    remaining r = {0};
    CHECK(remaining_open(map, n, &r));
    for (int64_t left = n; left > 0;) {
        const int64_t e = (int64_t)(tess_key_heap_pop(&r.heap) & INT32_MAX);
        if (r.degree[e] < 0) /* an outdated key: its newer one, which is larger, came before */
            continue;
        order[--left] = (int32_t)e;
        CHECK(element_put_aside(&r, map, e));
    }
done:
    remaining_close(&r);
    return status;
}

tess_status tess_colour_smallest_last(const tess_incidence *map, int64_t n, int32_t *colour,
                                      int32_t *n_colours) {
    tess_status status = TESS_OK;
    int32_t *order = NULL, *ordered = NULL;
    tess_incidence in_order = {0};
    CHECK(TESS_ALLOC(n, &order));
    CHECK(TESS_ALLOC(n, &ordered));
    CHECK(order_smallest_last(map, n, order));
    CHECK(tess_incidence_in_order(map, n, order, &in_order));
    CHECK(tess_colour_first_fit(&in_order, 1, n, ordered, n_colours));
    for (int64_t i = 0; i < n; i++)
        colour[order[i]] = ordered[i];
done:
    free(order);
    free(ordered);
    tess_incidence_clear(&in_order);
    return status;
}

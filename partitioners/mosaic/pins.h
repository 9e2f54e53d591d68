/* Pins: which points each element has, all maps of a problem in one table, and its inverse. */
#pragma once

#include "core/base/rows.h"
#include "core/plan/partition_problem.h"
#include "partitioners/mosaic/tuning.h"

typedef struct mosaic_pins {
    int64_t n_elements, n_points, n_pins;
    int arity;       /* pins of every element; 0 where `offset` is given */
    int64_t *offset; /* [n_elements + 1] into point; NULL where arity is given */
    int32_t *point;  /* [n_pins], distinct within an element */
    int32_t *weight; /* [n_points], >= 1; NULL: all 1 */
    bool borrowed;   /* point is the problem's own array */
} mosaic_pins;

static inline int64_t mosaic_first(const mosaic_pins *pins, int64_t element) {
    return pins->offset ? pins->offset[element] : element * pins->arity;
}

static inline int64_t mosaic_end(const mosaic_pins *pins, int64_t element) {
    return mosaic_first(pins, element + 1);
}

static inline int32_t mosaic_weight(const mosaic_pins *pins, int32_t point) {
    return pins->weight ? pins->weight[point] : 1;
}

/* The same as a map whose points weigh 1, which the pins own. */
static inline tess_incidence mosaic_pins_map(const mosaic_pins *pins) {
    return (tess_incidence){.index = pins->point,
                            .offset = pins->offset,
                            .arity = pins->arity,
                            .n_points = pins->n_points,
                            .weight = 1};
}

/* True where points are of two elements at most: pairs of neighbours. */
static inline bool mosaic_pins_are_links(const mosaic_pins *pins) {
    return pins->n_pins <= 2 * pins->n_points;
}

/* True where all that can be tried takes no time worth speaking of, and much is a matter of luck.
 */
static inline bool mosaic_pins_are_few(const mosaic_pins *pins) {
    return pins->n_elements <= LONG_ELEMENTS;
}

/* True where elements have more points than that, in the mean. */
static inline bool mosaic_pins_exceed(const mosaic_pins *pins, double points) {
    return (double)pins->n_pins > points * (double)pins->n_elements;
}

/* True where there are more than so many elements to a point. */
static inline bool mosaic_pins_crowd(const mosaic_pins *pins, double elements) {
    return (double)pins->n_elements > elements * (double)pins->n_points;
}

/* True of elements of many points that fan out around these, as triangles by nodes. */
static inline bool mosaic_pins_fan(const mosaic_pins *pins) {
    return mosaic_pins_exceed(pins, FAN_POINTS) && mosaic_pins_crowd(pins, FAN_ELEMENTS);
}

/* True of elements of many points that do not, as hexes by nodes. */
static inline bool mosaic_pins_stack(const mosaic_pins *pins) {
    return mosaic_pins_exceed(pins, FAN_POINTS) && !mosaic_pins_fan(pins);
}

/* True where several threads work on n elements or points. */
bool mosaic_is_shared(int64_t n);

/* The weight of all points, each once. */
int64_t mosaic_weight_of_all(const mosaic_pins *pins);

/* The pins of a problem: its maps one after the other, without padded slots, without a point's
 * second mention in an element, and without points of more than `largest` elements (they are in so
 * many blocks that none can save one). Fails (INPUT) when all points are more than 2^31 - 1. */
TESS_MUST_CHECK tess_status mosaic_pins_build(const tess_partition_problem *problem,
                                              int64_t largest, mosaic_pins *pins);

/* The same with elements in the order `new_to_old`, points by their first mention in it. */
TESS_MUST_CHECK tess_status mosaic_pins_permute(const mosaic_pins *pins, const int32_t *new_to_old,
                                                mosaic_pins *out);

void mosaic_pins_clear(mosaic_pins *pins);

/* The elements of each point, ascending: into arrays of [n_points + 2] and [n_pins], or new ones.
 */
void mosaic_rows_fill(const mosaic_pins *pins, tess_rows *rows);
TESS_MUST_CHECK tess_status mosaic_rows_build(const mosaic_pins *pins, tess_rows **out);

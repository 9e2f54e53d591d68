/* Slab cuts on the host. */
#include "partitioners/slab_cut.h"

#include "core/base/array.h"
#include "core/base/key_order.h"
#include "partitioners/chop.h"
#include <math.h>
#include <stdlib.h>

double tess_slabs_width(const struct slabs *of, const tess_cut *what) {
    double volume = (double)what->block_size / (double)what->n;
    for (int d = 0; d < of->dimension; d++)
        volume *= of->extent[d] * (d > 0 ? 2 : 1);
    const double width = isfinite(volume) ? pow(volume, 1.0 / of->dimension) : 0;
    return what->rule == TESS_CUT_THICK_SLABS ? width + width / 16 : width;
}

static void fill_place(const tess_cut *what, int64_t e, double place[3]) {
    for (int d = 0; d < 3; d++)
        place[d] = d < what->dimension ? what->places[e * what->dimension + d] : 0;
}

static struct slabs slabs_of(const tess_cut *what) {
    struct slabs slabs = {.dimension = what->dimension};
    for (int d = 0; d < what->dimension; d++) {
        double low = INFINITY, high = -INFINITY;
#pragma omp parallel for reduction(min : low) reduction(max : high)
        for (int64_t e = 0; e < what->n; e++) {
            low = fmin(low, 0.5 * what->places[e * what->dimension + d]);
            high = fmax(high, 0.5 * what->places[e * what->dimension + d]);
        }
        slabs.low[d] = low;
        slabs.extent[d] = high - low;
    }
    slabs.width = tess_slabs_width(&slabs, what);
    return slabs;
}

/* Puts elements into order along a diagonal, in the slabs and strips that they have. */
static tess_status order_along(const tess_cut *what, const struct slabs *slabs, int diagonal,
                               const int32_t *numbers, int32_t **order) {
    uint64_t *keys = NULL;
    TRY(TESS_ALLOC(what->n, &keys));
#pragma omp parallel for
    for (int64_t e = 0; e < what->n; e++) {
        double place[3];
        fill_place(what, e, place);
        keys[e] = slab_key(slabs, place, diagonal, diagonal ? (unsigned)numbers[e] : 0);
    }
    const tess_status status = tess_key_order(keys, what->n, order);
    free(keys);
    return status;
}

/* Blocks have the numbers of slabs and strips at first. */
tess_status tess_slabs_cut(const tess_cut *what, int32_t *block_of) {
    const struct slabs slabs = slabs_of(what);
    const int64_t n = what->n, size = what->block_size;
    int32_t *order = NULL;
    for (int diagonal = 0; diagonal + 1 < what->dimension; diagonal++) {
        TRY(order_along(what, &slabs, diagonal, block_of, &order));
#pragma omp parallel for
        for (int64_t i = 0; i < n; i++) {
            double place[3];
            fill_place(what, order[slab_middle(i, n, size)], place);
            int32_t *const number = &block_of[order[i]];
            *number =
                (int32_t)slab_number(&slabs, place, diagonal, diagonal ? (unsigned)*number : 0);
        }
        free(order);
    }
    TRY(order_along(what, &slabs, what->dimension - 1, block_of, &order));
    tess_order_chop(order, n, what->block_size, block_of);
    free(order);
    return TESS_OK;
}

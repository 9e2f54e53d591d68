/* Slab cuts on the host. */
#include "partitioners/slab_cut.h"

#include "core/base/array.h"
#include "partitioners/chop.h"
#include <math.h>

double tess_slabs_width(const struct slabs *of, int64_t n, int32_t block_size) {
    double volume = (double)block_size / (double)n;
    for (int d = 0; d < of->dimension; d++)
        volume *= of->extent[d] * (of->diagonal && d > 0 ? 2 : 1);
    return isfinite(volume) ? pow(volume, 1.0 / of->dimension) : 0;
}

tess_status tess_slabs_cut(const tess_cut *what, int32_t *block_of) {
    struct slabs slabs = {.dimension = what->dimension,
                          .diagonal = what->rule == TESS_CUT_DIAGONAL_SLABS};
    uint64_t *keys = NULL;
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
    slabs.width = tess_slabs_width(&slabs, what->n, what->block_size);
    TRY(TESS_ALLOC(what->n, &keys));
#pragma omp parallel for
    for (int64_t e = 0; e < what->n; e++) {
        double place[3] = {0, 0, 0};
        for (int d = 0; d < what->dimension; d++)
            place[d] = what->places[e * what->dimension + d];
        keys[e] = slab_key(&slabs, place);
    }
    return tess_keys_chop(keys, what->n, what->block_size, block_of);
}

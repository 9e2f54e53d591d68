/* Bisections: places scaled to a unit box, selected along its longest axis, halved again. */
#include "partitioners/mosaic/bisect.h"
#include "core/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Places that are no farther from each other are in one slice. */
static const float TINY = 1e-30F;

enum { TASK_PLACES = 20000, N_SLICES = 128 };

static double number_or_0(double x) {
    return isfinite(x) ? x : 0;
}

void mosaic_places_fill(const double *coordinates, int n_coordinates, const int32_t *list,
                        int64_t n, mosaic_place *places) {
    const int dimension = n_coordinates < 3 ? n_coordinates : 3;
    double low[3] = {INFINITY, INFINITY, INFINITY}, half = 0;
    for (int d = 0; d < dimension; ++d) {
        double high = -INFINITY;
        for (int64_t i = 0; i < n; ++i) {
            const double x = number_or_0(coordinates[(int64_t)list[i] * n_coordinates + d]);
            low[d] = x < low[d] ? x : low[d];
            high = x > high ? x : high;
        }
        half = fmax(half, 0.5 * high - 0.5 * low[d]); /* halves do not overflow */
    }
    const double scale = half > 0 ? 0.5 / half : 0;
#pragma omp parallel for schedule(static) if (n > MOSAIC_SERIAL)
    for (int64_t i = 0; i < n; ++i) {
        const double *x = coordinates + (int64_t)list[i] * n_coordinates;
        places[i] = (mosaic_place){.element = (int32_t)i};
        for (int d = 0; d < dimension; ++d)
            places[i].x[d] = (float)((0.5 * number_or_0(x[d]) - 0.5 * low[d]) * 2 * scale);
    }
}

/* The longest axis of the places, and where along it they lie. */
typedef struct extent {
    int axis;
    float low, high;
} extent;

static extent longest_axis(const mosaic_place *places, int64_t n) {
    float low[3], high[3];
    for (int d = 0; d < 3; ++d)
        low[d] = high[d] = places[0].x[d];
    for (int64_t i = 1; i < n; ++i)
        for (int d = 0; d < 3; ++d) {
            low[d] = places[i].x[d] < low[d] ? places[i].x[d] : low[d];
            high[d] = places[i].x[d] > high[d] ? places[i].x[d] : high[d];
        }
    int longest = 0;
    for (int d = 1; d < 3; ++d)
        longest = high[d] - low[d] > high[longest] - low[longest] ? d : longest;
    return (extent){longest, low[longest], high[longest]};
}

static inline bool is_before(const mosaic_place *a, const mosaic_place *b, int axis) {
    return a->x[axis] < b->x[axis] || (a->x[axis] == b->x[axis] && a->element < b->element);
}

/* Reorders places [low, high] such that the first n of all are those that come first along the axis
 * (Hoare); those before `low` do already. */
static void select_first(mosaic_place *places, int64_t low, int64_t high, int64_t n, int axis) {
    while (low < high) {
        const mosaic_place pivot = places[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (is_before(places + i, &pivot, axis))
                ++i;
            while (is_before(&pivot, places + j, axis))
                --j;
            if (i <= j) {
                const mosaic_place swap = places[i];
                places[i++] = places[j];
                places[j--] = swap;
            }
        }
        if (n <= j)
            high = j;
        else if (n >= i)
            low = i;
        else
            break;
    }
}

static inline int slice_of(const mosaic_place *place, const extent *all, float scale) {
    const int slice = (int)((place->x[all->axis] - all->low) * scale);
    return slice < N_SLICES ? slice : N_SLICES - 1;
}

/* The same from `places` into `to`: slices across the axis tell which places are before and after
 * the slice where the n-th is, and only in that one are they compared. */
static void select_sliced(const mosaic_place *places, int64_t n_places, int64_t n,
                          mosaic_place *to) {
    const extent all = longest_axis(places, n_places);
    const float scale = all.high - all.low > TINY ? (float)N_SLICES / (all.high - all.low) : 0;
    int64_t count[N_SLICES] = {0}, before = 0;
    int slice = 0;
    for (int64_t i = 0; i < n_places; ++i)
        ++count[slice_of(places + i, &all, scale)];
    while (before + count[slice] <= n)
        before += count[slice++];
    int64_t next[3] = {0, before, before + count[slice]};
    for (int64_t i = 0; i < n_places; ++i) {
        const int own = slice_of(places + i, &all, scale);
        to[next[(own >= slice) + (own > slice)]++] = places[i];
    }
    select_first(to, before, before + count[slice] - 1, n, all.axis);
}

/* Leaves the order in `places`, or where `swapped` in `spare`, which has room for all. */
static void halve(mosaic_place *places, int64_t n, int64_t block_size, mosaic_place *spare,
                  bool swapped) {
    const int64_t n_blocks = (n + block_size - 1) / block_size;
    if (n_blocks < 2) {
        if (swapped)
            memcpy(spare, places, (size_t)n * sizeof *places);
        return;
    }
    const int64_t middle = n_blocks / 2 * block_size;
    select_sliced(places, n, middle, spare);
#pragma omp task if (n > TASK_PLACES)
    halve(spare, middle, block_size, places, !swapped);
    halve(spare + middle, n - middle, block_size, places + middle, !swapped);
#pragma omp taskwait
}

tess_status mosaic_places_halve(mosaic_place *places, int64_t n, int64_t block_size) {
    mosaic_place *spare = NULL;
    TRY(TESS_ALLOC(n, &spare));
#pragma omp parallel if (n > MOSAIC_SERIAL)
#pragma omp single
    halve(places, n, block_size, spare, false);
    free(spare);
    return TESS_OK;
}

tess_status mosaic_bisect(const mosaic_mesh *mesh, int64_t block_size, int32_t *order,
                          mosaic_place **kept) {
    const int64_t n = mesh->pins.n_elements;
    mosaic_place *places = NULL;
    TRY(TESS_ALLOC(n, &places));
    mosaic_places_fill(mesh->coordinates, mesh->dimension, mesh->order, n, places);
    const tess_status status = mosaic_places_halve(places, n, block_size);
    for (int64_t i = 0; i < n; ++i)
        order[i] = places[i].element;
    if (kept)
        *kept = places;
    else
        free(places);
    return status;
}

/* Bisections: places scaled to a unit box, selected along its longest axis, halved again. */
#include "partitioners/mosaic_bisect.h"
#include "core/array.h"

#include <math.h>
#include <stdlib.h>

enum { TASK_PLACES = 20000 };

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

static int longest_axis(const mosaic_place *places, int64_t n) {
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
    return longest;
}

static inline bool is_before(const mosaic_place *a, const mosaic_place *b, int axis) {
    return a->x[axis] < b->x[axis] || (a->x[axis] == b->x[axis] && a->element < b->element);
}

/* Reorders the places such that the first n are those that come first along the axis (Hoare). */
static void select_first(mosaic_place *places, int64_t n_places, int64_t n, int axis) {
    int64_t low = 0, high = n_places - 1;
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

static void halve(mosaic_place *places, int64_t n, int64_t block_size) {
    const int64_t n_blocks = (n + block_size - 1) / block_size;
    if (n_blocks < 2)
        return;
    const int64_t middle = n_blocks / 2 * block_size;
    select_first(places, n, middle, longest_axis(places, n));
#pragma omp task if (n > TASK_PLACES)
    halve(places, middle, block_size);
    halve(places + middle, n - middle, block_size);
#pragma omp taskwait
}

void mosaic_places_halve(mosaic_place *places, int64_t n, int64_t block_size) {
#pragma omp parallel if (n > MOSAIC_SERIAL)
#pragma omp single
    halve(places, n, block_size);
}

tess_status mosaic_bisect(const mosaic_mesh *mesh, int64_t block_size, int32_t *order) {
    const int64_t n = mesh->pins.n_elements;
    mosaic_place *places = NULL;
    TRY(TESS_ALLOC(n, &places));
    mosaic_places_fill(mesh->coordinates, mesh->dimension, mesh->order, n, places);
    mosaic_places_halve(places, n, block_size);
    for (int64_t i = 0; i < n; ++i)
        order[i] = places[i].element;
    free(places);
    return TESS_OK;
}

/* Bisections: centroids scaled to a unit box, selected along its longest axis, halved again. */
#include "partitioners/mosaic/bisect.h"
#include "core/base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double *coordinates_of(const mosaic_mesh *mesh, int64_t i) {
    return mesh->coordinates + (int64_t)mesh->order[i] * mesh->dimension;
}

static double number_or_0(double x) {
    return isfinite(x) ? x : 0;
}

/* By how much a mesh by coordinates is stretched along an axis. Bricks beside another cut are not
 * unstretched: they would be taken for better than what annealing makes of that. */
static double stretch_of(const mosaic_mesh *mesh, int axis) {
    return axis == 0 && mesh->by_coordinates ? mesh->stretch : 1;
}

/* The box of all elements: its low corner, half of its longest side, and what makes that a half,
 * along each axis of a mesh that is stretched. */
typedef struct box {
    int dimension;
    double low[3], half, scale[3];
} box;

/* Looks at the problem's elements in their own order: memory is read once, straight through. */
static box find_box(const mosaic_mesh *mesh) {
    const int64_t n = mesh->pins.n_elements;
    const int dimension = mesh->dimension < 3 ? mesh->dimension : 3;
    box all = {.dimension = dimension, .low = {INFINITY, INFINITY, INFINITY}};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = 0; i < n; ++i)
        for (int d = 0; d < dimension; ++d) {
            const double x = number_or_0(mesh->coordinates[i * mesh->dimension + d]);
            all.low[d] = x < all.low[d] ? x : all.low[d];
            high[d] = x > high[d] ? x : high[d];
        }
    for (int d = 0; d < dimension; ++d) /* halves do not overflow */
        all.half = fmax(all.half, (0.5 * high[d] - 0.5 * all.low[d]) / stretch_of(mesh, d));
    for (int d = 0; d < dimension; ++d)
        all.scale[d] = all.half > 0 ? 0.5 / all.half / stretch_of(mesh, d) : 0;
    return all;
}

/* The centroid of the i-th element of a mesh; what is not a number is 0. */
static inline mosaic_centroid centroid_of(const mosaic_mesh *mesh, const box *all, int64_t i) {
    const double *x = coordinates_of(mesh, i);
    mosaic_centroid at = {.element = (int32_t)i};
    for (int d = 0; d < all->dimension; ++d)
        at.xyz[d] = (float)((0.5 * number_or_0(x[d]) - 0.5 * all->low[d]) * 2 * all->scale[d]);
    return at;
}

static void fill_centroids(const mosaic_mesh *mesh, mosaic_centroid *centroids) {
    const int64_t n = mesh->pins.n_elements;
    const box all = find_box(mesh);
#pragma omp parallel for schedule(static) if (n > MOSAIC_SERIAL)
    for (int64_t i = 0; i < n; ++i)
        centroids[i] = centroid_of(mesh, &all, i);
}

/* The longest axis of the centroids, the first of those alike, and where along it they lie. */
typedef struct extent {
    int axis;
    float low, high;
} extent;

static extent longest_axis(const mosaic_centroid *centroids, int64_t n) {
    float low[3], high[3];
    for (int d = 0; d < 3; ++d)
        low[d] = high[d] = centroids[0].xyz[d];
    for (int64_t i = 1; i < n; ++i)
        for (int d = 0; d < 3; ++d) {
            low[d] = centroids[i].xyz[d] < low[d] ? centroids[i].xyz[d] : low[d];
            high[d] = centroids[i].xyz[d] > high[d] ? centroids[i].xyz[d] : high[d];
        }
    int longest = 0;
    for (int d = 1; d < 3; ++d)
        longest = high[d] - low[d] > BISECT_ALIKE * (high[longest] - low[longest]) ? d : longest;
    return (extent){longest, low[longest], high[longest]};
}

/* A total order: along the axis, then the next ones, then by number. Cuts through elements of equal
 * coordinates are clean, as those of rcb.c. */
static inline bool is_before(const mosaic_centroid *a, const mosaic_centroid *b, int axis) {
    for (int i = 0; i < 3; ++i) {
        const int d = (axis + i) % 3;
        if (a->xyz[d] != b->xyz[d])
            return a->xyz[d] < b->xyz[d];
    }
    return a->element < b->element;
}

/* Reorders centroids [low, high] such that the first n of all are those that come first along the
 * axis (Hoare); those before `low` do already. */
static void select_first(mosaic_centroid *centroids, int64_t low, int64_t high, int64_t n,
                         int axis) {
    while (low < high) {
        const mosaic_centroid pivot = centroids[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (is_before(centroids + i, &pivot, axis))
                ++i;
            while (is_before(&pivot, centroids + j, axis))
                --j;
            if (i <= j) {
                const mosaic_centroid swap = centroids[i];
                centroids[i++] = centroids[j];
                centroids[j--] = swap;
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

static inline int slice_of(const mosaic_centroid *centroid, const extent *all, float scale) {
    const int slice = (int)((centroid->xyz[all->axis] - all->low) * scale);
    return slice < BISECT_SLICES ? slice : BISECT_SLICES - 1;
}

/* The same from `centroids` into `to`: slices across the axis tell which centroids are before and
 * after the slice where the n-th is, and only in that one are they compared. Gives the axis. */
static int select_sliced(const mosaic_centroid *centroids, int64_t n_all, int64_t n,
                         mosaic_centroid *to) {
    const extent all = longest_axis(centroids, n_all);
    const float scale =
        all.high - all.low > BISECT_TINY ? (float)BISECT_SLICES / (all.high - all.low) : 0;
    int64_t count[BISECT_SLICES] = {0}, before = 0;
    int slice = 0;
    for (int64_t i = 0; i < n_all; ++i)
        ++count[slice_of(centroids + i, &all, scale)];
    while (before + count[slice] <= n)
        before += count[slice++];
    int64_t next[3] = {0, before, before + count[slice]};
    for (int64_t i = 0; i < n_all; ++i) {
        const int own = slice_of(centroids + i, &all, scale);
        to[next[(own >= slice) + (own > slice)]++] = centroids[i];
    }
    select_first(to, before, before + count[slice] - 1, n, all.axis);
    return all.axis;
}

/* Leaves the order in `centroids`, or where `swapped` in `spare`, which has room for all. */
static void halve(mosaic_centroid *centroids, int64_t n, int64_t block_size, mosaic_centroid *spare,
                  bool swapped) {
    const int64_t n_blocks = (n + block_size - 1) / block_size;
    if (n_blocks < 2) {
        if (swapped)
            memcpy(spare, centroids, (size_t)n * sizeof *centroids);
        return;
    }
    const int64_t middle = n_blocks / 2 * block_size;
    select_sliced(centroids, n, middle, spare);
#pragma omp task if (n > BISECT_TASK)
    halve(spare, middle, block_size, centroids, !swapped);
    halve(spare + middle, n - middle, block_size, centroids + middle, !swapped);
#pragma omp taskwait
}

tess_status mosaic_centroids_halve(mosaic_centroid *centroids, int64_t n, int64_t block_size) {
    mosaic_centroid *spare = NULL;
    TRY(TESS_ALLOC(n, &spare));
#pragma omp parallel if (n > MOSAIC_SERIAL)
#pragma omp single
    halve(centroids, n, block_size, spare, false);
    free(spare);
    return TESS_OK;
}

/* Where halves meet: at a centroid, of which they come first along an axis, or not. */
typedef struct meeting {
    mosaic_centroid at;
    int axis;
    bool second; /* the half that is kept */
} meeting;

enum { MOST_MEETINGS = 32 };

/* Halves a mesh by every `step`-th element, one of two halves alone, the first and the second in
 * turn, until about BISECT_SAMPLE blocks are left; gives how often. */
static tess_status find_meetings(const mosaic_mesh *mesh, const box *all, int64_t block_size,
                                 int64_t step, meeting *found, int *n_found) {
    tess_status status = TESS_OK;
    int64_t n = mesh->pins.n_elements / step;
    mosaic_centroid *marks = NULL, *spare = NULL;
    CHECK(TESS_ALLOC(n, &marks));
    CHECK(TESS_ALLOC(n, &spare));
    for (int64_t i = 0; i < n; ++i)
        marks[i] = centroid_of(mesh, all, i * step);
    mosaic_centroid *part = marks, *other = spare;
    for (*n_found = 0; n * step > BISECT_SAMPLE * block_size; ++*n_found) {
        const bool second = *n_found % 2;
        const int64_t n_blocks = (n * step + block_size - 1) / block_size;
        const int64_t middle = n_blocks / 2 * block_size / step;
        const int axis = select_sliced(part, n, middle, other);
        found[*n_found] = (meeting){other[middle], axis, second};
        mosaic_centroid *const half = other + (second ? middle : 0);
        other = part;
        part = half;
        n = second ? n - middle : middle;
    }
done:
    free(marks);
    free(spare);
    return status;
}

tess_status mosaic_bisect_sample(const mosaic_mesh *mesh, int64_t block_size, bool exactly,
                                 int32_t *sample, int64_t *n_sampled) {
    tess_status status = TESS_OK;
    const box all = find_box(mesh);
    const int64_t step = exactly || block_size < BISECT_MARKS ? 1 : block_size / BISECT_MARKS;
    meeting found[MOST_MEETINGS];
    int n_found = 0;
    int64_t n = 0;
    mosaic_centroid *part = NULL;
    CHECK(find_meetings(mesh, &all, block_size, step, found, &n_found));
    CHECK(TESS_ALLOC(mesh->pins.n_elements, &part));
    for (int64_t i = 0; i < mesh->pins.n_elements; ++i) {
        part[n] = centroid_of(mesh, &all, i);
        int k = 0;
        while (k < n_found && is_before(part + n, &found[k].at, found[k].axis) != found[k].second)
            ++k;
        n += k == n_found;
    }
    CHECK(mosaic_centroids_halve(part, n, block_size));
    *n_sampled = n < block_size ? n : n - n % block_size;
    for (int64_t i = 0; i < *n_sampled; ++i)
        sample[i] = part[i].element;
done:
    free(part);
    return status;
}

tess_status mosaic_centroids_build(const mosaic_mesh *mesh, mosaic_centroid **out) {
    TRY(TESS_ALLOC(mesh->pins.n_elements, out));
    fill_centroids(mesh, *out);
    return TESS_OK;
}

tess_status mosaic_bisect(const mosaic_mesh *mesh, int64_t block_size, int32_t *order,
                          mosaic_centroid **kept) {
    const int64_t n = mesh->pins.n_elements;
    mosaic_centroid *centroids = NULL;
    TRY(mosaic_centroids_build(mesh, &centroids));
    const tess_status status = mosaic_centroids_halve(centroids, n, block_size);
    for (int64_t i = 0; i < n; ++i)
        order[i] = centroids[i].element;
    if (kept)
        *kept = centroids;
    else
        free(centroids);
    return status;
}

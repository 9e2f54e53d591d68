/* The RCB partitioner: recursive coordinate bisection at exact multiples of the block size. */
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "partitioners/partitioner.h"

#include <math.h>
#include <stdlib.h>

/* An element and where it lies; unused coordinates are 0. */
typedef struct place {
    double x[3];
    int32_t element;
} place;

/* Places [first, last), to be cut across an axis. */
typedef struct part {
    int64_t first, last;
} part;

static const tess_option options[] = {
    TESS_CHOICE_OPTION("cut", "longest", "longest|turns",
                       "the axis to cut across: the longest of the part, or each in turn"),
    TESS_REAL_OPTION(
        "rotate", "0", -360, 360,
        "degrees by which the axes are turned: about z in 2D, about the diagonal in 3D"),
    {.key = NULL}};

/* The axes along which places are measured: rotated by `degrees` about z or about (1, 1, 1). */
static void axes_rotate(int dimension, double degrees, double axes[3][3]) {
    const double angle = degrees * acos(-1) / 180, c = cos(angle), s = sin(angle);
    const double u = dimension == 3 ? 1 / sqrt(3) : 0, w = dimension == 3 ? u : 1;
    const double axis[3] = {u, u, w};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double cross = i == j ? 0 : ((j - i + 3) % 3 == 1 ? -1 : 1) * axis[3 - i - j];
            axes[i][j] =
                degrees == 0 ? i == j : c * (i == j) + s * cross + (1 - c) * axis[i] * axis[j];
        }
}

static void places_fill(const tess_partition_problem *problem, double degrees, place *places) {
    double axes[3][3];
    axes_rotate(problem->dimension, degrees, axes);
#pragma omp parallel for
    for (int64_t e = 0; e < problem->n_elements; e++) {
        places[e] = (place){.element = (int32_t)e};
        for (int i = 0; i < problem->dimension; i++)
            for (int j = 0; j < problem->dimension; j++)
                places[e].x[i] += axes[i][j] * problem->coordinates[e * problem->dimension + j];
    }
}

/* The axis along which a part extends most, the first of equals. Extents are halved, so that they
 * cannot overflow. */
static int longest_axis(const place *places, part range, int dimension) {
    int longest = 0;
    double longest_extent = -1;
    for (int d = 0; d < dimension; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = range.first; i < range.last; i++) {
            low = places[i].x[d] < low ? places[i].x[d] : low;
            high = places[i].x[d] > high ? places[i].x[d] : high;
        }
        if (0.5 * high - 0.5 * low > longest_extent) {
            longest_extent = 0.5 * high - 0.5 * low;
            longest = d;
        }
    }
    return longest;
}

/* A total order: along the axis, then the next ones, then by element. So cuts through places of
 * equal coordinates are clean, and the same whatever the order of the places. */
static inline bool before(const place *a, const place *b, int axis, int dimension) {
    for (int i = 0; i < dimension; i++) {
        const int d = (axis + i) % dimension;
        if (a->x[d] != b->x[d])
            return a->x[d] < b->x[d];
    }
    return a->element < b->element;
}

static inline void swap(place *a, place *b) {
    const place kept = *a;
    *a = *b;
    *b = kept;
}

/* Puts the median of three at `b`. */
static void median_to_middle(place *a, place *b, place *c, int axis, int dimension) {
    if (before(b, a, axis, dimension))
        swap(a, b);
    if (before(c, b, axis, dimension))
        swap(b, c);
    if (before(b, a, axis, dimension))
        swap(a, b);
}

/* Reorders [first, last) so that what comes before `nth` in the total order lies before it
 * (Hoare's selection; the pivots of a range are the median of nine spread over it). */
static void select_nth(place *places, int64_t first, int64_t last, int64_t nth, int axis,
                       int dimension) {
    while (last - first > 1) {
        const int64_t eighth = (last - first - 1) / 8;
        place *middle = places + first + 4 * eighth;
        if (eighth >= 8) {
            for (int64_t i = 1; i <= 7; i += 3)
                median_to_middle(places + first + (i - 1) * eighth, places + first + i * eighth,
                                 places + first + (i + 1) * eighth, axis, dimension);
            median_to_middle(places + first + eighth, middle, places + first + 7 * eighth, axis,
                             dimension);
        }
        const place pivot = *middle;
        int64_t i = first - 1, j = last;
        for (;;) {
            while (before(&places[++i], &pivot, axis, dimension))
                ;
            while (before(&pivot, &places[--j], axis, dimension))
                ;
            if (i >= j)
                break;
            swap(&places[i], &places[j]);
        }
        /* [first, j] is not after the pivot, (j, last) not before it; neither is empty, as the
         * pivot was not the last place */
        if (nth <= j)
            last = j + 1;
        else
            first = j + 1;
    }
}

/* Blocks that a part needs, all but the last full. */
static int64_t n_blocks_of(part range, int32_t block_size) {
    return (range.last - range.first + block_size - 1) / block_size;
}

/* Where a part is cut: half of its blocks, all full, lie before. */
static int64_t cut_of(part range, int32_t block_size) {
    return range.first + n_blocks_of(range, block_size) / 2 * block_size;
}

/* Replaces each part of more than a block by its two halves; returns how many parts there are. */
static int64_t parts_halve(const part *parts, int64_t n_parts, int32_t block_size, part *halves) {
    int64_t n_halves = 0;
    for (int64_t i = 0; i < n_parts; i++) {
        const int64_t cut = cut_of(parts[i], block_size);
        if (cut > parts[i].first)
            halves[n_halves++] = (part){parts[i].first, cut};
        halves[n_halves++] = (part){cut, parts[i].last};
    }
    return n_halves;
}

static void block_of_fill(const place *places, const part *parts, int64_t n_parts,
                          int32_t *block_of) {
#pragma omp parallel for schedule(static)
    for (int64_t b = 0; b < n_parts; b++)
        for (int64_t i = parts[b].first; i < parts[b].last; i++)
            block_of[places[i].element] = (int32_t)b;
}

/* Cuts level by level until no part exceeds the block size, and tells the observer of each. */
static tess_status bisect(const tess_partition_problem *problem, bool in_turns, place *places,
                          int32_t *block_of) {
    tess_status status = TESS_OK;
    part *parts = NULL, *halves = NULL;
    int64_t n_parts = 1;
    const part whole = {0, problem->n_elements};
    const int64_t n_blocks = n_blocks_of(whole, problem->block_size);
    CHECK(TESS_ALLOC(n_blocks + 1, &parts));
    CHECK(TESS_ALLOC(n_blocks + 1, &halves));
    parts[0] = whole;
    for (int level = 0; n_parts < n_blocks; level++) {
#pragma omp parallel for schedule(dynamic, 1)
        for (int64_t i = 0; i < n_parts; i++) {
            const int64_t cut = cut_of(parts[i], problem->block_size);
            if (cut == parts[i].first)
                continue;
            const int axis = in_turns ? level % problem->dimension
                                      : longest_axis(places, parts[i], problem->dimension);
            select_nth(places, parts[i].first, parts[i].last, cut, axis, problem->dimension);
        }
        CHECK(tess_interrupt_check());
        n_parts = parts_halve(parts, n_parts, problem->block_size, halves);
        part *cut_parts = halves;
        halves = parts;
        parts = cut_parts;
        if (problem->observer && problem->observer->partition) {
            block_of_fill(places, parts, n_parts, block_of);
            CHECK(problem->observer->partition(problem->observer->context, "rcb", level,
                                               problem->n_elements, block_of));
        }
    }
    block_of_fill(places, parts, n_parts, block_of);
done:
    free(parts);
    free(halves);
    return status;
}

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    place *places = NULL;
    TRY(TESS_ALLOC(problem->n_elements, &places));
    places_fill(problem, tess_spec_real(spec, options, "rotate"), places);
    const bool in_turns = tess_spec_is(spec, options, "cut", "turns");
    const tess_status status = bisect(problem, in_turns, places, block_of);
    free(places);
    return status;
}

const tess_partitioner tess_partitioner_rcb = {
    .name = "rcb",
    .summary = "recursive coordinate bisection at exact multiples of the block size",
    .reference = "Berger and Bokhari, IEEE Trans. Computers C-36 (1987)",
    .options = options,
    .needs_coordinates = true,
    .partition = partition,
};

/* Bisections: level by level, each part selected along an axis at half of its blocks. */
#include "partitioners/bisect.h"
#include "core/base/array.h"
#include "core/base/interrupt.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

/* Places [first, last), to be cut across an axis. */
typedef struct part {
    int64_t first, last;
} part;

/* Extents are halved, so that they cannot overflow. */
int tess_longest_axis(const double low[3], const double high[3], int dimension) {
    int longest = 0;
    for (int d = 1; d < dimension; d++)
        if (0.5 * high[d] - 0.5 * low[d] > 0.5 * high[longest] - 0.5 * low[longest])
            longest = d;
    return longest;
}

static int longest_axis(const tess_position *positions, part range, int dimension) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t i = range.first; i < range.last; i++)
        for (int d = 0; d < 3; d++) {
            const double x = positions[i].x[d];
            low[d] = x < low[d] ? x : low[d];
            high[d] = x > high[d] ? x : high[d];
        }
    return tess_longest_axis(low, high, dimension);
}

static inline void swap(tess_position *a, tess_position *b) {
    const tess_position kept = *a;
    *a = *b;
    *b = kept;
}

/* Puts the median of three at `b`. */
static void median_to_middle(tess_position *a, tess_position *b, tess_position *c, int axis,
                             int dimension) {
    if (tess_position_is_before(b, a, axis, dimension))
        swap(a, b);
    if (tess_position_is_before(c, b, axis, dimension))
        swap(b, c);
    if (tess_position_is_before(b, a, axis, dimension))
        swap(a, b);
}

/* Puts a pivot, the median of nine spread over a long range, into its middle. */
static tess_position *choose_pivot(tess_position *positions, part range, int axis, int dimension) {
    const int64_t eighth = (range.last - range.first - 1) / 8;
    tess_position *const first = positions + range.first, *const middle = first + 4 * eighth;
    if (eighth >= 8) {
        for (int64_t i = 1; i <= 7; i += 3)
            median_to_middle(first + (i - 1) * eighth, first + i * eighth, first + (i + 1) * eighth,
                             axis, dimension);
        median_to_middle(first + eighth, middle, first + 7 * eighth, axis, dimension);
    }
    return middle;
}

/* Reorders a range such that what comes before `nth` in the total order lies before it (Hoare). */
static void select_nth(tess_position *positions, part range, int64_t nth, int axis, int dimension) {
    while (range.last - range.first > 1) {
        const tess_position pivot = *choose_pivot(positions, range, axis, dimension);
        int64_t i = range.first - 1, j = range.last;
        for (;;) {
            while (tess_position_is_before(&positions[++i], &pivot, axis, dimension))
                ;
            while (tess_position_is_before(&pivot, &positions[--j], axis, dimension))
                ;
            if (i >= j)
                break;
            swap(&positions[i], &positions[j]);
        }
        /* [first, j] is not after the pivot, (j, last) not before it; neither is empty, as the
         * pivot was not the last place */
        if (nth <= j)
            range.last = j + 1;
        else
            range.first = j + 1;
    }
}

/* --- where only the blocks count, not the places in them ------------------------------------ */

static void select_soon(tess_position *positions, part range, int64_t nth, int axis, int dimension);

/* Finds a pivot: of a long range that of a sample which lies a little beyond `nth`, so that most of
 * the range is left behind (R. W. Floyd and R. L. Rivest, "Expected time bounds for selection",
 * 1975). */
static tess_position *find_pivot(tess_position *positions, part range, int64_t nth, int axis,
                                 int dimension) {
    const int64_t n = range.last - range.first;
    if (n <= 1024)
        return choose_pivot(positions, range, axis, dimension);
    tess_position *const first = positions + range.first;
    const double side = cbrt((double)n), share = (double)(nth - range.first) / (double)n;
    const int64_t n_samples = (int64_t)(0.25 * side * side), stride = n / n_samples;
    for (int64_t i = 1; i < n_samples; i++)
        swap(&first[i], &first[i * stride]);
    const double beyond = (share < 0.5 ? 0.75 : -0.75) * sqrt((double)n_samples);
    const double most = (double)(n_samples - 1);
    const int64_t at = (int64_t)fmin(fmax(share * (double)n_samples + beyond, 0), most);
    select_soon(first, (part){0, n_samples}, at, axis, dimension);
    return first + at;
}

/* Puts what comes before the pivot before it, without a branch but for ties (Lomuto); gives where
 * the pivot is then. */
static int64_t divide(tess_position *positions, part range, tess_position *at, int axis,
                      int dimension) {
    const tess_position pivot = *at;
    tess_position *const last = &positions[range.last - 1];
    int64_t end = range.first;
    swap(at, last);
    for (int64_t i = range.first; i < range.last - 1; i++) {
        const tess_position one = positions[i];
        positions[i] = positions[end];
        positions[end] = one;
        end += one.x[axis] == pivot.x[axis] ? tess_position_is_before(&one, &pivot, axis, dimension)
                                            : one.x[axis] < pivot.x[axis];
    }
    swap(&positions[end], last);
    return end;
}

/* Does as select_nth, sooner, and leaves other places on both sides. */
static void select_soon(tess_position *positions, part range, int64_t nth, int axis,
                        int dimension) {
    while (range.last - range.first > 1) {
        tess_position *const pivot = find_pivot(positions, range, nth, axis, dimension);
        const int64_t at = divide(positions, range, pivot, axis, dimension);
        if (nth <= at)
            range.last = at;
        if (nth >= at)
            range.first = at + (nth > at);
    }
}

void tess_positions_select(tess_position *positions, int64_t n, int64_t nth, int axis,
                           int dimension) {
    select_soon(positions, (part){0, n}, nth, axis, dimension);
}

/* --- parts ---------------------------------------------------------------------------------- */

/* Blocks that a part needs, all but the last full. */
static int64_t count_blocks(part range, int32_t block_size) {
    return (range.last - range.first + block_size - 1) / block_size;
}

int64_t tess_bisection_half(int64_t n, int32_t block_size) {
    return count_blocks((part){0, n}, block_size) / 2 * block_size;
}

/* Where a part is cut: half of its blocks, all full, lie before. */
static int64_t cut_of(part range, int32_t block_size) {
    return range.first + tess_bisection_half(range.last - range.first, block_size);
}

static void halve(const tess_bisection *how, tess_position *positions, int level, part range,
                  int64_t cut) {
    const int axis =
        how->in_turns ? level % how->dimension : longest_axis(positions, range, how->dimension);
    (how->keeps_places ? select_nth : select_soon)(positions, range, cut, axis, how->dimension);
}

/* Cuts a part until each is a block. */
static void bisect_part(const tess_bisection *how, tess_position *positions, int level,
                        part range) {
    for (; count_blocks(range, how->block_size) > 1; level++) {
        const int64_t cut = cut_of(range, how->block_size);
        halve(how, positions, level, range, cut);
        bisect_part(how, positions, level + 1, (part){range.first, cut});
        range.first = cut;
    }
}

/* Cuts all parts of more than a block, the i-th ending at end[i]; fills where the halves end, and
 * gives how many they are. */
static int64_t halve_parts(const tess_bisection *how, tess_position *positions, int level,
                           const int64_t *end, int64_t n_parts, int64_t *halves) {
    int64_t n_halves = 0;
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t i = 0; i < n_parts; i++) {
        const part range = {i ? end[i - 1] : 0, end[i]};
        const int64_t cut = cut_of(range, how->block_size);
        if (cut > range.first)
            halve(how, positions, level, range, cut);
    }
    for (int64_t i = 0; i < n_parts; i++) {
        const part range = {i ? end[i - 1] : 0, end[i]};
        const int64_t cut = cut_of(range, how->block_size);
        if (cut > range.first)
            halves[n_halves++] = cut;
        halves[n_halves++] = range.last;
    }
    return n_halves;
}

/* Level by level until there are parts enough for all threads, which each cut theirs to the end. */
tess_status tess_bisect(const tess_bisection *how, tess_position *positions, int64_t n) {
    tess_status status = TESS_OK;
    int64_t *end = NULL, *halves = NULL, n_parts = 1;
    const int64_t n_blocks = count_blocks((part){0, n}, how->block_size);
    const int64_t n_busy = 8 * omp_get_max_threads(); /* parts that keep all threads busy */
    int level = how->level;
    CHECK(TESS_ALLOC(n_blocks + 1, &end));
    CHECK(TESS_ALLOC(n_blocks + 1, &halves));
    end[0] = n;
    for (; n_parts < n_blocks && (how->tell || n_parts < n_busy); level++) {
        n_parts = halve_parts(how, positions, level, end, n_parts, halves);
        int64_t *const ends = halves;
        halves = end;
        end = ends;
        CHECK(tess_interrupt_check());
        if (how->tell)
            CHECK(how->tell(how->context, level, positions, end, n_parts));
    }
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t i = 0; i < n_parts; i++)
        if (!tess_interrupted())
            bisect_part(how, positions, level, (part){i ? end[i - 1] : 0, end[i]});
    CHECK(tess_interrupt_check());
done:
    free(end);
    free(halves);
    return status;
}

/* Cuts: slabs of slabs give strips, strips blocks; or halves of halves do. */
#include "partitioners/mosaic/cut.h"
#include "core/base/array.h"
#include "core/base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t mosaic_slab_ends(const mosaic_walk *walk, int64_t begin, int64_t end, int64_t multiple,
                         double width, int32_t *ends) {
    const double n_slabs = fmax(1, round(walk->n_levels / width));
    const double step = width == floor(width) ? width : walk->n_levels / n_slabs;
    int64_t n = 0, last = begin;
    for (double slab = 1; slab < n_slabs; ++slab) {
        const int64_t before = walk->level[llround(slab * step)] - begin;
        const int64_t at = begin + (before + multiple / 2) / multiple * multiple;
        if (at > last && at < end) {
            ends[n++] = (int32_t)at;
            last = at;
        }
    }
    ends[n++] = (int32_t)end;
    return n;
}

/* The points that both sides of an end inside level l have in common. */
static int64_t end_points(mosaic_walk *walk, int32_t l, int64_t at, int64_t begin, int64_t end) {
    const int64_t first = l > 0 ? walk->level[l - 1] : begin;
    return mosaic_walk_common(walk, first, at, l + 1 < walk->n_levels ? walk->level[l + 2] : end);
}

/* A strip's blocks end inside levels. Elements of such a level are taken from one side of the strip
 * or from the other, whichever leaves fewer points in both blocks. The order of the numbering leads
 * across the strip, as that of the walk of which it is a slab. */
static void strip_ends(mosaic_walk *walk, int64_t block_size, int64_t begin, int64_t end) {
    int32_t l = 0;
    int64_t last_level = begin - 1;
    for (int64_t at = begin + block_size; at < end; at += block_size) {
        while (walk->level[l + 1] <= at)
            ++l;
        const int64_t first = walk->level[l], n = walk->level[l + 1] - first;
        if (first == at || first == last_level)
            continue;
        last_level = first;
        int32_t *const level = walk->order + first;
        tess_sort(level, n);
        const int64_t upwards = end_points(walk, l, at, begin, end);
        tess_reverse(level, n);
        const int64_t downwards = end_points(walk, l, at, begin, end);
        if (upwards < downwards)
            tess_sort(level, n);
    }
}

/* A walk across a slab, out along a band of WALK_BAND levels in its middle, and back through all of
 * it: a band that is connected has the same far end. */
static void walk_along(mosaic_walk *walk, const mosaic_cut *cut, int64_t begin, int64_t end) {
    const double from = mosaic_walk_inside(0, cut->from);
    const int64_t half = (int64_t)((double)(end - begin) * WALK_BAND / (2 * cut->width));
    const int64_t middle = begin + (end - begin) / 2, last = middle + half;
    if (cut->width < 2 * WALK_BAND || half < 1) {
        mosaic_walk_across(walk, begin, end, from);
        mosaic_walk_straighten(walk, begin, end);
        return;
    }
    mosaic_walk_out(walk, middle - half, last, from);
    if (walk->n_parts > 1) {
        mosaic_walk_across(walk, begin, end, from);
        mosaic_walk_straighten(walk, begin, end);
        return;
    }
    const int64_t n = mosaic_walk_last_piece(walk, last);
    for (int64_t i = 1; i <= n; ++i) {
        const int32_t source = walk->order[last - i];
        walk->order[last - i] = walk->order[end - i];
        walk->order[end - i] = source;
    }
    mosaic_walk_from(walk, begin, end, n);
    mosaic_walk_straighten(walk, begin, end);
}

void mosaic_turn_back(mosaic_walk *walk, int64_t block_size, int64_t begin, int64_t end) {
    const int64_t before = begin < block_size ? begin : block_size;
    const int64_t after = end - begin < block_size ? end - begin : block_size, n = before + after;
    int32_t *const joint = walk->order + begin - before;
    mosaic_tally as_is = {0}, turned = {0};
    mosaic_walk_tally(walk, joint, n, n, &as_is);
    tess_reverse(walk->order + begin, end - begin);
    mosaic_walk_tally(walk, joint, n, n, &turned);
    if (turned.points >= as_is.points)
        tess_reverse(walk->order + begin, end - begin);
}

/* Slabs of the segment, slabs of those, until one is a strip: its walk, chopped every S elements,
 * gives blocks. A strip of two is chopped as it lies, along the slab that it is of, where this
 * leaves as many points in both: across it a rhombus of triangles is cut into two triangles, and
 * six of these meet at a corner. */
static void cut_slabs(mosaic_walk *walk, const mosaic_cut *cut, int64_t begin, int64_t end,
                      int32_t *ends) {
    const int64_t size = cut->block_size, n_elements = end - begin;
    const bool two = n_elements == 2 * size && cut->multiple == size;
    int32_t *const lay = ends;
    if (n_elements <= cut->multiple)
        return;
    const int64_t along = two ? mosaic_walk_common(walk, begin, begin + size, end) : 0;
    if (two)
        memcpy(lay, walk->order + begin, (size_t)n_elements * sizeof *lay);
    walk_along(walk, cut, begin, end);
    const double slab = (double)(end - begin) / walk->n_levels * cut->width;
    if (slab < STRIP_BLOCKS * (double)cut->block_size) {
        if (cut->snake)
            mosaic_turn_back(walk, cut->block_size, begin, end);
        else if (cut->multiple == cut->block_size) /* else blocks go on in the next strip */
            strip_ends(walk, cut->block_size, begin, end);
        if (two && along == mosaic_walk_common(walk, begin, begin + size, end))
            memcpy(walk->order + begin, lay, (size_t)n_elements * sizeof *lay);
        return;
    }
    const int64_t n = mosaic_slab_ends(walk, begin, end, cut->multiple, cut->width, ends);
    for (int64_t i = 0; i < n && n > 1; ++i)
        cut_slabs(walk, cut, i ? ends[i - 1] : begin, ends[i], ends + n);
}

/* Adds factor times its level to the height of each element. */
static void add_levels(mosaic_walk *walk, float factor) {
    for (int32_t l = 0; l < walk->n_levels; ++l)
        for (int32_t i = walk->level[l]; i < walk->level[l + 1]; ++i)
            walk->height[walk->order[i]] += factor * (float)l;
}

/* Each element's height becomes the mean of its points', theirs that of their elements here. */
static inline __attribute__((always_inline)) void
smooth_rows(mosaic_walk *walk, int64_t begin, int64_t end, const int64_t *offset, int32_t arity) {
    const int32_t *const pin = walk->pins->point, *const item = walk->rows->item;
    const int64_t *const row = walk->rows->offset;
    const int32_t *const order = walk->order, *const region = walk->region;
    int32_t *const seen = walk->seen;
    float *const height = walk->height, *const mean = walk->mean;
    const int32_t here = region[order[begin]], done = ++walk->clock;
    for (int64_t i = begin; i < end; ++i) {
        const int64_t e = order[i], first = offset ? offset[e] : e * arity;
        const int64_t last = offset ? offset[e + 1] : first + arity;
        for (int64_t k = first; k < last; ++k) {
            const int32_t point = pin[k];
            if (seen[point] == done)
                continue;
            seen[point] = done;
            const int64_t row_end = row[point + 1];
            float sum = 0, n = 0;
            for (int64_t j = row[point]; j < row_end; ++j)
                if (region[item[j]] == here) {
                    sum += height[item[j]];
                    ++n;
                }
            mean[point] = sum / n;
        }
    }
    for (int64_t i = begin; i < end; ++i) {
        const int64_t e = order[i], first = offset ? offset[e] : e * arity;
        const int64_t last = offset ? offset[e + 1] : first + arity;
        float sum = 0;
        for (int64_t k = first; k < last; ++k)
            sum += mean[pin[k]];
        if (last > first)
            height[e] = sum / (float)(last - first);
    }
}

/* The same, by a loop of its own for rows of two points. */
static void smooth(mosaic_walk *walk, int64_t begin, int64_t end) {
    const mosaic_pins *const pins = walk->pins;
    if (!pins->offset && pins->arity == 2)
        smooth_rows(walk, begin, end, NULL, 2);
    else
        smooth_rows(walk, begin, end, pins->offset, pins->arity);
}

/* Walks the segment [begin, end) of the order out from the fraction `from`, back and out again, and
 * gives each element a height: its level from one side minus that from the other. Gives the lowest
 * that there may be; the highest is the last level of the walk. */
static int32_t measure_heights(mosaic_walk *walk, int64_t begin, int64_t end, double from) {
    mosaic_walk_across(walk, begin, end, from);
    const int32_t lowest = 1 - walk->n_levels;
    for (int64_t i = begin; i < end; ++i)
        walk->height[walk->order[i]] = 0;
    add_levels(walk, -1);
    mosaic_walk_from(walk, begin, end, mosaic_walk_last_piece(walk, end));
    add_levels(walk, 1);
    return lowest;
}

/* The elements of a segment that come near its middle: what is farther away stays on its side. */
typedef struct band {
    int64_t begin, middle, end;
} band;

/* The height of the element in the middle, heights being whole numbers from the lowest on; INFINITY
 * where there are so few or so many of them that a band is of no use. */
static float middle_height(mosaic_walk *walk, int64_t begin, int64_t middle, int64_t end,
                           int32_t lowest) {
    const int64_t n_heights = walk->n_levels - (int64_t)lowest;
    int32_t *const n_of = walk->queue + begin, h = 0;
    int64_t below = begin;
    if (n_heights > end - begin || n_heights <= 2 * HALVES_BAND)
        return INFINITY;
    memset(n_of, 0, (size_t)n_heights * sizeof *n_of);
    for (int64_t i = begin; i < end; ++i)
        ++n_of[(int32_t)walk->height[walk->order[i]] - lowest];
    while (below + n_of[h] <= middle)
        below += n_of[h++];
    return (float)(h + lowest);
}

/* Permutes the segment: what is below the band around a height, in it, above it; all of it where
 * the height is INFINITY. */
static band find_band(mosaic_walk *walk, int64_t begin, int64_t middle, int64_t end, float height) {
    const band all = {begin, middle, end};
    const float low = height - HALVES_BAND, high = height + HALVES_BAND;
    int64_t n_low = 0, n_high = 0;
    if (height == INFINITY)
        return all;
    for (int64_t i = begin; i < end; ++i) {
        n_low += walk->height[walk->order[i]] < low;
        n_high += walk->height[walk->order[i]] > high;
    }
    const band near = {begin + n_low, middle, end - n_high};
    if (near.begin > middle || near.end < middle)
        return all;
    int64_t at[3] = {begin, near.begin, near.end};
    for (int64_t i = begin; i < end; ++i) {
        const int32_t e = walk->order[i];
        walk->queue[at[(walk->height[e] >= low) + (walk->height[e] > high)]++] = e;
    }
    memcpy(walk->order + begin, walk->queue + begin, (size_t)(end - begin) * sizeof *walk->order);
    return near;
}

/* Permutes the band such that its elements before the middle are the lowest, ties by number. */
static void select_lowest(mosaic_walk *walk, const band *near) {
    int32_t *const order = walk->order;
    const float *const height = walk->height;
    int64_t low = near->begin, high = near->end - 1;
    while (low < high) {
        const int32_t pivot = order[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (height[order[i]] < height[pivot] ||
                   (height[order[i]] == height[pivot] && order[i] < pivot))
                ++i;
            while (height[pivot] < height[order[j]] ||
                   (height[pivot] == height[order[j]] && pivot < order[j]))
                --j;
            if (i <= j) {
                const int32_t swap = order[i];
                order[i++] = order[j];
                order[j--] = swap;
            }
        }
        if (near->middle <= j)
            high = j;
        else if (near->middle >= i)
            low = i;
        else
            break;
    }
}

/* The heights of the segment's elements go from one array to another. */
static void copy_heights(const mosaic_walk *walk, int64_t begin, int64_t end, const float *from,
                         float *to) {
    for (int64_t i = begin; i < end; ++i)
        to[walk->order[i]] = from[walk->order[i]];
}

/* Smooths the heights of a band some times, and puts the lowest before the middle. */
static void halve_band(mosaic_walk *walk, const band *near, int passes) {
    for (int p = 0; p < passes && near->begin < near->end; ++p)
        smooth(walk, near->begin, near->end);
    select_lowest(walk, near);
}

static int rough_passes(const mosaic_cut *cut) {
    return cut->smoothing < ROUGH_PASSES ? cut->smoothing : ROUGH_PASSES;
}

/* Measures the segment in some directions, smooths each a little, and leaves the heights of the one
 * in which halves have the fewest points in common. Gives its height of the middle. */
static float choose_direction(mosaic_walk *walk, const mosaic_cut *cut, int64_t begin,
                              int64_t middle, int64_t end, int tries) {
    int64_t least = INT64_MAX;
    float height = INFINITY;
    for (int t = 0; t < tries; ++t) {
        const int32_t lowest = measure_heights(walk, begin, end, mosaic_walk_inside(t, cut->from));
        const float own = middle_height(walk, begin, middle, end, lowest);
        const band near = find_band(walk, begin, middle, end, own);
        halve_band(walk, &near, rough_passes(cut));
        const int64_t weight = mosaic_walk_common(walk, near.begin, middle, near.end);
        if (weight >= least)
            continue;
        copy_heights(walk, begin, end, walk->height, walk->best);
        least = weight;
        height = own;
    }
    copy_heights(walk, begin, end, walk->best, walk->height);
    return height;
}

/* Halves the segment at a multiple of S, in the best of some directions: rough heights tell these
 * apart. */
static int64_t cut_half(mosaic_walk *walk, const mosaic_cut *cut, int64_t begin, int64_t end) {
    const int64_t n_blocks = (end - begin + cut->block_size - 1) / cut->block_size;
    const int64_t middle = begin + n_blocks / 2 * cut->block_size;
    const int tries = n_blocks <= cut->tried ? cut->tries : cut->tries_beyond;
    int passes = cut->smoothing;
    float height;
    if (tries > 1) {
        height = choose_direction(walk, cut, begin, middle, end, tries);
        passes -= rough_passes(cut);
    } else {
        const int32_t lowest = measure_heights(walk, begin, end, mosaic_walk_inside(0, cut->from));
        height = middle_height(walk, begin, middle, end, lowest);
    }
    const band near = find_band(walk, begin, middle, end, height);
    halve_band(walk, &near, passes);
    return middle;
}

static void cut_leaf(mosaic_walk *walk, const mosaic_cut *cut, int64_t begin, int64_t end) {
    if (end - begin <= cut->block_size)
        return;
    const int64_t middle = cut_half(walk, cut, begin, end);
    cut_leaf(walk, cut, begin, middle);
    cut_leaf(walk, cut, middle, end);
}

/* Halves until a region fits a core's cache, then goes on in a piece of its own. */
static tess_status cut_halves(mosaic_cutter *cutter, const mosaic_cut *cut, int64_t begin,
                              int64_t end) {
    mosaic_walk *walk = &cutter->slab.walk;
    if (end - begin > LEAF_BLOCKS * cut->block_size) {
        const int64_t middle = cut_half(walk, cut, begin, end);
        TRY(cut_halves(cutter, cut, begin, middle));
        return cut_halves(cutter, cut, middle, end);
    }
    const int64_t n = end - begin;
    const mosaic_part part = {.list = walk->order + begin, .n = n};
    TRY(mosaic_piece_fill(walk->pins, part, &cutter->leaf));
    cut_leaf(&cutter->leaf.walk, cut, 0, n);
    memcpy(walk->queue, walk->order + begin, (size_t)n * sizeof *walk->order);
    for (int64_t i = 0; i < n; ++i)
        walk->order[begin + i] = walk->queue[cutter->leaf.walk.order[i]];
    return TESS_OK;
}

tess_status mosaic_cut_part(const mosaic_pins *pins, const mosaic_cut *cut, mosaic_part part,
                            mosaic_cutter *cutter, const int32_t **local) {
    const bool all = !part.list && part.n == pins->n_elements;
    TRY(all ? mosaic_piece_span(pins, &cutter->slab)
            : mosaic_piece_fill(pins, part, &cutter->slab));
    *local = cutter->slab.walk.order;
    if (cut->halves)
        return cut_halves(cutter, cut, 0, part.n);
    /* k >= 2 ends leave no slab more than b - k + 1 of b multiples: 2 b of them are enough, and
     * room for the elements of two blocks behind them */
    TRY(TESS_RESERVE(2 * (part.n / cut->multiple + 2 + cut->block_size), &cutter->capacity_ends,
                     &cutter->ends));
    cut_slabs(&cutter->slab.walk, cut, 0, part.n, cutter->ends);
    return TESS_OK;
}

void mosaic_cut_with_care(int64_t n_elements, mosaic_cut *cut) {
    cut->whole = n_elements <= CAREFUL_WHOLE * cut->block_size;
    cut->tries_beyond = CAREFUL_BEYOND;
    cut->tries = cut->tries > CAREFUL_TRIES ? cut->tries : CAREFUL_TRIES;
    cut->smoothing = cut->smoothing > CAREFUL_PASSES ? cut->smoothing : CAREFUL_PASSES;
}

void mosaic_cutter_clear(mosaic_cutter *cutter) {
    mosaic_piece_clear(&cutter->slab);
    mosaic_piece_clear(&cutter->leaf);
    free(cutter->ends);
    *cutter = (mosaic_cutter){0};
}

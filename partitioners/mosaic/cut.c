/* Cuts: balls give the width; slabs of slabs give strips, strips blocks; or halves of halves do. */
#include "partitioners/mosaic/cut.h"
#include "core/base/array.h"
#include "core/base/sort.h"
#include "partitioners/mosaic/height.h"
#include "partitioners/mosaic/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF_BLOCKS = 32, TRIED_BLOCKS = 8, BAND = 3 };

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
    return mosaic_height_cut(walk, first, at, l + 1 < walk->n_levels ? walk->level[l + 2] : end);
}

static void turn(int32_t *order, int64_t n) {
    for (int64_t i = 0; i < n / 2; ++i) {
        const int32_t swap = order[i];
        order[i] = order[n - 1 - i];
        order[n - 1 - i] = swap;
    }
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
        turn(level, n);
        const int64_t downwards = end_points(walk, l, at, begin, end);
        if (upwards < downwards)
            tess_sort(level, n);
    }
}

/* A walk across a slab, out along a band of BAND levels in its middle, and back through all of it:
 * a band that is connected has the same far end. */
static void walk_along(mosaic_walk *walk, const mosaic_cut *cut, int64_t begin, int64_t end) {
    const double from = mosaic_walk_inside(0, cut->from);
    const int64_t half = (int64_t)((double)(end - begin) * BAND / (2 * cut->width));
    const int64_t middle = begin + (end - begin) / 2, last = middle + half;
    if (cut->width < 2 * BAND || half < 1) {
        mosaic_walk_across(walk, begin, end, from);
        return;
    }
    mosaic_walk_out(walk, middle - half, last, from);
    if (walk->n_parts > 1) {
        mosaic_walk_across(walk, begin, end, from);
        return;
    }
    const int64_t n = mosaic_walk_last_piece(walk, last);
    for (int64_t i = 1; i <= n; ++i) {
        const int32_t source = walk->order[last - i];
        walk->order[last - i] = walk->order[end - i];
        walk->order[end - i] = source;
    }
    mosaic_walk_from(walk, begin, end, n);
}

void mosaic_turn_back(const mosaic_pins *pins, int64_t block_size, int32_t *order, int64_t begin,
                      int64_t end, int32_t *seen, int32_t *clock) {
    const int64_t before = begin < block_size ? begin : block_size;
    const int64_t after = end - begin < block_size ? end - begin : block_size;
    mosaic_tally as_is = {0}, turned = {0};
    int32_t *const joint = order + begin - before;
    mosaic_tally_add(pins, joint, before + after, before + after, seen, clock, &as_is);
    turn(order + begin, end - begin);
    mosaic_tally_add(pins, joint, before + after, before + after, seen, clock, &turned);
    if (turned.points >= as_is.points)
        turn(order + begin, end - begin);
}

/* Slabs of the segment, slabs of those, until one is a strip: its walk, chopped every S elements,
 * gives blocks. */
static void cut_slabs(mosaic_walk *walk, const mosaic_cut *cut, int64_t begin, int64_t end,
                      int32_t *ends) {
    if (end - begin <= cut->multiple)
        return;
    walk_along(walk, cut, begin, end);
    const double slab = (double)(end - begin) / walk->n_levels * cut->width;
    if (slab < 1.5 * (double)cut->block_size) {
        if (cut->snake)
            mosaic_turn_back(walk->pins, cut->block_size, walk->order, begin, end, walk->seen,
                             &walk->clock);
        else if (cut->multiple == cut->block_size) /* else blocks go on in the next strip */
            strip_ends(walk, cut->block_size, begin, end);
        return;
    }
    const int64_t n = mosaic_slab_ends(walk, begin, end, cut->multiple, cut->width, ends);
    for (int64_t i = 0; i < n && n > 1; ++i)
        cut_slabs(walk, cut, i ? ends[i - 1] : begin, ends[i], ends + n);
}

/* Halves the segment at a multiple of S, in the best of some directions. */
static int64_t cut_half(mosaic_walk *walk, const mosaic_cut *cut, int64_t begin, int64_t end) {
    const int64_t n_blocks = (end - begin + cut->block_size - 1) / cut->block_size;
    const int64_t middle = begin + n_blocks / 2 * cut->block_size;
    const size_t bytes = (size_t)(end - begin) * sizeof *walk->order;
    const int tries = n_blocks <= TRIED_BLOCKS ? cut->tries : 1;
    int64_t least = INT64_MAX;
    for (int t = 0; t < tries; ++t) {
        mosaic_height_measure(walk, begin, end, mosaic_walk_inside(t, cut->from), cut->passes);
        mosaic_height_select(walk, begin, end, middle - begin);
        const int64_t weight = tries > 1 ? mosaic_height_cut(walk, begin, middle, end) : 0;
        if (weight < least && tries > 1)
            memcpy(walk->best + begin, walk->order + begin, bytes);
        least = weight < least ? weight : least;
    }
    if (tries > 1)
        memcpy(walk->order + begin, walk->best + begin, bytes);
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
    TRY(mosaic_piece_fill(&cutter->slab.pins, walk->order + begin, 0, n, &cutter->leaf));
    cut_leaf(&cutter->leaf.walk, cut, 0, n);
    memcpy(walk->queue, walk->order + begin, (size_t)n * sizeof *walk->order);
    for (int64_t i = 0; i < n; ++i)
        walk->order[begin + i] = walk->queue[cutter->leaf.walk.order[i]];
    return TESS_OK;
}

tess_status mosaic_cut_elements(const mosaic_pins *pins, const mosaic_cut *cut, const int32_t *list,
                                int64_t first, int64_t n, mosaic_cutter *cutter,
                                const int32_t **local) {
    TRY(mosaic_piece_fill(pins, list, first, n, &cutter->slab));
    *local = cutter->slab.walk.order;
    if (cut->halves)
        return cut_halves(cutter, cut, 0, n);
    /* k >= 2 ends leave no slab more than b - k + 1 of b multiples: 2 b of them are enough */
    TRY(TESS_RESERVE(2 * (n / cut->multiple + 2), &cutter->capacity_ends, &cutter->ends));
    cut_slabs(&cutter->slab.walk, cut, 0, n, cutter->ends);
    return TESS_OK;
}

void mosaic_cutter_clear(mosaic_cutter *cutter) {
    mosaic_piece_clear(&cutter->slab);
    mosaic_piece_clear(&cutter->leaf);
    free(cutter->ends);
    *cutter = (mosaic_cutter){0};
}

/* Halves: heights measured by walks from both sides, smoothed, the lowest cut off. */
#include "partitioners/mosaic/halves.h"

/* Passes in which heights become means of those around. */
enum { SMOOTHING = 2 };

/* Adds factor times its level to the height of each element. */
static void add_levels(mosaic_walk *walk, float factor) {
    for (int32_t l = 0; l < walk->n_levels; ++l)
        for (int32_t i = walk->level[l]; i < walk->level[l + 1]; ++i)
            walk->height[walk->order[i]] += factor * (float)l;
}

static void measure_heights(mosaic_walk *walk, int64_t begin, int64_t end, double from) {
    mosaic_walk_across(walk, begin, end, mosaic_walk_inside(0, from));
    for (int64_t i = begin; i < end; ++i)
        walk->height[walk->order[i]] = 0;
    add_levels(walk, -1);
    mosaic_walk_from(walk, begin, end, mosaic_walk_last_piece(walk, end));
    add_levels(walk, 1);
}

/* The mean height of a point's elements in the region. */
static inline float mean_at(const mosaic_walk *walk, int32_t point, int32_t here) {
    const int32_t *const item = walk->rows->item;
    const int64_t row_end = walk->rows->offset[point + 1];
    float sum = 0, n = 0;
    for (int64_t j = walk->rows->offset[point]; j < row_end; ++j)
        if (walk->region[item[j]] == here) {
            sum += walk->height[item[j]];
            ++n;
        }
    return sum / n;
}

/* Each element's height becomes the mean of its points', theirs that of their elements here. */
static void smooth(mosaic_walk *walk, int64_t begin, int64_t end) {
    const mosaic_pins *const pins = walk->pins;
    const int32_t here = walk->region[walk->order[begin]], done = ++walk->clock;
    for (int64_t i = begin; i < end; ++i) {
        const int64_t last = mosaic_end(pins, walk->order[i]);
        for (int64_t k = mosaic_first(pins, walk->order[i]); k < last; ++k) {
            const int32_t point = pins->point[k];
            if (walk->seen[point] != done)
                walk->mean[point] = mean_at(walk, point, here);
            walk->seen[point] = done;
        }
    }
    for (int64_t i = begin; i < end; ++i) {
        const int32_t e = walk->order[i];
        const int64_t first = mosaic_first(pins, e), last = mosaic_end(pins, e);
        float sum = 0;
        for (int64_t k = first; k < last; ++k)
            sum += walk->mean[pins->point[k]];
        if (last > first)
            walk->height[e] = sum / (float)(last - first);
    }
}

static inline bool is_lower(const mosaic_walk *walk, int32_t a, int32_t b) {
    return walk->height[a] < walk->height[b] || (walk->height[a] == walk->height[b] && a < b);
}

/* Permutes the segment such that its elements before the middle are the lowest (Hoare). */
static void select_lowest(mosaic_walk *walk, int64_t begin, int64_t middle, int64_t end) {
    int32_t *const order = walk->order;
    int64_t low = begin, high = end - 1;
    while (low < high) {
        const int32_t pivot = order[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (is_lower(walk, order[i], pivot))
                ++i;
            while (is_lower(walk, pivot, order[j]))
                --j;
            if (i <= j) {
                const int32_t swap = order[i];
                order[i++] = order[j];
                order[j--] = swap;
            }
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            break;
    }
}

void mosaic_halve(mosaic_walk *walk, int64_t begin, int64_t end, int64_t block_size, double from) {
    const int64_t n_blocks = (end - begin + block_size - 1) / block_size;
    const int64_t middle = begin + n_blocks / 2 * block_size;
    if (n_blocks < 2)
        return;
    measure_heights(walk, begin, end, from);
    for (int p = 0; p < SMOOTHING; ++p)
        smooth(walk, begin, end);
    select_lowest(walk, begin, middle, end);
    mosaic_halve(walk, begin, middle, block_size, from);
    mosaic_halve(walk, middle, end, block_size, from);
}

/* Heights: differences of levels, smoothed; regions divided at a height. */
#include "partitioners/mosaic/height.h"

/* Adds factor times its level to the height of each element. */
static void add_levels(mosaic_walk *walk, float factor) {
    for (int32_t l = 0; l < walk->n_levels; ++l)
        for (int32_t i = walk->level[l]; i < walk->level[l + 1]; ++i)
            walk->height[walk->order[i]] += factor * (float)l;
}

/* Each element's height becomes the mean of its points', theirs that of their elements here. */
static void smooth(mosaic_walk *walk, int64_t begin, int64_t end) {
    const mosaic_pins *pins = walk->pins;
    const int64_t *const row = walk->rows->offset;
    const int32_t here = walk->region[walk->order[begin]], done = ++walk->clock;
    for (int64_t i = begin; i < end; ++i) {
        const int32_t e = walk->order[i];
        for (int64_t k = mosaic_first(pins, e); k < mosaic_first(pins, e + 1); ++k) {
            const int32_t point = pins->point[k];
            if (walk->seen[point] == done)
                continue;
            walk->seen[point] = done;
            float sum = 0, n = 0;
            for (int64_t j = row[point]; j < row[point + 1]; ++j)
                if (walk->region[walk->rows->element[j]] == here) {
                    sum += walk->height[walk->rows->element[j]];
                    ++n;
                }
            walk->mean[point] = sum / n;
        }
    }
    for (int64_t i = begin; i < end; ++i) {
        const int32_t e = walk->order[i];
        const int64_t first = mosaic_first(pins, e), last = mosaic_first(pins, e + 1);
        float sum = 0;
        for (int64_t k = first; k < last; ++k)
            sum += walk->mean[pins->point[k]];
        if (last > first)
            walk->height[e] = sum / (float)(last - first);
    }
}

void mosaic_height_measure(mosaic_walk *walk, int64_t begin, int64_t end, double from, int passes) {
    if (begin == end)
        return;
    mosaic_walk_out(walk, begin, end, from);
    mosaic_walk_from(walk, begin, end, mosaic_walk_last_piece(walk, end));
    for (int64_t i = begin; i < end; ++i)
        walk->height[walk->order[i]] = 0;
    add_levels(walk, -1);
    mosaic_walk_from(walk, begin, end, mosaic_walk_last_piece(walk, end));
    add_levels(walk, 1);
    for (int p = 0; p < passes; ++p)
        smooth(walk, begin, end);
}

void mosaic_height_select(mosaic_walk *walk, int64_t begin, int64_t end, int64_t n) {
    int32_t *const order = walk->order;
    const float *const height = walk->height;
    int64_t low = begin, high = end - 1;
    const int64_t target = begin + n;
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
        if (target <= j)
            high = j;
        else if (target >= i)
            low = i;
        else
            break;
    }
}

/* Stamps the points of a segment; the weight of those that had the stamp `before`. */
static int64_t stamp_points(mosaic_walk *walk, int64_t begin, int64_t end, int32_t before,
                            int32_t stamp) {
    const mosaic_pins *pins = walk->pins;
    int64_t met = 0;
    for (int64_t i = begin; i < end; ++i) {
        const int32_t e = walk->order[i];
        for (int64_t k = mosaic_first(pins, e); k < mosaic_first(pins, e + 1); ++k) {
            const int32_t point = pins->point[k];
            if (walk->seen[point] == before)
                met += pins->weight ? pins->weight[point] : 1;
            walk->seen[point] = stamp;
        }
    }
    return met;
}

int64_t mosaic_height_cut(mosaic_walk *walk, int64_t begin, int64_t middle, int64_t end) {
    const int32_t low = ++walk->clock, high = ++walk->clock;
    stamp_points(walk, begin, middle, high, low);
    return stamp_points(walk, middle, end, low, high);
}

/* Tallies of the points of blocks. */
#include "partitioners/mosaic/tally.h"

#include <math.h>

void mosaic_tally_add(const mosaic_pins *pins, const int32_t *order, int64_t n, int64_t block_size,
                      int32_t *seen, int32_t *clock, mosaic_tally *sum) {
    for (int64_t begin = 0; begin < n; begin += block_size) {
        const int32_t stamp = ++*clock;
        int64_t points = 0;
        for (int64_t i = begin; i < n && i < begin + block_size; ++i) {
            const int64_t last = mosaic_first(pins, (int64_t)order[i] + 1);
            for (int64_t k = mosaic_first(pins, order[i]); k < last; ++k) {
                const int32_t point = pins->point[k];
                if (seen[point] != stamp)
                    points += pins->weight ? pins->weight[point] : 1;
                seen[point] = stamp;
            }
        }
        sum->points += (double)points;
        sum->few += (double)points <= sum->limit;
        sum->alike += fabs((double)points - sum->last) <= 1;
        sum->last = (double)points;
        ++sum->blocks;
    }
    sum->elements += (double)n;
}

/* Cuts: balls give the width, levels give slabs, slabs of slabs give strips, strips give blocks. */
#include "partitioners/mosaic_cut.h"
#include "core/array.h"

#include <math.h>
#include <stdlib.h>

enum { N_BALLS = 31 };

static int compare_widths(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double mosaic_ball_width(mosaic_walk *walk, int64_t block_size) {
    const int64_t n = walk->pins->n_elements;
    double widths[N_BALLS];
    for (int i = 0; i < N_BALLS; ++i)
        widths[i] = mosaic_walk_ball(walk, (int32_t)((2 * i + 1) * n / (2 * N_BALLS)), block_size);
    qsort(widths, N_BALLS, sizeof *widths, compare_widths);
    return fmax(1, widths[N_BALLS / 2]);
}

int64_t mosaic_slab_ends(const mosaic_walk *walk, int64_t begin, int64_t end, int64_t block_size,
                         double width, int32_t *ends) {
    const double n_slabs = fmax(1, round(walk->n_levels / width));
    int64_t n = 0, last = begin;
    for (double slab = 1; slab < n_slabs; ++slab) {
        const int64_t level = llround(slab * walk->n_levels / n_slabs);
        const int64_t blocks = (walk->level[level] - begin + block_size / 2) / block_size;
        const int64_t at = begin + blocks * block_size;
        if (at > last && at < end) {
            ends[n++] = (int32_t)at;
            last = at;
        }
    }
    ends[n++] = (int32_t)end;
    return n;
}

void mosaic_cut_region(mosaic_walk *walk, const mosaic_cut *cut, int64_t begin, int64_t end,
                       int32_t *ends) {
    const int64_t size = cut->block_size, n_blocks = (end - begin + size - 1) / size;
    if (n_blocks <= 1)
        return;
    mosaic_walk_across(walk, begin, end);
    int64_t n = 2;
    if (cut->bisect) {
        ends[0] = (int32_t)(begin + n_blocks / 2 * size);
        ends[1] = (int32_t)end;
    } else {
        const double slab = (double)(end - begin) / walk->n_levels * cut->width;
        if (slab < 1.5 * (double)size)
            return; /* a strip: its walk cut every S elements */
        n = mosaic_slab_ends(walk, begin, end, size, cut->width, ends);
        if (n == 1)
            return;
    }
    for (int64_t i = 0; i < n; ++i)
        mosaic_cut_region(walk, cut, i ? ends[i - 1] : begin, ends[i], ends + n);
}

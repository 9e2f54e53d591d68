/* Widths of slabs in regular meshes. */
#include "partitioners/mosaic/regular.h"
#include "core/base/array.h"
#include "partitioners/mosaic/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Meshes of no more blocks are cut as a whole; of others so many slabs at most, until they hold
 * that many blocks. */
enum { WHOLE_BLOCKS = 256, MOST_SLABS = 4, SLAB_BLOCKS = 64 };

/* A width is taken where half of its blocks have no more points than a ball but for this part of
 * them. Nothing is left to gain where their mean is as near as NEAR_BALLS and most have as many as
 * the block before, to one. Slabs of slabs are the way up to FLAT above. */
static const double AS_BALLS = 0.005, NEAR_BALLS = 0.01, MOST = 0.65, FLAT = 0.05;

/* Cuts the whole mesh. */
static tess_status try_whole(const mosaic_mesh *mesh, const mosaic_cut *cut, int32_t *order,
                             mosaic_tally *sum) {
    int32_t *seen = NULL, clock = 0;
    TRY(mosaic_order_cut(mesh, cut, order));
    TRY(TESS_ZEROS(mesh->pins.n_points, &seen));
    mosaic_tally_add(&mesh->pins, order, mesh->pins.n_elements, cut->block_size, seen, &clock, sum);
    free(seen);
    return TESS_OK;
}

/* Cuts a few slabs. */
static tess_status try_slabs(const mosaic_mesh *mesh, const mosaic_cut *cut, mosaic_cutter *cutter,
                             mosaic_tally *sum) {
    const int32_t thick = (int32_t)fmin(mesh->n_levels, cut->width);
    for (int s = 0; s < MOST_SLABS && sum->blocks < SLAB_BLOCKS; ++s) {
        static const int eighths[MOST_SLABS] = {3, 5, 1, 7};
        const int32_t *local = NULL;
        const int32_t level = (int32_t)((int64_t)(mesh->n_levels - thick) * eighths[s] / 8);
        const int64_t first = mesh->level[level];
        int64_t n = mesh->level[level + thick] - first;
        if (n > cut->block_size)
            n -= n % cut->block_size;
        TRY(mosaic_cut_elements(&mesh->pins, cut, NULL, first, n, cutter, &local));
        mosaic_walk *walk = &cutter->slab.walk;
        mosaic_tally_add(walk->pins, local, n, cut->block_size, walk->seen, &walk->clock, sum);
    }
    return TESS_OK;
}

tess_status mosaic_regular_choose(const mosaic_mesh *mesh, mosaic_cut *cut, int32_t *order,
                                  mosaic_choice *chosen) {
    tess_status status = TESS_OK;
    const double ball = mesh->ball.points;
    const bool whole = mesh->pins.n_elements <= WHOLE_BLOCKS * cut->block_size;
    /* An odd number of levels first: see strip_ends */
    const double odd = 2 * floor((mesh->ball.width - 1) / 2) + 1;
    const double widths[] = {odd, odd + 1, fmax(1, odd - 1)};
    mosaic_cut tried = *cut;
    mosaic_cutter cutter = {0};
    int32_t *trial = NULL;
    double least = INFINITY;
    CHECK(TESS_ALLOC(whole ? mesh->pins.n_elements : 0, &trial));
    for (int i = 0; i < 3; ++i) {
        mosaic_tally sum = {.limit = ball * (1 + AS_BALLS)};
        tried.width = widths[i];
        CHECK(whole ? try_whole(mesh, &tried, trial, &sum)
                    : try_slabs(mesh, &tried, &cutter, &sum));
        const double points = sum.points / sum.elements * (double)cut->block_size;
        const bool accepted = 2 * sum.few >= sum.blocks;
        if (!accepted && points >= least)
            continue;
        least = points;
        chosen->settled = fabs(points - ball) < NEAR_BALLS * ball &&
                          (double)sum.alike >= MOST * (double)sum.blocks;
        cut->width = tried.width;
        if (whole)
            memcpy(order, trial, (size_t)mesh->pins.n_elements * sizeof *order);
        if (accepted)
            break;
    }
    chosen->regular = least < ball * (1 + FLAT);
    chosen->filled = whole && chosen->regular;
done:
    free(trial);
    mosaic_cutter_clear(&cutter);
    return status;
}

/* True where cubes of so many elements are slabs' width wide: blocks of whole levels of strips. */
static bool are_cubes(const mosaic_cut *cut) {
    const int64_t width = (int64_t)cut->width;
    return width > 1 && width * width * width == cut->block_size;
}

tess_status mosaic_regular_snake(const mosaic_mesh *mesh, const mosaic_cut *cut, int32_t *order,
                                 mosaic_choice *chosen) {
    tess_status status = TESS_OK;
    mosaic_cut snake = *cut;
    mosaic_tally as_is = {0}, snaked = {0};
    int32_t *trial = NULL;
    if (chosen->settled || !are_cubes(cut))
        return TESS_OK;
    snake.snake = true;
    snake.multiple = 1;
    CHECK(TESS_ALLOC(mesh->pins.n_elements, &trial));
    CHECK(try_whole(mesh, cut, order, &as_is));
    CHECK(try_whole(mesh, &snake, trial, &snaked));
    if (snaked.points < as_is.points)
        memcpy(order, trial, (size_t)mesh->pins.n_elements * sizeof *order);
    const double least = fmin(snaked.points, as_is.points) / (double)mesh->pins.n_elements;
    chosen->regular = least * (double)cut->block_size < mesh->ball.points * (1 + FLAT);
    chosen->filled = chosen->regular;
done:
    free(trial);
    return status;
}

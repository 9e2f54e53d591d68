/* Orders: slabs across the whole mesh, then blocks in each of them. */
#include "partitioners/mosaic_order.h"
#include "core/array.h"

#include <math.h>
#include <stdlib.h>

/* Halves want slabs of several blocks, so that few cuts are those of the first walk. */
enum { HALVES_THICKNESS = 4, SAMPLE_BLOCKS = 512 };

/* Ways that are tried: the width over a ball's, as it is or rounded to whole levels (fronts of
 * structured meshes are flat), and the part of the points so far that it must stay below (halves
 * take longer). */
static const struct {
    double width, below;
    double (*rounded)(double);
    bool halves;
} ways[] = {{1, 1, NULL, false},  {0.9, 1, NULL, false}, {0.8, 1, NULL, false},
            {1, 1, floor, false}, {1, 1, ceil, false},   {1, 0.99, NULL, true}};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

/* Adds the distinct points of the blocks that a cut of elements [first, first + n) makes. */
static tess_status add_points(const mosaic_mesh *mesh, const mosaic_cut *cut, int64_t first,
                              int64_t n, mosaic_cutter *cutter, double *n_points) {
    const int32_t *local = NULL;
    TRY(mosaic_cut_range(&mesh->pins, cut, first, n, cutter, &local));
    mosaic_walk *walk = &cutter->slab.walk;
    for (int64_t begin = 0; begin < n; begin += cut->block_size) {
        const int32_t stamp = ++walk->clock;
        for (int64_t i = begin; i < n && i < begin + cut->block_size; ++i)
            for (int64_t k = mosaic_first(walk->pins, local[i]);
                 k < mosaic_first(walk->pins, (int64_t)local[i] + 1); ++k) {
                *n_points += walk->seen[walk->pins->point[k]] != stamp;
                walk->seen[walk->pins->point[k]] = stamp;
            }
    }
    return TESS_OK;
}

/* Points an element, in slabs of cut->width levels, spread evenly over the mesh: as many as hold
 * SAMPLE_BLOCKS blocks, or every second one where there are not so many. */
static tess_status sample_cut(const mosaic_mesh *mesh, const mosaic_cut *cut, double *points) {
    tess_status status = TESS_OK;
    mosaic_cutter cutter = {0};
    const int32_t thickness = (int32_t)fmin(mesh->n_levels, round(cut->width));
    const double n_slabs = (double)mesh->n_levels / thickness;
    const double n_blocks = (double)mesh->pins.n_elements / (double)cut->block_size;
    const double wanted = fmin(n_slabs / 2, n_slabs * SAMPLE_BLOCKS / fmax(1, n_blocks));
    const int n_samples = (int)fmax(1, wanted);
    double n_points = 0, n_elements = 0;
    for (int s = 0; s < n_samples; ++s) {
        const int64_t gap = mesh->n_levels - thickness;
        const int32_t level = (int32_t)((double)gap * (s + 0.5) / n_samples);
        const int64_t first = mesh->level[level];
        int64_t n = mesh->level[level + thickness] - first;
        if (n > cut->block_size) /* only whole blocks are compared */
            n -= n % cut->block_size;
        CHECK(add_points(mesh, cut, first, n, &cutter, &n_points));
        n_elements += (double)n;
    }
    *points = n_points / fmax(1, n_elements);
done:
    mosaic_cutter_clear(&cutter);
    return status;
}

tess_status mosaic_order_choose(const mosaic_mesh *mesh, mosaic_cut *cut) {
    mosaic_cut tried = *cut;
    double least = INFINITY;
    tried.tries = 1;
    for (int i = 0; i < N_WAYS; ++i) {
        double points = 0;
        tried.halves = ways[i].halves;
        const double width = mesh->width * ways[i].width;
        tried.width = fmax(1, ways[i].rounded ? ways[i].rounded(width) : width);
        TRY(sample_cut(mesh, &tried, &points));
        if (points < least * ways[i].below) {
            least = points;
            cut->halves = tried.halves;
            cut->width = tried.width;
        }
    }
    return TESS_OK;
}

/* Cuts the slabs that end at ends [n_slabs]. */
static tess_status slabs_cut(const mosaic_mesh *mesh, const mosaic_cut *cut, const int32_t *ends,
                             int64_t n_slabs, int32_t *order) {
    tess_status status = TESS_OK;
#pragma omp parallel if (mesh->pins.n_elements > MOSAIC_SERIAL)
    {
        mosaic_cutter cutter = {0};
        const int32_t *local = NULL;
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < n_slabs; ++i) {
            const int32_t first = i ? ends[i - 1] : 0, n = ends[i] - first;
            const tess_status mine = mosaic_cut_range(&mesh->pins, cut, first, n, &cutter, &local);
            for (int32_t k = 0; k < n && mine == TESS_OK; ++k)
                order[first + k] = first + local[k];
            if (mine != TESS_OK) {
#pragma omp critical(mosaic_order)
                status = mine;
            }
        }
        mosaic_cutter_clear(&cutter);
    }
    if (status != TESS_OK)
        FAIL(status, "out of memory while slabs of the mesh were cut");
    return TESS_OK;
}

tess_status mosaic_order_cut(const mosaic_mesh *mesh, const mosaic_cut *cut, int32_t *order) {
    tess_status status = TESS_OK;
    int32_t *ends = NULL;
    const int64_t n = mesh->pins.n_elements;
    const mosaic_walk levels = {.level = mesh->level, .n_levels = mesh->n_levels};
    const double thickness = cut->width * (cut->halves ? HALVES_THICKNESS : 1);
    CHECK(TESS_ALLOC(n / cut->block_size + 2, &ends));
    const int64_t n_slabs = mosaic_slab_ends(&levels, 0, n, cut->block_size, thickness, ends);
    CHECK(slabs_cut(mesh, cut, ends, n_slabs, order));
done:
    free(ends);
    return status;
}

/* Orders: slabs across the whole mesh, then blocks in each of them. */
#include "partitioners/mosaic_order.h"
#include "core/array.h"
#include "partitioners/mosaic_blocks.h"

#include <math.h>
#include <stdlib.h>

/* Halves want slabs of several blocks, so that few cuts are those of the first walk. */
enum { HALVES_THICKNESS = 4, SAMPLE_BLOCKS = 128 };

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

/* Slabs of the walk, and how the i-th is cut: cuts[i >= change]. */
typedef struct slabs {
    int64_t n, change;
    int32_t *end; /* [n] */
    mosaic_cut cuts[2];
} slabs;

/* Cuts each slab, elements [end of the one before, its end). */
static tess_status slabs_cut(const mosaic_mesh *mesh, const slabs *all, int32_t *order) {
    tess_status status = TESS_OK;
#pragma omp parallel if (mesh->pins.n_elements > MOSAIC_SERIAL)
    {
        mosaic_cutter cutter = {0};
        const int32_t *local = NULL;
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < all->n; ++i) {
            const mosaic_cut *cut = &all->cuts[i >= all->change];
            const int32_t first = i ? all->end[i - 1] : 0, n = all->end[i] - first;
            const tess_status mine = mosaic_cut_range(&mesh->pins, cut, first, n, &cutter, &local);
            /* One level after the other in the same direction: a block that goes on in the next
               level is then in two places and its parts share no point. */
            const bool back = mine == TESS_OK && cut->width <= 1 && local[0] > local[n - 1];
            for (int32_t k = 0; k < n && mine == TESS_OK; ++k)
                order[first + k] = first + local[back ? n - 1 - k : k];
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

/* Appends slabs of a cut for elements [begin, n), begin a multiple of S. */
static void append_ends(const mosaic_mesh *mesh, const mosaic_cut *cut, int64_t begin, slabs *all) {
    const int64_t n = mesh->pins.n_elements;
    int32_t level = 0;
    while (mesh->level[level + 1] <= begin)
        ++level;
    const mosaic_walk rest = {.level = mesh->level + level, .n_levels = mesh->n_levels - level};
    const double thickness = cut->width * (cut->halves ? HALVES_THICKNESS : 1);
    all->n += mosaic_slab_ends(&rest, begin, n, cut->multiple, thickness, all->end + all->n);
}

/* Slabs of whole levels for any width: some of one level more, then the others. */
static void mixed_ends(const mosaic_mesh *mesh, double width, slabs *all) {
    const int32_t narrow = (int32_t)width, n_levels = mesh->n_levels;
    const int32_t wide_levels = (int32_t)round((width - narrow) * n_levels);
    for (int32_t level = 0; level < n_levels;) {
        const bool wide = level + (narrow + 1) / 2 < wide_levels;
        level = level + narrow + wide < n_levels ? level + narrow + wide : n_levels;
        all->end[all->n++] = mesh->level[level];
        all->change += wide;
    }
    all->cuts[0].width = narrow + 1;
    all->cuts[1].width = narrow;
}

/* Single levels up to element `begin`, then what the cut makes. */
static void blended_ends(const mosaic_mesh *mesh, const mosaic_cut *cut, int64_t begin,
                         slabs *all) {
    for (int32_t level = 1; begin > 0; ++level) {
        all->end[all->n++] = (int32_t)(mesh->level[level] < begin ? mesh->level[level] : begin);
        if (mesh->level[level] >= begin)
            break;
    }
    all->change = all->n;
    all->cuts[0].width = 1;
    all->cuts[0].halves = false;
    all->cuts[1] = *cut;
    if (begin < mesh->pins.n_elements)
        append_ends(mesh, cut, begin, all);
}

tess_status mosaic_order_cut(const mosaic_mesh *mesh, const mosaic_cut *cut, int32_t *order) {
    slabs all = {.cuts = {*cut, *cut}};
    TRY(TESS_ALLOC(mesh->pins.n_elements / cut->multiple + 2, &all.end));
    append_ends(mesh, cut, 0, &all);
    const tess_status status = slabs_cut(mesh, &all, order);
    free(all.end);
    return status;
}

/* The points that all blocks of a cut have in common. */
static tess_status whole_cut(const mosaic_mesh *mesh, const mosaic_cut *cut, double *points) {
    tess_status status = TESS_OK;
    mosaic_blocks blocks = {0};
    int32_t *order = NULL;
    int64_t shared = 0;
    CHECK(TESS_ALLOC(mesh->pins.n_elements, &order));
    CHECK(mosaic_order_cut(mesh, cut, order));
    CHECK(mosaic_blocks_chop(&mesh->pins, order, (int32_t)cut->block_size, &blocks));
    CHECK(mosaic_blocks_shared(&blocks, &shared));
    *points = (double)shared;
done:
    free(order);
    mosaic_blocks_clear(&blocks);
    return status;
}

tess_status mosaic_order_choose(const mosaic_mesh *mesh, mosaic_cut *cut) {
    mosaic_cut tried = *cut;
    const bool small = mesh->pins.n_elements <= SAMPLE_BLOCKS * cut->block_size;
    double least = INFINITY;
    tried.tries = 1;
    for (int i = 0; i < N_WAYS; ++i) {
        double points = 0;
        tried.halves = ways[i].halves;
        const double width = mesh->width * ways[i].width;
        tried.width = fmax(1, ways[i].rounded ? ways[i].rounded(width) : width);
        TRY(small ? whole_cut(mesh, &tried, &points) : sample_cut(mesh, &tried, &points));
        if (points < least * ways[i].below) {
            least = points;
            cut->halves = tried.halves;
            cut->width = tried.width;
        }
    }
    return TESS_OK;
}

tess_status mosaic_order_turn(const mosaic_mesh *mesh, const mosaic_cut *cut, double knob,
                              int32_t *order, int32_t *first_brick) {
    const int64_t n = mesh->pins.n_elements, size = cut->block_size;
    const int64_t n_blocks = (n + size - 1) / size;
    slabs all = {.cuts = {*cut, *cut}};
    all.cuts[0].multiple = all.cuts[1].multiple = 1;
    *first_brick = (int32_t)n_blocks;
    TRY(TESS_ALLOC(n + 2, &all.end));
    if (cut->halves) {
        *first_brick = (int32_t)llround((1 - knob) * (double)n_blocks);
        const int64_t begin = *first_brick * size < n ? *first_brick * size : n;
        blended_ends(mesh, cut, begin, &all);
    } else
        mixed_ends(mesh, pow(cut->width, knob), &all);
    const tess_status status = slabs_cut(mesh, &all, order);
    free(all.end);
    return status;
}

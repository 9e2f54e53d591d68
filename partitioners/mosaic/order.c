/* Orders: slabs across the whole mesh, then blocks in each of them. */
#include "partitioners/mosaic/order.h"
#include "core/base/array.h"
#include "partitioners/mosaic/bisect.h"
#include "partitioners/mosaic/blocks.h"
#include "partitioners/mosaic/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Halves want slabs of several blocks, so that few cuts are those of the first walk. */
enum { HALVES_THICKNESS = 4, SAMPLE_BLOCKS = 128, SAMPLE_LEAST = 32, SAMPLE_PART = 8 };

/* Every RACE-th slab of the sample tells which ways come so near the best that the others do, too.
 */
enum { RACE = 4 };
static const double NEAR = 1.03;

/* Compact parts of the mesh that are cut by places and by heights, and how many points more the
 * places may give: exchange and annealing save most of them. */
enum { N_PARTS = 4, PART_BLOCKS = 32 };
static const double PLACES = 1.02;

/* What is not won by as much is chance. */
#define CLEARLY 0.997

/* Ways that are tried: the width over a ball's, as it is or rounded to whole levels (fronts of
 * structured meshes are flat), and the part of the points so far that it must stay below (heights
 * take longer). Places are tried so on small meshes alone; see try_places. */
static const struct {
    double width, below;
    double (*rounded)(double);
    bool halves, places;
} ways[] = {{1, 1, NULL, false, false},
            {0.9, CLEARLY, NULL, false, false},
            {0.8, CLEARLY, NULL, false, false},
            {1, CLEARLY, floor, false, false},
            {1, CLEARLY, ceil, false, false},
            {1, 0.99, NULL, true, false},
            {1, 1, NULL, true, true}};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

/* Tallies an order of all elements of a piece. */
static void tally_piece(mosaic_walk *walk, const int32_t *order, int64_t block_size,
                        mosaic_tally *sum) {
    mosaic_tally_add(walk->pins, order, walk->pins->n_elements, block_size, walk->seen,
                     &walk->clock, sum);
}

static tess_status sample_slab(const mosaic_mesh *mesh, const mosaic_cut *cut, const int32_t *list,
                               int64_t first, int64_t n, mosaic_cutter *cutter, mosaic_tally *sum) {
    const int32_t *local = NULL;
    TRY(mosaic_cut_elements(&mesh->pins, cut, list, first, n, cutter, &local));
    tally_piece(&cutter->slab.walk, local, cut->block_size, sum);
    return TESS_OK;
}

/* Of a large slab a compact part is enough: what a walk across the slab comes to first. */
static tess_status sample_halves(const mosaic_mesh *mesh, const mosaic_cut *cut, int64_t first,
                                 int64_t n, mosaic_cutter *cutter, mosaic_tally *sum) {
    int32_t *list = NULL;
    mosaic_walk *walk = &cutter->slab.walk;
    const int64_t n_part = PART_BLOCKS * cut->block_size;
    if (n <= n_part)
        return sample_slab(mesh, cut, NULL, first, n, cutter, sum);
    TRY(mosaic_piece_fill(&mesh->pins, NULL, first, n, &cutter->slab));
    mosaic_walk_across(walk, 0, n, mosaic_walk_inside(0, cut->from));
    TRY(TESS_ALLOC(n_part, &list));
    for (int64_t i = 0; i < n_part; ++i)
        list[i] = (int32_t)first + walk->order[i];
    const tess_status status = sample_slab(mesh, cut, list, 0, n_part, cutter, sum);
    free(list);
    return status;
}

/* Samples of slabs of cut->width levels, spread evenly over the mesh: as many as hold SAMPLE_BLOCKS
 * blocks, on small meshes SAMPLE_PART-th of them. Adds those from `from` on, every `step`-th. */
static tess_status sample_cut(const mosaic_mesh *mesh, const mosaic_cut *cut, int from, int step,
                              mosaic_cutter *cutter, mosaic_tally *sum) {
    const int32_t thickness = (int32_t)fmin(mesh->n_levels, round(cut->width));
    const double n_slabs = (double)mesh->n_levels / thickness;
    const double n_blocks = (double)mesh->pins.n_elements / (double)cut->block_size;
    const double n_wanted = fmin(SAMPLE_BLOCKS, fmax(SAMPLE_LEAST, n_blocks / SAMPLE_PART));
    const double wanted = fmin(n_slabs / 2, n_slabs * n_wanted / n_blocks);
    const int n_samples = (int)fmax(1, wanted);
    for (int s = from; s < n_samples; s += step) {
        const int64_t gap = mesh->n_levels - thickness;
        const int32_t level = (int32_t)((double)gap * (s + 0.5) / n_samples);
        const int64_t first = mesh->level[level];
        int64_t n = mesh->level[level + thickness] - first;
        if (n > cut->block_size) /* only whole blocks are compared */
            n -= n % cut->block_size;
        TRY(cut->halves ? sample_halves(mesh, cut, first, n, cutter, sum)
                        : sample_slab(mesh, cut, NULL, first, n, cutter, sum));
    }
    return TESS_OK;
}

/* Slabs of the walk, and how the i-th is cut: cuts[i >= change]. */
typedef struct slabs {
    int64_t n, change;
    int32_t *end; /* [n] */
    mosaic_cut cuts[2];
} slabs;

/* Each slab goes on where the one before it ends. */
static tess_status turn_slabs(const mosaic_mesh *mesh, const slabs *all, int32_t *order) {
    int32_t *seen = NULL, clock = 0;
    TRY(TESS_ZEROS(mesh->pins.n_points, &seen));
    for (int64_t i = 1; i < all->n; ++i)
        mosaic_turn_back(&mesh->pins, all->cuts[0].block_size, order, all->end[i - 1], all->end[i],
                         seen, &clock);
    free(seen);
    return TESS_OK;
}

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
            const tess_status mine =
                mosaic_cut_elements(&mesh->pins, cut, NULL, first, n, &cutter, &local);
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
    return all->cuts[0].snake ? turn_slabs(mesh, all, order) : TESS_OK;
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
    if (cut->places)
        return mosaic_bisect(mesh, cut->block_size, order, NULL);
    slabs all = {.cuts = {*cut, *cut}};
    TRY(TESS_ALLOC(mesh->pins.n_elements / cut->multiple + 2, &all.end));
    append_ends(mesh, cut, 0, &all);
    const tess_status status = slabs_cut(mesh, &all, order);
    free(all.end);
    return status;
}

/* The points that all blocks of a cut have in common; the order is filled. */
static tess_status whole_cut(const mosaic_mesh *mesh, const mosaic_cut *cut, int32_t *order,
                             double *points) {
    mosaic_blocks blocks = {0};
    int64_t shared = 0;
    TRY(mosaic_order_cut(mesh, cut, order));
    TRY(mosaic_blocks_chop(&mesh->pins, order, (int32_t)cut->block_size, &blocks));
    const tess_status status = mosaic_blocks_shared(&blocks, &shared);
    mosaic_blocks_clear(&blocks);
    *points = (double)shared;
    return status;
}

/* The cut of way i; false where the mesh lacks what it needs, or another way is the same. */
static bool way_of(const mosaic_mesh *mesh, int i, mosaic_cut *cut) {
    const double width = mesh->ball.width * ways[i].width;
    cut->halves = ways[i].halves;
    cut->places = ways[i].places;
    cut->width = fmax(1, ways[i].rounded ? ways[i].rounded(width) : width);
    const bool same = ways[i].rounded && width == floor(width);
    return !same && (mesh->dimension > 0 || !ways[i].places);
}

/* Tries all ways on the whole mesh; `order` is the best one's. */
static tess_status choose_whole(const mosaic_mesh *mesh, mosaic_cut *cut, int32_t *order) {
    tess_status status = TESS_OK;
    int32_t *trial = NULL;
    double least = INFINITY;
    mosaic_cut tried = *cut;
    CHECK(TESS_ALLOC(mesh->pins.n_elements, &trial));
    for (int i = 0; i < N_WAYS; ++i) {
        double points = 0;
        if (!way_of(mesh, i, &tried))
            continue;
        CHECK(whole_cut(mesh, &tried, trial, &points));
        if (points >= least * ways[i].below)
            continue;
        least = points;
        *cut = tried;
        memcpy(order, trial, (size_t)mesh->pins.n_elements * sizeof *order);
    }
done:
    free(trial);
    return status;
}

/* Where elements lie, or heights? Cuts the whole mesh by places, a few compact parts of it by
 * heights, and keeps the places where they are as good: a cut by heights takes ten times as long.
 */
static tess_status try_places(const mosaic_mesh *mesh, mosaic_cut *cut, int32_t *order) {
    tess_status status = TESS_OK;
    mosaic_cutter cutter = {0};
    const int64_t n = PART_BLOCKS * cut->block_size;
    mosaic_tally by_places = {0}, by_heights = {0};
    cut->places = true;
    CHECK(mosaic_order_cut(mesh, cut, order));
    for (int part = 0; part < N_PARTS; ++part) {
        const int64_t n_parts = mesh->pins.n_elements / n;
        const int32_t *list = order + n_parts * (2 * part + 1) / (2 * N_PARTS) * n, *local = NULL;
        CHECK(mosaic_piece_fill(&mesh->pins, list, 0, n, &cutter.slab));
        tally_piece(&cutter.slab.walk, cutter.slab.walk.order, cut->block_size, &by_places);
        CHECK(mosaic_cut_elements(&mesh->pins, cut, list, 0, n, &cutter, &local));
        tally_piece(&cutter.slab.walk, local, cut->block_size, &by_heights);
    }
    cut->places = by_places.points < PLACES * by_heights.points;
done:
    mosaic_cutter_clear(&cutter);
    return status;
}

/* Tries all ways on a part of the sample, those that come near the best one on the rest of it. */
static tess_status choose_sampled(const mosaic_mesh *mesh, mosaic_cut *cut) {
    tess_status status = TESS_OK;
    mosaic_cutter cutter = {0};
    mosaic_cut tried = *cut;
    mosaic_tally sums[N_WAYS] = {0};
    double least = INFINITY;
    for (int i = 0; i < N_WAYS; ++i)
        if (way_of(mesh, i, &tried) && !tried.places) {
            CHECK(sample_cut(mesh, &tried, 0, RACE, &cutter, sums + i));
            least = fmin(least, sums[i].points / sums[i].elements);
        }
    const double near = least * NEAR;
    least = INFINITY;
    for (int i = 0; i < N_WAYS; ++i) {
        if (!way_of(mesh, i, &tried) || tried.places || sums[i].points / sums[i].elements > near)
            continue;
        for (int part = 1; part < RACE; ++part)
            CHECK(sample_cut(mesh, &tried, part, RACE, &cutter, sums + i));
        const double points = sums[i].points / sums[i].elements;
        if (points >= least * ways[i].below)
            continue;
        least = points;
        cut->halves = tried.halves;
        cut->width = tried.width;
    }
done:
    mosaic_cutter_clear(&cutter);
    return status;
}

tess_status mosaic_order_choose(const mosaic_mesh *mesh, mosaic_cut *cut, int32_t *order,
                                bool *filled) {
    mosaic_cut tried = *cut;
    tried.tries = 1;
    const bool small = mesh->pins.n_elements <= SAMPLE_BLOCKS * cut->block_size;
    TRY(small ? choose_whole(mesh, &tried, order) : choose_sampled(mesh, &tried));
    cut->halves = tried.halves;
    cut->places = tried.places;
    cut->width = tried.width;
    if (!small && cut->halves && mesh->dimension > 0) {
        TRY(try_places(mesh, cut, order));
        *filled = cut->places;
        return TESS_OK;
    }
    *filled = small && (cut->tries == 1 || !cut->halves);
    return TESS_OK;
}

tess_status mosaic_order_turn(const mosaic_mesh *mesh, const mosaic_cut *cut, double knob,
                              int32_t *order, int32_t *first_brick) {
    const int64_t n = mesh->pins.n_elements, size = cut->block_size;
    const int64_t n_blocks = (n + size - 1) / size;
    slabs all = {.cuts = {*cut, *cut}};
    all.cuts[0].places = all.cuts[1].places = false;
    all.cuts[0].multiple = 1;
    *first_brick = (int32_t)llround((1 - knob) * (double)n_blocks);
    TRY(TESS_ALLOC(n + 2, &all.end));
    const int64_t begin = *first_brick * size < n ? *first_brick * size : n;
    blended_ends(mesh, cut, begin, &all);
    const tess_status status = slabs_cut(mesh, &all, order);
    free(all.end);
    return status;
}

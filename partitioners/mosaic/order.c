/* Orders: slabs across the whole mesh, then blocks in each of them. */
#include "partitioners/mosaic/order.h"
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "partitioners/mosaic/bisect.h"

#include <math.h>
#include <stdlib.h>

/* Slabs of the walk, and how the i-th is cut: cuts[i >= change]. */
typedef struct slabs {
    int64_t n, change;
    int32_t *end; /* [n] */
    mosaic_cut cuts[2];
} slabs;

/* Each slab goes on where the one before it ends. */
static tess_status turn_slabs(const mosaic_mesh *mesh, const slabs *all, int32_t *order) {
    mosaic_walk walk = {.pins = &mesh->pins, .order = order};
    TRY(TESS_ZEROS(mesh->pins.n_points, &walk.seen));
    for (int64_t i = 1; i < all->n; ++i)
        mosaic_turn_back(&walk, all->cuts[0].block_size, all->end[i - 1], all->end[i]);
    free(walk.seen);
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
            const mosaic_part part = {.first = first, .n = n};
            const tess_status mine = tess_interrupted()
                                         ? TESS_ERROR_INTERRUPTED
                                         : mosaic_cut_part(&mesh->pins, cut, part, &cutter, &local);
            /* Pencils run in the same direction in all levels: a block that goes on in the next
               level is in two parts then, which share no point. */
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
    TRY(tess_interrupt_check());
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
    const double thickness =
        cut->whole ? mesh->n_levels : cut->width * (cut->halves ? HALVES_THICKNESS : 1);
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
    if (cut->coordinates)
        return mosaic_bisect(mesh, cut->block_size, order, NULL);
    slabs all = {.cuts = {*cut, *cut}};
    TRY(TESS_ALLOC(mesh->pins.n_elements / cut->multiple + 2, &all.end));
    append_ends(mesh, cut, 0, &all);
    const tess_status status = slabs_cut(mesh, &all, order);
    free(all.end);
    return status;
}

tess_status mosaic_order_turn(const mosaic_mesh *mesh, const mosaic_cut *cut, double knob,
                              int32_t *order, int32_t *first_brick) {
    const int64_t n = mesh->pins.n_elements, size = cut->block_size;
    const int64_t n_blocks = (n + size - 1) / size;
    slabs all = {.cuts = {*cut, *cut}};
    all.cuts[0].coordinates = all.cuts[1].coordinates = false;
    all.cuts[0].multiple = 1;
    *first_brick = (int32_t)llround((1 - knob) * (double)n_blocks);
    TRY(TESS_ALLOC(n + 2, &all.end));
    const int64_t begin = *first_brick * size < n ? *first_brick * size : n;
    blended_ends(mesh, cut, begin, &all);
    const tess_status status = slabs_cut(mesh, &all, order);
    free(all.end);
    return status;
}

tess_status mosaic_order_tally(const mosaic_mesh *mesh, const int32_t *order, int64_t block_size,
                               mosaic_tally *sum) {
    mosaic_walk walk = {.pins = &mesh->pins};
    TRY(TESS_ZEROS(mesh->pins.n_points, &walk.seen));
    mosaic_walk_tally(&walk, order, mesh->pins.n_elements, block_size, sum);
    free(walk.seen);
    return TESS_OK;
}

/* Slabs: of the whole mesh, of each of them, strips, blocks. */
#include "partitioners/mosaic/slabs.h"
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/base/sort.h"
#include "partitioners/mosaic/halves.h"

#include <math.h>
#include <stdlib.h>

/* Blocks that a slab of the ball's width may hold and be a strip. */
static const double STRIP_BLOCKS = 1.5;

/* Slabs that are halved are so many times as thick, so that few cuts are those of the first walk.
 */
enum { HALVES_THICKNESS = 4 };

tess_status mosaic_mesh_build(const mosaic_pins *pins, int32_t block_size, double shift,
                              mosaic_mesh *mesh) {
    tess_status status = TESS_OK;
    tess_rows *rows = NULL;
    mosaic_walk walk = {0};
    mosaic_mesh made = {0};
    CHECK(mosaic_rows_build(pins, &rows));
    CHECK(tess_interrupt_check());
    CHECK(mosaic_walk_reset(pins, rows, &walk));
    made.width = mosaic_walk_ball_width(&walk, block_size);
    mosaic_walk_across(&walk, 0, pins->n_elements, mosaic_walk_inside(0, shift));
    CHECK(tess_interrupt_check()); /* walks are given up */
    made.n_levels = walk.n_levels;
    CHECK(TESS_COPY(walk.n_levels + 1, walk.level, &made.level));
    made.order = TESS_TAKE(walk.order);
    CHECK(mosaic_pins_permute(pins, made.order, &made.pins));
    *mesh = made;
    made = (mosaic_mesh){0};
done:
    tess_rows_free(rows);
    mosaic_walk_clear(&walk);
    mosaic_mesh_clear(&made);
    return status;
}

void mosaic_mesh_clear(mosaic_mesh *mesh) {
    free(mesh->order);
    free(mesh->level);
    mosaic_pins_clear(&mesh->pins);
    *mesh = (mosaic_mesh){0};
}

/* Arrays of one thread, for slabs of any size; a zeroed struct is empty. */
typedef struct cutter {
    mosaic_piece piece;
    mosaic_walk walk;
    int32_t *ends; /* [capacity_ends] of slabs in the slab and in those */
    int64_t capacity_ends;
} cutter;

static void cutter_clear(cutter *with) {
    mosaic_piece_clear(&with->piece);
    mosaic_walk_clear(&with->walk);
    free(with->ends);
}

/* Where slabs of `width` levels of a walk over [begin, end) end: multiples of `multiple` (counted
 * from begin) near whole levels, ascending, the last one is `end`. A whole width is kept, others
 * are made equal. Fills `ends`, at most (end - begin) / multiple + 1, and gives their number. */
static int64_t slab_ends(const mosaic_walk *walk, int64_t begin, int64_t end, int64_t multiple,
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
    return mosaic_walk_common(walk, first, at, l + 1 < walk->n_levels ? walk->level[l + 2] : end);
}

/* A strip's blocks end inside levels. Elements of such a level are taken from one side of the strip
 * or from the other, whichever leaves fewer points in both blocks. The order of the numbering leads
 * across the strip, as that of the walk of which it is a slab. */
static void chop_strip(mosaic_walk *walk, int64_t block_size, int64_t begin, int64_t end) {
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
        tess_reverse(level, n);
        if (upwards < end_points(walk, l, at, begin, end))
            tess_sort(level, n);
    }
}

/* Slabs of the segment, slabs of those, until one is a strip: its walk, chopped every S elements,
 * gives blocks. Where slabs end at whole levels blocks go on in the next strip. */
static void cut_slabs(mosaic_walk *walk, const mosaic_cut *cut, int64_t begin, int64_t end,
                      int32_t *ends) {
    if (end - begin <= cut->multiple)
        return;
    mosaic_walk_across(walk, begin, end, mosaic_walk_inside(0, cut->from));
    const double slab = (double)(end - begin) / walk->n_levels * cut->width;
    if (slab < STRIP_BLOCKS * (double)cut->block_size) {
        if (cut->multiple == cut->block_size)
            chop_strip(walk, cut->block_size, begin, end);
        return;
    }
    const int64_t n = slab_ends(walk, begin, end, cut->multiple, cut->width, ends);
    for (int64_t i = 0; i < n && n > 1; ++i)
        cut_slabs(walk, cut, i ? ends[i - 1] : begin, ends[i], ends + n);
}

/* Cuts positions [first, first + n) of the mesh into their order. */
static tess_status cut_slab(const mosaic_mesh *mesh, const mosaic_cut *cut, int64_t first,
                            int64_t n, cutter *with, int32_t *order) {
    TRY(tess_interrupt_check());
    TRY(mosaic_piece_copy(&mesh->pins, (mosaic_part){.first = first, .n = n}, &with->piece));
    TRY(mosaic_walk_reset(&with->piece.pins, &with->piece.rows, &with->walk));
    /* k >= 2 ends leave no slab more than b - k + 1 of b multiples: 2 b of them are enough */
    TRY(TESS_RESERVE(2 * (n / cut->multiple + 2), &with->capacity_ends, &with->ends));
    if (cut->halves)
        mosaic_halve(&with->walk, 0, n, cut->block_size, cut->from);
    else
        cut_slabs(&with->walk, cut, 0, n, with->ends);
    /* Pencils run in the same direction in all levels: a block that goes on in the next level is in
       two parts then, which share no point. */
    const int32_t *const local = with->walk.order;
    const bool back = cut->width <= 1 && local[0] > local[n - 1];
    for (int64_t k = 0; k < n; ++k)
        order[first + k] = (int32_t)first + local[back ? n - 1 - k : k];
    return TESS_OK;
}

/* Slabs of the walk, and how the i-th is cut: cuts[i >= change]. */
typedef struct slabs {
    int64_t n, change;
    int32_t *end; /* [n] */
    mosaic_cut cuts[2];
} slabs;

/* Cuts all slabs, each positions [end of the one before, its end). */
static tess_status cut_all(const mosaic_mesh *mesh, const slabs *all, int32_t *order) {
    tess_status status = TESS_OK;
#pragma omp parallel if (mesh->pins.n_elements > MOSAIC_SERIAL)
    {
        cutter with = {0};
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < all->n; ++i) {
            const int32_t first = i ? all->end[i - 1] : 0;
            const tess_status mine = cut_slab(mesh, &all->cuts[i >= all->change], first,
                                              all->end[i] - first, &with, order);
            if (mine != TESS_OK) {
#pragma omp critical(mosaic_slabs)
                status = mine;
            }
        }
        cutter_clear(&with);
    }
    TRY(tess_interrupt_check());
    if (status != TESS_OK)
        FAIL(status, "out of memory while slabs of the mesh were cut");
    return TESS_OK;
}

/* Appends slabs of a cut for positions [begin, n), begin a multiple of S. */
static void append_ends(const mosaic_mesh *mesh, const mosaic_cut *cut, int64_t begin, slabs *all) {
    int32_t level = 0;
    while (mesh->level[level + 1] <= begin)
        ++level;
    const double thickness = cut->width * (cut->halves ? HALVES_THICKNESS : 1);
    const mosaic_walk rest = {.level = mesh->level + level, .n_levels = mesh->n_levels - level};
    all->n +=
        slab_ends(&rest, begin, mesh->pins.n_elements, cut->multiple, thickness, all->end + all->n);
}

tess_status mosaic_slabs_cut(const mosaic_mesh *mesh, const mosaic_cut *cut, double shape,
                             int32_t *order, int32_t *first_brick) {
    const int64_t n = mesh->pins.n_elements, size = cut->block_size;
    slabs all = {.cuts = {*cut, *cut}};
    all.cuts[0].multiple = 1;
    all.cuts[0].width = 1;
    all.cuts[0].halves = false;
    *first_brick = (int32_t)llround((1 - shape) * (double)((n + size - 1) / size));
    TRY(TESS_ALLOC(mesh->n_levels + n / cut->multiple + 2, &all.end));
    const int64_t begin = *first_brick * size < n ? *first_brick * size : n;
    for (int64_t end = 0; end < begin; ++all.n) { /* single levels up to the first brick */
        end = mesh->level[all.n + 1] < begin ? mesh->level[all.n + 1] : begin;
        all.end[all.n] = (int32_t)end;
    }
    all.change = all.n;
    if (begin < n)
        append_ends(mesh, cut, begin, &all);
    const tess_status status = cut_all(mesh, &all, order);
    free(all.end);
    return status;
}

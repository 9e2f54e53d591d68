/* The bricks partitioner: the cells of a structured box, or the edges and faces that reach them,
 * cut into boxes of the block size. */
#include "core/base/array.h"
#include "partitioners/chop.h"
#include "partitioners/partitioner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const tess_option options[] = {
    TESS_TEXT_OPTION("dims", "auto",
                     "cells along each axis, 16x8 or 8x4x4; or the best "
                     "of 1d, 2d, 3d; auto: of as many as the box"),
    TESS_CHOICE_OPTION("full", "no", "no|yes",
                       "yes: elements brick by brick, the last axis first, chopped at the block "
                       "size, so that bricks at a "
                       "border leave no short blocks"),
    {.key = NULL}};

/* The box, and what is cut: its cells, or elements of which each reaches some of them. */
typedef struct box_cut {
    const tess_partition_problem *problem;
    int64_t shape[3];         /* a plane box has no third axis: one cell */
    const tess_incidence *to; /* NULL: the cells themselves */
    int64_t by_cell;          /* most elements of one cell */
} box_cut;

/* Cells along each axis. */
typedef struct brick {
    int64_t cells[3];
} brick;

/* The number of bricks along each axis of a box; the last ones are clipped. */
static void count_bricks(const brick *one, const int64_t shape[3], int64_t n_bricks[3]) {
    for (int d = 0; d < 3; d++)
        n_bricks[d] = (shape[d] + one->cells[d] - 1) / one->cells[d];
}

/* How good a brick is: the reuse factor inside it, of cells:nodes, or of sides that are each at the
 * lower end of their cell and reach one beyond it, times the mean fill of blocks; both but for
 * constant factors. */
static double score_of(const brick *one, const box_cut *cut) {
    int64_t n_bricks[3];
    count_bricks(one, cut->shape, n_bricks);
    double nodes = 1, sides = 1, fill = 1;
    for (int d = 0; d < 3; d++) {
        const double cells = (double)one->cells[d];
        nodes *= cells / (cells + 1);
        sides += cut->shape[d] > 1 ? 1 / cells : 0;
        fill /= (double)n_bricks[d];
    }
    return (cut->to ? 1 / sides : nodes) * fill;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* The best brick of at most block_size cells that is cut along the first n_axes axes only and fits
 * into the shape; of equals the longest along the first axis. Along the last axis it takes what
 * room the others leave, so few are tried. */
static brick brick_choose(const box_cut *cut, int n_axes, int64_t block_size) {
    const int64_t *shape = cut->shape;
    brick best = {{1, 1, 1}};
    double best_score = 0;
    for (int64_t x = smaller(shape[0], block_size); x >= 1; x--) {
        for (int64_t y = n_axes < 2 ? 1 : smaller(shape[1], block_size / x); y >= 1; y--) {
            const int64_t z = n_axes < 3 ? 1 : smaller(shape[2], block_size / (x * y));
            const brick one = {{x, y, z}};
            const double score = score_of(&one, cut);
            if (score > best_score * (1 + 1e-9)) { /* rounding does not make equals differ */
                best = one;
                best_score = score;
            }
        }
    }
    return best;
}

/* Parses "AxB" or "AxBxC"; the axes not named are one cell wide. */
static tess_status brick_parse(const char *text, const box_cut *cut, brick *out) {
    brick one = {{1, 1, 1}};
    int end = 0;
    const char *at = text;
    for (int d = 0; d < 3; d++) {
        if (sscanf(at, "%9lld%n", (long long *)&one.cells[d], &end) != 1 || one.cells[d] < 1)
            FAIL(TESS_ERROR_USAGE,
                 "option dims of bricks is '%s': write auto, 1d, 2d, 3d or cells such as 16x8",
                 text);
        at += end;
        if (*at != 'x')
            break;
        at++;
    }
    if (*at)
        FAIL(TESS_ERROR_USAGE,
             "option dims of bricks is '%s': write auto, 1d, 2d, 3d or cells such as 16x8", text);
    *out = one;
    if (cut->to) /* how many elements a brick has shows when they are counted */
        return TESS_OK;
    const int64_t block_size = cut->problem->block_size;
    if (one.cells[0] > block_size || one.cells[1] > block_size / one.cells[0] ||
        one.cells[2] > block_size / (one.cells[0] * one.cells[1]))
        FAIL(TESS_ERROR_USAGE, "bricks of %s cells do not fit the block size %lld", text,
             (long long)block_size);
    return TESS_OK;
}

static tess_status brick_of(const box_cut *cut, const char *dims, brick *out) {
    static const char *const choices[] = {"1d", "2d", "3d", "auto"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(dims, choices[i]) != 0)
            continue;
        const int64_t room = cut->problem->block_size / cut->by_cell;
        *out = brick_choose(cut, i < 3 ? i + 1 : 3, room > 1 ? room : 1);
        return TESS_OK;
    }
    return brick_parse(dims, cut, out);
}

/* The cell that an element counts as: itself, or the last one that it reaches, whose lower side it
 * is; -1: it reaches none. */
static int64_t cell_of(const box_cut *cut, int64_t e) {
    if (!cut->to)
        return e;
    int64_t n = 0, last = -1;
    const int32_t *cells = tess_incidence_row(cut->to, e, &n);
    for (int64_t s = 0; s < n; s++)
        last = cells[s] > last ? cells[s] : last;
    return last;
}

static tess_status box_of_problem(const tess_partition_problem *problem, box_cut *cut) {
    const bool is_box = problem->shape[0] > 0;
    const int64_t *shape = is_box ? problem->shape : problem->box;
    *cut = (box_cut){.problem = problem, .by_cell = 1};
    cut->to = is_box ? NULL : &problem->maps[problem->box_map];
    int64_t n_cells = 1;
    for (int d = 0; d < 3; d++)
        n_cells *= cut->shape[d] = shape[d] > 1 ? shape[d] : 1;
    if (is_box)
        return TESS_OK;
    int32_t *n_of = NULL;
    TRY(TESS_ZEROS(n_cells, &n_of));
    for (int64_t e = 0; e < problem->n_elements; e++) {
        const int64_t cell = cell_of(cut, e);
        if (cell >= 0 && ++n_of[cell] > cut->by_cell)
            cut->by_cell = n_of[cell];
    }
    free(n_of);
    return TESS_OK;
}

/* Fails where a brick has more elements than a block: the repair would cut it into pieces. */
static tess_status sizes_check(const box_cut *cut, const char *dims, const int32_t *block_of,
                               int64_t n_bricks) {
    int32_t *size = NULL, largest = 0;
    TRY(TESS_ZEROS(n_bricks + 1, &size));
    for (int64_t e = 0; e < cut->problem->n_elements; e++)
        size[block_of[e]]++;
    for (int64_t b = 0; b < n_bricks; b++) /* behind them: elements that reach no cell */
        largest = size[b] > largest ? size[b] : largest;
    free(size);
    if (largest > cut->problem->block_size)
        FAIL(TESS_ERROR_USAGE,
             "bricks of %s cells have up to %d elements, which do not fit the block size %d: take "
             "smaller ones, or full=yes",
             dims, largest, cut->problem->block_size);
    return TESS_OK;
}

/* Chops the elements, brick by brick, at the block size. */
static tess_status chop_bricks(const tess_partition_problem *problem, int32_t *block_of) {
    uint64_t *key = NULL;
    TRY(TESS_ALLOC(problem->n_elements, &key));
    for (int64_t e = 0; e < problem->n_elements; e++)
        key[e] = (uint64_t)block_of[e];
    return tess_keys_chop(key, problem->n_elements, problem->block_size, block_of);
}

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    brick one;
    box_cut cut;
    int64_t n_bricks[3];
    const char *dims = tess_spec_text(spec, options, "dims");
    TRY(box_of_problem(problem, &cut));
    TRY(brick_of(&cut, dims, &one));
    count_bricks(&one, cut.shape, n_bricks);
    const int64_t n = n_bricks[0] * n_bricks[1] * n_bricks[2];
#pragma omp parallel for
    for (int64_t e = 0; e < problem->n_elements; e++) {
        const int64_t cell = cell_of(&cut, e);
        const int64_t row = cell / cut.shape[0];
        const int64_t x = cell % cut.shape[0] / one.cells[0];
        const int64_t y = row % cut.shape[1] / one.cells[1];
        const int64_t z = row / cut.shape[1] / one.cells[2];
        block_of[e] = (int32_t)(cell < 0 ? n : (x * n_bricks[1] + y) * n_bricks[2] + z);
    }
    if (tess_spec_is(spec, options, "full", "yes"))
        return chop_bricks(problem, block_of);
    return cut.to ? sizes_check(&cut, dims, block_of, n) : TESS_OK;
}

const tess_partitioner tess_partitioner_bricks = {
    .name = "bricks",
    .seconds = 0.1,
    .summary =
        "a structured box in bricks of 1, 2 or 3 dimensions: its cells, or what reaches them",
    .reference =
        "thread blocks of structured-grid codes; for faces Sulyok et al. 2019, section 3.1.6",
    .options = options,
    .needs_shape = true,
    .partition = partition,
};

/* The bricks partitioner: the cells of a structured box cut into boxes of the block size. */
#include "partitioners/partitioner.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const tess_option options[] = {
    TESS_TEXT_OPTION("dims", "auto",
                     "cells along each axis, 16x8 or 8x4x4; or the best "
                     "of 1d, 2d, 3d; auto: of as many as the box"),
    {.key = NULL}};

/* Cells along each axis. */
typedef struct brick {
    int64_t cells[3];
} brick;

/* The number of bricks along each axis of a box; the last ones are clipped. */
static void count_bricks(const brick *one, const int64_t shape[3], int64_t n_bricks[3]) {
    for (int d = 0; d < 3; d++)
        n_bricks[d] = (shape[d] + one->cells[d] - 1) / one->cells[d];
}

/* How good a brick is: the reuse factor of cells:nodes inside it times the mean fill of blocks,
 * both but for constant factors. */
static double score_of(const brick *one, const int64_t shape[3]) {
    int64_t n_bricks[3];
    count_bricks(one, shape, n_bricks);
    double score = 1;
    for (int d = 0; d < 3; d++)
        score *= (double)one->cells[d] / (double)((one->cells[d] + 1) * n_bricks[d]);
    return score;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* The best brick of at most block_size cells that is cut along the first n_axes axes only and fits
 * into the shape; of equals the longest along the first axis. Along the last axis it takes what
 * room the others leave, so few are tried. */
static brick brick_choose(const int64_t shape[3], int n_axes, int64_t block_size) {
    brick best = {{1, 1, 1}};
    double best_score = 0;
    for (int64_t x = smaller(shape[0], block_size); x >= 1; x--) {
        for (int64_t y = n_axes < 2 ? 1 : smaller(shape[1], block_size / x); y >= 1; y--) {
            const int64_t z = n_axes < 3 ? 1 : smaller(shape[2], block_size / (x * y));
            const brick one = {{x, y, z}};
            const double score = score_of(&one, shape);
            if (score > best_score * (1 + 1e-9)) { /* rounding does not make equals differ */
                best = one;
                best_score = score;
            }
        }
    }
    return best;
}

/* Parses "AxB" or "AxBxC"; the axes not named are one cell wide. */
static tess_status brick_parse(const char *text, int64_t block_size, brick *out) {
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
    if (one.cells[0] > block_size || one.cells[1] > block_size / one.cells[0] ||
        one.cells[2] > block_size / (one.cells[0] * one.cells[1]))
        FAIL(TESS_ERROR_USAGE, "bricks of %s cells do not fit the block size %lld", text,
             (long long)block_size);
    *out = one;
    return TESS_OK;
}

static tess_status brick_of(const tess_partition_problem *problem, const int64_t shape[3],
                            const char *dims, brick *out) {
    static const char *const choices[] = {"1d", "2d", "3d", "auto"};
    for (int i = 0; i < 4; i++) {
        if (strcmp(dims, choices[i]) != 0)
            continue;
        *out = brick_choose(shape, i < 3 ? i + 1 : 3, problem->block_size);
        return TESS_OK;
    }
    return brick_parse(dims, problem->block_size, out);
}

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    brick one;
    int64_t shape[3], n_bricks[3];
    for (int d = 0; d < 3; d++) /* a plane box has no third axis: one cell */
        shape[d] = problem->shape[d] > 1 ? problem->shape[d] : 1;
    TRY(brick_of(problem, shape, tess_spec_text(spec, options, "dims"), &one));
    count_bricks(&one, shape, n_bricks);
#pragma omp parallel for
    for (int64_t e = 0; e < problem->n_elements; e++) {
        const int64_t row = e / shape[0];
        const int64_t x = e % shape[0] / one.cells[0];
        const int64_t y = row % shape[1] / one.cells[1];
        const int64_t z = row / shape[1] / one.cells[2];
        block_of[e] = (int32_t)((z * n_bricks[1] + y) * n_bricks[0] + x);
    }
    return TESS_OK;
}

const tess_partitioner tess_partitioner_bricks = {
    .name = "bricks",
    .summary = "the cells of a structured box in bricks of 1, 2 or 3 dimensions",
    .reference = "thread blocks of structured-grid codes",
    .options = options,
    .needs_shape = true,
    .partition = partition,
};

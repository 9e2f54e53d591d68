/* Balls: sampled, compared with each other and with a round one. */
#include "partitioners/mosaic/ball.h"

#include <math.h>
#include <stdlib.h>

/* Balls, the elements after which small ones end, and how many of those have to be round. */
enum { N_BALLS = 31, SMALL = 48, LEAST_ROUND = N_BALLS * 3 / 4 };

/* How many are alike in a regular mesh: at the sides of a box of hexes most are not. Where it may
 * be 2D, balls are larger, this part of the mesh but no larger than LARGE, and where it is half of
 * them have to be alike, since Gmsh's fronts leave patches that are regular. */
enum { ALIKE = 8, LARGE_ALIKE = 15, LARGE = 256, LARGE_PART = 64 };

/* Fewer balls of a block's size are measured where all would be more than this part of the mesh. */
enum { FEWEST_BALLS = 7, MEASURED_PART = 8 };

/* 1 for a ball, 0.36 for three times as long as wide in 2D, 0.32 for a third as thick in 3D. */
static const double ROUND = 0.3;

/* The mean square radius of a ball is no more than this part of that of the mesh. */
static const double COMPACT = 0.25;

/* Moments of some places: the product of the main ones over that of a round ball with the same sum,
 * and that sum, the mean square distance from the middle. */
typedef struct moments {
    double roundness, spread;
} moments;

static moments measure(const int32_t *element, int64_t n, const double *coordinates,
                       int dimension) {
    double mean[3] = {0}, m[3][3] = {{0}};
    const int d = dimension < 3 ? dimension : 3;
    for (int64_t i = 0; i < n; ++i)
        for (int a = 0; a < d; ++a)
            mean[a] += coordinates[(int64_t)element[i] * dimension + a] / (double)n;
    for (int64_t i = 0; i < n; ++i) {
        const double *x = coordinates + (int64_t)element[i] * dimension;
        for (int a = 0; a < d; ++a)
            for (int b = 0; b < d; ++b)
                m[a][b] += (x[a] - mean[a]) * (x[b] - mean[b]) / (double)n;
    }
    const double flat = m[0][0] * m[1][1] - m[0][1] * m[1][0], sum = m[0][0] + m[1][1] + m[2][2];
    if (d == 2)
        return (moments){4 * flat / pow(sum, 2), sum};
    const double det = m[2][2] * flat - m[1][2] * (m[0][0] * m[2][1] - m[0][1] * m[2][0]) +
                       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    return (moments){27 * det / pow(sum, 3), sum};
}

/* The ball around the i-th of n elements that are spread evenly over the numbering. */
static mosaic_ball ball_of(mosaic_walk *walk, int i, int n, int64_t size) {
    return mosaic_walk_ball(walk, (int32_t)((2 * i + 1) * walk->pins->n_elements / (2 * n)), size);
}

bool mosaic_balls_are_alike(mosaic_walk *walk, int dimension) {
    uint64_t levels[N_BALLS];
    const int64_t n = walk->pins->n_elements, part = dimension > 2 ? SMALL : n / LARGE_PART;
    const int64_t size = part < SMALL ? SMALL : part < LARGE ? part : LARGE;
    for (int i = 0; i < N_BALLS && n >= (int64_t)N_BALLS * SMALL; ++i) {
        int alike = 1;
        levels[i] = ball_of(walk, i, N_BALLS, size).levels;
        for (int k = 0; k < i; ++k)
            alike += levels[k] == levels[i];
        if (alike == (dimension == 2 ? LARGE_ALIKE : ALIKE))
            return true;
    }
    return false;
}

bool mosaic_balls_are_round(mosaic_walk *walk, const double *coordinates, int dimension) {
    const int64_t n = walk->pins->n_elements;
    int32_t centre[N_BALLS];
    int n_round = 0;
    if (dimension < 2 || n < (int64_t)N_BALLS * SMALL)
        return false;
    for (int i = 0; i < N_BALLS; ++i)
        centre[i] = (int32_t)((2 * i + 1) * n / (2 * N_BALLS));
    const double spread = measure(centre, N_BALLS, coordinates, dimension).spread;
    for (int i = 0; i < N_BALLS; ++i) {
        const int64_t size = mosaic_walk_ball(walk, centre[i], SMALL).size;
        const moments ball = measure(walk->queue, size, coordinates, dimension);
        n_round += ball.roundness >= ROUND && ball.spread <= COMPACT * spread;
    }
    return n_round >= LEAST_ROUND;
}

static int compare_reals(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

mosaic_ball mosaic_balls_median(mosaic_walk *walk, int64_t size) {
    const int64_t room = walk->pins->n_elements / (MEASURED_PART * size);
    const int n = (int)(room > N_BALLS ? N_BALLS : room < FEWEST_BALLS ? FEWEST_BALLS : room);
    double width[N_BALLS], points[N_BALLS];
    for (int i = 0; i < n; ++i) {
        const mosaic_ball ball = ball_of(walk, i, n, size);
        width[i] = ball.width;
        points[i] = ball.points;
    }
    qsort(width, (size_t)n, sizeof *width, compare_reals);
    qsort(points, (size_t)n, sizeof *points, compare_reals);
    return (mosaic_ball){.width = fmax(1, width[n / 2]), .points = points[n / 2]};
}

/* Balls: sampled, compared with each other and with a round one. */
#include "partitioners/mosaic_ball.h"

#include <math.h>

/* Balls, and the elements after which they end: those of 2D meshes whose small balls are alike are
 * compared once more, since Gmsh's fronts leave patches that are regular. */
enum { N_BALLS = 31, SMALL = 48, LARGE = 400 };

/* Of balls that are alike there have to be fewer than a quarter, of round ones as many as this. */
enum { ALIKE_PART = 4, LEAST_ROUND = N_BALLS * 3 / 4 };

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

/* How many of the balls are alike. */
static int count_alike(const uint64_t *print) {
    int most = 0;
    for (int i = 0; i < N_BALLS; ++i) {
        int alike = 0;
        for (int k = 0; k < N_BALLS; ++k)
            alike += print[k] == print[i];
        most = alike > most ? alike : most;
    }
    return most;
}

bool mosaic_balls_are_places(mosaic_walk *walk, const double *coordinates, int dimension) {
    const int64_t n = walk->pins->n_elements;
    int32_t centre[N_BALLS];
    if (dimension < 2 || n < (int64_t)N_BALLS * SMALL)
        return false;
    for (int i = 0; i < N_BALLS; ++i)
        centre[i] = (int32_t)((2 * i + 1) * n / (2 * N_BALLS));
    const double spread = measure(centre, N_BALLS, coordinates, dimension).spread;
    for (int64_t least = SMALL;; least = LARGE) {
        uint64_t print[N_BALLS];
        int n_round = 0;
        for (int i = 0; i < N_BALLS; ++i) {
            const int64_t size = mosaic_walk_near(walk, centre[i], least, print + i);
            const moments ball = measure(walk->queue, size, coordinates, dimension);
            n_round += ball.roundness >= ROUND && ball.spread <= COMPACT * spread;
        }
        if (n_round < LEAST_ROUND)
            return false;
        if (count_alike(print) * ALIKE_PART < N_BALLS)
            return true;
        if (dimension > 2 || least == LARGE || n < (int64_t)N_BALLS * LARGE)
            return false;
    }
}

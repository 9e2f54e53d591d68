/* Walked meshes: balls are sampled, compared with each other and with a round one. */
#include "partitioners/mosaic/walked_mesh.h"
#include "core/base/array.h"
#include "core/base/sort.h"

#include <math.h>
#include <stdlib.h>

/* Moments of where some elements lie: the product of the main ones over that of a round ball with
 * the same sum, that sum, the mean square distance from the middle, and the part of it along x. */
typedef struct moments {
    double roundness, spread, along;
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
        return (moments){4 * flat / pow(sum, 2), sum, m[0][0] / sum};
    const double det = m[2][2] * flat - m[1][2] * (m[0][0] * m[2][1] - m[0][1] * m[2][0]) +
                       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    return (moments){27 * det / pow(sum, 3), sum, m[0][0] / sum};
}

/* The ball around the i-th of n elements that are spread evenly over the numbering. */
static mosaic_ball ball_of(mosaic_walk *walk, int i, int n, int64_t size) {
    return mosaic_walk_ball(walk, (int32_t)((2 * i + 1) * walk->pins->n_elements / (2 * n)), size);
}

bool mosaic_balls_are_alike(mosaic_walk *walk, int dimension) {
    uint64_t levels[BALLS];
    const int64_t n = walk->pins->n_elements,
                  part = dimension > 2 ? BALL_ELEMENTS : n / BALL_PART_2D;
    const int64_t size = part < BALL_ELEMENTS      ? BALL_ELEMENTS
                         : part < BALL_ELEMENTS_2D ? part
                                                   : BALL_ELEMENTS_2D;
    for (int i = 0; i < BALLS && n >= (int64_t)BALLS * BALL_ELEMENTS; ++i) {
        int alike = 1;
        levels[i] = ball_of(walk, i, BALLS, size).levels;
        for (int k = 0; k < i; ++k)
            alike += levels[k] == levels[i];
        if (alike == (dimension == 2 ? BALLS_ALIKE_2D : BALLS_ALIKE))
            return true;
    }
    return false;
}

/* How much longer than wide balls in 2D are, in the median, which have such parts along x: below 1
 * where they are wider; 1 where they are about as long. */
static double median_stretch(double *along) {
    tess_sort_reals(along, BALLS);
    const double part = along[BALLS / 2], stretch = sqrt(part / (1 - part));
    const bool clear = stretch > BALL_STRETCHED || stretch < 1 / BALL_STRETCHED;
    return clear && isfinite(stretch) && stretch > 0 ? stretch : 1;
}

bool mosaic_balls_are_round(mosaic_walk *walk, const double *coordinates, int dimension,
                            double *stretch) {
    const int64_t n = walk->pins->n_elements;
    int32_t centre[BALLS];
    double along[BALLS];
    int n_round = 0;
    *stretch = 1;
    if (dimension < 2 || n < (int64_t)BALLS * BALL_ELEMENTS)
        return false;
    for (int i = 0; i < BALLS; ++i)
        centre[i] = (int32_t)((2 * i + 1) * n / (2 * BALLS));
    const double spread = measure(centre, BALLS, coordinates, dimension).spread;
    for (int i = 0; i < BALLS; ++i) {
        const int64_t size = mosaic_walk_ball(walk, centre[i], BALL_ELEMENTS).size;
        const moments ball = measure(walk->queue, size, coordinates, dimension);
        n_round += ball.roundness >= BALL_ROUND && ball.spread <= BALL_COMPACT * spread;
        along[i] = isfinite(ball.along) ? ball.along : 0.5;
    }
    if (dimension == 2)
        *stretch = median_stretch(along);
    return n_round >= BALLS_ROUND;
}

/* The median width and points of a few balls of `size` elements. */
static mosaic_ball median_ball(mosaic_walk *walk, int64_t size) {
    const int64_t room = walk->pins->n_elements / (WIDTH_BALLS_PART * size);
    const int n = (int)(room > BALLS                ? BALLS
                        : room < WIDTH_BALLS_FEWEST ? WIDTH_BALLS_FEWEST
                                                    : room);
    double width[BALLS], points[BALLS];
    for (int i = 0; i < n; ++i) {
        const mosaic_ball ball = ball_of(walk, i, n, size);
        width[i] = ball.width;
        points[i] = ball.points;
    }
    tess_sort_reals(width, n);
    tess_sort_reals(points, n);
    return (mosaic_ball){.width = fmax(1, width[n / 2]), .points = points[n / 2]};
}

/* Of blocks of `size` elements of an order that nobody changed yet, as the problem has them. */
static double mean_points(mosaic_walk *walk, int64_t size) {
    mosaic_tally sum = {0};
    mosaic_walk_sample(walk, walk->order, walk->pins->n_elements, size, &sum);
    return sum.points / sum.elements * (double)size;
}

tess_status mosaic_mesh_build(const tess_partition_problem *problem, const mosaic_walking *how,
                              mosaic_mesh *mesh) {
    tess_status status = TESS_OK;
    mosaic_pins pins = {0};
    tess_rows *rows = NULL;
    mosaic_walk walk = {0};
    *mesh = (mosaic_mesh){.dimension = problem->coordinates ? problem->dimension : 0,
                          .coordinates = problem->coordinates};
    CHECK(mosaic_pins_build(problem, how->largest, &pins));
    CHECK(mosaic_rows_build(&pins, &rows));
    CHECK(mosaic_walk_reset(&pins, rows, &walk));
    mesh->natural = mean_points(&walk, problem->block_size);
    mesh->regular = !how->irregular && mosaic_balls_are_alike(&walk, mesh->dimension);
    mesh->round = how->trusted &&
                  mosaic_balls_are_round(&walk, mesh->coordinates, mesh->dimension, &mesh->stretch);
    mesh->by_coordinates = mesh->round && !mesh->regular;
    if (!mesh->by_coordinates || how->doubted)
        mesh->ball = median_ball(&walk, problem->block_size);
    if (mesh->by_coordinates) {
        mesh->order = walk.order; /* the identity */
        walk.order = NULL;
        mesh->pins = pins;
        for (int i = 0; i < LOCAL_BALLS && how->checked && mesh->dimension <= 2; ++i)
            mesh->local[i] =
                mosaic_walk_ball(&walk, mosaic_mesh_centre(mesh, i), problem->block_size).points;
        pins = (mosaic_pins){0};
        goto done;
    }
    mosaic_walk_across(&walk, 0, pins.n_elements, mosaic_walk_inside(0, how->shift));
    mosaic_walk_straighten(&walk, 0, pins.n_elements);
    mesh->n_levels = walk.n_levels;
    CHECK(TESS_COPY(walk.n_levels + 1, walk.level, &mesh->level));
    mesh->order = walk.order;
    walk.order = NULL;
    tess_rows_free(rows);
    rows = NULL;
    mosaic_walk_clear(&walk);
    CHECK(mosaic_pins_permute(&pins, mesh->order, &mesh->pins));
done:
    mosaic_pins_clear(&pins);
    tess_rows_free(rows);
    mosaic_walk_clear(&walk);
    if (status != TESS_OK)
        mosaic_mesh_clear(mesh);
    return status;
}

void mosaic_mesh_name(const mosaic_mesh *mesh, int32_t *position) {
#pragma omp parallel for schedule(static) if (mesh->pins.n_elements > MOSAIC_SERIAL)
    for (int64_t i = 0; i < mesh->pins.n_elements; ++i)
        position[i] = mesh->order[position[i]];
}

void mosaic_mesh_clear(mosaic_mesh *mesh) {
    free(mesh->order);
    free(mesh->level);
    mosaic_pins_clear(&mesh->pins);
    *mesh = (mosaic_mesh){0};
}

/* Levels: the tables. */
#include "partitioners/mosaic/level_table.h"

#include <math.h>

/* clang-format off */
static const mosaic_level levels[] = {
    /*                 starts rounds passes grow enough */
    [MOSAIC_QUICK]   = {1,    1,     15,    1,   0},
    [MOSAIC_DEFAULT] = {3,    4,     10,    2,   0.004},
    [MOSAIC_LONG]    = {8,    6,     20,    2,   0.002},
};

/* Of two points an element; see mosaic_schedule_of. */
static const struct {
    double temperature[2], sizes[2];
} schedules[2][3] = {
    /*       few points                    many points                   pairs of neighbours */
    /* 2D */ {{{0.17, 0.07}, {0.02, 0.06}}, {{0.35, 0.18}, {0.03, 0.15}}, {{0.60, 0.25}, {0.02, 0.10}}},
    /* 3D */ {{{0.22, 0.08}, {0.02, 0.06}}, {{0.42, 0.11}, {0.01, 0.05}}, {{0.60, 0.25}, {0.02, 0.10}}},
};
/* clang-format on */

/* Points of an element in the mean, above which it has many: triangles by nodes do, edges by nodes
 * and faces by cells do not. */
static const double MANY_POINTS = 2.5;

/* Blocks: fewer take little time, and are annealed longer, as the root of their number is smaller,
 * at most so many times. */
enum { FEW_BLOCKS = 2048, FEW_LONGER = 4 };

const mosaic_level *mosaic_level_at(mosaic_level_name name) {
    return levels + name;
}

mosaic_level_name mosaic_level_of_effort(int64_t effort) {
    return effort < 2 ? MOSAIC_QUICK : effort < 4 ? MOSAIC_DEFAULT : MOSAIC_LONG;
}

/* Many points make an element dear to hand on when sizes are evened out, as their square, and most
 * of its moves cost several: passes grow with them, too. */
mosaic_schedule mosaic_schedule_of(const mosaic_pins *pins, int32_t n_blocks, int dimension) {
    const double points = (double)pins->n_pins / (double)pins->n_elements;
    const bool pairs = pins->n_pins <= 2 * pins->n_points; /* links.h */
    const double few = sqrt((double)FEW_BLOCKS / n_blocks);
    mosaic_schedule of = {.longer = pow(points / 2, 1.5) * fmin(FEW_LONGER, fmax(1, few))};
    for (int i = 0; i < 2; ++i) {
        const int solid = dimension > 2, many = pairs ? 2 : points > MANY_POINTS;
        of.temperature[i] = schedules[solid][many].temperature[i];
        of.sizes[i] = schedules[solid][many].sizes[i] * points * points / 4;
    }
    return of;
}

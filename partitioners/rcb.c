/* The RCB partitioner: recursive coordinate bisection at exact multiples of the block size. */
#include "core/base/array.h"
#include "partitioners/elsewhere.h"
#include "partitioners/mosaic/bisect.h"
#include "partitioners/partitioner.h"

#include <math.h>
#include <stdlib.h>

static const tess_option options[] = {
    TESS_CHOICE_OPTION("cut", "longest", "longest|turns",
                       "the axis to cut across: the longest of the part, or each in turn"),
    TESS_REAL_OPTION(
        "rotate", "0", -360, 360,
        "degrees by which the axes are turned: about z in 2D, about the diagonal in 3D"),
    {.key = NULL}};

/* The axes along which places are measured: rotated by `degrees` about z or about (1, 1, 1). */
static void axes_rotate(int dimension, double degrees, double axes[3][3]) {
    const double angle = degrees * acos(-1) / 180, c = cos(angle), s = sin(angle);
    const double u = dimension == 3 ? 1 / sqrt(3) : 0, w = dimension == 3 ? u : 1;
    const double axis[3] = {u, u, w};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double cross = i == j ? 0 : ((j - i + 3) % 3 == 1 ? -1 : 1) * axis[3 - i - j];
            axes[i][j] =
                degrees == 0 ? i == j : c * (i == j) + s * cross + (1 - c) * axis[i] * axis[j];
        }
}

static void fill_positions(const tess_partition_problem *problem, double degrees,
                           mosaic_position *positions) {
    double axes[3][3];
    axes_rotate(problem->dimension, degrees, axes);
#pragma omp parallel for
    for (int64_t e = 0; e < problem->n_elements; e++) {
        positions[e] = (mosaic_position){.element = (int32_t)e};
        for (int i = 0; i < problem->dimension; i++)
            for (int j = 0; j < problem->dimension; j++)
                positions[e].x[i] += axes[i][j] * problem->coordinates[e * problem->dimension + j];
    }
}

/* Has the problem's cutter do it, unless somebody watches each level. */
static tess_status cut_elsewhere(const tess_partition_problem *problem, const tess_spec *spec,
                                 int32_t *block_of, bool *is_cut) {
    tess_status status = TESS_OK;
    const double degrees = tess_spec_real(spec, options, "rotate");
    const int dimension = problem->dimension;
    const bool in_turns = tess_spec_is(spec, options, "cut", "turns");
    const tess_cut_rule rule = in_turns ? TESS_CUT_IN_TURNS : TESS_CUT_LONGEST;
    mosaic_position *positions = NULL;
    double *turned = NULL;
    *is_cut = false;
    if (!problem->cutter || (problem->observer && problem->observer->partition))
        return TESS_OK;
    if (degrees == 0)
        return tess_cut_elsewhere(problem, rule, problem->coordinates, block_of, is_cut);
    CHECK(TESS_ALLOC(problem->n_elements, &positions));
    CHECK(TESS_ALLOC(problem->n_elements * dimension, &turned));
    fill_positions(problem, degrees, positions);
    for (int64_t i = 0; i < problem->n_elements * dimension; i++)
        turned[i] = positions[i / dimension].x[i % dimension];
    CHECK(tess_cut_elsewhere(problem, rule, turned, block_of, is_cut));
done:
    free(positions);
    free(turned);
    return status;
}

static void fill_blocks(const mosaic_position *positions, const int64_t *end, int64_t n_parts,
                        int32_t *block_of) {
#pragma omp parallel for schedule(static)
    for (int64_t b = 0; b < n_parts; b++)
        for (int64_t i = b ? end[b - 1] : 0; i < end[b]; i++)
            block_of[positions[i].element] = (int32_t)b;
}

/* Who is told of each level, and by what. */
typedef struct telling {
    const tess_partition_problem *problem;
    int32_t *block_of;
} telling;

static tess_status tell(void *context, int level, const mosaic_position *positions,
                        const int64_t *end, int64_t n_parts) {
    const telling *to = context;
    const tess_observer *observer = to->problem->observer;
    fill_blocks(positions, end, n_parts, to->block_of);
    return observer->partition(observer->context, "rcb", level, to->problem->n_elements,
                               to->block_of);
}

static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    const int64_t n = problem->n_elements;
    const bool watched = problem->observer && problem->observer->partition;
    telling to = {problem, block_of};
    const mosaic_bisection how = {.dimension = problem->dimension,
                                  .block_size = problem->block_size,
                                  .in_turns = tess_spec_is(spec, options, "cut", "turns"),
                                  .tell = watched ? tell : NULL,
                                  .context = &to};
    mosaic_position *positions = NULL;
    bool is_cut = false;
    TRY(cut_elsewhere(problem, spec, block_of, &is_cut));
    if (is_cut)
        return TESS_OK;
    TRY(TESS_ALLOC(n, &positions));
    fill_positions(problem, tess_spec_real(spec, options, "rotate"), positions);
    const tess_status status = mosaic_bisect(&how, positions, n);
    for (int64_t i = 0; status == TESS_OK && i < n; i++)
        block_of[positions[i].element] = (int32_t)(i / problem->block_size);
    free(positions);
    return status;
}

const tess_partitioner tess_partitioner_rcb = {
    .name = "rcb",
    .seconds = 0.6,
    .summary = "recursive coordinate bisection at exact multiples of the block size",
    .reference = "Berger and Bokhari, IEEE Trans. Computers C-36 (1987)",
    .options = options,
    .needs_coordinates = true,
    .cuts_elsewhere = true,
    .partition = partition,
};

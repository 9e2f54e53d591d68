/* The RCB partitioner: recursive coordinate bisection at exact multiples of the block size. */
#include "partitioners/rcb.h"
#include "core/base/array.h"
#include "partitioners/bisect.h"
#include "partitioners/elsewhere.h"
#include "partitioners/half_cut.h"
#include "partitioners/partitioner.h"
#include "partitioners/swap.h"

#include <math.h>
#include <stdlib.h>

static const tess_option options[] = {
    TESS_CHOICE_OPTION("cut", "longest", "longest|turns",
                       "the axis to cut across: the longest of the part, or each in turn"),
    TESS_REAL_OPTION(
        "rotate", "0", -360, 360,
        "degrees by which the axes are turned: about z in 2D, about the diagonal in 3D"),
    TESS_INT_OPTION("swap", "0", 0, 64,
                    "rounds in which neighbouring blocks swap elements; 8: most of it"),
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

static void turn_places(int64_t n, int dimension, double degrees, double *places) {
    double axes[3][3];
    axes_rotate(dimension, degrees, axes);
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < n; e++) {
        double turned[3] = {0, 0, 0};
        for (int i = 0; i < dimension; i++)
            for (int j = 0; j < dimension; j++)
                turned[i] += axes[i][j] * places[e * dimension + j];
        for (int i = 0; i < dimension; i++)
            places[e * dimension + i] = turned[i];
    }
}

/* Gives places of one's own. */
static tess_status list_places(const tess_partition_problem *problem, double **out) {
    const int64_t n = problem->n_elements;
    TRY(TESS_ALLOC(n * problem->dimension, out));
    double *const places = *out;
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < n; e += TESS_CENTROIDS_AT_ONCE)
        tess_partition_problem_places(problem, NULL, e, tess_centroids_batch(e, n),
                                      places + e * problem->dimension);
    return TESS_OK;
}

/* Positions of which none is -0, by the places listed, or else as the problem says them. */
static void fill_positions(const tess_partition_problem *problem, const tess_cut *what,
                           tess_position *positions) {
#pragma omp parallel for schedule(static)
    for (int64_t e = 0; e < what->n; e += TESS_CENTROIDS_AT_ONCE) {
        const int64_t n = tess_centroids_batch(e, what->n);
        if (!what->places)
            tess_positions_fill(problem, e, n, positions + e);
        for (int64_t i = e; what->places && i < e + n; i++)
            positions[i] = tess_position_at(what->places + i * what->dimension, what->dimension, i);
    }
}

static void fill_blocks(const tess_position *positions, const int64_t *end, int64_t n_parts,
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

static tess_status tell(void *context, int level, const tess_position *positions,
                        const int64_t *end, int64_t n_parts) {
    const telling *to = context;
    const tess_observer *observer = to->problem->observer;
    fill_blocks(positions, end, n_parts, to->block_of);
    return observer->partition(observer->context, "rcb", level, to->problem->n_elements,
                               to->block_of);
}

static bool is_watched(const tess_partition_problem *problem) {
    return problem->observer && problem->observer->partition;
}

/* Tells of each level, unless `to` is NULL; without a problem, the places are listed. */
static tess_status cut_telling(const tess_partition_problem *problem, const tess_cut *what,
                               telling *to, int32_t *block_of) {
    const tess_bisection how = {.dimension = what->dimension,
                                .block_size = what->block_size,
                                .in_turns = what->rule == TESS_CUT_IN_TURNS,
                                .tell = to ? tell : NULL,
                                .context = to};
    tess_position *positions = NULL;
    bool is_cut = false;
    if (!what->places)
        TRY(tess_cut_by_halves(problem, &how, block_of, &is_cut));
    if (is_cut)
        return TESS_OK;
    TRY(TESS_ALLOC(what->n, &positions));
    fill_positions(problem, what, positions);
    const tess_status status = tess_bisect(&how, positions, what->n);
    for (int64_t i = 0; status == TESS_OK && i < what->n; i++)
        block_of[positions[i].element] = (int32_t)(i / what->block_size);
    free(positions);
    return status;
}

tess_status tess_rcb_cut(const tess_cut *what, int32_t *block_of) {
    return cut_telling(NULL, what, NULL, block_of);
}

/* Where elements swap, who watches is shown a cut before the one that swaps begin with. */
static tess_status cut_here(const tess_partition_problem *problem, const tess_cut *what,
                            int32_t *block_of) {
    telling to = {problem, block_of};
    if (what->n_rounds == 0 || is_watched(problem))
        TRY(cut_telling(problem, what, is_watched(problem) ? &to : NULL, block_of));
    return what->n_rounds ? tess_swap_cut(what, block_of) : TESS_OK;
}

static bool cut_rule(const tess_spec *spec, tess_cut *what) {
    what->rule = tess_spec_is(spec, options, "cut", "turns") ? TESS_CUT_IN_TURNS : TESS_CUT_LONGEST;
    what->n_rounds = (int)tess_spec_int(spec, options, "swap");
    return tess_spec_real(spec, options, "rotate") == 0;
}

/* The problem's cutter does it, unless somebody watches each level. */
static tess_status partition(const tess_partition_problem *problem, const tess_spec *spec,
                             int32_t *block_of) {
    tess_status status = TESS_OK;
    tess_cut what = {.n = problem->n_elements,
                     .dimension = problem->dimension,
                     .places = problem->coordinates,
                     .block_size = problem->block_size};
    double *places = NULL;
    int32_t *map = NULL;
    bool is_cut = false;
    const bool is_turned = !cut_rule(spec, &what);
    if (is_turned || (!what.places && (what.n_rounds || problem->cutter))) {
        CHECK(list_places(problem, &places));
        what.places = places;
    }
    if (is_turned)
        turn_places(what.n, what.dimension, tess_spec_real(spec, options, "rotate"), places);
    if (what.n_rounds)
        CHECK(tess_swap_map(problem, &what.n_slots, &map));
    what.map = map;
    if (!map || tess_swap_group(what.block_size, what.n_slots) < 2)
        what.n_rounds = 0;
    if (!is_watched(problem))
        CHECK(tess_cut_elsewhere(problem, &what, block_of, &is_cut));
    if (!is_cut)
        CHECK(cut_here(problem, &what, block_of));
done:
    free(places);
    free(map);
    return status;
}

const tess_partitioner tess_partitioner_rcb = {
    .name = "rcb",
    .seconds = 0.6,
    .summary = "recursive coordinate bisection at exact multiples of the block size",
    .reference = "Berger and Bokhari, IEEE Trans. Computers C-36 (1987)",
    .options = options,
    .needs_coordinates = true,
    .places_elements = true,
    .cut_rule = cut_rule,
    .partition = partition,
};

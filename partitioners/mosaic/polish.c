/* Polishes: sweeps and annealing, as long as an effort allows. */
#include "partitioners/mosaic/polish.h"
#include "partitioners/mosaic/anneal.h"
#include "partitioners/mosaic/probe.h"

/* Blocks are annealed where a sweep saves this part of the points that they have in common: of
 * those of all neighbours, where a sweep of so few blocks is made instead of a probe, or of those
 * of a probe's, which tells less of flat fronts; they are exchanged where a probe saves that part
 * of all points. */
static const double RAGGED = 0.03, SMALL_RAGGED = 0.045, PROBED_RAGGED = 0.08, WORTHWHILE = 0.003;
enum { FEW_BLOCKS = 1024, SMALL_BLOCKS = 2048 };

/* In regular meshes a few runs tell all, and a sweep must save more: blocks are good without. */
enum { PROBED_RUNS = 8, REGULAR_RUNS = 2 };
static const double REGULAR_WORTHWHILE = 0.012;

/* So few blocks are annealed as much longer: there others are as good as half of it makes them. */
enum { LONGER_BLOCKS = 1024 };
static const double LONGER = 2;

const mosaic_polish mosaic_efforts[] = {
    {.tries = 1, .passes = 1, .places = true},
    {.tries = 1,
     .passes = 2,
     .places = true,
     .probed = true,
     .sweeps = {1, 16, 16, 1e-4},
     .placed_sweeps = {1, 16, 16, 0}},
    {.tries = 1,
     .passes = 2,
     .places = true,
     .probed = true,
     .sweeps = {1, 16, 16, 1e-4},
     .annealing = {.rounds = 2,
                   .trials = 5,
                   .hot = 0.25,
                   .cold = 0.1,
                   .crowding = 0.01,
                   .crowding_last = 0.05},
     .last_sweeps = {1, 16, 16, 0},
     .flat = {.rounds = 2,
              .passes = 10,
              .hot = 0.4,
              .cold = 0.15,
              .crowding = 0.1,
              .crowding_last = 0.4,
              .round = 4,
              .round_last = 0.15,
              .fade = 0.5,
              .relax = 0.5,
              .enough = 0.18},
     .fanned = {.rounds = 2,
                .trials = 2,
                .hot = 0.3,
                .cold = 0.15,
                .crowding = 0.1,
                .crowding_last = 1,
                .round = 8,
                .round_last = 0.1},
     .solid = {.rounds = 3,
               .trials = 2,
               .hot = 0.3,
               .cold = 0.1,
               .crowding = 0.01,
               .crowding_last = 0.05,
               .round = 2,
               .round_last = 0.03,
               .fade = 0.6,
               .relax = 1},
     .placed_sweeps = {1, 6, 6, 0}},
    {.tries = 1,
     .passes = 2,
     .places = true,
     .probed = true,
     .sweeps = {1, 16, 16, 1e-4},
     .annealing = {.rounds = 3,
                   .trials = 10,
                   .hot = 0.25,
                   .cold = 0.1,
                   .crowding = 0.01,
                   .crowding_last = 0.05},
     .last_sweeps = {1, 16, 32, 0},
     .flat = {.rounds = 2,
              .passes = 20,
              .hot = 0.4,
              .cold = 0.15,
              .crowding = 0.1,
              .crowding_last = 0.4,
              .round = 4,
              .round_last = 0.15,
              .fade = 0.5,
              .relax = 0.5,
              .enough = 0.18},
     .fanned = {.rounds = 2,
                .trials = 4,
                .hot = 0.3,
                .cold = 0.15,
                .crowding = 0.1,
                .crowding_last = 1,
                .round = 8,
                .round_last = 0.1},
     .solid = {.rounds = 4,
               .trials = 4,
               .hot = 0.3,
               .cold = 0.1,
               .crowding = 0.01,
               .crowding_last = 0.05,
               .round = 2,
               .round_last = 0.03,
               .fade = 0.6,
               .relax = 1},
     .placed_sweeps = {1, 6, 6, 0}},
    {.tries = 1,
     .passes = 2,
     .sweeps = {1, 16, 16, 0},
     .annealing = {.rounds = 4,
                   .trials = 80,
                   .hot = 0.35,
                   .cold = 0.1,
                   .crowding = 0.06,
                   .crowding_last = 0.06},
     .last_sweeps = {3, 32, 64, 3e-5}},
    {.tries = 2,
     .passes = 3,
     .sweeps = {3, 16, 32, 0},
     .annealing = {.rounds = 6,
                   .trials = 300,
                   .hot = 0.5,
                   .cold = 0.1,
                   .crowding = 0.06,
                   .crowding_last = 0.06},
     .last_sweeps = {6, 64, 128, 1e-5}},
    {.tries = 3,
     .passes = 4,
     .sweeps = {3, 16, 64, 0},
     .annealing = {.rounds = 8,
                   .trials = 1000,
                   .hot = 0.5,
                   .cold = 0.1,
                   .crowding = 0.06,
                   .crowding_last = 0.06},
     .last_sweeps = {12, 128, 256, 0}},
};

static tess_status anneal_blocks(mosaic_blocks *blocks, const mosaic_limits *limits,
                                 const mosaic_annealing *how, double longer, uint64_t seed,
                                 mosaic_annealed *done) {
    mosaic_cooling cooling = {.trials = how->trials * longer,
                              .passes = how->passes,
                              .hot = how->hot,
                              .cold = how->cold,
                              .crowding = how->crowding,
                              .crowding_last = how->crowding_last,
                              .round = how->round,
                              .round_last = how->round_last,
                              .fade = how->fade,
                              .relax = how->relax,
                              .enough = how->enough};
    mosaic_cooling_set(&cooling);
    return mosaic_anneal(blocks, limits, &cooling, how->rounds, seed, done);
}

/* Exchange in pairs, or annealing in groups and exchange, or neither where it gains next to
 * nothing. */
static tess_status polish_map(mosaic_blocks *blocks, const mosaic_limits *limits,
                              const mosaic_polish *how, uint64_t seed) {
    bool anneal = how->annealing.rounds > 0, sweep = how->sweeps.sweeps > 0;
    int64_t shared = 0, saved = 0;
    mosaic_annealed annealed = {0};
    mosaic_probe probe = {.ragged = 1, .gain = 1};
    const int32_t n_blocks = blocks->n_blocks - limits->first_block;
    const bool few = n_blocks <= FEW_BLOCKS, longer = how->probed && n_blocks <= LONGER_BLOCKS;
    if (how->probed && !few) {
        TRY(mosaic_probe_take(blocks, limits->first_block, PROBED_RUNS, &probe));
        anneal =
            anneal && probe.ragged >= (n_blocks <= SMALL_BLOCKS ? SMALL_RAGGED : PROBED_RAGGED);
        sweep = !anneal && probe.gain >= WORTHWHILE;
    } else if (how->probed)
        TRY(mosaic_blocks_shared(blocks, &shared));
    if (sweep)
        TRY(mosaic_sweep(blocks, limits, &how->sweeps, &saved));
    if (!anneal || (double)saved < RAGGED * (double)shared)
        return TESS_OK;
    TRY(anneal_blocks(blocks, limits, &how->annealing, longer ? LONGER : 1, seed, &annealed));
    if (how->probed && !few)
        TRY(mosaic_probe_take(blocks, limits->first_block, PROBED_RUNS, &probe));
    return probe.gain >= WORTHWHILE ? mosaic_sweep(blocks, limits, &how->last_sweeps, &saved)
                                    : TESS_OK;
}

/* The same of regular meshes: exchange in pairs where a probe says that it gains much, and all that
 * others get where it says that fronts are ragged none the less. */
static tess_status polish_regular(mosaic_blocks *blocks, const mosaic_limits *limits,
                                  const mosaic_polish *how, uint64_t seed) {
    mosaic_probe probe = {0};
    int64_t saved = 0;
    TRY(mosaic_probe_take(blocks, limits->first_block, REGULAR_RUNS, &probe));
    if (probe.ragged >= PROBED_RAGGED)
        return polish_map(blocks, limits, how, seed);
    return probe.gain >= REGULAR_WORTHWHILE ? mosaic_sweep(blocks, limits, &how->sweeps, &saved)
                                            : TESS_OK;
}

/* In 3D the sizes of blocks count as the square of an element's points: many points make elements
 * dear to hand on, when sizes are evened out. These are of elements of two points. */
static void weigh_sizes(const mosaic_pins *pins, mosaic_annealing *annealing) {
    const double half = (double)pins->n_pins / (2 * (double)pins->n_elements);
    annealing->crowding *= half * half;
    annealing->crowding_last *= half * half;
}

/* True of triangles by nodes and the like: elements of three points or more, and more elements than
 * points. Beside a straight front none can be handed on for nothing, and chains lose more than
 * settling saves. */
static bool is_fanned(const mosaic_pins *pins) {
    return 2 * pins->n_pins > 5 * pins->n_elements && 2 * pins->n_elements > 3 * pins->n_points;
}

/* The larger blocks are, the longer they take to settle, up to a size where few elements are at
 * borders. */
static void lengthen(int32_t block_size, mosaic_annealing *annealing) {
    enum { MOST = 1024, TWICE = 640 };
    annealing->passes += annealing->passes * (block_size < MOST ? block_size : MOST) / TWICE;
}

/* The same where places are known: blocks become round, then save points. In 3D more blocks of a
 * group are at its border, which takes more rounds, and a round more gains more than exchanges do;
 * in 2D these gain next to nothing where one round settles all. One group takes one round of
 * trials, in 2D twice as long. */
static tess_status polish_places(mosaic_blocks *blocks, const mosaic_limits *limits,
                                 const mosaic_polish *how, uint64_t seed) {
    const bool solid = blocks->dimension > 2;
    int64_t saved = 0;
    mosaic_annealed annealed = {0};
    mosaic_annealing annealing = solid                     ? how->solid
                                 : is_fanned(blocks->pins) ? how->fanned
                                                           : how->flat;
    const bool alone = annealing.trials > 0 && blocks->n_blocks <= MOSAIC_GROUP_BLOCKS;
    const double longer = !alone ? 1 : solid ? annealing.rounds : 2 * annealing.rounds;
    annealing.rounds = alone ? 1 : annealing.rounds;
    lengthen(blocks->block_size, &annealing);
    if (solid)
        weigh_sizes(blocks->pins, &annealing);
    TRY(anneal_blocks(blocks, limits, &annealing, longer, seed, &annealed));
    const bool settled = annealing.passes > 0 && annealed.rounds < annealing.rounds;
    return settled || (solid && annealing.rounds > 0)
               ? TESS_OK
               : mosaic_sweep(blocks, limits, &how->placed_sweeps, &saved);
}

tess_status mosaic_polish_blocks(mosaic_blocks *blocks, const mosaic_limits *limits,
                                 const mosaic_polish *how, uint64_t seed) {
    if (blocks->place)
        return polish_places(blocks, limits, how, seed);
    /* so few blocks lie more at the sides of a mesh than between fronts */
    const bool regular = blocks->regular && blocks->n_blocks > MOSAIC_GROUP_BLOCKS;
    return regular && how->probed ? polish_regular(blocks, limits, how, seed)
                                  : polish_map(blocks, limits, how, seed);
}

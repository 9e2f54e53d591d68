/* Polishes: sweeps and annealing, as long as an effort allows. */
#include "partitioners/mosaic/polish.h"
#include "partitioners/mosaic/anneal.h"
#include "partitioners/mosaic/pair_sweep.h"

#include <math.h>

static mosaic_schedule schedule_of(const mosaic_length *length) {
    mosaic_schedule schedule = mosaic_schedules[length->schedule];
    schedule.rounds = length->rounds;
    schedule.trials = length->trials;
    schedule.passes = length->passes;
    return schedule;
}

/* True of edges of triangles, of which many blocks are in pieces. */
static bool are_torn_edges(const mosaic_blocks *blocks) {
    return mosaic_blocks_are_torn(blocks) && !mosaic_pins_crowd(blocks->pins, TORN_CROWDED);
}

/* S, as far as more of it lengthens rounds: few elements are at borders then. */
static int32_t settling_size(const mosaic_blocks *blocks) {
    return blocks->block_size < SETTLE_LARGEST ? blocks->block_size : SETTLE_LARGEST;
}

/* How many times as long as others the first round is of blocks in pieces: of edges of triangles,
 * as S is where they are large; not of triangles and quads mixed, nor of quads by nodes. Of solids
 * by faces twice. */
static double torn_longer(const mosaic_blocks *blocks) {
    const mosaic_pins *const pins = blocks->pins;
    if (!mosaic_blocks_are_torn(blocks) || mosaic_pins_exceed(pins, NODES_POINTS))
        return 1;
    if (!mosaic_pins_crowd(pins, TORN_MIXED) && blocks->block_size > TORN_SIZE)
        return (double)settling_size(blocks) / TORN_SIZE;
    const bool faces =
        mosaic_pins_crowd(pins, TORN_CROWDED) && !mosaic_pins_crowd(pins, FACES_CROWDED);
    return blocks->dimension > 2 && faces ? FACES_LONGER : 1;
}

/* True where what exchange in pairs saves is saved without it: in small blocks by joining and
 * annealing, in large ones by a longer round. */
static bool needs_no_sweep(const mosaic_blocks *blocks) {
    return are_torn_edges(blocks) &&
           (blocks->block_size <= TORN_SIZE || torn_longer(blocks) >= TORN_LONG);
}

/* True where a group of so many blocks may be annealed to see what it gains. */
static bool has_time_for_group(int32_t n_blocks, const mosaic_effort *effort) {
    return effort->ways || n_blocks <= POLISH_SMALL;
}

/* True where annealing a group saves enough for all to be annealed: fronts that no exchange of two
 * blocks makes better. One group may miss it: a second one is asked then. */
static tess_status try_annealing(mosaic_blocks *blocks, const mosaic_limits *limits,
                                 const mosaic_effort *effort, uint64_t seed, bool *pays) {
    const mosaic_schedule schedule = schedule_of(&effort->by_map);
    *pays = false;
    if (!schedule.rounds)
        return TESS_OK;
    return mosaic_anneal_group(blocks, limits, &schedule, seed, pays);
}

/* How many times as long it takes to anneal by the map: few elements take little time, and in a net
 * of channels a short one finds no better places for cuts. */
static double longer_of(const mosaic_blocks *blocks) {
    const double n = (double)blocks->pins->n_elements;
    const bool is_little = mosaic_pins_are_few(blocks->pins);
    if (blocks->sampled || !(is_little || blocks->channels))
        return 1;
    const double longer = fmax(fmin((is_little ? LONG_LITTLE : LONG_CHANNELS) / n, LONG_MOST), 1);
    return blocks->n_blocks <= MOSAIC_GROUP_BLOCKS ? LONG_ALONE * longer : longer;
}

/* Exchange in pairs where it gains more than next to nothing, and whether annealing follows: it
 * pays for sure, or this is found out. In 3D between elements at borders alone where annealing
 * does, which reaches the others, and where a quick cut is mended. */
static tess_status begin_map(mosaic_blocks *blocks, const mosaic_limits *limits,
                             const mosaic_effort *effort, uint64_t seed, bool pays, bool *anneals) {
    const bool mends = !effort->by_map.rounds;
    bool anneal = !mends, sweep = effort->sweeps.n > 0, doubt = false;
    int64_t shared = 0, saved = 0;
    mosaic_probe probe = {.ragged = 1, .gain = 1};
    const int32_t n_blocks = blocks->n_blocks - limits->first_block;
    const bool few = n_blocks <= POLISH_FEW;
    if (effort->probes && !few) {
        TRY(mosaic_probe_take(blocks, limits->first_block, PROBE_RUNS, &probe));
        const bool ragged =
            probe.ragged >= (n_blocks <= POLISH_SMALL ? POLISH_RAGGED_SMALL : POLISH_RAGGED);
        /* what a probe of two blocks at once, or in other places, misses */
        doubt = !ragged && has_time_for_group(n_blocks, effort);
        anneal = anneal && (ragged || doubt || pays);
        sweep = sweep && probe.gain >= SWEEP_WORTHWHILE;
    } else if (effort->probes)
        TRY(mosaic_blocks_shared(blocks, &shared));
    sweep = sweep && !(effort->probes && needs_no_sweep(blocks));
    mosaic_limits first = *limits;
    first.at_borders = (anneal || mends) && effort->probes && blocks->dimension > 2 &&
                       longer_of(blocks) <= 1 && !mosaic_pins_are_links(blocks->pins);
    if (sweep)
        TRY(mosaic_sweep(blocks, &first, &effort->sweeps, &saved));
    if (anneal && !pays && (doubt || (double)saved < POLISH_RAGGED_FEW * (double)shared))
        TRY(try_annealing(blocks, limits, effort, seed, &anneal));
    if (sweep && first.at_borders && !anneal && !mends)
        TRY(mosaic_sweep(blocks, limits, &effort->sweeps, &saved));
    *anneals = anneal;
    return TESS_OK;
}

/* In 3D the sizes of blocks count as the square of an element's points: many points make elements
 * dear to hand on, when sizes are evened out. These are of elements of two points. */
static void weigh_sizes(const mosaic_pins *pins, mosaic_schedule *schedule) {
    const double half = (double)pins->n_pins / (2 * (double)pins->n_elements);
    for (int i = 0; i < 2; ++i)
        schedule->sizes[i] *= half * half;
}

/* How many times as long solids by nodes and the like are annealed, elements of many points, most
 * of which no heat moves; 0: they are none. */
static double many_pointed(const mosaic_blocks *blocks) {
    const double points = (double)blocks->pins->n_pins / (double)blocks->pins->n_elements;
    if (blocks->dimension <= 2 || points <= NODES_POINTS)
        return 0;
    return NODES_LONGER * fmax(points - NODES_FEW, 1);
}

/* True of triangles by nodes and the like, and of pairs of neighbours. */
static bool is_fanned(const mosaic_pins *pins) {
    return mosaic_pins_are_links(pins) || mosaic_pins_fan(pins);
}

/* True of triangles by nodes and the like that are annealed by the map. */
static bool fans_out(const mosaic_blocks *blocks, const mosaic_effort *effort) {
    return effort->probes && blocks->dimension == 2 && !blocks->sampled && longer_of(blocks) <= 1 &&
           !mosaic_pins_are_links(blocks->pins) && mosaic_pins_fan(blocks->pins);
}

/* Picks the schedule by which blocks are annealed by the map, and how many times as long: pairs of
 * neighbours, many points, few elements, triangles by nodes; all others begin with a short round,
 * which tells ways apart. */
static void choose_schedule(const mosaic_blocks *blocks, mosaic_length *length) {
    const double longer = longer_of(blocks);
    const bool whole = !blocks->sampled, as_usual = whole && longer <= 1;
    const double nodes = as_usual ? many_pointed(blocks) : 0;
    if (mosaic_pins_are_links(blocks->pins)) {
        length->schedule = BY_MAP_LINKS;
        length->trials *= fmax(longer, LINKS_LONGER);
    } else if (nodes > 0) {
        length->schedule = BY_MAP_NODES;
        length->trials *= nodes;
    } else if (longer > 1) {
        length->schedule = BY_MAP_LONG;
        length->trials *= longer;
    } else if (blocks->dimension == 2 && is_fanned(blocks->pins)) {
        const bool small = whole && blocks->block_size <= FAN_SMALL;
        length->schedule = small ? BY_MAP_FANNED_SMALL : BY_MAP_FANNED;
        length->trials *= blocks->n_blocks <= FAN_FEW ? FAN_LONGER : 1;
    } else {
        const bool many = mosaic_pins_exceed(blocks->pins, NODES_POINTS);
        const double shorter = many ? FIRST_SHORTER_MANY : FIRST_SHORTER;
        length->schedule = many ? BY_MAP_MANY : are_torn_edges(blocks) ? BY_MAP_TORN : BY_MAP;
        length->trials *= whole ? shorter : 1;
    }
}

/* True where blocks are so few that more rounds take little time, and all is a matter of luck:
 * those of few elements and of channels are annealed for long as it is. */
static bool lingers(const mosaic_blocks *blocks, const mosaic_effort *effort) {
    return effort->lingers && blocks->n_blocks <= LINGER_BLOCKS && !blocks->sampled &&
           longer_of(blocks) <= 1;
}

/* Makes more rounds of a schedule, which end when they save next to nothing. */
static void linger(const mosaic_blocks *blocks, mosaic_schedule *schedule) {
    const int32_t n = blocks->n_blocks;
    schedule->rounds += n <= MOSAIC_GROUP_BLOCKS ? FEW_ROUNDS_ALONE
                        : n <= FEW_BLOCKS        ? FEW_ROUNDS
                                                 : LINGER_ROUNDS;
    schedule->least = FEW_LEAST;
    schedule->enough = FEW_ENOUGH;
}

static mosaic_schedule map_schedule(const mosaic_blocks *blocks, const mosaic_limits *limits,
                                    const mosaic_effort *effort) {
    mosaic_length length = effort->by_map;
    if (effort->probes)
        choose_schedule(blocks, &length);
    else if (mosaic_pins_are_links(blocks->pins))
        length.schedule = BY_MAP_LINKS;
    mosaic_schedule schedule = schedule_of(&length);
    const bool usual = length.schedule == BY_MAP || length.schedule == BY_MAP_TORN;
    const bool brief = !effort->ways && are_torn_edges(blocks);
    if (!effort->probes || brief) /* every round is long, or none is to be */
        schedule.grow = 1;
    else if (usual && blocks->dimension <= 2 && blocks->n_blocks <= FAN_FEW)
        schedule.grow = GROW_OF_FEW;
    if (effort->probes && blocks->n_blocks - limits->first_block <= POLISH_LONG)
        schedule.trials *= POLISH_LONGER;
    if (usual && length.rounds == 1)
        schedule.trials *= torn_longer(blocks);
    if (length.schedule == BY_MAP_NODES)
        weigh_sizes(blocks->pins, &schedule);
    return schedule;
}

/* Joins blocks that are in pieces, where that costs no point. */
static tess_status join_pieces(mosaic_blocks *blocks, const mosaic_limits *limits,
                               const mosaic_effort *effort, uint64_t seed) {
    mosaic_annealed annealed;
    mosaic_schedule still = schedule_of(&effort->by_map);
    if (!effort->by_map.rounds)
        return TESS_OK;
    still.first = JOIN_FROM;
    still.rounds = JOIN_FROM + 1;
    still.trials = 0;
    return mosaic_anneal(blocks, limits, &still, seed, &annealed);
}

/* True where pairs gain enough by exchange after annealing: few elements, nets of channels, pairs
 * of neighbours that are cut, and in 2D elements of many points, which heat hands on more seldom.
 */
static bool exchanges_last(const mosaic_blocks *blocks) {
    const mosaic_pins *const pins = blocks->pins;
    return longer_of(blocks) > 1 || mosaic_pins_are_links(pins) ||
           (blocks->dimension <= 2 && mosaic_pins_exceed(pins, FAN_POINTS));
}

/* Annealing in groups from the round on that was not made yet, and exchange. */
static tess_status anneal_map(mosaic_blocks *blocks, const mosaic_limits *limits,
                              const mosaic_effort *effort, uint64_t seed, mosaic_polished *so_far) {
    int64_t saved = 0;
    mosaic_annealed annealed = {0};
    mosaic_probe probe = {.gain = 1};
    mosaic_schedule schedule = map_schedule(blocks, limits, effort);
    const int32_t n_blocks = blocks->n_blocks - limits->first_block;
    const bool exchanges = !effort->probes || exchanges_last(blocks);
    const bool few = lingers(blocks, effort);
    schedule.first = so_far->rounds;
    if (few)
        linger(blocks, &schedule);
    if (!so_far->still || few) {
        TRY(mosaic_anneal(blocks, limits, &schedule, seed, &annealed));
        so_far->rounds = schedule.rounds;
        so_far->still = annealed.still;
    }
    so_far->ended = so_far->still && !exchanges;
    if (annealed.little)
        TRY(join_pieces(blocks, limits, effort, seed));
    if (!effort->last_sweeps.n || !exchanges)
        return TESS_OK;
    const bool fans = fans_out(blocks, effort);
    if (effort->probes && n_blocks > POLISH_FEW)
        TRY(mosaic_probe_take(blocks, limits->first_block, PROBE_RUNS, &probe));
    if (probe.gain < (fans ? SWEEP_WORTHWHILE_FANNED : SWEEP_WORTHWHILE))
        return TESS_OK;
    return mosaic_sweep(blocks, limits, fans ? &mosaic_fanned_sweeps : &effort->last_sweeps,
                        &saved);
}

static tess_status polish_map(mosaic_blocks *blocks, const mosaic_limits *limits,
                              const mosaic_effort *effort, uint64_t seed, bool pays,
                              mosaic_polished *so_far) {
    bool anneals = true;
    if (!so_far->rounds)
        TRY(begin_map(blocks, limits, effort, seed, pays || mosaic_blocks_are_torn(blocks),
                      &anneals));
    so_far->ended = !anneals;
    return anneals ? anneal_map(blocks, limits, effort, seed, so_far) : TESS_OK;
}

/* The same of regular meshes: exchange in pairs where a probe says that it gains much, and all that
 * others get where it says that fronts are ragged none the less, or where one group of a few gains
 * by annealing. */
static tess_status polish_regular(mosaic_blocks *blocks, const mosaic_limits *limits,
                                  const mosaic_effort *effort, uint64_t seed,
                                  mosaic_polished *so_far) {
    mosaic_probe probe = {0};
    bool pays = false;
    int64_t saved = 0;
    if (so_far->rounds)
        return polish_map(blocks, limits, effort, seed, true, so_far);
    TRY(mosaic_probe_take(blocks, limits->first_block, PROBE_RUNS_REGULAR, &probe));
    if (probe.ragged >= POLISH_RAGGED || mosaic_blocks_are_torn(blocks))
        return polish_map(blocks, limits, effort, seed, false, so_far);
    const bool torn = blocks->in_pieces > TORN_PART;
    if (torn || probe.gain >= SWEEP_WORTHWHILE_REGULAR)
        TRY(mosaic_sweep(blocks, limits, &effort->sweeps, &saved));
    if (has_time_for_group(blocks->n_blocks - limits->first_block, effort))
        TRY(try_annealing(blocks, limits, effort, seed, &pays));
    if (pays)
        return polish_map(blocks, limits, effort, seed, true, so_far);
    so_far->ended = true;
    return torn ? join_pieces(blocks, limits, effort, seed) : TESS_OK;
}

/* How blocks that coordinates cut are annealed: those of pairs of neighbours hotter and longer,
 * elements of many points in 2D hotter. */
static mosaic_schedule located_schedule(const mosaic_pins *pins, const mosaic_effort *effort,
                                        bool solid, bool fanned) {
    mosaic_length length = solid ? effort->solid : fanned ? effort->fanned : effort->flat;
    if (mosaic_pins_are_links(pins)) {
        length.schedule = solid ? SOLID_LINKS : FANNED_LINKS;
        length.trials *= LINKS_LONGER_LOCATED;
    } else if (!solid && mosaic_pins_stack(pins))
        length.schedule = FLAT_MANY;
    return schedule_of(&length);
}

/* The larger blocks are, the longer they take to settle, up to a size where few elements are at
 * borders; few blocks take little time, and one group all of its rounds. */
static void lengthen(const mosaic_blocks *blocks, bool fanned, mosaic_schedule *schedule) {
    const int32_t size = settling_size(blocks);
    schedule->passes += schedule->passes * size / SETTLE_TWICE;
    if (fanned)
        schedule->trials += schedule->trials * size / FAN_TWICE;
    if (fanned && blocks->n_blocks <= FAN_FEW)
        schedule->trials *= FAN_LONGER;
    if (blocks->n_blocks <= MOSAIC_GROUP_BLOCKS)
        schedule->enough = 0;
}

/* The same where centroids are known: blocks become round, then save points. In 3D a round more
 * gains more than exchanges do; in 2D these gain most where a round is left out. One group takes
 * one round of trials, in 2D twice as long. */
static tess_status polish_located(mosaic_blocks *blocks, const mosaic_limits *limits,
                                  const mosaic_effort *effort, uint64_t seed,
                                  mosaic_polished *so_far) {
    const bool solid = blocks->dimension > 2, fanned = !solid && is_fanned(blocks->pins);
    int64_t saved = 0;
    mosaic_annealed annealed = {0};
    mosaic_schedule schedule = located_schedule(blocks->pins, effort, solid, fanned);
    const int rounds = schedule.rounds;
    const bool few = lingers(blocks, effort);
    if (schedule.trials > 0 && blocks->n_blocks <= MOSAIC_GROUP_BLOCKS) {
        schedule.trials *= solid ? schedule.rounds : ALONE_LONGER * schedule.rounds;
        schedule.rounds = 1;
        schedule.first = so_far->rounds >= rounds;
    } else
        schedule.first = so_far->rounds;
    lengthen(blocks, fanned, &schedule);
    if (few && schedule.rounds > 1)
        linger(blocks, &schedule);
    if (solid)
        weigh_sizes(blocks->pins, &schedule);
    if (!so_far->still || few) {
        TRY(mosaic_anneal(blocks, limits, &schedule, seed, &annealed));
        so_far->rounds = rounds;
        so_far->still = annealed.still;
    }
    if (schedule.rounds > 0 && (solid || !effort->last_sweeps.n || !exchanges_last(blocks)))
        return TESS_OK;
    mosaic_limits borders = *limits;
    borders.at_borders = !mosaic_pins_are_links(blocks->pins);
    return mosaic_sweep(blocks, &borders, &effort->coordinate_sweeps, &saved);
}

mosaic_effort mosaic_round_more(const mosaic_effort *so_far, const mosaic_effort *given) {
    mosaic_effort more = *given;
    more.by_map.rounds = so_far->by_map.rounds + 1;
    more.flat.rounds = so_far->flat.rounds + 1;
    more.fanned.rounds = so_far->fanned.rounds + 1;
    more.solid.rounds = so_far->solid.rounds + 1;
    more.last_sweeps.n = more.coordinate_sweeps.n = 0;
    more.lingers = false;
    return more;
}

tess_status mosaic_polish(mosaic_blocks *blocks, const mosaic_limits *limits,
                          const mosaic_effort *effort, uint64_t seed, mosaic_polished *so_far) {
    if (so_far->ended && !(so_far->still && lingers(blocks, effort)))
        return TESS_OK;
    if (blocks->centroid)
        return polish_located(blocks, limits, effort, seed, so_far);
    /* so few blocks lie more at the sides of a mesh than between fronts */
    const bool regular = blocks->regular && blocks->n_blocks > MOSAIC_GROUP_BLOCKS;
    return regular && effort->probes ? polish_regular(blocks, limits, effort, seed, so_far)
                                     : polish_map(blocks, limits, effort, seed, false, so_far);
}

/* The mosaic partitioner: exact small blocks cut from the map itself, then made better in pairs and
 * groups. docs/mosaic.md tells the algorithm; its steps are called in their order in `partition`.
 */
#include "core/base/array.h"
#include "core/base/interrupt.h"
#include "core/plan/graph.h"
#include "partitioners/mosaic/anneal.h"
#include "partitioners/mosaic/bisect.h"
#include "partitioners/mosaic/candidate.h"
#include "partitioners/mosaic/clash.h"
#include "partitioners/mosaic/corner.h"
#include "partitioners/mosaic/links.h"
#include "partitioners/mosaic/outcome.h"
#include "partitioners/mosaic/sample.h"
#include "partitioners/mosaic/stray.h"
#include "partitioners/mosaic/target.h"
#include "partitioners/partitioner.h"
#include "partitioners/refine.h"

#include <math.h>
#include <stdlib.h>

static const tess_option options[] = {
    TESS_INT_OPTION("effort", TESS_DIGITS(MOSAIC_EFFORT), 0, MOSAIC_EFFORT_LARGEST,
                    "0: one linear pass; 1, 2: some annealing; 3: other cuts, too; 4 to 6: longer"),
    TESS_REAL_OPTION(
        "shape", "1", 0, 1,
        "part of the blocks that are bricks, not pencils: more reuse, more thread colours"),
    TESS_REAL_OPTION("colours", "0", 0, 65535,
                     "widest blocks of no more thread colours in the mean; 0: any"),
    TESS_REAL_OPTION("reuse", "0", 0, 65535,
                     "narrowest blocks that reach this reuse factor; 0: as much as can be"),
    TESS_INT_OPTION("max_points", "0", 0, INT32_MAX,
                    "distinct points of a block at most (shared memory); 0: any"),
    TESS_CHOICE_OPTION(
        "cut", "best", "best|slabs|halves",
        "slabs of slabs, halves of halves, or what is better on a sample of the mesh"),
    TESS_OPTION_SEED,
    {.key = NULL}};

/* What is asked for. */
typedef struct request {
    const mosaic_effort *effort;
    mosaic_cut cut;
    mosaic_target target;
    double shape;
    int32_t max_points;
    bool any_cut;  /* which cut, and how wide, is found out */
    bool compared; /* with what another effort gives */
    bool channels; /* halves are those of a net of channels */
    bool simply;   /* halves are cut in one direction, as the samples that spoke for these */
    bool sampled;  /* it is a part of a mesh that is cut to try a way */
    uint64_t seed;
} request;

/* True where blocks other than the best are asked for. */
static bool is_turned(const request *asked) {
    return asked->target.colours > 0 || asked->target.reuse > 0 || asked->shape < 1;
}

static bool is_plain(const request *asked) {
    return !is_turned(asked) && !asked->max_points;
}

/* What an effort asks of the cut. */
static void set_effort(request *asked, const mosaic_effort *effort) {
    asked->effort = effort;
    asked->cut.tries = effort->tries;
    asked->cut.smoothing = effort->smoothing;
    asked->cut.quick = is_plain(asked) && effort <= mosaic_efforts + 1;
    asked->cut.alike = is_plain(asked) && effort->coordinates;
    asked->cut.once = is_plain(asked) && !effort->ways;
    asked->cut.alone = is_plain(asked) && effort == mosaic_efforts;
}

/* Where walks set out, and what is random. */
static void set_seed(request *asked, uint64_t seed) {
    asked->seed = seed;
    asked->cut.from = (double)(seed % SEED_SHIFTS) / SEED_SHIFTS;
}

static tess_status request_parse(const tess_partition_problem *problem, const tess_spec *spec,
                                 request *asked) {
    *asked = (request){.cut = {.block_size = problem->block_size,
                               .multiple = problem->block_size,
                               .halves = tess_spec_is(spec, options, "cut", "halves"),
                               .tried = TRIED_BLOCKS},
                       .target = {.colours = tess_spec_real(spec, options, "colours"),
                                  .reuse = tess_spec_real(spec, options, "reuse")},
                       .shape = tess_spec_real(spec, options, "shape"),
                       .max_points = (int32_t)tess_spec_int(spec, options, "max_points"),
                       .any_cut = tess_spec_is(spec, options, "cut", "best")};
    const bool shaped = asked->shape < 1;
    set_seed(asked, tess_partitioner_seed(problem, spec, options));
    set_effort(asked, mosaic_efforts + tess_spec_int(spec, options, "effort"));
    if ((asked->target.colours > 0) + (asked->target.reuse > 0) + shaped > 1)
        FAIL(TESS_ERROR_USAGE, "mosaic: shape, colours and reuse turn the same knob: give one");
    if (asked->max_points && is_turned(asked))
        FAIL(TESS_ERROR_USAGE, "mosaic: max_points goes with bricks alone, not with shape, colours "
                               "or reuse");
    return TESS_OK;
}

static int64_t crowd_of(const tess_partition_problem *problem) {
    return (int64_t)CROWDED_BLOCKS * problem->block_size;
}

/* An order of which every cut.block_size elements are a block. */
typedef struct ordering {
    int32_t *position;         /* [n_elements] in the walked mesh */
    mosaic_centroid *centroid; /* [n_elements] where coordinates made the cut, else NULL */
    mosaic_choice chosen;
    int32_t first_brick; /* blocks before it are pencils */
} ordering;

/* Fills the order, and the size of its blocks. */
static tess_status order_elements(const mosaic_mesh *mesh, request *asked, ordering *order) {
    mosaic_cut *const cut = &asked->cut;
    int32_t *const position = order->position;
    bool met = false;
    if (mesh->by_coordinates)
        return mosaic_bisect(mesh, cut->block_size, position, &order->centroid);
    TRY(mosaic_choose(mesh, asked->any_cut, is_plain(asked), cut, position, &order->chosen));
    if (asked->target.colours > 0 || asked->target.reuse > 0)
        TRY(mosaic_target_search(mesh, &asked->target, cut, position, &met));
    if (asked->shape < 1)
        TRY(mosaic_order_turn(mesh, cut, asked->shape, position, &order->first_brick));
    else if (met) /* exchanges would undo what was asked for */
        asked->effort = mosaic_efforts;
    else if (!order->chosen.filled)
        TRY(mosaic_order_cut(mesh, cut, position));
    return asked->max_points ? mosaic_cap_shrink(mesh, asked->max_points, cut, position) : TESS_OK;
}

/* True where nothing follows the cut: all blocks are as good as balls, or it is made alone. */
static bool stays(const request *asked, const mosaic_choice *chosen) {
    const bool settled = chosen->settled && !chosen->torn && asked->effort->probes;
    return is_plain(asked) && (settled || (asked->cut.alone && !chosen->rough));
}

/* How a problem is cut: by the guesses of the algorithm, by halves, as an irregular mesh whatever
 * balls say, by slabs of slabs, by coordinates, or as it is numbered. In the order in which they
 * are tried: halves take the most memory, and come before there are two others to keep. */
typedef enum cutting { GUESSED, HALVED, IRREGULAR, SLABBED, BISECTED, NUMBERED } cutting;

/* The effort by which ways are compared: the best one's blocks are polished on. */
static const mosaic_effort *racing_effort(const request *asked) {
    const bool races = asked->effort == mosaic_efforts + MOSAIC_EFFORT ||
                       asked->effort == mosaic_efforts + MOSAIC_EFFORT - 1;
    return races && asked->any_cut && is_plain(asked) ? &mosaic_racing : asked->effort;
}

/* True where it is found out at once whether coordinates cut across layers. */
static bool is_checked(const request *asked) {
    return asked->cut.once && !asked->cut.alone;
}

/* Builds a mesh, by coordinates or not, and orders its elements. */
static tess_status order_by(const tess_partition_problem *problem, request *asked, cutting how,
                            bool trusted, mosaic_mesh *mesh, ordering *order) {
    const mosaic_walking walking = {.largest = asked->max_points ? INT64_MAX : crowd_of(problem),
                                    .shift = asked->cut.from,
                                    .irregular = how == IRREGULAR,
                                    .trusted = trusted,
                                    .doubted = asked->effort->ways,
                                    .checked = !asked->cut.alone};
    TRY(mosaic_mesh_build(problem, &walking, mesh));
    TRY(tess_interrupt_check());
    if (how == HALVED && !asked->simply && !mosaic_mesh_is_ragged(mesh))
        mosaic_cut_with_care(problem->n_elements, &asked->cut);
    TRY(order_elements(mesh, asked, order));
    return tess_interrupt_check();
}

/* The same, by the map where it turns out at once that coordinates cut across layers. */
static tess_status order_mesh(const tess_partition_problem *problem, request *asked, cutting how,
                              mosaic_mesh *mesh, ordering *order) {
    const bool trusted = asked->any_cut && asked->effort->coordinates && is_plain(asked);
    bool *const crossed = &order->chosen.crossed;
    TRY(order_by(problem, asked, how, trusted, mesh, order));
    if (mesh->by_coordinates && is_checked(asked))
        TRY(mosaic_choose_crossed(mesh, asked->cut.block_size, order->position, crossed));
    if (!*crossed)
        return TESS_OK;
    mosaic_mesh_clear(mesh);
    free(order->centroid);
    order->centroid = NULL;
    return order_by(problem, asked, how, false, mesh, order);
}

/* Polishes what a way cut, as long as ways are compared. Blocks that coordinates cut are doubted
 * where they have far more points than a ball (0: nobody asks), or are in pieces; in 3D, and where
 * samples tell what it is worth, before they are polished, too, which mends pieces, but not what
 * these cost. */
static tess_status polish_way(const request *asked, double ball, mosaic_candidate *made,
                              mosaic_outcome *came) {
    mosaic_blocks *const blocks = &made->blocks;
    const bool solid = blocks->dimension > 2, asks = ball > 0;
    bool before = false, nets;
    if (asks && (solid || mosaic_samples_of(made)))
        TRY(mosaic_choose_doubt(blocks, ball, TORN_PART, &before, &came->channels));
    else if (asks && !mosaic_pins_are_few(blocks->pins))
        TRY(mosaic_choose_doubt(blocks, INFINITY, TORN_PART_FEW, &before, &nets));
    if (!came->hopeless)
        TRY(mosaic_polish(blocks, &made->limits, racing_effort(asked), asked->seed,
                          &made->polished));
    if (asks && !(solid && before))
        TRY(mosaic_choose_doubt(blocks, ball, solid ? TORN_PART : TORN_PART_PLANE, &came->torn,
                                &came->channels));
    came->mended = before && !came->torn && !solid;
    came->torn = came->torn || before;
    return TESS_OK;
}

/* Cuts one way, and polishes as long as ways are compared. Pins are in the order of blocks: what a
 * block's elements have is together in memory. */
static tess_status cut_way(const tess_partition_problem *problem, request asked, cutting how,
                           mosaic_candidate *made, mosaic_outcome *came) {
    tess_status status = TESS_OK;
    mosaic_mesh mesh = {0};
    ordering order = {0};
    asked.any_cut = asked.any_cut && how != HALVED && how != SLABBED;
    asked.cut.halves = asked.cut.halves || how == HALVED;
    CHECK(TESS_ALLOC(problem->n_elements, &order.position));
    CHECK(order_mesh(problem, &asked, how, &mesh, &order));
    const bool judged = how == GUESSED && asked.any_cut && is_plain(&asked);
    const double ball = judged && mesh.by_coordinates ? mesh.ball.points : 0;
    if (judged)
        CHECK(mosaic_choose_judge(&mesh, &asked.cut, order.position, &order.chosen));
    *came = mosaic_outcome_of(&mesh, &asked.cut, &order.chosen, asked.effort);
    made->polished.ended = stays(&asked, &order.chosen);
    asked.effort = asked.cut.alone ? &mosaic_mending : asked.effort;
    const bool compared =
        asked.compared || how != GUESSED || mosaic_outcome_is_doubted(came, asked.effort);
    if (made->polished.ended && !compared) {
        mosaic_mesh_name(&mesh, order.position);
        made->chopped = (int32_t)asked.cut.block_size;
        goto done;
    }
    CHECK(mosaic_pins_permute(&mesh.pins, order.position, &made->pins));
    mosaic_mesh_name(&mesh, order.position);
    mosaic_mesh_clear(&mesh);
    CHECK(mosaic_blocks_chop(&made->pins, NULL, problem->block_size, asked.cut.block_size,
                             &made->blocks));
    if (asked.max_points)
        CHECK(mosaic_cap_points(&made->blocks, asked.max_points));
    made->blocks.regular = order.chosen.regular;
    made->blocks.in_pieces = order.chosen.pieces;
    made->blocks.channels = how == HALVED && asked.channels;
    made->blocks.sampled = asked.sampled;
    made->blocks.centroid = order.centroid;
    made->blocks.dimension = problem->dimension;
    made->limits = (mosaic_limits){.keep_sizes = !asked.max_points,
                                   .first_block = order.first_brick,
                                   .max_points = asked.max_points};
    CHECK(polish_way(&asked, ball, made, came));
    came->rhombic = came->rhombic && made->polished.rounds == 0;
done:
    made->element = order.position;
    made->centroid = order.centroid;
    mosaic_mesh_clear(&mesh);
    return status;
}

/* Fills a candidate with blocks that others made, polished. */
static tess_status polish_given(const tess_partition_problem *problem, const mosaic_limits *limits,
                                const request *asked, const int32_t *block_of,
                                mosaic_candidate *made) {
    TRY(mosaic_candidate_take(problem, crowd_of(problem), block_of, made));
    made->limits = *limits;
    if (limits->keep_sizes)
        TRY(mosaic_choose_torn(&made->blocks));
    return mosaic_polish(&made->blocks, limits, asked->effort, asked->seed, &made->polished);
}

/* Blocks of S elements of the order of a simpler way, polished. */
static tess_status cut_simply(const tess_partition_problem *problem, const request *asked,
                              cutting how, mosaic_candidate *made) {
    tess_status status = TESS_OK;
    const mosaic_limits limits = {.keep_sizes = true};
    const int64_t n = problem->n_elements;
    int32_t *order = NULL, *block_of = NULL;
    CHECK(TESS_ALLOC(n, &order));
    CHECK(TESS_ALLOC(n, &block_of));
    for (int64_t i = 0; i < n; ++i)
        order[i] = block_of[i] = (int32_t)i;
    const mosaic_mesh as_numbered = {.order = block_of,
                                     .pins.n_elements = n,
                                     .dimension = problem->dimension,
                                     .coordinates = problem->coordinates};
    if (how == BISECTED)
        CHECK(mosaic_bisect(&as_numbered, problem->block_size, order, NULL));
    for (int64_t i = 0; i < n; ++i)
        block_of[order[i]] = (int32_t)(i / problem->block_size);
    free(order);
    order = NULL;
    CHECK(polish_given(problem, &limits, asked, block_of, made));
done:
    free(order);
    free(block_of);
    return status;
}

/* The ways that are compared: the best one, and the better of the others that are close to it;
 * NULL: none is. */
typedef struct race {
    mosaic_candidate *best, *second;
} race;

/* Cuts and polishes another way. All that are kept are parked then, or as they were. */
static tess_status try_way(const tess_partition_problem *problem, const request *asked, cutting how,
                           race *all) {
    tess_status status = TESS_OK;
    mosaic_candidate *other = NULL;
    mosaic_outcome came;
    CHECK(mosaic_candidate_new(&other));
    CHECK(mosaic_candidate_park(all->best));
    CHECK(mosaic_candidate_park(all->second));
    CHECK(how == BISECTED || how == NUMBERED ? cut_simply(problem, asked, how, other)
                                             : cut_way(problem, *asked, how, other, &came));
    CHECK(mosaic_candidate_compare(&all->best, &other));
    if (all->second && !mosaic_candidate_is_close(all->best, all->second)) {
        mosaic_candidate_free(all->second);
        all->second = NULL;
    }
    if (mosaic_candidate_is_close(all->best, other) &&
        (!all->second || other->shared < all->second->shared)) {
        mosaic_candidate *const worse = all->second;
        all->second = other;
        other = worse;
    }
done:
    mosaic_candidate_free(other);
    return status;
}

/* Adds what the blocks that a way makes of a group of blocks have in common, and those of the
 * group. */
static tess_status cut_sample(const tess_partition_problem *problem, const request *asked,
                              cutting how, const mosaic_candidate *best, const int32_t *list,
                              double shared[2]) {
    tess_status status = TESS_OK;
    mosaic_sample sample = {0};
    mosaic_candidate *made = NULL;
    mosaic_outcome came;
    int64_t in_common = 0;
    CHECK(mosaic_candidate_new(&made));
    CHECK(mosaic_sample_take(problem, best, list, MOSAIC_GROUP_BLOCKS, &sample));
    CHECK(cut_way(&sample.problem, *asked, how, made, &came));
    CHECK(mosaic_blocks_shared(&made->blocks, &in_common));
    shared[0] += (double)in_common;
    shared[1] += sample.shared;
done:
    mosaic_candidate_free(made);
    mosaic_sample_clear(&sample);
    return status;
}

/* Whether halves or slabs are worth the time that they take for the whole mesh: by samples of the
 * best blocks so far, where these are many; as many as it takes to be sure. */
static tess_status try_samples(const tess_partition_problem *problem, request asked, cutting how,
                               const mosaic_candidate *best, double sure, bool *pays) {
    tess_status status = TESS_OK;
    const int n_samples = asked.effort->probes ? mosaic_samples_of(best) : 0;
    double shared[2] = {0, 0};
    bool clear = false;
    int32_t *list = NULL, group[SAMPLES_MOST];
    *pays = true;
    if (!n_samples)
        return TESS_OK;
    asked.sampled = true;
    CHECK(TESS_ALLOC(best->blocks.n_blocks, &list));
    CHECK(mosaic_groups_list(&best->blocks, 0, list));
    CHECK(mosaic_samples_pick(&best->blocks, list, n_samples, group));
    for (int n = 0; n < n_samples && !clear; ++n) {
        CHECK(
            cut_sample(problem, &asked, how, best, list + group[n] * MOSAIC_GROUP_BLOCKS, shared));
        const double over = shared[0] / shared[1] - sure, error = SAMPLE_ERROR / sqrt(n + 1);
        *pays = over < error;
        clear = over < 0 || over > 2 * error;
    }
done:
    free(list);
    return status;
}

static tess_status polish_on(const tess_partition_problem *problem, const request *asked,
                             mosaic_candidate *candidate) {
    TRY(mosaic_candidate_resume(problem, crowd_of(problem), candidate));
    return mosaic_polish(&candidate->blocks, &candidate->limits, asked->effort, asked->seed,
                         &candidate->polished);
}

/* The other ways where these may be better, polished as long as ways are compared. */
static tess_status try_other_ways(const tess_partition_problem *problem, request asked,
                                  const mosaic_outcome *came, race *all) {
    const bool ways = asked.effort->ways;
    bool beaten = false; /* by what was polished since: up to effort 2 one way is enough then */
    if (came->rival && !ways)
        TRY(mosaic_candidate_beats(all->best, came->to_beat, &beaten));
    const bool tried[] = {[IRREGULAR] = came->patchy,
                          [HALVED] = ways && (came->torn || came->channels || came->few),
                          [SLABBED] = ways && (came->halved || came->few || came->rhombic),
                          [BISECTED] = came->rival && !beaten,
                          [NUMBERED] = came->natural};
    const mosaic_candidate *const guessed = all->best;
    asked.effort = racing_effort(&asked);
    asked.channels = came->channels;
    asked.simply = came->promising;
    for (cutting how = HALVED; how <= NUMBERED; ++how) {
        bool pays = tried[how];
        const bool sampled = how == SLABBED || (how == HALVED && !came->hopeless);
        if (pays && !asked.channels && sampled) {
            TRY(mosaic_candidate_resume(problem, crowd_of(problem), all->best));
            TRY(try_samples(
                problem, asked, how, all->best,
                mosaic_samples_sure(&all->best->blocks, how == HALVED, came->ragged, came->mended),
                &pays));
        }
        if (pays)
            TRY(try_way(problem, &asked, how, all));
        if (tried[HALVED] && how == HALVED && came->hopeless && all->best == guessed) /* it won */
            TRY(polish_on(problem, &asked, all->best));
    }
    return TESS_OK;
}

/* Polishes the best blocks to the end. Where there are second best these make a round more, too,
 * and the better ones go on; or both do, where that round would not tell. What waits is parked. */
static tess_status end_race(const tess_partition_problem *problem, const request *asked,
                            race *all) {
    const mosaic_effort *const racing = racing_effort(asked);
    if (racing == asked->effort)
        return TESS_OK;
    if (!all->second)
        return polish_on(problem, asked, all->best);
    request longer = *asked;
    const bool both = mosaic_candidate_gains_late(all->best, all->second);
    const mosaic_effort more = mosaic_round_more(racing, asked->effort);
    longer.effort = both ? asked->effort : &more;
    TRY(mosaic_candidate_park(all->second));
    TRY(polish_on(problem, &longer, all->best));
    TRY(mosaic_candidate_park(all->best));
    TRY(polish_on(problem, &longer, all->second));
    TRY(mosaic_candidate_compare(&all->best, &all->second));
    mosaic_candidate_free(all->second);
    all->second = NULL;
    return both ? TESS_OK : polish_on(problem, asked, all->best);
}

/* Fills a new candidate: the best way's, polished as long as the effort allows. */
static tess_status take_best_way(const tess_partition_problem *problem, const request *asked,
                                 mosaic_candidate **out) {
    tess_status status = TESS_OK;
    race all = {NULL, NULL};
    mosaic_outcome came;
    CHECK(mosaic_candidate_new(&all.best));
    CHECK(cut_way(problem, *asked, GUESSED, all.best, &came));
    all.best->guessed = !came.crossed;
    if (asked->any_cut && is_plain(asked) && mosaic_outcome_is_doubted(&came, asked->effort))
        CHECK(try_other_ways(problem, *asked, &came, &all));
    CHECK(end_race(problem, asked, &all));
    CHECK(mosaic_candidate_resume(problem, crowd_of(problem), all.best));
    if (!all.best->chopped)
        CHECK(mosaic_target_tell(problem, &asked->target, &all.best->blocks));
    *out = all.best;
    all.best = NULL;
done:
    mosaic_candidate_free(all.best);
    mosaic_candidate_free(all.second);
    return status;
}

/* What an effort makes takes the place of the best so far where it is better; either may be parked.
 * *shared becomes what its blocks have in common, where that is less. */
static tess_status try_anew(const tess_partition_problem *problem, request asked,
                            const mosaic_effort *effort, mosaic_candidate **best, int64_t *shared) {
    tess_status status = TESS_OK;
    mosaic_candidate *other = NULL, *const before = *best;
    set_effort(&asked, effort);
    asked.compared = true;
    CHECK(mosaic_candidate_park(*best));
    CHECK(take_best_way(problem, &asked, &other));
    CHECK(mosaic_candidate_compare(best, &other));
    const int64_t made = (*best == before ? other : *best)->shared;
    *shared = made < *shared ? made : *shared;
done:
    mosaic_candidate_free(other);
    return status;
}

/* True of few blocks of solids by nodes that the map cuts: those of effort 0 are of another width.
 */
static bool differs_from_linear(const mosaic_candidate *best) {
    return best->blocks.dimension > 2 && !best->centroid &&
           best->blocks.n_blocks <= SAMPLE_BLOCKS && mosaic_pins_exceed(&best->pins, NODES_POINTS);
}

/* Lower efforts, where these may be better: long annealing starts from another cut, few blocks from
 * what chance gave, and other widths have fewer points before they are polished. More effort is
 * never worse; *shared becomes what the best of these have in common, where any is made. */
static tess_status try_lower_efforts(const tess_partition_problem *problem, const request *asked,
                                     mosaic_candidate **best, int64_t *shared) {
    const mosaic_effort *const usual = mosaic_efforts + MOSAIC_EFFORT;
    const mosaic_effort *effort = usual;
    if (!is_plain(asked) || asked->effort == mosaic_efforts || (*best)->chopped)
        return TESS_OK;
    if (mosaic_pins_are_few(&(*best)->pins) || (*best)->blocks.n_blocks <= COMPARED_BLOCKS ||
        !(*best)->guessed)
        effort = usual - 1;
    if (differs_from_linear(*best))
        TRY(try_anew(problem, *asked, mosaic_efforts, best, shared));
    for (; effort < asked->effort; ++effort)
        TRY(try_anew(problem, *asked, effort, best, shared));
    return mosaic_candidate_resume(problem, crowd_of(problem), *best);
}

/* True where many blocks stay in pieces, or many of a regular mesh were, as good as balls. */
static bool starts_again(const mosaic_blocks *blocks, double apart) {
    return apart > STRAYS_MANY || (blocks->regular && blocks->in_pieces > TORN_PART);
}

/* Joins pieces of blocks to those around. Where many stay, or were there, all is done once more by
 * another seed, at most twice, and taken where it has fewer points. */
static tess_status join_strays(const tess_partition_problem *problem, request asked,
                               mosaic_candidate **best) {
    double apart = 0;
    int64_t shared = INT64_MAX;
    TRY(mosaic_strays_join(&(*best)->blocks, &apart));
    for (int start = 0; start < STRAYS_STARTS && starts_again(&(*best)->blocks, apart); ++start) {
        set_seed(&asked, asked.seed + (start ? STRAYS_JUMP : 1));
        TRY(try_anew(problem, asked, asked.effort, best, &shared));
        TRY(mosaic_candidate_resume(problem, crowd_of(problem), *best));
        TRY(mosaic_strays_join(&(*best)->blocks, &apart));
    }
    return TESS_OK;
}

static tess_status partition(const tess_partition_problem *given, const tess_spec *spec,
                             int32_t *block_of) {
    tess_status status = TESS_OK;
    request asked;
    tess_partition_problem problem;
    tess_incidence links = {.index = NULL};
    mosaic_candidate *best = NULL;
    int64_t most = INT64_MAX;
    TRY(mosaic_blocks_fit(given, &problem));
    TRY(request_parse(&problem, spec, &asked));
    if (problem.n_elements == 0)
        return TESS_OK;
    const mosaic_effort *const usual = mosaic_efforts + MOSAIC_EFFORT;
    if (tess_graph_is_of_map(given) && is_plain(&asked))
        CHECK(mosaic_links_build(&problem, &links));
    CHECK(take_best_way(&problem, &asked, &best));
    CHECK(try_lower_efforts(&problem, &asked, &best, &most));
    if (asked.effort >= usual && is_plain(&asked) && !links.index && !best->chopped)
        CHECK(join_strays(&problem, asked, &best));
    if (best->polished.rounds > 0 && is_plain(&asked) && !links.index) {
        CHECK(mosaic_corners_ease(&best->blocks, most)); /* may cost less than a round saves */
        if (asked.effort >= usual)
            CHECK(mosaic_clashes_ease(&best->blocks, most));
    }
    mosaic_candidate_give(best, problem.n_elements, block_of);
done:
    mosaic_candidate_free(best);
    tess_incidence_clear(&links);
    return status;
}

const tess_partitioner tess_partitioner_mosaic = {
    .name = "mosaic",
    .summary = "blocks of exactly S elements from the map alone: flat fronts, then exchange "
               "in pairs and annealing",
    .reference = "docs/mosaic.md",
    .options = options,
    .partition = partition};

tess_status tess_refine(const tess_partition_problem *given, int32_t *block_of, int effort) {
    tess_status status = TESS_OK;
    const mosaic_limits limits = {.keep_sizes = false};
    mosaic_candidate *made = NULL;
    const int level = effort < 0                       ? 0
                      : effort > MOSAIC_EFFORT_LARGEST ? MOSAIC_EFFORT_LARGEST
                                                       : effort;
    tess_partition_problem problem;
    tess_incidence links = {.index = NULL};
    TRY(mosaic_blocks_fit(given, &problem));
    if (problem.n_elements == 0)
        return TESS_OK;
    if (tess_graph_is_of_map(given))
        CHECK(mosaic_links_build(&problem, &links));
    const request asked = {.effort = mosaic_efforts + level};
    CHECK(mosaic_candidate_new(&made));
    CHECK(polish_given(&problem, &limits, &asked, block_of, made));
    mosaic_candidate_give(made, problem.n_elements, block_of);
done:
    mosaic_candidate_free(made);
    tess_incidence_clear(&links);
    return status;
}

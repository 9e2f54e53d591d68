/* Choices: ways to cut are tried on a sample of the mesh, widths of regular ones judged by balls.
 */
#include "partitioners/mosaic/choose.h"
#include "core/base/array.h"
#include "partitioners/mosaic/bisect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ways that are tried: the width over a ball's, as it is or rounded to whole levels (fronts of
 * structured meshes are flat), and the part of the points so far that it must stay below (heights
 * take longer). Coordinates are tried so on small meshes alone; see try_coordinates. */
static const struct {
    double width, below;
    double (*rounded)(double);
    bool halves, coordinates;
} ways[] = {{1, 1, NULL, false, false},
            {WAY_NARROWER, WAY_CLEAR, NULL, false, false},
            {WAY_NARROWEST, WAY_CLEAR, NULL, false, false},
            {1, WAY_CLEAR, floor, false, false},
            {1, WAY_CLEAR, ceil, false, false},
            {1, WAY_HALVES_CLEAR, NULL, true, false},
            {1, 1, NULL, true, true}};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

/* What samples are cut with, and what comes out. */
typedef struct sampling {
    const mosaic_mesh *mesh;
    mosaic_cut cut;
    mosaic_cutter cutter;
} sampling;

/* Cuts a part of the mesh and adds its blocks. */
static tess_status sample_part(sampling *now, mosaic_part part, mosaic_tally *sum) {
    const int32_t *local = NULL;
    TRY(mosaic_cut_part(&now->mesh->pins, &now->cut, part, &now->cutter, &local));
    mosaic_walk_tally(&now->cutter.slab.walk, local, part.n, now->cut.block_size, sum);
    return TESS_OK;
}

/* Of a large slab that is halved a compact part is enough: what a walk across it comes to first. */
static tess_status sample_slab(sampling *now, mosaic_part slab, mosaic_tally *sum) {
    int32_t *list = NULL;
    mosaic_walk *walk = &now->cutter.slab.walk;
    const int64_t n = PART_BLOCKS * now->cut.block_size;
    if (!now->cut.halves || slab.n <= n)
        return sample_part(now, slab, sum);
    TRY(mosaic_piece_fill(&now->mesh->pins, slab, &now->cutter.slab));
    mosaic_walk_across(walk, 0, slab.n, mosaic_walk_inside(0, now->cut.from));
    TRY(TESS_ALLOC(n, &list));
    for (int64_t i = 0; i < n; ++i)
        list[i] = (int32_t)slab.first + walk->order[i];
    const tess_status status = sample_part(now, (mosaic_part){.list = list, .n = n}, sum);
    free(list);
    return status;
}

/* Levels from `level` on, of which only whole blocks are compared. */
static mosaic_part slab_at(const mosaic_mesh *mesh, int32_t level, int32_t thickness,
                           int64_t block_size) {
    const int32_t first = mesh->level[level], n = mesh->level[level + thickness] - first;
    return (mosaic_part){.first = first, .n = n > block_size ? n - n % block_size : n};
}

/* Samples of slabs of cut.width levels, spread evenly over the mesh: as many as hold SAMPLE_BLOCKS
 * blocks, on small meshes SAMPLE_PART-th of them. Adds those from `from` on, every `step`-th. */
static tess_status sample_cut(sampling *now, int from, int step, mosaic_tally *sum) {
    const mosaic_mesh *mesh = now->mesh;
    const int32_t thickness = (int32_t)fmin(mesh->n_levels, round(now->cut.width));
    const double n_slabs = (double)mesh->n_levels / thickness;
    const double n_blocks = (double)mesh->pins.n_elements / (double)now->cut.block_size;
    const double n_wanted = fmin(SAMPLE_BLOCKS, fmax(SAMPLE_FEWEST, n_blocks / SAMPLE_PART));
    const double wanted = fmin(n_slabs / SAMPLE_SLABS_PART, n_slabs * n_wanted / n_blocks);
    const int n_samples = (int)fmax(1, wanted);
    for (int s = from; s < n_samples; s += step) {
        const int64_t gap = mesh->n_levels - thickness;
        const int32_t level = (int32_t)((double)gap * (s + 0.5) / n_samples);
        TRY(sample_slab(now, slab_at(mesh, level, thickness, now->cut.block_size), sum));
    }
    return TESS_OK;
}

/* True where slabs of one width are cut, and samples are asked about no other way: meshes in 2D
 * that are not regular, and solids and closed surfaces by elements of few points, of which
 * annealing takes most of the difference. */
static bool is_cut_at_once(const mosaic_mesh *mesh, const mosaic_cut *cut) {
    const bool plane = mesh->dimension == 2 && !mesh->regular && !cut->alone;
    const bool solid = mesh->dimension > 2 && !mosaic_pins_exceed(&mesh->pins, NODES_POINTS);
    return cut->alike && (plane || solid) && !mosaic_pins_are_few(&mesh->pins);
}

/* Cuts the whole mesh. */
static tess_status cut_whole(const mosaic_mesh *mesh, const mosaic_cut *cut, int32_t *order,
                             mosaic_tally *sum) {
    TRY(mosaic_order_cut(mesh, cut, order));
    return mosaic_order_tally(mesh, order, cut->block_size, sum);
}

static void keep_order(const mosaic_mesh *mesh, const int32_t *trial, int32_t *order) {
    memcpy(order, trial, (size_t)mesh->pins.n_elements * sizeof *order);
}

/* The cut of way i; false where the mesh lacks what it needs, or another way is the same. */
static bool way_of(const mosaic_mesh *mesh, int i, mosaic_cut *cut) {
    const double width = mesh->ball.width * ways[i].width;
    cut->halves = ways[i].halves;
    cut->coordinates = ways[i].coordinates;
    cut->width = fmax(1, ways[i].rounded ? ways[i].rounded(width) : width);
    const bool same = ways[i].rounded && (width == floor(width) || width > WAY_WIDE);
    return !same && (mesh->dimension > 0 || !ways[i].coordinates);
}

/* True of ways that seldom win: what they take is worth more for annealing. */
static bool is_slow(int i) {
    return ways[i].halves || ways[i].rounded;
}

/* Tries all ways on the whole mesh, or those that are quick, and compares what blocks have in
 * common; `order` is the best one's. */
static tess_status choose_whole(const mosaic_mesh *mesh, mosaic_cut *cut, int32_t *order) {
    tess_status status = TESS_OK;
    const double weight = (double)mosaic_weight_of_all(&mesh->pins);
    const bool quick = cut->once && !mosaic_pins_are_few(&mesh->pins);
    int32_t *trial = NULL;
    double least = INFINITY;
    mosaic_cut tried = *cut;
    CHECK(TESS_ALLOC(mesh->pins.n_elements, &trial));
    for (int i = 0; i < N_WAYS; ++i) {
        mosaic_tally sum = {0};
        if ((quick && is_slow(i)) || !way_of(mesh, i, &tried))
            continue;
        CHECK(cut_whole(mesh, &tried, trial, &sum));
        if (sum.points - weight >= least * ways[i].below)
            continue;
        least = sum.points - weight;
        *cut = tried;
        keep_order(mesh, trial, order);
    }
done:
    free(trial);
    return status;
}

/* Coordinates, or heights? Cuts the whole mesh by the first, a few compact parts of it by the
 * second, and keeps the order where it is as good: heights take ten times as long. Not where slabs
 * have fewer points: `slabs` of an element. */
static tess_status try_coordinates(const mosaic_mesh *mesh, double slabs, mosaic_cut *cut,
                                   int32_t *order) {
    tess_status status = TESS_OK;
    sampling now = {.mesh = mesh, .cut = *cut};
    const int64_t n = PART_BLOCKS * cut->block_size, n_parts = mesh->pins.n_elements / n;
    mosaic_tally by_coordinates = {0}, by_heights = {0};
    cut->coordinates = true;
    CHECK(mosaic_order_cut(mesh, cut, order));
    for (int i = 0; i < PARTS; ++i) {
        const mosaic_part part = {.list = order + n_parts * (2 * i + 1) / (2 * PARTS) * n, .n = n};
        mosaic_walk *const walk = &now.cutter.slab.walk;
        CHECK(mosaic_piece_fill(&mesh->pins, part, &now.cutter.slab));
        mosaic_walk_tally(walk, walk->order, n, cut->block_size, &by_coordinates);
        CHECK(sample_part(&now, part, &by_heights));
    }
    cut->coordinates = by_coordinates.points < PART_NEAR * by_heights.points &&
                       by_coordinates.points < slabs * by_coordinates.elements;
done:
    mosaic_cutter_clear(&now.cutter);
    return status;
}

/* True where slabs that are mended are worth the time of an exchange: not of elements of many
 * points, which are dear to move. */
static bool is_mended(const mosaic_pins *pins, const mosaic_cut *cut) {
    return cut->alone && !mosaic_pins_exceed(pins, NODES_POINTS);
}

/* The cut of way i, where a sample is to tell about it: not coordinates, nor halves where slabs
 * come first in any case: no other ways follow, and these are not mended in place of halves. */
static bool sampled_way_of(const mosaic_mesh *mesh, int i, mosaic_cut *cut) {
    const bool halves = !cut->once || is_mended(&mesh->pins, cut);
    return !ways[i].coordinates && (halves || !ways[i].halves) && way_of(mesh, i, cut);
}

/* Tries all ways on a part of the sample, those that come near the best one on the rest of it.
 * *slabs: the best of those that cut no halves; points: of an element, of the best way and of
 * these. */
static tess_status choose_sampled(const mosaic_mesh *mesh, mosaic_cut *cut, mosaic_cut *slabs,
                                  double points[2]) {
    tess_status status = TESS_OK;
    sampling now = {.mesh = mesh, .cut = *cut};
    mosaic_tally sums[N_WAYS] = {0};
    double least = INFINITY;
    for (int i = 0; i < N_WAYS; ++i)
        if (sampled_way_of(mesh, i, &now.cut)) {
            CHECK(sample_cut(&now, 0, SAMPLE_RACE, sums + i));
            least = fmin(least, sums[i].points / sums[i].elements);
        }
    const double near = least * RACE_NEAR;
    points[0] = points[1] = INFINITY;
    for (int i = 0; i < N_WAYS; ++i) {
        if (!sampled_way_of(mesh, i, &now.cut) || sums[i].points / sums[i].elements > near)
            continue;
        for (int part = 1; part < SAMPLE_RACE; ++part)
            CHECK(sample_cut(&now, part, SAMPLE_RACE, sums + i));
        const double own = sums[i].points / sums[i].elements;
        if (own >= points[0] * ways[i].below)
            continue;
        points[0] = own;
        points[1] = now.cut.halves ? points[1] : own;
        cut->halves = now.cut.halves;
        cut->width = now.cut.width;
        *slabs = cut->halves ? *slabs : *cut;
    }
done:
    mosaic_cutter_clear(&now.cutter);
    return status;
}

/* True of solids and closed surfaces where such slabs are annealed, and no other way is tried. */
static bool takes_first(const mosaic_mesh *mesh, const mosaic_cut *cut) {
    return mesh->dimension > 2 && is_cut_at_once(mesh, cut) && cut->once && !cut->alone;
}

/* True in 2D where bricks by coordinates that are not as good as the map are not looked at. */
static bool trusts_map(const mosaic_mesh *mesh, const mosaic_cut *cut) {
    return cut->quick && mesh->dimension == 2 && !mesh->round && !mosaic_pins_are_few(&mesh->pins);
}

/* Such slabs have no rival where they are annealed alone, which makes more of them than of bricks,
 * but where they are few and torn; nor has what was cut since coordinates cut across layers. */
static bool has_rival(const mosaic_mesh *mesh, const mosaic_cut *cut, const mosaic_choice *chosen) {
    const bool few_torn = mosaic_cut_is_small(mesh, cut) && chosen->pieces > TORN_JOINED;
    return mesh->dimension > 0 && !chosen->crossed && !(cut->quick && chosen->settled) &&
           !trusts_map(mesh, cut) && (!takes_first(mesh, cut) || few_torn);
}

/* Points of a rival over those of an order, at most. */
static double rival_limit(const mosaic_mesh *mesh, const mosaic_cut *cut) {
    if (takes_first(mesh, cut))
        return RIVAL_CLEAR;
    return cut->quick ? RIVAL_NEAR_QUICK : RIVAL_NEAR;
}

/* Slabs of a regular mesh stay as wide as was found before, and an order that holds them stays. */
static void cut_at_once(const mosaic_mesh *mesh, mosaic_cut *cut, mosaic_choice *chosen) {
    if (!mesh->regular)
        cut->width = fmax(1, mesh->ball.width * WAY_NARROWEST);
    chosen->rough = cut->alone && (!mesh->regular || mosaic_cut_is_small(mesh, cut));
}

/* Whichever cut, and whichever width of slabs, gives the fewest points; but slabs first, in half of
 * the time, where samples speak for halves. */
static tess_status choose_way(const mosaic_mesh *mesh, mosaic_cut *cut, int32_t *order,
                              mosaic_choice *chosen) {
    mosaic_cut tried = *cut, slabs = *cut;
    double points[2] = {0, 0};
    tried.tries = tried.tries_beyond = 1;
    const bool small = mosaic_cut_is_small(mesh, cut);
    if (is_cut_at_once(mesh, cut)) {
        cut_at_once(mesh, cut, chosen);
        return TESS_OK;
    }
    chosen->rough = small && cut->alone && !mosaic_pins_are_few(&mesh->pins);
    if (chosen->rough)
        return TESS_OK;
    TRY(small ? choose_whole(mesh, &tried, order) : choose_sampled(mesh, &tried, &slabs, points));
    cut->halves = tried.halves;
    cut->coordinates = tried.coordinates;
    cut->width = tried.width;
    chosen->filled = small && (cut->tries == 1 || !cut->halves);
    if (!small && cut->halves && mesh->dimension > 0) {
        TRY(try_coordinates(mesh, points[1], cut, order));
        chosen->filled = cut->coordinates;
    }
    chosen->promising = !small && cut->halves && !cut->coordinates;
    chosen->rough = chosen->promising && is_mended(&mesh->pins, cut);
    if (chosen->promising) {
        cut->halves = false;
        cut->width = slabs.width;
    }
    return TESS_OK;
}

/* Cuts a few slabs of a regular mesh. */
static tess_status sample_regular(sampling *now, mosaic_tally *sum) {
    const mosaic_mesh *mesh = now->mesh;
    const int32_t thickness = (int32_t)fmin(mesh->n_levels, now->cut.width);
    for (int s = 0; s < REGULAR_SLABS && sum->blocks < REGULAR_SLAB_BLOCKS; ++s) {
        const int64_t gap = mesh->n_levels - thickness;
        const int32_t level = (int32_t)(gap * REGULAR_EIGHTHS[s] / 8);
        TRY(sample_part(now, slab_at(mesh, level, thickness, now->cut.block_size), sum));
    }
    return TESS_OK;
}

/* True of edges by cells of triangles, of which a point has three. */
static bool are_sides_of_triangles(const mosaic_pins *pins) {
    return !mosaic_pins_crowd(pins, TORN_CROWDED) && !mosaic_pins_exceed(pins, FAN_POINTS);
}

/* True where blocks in 2D may have fewer points than balls: edges of triangles by nodes, and where
 * there is time for it edges by cells. */
static bool balls_are_beaten(const mosaic_mesh *mesh, const mosaic_cut *cut) {
    const mosaic_pins *const pins = &mesh->pins;
    return mesh->dimension == 2 && (mosaic_pins_crowd(pins, REGULAR_CROWDED) ||
                                    (are_sides_of_triangles(pins) && !cut->once));
}

/* Sets cut->width of a regular mesh to a whole one near its balls'. */
static tess_status choose_regular(const mosaic_mesh *mesh, mosaic_cut *cut, int32_t *order,
                                  mosaic_choice *chosen) {
    tess_status status = TESS_OK;
    const double ball = mesh->ball.points;
    const bool whole = mesh->pins.n_elements <= REGULAR_WHOLE * cut->block_size;
    /* An odd number of levels first: see strip_ends */
    const double odd = 2 * floor((mesh->ball.width - 1) / 2) + 1;
    const double widths[] = {odd, odd + 1, fmax(1, odd - 1)};
    sampling now = {.mesh = mesh, .cut = *cut};
    int32_t *trial = NULL;
    const bool beaten = balls_are_beaten(mesh, cut);
    double least = INFINITY;
    /* annealing leaves no difference between widths */
    const bool one_width = takes_first(mesh, cut) && are_sides_of_triangles(&mesh->pins);
    const int n_widths = one_width ? 1 : sizeof widths / sizeof *widths;
    bool hopeless = false; /* a level more or less makes no flat fronts of these */
    CHECK(TESS_ALLOC(whole ? mesh->pins.n_elements : 0, &trial));
    for (int i = 0; i < n_widths && !hopeless; ++i) {
        mosaic_tally sum = {.limit = ball * (1 + REGULAR_GOOD)};
        now.cut.width = widths[i];
        CHECK(whole ? cut_whole(mesh, &now.cut, trial, &sum) : sample_regular(&now, &sum));
        const double points = sum.points / sum.elements * (double)cut->block_size;
        const bool accepted = REGULAR_GOOD_PART * sum.few >= sum.blocks;
        if (!accepted && points >= least)
            continue;
        least = points;
        chosen->settled = !beaten && fabs(points - ball) < REGULAR_SETTLED * ball &&
                          (double)sum.alike >= REGULAR_ALIKE * (double)sum.blocks;
        cut->width = widths[i];
        if (whole)
            keep_order(mesh, trial, order);
        if (accepted)
            break;
        const double reach = is_cut_at_once(mesh, cut) ? 0 : REGULAR_REACH;
        hopeless = points > ball * (1 + REGULAR_FLAT + reach / widths[i]);
    }
    chosen->regular = least < ball * (1 + REGULAR_FLAT);
    chosen->filled = whole;
done:
    free(trial);
    mosaic_cutter_clear(&now.cutter);
    return status;
}

/* True where cubes of so many elements are slabs' width wide: blocks of whole levels of strips. */
static bool are_cubes(const mosaic_cut *cut) {
    const int64_t width = (int64_t)cut->width;
    return width > 1 && width * width * width == cut->block_size;
}

/* Where the blocks of that cut are cubes of whole levels, but a side of the mesh is no multiple of
 * theirs: lets blocks go on from strip to strip and from slab to slab, back and forth, so that what
 * is left over at two neighbouring ends makes a brick. Fills the order with what has fewer points,
 * or leaves it and *chosen as they are. */
static tess_status try_snake(const mosaic_mesh *mesh, const mosaic_cut *cut, int32_t *order,
                             mosaic_choice *chosen) {
    tess_status status = TESS_OK;
    mosaic_cut snake = *cut;
    mosaic_tally as_is = {0}, snaked = {0};
    int32_t *trial = NULL;
    if (chosen->settled || !are_cubes(cut))
        return TESS_OK;
    snake.snake = true;
    snake.multiple = 1;
    CHECK(TESS_ALLOC(mesh->pins.n_elements, &trial));
    CHECK(cut_whole(mesh, cut, order, &as_is));
    CHECK(cut_whole(mesh, &snake, trial, &snaked));
    if (snaked.points < as_is.points)
        keep_order(mesh, trial, order);
    const double least = fmin(snaked.points, as_is.points) / (double)mesh->pins.n_elements;
    chosen->regular = least * (double)cut->block_size < mesh->ball.points * (1 + REGULAR_FLAT);
    chosen->filled = chosen->regular;
done:
    free(trial);
    return status;
}

tess_status mosaic_choose(const mosaic_mesh *mesh, bool any, bool best, mosaic_cut *cut,
                          int32_t *order, mosaic_choice *chosen) {
    cut->width = mesh->ball.width;
    if (any && mesh->regular)
        TRY(choose_regular(mesh, cut, order, chosen));
    if (best)
        TRY(try_snake(mesh, cut, order, chosen));
    if (any && !chosen->regular)
        TRY(choose_way(mesh, cut, order, chosen));
    return TESS_OK;
}

/* The mean points of S elements of a sample of the blocks that coordinates give. */
static tess_status sample_bisected(const mosaic_mesh *mesh, int64_t block_size, bool exactly,
                                   mosaic_walk *walk, int32_t *sample, double *points) {
    mosaic_tally sum = {0};
    int64_t n = 0;
    TRY(mosaic_bisect_sample(mesh, block_size, exactly, sample, &n));
    mosaic_walk_tally(walk, sample, n, block_size, &sum);
    *points = sum.points / sum.elements * (double)block_size;
    return TESS_OK;
}

/* Fills what a sample of the blocks of an order tells: their points, and whether many have more
 * than the limit. */
static void judge_points(mosaic_walk *walk, int64_t block_size, const int32_t *order, double limit,
                         mosaic_choice *chosen) {
    mosaic_tally sampled = {.limit = limit};
    mosaic_walk_sample(walk, order, walk->pins->n_elements, block_size, &sampled);
    chosen->points = sampled.points / sampled.elements * (double)block_size;
    chosen->patchy = (double)sampled.few < REGULAR_PART * (double)sampled.blocks;
}

/* The same: whether many are in pieces. */
static tess_status judge_pieces(mosaic_walk *walk, int64_t block_size, const int32_t *order,
                                mosaic_choice *chosen) {
    TRY(mosaic_walk_torn(walk, order, walk->pins->n_elements, block_size, &chosen->pieces));
    chosen->torn = chosen->pieces > TORN_PART;
    return TESS_OK;
}

tess_status mosaic_choose_doubt(const mosaic_blocks *blocks, double ball, double torn_part,
                                bool *doubtful, bool *channels) {
    tess_status status = TESS_OK;
    mosaic_walk walk = {.pins = blocks->pins};
    mosaic_choice seen = {0};
    CHECK(TESS_ZEROS(blocks->pins->n_points, &walk.seen));
    judge_points(&walk, blocks->block_size, blocks->member, ball * LAYERED, &seen);
    CHECK(judge_pieces(&walk, blocks->block_size, blocks->member, &seen));
    *doubtful = seen.patchy || seen.pieces > torn_part;
    const double most = mosaic_pins_are_few(blocks->pins) ? TORN_PART : CHANNELS_PART;
    *channels = blocks->dimension == 2 && seen.pieces > most;
done:
    free(walk.seen);
    return status;
}

/* Fills the part of a sample of an order's blocks that are in pieces. */
static tess_status count_pieces(const mosaic_pins *pins, const int32_t *order, int64_t block_size,
                                double *pieces) {
    mosaic_walk walk = {.pins = pins};
    TRY(TESS_ZEROS(pins->n_points, &walk.seen));
    const tess_status status = mosaic_walk_torn(&walk, order, pins->n_elements, block_size, pieces);
    free(walk.seen);
    return status;
}

tess_status mosaic_choose_torn(mosaic_blocks *blocks) {
    return count_pieces(blocks->pins, blocks->member, blocks->block_size, &blocks->in_pieces);
}

/* Whether blocks of a mesh by coordinates have many more points than the balls around elements of
 * theirs; where they have fewer, that makes up for none that have more. */
static tess_status compare_with_balls(const mosaic_mesh *mesh, int64_t block_size,
                                      const int32_t *order, bool *crossed) {
    const int64_t n = mesh->pins.n_elements;
    const double balls = (double)LOCAL_BALLS / (double)n;
    mosaic_walk walk = {.pins = &mesh->pins};
    double over = 0;
    TRY(TESS_ZEROS(mesh->pins.n_points, &walk.seen));
    for (int64_t i = 0; i < n - n % block_size; ++i) {
        const int ball = (int)(order[i] * balls);
        mosaic_tally block = {0};
        if (order[i] != mosaic_mesh_centre(mesh, ball))
            continue;
        mosaic_walk_tally(&walk, order + i - i % block_size, block_size, block_size, &block);
        over += fmax(block.points / mesh->local[ball] - 1, 0);
    }
    free(walk.seen);
    const bool mends = block_size > TORN_SIZE && mosaic_pins_crowd(&mesh->pins, TORN_CROWDED);
    *crossed = over > (mends ? CROSSED_OVER_LARGE : CROSSED_OVER) * LOCAL_BALLS;
    return TESS_OK;
}

tess_status mosaic_choose_crossed(const mosaic_mesh *mesh, int64_t block_size, const int32_t *order,
                                  bool *crossed) {
    double pieces = 0;
    *crossed = false;
    if (mosaic_pins_exceed(&mesh->pins, NODES_POINTS))
        return TESS_OK;
    if (mesh->dimension <= 2)
        return compare_with_balls(mesh, block_size, order, crossed);
    TRY(count_pieces(&mesh->pins, order, block_size, &pieces));
    *crossed = pieces > CROSSED_PART && pieces < CROSSED_ALL;
    return TESS_OK;
}

/* Of a mesh that is regular in places only: the order of another cut where a sample says that it
 * has fewer points, and it has; in 3D a sample takes as long as the cut. Few blocks, and those that
 * halves may be better than, are mended instead. */
static tess_status choose_again(const mosaic_mesh *mesh, const mosaic_cut *cut, int32_t *order,
                                mosaic_choice *chosen) {
    tess_status status = TESS_OK;
    mosaic_cut tried = *cut, slabs = *cut;
    mosaic_tally as_is = {0}, again = {0};
    double points[2] = {0, 0};
    int32_t *trial = NULL;
    const bool small = mosaic_cut_is_small(mesh, cut);
    bool mended = small && !mosaic_pins_are_few(&mesh->pins);
    CHECK(TESS_ALLOC(mesh->pins.n_elements, &trial));
    if (!small)
        CHECK(choose_sampled(mesh, &tried, &slabs, points));
    else if (!mended)
        CHECK(choose_whole(mesh, &tried, trial));
    mended = mended || (!small && tried.halves);
    chosen->rough = mended && !chosen->settled;
    if (mended || points[0] * (double)cut->block_size > chosen->points)
        goto done;
    CHECK(mosaic_order_tally(mesh, order, cut->block_size, &as_is));
    CHECK(cut_whole(mesh, &tried, trial, &again));
    if (again.points < as_is.points) {
        keep_order(mesh, trial, order);
        chosen->regular = chosen->settled = false;
    }
done:
    free(trial);
    return status;
}

/* True where a rival takes the place of the cut: where nothing follows, and if it is clearly better
 * in 3D where no other way does, in 2D for quick cuts. */
static bool is_taken_at_once(const mosaic_mesh *mesh, const mosaic_cut *cut, bool clear) {
    return cut->alone || (clear && (mesh->dimension > 2 ? cut->once : cut->quick));
}

/* True where bricks may fit exactly, which a part with other borders does not tell: on regular
 * meshes, but of elements of two points, whose best blocks are no bricks. */
static bool may_fit(const mosaic_mesh *mesh, const mosaic_cut *cut) {
    return mesh->regular && !cut->quick && mosaic_pins_exceed(&mesh->pins, FAN_POINTS);
}

/* Whether the cut by coordinates has fewer points than an order: a sample of it, then the whole. It
 * is clearly better in 3D where its sample is, so that efforts 1 and 2 agree. */
static tess_status judge_rival(const mosaic_mesh *mesh, const mosaic_cut *cut, mosaic_walk *walk,
                               int32_t *order, mosaic_choice *chosen) {
    tess_status status = TESS_OK;
    const int64_t n = mesh->pins.n_elements, block_size = cut->block_size;
    mosaic_tally own = {0}, rival = {0};
    int32_t *trial = NULL;
    double points = INFINITY;
    const double limit = rival_limit(mesh, cut) * chosen->points;
    CHECK(TESS_ALLOC(n, &trial));
    CHECK(sample_bisected(mesh, block_size, false, walk, trial, &points));
    if (points > limit && may_fit(mesh, cut))
        CHECK(sample_bisected(mesh, block_size, true, walk, trial, &points));
    if (points > limit)
        goto done;
    CHECK(mosaic_bisect(mesh, block_size, trial, NULL));
    mosaic_walk_tally(walk, order, n, block_size, &own);
    mosaic_walk_tally(walk, trial, n, block_size, &rival);
    const bool clear = mesh->dimension > 2 ? points <= RIVAL_NEAR_QUICK * chosen->points
                                           : rival.points <= RIVAL_NEAR_QUICK * own.points;
    chosen->rival = rival.points < own.points;
    chosen->to_beat = clear ? 0 : rival.points;
    if (chosen->rival && is_taken_at_once(mesh, cut, clear)) {
        keep_order(mesh, trial, order);
        chosen->rival = chosen->regular = false;
        if (!cut->alone)
            CHECK(judge_pieces(walk, block_size, order, chosen));
    }
done:
    free(trial);
    return status;
}

tess_status mosaic_choose_judge(const mosaic_mesh *mesh, const mosaic_cut *cut, int32_t *order,
                                mosaic_choice *chosen) {
    tess_status status = TESS_OK;
    mosaic_walk walk = {.pins = &mesh->pins};
    const double flat = mesh->ball.points * (1 + REGULAR_FLAT);
    const bool waits =
        mosaic_pins_are_few(&mesh->pins) && !cut->alone; /* for another cut beside this one */
    CHECK(TESS_ZEROS(mesh->pins.n_points, &walk.seen));
    judge_points(&walk, cut->block_size, order, flat, chosen);
    chosen->patchy = chosen->patchy && mesh->regular;
    if (mesh->by_coordinates) {
        if (!cut->once)
            CHECK(mosaic_choose_crossed(mesh, cut->block_size, order, &chosen->crossed));
        goto done;
    }
    if (cut->once && !waits) {
        const bool pays = mesh->dimension <= 2 || mosaic_cut_is_small(mesh, cut);
        if (chosen->patchy && pays && (chosen->regular || mesh->round))
            CHECK(choose_again(mesh, cut, order, chosen));
        chosen->patchy = false;
    }
    if (!cut->alone)
        CHECK(judge_pieces(&walk, cut->block_size, order, chosen));
    if (has_rival(mesh, cut, chosen))
        CHECK(judge_rival(mesh, cut, &walk, order, chosen));
done:
    free(walk.seen);
    return status;
}

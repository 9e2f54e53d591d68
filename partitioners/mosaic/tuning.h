/* The tuning of mosaic: every number that was chosen, with its unit, what it means and the mesh
 * that decides it, in the order of the algorithm; what each effort spends is in effort.h.
 *
 * "[2: -0.9 % hexes faces:cells]" says what becomes of the reuse with that value, at S = 64 unless
 * another S is named: build/release/tests/partition_benchmark MESH MAP 64 mosaic. Meshes are
 * irregular:nx=60:ny=60, tets:nx=12, hexes:nx=20:ny=20:nz=20, quads:nx=120:ny=100,
 * ogrid:ni=120:nj=60, those of data/meshes, and by other names those of docs/results/mosaic.md.
 * "Time": chosen for speed, reuse hardly follows. Bits of a word cannot be chosen. */
#pragma once

#include "partitioners/mosaic/effort.h"

#include <stdbool.h>
#include <stdint.h>

/* Elements or points: a loop over fewer is not worth a team of threads. Time. */
enum { MOSAIC_SERIAL = 50000 };

/* A multiplier that scatters numbers: 2^64 over the golden section (Knuth 6.4). */
#define MOSAIC_SCATTER UINT64_C(0x9E3779B97F4A7C15)

/* ------------------------------------------------------------------ pins.c, piece.c: the map */

enum {
    /* Blocks: a point of so many times S elements is in as many blocks whatever is done, and left
     * out. No mesh: a point of all elements, as of a global sum. */
    CROWDED_BLOCKS = 64,
    /* Points of an element: longer rows are sorted to find second mentions, not scanned. Time. */
    SCANNED_POINTS = 32,
    /* Weights of points are whole numbers: the lightest is WEIGHT_LEAST where the heaviest is no
     * more than WEIGHT_MOST then. Loops of several maps; exact for 8 bytes beside 16 to 128. */
    WEIGHT_LEAST = 4,
    WEIGHT_MOST = 64,
    /* Seeds that give other walks. */
    SEED_SHIFTS = 1009
};

/* ------------------------------------------ walk.c, walked_mesh.c: one walk across the mesh */

/* Part of the numbering after which a walk sets out, and from each try to the next: the golden
 * section's smaller part, which is inside and never comes back. From a corner of hexes the last
 * level would be three sides of the box. */
static const double WALK_FROM = 0.381966;

enum {
    /* Points of a level that are noted before their rows are looked through. Time. */
    WALK_POINTS = 128,
    /* Balls that are sampled, and the elements after which small ones end. Time. */
    BALLS = 31,
    BALL_ELEMENTS = 48,
    /* Blocks that coordinates cut that are compared with a ball around one of theirs. Time. */
    LOCAL_BALLS = 64,
    /* Balls with the same levels that make a mesh regular. hexes by faces: at sides few are. */
    BALLS_ALIKE = 8,
    /* The same in 2D, where balls hold this part of the mesh, no more than BALL_ELEMENTS_2D:
     * gmsh_tris has regular patches, which a third of small balls fit in. */
    BALLS_ALIKE_2D = 15,
    BALL_PART_2D = 64,
    BALL_ELEMENTS_2D = 256,
    /* Balls that have to be round for coordinates to be trusted: three quarters. `irregular`
     * stretched ten times, noise, missing numbers (mosaic_coordinates_test.c). */
    BALLS_ROUND = BALLS * 3 / 4,
    /* Balls of S elements that tell the width of slabs: fewer where all would be more than this
     * part of the mesh, FEWEST at least. Time (meshes of 90,000 edges, S = 480). */
    WIDTH_BALLS_PART = 8,
    WIDTH_BALLS_FEWEST = 7,
    /* Levels in the middle of a walk that tell whether it went around a ring from both sides, and
     * the part of their elements that each of two pieces holds at least, to one. Walks of fewer
     * levels than OPEN_LEVELS are not asked. */
    OPEN_BAND = 2,
    OPEN_PART = 4,
    OPEN_LEVELS = 8,
    /* Runs of blocks, spread evenly, by which an order is judged, and the blocks of a run. Time. */
    JUDGED_RUNS = 32,
    JUDGED_BLOCKS = 4
};

/* Levels of a walk around a ring one way over those from both sides, at least: around an island in
 * a wide sea there are not many more. [no ring is opened: 21 of 60 rows of O-grids, quads and
 * triangles with joined ends have more pieces than the best's + 0.02, three are behind] */
static const double OPEN_LONGER = 1.25;

/* Levels around elements where sides of a walk's first level cross that are left out, how often, as
 * three sides cross at a point and along lines, and the part of the level that is left at least.
 * [OFTEN 0: -0.3 to -5.5 % by default, in up to 100 times the time, tori as long as wide by nodes:
 * hexes:nx=40:ny=40:nz=40:periodic=xyz; LEFT 0.75: the same of nx=24:ny=24:nz=24] */
enum { SIDES_LEVELS = 2, SIDES_OFTEN = 3 };
static const double SIDES_LEFT = 0.6;

/* Product of a ball's main moments over that of a round one. 1: round; 0.36: three times as long
 * as wide; 0.32 in 3D: a third as thick. */
static const double BALL_ROUND = 0.3;

/* How much longer than wide balls in 2D are in the median, or wider than long, for coordinates to
 * be cut as if they were not. [10: -4.3 % corpus-2523-coast edges:nodes, 3 % behind METIS] */
static const double BALL_STRETCHED = 1.3;

/* A ball's mean square radius over that of the mesh, at most: coordinates at random give 1. */
static const double BALL_COMPACT = 0.25;

/* ----------------------------------------------------- bisect.c: the cut by coordinates */

/* Length, of a box of 1: coordinates that are no farther from each other are one. ALIKE: lengths,
 * one over the other. [1: rcb +0.04 % by effort 2, quads:nx=200:ny=300 cells:nodes, S = 480] */
static const float BISECT_TINY = 1e-30F, BISECT_ALIKE = 1.00001F;

enum {
    /* Elements: a smaller half is no task of its own. Time. */
    BISECT_TASK = 20000,
    /* Blocks at most of a part of the mesh by which a cut that is not made is judged. Time. */
    BISECT_SAMPLE = 64,
    /* Elements of a block that tell where it meets others, about. Time. */
    BISECT_MARKS = 8,
    /* Slices in which the middle is sought first. Time (gmsh_tris). */
    BISECT_SLICES = 128
};

/* ------------------------------------------------ cut.c: the cut of a region */

/* Blocks that a slab of the ball's width may hold and be a strip. [2.5: -0.6 % ogrid edges:cells,
 * -1.2 % tets cells:nodes; 1.1: -0.2 % tets faces:cells] */
static const double STRIP_BLOCKS = 1.5;

enum {
    /* Levels of the band along which the far end of a slab is sought. Time: 0.13 us an element of
     * 100 million quads (table of growth). */
    WALK_BAND = 3,
    /* Blocks of a region that fits a core's cache, and is copied out. Time (dlr_f6_tets). */
    LEAF_BLOCKS = 32,
    /* Blocks of a region that is halved in several directions, from effort 5 on. Time. */
    TRIED_BLOCKS = 8,
    /* Directions in which regions are halved, larger ones than TRIED_BLOCKS, and passes over
     * heights, where halves are tried against another cut. [1 and 2: -1.9 %
     * prisms:nx=49:ny=31:nz=21:stretch=6:periodic=xyz:shuffle=1 cells:nodes, S = 480, -1.3 %
     * prisms:nx=31:ny=17:nz=23:stretch=3:periodic=xyz cells:nodes, S = 256; one direction from 64
     * blocks on: -1.0 % the first; BEYOND: time] */
    CAREFUL_TRIES = 4,
    CAREFUL_BEYOND = 2,
    CAREFUL_PASSES = 4,
    /* ... of which so many come before directions are compared. [0: -0.3 %
     * tets:nx=38:ny=14:nz=10:periodic=xy:stretch=33:shuffle=1 edges:nodes, S = 480, and -0.2 % a
     * surface; all: a third more time] */
    ROUGH_PASSES = 1,
    /* Blocks: meshes of no more are halved as a whole then. [0: -0.2 %
     * tris:nx=114:ny=247:stretch=365:periodic=x:shuffle=1 cells:nodes, and 13 % of the blocks of
     * tris:nx=379:ny=57:stretch=485:periodic=xy cells:nodes, S = 480, stay in two pieces] */
    CAREFUL_WHOLE = 1024,
    /* Levels on either side of the height in the middle of a region: elements that are farther away
     * are on their side whatever smoothing does. Neighbours are two levels apart at most. [all: the
     * same mean of 95 rows, in up to 1.2 times the time] */
    HALVES_BAND = 5,
    /* Slabs that are halved are so many times as thick, so that few cuts are those of the first
     * walk. [1: +0.3 % tets faces:cells, -0.1 % irregular cells:nodes, with cut=halves] */
    HALVES_THICKNESS = 4
};

/* -------------------------------------------------------- choose.c: which cut, how wide */

enum {
    /* Blocks of the sample: at most, at least, and as a part of the mesh. 128: one of fewer
     * blocks takes worse blocks by chance (airfoil:i=100:j=150, S = 128: 3.327 for 3.332); meshes
     * of no more blocks are cut as a whole. An eighth: time (quads:nx=250:ny=200, S = 480). */
    SAMPLE_BLOCKS = 128,
    SAMPLE_FEWEST = 32,
    SAMPLE_PART = 8,
    /* ... but of slabs no more than this part. Time. */
    SAMPLE_SLABS_PART = 2,
    /* Every so-manieth slab of the sample tells which ways come near the best. Time. */
    SAMPLE_RACE = 4,
    /* Compact parts of the mesh that are cut by coordinates and by heights, and their blocks. */
    PARTS = 4,
    PART_BLOCKS = 32
};

/* Points over those of the best way, at most, for a way to be tried on the rest. Time. */
static const double RACE_NEAR = 1.03;

/* Part of what the best blocks have in common by which another way's may have more, after half of
 * the rounds, and be polished to the end none the less; and where only the other's gain by more
 * rounds (ENDED). [0.01: the same blocks on 280 rows of the corpus, in up to 1.3 times the time;
 * 0.004: 1.06 pieces a block, in place of 1.002, on hexes:nx=25:ny=39:nz=90:periodic=xyz:stretch=81
 * edges:nodes, S = 64; 0.0025: -0.5 % pyfr_triangular_aerofoil cells:nodes, S = 128; ENDED 0.01:
 * -0.06 % tris:nx=97:ny=169:stretch=49 edges:cells, S = 256]. SETTLING: halves in 2D are nearly as
 * good after their first round as they will be, what coordinates cut gains a tenth in the rounds
 * that follow. [as CLOSE: -0.1 to -0.5 % four rows of north_sea] */
static const double RACE_CLOSE = 0.005, RACE_CLOSE_ENDED = 0.02, RACE_CLOSE_SETTLING = 0.1;

/* Points of a part cut by coordinates over those by heights, at most: annealing saves the
 * difference, in a tenth of the time. dlr_f6_tets faces:cells, S = 128: 2.875 from either. No more
 * than slabs have. [any: -1.3 % hexes:nx=10:ny=32:nz=56 cells:nodes, -6 % by effort 1] */
static const double PART_NEAR = 1.02;

/* Points over those of the best way so far, at most. CLEAR: what is won by less is chance.
 * HALVES_CLEAR: heights take longer. airfoil:i=100:j=150, S = 128. */
static const double WAY_CLEAR = 0.997, WAY_HALVES_CLEAR = 0.99;

/* Widths of slabs that are tried beside a ball's, over that; and whole levels (hexes cells:nodes:
 * bricks of 4 x 4 x 8). [1: no row of these] NARROWEST: of meshes in 2D that are not regular, from
 * effort 1 on, and of solids by elements of few points it is the only one up to effort 3: balls
 * leave blocks with fewer points only until they are annealed. [in 2D 0.9: -0.2 % 100 rows; 0.6:
 * -0.2 to -0.3 % coasts and farms by edges:cells; a race of all ways: -0.1 to -0.9 % 25 rows, in
 * 1.15 times the time by default; in 3D 0.9: -0.2 % 60 rows, up to -2.1 %
 * layers:base=regular:nx=21:ny=21:prisms=7:tets=8:seed=362:shuffle=1 faces:cells, S = 480; a race
 * of all ways: -0.1 %, in 1.35 times the time, effort 1; -0.01 % 210 rows, in 1.015 times the time,
 * effort 3, which is 0.2 % below effort 2 on corpus-1341-prisms edges:nodes, S = 128] */
static const double WAY_NARROWER = 0.9, WAY_NARROWEST = 0.8;

/* Levels of a ball above which whole levels are no way of their own. Time. */
static const double WAY_WIDE = 12;

/* What the blocks that halves or slabs make of samples have in common over that of the blocks that
 * are there, at most, to pay for sure. The sides of a sample are those of the blocks that are
 * there, which favours these; not where halves are quick ones (QUICK), most of elements of many
 * points and in 2D (MANY). MENDED: quick ones where polishing left few blocks in pieces. [1.045: 0
 * to +0.1 % of 233 rows, in 1.13 times the time: dlr_f6_tets faces:cells, S = 128, in 5.7 times;
 * QUICK 1.03: the same blocks, in up to 2 times the time; MANY 1.015: -3.1 % dlr_f6_tets
 * cells:nodes, S = 480, -2.2 % tets of Gmsh's by cells:nodes, S = 256, which the corpus draws by
 * seed 664; MENDED 1: up to 0.05 %, in up to 3 times the time; 0.96: -0.5 % two of 72 walls] */
static const double SAMPLE_PAYS = 1.015, SAMPLE_PAYS_QUICK = 1, SAMPLE_PAYS_MENDED = 0.98,
                    SAMPLE_PAYS_MANY = 1.05, SAMPLE_PAYS_SLABS = 1.045;

/* By how much one sample errs (its root mean square error is 0.023); n of them err by a root of n
 * less. What is over the above by less pays, too; what is over it by twice as much does not, and no
 * further sample is needed. [0: -0.9 % corpus-579-coast edges:cells, S = 64, which METIS is ahead
 * of then, -2.2 % the tets of seed 664] */
static const double SAMPLE_ERROR = 0.03;

enum {
    /* Groups of blocks for each one that is a sample, and samples at most. [MOST 2: -1.6 %
     * dlr_f6_tets edges:nodes, S = 64] */
    SAMPLES_PART = 4,
    SAMPLES_MOST = 4,
    /* Groups, one of which is a sample at least, and in 3D. [5 and 5: the same blocks, in up to 1.7
     * times the time; 2 in 2D: -0.09 %, and 1.07 pieces a block, a coast by cells:nodes, S = 256,
     * which the corpus draws by seed 435] */
    SAMPLED_GROUPS = 3,
    SAMPLED_GROUPS_SOLID = 2
};

enum {
    /* Blocks: regular meshes of no more are cut as a whole to find their width. */
    REGULAR_WHOLE = 256,
    /* Slabs of larger ones that are tried at most, until they hold so many blocks. Time. */
    REGULAR_SLABS = 4,
    REGULAR_SLAB_BLOCKS = 64,
    /* A width is taken where this part of its blocks is below REGULAR_GOOD. */
    REGULAR_GOOD_PART = 2
};

/* Where those slabs are, in eighths of the mesh. */
static const int REGULAR_EIGHTHS[REGULAR_SLABS] = {3, 5, 1, 7};

/* Points over a ball's, less 1. Below REGULAR_GOOD a block is as good as a ball. Nothing is left to
 * gain where their mean is within REGULAR_SETTLED (quads edges:cells: no exchange follows). Above
 * REGULAR_FLAT fronts are not flat [1: -1.1 % tets cells:nodes]. */
static const double REGULAR_GOOD = 0.005, REGULAR_SETTLED = 0.01, REGULAR_FLAT = 0.05;

/* Points that another width saves, over a ball's, times its levels: what is over REGULAR_FLAT by
 * more with one width is so with all. Time (tets:nx=8:ny=44:nz=16:periodic=xyz faces:cells, 480).
 * Up to effort 3 nothing is hoped for solids by elements of few points. [the same there: +0.2 %
 * seven of 149 rows, in 1.2 times their time, effort 1] */
static const double REGULAR_REACH = 0.15;

/* ... and where this part of the blocks have as many points as the one before, to one, in 2D if a
 * point has no more elements than CROWDED. [any: -7 % tris:nx=177:ny=74:periodic=x edges:nodes] */
static const double REGULAR_ALIKE = 0.65, REGULAR_CROWDED = 2.5;

/* Part of the blocks of a regular mesh that are at most REGULAR_FLAT over a ball's, at least. With
 * fewer it is so in places only. [0: -1.9 to -2.6 % a graded coast around a regular patch,
 * edges:cells, S = 64 to 256; 0.75: the same on some; 1: time] */
static const double REGULAR_PART = 0.9;

/* Points over a ball's of blocks that coordinates cut across layers: halves are tried where more
 * than 1 - REGULAR_PART have so many. [none: -1.1 to -2.7 % Gmsh's layers of quads, edges:nodes] */
static const double LAYERED = 1.2;

/* Part of the blocks that are in several pieces, at most: with more, a walk went around a periodic
 * mesh, so that its slabs are pairs of arms, or coordinates cut across layers; halves are tried.
 * [1: -1.9 % tets:nx=11:ny=60:nz=18:stretch=33:periodic=xyz edges:nodes, -1.3 %
 * tris:nx=379:ny=57:stretch=485:periodic=xy edges:cells, S = 128]. PLANE: the same of what
 * coordinates cut in 2D, once it is polished; before, TORN_PART counts where there are samples.
 * [0.02: -1.0 % a mesh with walls, edges:cells, S = 128, which the corpus draws by seed 414; not
 * before: -0.5 to -2.0 % five of 72 rows of meshes with walls] FEW: before, where there are no
 * samples. [1: -0.45 % a mesh with walls, edges:cells, S = 480, by seed 1099] */
static const double TORN_PART = 0.02, TORN_PART_PLANE = 0.01, TORN_PART_FEW = 0.1;

/* The same where blocks of a regular mesh have as few points as balls. [1: -0.5 %, and 1.08 pieces
 * a block, a surface of 59,000 triangles edges:nodes, S = 480, which the corpus draws by seed 50;
 * 0.1: -0.4 %, and 1.06 pieces, the same of seed 338] Points of more elements than REGULAR_CROWDED
 * are asked for TORN_PART. [not: -0.5 % a surface edges:nodes, S = 256, by seed 1311] */
static const double TORN_SETTLED = 0.06;

/* The same of solids by elements of few points that coordinates cut: up to effort 2 these are cut
 * by the map where they are in between. [1: -1.7 to -8.9 % prisms and layers by faces:cells, in 0.4
 * to 0.7 of the time; ALL 1: -0.3 to +1.4 % tets by faces:cells, in 2.3 times the time] */
static const double CROSSED_PART = 0.04, CROSSED_ALL = 0.3;

/* Points of a block over those of the ball around one of its elements, less 1 and 0 at least, in
 * the mean, above which coordinates cut across layers in 2D: the same. [1: -0.9 and -1.1 % 22 of
 * 375 rows, -3.3 % at most, all of meshes with walls, efforts 1 and 2, in 0.4 to 0.7 of the time,
 * and METIS is better than effort 2 on six of them; 0.018: -1.1 %
 * irregular:nx=223:ny=223:jitter=0.25:rounds=2:seed=883 edges:cells, S = 64, effort 2] LARGE: of
 * more than TORN_SIZE elements at points of more than TORN_CROWDED, as edges by nodes, which
 * settle longer. [0.02: -0.9 % corpus-1171-walls edges:nodes, S = 480, in twice the time] */
static const double CROSSED_OVER = 0.02, CROSSED_OVER_LARGE = 0.04;

/* The same of the blocks that are joined before the first round, not after it. [1: -0.1 to -0.4 %
 * closed surfaces by edges:cells, effort 1; 0: the same, all others in 1.05 times the time] */
static const double TORN_JOINED = 0.05;

/* Elements of a point, above which large ones of these blocks are annealed no longer: edges of
 * triangles have 1.5, of quads 2. Blocks of the former may have fewer points than balls. MIXED: the
 * same of the first round alone. [1.75: +0.15 % four meshes of triangles and quads, which are 0.3
 * to 0.6 % above METIS, in 1.17 times the time, effort 1] Time. */
static const double TORN_CROWDED = 1.75, TORN_MIXED = 1.58;

/* How many times as long as others the first round is of solids by faces that are in pieces: these
 * have no more than CROWDED elements at a point. [1: -0.5 % 20 rows, in 0.83 of the time, effort 1,
 * where METIS is better on seven, in place of four; 3: +0.25 % seven, in 1.1 times the time] */
static const double FACES_LONGER = 2, FACES_CROWDED = 3.2;

/* The same, but of so many that halves are cut at once, without a sample, and without polishing the
 * blocks that are there; not of pairs of neighbours, of which polishing leaves a third less,
 * nor of few blocks, nor of a regular mesh where they have as few points as balls. [1: the same
 * blocks, in 1.1 to 1.3 times the time; of pairs, too: 9 % more cut on
 * tets:nx=16:ny=16:nz=16:shuffle=1, S = 128; of all regular meshes: -1.1 %
 * tets:nx=15:ny=32:nz=30:stretch=20 faces:cells, S = 128, in 1.6 times the time] */
static const double TORN_HOPELESS = 0.125;

/* Elements of a point, below which solids by nodes that coordinates cut are tried in slabs: hexes
 * have 1, prisms 2, tets 5. [2: -2.7 % prisms of seed 1592, cells:nodes, S = 128] */
static const double SLABBED_CROWDED = 3;

/* Edges of a node, between which they are tried in slabs, too: hexes have 3, prisms 4, tets 7.
 * [none: -0.8 to -4.1 % eight of 41 rows of Gmsh's prisms edges:nodes, in half of the time] */
static const double SLABBED_EDGES = 3.5, SLABBED_EDGES_MOST = 5;

/* The same of a mesh in 2D that coordinates cut, coasts tearing some of its blocks: with more it is
 * a net of channels, whose banks coordinates miss. [1: -1.0 % bay_delta edges:cells, S = 128] */
static const double CHANNELS_PART = 0.2;

/* Points over those of an order, at most, for a rival to be cut as a whole: samples err. QUICK:
 * efforts 0 and 1, and what effort 2 polishes even if the cut's own blocks are as good by then.
 * [1.01: effort 0 takes 1.4 times as long on a surface of seed 1023] CLEAR: of few slabs of solids
 * that are annealed, many of them in pieces. [none: -3.1 % by effort 1, less than by effort 0,
 * layers:base=irregular:nx=21:ny=21:prisms=9:tets=9:seed=966 edges:nodes, S = 480; 1: -1.2 % by
 * effort 2 layers:base=regular:nx=15:ny=15:prisms=12:tets=4:seed=893 faces:cells, S = 480] */
static const double RIVAL_NEAR = 1.01, RIVAL_NEAR_QUICK = 0.995, RIVAL_CLEAR = 0.975;

/* ------------------------------------------- target.c: shapes, colours, reuse and caps */

enum {
    /* Cuts that a target takes: both ends of the knob, then halvings of it down to 1/128. */
    TARGET_CUTS = 9,
    /* Cuts of ever smaller blocks that a cap takes at most. tets cells:nodes take one. */
    CAP_CUTS = 8
};

/* Part of the cap that the mean of the blocks' points keeps to [max_points=40, 0.8: -3.1 % quads
 * edges:cells, -4.4 % tets cells:nodes; 1: +0.5 %, 0 %]; and how the width of slabs goes with the
 * block size, between 1/3 in 3D and 1/2 in 2D. */
static const double CAP_MEAN = 0.95, CAP_WIDTH_POWER = 0.4;

/* -------------------------------------------- exchange.c, pair_sweep.c: pairs of blocks */

enum {
    /* A point saved is worth so many units of compact sides. [2: -0.9 % hexes faces:cells] */
    EXCHANGE_TIE = 32,
    /* Ranks that are compared at once: a vector register of 16 bits each. */
    RANKS_AT_ONCE = 16,
    /* Blocks of a point that are looked at, points in common that make neighbours. Time. */
    CONTACT_CROWD = 32,
    CONTACT_POINTS = 2,
    /* Rounds of a sweep: bits of a word. Pairs that are worth a team, and that a thread takes. */
    SWEEP_ROUNDS = 64,
    SWEEP_SERIAL = 64,
    SWEEP_CHUNK = 8,
    /* Blocks of a run that is probed; as a part of the mesh all runs together are 1/2 at most; how
     * many there are, and on regular meshes; patience of their exchanges. Time. */
    PROBE_BLOCKS = 16,
    PROBE_PART = 2,
    PROBE_RUNS = 8,
    PROBE_RUNS_REGULAR = 2,
    PROBE_PATIENCE = 16
};

/* ---------------- group.c, group_heat.c, join.c, chain.c, anneal.c: groups of 64 blocks */

enum {
    /* Rounds of annealing before blocks in pieces are joined. [none are joined: 1.03 to 1.06 pieces
     * a block, in place of 1.00 to 1.01, where coasts, quads of Gmsh's and prisms with joined ends
     * are cut in blocks of 256 and 480, and up to -0.2 %; 0: -0.2 %
     * tets:nx=27:ny=19:nz=22:periodic=xy:stretch=34 faces:cells] */
    JOIN_FROM = 1,
    /* Blocks of a group: bits of a word. */
    MOSAIC_GROUP_BLOCKS = 64,
    /* Units of a point of mean weight: costs are whole numbers, the same on every machine. */
    MOSAIC_UNIT = 1024,
    /* Values of -log(u), u spread evenly over (0, 1). */
    MOSAIC_WAITS = 1024,
    /* Steps in which temperatures fall while moves are tried. Time. */
    HEAT_STEPS = 64,
    /* What a hop of a chain costs, and a point that is one more by it: chains stay short. [POINT
     * 1: -0.5 % tets faces:cells, -0.3 % north_sea edges:cells] */
    CHAIN_HOP = 1,
    CHAIN_POINT = 8,
    /* ... and one more by a hop between blocks that share no point, as those of two basins. [0:
     * 1.04 to 1.10 pieces a block of 480, in place of 1.01, and -0.15 %, basins edges:cells] */
    CHAIN_LEAP = 4096,
    /* Smoothing of heights where groups are cut by neighbours. [0: -0.3 % tets faces:cells and
     * irregular cells:nodes, with cut=halves] */
    GROUP_SMOOTHING = 2,
    /* Elements of a mesh or group up to which debug builds prove each step: minutes else. */
    MOSAIC_PROVED = 5000
};

/* Radians by which the axes that cut groups turn each round. [0: -0.3 % bay_delta edges:cells] */
static const double GROUP_TURN = 1.1999816;

/* Of an element that only heat moves, a visit waits for the cost of its cheapest move over the
 * temperature less this, so that the sizes of blocks may favour it; for so much at least, and not
 * at all where it is more. [MARGIN 0.5: -0.3 %
 * tets:nx=38:ny=14:nz=10:periodic=xy:stretch=33:shuffle=1 cells:nodes, S = 128] */
static const double DOZE_MARGIN = 1, DOZE_LEAST = 0.2, DOZE_MOST = 20;

/* Variance over the mean square below which a block has no extent: rounding. */
static const double SHAPE_TINY = 1e-12;

/* ------------------------------------------------------- polish.c: what is worth its time */

enum {
    /* Blocks: for no more, a sweep of all takes the place of a probe, whose runs would see too
     * little of the fronts (gmsh_tris_small edges:cells, S = 128: 2.597 with a probe, 2.619). */
    POLISH_FEW = 1024,
    /* Blocks: for no more, the limit to anneal is POLISH_RAGGED_SMALL, and up to effort 2 a group
     * is annealed to see what it gains where fronts look flat. [1024: -0.9 %
     * tris:nx=705:ny=95:stretch=379:periodic=x cells:nodes, S = 128; from effort 3 on, too: -2.4 %
     * hexes:nx=80:ny=80:nz=80 faces:cells, S = 64, in 0.4 of the time] */
    POLISH_SMALL = 2048,
    /* Blocks: for no more, annealing is POLISH_LONGER times as long (gmsh_tris_small: METIS is
     * 0.2 % better than half of that); more have as much reuse in half of the time. [1024: -0.25 %
     * corpus-218-coast edges:cells, S = 128, and METIS is 0.06 % better] */
    POLISH_LONG = 1536,
    /* S at which settling takes twice its passes, and the S after which it takes no more: few
     * elements are at borders then. [passes of S = 0: -0.1 % north_sea edges:cells, S = 480] */
    SETTLE_TWICE = 640,
    /* S up to which blocks that are joined before the first round are not exchanged in pairs before
     * it, and above which that round is longer, as S is. [1024: -0.15 % closed surfaces by
     * edges:cells, S = 480, effort 1; as the root of S is: -0.05 %; exchanged: -0.15 %
     * tris:nx=136:ny=230:periodic=xy:stretch=748 edges:cells, S = 128, in 1.15 times the time] */
    TORN_SIZE = 200,
    /* Times as long, from which they are not, either. [1: -0.07 % 36 rows of S = 256 in 0.88 of the
     * time; 3: +0.02 % 36 of S = 480, in 1.1 times the time; both effort 1] */
    TORN_LONG = 2,
    /* S at which triangles by nodes and the like take twice their trials. [trials of S = 0: -0.2 %
     * north_sea cells:nodes, S = 480] */
    FAN_TWICE = 960,
    /* Blocks: for no more, these take FAN_LONGER times their trials; in 2D rounds by the map grow
     * GROW_OF_FEW times. */
    FAN_FEW = 256,
    SETTLE_LARGEST = 1024,
    /* S: for no more, sizes of these weigh more by the map (BY_MAP_FANNED_SMALL). [64: -0.03 % 24
     * rows of S = 128; 1024: -0.01 % 24 of S = 256, -0.04 % 34 of S = 480] */
    FAN_SMALL = 128,
    /* Elements: a mesh of no more is annealed for long, and checked for channels where fewer of
     * its blocks are in pieces. [0: -2.6 % fesom_pi cells:nodes, S = 128] */
    LONG_ELEMENTS = 10000,
    /* How many times as long, at most, and where one group holds all blocks; the elements that are
     * annealed no longer, of a mesh so little and of a net of channels that is larger. [MOST 8:
     * -1.1 % fesom_pi edges:nodes, S = 128; ALONE 1: -0.1 % fesom_pi cells:nodes, S = 256; LITTLE
     * 200000: -0.5 % hexes:nx=14:ny=14:nz=14 faces:cells, S = 128; CHANNELS 100000: -0.4 %
     * bay_delta cells:nodes, 800000: +0.06 % its rows, in 2.3 times the time] */
    LONG_MOST = 64,
    LONG_ALONE = 2,
    LONG_LITTLE = 800000,
    LONG_CHANNELS = 300000,
    /* Blocks: the usual effort anneals no more than so many, and at most one group, in so many
     * rounds more; the first LEAST rounds follow whatever the one before saved. [0 more: -0.32 %
     * 377 rows, in 0.56 of the time, and three are more than 0.3 % behind METIS or SCOTCH; 3 for
     * all: +0.11 % 188 rows, in 1.4 times the time; two starts: -0.25 %, in 1.1 times the time] */
    FEW_BLOCKS = 256,
    FEW_ROUNDS = 2,
    FEW_ROUNDS_ALONE = 3,
    FEW_LEAST = 4,
    /* Blocks: no more than so many make one round more. [256: -0.2 % 220 rows, in 0.84 of the time;
     * FEW_BLOCKS 1024: +0.2 % 110 rows of 512 to 1024 blocks, in 1.2 times the time] */
    LINGER_BLOCKS = 1024,
    LINGER_ROUNDS = 1,
    /* Blocks: of so many, and where another way won, the usual effort takes those of the one below
     * where they are better. [0: -0.5 % tets:nx=27:ny=15:nz=17:shuffle=1 faces:cells, S = 256] */
    COMPARED_BLOCKS = 512
};

/* Part of what few blocks have in common that a round after these saves for another to follow. */
static const double FEW_ENOUGH = 0.002;

/* FAN_LONGER [1: -0.4 % north_sea cells:nodes, S = 256 and 480; METIS is 0.4 % better on a coast in
 * 80 blocks of 480]; GROW_OF_FEW [1.5: -0.08 % 28 rows of edges in 2D, in 0.9 of the time] */
static const double POLISH_LONGER = 2, FAN_LONGER = 2, GROW_OF_FEW = 2;

/* Points of an element in 3D above which it is annealed as cells by nodes are, and how many times
 * as long in the first round (BY_MAP_NODES), for each point beyond NODES_FEW. [LONGER 1: -0.2 %
 * their mean, in 0.8 of the time; scotch is 0.7 % better on a row of prisms with joined ends] */
static const double NODES_POINTS = 2.5, NODES_LONGER = 1.6, NODES_FEW = 3;

/* How many times as long the first of the rounds by the map is, of which each is longer than the
 * one before: it tells ways apart, and those that lose cost less. [1: +0.2 % nine rows of edges and
 * faces, in 1.25 times the time]. MANY: of elements of more than NODES_POINTS: quads by nodes. */
static const double FIRST_SHORTER = 0.6, FIRST_SHORTER_MANY = 0.7;

/* How many times as long pairs of neighbours are annealed by the map, and where coordinates made
 * the cut: points of two elements are few where they are cut, and length goes by these. [LOCATED 1:
 * 3 to 7 % more pairs cut on irregular:nx=80:ny=80] */
static const double LINKS_LONGER = 1.6, LINKS_LONGER_LOCATED = 4;

/* Times as long as all rounds together that the one round of a lone group takes in 2D. [1: -0.9 %
 * irregular:nx=30:ny=30 cells:nodes] */
static const double ALONE_LONGER = 2;

/* Part of what blocks have in common that a sweep saves where fronts are ragged, and annealing
 * follows: of all blocks (POLISH_FEW), or of a probe's runs. Flat fronts give 0 to 0.07. hexes
 * 30^3 faces:cells, S = 128: 3.713 without annealing, 3.770 with it. */
static const double POLISH_RAGGED_FEW = 0.03, POLISH_RAGGED_SMALL = 0.045, POLISH_RAGGED = 0.08;

/* Groups that are annealed where fronts are flat, until one saves enough. [1: -0.6 %, and 1.04
 * pieces a block, tris:nx=227:ny=133:periodic=x:stretch=26 edges:cells, S = 128] */
enum { ASKED_GROUPS = 2 };

/* Part of the points of such a group that annealing it must save for all to be annealed. [1: -1.1 %
 * hexes:nx=40:ny=66:nz=33 edges:nodes, S = 480; 0.003: -0.9 % hexes:nx=30:ny=30:nz=30 cells:nodes,
 * S = 128; 0.001: -0.5 % prisms:nx=23:ny=36:nz=42:periodic=x:stretch=1:shuffle=1 cells:nodes, S =
 * 256; 0: time] */
static const double ANNEAL_WORTHWHILE = 0.0005;

/* Part of all points of blocks that a probe must save for a sweep of all. airfoil; on regular
 * meshes, whose blocks are good without: hexes by faces gain 0.02 at S = 64, 0.01 at S = 128. */
static const double SWEEP_WORTHWHILE = 0.003, SWEEP_WORTHWHILE_REGULAR = 0.012;

/* The same after triangles by nodes and the like were annealed by the map: chains that even
 * sizes out cost what exchange wins back. [0.003: -0.01 % 24 rows of S = 128] */
static const double SWEEP_WORTHWHILE_FANNED = 0.001;

/* Part of all points of blocks that a round saves at least for another to follow, where rounds end
 * by what they save; not asked beside flat fronts, nor of elements of more points than FAN_POINTS
 * in 2D, where as much follows. [0: +0.003 % 75 rows in 2D, in 1.03 times the time; asked there:
 * -0.3 % tris:nx=258:ny=125:periodic=x edges:cells, and corpus-869-farms cells:nodes, S = 480] */
static const double WORTH = 0.002;

/* Points of an element, elements of a point, above which elements fan out around points, as
 * triangles by nodes do: beside a flat front none can be handed on for nothing, and chains lose
 * what settling saves. gmsh_tris cells:nodes settled has 2 % less. */
static const double FAN_POINTS = 2.5, FAN_ELEMENTS = 1.5;

/* ------------------------------------------- stray.c: pieces that lie apart */

/* Pieces beyond one a block, over the blocks: with more, all is done once more by another seed. [1:
 * 1.04 pieces a block quads:nx=343:ny=287:periodic=xy:stretch=2:shuffle=1 edges:cells, S = 64, and
 * -0.5 % tris:nx=178:ny=62:periodic=x:stretch=1925:shuffle=1 cells:nodes, S = 480] */
static const double STRAYS_MANY = 0.015;

/* Other starts at most: by the next seed, then by one that is far from it. [by the one after: as
 * unlucky, -0.4 % airfoil:i=100:j=150 edges:cells, S = 64 to 480, by seed 6] */
enum { STRAYS_STARTS = 2, STRAYS_JUMP = SEED_SHIFTS / 3 + 1 };

/* ------------------------------------------- corner.c: points where most blocks meet */

enum {
    /* Blocks that meet at a point: no more are told apart, and fewer than the least are well. */
    CORNER_BLOCKS = 64,
    CORNER_LEAST = 6,
    /* Points that are few: these, and one for so many blocks. */
    CORNERS_FEW = 4,
    CORNERS_PART = 100,
    /* Pins for which one more may be paid: 0.02 % of all points of blocks. */
    CORNERS_COST = 20000
};

/* ------------------------------------------- clash.c: points that ask for one more colour */

enum {
    /* Blocks beyond which each colour has many, and colours with which all is well. Time. */
    CLASHES_FEW = 512,
    CLASH_LEAST = 4,
    /* Points of blocks for which one more may be paid: 0.1 % of all. */
    CLASHES_COST = 1000,
    /* Moves in vain after which a search for few clashes ends: a first one, and a longer one where
     * that leaves at most CLASH_HOPE times what may be paid. [longer ones: 4000: six colours for
     * five, prisms:nx=40:ny=24:nz=11:periodic=xyz:stretch=6 faces:cells, S = 480] */
    CLASH_GLANCE = 1000,
    CLASH_PATIENCE = 20000,
    CLASH_HOPE = 2,
    /* Elements at a point that move at once, and blocks that they are tried in. Time. */
    CLASH_ELEMENTS = 4,
    CLASH_BLOCKS = 24,
    /* Times that points are parted, the pairs of blocks where that fails, and the points that they
     * count for the next time. [once: six colours on a quarter more seeds of such prisms] */
    CLASH_TRIES = 3,
    CLASH_HARD = 16,
    CLASH_HEAVY = 1000
};

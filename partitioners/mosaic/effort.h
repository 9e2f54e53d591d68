/* An effort: what mosaic spends, in sweeps, rounds of annealing and schedules. The numbers are of
 * tuning.h, which says how to read them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Sweeps of exchanges between all pairs of neighbours. */
typedef struct mosaic_sweeps {
    int n;                  /* at most */
    int32_t first_patience; /* moves without a gain before an exchange ends: in the first sweep */
    int32_t patience;       /* ... and in those that follow */
    double least_gain;      /* of all pins: a sweep that saves no more is the last */
} mosaic_sweeps;

/* How elements wander between blocks, and how long (see mosaic_length). Costs are in points of mean
 * weight; what has two values goes from the first to the second by equal factors in each round. */
typedef struct mosaic_schedule {
    int first, rounds;   /* those before the first were made */
    double trials;       /* moves tried, over the mean of elements and pins of cut points, or, */
                         /* ... where roundness counts nothing, passes of roaming; or */
    int passes;          /* visits of all elements at borders instead: settling */
    double heat[2];      /* the temperature */
    double sizes[2];     /* what a block costs that is one element larger than another */
    double roundness[2]; /* what a block costs that is not round, where coordinates are known */
    double fade, relax;  /* from round to round: factors of roundness and of sizes */
    double cool;         /* ... and of the temperature */
    double grow;         /* ... and of the trials */
    double enough;       /* of what blocks have in common: a round that saves less is the last */
    int least;           /* rounds that are made whatever they save; 0: others end as they do */
} mosaic_schedule;

/* How long, and by which of the schedules below. */
typedef struct mosaic_length {
    int schedule, rounds;
    double trials;
    int passes;
} mosaic_length;

/* - By the map, where coordinates did not make the cut. Sizes weigh little and ever more: ending
 *   with little makes many chains. Each round is 1.5 times as long as the one before. [twice: +0.05
 *   % 75 rows in 2D, +0.12 % 39 in 3D, in 1.04 and 1.1 times the time; from 0.25 to 0.13, sizes of
 *   0.03 to 0.15: -0.08 % 37 rows, in 1.2 times the time] One that saves less than 0.4 % of what
 *   blocks have in common is the last, too.
 *   [0: at most +0.01 % of 85 rows, up to 1.7 times the time,
 *   tris:nx=84:ny=367:periodic=xy:stretch=2 cells:nodes, S = 480] Sizes of long annealing would
 *   wander off (0.06). [LONG from 0.35 to 0.10: -0.3 % bay_delta edges:nodes, in twice the time]
 * - BY_MAP_TORN: edges of triangles of which many blocks are in pieces: sizes weigh less, as
 * joining pieces leaves them far from even. [as BY_MAP: -0.04 % 60 rows, in 0.97 of the time]
 * - BY_MAP_MANY: more than NODES_POINTS, and samples of such. [as BY_MAP: -2.0 % seed 870]
 * - FLAT settles blocks in 2D, each round less hot. [as FLAT_MANY in 14 passes: +0.007 % 62 rows,
 * in 1.06 times the time; sizes of 0.1 to 0.4: -0.25 % irregular:nx=152:ny=152:jitter=0.78
 * edges:nodes, S = 64, in 0.97 of the time] A round that saves less than 2 % of what blocks have in
 * common is the last. [3 %: -0.03 % 61 rows, -0.5 % by some seeds, in 0.95 of the time; one round
 * of 20 passes: -1.0 % irregular:nx=115:ny=115:jitter=0.56:rounds=2:seed=722 edges:cells, and 2 %
 * of its blocks are in two pieces, in half of the time]
 * - FLAT_MANY: elements of many points, as quads by nodes. [from 0.33: -0.4 % seeds 874 and 875]
 * - FANNED: triangles by nodes and the like, gmsh_tris cells:nodes. Many short rounds: two that are
 *   three times as long lose 0.6 to 1 % (graded coasts with patches of triangles).
 * - SOLID: 3D, where more blocks of a group are at its border: more rounds. [from 0.30 to 0.10:
 *   -0.09 % 17 rows] Sizes are those of elements of two points, and count as the square of that
 *   number (tets by nodes: 0.04 to 0.2). dlr_f6_tets and refine_cube_sphere faces:cells.
 * - LINKS: pairs of neighbours, of a loop that only gathers. No element goes for nothing: a cell
 * with one neighbour in the other block costs two pairs and saves one. So hotter. [as the others: 3
 * to 6 % more pairs cut on tets:nx=12:ny=24:nz=18:periodic=xyz, 13 % on irregular:nx=80:ny=80,
 * which settled as FLAT]
 * - BY_MAP_FANNED: triangles by nodes and the like. [as BY_MAP: -0.3 to -0.8 % coasts that are
 *   stretched, in 0.7 of the time]
 * - BY_MAP_FANNED_SMALL: the same of small blocks. Sizes weigh more: chains that even them out
 *   cost as much as a round saves. [as BY_MAP_FANNED: -0.09 % 21 rows of S = 64, -0.03 % 24 of S =
 *   128]
 * - BY_MAP_NODES: elements of many points in 3D, as cells by nodes. Sizes count as those of SOLID;
 *   hotter, each round 1.75 times as long as the one before. [as BY_MAP: -0.2 to -3 % tets, prisms
 * and layers by nodes, -1.7 % tets:nx=11:ny=60:nz=18:stretch=33:periodic=xyz cells:nodes, S = 128]
 */
enum {
    BY_MAP,
    BY_MAP_TORN,
    BY_MAP_MANY,
    BY_MAP_LONG,
    BY_MAP_LONGEST,
    BY_MAP_NODES,
    BY_MAP_LINKS,
    BY_MAP_FANNED,
    BY_MAP_FANNED_SMALL,
    FLAT,
    FLAT_MANY,
    FANNED,
    FANNED_LINKS,
    SOLID,
    SOLID_LINKS,
    N_SCHEDULES
};

/* clang-format off */
static const mosaic_schedule mosaic_schedules[N_SCHEDULES] = {
    /*                              heat           sizes           roundness  fade relax cool grow enough */
    [BY_MAP]         = {0, 0, 0, 0, {0.17, 0.08},  {0.02, 0.06},   {0, 0},    1.0, 1.0, 1.0, 1.5, 0.004},
    [BY_MAP_TORN]    = {0, 0, 0, 0, {0.17, 0.08},  {0.005, 0.015}, {0, 0},    1.0, 1.0, 1.0, 1.5, 0.004},
    [BY_MAP_MANY]    = {0, 0, 0, 0, {0.25, 0.13},  {0.03, 0.15},   {0, 0},    1.0, 1.0, 1.0, 1.5, 0.004},
    [BY_MAP_LONG]    = {0, 0, 0, 0, {0.25, 0.13},  {0.06, 0.06},   {0, 0},    1.0, 1.0, 1.0, 1.0, 0},
    [BY_MAP_LONGEST] = {0, 0, 0, 0, {0.50, 0.10},  {0.06, 0.06},   {0, 0},    1.0, 1.0, 1.0, 1.0, 0},
    [BY_MAP_NODES]   = {0, 0, 0, 0, {0.35, 0.10},  {0.01, 0.05},   {0, 0},    1.0, 1.0, 1.0, 1.75, 0.004},
    [BY_MAP_LINKS]   = {0, 0, 0, 0, {0.60, 0.25},  {0.08, 0.40},   {0, 0},    1.0, 1.0, 1.0, 2.0, 0},
    [BY_MAP_FANNED]  = {0, 0, 0, 0, {0.40, 0.20},  {0.08, 0.40},   {0, 0},    1.0, 1.0, 1.0, 2.0, 0.004},
    [BY_MAP_FANNED_SMALL] = {0, 0, 0, 0, {0.40, 0.20}, {0.16, 1.60}, {0, 0}, 1.0, 1.0, 1.0, 2.0, 0.004},
    [FLAT]           = {0, 0, 0, 0, {0.25, 0.12},  {0.07, 0.30},   {4, 0.15}, 0.5, 0.5, 0.8, 1.0, 0.02},
    [FLAT_MANY]      = {0, 0, 0, 0, {0.40, 0.15},  {0.10, 0.40},   {4, 0.15}, 0.5, 0.5, 0.8, 1.0, 0.02},
    [FANNED]         = {0, 0, 0, 0, {0.30, 0.15},  {0.10, 1.00},   {8, 0.10}, 0.8, 1.0, 1.0, 1.0, 0},
    [FANNED_LINKS]   = {0, 0, 0, 0, {0.50, 0.25},  {0.10, 1.00},   {8, 0.10}, 0.8, 1.0, 1.0, 1.0, 0},
    [SOLID]          = {0, 0, 0, 0, {0.24, 0.08},  {0.01, 0.05},   {2, 0.03}, 0.6, 1.0, 1.0, 1.0, 0},
    [SOLID_LINKS]    = {0, 0, 0, 0, {0.60, 0.25},  {0.02, 0.10},   {2, 0.05}, 0.6, 1.0, 1.0, 1.0, 0},
};
/* clang-format on */

/* What an effort spends. Where coordinates made the cut, `flat`, `fanned` or `solid` and
 * `coordinate_sweeps` take the place of `sweeps`, `by_map` and `last_sweeps`. */
typedef struct mosaic_effort {
    int tries, smoothing; /* directions in which small regions are halved; passes over heights */
    bool coordinates;     /* where they are as good as the map they make the cut */
    bool ways;            /* others are tried where they may be better, in halves most of all */
    bool probes;          /* what gains little is found out and left out */
    bool lingers;         /* few blocks are annealed in more rounds */
    mosaic_sweeps sweeps; /* before annealing, or in its place */
    mosaic_sweeps last_sweeps;
    mosaic_sweeps coordinate_sweeps;
    mosaic_length by_map, flat, fanned, solid;
} mosaic_effort;

/* The effort of mosaic unless another is asked for, a numeral: the options print it. */
#define MOSAIC_EFFORT 3
enum { MOSAIC_EFFORT_LARGEST = 6 };

/* 0: one linear pass, and exchange where the first cut is rough. 1: a round of annealing, or
 * exchange in its place. 2: another round. 3: other ways to cut, too, and all rounds. Up to 3 an
 * effort does what the one before does, and goes on. [2 by other ways and one round: -0.4 %
 * closed surfaces by edges:cells, -0.7 % irregular:nx=223:ny=223:jitter=0.25, in 2 to 3 times the
 * time. 1 by exchange alone: 1 to 4 % less, in 0.8 times the time] 4 to 6: nothing is left out; 6
 * is above every baseline in each of 31 rows, in a hundred times the time. Rounds by the map:
 * trials are passes. [faces, edges in 3D: 40: +0.1 to +0.4 %, a quarter more time] */
/* clang-format off */
static const mosaic_effort mosaic_efforts[MOSAIC_EFFORT_LARGEST + 1] = {
    /* tries, smoothing; coordinates, ways, probes, lingers; sweeps, last_sweeps, coordinate_sweeps;
     *                           by_map, flat, fanned, solid: schedule, rounds, trials, passes */
    {1, 2, true,  false, false, false, {0},               {0},                {0},
     {0},                        {0},              {0},               {0}},
    {1, 2, true,  false, true,  false, {1, 16, 16, 1e-4}, {0},                {1, 4, 4, 0},
     {BY_MAP, 1, 25, 0},         {FLAT, 1, 0, 12}, {0},               {SOLID, 1, 4, 0}},
    {1, 2, true,  false, true,  false, {1, 16, 16, 1e-4}, {1, 16, 32, 0},     {1, 6, 6, 0},
     {BY_MAP, 2, 25, 0},         {FLAT, 2, 0, 12}, {FANNED, 3, 1.25, 0}, {SOLID, 2, 4, 0}},
    {1, 2, true,  true,  true,  true,  {1, 16, 16, 1e-4}, {1, 16, 32, 0},     {1, 6, 6, 0},
     {BY_MAP, 3, 25, 0},         {FLAT, 3, 0, 12}, {FANNED, 6, 1.25, 0}, {SOLID, 4, 4, 0}},
    {1, 2, false, true,  false, false, {1, 16, 16, 0},    {3, 32, 64, 3e-5},  {0},
     {BY_MAP_LONG, 4, 80, 0},    {0},              {0},               {0}},
    {2, 3, false, true,  false, false, {3, 16, 32, 0},    {6, 64, 128, 1e-5}, {0},
     {BY_MAP_LONGEST, 6, 300, 0}, {0},             {0},               {0}},
    {3, 4, false, true,  false, false, {3, 16, 64, 0},    {12, 128, 256, 0},  {0},
     {BY_MAP_LONGEST, 8, 1000, 0}, {0},            {0},               {0}},
};

/* What ways are compared by: what the usual effort does first. */
static const mosaic_effort mosaic_racing =
    {1, 2, true,  true,  true,  false, {1, 16, 16, 1e-4}, {0},                {0},
     {BY_MAP, 1, 25, 0},         {FLAT, 1, 0, 12}, {FANNED, 3, 1.25, 0}, {SOLID, 2, 4, 0}};

/* The last sweeps of triangles by nodes and the like that the map anneals. [one, as
 * others: -0.04 % 21 rows of S = 64, -0.03 % 24 of S = 128, in 0.98 of the time] */
static const mosaic_sweeps mosaic_fanned_sweeps = {2, 16, 32, 0};

/* What effort 0 spends where the first cut is rough: other ways that it would try take longer, and
 * give less. [none: -1 to -5 % of small solids and layers, or halves in 1.2 to 3 times the time; one
 * sweep: -1 to -2 % three of 66 rows, in 0.8 times the time; in 3D not at borders alone: +0.5 % 44
 * rows, in 1.37 times the time] */
static const mosaic_effort mosaic_mending = {.probes = true, .sweeps = {2, 16, 16, 0.01}};
/* clang-format on */

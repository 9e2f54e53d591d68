/* Rivals: mosaic's blocks have no more points than those of simpler ways, of parts on their own,
 * and of lower efforts. */
#include "partitioners/mosaic/choose.h"
#include "tests/partitioners/mosaic_case.h"
#include "tests/partitioners/partition_of.h"

#include <stdlib.h>
#include <string.h>

/* A problem of one map, all of whose arrays it owns. */
typedef struct made_case {
    tess_partition_problem problem;
    tess_incidence map;
    int32_t *index;
    double *coordinates;
} made_case;

static made_case case_of_size(int64_t n, const tess_partition_problem *like) {
    const tess_incidence *map = like->maps;
    made_case made = {.map = *map};
    assert_null(map->offset);
    OK(TESS_ALLOC(n * map->arity, &made.index));
    OK(TESS_ALLOC(n * like->dimension, &made.coordinates));
    made.problem = *like;
    made.problem.n_elements = n;
    return made;
}

/* The problem whose pointers go to the case itself, where it lies for good. */
static const tess_partition_problem *problem_of(made_case *made) {
    made->map.index = made->index;
    made->problem.maps = &made->map;
    made->problem.coordinates = made->coordinates;
    return &made->problem;
}

static void made_free(made_case *made) {
    free(made->index);
    free(made->coordinates);
}

/* Appends the elements of a problem at `first`: points from `first_point` on, moved along x. */
static void put(const tess_partition_problem *from, int64_t first, int32_t first_point,
                double along, made_case *made) {
    const int arity = from->maps->arity, d = from->dimension;
    for (int64_t i = 0; i < from->n_elements * arity; i++) {
        const int32_t point = from->maps->index[i];
        made->index[first * arity + i] = point < 0 ? point : point + first_point;
    }
    for (int64_t i = 0; i < from->n_elements * d; i++)
        made->coordinates[first * d + i] = from->coordinates[i] + (i % d ? 0 : along);
}

/* Two meshes that do not touch, as one. */
static made_case case_beside(const tess_partition_problem *a, const tess_partition_problem *b) {
    made_case made = case_of_size(a->n_elements + b->n_elements, a);
    put(a, 0, 0, 0, &made);
    put(b, a->n_elements, (int32_t)a->maps->n_points, 1000, &made);
    made.map.n_points = a->maps->n_points + b->maps->n_points;
    return made;
}

/* The same mesh, its elements numbered block by block. */
static made_case case_in_blocks(const tess_partition_problem *from, const int32_t *block_of) {
    made_case made = case_of_size(from->n_elements, from);
    const int arity = from->maps->arity, d = from->dimension;
    const int32_t n_blocks = cost_of(from, block_of).n_blocks;
    int64_t to = 0;
    for (int32_t b = 0; b < n_blocks; b++)
        for (int64_t e = 0; e < from->n_elements; e++) {
            if (block_of[e] != b)
                continue;
            memcpy(made.index + to * arity, from->maps->index + e * arity,
                   (size_t)arity * sizeof *made.index);
            memcpy(made.coordinates + to * d, from->coordinates + e * d,
                   (size_t)d * sizeof *made.coordinates);
            to++;
        }
    return made;
}

static int64_t points_by(const tess_partition_problem *problem, const char *name) {
    const tess_partitioner *partitioner = NULL;
    int32_t *block_of = NULL;
    tess_spec *spec = NULL;
    int n = 0;
    OK(tess_partitioner_find(name, &partitioner));
    OK(tess_spec_list_parse(name, &spec, &n));
    OK(TESS_ALLOC(problem->n_elements, &block_of));
    OK(partitioner->partition(problem, spec, block_of));
    const int64_t points = cost_of(problem, block_of).points;
    free(block_of);
    tess_spec_list_free(spec, n);
    return points;
}

/* Where four fifths of a mesh are regular, the rest is cut nearly as well as on its own. */
static void meshes_that_are_regular_in_places_are_cut_as_well(void **state) {
    (void)state;
    small_problem regular = mesh_problem("quads:nx=100:ny=100", "edges:cells", 64);
    small_problem irregular = mesh_problem("irregular:nx=46:ny=46:seed=3", "edges:cells", 64);
    made_case both = case_beside(regular.problem, irregular.problem);
    const int64_t apart =
        cost_by(regular.problem, "mosaic").points + cost_by(irregular.problem, "mosaic").points;
    const int64_t together = cost_by(problem_of(&both), "mosaic").points;
    assert_true((double)together < 1.012 * (double)apart);
    made_free(&both);
    small_problem_free(&regular);
    small_problem_free(&irregular);
}

/* A mesh that coordinates cut well, and another in thin layers beside it: its points over those of
 * both on their own. */
static double part_of_layers(const char *mesh, const char *map, int32_t size, double thickness) {
    small_problem round = mesh_problem("irregular:nx=130:ny=130:seed=4", map, size);
    small_problem thin = mesh_problem(mesh, map, size);
    made_case both = case_beside(round.problem, thin.problem);
    for (int64_t e = round.problem->n_elements; e < both.problem.n_elements; e++)
        both.coordinates[2 * e + 1] *= thickness;
    const int64_t apart =
        cost_by(round.problem, "mosaic").points + cost_by(thin.problem, "mosaic").points;
    const double part = (double)cost_by(problem_of(&both), "mosaic").points / (double)apart;
    made_free(&both);
    small_problem_free(&round);
    small_problem_free(&thin);
    return part;
}

/* A sample of the middle alone leaves the layers as they are, 5 % worse; polishing mends the pieces
 * of blocks, but the points that these cost stay, 0.9 %. */
static void layers_in_places_are_halved(void **state) {
    (void)state;
    assert_true(part_of_layers("quads:nx=128:ny=32:shuffle=1", "edges:nodes", 128, 0.01) < 1.01);
    assert_true(part_of_layers("irregular:nx=64:ny=64:seed=5", "edges:cells", 64, 0.2) < 1.004);
}

static void coordinates_alone_are_never_better(void **state) {
    (void)state;
    static const struct {
        const char *mesh, *map;
        int32_t block_size;
    } cases[] = {{"quads:nx=64:ny=64", "cells:nodes", 256},
                 {"quads:nx=32:ny=32", "cells:nodes", 480},
                 {"hexes:nx=16:ny=16:nz=16", "cells:nodes", 128},
                 {"hexes:nx=16:ny=16:nz=16", "cells:nodes", 480},
                 {"hexes:nx=32:ny=32:nz=64", "cells:nodes", 128},
                 {"quads:nx=200:ny=300", "cells:nodes", 480},
                 {"quads:nx=48:ny=64", "edges:cells", 64}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        small_problem f = mesh_problem(cases[i].mesh, cases[i].map, cases[i].block_size);
        const int64_t by_coordinates = points_by(f.problem, "rcb");
        const int64_t along_a_curve = points_by(f.problem, "hilbert");
        for (int effort = 2; effort <= 3; effort++) {
            const cost mine =
                cost_by(f.problem, effort == 2 ? "mosaic:effort=2" : "mosaic:effort=3");
            assert_true(mine.points <= by_coordinates);
            assert_true(mine.points <= along_a_curve);
        }
        small_problem_free(&f);
    }
}

/* A walk around a periodic mesh comes from both sides: its slabs are pairs of arms, and their
 * blocks were in two pieces. The halves of the second one are 1.2 % worse where nobody anneals
 * them. */
static void slabs_around_a_periodic_mesh_are_checked_against_halves(void **state) {
    (void)state;
    static const struct {
        const char *mesh, *map;
        int32_t block_size;
    } cases[] = {{"tris:nx=60:ny=90:periodic=x", "edges:cells", 256},
                 {"tris:nx=120:ny=100:periodic=xy", "edges:cells", 32},
                 {"tris:nx=110:ny=60:periodic=xy", "edges:nodes", 256}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        small_problem f = mesh_problem(cases[i].mesh, cases[i].map, cases[i].block_size);
        static const char *const seeds[][2] = {{"mosaic:seed=1", "mosaic:cut=halves:seed=1"},
                                               {"mosaic:seed=2", "mosaic:cut=halves:seed=2"},
                                               {"mosaic:seed=3", "mosaic:cut=halves:seed=3"}};
        int64_t points = 0, halved = 0;
        for (int s = 0; s < 3; s++) {
            points += cost_by(f.problem, seeds[s][0]).points;
            halved += cost_by(f.problem, seeds[s][1]).points;
        }
        assert_true(points <= halved + halved / 500); /* 0.2 %: chance */
        assert_same_on_threads(f.problem, "mosaic");
        small_problem_free(&f);
    }
}

/* No front is flat on a torus, and a half is good where its direction is. Bricks of 4 x 4 x 5
 * squares of two prisms tile this one. */
static void tori_are_halved_in_the_best_of_several_directions(void **state) {
    (void)state;
    const int32_t size = 2 * 4 * 4 * 5, n_bricks = 16 * 16 * 10 / (4 * 4 * 5);
    const double of_bricks = n_bricks * (5 * 5 * 6);
    small_problem f = mesh_problem("prisms:nx=16:ny=16:nz=10:periodic=xyz", "cells:nodes", size);
    const cost mine = cost_by(f.problem, "mosaic");
    assert_int_equal(mine.n_full, n_bricks);
    assert_true((double)mine.points < 1.03 * of_bricks);
    assert_same_on_threads(f.problem, "mosaic");
    small_problem_free(&f);
}

/* Sizes that weigh too little let elements of many points wander off: 7.56 pins a point of a block
 * then, 7.68 now; SCOTCH is between them. */
static void tets_by_nodes_are_annealed_with_sizes_of_their_points(void **state) {
    (void)state;
    small_problem f =
        mesh_problem("tets:nx=10:ny=12:nz=16:periodic=xy:stretch=3", "cells:nodes", 64);
    const cost mine = cost_by(f.problem, "mosaic");
    assert_true((double)mine.pins > 7.63 * (double)mine.points);
    assert_same_on_threads(f.problem, "mosaic");
    small_problem_free(&f);
}

/* Exchange finds nothing beside flat fronts of hexes, annealing a hundredth; beside those of
 * triangles in more than 1,024 blocks, which are probed twice, a hundred-and-fiftieth in rounds
 * that save little each; and so where the group in the middle gains nothing, but another does. */
static void flat_fronts_are_annealed_where_a_group_gains(void **state) {
    (void)state;
    static const struct {
        const char *mesh, *map;
        int32_t size;
        double part;
    } rows[] = {{"hexes:nx=16:ny=20:nz=16", "edges:nodes", 128, 0.99},
                {"tris:nx=258:ny=125:periodic=x", "edges:cells", 64, 0.995},
                {"tris:nx=227:ny=133:periodic=x:stretch=26", "edges:cells", 128, 0.997}};
    for (int r = 0; r < 3; r++) {
        small_problem f = mesh_problem(rows[r].mesh, rows[r].map, rows[r].size);
        const cost flat = cost_by(f.problem, "mosaic:effort=0:seed=1"),
                   mine = cost_by(f.problem, "mosaic:seed=1");
        assert_true((double)mine.points < rows[r].part * (double)flat.points);
        assert_int_equal(mine.n_full, f.problem->n_elements / rows[r].size);
        small_problem_free(&f);
    }
}

/* Later rounds save a four-hundredth of what few blocks cost: a thousandth where they grow as
 * slowly as those of many. */
static void few_blocks_are_annealed_for_longer(void **state) {
    (void)state;
    small_problem f = mesh_problem("tris:nx=155:ny=189:periodic=xy:stretch=5", "edges:cells", 480);
    const int64_t by_rounds = cost_by(f.problem, "mosaic:seed=1").points;
    const int64_t by_one = cost_by(f.problem, "mosaic:seed=1:effort=1").points;
    assert_true((double)by_rounds < 0.998 * (double)by_one);
    small_problem_free(&f);
}

/* Of few blocks rounds go on where one saves nothing: a five-hundredth and a hundredth of the
 * points of effort 2, which ends there; more rounds save a hundredth where none does. */
static void few_blocks_are_annealed_in_more_rounds(void **state) {
    (void)state;
    const struct {
        const char *mesh, *map;
        int32_t block_size;
        double part; /* of the points of effort 2, at most */
    } rows[] = {
        {"tris:nx=177:ny=74:periodic=x:stretch=54", "cells:nodes", 480, 0.998},
        {"tets:nx=30:ny=6:nz=24:periodic=xy:stretch=96", "edges:nodes", 480, 0.99},
        {"prisms:nx=19:ny=19:nz=48:periodic=xyz:stretch=22:shuffle=1", "cells:nodes", 256, 0.99}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        small_problem f = mesh_problem(rows[r].mesh, rows[r].map, rows[r].block_size);
        const double shorter = (double)cost_by(f.problem, "mosaic:seed=1:effort=2").points;
        const double usual = (double)cost_by(f.problem, "mosaic:seed=1").points;
        assert_true(usual < rows[r].part * shorter);
        small_problem_free(&f);
    }
}

/* A race may end with a way that effort 2, which runs none, would have left behind in its second
 * round: of up to 512 blocks the default is never worse. */
static void few_blocks_have_no_less_reuse_by_more_effort(void **state) {
    (void)state;
    small_problem f = mesh_problem("tets:nx=27:ny=15:nz=17:periodic=none:stretch=1:shuffle=1",
                                   "faces:cells", 256);
    assert_true(cost_by(f.problem, "mosaic:seed=1").points <=
                cost_by(f.problem, "mosaic:seed=1:effort=2").points);
    small_problem_free(&f);
}

/* Balls of edges by nodes of triangles are no measure of blocks: these have a fourteenth less. */
static void blocks_as_good_as_balls_are_annealed_where_points_are_crowded(void **state) {
    (void)state;
    small_problem f = mesh_problem("tris:nx=177:ny=74:periodic=x", "edges:nodes", 64);
    const double flat = (double)cost_by(f.problem, "mosaic:effort=0").points;
    assert_true((double)cost_by(f.problem, "mosaic:effort=1").points < 0.94 * flat);
    assert_true((double)cost_by(f.problem, "mosaic").points < 0.93 * flat);
    small_problem_free(&f);
}

/* Annealing makes more of flat fronts than of the halves that a sample takes for better: 4 %. */
static void halves_of_solids_are_checked_against_slabs(void **state) {
    (void)state;
    const char *const mesh = "layers:base=irregular:nx=30:ny=30:prisms=20:tets=1:seed=3";
    small_problem f = mesh_problem(mesh, "cells:nodes", 200);
    const int64_t in_slabs = cost_by(f.problem, "mosaic:cut=slabs:seed=1").points;
    const int64_t mine = cost_by(f.problem, "mosaic:seed=1").points;
    assert_true((double)mine < 1.005 * (double)in_slabs);
    small_problem_free(&f);
}

/* Prisms in thin layers below tets: coordinates are as good as the map in balls, not in blocks. */
static void coordinates_are_checked_by_the_pieces_of_blocks(void **state) {
    (void)state;
    small_problem f = mesh_problem("layers:prisms=13:tets=11:seed=525", "faces:cells", 64);
    const int64_t halved = cost_by(f.problem, "mosaic:cut=halves").points;
    assert_true(cost_by(f.problem, "mosaic").points <= halved);
    small_problem_free(&f);
}

/* Polishing mends nearly all pieces of what coordinates cut there, but not what they cost. */
static void coordinates_are_checked_before_their_blocks_are_polished(void **state) {
    (void)state;
    small_problem f = mesh_problem("prisms:nx=20:ny=20:nz=24:shuffle=1", "faces:cells", 64);
    const int64_t halved = cost_by(f.problem, "mosaic:cut=halves").points;
    assert_true((double)cost_by(f.problem, "mosaic").points <= 1.003 * (double)halved);
    small_problem_free(&f);
}

/* Whether blocks of 64 of 64 x 64 quads are doubted beside a ball's points: 8 x 8, but for the
 * first `n_thin`, a multiple of four, which are bricks of `height` rows. */
static bool are_doubted(const small_problem *quads, int n_thin, int height, double ball) {
    enum { SIDE = 64, S = 64 };
    const tess_partition_problem *problem = quads->problem;
    mosaic_pins pins = {0};
    mosaic_blocks blocks = {0};
    int32_t block_of[SIDE * SIDE];
    bool doubtful = false, channels = true;
    for (int e = 0; e < SIDE * SIDE; e++) {
        const int x = e % SIDE, y = e / SIDE, first = y / 8 * 8 + x / 32 * 4, wide = S / height;
        const int in_square = x % 32 / 8, in_brick = y % 8 / height * (32 / wide) + x % 32 / wide;
        block_of[e] = first + (first < n_thin ? in_brick : in_square);
    }
    const int64_t of_square = 9 * 9, of_brick = (height + 1) * (S / height + 1);
    assert_int_equal(cost_of(problem, block_of).points,
                     (SIDE - n_thin) * of_square + n_thin * of_brick);
    OK(mosaic_pins_build(problem, INT64_MAX, &pins));
    OK(mosaic_blocks_build(&pins, S, SIDE, block_of, &blocks));
    blocks.dimension = 2;
    OK(mosaic_choose_doubt(&blocks, ball, TORN_PART, &doubtful, &channels));
    assert_false(channels);
    mosaic_blocks_clear(&blocks);
    mosaic_pins_clear(&pins);
    return doubtful;
}

/* Coordinates are doubted where more than a tenth of the blocks have a fifth more points than a
 * ball, as thin layers make them. */
static void blocks_in_thin_layers_are_doubted(void **state) {
    (void)state;
    small_problem quads = mesh_problem("quads:nx=64:ny=64", "cells:nodes", 64);
    assert_false(are_doubted(&quads, 0, 2, 81));
    assert_false(are_doubted(&quads, 64, 4, 81)); /* 85 points */
    assert_true(are_doubted(&quads, 64, 2, 81));  /* 99 */
    assert_true(are_doubted(&quads, 8, 2, 81));
    assert_false(are_doubted(&quads, 4, 2, 81));
    assert_false(are_doubted(&quads, 64, 2, 99));
    small_problem_free(&quads);
}

/* The points of mosaic's blocks of a mesh over those of METIS's. */
static double part_of_metis(const tess_partition_problem *problem) {
    tess_partition *metis = partition_of(problem, "metis:objtype=vol");
    const int64_t theirs = cost_of(problem, metis->block_of).points;
    tess_partition_free(metis);
    return (double)cost_by(problem, "mosaic").points / (double)theirs;
}

/* A river's delta, whose channels coordinates cut across, and a little mesh without coordinates. */
static void channels_and_little_meshes_are_annealed_for_long(void **state) {
    (void)state;
    if (!in_this_build("metis"))
        skip();
    static const struct {
        const char *map;
        double of_little; /* at most; 0.3 to 1.2 % more, annealed as long as others */
    } rows[] = {{"edges:cells", 0.995}, {"cells:nodes", 0.98}, {"edges:nodes", 0.96}};
    for (int r = 0; r < 3; r++) {
        small_problem delta = mesh_problem("bay_delta_coarse_v4.gr3.xz", rows[r].map, 64);
        small_problem little = mesh_problem("irregular:nx=50:ny=40:seed=3", rows[r].map, 64);
        little.problem->dimension = 0;
        assert_true(part_of_metis(delta.problem) < 1);
        assert_true(part_of_metis(little.problem) < rows[r].of_little);
        small_problem_free(&delta);
        small_problem_free(&little);
    }
}

/* A mesh whose own numbering is that of long annealing. */
static void the_numbering_is_never_better(void **state) {
    (void)state;
    small_problem f = mesh_problem("irregular:nx=24:ny=24", "edges:cells", 64);
    int32_t *block_of = blocks_by(f.problem, "mosaic:effort=4");
    made_case made = case_in_blocks(f.problem, block_of);
    const tess_partition_problem *problem = problem_of(&made);
    const int64_t natural = points_by(problem, "natural");
    assert_int_equal(natural, cost_of(f.problem, block_of).points);
    const char *const efforts[] = {"mosaic:effort=0", "mosaic:effort=1", "mosaic:effort=2",
                                   "mosaic"};
    for (int i = 0; i < 4; i++)
        assert_true(cost_by(problem, efforts[i]).points <= natural);
    made_free(&made);
    free(block_of);
    small_problem_free(&f);
}

static void more_effort_is_never_worse(void **state) {
    (void)state;
    static const struct {
        const char *mesh, *map;
        int32_t block_size;
        int most; /* effort */
    } cases[] = {{"irregular:nx=16:ny=16:seed=5", "cells:nodes", 64, 5},
                 {"tets:nx=4", "cells:nodes", 64, 5},
                 {"ogrid:ni=64:nj=32", "cells:nodes", 64, 5},
                 {"prisms:nx=9:ny=9:nz=9", "cells:nodes", 64, 5},
                 {"hexes:nx=14:ny=15:nz=5:periodic=xyz", "cells:nodes", 256, 4},
                 {"tris:nx=35:ny=40:periodic=xy", "edges:nodes", 16, 3},
                 {"tris:nx=64:ny=16:stretch=30:shuffle=1", "cells:nodes", 16, 3},
                 {"ogrid:ni=160:nj=40:stretch=143:shuffle=1", "edges:nodes", 128, 3},
                 {"tets:nx=8:ny=8:nz=8:stretch=20:shuffle=1", "faces:cells", 100, 3},
                 {"tets:nx=10:ny=16:nz=15:stretch=20", "faces:cells", 128, 3}};
    const char *const efforts[] = {"mosaic:effort=0", "mosaic:effort=1", "mosaic:effort=2",
                                   "mosaic:effort=3", "mosaic:effort=4", "mosaic:effort=5"};
    for (size_t m = 0; m < sizeof cases / sizeof *cases; m++) {
        const int32_t size = cases[m].block_size;
        small_problem f = mesh_problem(cases[m].mesh, cases[m].map, size);
        int64_t least = INT64_MAX;
        for (int i = 0; i <= cases[m].most; i++) {
            const cost mine = cost_by(f.problem, efforts[i]);
            assert_int_equal(mine.n_full, f.problem->n_elements / size);
            assert_true(mine.points <= least);
            least = mine.points;
        }
        small_problem_free(&f);
    }
}

/* The lowest effort halves no mesh: few blocks, solids that are not regular, and slabs that a
 * sample says halves are better than, are exchanged; what is regular in places is cut in other
 * slabs; coordinates are taken where they are better. */
static void the_lowest_effort_mends_its_cut(void **state) {
    (void)state;
    static const struct {
        const char *mesh, *map;
        int32_t size;
        double part; /* of the points of slabs alone, at most */
    } rows[] = {
        {"tets:nx=16:ny=12:nz=9:periodic=xy:stretch=33", "edges:nodes", 480, 0.95},
        {"layers:base=regular:nx=14:ny=14:prisms=8:tets=4:seed=442", "faces:cells", 64, 0.96},
        {"layers:base=wing:nx=16:ny=16:prisms=6:tets=5:seed=97", "faces:cells", 64, 0.96},
        {"quads:nx=57:ny=412:periodic=x", "edges:nodes", 128, 0.998},
        {"tets:nx=16:ny=13:nz=10:shuffle=1", "edges:nodes", 64, 0.95}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        small_problem f = mesh_problem(rows[r].mesh, rows[r].map, rows[r].size);
        const cost mine = cost_by(f.problem, "mosaic:effort=0:seed=1"),
                   slabs = cost_by(f.problem, "mosaic:effort=0:cut=slabs:seed=1"),
                   more = cost_by(f.problem, "mosaic:effort=1:seed=1");
        assert_true((double)mine.points <= rows[r].part * (double)slabs.points);
        assert_true(more.points < mine.points);
        assert_int_equal(mine.n_full, f.problem->n_elements / rows[r].size);
        small_problem_free(&f);
    }
}

/* A sample says that halves are better, but cut whole these have more points; annealed, fewer than
 * slabs: the default has found both out. */
static void slabs_come_before_halves_of_samples(void **state) {
    (void)state;
    static const struct {
        const char *mine, *halves;
        double part; /* of the points of halves alone, at most */
    } rows[] = {{"mosaic:effort=0", "mosaic:effort=0:cut=halves", 0.98},
                {"mosaic:effort=3", "mosaic:effort=3:cut=halves", 1}};
    small_problem f = mesh_problem("layers:base=irregular:nx=17:ny=17:prisms=17:tets=4:seed=618",
                                   "cells:nodes", 128);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        assert_true((double)cost_by(f.problem, rows[r].mine).points <=
                    rows[r].part * (double)cost_by(f.problem, rows[r].halves).points);
    small_problem_free(&f);
}

/* Efforts up to 2 cut solids in the same slabs, narrower ones where these are not regular, and in
 * no bricks by coordinates, which have fewer points only until they are annealed: a second round
 * goes on with the blocks of the first. */
static void low_efforts_cut_solids_alike(void **state) {
    (void)state;
    static const struct {
        const char *mesh, *map;
        int32_t size;
        double part; /* of the points of slabs that are as wide as balls, at most */
    } rows[] = {
        {"layers:base=regular:nx=25:ny=25:prisms=19:tets=7:seed=973", "faces:cells", 256, 0.992},
        {"layers:base=regular:nx=21:ny=21:prisms=7:tets=8:seed=362:shuffle=1", "faces:cells", 480,
         0.997},
        {"tets:nx=18:ny=27:nz=12:periodic=xy:stretch=4", "edges:nodes", 128, 1.002}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        small_problem f = mesh_problem(rows[r].mesh, rows[r].map, rows[r].size);
        const double slabs = (double)cost_by(f.problem, "mosaic:seed=1:effort=1:cut=slabs").points,
                     first = (double)cost_by(f.problem, "mosaic:seed=1:effort=1").points,
                     second = (double)cost_by(f.problem, "mosaic:seed=1:effort=2").points;
        assert_true(first < rows[r].part * slabs);
        assert_true(second < 0.997 * first);
        small_problem_free(&f);
    }
}

/* Coordinates are as good as halves, for which a sample speaks, in parts where both are bad: slabs
 * have 7 % fewer points, and effort 0 takes them. */
static void coordinates_are_no_better_than_slabs(void **state) {
    (void)state;
    small_problem f = mesh_problem("hexes:nx=10:ny=32:nz=56", "cells:nodes", 64);
    const int64_t slabs = cost_by(f.problem, "mosaic:effort=0:seed=1").points;
    const int64_t one = cost_by(f.problem, "mosaic:effort=1:seed=1").points;
    assert_true(one < slabs);
    assert_true(cost_by(f.problem, "mosaic:effort=2:seed=1").points <= one);
    small_problem_free(&f);
}

/* Of these layers coordinates tear a tenth of the blocks: up to effort 2 they are cut by the map,
 * and have no more points than slabs of it. */
static void layers_are_not_cut_across(void **state) {
    (void)state;
    static const char *const meshes[] = {
        "layers:base=irregular:nx=16:ny=16:prisms=9:tets=8:seed=418",
        "layers:base=irregular:nx=16:ny=16:prisms=6:tets=11:seed=7"};
    for (size_t i = 0; i < sizeof meshes / sizeof *meshes; i++) {
        small_problem f = mesh_problem(meshes[i], "faces:cells", 128);
        assert_true(cost_by(f.problem, "mosaic:effort=1").points <=
                    cost_by(f.problem, "mosaic:effort=1:cut=slabs").points);
        assert_true(cost_by(f.problem, "mosaic:effort=2").points <=
                    cost_by(f.problem, "mosaic:effort=2:cut=slabs").points);
        small_problem_free(&f);
    }
}

/* Walks around a torus cut slabs whose blocks are in pieces behind flat fronts, which no group of
 * blocks says are worth annealing: they are joined and annealed all the same. */
static void torn_blocks_behind_flat_fronts_are_annealed(void **state) {
    (void)state;
    small_problem f = mesh_problem("tris:nx=90:ny=130:periodic=xy", "edges:cells", 16);
    const double none = (double)cost_by(f.problem, "mosaic:effort=0").points,
                 first = (double)cost_by(f.problem, "mosaic:effort=1").points,
                 second = (double)cost_by(f.problem, "mosaic:effort=2").points;
    assert_true(first < 0.984 * none);
    assert_true(second < 0.996 * first);
    small_problem_free(&f);
}

/* Effort 1 anneals a round, effort 2 another one. */
static void low_efforts_anneal_a_round_and_two(void **state) {
    (void)state;
    static const struct {
        const char *mesh, *map;
        double first, second; /* of the points of the effort before it, at most */
    } rows[] = {{"irregular:nx=60:ny=60", "edges:cells", 0.98, 0.998},
                {"tris:nx=98:ny=73", "cells:nodes", 0.995, 1},
                {"tets:nx=14:ny=13:nz=12", "faces:cells", 0.96, 0.992}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        small_problem f = mesh_problem(rows[r].mesh, rows[r].map, 128);
        const double cut = (double)cost_by(f.problem, "mosaic:effort=0").points,
                     first = (double)cost_by(f.problem, "mosaic:effort=1").points,
                     second = (double)cost_by(f.problem, "mosaic:effort=2").points;
        assert_true(first < rows[r].first * cut);
        assert_true(second <= rows[r].second * first);
        small_problem_free(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_that_are_regular_in_places_are_cut_as_well),
        cmocka_unit_test(layers_in_places_are_halved),
        cmocka_unit_test(coordinates_alone_are_never_better),
        cmocka_unit_test(slabs_around_a_periodic_mesh_are_checked_against_halves),
        cmocka_unit_test(tori_are_halved_in_the_best_of_several_directions),
        cmocka_unit_test(tets_by_nodes_are_annealed_with_sizes_of_their_points),
        cmocka_unit_test(flat_fronts_are_annealed_where_a_group_gains),
        cmocka_unit_test(few_blocks_are_annealed_for_longer),
        cmocka_unit_test(few_blocks_are_annealed_in_more_rounds),
        cmocka_unit_test(few_blocks_have_no_less_reuse_by_more_effort),
        cmocka_unit_test(blocks_as_good_as_balls_are_annealed_where_points_are_crowded),
        cmocka_unit_test(halves_of_solids_are_checked_against_slabs),
        cmocka_unit_test(coordinates_are_checked_by_the_pieces_of_blocks),
        cmocka_unit_test(coordinates_are_checked_before_their_blocks_are_polished),
        cmocka_unit_test(blocks_in_thin_layers_are_doubted),
        cmocka_unit_test(channels_and_little_meshes_are_annealed_for_long),
        cmocka_unit_test(the_numbering_is_never_better),
        cmocka_unit_test(more_effort_is_never_worse),
        cmocka_unit_test(the_lowest_effort_mends_its_cut),
        cmocka_unit_test(slabs_come_before_halves_of_samples),
        cmocka_unit_test(coordinates_are_no_better_than_slabs),
        cmocka_unit_test(low_efforts_cut_solids_alike),
        cmocka_unit_test(layers_are_not_cut_across),
        cmocka_unit_test(torn_blocks_behind_flat_fronts_are_annealed),
        cmocka_unit_test(low_efforts_anneal_a_round_and_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Block shapes: what single partitioners make of meshes whose best blocks are known. */
#include "tests/partitioners/partition_of.h"

#include <math.h>
#include <unistd.h>

/* Fills the coordinates of a grid of side^dimension points, the first axis fastest. */
static void grid_fill(int side, int dimension, int n, double *coordinates) {
    for (int i = 0, rest = 0; i < n; i++) {
        rest = i;
        for (int d = 0; d < dimension; d++, rest /= side)
            coordinates[dimension * i + d] = rest % side;
    }
}

/* Whether the points of the block that `start` is in are linked by steps of one along an axis. */
static bool block_is_connected(const tess_partition *partition, int side, int dimension,
                               int start) {
    const int64_t n = partition->n_elements;
    bool reached[1024] = {false};
    reached[start] = true;
    for (bool grown = true; grown;) {
        grown = false;
        for (int i = 0; i < n; i++) {
            if (!reached[i])
                continue;
            for (int d = 0, step = 1; d < dimension; d++, step *= side) {
                const int position = i / step % side;
                const int up = position + 1 < side ? i + step : i,
                          down = position > 0 ? i - step : i;
                const int around[2] = {up, down};
                for (int k = 0; k < 2; k++) {
                    const int j = around[k];
                    if (reached[j] || partition->block_of[j] != partition->block_of[start])
                        continue;
                    reached[j] = grown = true;
                }
            }
        }
    }
    for (int i = 0; i < n; i++)
        if (partition->block_of[i] == partition->block_of[start] && !reached[i])
            return false;
    return true;
}

/* Neighbours on the curve are neighbours on the grid: blocks of any size are connected. */
static void the_hilbert_curve_is_continuous(void **state) {
    double coordinates[2 * 1024];
    for (int dimension = 2; dimension <= 3; dimension++) {
        const int side = dimension == 2 ? 32 : 8, n = dimension == 2 ? 1024 : 512;
        grid_fill(side, dimension, n, coordinates);
        for (int32_t block_size = 2; block_size <= 13; block_size++) {
            const tess_partition_problem grid = {.n_elements = n,
                                                 .dimension = dimension,
                                                 .coordinates = coordinates,
                                                 .block_size = block_size};
            tess_partition *partition = partition_of(&grid, "hilbert");
            for (int i = 0; i < n; i++)
                assert_true(block_is_connected(partition, side, dimension, i));
            tess_partition_free(partition);
        }
    }
}

/* Cells of a square of 16 x 16, block size 16: bisection gives 4 x 4 squares. */
static void rcb_cuts_a_square_into_squares(void **state) {
    enum { SIDE = 16, N = SIDE * SIDE };
    double coordinates[2 * N];
    grid_fill(SIDE, 2, N, coordinates);
    const tess_partition_problem grid = {
        .n_elements = N, .dimension = 2, .coordinates = coordinates, .block_size = 16};
    tess_partition *partition = partition_of(&grid, "rcb");
    for (int i = 0; i < N; i++) {
        const int corner = i / SIDE / 4 * 4 * SIDE + i % SIDE / 4 * 4;
        assert_int_equal(partition->block_of[i], partition->block_of[corner]);
    }
    tess_partition_free(partition);
}

/* Elements at one place are cut in the order of their numbers. */
static void rcb_cuts_what_coincides_by_number(void **state) {
    enum { N = 1000, SIZE = 64 };
    static const double coordinates[3 * N];
    const tess_partition_problem heap = {
        .n_elements = N, .dimension = 3, .coordinates = coordinates, .block_size = SIZE};
    tess_partition *partition = partition_of(&heap, "rcb");
    for (int e = 0; e < N; e++)
        assert_int_equal(partition->block_of[e], partition->block_of[e / SIZE * SIZE]);
    tess_partition_free(partition);
}

static tess_status count_levels(void *context, const char *what, int step, int64_t n_elements,
                                const int32_t *block_of) {
    int *levels = context;
    assert_string_equal(what, "rcb");
    assert_int_equal(step, *levels);
    int32_t largest = 0;
    for (int64_t e = 0; e < n_elements; e++)
        largest = block_of[e] > largest ? block_of[e] : largest;
    assert_in_range(largest, step + 1, (2 << step) - 1);
    ++*levels;
    return TESS_OK;
}

static void rcb_shows_each_level(void **state) {
    int levels = 0;
    const tess_observer observer = {.context = &levels, .partition = count_levels};
    small_problem f = quads_problem(20, 20, 48); /* 760 edges, 16 blocks */
    f.problem->observer = &observer;
    tess_partition_free(partition_of(f.problem, "rcb"));
    assert_int_equal(levels, 4);
    small_problem_free(&f);
}

/* The cells of a box, without maps. */
static tess_partition_problem box_problem(int64_t nx, int64_t ny, int64_t nz, int32_t block_size) {
    return (tess_partition_problem){
        .n_elements = nx * ny * (nz ? nz : 1), .shape = {nx, ny, nz}, .block_size = block_size};
}

/* Whether all elements of each brick, and no others, are in one block. */
static void assert_bricks(const tess_partition_problem *box, const char *text, int bx, int by,
                          int bz) {
    tess_partition *partition = partition_of(box, text);
    const int64_t nx = box->shape[0], ny = box->shape[1];
    const int64_t n_blocks = (nx + bx - 1) / bx * ((ny + by - 1) / by) *
                             (((box->shape[2] ? box->shape[2] : 1) + bz - 1) / bz);
    assert_int_equal(partition->n_blocks, n_blocks);
    for (int64_t e = 0; e < box->n_elements; e++) {
        const int64_t x = e % nx, y = e / nx % ny, z = e / nx / ny;
        const int64_t corner = (z / bz * bz * ny + y / by * by) * nx + x / bx * bx;
        assert_int_equal(partition->block_of[e], partition->block_of[corner]);
    }
    tess_partition_free(partition);
}

static void bricks_are_near_cubes_that_fill_blocks(void **state) {
    const tess_partition_problem square = box_problem(64, 64, 0, 128),
                                 cube = box_problem(32, 32, 32, 128);
    assert_bricks(&square, "bricks", 16, 8, 1);
    assert_bricks(&square, "bricks:dims=1d", 64, 1, 1);
    assert_bricks(&square, "bricks:dims=8x16", 8, 16, 1);
    assert_bricks(&cube, "bricks", 8, 4, 4);
    assert_bricks(&cube, "bricks:dims=2d", 16, 8, 1);
    assert_bricks(&cube, "bricks:dims=5x5x5", 5, 5, 5);
    const tess_partition_problem full = box_problem(60, 64, 30, 480),
                                 thin = box_problem(100, 1, 0, 32);
    assert_bricks(&full, "bricks", 10, 8, 6);
    assert_bricks(&thin, "bricks", 32, 1, 1);
}

/* The first edge of the cell to the right or above: edges whose greater cell lies in one brick of
 * 4 x 4 cells are one block. */
static void edges_are_cut_by_the_bricks_of_their_cells(void **state) {
    enum { NX = 12, NY = 8 };
    small_problem f = quads_problem(NX, NY, 32);
    memcpy(f.problem->box, (int64_t[3]){NX, NY, 0}, sizeof f.problem->box);
    tess_partition *partition = partition_of(f.problem, "bricks:dims=4x4");
    assert_int_equal(partition->n_blocks, NX / 4 * (NY / 4));
    int64_t n = 0;
    int32_t block_of_brick[NX / 4 * (NY / 4)];
    memset(block_of_brick, -1, sizeof block_of_brick);
    for (int64_t e = 0; e < f.problem->n_elements; e++) {
        const int32_t *cells = tess_incidence_row(&f.problem->maps[0], e, &n);
        const int32_t cell = cells[0] > cells[1] ? cells[0] : cells[1];
        int32_t *block = &block_of_brick[cell / NX / 4 * (NX / 4) + cell % NX / 4];
        *block = *block < 0 ? partition->block_of[e] : *block;
        assert_int_equal(partition->block_of[e], *block);
    }
    tess_partition_free(partition);
    partition = partition_of(f.problem, "bricks:dims=4x4:full=yes");
    assert_int_equal(partition->n_blocks, (f.problem->n_elements + 31) / 32);
    tess_partition_free(partition);
    partition = partition_of(f.problem, "bricks"); /* 16 cells have 32 edges */
    assert_int_equal(partition->n_blocks, NX / 4 * (NY / 4));
    tess_partition_free(partition);
    assert_refused(f.problem, "bricks:dims=5x4", TESS_ERROR_USAGE, "up to 40 elements");
    small_problem_free(&f);
}

static void bricks_that_cannot_be_are_refused(void **state) {
    const tess_partition_problem square = box_problem(64, 64, 0, 128),
                                 none = {.n_elements = 5, .block_size = 2};
    assert_refused(&square, "bricks:dims=16x9", TESS_ERROR_USAGE, "do not fit the block size 128");
    assert_refused(&square, "bricks:dims=16x", TESS_ERROR_USAGE, "'16x'");
    assert_refused(&square, "bricks:dims=0x4", TESS_ERROR_USAGE, "'0x4'");
    assert_refused(&square, "bricks:dims=4x4x2x2", TESS_ERROR_USAGE, "'4x4x2x2'");
    assert_refused(&square, "bricks:dims=999999999x999999999x999999999", TESS_ERROR_USAGE, "fit");
    assert_refused(&none, "bricks", TESS_ERROR_USAGE, "structured box");
}

/* A part file of these bytes, read for five elements. */
static void assert_part_file(const char *text, tess_status expected, const char *words) {
    char path[] = "/tmp/tess-part-XXXXXX", spec[64];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    snprintf(spec, sizeof spec, "file:path=%s", path);
    const tess_partition_problem five = {.n_elements = 5, .block_size = 2};
    if (expected == TESS_OK) {
        tess_partition *partition = partition_of(&five, spec);
        assert_int_equal(partition->n_blocks, 3);
        assert_int_equal(partition->block_of[1], partition->block_of[4]);
        assert_int_equal(partition->block_of[0], partition->block_of[3]);
        tess_partition_free(partition);
    } else {
        assert_refused(&five, spec, expected, words);
    }
    unlink(path);
}

static void a_part_file_is_read_or_refused_by_line(void **state) {
    assert_part_file("7\n3\n0\n7\n3\n", TESS_OK, "");
    assert_part_file("7\r\n3\r\n0\r\n 7\r\n3", TESS_OK, "");
    assert_part_file("7\n3\n0\n7\n3\n\n", TESS_OK, "");
    assert_part_file("7\n3\n0\n7\n", TESS_ERROR_INPUT, ":4: the text ends after 4 of 5");
    assert_part_file("", TESS_ERROR_INPUT, " is empty: a block number for each of 5 elements");
    assert_part_file("7\n3\n0\n7\n3\n9\n", TESS_ERROR_INPUT, ":6: there are only 5");
    assert_part_file("7\n3\nx\n7\n3\n", TESS_ERROR_INPUT, ":3: 'x' is not a block number");
    assert_part_file("7\n3 4\n0\n7\n3\n", TESS_ERROR_INPUT, ":2: '3 4' is not");
    assert_part_file("7\n-3\n0\n7\n3\n", TESS_ERROR_INPUT, ":2: block number -3");
    assert_part_file("7\n99999999999999999999\n0\n7\n3\n", TESS_ERROR_INPUT, ":2: block");
    assert_part_file("7\n2147483648\n0\n7\n3\n", TESS_ERROR_INPUT, ":2: block number 2147");
    char wide[200];
    snprintf(wide, sizeof wide, "1\n%0150d\n", 1);
    assert_part_file(wide, TESS_ERROR_INPUT, ":2: more than one");
    const tess_partition_problem five = {.n_elements = 5, .block_size = 2};
    assert_refused(&five, "file", TESS_ERROR_USAGE, "file:path=");
    assert_refused(&five, "file:path=/nowhere/part", TESS_ERROR_INPUT, "/nowhere/part: No such");
}

/* Elements on three successive points of a line, all in shuffled order: RCM and GPS find the line,
 * so blocks are intervals. */
static void rcm_and_gps_follow_a_shuffled_line(void **state) {
    enum { N = 64, SIZE = 8, N_POINTS = N + 2 };
    int32_t id[N_POINTS], index[3 * N];
    uint64_t seed = 9;
    for (int i = 0; i < N_POINTS; i++) {
        const int other = random_below(&seed, i + 1);
        id[i] = id[other];
        id[other] = i;
    }
    for (int e = 0; e < N; e++)
        for (int s = 0; s < 3; s++)
            index[3 * (e * 23 % N) + (e + s) % 3] = id[e + s];
    tess_incidence map = {.index = index, .arity = 3, .n_points = N_POINTS};
    const tess_partition_problem line = {
        .n_elements = N, .n_maps = 1, .maps = &map, .block_size = SIZE};
    const char *const names[] = {"rcm", "gps"};
    for (int i = 0; i < 2; i++) {
        tess_partition *partition = partition_of(&line, names[i]);
        assert_int_equal(partition->n_blocks, N / SIZE);
        /* each block's 8 elements reach 10 points */
        assert_true(fabs(partition->reuse_factor_before - 24.0 / 10) < 1e-12);
        tess_partition_free(partition);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hilbert_curve_is_continuous),
        cmocka_unit_test(rcb_cuts_a_square_into_squares),
        cmocka_unit_test(rcb_cuts_what_coincides_by_number),
        cmocka_unit_test(rcb_shows_each_level),
        cmocka_unit_test(bricks_are_near_cubes_that_fill_blocks),
        cmocka_unit_test(edges_are_cut_by_the_bricks_of_their_cells),
        cmocka_unit_test(bricks_that_cannot_be_are_refused),
        cmocka_unit_test(a_part_file_is_read_or_refused_by_line),
        cmocka_unit_test(rcm_and_gps_follow_a_shuffled_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
